"""A line between browsers and the gateway that can be cut: from then on no byte passes, and nobody is told.

Connections stay open, and new ones are taken and hear nothing, as on a radio that has gone out of range. `mend`
lets what waits pass, late; with `lost` the connections of before are gone.
"""

import socket
import threading


class Line:
    def __init__(self):
        self.target = None
        self.door = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.door.getsockname()[1]
        self.passing = threading.Event()
        self.passing.set()
        self.lock, self.links, self.closed = threading.Lock(), set(), False
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while not self.closed:
            try:
                near, _ = self.door.accept()
            except OSError:
                return
            threading.Thread(target=self.join, args=(near,), daemon=True).start()

    def join(self, near):
        self.passing.wait()
        try:
            far = socket.create_connection(("127.0.0.1", self.target), timeout=10)
            far.settimeout(None)
        except OSError:
            near.close()
            return
        for one in (near, far):
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        link = (near, far)
        with self.lock:
            self.links.add(link)
        threading.Thread(target=self.carry, args=(near, far, link), daemon=True).start()
        self.carry(far, near, link)

    def carry(self, source, sink, link):
        """Bytes of one direction. What was read when the line was cut waits, as it does in a router."""
        try:
            while data := source.recv(65_536):
                self.passing.wait()
                sink.sendall(data)
        except OSError:
            pass
        self.passing.wait()  # nobody hears of an end either
        self.end(link)

    def end(self, link):
        with self.lock:
            self.links.discard(link)
        for one in link:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            one.close()

    def cut(self):
        self.passing.clear()

    def mend(self, lost=False):
        if lost:
            with self.lock:
                links = list(self.links)
            for link in links:
                self.end(link)
        self.passing.set()

    def close(self):
        self.closed = True
        self.door.close()
        self.mend(lost=True)
