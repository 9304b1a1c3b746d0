"""Requests that only the daemon can answer hold nobody up: `check` is done in slices and shared, and
`hello`, `health` and `stats` count towards a turn's time."""

import json
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest

from harness import BIN, HERE, eventually, full, has_cli, lines
from trestle_client import Link, Writer

ROWS = full(100_000, 20_000)
MOST = 0.5 if BIN.name == "debug" else 0.1  # seconds; hashing is some 50 times slower there


class Watchdog(threading.Thread):
    """Takes the place of systemd: notes when it was told that the daemon is alive."""

    def __init__(self, path):
        super().__init__(daemon=True)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(path))
        self.times = []
        self.start()

    def run(self):
        while True:
            if b"WATCHDOG=1" in self.socket.recv(4096):
                self.times.append(time.monotonic())

    def longest(self, since):
        times = [since, *(t for t in self.times if t >= since), time.monotonic()]
        return max(later - earlier for earlier, later in zip(times, times[1:]))


def fill(daemon, table, rows):
    daemon.ask("create", {}, table)
    writer, made = Writer(daemon.endpoint), 0
    while made < rows or writer.under_way:
        while made < rows and writer.may_send() and len(writer.under_way) < 4:
            some = range(made, min(made + 1000, rows))
            writer.send(table, "batch", {"commands": [
                {"add": {"id": f"r{n}", "title": f"Row {n}", "fields": {"n": str(n)}}} for n in some]})
            made += 1000
        writer.step(1)
    writer.close()


@pytest.mark.bound(120, 300)
def test_a_thousand_of_each_hold_nobody_up(make_daemon):
    daemon = make_daemon(start=False)
    watchdog = Watchdog(daemon.directory / "notify")
    daemon.environment = {"NOTIFY_SOCKET": str(daemon.directory / "notify"), "WATCHDOG_USEC": "2000000"}
    daemon.start()
    fill(daemon, "board", ROWS)
    daemon.ask("create", {}, "small")
    daemon.do("small", add={"id": "a"})
    begin = time.monotonic()
    assert daemon.ask("check", timeout=100)["ok"]
    print(f"a check by itself: {time.monotonic() - begin:.2f} s")

    peers, each = 10, full(100, 20)
    askers = daemon.beside_it([sys.executable, HERE / "asking_process.py", daemon.endpoint, peers, each],
                              "askers", stdin=subprocess.PIPE)
    eventually(lambda: lines(askers.path), 20)
    link, begin, waits = Link(daemon.endpoint), time.monotonic(), []
    link.ask("tables")
    askers.stdin.write(b"go\n")
    askers.stdin.flush()
    while askers.poll() is None:
        asked = time.monotonic()
        reply = link.ask("command", {"set": {"row": "a", "title": f"{asked}"}}, "small")
        assert reply["ok"], reply
        waits.append(time.monotonic() - asked)
        time.sleep(0.001)
    counts, took = lines(askers.path)[-1], time.monotonic() - begin
    fed = watchdog.longest(begin)
    waits.sort()
    print(f"{counts} in {took:.1f} s; others waited {waits[len(waits) // 2] * 1e3:.1f} ms, at most "
          f"{waits[-1] * 1e3:.0f} ms, of {len(waits)}; the watchdog {fed:.2f} s")
    assert counts == {verb: peers * each for verb in ("check", "health", "hello", "stats")}
    assert waits[-1] <= MOST
    assert fed <= 1.2
    link.close()


def test_who_asks_is_answered_by_a_check_that_begins_afterwards(daemon):
    """Each check sees what was committed before it was asked for."""
    fill(daemon, "board", 5_000)
    links = [Link(daemon.endpoint) for _ in range(20)]
    for turn in range(5):
        position = daemon.do("board", set={"row": "r1", "title": f"t{turn}"})["revision"]
        for n, link in enumerate(links):
            link.send(json.dumps({"client": f"c{n}", "number": turn, "check": {}}).encode())
        for n, link in enumerate(links):
            reply = link.receive(20)
            assert reply["ok"] and (reply["client"], reply["number"]) == (f"c{n}", turn)
            assert reply["check"]["tables"][0]["revision"] >= position
    # More than may wait are told so.
    link, answers = links[0], []
    for n in range(3_000):
        link.send(json.dumps({"client": "many", "number": n, "check": {}}).encode())
        if n % 100 == 99:
            while len(answers) <= n - 2_200 and (reply := link.receive(20)):
                answers.append(reply)
    while len(answers) < 3_000 and (reply := link.receive(5)):
        answers.append(reply)
    codes = {reply["error"]["code"] for reply in answers if not reply["ok"]}
    print(f"{len(answers)} answers, {codes}")
    assert codes <= {"tooLarge"} and any(reply["ok"] for reply in answers)
    for link in links:
        link.close()


@pytest.mark.bound(120, 240)
def test_a_check_goes_on_while_the_table_and_its_checkpoints_do(make_daemon):
    """Rows come, go and move, checkpoints are written, entries removed: nothing is called damaged."""
    daemon = make_daemon(config="checkpoint: {after_bytes: 65536}\n")
    fill(daemon, "board", 4_000)
    writer, link, sent, checks, covered = Writer(daemon.endpoint), Link(daemon.endpoint), 0, 0, 0
    begin = time.monotonic()
    link.send(json.dumps({"client": "c", "number": 0, "check": {}}).encode())
    while time.monotonic() < begin + full(30, 4) or checks < 3 or covered < 10:
        while writer.may_send() and len(writer.under_way) < 16:
            sent += 1
            row = f"r{sent * 7919 % 4000}"
            writer.send("board", *[
                ("command", {"move": {"rows": [row], "top": True}}),
                ("command", {"set": {"row": row, "title": "x" * (sent % 300)}}),
                ("batch", {"commands": [{"remove": {"rows": [row]}},
                                        {"add": {"id": row, "top": True}}]}),
                ("command", {"swap": {"a": row, "b": f"r{sent % 4000}"}}),
            ][sent % 4])
        writer.step(0.001)
        if reply := link.receive(0):
            assert reply["ok"], reply
            checks += 1
            covered = daemon.stats()["gauges"]["journal_checkpoint"]
            link.send(json.dumps({"client": "c", "number": checks, "check": {}}).encode())
    print(f"{checks} checks beside {sent} commands, checkpoint at {covered}")
    writer.close(), link.close()


def test_damage_under_a_running_daemon_is_found(daemon):
    """A flipped byte in the middle of a file of the journal."""
    fill(daemon, "board", 5_000)
    assert daemon.ask("check")["ok"]
    file, data = next((file, data) for file in sorted(daemon.state.glob("*-*"))
                      if b"Row 2500" in (data := file.read_bytes()))
    place = data.index(b"Row 2500")
    with file.open("r+b") as file:
        file.seek(place)
        file.write(bytes([data[place] ^ 0x10]))
    reply = daemon.ask("check")
    assert not reply["ok"] and reply["error"]["code"] == "damaged", reply
    eventually(lambda: "check found damage" in daemon.tail(), 5)


def test_a_check_right_after_a_kill(make_daemon):
    """What an earlier process left is checked too."""
    daemon = make_daemon()
    fill(daemon, "board", 2_000)
    daemon.kill()
    daemon.start()
    checked = daemon.ask("check", timeout=30)
    assert checked["ok"], checked
    assert checked["check"]["position"] > 0


def test_who_waits_for_a_check_when_the_daemon_ends_is_told(make_daemon):
    """One check is under way, others wait for the next: none is left without an answer."""
    daemon = make_daemon()
    fill(daemon, "board", 5 * ROWS)
    links = [Link(daemon.endpoint) for _ in range(6)]
    for link in links:
        link.ask("tables")
    # All ask while the daemon is stopped: a program that starts may take longer than a check.
    daemon.process.send_signal(signal.SIGSTOP)
    for n, link in enumerate(links):
        link.send(json.dumps({"client": f"c{n}", "number": 1, "check": {}}).encode())
    by_hand = None
    if has_cli():
        by_hand = subprocess.Popen(
            [BIN / "trestle", "-e", daemon.endpoint, "check"], stderr=subprocess.PIPE)
        time.sleep(1)  # it has started, and waits for the answer to its hello
    daemon.process.send_signal(signal.SIGCONT)
    asked = len(links) + (by_hand is not None)
    looks = Link(daemon.endpoint)
    eventually(lambda: looks.ask("stats")["stats"]["gauges"]["waiting_checks"] == asked, 5, 0.001)
    daemon.kill(signal.SIGTERM)
    replies = [link.receive(5) for link in links]
    for n, reply in enumerate(replies):
        assert reply and (reply["client"], reply["number"]) == (f"c{n}", 1), replies
        assert reply["error"] == {
            "code": "interrupted", "message": "The daemon is stopping: the check was not finished."}
        links[n].close()
    if by_hand:
        said = by_hand.communicate(timeout=10)[1]
        assert (by_hand.returncode, said) == (
            1, b"trestle: The daemon is stopping: the check was not finished.\n")
