"""`watch` against a daemon that comes and goes, through pipes and on a terminal."""

import fcntl
import json
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import threading
import time

import pytest
from cli_daemon import BIN


def lines_until(process, condition, seconds=20):
    """Lines as they come, until one fulfils the condition."""
    found = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if not select.select([process.stdout], [], [], 0.2)[0]:
            continue
        line = process.stdout.readline()
        assert line, f"it ended: {process.stderr.read()}"
        found.append(json.loads(line))
        if condition(found[-1]):
            return found
    raise AssertionError(f"did not come; had {len(found)} lines: {found[-3:]}")


def check_contiguous(lines):
    """The state, then each revision once, in order; a later state goes on from its revision."""
    assert "rows" in lines[0]
    revision = lines[0]["revision"]
    for line in lines[1:]:
        if "rows" in line:
            revision = line["revision"]
            continue
        assert line["base"] == revision, f"after {revision} came {line['base']}"
        assert line["revision"] == revision + 1
        revision = line["revision"]
    return revision


def end(process, number=signal.SIGTERM):
    process.send_signal(number)
    process.communicate(timeout=10)


def test_lines_are_flushed(daemon):
    daemon.ok("create", "board")
    # The reader's own buffer would hide what is waiting from select.
    watch = daemon.open("watch", "board", bufsize=0)
    lines_until(watch, lambda line: "rows" in line)
    for number in range(3):
        daemon.ok("add", "board", f"Row {number}")
        began = time.monotonic()
        found = lines_until(watch, lambda line: "ops" in line)
        assert found[-1]["revision"] == number + 1
        assert time.monotonic() - began < 1
    end(watch)


def test_who_tells_of_viewers_and_drags(daemon):
    daemon.ok("create", "board")
    daemon.ok("add", "board", "Sole", "--id", "a")
    watch = daemon.open("--as", "bob", "watch", "board", bufsize=0)
    lines_until(watch, lambda line: "rows" in line)
    lease = daemon.ok("-o", "name", "--as", "ada", "drag", "board", "lift", "a").strip()
    deadline = time.monotonic() + 10
    while len(lines := daemon.ok("-o", "ndjson", "who", "board").splitlines()) < 2:
        assert time.monotonic() < deadline, lines
    viewer, drag = map(json.loads, lines)
    assert viewer["name"] == "bob" and "lease" not in viewer
    assert (drag["lease"], drag["holder"], drag["rows"]) == (lease, "ada", ["a"])
    heading, first, *_ = daemon.ok("-o", "wide", "who", "board").splitlines()
    assert heading.split() == ["NAME", "SINCE", "REVISION", "LAG", "USER", "CLIENT"]
    assert first.startswith("bob ")
    end(watch)


def test_count_ends_it(daemon):
    daemon.ok("create", "board")
    watch = daemon.open("watch", "board", "--count", "2", bufsize=0)
    lines_until(watch, lambda line: "rows" in line)
    for number in range(3):
        daemon.ok("add", "board", f"Row {number}")
    out, err = watch.communicate(timeout=10)
    assert watch.returncode == 0 and err == b""
    assert [json.loads(line)["revision"] for line in out.splitlines()] == [1, 2]


def test_survives_kill_and_restart(daemon):
    daemon.ok("create", "board")
    watch = daemon.open("watch", "board", bufsize=0)
    found = lines_until(watch, lambda line: "rows" in line)
    stop = threading.Event()
    added = []

    def write():
        while not stop.is_set():
            added.append(daemon.ok("add", "board", "Row", "--timeout", "20").strip())

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(4):
            time.sleep(0.7)
            daemon.stop(signal.SIGKILL)
            time.sleep(0.3)
            daemon.start()
        time.sleep(0.5)
    finally:
        stop.set()
        writer.join()
    head = json.loads(daemon.ok("-o", "json", "show", "board"))
    found += lines_until(watch, lambda line: line["revision"] == head["revision"])
    check_contiguous(found)
    assert len([line for line in found if "rows" in line]) == 1, "no resync was needed"
    assert found[-1]["digest"] == head["digest"]
    ids = [row["id"] for row in head["rows"]]
    assert sorted(ids) == sorted(added), "each acknowledged row is there, once"
    end(watch)


def test_since_goes_on_over_a_restart(daemon):
    daemon.ok("create", "board")
    for number in range(5):
        daemon.ok("add", "board", f"Row {number}")
    first = daemon.ok("watch", "board", "--count", "2", "--since", "0", "--timeout", "10")
    last = json.loads(first.splitlines()[-1])["revision"]
    daemon.stop(signal.SIGKILL)
    daemon.start()
    rest = daemon.ok("watch", "board", "--since", str(last), "--timeout", "0.5")
    found = [json.loads(line)["revision"] for line in (first + rest).splitlines()]
    assert found == [1, 2, 3, 4, 5]


def test_a_daemon_that_is_away_while_it_catches_up_is_waited_for(daemon):
    """For as long as --timeout says, and without it for ever."""
    daemon.ok("create", "board")
    # More than one answer holds.
    for number in range(30):
        daemon.ok("add", "board", f"{number:04000}")
    watches = [daemon.open("watch", "board", "--since", "0", "--count", "30", *more, bufsize=0)
               for more in ([], ["--timeout", "4"])]
    # Nobody reads, so that each stands still in the middle.
    for watch in watches:
        assert b'"revision":1,' in watch.stdout.readline()
    time.sleep(1)
    daemon.process.send_signal(signal.SIGSTOP)
    try:
        found = [[], []]
        readers = [threading.Thread(target=lambda lines, watch: lines.extend(watch.stdout), args=pair)
                   for pair in zip(found, watches)]
        for reader in readers:
            reader.start()
        assert watches[1].wait(20) == 75
        time.sleep(4)
        assert watches[0].poll() is None and 0 < len(found[0]) < 29
    finally:
        daemon.process.send_signal(signal.SIGCONT)
    assert watches[0].wait(20) == 0
    for reader in readers:
        reader.join(10)
    assert [json.loads(line)["revision"] for line in found[0]] == list(range(2, 31))
    for watch in watches:
        watch.communicate()


@pytest.mark.parametrize("daemon", ["retain: {diffs: 10}"], indirect=True)
def test_what_is_no_longer_kept_is_a_new_state(daemon):
    """A viewer that slept too long is told the state anew, and goes on from there."""
    daemon.ok("create", "board")
    watch = daemon.open("watch", "board", bufsize=0)
    found = lines_until(watch, lambda line: "rows" in line)
    daemon.ok("add", "board", "Row")
    found += lines_until(watch, lambda line: "ops" in line)
    watch.send_signal(signal.SIGSTOP)
    daemon.stop(signal.SIGKILL)
    daemon.start()
    for _ in range(30):
        daemon.ok("add", "board", "Row")
    watch.send_signal(signal.SIGCONT)
    found += lines_until(watch, lambda line: line["revision"] == 31)
    daemon.ok("add", "board", "Row")
    found += lines_until(watch, lambda line: line["revision"] == 32)
    assert check_contiguous(found) == 32
    assert [line["revision"] for line in found if "rows" in line] == [0, 31]
    end(watch)
    since = daemon.ok("watch", "board", "--since", "3", "--timeout", "0.5").splitlines()
    assert [json.loads(line)["revision"] for line in since] == [32], "the state"
    since = daemon.ok("watch", "board", "--since", "30", "--timeout", "0.5").splitlines()
    assert [json.loads(line)["revision"] for line in since] == [31, 32], "the revisions"


def test_drop_ends_it(daemon):
    daemon.ok("create", "board")
    watch = daemon.open("watch", "board", bufsize=0)
    lines_until(watch, lambda line: "rows" in line)
    daemon.ok("drop", "board")
    _, err = watch.communicate(timeout=10)
    assert watch.returncode == 66
    assert err == b'trestle: The table "board" was dropped.\n'


def test_interrupt(daemon):
    daemon.ok("create", "board")
    watch = daemon.open("watch", "board", bufsize=0)
    lines_until(watch, lambda line: "rows" in line)
    watch.send_signal(signal.SIGINT)
    watch.communicate(timeout=10)
    assert watch.returncode == 130


def test_reader_that_goes_away(daemon):
    daemon.ok("create", "board")
    batch = "".join(f'{{"add":{{"title":"{number:0900}"}}}}\n' for number in range(500))
    daemon.ok("batch", "board", stdin=batch.encode())
    for verb in (["watch", "board"], ["show", "board"], ["export", "board"]):
        process = daemon.open(*verb, bufsize=0)
        process.stdout.read(10)
        process.stdout.close()
        assert process.wait(10) == 0, verb
        assert process.stderr.read() == b""
        process.stderr.close()


class Terminal:
    """A program on a pseudo terminal."""

    def __init__(self, daemon, *arguments, columns=70, **environment):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 20, columns, 0, 0))
        self.process = subprocess.Popen(
            [BIN / "trestle", *arguments], stdin=slave, stdout=slave, stderr=slave,
            env=dict(daemon.environment, TERM="xterm", **environment))
        os.close(slave)
        self.text = ""

    def read(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if not select.select([self.master], [], [], 0.1)[0]:
                continue
            try:
                part = os.read(self.master, 65536)
            except OSError:
                break
            if not part:
                break
            self.text += part.decode()
        return self.text

    def wait_for(self, text, seconds=10):
        end = time.monotonic() + seconds
        while text not in self.text:
            assert time.monotonic() < end, f"no {text!r} in {self.text[-500:]!r}"
            self.read(0.2)
        self.text = self.text.split(text, 1)[1]

    def close(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        code = self.process.wait(10)
        os.close(self.master)
        return code


def test_show_fits_the_terminal(daemon):
    title, note = "Two soups and a salmon without nuts", "the guest by the window is in a hurry"
    daemon.ok("create", "board")
    daemon.ok("add", "board", title, "--id", "t41", "--field", f"note={note}")
    daemon.ok("add", "board", "鮭" * 40, "--id", "t42", "--field", "qty=2")
    daemon.ok("add", "board", "Sole", "--id", "t43", "--field", f"note={note}")
    daemon.ok("claim", "board", "t43", "--note", "mine")
    whole = daemon.ok("show", "board")
    assert f"{title}  " in whole and f"note={note}" in whole, "it is not cut for a program"

    def lines(columns, *options):
        terminal = Terminal(daemon, *options, "show", "board", columns=columns, NO_COLOR="1")
        text = terminal.read(1)
        assert terminal.close() == 0
        return text.replace("\r\n", "\n")

    for columns in (1, 16, 40, 70, 200):
        for line in lines(columns).splitlines():
            width = sum(2 if character == "鮭" else 1 for character in line)
            assert width <= columns, (columns, line)
    # The note is cut first; what is left of both begins as it does elsewhere.
    assert "t41  Two soups a…  note=the guest b…" in lines(40)
    assert "note=the guest by t…" in lines(70)
    assert "[tester: mine]\n" in lines(90), "a claim is not cut before the note"
    assert lines(200) == whole
    daemon.ok("define", "board", "-", stdin=b"kinds: {fish: {emphasis: [{when: 'field.note ~ \"NUTS\"', field: note}]}}")
    daemon.ok("add", "board", title, "--id", "t44", "--kind", "fish", "--field", "qty=2", "--field",
              "note=ALLERGY: NUTS and whatever was near them")
    for columns in (24, 30, 40, 60, 90):
        text = " ".join(lines(columns).split())
        assert "ALLERGY: NUTS and whatever was near them" in text.replace("- ", ""), (columns, text)
    assert lines(40, "-o", "wide") == daemon.ok("-o", "wide", "show", "board")


def test_screen_says_how_fresh_it_is(daemon):
    daemon.ok("create", "board")
    screen = Terminal(daemon, "watch", "board")
    screen.wait_for("(no rows)")
    daemon.ok("add", "board", "evil \x1b]0;title\x07 and more", "--id", "a")
    screen.wait_for("\\u001b]0;title\\u0007")
    screen.wait_for("board at revision 1: live", 5)
    daemon.stop(signal.SIGKILL)
    screen.wait_for("not connected")
    daemon.start()
    screen.wait_for("live")
    daemon.process.send_signal(signal.SIGSTOP)
    screen.wait_for("stale: nothing heard for")
    daemon.process.send_signal(signal.SIGCONT)
    screen.wait_for("live")
    assert screen.close() == 130


def test_colour_on_a_terminal_only(daemon):
    daemon.ok("create", "board")
    assert "\x1b" not in daemon.ok("show", "board")
    for environment, has in (({}, True), ({"NO_COLOR": "1"}, False), ({"CLICOLOR": "0"}, False)):
        screen = Terminal(daemon, "show", "board", **environment)
        text = screen.read(1)
        screen.process.wait(10)
        screen.close()
        assert ("\x1b[1m" in text) == has, (environment, text)
