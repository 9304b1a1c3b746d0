"""Workers that get rows by `next`: each row is worked on by one at a time, in order, and none is forgotten."""

import random
import time
from collections import defaultdict

import pytest

from harness import BIN, cli, eventually, full
from trestle_client import Writer

WORKERS = full(64, 16)
ROWS = full(10_000, 300)
KIND = {"id": "job", "trailing": {"actions": [{"id": "run", "effect": [
    {"move": {"section": "begun", "bottom": True}},
    {"invoke": {"deadline": 300, "then": [{"set": {"fields": {"state": "done"}}}]}}]}]}}
# A line each is one write, at the end of the file: no two mix.
WORK = 'echo "$TRESTLE_ROW begin $TRESTLE_ATTEMPT" >> runs; sleep 0.02; echo "$TRESTLE_ROW end $TRESTLE_ATTEMPT" >> runs'


def queue(daemon, rows):
    daemon.ask("create", {}, "jobs")
    assert daemon.do("jobs", define={"kinds": [KIND]})["ok"]
    assert daemon.do("jobs", section={"id": "queued"})["ok"]
    ids = [f"r{n}" for n in range(rows)]
    for start in range(0, rows, 500):
        commands = [{"add": {"id": id, "kind": "job", "section": "queued"}} for id in ids[start:start + 500]]
        assert daemon.ask("batch", {"commands": commands}, "jobs")["ok"]
    return ids


def sections(daemon):
    chunk = daemon.ask("snapshot", {}, "jobs")["snapshot"]
    rows = defaultdict(list)
    for n in range(chunk["chunks"]):
        if n:
            chunk = daemon.ask("snapshot", {"id": chunk["id"], "chunk": n}, "jobs")["snapshot"]
        for part in chunk["slices"]:
            rows[part["section"]] += part.get("rows", [])
    return rows


def worker(daemon, number, *flags):
    return daemon.beside_it(
        [BIN / "trestle", "-e", daemon.endpoint, "-o", "ndjson", "handle", "jobs", "run", "--next", "--section",
         "queued", *flags, "--", "sh", "-c", WORK], f"worker{number}", cwd=daemon.directory)


@pytest.mark.bound(180, 1800)
def test_workers_and_the_daemon_are_killed(daemon):
    ids = queue(daemon, ROWS)
    dice = random.Random("next")
    workers = [worker(daemon, n) for n in range(WORKERS)]
    killed = 0

    def all_done():
        return all(row.get("fields", {}).get("state") == "done" for row in sections(daemon)["begun"])

    while len(sections(daemon)["queued"]) > 0:
        time.sleep(dice.uniform(0.2, 0.6))
        if killed % 4 == 3:
            daemon.kill()
            daemon.start()
        else:
            one = dice.randrange(WORKERS)
            workers[one].kill()
            workers[one].wait(10)
            workers[one] = worker(daemon, f"{one}-{killed}")
        killed += 1
    eventually(all_done, 60, every=0.5)

    begun = [row["id"] for row in sections(daemon)["begun"]]
    assert begun == ids, "given out in another order, or one is forgotten"
    told = defaultdict(list)
    for line in (daemon.directory / "runs").read_text().splitlines():
        row, what, attempt = line.split()
        told[row].append((what, int(attempt)))
    again = 0
    for row in ids:
        attempts = [attempt for what, attempt in told[row] if what == "begin"]
        # A worker may be killed before its program's first line.
        assert attempts == sorted(set(attempts)), f"{row}: {told[row]}"
        assert told[row][-1] == ("end", attempts[-1]), f"{row}: {told[row]}"
        for (what, attempt), (_, later) in zip(told[row], told[row][1:]):
            assert later >= attempt, f"{row} was worked on by two: {told[row]}"
        again += len(attempts) - 1
    print(f"{killed} kills, {ROWS} rows, {again} begun again")
    assert daemon.ask("check", timeout=60)["ok"]


@pytest.mark.bound(60, 120)
def test_no_race_is_lost(daemon):
    """Nobody presses what somebody else has pressed: no request is refused."""
    queue(daemon, 200)
    workers = [worker(daemon, n, "--jobs", "2") for n in range(4)]
    eventually(lambda: len(sections(daemon)["begun"]) == 200, 60, every=0.5)
    assert all(one.poll() is None for one in workers)
    assert daemon.stats().get("rejections", {}) == {}


@pytest.mark.bound(60, 120)
def test_claims_end_and_the_next_one_gets_the_row(daemon):
    queue(daemon, 2)
    ask = ["--as", "ada", "-o", "name", "next", "jobs", "--section", "queued"]
    assert cli(daemon, *ask, "--ttl", "1").stdout.split() == ["r0"]
    assert cli(daemon, *ask, "--ttl", "600").stdout.split() == ["r1"]
    nothing = cli(daemon, *ask)
    assert (nothing.returncode, nothing.stdout) == (66, "")
    assert cli(daemon, *ask, "--wait", "--timeout", "20").stdout.split() == ["r0"]
    late = cli(daemon, *ask, "--wait", "--timeout", "1")
    assert late.returncode == 75 and "in time" in late.stderr


def waiting(daemon, number, *flags):
    return daemon.beside_it(
        [BIN / "trestle", "-e", daemon.endpoint, "--as", f"w{number}", "-o", "name", "next", "jobs", "--section",
         "queued", "--wait", *flags], f"waiting{number}", cwd=daemon.directory)


def in_line(daemon, workers):
    eventually(lambda: daemon.stats()["gauges"]["waiting_workers"] == workers, 20, 0.02)


@pytest.mark.bound(60, 120)
def test_those_that_wait_are_served_in_order(daemon):
    """Also one that is gone gets nothing, and those that wait go on waiting when the daemon is started anew."""
    queue(daemon, 0)
    workers = []
    for number in range(6):
        workers.append(waiting(daemon, number))
        in_line(daemon, number + 1)
    # More than one round of copies: they keep their places.
    time.sleep(2)
    workers[2].kill()
    workers[2].wait(10)
    served = []
    for number in (0, 1, 3):
        daemon.do("jobs", add={"id": f"r{number}", "kind": "job", "section": "queued"})
        eventually(lambda number=number: workers[number].poll() == 0, 20)
        served.append(sections(daemon)["queued"][-1]["claim"]["holder"])
    assert served == ["w0", "w1", "w3"]
    daemon.kill()
    daemon.start()
    for number in (4, 5):
        daemon.do("jobs", add={"id": f"r{number}", "kind": "job", "section": "queued"})
    eventually(lambda: [workers[number].poll() for number in (4, 5)] == [0, 0], 20)
    holders = [row["claim"]["holder"] for row in sections(daemon)["queued"]]
    assert sorted(holders) == ["w0", "w1", "w3", "w4", "w5"]


@pytest.mark.bound(60, 120)
def test_a_handler_waits_in_the_same_line(daemon):
    """And when it is to end it leaves the line, and gets nothing any more."""
    queue(daemon, 0)
    handler = worker(daemon, "line")
    in_line(daemon, 1)
    first = waiting(daemon, 1)
    in_line(daemon, 2)
    for row in ("r0", "r1"):
        daemon.do("jobs", add={"id": row, "kind": "job", "section": "queued"})
    eventually(lambda: first.poll() == 0, 20)
    eventually(lambda: [row["id"] for row in sections(daemon)["begun"]] == ["r0"], 20)
    assert sections(daemon)["queued"][0]["claim"]["holder"] == "w1"
    in_line(daemon, 1)
    handler.terminate()
    assert handler.wait(20) == 0
    in_line(daemon, 0)
    misspelt = cli(daemon, "handle", "jobs", "run", "--next", "--section", "qeued", "--", "true")
    assert misspelt.returncode == 1 and 'no section "qeued"' in misspelt.stderr


@pytest.mark.bound(60, 120)
def test_one_that_asks_comes_after_those_that_wait(daemon):
    """Rows become free in many ways: the first of those that wait gets them, also where somebody asks in that moment."""
    queue(daemon, 1)
    ask = Writer(daemon.endpoint, name="boss")
    assert ask.command("jobs", next={"section": "queued"})["rows"][0]["row"] == "r0"
    first = waiting(daemon, 1, "--timeout", "30")
    in_line(daemon, 1)
    writer = Writer(daemon.endpoint, name="late")
    for wait in (-1, 86_401, 1e300):
        refused = writer.command("jobs", next={"section": "queued", "wait": wait})
        assert refused["error"]["code"] == "badNumber" and refused["error"]["field"] == "command.next.wait"
    for change in ({"unclaim": {"holder": "boss"}}, {"set": {"row": "r0", "fields": {"a": "b"}}},
                   {"move": {"rows": ["r0"], "section": "queued", "bottom": True}}):
        daemon.do("jobs", **change)
    eventually(lambda: first.poll() == 0, 20)
    assert writer.command("jobs", next={"section": "queued"}).get("rows", []) == []
    assert sections(daemon)["queued"][0]["claim"]["holder"] == "w1"
    # Nothing comes: it ends when it said that it would.
    begin = time.monotonic()
    nothing = writer.command("jobs", next={"section": "queued", "wait": 0.5})
    assert nothing.get("rows", []) == [] and 0.4 < time.monotonic() - begin < 5
    for wait in (-1, 86_401):
        refused = writer.command("jobs", next={"wait": wait})
        assert refused["error"]["code"] == "badNumber" and refused["error"]["field"] == "command.next.wait"
    ask.close()
    writer.close()


@pytest.mark.bound(60, 120)
def test_waiting_costs_nothing(daemon):
    """Rows that do not fit come and go beside many that wait: nobody asks again, and nobody is kept waiting."""
    queue(daemon, 2000)
    writer = Writer(daemon.endpoint, name="ada")
    workers = [Writer(daemon.endpoint, name=f"w{n}") for n in range(64)]
    for one in workers:
        one.send("jobs", "command", {"next": {"section": "queued", "where": 'field.never == "x"', "wait": 30}})
    in_line(daemon, len(workers))
    asked = daemon.stats()["counters"]["requests_next"]
    times = []
    for n in range(500):
        begin = time.monotonic()
        assert writer.command("jobs", set={"row": f"r{n}", "fields": {"a": f"{n}"}})["ok"]
        times.append(time.monotonic() - begin)
    assert daemon.stats()["counters"]["requests_next"] == asked, "the test took longer than a second"
    print(f"the longest of 500 commands beside 64 that wait took {max(times) * 1e3:.1f} ms")
    assert writer.command("jobs", set={"row": "r7", "fields": {"never": "x"}})["ok"]
    assert workers[0].step(5)["rows"][0]["row"] == "r7"
    in_line(daemon, len(workers) - 1)
    for one in [writer, *workers]:
        one.close()


@pytest.mark.bound(60, 120)
def test_a_bad_row_does_not_stop_the_queue(daemon):
    """The action has failed on rows on which it cannot begin, as everybody sees; the next row is given out."""
    daemon.ask("create", {}, "jobs")
    run = {"id": "run", "effect": [{"increment": {"by": {"tries": 1}}}, {"invoke": {"deadline": 300}}]}
    assert daemon.do("jobs", define={"kinds": [{"id": "job", "trailing": {"actions": [run]}}]})["ok"]
    for number, tries in enumerate(["many", "", "none", "3"]):
        fields = {"tries": tries} if tries else {}
        daemon.do("jobs", add={"id": f"r{number}", "kind": "job", "section": "queued", "fields": fields})
    writer = Writer(daemon.endpoint, name="ada")
    first = writer.command("jobs", next={"action": "run"})
    assert [row["row"] for row in first["rows"]] == ["r1"]
    last = writer.command("jobs", next={"action": "run", "most": 9})
    assert [row["row"] for row in last["rows"]] == ["r3"]
    rows = {row["id"]: row for row in sections(daemon)["queued"]}
    assert [rows[id]["performed"][0].get("reason", "")[:19] for id in ("r0", "r2")] == ["Field \"tries\" is no"] * 2, rows
    assert rows["r3"]["fields"]["tries"] == "4"
    # Only bad rows are left: nothing is given out, and nothing is tried for ever.
    daemon.do("jobs", add={"id": "r9", "kind": "job", "section": "queued", "fields": {"tries": "x"}})
    assert writer.command("jobs", next={"action": "run"}).get("rows", []) == []
    assert writer.command("jobs", next={"action": "run"}).get("rows", []) == []
    writer.close()
