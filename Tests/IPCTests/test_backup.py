"""Backups and restores, with a real daemon that is killed, and with damaged files."""

import base64
import json
import os
import random
import resource
import subprocess
import threading
import time
import uuid
from pathlib import Path

import pytest

from harness import BIN, cli, eventually, full, lines
from peer_support import fill_big_table
from test_big import load
from trestle_client import Link, Viewer, encode

ROWS = full(1_000_000, 100_000)


class Restorer:
    """A client in another language: it keeps the parts of `backup`, and sends them back (§21)."""

    def __init__(self, daemon):
        self.daemon, self.client, self.number = daemon, uuid.uuid4().hex[:12], 0
        self.opened = daemon.hello["opened"]

    def backup(self):
        first = self.daemon.ask("backup")["backup"]
        parts = list(first.get("parts", []))
        for chunk in range(1, first["chunks"]):
            more = self.daemon.ask("backup", {"id": first["id"], "chunk": chunk})
            parts += more["backup"]["parts"]
        return parts

    def step(self, body, timeout=20.0):
        """One step, sent until it is answered."""
        self.number += 1
        request = {"client": self.client, "number": self.number, "opened": self.opened,
                   "restore": body}
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            link = Link(self.daemon.endpoint)
            try:
                link.send(encode(request))
                reply = link.receive(0.5)
            finally:
                link.close()
            if reply:
                return reply
        raise TimeoutError("no reply")

    def part(self, index, *contents):
        return self.step({"parts": {"index": index, "contents": list(contents)}})

    def finish(self, parts, replace=False):
        return self.step({"finish": {"parts": parts, "replace": replace}})


def fill(daemon):
    """Two tables with something of everything."""
    daemon.ask("create", {}, "board")
    daemon.ask("create", {}, "empty")
    page = {"id": "page", "title": "Page", "effect": [{"invoke": {"deadline": 600}}]}
    daemon.do("board", define={"kinds": [
        {"id": "ticket", "height": 60, "states": [{"name": "collapsed"}, {"name": "tall", "height": 90}],
         "trailing": {"actions": [page]}}, {"id": "strip", "height": 60, "strip": True}]})
    for n in range(40):
        assert daemon.do("board", add={"id": f"t{n}", "title": f"☕ {n}", "kind": "ticket",
                                       "section": ["main", "grill"][n % 2], "fields": {"n": str(n)}})["ok"]
    daemon.do("board", add={"id": "s", "kind": "strip", "items": [{"id": "i", "title": "I"}]})
    daemon.do("board", expand={"row": "t1", "to": "tall"})
    daemon.do("board", swipe={"row": "t2", "edge": "trailing"})
    daemon.do("board", move={"rows": ["t3"], "top": True})
    assert daemon.do("board", act={"row": "t4", "action": "page"})["ok"]
    daemon.ask("command", {"claim": {"rows": ["t5"], "note": "mine"}}, "board")
    daemon.do("board", section={"id": "bar", "title": "The bar"})


def content(daemon):
    """What a restore brings back, by table."""
    return {name: (t["digest"], t["revision"], t["rows"]) for name, t in daemon.tables().items()}


def test_all_comes_back_on_a_fresh_daemon(make_daemon, tmp_path):
    old, new = make_daemon(), make_daemon()
    fill(old)
    file = str(tmp_path / "all.backup")
    assert cli(old, "backup", file).returncode == 0
    done = cli(new, "-o", "json", "restore", file)
    assert done.returncode == 0, done.stderr
    assert content(new) == content(old) and len(content(old)) == 2
    histories = {t["history"] for d in (old, new) for t in d.tables().values()}
    assert len(histories) == 4, "a restored table has another history"
    assert new.ask("check", timeout=60)["ok"]
    for _ in range(2):
        new.restart()
        assert content(new) == content(old)
    # It goes on: the handler takes what was pressed before, with the row as it was.
    one = new.ask("command", {"take": {}}, "board")["invocations"][0]
    assert one["row"] == "t4" and one["pressed"]["title"] == "☕ 4"
    assert new.do("board", undo={})["error"]["code"] in ("nothingToUndo", "notUndoable")
    assert new.ask("check", timeout=60)["ok"]


def test_a_client_of_another_language(daemon):
    fill(daemon)
    before = content(daemon)
    restorer = Restorer(daemon)
    parts = restorer.backup()
    daemon.ask("drop", {}, "board")
    daemon.do("empty", add={"id": "x"})
    for index, part in enumerate(parts):
        assert restorer.part(index, part)["ok"]
        assert set(daemon.tables()) == {"empty"}
    refused = restorer.finish(len(parts))
    assert refused["error"]["code"] == "exists" and set(daemon.tables()) == {"empty"}
    reply = restorer.finish(len(parts), replace=True)
    assert [t["table"] for t in reply["tables"]["tables"]] == ["board", "empty"]
    assert content(daemon) == before
    # The same request again is the same answer, and not another restore.
    daemon.do("board", remove={"rows": ["t9"]})
    restorer.number -= 1
    assert restorer.finish(len(parts), replace=True) == reply
    assert content(daemon)["board"] != before["board"]


def test_kill_in_the_middle(daemon):
    """Whenever it is killed: nothing of the restore is there, or all. And the restore goes on."""
    fill(daemon)
    dice = random.Random("middle")
    parts = Restorer(daemon).backup()
    want = content(daemon)
    seen = set()
    for round in range(full(60, 12)):
        daemon.do("board", remove={"rows": [f"t{30 + round % 9}"]})
        before = content(daemon)
        assert before != want
        restorer = Restorer(daemon)
        stop = dice.randrange(len(parts) + 1)
        for index, part in enumerate(parts):
            if index == stop:
                daemon.restart()
                assert content(daemon) == before
            assert restorer.part(index, part)["ok"]
        assert content(daemon) == before
        killer = threading.Timer(dice.choice([0, 0, 0.001, 0.01]), daemon.process.kill)
        request = {"client": restorer.client, "number": 10_000, "opened": restorer.opened,
                   "restore": {"finish": {"parts": len(parts), "replace": True}}}
        link = Link(daemon.endpoint)
        link.send(encode(request))
        killer.start()
        daemon.process.wait(10)
        link.close()
        daemon.start()
        assert content(daemon) in (before, want)
        seen.add(content(daemon) == want)
        # Sent again until it is answered, it is carried out once.
        restorer.number = 9_999
        assert restorer.finish(len(parts), replace=True)["ok"]
        assert content(daemon) == want
        assert daemon.ask("check", timeout=60)["ok"]
    print("the end of the restore was on disk before the kill, or not:", seen)


def test_the_command_goes_on_over_a_restart(daemon, tmp_path):
    load(daemon, "big", 20_000)
    file = tmp_path / "big.backup"
    assert cli(daemon, "backup", str(file), timeout=60).returncode == 0
    want = content(daemon)
    daemon.ask("drop", {}, "big")
    done = []
    runner = threading.Thread(target=lambda: done.append(
        cli(daemon, "--timeout", "30", "restore", str(file), timeout=60)))
    runner.start()
    eventually(lambda: daemon.stats()["counters"].get("requests_restore", 0) > 3, 20, every=0.001)
    daemon.restart()
    runner.join()
    assert done[0].returncode == 0, done[0].stderr
    assert content(daemon) == want and daemon.ask("check", timeout=60)["ok"]


@pytest.mark.bound(120, 900)
def test_a_large_table(make_daemon, tmp_path):
    old, new = make_daemon(), make_daemon(config="checkpoint: {after_bytes: 1048576}\n")
    load(old, "big", ROWS)
    file = tmp_path / "big.backup"
    slowest = [0.0]
    stop = threading.Event()

    def look(daemon):
        while not stop.is_set():
            begin = time.monotonic()
            daemon.ask("health")
            slowest[0] = max(slowest[0], time.monotonic() - begin)
            time.sleep(0.002)

    figures = {}
    for what, daemon, arguments in (("backup", old, ("backup", str(file))),
                                    ("restore", new, ("restore", str(file)))):
        stop.clear()
        slowest[0] = 0.0
        looker = threading.Thread(target=look, args=(daemon,))
        looker.start()
        begin = time.monotonic()
        done = cli(daemon, *arguments, timeout=600)
        figures[what] = (round(time.monotonic() - begin, 2), round(slowest[0], 3))
        stop.set()
        looker.join()
        assert done.returncode == 0, done.stderr
    print(f"{ROWS} rows, {file.stat().st_size} bytes; seconds, and the slowest answer to others "
          f"meanwhile: {figures}")
    assert content(new) == content(old)
    for what in figures:
        assert figures[what][1] < 1.0, f"others waited: {figures}"
    new.do("big", remove={"rows": ["row-0000001"]})
    now = content(new)
    # Checkpoints begin again once the restore is through, and what it staged is in them.
    eventually(lambda: new.stats()["gauges"]["journal_checkpoint"] > 0, 60)
    new.restart()
    assert content(new) == now and new.ask("check", timeout=120)["ok"]


def test_viewers_carry_on(daemon, tmp_path):
    fill(daemon)
    file = str(tmp_path / "all.backup")
    assert cli(daemon, "backup", file).returncode == 0
    watch = daemon.watch("board", "watch", "-o", "ndjson")
    viewer = Viewer(daemon.endpoint, "board")
    eventually(lambda: lines(watch.path), 10)
    daemon.do("board", remove={"rows": ["t1"]})
    eventually(lambda: len(lines(watch.path)) == 2, 10)
    assert cli(daemon, "restore", file, "--replace").returncode == 0
    state = eventually(lambda: len(lines(watch.path)) == 3 and lines(watch.path)[2], 10)
    head = daemon.tables()["board"]
    assert (state["history"], state["digest"], state["revision"]) == (
        head["history"], head["digest"], head["revision"])
    assert len(state["rows"]) == head["rows"]
    daemon.do("board", add={"id": "after"})
    last = eventually(lambda: len(lines(watch.path)) == 4 and lines(watch.path)[3], 10)
    assert last["digest"] == daemon.tables()["board"]["digest"]
    end = time.monotonic() + 10
    while viewer.table is None or viewer.revision != last["revision"]:
        viewer.step(0.1)
        assert time.monotonic() < end
    assert viewer.table.digest() == last["digest"] and viewer.history == head["history"]
    assert viewer.counts["wrong"] == 0
    viewer.close()


# ------------------------------------------------------------------------------------- hostile files


def test_damaged_files_are_refused(daemon, tmp_path):
    daemon.ask("create", {}, "t")
    daemon.do("t", add={"id": "a", "title": "One"})
    good = tmp_path / "good"
    assert cli(daemon, "backup", str(good)).returncode == 0
    daemon.ask("drop", {}, "t")
    whole = good.read_bytes()
    dice = random.Random("flips")
    spoilt = tmp_path / "spoilt"
    cases = [whole[:n] for n in dice.sample(range(len(whole)), full(len(whole), 12))]
    for place in dice.sample(range(len(whole) * 8), full(len(whole) * 8, 25)):
        flipped = bytearray(whole)
        flipped[place // 8] ^= 1 << place % 8
        cases.append(bytes(flipped))
    cases += [b"", b"\0" * 100, whole + b"\0", whole.replace(b"backup 1", b"backup 2"),
              whole[:17] + b"\xff" * 4 + whole[17:]]
    for case in cases:
        spoilt.write_bytes(case)
        done = cli(daemon, "restore", str(spoilt))
        assert done.returncode == 65, (done, case)
        assert done.stderr.startswith("trestle: " + str(spoilt) + " ") and done.stderr.count("\n") == 1
    assert daemon.tables() == {} and "requests_restore" not in daemon.stats()["counters"]
    newer = cli(daemon, "restore", "--check", str(spoilt.with_name("newer")))
    assert newer.returncode == 74
    spoilt.write_bytes(b"trestle-backup 2\nwhatever")
    assert "version 2; this program reads version 1" in cli(daemon, "restore", str(spoilt)).stderr


def test_what_is_replaced(daemon, tmp_path):
    """A file, and the one that a link leads to. Nothing that is no file, such as /dev/null."""
    fill(daemon)
    real, link, pipe = tmp_path / "real", tmp_path / "link", tmp_path / "pipe"
    real.write_text("old")
    (tmp_path / "there").mkdir()
    link.symlink_to("there/../real")
    os.mkfifo(pipe)
    (tmp_path / "nowhere").symlink_to("none/none")
    for name in ("real", "link", "pipe", "there", "nowhere"):
        done = cli(daemon, "backup", str(tmp_path / name))
        assert done.returncode == 73, (name, done)
    for name in ("pipe", "there", "nowhere"):
        done = cli(daemon, "backup", "--force", str(tmp_path / name))
        assert done.returncode == 73 and name in done.stderr, (name, done)
    assert pipe.is_fifo() and real.read_text() == "old"
    for path in (link, real):
        real.write_text("old")
        assert cli(daemon, "backup", "--force", str(path)).returncode == 0
        assert link.is_symlink() and not real.is_symlink()
        assert cli(daemon, "restore", "--check", str(real)).returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "nowhere", "pipe", "real", "there"]


NO_LINK = """
#include <errno.h>
int link(const char *a, const char *b) { (void)a; (void)b; errno = EPERM; return -1; }
int linkat(int a, const char *b, int c, const char *d, int e)
{ (void)a; (void)b; (void)c; (void)d; (void)e; errno = EPERM; return -1; }
"""


def test_a_file_system_without_second_names(daemon, tmp_path, monkeypatch):
    """FAT has none. What is there already is not replaced there either."""
    shim = tmp_path / "shim.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", shim, "-x", "c", "-"], input=NO_LINK, text=True, check=True)
    fill(daemon)
    monkeypatch.setenv("LD_PRELOAD", str(shim))
    file = tmp_path / "new"
    assert cli(daemon, "backup", str(file)).returncode == 0
    whole = file.read_bytes()
    done = cli(daemon, "backup", str(file))
    assert done.returncode == 73 and "is there already" in done.stderr
    assert file.read_bytes() == whole and sorted(one.name for one in tmp_path.iterdir()) == ["new", "shim.so"]
    # What the timer runs every night.
    (tmp_path / "backups").mkdir()
    monkeypatch.setenv("TRESTLE_ENDPOINT", daemon.endpoint)
    monkeypatch.setenv("PATH", f"{BIN}:{os.environ['PATH']}")
    nightly = Path(__file__).parents[2] / "systemd" / "trestle-backup"
    subprocess.run([nightly, "--to", tmp_path / "backups"], check=True, stdout=subprocess.DEVNULL, timeout=60)
    assert [one.suffix for one in (tmp_path / "backups").iterdir()] == [".backup"]


def test_a_restore_for_which_there_is_no_memory(make_daemon, tmp_path):
    """It ended the daemon, in a service with `MemoryMax=` as under such a limit."""
    daemon, other, path = make_daemon(), make_daemon(), tmp_path / "large.backup"
    fill_big_table(daemon, 16_000, 900)
    assert cli(daemon, "backup", str(path)).returncode == 0
    other.ask("create", {}, "kept")
    pages = int(open(f"/proc/{other.process.pid}/statm").read().split()[0])
    before = resource.prlimit(other.process.pid, resource.RLIMIT_AS)
    most = pages * resource.getpagesize() + (12 << 20)
    resource.prlimit(other.process.pid, resource.RLIMIT_AS, (most, before[1]))
    done = cli(other, "restore", str(path))
    assert done.returncode == 1 and "bytes of memory that the restore needs: " in done.stderr, done
    assert [*other.tables()] == ["kept"] and other.do("kept", add={"id": "a"})["ok"]
    resource.prlimit(other.process.pid, resource.RLIMIT_AS, before)
    assert cli(other, "restore", str(path)).returncode == 0
    assert other.tables()["big"]["rows"] == 16_000


def test_restores_of_nothing(daemon):
    """No step is acknowledged that the daemon cannot start with again."""
    fill(daemon)
    before = {name: table["digest"] for name, table in daemon.tables().items()}
    parts = Restorer(daemon).backup()
    staged, empty = Restorer(daemon), Restorer(daemon)
    assert staged.part(0, *parts)["ok"]
    assert empty.part(0)["error"]["code"] == "badValue"
    assert empty.finish(0)["error"]["code"] == "noSuchRestore"
    assert staged.part(len(parts), "AAAA")["error"]["code"] == "malformed"
    assert staged.finish(len(parts), True)["error"]["code"] == "noSuchRestore"
    daemon.kill()
    daemon.start()
    assert {name: table["digest"] for name, table in daemon.tables().items()} == before
    assert staged.finish(len(parts), True)["error"]["code"] == "noSuchRestore"


def test_hostile_parts(daemon):
    """Parts that somebody made, not a daemon: refused by name, and nothing is there."""
    fill(daemon)
    parts = Restorer(daemon).backup()
    before = daemon.tables()
    dice = random.Random("hostile")
    codes = set()
    for _ in range(full(3_000, 300)):
        restorer = Restorer(daemon)
        reply = None
        for index, part in enumerate(parts):
            raw = bytearray(base64.b64decode(part))
            for _ in range(dice.choice([0, 1, 1, 3])):
                place = dice.randrange(len(raw))
                raw[place] ^= 1 << dice.randrange(8)
                if dice.random() < 0.2:
                    del raw[place:place + dice.randrange(20)]
            reply = restorer.part(index, base64.b64encode(bytes(raw)).decode())
            if not reply["ok"]:
                codes.add(reply["error"]["code"])
                break
        else:
            reply = restorer.finish(len(parts))
        if not reply["ok"]:
            assert reply["error"]["message"]
    print(sorted(codes))
    assert len(codes) >= 3
    after = daemon.tables()
    assert {name: after[name] for name in before} == before, "what was there was not touched"
    assert daemon.ask("check", timeout=60)["ok"]
    # What is no part at all, and numbers that are out of range.
    restorer = Restorer(daemon)
    assert restorer.step({})["error"]["code"] == "malformed"
    assert restorer.step({"parts": {"contents": [""]}})["error"]["code"] == "malformed"
    assert restorer.step({"parts": {"index": 0, "contents": ["?"]}})["error"]["code"] == "malformed"
    assert restorer.part(0, "")["error"]["code"] == "malformed"
    assert restorer.part(0)["error"]["code"] == "badValue"
    assert restorer.part(4_294_967_295, parts[0])["error"]["code"] == "noSuchRestore"
    assert restorer.finish(4_294_967_295)["error"]["code"] == "noSuchRestore"
    assert daemon.ask("restore", {"finish": {"parts": 0}})["error"]["code"] == "noSuchRestore"
    nobody = Link(daemon.endpoint)
    nobody.send(encode({"restore": {"parts": {"index": 0, "contents": [parts[0]]}}}))
    assert nobody.receive(5)["error"]["code"] == "malformed"
    nobody.close()
    assert daemon.ask("backup", {"id": "x", "chunk": 4_294_967_295})["error"]["code"] == "noSuchSnapshot"
