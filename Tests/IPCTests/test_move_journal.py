"""`trestled move-journal`: a log goes to etcd and back, with everything that clients and viewers hold on to."""

import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

import pytest

from etcd_service import Etcd, Member
from harness import BIN, HERE, Daemon, eventually
from trestle_client import Link, encode

pytestmark = pytest.mark.bound(120, 600)


@pytest.fixture(scope="module")
def etcd():
    made = Etcd(1)
    yield made
    made.close()


@pytest.fixture
def place():
    made = Path(tempfile.mkdtemp(prefix="m", dir="/tmp"))
    yield made
    shutil.rmtree(made)


class Alone(Member):
    """A daemon with a log of its own, reached as the members of a service are: answers belong to whoever asks,
    and that is told by the transport."""

    def __init__(self, etcd, state=None):
        super().__init__(etcd, "unused")
        text = self.config.read_text()
        self.config.write_text(text[:text.index("journal:")])
        self.state = state or self.state


def move(config, *words, code=0):
    done = subprocess.run([BIN / "trestled", "move-journal", "--config", str(config), *map(str, words)],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == code or (code is None and done.returncode), done.stderr + done.stdout
    return done.stdout + done.stderr


def command(daemon, number, verb, client="anna"):
    """One command of a client with a number of its own: its reply."""
    link = Link(daemon.endpoint)
    try:
        link.send(encode({"client": client, "number": number, "opened": 0, "table": "t", "command": verb}))
        reply = link.receive(10)
    finally:
        link.close()
    reply.pop("epoch")
    return reply


def seen(daemon):
    """All that has to be the same: states, the past, the answers that are remembered."""
    tables = {n: (t.get("revision", 0), t["digest"], t["history"]) for n, t in daemon.tables().items()}
    past = daemon.ask("history", {"most": 100}, "t")
    changes = [{k: v for k, v in one.items()} for one in past["changes"]["changes"]]
    return tables, changes


def work(daemon, begin):
    for number in range(begin, begin + 10):
        reply = command(daemon, number, {"add": {"id": f"r{number}", "title": f"Row {number}"}})
        assert reply["ok"], reply
    assert command(daemon, begin + 10, {"set": {"row": f"r{begin}", "title": "changed"}})["ok"]


def test_there_and_back(etcd, place):
    alone = Alone(etcd)
    alone.start()
    for table in ("t", "u"):
        assert alone.ask("create", table=table)["ok"]
    work(alone, 1)
    before = seen(alone)
    remembered = [command(alone, n, {"add": {"id": f"r{n}", "title": f"Row {n}"}}) for n in (3, 10)]
    member = Member(etcd, "moved")

    # While it runs it is refused, by name.
    assert str(alone.process.pid) in move(member.config, "--from", alone.state, code=73)
    alone.kill(signal.SIGTERM)
    said = move(member.config, "--from", alone.state)
    assert "Moved to etcd" in said and "Table t: revision 11, 10 rows." in said, said

    # Not twice, and not over what is there.
    assert "there is a journal below /trestle/moved/" in move(member.config, "--from", alone.state, code=74)
    member.start()
    eventually(lambda: member.role() == "leader", 20, 0.1)
    assert seen(member) == before
    assert [command(member, n, {"add": {"id": f"r{n}", "title": f"Row {n}"}}) for n in (3, 10)] == remembered
    # What was done before can be undone, and the client goes on with its numbers.
    assert command(member, 12, {"undo": {}})["ok"]
    work(member, 13)
    after = seen(member)
    assert after[0]["t"][0] == 23

    # Not while a daemon of the service runs; not into a directory that is there.
    back = place / "back"
    assert "a daemon of the service runs" in move(member.config, "--to", back, code=74)
    member.kill(signal.SIGTERM)
    assert "is there" in move(member.config, "--to", place, code=73)
    said = move(member.config, "--to", back)
    assert "Table t: revision 23" in said
    assert not list(place.glob("*unfinished*"))
    again = Alone(etcd, back)
    again.start()
    assert seen(again) == after
    assert command(again, 15, {"add": {"id": "r15", "title": "Row 15"}})["ok"]
    assert command(again, 24, {"undo": {}})["ok"]
    assert again.tables()["t"]["revision"] == 24
    assert again.ask("check", timeout=30)["ok"]
    # And it is a journal like any other: it survives a death.
    again.restart()
    assert again.tables()["t"]["revision"] == 24
    for daemon in (alone, member, again):
        assert "Fatal" not in daemon.close()


def test_of_a_table_whose_first_diffs_have_gone(etcd, place):
    """All that is kept goes there and back, and is what can be undone."""
    alone = Alone(etcd)
    retain = "retain:\n  diffs: 5\n"
    alone.config.write_text(alone.config.read_text() + retain)
    alone.start()
    assert alone.ask("create", table="t")["ok"]
    work(alone, 1)
    before = seen(alone)
    assert [change["revision"] for change in before[1]] == [11, 10, 9, 8, 7]
    alone.restart()
    assert seen(alone) == before, "a restart loses none"
    alone.kill(signal.SIGTERM)
    member = Member(etcd, "compacted")
    member.config.write_text(member.config.read_text() + retain)
    move(member.config, "--from", alone.state)
    member.start()
    eventually(lambda: member.role() == "leader", 20, 0.1)
    assert seen(member) == before
    member.kill(signal.SIGTERM)
    back = place / "back"
    move(member.config, "--to", back)
    again = Alone(etcd, back)
    again.config.write_text(again.config.read_text() + retain)
    again.start()
    assert seen(again) == before
    assert command(again, 12, {"undo": {"revision": 7}})["ok"], "the oldest one too"
    for daemon in (alone, member, again):
        assert "Fatal" not in daemon.close()



def test_what_is_refused(etcd, place):
    member = Member(etcd, "refused")
    plain = place / "plain.yaml"
    plain.write_text("heartbeat_ms: 200\n")
    assert "names no journal on etcd" in move(plain, "--from", place, code=78)
    assert "there is no journal in" in move(member.config, "--from", place, code=66)
    assert not list(place.glob("log*")), "nothing is begun there"
    assert "there is no directory" in move(member.config, "--from", place / "none", code=66)
    assert "nothing to move" in move(member.config, "--to", place / "new", code=66)
    assert not (place / "new").exists()
    move(member.config, code=64)
    # Too large for what a checkpoint may have.
    alone = Daemon()
    alone.start()
    assert alone.ask("create", table="t")["ok"]
    for n in range(12):
        rows = [{"add": {"id": f"{n}-{i}", "title": "x" * 200,
                         "fields": {"k": os.urandom(60).hex()}}} for i in range(400)]
        assert alone.ask("batch", {"commands": rows}, "t")["ok"]
    alone.kill(signal.SIGTERM)
    text = member.config.read_text()
    member.config.write_text(text.replace("lease_seconds: 2", "lease_seconds: 2\n    max_state_bytes: 1048576"))
    assert "raise journal.etcd.max_state_bytes" in move(member.config, "--from", alone.state, code=74)
    assert etcd.keys("/trestle/refused/") == []
    member.config.write_text(text)
    # No etcd.
    dead = place / "dead.yaml"
    dead.write_text(text.replace(etcd.clients[0], "http://127.0.0.1:1"))
    move(member.config, "--from", alone.state)
    assert "a daemon was started" not in move(dead, "--to", place / "new", code=69)
    alone.close()
    shutil.rmtree(member.directory)
