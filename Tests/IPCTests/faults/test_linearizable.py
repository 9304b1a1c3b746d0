"""The answers to eight writers and a reader are one history, also over kills."""

import random
import time

import pytest

from harness import SWIPEABLE, full
from history import Event, check_effects, check_real_time
from test_in_sync import answers, start_writers
from trestle_client import Link
from trestle_table import Table

SECONDS = full(30, 3)
KILLS = full(8, 2)
# Every diff is kept, over restarts too, since they are the history that is looked at.
CONFIG = """
retain: {diffs: 10000000, bytes: 1073741824, total_bytes: 1073741824}
checkpoint: {after_bytes: 1073741824}
"""


def read_until(daemon, end, events, digests):
    """Reads the table's state again and again, until the time `end`."""
    link = Link(daemon.endpoint)
    while time.monotonic() < end:
        sent = time.monotonic()
        head = link.ask("tables")["tables"]["tables"][0]
        events.append(Event(sent, time.monotonic(), head["revision"], False))
        digests[head["revision"]] = head["digest"]
        time.sleep(0.005)
    link.close()


def diffs_since(daemon, history, revision):
    """Every diff behind a revision, from the daemon's log."""
    link, diffs = Link(daemon.endpoint), []
    while True:
        replay = link.ask("replay", {"history": history, "since": revision}, "board")["replay"]
        diffs += replay["publication"].get("diffs", [])
        if not diffs or diffs[-1]["base"] + 1 >= replay["head"]:
            link.close()
            return diffs
        revision = diffs[-1]["base"] + 1


def is_change(reply):
    return reply["ok"] and not reply.get("unchanged")


@pytest.mark.bound(60, 600)
def test_one_history(make_daemon):
    daemon = make_daemon(config=CONFIG)
    dice = random.Random("history")
    daemon.ask("create", {}, "board")
    assert daemon.do("board", define={"kinds": [SWIPEABLE]})["revision"] == 1
    beginning = daemon.ask("snapshot", {}, "board")
    events, digests, stop = [], {}, daemon.directory / "stop"
    writers = start_writers(daemon, "board", "history", 0, stop)
    for _ in range(KILLS):
        read_until(daemon, time.monotonic() + SECONDS / (KILLS + 1), events, digests)
        time.sleep(dice.uniform(0, 0.01))
        daemon.restart()
    read_until(daemon, time.monotonic() + SECONDS / (KILLS + 1), events, digests)
    stop.touch()
    said = answers(writers)
    reads = len(events)
    events += [Event(a["sent"], a["replied"], a["reply"]["revision"], is_change(a["reply"]))
               for a in said]
    check_real_time(events)

    diffs = diffs_since(daemon, beginning["history"], 1)
    for diff in diffs:
        digest = digests.pop(diff["base"] + 1, diff["digest"])
        assert digest == diff["digest"], "somebody read another state"
    digests.pop(1, None)
    assert not digests, "somebody read a revision that never was"
    changes = [(a["asked"], a["reply"]) for a in said if is_change(a["reply"])]
    check_effects(Table([beginning["snapshot"]]), diffs, changes)
    print(f"{len(said)} answers, {len(diffs)} revisions, {reads} reads, {KILLS} kills: one history")
    assert len(diffs) > 200 and reads > 10
    check_that_it_would_be_noticed(beginning, diffs, changes, events)


def check_that_it_would_be_noticed(beginning, diffs, changes, events):
    """Lies about the same history: an older revision, and a landing one row further down."""
    latest = max(events, key=lambda event: event.sent)
    with pytest.raises(AssertionError):
        check_real_time([*events, latest._replace(revision=latest.revision - 500)])
    asked, reply = next(change for change in changes if change[1].get("rows")
                        and "section" in change[1]["rows"][0])
    landing = reply["rows"][0]
    lie = reply | {"rows": [landing | {"index": landing.get("index", 0) + 1}]}
    lies = [(asked, lie) if change[1] is reply else change for change in changes]
    with pytest.raises(AssertionError):
        check_effects(Table([beginning["snapshot"]]), diffs, lies)
