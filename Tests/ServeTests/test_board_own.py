"""What each screen has for itself, or shares: how far strips are scrolled, which rows are open; and what a tap does."""

import json

import pytest
from board_stage import Fingers, Stage, calm, eventually, no_lifts, rows, settled, still, upheaval

KINDS = """kinds:
  strip: {height: 80, strip: true}
  swiped: {height: 60, trailing: {actions: [{id: seen, title: Seen, effect: [{set: {seen: "yes"}}]}]}}
  opens: {height: 60, tap: [{expand: toggle}]}
  goes: {height: 60, tap: [{remove: true}]}
  both: {height: 60, tap: [{set: {tapped: "yes"}}]}
"""
ROWS = [{"id": "s1", "title": "Strip", "kind": "strip", "section": "x",
         "items": [{"id": f"i{n}", "title": f"Item number {n}"} for n in range(12)]},
        *({"id": f"{kind}-1", "title": kind, "kind": kind, "section": "x"} for kind in ("swiped", "opens", "goes", "both"))]
#: Where items are seen: by id, from the strip's left edge.
ITEMS = """() => { const strip = trestle.board.viewOf('s1').strip, box = strip.element.getBoundingClientRect();
    return Object.fromEntries([...strip.items].map(([id, one]) => [id, one.getBoundingClientRect().left - box.left])); }"""


@pytest.fixture(scope="module")
def stage():
    with Stage(boards=()) as made:
        yield made


@pytest.fixture(params=["viewer", "shared"])
def page(stage, request):
    scope = request.param
    kinds = stage.daemon.directory / f"{scope}.yaml"
    kinds.write_text(KINDS + f"table: {{scrollScope: {scope}, swipeScope: {scope}}}\n")
    stage.fill("board", kinds=kinds, rows=ROWS)
    page = stage.reopen("/board/board")
    no_lifts(page)
    yield page
    page.close()
    stage.trestle("drop", "board", "--yes")
    assert stage.wrong == []


def scroll(page, far):
    """With a finger, as far as that; gives where the items are then."""
    fingers = Fingers(page)
    y = rows(page)["s1"]["top"] + 55
    for _ in range(-(-far // 300)):
        fingers.swipe(340, y, -min(far, 300), pause=0.02)
        page.wait_for_timeout(700)
    settled(page, "trestle.board.follow.pending.length === 0")
    seen = [{}]

    def rests():
        page.wait_for_timeout(100)
        seen.append(page.evaluate(ITEMS))
        return seen[-1] == seen[-2]
    eventually(rests, 5)
    return seen[-1]


def is_where(page, seen):
    """The items that are left are where they were."""
    now = page.evaluate(ITEMS)
    return now and all(abs(now[one] - seen[one]) < 1 for one in now if one in seen)


def test_a_strip_keeps_its_place(stage, page):
    """Items come before it and go, and it stands still. A new text wider than the old one moves it no more."""
    seen = scroll(page, 220)
    assert min(seen.values()) < 0
    stage.trestle("item", "board", "s1", "add", "n0", "--title", "New at the front", "--first")
    settled(page, "trestle.board.table.row('s1').items.length === 13")
    eventually(lambda: is_where(page, seen), 5)
    stage.trestle("item", "board", "s1", "remove", "i0")
    settled(page, "trestle.board.table.row('s1').items.length === 12")
    eventually(lambda: is_where(page, seen), 5)
    stage.trestle("set", "board", "s1", "--title", "Another title")
    settled(page, "trestle.board.table.row('s1').title === 'Another title'")
    eventually(lambda: is_where(page, seen), 5)
    # The item at its left edge goes: the next stands there.
    first = page.evaluate("trestle.board.actions.scrollOf(trestle.board.table.row('s1')).item")
    following = page.evaluate(
        "id => { const all = trestle.board.table.row('s1').items.map(i => i.id); return all[all.indexOf(id) + 1]; }", first)
    stage.trestle("item", "board", "s1", "remove", first)
    settled(page, f"!trestle.board.table.row('s1').items.some(i => i.id === '{first}')")
    eventually(lambda: abs(page.evaluate(ITEMS).get(following, 1000)) < 1, 5)


def test_a_strip_that_becomes_short_shows_what_is_left(stage, page):
    scroll(page, 900)
    stage.trestle("item", "board", "s1", "remove", *[f"i{n}" for n in range(3, 12)])
    settled(page, "trestle.board.table.row('s1').items.length === 3")
    width = page.evaluate("trestle.board.viewOf('s1').strip.element.clientWidth")
    eventually(lambda: sorted(page.evaluate(ITEMS)) == ["i0", "i1", "i2"], 5)
    # It is at its end: the last item is seen as a whole.
    eventually(lambda: 0 < page.evaluate(ITEMS)["i2"] < width, 5)
    assert page.evaluate("(s => s.offset <= s.end + 0.01)(trestle.board.viewOf('s1').strip)")


def test_a_strip_that_loses_all_its_items_holds_nothing_up(stage, page):
    """A finger is on it meanwhile, and lets go: what comes then is shown."""
    fingers = Fingers(page)
    fingers.way(300, rows(page)["s1"]["top"] + 55, -120, 0)
    settled(page, "trestle.board.viewOf('s1').strip.held")
    # The page hears of it by a snapshot of now, which says nothing of items where there are none.
    page.evaluate("() => { const one = trestle.board.follow.follower; one.take = async () => {};"
                  " one.io = {...one.io, fetchIt: null}; }")
    stage.trestle("item", "board", "s1", "remove", *[f"i{n}" for n in range(12)])
    upheaval(stage, page, "snapshot")
    page.evaluate("delete trestle.board.follow.follower.take")
    settled(page, "trestle.board.table.row('s1').items === undefined")
    settled(page, "trestle.board.viewOf('s1').strip === null")
    fingers.lift()
    settled(page, "trestle.board.gestures.pointers.size === 0")
    for name in ("new", "next"):
        stage.trestle("item", "board", "s1", "add", name, "--title", name, "--first")
        settled(page, f"trestle.board.viewOf('s1').strip?.items.has('{name}')")
    stage.trestle("remove", "board", "both-1")
    settled(page, "!trestle.board.viewOf('both-1')")


def test_edit_mode_closes_what_is_open(stage, page):
    y = rows(page)["swiped-1"]["top"] + 30
    Fingers(page).swipe(300, y, -90)
    settled(page, "trestle.board.actions.openEdge(trestle.board.table.row('swiped-1')) === 'trailing'")
    still(page)
    assert rows(page)["swiped-1"]["pull"] > 50
    stage.trestle("edit", "board", "--on")
    eventually(lambda: rows(page)["swiped-1"]["pull"] == 0, 5)
    stage.trestle("edit", "board", "--off")
    settled(page, "!trestle.board.table.editing")
    still(page)
    assert rows(page)["swiped-1"]["pull"] == 0, "it does not open by itself"


def test_a_kind_that_loses_its_actions_closes(stage, page):
    y = rows(page)["swiped-1"]["top"] + 30
    Fingers(page).swipe(300, y, -90)
    settled(page, "trestle.board.actions.openEdge(trestle.board.table.row('swiped-1')) === 'trailing'")
    settled(page, "trestle.board.follow.pending.length === 0")
    kinds = stage.daemon.directory / "without.yaml"
    kinds.write_text("kinds:\n  swiped: {height: 60, trailing: null}\n")
    stage.trestle("define", "board", str(kinds))
    settled(page, "trestle.board.actions.openEdge(trestle.board.table.row('swiped-1')) === null")
    eventually(lambda: rows(page)["swiped-1"]["pull"] == 0, 5)


def test_a_row_that_somebody_moves_is_closed_meanwhile(stage, page):
    page.evaluate("trestle.board.opened(trestle.board.viewOf('swiped-1'), 'trailing')")
    settled(page, "trestle.board.follow.pending.length === 0")
    eventually(lambda: rows(page)["swiped-1"]["pull"] > 50, 5)
    lease = stage.trestle("--as", "ana", "-o", "name", "drag", "board", "lift", "swiped-1").strip()
    eventually(lambda: rows(page)["swiped-1"]["pull"] == 0, 5)
    page.evaluate("trestle.board.keys.focusOn('swiped-1', true)")
    page.keyboard.press("ArrowLeft")
    settled(page, "document.querySelector('.news')?.textContent.includes('Somebody is moving it.')")
    assert rows(page)["swiped-1"]["pull"] == 0
    stage.trestle("--as", "ana", "drag", "board", "cancel", lease)
    eventually(lambda: rows(page)["swiped-1"]["pull"] > 50, 5)


def test_controls_of_edit_mode_lie_beside_the_items(page):
    page.evaluate("trestle.board.edit(true)")
    still(page)
    for _ in range(2):
        boxes = page.evaluate("""() => { const view = trestle.board.viewOf('s1'), box = (e) => e.getBoundingClientRect();
            const {left, right} = box(view.strip.element);
            return [box(view.remove).right, left, right, box(view.gripElement).left]; }""")
        assert boxes == sorted(boxes), boxes
        page.evaluate("trestle.board.viewOf('s1').strip.glide(9999)")
        still(page)
    page.evaluate("trestle.board.edit(false)")


def test_the_title_of_a_strip_is_no_item(page):
    """Nor is the blank around its items, though the window reaches over the row."""
    page.evaluate("() => { window.taken = []; trestle.board.actions.select = (row, item) => window.taken.push(item); }")
    fingers, top = Fingers(page), rows(page)["s1"]["top"]
    high = page.evaluate("""() => { const box = document.querySelector('[data-strip] .item').getBoundingClientRect();
        return [box.left + 20, box.top, box.bottom]; }""")
    for y, taken in ((top + 12, []), (top + 78, []), (high[1] + 5, ["i0"]), (high[2] - 5, ["i0", "i0"])):
        calm(page)
        fingers.tap(high[0], y)
        page.wait_for_timeout(150)
        assert page.evaluate("taken") == taken, y


@pytest.mark.parametrize("role", ["viewer", "operator"])
def test_rows_that_each_screen_opens_for_itself(stage, role):
    """Also one that may only look. Others see nothing of it, until the table itself opens or closes the row."""
    kinds = stage.daemon.directory / "own.yaml"
    kinds.write_text("kinds: {row: {height: 60}}\ntable: {expandScope: viewer, expandPolicy: accordionTable}\n")
    stage.fill("own", kinds=kinds, rows=[{"id": f"r{n}", "title": f"Row {n}", "kind": "row", "section": "x",
                                          "fields": {"note": "words " * 30}} for n in range(4)])
    page = stage.open("/board/own", context=stage.context(role))
    other = stage.open("/board/own", context=stage.context("operator"))
    fingers = Fingers(page)

    def heights(of=page):
        still(of)
        return {id: round(one["height"]) for id, one in rows(of).items()}

    closed = heights()
    assert set(closed.values()) == {60}
    fingers.tap(150, rows(page)["r1"]["top"] + 30)
    settled(page, "trestle.board.viewOf('r1').row.expand === 'expanded'")
    opened = heights()
    assert opened["r1"] > 120 and opened | {"r1": 60} == closed
    page.evaluate("trestle.board.keys.focusOn('r2', true)")
    page.keyboard.press(" ")
    settled(page, "trestle.board.viewOf('r2').row.expand === 'expanded'")
    assert heights() == closed | {"r2": opened["r1"]}, "an accordion"
    assert heights(other) == closed
    stage.trestle("set", "own", "r2", "--title", "Another title")
    settled(page, "trestle.board.table.row('r2').title === 'Another title'")
    assert heights()["r2"] == opened["r1"]
    shown = json.loads(stage.trestle("-o", "json", "show", "own"))["rows"]
    assert all(one.get("expand", "collapsed") == "collapsed" for one in shown)
    for state in ("expanded", "collapsed"):
        stage.trestle("expand", "own", "r2", "--to", state)
        settled(page, f"(trestle.board.table.row('r2').expand ?? 'collapsed') === '{state}'")
        assert heights() == heights(other)
    stage.trestle("drop", "own", "--yes")
    # Later pages are of the first device that there is.
    for one in (page, other):
        stage.contexts.remove(one.context)
        one.context.close()


def test_a_tap_does_what_the_kind_says(stage, page):
    """Where that is to open or to remove the row, the tap does not open or close it once more."""
    fingers = Fingers(page)

    def tap(row):
        still(page)
        calm(page)
        fingers.tap(150, rows(page)[row]["top"] + 30)

    tap("opens-1")
    settled(page, "trestle.board.table.row('opens-1').expand === 'expanded'")
    tap("opens-1")
    settled(page, "trestle.board.table.row('opens-1').expand !== 'expanded'")
    tap("both-1")
    settled(page, "trestle.board.table.row('both-1').expand === 'expanded'")
    tap("goes-1")
    settled(page, "!trestle.board.table.row('goes-1')")
    shown = json.loads(stage.trestle("-o", "json", "show", "board"))["rows"]
    assert next(one for one in shown if one["id"] == "both-1")["fields"] == {"tapped": "yes"}
    assert page.evaluate("trestle.board.newsBar.foot.textContent") == ""
