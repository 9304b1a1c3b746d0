"""A table that is followed, for programs that wait."""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Self

from .engine import Engine, Feed
from .errors import Closed, NoAnswer, NoTable
from .events import Event, Freshness
from .predicate import TIMED_PAUSE, Clock, Predicate
from .table import Table

Pause = Callable[[float, Sequence[Feed]], None]
"""Waits until something arrives or is due, at most so many seconds."""


class Watch:
    """A table that is followed: the part of a viewer that never waits."""

    def __init__(self, engine: Engine, timeout: float, table: str, every_change: bool, since: str | None) -> None:
        self._engine, self._timeout = engine, timeout
        self._feed = engine.follow(table, every_change, since)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Follows it no longer: `disconnected`. What waits for it raises `Closed`, and the iteration ends."""
        self._engine.unfollow(self._feed)

    @property
    def table(self) -> Table | None:
        """The table at the revision of the last event; None: nothing yet, or there is no such table."""
        return self._feed.follower.table

    @property
    def token(self) -> str | None:
        """Where it stands after the last event, as a text to keep: `client.follow(table, since=token)` goes on from there.

        None: nothing has come yet, or there is no such table.
        """
        position = self._feed.follower.position
        return position.token() if position else None

    @property
    def counts(self) -> dict[str, int]:
        """How often there were snapshots, replays, gaps, mismatches…"""
        return dict(self._feed.follower.counts)

    @property
    def time_ms(self) -> int:
        """The daemon's time, in milliseconds since 1970 (UTC). Rows age by it, as by `row.created_ms`."""
        return int(self._feed.follower.clock.time_ms(self._engine.now() * 1000, time.time() * 1000))

    @property
    def clock_ahead(self) -> float:
        """How many seconds this machine's clock is ahead of the daemon's. Say so if it is more than 30, or less than -30."""
        return (time.time() * 1000 - self.time_ms) / 1000

    def _holds(self, condition: Callable[[Table], bool]) -> bool:
        """Whether the table is here, and so. A predicate goes by the daemon's clock."""
        if self.table is None:
            return False
        if isinstance(condition, Predicate):
            return condition(self.table, Clock.here(self.time_ms))
        return condition(self.table)

    @staticmethod
    def _pause_of(condition: Callable[[Table], bool], left: float) -> float:
        """Seconds until it is looked at again, if nothing happens before."""
        is_timed = isinstance(condition, Predicate) and condition.is_timed
        return min(left, TIMED_PAUSE) if is_timed else left

    def _missed(self, what: str, seconds: float) -> NoAnswer | NoTable:
        """The error for a table that did not come, or did not become so, in time."""
        if self._feed.follower.freshness(self._engine.now()) == "absent":
            return NoTable(f'There is no table "{self._feed.follower.name}".')
        return NoAnswer(what, seconds, False, self._engine.place)


class Viewer(Watch):
    """A table that stays what the daemon has. Iterate over it for what happens."""

    def __init__(self, engine: Engine, pause: Pause, timeout: float, table: str, every_change: bool,
                 since: str | None) -> None:
        super().__init__(engine, timeout, table, every_change, since)
        self._pause = pause

    def freshness(self) -> Freshness:
        """`live`, `stale`, `disconnected` or `absent`. Show "no rows" as such only with `live`."""
        if not self._feed.closed:
            self._engine.turn()
        return self._feed.freshness(self._engine.now())

    def next(self, timeout: float | None = None) -> Event | None:
        """The next event; None: there was none for so many seconds.

        Refused: this user may not read the table. Closed: it is. All that waits at a viewer raises them.
        """
        engine = self._engine
        end = None if timeout is None else engine.now() + timeout
        while True:
            if event := self._feed.step(engine.now()):
                return event
            engine.turn()
            if event := self._feed.step(engine.now()):
                return event
            left = 1.0 if end is None else end - engine.now()
            if left <= 0:
                return None
            engine.turn()  # sends what the follower asks
            self._pause(left, [self._feed])

    def __iter__(self) -> Iterator[Event]:
        try:
            while True:
                if event := self.next():
                    yield event
        except Closed:
            return

    def catch_up(self, timeout: float = 0.0) -> None:
        """Takes in all that has arrived; waits up to so many seconds for something."""
        if self.next(timeout):
            while self.next(0.0):
                pass

    def joined(self, timeout: float | None = None) -> Table:
        """Waits for the table. NoAnswer: it did not come in time (`timeout`: the client's). NoTable: there was none."""
        seconds = self._timeout if timeout is None else timeout
        end = time.monotonic() + seconds
        while self.table is None and time.monotonic() < end:
            self.next(end - time.monotonic())
        if self.table is None:
            raise self._missed("snapshot", seconds)
        return self.table

    def until(self, condition: str | Callable[[Table], bool],
              timeout: float | None = None) -> Table:
        """Waits until the table is so, looking at each revision: `"count(rows) == 0"`, or a function.

        NoAnswer: it was not, for so long. NoTable: there was no table then. BadPredicate: the text is no predicate.
        """
        if isinstance(condition, str):
            condition = Predicate(condition)
        seconds = self._timeout if timeout is None else timeout
        end = time.monotonic() + seconds
        while not self._holds(condition):
            if time.monotonic() >= end:
                raise self._missed("until", seconds)
            self.next(self._pause_of(condition, max(0.0, end - time.monotonic())))
            if self.table and isinstance(condition, Predicate) and condition.is_costly(self.table):
                while time.monotonic() < end and self.next(0.0):
                    pass
        assert self.table is not None
        return self.table
