"""Faults in random order, while a screen sends commands and is reloaded: what it says is true in each frame.

FULL=1: 500 faults. No frame says live later than three heartbeats and 100 ms after the truth has ended, and
each command that the page has taken is carried out once.
"""

import json
import os
import random
import signal
import time

import pytest
from board_stage import Stage, full, settled

#: Three heartbeats and 100 ms, and two frames of this browser.
LIMIT = 3.1 + 0.034

#: Each span of frames that said live: when the first and the last of them came, in seconds since 1970, and the
#: revision that they showed. It looks after the page has drawn itself for the frame, since that is what is painted. The
#: time is that at which the frame began: a process may be stopped in the midst of one.
FRAMES = """window.spans = []; { let open = false, begun = 0;
    const first = () => { begun = performance.now(); requestAnimationFrame(first); }; requestAnimationFrame(first);
    const look = () => {
    const pill = document.querySelector('#freshness'), word = document.querySelector('.says-live');
    const isLive = pill?.dataset.state === 'live' && word && Number(getComputedStyle(word).opacity) > 0;
    const at = (performance.timeOrigin + begun) / 1000;
    const revision = isLive ? trestle.board.table.revision : 0;
    if (isLive && (!open || spans.at(-1)[2] !== revision)) spans.push([at, at, revision]);
    else if (isLive) spans.at(-1)[1] = at;
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
        self.spans, self.sent, self.asked, self.count = [], [], 0, {}

    def send(self):
        """Where the page has no table yet, there is nothing to send to."""
        if not self.page.evaluate("Boolean(window.trestle?.board?.table)"):
            return
        self.asked += 1
        title = f"sent {self.asked}"
        if self.page.evaluate(SEND, title):
            self.sent.append(title)

    def work(self):
        """One command that the page takes. Each fault meets one, however slow the machine is."""
        settled(self.page, LIVE, 60)
        before, end = len(self.sent), time.time() + 60
        while len(self.sent) == before:
            assert time.time() < end, "it says live, and takes nothing"
            self.send()

    def frames(self):
        """Takes what the page has noted."""
        self.spans += self.page.evaluate("spans.splice(0, spans.length - 1).concat(spans)")

    def reload(self):
        self.frames()
        self.page.reload()
        try:
            settled(self.page, "document.querySelector('#freshness')", 60)
        except AssertionError as error:
            said = self.page.evaluate("document.body.innerHTML")
            raise AssertionError(f"{error}; it shows {said[:2000]}; it complained {self.stage.wrong[-5:]}") from None

    def wait(self, seconds, reloads=True):
        """Meanwhile somebody works at the screen."""
        end = time.time() + seconds
        while (left := end - time.time()) > 0:
            self.send()
            if reloads and self.random.random() < 0.03:
                self.reload()
            time.sleep(min(max(left, 0), self.random.uniform(0.1, 0.8)))

    # Each gives when the truth ended and when it may have begun again, and a revision that was made meanwhile: what
    # is older is not live, however long ago the fault was mended.

    def stopped(self, process):
        begin = time.time()
        process.send_signal(signal.SIGSTOP)
        try:
            # Without the gateway's process a reload would wait for it.
            self.wait(self.random.choice([0.3, 1.5, 3.5, 4.5]), reloads=process is self.stage.daemon.process)
            self.frames()
        finally:
            end = time.time()
            process.send_signal(signal.SIGCONT)
        return begin, end, 0

    def change(self):
        """Somebody else changes the board: when that was done, and its revision."""
        said = self.stage.trestle("-o", "json", "set", "kitchen", "1040-p", "--field", f"at={time.time()}")
        return time.time(), json.loads(said)["revision"]

    def frozen(self, daemon=False):
        """The page's process stands still, and its first frames come after the truth has ended."""
        pids = self.stage.renderers()
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        begin, revision = time.time(), 0
        try:
            if daemon:
                self.stage.daemon.process.send_signal(signal.SIGSTOP)
            else:
                begin, revision = self.change()
            time.sleep(self.random.choice([0.3, 3.2, 4.5]))
        finally:
            for pid in pids:
                os.kill(pid, signal.SIGCONT)
        try:
            self.some_frames()
        finally:
            end = time.time()
            self.stage.daemon.process.send_signal(signal.SIGCONT)
        return begin, end, revision

    def asleep(self):
        """The browser freezes the page, as it does with one that is out of sight: no timer, no frame, no message."""
        self.wire.send("Page.setWebLifecycleState", {"state": "frozen"})
        begin, revision = self.change()
        time.sleep(self.random.choice([0.3, 3.2, 4.5]))
        self.wire.send("Page.setWebLifecycleState", {"state": "active"})
        self.page.bring_to_front()
        self.some_frames()
        return begin, time.time(), revision

    def some_frames(self):
        self.page.evaluate("""() => new Promise(done => { let left = 12;
            const next = () => { left -= 1; if (left) requestAnimationFrame(next); else done(); }; next(); })""")
        self.frames()

    def killed(self, what):
        begin = time.time()
        what.kill()
        self.wait(self.random.choice([0, 0.5, 3.6]))
        self.frames()
        end = time.time()
        what.start()
        return begin, end, 0

    def cut(self):
        """No byte passes, and no connection ends. Afterwards what waited comes late, or never."""
        line = self.stage.line
        begin = time.time()
        line.cut()
        changed, revision = self.change()
        self.wait(self.random.choice([0.2, 2, 3.6, 5]), reloads=False)
        self.frames()
        end = time.time()
        line.mend(lost=self.random.random() < 0.5)
        assert not [one for one in self.spans if one[0] < end and one[1] > begin + LIMIT]
        return changed, end, revision

    def fault(self):
        stage = self.stage
        faults = [
            ("the daemon stands still", lambda: self.stopped(stage.daemon.process)),
            ("the gateway stands still", lambda: self.stopped(stage.gateway.process)),
            ("the page stands still", self.frozen),
            ("daemon and page stand still", lambda: self.frozen(daemon=True)),
            ("the page is asleep", self.asleep),
            ("kill -9 of the daemon", lambda: self.killed(stage.daemon)),
            ("kill -9 of the gateway", lambda: self.killed(stage.gateway)),
            ("no network", self.cut),
        ]
        # Each once, before chance goes on.
        name, run = self.random.choice([one for one in faults if one[0] not in self.count] or faults)
        self.work()
        begin, end, revision = run()
        settled(self.page, LIVE, 60)
        settled(self.page, f"trestle.board.table.revision >= {revision}", 60)
        self.frames()
        for first, last, shown in self.spans:
            isOver = shown < revision if revision else first < end
            assert not (isOver and last > begin + LIMIT), \
                f"{name}: said live until {last - begin:.2f} s after the truth had ended"
        self.spans.clear()
        self.count[name] = self.count.get(name, 0) + 1

    def finish(self):
        """All that was sent is there, once."""
        settled(self.page, "trestle.board.follow.pending.length === 0", 60)
        lines = self.stage.trestle("-o", "ndjson", "show", "kitchen").splitlines()
        titles = [json.loads(line).get("title", "") for line in lines]
        assert sorted(one for one in titles if one.startswith("sent ")) == sorted(self.sent)


@pytest.mark.bound(120, 2400)
@pytest.mark.parametrize("seed", range(full(4, 1)))
def test_faults_in_random_order(seed):
    with Stage(line=True) as stage:
        shift = Shift(stage, seed)
        for _ in range(full(125, 8)):
            shift.fault()
        shift.finish()
        print(f"\n{len(shift.sent)} commands, each once; {shift.count}")
        assert len(shift.sent) >= sum(shift.count.values())
