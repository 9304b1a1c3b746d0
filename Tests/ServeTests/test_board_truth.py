"""No frame says live when it is not: stopped and killed daemons and gateways, no network, a frozen page."""

import json
import os
import signal
import time

import pytest
from board_stage import Fingers, Stage, calm, full, rows, settled, still

#: Three heartbeats and 100 ms, after the last moment at which it was true; and what one look takes.
LIMIT = 3.1


@pytest.fixture(scope="module")
def stage():
    with Stage(line=True) as made:
        yield made


@pytest.fixture
def page(stage):
    page = stage.reopen()
    page.evaluate("""() => { window.states = []; const pill = document.querySelector('#freshness');
        const look = () => { const words = pill.dataset.state;
            if (states.at(-1)?.[0] !== words) states.push([words, performance.now()]);
            requestAnimationFrame(look); };
        look(); }""")
    return page


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
            settled(page, "getComputedStyle(document.querySelector('.slide')).filter !== 'none'")
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


@pytest.mark.parametrize("lost", [False, True])
def test_no_network(stage, page, lost):
    """No byte passes any more, and nobody says so: every socket stays open."""
    begin = now(page)
    stage.line.cut()
    try:
        stopped_saying_live(page, begin)
        settled(page, "document.querySelector('.banner:not([hidden])')", 30)
        assert page.evaluate("trestle.session.socket?.readyState === 1")
        stage.trestle("set", "kitchen", "1040-p", "--field", f"lost={lost}")
    finally:
        stage.line.mend(lost)
    settled(page, f"trestle.board.table.row('1040-p').fields.lost === '{lost}'", 60)
    settled(page, "document.querySelector('#freshness').dataset.state === 'live'", 60)


def test_a_process_that_stands_still(stage, page):
    """The page's process is stopped, and meanwhile the board changes: no frame that it then draws says live over
    what it knew before."""
    page.evaluate("""() => { window.wanted = trestle.board.table.revision + 1; window.wrong = []; window.looks = 0;
        // The time is the frame's: the process may be stopped in the midst of one.
        const look = frame => { looks += 1;
        const word = document.querySelector('.says-live');
        const isLive = document.querySelector('#freshness').dataset.state === 'live'
            && Number(getComputedStyle(word).opacity) > 0;
        if (isLive && trestle.board.table.revision < wanted) wrong.push(performance.timeOrigin + frame);
        requestAnimationFrame(look); }; requestAnimationFrame(look); }""")
    pids = stage.renderers()
    assert pids
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        stage.trestle("set", "kitchen", "1040-p", "--field", f"frozen={time.time()}")
        time.sleep(LIMIT + 0.2)
        end = time.time() * 1000
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)
    looks = page.evaluate("looks")
    settled(page, f"looks > {looks} + 5 && trestle.board.table.revision >= wanted", 30)
    assert [one for one in page.evaluate("wrong") if one > end] == []
    settled(page, "document.querySelector('#freshness').dataset.state === 'live'", 30)


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
    page.goto(stage.origin + "/board/later")
    settled(page, "document.querySelector('.blank h2')?.textContent === 'Nothing to do'")
    page.goto(stage.origin + "/board/nowhere")
    settled(page, "document.querySelector('.blank h2')?.textContent === 'There is no board nowhere'", 30)
    # What the daemon does not say any more is no fact.
    stage.daemon.process.send_signal(signal.SIGSTOP)
    try:
        settled(page, "document.querySelector('.blank h2')?.textContent === 'Waiting for nowhere'")
    finally:
        stage.daemon.process.send_signal(signal.SIGCONT)
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


def test_what_was_typed_is_not_lost(stage, page):
    """The daemon is away: the text stays in the dialog, which offers to send it again, and in the next one."""
    stage.daemon.kill()
    try:
        settled(page, "!trestle.session.isDaemonUp", 30)
        page.keyboard.press("a")
        page.locator("dialog input").first.fill("Two soups, one without salt")
        page.keyboard.press("Enter")
        settled(page, "document.querySelector('dialog .wrong')?.textContent.startsWith('Not connected')")
        page.keyboard.press("Escape")
        settled(page, "!document.querySelector('dialog')")
        page.keyboard.press("a")
        assert page.locator("dialog input").first.input_value() == "Two soups, one without salt"
        page.keyboard.press("Enter")
        settled(page, "document.querySelector('dialog [type=submit]').textContent === 'Send again'")
    finally:
        stage.daemon.start()
    settled(page, "trestle.session.isDaemonUp && document.querySelector('#freshness').dataset.state === 'live'", 60)
    assert page.locator("dialog input").first.input_value() == "Two soups, one without salt"
    page.locator("dialog [type=submit]").click()
    settled(page, "!document.querySelector('dialog')")
    settled(page, "document.activeElement.view?.row.title === 'Two soups, one without salt'")
    assert stage.trestle("-o", "ndjson", "show", "kitchen").count("Two soups") == 1
    page.keyboard.press("a")
    assert page.locator("dialog input").first.input_value() == ""
    page.keyboard.press("Escape")


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


def test_a_browser_keeps_its_cookie_for_a_year_from_each_use(stage):
    """The socket alone renews it, and so does the question that a page asks once a day."""
    context = stage.context()

    def kept_for():
        return context.cookies()[0]["expires"] - time.time()

    assert kept_for() < 0, "the stage gives it for as long as the browser runs"
    page = stage.open("/", context=context, live=False)
    page.wait_for_selector(".tables a")
    assert 364 < kept_for() / 86_400 < 366
    cookie = context.cookies()[0]
    context.add_cookies([cookie | {"expires": time.time() + 60}])
    assert kept_for() < 61
    page.evaluate("fetch('/tables/-/snapshot', {method: 'HEAD'}).then(() => 0)")
    assert 364 < kept_for() / 86_400 < 366
