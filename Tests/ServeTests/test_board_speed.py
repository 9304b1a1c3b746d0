"""How soon and how smoothly: to another screen's frame, under the finger, and when a screen joins.

The figures are those of docs/BROWSER.md; they hold with FULL=1 on a machine that does nothing else. The
short form is for what no load excuses: that everything comes, and that no row too many is drawn.
"""

import json
import selectors
import socket
import threading
import time

import pytest
from board_stage import DRAWN, FULL, Fingers, Stage, eventually, full, settled, still

PAGES, STALLED = 200, 20

#: Notes when a title that is a number has been drawn: at the first message after the next frame.
SEEN = """() => { window.drawn = {}; const channel = new MessageChannel(); let waiting = [];
    const now = () => performance.timeOrigin + performance.now();
    channel.port1.onmessage = () => { for (const one of waiting) drawn[one] ??= now(); waiting = []; };
    const row = document.querySelector('.row[data-row="r0"]');
    new MutationObserver(() => { const number = /n(\\d+)n/.exec(row.textContent)?.[1];
        if (number) requestAnimationFrame(() => { waiting.push(number); channel.port2.postMessage(0); });
    }).observe(row, {subtree: true, childList: true, characterData: true}); }"""

#: Sends one change every 50 ms; gives when each was sent.
SEND = """async (count) => { const sent = {}; const now = () => performance.timeOrigin + performance.now();
    for (let n = 0; n < count; n++) { sent[n] = now();
        trestle.board.follow.send({set: {row: 'r0', title: `n${n}n`}});
        await new Promise(done => setTimeout(done, 50)); }
    return sent; }"""

#: Notes the time between frames until it is told to end.
FRAMES = """() => { window.frames_ = []; let last = performance.now(); window.going = true;
    const next = (at) => { frames_.push(at - last); last = at; if (going) requestAnimationFrame(next); };
    requestAnimationFrame((at) => { last = at; requestAnimationFrame(next); }); }"""

#: Long tasks, also those from before this is asked.
TASKS = "(window.tasks = [], new PerformanceObserver(l => tasks.push(...l.getEntries().map(e => e.duration)))" \
        ".observe({type: 'longtask', buffered: true}))"


def part(times, beyond=25):
    """The part of frames that came later than so many milliseconds after the one before."""
    return sum(one > beyond for one in times) / max(1, len(times))


def titles(count):
    return [{"id": f"r{n}", "kind": "ticket", "section": "grill", "title": f"Ticket {n}"} for n in range(count)]


@pytest.fixture
def stage():
    with Stage(boards=()) as made:
        yield made


def drain(pages):
    """Reads whatever comes to these connections, in a thread of its own. Gives what ends it."""
    selector, ended = selectors.DefaultSelector(), threading.Event()
    for page in pages:
        page.socket.sock.setblocking(False)
        selector.register(page.socket.sock, selectors.EVENT_READ)

    def work():
        while not ended.is_set():
            for key, _ in selector.select(0.2):
                try:
                    key.fileobj.recv(1 << 18)
                except BlockingIOError:
                    pass

    thread = threading.Thread(target=work, daemon=True)
    thread.start()

    def end():
        ended.set()
        thread.join()

    return end


def figures(gateway):
    """What the gateway counts, by name."""
    lines = gateway.get("/metrics")[2].decode().splitlines()
    pairs = (line.removeprefix("trestle_serve_").split() for line in lines if not line.startswith("#"))
    return {name: float(value) for name, value in pairs}


def stall(stage, pages):
    """Publishes until nothing more goes to these pages, which read nothing: what was left out of the last
    publication is one for each of them."""
    text = "x" * 3_500
    for change in range(400):
        before = figures(stage.gateway)
        fields = "\n".join(json.dumps({"set": {"row": f"r{row}", "fields": {"note": f"{change} {text}"}}})
                           for row in range(1, 20))
        stage.trestle("batch", "kitchen", stdin=fields)

        def published():
            now = figures(stage.gateway)
            return now if now["publications_total"] > before["publications_total"] else None

        now = eventually(published, 30)
        told = now["publications_total"] - before["publications_total"]
        if now["publications_dropped_total"] - before["publications_dropped_total"] >= len(pages) * told:
            return
    raise AssertionError("they do not stall")


@pytest.mark.bound(240, 600)
def test_to_the_frame_of_another_screen(stage):
    """Two hundred screens, twenty of which do not read; two of them are real ones."""
    stage.fill("kitchen", rows=titles(20))
    gateway = stage.gateway
    devices = [gateway.pair(f"d{n}") for n in range(20)]
    others = [gateway.page(devices[n % 20], tab=f"t{n}") for n in range(PAGES - 2)]
    for page in others[:STALLED]:
        page.socket.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
    for page in others:
        page.follow("kitchen")
    end = drain(others[STALLED:])
    try:
        stall(stage, others[:STALLED])
        sees, writes = stage.open(context=stage.context()), stage.open(context=stage.context())
        sees.evaluate(SEEN)
        count = full(600, 60)
        before = figures(gateway)
        sent = writes.evaluate(SEND, count)
        settled(sees, f"document.querySelector('.row[data-row=\"r0\"]').textContent.includes('n{count - 1}n')")
        still(sees)
        drawn = sees.evaluate("drawn")
        after = figures(gateway)
    finally:
        end()
    took = sorted(drawn[number] - sent[number] for number in drawn)
    p50, p95 = took[len(took) // 2], took[len(took) * 95 // 100]
    told, dropped = (after[name] - before[name] for name in ("publications_total", "publications_dropped_total"))
    print(f"\n{len(took)} of {count} drawn: p50 {p50:.1f} ms, p95 {p95:.1f} ms, worst {took[-1]:.0f} ms, "
          f"gateway {gateway.rss():.1f} MiB; {told:.0f} publications, {dropped:.0f} left out, "
          f"{after['unsent_bytes'] / 1e6:.1f} MB unsent")
    # Two that come within one frame are drawn as one.
    assert len(took) >= count * full(0.98, 0.5)
    assert p95 <= full(50, 2_000)
    # The twenty were stalled all the while: each publication was left out for each of them, and for nobody else. They
    # are still there, with a full queue each.
    assert told >= count * 0.5
    assert dropped == STALLED * told
    assert after["unsent_bytes"] >= STALLED * 900_000 and after["pages"] == PAGES
    assert gateway.rss() <= 64


@pytest.mark.bound(120, 400)
@pytest.mark.parametrize("slower", full([1, 4], [4]))
def test_frames_under_the_finger(stage, slower):
    """Of the frames while rows are swiped, and while 100,000 rows are thrown."""
    stage.fill("kitchen")
    stage.fill("long", rows=titles(full(100_000, 2_000)))
    late = {}
    for board, most in (("kitchen", 0.01 if slower == 1 else 0.05), ("long", 0.02 if slower == 1 else 0.10)):
        page = stage.open(f"/board/{board}", context=stage.context())
        still(page)
        page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slower})
        fingers = Fingers(page)
        page.evaluate(FRAMES)
        for turn in range(full(40, 4)):
            if board == "kitchen":
                fingers.swipe(330, 240 + turn % 5 * 60, -150, steps=20, pause=0.016)
                fingers.swipe(100, 240 + turn % 5 * 60, 150, steps=20, pause=0.016)
            else:
                fingers.swipe(200, 700, 0, -550 if turn % 8 < 6 else 300, steps=8, pause=0.016)
                time.sleep(0.3)
            assert page.evaluate("document.querySelectorAll('.row').length") <= 80
        times = page.evaluate("(going = false, frames_)")
        late[board] = part(times)
        print(f"\n{board}, {slower} times slower: {len(times)} frames, {late[board]:.2%} above 25 ms, "
              f"worst {max(times):.0f} ms")
        assert late[board] <= full(most, 0.9)
        page.close()


#: When the board was live, and every row that is seen was drawn. `liveAt` is after the frame of it.
LIVE_AT = """window.liveAt = null; { const look = () => {
    const lists = window.trestle?.board?.lists ?? [];
    const isLive = document.querySelector('#freshness')?.dataset.state === 'live';
    if (isLive && lists.length > 0 && lists.every(list => !list.isFirst)) {
        requestAnimationFrame(() => setTimeout(() => { liveAt = performance.now(); }));
    } else setTimeout(look, 5); }; look(); }"""


class Tasks:
    """The processor's time of each task of a page, in milliseconds: unlike the time that passes it does not grow
    because others use the machine."""

    def __init__(self, browser):
        self.wire, self.events, self.isDone = browser.new_browser_cdp_session(), [], False
        self.wire.on("Tracing.dataCollected", lambda said: self.events.extend(said["value"]))
        self.wire.on("Tracing.tracingComplete", lambda _: setattr(self, "isDone", True))
        self.wire.send("Tracing.start", {"transferMode": "ReportEvents", "traceConfig": {
            "includedCategories": ["toplevel", "devtools.timeline", "__metadata"]}})

    def end(self, page):
        self.wire.send("Tracing.end")
        while not self.isDone:
            page.wait_for_timeout(20)
        # The browser has pages of its own too: ours is the one that runs our files.
        ours = {one["pid"] for one in self.events if one["name"] == "FunctionCall"
                and "/built/board-" in (one["args"].get("data") or {}).get("url", "")}
        main = {(one["pid"], one["tid"]) for one in self.events if one["pid"] in ours
                and one["name"] == "thread_name" and one["args"]["name"] == "CrRendererMain"}
        assert len(main) == 1
        return [one["tdur"] / 1000 for one in self.events if one["name"].endswith("RunTask") and "tdur" in one
                and (one["pid"], one["tid"]) in main]


@pytest.mark.bound(150, 600)
@pytest.mark.parametrize("slower", full([1, 6], [6]))
def test_a_screen_joins(stage, slower):
    """Ten thousand rows, from the address to a board that says it is live and has its rows drawn."""
    stage.fill("kitchen", rows=titles(10_000))
    context = stage.context()
    took, longest = [], []
    for _ in range(full(10, 2)):
        page = context.new_page()
        page.add_init_script(TASKS)
        page.add_init_script(LIVE_AT)
        page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slower})
        page.goto(stage.gateway.origin + "/board/kitchen")
        settled(page, "liveAt", 60)
        assert page.evaluate("trestle.board.table.size") == 10_000
        took.append(page.evaluate("liveAt"))
        longest.append(max(page.evaluate("tasks"), default=0))
        page.close()
    print(f"\n10,000 rows, {slower} times slower: live after {', '.join(f'{one:.0f}' for one in sorted(took))} ms, "
          f"the longest tasks {', '.join(f'{one:.0f}' for one in sorted(longest))} ms")
    if FULL:
        assert max(took) <= (1_000 if slower == 1 else 3_000)
        assert slower == 1 or max(longest) <= 100


@pytest.mark.bound(150, 600)
def test_no_task_is_long(stage):
    """Joining, and opening all rows of the table: what one task takes of the processor, whoever else uses it.

    At the whole speed: a browser that is slowed down spins, and while others use the machine that is counted too.
    """
    kinds = stage.daemon.directory / "kinds.yaml"
    kinds.write_text("kinds:\n  ticket: {height: 76, states: [collapsed, expanded]}\n")
    stage.fill("kitchen", kinds, titles(10_000))
    context = stage.context()
    stage.open(context=context).close()
    joined, opened = [], []
    for turn in range(full(10, 1)):
        page = context.new_page()
        page.add_init_script(LIVE_AT)
        tasks = Tasks(stage.browser)
        page.goto(stage.gateway.origin + "/board/kitchen")
        settled(page, "liveAt", 60)
        joined.append(max(tasks.end(page)))
        tasks = Tasks(stage.browser)
        isOpen = turn % 2 == 0
        page.evaluate("""open => trestle.board.follow.send({expandAll: {open}})
            .then(reply => trestle.board.shown(reply.revision))""", isOpen)
        state = "expanded" if isOpen else "collapsed"
        settled(page, f"[...trestle.board.table.entries.values()].every(e => e.row.expand === '{state}')", 60)
        settled(page, DRAWN)
        still(page)
        opened.append(max(tasks.end(page)))
        page.close()
    print(f"\nthe longest tasks of the processor: joined "
          f"{', '.join(f'{one:.0f}' for one in sorted(joined))} ms; all rows opened or closed "
          f"{', '.join(f'{one:.0f}' for one in sorted(opened))} ms")
    # A sixth of the speed makes 100 ms of 17. Others make each task longer too, by what they push out of its caches.
    assert max(joined) <= full(17, 50)
    assert max(opened) <= full(33, 100)
