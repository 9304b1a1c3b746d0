"""A screen with a bump bar needs no other hand; and all that is to be made is counted, beside rows or in their place."""

import json

import pytest
from board_stage import Stage, rows, settled, still
from test_board_access import axe

KINDS = {"kinds": {
    "ticket": {"height": 60, "trailing": {"fullSwipe": True, "actions": [
        {"id": "bump", "title": "Bump", "effect": [{"move": {"section": "pass", "bottom": True}}]}, {"id": "void", "title": "Void", "effect": [{"remove": True}]}]},
        "leading": {"actions": [{"id": "recall", "title": "Recall", "effect": [{"set": {"state": "recalled"}}]}]}},
    "notice": {"height": 40, "pinned": True}}}
TILES = "[...document.querySelectorAll('.row:not([hidden])')].filter(r => r.view.id && r.querySelector('.tile:not([hidden])'))" \
        ".map(r => [r.view.id, r.querySelector('.tile').textContent])"


@pytest.fixture
def stage():
    with Stage(boards=()) as made:
        kinds = made.daemon.directory / "kinds.json"
        kinds.write_text(json.dumps(KINDS))
        made.fill("board", kinds=kinds, rows=[
            {"id": "86", "kind": "notice", "section": "grill", "title": "86 the ribeye"},
            *({"id": f"t{n}", "kind": "ticket", "section": "grill", "title": f"{n} × fries, {n % 2 + 1} × soup, no salt",
               "fields": {"table": str(n % 3)}} for n in range(1, 13))])
        made.trestle("section", "board", "pass")
        yield made
        assert made.wrong == []


def test_a_shift_by_the_keys_of_the_bar(stage):
    page = stage.open("/board/board?section=grill&kiosk=1&bump=1", context=stage.context(viewport={"width": 800, "height": 1100}))
    assert page.evaluate(TILES) == [[f"t{n}", str(n)] for n in range(1, 10)]
    axe(page, "tiles")

    def press(key, left):
        still(page)
        page.wait_for_timeout(350)
        page.keyboard.press(key)
        settled(page, f"trestle.board.table.sections[0].count === {left}")

    press("2", 12)
    settled(page, "trestle.board.table.sectionOf('t2') === 'pass'")
    # The next ones have come up: the numbers are those of places.
    settled(page, f"JSON.stringify({TILES}[1]) === JSON.stringify(['t3', '2'])")
    press("9", 11)
    settled(page, "trestle.board.table.sectionOf('t10') === 'pass'")
    # Its tenth key takes the latest back.
    press("0", 12)
    settled(page, "trestle.board.table.sectionOf('t10') === 'grill'")
    for left in range(11, 0, -1):
        press("1", left)
    assert page.evaluate("trestle.board.table.sections[0].rows.map(r => r.id)") == ["86"]
    page.keyboard.press("1")
    settled(page, "document.querySelector('.news')?.textContent.includes('No row has the number 1.')")


def test_a_press_just_after_rows_have_moved_is_for_none_of_them(stage):
    page = stage.open("/board/board?section=grill&bump=1", context=stage.context(viewport={"width": 800, "height": 1100}))
    still(page)
    page.evaluate("trestle.board.lists[0].shiftedAt = performance.now() + 60000")
    page.keyboard.press("1")
    settled(page, "document.querySelector('.news')?.textContent.includes('Press it again')")
    assert page.evaluate("trestle.board.table.sectionOf('t1')") == "grill"


def test_a_number_that_goes_to_another_column_is_for_none_of_its_rows(stage):
    """A ticket leaves the first column, so the second one is numbered anew, though nothing moves in it."""
    stage.trestle("remove", "board", *(f"t{n}" for n in range(4, 13)))
    for n in range(1, 5):
        stage.trestle("add", "board", f"soup {n}", "--id", f"f{n}", "--kind", "ticket", "--section", "fry")
    page = stage.open("/board/board?section=grill&section=fry&bump=1", context=stage.context(viewport={"width": 1200, "height": 420}))
    still(page)
    page.wait_for_timeout(350)
    tiles = dict(page.evaluate(TILES))
    first, second = tiles["f1"], tiles["f2"]
    page.keyboard.press("1")
    settled(page, f"JSON.stringify({TILES}).includes(JSON.stringify(['f2', '{first}']))")
    page.evaluate("trestle.board.tiles.changedAt = performance.now() + 60000")
    page.keyboard.press(first)
    settled(page, "document.querySelector('.news')?.textContent.includes('Press it again')")
    page.evaluate("trestle.board.tiles.changedAt = 0")
    page.keyboard.press(first)
    settled(page, "trestle.board.table.sectionOf('f2') === 'pass'")
    assert page.evaluate("trestle.board.table.sectionOf('f1')") == "fry" and second != first


def test_a_bar_works_where_the_upper_row_has_no_figures(stage):
    """As in French: the place of a key counts. A bar that sends such signs by itself can be told so."""
    page = stage.open("/board/board?section=grill&bump=1", context=stage.context())
    still(page)
    page.wait_for_timeout(350)
    page.evaluate("document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'é', code: 'Digit2', bubbles: true, cancelable: true}))")
    settled(page, "trestle.board.table.sectionOf('t2') === 'pass'")
    page = stage.open("/board/board?section=grill&bump=" + "%26%C3%A9%22%27%28-%C3%A8_%C3%A7%C3%A0", context=stage.context())
    assert page.evaluate("trestle.board.settings.bump") == "&é\"'(-è_çà"


def test_a_key_of_the_bar_that_is_held_down_is_pressed_once(stage):
    """By itself the key of the seventh tile is the one that takes back."""
    page = stage.open("/board/board?section=grill&bump=qwertyuiop", context=stage.context(viewport={"width": 800, "height": 1100}))
    still(page)
    page.wait_for_timeout(350)
    before = page.evaluate("trestle.board.table.revision")
    for _ in range(8):
        page.keyboard.down("u")
        page.wait_for_timeout(40)
    page.keyboard.up("u")
    settled(page, "trestle.board.table.sectionOf('t7') === 'pass'")
    settled(page, "trestle.board.follow.pending.length === 0")
    assert page.evaluate("trestle.board.table.revision") == before + 1


def test_a_bar_with_other_keys_is_set_up_in_the_sheet(stage):
    page = stage.open("/board/board?section=grill", context=stage.context())
    page.get_by_role("button", name="More", exact=True).tap()
    page.get_by_role("button", name="This screen").tap()
    settled(page, "document.querySelector('dialog:not(.rising) .switch')")
    page.get_by_role("switch", name="Bump bar").tap()
    page.get_by_label("Keys of the tiles").fill("qwertyuiop")
    page.get_by_label("Keys of the tiles").press("Tab")
    settled(page, "trestle.board.settings.bump === 'qwertyuiop'")
    page.keyboard.press("Escape")
    settled(page, "!document.querySelector('dialog')")
    still(page)
    page.wait_for_timeout(350)
    page.keyboard.press("w")
    settled(page, "trestle.board.table.sectionOf('t2') === 'pass'")
    page.keyboard.press("p")
    settled(page, "trestle.board.table.sectionOf('t2') === 'grill'")


ASKING = {"kinds": {"ticket": {"height": 60, "trailing": {"actions": [
    {"id": "void", "title": "Void", "confirm": True, "role": "destructive", "effect": [{"remove": True}]}]}}}}


@pytest.mark.parametrize("bar, yes, no, numbers", [("1", "1", "0", ["0", "1"]), ("asdf", "a", "f", ["4", "1"])])
def test_a_question_is_answered_by_the_bar_alone(stage, bar, yes, no, numbers):
    kinds = stage.daemon.directory / "asking.json"
    kinds.write_text(json.dumps(ASKING))
    stage.fill("asks", kinds=kinds, rows=[{"id": f"t{n}", "kind": "ticket", "section": "grill", "title": f"{n} × fries"} for n in (1, 2)])
    page = stage.open(f"/board/asks?bump={bar}&kiosk=1", context=stage.context(viewport={"width": 800, "height": 1100}))
    still(page)
    page.wait_for_timeout(350)
    # Held down, or pressed twice, it is for the row alone.
    for _ in range(12):
        page.keyboard.down(yes)
        page.wait_for_timeout(50)
    page.keyboard.up(yes)
    settled(page, "document.querySelector('dialog:not(.rising)')")
    assert page.evaluate("[...document.querySelectorAll('dialog .answer .tile')].map(t => t.textContent)") == numbers
    axe(page, "a question with keys of a bar")
    page.keyboard.press(no)
    settled(page, "!document.querySelector('dialog')")
    page.keyboard.press(yes)
    page.evaluate("document.querySelector('dialog').classList.add('rising')")
    page.keyboard.press(yes)
    assert page.evaluate("document.querySelectorAll('dialog').length") == 1
    assert page.evaluate("trestle.board.table.size") == 2
    settled(page, "document.querySelector('dialog:not(.rising)')")
    page.keyboard.press(yes)
    settled(page, "trestle.board.table.size === 1 && trestle.board.table.row('t2')")


def test_what_is_to_be_made_all_day(stage):
    page = stage.open("/board/board?section=grill", context=stage.context())
    lines = "[...document.querySelectorAll('.totals li')].map(l => [...l.children].map(c => c.textContent))"
    page.keyboard.press("#")
    settled(page, "document.querySelector('dialog .totals li')")
    assert page.evaluate(lines) == [["78", "fries"], ["18", "soup"]]
    axe(page, "all day")
    stage.trestle("add", "board", "5 × soup", "--kind", "ticket", "--section", "grill")
    settled(page, f"JSON.stringify({lines}) === JSON.stringify([['78', 'fries'], ['23', 'soup']])")
    page.keyboard.press("Escape")
    settled(page, "!document.querySelector('dialog')")
    # The totals are a screen of their own, too.
    wall = stage.open("/board/board?section=grill&kiosk=1&view=totals", context=stage.contexts[0], live=False)
    settled(wall, "document.querySelector('.columns .totals li')")
    stage.trestle("remove", "board", "t12")
    settled(wall, f"{lines}[0][0] === '66'")
    axe(wall, "all day as a screen")
    assert rows(wall) == {}
