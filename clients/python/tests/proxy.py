"""A network that is bad on purpose, between a client and the daemon: seeded, message by message.

It drops, delays (and so reorders) and doubles requests, replies and publications, and cuts all
connections now and then, with everything that is on its way.
"""

import heapq
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import zmq

FAULTY, CUT_EVERY = 0.12, 0.6
LONGEST = 0.15
"""Share of messages with a fault; seconds between two cuts; the longest delay."""


class Proxy(threading.Thread):
    """Connect to `endpoint` with `publish=proxy.publish`. It ends with the `with`."""

    def __init__(self, directory: str, request: str, publish: str, seed: str) -> None:
        super().__init__(daemon=True)
        self.endpoint, self.publish = f"ipc://{directory}/bad-request.sock", f"ipc://{directory}/bad-publish.sock"
        self._request, self._publish = request, publish
        self._dice, self._over = random.Random(seed), threading.Event()
        self._context: zmq.Context[Any] = zmq.Context()
        self._late: list[tuple[float, int, Callable[[], None]]] = []
        self._serial, self._cut = 0, 0.0
        self.fair = threading.Event()
        """Set: no more faults."""
        self.counts: Counter[str] = Counter()

    def __enter__(self) -> "Proxy":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self.join()

    def _open(self) -> None:
        self._front = self._socket(zmq.ROUTER)
        self._front.bind(self.endpoint)
        self._xpub = self._socket(zmq.XPUB)
        self._xpub.setsockopt(zmq.XPUB_VERBOSE, 1)
        self._xpub.bind(self.publish)
        self._xsub = self._socket(zmq.XSUB)
        self._xsub.connect(self._publish)
        self._backs: dict[bytes, zmq.Socket[Any]] = {}

    def _socket(self, kind: int) -> zmq.Socket[Any]:
        socket: zmq.Socket[Any] = self._context.socket(kind)
        socket.setsockopt(zmq.LINGER, 0)
        return socket

    def _close(self) -> None:
        for socket in (self._front, self._xpub, self._xsub, *self._backs.values()):
            socket.close()
        self._late.clear()

    def run(self) -> None:
        self._open()
        self._cut = time.monotonic() + CUT_EVERY
        while not self._over.is_set():
            self._turn()
        self._close()
        self._context.term()

    def _turn(self) -> None:
        poller = zmq.Poller()
        for socket in (self._front, self._xpub, self._xsub, *self._backs.values()):
            poller.register(socket, zmq.POLLIN)
        ready = dict(poller.poll(5))
        if self._front in ready:
            peer, *frames = self._front.recv_multipart()
            if peer not in self._backs:
                self._backs[peer] = self._socket(zmq.DEALER)
                self._backs[peer].connect(self._request)
            self._pass(self._backs[peer], frames)
        for peer, back in list(self._backs.items()):
            if back in ready:
                self._pass(self._front, [peer, *back.recv_multipart()])
        if self._xpub in ready:
            self._xsub.send_multipart(self._xpub.recv_multipart())
        if self._xsub in ready:
            self._pass(self._xpub, self._xsub.recv_multipart())
        now = time.monotonic()
        while self._late and (self._late[0][0] <= now or self.fair.is_set()):
            heapq.heappop(self._late)[2]()
        if now >= self._cut and not self.fair.is_set():
            self.counts["cut"] += 1
            self._close()
            time.sleep(self._dice.choice([0, 0.05]))
            self._open()
            self._cut = time.monotonic() + self._dice.uniform(0.5, 1.5) * CUT_EVERY

    def _pass(self, socket: zmq.Socket[Any], frames: list[bytes]) -> None:
        def send() -> None:
            if not socket.closed:
                try:
                    socket.send_multipart(frames, zmq.DONTWAIT)
                except zmq.ZMQError:
                    pass  # who was to have it is gone

        fault = "none" if self.fair.is_set() or self._dice.random() > FAULTY else self._dice.choice(
            ["dropped", "delayed", "doubled"])
        self.counts[fault] += 1
        if fault == "delayed":
            self._serial += 1
            heapq.heappush(self._late, (time.monotonic() + self._dice.uniform(0, LONGEST), self._serial, send))
        elif fault != "dropped":
            send()
            if fault == "doubled":
                send()
