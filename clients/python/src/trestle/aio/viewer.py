"""A table that is followed, for asyncio."""

from collections.abc import AsyncIterator, Awaitable, Callable

from ..engine import Engine
from ..errors import Closed
from ..events import Event, Freshness
from ..predicate import Predicate
from ..table import Table
from ..viewer import Watch
from .waiting import LONGEST


class Viewer(Watch):
    """A table that stays what the daemon has. Iterate over it with `async for` for what happens.

    Use it in a `with`, not `async with`: nothing is waited for there.
    """

    def __init__(self, engine: Engine, send: Callable[[], bool], news: Callable[[float], Awaitable[None]],
                 timeout: float, table: str, every_change: bool, since: str | None) -> None:
        super().__init__(engine, timeout, table, every_change, since)
        self._send, self._news = send, news

    def freshness(self) -> Freshness:
        """`live`, `stale`, `disconnected` or `absent`. Show "no rows" as such only with `live`."""
        return self._feed.freshness(self._engine.now())

    async def next(self, timeout: float | None = None) -> Event | None:
        """The next event; None: there was none for so many seconds.

        Refused: this user may not read the table. Closed: it is. All that waits at a viewer raises them.
        """
        engine = self._engine
        end = None if timeout is None else engine.now() + timeout
        while True:
            if event := self._feed.step(engine.now()):
                return event
            left = 1.0 if end is None else end - engine.now()
            if left <= 0:
                return None
            if not self._send():  # what the follower asks
                await self._news(min(left, LONGEST))

    async def __aiter__(self) -> AsyncIterator[Event]:
        try:
            while True:
                if event := await self.next():
                    yield event
        except Closed:
            return

    async def catch_up(self, timeout: float = 0.0) -> None:
        """Takes in all that has arrived; waits up to so many seconds for something."""
        if await self.next(timeout):
            while await self.next(0.0):
                pass

    async def joined(self, timeout: float | None = None) -> Table:
        """Waits for the table. NoAnswer: it did not come in time. NoTable: there was none."""
        return await self.until(lambda table: True, timeout)

    async def until(self, condition: str | Callable[[Table], bool],
                    timeout: float | None = None) -> Table:
        """Waits until the table is so, looking at each revision: `"count(rows) == 0"`, or a function.

        NoAnswer: it was not, for so long. NoTable: there was no table then. BadPredicate: the text is no predicate.
        """
        if isinstance(condition, str):
            condition = Predicate(condition)
        seconds = self._timeout if timeout is None else timeout
        end = self._engine.now() + seconds
        while not self._holds(condition):
            if (left := end - self._engine.now()) <= 0:
                raise self._missed("until", seconds)
            await self.next(self._pause_of(condition, left))
            if self.table and isinstance(condition, Predicate) and condition.is_costly(self.table):
                while self._engine.now() < end and await self.next(0.0):
                    pass
        assert self.table is not None
        return self.table
