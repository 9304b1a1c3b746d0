"""One card for each order on a wall: what its head says, and that its rows are worked on as anywhere."""

import json
import re
import time

import pytest
from board_stage import Fingers, Stage, calm, rows, settled, still
from test_board_access import axe
from test_board_screen import ARCS, CUT, HD, TABLET, UHD

READY = '{count(group where section == "pass")} of {count(group)} ready'
KINDS = {"kinds": {
    "ticket": {
        "height": 60, "states": ["collapsed", "expanded"], "ages": {"warn": 300, "late": 600},
        "show": {"line": ["table {table}", READY, "{server}", "order {order}", "{note}"], "group": "order", "wrap": 2},
        "emphasis": [{"when": 'field.note ~ "ALLERGY"', "field": "note", "background": "#b00020", "icon": "warning"}],
        "trailing": {"fullSwipe": True, "actions": [
            {"id": "bump", "title": "Bump", "background": "#1f7a45", "effect": {"move": {"section": "pass", "bottom": True}}}]}},
    "notice": {"height": 40, "pinned": True}}}
SECTIONS = ("grill", "fry", "cold", "pass")
#: What each head says, in the order in which they are read, and of how many rows it is the head.
HEADS = """() => [...document.querySelectorAll('.card-head[role]')].map((one) => {
    const [name, parts, age, list] = one.children;
    return {box: one.getBoundingClientRect(), said: [name.textContent, parts.textContent, age.textContent, age.className.trim()],
        rows: list.getAttribute('aria-owns').split(' ').map((id) => document.getElementById(id).view.id)}; })
    .sort((a, b) => a.box.x - b.box.x || a.box.y - b.box.y)"""
#: The rows as they are read: column by column.
ORDER = """() => [...document.querySelectorAll('.row:not([hidden])')].filter((r) => r.view.id).map((r) => [r.getBoundingClientRect(), r.view.id])
    .sort(([a], [b]) => a.left - b.left || a.top - b.top).map(([, id]) => id)"""
TILES = "() => Object.fromEntries([...trestle.board.tiles.numbers])"


def ticket(name, order, section, minutes=2, **more):
    fields = {"table": str(int(order) % 30) if order else "3", "server": "Ana"} | ({"order": order} if order else {}) | more
    return {"id": name, "kind": "ticket", "section": section, "title": f"2 × {name}", "fields": fields,
            "createdMs": int(time.time() * 1000 - minutes * 60_000) - 20_000}


def words(page, row):
    """What a row says, in its order."""
    return page.evaluate(f"[...trestle.board.viewOf('{row}').words.children].map((one) => one.textContent)")


@pytest.fixture(scope="module")
def stage():
    with Stage(boards=()) as made:
        made.kinds = made.daemon.directory / "orders.json"
        made.kinds.write_text(json.dumps(KINDS))
        yield made
        assert made.wrong == []


@pytest.fixture
def board(stage, request):
    """A board of its own: 1041 and 1042 come in by turns, 1041 has a ticket at the fryer, too."""
    name = request.node.name.partition("[")[0][5:40].replace("_", "-") + str(len(stage.contexts))
    stage.fill(name, kinds=stage.kinds, rows=[
        {"id": "86", "kind": "notice", "section": "grill", "title": "86 the ribeye"},
        ticket("a1", "1041", "grill", 6), ticket("b1", "1042", "grill", 2), ticket("a2", "1041", "grill", 1),
        ticket("x", "", "grill"), ticket("b2", "1042", "grill", 2), ticket("y", "", "grill"),
        ticket("a3", "1041", "fry", 6), ticket("z", "", "fry")])
    stage.trestle("section", name, "pass")
    return name


def show(stage, board, query="", **more):
    page = stage.open(f"/board/{board}?view=cards{query}", context=stage.context(**{"viewport": TABLET} | more))
    still(page)
    return page


@pytest.mark.parametrize("size", [HD, UHD], ids=["1080p", "4K"])
def test_a_wall_of_orders_is_read_from_two_metres(stage, size):
    """24 tickets of twelve orders are seen at once, each order on one card, and nothing is smaller than it has to be."""
    board = f"evening-{size['width']}"
    stage.fill(board, kinds=stage.kinds, rows=[
        ticket(f"t{n}-{m}", str(1040 + n), SECTIONS[n // 3], minutes=(0, 5, 11)[n % 3] + m,
               **({"note": "ALLERGY: nuts"} if n % 3 == 1 and m == 0 else {}))
        for m in range(2) for n in range(12)])
    page = stage.open(f"/board/{board}?kiosk=1", context=stage.context(viewport=size, has_touch=False))
    still(page)
    assert page.evaluate("[trestle.board.settings.away, trestle.board.settings.hasCards]") == ["wall", True]
    assert len(rows(page)) == 24 and page.evaluate(CUT) == 0 and not page.locator(".pager").is_visible()
    heads = page.evaluate(HEADS)
    assert [one["said"][0] for one in heads] == [str(1040 + n) for n in range(12)]
    for n, one in enumerate(heads):
        assert one["rows"] == [f"t{n}-0", f"t{n}-1"]
        name, parts, age, level = one["said"]
        assert parts.split(" · ")[-1 if n == 0 else 0].endswith("of 2 ready") or "of 2 ready" in parts
        assert ("2 of 2 ready" if n >= 9 else "0 of 2 ready") in parts
        assert level == ["age", "age warn", "age late"][n % 3] and age.startswith(("1:", "6:", "12:")[n % 3])
        assert page.evaluate("""([name, parts, age]) => [...document.querySelectorAll('.card-head[role] > *')].every((one) =>
            one.scrollWidth <= one.clientWidth + 1)""", [name, parts, age]), "a text of a head is cut"
        # Its rows stand right below it, in its column, and do not say again what it says.
        top = one["box"]["y"] + one["box"]["height"]
        for row in one["rows"]:
            box = page.locator(f'.row[data-row="{row}"]').bounding_box()
            assert abs(box["x"] - one["box"]["x"]) < 1 and abs(box["y"] - top) < 1
            top += box["height"]
            assert not any(part in text for text in words(page, row) for part in ("ready", "order 10"))
    arcs = page.evaluate(ARCS.replace(".words > *", ".words > *, .card-head > *"))
    for name, arc in arcs:
        assert arc >= (19.9 if name in ("title", "title whole", "stands") else 15.9), (name, arc)
    names = page.evaluate("[...document.querySelectorAll('.card-head h3')].map((one) => parseFloat(getComputedStyle(one).fontSize))")
    assert min(names) >= page.evaluate("parseFloat(getComputedStyle(document.querySelector('.words .title')).fontSize)")
    assert len(page.evaluate("[...document.querySelectorAll('.words .stands')].map((one) => one.textContent)")) == 4
    axe(page, "orders on a wall")


def test_few_cards_are_wide(stage):
    """As few columns as all fit in: after a reload too. Under a finger nothing becomes wider or narrower, and once it has gone all do."""
    board, title = "quiet", "Soup of the day with the bread that is baked without flour"
    many = [ticket(f"m{n}", "", "fry") | {"title": title} for n in range(18)]
    stage.fill(board, kinds=stage.kinds, rows=[ticket(f"t{n}", "", "grill") | {"title": title} for n in range(4)])
    page = stage.open(f"/board/{board}?kiosk=1&distance=wall", context=stage.context(viewport=HD))
    still(page)
    seen = """() => { const list = trestle.board.lists[0], width = document.querySelector('.row:not([hidden])').offsetWidth;
        return [list.columns.length, list.across, list.fit, Math.round(list.wide / width)]; }"""
    columns, across, fit, drawn = page.evaluate(seen)
    assert columns <= across == drawn < fit and page.evaluate(CUT) == 0
    assert page.evaluate("[...document.querySelectorAll('.words')].every((one) => one.textContent.includes('without flour'))")
    box = page.locator('.row[data-row="t0"]').bounding_box()
    fingers = Fingers(page)
    page.evaluate("trestle.board.gestures.hold = () => 60000")
    fingers.press(box["x"] + 60, box["y"] + 20)
    settled(page, "trestle.board.viewOf('t0').held > 0")
    stage.trestle("import", board, "-", "--format", "ndjson", stdin="\n".join(map(json.dumps, many)))
    settled(page, "trestle.board.table.size === 22")
    assert page.evaluate(seen)[1] == across
    fingers.lift()
    settled(page, f"({seen})()[1] === {fit}")
    still(page)
    assert page.evaluate(seen)[3] == fit
    page.reload()
    settled(page, "document.querySelector('#freshness')?.dataset.state === 'live' && trestle.board.lists.every((one) => !one.isBehind)")
    assert page.evaluate(seen)[1] == fit
    stage.trestle("remove", board, *(one["id"] for one in many))
    settled(page, f"({seen})()[1] === {across}")
    axe(page, "few cards")


def test_a_head_says_what_has_become_of_its_order(stage, board):
    page = show(stage, board)
    # Nothing passes what is pinned; an order stands where its first ticket does.
    assert page.evaluate(ORDER) == ["86", "a1", "a2", "b1", "b2", "x", "y", "a3", "z"]
    first, second, third = page.evaluate(HEADS)
    assert first["said"][0] == "1041" and "0 of 3 ready" in first["said"][1] and first["said"][2:] == [first["said"][2], "age warn"]
    assert first["said"][2].startswith("6:") and first["rows"] == ["a1", "a2"]
    assert second["said"][0] == "1042" and "0 of 2 ready" in second["said"][1] and second["rows"] == ["b1", "b2"]
    # The oldest does not say its age again; the others, who came later, do.
    assert not any(text.startswith("6:") for text in words(page, "a1"))
    assert any(text.startswith("1:") for text in words(page, "a2"))
    # A ticket whose order is at other stations has a head of its own: its order is read there, and is not cut.
    assert third["said"][0] == "1041" and "0 of 3 ready" in third["said"][1] and third["rows"] == ["a3"]
    assert not any("1041" in text or "ready" in text for text in words(page, "a3"))
    stage.trestle("act", board, "a3", "bump")
    settled(page, f"({HEADS})()[0].said[1].includes('1 of 3 ready')")
    stage.trestle("act", board, "a2", "bump")
    settled(page, f"({HEADS})().some((one) => one.rows.join() === 'a3,a2' && one.said[1].includes('2 of 3 ready'))")
    settled(page, f"({HEADS})().some((one) => one.rows.join() === 'a1' && one.said[1].includes('2 of 3 ready'))")
    still(page)
    assert [one["said"][2][:2] for one in page.evaluate(HEADS) if one["rows"] == ["a1"]] == ["6:"]
    stage.trestle("act", board, "a1", "bump")
    settled(page, f"({HEADS})().some((one) => one.rows.join() === 'a3,a2,a1' && one.said[1].includes('3 of 3 ready'))")
    assert [one["rows"] for one in page.evaluate(HEADS)] == [["b1", "b2"], ["a3", "a2", "a1"]]
    # A ticket that comes is on its order's card, wherever others have come meanwhile.
    stage.trestle("add", board, "1 × soup", "--kind", "ticket", "--section", "grill", "--field", "order=1042", "--id", "b3")
    settled(page, f"({HEADS})().some((one) => one.rows.join() === 'b1,b2,b3' && one.said[1].includes('0 of 3 ready'))")
    axe(page, "heads")


def test_ages_of_heads_count(stage):
    board = "ages"
    stage.fill(board, kinds=stage.kinds, rows=[ticket("a1", "7", "grill", 9.45), ticket("a2", "7", "grill", 1)])
    stage.trestle("set", board, "a1", "--field", "server=Ben")
    page = show(stage, board)
    assert page.evaluate(HEADS)[0]["said"][3] == "age warn"
    # A row keeps the parts that its card's other rows do not share.
    assert "Ana" not in page.evaluate(HEADS)[0]["said"][1]
    assert any("Ben" in text for text in words(page, "a1")) and any("Ana" in text for text in words(page, "a2"))
    before = page.evaluate(HEADS)[0]["said"][2]
    settled(page, f"({HEADS})()[0].said[2] !== '{before}'")
    settled(page, f"({HEADS})()[0].said[3] === 'age late'", 60)
    label = page.evaluate("document.querySelector('.card-head[role]').getAttribute('aria-label')")
    assert label.startswith("7, ") and "late" in label


def test_the_bar_and_the_keys_follow_what_is_seen(stage, board):
    page = show(stage, board, "&bump=1")
    assert page.evaluate(TILES) == {"a1": 1, "a2": 2, "b1": 3, "b2": 4, "x": 5, "y": 6, "a3": 7, "z": 8}
    page.evaluate("trestle.board.keys.focusOn('a1', true)")
    walk = []
    for _ in range(4):
        page.keyboard.press("ArrowDown")
        walk.append(page.evaluate("document.activeElement.dataset.row"))
    assert walk == ["a2", "b1", "b2", "x"]
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.dataset.row") == "b2"
    axe(page, "orders with tiles")
    calm(page)
    page.wait_for_timeout(350)
    page.keyboard.press("3")
    settled(page, "trestle.board.table.sectionOf('b1') === 'pass'")
    # The other one is alone now, and stands where the table has it; the focus stayed on it.
    settled(page, f"({TILES})().x === 3 && ({TILES})().b2 === 4")
    still(page)
    assert [one["rows"] for one in page.evaluate(HEADS)] == [["a1", "a2"], ["b2"], ["a3"], ["b1"]]
    assert page.evaluate("document.activeElement.dataset.row") == "b2"


def test_a_row_that_is_higher_than_the_board_is_scrolled(stage):
    """By a finger that goes up or down, also from the row itself; and by keys its top is brought into sight."""
    board, kinds = "posters", stage.daemon.directory / "posters.json"
    kinds.write_text(json.dumps({"kinds": {"poster": {"height": 1100}, "ticket": {"height": 60}}}))
    stage.fill(board, kinds=kinds, rows=[
        {"id": "p", "kind": "poster", "section": "grill", "title": "Poster"},
        {"id": "t", "kind": "ticket", "section": "grill", "title": "Ticket"}])
    page = stage.open(f"/board/{board}?view=cards", context=stage.context(viewport=TABLET))
    still(page)
    scrolled, box = "trestle.board.lists[0].element.scrollTop", page.locator('.row[data-row="p"]').bounding_box()
    assert page.evaluate(scrolled) == 0 and box["y"] + box["height"] > TABLET["height"]
    fingers = Fingers(page)
    fingers.swipe(box["x"] + 60, 600, 0, -400, steps=20)
    settled(page, f"{scrolled} > 150")
    still(page)
    assert page.locator('.row[data-row="p"]').bounding_box()["y"] < box["y"] - 150
    page.evaluate("trestle.board.lists[0].reveal('t')")
    settled(page, f"{scrolled} === 0")
    page.evaluate("trestle.board.lists[0].element.scrollTop = 300; trestle.board.lists[0].reveal('p')")
    settled(page, f"{scrolled} === 0")


def test_a_row_is_lifted_over_whole_cards(stage, board):
    """Each step of the keys is to another place, and there the row comes to stand."""
    page = show(stage, board)
    page.evaluate("trestle.board.keys.focusOn('y', true)")
    page.keyboard.press("m")
    settled(page, "trestle.board.follow.presence.leases.length === 1")
    places = []
    for _ in range(4):
        page.keyboard.press("ArrowUp")
        places.append(page.evaluate("[trestle.board.keys.lifted.target, document.querySelector('.landing').getBoundingClientRect().y]"))
    assert [place for place, _ in places[1:3]] == [{"after": "a1"}, {"after": "86"}], places
    ys = [y for _, y in places]
    heads = page.evaluate(HEADS)
    assert abs(ys[1] - heads[1]["box"]["y"]) < 4 and abs(ys[2] - heads[0]["box"]["y"]) < 4, (ys, heads)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    settled(page, "trestle.board.table.indexOf('y') === 2")
    still(page)
    assert page.evaluate(ORDER)[:5] == ["86", "a1", "a2", "y", "b1"]


@pytest.mark.parametrize("view", ["lists", "cards"])
def test_each_row_says_which_of_how_many_it_is(stage, board, view):
    """Also where nothing else of it has changed."""
    page = stage.open(f"/board/{board}?view={view}", context=stage.context(viewport=TABLET))
    still(page)
    stage.trestle("remove", board, "x")
    settled(page, "!trestle.board.table.row('x')")
    still(page)
    owned = page.evaluate("""() => [...document.querySelectorAll('[role=list][aria-owns]')].map((list) =>
        list.getAttribute('aria-owns').split(' ').map((id) => document.getElementById(id)).map((one) =>
            ['aria-posinset', 'aria-setsize'].map((name) => Number(one.getAttribute(name)))))""")
    assert max(map(len, owned)) >= 4
    assert owned == [[[n + 1, len(items)] for n in range(len(items))] for items in owned]


def test_a_card_that_somebody_has_lifted_has_no_head(stage, board):
    page, other = show(stage, board), show(stage, board)
    first = "[...document.querySelectorAll('.card-head[role]')].find((one) => one.textContent.startsWith('1041'))"
    hidden = f"getComputedStyle({first}).visibility === 'hidden'"
    assert not page.evaluate(hidden)
    other.evaluate("""async () => { const {drag} = await trestle.board.follow.lift(['a1', 'a2']);
        window.lent = drag;
        drag.hover({after: 'z'}); }""")
    settled(page, hidden)
    still(page)
    other.evaluate("lent.cancel()")
    settled(page, f"!({hidden})")


def test_a_step_by_the_menu_is_seen(stage, board):
    """In the table `y` would only change places with a ticket of 1042, whose card is above `x`."""
    page = show(stage, board)
    page.evaluate("trestle.board.keys.focusOn('y', true)")
    page.keyboard.press(".")
    page.locator("dialog .choice", has_text=re.compile("^Up")).click()
    settled(page, f"({ORDER})().join() === '86,a1,a2,b1,b2,y,x,a3,z'")
    calm(page)
    page.evaluate("trestle.board.keys.focusOn('y', true)")
    page.keyboard.press(".")
    page.locator("dialog .choice", has_text=re.compile("^Down")).click()
    settled(page, f"({ORDER})().join() === '86,a1,a2,b1,b2,x,y,a3,z'")


def dragged(page, fingers, row, y):
    """Lifts a row by its middle and holds it with the finger at this height; gives the upper edge of its gap."""
    box = page.locator(f'.row[data-row="{row}"]').bounding_box()
    start = (box["x"] + 60, box["y"] + box["height"] / 2)
    fingers.press(*start)
    settled(page, "trestle.board.drag")
    fingers.way(*start, 0, y - start[1], steps=12)
    settled(page, "trestle.board.drag?.place && document.querySelector('.landing.gap')")
    still(page)
    return page.evaluate("document.querySelector('.landing.gap').getBoundingClientRect().y")


@pytest.mark.parametrize("far,order", [(0.3, ["86", "y", "a1", "a2", "b1"]), (0.6, ["86", "a1", "a2", "y", "b1"])],
                         ids=["upper half", "lower half"])
def test_a_row_is_dragged_beside_a_card(stage, board, far, order):
    """Never into it: the gap is where the row comes to stand, and it does not jump from there."""
    page = show(stage, board)
    fingers = Fingers(page)
    head = page.evaluate(HEADS)[0]["box"]
    last, own = (page.locator(f'.row[data-row="{one}"]').bounding_box() for one in ("a2", "y"))
    # The upper edge of the dragged row comes to this part of the card.
    gap = dragged(page, fingers, "y", head["y"] + far * (last["y"] + last["height"] - head["y"]) + own["height"] / 2)
    found = page.evaluate("trestle.board.drag.place.place")
    fingers.lift()
    settled(page, f"trestle.board.table.indexOf('y') < 4 && !document.querySelector('.floating')")
    still(page)
    assert page.evaluate(ORDER)[:5] == order, found
    assert abs(page.locator('.row[data-row="y"]').bounding_box()["y"] - gap) < 2


def test_a_ticket_stays_with_its_order(stage, board):
    """Dragged down it stays on its card; dragged above another card it takes its order along."""
    page = show(stage, board)
    fingers = Fingers(page)

    def drag(row, to):
        gap = dragged(page, fingers, row, page.locator(f'.row[data-row="{to}"]').bounding_box()["y"] + 4)
        before = page.evaluate("trestle.board.table.revision")
        fingers.lift()
        settled(page, f"trestle.board.table.revision > {before} && !document.querySelector('.floating')")
        still(page)
        calm(page)
        return gap

    gap = drag("b2", "a1")
    assert page.evaluate(ORDER)[:5] == ["86", "b2", "b1", "a1", "a2"]
    # Its head stands in the gap, and the row below it.
    assert abs([one for one in page.evaluate(HEADS) if one["said"][0] == "1042"][0]["box"]["y"] - gap) < 2
    drag("b2", "x")
    assert page.evaluate(ORDER)[:6] == ["86", "a1", "a2", "b1", "b2", "x"]


def test_rows_on_a_card_are_swiped_and_opened(stage, board):
    page = show(stage, board)
    fingers = Fingers(page)
    heights = "() => [...trestle.board.lists[0].views.values()].every((v) => Math.abs(v.element.offsetHeight - v.height * trestle.board.scale) < 1)"
    stage.trestle("expand", board, "a1", "--to", "expanded")
    settled(page, "trestle.board.viewOf('a1').height > 90")
    still(page)
    assert page.evaluate(heights) and [one["rows"] for one in page.evaluate(HEADS)] == [["a1", "a2"], ["b1", "b2"], ["a3"]]
    one, head = (page.locator(f'.row[data-row="{row}"]').bounding_box() for row in ("a1", "a2"))
    assert abs(one["y"] + one["height"] - head["y"]) < 1
    calm(page)
    box = page.locator('.row[data-row="a2"]').bounding_box()
    fingers.swipe(box["x"] + box["width"] - 30, box["y"] + 30, -90, steps=10)
    settled(page, "trestle.board.viewOf('a2').swipe.pull > 40")
    axe(page, "a row of a card that is swiped")
    page.locator('.row[data-row="a2"] .action').tap()
    settled(page, "trestle.board.table.sectionOf('a2') === 'pass'")
    settled(page, f"({HEADS})().map((one) => one.rows.join()).join('|') === 'a1|b1,b2|a3|a2'")


def test_lists_have_no_heads(stage, board):
    page = stage.open(f"/board/{board}?view=lists", context=stage.context(viewport=TABLET))
    assert page.locator(".card-head").count() == 0
    assert page.evaluate("trestle.board.keys.order().map((row) => row.id)")[:6] == ["86", "a1", "b1", "a2", "x", "b2"]


@pytest.mark.parametrize("more", [{"forced_colors": "active"}, {"color_scheme": "dark"}, {"reduced_motion": "reduce"}],
                         ids=["forced colours", "dark", "less motion"])
def test_heads_for_other_eyes(stage, board, more):
    page = show(stage, board, "&lang=ar", **more)
    assert page.evaluate("document.documentElement.dir") == "rtl"
    heads = page.evaluate(HEADS)
    assert sorted(one["rows"] for one in heads) == [["a1", "a2"], ["a3"], ["b1", "b2"]]
    for one in heads:
        box = page.locator(f'.row[data-row="{one["rows"][0]}"]').bounding_box()
        assert abs(box["x"] - one["box"]["x"]) < 1 and abs(box["y"] - one["box"]["y"] - one["box"]["height"]) < 1
        assert box["x"] + box["width"] > TABLET["width"] / 2, "cards begin at the right"
    axe(page, f"cards in Arabic {more}")
    stage.trestle("act", board, "b1", "bump")
    settled(page, f"({HEADS})().some((one) => one.rows.join() === 'b1')")
    still(page)
    assert sorted(one["rows"] for one in page.evaluate(HEADS)) == [["a1", "a2"], ["a3"], ["b1"], ["b2"]]


def test_a_card_higher_than_a_column_goes_on(stage):
    """And there its head stands again, for eyes only."""
    board = "banquet"
    stage.fill(board, kinds=stage.kinds, rows=[ticket(f"g{n}", "900", "grill", 1) for n in range(24)])
    page = show(stage, board)
    assert page.evaluate(CUT) == 0
    assert [one["rows"] for one in page.evaluate(HEADS)] == [[f"g{n}" for n in range(24)]]
    again = page.evaluate("""[...document.querySelectorAll('.card-head[aria-hidden]:not([hidden])')].map((one) =>
        [one.firstChild.textContent, one.getBoundingClientRect().x, one.getBoundingClientRect().bottom])""")
    assert again and all(name == "900" for name, *_ in again)
    columns = {}
    for one in page.evaluate("[...document.querySelectorAll('.row:not([hidden])')].map((r) => r.getBoundingClientRect())"):
        columns[round(one["x"])] = min(one["y"], columns.get(round(one["x"]), 1e9))
    for _, x, bottom in again:
        assert abs(columns[round(x)] - bottom) < 1
    axe(page, "a banquet")


def test_many_orders_stay_quick(stage):
    """Only what is seen is in the document, heads too, and a board of a thousand tickets is drawn within a frame or two."""
    board = "rush"
    stage.fill(board, kinds=stage.kinds, rows=[ticket(f"t{m}-{n}", str(2000 + n), "grill", 1) for m in range(2) for n in range(450)])
    page = show(stage, board)
    assert len(rows(page)) <= 80
    assert page.evaluate("document.querySelectorAll('.card-head').length") <= 80
    page.keyboard.press("End")
    settled(page, "document.activeElement.dataset.row === 't1-449'")
    still(page)
    assert page.evaluate(HEADS)[-1]["rows"] == ["t0-449", "t1-449"]
    spent = page.evaluate("""() => { const list = trestle.board.lists[0]; const start = performance.now();
        for (let n = 0; n < 20; n++) list.update([]);
        return (performance.now() - start) / 20; }""")
    print(f"{spent:.1f} ms for an update of 900 rows on cards")
    page.keyboard.press("Home")
    settled(page, "document.activeElement.dataset.row === 't0-0'")


def test_a_name_that_is_too_long_is_cut_and_what_has_no_room_stays_in_the_rows(stage):
    board, name = "names", "Wedding of <b>Ana</b> and João, second course " * 4
    stage.fill(board, kinds=stage.kinds, rows=[
        ticket(one, "7", "grill", 12) | {"fields": {"order": name, "table": "7"}} for one in ("a1", "a2")])
    page = show(stage, board)
    [head] = page.evaluate(HEADS)
    assert head["said"][:2] == [name, ""] and head["said"][2].startswith("12:")
    age = page.locator(".card-head[role] .age").bounding_box()
    row = page.locator('.row[data-row="a1"]').bounding_box()
    assert age["x"] + age["width"] <= row["x"] + row["width"] and age["width"] > 20
    assert any("0 of 2 ready" in text for text in words(page, "a1"))
    assert page.locator(".card-head b").count() == 0
    axe(page, "a long name")
