"""kill -9 at any moment, the start included, again and again: nothing lost, nothing twice."""

import random
import threading

import pytest

from faults import CONFIG, Commands, check_again, check_state, start
from harness import Daemon, full

KILLS = full(2_000, 40)
# Kills of one state directory, so that what is checked after each stays small.
KILLS_EACH = 50


def kill_after(daemon, seconds):
    """Kills the process that runs now, after so many seconds."""
    timer = threading.Timer(seconds, daemon.process.kill)
    timer.start()
    return timer


def one_directory(dice, kills):
    """Gives how many commands were acknowledged, how many starts were cut short."""
    daemon = Daemon(CONFIG)
    try:
        commands, cut_short = Commands(daemon), 0
        for _ in range(kills):
            # One in four while it starts, which takes some 10 ms; the others while it serves.
            at_start = dice.random() < 0.25
            served = start(daemon, begun=lambda: at_start and kill_after(
                daemon, dice.uniform(0, 0.02)))
            cut_short += not served
            if served:
                if not at_start:
                    kill_after(daemon, dice.uniform(0, 0.08))
                commands.run(10_000)
            daemon.process.wait(10)
            assert daemon.process.returncode == -9, daemon.tail()
            assert start(daemon), daemon.tail()
            acknowledged, sent = set(commands.replies), set(commands.sent)
            assert len(sent - acknowledged) <= 1
            check_state(daemon, commands, acknowledged, sent)
            daemon.kill()
        assert start(daemon), daemon.tail()
        assert commands.run(1)
        check_again(daemon, commands, set(commands.replies), set(commands.sent))
        return len(commands.replies), cut_short
    except BaseException as error:
        error.add_note(daemon.tail())
        raise
    finally:
        daemon.close()


@pytest.mark.bound(60, 1800)
def test_kills():
    dice = random.Random("kill loop")
    results = [one_directory(dice, min(KILLS_EACH, KILLS - done))
               for done in range(0, KILLS, KILLS_EACH)]
    acknowledged, cut_short = (sum(column) for column in zip(*results))
    print(f"{KILLS} kills and as many more after each check, {acknowledged} acknowledged, "
          f"{cut_short} in the middle of a start")
    assert acknowledged > KILLS and cut_short > 0
