"""What a person reads when somebody else is at it, or something went wrong: words for cooks, not for machines."""

import os
import re
import subprocess

import pytest
from board_stage import BIN, Stage, calm, settled

#: No word of the protocol is shown, and no id in quotes.
MACHINE = re.compile(r'revision|version|\blease|invocation|deadline|handler|\brole\b|ifVersion|"|[a-z][A-Z]')
KINDS = """
kinds:
  flat: {height: 60, states: [collapsed, expanded], appearance: {collapsed: {alpha: 1}}}
  ticket:
    height: 76
    states: [collapsed, expanded]
    trailing:
      actions:
        - {id: page, title: Page, effect: {invoke: {deadline: 60}}}
        - {id: hurry, title: Hurry, effect: {invoke: {deadline: 2}}}
        - {id: bump, title: Bump, effect: {set: {done: "yes"}}}
"""


@pytest.fixture(scope="module")
def stage():
    with Stage(boards=()) as made:
        kinds = made.daemon.directory / "kinds.yaml"
        kinds.write_text(KINDS)
        made.fill("kitchen", kinds, [{"id": f"t{n}", "kind": "ticket", "section": "grill", "title": f"Table {n}",
                                      "fields": {"server": "Ana"}} for n in range(6)]
                  + [{"id": "flat", "kind": "flat", "section": "grill", "title": "Flat", "fields": {"note": "NO NUTS"}}])
        yield made


def test_the_list_of_boards_does_not_say_that_nobody_answers(stage):
    """While it connects it says that it looks, and then the boards: at once, also after a reload."""
    page = stage.context().new_page()
    page.add_init_script("""window.heard = [];
        new MutationObserver(() => { const words = document.querySelector('[role=status]')?.textContent;
            if (words && heard.at(-1) !== words) heard.push(words); })
            .observe(document, {subtree: true, childList: true, characterData: true});""")
    for _ in range(3):
        page.goto(stage.origin + "/")
        page.wait_for_selector(".tables a")
        assert page.evaluate("heard") == ["Looking for boards …", "1 board"]


def press(page, row, action):
    """By the row's menu, which needs no gesture."""
    calm(page)
    page.locator(f'.row[data-row="{row}"] .more').tap()
    page.locator("dialog").get_by_role("button", name=action, exact=True).tap()


def bar(page, what):
    settled(page, f"document.querySelector('.news p')?.textContent.includes({what!r})")
    said = page.locator(".news p").text_content()
    assert not MACHINE.search(said), said
    return said


def test_what_a_program_does(stage, page):
    """Sent off, under way, failed with the program's own words: on the row, and told to who pressed it."""
    press(page, "t0", "Page")
    bar(page, "Page, under way: Table 0")
    settled(page, """document.querySelector('.row[data-row="t0"] .pill')?.textContent === 'Page …'""")
    assert "Page is under way" in page.locator('.row[data-row="t0"]').get_attribute("aria-label")
    subprocess.run([str(BIN / "trestle"), "handle", "kitchen", "page", "--count", "1", "--", "sh", "-c",
                    "echo the pager is off >&2; exit 1"], check=False, timeout=60, capture_output=True,
                   env=os.environ | {"TRESTLE_ENDPOINT": stage.daemon.endpoint})
    assert bar(page, "failed") == "Page failed for Table 0: the pager is off."
    settled(page, """document.querySelector('.row[data-row="t0"] .pill')?.textContent === 'Page failed'""")
    assert "the pager is off" in page.locator('.row[data-row="t0"] .failed.detail').text_content()


def test_nobody_answers_in_time(page):
    press(page, "t1", "Hurry")
    assert bar(page, "failed") == "Hurry failed for Table 1: no answer within 2 sec."
    settled(page, """document.querySelector('.row[data-row="t1"] .detail.failed')?.textContent === 'no answer within 2 sec'""")
    label = page.locator('.row[data-row="t1"]').get_attribute("aria-label")
    assert "failed: no answer within 2 sec" in label and not MACHINE.search(label), label


def test_what_is_in_a_closed_row_is_read(page):
    """Also where its kind says that all of it be seen, and one line is all that there is room for."""
    assert page.locator('.row[data-row="flat"] .detail').text_content() == "note NO NUTS"


def test_the_note_of_a_claim_is_read(stage, page):
    stage.trestle("claim", "kitchen", "t5", "--as", "Ana", "--note", "back at six")
    settled(page, "document.querySelector('.row[data-row=\"t5\"] .pill.who')?.textContent === 'Ana: back at six'")
    assert "Ana works on it: back at six" in page.locator('.row[data-row="t5"]').get_attribute("aria-label")
    calm(page)
    page.locator('.row[data-row="t5"] .more').tap()
    assert "Ana works on it: back at six" in page.locator("dialog .choice[aria-disabled]").text_content()


def test_what_a_role_may_not_do_is_not_offered(stage):
    """On a new board an operator can not make the first section. A sentence is never cut."""
    stage.trestle("create", "new")
    page = stage.open("/board/new", role="operator")
    assert "yet to be made, which this screen may not do." in page.locator(".blank p").text_content()
    assert page.query_selector(".blank button") is None
    page.keyboard.press("a")
    assert bar(page, "may not make one") == "There is no section “main” yet, and this screen may not make one."
    page.evaluate("trestle.board.actions.send({add: {title: 'x', section: 'made'}})")
    assert bar(page, "made") == "There is no section “made” yet, and this screen may not make one."
    page.evaluate("trestle.board.news('A long sentence of many words. '.repeat(12), {kind: 'refused'})")
    assert page.evaluate("(p => p.scrollHeight <= p.clientHeight)(document.querySelector('.news p'))")
    looks = stage.open("/board/kitchen", role="handler")
    assert looks.evaluate("document.querySelectorAll('.head .tool:not(.seek, [hidden])').length") == 1
    looks.keyboard.press("E")
    bar(looks, "may only look")
    chief = stage.open("/board/new", role="editor")
    chief.locator(".blank button").tap()
    chief.locator("dialog input").first.fill("The first")
    chief.keyboard.press("Enter")
    settled(page, "trestle.board.table.size === 1 && document.querySelector('.row')")
    stage.trestle("drop", "new", "--yes")


def test_a_revoked_device_has_no_menu_left(stage):
    page = stage.open(role="operator")
    page.evaluate("() => { document.querySelector('.row .more').click(); trestle.board.actions.add('grill'); }")
    settled(page, "document.querySelectorAll('dialog[open]').length === 2")
    stage.gateway.run("revoke", page.evaluate("trestle.session.device.device"))
    settled(page, "document.querySelector('h1')?.textContent === 'Pair this device'")
    assert page.query_selector("dialog") is None


def test_a_device_that_takes_itself_away_shows_no_list(stage):
    """The list says when devices were used. A sheet that waited for an answer does not open over the end."""
    page = stage.open(role="admin")
    name = page.evaluate("trestle.session.device.device")
    page.get_by_role("button", name="More", exact=True).tap()
    page.locator("dialog .choice", has_text="Devices").tap()
    line = page.locator("dialog .choice", has_text=f"{name} (this one)")
    assert "last used" in line.inner_text()
    line.tap()
    assert "Last used from 127.0.0.1" in page.locator("dialog p").first.inner_text()
    page.get_by_role("button", name="Take it away").tap()
    page.locator("dialog[open]").last.get_by_role("button", name="Take it away").tap()
    settled(page, "document.querySelector('h1')?.textContent === 'Pair this device'")
    page.wait_for_timeout(1000)
    assert page.query_selector("dialog") is None


def test_others_are_at_it(stage, page):
    """Moved, claimed, changed and removed by others, while this screen wants the same."""
    stage.trestle("claim", "kitchen", "t2", "--as", "Ana")
    settled(page, "trestle.board.table.row('t2').claim")
    page.evaluate("trestle.board.actions.send({claim: {rows: ['t2']}})")
    assert bar(page, "Ana") == "Ana is working on it."
    page.evaluate("trestle.board.actions.send({act: {row: 't3', action: 'bump'}, ifVersion: 99999})")
    bar(page, "Somebody changed it just now")
    page.evaluate("trestle.board.actions.send({act: {row: 'nobody', action: 'bump'}})")
    bar(page, "somebody took it away")
    page.evaluate("trestle.board.actions.send({edit: {on: true}}).then(() => trestle.board.actions.send("
                  "{act: {row: 't3', action: 'bump'}}))")
    bar(page, "Edit mode is on for everybody")
    page.evaluate("trestle.board.actions.send({edit: {on: false}})")
    lease = stage.trestle("-o", "name", "drag", "kitchen", "lift", "t4", "--as", "Ana").strip()
    page.evaluate("trestle.board.actions.send({move: {rows: ['t4'], section: 'grill', top: true}})")
    assert bar(page, "moving") == "Ana is moving it."
    stage.trestle("drag", "kitchen", "cancel", lease, "--as", "Ana")
    page.evaluate("trestle.board.actions.redo()")
    bar(page, "nothing to redo")
