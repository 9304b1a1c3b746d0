"""Readers that go away, and the progress of long work."""

import os
import pty
import select
import signal
import subprocess
import time

import pytest
from cli_daemon import BIN, recording, stop


@pytest.fixture
def board(daemon):
    """Much more than a pipe holds."""
    rows = "".join(
        f'{{"id":"r{number}","title":"{number:0800}","section":"s{number % 3}"}}\n'
        for number in range(1000))
    daemon.ok("import", "board", "-", "--create", stdin=rows.encode())
    daemon.ok("add", "board", "Last")
    stop(recording(daemon))
    return daemon


MUCH = [
    ["show", "board"], ["-o", "json", "show", "board"], ["-o", "ndjson", "show", "board"],
    ["-o", "svg", "show", "board"], ["-o", "html", "show", "board"], ["export", "board"],
    ["export", "board", "--format", "csv"], ["export", "board", "--format", "markdown"],
    ["export", "board", "--format", "json"], ["watch", "board"],
    ["watch", "board", "--since", "0"], ["-o", "json", "layout", "board", "--width", "320"],
    ["record", "board", "-"], ["replay", "board.session", "--speed", "0"],
    ["rpc", '{"table":"board","snapshot":{}}'], ["kinds", "board"], ["tables"], ["stats"],
    ["--help"], ["watch", "--help"], ["--generate-completion-script", "zsh"],
]


@pytest.mark.parametrize("arguments", MUCH, ids=" ".join)
def test_head(board, arguments):
    process = board.open(*arguments, bufsize=0)
    process.stdout.read(1)
    process.stdout.close()
    assert process.wait(20) == 0
    assert process.stderr.read() == b""
    process.stderr.close()


def test_input_that_never_waits(daemon):
    """Whoever started it has standard input in common with it, and set it so."""
    daemon.ok("create", "board")
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    process = daemon.open("batch", "board", stdin=reading)
    os.close(reading)
    for title in ("One", "Two"):
        time.sleep(0.5)
        assert process.poll() is None, process.stderr.read()
        os.write(writing, f'{{"add":{{"title":"{title}"}}}}\n'.encode())
    os.close(writing)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (0, b"") and out.startswith(b"2 commands")


def test_explain_of_much(board):
    """A batch whose explanation is long."""
    commands = "".join(f'{{"remove":{{"rows":["r{number}"]}}}}\n' for number in range(1000))
    (board.directory / "commands").write_text(commands)
    with open(board.directory / "commands") as file:
        process = subprocess.Popen(
            [BIN / "trestle", "explain", "batch", "board"], stdin=file, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=board.environment)
        process.stdout.read(1)
        process.stdout.close()
        assert process.wait(20) == 0 and process.stderr.read() == b""
        process.stderr.close()


def test_progress_is_for_terminals(board):
    rows = "".join(f'{{"id":"n{number}","title":"{number:0600}"}}\n' for number in range(30_000))
    path = board.directory / "many.ndjson"
    path.write_text(rows)
    done = board.run("import", "quiet", str(path), "--create")
    assert (done.returncode, done.stderr) == (0, b"")
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [BIN / "trestle", "import", "loud", str(path), "--create"], stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=slave, env=dict(board.environment, TERM="xterm"))
    os.close(slave)
    text = ""
    end = time.monotonic() + 50
    while time.monotonic() < end:
        # A daemon that stands still most of the time: what is quick has no progress to show.
        board.process.send_signal(signal.SIGSTOP)
        time.sleep(0.1)
        board.process.send_signal(signal.SIGCONT)
        if select.select([master], [], [], 0.02)[0]:
            try:
                text += os.read(master, 65536).decode()
            except OSError:
                break
        elif process.poll() is not None:
            break
    assert process.wait(10) == 0
    assert process.stdout.read().startswith(b"30000 rows: 30000 added")
    process.stdout.close()
    os.close(master)
    assert "importing into loud: " in text and " %" in text
    assert text.endswith("\r\x1b[K"), "it leaves nothing"


def test_nothing_is_open(board):
    """What is told goes nowhere, and not into a socket or a file that gets its number. It is a failure to tell."""
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", BIN / "trestle", "add", "board", "New", "--id", "new"],
        env=board.environment, timeout=20)
    assert done.returncode == 74
    assert "New" in board.ok("show", "board")
