"""Firefox and WebKit as Debian has them, driven by their own protocols: enough to open a page and look at it."""

import base64
import json
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.request
from pathlib import Path

MINI = "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser"


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def waited(what, seconds=60):
    """What a call gives, once it raises nothing and gives something."""
    end = time.monotonic() + seconds
    while True:
        try:
            if found := what():
                return found
        except OSError:
            pass
        assert time.monotonic() < end, f"not within {seconds} s"
        time.sleep(0.1)


class Browser:
    """Use it with `with`. Subclasses start the browser, and `ask` it by their protocol."""

    def __init__(self, directory, width, height):
        self.directory, self.processes = Path(directory), []
        try:
            self.start()
            # The window has borders and bars that are not the page.
            for _ in range(3):
                inner = self.run("return [innerWidth, innerHeight, outerWidth, outerHeight]")
                if inner[:2] == [width, height]:
                    break
                self.size(width + inner[2] - inner[0], height + inner[3] - inner[1])
                time.sleep(0.3)
            assert inner[:2] == [width, height] or self.run("return innerWidth") == width, inner
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def spawn(self, *words, **environment):
        log = open(self.directory / "browser.log", "ab")
        self.processes.append(subprocess.Popen(
            words, env=os.environ | {"HOME": str(self.directory)} | environment, stdout=log, stderr=log,
            start_new_session=True))

    def close(self):
        while self.processes:
            self.end(self.processes.pop())

    @staticmethod
    def end(process):
        """With all that it has started."""
        for how in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(process.pid, how)
                process.wait(10)
            except ProcessLookupError:
                break
            except subprocess.TimeoutExpired:
                continue
        process.wait(10)


class Firefox(Browser):
    """By Marionette: each message is its length, a colon, and JSON."""

    there, device = shutil.which("firefox-esr") is not None, "seat 1"

    def start(self):
        port = free_port()
        profile = self.directory / "profile"
        profile.mkdir()
        (profile / "user.js").write_text(
            f'user_pref("marionette.port", {port});\nuser_pref("layout.css.devPixelsPerPx", "1.0");\n'
            'user_pref("services.settings.server", "data:,");\nuser_pref("datareporting.policy.dataSubmissionEnabled", false);\n')
        self.spawn("firefox-esr", "--headless", "--no-remote", "--marionette", "--profile", str(profile))
        self.wire = waited(lambda: socket.create_connection(("127.0.0.1", port), 5))
        self.wire.settimeout(60)
        self.number = 0
        self.read()
        self.ask("WebDriver:NewSession", {})

    def read(self):
        size = b""
        while (one := self.wire.recv(1)) != b":":
            assert one, "the browser has gone"
            size += one
        body = b""
        while len(body) < int(size):
            body += self.wire.recv(int(size) - len(body))
        return json.loads(body)

    def ask(self, name, given):
        self.number += 1
        body = json.dumps([0, self.number, name, given])
        self.wire.sendall(f"{len(body)}:{body}".encode())
        _, _, error, found = self.read()
        assert error is None, error
        return found["value"] if isinstance(found, dict) and "value" in found else found

    def size(self, width, height):
        self.ask("WebDriver:SetWindowRect", {"width": width, "height": height})

    def go(self, url):
        self.ask("WebDriver:Navigate", {"url": url})

    def cookie(self, key, value):
        self.ask("WebDriver:AddCookie", {"cookie": {"name": key, "value": value, "httpOnly": True, "sameSite": "Strict"}})

    def run(self, script):
        return self.ask("WebDriver:ExecuteScript", {"script": script, "args": [], "sandbox": None})

    def png(self):
        return self.ask("WebDriver:TakeScreenshot", {"full": False})


class WebKit(Browser):
    """By WebDriver, on a display of its own."""

    there, device = all(map(shutil.which, ("WebKitWebDriver", "Xvfb"))) and Path(MINI).exists(), "stove 1"

    def start(self):
        read, write = os.pipe()
        self.processes.append(subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", "1600x1200x24", "-nolisten", "tcp"], pass_fds=[write],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True))
        os.close(write)
        with open(read) as told:
            display = told.readline().strip()
        # It says its number before it lets anybody in.
        waited(lambda: Path(f"/tmp/.X11-unix/X{display}").exists())
        # The sandbox of its processes needs more rights than a container has.
        around = {"DISPLAY": f":{display}", "GDK_BACKEND": "x11", "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1",
                  "LIBGL_ALWAYS_SOFTWARE": "1", "GDK_SCALE": "1", "NO_AT_BRIDGE": "1", "GSETTINGS_BACKEND": "memory"}
        options = {"binary": MINI, "args": ["--automation"]}
        port = free_port()
        self.spawn("WebKitWebDriver", f"--port={port}", **around)
        self.base = f"http://127.0.0.1:{port}"
        waited(lambda: self.call("GET", "/status"))
        self.base += "/session/" + self.call("POST", "/session", {
            "capabilities": {"alwaysMatch": {"webkitgtk:browserOptions": options}}})["sessionId"]

    def call(self, method, path, given=None):
        body = None if given is None else json.dumps(given).encode()
        request = urllib.request.Request(self.base + path, body, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=60) as reply:
            return json.load(reply)["value"]

    def size(self, width, height):
        self.call("POST", "/window/rect", {"width": width, "height": height})

    def go(self, url):
        self.call("POST", "/url", {"url": url})

    def cookie(self, key, value):
        self.call("POST", "/cookie", {"cookie": {"name": key, "value": value, "httpOnly": True, "sameSite": "Strict"}})

    def run(self, script):
        return self.call("POST", "/execute/sync", {"script": script, "args": []})

    def png(self):
        return self.call("GET", "/screenshot")


def look(browser, stage, address):
    """Opens a board there, paired and live; what is in its rows and where, and a picture of it."""
    browser.go(f"{stage.origin}/pair")
    browser.cookie(*stage.gateway.pair(browser.device, "operator").cookie.split("=", 1))
    browser.go(stage.origin + address)
    waited(lambda: browser.run(f"return {LIVE}"))
    browser.run(ALONE)
    time.sleep(1.5)
    return browser.run(f"return ({WHERE})()"), base64.b64decode(browser.png())


#: Who else looks at the board is not the same for each of them.
ALONE = """const sheet = new CSSStyleSheet();
    sheet.replaceSync('.viewer { display: none; }');
    document.adoptedStyleSheets = [sheet];"""
LIVE = """document.querySelector('#freshness')?.dataset.state === 'live' && document.fonts.status === 'loaded'
    && trestle.board.lists.every(list => !list.isBehind) && trestle.board.lists.some(list => list.views.size > 0)"""
#: Each row, heading and text of it: the class, the text, and where it is, in hundredths of a pixel.
WHERE = """() => [...document.querySelectorAll('.row:not([hidden]), .section:not([hidden]), .row:not([hidden]) .words > *')]
    .map((one) => { const {left, top, width, height} = one.getBoundingClientRect();
        return [one.className, one.matches('.row') ? one.dataset.row : one.textContent,
            ...[left, top, width, height].map((v) => Math.round(v * 100))]; })"""
