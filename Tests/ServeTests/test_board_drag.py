"""A row that is held and moved: it stays under the finger whatever others do, and each lease ends once."""

import json
import random
import time

import pytest
from board_stage import UPHEAVALS, Fingers, Stage, calm, eventually, full, rows, settled, still, upheaval

TICKETS = [{"id": f"t{n}", "kind": "ticket", "section": "grill" if n < 20 else "pass", "title": f"Ticket {n}",
            "fields": {"n": str(n)}} for n in range(40)]


@pytest.fixture(scope="module")
def stage():
    with Stage(boards=()) as made:
        made.fill("kitchen", rows=TICKETS)
        yield made


@pytest.fixture(scope="module")
def page(stage):
    page = stage.open()
    page.evaluate("""() => { window.ends = []; window.lifts = 0;
        const board = trestle.board.follow, lift = board.lift.bind(board);
        board.lift = async (rows) => { const answer = await lift(rows);
            if (answer.ok) { window.lifts += 1; answer.drag.ended.then((end) => window.ends.push(end.dropped)); }
            return answer; }; }""")
    return page


def order(page, section="grill"):
    return page.evaluate(
        "name => trestle.board.table.sections.find(s => s.id === name).rows.map(r => r.id)", section)


def lift(page, fingers, row):
    one = rows(page)[row]
    y = one["top"] + one["height"] / 2
    fingers.press(150, y)
    settled(page, "document.querySelectorAll('.floating').length === 1")
    settled(page, "trestle.board.follow.presence.leases.length === 1")
    return y


def ended(page, count):
    settled(page, f"window.ends.length === {count} && window.lifts === {count}")
    settled(page, "document.querySelectorAll('.floating').length === 0")
    settled(page, "trestle.board.follow.presence.leases.length === 0")


def test_hold_and_move(page):
    """Held still it is lifted; the picture follows the finger; where it is let go it stands."""
    fingers = Fingers(page)
    before = len(page.evaluate("window.ends"))
    y = lift(page, fingers, "t0")
    for step in range(1, 12):
        fingers.move(150, y + step * 15)
    box = "document.querySelector('.floating').getBoundingClientRect()"
    eventually(lambda: abs(page.evaluate(f"(b => b.top + b.height / 2)({box})") - (y + 165)) < 3, 5)
    assert page.evaluate("!document.querySelector('.landing').hidden")
    fingers.lift()
    ended(page, before + 1)
    settled(page, "trestle.board.table.indexOf('t0') === 2")
    assert page.evaluate("trestle.board.lists[0].element.scrollTop") == 0, "a drag does not scroll"


def test_let_go_where_it_was_changes_nothing(page):
    fingers = Fingers(page)
    before, revision = len(page.evaluate("window.ends")), page.evaluate("trestle.board.table.revision")
    y = lift(page, fingers, "t5")
    fingers.move(150, y + 9)
    fingers.move(150, y)
    fingers.lift()
    ended(page, before + 1)
    assert page.evaluate("window.ends.at(-1)") is False
    assert page.evaluate("trestle.board.table.revision") == revision


def test_near_the_end_it_scrolls(page):
    fingers = Fingers(page)
    before = len(page.evaluate("window.ends"))
    y = lift(page, fingers, "t5")
    for step in range(1, 10):
        fingers.move(150, y + (825 - y) * step / 9)
    settled(page, "trestle.board.lists[0].element.scrollTop > 400")
    fingers.move(150, 500)
    fingers.lift()
    ended(page, before + 1)
    settled(page, "trestle.board.table.indexOf('t5') > 6")
    page.evaluate("trestle.board.lists[0].scrollTo(0)")
    still(page)


def test_it_survives_what_others_do(stage, page):
    """Others move, expand and remove the row while it is held, make sections and define kinds, and the table comes
    anew: each lease ends in one drop or one cancel, and the row keeps its element."""
    fingers, dice = Fingers(page), random.Random(3)
    events = ("move", "expand", "remove", "set", "above", *UPHEAVALS)
    for turn in range(full(100, len(events))):
        what = events[turn % len(events)]
        page.evaluate("trestle.board.lists[0].scrollTo(0)")
        still(page)
        row = order(page)[2]
        before = len(page.evaluate("window.ends"))
        y = lift(page, fingers, row)
        fingers.move(150, y + 30)
        page.evaluate("id => { window.element = trestle.board.viewOf(id).element; }", row)
        if what == "move":
            stage.trestle("move", "kitchen", row, "--bottom", check=False)
        elif what == "expand":
            stage.trestle("expand", "kitchen", row, "--toggle")
        elif what == "remove":
            stage.trestle("remove", "kitchen", row)
        elif what == "set":
            stage.trestle("set", "kitchen", row, "--title", f"Changed {turn}")
        elif what in UPHEAVALS:
            upheaval(stage, page, what, turn)
            assert page.evaluate("id => trestle.board.viewOf(id).element === window.element", row), what
        else:
            stage.trestle("add", "kitchen", "above", "--id", f"a{turn}", "--kind", "ticket", "--section", "grill", "--top")
        for step in range(8):
            fingers.move(150, y + 30 + step * dice.uniform(5, 12))
            time.sleep(0.01)
        if what == "remove":
            settled(page, "document.querySelectorAll('.floating').length === 0")
        else:
            assert page.evaluate("document.querySelectorAll('.floating').length") == 1, what
        fingers.lift()
        ended(page, before + 1)
    assert stage.wrong == []


def test_a_row_that_can_be_held_no_longer_is_put_back(stage):
    """Its board is dropped, or has fewer columns now: the drag ends, and says why."""
    stage.fill("short", rows=[{"id": f"s{n}", "kind": "ticket", "section": f"part-{n // 2}", "title": f"Short {n}"}
                              for n in range(6)])
    page = stage.open("/board/short", viewport={"width": 1280, "height": 844})
    assert page.evaluate("trestle.board.lists.length") == 3
    fingers = Fingers(page)

    def hold(row):
        box = page.evaluate("id => { const b = trestle.board.viewOf(id).element.getBoundingClientRect();"
                            " return [b.left + 150, b.top + 30]; }", row)
        fingers.press(*box)
        settled(page, "document.querySelectorAll('.floating').length === 1")
        settled(page, "trestle.board.follow.drags.size === 1")
        fingers.move(box[0], box[1] + 10)

    def over(why):
        settled(page, "document.querySelectorAll('.floating').length === 0")
        settled(page, "trestle.board.follow.drags.size === 0 && trestle.board.gestures.pointers.size === 0")
        settled(page, f"trestle.board.newsBar.foot.textContent.includes({why!r})")
        fingers.lift()

    hold("s4")
    page.set_viewport_size({"width": 390, "height": 844})
    over("the board has other columns now")
    assert json.loads(stage.trestle("-o", "json", "who", "short")).get("leases", []) == []
    still(page)
    # In a column that stays a drag goes on.
    hold("s0")
    page.set_viewport_size({"width": 1280, "height": 844})
    settled(page, "trestle.board.lists.length === 3")
    assert page.evaluate("document.querySelectorAll('.floating').length") == 1
    stage.trestle("drop", "short", "--yes")
    over("the board is gone")
    settled(page, "document.querySelector('.blank h2')?.textContent.startsWith('There is no board')")
    assert stage.wrong == []


def test_the_last_row_says_who_took_it(stage):
    """The board is blank then, so the row cannot say it itself. Of what this page did nothing is said."""
    stage.fill("last", rows=[{"id": "l1", "kind": "ticket", "section": "grill", "title": "Last"}])
    page = stage.open("/board/last")
    fingers = Fingers(page)
    for how, who in (("drag", "ana"), ("swipe", "ana"), ("hold", "ana"), ("drag", None)):
        y = rows(page)["l1"]["top"] + 30
        page.evaluate("trestle.board.newsBar.hide()")
        fingers.press(200, y)
        if how == "drag":
            settled(page, "trestle.board.follow.drags.size === 1")
        elif how == "swipe":
            fingers.way(200, y, -70, 0)
        settled(page, "trestle.board.viewOf('l1').held > 0")
        if who:
            stage.trestle("--as", who, "remove", "last", "l1")
        else:
            page.evaluate("trestle.board.follow.send({remove: {rows: ['l1']}}).then(() => {})")
        settled(page, "document.querySelector('.blank') && trestle.board.gestures.pointers.size === 0")
        settled(page, "trestle.board.follow.drags.size === 0 && !document.querySelector('.floating')")
        said = page.evaluate("trestle.board.newsBar.foot.textContent")
        assert (f"{who} took it away." in said) if who else said == "", (how, said)
        fingers.lift()
        stage.trestle("add", "last", "Last", "--id", "l1", "--kind", "ticket", "--section", "grill")
        settled(page, "document.querySelector('.row[data-row=l1]')")
        still(page)
    assert stage.wrong == []


def test_a_mouse_goes_on_when_what_it_pressed_is_gone(stage):
    """Edit mode ends, and with it the grip that is held: its drag ends where it is let go, and the next begins.
    Where the release is not heard, as outside of the window, nothing is dropped."""
    page = stage.open(context=stage.context(has_touch=False))
    wire = page.context.new_cdp_session(page)
    for how in ("heard", "unheard", "heard"):
        page.evaluate("trestle.board.edit(true)")
        still(page)
        row = order(page)[1]
        revision = page.evaluate("trestle.board.table.revision")
        box = page.evaluate("id => { window.grip = trestle.board.viewOf(id).gripElement;"
                            " const b = window.grip.getBoundingClientRect();"
                            " return [b.left + b.width / 2, b.top + b.height / 2]; }", row)
        page.mouse.move(*box)
        page.mouse.down()
        page.mouse.move(box[0], box[1] + 10)
        settled(page, "document.querySelectorAll('.floating').length === 1 && trestle.board.follow.drags.size === 1")
        assert page.evaluate("[...trestle.board.gestures.pointers.values()].every(one => one.target.closest('.grip'))")
        page.evaluate("trestle.board.edit(false)")
        settled(page, "!window.grip.isConnected")
        page.mouse.move(box[0], box[1] + 100)
        if how == "unheard":
            wire.send("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": box[0], "y": box[1] + 105,
                                                   "button": "none", "buttons": 0})
            settled(page, "trestle.board.gestures.pointers.size === 0")
        page.mouse.up()
        settled(page, "document.querySelectorAll('.floating').length === 0 && trestle.board.follow.drags.size === 0")
        settled(page, "trestle.board.gestures.pointers.size === 0")
        settled(page, f"trestle.board.table.indexOf({row!r}) === {1 if how == 'unheard' else 2}")
        if how == "unheard":
            assert page.evaluate("trestle.board.table.revision") == revision, "nothing was dropped"
        still(page)
    assert stage.wrong == []


def test_others_see_who_holds_it(stage, page):
    other = stage.open(context=stage.context())
    fingers = Fingers(page)
    page.evaluate("trestle.board.lists[0].scrollTo(0)")
    still(page)
    row = order(page)[1]
    before = len(page.evaluate("window.ends"))
    y = lift(page, fingers, row)
    fingers.move(150, y + 120)
    settled(other, "document.querySelector('.ghost span')?.textContent.length > 0")
    settled(other, f"document.querySelector('.row[data-row=\"{row}\"]').classList.contains('theirs')")
    # What is held by another cannot be lifted here.
    there = Fingers(other)
    # There it glides to its gap.
    still(other)
    one = rows(other)[row]
    there.press(150, one["top"] + 20)
    time.sleep(0.8)
    assert other.evaluate("document.querySelectorAll('.floating').length") == 0
    there.lift()
    fingers.move(150, y)
    fingers.lift()
    ended(page, before + 1)
    settled(other, "!document.querySelector('.ghost')")


def test_everything_moves_without_dragging(stage, page):
    """The menu moves rows up, down and to sections; keys lift, move and drop."""
    page.evaluate("trestle.board.lists[0].scrollTo(0)")
    still(page)
    row = order(page)[1]
    calm(page)
    page.locator(f'.row[data-row="{row}"] .more').tap()
    page.get_by_role("button", name="Up", exact=True).tap()
    settled(page, f"trestle.board.table.indexOf('{row}') === 0")
    calm(page)
    page.locator(f'.row[data-row="{row}"] .more').tap()
    page.get_by_role("button", name="To pass", exact=True).tap()
    settled(page, f"trestle.board.table.sectionOf('{row}') === 'pass'")
    row = order(page)[0]
    page.evaluate(f"trestle.board.keys.focusOn('{row}', true)")
    for key in ("m", "ArrowDown", "ArrowDown", "Enter"):
        page.keyboard.press(key)
        if key == "m":
            settled(page, "trestle.board.keys.lifted?.drag")
    settled(page, f"trestle.board.table.indexOf('{row}') === 2")
    assert page.evaluate("document.activeElement.dataset.row") == row


def test_keys_that_are_quicker_than_the_lease(page):
    """Put down before the answer to the lift came, or left for a dialog: nobody's row stays locked."""
    row = order(page)[0]
    for leave in (lambda: page.keyboard.press("Enter"), lambda: page.keyboard.press("Escape"),
                  lambda: page.evaluate("[...document.querySelectorAll('.head button')].at(-1).focus()")):
        before = len(page.evaluate("window.ends"))
        page.evaluate(f"trestle.board.keys.focusOn('{row}', true)")
        page.keyboard.press("m")
        leave()
        ended(page, before + 1)
        assert page.evaluate("window.ends.at(-1)") is False
        assert page.evaluate("trestle.board.keys.lifted") is None
