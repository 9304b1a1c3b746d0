"""A writer with distinguishable commands, the shim between daemon and disk, and the shim's log."""

import os
import socket
import struct
import subprocess
import tempfile
import time
from collections import Counter, namedtuple
from pathlib import Path

from harness import ask_raw
from trestle_client import Link, encode

TABLE = "board"
# Checkpoints and what follows them take place after a few commands, not after thousands.
CONFIG = "checkpoint:\n  after_bytes: 65536\n"
EIO, ENOSPC = 5, 28
WRITE, SYNC, TRUNCATE, CREATE, UNLINK, RENAME = range(1, 7)

Op = namedtuple("Op", "kind path offset data end")  # `end`: where it ends in the log


def build_shim():
    """Compiles the shim once for each run of the tests, and gives its path."""
    shim = Path(tempfile.gettempdir()) / f"trestle-interpose-{os.getpid()}.so"
    if not shim.exists():
        source = Path(__file__).with_name("interpose.c")
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o",
                        shim, source, "-ldl"], check=True)
    return shim


def with_shim(daemon, at=None, errno=EIO, only=None, log=None, full=None):
    """What the daemon's next start is to meet on its disk."""
    daemon.environment = {"LD_PRELOAD": str(build_shim()),
                          "FAULTS_DIRECTORY": str(daemon.state.resolve())}
    more = {"FAULTS_AT": at, "FAULTS_ERRNO": str(errno), "FAULTS_ONLY": only, "FAULTS_LOG": log,
            "FAULTS_FULL": full}
    daemon.environment |= {name: str(value) for name, value in more.items() if value}


def read_log(path, directory):
    """The operations in the shim's log, in order, with paths relative to the state directory."""
    data, at, ops = path.read_bytes(), 0, []
    while at < len(data):
        kind, path_bytes, offset, count = struct.unpack_from("<IIQQ", data, at)
        at += 24
        name = data[at:at + path_bytes].decode()
        at += path_bytes
        payload = data[at:at + count]
        at += count
        if kind == RENAME:
            payload = os.path.relpath(name[offset:], directory)
            name = name[:offset]
        ops.append(Op(kind, os.path.relpath(name, directory), offset, payload, at))
    return ops


def accepts(path):
    """Whether somebody serves this socket: libzmq, refused once, waits for 100 ms."""
    with socket.socket(socket.AF_UNIX) as probe:
        return path.exists() and probe.connect_ex(str(path)) == 0


def start(daemon, seconds=10.0, begun=lambda: None):
    """Starts it without asking it anything; False if it ends before it serves.

    `begun` is called when the process is there, before it serves.
    """
    path = Path(daemon.endpoint.removeprefix("ipc://"))
    path.unlink(missing_ok=True)
    daemon.start(wait=0)
    begun()
    end = time.monotonic() + seconds
    while not accepts(path):
        if daemon.process.poll() is not None:
            return False
        assert time.monotonic() < end, f"no socket within {seconds} s: {daemon.tail()}"
        time.sleep(0.001)
    return True


class Commands:
    """One command after the other, each numbered, each an `add` that would show if done twice.

    `sent` has the bytes and `replies` the answers, by number; `when` what `mark()` gave when
    the answer was there.
    """

    def __init__(self, daemon, mark=lambda: None):
        self.daemon, self.mark = daemon, mark
        self.sent, self.replies, self.when = {}, {}, {}
        self.client, self.opened = f"faults-{os.urandom(8).hex()}", None

    def body(self, number):
        """Number 1 makes the table; of the others each fifth is large, so that pages fill up."""
        what = {"create": {}}
        if number > 1:
            text = str(number) * (1500 if number % 5 == 0 else 20)
            what = {"command": {"add": {"title": f"n{number}", "fields": {"x": text}}}}
        return encode({"client": self.client, "number": number, "opened": self.opened,
                       "table": TABLE} | what)

    def receive(self, link, number, seconds=10.0):
        """The reply with this number; None if the daemon ends before it comes."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            reply = link.receive(0.02)
            if reply and reply.get("number") == number:
                return reply
            if reply is None and not self.daemon.alive():
                return link.receive(0.01)
        raise TimeoutError(f"no reply to {number}: {self.daemon.tail()}")

    def run(self, count):
        """Sends `count` more, and before them again what has no answer; False if the daemon ended
        before the last answer.
        """
        link = Link(self.daemon.endpoint)
        try:
            if self.opened is None:
                link.send(encode({"client": "x", "number": 0, "hello": {}}))
                hello = self.receive(link, 0)
                if hello is None:
                    return False
                self.opened = hello["hello"]["opened"]
            numbers = sorted(set(self.sent) - set(self.replies))
            for number in numbers + list(range(len(self.sent) + 1, len(self.sent) + count + 1)):
                self.sent.setdefault(number, self.body(number))
                link.send(self.sent[number])
                reply = self.receive(link, number)
                if reply is None or reply["number"] != number:
                    return False
                assert reply["ok"], reply
                self.replies[number] = reply
                self.when[number] = self.mark()
            return True
        finally:
            link.close()


def rows_of(daemon):
    """Every row of the table, and the table's revision; None without the table."""
    link = Link(daemon.endpoint)
    try:
        reply = link.ask("snapshot", {}, TABLE)
        if not reply["ok"]:
            assert reply["error"]["code"] == "noSuchTable", reply
            return None
        first = chunk = reply["snapshot"]
        rows = []
        for n in range(first["chunks"]):
            if n:
                chunk = link.ask("snapshot", {"id": first["id"], "chunk": n}, TABLE)["snapshot"]
            rows += [row for part in chunk.get("slices", ()) for row in part.get("rows", [])]
        return rows, first["revision"]
    finally:
        link.close()


def check_state(daemon, commands, acknowledged, sent):
    """What was acknowledged is there once; what was only sent is there once, or not at all.

    Both are numbers of commands. Gives the numbers that are there.
    """
    found = rows_of(daemon)
    if found is None:
        assert not acknowledged, f"the table is gone, {len(acknowledged)} were acknowledged"
        return set()
    rows, revision = found
    there = Counter(int(row["title"][1:]) for row in rows)
    assert max(there.values(), default=1) == 1, f"twice: {there.most_common(3)}"
    lost = set(acknowledged) - {1} - set(there)
    assert not lost, f"acknowledged and lost: {sorted(lost)}"
    assert set(there) <= set(sent), f"never sent: {sorted(set(there) - set(sent))}"
    assert sorted(there) == list(range(2, len(there) + 2)), "a hole"
    assert revision == len(rows), f"revision {revision} with {len(rows)} rows"
    for row in rows:  # wholly: with the text that was sent, under the id that was answered
        number = int(row["title"][1:])
        assert row["fields"]["x"].encode() in commands.sent[number]
        if number in acknowledged:
            assert commands.replies[number]["rows"][0]["row"] == row["id"]
    return set(there) | {1}


def check_again(daemon, commands, acknowledged, sent):
    """Sends the latest again: those acknowledged give the same answer, and each is there once."""
    for number in sorted(sent)[-10:]:
        reply = ask_raw(daemon, commands.sent[number])
        assert reply and reply["ok"], reply
        if number in acknowledged:
            assert reply == commands.replies[number]
    if sent:
        there = check_state(daemon, commands, acknowledged, sent)
        assert there == set(sent), f"sent again and not there: {set(sent) - there}"
    checked = daemon.ask("check")
    assert checked["ok"], checked
