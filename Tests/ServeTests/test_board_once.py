"""Once, as people mean it: a double tap, two tablets, two full swipes. The server is paged one time, and no alarm is shown."""

import os
import subprocess
import time

import pytest
from board_stage import BIN, Fingers, Stage, calm, eventually, no_lifts, rows, settled, still

DONE = "trestle.board.follow.pending.length === 0"
#: The press that did nothing is told beside what the first one did, which can still be taken back.
QUIET = """() => { const bar = document.querySelector('.news');
    return bar && bar.dataset.kind !== 'refused' && bar.textContent.includes('done already'); }"""


@pytest.fixture(scope="module")
def stage():
    with Stage() as made:
        made.pager = made.daemon.directory / "paged"
        made.pager.write_text("")
        kinds = made.daemon.directory / "bells.yaml"
        kinds.write_text("kinds: {bell: {height: 60, tap: {invoke: {deadline: 30}}}}\n")
        made.fill("bells", kinds, [{"id": "door", "kind": "bell", "section": "x", "title": "Door"}])
        handlers = [subprocess.Popen(
            [str(BIN / "trestle"), "handle", board, action, "--", "sh", "-c", f"echo paged >>{made.pager}"],
            env=os.environ | {"TRESTLE_ENDPOINT": made.daemon.endpoint},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for board, action in (("kitchen", "page"), ("bells", "tap"))]
        try:
            yield made
        finally:
            for handler in handlers:
                handler.terminate()
                handler.wait(20)


@pytest.fixture(scope="module")
def tablets(stage):
    pages = [stage.open("/board/kitchen?section=grill", context=stage.context()) for _ in range(2)]
    for page in pages:
        no_lifts(page)
    return pages


def paged(stage):
    return stage.pager.read_text().count("paged")


def press_after(stage, pages, row, pause):
    """Page is pressed on the first screen and, so long after that, on the last one. Both show the row open."""
    before = paged(stage)
    stage.trestle("swipe", "kitchen", row, "--trailing")
    places = []
    for page in pages:
        eventually(lambda page=page: rows(page)[row]["pull"] > 100, 5)
        still(page)
        calm(page)
        page.evaluate("trestle.board.newsBar.hide()")
        box = page.locator(f'.row[data-row="{row}"]').get_by_role("button", name="Page").bounding_box()
        places.append((box["x"] + box["width"] / 2, box["y"] + box["height"] / 2))
    fingers = [Fingers(page) for page in pages]
    fingers[0].tap(*places[0])
    time.sleep(pause)
    fingers[-1].tap(*places[-1])
    settled(pages[-1], f"({QUIET})()")
    eventually(lambda: paged(stage) > before, 10)
    for page in pages:
        settled(page, DONE)
        assert page.query_selector(".news[data-kind=refused]") is None
    assert paged(stage) == before + 1
    # A press that was meant once can be meant again.
    time.sleep(1.1)


@pytest.mark.parametrize("pause", [0.1, 0.4])
def test_a_double_tap_pages_once(stage, tablets, pause):
    press_after(stage, tablets[:1], "1041-g", pause)
    assert tablets[0].locator(".news").get_by_role("button", name="Undo").is_visible()


@pytest.mark.parametrize("pause", [0.05, 0.6])
def test_two_tablets_page_once(stage, tablets, pause):
    press_after(stage, tablets, "1042-g", pause)


def test_two_full_swipes_bump_once(stage, tablets):
    """Both fingers are beyond the point where letting go performs it; one lets go before the other."""
    row = "1044-g"
    fingers = [Fingers(page) for page in tablets]
    for page, finger in zip(tablets, fingers):
        page.evaluate("trestle.board.newsBar.hide()")
        calm(page)
        finger.way(350, rows(page)[row]["top"] + 30, -300, 0, steps=15)
        settled(page, f"trestle.board.viewOf('{row}').swipe.armed")
    for finger in fingers:
        finger.lift()
        time.sleep(0.3)
    settled(tablets[0], f"trestle.board.table.sectionOf('{row}') === 'pass'")
    for page in tablets:
        settled(page, DONE)
        settled(page, f"!trestle.board.viewOf('{row}')")
        assert page.query_selector(".news[data-kind=refused]") is None
    assert stage.trestle("history", "kitchen", "--row", row).count("bump") == 1


def test_a_double_tap_on_a_row_that_calls_somebody_calls_once(stage):
    """What the kind's tap starts, and not a swipe."""
    page = stage.open("/board/bells", context=stage.context())
    calm(page)
    before, fingers = paged(stage), Fingers(page)
    for pause in (0.1, 0.45):
        fingers.tap(120, rows(page)["door"]["top"] + 30)
        time.sleep(pause)
    settled(page, f"({QUIET})()")
    eventually(lambda: paged(stage) > before, 10)
    settled(page, DONE)
    assert page.query_selector(".news[data-kind=refused]") is None
    assert paged(stage) == before + 1
    assert stage.wrong == []
