"""A daemon whose journal answers late, and does not make it wait (`Tests/LateDaemon`).

`swift build --product late-trestled` makes it; without it these tests are skipped.
"""

import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
import zmq

from harness import BIN, Daemon, eventually, full
from background_load import commands_per_second
from trestle_client import Link, encode

pytestmark = pytest.mark.skipif(
    not (BIN / "late-trestled").exists(), reason="there is no late-trestled")
NEVER = 10_000_000


class Late(Daemon):
    """`TRESTLE_LATE_MS` is for how long each entry is on its way."""

    def __init__(self, late_ms, config=None):
        super().__init__(config)
        self.environment = {"TRESTLE_LATE_MS": str(late_ms)}

    def command(self, state=None, endpoint=None):
        name = str(BIN / "trestled")
        return [str(BIN / "late-trestled") if word == name else word
                for word in super().command(state, endpoint)]


@pytest.fixture
def late():
    made = []

    def make(late_ms, start=True):
        made.append(Late(late_ms))
        if start:
            made[-1].start()
        return made[-1]

    yield make
    for daemon in made:
        text = daemon.close()
        assert "Fatal error" not in text, text


def send(link, number, verb, body, table="t"):
    link.send(encode({"client": "ada", "number": number, "opened": 0, "table": table, verb: body}))


def test_nothing_is_said_before_it_is_durable(late):
    daemon = late(300)
    begin = time.monotonic()
    assert daemon.ask("create", {}, "t")["ok"]
    assert time.monotonic() - begin >= 0.3
    link = Link(daemon.endpoint)
    begin = time.monotonic()
    for number in range(1, 21):
        send(link, number, "command", {"add": {"id": f"r{number}", "title": "T"}})
    # All of them are under way at once.
    replies = [link.receive(5) for _ in range(20)]
    took = time.monotonic() - begin
    assert [r["number"] for r in replies] == list(range(1, 21))
    assert 0.3 <= took < 3.0, took
    # What is read behind a change waits for it as well.
    begin = time.monotonic()
    send(link, 21, "command", {"add": {"id": "last", "title": "T"}})
    assert daemon.tables()["t"]["rows"] in (20, 21)
    assert link.receive(5)["number"] == 21
    assert daemon.tables()["t"]["rows"] == 21
    link.close()


def test_a_stop_waits_for_what_is_under_way(late):
    daemon = late(400)
    assert daemon.ask("create", {}, "t")["ok"]
    link = Link(daemon.endpoint)
    send(link, 1, "command", {"add": {"id": "a", "title": "T"}})
    time.sleep(0.15)
    assert daemon.kill(signal.SIGTERM) == 0
    assert link.receive(5)["number"] == 1
    link.close()
    daemon.environment = {"TRESTLE_LATE_MS": "0"}
    daemon.start()
    assert daemon.tables()["t"]["rows"] == 1


@pytest.mark.bound(120)
def test_a_journal_that_never_answers(late):
    """Nothing is said, nothing grows, nothing spins; heartbeats tell the truth."""
    daemon = late(0)
    assert daemon.ask("create", {}, "t")["ok"]
    daemon.kill(signal.SIGTERM)
    daemon.environment = {"TRESTLE_LATE_MS": str(NEVER)}
    daemon.start()
    publish = zmq.Context.instance().socket(zmq.SUB)
    publish.linger = 0
    publish.connect(daemon.hello["publish"][0])
    publish.subscribe(b"j/t/")
    link = Link(daemon.endpoint)
    link.socket.sndhwm = 0
    for number in range(1, full(200_000, 20_000)):
        send(link, number, "command", {"add": {"id": f"r{number}", "title": "T" * 100}})

    def is_at_rest():
        """a daemon that waits: it takes less than a tenth of one processor"""
        before = daemon.processor()
        time.sleep(2)
        return daemon.processor() - before < 0.2

    eventually(is_at_rest, 40)
    before = daemon.rss()
    assert link.receive(0.1) is None
    heartbeats, end = [], time.monotonic() + 5
    while time.monotonic() < end:
        if publish.poll(1_500):
            body = publish.recv_multipart()[-1]
            if b'"heartbeat"' in body:
                heartbeats.append(body)
    assert len(heartbeats) >= 3
    assert all(b'"revision":' not in b or b'"revision":0' in b or b'"revision":"0"' in b
               for b in heartbeats), heartbeats[-1]
    assert daemon.rss() < before + 20_000 and daemon.rss() < 250_000
    publish.close()
    link.close()
    daemon.kill()


def test_what_was_acknowledged_survives_a_kill(late):
    daemon = late(20)
    assert daemon.ask("create", {}, "t")["ok"]
    acknowledged = set()
    for round in range(full(20, 4)):
        link = Link(daemon.endpoint)
        for number in range(1, 200):
            id = f"r{round}-{number}"
            link.send(encode({"client": f"c{round}", "number": number, "opened": 0, "table": "t",
                              "command": {"add": {"id": id, "title": "T"}}}))
        end = time.monotonic() + 0.2 + 0.05 * round
        while time.monotonic() < end:
            reply = link.receive(0.05)
            if reply and reply.get("ok"):
                acknowledged.add(f"r{round}-{reply['number']}")
        daemon.restart()
        link.close()
        snapshot = daemon.ask("snapshot", {}, "t")["snapshot"]
        rows = {row["id"] for chunk in range(snapshot["chunks"])
                for part in daemon.ask("snapshot", {"id": snapshot["id"], "chunk": chunk}, "t")[
                    "snapshot"]["slices"] for row in part.get("rows", [])}
        assert acknowledged <= rows
    assert acknowledged


# ------------------------------------------------------------------------------- how fast


@pytest.mark.slow
@pytest.mark.bound(300, 600)
def test_late_is_as_fast_as_waiting(late, make_daemon):
    """64 clients: at least 0.9 times the rate of a disk whose sync takes as long."""
    shim = Path(tempfile.mkdtemp()) / "interpose.so"
    source = Path(__file__).parent / "faults" / "interpose.c"
    subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", shim, source, "-ldl"], check=True)
    ratios = []
    for _ in range(full(7, 3)):
        waiting = make_daemon(start=False)
        waiting.environment = {"LD_PRELOAD": str(shim), "FAULTS_DIRECTORY": str(waiting.directory),
                               "FAULTS_SYNC_US": "5000"}
        waiting.start()
        assert waiting.ask("create", {}, "t")["ok"]
        slow = commands_per_second(waiting, 64, 3)
        waiting.kill()
        daemon = late(5)
        assert daemon.ask("create", {}, "t")["ok"]
        ratios.append(commands_per_second(daemon, 64, 3) / slow)
        daemon.kill()
        print(f"waiting {slow:.0f}/s, late {ratios[-1] * slow:.0f}/s: {ratios[-1]:.2f}")
    assert sorted(ratios)[len(ratios) // 2] >= 0.9, ratios
