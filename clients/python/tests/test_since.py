"""`follow(since=…)`: a program that ends, and a daemon that ends, and yet each change comes once."""

import asyncio
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from daemon import Daemon, full

import trestle
import trestle.aio

KILLS = full(100, 6)
PROGRAM = '''
import sys
import trestle

endpoint, kept = sys.argv[1:]
with open(kept, "a+") as notes:
    notes.seek(0)
    lines = [line.split() for line in notes.read().split("\\n")[:-1]]
    token = lines[-1][-1] if lines else None
    with trestle.connect(endpoint, patience=0.2) as client, client.follow("board", since=token) as viewer:
        for event in viewer:
            if isinstance(event, trestle.Change):
                assert viewer.table.revision == event.revision
                notes.write(f"change {event.revision} {len(viewer.table)} {viewer.token}\\n")
            elif isinstance(event, trestle.Joined):
                notes.write(f"joined {event.revision} {len(viewer.table)} {viewer.token}\\n")
            notes.flush()
'''


def told(viewer: trestle.Viewer, revision: int) -> list[trestle.Event]:
    """What it tells until it stands there."""
    events: list[trestle.Event] = []
    while not (viewer.table and viewer.table.revision >= revision):
        event = viewer.next(10)
        assert event, events
        events.append(event)
    return events


def test_it_goes_on_from_a_token(daemon: Daemon) -> None:
    with daemon.connect() as client:
        board = client.board("board")
        board.create()
        board.add("Soup", id="soup")
        with client.follow("board") as viewer:
            assert viewer.token is None
            viewer.joined()
            token = viewer.token
            assert token and token.startswith("1.")
        with client.follow("board", since=token) as viewer:
            assert viewer.token == token, "also before anything has come"
            assert told(viewer, 1) == [trestle.Compared("same")] and viewer.table and "soup" in viewer.table
        board.set("soup", title="Stew")
        for n in range(300):
            client.submit("command", {"add": {"title": f"Tea {n} " + "x" * 100}}, "board")
        last = board.remove("soup").revision
    daemon.kill()
    daemon.start()
    with daemon.connect() as client, client.follow("board", since=token) as viewer:
        first = viewer.next(10)
        assert first == trestle.Compared("extend") and viewer.table and viewer.table["soup"].title == "Soup"
        events = told(viewer, last)
        assert [one.revision for one in events if isinstance(one, trestle.Change)] == list(range(2, last + 1))
        assert len(events) == last - 1 and viewer.next(0.2) is None and viewer.freshness() == "live"
        assert viewer.table.digest() == client.read("board").digest()


def test_a_token_that_leads_nowhere_any_more(daemon: Daemon) -> None:
    with daemon.connect() as client:
        board = client.board("board")
        board.create()
        board.add("Soup")
        with client.follow("board") as viewer:
            viewer.joined()
            token = viewer.token
        assert token
        _, digest, history = token.split(".")
        for wrong, relation in ((f"0.{digest}.{history}", "diverged"), (f"1.{digest}.{'0' * 32}", "diverged"),
                                (f"9.{digest}.{history}", "rolledBack")):
            with client.follow("board", since=wrong) as viewer:
                assert viewer.next(5) == trestle.Compared(relation), wrong
                assert isinstance(viewer.next(5), trestle.Joined)
                assert viewer.token == token
        board.drop()
        with client.follow("board", since=token) as viewer:
            assert viewer.next(5) == trestle.Absent() and viewer.token is None
            board.create()
            assert isinstance(viewer.next(5), trestle.Joined)
        board.add("Tea")
        with client.follow("board", since=token) as viewer:
            assert told(viewer, 1)[0] == trestle.Compared("diverged")
        with pytest.raises(ValueError, match="is no token"):
            client.follow("board", since="7")


def test_a_token_that_is_too_old(daemon: Daemon) -> None:
    """The daemon keeps few changes: the table comes as it is now, and that is said."""
    daemon.kill()
    daemon.config.write_text("retain:\n  diffs: 10\n")
    daemon.start()
    with daemon.connect() as client:
        board = client.board("board")
        board.create()
        board.add("Soup", id="soup")
        with client.follow("board") as viewer:
            viewer.joined()
            token = viewer.token
        for n in range(40):
            last = board.set("soup", title=f"Soup {n}").revision
        end = time.monotonic() + 15
        while True:  # the oldest go within some seconds
            with client.follow("board", since=token) as viewer:
                first, second = viewer.next(5), viewer.next(5)
                if first == trestle.Compared("compacted"):
                    assert isinstance(second, trestle.Joined) and second.revision == last
                    break
                assert first == trestle.Compared("extend") and time.monotonic() < end
                time.sleep(0.2)


def test_tasks_go_on_too(daemon: Daemon) -> None:
    async def program() -> None:
        async with trestle.aio.connect(daemon.endpoint) as client:
            board = client.board("board")
            await board.create()
            with client.follow("board") as viewer:
                await viewer.joined()
                token = viewer.token
            await board.add("Soup")
            with client.follow("board", since=token) as viewer:
                assert await viewer.next(5) == trestle.Compared("extend")
                change = await viewer.next(5)
                assert isinstance(change, trestle.Change) and change.revision == 1 and viewer.token != token

    asyncio.run(program())


def test_kills_of_the_daemon_and_of_the_program(daemon: Daemon, tmp_path: Path) -> None:
    with daemon.connect() as client:
        client.board("board").create()
    kept, dice, over = tmp_path / "kept", random.Random("since"), threading.Event()
    last, failed = 0, list[BaseException]()

    def write() -> None:
        nonlocal last
        try:
            with daemon.connect(patience=0.1) as client:
                while not over.is_set():
                    last = client.board("board").add("Tea").revision
        except BaseException as error:
            failed.append(error)

    def begin() -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, "-c", PROGRAM, daemon.endpoint, str(kept)])

    def lines() -> list[list[str]]:
        return [line.split() for line in kept.read_text().split("\n")[:-1]] if kept.exists() else []

    writer, program = threading.Thread(target=write), begin()
    writer.start()
    try:
        for _ in range(KILLS):
            time.sleep(dice.uniform(0.1, 0.6))
            which = dice.choice(["daemon", "program", "both"])
            if which != "program":
                daemon.kill()
            if which != "daemon":
                program.send_signal(signal.SIGKILL)
                program.wait()
                text = kept.read_text() if kept.exists() else ""
                if text and not text.endswith("\n"):
                    kept.write_text(text[:text.rfind("\n") + 1])  # half a line was written: it is not done yet
                program = begin()
            if which != "program":
                daemon.start()
            assert writer.is_alive() and not failed, failed
        over.set()
        writer.join()
        end = time.monotonic() + 20
        while not (found := lines()) or int(found[-1][1]) < last:
            assert time.monotonic() < end and program.poll() is None, found[-1:]
            time.sleep(0.1)
    finally:
        over.set()
        program.kill()
        program.wait()
        writer.join()
    found = lines()
    assert [line[0] for line in found] == ["joined"] + ["change"] * (len(found) - 1)
    begun = int(found[0][1])
    assert [int(line[1]) for line in found] == list(range(begun, last + 1)), "twice, or left out"
    assert all(line[1] == line[2] for line in found), "each with the table of that revision"
    print(f"{KILLS} kills, {last} revisions")
