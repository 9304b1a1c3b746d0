"""The page begins fast, and shows what it knew where no server answers."""

import json
import subprocess
import sys

import pytest
from board_stage import ROOT, Stage, rows, settled

#: For each module of a page: the time at which the browser began to ask for it, and that of its last byte.
MODULES = """performance.getEntriesByType('resource').filter(one => one.name.endsWith('.js'))
    .map(one => [new URL(one.name).pathname, one.startTime, one.responseEnd])"""
STATE = "document.querySelector('#freshness').dataset.state"


@pytest.fixture(scope="module")
def stage():
    with Stage() as made:
        yield made


def test_the_page_names_its_modules(stage):
    """All of them and no others: `web/preload.py` writes them. So the browser asks for all of them at once."""
    done = subprocess.run([sys.executable, str(ROOT / "web" / "preload.py"), "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    page = stage.open(context=stage.context())
    page.wait_for_timeout(300)
    found = page.evaluate(MODULES)
    linked = page.evaluate("[...document.querySelectorAll('link[rel=modulepreload]')].map(one => new URL(one.href).pathname)")
    assert sorted(path for path, _, _ in found) == sorted(linked)
    first = min(end for _, _, end in found)
    late = [path for path, start, _ in found if start > first + 50]
    assert late == [], "it is asked for only when another module was read"


def test_what_was_known_last_is_shown_in_grey(stage):
    """The page is loaded again while the gateway is away. Nothing can be changed in it; then it is live by itself."""
    page = stage.open(context=stage.context())
    page.wait_for_timeout(2500)  # the service worker has the page
    page.evaluate("trestle.board.keep()")
    before = set(rows(page))
    stage.gateway.kill()
    page.reload()
    page.wait_for_selector(".row", timeout=20_000)
    assert set(rows(page)) == before
    assert page.evaluate(STATE) != "live"
    assert page.evaluate("getComputedStyle(document.querySelector('.row .slide')).filter") == "grayscale(1)"
    settled(page, "document.querySelector('.banner:not([hidden])')?.textContent.includes('nothing can be changed')")
    page.locator('.row[data-row="1041-g"]').focus()
    page.keyboard.press("c")
    settled(page, "document.querySelector('.news')?.textContent.includes('may only look')")
    stage.gateway.start()
    settled(page, f"{STATE} === 'live' && trestle.board.known === null", 40)
    page.locator('.row[data-row="1041-g"]').focus()
    page.keyboard.press("c")
    settled(page, "trestle.board.table.row('1041-g').claim")
    # The daemon alone is away.
    page.evaluate("trestle.board.keep()")
    stage.daemon.kill()
    try:
        page.reload()
        page.wait_for_selector(".row", timeout=20_000)
        assert page.evaluate(STATE) != "live"
    finally:
        stage.daemon.start()
    settled(page, f"{STATE} === 'live' && trestle.board.known === null", 60)


def test_what_is_not_for_this_device_is_not_kept(stage):
    stage.trestle("create", "gone")
    stage.trestle("add", "gone", "Secret", "--section", "x")
    page = stage.open("/board/gone", context=stage.context())
    page.evaluate("trestle.board.keep()")
    assert "Secret" in page.evaluate("localStorage.getItem('trestle.known')")
    stage.trestle("drop", "gone", "--yes")
    settled(page, f"{STATE} === 'absent'")
    settled(page, "localStorage.getItem('trestle.known') === null")
    assert json.dumps(rows(page)) == "{}"
