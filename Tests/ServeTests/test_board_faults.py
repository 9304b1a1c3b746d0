"""Faults in random order, while a screen sends commands and is reloaded: what it says is true in each frame.

FULL=1: 500 faults. No frame says live later than three heartbeats and 100 ms after the truth has ended, and
each command that the page has taken is carried out once.
"""

import json
import random
import signal
import time

import pytest
from board_stage import Stage, full, settled

#: Three heartbeats and 100 ms, and two frames of this browser.
LIMIT = 3.1 + 0.034

#: Each span of frames that said live: when the first and the last of them came, in seconds since 1970. It looks
#: after the page has drawn itself for the frame, since that is what is painted.
FRAMES = """window.spans = []; { let open = false; const look = () => {
    const pill = document.querySelector('#freshness'), word = document.querySelector('.says-live');
    const isLive = pill?.dataset.state === 'live' && word && Number(getComputedStyle(word).opacity) > 0;
    const at = (performance.timeOrigin + performance.now()) / 1000;
    if (isLive && !open) spans.push([at, at]); else if (isLive) spans.at(-1)[1] = at;
    open = isLive; requestAnimationFrame(look); };
    const begin = () => { if (window.trestle?.board) requestAnimationFrame(look); else setTimeout(begin, 1); };
    begin(); }"""

#: Sends a command; gives whether the page has taken it. From then on it is kept, also over a reload. Without a
#: connection the page takes none, and says so.
SEND = """async title => { const { follow } = trestle.board, { writer } = trestle.session; let reply = null;
    follow.send({add: {title, section: 'pass', bottom: true}}).then(said => { reply = said; });
    const isKept = () => [...writer.all()].some(one => one.stored && one.text.includes(`"${title}"`));
    while (!reply && !isKept()) await new Promise(done => setTimeout(done, 10));
    if (reply && !reply.ok && reply.error.code !== 'notConnected') throw new Error(JSON.stringify(reply));
    return !reply || reply.ok; }"""

LIVE = "document.querySelector('#freshness')?.dataset.state === 'live'"


class Shift:
    """One screen, and what happens to it."""

    def __init__(self, stage, seed):
        self.stage, self.random = stage, random.Random(seed)
        self.context = stage.context()
        self.context.add_init_script(FRAMES)
        self.page = stage.open(context=self.context)
        self.wire = self.context.new_cdp_session(self.page)
        self.spans, self.sent, self.asked = [], [], 0

    def send(self):
        """Where the page has no table yet, there is nothing to send to."""
        if not self.page.evaluate("Boolean(window.trestle?.board?.table)"):
            return
        self.asked += 1
        title = f"sent {self.asked}"
        if self.page.evaluate(SEND, title):
            self.sent.append(title)

    def frames(self):
        """Takes what the page has noted."""
        self.spans += self.page.evaluate("spans.splice(0, spans.length - 1).concat(spans)")

    def reload(self):
        self.frames()
        self.page.reload()
        self.page.wait_for_selector("#freshness")

    def wait(self, seconds, reloads=True):
        """Meanwhile somebody works at the screen."""
        end = time.time() + seconds
        while (left := end - time.time()) > 0:
            self.send()
            if reloads and self.random.random() < 0.03:
                self.reload()
            time.sleep(min(max(left, 0), self.random.uniform(0.1, 0.8)))

    # Each gives when the truth ended and when it may have begun again.

    def stopped(self, process, freeze=False):
        long = self.random.choice([0.3, 1.5, 3.5, 4.5])
        begin = time.time()
        process.send_signal(signal.SIGSTOP)
        try:
            if freeze:
                # The program of the page stands still too: its next frame comes after the truth has ended.
                self.page.evaluate("ms => { const end = performance.now() + ms; while (performance.now() < end); }",
                                   long * 1000)
            else:
                # Without the gateway's process a reload would wait for it.
                self.wait(long, reloads=process is self.stage.daemon.process)
            self.frames()
        finally:
            end = time.time()
            process.send_signal(signal.SIGCONT)
        return begin, end

    def killed(self, what):
        begin = time.time()
        what.kill()
        self.wait(self.random.choice([0, 0.5, 3.6]))
        self.frames()
        end = time.time()
        what.start()
        return begin, end

    def offline(self):
        off = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        self.wire.send("Network.enable")
        begin = time.time()
        self.wire.send("Network.emulateNetworkConditions", {"offline": True} | off)
        self.page.evaluate("trestle.session.socket?.close?.()")
        self.wait(self.random.choice([0.2, 2, 3.6]), reloads=False)
        self.frames()
        end = time.time()
        self.wire.send("Network.emulateNetworkConditions", {"offline": False} | off)
        return begin, end

    def fault(self):
        stage = self.stage
        name, run = self.random.choice([
            ("the daemon stands still", lambda: self.stopped(stage.daemon.process)),
            ("the gateway stands still", lambda: self.stopped(stage.gateway.process)),
            ("daemon and page stand still", lambda: self.stopped(stage.daemon.process, freeze=True)),
            ("kill -9 of the daemon", lambda: self.killed(stage.daemon)),
            ("kill -9 of the gateway", lambda: self.killed(stage.gateway)),
            ("no network", self.offline),
        ])
        begin, end = run()
        for first, last in self.spans:
            assert not (first < end and last > begin + LIMIT), \
                f"{name}: said live until {min(last, end) - begin:.2f} s after the truth had ended"
        self.spans.clear()
        settled(self.page, LIVE, 60)
        self.frames()
        self.spans.clear()
        return name

    def finish(self):
        """All that was sent is there, once."""
        settled(self.page, "trestle.board.follow.pending.length === 0", 60)
        lines = self.stage.trestle("-o", "ndjson", "show", "kitchen").splitlines()
        titles = [json.loads(line).get("title", "") for line in lines]
        assert sorted(one for one in titles if one.startswith("sent ")) == sorted(self.sent)


@pytest.mark.bound(120, 2400)
@pytest.mark.parametrize("seed", range(full(4, 1)))
def test_faults_in_random_order(seed):
    with Stage() as stage:
        shift, count = Shift(stage, seed), {}
        for _ in range(full(125, 6)):
            name = shift.fault()
            count[name] = count.get(name, 0) + 1
        shift.finish()
        print(f"\n{len(shift.sent)} commands, each once; {count}")
        assert len(shift.sent) > 5
