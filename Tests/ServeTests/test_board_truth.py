"""No frame says live when it is not: stopped and killed daemons and gateways, no network, a frozen page."""

import json
import signal

import pytest
from board_stage import Fingers, Stage, calm, full, rows, settled, still

#: Three heartbeats and 100 ms, after the last moment at which it was true; and what one look takes.
LIMIT = 3.1


@pytest.fixture(scope="module")
def stage():
    with Stage() as made:
        yield made


@pytest.fixture
def page(stage):
    page = stage.open(context=stage.contexts[0] if stage.contexts else stage.context())
    page.evaluate("""() => { window.states = []; const pill = document.querySelector('#freshness');
        const look = () => { const words = pill.dataset.state;
            if (states.at(-1)?.[0] !== words) states.push([words, performance.now()]);
            requestAnimationFrame(look); };
        look(); }""")
    yield page
    page.close()


def says(page):
    return page.evaluate("document.querySelector('#freshness').dataset.state")


def stopped_saying_live(page, since):
    """Waits until the page says something else, and holds the frame in which it did against the limit."""
    settled(page, "window.states.at(-1)[0] !== 'live'", 30)
    when = page.evaluate("states.filter(([s]) => s !== 'live').at(-1)[1]")
    assert when - since <= LIMIT * 1000 + 50, f"{when - since:.0f} ms"


def now(page):
    return page.evaluate("performance.now()")


@pytest.mark.parametrize("who", ["daemon", "gateway"])
def test_stopped(stage, page, who):
    process = stage.daemon.process if who == "daemon" else stage.gateway.process
    for _ in range(full(5, 1)):
        settled(page, "document.querySelector('#freshness').dataset.state === 'live'", 30)
        process.send_signal(signal.SIGSTOP)
        try:
            stopped_saying_live(page, now(page))
            settled(page, "document.querySelector('.banner:not([hidden])')", 30)
            assert len(rows(page)) > 3, "what was known is still shown"
            assert page.evaluate("getComputedStyle(document.querySelector('.slide')).filter") != "none" \
                or says(page) == "catchingUp"
        finally:
            process.send_signal(signal.SIGCONT)
        settled(page, "document.querySelector('#freshness').dataset.state === 'live'", 60)
        settled(page, "document.querySelector('.banner').hidden")


def test_a_tap_below_the_banner_is_for_what_was_touched(stage, page):
    """The banner moves the list; Chromium then gives the click of a touch to the row below."""
    fingers = Fingers(page)
    stage.daemon.process.send_signal(signal.SIGSTOP)
    try:
        settled(page, "document.querySelector('.banner:not([hidden])')", 30)
        still(page)
        calm(page)
        for place in (1, 2, 3):
            title, x, y = page.evaluate("""n => { const view = document.querySelectorAll('.row:not([hidden])')[n].view;
                const box = view.more.getBoundingClientRect();
                return [view.row.title, box.left + box.width / 2, box.top + box.height / 2]; }""", place)
            fingers.tap(x, y)
            settled(page, "document.querySelector('dialog[open]')")
            assert title in page.evaluate("document.querySelector('dialog[open]').textContent")
            page.keyboard.press("Escape")
            settled(page, "!document.querySelector('dialog[open]')")
    finally:
        stage.daemon.process.send_signal(signal.SIGCONT)
    settled(page, "document.querySelector('#freshness').dataset.state === 'live'", 60)


@pytest.mark.parametrize("who", ["daemon", "gateway"])
def test_killed(stage, page, who):
    """kill -9: it is said, and when all is back, it is live by itself."""
    begin = now(page)
    if who == "daemon":
        stage.daemon.kill()
    else:
        stage.gateway.kill()
    stopped_saying_live(page, begin)
    stage.daemon.start() if who == "daemon" else stage.gateway.start()
    settled(page, "document.querySelector('#freshness').dataset.state === 'live'", 60)


def test_no_network(page):
    wire = page.context.new_cdp_session(page)
    wire.send("Network.enable")
    begin = now(page)
    wire.send("Network.emulateNetworkConditions", {"offline": True, "latency": 0, "downloadThroughput": -1,
                                                   "uploadThroughput": -1})
    page.evaluate("dispatchEvent(new Event('offline'))")
    # The socket stays open where only new connections fail: then it is live, and rightly so.
    page.evaluate("trestle.session.socket?.close?.()")
    stopped_saying_live(page, begin)
    wire.send("Network.emulateNetworkConditions", {"offline": False, "latency": 0, "downloadThroughput": -1,
                                                   "uploadThroughput": -1})
    page.evaluate("dispatchEvent(new Event('online'))")
    settled(page, "document.querySelector('#freshness').dataset.state === 'live'", 60)


def test_a_page_that_stands_still_stops_saying_live(stage, page):
    """The word is drawn by an animation that runs out, not by the program: so it holds without it too."""
    left = page.evaluate("""() => { const [one] = document.querySelector('.says-live').getAnimations();
        const timing = one.effect.getComputedTiming();
        return [timing.endTime - one.currentTime, one.effect.getKeyframes().at(-1).opacity]; }""")
    assert left[0] <= LIMIT * 1000 and float(left[1]) == 0
    # The program stands still for longer than the truth holds; the very first frame after it says so.
    stage.daemon.process.send_signal(signal.SIGSTOP)
    page.evaluate("""() => new Promise((done) => { const end = performance.now() + 4500;
        while (performance.now() < end) {}
        requestAnimationFrame(() => { window.first = [document.querySelector('#freshness').dataset.state,
            getComputedStyle(document.querySelector('.says-live')).opacity]; done(); }); })""")
    state, opacity = page.evaluate("window.first")
    stage.daemon.process.send_signal(signal.SIGCONT)
    assert state != "live" or float(opacity) == 0
    settled(page, "document.querySelector('#freshness').dataset.state === 'live'", 30)


def test_absent_and_empty_are_two_things(stage, page):
    stage.trestle("create", "later")
    page.goto(stage.gateway.origin + "/board/later")
    settled(page, "document.querySelector('.blank h2')?.textContent === 'Nothing to do'")
    page.goto(stage.gateway.origin + "/board/nowhere")
    settled(page, "document.querySelector('.blank h2')?.textContent === 'There is no board nowhere'", 30)
    stage.fill("nowhere")
    settled(page, "document.querySelectorAll('.row').length > 3", 30)


def test_commands_once_over_reloads(stage, page):
    """Pressed, and the page reloaded before the answer: done once, never twice, never lost."""
    count = full(20, 4)
    for turn in range(count):
        stage.daemon.process.send_signal(signal.SIGSTOP)
        try:
            page.evaluate("""async n => { trestle.board.follow.send({add: {id: 'once' + n, title: 'Once', section: 'pass'}});
                await new Promise(done => setTimeout(done, 150)); }""", turn)
            settled(page, "trestle.board.follow.pending.length === 1")
            page.reload()
        finally:
            stage.daemon.process.send_signal(signal.SIGCONT)
        page.wait_for_selector(".row")
        settled(page, f"trestle.board.table?.row('once{turn}')", 60)
        settled(page, "trestle.board.follow.pending.length === 0", 60)
    lines = [json.loads(line) for line in stage.trestle("-o", "ndjson", "show", "kitchen").splitlines()]
    ids = [line["id"] for line in lines if line.get("id", "").startswith("once")]
    assert sorted(ids) == sorted(f"once{turn}" for turn in range(count))


def test_nothing_is_shown_before_it_is_done(stage, page):
    """While the daemon stands still a press changes nothing on the screen; it says that it waits."""
    stage.daemon.process.send_signal(signal.SIGSTOP)
    try:
        row = "1040-p"
        page.evaluate("id => { trestle.board.follow.send({remove: {rows: [id]}}); }", row)
        settled(page, "window.states.at(-1)[0] !== 'live'", 30)
        settled(page, "document.querySelector('.banner').textContent.includes('kept')", 30)
        assert page.evaluate("id => Boolean(trestle.board.viewOf(id))", row)
    finally:
        stage.daemon.process.send_signal(signal.SIGCONT)
    settled(page, f"!trestle.board.table.row('{row}')", 60)


def test_revoked_while_it_was_not_connected(stage):
    """The page has met the gateway before; when it comes back without its device, it asks to be paired."""
    page = stage.open(context=stage.context())
    name = page.evaluate("trestle.session.device.device")
    stage.gateway.kill()
    settled(page, "document.querySelector('#freshness').dataset.state === 'disconnected'", 30)
    stage.gateway.run("revoke", name)
    stage.gateway.start()
    settled(page, "document.querySelector('h1')?.textContent === 'Pair this device'", 60)
    page.close()
