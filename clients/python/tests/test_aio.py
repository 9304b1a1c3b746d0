"""The asyncio front end at the real daemon."""

import asyncio
import time

import pytest
from daemon import Daemon

import trestle
import trestle.aio
from trestle.table import Table
from trestle.work import Work


def test_many_tasks_and_a_viewer(daemon: Daemon) -> None:
    async def program() -> None:
        async with trestle.aio.connect(daemon.endpoint, name="ada") as client:
            board = client.board("board")
            await board.create()
            with client.follow("board") as viewer, client.follow("other") as other:
                assert (await viewer.joined()).revision == 0
                # More than the daemon remembers: the session holds them back.
                await asyncio.gather(*(board.add(f"Row {n}", id=f"r{n}") for n in range(300)))
                table = await viewer.until(lambda table: len(table) == 300)
                assert [row.id for row in table] == [f"r{n}" for n in range(300)]
                assert viewer.freshness() == "live" and viewer.counts == {"snapshots": 1}
                async for event in other:
                    assert isinstance(event, trestle.Absent)
                    break
            begin = time.monotonic()
            for n in range(40):
                await board.set("r0", title=f"t{n}")
            assert time.monotonic() - begin < 5, "each answer wakes who waits for it"
            with pytest.raises(trestle.Refused, match="noSuchRow"):
                await board.remove("nobody")
            past = await client.at(await client.read("board"), 300)
            assert past["r0"].title == "Row 0" and past.revision == 300

    asyncio.run(program())


def test_a_timeout_and_a_cancellation(daemon: Daemon) -> None:
    async def program() -> None:
        async with trestle.aio.connect(daemon.endpoint, patience=0.2) as client:
            board = client.board("board")
            await board.create()
            daemon.kill()
            ticket = client.submit("command", {"add": {"id": "once"}}, "board")
            with pytest.raises(trestle.NoAnswer) as why:
                await client.wait(ticket, 0.5)
            assert why.value.may_happen
            task = asyncio.create_task(asyncio.wait_for(board.add(id="twice"), 0.2))
            with pytest.raises(TimeoutError):
                await task
            daemon.start()
            assert (await client.wait(ticket)).row == "once"
            await board.add(id="last")
            assert {row.id for row in await client.read("board")} == {"once", "twice", "last"}

    asyncio.run(program())


def test_two_tasks_wait_for_one_ticket(daemon: Daemon) -> None:
    async def program() -> None:
        async with trestle.aio.connect(daemon.endpoint, patience=0.2, timeout=20) as client:
            await client.board("board").create()
            ticket = client.submit("command", {"add": {"id": "once"}}, "board")
            replies = await asyncio.gather(client.wait(ticket), client.wait(ticket))
            assert [reply.row for reply in replies] == ["once", "once"]
            # One that gives up takes nothing from the other.
            daemon.kill()
            asked = client.engine.session.ask("tables", {})
            patient, hasty = (asyncio.ensure_future(client.wait(asked)) for _ in range(2))
            await asyncio.sleep(0)
            hasty.cancel()
            with pytest.raises(asyncio.CancelledError):
                await hasty
            daemon.start()
            assert [one["table"] for one in (await patient).tables] == ["board"]

    asyncio.run(program())


def test_what_had_no_answer_is_waited_for_again(daemon: Daemon) -> None:
    async def program() -> None:
        async with trestle.aio.connect(daemon.endpoint, patience=0.2, timeout=0.5) as client:
            await client.wait(client.submit("create", {}, "board"), 20)
            daemon.kill()
            with pytest.raises(trestle.NoAnswer) as why:
                await client.board("board").add(id="once")
            assert why.value.may_happen and why.value.ticket
            daemon.start()
            assert (await client.wait(why.value.ticket, 20)).row == "once"

    asyncio.run(program())


def test_a_handler(daemon: Daemon) -> None:
    async def program() -> None:
        async with trestle.aio.connect(daemon.endpoint) as client:
            board = client.board("board")
            await board.create()
            await board.define([{"id": "row", "leading": {"actions": [
                {"id": "page", "effect": [{"invoke": {"deadline": 30}}]}]}}])
            for n in range(5):
                await board.add(id=f"r{n}")
                await board.act(f"r{n}", "page")

            async def page(job: trestle.Job) -> None:
                await asyncio.sleep(0.01)
                if job.row.id == "r3":
                    raise RuntimeError("no signal")

            assert await client.handle("board", "page", page, jobs=2, count=5) == 5
            performed = {row.id: row.performed["page"] for row in await client.read("board")}
            assert performed["r1"].state == "done"
            assert (performed["r3"].state, performed["r3"].reason) == ("failed", "no signal")
            # One that is cancelled gives back what it holds: the next does not wait for its end.
            await board.add(id="r5")
            await board.act("r5", "page")
            begun = asyncio.Event()

            async def slow(job: trestle.Job) -> None:
                begun.set()
                await asyncio.sleep(60)

            task = asyncio.create_task(client.handle("board", None, slow))
            await asyncio.wait_for(begun.wait(), 5)
            task.cancel()
            begin = time.monotonic()
            attempts = []

            async def note(job: trestle.Job) -> None:
                attempts.append(job.attempt)

            assert await client.handle("board", "page", note, count=1) == 1
            assert attempts == [2] and time.monotonic() - begin < 3

    asyncio.run(program())


def test_a_handler_that_is_refused(daemon: Daemon, monkeypatch: pytest.MonkeyPatch) -> None:
    """It runs nothing on, gives back what it holds, and has told what had ended."""
    refuses = False

    class Revoked(Work):
        def step(self, table: Table | None, now: float) -> list[trestle.Job]:
            if refuses:
                raise trestle.Refused("notAllowed", "so", "user")
            return super().step(table, now)

    async def program() -> None:
        nonlocal refuses
        async with trestle.aio.connect(daemon.endpoint) as client:
            board = client.board("board")
            await board.create()
            await board.define([{"id": "row", "leading": {"actions": [
                {"id": "page", "effect": [{"invoke": {"deadline": 30}}]}]}}])
            for id in ("short", "long"):
                await board.add(id=id)
                await board.act(id, "page")
            begun, ended = asyncio.Event(), []

            async def page(job: trestle.Job) -> None:
                nonlocal refuses
                try:
                    if job.row.id == "short":
                        await begun.wait()
                        refuses = True
                    else:
                        begun.set()
                        await asyncio.sleep(60)
                finally:
                    ended.append(job.row.id)

            with monkeypatch.context() as patch:
                patch.setattr("trestle.aio.client.Work", Revoked)
                with pytest.raises(trestle.Refused, match="notAllowed"):
                    await client.handle("board", "page", page, jobs=2)
            await asyncio.sleep(0)
            assert ended == ["short", "long"]
            begin, attempts = time.monotonic(), []

            async def note(job: trestle.Job) -> None:
                attempts.append((job.row.id, job.attempt))

            assert await client.handle("board", "page", note, count=1) == 1
            assert attempts == [("long", 2)] and time.monotonic() - begin < 3
            table = await client.read("board")
            assert {row.performed["page"].state for row in table} == {"done"} and not table.invocations

    asyncio.run(program())
