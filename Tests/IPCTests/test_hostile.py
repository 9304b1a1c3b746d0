"""Messages that nobody should send are refused by name or dropped and counted. They do no harm."""

import json
import os
import random
import socket
import time

import pytest
import zmq

from harness import ask_raw, eventually, full, raw
from trestle_client import Viewer, encode

HEADER = b"trestle/1 json"
MESSAGES = full(100_000, 5_000)


def command(text):
    return b'{"table":"board","command":' + text + b"}"


def define(height):
    return command(b'{"define":{"kinds":[{"id":"k","height":' + height + b"}]}}")


BODIES = {
    "random bytes": os.urandom(500), "empty": b"", "one byte": b"\0", "spaces": b" " * 1000,
    "truncated": b'{"table":"board","command":{"add":{"id":"x"', "trailing": b'{"tables":{}}}',
    "invalid UTF-8": command(b'{"add":{"id":"\xc3\x28"}}'), "overlong": command(b'{"add":{"id":"\xc0\xaf"}}'),
    "a surrogate in UTF-8": command(b'{"add":{"id":"\xed\xa0\x80"}}'),
    "half a surrogate": command(b'{"add":{"id":"\\udc00"}}'), "NUL": command(b'{"add":{"id":"a\\u0000"}}'),
    "a raw NUL": command(b'{"add":{"id":"a\0"}}'), "NUL in a title": command(b'{"add":{"title":"a\\u0000b"}}'),
    "NUL in a key": command(b'{"add":{"fields":{"a\\u0000":"b"}}}'),
    "NaN": define(b"NaN"), '"NaN"': define(b'"NaN"'), "Infinity": define(b'"Infinity"'),
    "-Infinity": define(b'"-Infinity"'), "1e999": define(b"1e999"), "-1e999": define(b"-1e999"),
    "-5": define(b"-5"), "-0": define(b"-0"), "digits": define(b"9" * 100_000), "hexadecimal": define(b"0x10"),
    "a negative number": b'{"client":"c","number":-1,"opened":0,"table":"board","command":{"add":{}}}',
    "a fraction": b'{"client":"c","number":0.5,"opened":0,"table":"board","command":{"add":{}}}',
    "2^64": b'{"client":"c","number":18446744073709551616,"opened":0,"table":"board","command":{"add":{}}}',
    "1e300": b'{"client":"c","number":1e300,"opened":0,"table":"board","command":{"add":{}}}',
    "a negative chunk": b'{"table":"board","snapshot":{"id":"x","chunk":-1}}',
    "chunk 2^32": b'{"table":"board","snapshot":{"id":"x","chunk":4294967296}}',
    "chunk 2^32-1": b'{"table":"board","snapshot":{"id":"x","chunk":4294967295}}',
    "a chunk without an id": b'{"table":"board","snapshot":{"chunk":4294967295}}',
    "since 2^64-1": b'{"table":"board","replay":{"history":"' + b"0" * 32 + b'","since":18446744073709551615}}',
    "deep lists": b"[" * 100_000, "deep objects": b'{"a":' * 100_000, "deep, closed": b"[" * 50_000 + b"]" * 50_000,
    "a deep unknown field": b'{"table":"board","x":' + b"[" * 5000 + b"]" * 5000 + b',"command":{"remove":{"rows":["no"]}}}',
    "a deep face": command(b'{"define":{"kinds":[{"id":"k","leading":{"actions":[{"id":"a","face":' +
                           b'{"vertical":{"parts":[' * 2000 + b']}}' * 2000 + b"}]}}]}}"),
    "a verb twice": b'{"tables":{},"tables":{}}',
    "an op twice": command(b'{"remove":{"rows":["r1"]},"remove":{"rows":["r2"]}}'),
    "two ops": command(b'{"remove":{"rows":["r1"]},"add":{}}'),
    "a long id": command(b'{"remove":{"rows":["' + b"x" * 100_000 + b'"]}}'),
    "a long name": b'{"table":"' + b"x" * 100_000 + b'","create":{}}',
    "a long unknown key": b'{"' + b"x" * 100_000 + b'":1}',
    "many rows": command(b'{"remove":{"rows":[' + b",".join(b'"x%d"' % n for n in range(90_000)) + b"]}}"),
    "many commands": b'{"table":"board","batch":{"commands":[' + b",".join([b'{"add":{}}'] * 80_000) + b"]}}",
    "a bad batch": b'{"table":"board","batch":{"commands":[{"add":{"id":"z1"}},{"add":{"id":"z1"}}]}}',
    "binary under json": b"\x22\x05board\x82\x02\x00",
    "text for a number": b'{"client":"c","number":"one","opened":0,"table":"board","command":{"add":{}}}',
    "an object for text": b'{"table":{"a":1},"tables":{}}',
    "direction marks as an id, with a NUL": command('{"remove":{"rows":["\u202e\\u0000"]}}'.encode()),
}


@pytest.fixture(scope="module")
def target():
    from harness import Daemon
    daemon = Daemon()
    daemon.start()
    daemon.ask("create", {}, "board")
    for n in range(20):
        daemon.do("board", add={"id": f"r{n}", "title": f"Row {n}"})
    yield daemon
    alive = daemon.alive()
    print(daemon.close())
    assert alive


@pytest.mark.parametrize("name", BODIES)
def test_bodies(target, name):
    before, counted = target.tables(), target.counted()
    reply = ask_raw(target, BODIES[name])
    assert reply and reply["ok"] is False and reply["error"]["code"] and reply["error"]["message"], reply
    assert len(encode(reply)) < 4096, "what was sent is not sent back at length"
    assert target.counted() == counted + 1
    assert target.tables() == before


FRAMES = {  # name: (frames, whether there is a reply)
    "an empty frame": ([b""], False), "two empty frames": ([b"", b""], None),
    "only a header": ([b"", HEADER], None), "no header": ([b"", b'{"tables":{}}'], None),
    "no delimiter, one frame": ([b"junk"], None), "nine frames": ([b"", HEADER, b"{}"] + [b""] * 6, True),
    "fifty frames": ([b"", HEADER, b"{}"] + [b"x"] * 47, True), "100,000 frames": ([b"x"] * 100_000, None),
    "two delimiters": ([b"", b"", HEADER, b'{"tables":{}}'], None), "a huge header": ([b"", b"x" * 900_000, b"{}"], True),
    "an old version": ([b"", b"trestle/0 json", b"{}"], True), "a new version": ([b"", b"trestle/99 json", b"{}"], True),
    "garbage under proto": ([b"", b"trestle/1 proto", os.urandom(4096)], True),
    "JSON under proto": ([b"", b"trestle/1 proto", b'{"tables":{}}'], True),
    "an endless varint": ([b"", b"trestle/1 proto", b"\xff" * 1000], True),
    "a length beyond the end": ([b"", b"trestle/1 proto", b"\x22\xff\xff\xff\xff\x0f"], True),
    "deep groups": ([b"", b"trestle/1 proto", b"\x0b" * 100_000], True),
    "2 MiB": ([b"", HEADER, b" " * (2 << 20)], None), "8 MiB": ([b"", HEADER, b" " * (8 << 20)], False),
    "64 MiB": ([b"", HEADER, b" " * (64 << 20)], False),
}


@pytest.mark.parametrize("name", FRAMES)
def test_frames(target, name):
    frames, replied = FRAMES[name]
    before, counted = target.tables(), target.counted()
    reply = raw(target, frames, timeout=1 if replied is not True else 3)
    if reply:
        header = reply[1] if reply[0] == b"" else reply[0]
        if header == HEADER:
            error = json.loads(reply[-1])["error"]
            assert error["code"] in {"unsupportedProtocol", "tooManyFrames", "tooLarge", "malformed"}
    assert replied is None or bool(reply) == replied
    if name not in ("8 MiB", "64 MiB"):  # libzmq closes the connection; nobody counts
        assert target.counted() == counted + 1, "neither refused nor counted as dropped"
    assert target.tables() == before and target.alive()


def test_bytes_that_are_not_even_zeromq(board):
    before = board.tables()
    dice = random.Random("greeting")
    for name in ("request.sock", "publish.sock"):
        for n in range(200):
            with socket.socket(socket.AF_UNIX) as plain:
                plain.connect(str(board.directory / name))
                greeting = b"\xff\0\0\0\0\0\0\0\1\x7f\3\0NULL" + b"\0" * 48
                try:
                    plain.send((greeting if n % 2 else b"") + dice.randbytes(dice.randrange(3000)))
                except OSError:
                    pass  # closed already
    assert board.tables() == before


def test_the_limit_is_of_a_request_s_own_frames(target):
    """To the byte: what libzmq puts in front of them does not count."""
    limit = target.hello["limits"]["requestBytes"]
    for more, code in (0, "malformed"), (1, "tooLarge"):
        reply = raw(target, [b"", HEADER, b" " * (limit - len(HEADER) + more)], timeout=5)
        assert json.loads(reply[-1])["error"]["code"] == code


def test_odd_subscriptions(board):
    """10,000 topics that are none, then a viewer as always."""
    before, resident = board.tables(), board.rss()
    dice = random.Random("topics")
    context = zmq.Context.instance()
    subscriber = context.socket(zmq.XSUB)
    subscriber.linger, subscriber.sndhwm = 0, 0
    subscriber.connect(board.hello["publish"][0])
    for n in range(10_000):
        topic = [b"", b"j/", b"x/board/", b"j/board", b"j/%d/" % n, b"b/%d/" % n, b"j/" + dice.randbytes(20) + b"/",
                 dice.randbytes(300), b"j/\xff\xfe/", b"j//", b"//", b"\0" * 50, b"j/" + b"x" * 10_000 + b"/"][n % 13]
        subscriber.send((b"\0" if n % 5 == 4 else b"\1") + topic)
    for _ in range(100):
        subscriber.send(b"\7" + dice.randbytes(100))  # neither subscribes nor unsubscribes
    subscriber.send_multipart([b"\1j/board/", b"more"])
    viewer = Viewer(board.endpoint, "board")
    eventually(lambda: viewer.step(0.05) or viewer.freshness() == "live", 10, 0)
    assert board.do("board", set={"row": "r1", "title": "seen"})["ok"]
    eventually(lambda: viewer.step(0.05) or viewer.revision == before["board"]["revision"] + 1, 5, 0)
    subscriber.close()
    viewer.close()
    time.sleep(0.5)
    print(f"the daemon grew {board.rss() - resident} KiB")
    assert board.rss() - resident < 64 * 1024
    assert viewer.counts["wrong"] == 0


def test_a_routing_id_of_ones_own_takes_over_nobody(board):
    context = zmq.Context.instance()
    sockets = []
    for _ in range(2):
        dealer = context.socket(zmq.DEALER)
        dealer.linger = 0
        dealer.setsockopt(zmq.IDENTITY, b"mine")
        dealer.connect(board.endpoint)
        sockets.append(dealer)
        dealer.send_multipart([b"", HEADER, b'{"client":"c","number":%d,"tables":{}}' % len(sockets)])
        time.sleep(0.1)
    assert sockets[0].poll(2000) and json.loads(sockets[0].recv_multipart()[-1])["number"] == 1
    for dealer in sockets:
        dealer.close()


def test_who_does_not_read_replies(board):
    """20,000 requests whose replies nobody takes: dropped, not kept."""
    resident = board.rss()
    dealer = zmq.Context.instance().socket(zmq.DEALER)
    dealer.linger, dealer.sndhwm, dealer.rcvhwm = 0, 0, 1
    dealer.connect(board.endpoint)
    for _ in range(20_000):
        dealer.send_multipart([b"", HEADER, b'{"table":"board","snapshot":{}}'])
    time.sleep(0.2)
    assert board.ask("tables", timeout=30)["ok"]
    eventually(lambda: board.stats()["counters"]["replies_dropped"] > 0, 20, 0.5)
    print(f"the daemon grew {board.rss() - resident} KiB")
    assert board.rss() - resident < 64 * 1024
    dealer.close()


def mutate(dice, body):
    data = bytearray(body)
    for _ in range(dice.choice([1, 1, 2, 5, 20])):
        at = dice.randrange(len(data) + 1)
        what = dice.randrange(6)
        if what == 0:
            data[at:at + 1] = dice.randbytes(1)
        elif what == 1:
            del data[at:at + dice.choice([1, 1, 3, 30])]
        elif what == 2:
            data[at:at] = dice.choice([b"\0", b'"', b"{", b"}", b"[", b",", b":", b"\\u0000", b"-", b"1e999", b"null",
                                       b"true", b"\xff", b"9" * 30, "\u202e".encode()])
        elif what == 3:
            other = dice.randrange(len(data) + 1)
            data[at:at] = data[min(at, other):max(at, other)]
        elif what == 4:
            del data[at:]
        else:
            data = data.replace(*dice.choice([(b'"', b"'"), (b"board", b"b\xc3\xb6"), (b"r1", b"r999"), (b"1", b"-1")]))
    return bytes(data)


@pytest.mark.bound(120, 900)
def test_fuzz(board):
    """Seeded, of valid requests that are then damaged. State may change only by what is valid."""
    dice = random.Random("fuzz")
    rows = [f"r{n}" for n in range(20)]
    resident = board.rss()
    viewer = Viewer(board.endpoint, "board")
    dealer = zmq.Context.instance().socket(zmq.DEALER)
    dealer.linger = 0
    dealer.connect(board.endpoint)
    sent = replies = ok = 0
    for n in range(MESSAGES):
        requests = [
            {"table": "board", "command": {"move": {"rows": [dice.choice(rows)], "after": dice.choice(rows)}}},
            {"table": "board", "command": {"set": {"row": dice.choice(rows), "title": "é\n", "fields": {"a": "b"}}}},
            {"table": "board", "command": {"add": {"id": f"x{n}", "section": "grill", "top": True}}},
            {"table": "board", "command": {"expand": {"row": dice.choice(rows), "to": "80.5"}}},
            {"table": "board", "command": {"swipe": {"row": dice.choice(rows), "edge": "leading"}}},
            {"table": "board", "command": {"define": {"kinds": [{"id": "k", "height": 50, "states": [
                {"name": "s", "height": 60}]}], "table": {"swipePolicy": "multiple"}}}},
            {"table": "board", "batch": {"commands": [{"remove": {"rows": [f"x{n - 5}"]}}, {"swap": {"a": "r1", "b": "r2"}}]}},
            {"table": "board", "snapshot": {"id": "x", "chunk": 1}}, {"table": "board", "kinds": {}}, {"hello": {}},
            {"client": "fuzz", "number": n, "opened": 0, "table": "board", "command": {"remove": {"rows": ["x"]}}},
            {"table": "board", "replay": {"history": "0" * 32, "since": 3}}, {"tables": {}}, {"health": {}},
            {"table": "board", "offer": {"history": "0" * 32, "revision": 4, "digest": "0" * 16}}]
        body = encode(dice.choice(requests))
        header = HEADER
        if dice.random() < 0.9:
            body = mutate(dice, body)
        if dice.random() < 0.1:
            header, body = b"trestle/1 proto", dice.randbytes(dice.randrange(200))
        elif dice.random() < 0.02:
            header = mutate(dice, header)
        dealer.send_multipart([b"", header, body])
        sent += 1
        if sent % 16 == 0:  # one at a time would only measure the disk
            while replies < sent:
                assert dealer.poll(5000), f"{sent - replies} replies are missing"
                reply = dealer.recv_multipart()
                replies += 1
                if reply[1] == HEADER:
                    document = json.loads(reply[-1])  # valid UTF-8, valid JSON
                    assert document["ok"] or document["error"]["code"], document
                    ok += document["ok"]
            viewer.step(0)
    head = board.tables()["board"]
    eventually(lambda: viewer.step(0.05) or viewer.revision == head["revision"], 10, 0)
    assert viewer.digest() == head["digest"] and viewer.counts["wrong"] == 0
    print(f"{sent} sent, {ok} ok, revision {head['revision']}, grew {board.rss() - resident} KiB, "
          f"{board.stats()['rejections']}")
    epoch = board.hello["epoch"]
    assert board.ask("hello")["epoch"] == epoch
    before = board.tables()
    board.restart()
    assert board.tables() == before
    dealer.close()
    viewer.close()
