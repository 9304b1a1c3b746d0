"""A client that is closed stays closed, and nobody waits for it any more."""

import asyncio
import contextlib
import os
import signal
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
import zmq
from daemon import Daemon

import trestle
import trestle.aio


async def never(job: trestle.Job) -> None:
    """Handles nothing."""


def test_it_does_not_open_again(daemon: Daemon) -> None:
    with daemon.connect() as client, daemon.connect() as other:
        other.board("board").create()
        client.hello()
        client.close()
        calls: list[Callable[[], Any]] = [
            lambda: client.board("board").add(id="zombie"), client.hello, lambda: client.read("board"),
            lambda: client.follow("board"), lambda: client.submit("create", {}, "ghost"),
            lambda: client.handle("board", None, lambda job: None), client.engine.turn]
        for call in calls * 2:
            with pytest.raises(trestle.Closed, match="the client is closed"):
                call()
        assert client.engine.sockets() == [] and len(other.read("board")) == 0
        client.close()


def test_a_child_does_not_go_on_with_it(daemon: Daemon) -> None:
    """It waited for libzmq's threads, which are the parent's, and took a whole processor for ever."""
    with daemon.connect(timeout=600) as client:
        client.board("board").create()
        with client.follow("board") as viewer:
            viewer.joined()
            ticket = client.engine.session.submit("command", {"add": {"id": "a"}}, "board")
            begun = time.process_time()
            # As if another thread was at work: nobody lets go of the lock in the child.
            with client.engine.at_work():
                pid = os.fork()
                if pid == 0:
                    with contextlib.suppress(BaseException):
                        signal.alarm(20)
                        calls: list[Callable[[], Any]] = [
                            lambda: client.board("board").add(id="zombie"), client.hello, lambda: client.read("board"),
                            lambda: client.follow("board"), lambda: client.wait(ticket), viewer.freshness, viewer.next,
                            lambda: next(iter(viewer)), lambda: client.handle("board", None, lambda job: None)]
                        for call in calls * 2:
                            with pytest.raises(trestle.Forked, match="connect anew"):
                                call()
                        viewer.close()
                        client.close()
                        with daemon.connect() as own:
                            own.board("board").add(id="child")
                        os._exit(0 if time.process_time() < begun + 5 else 2)
                    os._exit(1)
            assert os.waitpid(pid, 0)[1] == 0
            viewer.until(lambda table: "child" in table, 20)
            client.board("board").add(id="parent")
            viewer.until(lambda table: "parent" in table, 20)


def test_another_thread_closes_it(daemon: Daemon) -> None:
    """Who waits is told so, and who iterates is at the end."""
    ended: list[str] = []
    begun = threading.Barrier(3)

    def iterate(client: trestle.Client) -> None:
        with client.follow("board") as viewer:
            viewer.joined()
            begun.wait()
            for _ in viewer:
                pass
        ended.append("for")

    def wait(client: trestle.Client) -> None:
        with client.follow("board") as viewer:
            viewer.joined()
            begun.wait()
            with pytest.raises(trestle.Closed):
                viewer.until("count(rows) == 9")
        ended.append("until")

    with daemon.connect() as first, daemon.connect() as second:
        first.board("board").create()
        threads = [threading.Thread(target=iterate, args=[first]), threading.Thread(target=wait, args=[second])]
        for thread in threads:
            thread.start()
        begun.wait()
        first.close()
        second.close()
        for thread in threads:
            thread.join(10)
        assert sorted(ended) == ["for", "until"]


def test_no_socket_is_closed_while_a_thread_waits_at_it(daemon: Daemon, monkeypatch: pytest.MonkeyPatch) -> None:
    """libzmq would read memory that is no longer its own."""
    with daemon.connect() as client:
        closer = threading.Thread(target=client.close)
        seen: list[tuple[bool, list[bool]]] = []

        def poll(poller: zmq.Poller, timeout: int) -> None:
            closer.start()
            closer.join(0.2)
            seen.append((closer.is_alive(), [socket.closed for socket in client.engine.sockets()]))

        monkeypatch.setattr(zmq.Poller, "poll", poll)
        with pytest.raises(trestle.Closed):
            client.hello()
        closer.join()
        assert seen == [(True, [False, False])], "the socket, and what tells of its connection"


def test_the_handler_of_a_signal_closes_it(daemon: Daemon, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the thread that waits."""
    with daemon.connect() as client:
        def poll(poller: zmq.Poller, timeout: int) -> None:
            client.close()
            raise zmq.ZMQError(zmq.ENOTSOCK)

        monkeypatch.setattr(zmq.Poller, "poll", poll)
        with pytest.raises(trestle.Closed):
            client.hello()


def test_a_command_that_had_no_answer(daemon: Daemon) -> None:
    with daemon.connect(patience=0.1) as client:
        client.board("board").create()
        daemon.kill()
        ticket = client.submit("command", {"add": {}}, "board")
        client.close()
        with pytest.raises(trestle.Closed, match="command: the client is closed"):
            client.wait(ticket)


def test_a_viewer_that_is_closed(daemon: Daemon) -> None:
    with daemon.connect() as client:
        client.board("board").create()
        viewer = client.follow("board")
        viewer.joined()
        assert viewer.freshness() == "live"
        viewer.close()
        assert viewer.freshness() == "disconnected" and list(viewer) == []
        for call in (viewer.next, viewer.catch_up, lambda: viewer.until(lambda table: False)):
            with pytest.raises(trestle.Closed, match="the viewer is closed"):
                call()
        assert client.tables().tables, "the client is not"


def test_tasks_do_not_wait_for_a_client_that_is_left(daemon: Daemon) -> None:
    async def iterate(viewer: trestle.aio.Viewer) -> None:
        async for _ in viewer:
            pass

    async def program() -> None:
        async with trestle.aio.connect(daemon.endpoint, timeout=600) as client:
            board = client.board("board")
            await board.create()
            viewer = client.follow("board")
            await viewer.joined()
            daemon.kill()
            waiting: list[Awaitable[Any]] = [
                viewer.next(), viewer.until("count(rows) == 9"), client.handle("board", None, never),
                board.add(), client.tables(), client.read("board")]
            tasks = [asyncio.ensure_future(one) for one in (iterate(viewer), *waiting)]
            await asyncio.sleep(0)
        async with asyncio.timeout(10):
            first, *others = await asyncio.gather(*tasks, return_exceptions=True)
        assert first is None and [type(one) for one in others] == [trestle.Closed] * len(waiting)
        assert viewer.freshness() == "disconnected"
        for call in (board.add, client.tables, lambda: client.follow("board")):
            with pytest.raises(trestle.Closed, match="the client is closed"):
                call()
        with pytest.raises(trestle.Closed):
            await client.__aenter__()

    asyncio.run(program())


@pytest.mark.parametrize("cancelled", [False, True])
def test_what_a_handler_runs_ends_with_its_client(daemon: Daemon, cancelled: bool) -> None:
    async def program() -> None:
        begun, ended = asyncio.Event(), asyncio.Event()

        async def page(job: trestle.Job) -> None:
            begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()

        async with trestle.aio.connect(daemon.endpoint) as client:
            board = client.board("board")
            await board.create()
            await board.define([{"id": "row", "leading": {"actions": [
                {"id": "page", "effect": [{"invoke": {"deadline": 30}}]}]}}])
            await board.add(id="r")
            await board.act("r", "page")
            handler = asyncio.ensure_future(client.handle("board", "page", page))
            await asyncio.wait_for(begun.wait(), 10)
        if cancelled:
            handler.cancel()  # which is what it raises then
        await asyncio.wait([handler], timeout=10)
        assert handler.cancelled() if cancelled else isinstance(handler.exception(), trestle.Closed)
        await asyncio.wait_for(ended.wait(), 10)

    asyncio.run(program())


def test_a_viewer_that_a_task_closes(daemon: Daemon) -> None:
    async def program() -> None:
        async with trestle.aio.connect(daemon.endpoint) as client:
            await client.board("board").create()
            viewer = client.follow("board")
            await viewer.joined()
            waits = asyncio.ensure_future(viewer.next())
            await asyncio.sleep(0)
            viewer.close()
            with pytest.raises(trestle.Closed, match="the viewer is closed"):
                await asyncio.wait_for(waits, 10)
            assert viewer.freshness() == "disconnected" and [one async for one in viewer] == []
            await client.close()
            await client.close()

    asyncio.run(program())


def test_a_client_for_tasks_that_is_not_open_yet(daemon: Daemon) -> None:
    """Nobody would take in the answers: it is said at once, not after the timeout."""
    async def program() -> None:
        client = trestle.aio.connect(daemon.endpoint, timeout=600)
        for call in (client.board("board").add, client.tables, lambda: client.follow("board")):
            with pytest.raises(trestle.Closed, match="async with"):
                call()
        for wait in (client.read("board"), client.handle("board", None, never)):
            with pytest.raises(trestle.Closed, match="async with"):
                await wait
        await client.close()

    asyncio.run(program())


def test_a_viewer_is_disconnected_as_soon_as_its_client_closes(daemon: Daemon) -> None:
    """Also before the thread that closes has the lock."""
    with daemon.connect() as client:
        client.board("late").create()
        with client.follow("late") as viewer:
            assert isinstance(viewer.next(5), trestle.Joined)
            with client.engine.at_work():
                closer = threading.Thread(target=client.close)
                closer.start()
                while not client.engine.session.closed:
                    time.sleep(0.001)
                closer.join(0.05)
                assert closer.is_alive() and viewer.freshness() == "disconnected"
            closer.join()
