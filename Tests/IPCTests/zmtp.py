"""ZMTP by hand (rfc.zeromq.org/spec/37), for peers that behave as no library does."""

import socket
import struct

GREETING = b"\xff" + b"\0" * 7 + b"\1\x7f\3\1" + b"NULL".ljust(20, b"\0") + b"\0" * 32


def frame(body, flags=0):
    if len(body) < 256:
        return bytes([flags, len(body)]) + body
    return bytes([flags | 2]) + struct.pack(">Q", len(body)) + body


def properties(kind, *more):
    """What a client says of itself: its kind, values of `Identity`, and others with their names."""
    named = [(b"Socket-Type", kind)] * (kind is not None) + [
        one if isinstance(one, tuple) else (b"Identity", one) for one in more]
    return b"".join(bytes([len(name)]) + name + struct.pack(">I", len(value)) + value for name, value in named)


def ready(kind=b"DEALER", identity=None, *more):
    return frame(b"\5READY" + properties(kind, *more, *[identity] * (identity is not None)), 4)


def message(*frames):
    return b"".join(frame(body, 1) for body in frames[:-1]) + frame(frames[-1])


class Peer:
    """A connection that says what it is told to: to a path, or to a port of this machine."""

    def __init__(self, path, kind=b"DEALER", identity=None, timeout=10.0, more=()):
        self.socket = socket.socket(socket.AF_INET if isinstance(path, tuple) else socket.AF_UNIX)
        # Without a timeout it waits for its turn to be accepted.
        self.socket.connect(path)
        self.socket.settimeout(timeout)
        if kind:
            self.socket.sendall(GREETING + ready(kind, identity, *more))

    def welcome(self):
        """Reads the other end's greeting and READY. False: it hung up instead."""
        try:
            self.exactly(64)
            flags, size = self.exactly(2)
            self.exactly(size)
            return True
        except (ConnectionError, socket.timeout):
            return False

    def exactly(self, count):
        data = b""
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            if not part:
                raise ConnectionError("the other end hung up")
            data += part
        return data

    def frame(self):
        """(flags, body) of the next frame; a PING is answered, other commands are passed over."""
        while True:
            flags = self.exactly(1)[0]
            size = struct.unpack(">Q", self.exactly(8))[0] if flags & 2 else self.exactly(1)[0]
            body = self.exactly(size)
            if not flags & 4:
                return flags, body
            if body.startswith(b"\4PING"):
                self.send(frame(b"\4PONG" + body[7:], 4))

    def message(self):
        frames = []
        while True:
            flags, body = self.frame()
            frames.append(body)
            if not flags & 1:
                return frames

    def send(self, data):
        """Whether it could all be sent."""
        try:
            self.socket.sendall(data)
            return True
        except OSError:
            return False

    def is_ended(self, seconds):
        """Whether the other end hangs up in time; reads what comes until then."""
        self.socket.settimeout(seconds)
        try:
            while self.socket.recv(1 << 16):
                pass
            return True
        except socket.timeout:
            return False
        except OSError:
            return True

    def close(self):
        self.socket.close()
