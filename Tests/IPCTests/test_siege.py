"""Rows of attacks on memory and time: what others notice, what the daemon needs, who is ended.

The short form compares a few turns of less than a second; FULL=1 more of them, for figures to quote."""

import json
import os
import statistics

import pytest

from harness import full
from siege import AT_ONCE, ATTACKS, READS, siege

RESIDENT = 128 * 1024  # KiB
# Milliseconds. Of 500 round trips p99 is the sixth longest: below this it is the machine that is measured.
NOISE = 5.0
ENDED = {"4 topics": "topics", "6 an endless message": "message", "7 viewers that do not read": "unread",
         "8 silent connections": "full"}


def prepare(daemon):
    for table in ["board", "large"] + [f"t{n}" for n in range(100)]:
        daemon.ask("create", {}, table)
    for n in range(20):
        daemon.do("board", add={"id": f"r{n}", "title": f"Row {n}"})
    for start in range(0, 4_000, 500):
        commands = [{"add": {"id": f"b{n}", "title": "t" * 200}} for n in range(start, start + 500)]
        assert daemon.ask("batch", {"commands": commands}, "large")["ok"]


def is_felt(daemon, row):
    """The daemon has done what it is to do about this attack."""
    counters = daemon.stats()["counters"]
    if reason := ENDED.get(row):
        return counters.get(f"connections_dropped_{reason}", 0) > 0
    if row in AT_ONCE:
        return counters["replies_dropped"] > 0 and len(ended(counters)) >= 3
    if row.startswith("5"):
        return counters["replies_dropped"] + counters["connections_dropped_unread"] > 0
    return True


def ended(counters):
    return {name.removeprefix("connections_dropped_"): n for name, n in counters.items()
            if n and (name.startswith("connections_dropped_") or name == "replies_dropped")}


@pytest.mark.bound(120, 900)
@pytest.mark.parametrize("row", ATTACKS | full(READS | AT_ONCE, {}))
def test_others_notice_little(make_daemon, row):
    daemon, other = make_daemon(), make_daemon()
    prepare(daemon)
    prepare(other)
    # What others notice in quiet is a figure for the page: the bound is about the same attack on another daemon.
    *all_turns, most = siege(
        daemon, other, row, full(7, 3), full(4.0, 0.8), lambda: is_felt(daemon, row), with_quiet=full(True, False))
    quiet, beside, under = (statistics.median(times) if times else None for times in all_turns)
    # How much turns differ in which the daemon is not attacked: what the machine does by itself.
    calm = all_turns[0] + all_turns[1]
    noise = max(NOISE, max(calm) - min(calm))
    dropped = ended(daemon.stats()["counters"])
    figures = {"row": row, "quiet": quiet, "noise": noise, "beside": beside, "under": under, "MiB": most / 1024, "ended": dropped}
    print(json.dumps(figures))
    if path := os.environ.get("SIEGE"):
        with open(path, "a") as file:
            file.write(json.dumps(figures) + "\n")
    assert daemon.alive() and daemon.ask("check", timeout=30)["ok"]
    assert most <= RESIDENT
    assert under <= 1.5 * beside + noise
    assert is_felt(daemon, row), dropped
