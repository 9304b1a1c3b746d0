"""A state directory of trestled 0.1.0, whose journal was SQLite, is taken over at the first start."""

import json
import shutil
import signal

import pytest

import faults
from powercut import CREATE, SYNC, WRITE, cuts
from harness import HERE, Daemon, ask_raw, full
from test_backup import Restorer

FIXTURE = HERE.parent / "Fixtures" / "state-0.1.0"
WRITTEN = json.loads((HERE.parent / "Fixtures" / "state-0.1.0.json").read_text())
CUTS = full(1_500, 25)


def copy_fixture(daemon):
    shutil.rmtree(daemon.state, ignore_errors=True)
    shutil.copytree(FIXTURE, daemon.state)
    daemon.state.chmod(0o700)


def check(daemon):
    """Tables, rows, history and answers are those that the old daemon gave."""
    tables = daemon.tables()
    assert tables == WRITTEN["tables"]
    snapshot = daemon.ask("snapshot", {}, "board")["snapshot"]
    assert snapshot["slices"] == WRITTEN["snapshot"]["slices"]
    history = daemon.ask("history", {}, "board")
    assert history["changes"] == WRITTEN["history"]["changes"]
    for one in WRITTEN["requests"]:
        assert ask_raw(daemon, one["request"].encode()) == one["reply"]
    assert daemon.ask("check")["ok"]


@pytest.fixture
def old(make_daemon):
    daemon = make_daemon(start=False)
    copy_fixture(daemon)
    return daemon


def names(daemon):
    return {path.name for path in daemon.state.iterdir()}


def test_all_of_it_is_there(old):
    """Also after another start, and undo works on what was done before."""
    old.start()
    check(old)
    assert {"journal", "journal.db.taken-over", "journal.db.taken-over-wal"} <= names(old)
    assert "journal.db" not in names(old) and "journal.db-wal" not in names(old)
    for name in ("journal.db", "journal.db-wal"):
        aside = old.state / name.replace("journal.db", "journal.db.taken-over")
        assert aside.read_bytes() == (FIXTURE / name).read_bytes(), "the old files are as they were"
    old.restart()
    check(old)
    undone = old.do("board", undo={})
    assert undone["ok"], undone
    assert "last" not in json.dumps(old.ask("snapshot", {}, "board")["snapshot"])


def test_the_way_back(old, make_daemon):
    """A backup holds what was taken over: whatever reads backups can go on from there."""
    old.start()
    parts, new = Restorer(old).backup(), make_daemon()
    restorer = Restorer(new)
    for index, part in enumerate(parts):
        assert restorer.part(index, part)["ok"]
    assert restorer.finish(len(parts))["ok"]
    digests = {name: t["digest"] for name, t in new.tables().items()}
    assert digests == {name: t["digest"] for name, t in WRITTEN["tables"].items()}


@pytest.mark.parametrize("name, place", [("journal.db-wal", 30_000), ("acknowledged", None)])
def test_a_damaged_one_is_refused_and_left_alone(old, name, place):
    """A flipped bit cuts the old log short; what it had acknowledged says so."""
    path = old.state / name
    if place is None:
        # The promise is of another journal: one more entry than there is.
        path.unlink()
        (old.state / "journal.db-wal").unlink()
        path.write_bytes((FIXTURE / name).read_bytes())
    else:
        data = bytearray(path.read_bytes())
        data[place] ^= 4
        path.write_bytes(data)
    before = {p.name: p.read_bytes() for p in old.state.iterdir()}
    with pytest.raises(AssertionError, match="it ended"):
        old.start()
    assert "journal.db" in old.tail() and old.process.returncode == 65, old.tail()
    for file, data in before.items():
        assert (old.state / file).read_bytes() == data
    assert "journal" not in names(old)
    copy_fixture(old)
    old.start()
    check(old)


@pytest.mark.bound(60, 1800)
def test_power_cuts_while_it_is_taken_over():
    """Every state that a cut may leave: all of it is there after the next start."""
    daemon = Daemon()
    try:
        copy_fixture(daemon)
        before = [faults.Op(kind, path.name, 0, path.read_bytes() if kind == WRITE else b"", 0)
                  for path in FIXTURE.iterdir() for kind in (CREATE, WRITE, SYNC)]
        before.append(faults.Op(SYNC, ".", 0, b"", 0))
        log = daemon.directory / "operations"
        faults.with_shim(daemon, log=log)
        assert faults.start(daemon), daemon.tail()
        daemon.kill(signal.SIGKILL)
        daemon.environment = {}
        ops = before + faults.read_log(log, daemon.state.resolve())
        tried = 0
        for place, files in cuts(ops, CUTS * len(ops) // (len(ops) - len(before)), "take over"):
            if place < len(before):
                continue
            tried += 1
            shutil.rmtree(daemon.state)
            daemon.state.mkdir(mode=0o700)
            for path, content in files.items():
                (daemon.state / path).write_bytes(content)
            daemon.start()
            check(daemon)
            daemon.kill()
        print(f"{tried} states from {len(ops) - len(before)} operations")
        assert tried >= CUTS * 0.8
    finally:
        print(daemon.close())


@pytest.mark.bound(60, 600)
def test_each_call_fails_while_it_is_taken_over():
    """Whichever it is: the daemon says so and ends, and the next start takes all of it over."""
    daemon, ended = Daemon(), 0
    try:
        for at in full(range(1, 61), range(1, 40, 4)):
            copy_fixture(daemon)
            faults.with_shim(daemon, at)
            if not faults.start(daemon):
                ended += 1
                assert daemon.process.wait(10) == 74, daemon.tail()
            else:
                daemon.kill()
            daemon.environment = {}
            daemon.start()
            check(daemon)
            daemon.kill()
        print(f"{ended} starts ended by the fault")
        assert ended >= 5
    finally:
        print(daemon.close())
