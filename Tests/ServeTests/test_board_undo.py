"""An undo takes back the action that people mean, and says so in their words."""

from board_stage import OPEN, settled


def focus(page, row):
    page.evaluate("id => trestle.board.keys.focusOn(id, true)", row)


def news(page, text):
    settled(page, f"document.querySelector('.news p')?.textContent.startsWith('{text}')")


def test_undo_takes_back_the_latest_action_and_not_the_look(stage, page):
    """A row that was opened since stays open, and the action before that is named."""
    focus(page, "1041-f")
    page.keyboard.press("ArrowLeft")
    settled(page, "trestle.board.table.row('1041-f').swipe === 'trailing'")
    page.keyboard.press("1")
    settled(page, "trestle.board.table.sectionOf('1041-f') === 'pass'")
    focus(page, "1043-f")
    page.keyboard.press(" ")
    settled(page, "(trestle.board.table.row('1043-f').expand ?? 'collapsed') !== 'collapsed'")
    page.keyboard.press("u")
    news(page, "Undone: Bump of 3 × fries, 1 × onion rings (table 12)")
    assert page.evaluate("trestle.board.table.sectionOf('1041-f')") == "fry"
    assert page.evaluate("trestle.board.table.row('1043-f').expand") != "collapsed"
    page.keyboard.press("U")
    news(page, "Done again.")
    page.keyboard.press("u")
    news(page, "Undone: ")
    settled(page, "trestle.board.table.sectionOf('1041-f') === 'fry'")


def test_what_changed_nothing_takes_nothing_back(stage, page):
    """Its revision is the latest one, which somebody else has made."""
    moved = "() => { const row = trestle.board.table.row('1041-f'); trestle.board.actions.move(row, {section: 'fry', top: true}); }"
    offers = "[...document.querySelectorAll('.news button')].some(b => b.textContent === 'Undo')"
    page.evaluate("() => { const row = trestle.board.table.row('1041-f'); trestle.board.actions.move(row, {section: 'fry', bottom: true}); }")
    settled(page, offers)
    page.evaluate(moved)
    settled(page, f"{offers} && trestle.board.table.sections.find(s => s.id === 'fry').rows[0].id === '1041-f'")
    stage.trestle("--as", "Ana", "set", "kitchen", "1045-f", "--field", "note=quick")
    settled(page, "trestle.board.table.row('1045-f').fields.note === 'quick'")
    page.evaluate(moved)
    settled(page, f"!{offers}")
    assert page.locator(".news p").inner_text().startswith("Moved")


def test_a_kiosk_undoes_by_touch_alone(stage):
    """It has no heading: the menu is behind the sheet of the screen."""
    page = stage.open("/board/kitchen?kiosk=1", context=stage.context())
    page.locator(".gear").tap()
    settled(page, "document.querySelector('dialog:not(.rising) .choice')")
    page.locator("dialog .choice").first.tap()
    settled(page, "document.querySelector('dialog:not(.rising) [data-key=u]') && document.querySelector('dialog [data-key=r]')")


def test_what_can_be_brought_back_is_listed_with_table_and_order(stage, page):
    """A ticket goes back to the station from which it came."""
    stage.trestle("--as", "Ana", "act", "kitchen", "1045-f", "bump")
    stage.trestle("--as", "Ana", "remove", "kitchen", "1043-f")
    settled(page, "!trestle.board.table.row('1043-f') && trestle.board.table.sectionOf('1045-f') === 'pass'")
    focus(page, "1041-f")
    page.keyboard.press("r")
    settled(page, "document.querySelectorAll('dialog .choice').length >= 2")
    lines = page.locator("dialog .choice").all_inner_texts()
    assert "fish & chips" in lines[0] and "table takeaway" in lines[0] and "order 1043" in lines[0] and "Ana" in lines[0]
    assert lines[1].startswith("Bump: 1 × tempura") and "table 9" in lines[1] and "order 1045" in lines[1]
    page.locator("dialog .choice").nth(1).click()
    settled(page, "trestle.board.table.sectionOf('1045-f') === 'fry'")


def test_the_history_of_a_row_says_what_was_and_what_is(stage, page):
    stage.trestle("--as", "Ana", "set", "kitchen", "1042-c", "--field", "table=9")
    settled(page, "trestle.board.table.row('1042-c').fields.table === '9'")
    focus(page, "1042-c")
    page.keyboard.press(".")
    settled(page, OPEN)
    page.get_by_text("What happened to it").click()
    settled(page, "document.querySelector('dialog .choice')?.textContent.startsWith('Set table to “9”, which was “7”')")
    assert "Ana" in page.locator("dialog .choice").first.inner_text()


def test_what_is_in_the_way_of_an_undo_is_shown(stage, page):
    """Others have moved the row since: the history, one press away, says who, and takes that back."""
    focus(page, "1045-f")
    page.keyboard.press("ArrowLeft")
    settled(page, "trestle.board.table.row('1045-f').swipe === 'trailing'")
    page.keyboard.press("1")
    settled(page, "trestle.board.table.sectionOf('1045-f') === 'pass'")
    stage.trestle("--as", "ana", "move", "kitchen", "1045-f", "--section", "cold", "--top")
    settled(page, "trestle.board.table.sectionOf('1045-f') === 'cold'")
    page.keyboard.press("u")
    news(page, "It has changed since.")
    page.locator(".news").get_by_role("button", name="History").click()
    first = page.locator("dialog .choice").first
    first.wait_for()
    assert "from pass to cold" in first.inner_text() and "ana" in first.inner_text()
    settled(page, "document.querySelector('dialog:not(.rising)')")
    first.click()
    page.locator("dialog .answer", has_text="Take back").click()
    settled(page, "trestle.board.table.sectionOf('1045-f') === 'pass'")
    page.locator(".news").wait_for()
    focus(page, "1045-f")
    page.keyboard.press("u")
    page.keyboard.press("u")
