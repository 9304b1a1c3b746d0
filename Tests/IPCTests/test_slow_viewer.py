"""A stopped viewer costs the daemon nothing, and catches up when it continues (Must show 4)."""

import signal
import time

import pytest

from harness import eventually, full, last_revision
from trestle_client import Writer

DIFFS = full(100_000, 10_000)
ROWS = 200


def run(make_daemon, stop_one):
    """How much the daemon grew by DIFFS diffs, in KiB; and the seconds that a stopped viewer took."""
    daemon = make_daemon()
    daemon.ask("create", {}, "board")
    for _ in range(2):
        daemon.ask("batch", {"commands": [{"add": {"title": "x" * 200}} for _ in range(ROWS // 2)]}, "board")
    chunk = daemon.ask("snapshot", {}, "board")["snapshot"]
    rows = [r["id"] for part in chunk["slices"] for r in part["rows"]]
    healthy, other = daemon.viewer("board", "healthy"), daemon.viewer("board", "other")
    eventually(lambda: all(last_revision(v.path)[0] for v in (healthy, other)), 10)
    if stop_one:
        other.send_signal(signal.SIGSTOP)
    writer, before, peak = Writer(daemon.endpoint), daemon.rss(), 0
    sent = 0
    while sent < DIFFS or writer.under_way:
        while sent < DIFFS and writer.may_send() and len(writer.under_way) < 32:
            writer.send("board", "command", {"set": {
                "row": rows[sent % ROWS], "title": f"{sent:08} " + "y" * 200}})
            sent += 1
        reply = writer.step(1)
        assert reply is None or reply["ok"]
        if reply and reply["number"] % 1000 == 0:
            peak = max(peak, daemon.rss())
    grown = max(peak, daemon.rss()) - before
    head = daemon.tables()["board"]

    def at_head(viewer):
        return lambda: last_revision(viewer.path) == (head["revision"], head["digest"])

    begin = time.monotonic()
    eventually(at_head(healthy), full(2, 5))  # it kept up
    kept_up = time.monotonic() - begin
    seconds = None
    if stop_one:
        other.send_signal(signal.SIGCONT)
        begin = time.monotonic()
        eventually(at_head(other), full(2, 5))
        seconds = time.monotonic() - begin
    writer.close()
    return grown, seconds, kept_up


@pytest.mark.bound(120, 900)
def test_slow_viewer(make_daemon):
    without, _, _ = run(make_daemon, stop_one=False)
    grown, seconds, kept_up = run(make_daemon, stop_one=True)
    print(f"{DIFFS} diffs: the daemon grew {grown} KiB with a stopped viewer, {without} KiB without; "
          f"it was at the head {seconds:.2f} s after SIGCONT; the healthy one after {kept_up:.2f} s")
    assert grown - without <= 32 * 1024
