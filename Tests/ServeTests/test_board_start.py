"""The page begins fast, and shows what it knew where no server answers."""

import json

import pytest
from board_stage import ROOT, Serve, Stage, rows, settled

STATE = "document.querySelector('#freshness').dataset.state"


@pytest.fixture(scope="module")
def stage():
    with Stage() as made:
        yield made


def test_few_requests_until_it_is_live(stage):
    """Over a slow line each request counts: they are counted, not timed. What is built is asked for once."""
    page = stage.context(service_workers="block").new_page()
    asked = []
    page.on("request", lambda one: asked.append(one.url.removeprefix(stage.origin)))
    page.goto(stage.origin + "/board/kitchen")
    page.wait_for_selector(".row")
    settled(page, f"{STATE} === 'live'")
    script, style, words = (next(path for path in asked if path.endswith(end)) for end in (".js", ".css", ".json"))
    assert sorted(asked) == sorted(["/board/kitchen", script, style, words, "/fonts/sans.woff2", "/fonts/sans-bold.woff2",
                                   "/tables/kitchen/snapshot"])
    for path in (script, style, words):
        assert stage.gateway.get(path)[1]["Cache-Control"] == "max-age=31536000, immutable"
    assert stage.gateway.get("/")[1]["Cache-Control"] == "no-cache"
    began = page.evaluate("performance.getEntriesByType('resource').map(one => [one.name, one.startTime, one.responseEnd])")
    ends = {name.removeprefix(stage.origin): (start, end) for name, start, end in began}
    assert ends[style][0] < ends[script][1] and ends["/fonts/sans.woff2"][0] < ends[script][1], "one waits for the other"


def test_its_sources_can_be_read(stage):
    """In the browser's tools: by a map beside the script, and as they are where they are served in place of it."""
    page = stage.gateway.get("/")[2].decode()
    script = page.split('<script type="module" async src="')[1].split('"')[0]
    sources = json.loads(stage.gateway.get(script + ".map")[2])
    assert any(name.endswith("src/screen/board.js") for name in sources["sources"]) and sources["sourcesContent"]
    with Serve(web=ROOT / "web") as plain:
        plain.table("jobs")
        page = stage.context(paired=False).new_page()
        page.goto(f"{plain.origin}/pair#{plain.invite('bench')}")
        page.locator(".tables a").click()
        page.wait_for_selector(".row")
        assert page.evaluate("performance.getEntriesByName(location.origin + '/src/screen/board.js').length") == 1


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


KEPT = "['trestle.known', 'trestle.drafts'].map((key) => localStorage.getItem(key)).filter((one) => one !== null)"


def known_and_typed(stage):
    """A page of a device that has kept a board and a draft."""
    page = stage.open(context=stage.context())
    page.evaluate("trestle.board.keep()")
    page.keyboard.press("a")
    page.locator("dialog input").first.fill("A text for friends")
    page.keyboard.press("Escape")
    assert ["A text for friends" in one for one in page.evaluate(KEPT)] == [False, True]
    return page, page.evaluate("trestle.session.device.device")


def test_a_device_that_is_revoked_keeps_nothing(stage):
    page, name = known_and_typed(stage)
    # Rows change until the end, and none of it was kept yet.
    page.evaluate("trestle.board.keptRevision = -1")
    stage.gateway.run("revoke", name)
    settled(page, "document.querySelector('h1')?.textContent === 'Pair this device'")
    settled(page, f"({KEPT}).length === 0")
    page.wait_for_timeout(5500)
    assert page.evaluate(KEPT) == []
    page.goto(stage.origin + "/icons/icon.svg")
    assert page.evaluate(KEPT) == []


def test_a_device_that_is_revoked_while_it_is_away_keeps_nothing(stage):
    page, name = known_and_typed(stage)
    page.goto(stage.origin + "/icons/icon.svg")
    stage.gateway.run("revoke", name)
    assert len(page.evaluate(KEPT)) == 2
    page.goto(stage.origin + "/board/kitchen")
    settled(page, "document.querySelector('h1')?.textContent === 'Pair this device'", 40)
    settled(page, f"({KEPT}).length === 0")
    page.goto(stage.origin + "/icons/icon.svg")
    assert page.evaluate(KEPT) == []


def test_a_page_that_is_refused_before_its_board_is_there_asks_to_be_paired(stage):
    """The board that comes later does not take the place of that."""
    page = stage.context(paired=False, service_workers="block").new_page()
    waiting = []
    page.route("**/fonts/*", lambda one: waiting.append(one))
    page.goto(stage.origin + "/board/kitchen", wait_until="commit")
    settled(page, "document.querySelector('h1')?.textContent === 'Pair this device'", 40)
    assert waiting
    for one in waiting:
        one.continue_()
    settled(page, "document.fonts.check('15px \"Trestle Sans\"')")
    page.wait_for_timeout(500)
    assert page.locator("h1").inner_text() == "Pair this device"


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
