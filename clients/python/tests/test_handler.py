"""Handlers: each press is handled, also when the daemon is killed, and its end is told."""

import sys
import threading
import time

import pytest
from daemon import Daemon

import trestle
from trestle.table import Table
from trestle.work import Work

PAGE = [{"id": "row", "leading": {"actions": [{"id": "page", "effect": [
    {"invoke": {"deadline": 60, "then": [{"set": {"fields": {"paged": "yes"}}}]}}]}]}}]


@pytest.fixture
def board(daemon: Daemon) -> Daemon:
    """A daemon with ten rows that are pressed."""
    with daemon.connect() as client:
        board = client.board("board")
        board.create()
        board.define(PAGE)
        for n in range(10):
            board.add(f"Row {n}", id=f"r{n}")
            board.act(f"r{n}", "page")
    return daemon


def test_each_press_is_handled_once(board: Daemon) -> None:
    seen: list[tuple[str, int]] = []

    def page(job: trestle.Job) -> None:
        seen.append((job.row.title, job.attempt))
        if job.row.id == "r4":
            raise RuntimeError("no\nsignal \x00" + "☕" * 2000)

    with board.connect() as client, board.connect() as other:
        done: list[int] = []
        thread = threading.Thread(target=lambda: done.append(other.handle("board", "page", page, jobs=2, count=5)))
        thread.start()
        assert client.handle("board", None, page, jobs=3, count=5) == 5
        thread.join()
        assert done == [5] and sorted(seen) == [(f"Row {n}", 1) for n in range(10)]
        table = client.read("board")
        assert not table.invocations
        assert [table[f"r{n}"].performed["page"].state for n in (3, 4)] == ["done", "failed"]
        assert table["r4"].performed["page"].reason.startswith("no signal ☕")
        assert table["r3"].fields["paged"] == "yes" and "paged" not in table["r4"].fields


def test_over_kills_of_the_daemon(board: Daemon) -> None:
    """What runs goes on, and is reported to the daemon that comes back: nothing runs again."""
    seen: list[tuple[str, int]] = []
    stop = threading.Event()

    def page(job: trestle.Job) -> None:
        time.sleep(0.15)
        seen.append((job.row.id, job.attempt))
        if len(seen) == 10:
            stop.set()

    def work() -> None:
        with board.connect(patience=0.1) as client:
            client.handle("board", "page", page, jobs=2, stop=stop)

    thread = threading.Thread(target=work)
    thread.start()
    while thread.is_alive():
        time.sleep(0.3)
        board.kill()
        board.start()
    assert sorted(seen) == [(f"r{n}", 1) for n in range(10)]
    with board.connect() as client:
        assert {row.performed["page"].state for row in client.read("board")} == {"done"}


def test_a_function_that_ends_its_program(board: Daemon) -> None:
    """It ends its thread only, and the press has failed."""
    def leave(job: trestle.Job) -> None:
        sys.exit("no paper")

    with board.connect() as client:
        assert client.handle("board", "page", leave, count=1) == 1
        performed = client.read("board")["r0"].performed["page"]
        assert (performed.state, performed.reason) == ("failed", "no paper")


def test_a_handler_that_starts_before_its_table(daemon: Daemon) -> None:
    seen: list[str] = []
    with daemon.connect() as client, daemon.connect() as worker:
        thread = threading.Thread(
            target=worker.handle, args=("board", "page", lambda job: seen.append(job.row.id)), kwargs={"count": 1})
        thread.start()
        with client.follow("board") as viewer:
            assert viewer.next(10) == trestle.Absent()  # by now the worker was told so too, or soon will be
        board = client.board("board")
        board.create()
        board.define(PAGE)
        board.add(id="r")
        board.act("r", "page")
        thread.join(20)
        assert seen == ["r"]


def test_a_press_that_is_lost(daemon: Daemon) -> None:
    """A handler that is too slow learns that the press has failed without it."""
    told: list[bool] = []
    stop = threading.Event()

    def slow(job: trestle.Job) -> None:
        end = time.monotonic() + 10
        while not job.lost and time.monotonic() < end:
            time.sleep(0.02)
        told.append(job.lost)
        stop.set()

    with daemon.connect() as client:
        board = client.board("board")
        board.create()
        board.define([{"id": "row", "leading": {"actions": [{"id": "slow", "effect": [{"invoke": {"deadline": 1}}]}]}}])
        board.add(id="r")
        board.act("r", "slow")
        assert client.handle("board", "slow", slow, stop=stop) == 0 and told == [True]
        performed = client.read("board")["r"].performed["slow"]
        assert performed.state == "failed" and "deadline" in performed.reason


def test_a_handler_that_is_refused(board: Daemon, monkeypatch: pytest.MonkeyPatch) -> None:
    """What runs learns that it is no longer held."""
    begun, told = threading.Event(), threading.Event()

    class Revoked(Work):
        def step(self, table: Table | None, now: float) -> list[trestle.Job]:
            if begun.is_set():
                raise trestle.Refused("notAllowed", "so", "user")
            return super().step(table, now)

    def page(job: trestle.Job) -> None:
        begun.set()
        end = time.monotonic() + 3
        while not job.lost and time.monotonic() < end:
            time.sleep(0.01)
        if job.lost:
            told.set()

    monkeypatch.setattr("trestle.client.Work", Revoked)
    with board.connect() as client, pytest.raises(trestle.Refused, match="notAllowed"):
        client.handle("board", "page", page)
    assert told.wait(3)
