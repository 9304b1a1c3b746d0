"""A row is changed and added by a form: nothing that was typed is lost, and nothing of others is overwritten unseen."""

import pytest
from board_stage import OPEN, calm, settled, still
from test_board_access import axe

SHUT = "!document.querySelector('dialog')"
ROW = "1042-g"
SALMON = f"trestle.board.table.row('{ROW}')"


@pytest.fixture
def page(stage):
    page = stage.reopen()
    page.evaluate("localStorage.removeItem('trestle.drafts')")
    return page


def edit(page, row=ROW):
    page.locator(f'.row[data-row="{row}"]').focus()
    page.keyboard.press("e")
    settled(page, OPEN)


def field(page, name):
    return page.locator("dialog label.field", has_text=name).locator("input, textarea, select").first


def save(page):
    page.locator("dialog [type=submit]").click()
    settled(page, SHUT)


def test_a_typing_error_is_corrected_by_keys(stage, page):
    """Title, a field and a field that goes, by one command, which one undo takes back."""
    before = page.evaluate(f"[trestle.board.table.revision, {SALMON}.title]")
    edit(page)
    assert page.evaluate("document.activeElement.value") == before[1]
    page.keyboard.press("Control+a")
    page.keyboard.type("2 × salmon")
    field(page, "table").fill("8")
    field(page, "course").fill("")
    page.keyboard.press("Enter")
    settled(page, SHUT)
    settled(page, f"{SALMON}.title === '2 × salmon'")
    assert page.evaluate(f"[{SALMON}.fields.table, {SALMON}.fields.course ?? null]") == ["8", None]
    assert page.evaluate("trestle.board.table.revision") == before[0] + 1
    assert page.evaluate("document.activeElement.dataset.row") == ROW
    page.keyboard.press("u")
    settled(page, f"{SALMON}.title === '{before[1]}' && {SALMON}.fields.course === 'main'")
    # Nothing was changed: nothing is sent.
    edit(page)
    save(page)
    assert page.evaluate("trestle.board.table.revision") == before[0] + 2


def test_what_others_change_meanwhile_is_shown_beside(stage, page):
    edit(page)
    field(page, "note").fill("ALLERGY: dairy, and nuts")
    stage.trestle("set", "kitchen", ROW, "--field", "note=ALLERGY: fish", "--field", "table=21", "--as", "Ana")
    settled(page, "document.querySelector('dialog .other:not([hidden])')?.textContent.includes('Ana made it “ALLERGY: fish”.')")
    # Fields that were not typed here have their present texts, and typed ones stay.
    assert field(page, "table").input_value() == "21"
    assert field(page, "note").input_value() == "ALLERGY: dairy, and nuts"
    axe(page, "a form of a row that was changed meanwhile")
    save(page)
    settled(page, f"{SALMON}.fields.note === 'ALLERGY: dairy, and nuts' && {SALMON}.fields.table === '21'")
    edit(page)
    field(page, "note").fill("mine")
    stage.trestle("set", "kitchen", ROW, "--field", "note=theirs")
    settled(page, "document.querySelector('dialog .other:not([hidden])')")
    page.get_by_role("button", name="Take it").click()
    assert field(page, "note").input_value() == "theirs"
    assert page.evaluate("localStorage.getItem('trestle.drafts')") == "[]"
    page.keyboard.press("Escape")
    settled(page, SHUT)


def test_a_change_that_the_page_has_not_heard_of_is_not_overwritten(stage, page):
    """The version that was seen goes with the command: it is refused, and both texts are shown."""
    edit(page)
    page.evaluate("() => { const one = trestle.board.follow.follower; one.take = async () => {}; }")
    field(page, "table").fill("30")
    stage.trestle("set", "kitchen", ROW, "--field", "table=31")
    page.locator("dialog [type=submit]").click()
    settled(page, "document.querySelector('dialog .wrong')?.textContent.startsWith('Somebody changed it just now.')")
    page.evaluate("() => { const one = trestle.board.follow.follower; delete one.take; one.step('snapshot'); one.work(); }")
    settled(page, "document.querySelector('dialog .other:not([hidden])')?.textContent.includes('“31”')", 40)
    assert field(page, "table").input_value() == "30"
    save(page)
    settled(page, f"{SALMON}.fields.table === '30'")


def test_a_draft_outlives_the_sheet_and_the_page(stage, page):
    edit(page)
    field(page, "server").fill("Ines")
    page.keyboard.press("Escape")
    settled(page, SHUT)
    edit(page)
    assert field(page, "server").input_value() == "Ines"
    page.reload()
    page.wait_for_selector(".row")
    settled(page, "document.querySelector('.news')?.textContent.includes('is not sent yet')")
    stage.trestle("set", "kitchen", ROW, "--field", "server=Rui")
    page.get_by_role("button", name="Go on").click()
    settled(page, OPEN)
    assert field(page, "server").input_value() == "Ines"
    settled(page, "document.querySelector('dialog .other:not([hidden])')?.textContent.includes('“Rui”')")
    page.get_by_role("button", name="Throw away").click()
    settled(page, SHUT)
    edit(page)
    assert field(page, "server").input_value() == "Rui"
    page.keyboard.press("Escape")
    page.reload()
    page.wait_for_selector(".row")
    settled(page, "trestle.board.actions.hasOffered")
    assert page.query_selector(".news") is None


def test_a_draft_that_is_opened_again_shows_what_others_have_changed_since(stage, page):
    """Also what was shown before the last letter was typed: else the next save would overwrite it unseen."""
    def is_told():
        settled(page, "document.querySelector('dialog .other:not([hidden])')?.textContent.includes('“salmon, no skin”')")

    edit(page)
    field(page, "Title").fill("3 × salmon")
    field(page, "server").fill("Jo")
    stage.trestle("set", "kitchen", ROW, "--title", "salmon, no skin", "--field", "table=44")
    is_told()
    field(page, "server").fill("Joe")
    for is_reloaded in (False, True):
        page.keyboard.press("Escape")
        settled(page, SHUT)
        if is_reloaded:
            page.reload()
            page.get_by_role("button", name="Go on").click()
        else:
            edit(page)
        settled(page, OPEN)
        is_told()
        assert [field(page, name).input_value() for name in ("Title", "server", "table")] == ["3 × salmon", "Joe", "44"]
    page.get_by_role("button", name="Take it").click()
    save(page)
    settled(page, f"{SALMON}.fields.server === 'Joe'")
    assert page.evaluate(f"[{SALMON}.title, {SALMON}.fields.table]") == ["salmon, no skin", "44"]


def test_a_title_that_was_not_typed_keeps_its_blanks(stage, page):
    before = page.evaluate(f"{SALMON}.title")
    stage.trestle("set", "kitchen", ROW, "--title", " salmon ")
    settled(page, f"{SALMON}.title === ' salmon '")
    edit(page)
    field(page, "table").fill("45")
    save(page)
    settled(page, f"{SALMON}.fields.table === '45'")
    assert page.evaluate(f"{SALMON}.title") == " salmon "
    stage.trestle("set", "kitchen", ROW, "--title", before)


def test_a_row_that_is_gone_can_be_added_again(stage, page):
    edit(page, "1044-g")
    field(page, "table").fill("4")
    stage.trestle("remove", "kitchen", "1044-g")
    settled(page, "document.querySelector('dialog [type=submit]').textContent === 'Add it again'")
    save(page)
    settled(page, "document.activeElement.view?.row.title === '3 × lamb skewers'")
    made = page.evaluate("(r => [r.fields.table, r.fields.server, r.kind, trestle.board.table.sectionOf(r.id)])"
                         "(document.activeElement.view.row)")
    assert made == ["4", "Мина", "ticket", "grill"]


def test_a_row_is_added_with_fields_section_and_kind_by_touch(stage, page):
    still(page)
    calm(page)
    page.locator(".section .plus:visible").first.tap()
    settled(page, OPEN)
    axe(page, "a form of a new row")
    field(page, "Title").fill("1 × toast")
    field(page, "table").fill("2")
    field(page, "Section").select_option("cold")
    page.locator("dialog summary").tap()
    field(page, "Its name").fill("bread")
    page.get_by_role("button", name="Add the field").tap()
    page.keyboard.type("rye")
    save(page)
    settled(page, "document.activeElement.view?.row.title === '1 × toast'")
    made = page.evaluate("(r => [r.fields, r.kind, trestle.board.table.sectionOf(r.id)])(document.activeElement.view.row)")
    assert made == [{"bread": "rye", "table": "2"}, "ticket", "cold"]


def test_the_fields_of_the_kinds_form_come_first(stage, page):
    page.evaluate("trestle.board.table.kinds.get('ticket').form = ['qty', 'table']")
    still(page)
    calm(page)
    page.locator(f'.row[data-row="{ROW}"] .more').tap()
    page.locator("dialog").get_by_role("button", name="Edit").tap()
    settled(page, "document.querySelector('dialog h2')?.textContent.startsWith('Edit ')")
    names = page.evaluate("[...document.querySelectorAll('dialog form > .fields:first-child > label')].map(l => l.firstChild.data)")
    assert names[:4] == ["Title", "qty", "table", "course"] and "state" not in names
    assert page.evaluate("document.querySelector('dialog[open] .inside').scrollWidth <= innerWidth")
