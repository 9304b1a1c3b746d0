"""A row is changed and added by a form: nothing that was typed is lost, and nothing of others is overwritten unseen."""

import signal

import pytest
from board_stage import OPEN, calm, settled, still
from test_board_access import axe

SHUT = "!document.querySelector('dialog')"
ROW = "1042-g"
#: What the form says; null: nothing.
WORDS = "(w => w.hidden ? null : w.textContent)(document.querySelector('dialog [role=status]'))"
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


def test_a_key_comes_at_once_after_the_focus(stage, page):
    """The browser scrolls to a row that gets the focus. A key that is pressed before the next frame is for that row."""
    below = "1046-c"
    page.evaluate("""id => {
        const row = document.querySelector(`.row[data-row="${id}"]`);
        row.focus();
        row.dispatchEvent(new KeyboardEvent('keydown', {key: 'e', bubbles: true}));
    }""", below)
    settled(page, OPEN)
    assert page.evaluate(f"document.activeElement.value === trestle.board.table.row('{below}').title")
    page.keyboard.press("Escape")
    settled(page, SHUT)


def test_typing_goes_on_while_others_change_the_row(stage, page):
    """Also where the row gets fields that the form had not: each key comes to the text that is being typed."""
    edit(page, "1046-c")
    field(page, "server").focus()
    page.keyboard.press("Control+a")
    for at, letter in enumerate("Inês"):
        page.keyboard.type(letter)
        stage.trestle("set", "kitchen", "1046-c", "--field", f"a{at}=x", "--field", f"z{at}=x", "--field", f"order={at}")
        settled(page, f"trestle.board.table.row('1046-c').fields.order === '{at}'")
    assert field(page, "server").input_value() == "Inês"
    assert page.evaluate("[document.activeElement.value, document.activeElement.selectionStart]") == ["Inês", 4]
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
    # It comes back: it is an ordinary change again. It goes once more.
    stage.trestle("--as", "ana", "remove", "kitchen", "1044-g")
    settled(page, f"{WORDS} === 'ana took it away. What you typed is still here.'")
    stage.trestle("--as", "ana", "undo", "kitchen")
    settled(page, f"{WORDS} === null && document.querySelector('dialog [type=submit]').textContent === 'Save'")
    stage.trestle("remove", "kitchen", "1044-g")
    settled(page, "document.querySelector('dialog [type=submit]').textContent === 'Add it again'")
    save(page)
    settled(page, "document.activeElement.view?.row.title === '3 × lamb skewers'")
    made = page.evaluate("(r => [r.fields.table, r.fields.server, r.kind, trestle.board.table.sectionOf(r.id)])"
                         "(document.activeElement.view.row)")
    assert made == ["4", "Мина", "ticket", "grill"]


def test_a_row_is_inserted_though_the_one_above_it_goes(stage, page):
    stage.trestle("add", "kitchen", "above", "--id", "above", "--section", "cold", "--kind", "ticket")
    settled(page, "trestle.board.table.row('above')")
    page.evaluate("() => { trestle.board.edit(true); trestle.board.actions.control({row: trestle.board.table.row('above')}, true); }")
    settled(page, OPEN)
    field(page, "Title").fill("1 × jelly")
    stage.trestle("remove", "kitchen", "above")
    settled(page, "!trestle.board.table.row('above')")
    save(page)
    made = "trestle.board.table.sections.find(s => s.rows.some(r => r.title === '1 × jelly'))?.id"
    settled(page, f"{made} === 'cold'")
    page.evaluate("trestle.board.edit(false)")


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


def test_what_was_not_touched_stays_as_it_is(stage, page):
    """Blanks around a title, too: only what was typed is sent."""
    stage.trestle("set", "kitchen", ROW, "--title", "  1 × salmon ")
    try:
        settled(page, f"{SALMON}.title === '  1 × salmon '")
        edit(page)
        field(page, "server").fill("Rui")
        save(page)
        settled(page, f"{SALMON}.fields.server === 'Rui'")
        assert page.evaluate(f"{SALMON}.title") == "  1 × salmon "
    finally:
        stage.trestle("undo", "kitchen", "--anyone")
        stage.trestle("undo", "kitchen")


def test_a_kind_that_others_choose_is_shown(stage, page):
    other = stage.daemon.directory / "snack.yaml"
    other.write_text("kinds:\n  snack:\n    height: 60\n")
    stage.trestle("define", "kitchen", str(other))
    settled(page, "trestle.board.table.kinds.has('snack')")
    edit(page)
    assert field(page, "Kind").input_value() == "ticket"
    field(page, "table").fill("44")
    stage.trestle("set", "kitchen", ROW, "--kind", "snack")
    settled(page, "document.querySelector('dialog select').value === 'snack'")
    field(page, "Kind").select_option("ticket")
    assert field(page, "Kind").input_value() == "ticket"
    save(page)
    settled(page, f"{SALMON}.kind === 'ticket' && {SALMON}.fields.table === '44'")


def nothing_is_kept(page):
    """Neither now, nor when the page is loaded again."""
    settled(page, "JSON.parse(localStorage.getItem('trestle.drafts') ?? '[]').length === 0")
    page.reload()
    page.wait_for_selector(".row")
    settled(page, "trestle.board.actions.hasOffered")
    page.wait_for_timeout(300)
    assert page.query_selector(".news") is None


def test_what_is_under_way_is_no_draft(stage, page):
    """Added while the daemon stands still, and the page is loaded again: it is added once, and offered to nobody."""
    count = "trestle.board.table?.sections.flatMap(s => s.rows).filter(r => r.title === '1 × pie').length"
    add = "() => { trestle.board.actions.add('cold'); }"
    page.evaluate(add)
    settled(page, OPEN)
    field(page, "Title").fill("1 × pie")
    stage.daemon.process.send_signal(signal.SIGSTOP)
    try:
        page.locator("dialog [type=submit]").click()
        settled(page, "trestle.board.follow.pending.length === 1")
        page.keyboard.press("Escape")
        settled(page, SHUT)
        # The form is empty for the next row.
        page.evaluate(add)
        settled(page, OPEN)
        assert field(page, "Title").input_value() == ""
        page.wait_for_timeout(300)  # until the disk has it
        page.reload()
    finally:
        stage.daemon.process.send_signal(signal.SIGCONT)
    page.wait_for_selector(".row")
    settled(page, f"{count} === 1", 60)
    nothing_is_kept(page)
    assert page.evaluate(count) == 1


def test_what_another_tab_has_sent_is_not_offered(stage, page):
    """Going on with it would send it a second time, under another number."""
    page.evaluate("() => { trestle.board.actions.add('cold'); }")
    settled(page, OPEN)
    field(page, "Title").fill("1 × tart")
    # The answer does not come: this tab alone does not hear it.
    page.evaluate("() => { trestle.session.replied = () => {}; }")
    page.locator("dialog [type=submit]").click()
    settled(page, "trestle.board.follow.pending.length === 1")
    page.wait_for_timeout(300)  # until the disk has it
    other = page.context.new_page()
    other.goto(page.url)
    other.wait_for_selector(".row")
    settled(other, "trestle.board.actions.hasOffered && document.querySelector('#freshness')?.dataset.state === 'live'", 30)
    other.wait_for_timeout(1500)
    assert "tart" not in (other.locator(".news").all_text_contents() or [""])[0]
    other.close()


def test_what_was_under_way_and_is_refused_is_a_draft_again(stage, page):
    """Others change the row, and neither that nor the refusal comes to the page before it is loaded again."""
    edit(page)
    field(page, "table").fill("77")
    page.evaluate("() => { trestle.session.heard = () => {}; }")
    stage.trestle("set", "kitchen", ROW, "--field", "table=78")
    page.locator("dialog [type=submit]").click()
    settled(page, "document.querySelector('dialog [role=status]')?.textContent.startsWith('The server has not answered')")
    page.reload()
    page.wait_for_selector(".row")
    # The reason is said, and the way on.
    settled(page, "document.querySelector('.news[data-kind=refused] button') !== null", 60)
    assert "Somebody changed it" in page.locator(".news").inner_text()
    assert page.evaluate(f"{SALMON}.fields.table") == "78"
    page.get_by_role("button", name="Go on").click()
    settled(page, OPEN)
    assert field(page, "table").input_value() == "77"
    settled(page, "document.querySelector('dialog .other:not([hidden])')?.textContent.includes('“78”')")
    save(page)
    settled(page, f"{SALMON}.fields.table === '77'")
    nothing_is_kept(page)
    # A later refusal is said as ever.
    assert page.evaluate("trestle.board.actions.send({set: {row: 'nowhere', title: 'x'}}).then(({ok}) => ok)") is False


def test_a_row_without_a_title_is_asked_for_one(stage, page):
    type_new(page, " ")
    field(page, "table").fill("7")
    page.locator("dialog [type=submit]").click()
    settled(page, "document.querySelector('dialog [role=status]')?.textContent === 'It needs a title.'")
    assert page.evaluate("document.activeElement.closest('label').textContent.startsWith('Title')")
    page.keyboard.type("rice")
    page.keyboard.press("Enter")
    settled(page, "trestle.board.table.sections.flatMap(s => s.rows).some(r => r.title.trim() === 'rice' && r.fields.table === '7')")


def type_new(page, title):
    """Types a new row. Returns an expression that counts the rows of that title."""
    page.evaluate("() => { trestle.board.actions.add('cold'); }")
    settled(page, OPEN)
    field(page, "Title").fill(title)
    return f"trestle.board.table?.sections.flatMap(s => s.rows).filter(r => r.title === '{title}').length"


def test_a_draft_that_was_sent_meanwhile_is_not_gone_on_with(stage, page):
    """The offer of an earlier page stands for twenty seconds, and its form may be opened by a key."""
    count = type_new(page, "1 × cake")
    page.reload()
    page.wait_for_selector(".row")
    settled(page, "document.querySelector('.news')?.textContent.includes('is not sent yet')")
    page.evaluate("() => { trestle.board.actions.add('cold'); }")
    settled(page, OPEN)
    assert field(page, "Title").input_value() == "1 × cake"
    page.locator("dialog [type=submit]").click()
    settled(page, f"{count} === 1")
    settled(page, SHUT)
    if page.get_by_role("button", name="Go on").count():
        page.get_by_role("button", name="Go on").click()
    page.wait_for_timeout(300)
    assert page.evaluate(SHUT)
    nothing_is_kept(page)


def test_another_boards_page_hears_that_a_row_was_added(stage, page):
    """The page goes on to the list of boards before the daemon answers: back at the board nothing is offered."""
    count = type_new(page, "1 × trifle")
    stage.daemon.process.send_signal(signal.SIGSTOP)
    try:
        page.locator("dialog [type=submit]").click()
        settled(page, "trestle.board.follow.pending.length === 1")
        page.wait_for_timeout(300)  # until the disk has it
        page.goto(page.url.split("/board/")[0] + "/?boards")
        settled(page, "globalThis.trestle?.session")
    finally:
        stage.daemon.process.send_signal(signal.SIGCONT)
    settled(page, "JSON.parse(localStorage.getItem('trestle.drafts') ?? '[]').length === 0", 60)
    page.go_back()
    page.wait_for_selector(".row")
    settled(page, f"{count} === 1", 60)
    nothing_is_kept(page)
    assert page.evaluate(count) == 1
