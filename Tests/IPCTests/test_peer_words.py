"""What a peer may say, word by word: handshakes, topics, commands. None of this measures time."""

import json
import random
import socket
import time

import pytest

from harness import HEADER, full
from peer_support import RESIDENT, connections_dropped, daemon_with_tcp, socket_paths
from zmtp import GREETING, Peer, frame, message, ready


def test_the_handshake_in_two_parts(board):
    """The guard reads a stream, not packets."""
    path, _ = socket_paths(board)
    whole = GREETING + ready(identity=b"\0abcd")
    for cut in (1, 10, 11, 63, 64, 65, 66, 70, len(whole) - 5, len(whole) - 1):
        peer = Peer(path, kind=None)
        peer.send(whole[:cut])
        time.sleep(0.02)
        peer.send(whole[cut:])
        assert peer.is_ended(5), f"cut at {cut}"
        peer.close()


OLD = b"\xff" + b"\0" * 7 + b"\1\x7f"
STRANGERS = {
    "ZMTP 1.0": b"\1\0" + b"\1\0" + b"\x0f\1" + HEADER + b"\x0c\0" + b'{"tables":{}}',
    "ZMTP 1.0 with a signature": OLD + b"\0\5" + b"\0\0",
    "ZMTP 2.0": OLD + b"\1\5" + b"\0\0" + message(b"", HEADER, b'{"tables":{}}'),
    "an HTTP POST": b"POST / HTTP/1.1\r\nHost: localhost:7571\r\nContent-Type: text/plain\r\n\r\n" + b"\1" * 9000
    + message(b"", HEADER, b'{"tables":{}}'),
    "PLAIN": OLD + b"\3\1" + b"PLAIN".ljust(20, b"\0") + b"\0" * 32 + frame(b"\5HELLO\1a\1b", 4),
    "CURVE": OLD + b"\3\1" + b"CURVE".ljust(20, b"\0") + b"\0" * 32,
    "no READY": GREETING + message(b"", HEADER, b'{"tables":{}}'),
}


@pytest.mark.parametrize("name", STRANGERS)
def test_strangers(make_daemon, name):
    """Nothing of them is decided, on unix sockets and on tcp."""
    daemon, ports = daemon_with_tcp(make_daemon)
    before = daemon.stats()["counters"]["requests"]
    path, _ = socket_paths(daemon)
    for family, address in (socket.AF_UNIX, path), (socket.AF_INET, ("127.0.0.1", ports[0])):
        with socket.socket(family) as plain:
            plain.settimeout(5)
            plain.connect(address)
            try:
                plain.sendall(STRANGERS[name])
                while plain.recv(4096):
                    pass
            except OSError:
                pass
    counters = daemon.stats()["counters"]
    assert counters["requests"] - before <= 1, "a request of a stranger was decided"
    assert counters["connections_dropped_handshake"] == 2


@pytest.mark.parametrize("topic", [b"", b"j/", b"b/", b"pj/", b"j/board/", b"pb/board/"])
def test_topics_of_the_protocol(board, topic):
    _, publish = socket_paths(board)
    peer = Peer(publish, kind=b"SUB", timeout=0.5)
    assert peer.welcome()
    peer.send(frame(b"\1" + topic))
    assert not peer.is_ended(0.5)


@pytest.mark.parametrize("topic", [b"x", b"p", b"j", b"j/boa", b"j//", b"j/a/b/", b"k/board/", b"j/a\nb/", b"qj/board/"])
def test_topics_that_are_none(board, topic):
    _, publish = socket_paths(board)
    peer = Peer(publish, kind=b"SUB")
    assert peer.welcome()
    peer.send(frame(b"\1" + topic))
    assert peer.is_ended(5) and connections_dropped(board, "topics") == 1


@pytest.mark.bound(120, 900)
def test_streams_of_anything(board):
    """Seeded: frames of every kind, whole, cut and damaged, at both sockets; nothing traps or aborts."""
    dice = random.Random("streams")
    names = [b"PING", b"PONG", b"SUBSCRIBE", b"CANCEL", b"ERROR", b"READY", b"JOIN", b"", b"X" * 200]
    request = message(b"", HEADER, b'{"tables":{}}')
    sockets = socket_paths(board)
    for n in range(full(30_000, 1_500)):
        peer = Peer(dice.choice(sockets), kind=None, timeout=0.05)
        kind = dice.choice([b"DEALER", b"REQ", b"ROUTER", b"SUB", b"XSUB", b"PAIR", b"PULL"])
        data = GREETING + ready(kind, dice.choice([None, b"", b"me", b"me%d" % n, b"\0me"]))
        for _ in range(dice.randrange(8)):
            name = dice.choice(names)
            command = frame(bytes([len(name)]) + name + dice.randbytes(dice.choice([0, 2, 3, 20, 600])), dice.choice([4, 4, 4, 5]))
            data += dice.choice([command, request, frame(b"\1j/board/"), frame(b"\0j/board/"), frame(b"", 1),
                                 frame(dice.randbytes(dice.randrange(300)), dice.randrange(8))])
        if dice.random() < 0.4:
            data = bytearray(data)
            for _ in range(dice.randrange(1, 4)):
                data[dice.randrange(len(data))] = dice.randrange(256)
        cut = dice.randrange(len(data))
        peer.send(data[:cut])
        if dice.random() < 0.3:
            peer.welcome()
        peer.send(data[cut:] if dice.random() < 0.8 else data[cut:][:dice.randrange(50)])
        if dice.random() < 0.5:
            time.sleep(0.002)
        peer.close()
        if n % 100 == 0:
            assert board.ask("health", timeout=10)["ok"]
    assert board.rss() < RESIDENT


def test_commands_that_are_none_of_a_client_s(board):
    """SUBSCRIBE at the request endpoint becomes a message of libzmq's: 692 MiB from one connection."""
    path, _ = socket_paths(board)
    for flags in 4, 5:
        peer = Peer(path)
        assert peer.welcome()
        peer.send(frame(b"\x09SUBSCRIBEb/x/", flags))
        assert peer.is_ended(5)
    assert connections_dropped(board, "message") == 2
