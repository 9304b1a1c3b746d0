"""Starts a daemon and a gateway of its own, pairs browsers, and speaks to the gateway as a page.

    with Serve() as serve:                      # a daemon, and a gateway on a free port
        device = serve.pair("grill", "operator")
        page = serve.page(device)               # a WebSocket
        page.follow("kitchen")
        print(page.next("pub"))

TRESTLE_BIN is the directory of trestled and trestle; TRESTLE_SERVE the gateway's program.
"""

import gzip
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import websocket

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "Tests" / "IPCTests"))

from harness import BIN, FULL, Daemon, bounded, eventually, full  # noqa: E402,F401

SERVE = Path(os.environ.get(
    "TRESTLE_SERVE", BIN.parent / "gateway" / "release" / "trestle-serve"))
STUB = HERE / "web"


class Device:
    """A paired browser: its name, role, and cookie."""

    def __init__(self, name, role, cookie):
        self.name, self.role, self.cookie = name, role, cookie


class Serve:
    """One daemon and one gateway; the gateway may run many times."""

    def __init__(self, *flags, web=STUB, daemon=None, listen="127.0.0.1:0", start=True):
        self.flags, self.web, self.listen = list(flags), Path(web), listen
        self.daemon = daemon or Daemon()
        self.state = self.daemon.directory / "serve"
        self.log = self.daemon.directory / "serve.log"
        self.process = None
        self.port = None
        self.scheme = "http"
        if start:
            if self.daemon.process is None:
                self.daemon.start()
            self.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # The program.

    def command(self, *words):
        return [str(SERVE), *map(str, words)]

    def start(self, wait=20.0, until_up=True):
        before = self.log.stat().st_size if self.log.exists() else 0
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command("run", "--listen", self.listen, "--web", self.web,
                             "-e", self.daemon.endpoint, "--state-directory", self.state,
                             *self.flags),
                stdout=log, stderr=log)
        def serving():
            """It says where it serves."""
            assert self.process.poll() is None, f"it ended: {self.log.read_text()}"
            said = self.log.read_text()[before:]
            return re.search(r"serving (https?)://([^,\s]+?)(?::(\d+))?,", said)
        found = eventually(serving, wait)
        self.scheme = found[1]
        if not self.listen.startswith("unix:"):
            # A gateway that is started again serves at the same port.
            self.port = int(self.listen.rsplit(":", 1)[1]) or int(found[3])
            self.listen = f"{self.listen.rsplit(':', 1)[0]}:{self.port}"
        if until_up:
            eventually(lambda: self.get("/readyz")[0] == 200, wait)
        return self

    def run(self, *words, check=True):
        """One of its commands: pair, devices, revoke."""
        done = subprocess.run(
            self.command(*words, "--state-directory", self.state),
            capture_output=True, text=True, timeout=30)
        assert not check or done.returncode == 0, done.stderr
        return done

    def kill(self, how=signal.SIGKILL, wait=10.0):
        self.process.send_signal(how)
        return self.process.wait(wait)

    def alive(self):
        return self.process.poll() is None

    def rss(self):
        """Resident memory, in MiB."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(text.split("VmRSS:")[1].split()[0]) / 1024

    def close(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
            self.process.wait()
        self.daemon.close()

    # HTTP.

    @property
    def origin(self):
        return f"{self.scheme}://127.0.0.1:{self.port}"

    def connection(self, timeout=20):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def ask(self, method, path, body=None, headers=None, device=None):
        """Status, headers and body of one request."""
        headers = dict(headers or {})
        if device:
            headers.setdefault("Cookie", device.cookie)
        link = self.connection()
        try:
            link.request(method, path, body, headers)
            answer = link.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            link.close()

    def get(self, path, device=None, **headers):
        return self.ask("GET", path, headers=headers, device=device)

    def raw(self, data, seconds=10, half_close=False):
        """Everything that is answered to these bytes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=seconds) as link:
            answer = b""
            try:
                link.sendall(data)
                if half_close:
                    link.shutdown(socket.SHUT_WR)
                while more := link.recv(65536):
                    answer += more
            except OSError:
                pass  # it was cut, or nothing more comes
            return answer

    # Devices.

    def invite(self, name, role="operator", *tables):
        """The code of an invitation."""
        patterns = [word for table in tables for word in ("--table", table)]
        done = self.run("pair", "--name", name, "--role", role, "-o", "json", *patterns)
        return json.loads(done.stdout)["link"].split("#")[1]

    def redeem(self, code, origin=None):
        return self.ask("POST", "/pair", json.dumps({"code": code}), {
            "Origin": origin or self.origin, "Content-Type": "application/json"})

    def pair(self, name, role="operator", *tables):
        status, headers, body = self.redeem(self.invite(name, role, *tables))
        assert status == 200, body
        return Device(name, role, headers["Set-Cookie"].split(";")[0])

    # Sockets.

    def page(self, device, **more):
        return Page(self, device, **more)

    def table(self, name, rows=3):
        """A table with rows r0, r1, … in the daemon."""
        self.daemon.ask("create", table=name)
        for index in range(rows):
            self.daemon.do(name, add={"id": f"r{index}", "title": f"Row {index}"})

    def snapshot(self, table, device):
        """The chunks of a snapshot, as the gateway gives them."""
        status, headers, body = self.get(f"/tables/{table}/snapshot", device)
        assert status == 200, body
        assert headers["Content-Encoding"] == "gzip"
        return [json.loads(line) for line in gzip.decompress(body).splitlines()]


class Page:
    """One WebSocket of a paired browser."""

    def __init__(self, serve, device, timeout=20, origin=None, host=None, tab="tab"):
        self.serve, self.name = serve, device.name
        self.socket = websocket.create_connection(
            f"ws://127.0.0.1:{serve.port}/socket", timeout=timeout, subprotocols=["trestle.1"],
            cookie=device.cookie, origin=origin or serve.origin, host=host,
            skip_utf8_validation=True)  # in Python it takes longer than all else
        self.held = []
        self.number = 0
        self.device = json.loads(self.next("device")[1])
        self.client = self.device["prefix"] + tab

    def __del__(self):
        # The library's socket refers to itself, and would be open until the collector comes by: a device has 16.
        if hasattr(self, "socket"):
            self.socket.shutdown()

    def send(self, head, rest=None):
        self.socket.send(head if rest is None else f"{head}\n{rest}")

    def receive(self, timeout=20.0):
        """The next message, as its head and its bytes."""
        self.socket.settimeout(timeout)
        opcode, data = self.socket.recv_data()
        if opcode == websocket.ABNF.OPCODE_CLOSE:
            raise websocket.WebSocketConnectionClosedException(data)
        head, _, rest = data.partition(b"\n")
        return head.decode(), rest

    def next(self, word, timeout=20.0, where=lambda rest: True):
        """The next message whose head begins with this word; others are held for later."""
        for index, (head, rest) in enumerate(self.held):
            if head.split(" ")[0] == word and where(rest):
                return self.held.pop(index)
        end = time.monotonic() + timeout
        while (left := end - time.monotonic()) > 0:
            head, rest = self.receive(left)
            if head.split(" ")[0] == word and where(rest):
                return head, rest
            self.held.append((head, rest))
        raise TimeoutError(word)

    def follow(self, table):
        self.send(f"follow {table}")

    def request(self, body=None, **verb):
        """Sends one request, and gives its number."""
        self.number += 1
        request = {"client": self.client, "number": self.number, **(body or {}), **verb}
        self.send("request", json.dumps(request))
        return self.number

    def ask(self, table=None, **verb):
        """One request and its reply."""
        number = self.request({"table": table} if table else None, **verb)
        _, rest = self.next(
            "reply", where=lambda rest: json.loads(rest).get("number") == number)
        return json.loads(rest)

    def do(self, table, **command):
        """One command and its reply."""
        return self.ask(table, opened=self.device["hello"]["opened"], command=command)

    def ended(self, timeout=10.0):
        """How this end was closed: what `end` said, or None."""
        end = None
        try:
            while True:
                head, rest = self.receive(timeout)
                if head == "end":
                    end = json.loads(rest)
        except (websocket.WebSocketConnectionClosedException, ConnectionError):
            return end

    def close(self):
        self.socket.close()
