"""What waits for an action's end, and what handles it, while tables are dropped, restored and clients forgotten."""

import fcntl
import json
import os
import pty
import resource
import select
import signal
import subprocess
import termios
import time

import pytest
from cli_daemon import BIN

KINDS = {"kinds": {"k": {"trailing": {"actions": [
    {"id": "page", "title": "Page", "effect": {"invoke": {"deadline": 600}}}]}}}}


@pytest.fixture
def board(daemon):
    """A table whose rows have an action that waits for a handler."""
    (daemon.directory / "kinds.json").write_text(json.dumps(KINDS))
    daemon.ok("create", "board")
    daemon.ok("define", "board", "kinds.json")
    for number in range(3):
        daemon.ok("add", "board", f"Row {number}", "--id", f"r{number}", "--kind", "k")
    return daemon


def until(what, seconds=10):
    deadline = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < deadline, "not in time"
        time.sleep(0.05)
    return found


def waiting(daemon, row):
    """An `act --wait` whose press is pending."""
    process = daemon.open("act", "board", row, "page", "--wait", "--timeout", "30")
    until(lambda: json.loads(daemon.ok("-o", "json", "show", "board")).get("invocations"))
    return process


def test_a_drop_ends_the_wait(board):
    process = waiting(board, "r0")
    board.ok("drop", "board")
    out, err = process.communicate(timeout=10)
    assert (process.returncode, out) == (66, b"") and b"was dropped" in err


def test_a_restore_is_not_its_end(board):
    board.ok("backup", "then")
    # Beyond the revision of the press that comes: the restored table has no invocation, and looks as if it had ended.
    process = waiting(board, "r0")
    board.ok("restore", "then", "--replace")
    for number in range(5):
        board.ok("add", "board", f"More {number}")
    out, err = process.communicate(timeout=10)
    assert (process.returncode, out) == (66, b"") and b"restored" in err


def test_a_handler_goes_on_after_a_restore(board):
    board.ok("backup", "then")
    for number in range(40):
        board.ok("set", "board", "r2", "--title", f"Title {number}")
    handler = board.open("-o", "ndjson", "handle", "board", "page", "--count", "2", "--timeout", "30", "--", "true")
    board.ok("act", "board", "r0", "page", "--wait", "--timeout", "10")
    board.ok("restore", "then", "--replace")
    board.ok("act", "board", "r1", "page", "--wait", "--timeout", "10")
    out, err = handler.communicate(timeout=10)
    assert handler.returncode == 0, err
    assert [json.loads(line)["row"] for line in out.splitlines()] == ["r0", "r1"]


@pytest.mark.parametrize("daemon", ["limits: {sessions: 2}"], indirect=True)
def test_a_handler_that_was_forgotten_goes_on(board):
    handler = board.open("-o", "ndjson", "handle", "board", "page", "--count", "2", "--timeout", "60", "--", "true")
    for row in ("r0", "r1"):
        # Each run is another client.
        for number in range(3):
            board.ok("set", "board", "r2", "--title", f"{row} {number}")
        board.ok("act", "board", row, "page", "--wait", "--timeout", "10")
    out, err = handler.communicate(timeout=10)
    assert handler.returncode == 0, err
    assert [json.loads(line)["accepted"] for line in out.splitlines()] == [True, True]


def standing(place):
    """What somebody reads who has stopped doing so: two descriptors, and what makes the reader go on."""
    if place == "pipe":
        reader, writer = os.pipe()
        fcntl.fcntl(writer, 1031, 4096)  # F_SETPIPE_SZ
        os.write(writer, b"-" * 4096)
        return reader, writer, lambda: None
    reader, writer = pty.openpty()
    termios.tcflow(writer, termios.TCOOFF)
    return reader, writer, lambda: termios.tcflow(writer, termios.TCOON)


@pytest.mark.parametrize("place", ["pipe", "terminal"])
def test_a_handler_goes_on_where_nobody_reads(board, place):
    """^S, a full pipe: what it holds is renewed and reported, and it ends when it is told to."""
    def handler(script):
        return subprocess.Popen(
            [BIN / "trestle", "handle", "board", "page", "--jobs", "2", "--", "sh", "-c", script],
            stdout=writer, stderr=writer, cwd=board.directory, env=board.environment)

    def pending():
        return json.loads(board.ok("-o", "json", "show", "board")).get("invocations")

    reader, writer, go_on = standing(place)
    first = handler("echo $TRESTLE_ROW >>runs; yes talk | head -c 400000 >&2")
    for row in "r0", "r1":
        board.ok("act", "board", row, "page")
    until(lambda: not pending())
    assert sorted((board.directory / "runs").read_text().split()) == ["r0", "r1"]
    text = b""
    go_on()
    while b"left out: nobody took what was printed" not in text:
        assert select.select([reader], [], [], 10)[0], text[-200:]
        text += os.read(reader, 1 << 16)
    first.send_signal(signal.SIGTERM)
    assert first.wait(10) == 0

    reader, writer, go_on = standing(place)
    second = handler("echo $TRESTLE_ROW >>runs; yes talk | head -c 400000 >&2; exec sleep 60")
    board.ok("act", "board", "r2", "page")
    until(lambda: "r2" in (board.directory / "runs").read_text())
    second.send_signal(signal.SIGTERM)
    time.sleep(0.2)
    second.send_signal(signal.SIGTERM)
    # The end that it has no reader for is not taken for a good one.
    assert second.wait(10) in (0, 74)
    until(lambda: not any(one.get("holder") for one in pending()))


@pytest.mark.parametrize("place", ["pipe", "terminal"])
def test_what_follows_ends_where_nobody_reads(board, place):
    for verb, ends in (["watch", "board", "-o", "json", "--timeout", "1"], None), (["record", "board", "-"], signal.SIGTERM):
        _, writer, _ = standing(place)
        process = subprocess.Popen(
            [BIN / "trestle", *verb], stdout=writer, stderr=subprocess.PIPE, cwd=board.directory, env=board.environment)
        if ends:
            time.sleep(0.5)
            process.send_signal(ends)
        assert process.wait(10) == 74, verb
        assert b"nobody takes what is printed" in process.stderr.read()


def begun_backup(board, directory):
    """One that stands still with a file that it has begun, since the daemon does."""
    board.process.send_signal(signal.SIGCONT)
    for _ in range(50):
        process = board.open("backup", "backups/b", "--force", "--timeout", "30")
        while process.poll() is None and not any(name != "b" for name in os.listdir(directory)):
            pass
        board.process.send_signal(signal.SIGSTOP)
        time.sleep(0.05)
        if process.poll() is None and any(name != "b" for name in os.listdir(directory)):
            return process
        board.process.send_signal(signal.SIGCONT)
        process.wait(10)
        (directory / "b").unlink(missing_ok=True)
    raise AssertionError("no backup was caught in the middle")


def test_no_half_backup_stays(board):
    """Whatever ends it, the disk has a whole file or none."""
    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    # The program that runs the tests may ignore it, as nohup does, and so would a backup.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    directory = board.directory / "backups"
    directory.mkdir()
    done = subprocess.run(
        [BIN / "trestle", "backup", "backups/b"], capture_output=True, cwd=board.directory, env=board.environment,
        preexec_fn=limited, timeout=30)
    assert done.returncode == 74 and done.stderr == b"trestle: cannot write to backups/b: File too large\n", done
    assert not list(directory.iterdir())
    for number in signal.SIGHUP, signal.SIGUSR1, signal.SIGXCPU, signal.SIGVTALRM, signal.SIGPWR, signal.SIGRTMIN:
        process = begun_backup(board, directory)
        process.send_signal(number)
        assert process.wait(10) == -number
        assert not list(directory.iterdir()), number
    board.process.send_signal(signal.SIGCONT)


def test_a_batch_that_is_too_large(board):
    fields = {"note": "x" * 1_200}
    commands = [{"add": {"title": str(number), "fields": fields}} for number in range(1_000)]
    lines = "\n".join(json.dumps(one) for one in commands).encode()
    for verb in (["batch"], ["explain", "batch"]):
        done = board.run("-o", "json", *verb, "board", stdin=lines)
        assert done.returncode == 1, done.stderr
        assert json.loads(done.stdout)["error"]["code"] == "tooLarge"
