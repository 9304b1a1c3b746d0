"""A board in a real browser: daemon, gateway, Chromium, and fingers that touch it."""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(Path(__file__).resolve().parent))

from playwright.sync_api import sync_playwright  # noqa: E402
from cuttable_line import Line  # noqa: E402
from serve_harness import BIN, FULL, Serve, eventually, full  # noqa: E402, F401

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium-headless-shell")
#: Letters are as wide as their font says, and not rounded to whole points, as in a browser with a window.
FLAGS = ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none"]
PHONE = {"width": 390, "height": 844}
#: What the page knows, for the tests.
ROWS = """() => [...document.querySelectorAll('.row:not([hidden])')].filter(r => r.view.id).map(r => ({
    id: r.view.id, pull: r.view.swipe.pull, edge: r.view.swipe.edge, armed: r.view.swipe.armed,
    top: r.getBoundingClientRect().top, height: r.getBoundingClientRect().height,
    x: r.view.slide.getBoundingClientRect().left - r.getBoundingClientRect().left}))"""


LANGUAGES = sorted(one.stem for one in (ROOT / "web" / "languages").glob("*.json"))
#: The sheet or the question that is open.
OPEN = "document.querySelector('dialog[open]')"

#: All rows that are to be in the document are: on a slow machine they come over several frames.
DRAWN = "trestle.board.lists.every(list => !list.isBehind)"


@cache
def built():
    """The page as it is installed. Each process puts it together once: so no test sees that of other sources."""
    made = tempfile.TemporaryDirectory()
    subprocess.run([str(ROOT / "web" / "build.sh"), f"{made.name}/web"], check=True, timeout=60)
    made.page = Path(made.name) / "web"
    return made


def words(language):
    """What the page says in a language, by key."""
    return json.loads((ROOT / "web" / "languages" / f"{language}.json").read_text())


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Stage:
    """The whole of it. Use it with `with`."""

    def __init__(self, boards=("kitchen",), line=False, daemon=None):
        self.line = Line() if line else None
        flags = ["--origin", f"http://127.0.0.1:{self.line.port}"] if line else []
        # It says where browsers find it, which is not where it listens: so that is chosen here.
        listen = f"127.0.0.1:{free_port() if line else 0}"
        self.gateway = Serve(*flags, web=built().page, daemon=daemon, listen=listen)
        self.daemon = self.gateway.daemon
        if line:
            self.line.target = self.gateway.port
        self.devices = 0
        for board in boards:
            self.fill(board)
        self.play = sync_playwright().start()
        self.browser = self.play.chromium.launch(
            executable_path=CHROMIUM, args=FLAGS)
        self.contexts, self.wrong = [], []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.browser.close()
            self.play.stop()
        finally:
            self.gateway.close()
            if self.line:
                self.line.close()

    @property
    def origin(self):
        """Where browsers find it: at the other end of the line, if there is one."""
        return f"http://127.0.0.1:{self.line.port}" if self.line else self.gateway.origin

    def renderers(self):
        """The processes of this browser's pages."""
        wire = self.browser.new_browser_cdp_session()
        found = wire.send("SystemInfo.getProcessInfo")["processInfo"]
        wire.detach()
        return [one["id"] for one in found if one["type"] == "renderer"]

    def pages(self):
        """All that are open."""
        return [page for context in self.contexts for page in context.pages]

    def trestle(self, *words, stdin=None, check=True):
        done = subprocess.run([str(BIN / "trestle"), "--timeout", "20", *words], input=stdin,
                              env=os.environ | {"TRESTLE_ENDPOINT": self.daemon.endpoint},
                              capture_output=True, text=True, timeout=60)
        assert not check or done.returncode == 0, done.stderr
        return done.stdout

    def fill(self, board, kinds=None, rows=None):
        """A board as the examples have it, or as given."""
        examples = ROOT / "examples"
        self.trestle("create", board)
        self.trestle("define", board, str(kinds or examples / "kitchen.yaml"))
        if rows is None:
            self.trestle("import", board, str(examples / "kitchen.ndjson"))
        else:
            file = self.daemon.directory / f"{board}.ndjson"
            file.write_text("".join(json.dumps(row) + "\n" for row in rows))
            self.trestle("import", board, str(file))

    def link(self, role="operator", name=None):
        """What a new device opens to be paired."""
        self.devices += 1
        code = self.gateway.invite(name or f"screen {self.devices}", role)
        return f"{self.origin}/pair#{code}"

    def context(self, role="operator", paired=True, **more):
        """A browser of its own, paired. Whatever it complains of is kept in `wrong`."""
        options = {"viewport": PHONE, "has_touch": True, "device_scale_factor": 1} | more
        context = self.browser.new_context(**options)
        context.set_default_timeout(30_000)
        self.contexts.append(context)
        if paired:
            self.devices += 1
            key, value = self.gateway.pair(f"screen {self.devices}", role).cookie.split("=", 1)
            context.add_cookies([{"name": key, "value": value, "url": self.origin, "httpOnly": True,
                                  "sameSite": "Strict"}])
        return context

    def reopen(self, address="/board/kitchen"):
        """A page of the device that there is already, or of the first one."""
        return self.open(address, context=self.contexts[0] if self.contexts else self.context())

    def open(self, address="/board/kitchen", context=None, live=True, **more):
        """A page that shows a board, live."""
        page = (context or self.context(**more)).new_page()
        page.on("pageerror", lambda error: self.wrong.append(f"error: {error}"))
        page.on("console", lambda said: said.type == "error" and self.wrong.append(said.text))
        page.goto(self.origin + address)
        if live:
            page.wait_for_selector(".row:not([hidden]), .blank")
            settled(page, "document.querySelector('#freshness')?.dataset.state === 'live'")
            settled(page, DRAWN)
        return page


def no_lifts(page):
    """A finger may rest for as long as it likes. On a busy machine half a second passes between a press and what
    follows, and the row would be lifted."""
    page.evaluate("trestle.board.gestures.hold = () => 60000")


def rows(page):
    """What the page has in its document: by id, top first."""
    return {one["id"]: one for one in sorted(page.evaluate(ROWS), key=lambda one: one["top"])}


def settled(page, what, seconds=20):
    """Waits until a JavaScript expression holds. (Playwright's own waiting needs `eval` in the page.)"""
    end = time.monotonic() + seconds
    while not page.evaluate(what):
        assert time.monotonic() < end, f"not within {seconds} s: {what}; the page said {page.url}"
        time.sleep(0.03)


def still(page):
    """Waits until nothing is animated any more."""
    page.evaluate("""() => new Promise((done) => { let was = '', count = 0, left = 600;
        const look = () => {
            const now = JSON.stringify([...document.querySelectorAll('.row:not([hidden])')].map(r => {
                const b = r.getBoundingClientRect(), s = r.view.slide.getBoundingClientRect();
                return [b.top, b.height, s.left]; }));
            // A bar that fades in has the contrast of neither; the word "live" is animated for ever.
            const fades = document.getAnimations().some((one) =>
                ['rises', 'appears'].includes(one.animationName) && one.playState === 'running');
            count = now === was && !fades ? count + 1 : 0;
            was = now;
            left -= 1;
            if (count > 8 || left < 0) done(); else requestAnimationFrame(look); };
        look(); })""")


#: What makes a board anew while people touch it: the whole table, its kinds, its sections.
UPHEAVALS = ("title", "section", "define", "snapshot")


def upheaval(stage, page, what, turn=0, board="kitchen"):
    """Does it, and waits until the page shows it."""
    before = page.evaluate("trestle.board.table.revision")
    if what == "title":
        stage.trestle("section", board, "grill", "--title", f"Grill {turn}")
    elif what == "section":
        stage.trestle("add", board, "New course", "--section", f"course-{turn}", "--kind", "ticket")
    elif what == "define":
        kinds = stage.daemon.directory / "other.yaml"
        text = (ROOT / "examples" / "kitchen.yaml").read_text()
        assert "late: 900" in text
        kinds.write_text(text.replace("late: 900", f"late: {901 + turn}"))
        stage.trestle("define", board, str(kinds))
    else:
        page.evaluate("""() => new Promise((done) => { const one = trestle.board.follow;
            const over = one.onReset(() => { over(); done(); });
            one.follower.step('snapshot'); one.follower.work(); })""")
        # It may be of a moment ago: what came since then follows.
        settled(page, f"trestle.board.table.revision >= {before} && trestle.board.follow.pending.length === 0")
        return
    settled(page, f"trestle.board.table.revision > {before}")


def calm(page):
    """Waits until taps count again: just after rows have moved they do not."""
    settled(page, "trestle.board.lists.every(l => performance.now() - l.shiftedAt > 320)")


class Fingers:
    """Touches by the devtools protocol: each finger is a number, as real ones are to the page."""

    def __init__(self, page):
        self.page = page
        self.wire = page.context.new_cdp_session(page)
        self.down = {}

    def say(self, kind, points):
        self.wire.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [
            {"x": x, "y": y, "id": finger} for finger, (x, y) in points.items()]})

    def press(self, x, y, finger=0):
        self.down[finger] = (x, y)
        self.say("touchStart", self.down)

    def move(self, x, y, finger=0):
        self.down[finger] = (x, y)
        self.say("touchMove", self.down)

    def lift(self, finger=0):
        self.down.pop(finger, None)
        self.say("touchEnd", self.down)

    def way(self, x, y, dx, dy, steps=10, pause=0.008, finger=0):
        """From where the finger is, or from (x, y), in steps."""
        if finger not in self.down:
            self.press(x, y, finger)
        for step in range(1, steps + 1):
            self.move(x + dx * step / steps, y + dy * step / steps, finger)
            time.sleep(pause)

    def swipe(self, x, y, dx, dy=0, steps=10, pause=0.008, finger=0):
        self.way(x, y, dx, dy, steps, pause, finger)
        self.lift(finger)

    def tap(self, x, y):
        self.press(x, y)
        self.lift()
