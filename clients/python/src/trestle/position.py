"""A place in the history of a table, as a program keeps it, and the way back to it when the program starts again."""

import re
from dataclasses import dataclass
from typing import Self

from .errors import Refused, Wrong
from .ops import go_back
from .session import Session
from .snapshot import Pull
from .table import Table

_TOKEN = re.compile(r"(\d{1,19})\.([0-9a-f]{16})\.([0-9a-f]{32})")


@dataclass(frozen=True, slots=True)
class Position:
    """A revision of a history, and the digest that the table had there."""

    history: str
    revision: int
    digest: str

    @classmethod
    def read(cls, token: str) -> Self:
        """The position of a token. ValueError: it is none."""
        if not (match := _TOKEN.fullmatch(token)):
            raise ValueError(f"{token!r} is no token of a viewer")
        return cls(match[3], int(match[1]), match[2])

    def token(self) -> str:
        """The position as a text without spaces."""
        return f"{self.revision}.{self.digest}.{self.history}"


class Return:
    """Takes a table as it was at a position: compares the position (`offer`), takes a snapshot, goes back (`rewind`).

    Where that cannot be, it takes the table as it is now. `relation` says which, as `standing` of the protocol does.
    """

    def __init__(self, name: str, to: Position, session: Session) -> None:
        self.relation, self.head = "", 0
        self._name, self._to, self._session = name, to, session
        self._ticket = session.ask("offer", {
            "history": to.history, "revision": to.revision, "digest": to.digest}, name)
        self._pull: Pull | None = None
        self._past: Table | None = None

    @property
    def goes_on(self) -> bool:
        """Whether what came after the position is still to be had."""
        return self.relation in ("same", "extend")

    def step(self) -> Table | None:
        """The table, when all of it has come. Refused, Wrong: as of `Pull.step`."""
        if not self.relation:
            if not self._ticket.done:
                return None
            self.relation = self._ticket.result().wire.get("standing", {}).get("relation", "compacted")
            self._pull = Pull(self._name, self._session)
        if self._pull:
            if (table := self._pull.step()) is None:
                return None
            self._pull, self.head = None, table.revision
            if self.goes_on and table.history != self._to.history:
                self.relation = "diverged"
            elif self.goes_on and table.revision < self._to.revision:
                self.relation = "rolledBack"
            if not self.goes_on:
                return table
            self._past = table
            self._ask_back(table)
        return self._went_back(self._past) if self._past else None

    def _ask_back(self, past: Table) -> None:
        if past.revision > self._to.revision:
            self._ticket = self._session.ask("rewind", {
                "history": self._to.history, "since": past.revision, "to": self._to.revision}, self._name)

    def _went_back(self, past: Table) -> Table | None:
        """One answer farther back."""
        try:
            if past.revision > self._to.revision:
                if not self._ticket.done:
                    return None
                go_back(past, self._ticket.result()["rewind"].get("back", []))
                self._ask_back(past)
            if past.revision > self._to.revision:
                return None
            if past.digest() == self._to.digest:
                self.relation = "extend" if self.head > past.revision else "same"
                return past
            self.relation = "diverged"
        except Wrong:
            self.relation = "diverged"
        except Refused as why:
            if why.code != "compacted":
                raise
            self.relation = "compacted"
        self._past, self._pull = None, Pull(self._name, self._session)
        return None

    def close(self) -> None:
        """Nobody waits for it any more."""
        if self._pull:
            self._pull.close()
