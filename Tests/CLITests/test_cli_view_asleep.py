"""`trestle view` after a time in which it did not run: its machine slept, or its shell had stopped it."""

import json
import os
import re
import signal
import struct
import subprocess
import time

import pyte
import pytest
from cli_daemon import BIN, HERE
from terminal import Terminal
from viewer import DOWN, ENTER, ESC, Pty


@pytest.fixture
def board(daemon):
    daemon.ok("create", "board")
    for name in ("fries", "soup", "fish"):
        daemon.ok("add", "board", name, "--id", name)
    return daemon


def order(daemon):
    return [row["id"] for row in json.loads(daemon.ok("-o", "json", "show", "board"))["rows"]]


def test_a_machine_that_slept_shows_nothing_old_as_live(board):
    """A monotonic clock stands still meanwhile: by it nothing was silent."""
    shim, slept = board.directory / "asleep.so", board.directory / "slept"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", shim, HERE / "asleep.c"], check=True)
    slept.write_bytes(bytes(8))
    viewer = Pty(board, "board", LD_PRELOAD=str(shim), ASLEEP=str(slept))
    try:
        viewer.wait_for("● live", "fries")
        board.process.send_signal(signal.SIGSTOP)
        with slept.open("r+b") as file:
            file.write(struct.pack("<q", 3_600))
        # An hour of silence, and no second more than has passed.
        viewer.wait(lambda lines: re.search("stale 36[0-9][0-9] s", "\n".join(lines)), what="an hour of silence")
        board.process.send_signal(signal.SIGCONT)
        viewer.wait_for("● live")
    finally:
        board.process.send_signal(signal.SIGCONT)
        viewer.close()


def test_the_first_screen_after_a_stop_is_not_that_of_before(board):
    shell = Terminal(board.directory, dict(board.environment, TERM="xterm-256color"))
    try:
        shell.type(f"{BIN / 'trestle'} view board\n")
        shell.until(lambda said: b"live" in said, 20, "the board")
        shell.type("\x1a")
        shell.prompt("the stop")
        time.sleep(5)  # longer than three heartbeats
        shell.type("fg\n")
        shell.until(lambda said: b"fries" in said.split(b"\x1b[?1049h")[-1] and b"\x1b[?2026l" in said.split(b"fries")[-1],
                    20, "the first screen")
        screen = pyte.Screen(100, 36)
        first = shell.said.split(b"\x1b[?1049h")[-1]
        first = first[:first.index(b"\x1b[?2026l", first.index(b"fries"))]
        pyte.ByteStream(screen).feed(first)
        shown = "\n".join(screen.display)
        assert "◐ stale" in shown and "● live" not in shown, shown
        shell.until(lambda said: b"live" in said, 20, "the board as it is now")
        shell.type("q")
        shell.prompt("the end")
    finally:
        shell.close()


def test_rows_in_the_hand_stay_there_whatever_is_put_down_late(board):
    """The answers to two lifts come together. The first one is of a row that was put down meanwhile: its lease ends, and that
    of the second is renewed on."""
    viewer = Pty(board, "board")
    try:
        viewer.wait_for("● live", "fries")
        board.process.send_signal(signal.SIGSTOP)
        for keys in ("m", ESC, "j", "m"):
            viewer.type(keys)
            time.sleep(0.2)
        viewer.process.send_signal(signal.SIGSTOP)
        board.process.send_signal(signal.SIGCONT)
        board.ok("health")
        time.sleep(1)
        viewer.process.send_signal(signal.SIGCONT)
        time.sleep(13)  # A lease holds for ten seconds, if nobody renews it.
        viewer.type(DOWN)
        time.sleep(0.3)
        viewer.type(ENTER)
        until = time.monotonic() + 10
        while order(board) != ["fries", "fish", "soup"]:
            assert time.monotonic() < until, viewer.text()
    finally:
        os.kill(board.process.pid, signal.SIGCONT)
        viewer.process.send_signal(signal.SIGCONT)
        viewer.close()
