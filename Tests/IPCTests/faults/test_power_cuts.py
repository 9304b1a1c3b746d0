"""Power cuts: the daemon recovers from every state that a cut may leave of its own writes."""

import shutil
import signal
import time

import pytest

from faults import CONFIG, Commands, check_again, check_state, read_log, start, with_shim
from harness import Daemon, full
from powercut import cuts

STATES = full(4_000, 60)
COMMANDS = full(700, 450)


def record(daemon):
    """Runs the daemon with two kills and one clean end; gives its operations and the commands.

    `commands.when` has, for each answer, how many bytes the log had when it was received: what
    made the answer true stands in these bytes, or the answer was wrong.
    """
    log = daemon.directory / "operations"
    with_shim(daemon, log=log)
    commands = Commands(daemon, mark=lambda: log.stat().st_size)
    for part, end in ((0.2, signal.SIGKILL), (0.7, signal.SIGKILL), (0.1, signal.SIGTERM)):
        assert start(daemon), daemon.tail()
        assert commands.run(int(COMMANDS * part))
        daemon.kill(end)
    daemon.environment = {}
    return read_log(log, daemon.state.resolve()), commands


def check_cut(daemon, files, commands, acknowledged):
    """The daemon starts on these files, and has everything that was acknowledged, once."""
    shutil.rmtree(daemon.state, ignore_errors=True)
    daemon.state.mkdir(mode=0o700)
    for path, content in files.items():
        (daemon.state / path).write_bytes(content)
    begin = time.monotonic()
    assert start(daemon), daemon.tail(5)
    seconds = time.monotonic() - begin
    there = check_state(daemon, commands, acknowledged, set(commands.sent))
    # A command that nobody was told of may be there: the one that was under way.
    assert len(there) <= len(acknowledged) + 1, (len(there), len(acknowledged))
    return seconds


def every_cut(daemon, count, believes_syncs=True):
    ops, commands = record(daemon)
    longest = 0
    for number, (place, files) in enumerate(cuts(ops, count, "cuts", believes_syncs)):
        end = ops[place - 1].end if place else 0
        acknowledged = {n for n, bytes in commands.when.items() if bytes <= end}
        try:
            longest = max(longest, check_cut(daemon, files, commands, acknowledged))
            if number % 20 == 0:  # it also goes on from there, with what may have been under way
                sent = acknowledged | {len(acknowledged) + 1} & set(commands.sent)
                check_again(daemon, commands, acknowledged, sent)
        except BaseException as error:
            error.add_note(f"state {number}: cut after {place} of {len(ops)} operations, "
                           f"{({path: len(data) for path, data in files.items()})}")
            raise
        finally:
            daemon.kill()
    print(f"{count} states from {len(ops)} operations, {len(commands.replies)} commands "
          f"acknowledged, longest start {longest * 1000:.0f} ms")


@pytest.mark.bound(60, 1800)
def test_power_cuts():
    daemon = Daemon(CONFIG)
    try:
        every_cut(daemon, STATES)
    finally:
        daemon.close()


def test_syncs_that_are_none_are_noticed():
    """On a disk that does not sync when asked, acknowledged commands are lost: this must see it."""
    daemon = Daemon(CONFIG)
    try:
        with pytest.raises(AssertionError):
            every_cut(daemon, 60, believes_syncs=False)
    finally:
        daemon.close()
