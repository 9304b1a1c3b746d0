"""Guards of actions on a page (rule A19): what a row does not allow keeps its place, and says why it is not done."""

import pytest

from board_stage import Stage, calm, settled


@pytest.fixture(scope="module")
def stage():
    with Stage() as stage:
        yield stage


@pytest.fixture
def page(stage):
    return stage.open()


RECALL = '.row[data-row="%s"] .action[aria-label="Recall"]'


def test_an_order_says_how_much_of_it_is_ready(stage, page):
    """Also where nothing of the row itself changes."""
    line = """document.querySelector('.row[data-row="1042-g"] .detail').textContent"""
    settled(page, f"{line}.startsWith('table 7 · 0 of 2 ready · main')")
    assert " ready" not in page.locator('.row[data-row="1043-f"]').inner_text(), "it is the only one of its order"
    stage.trestle("act", "kitchen", "1042-c", "bump")
    settled(page, f"{line}.startsWith('table 7 · 1 of 2 ready · main')")
    assert "1 of 2 ready" in stage.trestle("show", "kitchen")
    assert "1 of 2 ready" in stage.trestle("-o", "svg", "show", "kitchen")
    stage.trestle("undo", "kitchen")
    settled(page, f"{line}.startsWith('table 7 · 0 of 2 ready · main')")
    assert stage.wrong == []


def test_recall_is_offered_at_the_pass_alone(stage, page):
    """And it brings the ticket back to its own station."""
    stage.trestle("swipe", "kitchen", "1041-g", "--leading")
    button = RECALL % "1041-g"
    settled(page, f"document.querySelector('{button}')?.getAttribute('aria-disabled') === 'true'")
    calm(page)
    page.evaluate("trestle.board.actions.press(trestle.board.viewOf('1041-g'), 'recall', 'leading')")
    settled(page, "document.body.textContent.includes('Only a ticket at the pass is called back.')")
    stage.trestle("act", "kitchen", "1041-g", "bump")
    stage.trestle("swipe", "kitchen", "1041-g", "--leading")
    settled(page, f"document.querySelector('{button}')?.getAttribute('aria-disabled') === null")
    page.evaluate("trestle.board.actions.press(trestle.board.viewOf('1041-g'), 'recall', 'leading')")
    settled(page, "trestle.board.table.sectionOf('1041-g') === 'grill'")
    assert page.evaluate("trestle.board.table.row('1041-g').cameFrom") == "pass"
    assert stage.wrong == []
