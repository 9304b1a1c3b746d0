"""Rows are found, sorted and marked on a screen; what is done to marked rows is one revision and one undo."""

from board_stage import OPEN, Fingers, calm, eventually, rows, settled, still
from test_board_access import axe

SHOWN = "trestle.board.lists.flatMap(l => l.sections.flatMap(s => l.layout.table.sections.find(o => o.id === s).rows.map(r => r.id)))"


def mark(page, *ids):
    settled(page, "trestle.board.marks.size === 0")
    for one in ids:
        page.evaluate("id => trestle.board.keys.focusOn(id, true)", one)
        page.keyboard.press("v")


def risen(page):
    """A sheet that rises takes no taps."""
    settled(page, "document.querySelector('dialog:not(.rising)')")


def find(page, text):
    page.locator(".row").first.focus()
    page.keyboard.press("/")
    page.locator(".find input").fill(text)


def test_rows_are_found_by_words_and_by_conditions(stage, page):
    find(page, "ana")
    settled(page, "document.querySelector('.find .count').textContent === '4 of 12'")
    assert set(rows(page)) == {"1041-g", "1041-f", "1046-c", "1040-p"}
    axe(page, "finding")
    page.locator(".find input").fill('field.table == "7"')
    settled(page, f"({SHOWN}).join() === '1042-g,1042-c'")
    # A fault is shown at its place, and what was found before is shown on.
    page.locator(".find input").fill('field.table = "7"')
    lines = page.locator(".find .fault pre").all_inner_texts()
    assert lines[1].index("^") == lines[0].index("=")
    axe(page, "a condition that is none")
    assert page.evaluate(SHOWN) == ["1042-g", "1042-c"]
    # A condition that is typed letter by letter shows all rows until it is one: its beginning was no word.
    page.locator(".find input").fill("")
    page.locator(".find input").press_sequentially('field.table = "7"')
    assert page.evaluate("[document.querySelector('.find .count').textContent, document.querySelector('.blank')]") == ["", None]
    settled(page, f"({SHOWN}).length === 12")
    page.locator(".find input").fill("table > 7")
    settled(page, "document.querySelector('.find .fault').textContent.endsWith('A field is written field.table.')")
    page.locator(".find input").fill('field.名前 = 3')
    lines = page.locator(".find .fault pre").all_inner_texts()
    assert lines[1] == " " * 6 + "\u3000\u3000 ^"
    # An Enter that puts letters together, as in Japanese, is for them.
    page.evaluate("document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', isComposing: true, bubbles: true}))")
    assert page.evaluate("document.activeElement.tagName") == "INPUT"
    page.locator(".find input").fill("table = 7")
    # It follows what others do: also where a section comes by that, or goes.
    stage.trestle("set", "kitchen", "1039-p", "--field", "table=7")
    settled(page, f"({SHOWN}).join() === '1042-g,1042-c,1039-p'")
    stage.trestle("set", "kitchen", "1039-p", "--field", "table=5")
    settled(page, f"({SHOWN}).join() === '1042-g,1042-c'")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.dataset.row") == "1042-g"
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.dataset.row") == "1042-c"
    page.keyboard.press("Escape")
    settled(page, f"({SHOWN}).length === 12 && document.querySelector('.find').hidden")
    find(page, "nobody has this")
    settled(page, "document.querySelector('.blank h2')?.textContent === 'Nothing found'")
    page.keyboard.press("Escape")
    settled(page, f"({SHOWN}).length === 12")


def test_a_row_is_added_where_there_are_sections_though_none_is_found(stage, page):
    page.keyboard.press("/")
    page.keyboard.type("no such dish")
    page.keyboard.press("Enter")
    settled(page, "trestle.board.shownTable.size === 0")
    sections = page.evaluate("trestle.board.table.sections.map(s => s.id)")
    assert page.evaluate("trestle.board.home") == sections[0]


def test_rows_are_sorted_on_this_screen_only(stage, page):
    find(page, "")
    page.locator(".find select").select_option("field.server")
    settled(page, f"({SHOWN}).slice(0, 4).join() === '86,1041-g,1042-g,1044-g'")
    page.locator(".find select").select_option("title")
    settled(page, f"({SHOWN}).slice(4, 7).join() !== '1041-f,1043-f,1045-f'")
    page.locator('.row[data-row="1041-g"]').focus()
    page.keyboard.press("m")
    settled(page, "document.querySelector('.news')?.textContent.includes('It cannot be moved.')")
    assert page.evaluate("trestle.board.table.indexOf('1041-f')") == 0
    page.get_by_role("button", name="Stop finding").click()
    settled(page, f"({SHOWN}).slice(4, 7).join() === '1041-f,1043-f,1045-f'")


def test_marked_rows_are_done_together_by_keys(stage, page):
    before = page.evaluate("trestle.board.table.revision")
    mark(page, "1041-f", "1043-f")
    settled(page, "document.querySelector('.marks')?.textContent.includes('2 rows are marked')")
    axe(page, "two rows are marked")
    page.keyboard.press(".")
    settled(page, OPEN)
    axe(page, "what can be done to marked rows")
    page.locator("dialog").get_by_role("button", name="Bump").click()
    settled(page, "trestle.board.table.sectionOf('1041-f') === 'pass' && trestle.board.table.sectionOf('1043-f') === 'pass'")
    assert page.evaluate("trestle.board.table.revision") == before + 1
    settled(page, "!document.querySelector('.marks') && !document.querySelector('.check:not([hidden])')")
    page.locator(".news").get_by_role("button", name="Undo").click()
    settled(page, "trestle.board.table.sectionOf('1041-f') === 'fry' && trestle.board.table.sectionOf('1043-f') === 'fry'")
    # A row that others change between the look and the press is not done over them, and neither is the other.
    mark(page, "1041-f", "1043-f")
    page.keyboard.press(".")
    settled(page, OPEN)
    stage.trestle("set", "kitchen", "1043-f", "--field", "note=now")
    settled(page, "trestle.board.table.row('1043-f').fields.note === 'now'")
    page.locator("dialog").get_by_role("button", name="Bump").click()
    settled(page, "document.querySelector('.news[data-kind=refused]')?.textContent.includes('Somebody changed it')")
    said = page.locator(".news p").inner_text()
    assert said.startswith("2 × fish & chips: ") and said.endswith(" Nothing was done to the marked rows.")
    assert page.evaluate("['1041-f', '1043-f'].map(id => trestle.board.table.sectionOf(id))") == ["fry", "fry"]
    # That one is left out, by one press.
    page.locator(".news").get_by_role("button", name="Unmark it").click()
    settled(page, "document.querySelector('.marks')?.textContent.includes('1 row is marked')")
    page.get_by_role("button", name="Do …").click()
    risen(page)
    page.locator("dialog").get_by_role("button", name="Bump").click()
    settled(page, "trestle.board.table.sectionOf('1041-f') === 'pass'")
    page.locator(".news").get_by_role("button", name="Undo").click()
    settled(page, "trestle.board.table.sectionOf('1041-f') === 'fry' && !document.querySelector('.marks')")


def test_what_is_done_already_is_no_whisper_where_many_are_marked(stage, page):
    """Of two marked rows others have bumped one: nothing was done to the other, and nobody is to believe it."""
    mark(page, "1041-f", "1043-f")
    page.keyboard.press(".")
    settled(page, OPEN)
    stage.trestle("--as", "ana", "act", "kitchen", "1041-f", "bump")
    settled(page, "trestle.board.table.sectionOf('1041-f') === 'pass'")
    page.locator("dialog").get_by_role("button", name="Bump").click()
    settled(page, "document.querySelector('.news[data-kind=refused] p')?.textContent === "
                  "'3 × fries, 1 × onion rings: That is done already, or under way. Nothing was done to the marked rows.'")
    assert page.evaluate("trestle.board.table.sectionOf('1043-f')") == "fry"
    stage.trestle("--as", "ana", "undo", "kitchen")
    settled(page, "trestle.board.table.sectionOf('1041-f') === 'fry'")


def test_a_key_at_another_row_is_about_the_marked_ones(stage, page):
    """Marking moves the focus on. What is pressed next is done to the marked rows, not to the one below them."""
    mark(page, "1041-f", "1043-f")
    focused = page.evaluate("document.activeElement.dataset.row")
    assert focused not in ("1041-f", "1043-f")
    before = page.evaluate("trestle.board.table.revision")
    page.keyboard.press("ArrowLeft")
    settled(page, f"{OPEN} && document.querySelector('dialog').textContent.includes('2 rows are marked')")
    page.keyboard.press("1")
    settled(page, "['1041-f', '1043-f'].every(id => trestle.board.table.sectionOf(id) === 'pass')")
    assert page.evaluate("trestle.board.table.revision") == before + 1
    settled(page, "!document.querySelector('.marks')")


def test_marked_by_touch_moved_claimed_and_removed(stage, page):
    """A finger that holds a row and lets go marks it; then taps do. It opens no row meanwhile."""
    still(page)
    calm(page)
    fingers = Fingers(page)
    fingers.press(150, rows(page)["1041-g"]["top"] + 30)
    settled(page, "document.querySelector('.floating')")
    fingers.lift()
    settled(page, "document.querySelector('.marks')?.textContent.includes('1 row is marked')")
    eventually(lambda: page.evaluate("!document.querySelector('.floating')"), 10)
    still(page)
    calm(page)
    fingers.tap(150, rows(page)["1044-g"]["top"] + 30)
    settled(page, "document.querySelector('.marks')?.textContent.includes('2 rows are marked')")
    assert page.evaluate("(trestle.board.table.row('1044-g').expand ?? 'collapsed')") == "collapsed"
    page.get_by_role("button", name="Do …").tap()
    risen(page)
    page.locator("dialog").get_by_role("button", name="I work on them").tap()
    settled(page, "['1041-g', '1044-g'].every(id => trestle.board.table.row(id).claim)")
    mark(page, "1041-g", "1044-g")
    page.get_by_role("button", name="Do …").tap()
    risen(page)
    page.locator("dialog").get_by_role("button", name="To cold").tap()
    settled(page, "['1041-g', '1044-g'].every(id => trestle.board.table.sectionOf(id) === 'cold')")
    mark(page, "1041-g", "1044-g")
    page.get_by_role("button", name="Do …").tap()
    risen(page)
    page.locator("dialog").get_by_role("button", name="Delete").tap()
    risen(page)
    page.locator("dialog .answer.destructive").tap()
    settled(page, "!trestle.board.table.row('1041-g') && !trestle.board.table.row('1044-g')")
    page.locator(".news").get_by_role("button", name="Undo").tap()
    settled(page, "trestle.board.table.row('1041-g') && trestle.board.table.row('1044-g')")
    assert page.evaluate("trestle.board.marks.size") == 0


def test_marked_rows_that_others_change_are_not_deleted_unseen(stage, page):
    """As the control of one row, and as the terminal."""
    def ask():
        mark(page, "1041-f", "1043-f")
        page.keyboard.press(".")
        settled(page, OPEN)
        page.locator("dialog").get_by_role("button", name="Delete").click()
        settled(page, "document.querySelector('dialog .answer.destructive')")

    ask()
    stage.trestle("set", "kitchen", "1043-f", "--field", "note=two more")
    settled(page, "trestle.board.table.row('1043-f').fields.note === 'two more'")
    page.locator("dialog .answer.destructive").click()
    settled(page, "document.querySelector('.news[data-kind=refused]')?.textContent.includes('Somebody changed it')")
    assert page.evaluate("['1041-f', '1043-f'].every(id => trestle.board.table.row(id))")
    page.locator('.row[data-row="1043-f"]').focus()
    page.keyboard.press("Escape")
    settled(page, "!document.querySelector('.marks')")
    before = page.evaluate("trestle.board.table.revision")
    ask()
    page.locator("dialog .answer.destructive").click()
    settled(page, "['1041-f', '1043-f'].every(id => !trestle.board.table.row(id))")
    assert page.evaluate("trestle.board.table.revision") == before + 1
    page.keyboard.press("r")
    settled(page, "document.querySelector('dialog .choice')")
    page.locator("dialog .choice").first.click()
    settled(page, "['1041-f', '1043-f'].every(id => trestle.board.table.row(id))")


def test_a_screen_that_only_looks_marks_nothing(stage):
    page = stage.open(role="viewer")
    find(page, "ana")
    settled(page, "document.querySelector('.find .count').textContent === '4 of 12'")
    page.keyboard.press("Enter")
    page.keyboard.press("v")
    settled(page, "document.querySelector('.news')?.textContent.includes('may only look')")
    assert page.evaluate("trestle.board.marks.size") == 0
