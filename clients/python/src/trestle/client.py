"""The client for programs that wait. Use it from one thread; each thread makes its own.

    with trestle.connect() as client:
        board = client.board("board")
        board.add("Soup", section="grill")
"""

import math
import queue
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self

import zmq

from .board import Board, Daemon
from .bulk import ahead, parts_of
from .engine import Engine, Feed
from .errors import NoAnswer, Refused, TrestleError, Wrong
from .ops import go_back
from .reply import Reply
from .session import Session
from .snapshot import Pull, raise_unless_let_go
from .table import Table
from .ticket import Ticket
from .transport import Curve, Options, endpoints_of
from .viewer import Viewer
from .wire import Behalf, Json
from .work import Job, Work, reason_of


def connect(*endpoints: str, name: str | None = None, timeout: float = 10.0, patience: float = 1.0,
            curve: Curve | None = None, publish: str | None = None, failover: float = 1.0,
            context: zmq.Context[Any] | None = None, behalf: Behalf | None = None) -> "Client":
    """A client of a daemon. It does not wait: the first request does.

    `endpoints`: of one daemon, the best one first, or of several that are one service, also in one text with
    commas; without any, `TRESTLE_ENDPOINT` of the environment, else `ipc:///run/trestle/request.sock`.
    ValueError: one is none. `name`: what people call you; claims belong to it.
    `timeout`: seconds that a method waits for its answer. `patience`: seconds after which what is
    not answered is sent again. `publish`: where publications are, if not where the daemon says.
    `behalf`: on whose behalf everything is asked and done; publications stay your own.
    """
    options = Options(endpoints_of(*endpoints), publish, curve, failover, behalf)
    return Client(Engine(options, Session(name, patience), context), timeout)


class Pending:
    """A request that was sent. Its answer comes whether or not it is waited for."""

    def __init__(self, client: "Client", ticket: Ticket) -> None:
        self._client, self.ticket = client, ticket

    def done(self) -> bool:
        """Whether the answer is here."""
        self._client.engine.turn()
        return self.ticket.done

    def result(self, timeout: float | None = None) -> Reply:
        """The reply. What it raises is what the method of a board raises that waits."""
        return self._client.wait(self.ticket, timeout)

    def exception(self, timeout: float | None = None) -> TrestleError | None:
        """What `result` raises; None: it was carried out."""
        try:
            self.result(timeout)
        except TrestleError as why:
            return why
        return None


class Client(Daemon[Reply]):
    """A connection to a daemon, with a session of its own: each command is carried out once.

    All methods that wait raise `NoAnswer` after `timeout` seconds and `Refused` for a refusal.
    """

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection, for good. A command without an answer may have been carried out.

        Another thread may call it: what waits raises `Closed`, and `for event in viewer` ends.
        """
        self.engine.close()

    def pipelined(self, table: str) -> Board[Pending]:
        """A table, for many commands that are under way together: each method gives a `Pending` at once.

        They are carried out in the order of the calls, each once.
        """
        def carry_out(verb: str, body: Json, table: str, but: str | None = None) -> Pending:
            return Pending(self, self.submit(verb, body, table, but))

        def ask(verb: str, body: Json, table: str) -> Pending:
            return Pending(self, self.engine.session.ask(verb, body, table))

        return Board(table, carry_out, ask)

    def import_rows(self, table: str, rows: Iterable[Mapping[str, Any]], *, exist_ok: bool = False,
                    progress: Callable[[int], object] | None = None) -> int:
        """Adds many rows, in their order, some batches at a time; how many. Each has the arguments of `Board.add`.

        `progress` is called with the number of rows that are there, again and again. `exist_ok`: a row whose `id` is
        in the table is passed over, so that an import that was broken off can be run again. Refused: its `command` is
        the number of the row at fault, from 0. Rows before it are there, and perhaps some that stand after it.
        """
        there = set(self.read(table).wires) if exist_ok else set[str]()
        done = 0
        parts = parts_of(rows, there, self.engine.session.limit)
        for part, ticket in ahead((part, self.submit("batch", {"commands": part.commands}, table)) for part in parts):
            with part.numbered():
                self.wait(ticket)
            done += part.count
            if progress:
                progress(done)
        return done

    def submit(self, verb: str, body: Json, table: str | None = None, but: str | None = None) -> Ticket:
        """Sends a command without waiting: many may be under way. `wait` gives its reply.

        `but`: a refusal with this code is a reply that is `unchanged`.
        """
        ticket = self.engine.session.submit(verb, body, table, but)
        self.engine.turn()
        return ticket

    def wait(self, ticket: Ticket, timeout: float | None = None) -> Reply:
        """The reply. After `NoAnswer` a command may be waited for again; it keeps its number."""
        seconds = self.timeout if timeout is None else timeout
        end = self.engine.now() + seconds
        while not ticket.done:
            self.engine.turn()
            left = end - self.engine.now()
            if ticket.done:
                break
            if left <= 0:
                gone = self.engine.session.withdraw(ticket) or not ticket.numbered
                raise NoAnswer(ticket.verb, seconds, not gone, self.engine.place, None if gone else ticket)
            self.pause(left)
        return ticket.result()

    def pause(self, most: float, feeds: Sequence[Feed] = ()) -> None:
        """Waits until something arrives or is due, at most so many seconds. For loops of one's own."""
        with self.engine.at_work():
            poller = zmq.Poller()
            for socket in self.engine.sockets():
                poller.register(socket, zmq.POLLIN)
            poller.poll(math.ceil(max(0.0, min(most, self.engine.pause(feeds))) * 1000))

    def _carry_out(self, verb: str, body: Json, table: str, but: str | None = None) -> Reply:
        # `next` may wait for a row: the answer comes that much later.
        waits = body.get("next", {}).get("wait", 0.0)
        return self.wait(self.submit(verb, body, table, but), self.timeout + waits)

    def _ask_daemon(self, verb: str, body: Json, table: str | None = None) -> Reply:
        return self.wait(self.engine.session.ask(verb, body, table))

    # Tables.

    def read(self, table: str) -> Table:
        """The table as it is now, with its digest verified. NoTable: there is none."""
        end = self.engine.now() + self.timeout
        while True:
            pull = Pull(table, self.engine.session)
            try:
                while self.engine.now() < end:
                    self.engine.turn()
                    if found := pull.step():
                        return found
                    self.pause(end - self.engine.now())
                raise NoAnswer("snapshot", self.timeout, False, self.engine.place)
            except Refused as why:
                raise_unless_let_go(why)
            except Wrong:
                if self.engine.now() > end:
                    raise
            finally:
                pull.close()
            time.sleep(0.1)  # the snapshot was let go, or is not what it says: another one

    def at(self, table: Table, revision: int) -> Table:
        """A copy of the table as it was at an older revision. Refused: `compacted`, not kept so far."""
        past = table.copy()
        while past.revision > revision:
            reply = self.ask("rewind", {"history": table.history, "since": past.revision, "to": revision},
                             table.name)
            go_back(past, reply["rewind"].get("back", []))
        return past

    def follow(self, table: str, *, every_change: bool = False, since: str | None = None) -> Viewer:
        """Follows a table, from now on. Close it, or use it in a `with`.

        After a long gap a viewer takes the table anew. With `every_change` it takes each revision, as
        long as the daemon keeps them.

        With `since`, a token that a viewer of this table had (`viewer.token`), it goes on from there: first `Compared`
        with `same` or `extend`, then each change since, once. Where the daemon does not have them any more, `Compared`
        says why (`compacted`, `rolledBack`, `diverged`), and `Joined` follows. ValueError: it is no token.
        """
        return Viewer(self.engine, self.pause, self.timeout, table, every_change, since)

    def handle(self, table: str, action: str | None, function: Callable[[Job], None], *, jobs: int = 1,
               count: int | None = None, stop: threading.Event | None = None) -> int:
        """Calls the function, in a thread, for each press of the action (None: of any); how many ended.

        It returns: done. It raises: failed, and every screen shows why. It must not use this client, which
        belongs to the thread that called `handle`: it makes one of its own. If it takes long, it looks at
        `job.lost` now and then, and stops where that is set.

        Waits where there is no such table: a worker may start before its table is made. Ends after `count`
        presses, or when `stop` is set and nothing runs any more. Where `handle` raises, what runs has its
        `lost` set.
        """
        work = Work(table, self.engine.session, action, jobs, count)
        results = queue.SimpleQueue[tuple[Job, str | None]]()
        most = self.engine.session.limit("reasonBytes", 1024)

        def run(job: Job) -> None:
            try:
                function(job)
            except BaseException as error:  # also `sys.exit`: it would end the thread, and say nothing
                results.put((job, reason_of(error, most)))
            else:
                results.put((job, None))

        pool = ThreadPoolExecutor(jobs, thread_name_prefix=f"handle-{action}")
        try:
            with self.follow(table) as viewer:
                while not work.over:
                    work.stopping = stop is not None and stop.is_set()
                    viewer.catch_up(0.05)
                    while not results.empty():
                        job, failed = results.get()
                        work.finish(job, failed)
                    for job in work.step(viewer.table, self.engine.now()):
                        pool.submit(run, job)
                return work.ended
        finally:
            for job in work.running.values():
                job.lost = True  # refused: nobody says any more that it is held
            pool.shutdown(wait=False, cancel_futures=True)
