"""A daemon that is stopped, and clocks that jump: nothing is lost, and it continues."""

import signal
import time
from pathlib import Path

import pytest

from faults import Commands, check_again, check_state, start
from harness import Daemon, eventually
from trestle_client import Viewer, Writer

TEN_YEARS = 315_576_000  # seconds


def at_head(viewer, daemon):
    """Whether the viewer is live, and at the daemon's head with its digest."""
    viewer.step(0.02)
    head = daemon.tables()["board"]
    return (viewer.freshness() == "live" and viewer.revision == head["revision"]
            and viewer.digest() == head["digest"])


def test_the_daemon_is_stopped_for_three_seconds(daemon):
    """Viewers say that what they show is old; commands sent meanwhile are done, once, afterwards."""
    daemon.ask("create", {}, "board")
    viewer, writer = Viewer(daemon.endpoint, "board"), Writer(daemon.endpoint, patience=0.5)
    eventually(lambda: at_head(viewer, daemon), 5, 0)
    assert writer.command("board", add={"id": "before"})["ok"]
    daemon.process.send_signal(signal.SIGSTOP)
    stopped, fresh = time.monotonic(), set()
    numbers = [writer.send("board", "command", {"add": {"title": f"n{n}"}}) for n in range(20)]
    while time.monotonic() < stopped + 3.5:  # a heartbeat is a second: stale after three
        viewer.step(0.05)
        writer.step(0)
        fresh.add(viewer.freshness().split(" for ")[0])
    assert "stale" in fresh, fresh
    daemon.process.send_signal(signal.SIGCONT)
    replies = {}

    def answered():
        """every command has its answer"""
        reply = writer.step(0.05)
        if reply:
            replies[reply["number"]] = reply
        return len(replies) == len(numbers)

    eventually(answered, 10, 0)
    assert all(reply["ok"] for reply in replies.values())
    assert writer.sent_again >= len(numbers)
    assert daemon.tables()["board"]["rows"] == 21
    eventually(lambda: at_head(viewer, daemon), 5, 0)
    assert viewer.counts["wrong"] == 0
    assert daemon.ask("check")["ok"]


@pytest.mark.parametrize("years", [10, -10])
def test_the_clock_jumps_while_it_serves(years, tmp_path):
    """The date jumps by ten years, there and back: heartbeats and commands go on."""
    library = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)
    if not library:
        pytest.skip("Debian's package faketime is not installed")
    date = tmp_path / "date"
    date.write_text("+0")
    daemon = Daemon()
    # Only the date: that the monotonic clock never jumps is the kernel's promise. Where it serves
    # stands in the environment, as under systemd: Swift finds its arguments beside the environment,
    # which libfaketime has moved, and then there are none.
    daemon.environment = {"LD_PRELOAD": str(library), "FAKETIME_NO_CACHE": "1",
                          "STATE_DIRECTORY": str(daemon.state),
                          "RUNTIME_DIRECTORY": str(daemon.directory),
                          "FAKETIME_TIMESTAMP_FILE": str(date),
                          "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    try:
        assert start(daemon)
        commands = Commands(daemon)
        assert commands.run(5)
        viewer = Viewer(daemon.endpoint, "board")
        eventually(lambda: at_head(viewer, daemon), 5, 0)
        for jump in (f"{years * TEN_YEARS // 10:+d}", "+0"):
            date.write_text(jump)
            assert commands.run(10)
            eventually(lambda: at_head(viewer, daemon), 5, 0)
            assert daemon.alive()
        made = [row["createdMs"] for row in viewer.table.rows.values()]
        assert max(made) - min(made) > 9 * 365 * 86_400_000, "the clock did not jump"
        end = time.monotonic() + 1.5
        while time.monotonic() < end:  # heartbeats come, or it would be stale
            viewer.step(0.05)
            assert viewer.freshness() == "live"
        daemon.environment = {}
        daemon.kill()
        assert start(daemon), daemon.tail()
        sent = set(commands.sent)
        check_state(daemon, commands, set(commands.replies), sent)
        check_again(daemon, commands, set(commands.replies), sent)
    finally:
        print(daemon.close())
