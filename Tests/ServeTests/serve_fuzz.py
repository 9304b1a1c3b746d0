"""A hostile client with a seed: odd bytes, frames, messages and requests, for a given time.

    python serve_fuzz.py --seconds 60 [--seed 1]

The gateway must be alive afterwards, as large as before, and answer others all the while.
"""

import argparse
import base64
import json
import random
import socket
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from serve_harness import Serve  # noqa: E402

WORDS = ["follow", "leave", "request", "ping", "device", "pub", "", "\x00", "request\n", "follow board"]
VERBS = ["hello", "tables", "snapshot", "replay", "offer", "attend", "who", "history", "rewind",
         "command", "batch", "explain", "drag", "create", "drop", "backup", "restore", "check",
         "audit", "stats", "health", "renew", "kinds", "query", "nonsense"]
METHODS = ["GET", "POST", "HEAD", "PUT", "OPTIONS", "CONNECT", "PRI", "get", "\x00"]
PATHS = ["/", "/pair", "/unpair", "/socket", "/healthz", "/readyz", "/metrics", "/board/board", "/src/stub.js",
         "/tables/board/snapshot", "/tables/%62oard/snapshot", "/tables/%/snapshot", "*", "//", "/%00"]


class Hostile:
    def __init__(self, serve, device, seed):
        self.serve, self.device, self.random = serve, device, random.Random(seed)
        self.done = 0

    def junk(self, most=400):
        return self.random.randbytes(self.random.randrange(most))

    def link(self):
        return socket.create_connection(("127.0.0.1", self.serve.port), timeout=0.3)

    def value(self, depth=0):
        pick = self.random.randrange(9 if depth < 4 else 6)
        if pick == 0:
            return self.random.choice([0, -1, 1, 2**31, 2**63, 2**64, 2**70, 0.5, 1e300])
        if pick == 1:
            return self.random.choice(["", "board", "r0", "\u0000", "é", "x" * 300, "\ud83d\ude00"])
        if pick == 2:
            return self.random.choice([None, True, False])
        if pick < 6:
            return {}
        if pick == 6:
            return [self.value(depth + 1) for _ in range(self.random.randrange(4))]
        keys = ["rows", "row", "id", "table", "chunk", "since", "history", "revision", "commands",
                "move", "add", "set", "lease", "top", "title", "define", "kinds"]
        return {self.random.choice(keys): self.value(depth + 1)
                for _ in range(self.random.randrange(4))}

    def request(self):
        body = {"client": self.device.prefix + "f", "number": self.random.randrange(2**20)}
        if self.random.random() < 0.8:
            body["table"] = self.random.choice(["board", "none", "", "a/b"])
        for name in ("name", "opened", "atMs", "client", "number"):
            if self.random.random() < 0.1:
                body[name] = self.value()
        body[self.random.choice(VERBS)] = self.value()
        text = json.dumps(body).encode()
        if self.random.random() < 0.3:
            text = bytearray(text)
            for _ in range(self.random.randrange(1, 6)):
                text[self.random.randrange(len(text))] = self.random.randrange(256)
        return b"request\n" + bytes(text)

    def frame(self, payload):
        pick = self.random.random
        first = self.random.choice([0x81, 0x81, 0x81, 0x01, 0x00, 0x80, 0x82, 0x88, 0x89, 0x8A,
                                    self.random.randrange(256)])
        size = len(payload) if pick() < 0.9 else self.random.choice([0, 125, 126, 65536, 2**40, 2**64 - 1])
        mask = self.random.randbytes(4)
        bit = 0x80 if pick() < 0.97 else 0
        if size < 126 and pick() < 0.9:
            head = bytes([first, bit | size])
        elif size < 65536 and pick() < 0.9:
            head = bytes([first, bit | 126]) + size.to_bytes(2, "big")
        else:
            head = bytes([first, bit | 127]) + size.to_bytes(8, "big")
        return head + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(payload))

    def socket(self):
        """A WebSocket that begins well."""
        with self.link() as link:
            key = base64.b64encode(self.random.randbytes(16)).decode()
            link.sendall((
                f"GET /socket HTTP/1.1\r\nHost: 127.0.0.1:{self.serve.port}\r\n"
                f"Origin: {self.serve.origin}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: trestle.1\r\n"
                f"Sec-WebSocket-Key: {key}\r\nCookie: {self.device.cookie}\r\n\r\n").encode())
            for _ in range(self.random.randrange(1, 25)):
                pick = self.random.random()
                if pick < 0.6:
                    payload = self.request()
                elif pick < 0.8:
                    payload = self.random.choice(WORDS).encode() + self.random.choice([b"", b"\n"]) + self.junk()
                else:
                    payload = self.junk(3000)
                data = self.frame(payload)
                if self.random.random() < 0.1:
                    data = data[:self.random.randrange(len(data))]
                link.sendall(data)
                if self.random.random() < 0.2:
                    link.recv(65536)

    def http(self):
        lines = [f"{self.random.choice(METHODS)} {self.random.choice(PATHS)} HTTP/1.{self.random.choice('1110')}"]
        headers = ["Host: 127.0.0.1:%d" % self.serve.port, "Origin: " + self.serve.origin,
                   "Content-Type: application/json", "Cookie: " + self.device.cookie,
                   "Connection: keep-alive, upgrade", "Upgrade: websocket", "Transfer-Encoding: chunked",
                   "Content-Length: %d" % self.random.randrange(-1, 100), "Expect: 100-continue",
                   "Accept-Encoding: gzip", "If-None-Match: *", "Cookie: ;;=;a=b; trestle=", "X:",
                   "Range: bytes=0-1", "Sec-WebSocket-Key: a", "X-Forwarded-For: " + "1," * 50]
        lines += self.random.sample(headers, self.random.randrange(len(headers)))
        data = bytearray("\r\n".join(lines).encode() + b"\r\n\r\n" + self.junk(200))
        if self.random.random() < 0.4:
            for _ in range(self.random.randrange(1, 8)):
                data[self.random.randrange(len(data))] = self.random.randrange(256)
        with self.link() as link:
            for _ in range(self.random.randrange(1, 4)):
                link.sendall(bytes(data))
            if self.random.random() < 0.5:
                link.shutdown(socket.SHUT_WR)
                link.recv(65536)

    def step(self):
        try:
            self.random.choice([self.http, self.socket])()
        except OSError:
            pass  # it was cut, or nothing was answered
        self.done += 1


def run(seconds, seed, report=print):
    with Serve() as serve:
        serve.table("board", rows=5)
        device = serve.pair("hostile", "editor")
        good = serve.page(serve.pair("good"))
        device.prefix = serve.page(device).device["prefix"]
        hostile = Hostile(serve, device, seed)
        begin = time.monotonic()
        while time.monotonic() - begin < seconds:
            for _ in range(50):
                hostile.step()
            assert serve.alive(), f"seed {seed}: it ended\n{serve.log.read_text()[-2000:]}"
            assert good.ask("board", who={})["ok"]
        rss = serve.rss()
        report(f"seed {seed}: {hostile.done} connections in {seconds} s, RSS {rss:.1f} MiB")
        assert rss < 100 and serve.daemon.alive()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=None)
    words = parser.parse_args()
    run(words.seconds, words.seed if words.seed is not None else random.randrange(2**32))
