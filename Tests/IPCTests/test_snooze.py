"""Rows that sleep until a time, and work that is paused (rules B12 and A22)."""

import time

import pytest

from harness import BIN, cli, eventually, full
from test_checks import fill
from test_next import in_line, queue, sections, waiting
from trestle_client import Writer


def now_ms():
    return int(time.time() * 1000)


def asleep(daemon):
    return {row["id"]: row["sleep"]["untilMs"] for rows in sections(daemon).values() for row in rows if "sleep" in row}


def woken(daemon):
    """When the daemon woke rows by itself, by its own date."""
    changes = reversed(daemon.ask("history", {}, "jobs")["changes"]["changes"])
    return [change["cause"]["timeMs"] for change in changes if change["cause"]["verb"] == "expire"]


@pytest.mark.bound(60, 120)
def test_rows_wake_at_their_time_over_a_kill_and_an_import(daemon):
    queue(daemon, 4)
    writer = Writer(daemon.endpoint, name="ada")
    until = now_ms() + 1_500
    assert writer.command("jobs", snooze={"rows": ["r0", "r1"], "untilMs": until})["ok"]
    assert writer.command("jobs", snooze={"rows": ["r2"], "untilMs": until + 500, "top": True})["ok"]
    # It comes asleep, as from an export.
    assert writer.command("jobs", add={"id": "r9", "section": "queued", "carried": {"sleep": {"untilMs": until}}})["ok"]
    assert writer.command("jobs", next={"section": "queued", "most": 9})["rows"][0]["row"] == "r3"
    assert set(asleep(daemon)) == {"r0", "r1", "r2", "r9"}
    daemon.kill()
    daemon.start()
    eventually(lambda: set(asleep(daemon)) == {"r2"}, 20, 0.02)
    eventually(lambda: not asleep(daemon), 20, 0.02)
    first, second = woken(daemon)
    # By the daemon's own date, which no load on this test changes.
    assert until <= first < until + 1_000 and until + 500 <= second < until + 1_500
    assert [row["id"] for row in sections(daemon)["queued"]] == ["r2", "r0", "r1", "r3", "r9"]
    assert daemon.ask("check", timeout=60)["ok"]
    writer.close()


@pytest.mark.bound(60, 120)
def test_a_worker_gets_a_row_when_it_wakes(daemon):
    queue(daemon, 1)
    daemon.do("jobs", snooze={"rows": ["r0"], "forMs": 1_000})
    worker = waiting(daemon, 1, "--timeout", "30")
    in_line(daemon, 1)
    eventually(lambda: worker.poll() == 0, 20, 0.02)
    assert sections(daemon)["queued"][0]["claim"]["holder"] == "w1"


@pytest.mark.bound(60, 120)
def test_what_is_paused_is_not_begun(daemon):
    queue(daemon, 3)
    writer = Writer(daemon.endpoint, name="ada")
    assert writer.command("jobs", act={"row": "r0", "action": "run"})["ok"]
    assert cli(daemon, "--as", "mary", "pause", "jobs", "--action", "run", "--note", "no paper").returncode == 0
    for command in ({"next": {"action": "run"}}, {"take": {"action": "run", "most": 5}}):
        assert writer.command("jobs", **command).get("invocations", []) == [], command
    for command in ({"act": {"row": "r1", "action": "run"}}, {"each": {"where": 'id == "r1"', "act": {"action": "run"}}}):
        refused = writer.command("jobs", **command)["error"]
        assert refused["code"] == "paused" and "mary" in refused["message"] and "no paper" in refused["message"]
    assert "no paper" in cli(daemon, "show", "jobs").stdout
    handler = daemon.beside_it([BIN / "trestle", "-e", daemon.endpoint, "handle", "jobs", "run", "--next", "--count", "3",
                                "--", "true"], "handler", cwd=daemon.directory)
    time.sleep(1)
    assert handler.poll() is None
    assert cli(daemon, "resume", "jobs").returncode == 0
    eventually(lambda: handler.poll() == 0, 30, 0.05)
    # A section that is paused gives out no row; those that wait get one when it goes on.
    daemon.do("jobs", pause={"section": "queued"})
    daemon.do("jobs", add={"id": "r7", "section": "queued"})
    assert writer.command("jobs", claim={"rows": ["r7"]})["error"]["code"] == "paused"
    worker = waiting(daemon, 1, "--timeout", "30")
    in_line(daemon, 1)
    daemon.do("jobs", pause={"resume": True})
    eventually(lambda: worker.poll() == 0, 20, 0.02)
    writer.close()


def at_rest(daemon):
    """The least time of a processor that the daemon's state thread took in a second, of five."""
    spent = []
    for _ in range(5):
        before = daemon.state_thread()
        time.sleep(1)
        spent.append(daemon.state_thread() - before)
    return min(spent)


@pytest.mark.bound(120, 300)
def test_what_only_waits_for_time_costs_nothing(daemon):
    """Neither rows that sleep nor a client that waits for an age are looked at before their moment has come."""
    count = full(100_000, 20_000)
    fill(daemon, "board", count)
    before = at_rest(daemon)
    waits = daemon.beside_it(
        [BIN / "trestle", "-e", daemon.endpoint, "wait", "board", "--until", "any(rows where age > 1h)"], "wait")
    eventually(lambda: daemon.stats()["counters"].get("requests_snapshot"), 30)
    time.sleep(1)
    beside = at_rest(daemon)
    assert waits.poll() is None
    for start in range(0, count, 10_000):
        slept = {"each": {"where": f"index >= {start} and index < {start + 10_000}", "snooze": {"forMs": 3_600_000}}}
        assert daemon.do("board", **slept)["ok"]
    assert daemon.ask("query", {"where": "asleep"}, "board")["found"]["count"] == count
    time.sleep(3)  # what has changed is written to a checkpoint meanwhile
    asleep_too = at_rest(daemon)
    print(f"the state thread in a second: {before * 1e3:.2f} ms, beside a wait {beside * 1e3:.2f} ms, "
          f"and with all rows asleep {asleep_too * 1e3:.2f} ms")
    # To look at 100,000 rows ten times a second would take five times as much.
    assert beside < 3 * before + 0.01 and asleep_too < 3 * before + 0.01
