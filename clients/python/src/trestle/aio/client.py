"""The client for asyncio: a task takes in what arrives, and wakes who waits for it."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any, Self

import zmq

from ..board import Daemon
from ..bulk import ahead, parts_of
from ..engine import Engine
from ..errors import Closed, NoAnswer, Refused, Wrong
from ..ops import go_back
from ..reply import Reply
from ..session import Session
from ..snapshot import Pull, raise_unless_let_go
from ..table import Table
from ..ticket import Ticket
from ..transport import Curve, Options, endpoints_of
from ..wire import Behalf, Json
from ..work import Job, Work, reason_of
from .viewer import Viewer
from .waiting import LONGEST, wait_for


def connect(*endpoints: str, name: str | None = None, timeout: float = 10.0, patience: float = 1.0,
            curve: Curve | None = None, publish: str | None = None, failover: float = 1.0,
            context: zmq.Context[Any] | None = None, behalf: Behalf | None = None) -> "Client":
    """A client of a daemon, for `async with`. The arguments are those of `trestle.connect`."""
    options = Options(endpoints_of(*endpoints), publish, curve, failover, behalf)
    return Client(Engine(options, Session(name, patience), context), timeout)


class Client(Daemon[Awaitable[Reply]]):
    """A connection to a daemon, open within `async with`. Any number of tasks may use it.

    A command is sent when the method is called, not when it is awaited: commands are in the order of the calls.
    """

    def __init__(self, engine: Engine, timeout: float) -> None:
        super().__init__(engine, timeout)
        self._pump: asyncio.Task[None] | None = None
        self._turned = asyncio.Event()  # set after each turn, and made anew
        self._readable = asyncio.Event()
        self._watched: dict[zmq.Socket[Any], int] = {}

    async def __aenter__(self) -> Self:
        self.engine.session.check_open()
        self._pump = asyncio.create_task(self._run(), name="trestle")
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Ends the connection, for good. What waits raises `Closed`, and `async for` ends.

        A command without an answer may have been carried out.
        """
        if self._pump:
            self._pump.cancel()
            await asyncio.wait([self._pump])
        self._watch([])
        self.engine.close()
        self._turned.set()

    def _open_session(self) -> Session:
        """The session. Closed: nobody would take in its answers."""
        if self._pump is None:
            raise Closed("the client is not open yet: `async with trestle.aio.connect() as client`")
        return self.engine.session

    async def import_rows(self, table: str, rows: Iterable[Mapping[str, Any]], *, exist_ok: bool = False,
                          progress: Callable[[int], object] | None = None) -> int:
        """Adds many rows, as `trestle.Client.import_rows` does."""
        there = set((await self.read(table)).wires) if exist_ok else set[str]()
        done = 0
        parts = parts_of(rows, there, self._open_session().limit)
        for part, ticket in ahead((part, self.submit("batch", {"commands": part.commands}, table)) for part in parts):
            with part.numbered():
                await self.wait(ticket)
            done += part.count
            if progress:
                progress(done)
        return done

    def submit(self, verb: str, body: Json, table: str | None = None, but: str | None = None) -> Ticket:
        """Sends a command without waiting. `wait` gives its reply. `but`: as in `trestle.Client.submit`."""
        ticket = self._open_session().submit(verb, body, table, but)
        self.send()
        return ticket

    async def wait(self, ticket: Ticket, timeout: float | None = None) -> Reply:
        """The reply. After `NoAnswer` or a cancellation a command may still be carried out, once.

        Several tasks may wait for one ticket.
        """
        seconds, done = self.timeout if timeout is None else timeout, asyncio.Event()
        ticket.on_done.append(done.set)
        try:
            if not ticket.done:
                await wait_for(done, seconds)
        except asyncio.CancelledError:
            self._leave(ticket, done)
            raise
        gone = self._leave(ticket, done) or not ticket.numbered
        if not ticket.done:
            raise NoAnswer(ticket.verb, seconds, not gone, self.engine.place, None if gone else ticket)
        return ticket.result()

    def _leave(self, ticket: Ticket, done: asyncio.Event) -> bool:
        """This task waits for it no longer. True: no other one does, and it never left."""
        ticket.on_done.remove(done.set)
        return not ticket.done and not ticket.on_done and self.engine.session.withdraw(ticket)

    def turn(self) -> None:
        """Takes in what has arrived, sends what is due, and wakes who waits for news."""
        self.engine.turn()
        self._watch(self.engine.sockets())
        self._turned.set()
        self._turned = asyncio.Event()

    def send(self) -> bool:
        """Sends what is due. True: something has arrived meanwhile, and was taken in.

        A socket that was used tells nobody any more of what arrived before.
        """
        self.engine.send()
        if has_news := self.engine.has_news():
            self.turn()
        return has_news

    async def news(self, most: float) -> None:
        """Waits for the next turn, at most so many seconds."""
        await wait_for(self._turned, most)

    async def _run(self) -> None:
        while True:
            self.turn()
            if not self.engine.has_news():
                await wait_for(self._readable, min(LONGEST, self.engine.pause()))
            self._readable.clear()
            await asyncio.sleep(0)

    def _watch(self, sockets: list[zmq.Socket[Any]]) -> None:
        """Wakes the pump when one of these can be read, and no other."""
        loop = asyncio.get_running_loop()
        for socket in set(self._watched) - set(sockets):
            loop.remove_reader(self._watched.pop(socket))
        for socket in sockets:
            if socket not in self._watched:
                self._watched[socket] = int(socket.getsockopt(zmq.FD))
                loop.add_reader(self._watched[socket], self._readable.set)

    def _carry_out(self, verb: str, body: Json, table: str, but: str | None = None) -> Awaitable[Reply]:
        return self.wait(self.submit(verb, body, table, but))

    def _ask_daemon(self, verb: str, body: Json, table: str | None = None) -> Awaitable[Reply]:
        ticket = self._open_session().ask(verb, body, table)
        self.send()
        return self.wait(ticket)

    # Tables.

    async def read(self, table: str) -> Table:
        """The table as it is now, with its digest verified. NoTable: there is none."""
        end = self.engine.now() + self.timeout
        while True:
            pull = Pull(table, self._open_session())
            try:
                while self.engine.now() < end:
                    if found := pull.step():
                        return found
                    if not self.send():
                        await self.news(min(LONGEST, end - self.engine.now()))
                raise NoAnswer("snapshot", self.timeout, False, self.engine.place)
            except Refused as why:
                raise_unless_let_go(why)
            except Wrong:
                if self.engine.now() > end:
                    raise
            finally:
                pull.close()
            await asyncio.sleep(0.1)  # the snapshot was let go, or is not what it says: another one

    async def at(self, table: Table, revision: int) -> Table:
        """A copy of the table as it was at an older revision. Refused: `compacted`, not kept so far."""
        past = table.copy()
        while past.revision > revision:
            reply = await self.ask("rewind", {"history": table.history, "since": past.revision,
                                              "to": revision}, table.name)
            go_back(past, reply["rewind"].get("back", []))
        return past

    def follow(self, table: str, *, every_change: bool = False, since: str | None = None) -> Viewer:
        """Follows a table, from now on. Use it in a `with`. `every_change`, `since`: as in `trestle.Client.follow`."""
        self._open_session()
        return Viewer(self.engine, self.send, self.news, self.timeout, table, every_change, since)

    async def handle(self, table: str, action: str | None, function: Callable[[Job], Awaitable[None]], *,
                     jobs: int = 1, count: int | None = None) -> int:
        """Runs the function as a task for each press of the action (None: of any); how many ended.

        It returns: done. It raises: failed, and every screen shows why. A press that was lost to
        somebody else is cancelled. Waits where there is no such table: a worker may start before its
        table is made. Cancel `handle` to end it: what runs is cancelled and given back, as it is when
        `handle` raises.
        """
        work = Work(table, self._open_session(), action, jobs, count)
        tasks: dict[asyncio.Task[None], Job] = {}
        most = self.engine.session.limit("reasonBytes", 1024)

        async def run(job: Job) -> None:
            await function(job)

        def tell() -> None:
            for task, job in list(tasks.items()):
                if job.lost:
                    task.cancel()
                if task.done():
                    del tasks[task]
                    error = asyncio.CancelledError() if task.cancelled() else task.exception()
                    work.finish(job, None if error is None else reason_of(error, most))

        try:
            with self.follow(table) as viewer:
                while not work.over:
                    await viewer.catch_up(0.05)
                    for job in work.step(viewer.table, self.engine.now()):
                        tasks[asyncio.create_task(run(job))] = job
                    tell()
                return work.ended
        finally:  # cancelled, or refused: nobody says any more that what runs is held
            for task in tasks:
                task.cancel()
            with suppress(Closed):  # nobody can be told any more
                tell()
                for job in tasks.values():
                    work.release(job)
                self.turn()
