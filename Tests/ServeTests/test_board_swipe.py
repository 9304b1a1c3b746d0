"""Rows swipe as on a phone: with the finger, at every angle that is sideways, and never in a scroll."""

import math
import random
import time

import pytest
from board_stage import (
    ROOT, UPHEAVALS, Fingers, Stage, calm, eventually, full, no_lifts, rows, settled, still, upheaval)

ID = "1041-g"


@pytest.fixture(scope="module")
def stage():
    with Stage() as made:
        yield made


@pytest.fixture
def page(stage):
    page = stage.reopen()
    no_lifts(page)
    yield page
    for one in rows(page).values():
        if one["edge"]:
            stage.trestle("swipe", "kitchen", one["id"], "--close", check=False)


def middle(page, row=ID):
    one = rows(page)[row]
    return one["top"] + one["height"] / 2


def closed(page):
    settled(page, "[...document.querySelectorAll('.row')].every(r => !r.view.swipe.pull)")


def close(page, row=ID):
    page.evaluate("id => trestle.board.follow.send({swipe: {row: id, edge: 'closed'}})", row)
    closed(page)


def test_the_row_is_under_the_finger(page):
    """Within a pixel, at each step, in both directions, as far as the buttons rest."""
    fingers = Fingers(page)
    for direction, start in ((-1, 330), (1, 60)):
        y = middle(page)
        fingers.press(start, y)
        for far in (12, 20, 37, 64, 91, 118, 80, 45, 101):
            fingers.move(start + direction * far, y + 2)
            # Touches come with frames: this one may be a frame away.
            eventually(lambda: abs(rows(page)[ID]["x"] - direction * far) <= 1, 5)
        fingers.move(start, y)
        eventually(lambda: abs(rows(page)[ID]["x"]) <= 1, 5)
        fingers.lift()
        closed(page)


def test_what_is_let_go_beyond_half_opens_for_everybody(stage, page):
    fingers = Fingers(page)
    y = middle(page)
    fingers.swipe(330, y, -170)
    settled(page, f"trestle.board.table.row('{ID}').swipe === 'trailing'")
    still(page)
    assert abs(rows(page)[ID]["pull"] - 204) < 1
    assert '"trailing"' in stage.trestle("-o", "ndjson", "show", "kitchen")
    # One swipe closes the old row and opens the new.
    fingers.swipe(100, middle(page, "1042-g"), 120)
    settled(page, f"trestle.board.table.row('1042-g').swipe === 'leading'")
    assert page.evaluate(f"trestle.board.table.row('{ID}').swipe ?? 'closed'") == "closed"
    still(page)
    assert rows(page)[ID]["pull"] == 0
    close(page, "1042-g")


def test_a_short_pull_springs_back_and_tells_nobody(stage, page):
    before = stage.trestle("-o", "ndjson", "show", "kitchen")
    Fingers(page).swipe(330, middle(page), -60, steps=20, pause=0.02)
    closed(page)
    assert stage.trestle("-o", "ndjson", "show", "kitchen") == before


def test_a_full_swipe_is_announced_before_it_is_done(stage, page):
    fingers = Fingers(page)
    row = "1041-f"
    y = middle(page, row)
    fingers.way(350, y, -210, 0)
    assert not rows(page)[row]["armed"]
    fingers.way(140, y, -90, 0)
    eventually(lambda: rows(page)[row]["armed"], 5)
    assert page.evaluate(f"trestle.board.table.sectionOf('{row}')") == "fry"
    fingers.way(50, y, 120, 0)
    # Who pulls back has changed their mind.
    eventually(lambda: not rows(page)[row]["armed"], 5)
    fingers.way(170, y, -120, 0)
    fingers.lift()
    settled(page, f"trestle.board.table.sectionOf('{row}') === 'pass'")
    page.get_by_role("button", name="Undo", exact=True).tap()
    settled(page, f"trestle.board.table.sectionOf('{row}') === 'fry'")


def test_a_finger_keeps_its_row_whatever_becomes_of_the_table(stage, page):
    """The board is made anew while a row is pulled: what was begun on the row is done to that row, and no other."""
    fingers = Fingers(page)
    for turn, what in enumerate(UPHEAVALS):
        row = ("1042-g", "1044-g")[turn % 2]
        y = middle(page, row)
        fingers.way(360, y, -70, 0)
        eventually(lambda: abs(rows(page)[row]["x"] + 70) <= 1, 5)
        page.evaluate("id => { window.element = trestle.board.viewOf(id).element; }", row)
        upheaval(stage, page, what, f"swipe-{turn}" if what == "section" else turn)
        assert page.evaluate("id => trestle.board.viewOf(id).element === window.element", row), what
        assert abs(middle(page, row) - y) <= 1, "it stays under the finger"
        before = page.evaluate("trestle.board.table.sections.find(s => s.id === 'pass').rows.map(r => r.id)")
        fingers.way(290, y, -280, 0)
        eventually(lambda: rows(page)[row]["armed"], 5)
        fingers.lift()
        settled(page, f"trestle.board.table.sectionOf('{row}') === 'pass'")
        after = page.evaluate("trestle.board.table.sections.find(s => s.id === 'pass').rows.map(r => r.id)")
        assert set(after) - set(before) == {row}, what
        stage.trestle("undo", "kitchen", "--anyone")
        settled(page, f"trestle.board.table.sectionOf('{row}') === 'grill'")
        still(page)
    stage.trestle("section", "kitchen", "grill", "--title", "grill")
    stage.trestle("remove", "kitchen", *page.evaluate(
        "trestle.board.table.sections.filter(s => s.id.startsWith('course-')).flatMap(s => s.rows.map(r => r.id))"))
    assert stage.wrong == []


def test_two_fingers_swipe_two_rows(page):
    fingers = Fingers(page)
    one, other = middle(page), middle(page, "1042-g")
    fingers.press(330, one, finger=0)
    fingers.press(80, other, finger=1)
    for far in (15, 40, 70, 90):
        fingers.move(330 - far, one, finger=0)
        fingers.move(80 + far / 2, other, finger=1)
        eventually(lambda: abs(rows(page)[ID]["x"] + far) <= 1, 5)
        if far > 30:
            eventually(lambda: abs(rows(page)["1042-g"]["x"] - far / 2) <= 1, 5)
    for back in (60, 30, 0, 0):
        fingers.move(330 - back, one, finger=0)
        fingers.move(80 + back / 2, other, finger=1)
    eventually(lambda: all(abs(rows(page)[row]["x"]) <= 1 for row in (ID, "1042-g")), 5)
    fingers.lift(1)
    fingers.lift(0)
    closed(page)


def test_swipes_land_and_scrolls_never_open(page):
    """At all angles from 0 to 90 degrees: what is sideways opens, what is not scrolls and opens nothing."""
    fingers, dice = Fingers(page), random.Random(7)
    count = full(200, 20)
    landed = opened = 0
    for turn in range(count):
        angle = math.radians(turn * 38 / max(1, count - 1))
        length = dice.uniform(150, 190)
        down = dice.choice((-1, 1)) * length * math.sin(angle)
        fingers.swipe(335, middle(page), -length * math.cos(angle), down,
                      steps=dice.randint(6, 14), pause=dice.uniform(0.004, 0.012))
        settled(page, f"trestle.board.actions.openEdge(trestle.board.table.row('{ID}')) === 'trailing'")
        landed += 1
        settled(page, f"trestle.board.table.row('{ID}').swipe === 'trailing'")
        close(page)
        page.evaluate("trestle.board.lists[0].scrollTo(0)")
        still(page)
    assert landed == count
    for turn in range(count):
        angle = math.radians(47 + turn * 43 / max(1, count - 1))
        length = dice.uniform(90, 160)
        fingers.swipe(dice.choice((120, 250)), 500, dice.choice((-1, 1)) * length * math.cos(angle),
                      -length * math.sin(angle), steps=dice.randint(5, 12), pause=0.006)
        opened += any(one["edge"] for one in rows(page).values())
    assert opened == 0
    assert page.evaluate("trestle.board.table.entries.size") == 12


def test_the_sides_belong_to_the_system(page):
    """The outer 24 pixels start nothing: there is the phone's own gesture to go back."""
    Fingers(page).swipe(10, middle(page), 200)
    still(page)
    assert rows(page)[ID]["pull"] == 0


def test_a_tap_elsewhere_closes_what_was_opened_here(stage):
    """It does nothing besides, as on a phone, but a button does what it says. What somebody else has opened for everybody stays
    open."""
    kinds = stage.daemon.directory / "taps.yaml"
    kinds.write_text("kinds: {job: {height: 60, tap: {set: {seen: 'yes'}}, "
                     "trailing: {actions: [{id: done, title: Done}]}}}\n")
    stage.fill("taps", kinds, [
        {"id": f"r{n}", "kind": "job", "section": "main", "title": f"Job {n}"} for n in range(4)])
    page = stage.open("/board/taps", context=stage.context())
    fingers = Fingers(page)

    def seen(row):
        return page.evaluate(f"trestle.board.table.row('{row}').fields?.seen")

    def tap(row):
        still(page)
        time.sleep(0.4)
        fingers.tap(150, rows(page)[row]["top"] + 30)

    def is_open(row):
        return f"((trestle.board.table.row('{row}').swipe ?? 'closed') !== 'closed')"

    for elsewhere in ["r1", None]:
        fingers.swipe(330, rows(page)["r0"]["top"] + 30, -150, steps=20, pause=0.016)
        settled(page, is_open("r0"))
        if elsewhere:
            tap(elsewhere)
        else:
            still(page)
            fingers.tap(150, rows(page)["r3"]["top"] + 200)
        settled(page, "!" + is_open("r0"))
        still(page)
        assert seen("r1") is None and page.evaluate("trestle.board.table.row('r1').expand ?? 'collapsed'") == "collapsed"
    fingers.swipe(330, rows(page)["r0"]["top"] + 30, -150, steps=20, pause=0.016)
    settled(page, is_open("r0"))
    still(page)
    page.locator('.row[data-row="r1"] .more').tap()
    settled(page, "!" + is_open("r0"))
    settled(page, "document.querySelector('dialog[open]')?.textContent.includes('Job 1')")
    page.keyboard.press("Escape")
    settled(page, "!document.querySelector('dialog[open]')")
    stage.trestle("swipe", "taps", "r2", "--trailing")
    settled(page, is_open("r2"))
    tap("r1")
    settled(page, "trestle.board.table.row('r1').fields?.seen === 'yes'")
    assert page.evaluate(is_open("r2"))
    page.close()


def test_taps_just_after_rows_moved_are_none(stage, page):
    """Who taps a row that has come under the finger meant the one that went: also where the board is made anew."""
    page.evaluate("""() => { window.acts = 0;
        const send = trestle.board.follow.send.bind(trestle.board.follow);
        trestle.board.follow.send = (...all) => { window.acts += 1; return send(...all); };
        trestle.board.follow.onDiffs(() => { if (!window.taps) return; window.taps = false;
            const row = document.elementFromPoint(200, 300);
            row.dispatchEvent(new MouseEvent('click', {bubbles: true, detail: 1})); }); }""")

    def taps_at(*command):
        still(page)
        calm(page)
        before = page.evaluate("window.taps = true, window.acts")
        stage.trestle(*command)
        settled(page, "!window.taps")
        return page.evaluate("window.acts") - before

    new = ("--section", "grill", "--kind", "ticket", "--top", "--id", "between")
    assert taps_at("add", "kitchen", "in between", *new) == 0
    assert taps_at("remove", "kitchen", "between") == 0
    kinds = ROOT / "examples" / "kitchen.yaml"
    higher = stage.daemon.directory / "higher.yaml"
    higher.write_text(kinds.read_text().replace("height: 76", "height: 96"))
    assert taps_at("define", "kitchen", str(higher)) == 0
    assert taps_at("define", "kitchen", str(kinds)) == 0
    # A board that is made anew as it was takes a tap.
    assert taps_at("section", "kitchen", "grill", "--title", "Grill") == 1
    assert stage.wrong == []


def test_a_column_that_is_new_takes_no_tap(stage, page):
    """Rows have come in the place of others."""
    page.set_viewport_size({"width": 1280, "height": 844})
    settled(page, "trestle.board.lists.length > 1")
    assert page.evaluate("trestle.board.lists.every(l => l.shiftedAt > 0)")
