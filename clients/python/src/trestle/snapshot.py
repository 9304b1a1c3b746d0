"""Pulling a snapshot: its chunks, some at a time, then the digest (docs/PROTOCOL.md, "Joining")."""

from .errors import NoTable, Refused, Wrong
from .session import Session
from .table import Table
from .ticket import Ticket
from .wire import Json

CREDIT = 4
"""Chunks under way at a time."""
MOST_CHUNKS = 200_000


class Pull:
    """A snapshot that is being taken. `step` is called when answers have come."""

    def __init__(self, name: str, session: Session) -> None:
        self.name, self._session = name, session
        self._asked: dict[int, Ticket] = {0: session.ask("snapshot", {}, name)}
        self._chunks: dict[int, Json] = {}
        self._first: Json = {}
        self._history = self._epoch = ""
        self._next = 1

    def step(self) -> Table | None:
        """The table, when all of it has come.

        Refused: there is no such table, or the snapshot was let go: begin again. Wrong: the chunks
        do not make what they say.
        """
        for index, ticket in list(self._asked.items()):
            if ticket.done:
                del self._asked[index]
                self._take(index, ticket.result().wire)
        count = self._first.get("chunks", 1)
        while self._first and self._next < count and len(self._asked) < CREDIT:
            ask = {"id": self._first["id"], "chunk": self._next}
            self._asked[self._next] = self._session.ask("snapshot", ask, self.name)
            self._next += 1
        if not self._first or len(self._chunks) < count:
            return None
        return self._whole([self._chunks[index] for index in range(count)])

    def _take(self, index: int, reply: Json) -> None:
        chunk = reply.get("snapshot", {})
        if chunk.get("chunk", 0) != index or (index and chunk.get("id") != self._first["id"]):
            raise Wrong(f"this is not chunk {index} of the snapshot")
        if not index:
            if not 1 <= chunk.get("chunks", 1) <= MOST_CHUNKS:
                raise Wrong("a snapshot with so many chunks")
            self._first = chunk
            self._history, self._epoch = reply.get("history", ""), reply.get("epoch", "")
        self._chunks[index] = chunk

    def _whole(self, chunks: list[Json]) -> Table:
        table = Table.of_chunks(self.name, chunks)
        table.history, table.epoch = self._history, self._epoch
        try:
            digest = table.digest()
        except KeyError as why:
            raise Wrong("a part of the snapshot without its digest") from why
        if digest != self._first.get("digest"):
            raise Wrong("the snapshot has another digest than it says")
        return table

    def close(self) -> None:
        """Nobody waits for it any more."""
        for ticket in self._asked.values():
            if not ticket.done and not ticket.sent:
                self._session.withdraw(ticket)


def raise_unless_let_go(why: Refused) -> None:
    """Returns where the daemon has let the snapshot go, so that another is taken. NoTable: there is no such table."""
    if why.code == "noSuchTable":
        raise NoTable(why.message) from None
    if why.code != "noSuchSnapshot":
        raise why
