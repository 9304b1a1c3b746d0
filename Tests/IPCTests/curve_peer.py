"""The CURVE client of rfc.zeromq.org/spec/26 by hand, whose metadata a test chooses. libzmq depends on
libsodium, so that is there."""

import ctypes
import ctypes.util
import struct

from zmq.utils import z85

from zmtp import GREETING, Peer, frame

SODIUM = ctypes.CDLL(ctypes.util.find_library("sodium"))
SODIUM.sodium_init()
CURVE_GREETING = GREETING[:12] + b"CURVE".ljust(20, b"\0") + GREETING[32:]


def key_pair():
    public, secret = ctypes.create_string_buffer(32), ctypes.create_string_buffer(32)
    SODIUM.crypto_box_keypair(public, secret)
    return public.raw, secret.raw


def box(data, nonce, public, secret):
    made = ctypes.create_string_buffer(len(data) + 16)
    assert SODIUM.crypto_box_easy(made, data, ctypes.c_ulonglong(len(data)), nonce, public, secret) == 0
    return made.raw


def opened(data, nonce, public, secret):
    made = ctypes.create_string_buffer(len(data) - 16)
    assert SODIUM.crypto_box_open_easy(made, data, ctypes.c_ulonglong(len(data)), nonce, public, secret) == 0
    return made.raw


class CurvePeer(Peer):
    """With a key and these properties, of a `Site`."""

    def __init__(self, site, properties, timeout=10.0):
        super().__init__((site.host, site.port), kind=None, timeout=timeout)
        self.count = 0
        server, public, secret = map(z85.decode, (site.server, site.public, site.secret))
        self.own, own_secret = key_pair()
        number = self.next()
        hello = box(bytes(64), b"CurveZMQHELLO---" + number, server, own_secret)
        self.socket.sendall(CURVE_GREETING + frame(b"\5HELLO\1\0" + bytes(72) + self.own + number + hello, 4))
        self.exactly(64 + 2)
        welcome = self.exactly(168)
        welcome = opened(welcome[24:], b"WELCOME-" + welcome[8:24], server, own_secret)
        passing, cookie = welcome[:32], welcome[32:]
        vouch = box(self.own + server, b"VOUCH---" + bytes(16), passing, secret)
        number = self.next()
        said = box(public + bytes(16) + vouch + properties, b"CurveZMQINITIATE" + number, passing, own_secret)
        self.socket.sendall(frame(b"\x08INITIATE" + cookie + number + said, 4))
        self.shared = ctypes.create_string_buffer(32)
        SODIUM.crypto_box_beforenm(self.shared, passing, own_secret)

    def next(self):
        self.count += 1
        return struct.pack(">Q", self.count)

    def welcome(self):
        """Reads READY. False: the other end hung up instead."""
        try:
            flags, size = self.exactly(2)
            return self.exactly(size).startswith(b"\5READY")
        except OSError:
            return False

    def sealed(self, data, flags=0):
        number, data = self.next(), bytes([flags]) + data
        made = ctypes.create_string_buffer(len(data) + 16)
        SODIUM.crypto_box_easy_afternm(
            made, data, ctypes.c_ulonglong(len(data)), b"CurveZMQMESSAGEC" + number, self.shared)
        return frame(b"\7MESSAGE" + number + made.raw)

    def request(self, *frames):
        """The bytes of a message."""
        return b"".join(self.sealed(body, 1) for body in frames[:-1]) + self.sealed(frames[-1])

    def frame(self):
        while True:
            _, body = super().frame()
            made = ctypes.create_string_buffer(len(body) - 32)
            assert SODIUM.crypto_box_open_easy_afternm(
                made, body[16:], ctypes.c_ulonglong(len(body) - 16), b"CurveZMQMESSAGES" + body[8:16], self.shared) == 0
            if not made.raw[0] & 2:
                return made.raw[0], made.raw[1:]
