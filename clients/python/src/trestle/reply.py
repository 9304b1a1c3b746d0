"""Replies as a program reads them."""

from dataclasses import dataclass
from typing import Any

from . import shapes
from .errors import Malformed, Refused
from .row import Invocation
from .wire import Json, decode


@dataclass(frozen=True, slots=True)
class Landing:
    """Where a row stands after a command that named it.

    `section` is None if the row was removed. `note` tells why it is not where it was asked to be.
    """

    row: str
    section: str | None
    index: int | None
    after: str | None
    version: int | None
    note: str | None


@dataclass(frozen=True, slots=True)
class Reply:
    """The daemon's answer to a request that it carried out. `reply["tables"]` is a part of it.

    `wire` is all of it, in the protocol's JSON form.
    """

    wire: Json

    def __getitem__(self, key: str) -> Any:
        return self.wire[key]

    def __contains__(self, key: object) -> bool:
        return key in self.wire

    @property
    def revision(self) -> int:
        """The table's revision after it."""
        return int(self.wire.get("revision", 0))

    @property
    def unchanged(self) -> bool:
        """The command was in order and changed nothing."""
        return bool(self.wire.get("unchanged", False))

    @property
    def rows(self) -> list[Landing]:
        """Where the rows that it named stand now."""
        return [Landing(*(one.get(key) for key in ("row", "section", "index", "after", "version", "note")))
                for one in self.wire.get("rows", ())]

    @property
    def row_count(self) -> int:
        """How many rows it was about: also where they are so many that `rows` does not name them."""
        return int(self.wire.get("rowCount", len(self.wire.get("rows", ()))))

    @property
    def row(self) -> str:
        """The id of the row that it was about: for `add` without an id, the one that the table made."""
        if not (rows := self.rows):
            raise IndexError("the reply names no row")
        return rows[0].row

    @property
    def invocations(self) -> list[Invocation]:
        """Those that it started, took, or (`renew`) that are held."""
        return [Invocation(one) for one in self.wire.get("invocations", ())]

    @property
    def lease(self) -> str:
        """The id of the lease that a `lift` took."""
        return str(self.wire["lease"]["lease"])

    # Parts of answers to questions. An empty list where the daemon left it out.

    @property
    def tables(self) -> list[Json]:
        """The answer to `tables`: each `table` (its name) with `revision`, `rows`, `digest`, …"""
        return self._part("tables", "tables")

    @property
    def changes(self) -> list[Json]:
        """The answer to `history`: each `revision` with `cause`, `rows`, `text`, …, newest first."""
        return self._part("changes", "changes")

    @property
    def viewers(self) -> list[Json]:
        """The answer to `who`: each `client` with `name`, `revision`, `lag`."""
        return self._part("who", "viewers")

    @property
    def ops(self) -> list[Json]:
        """The answer to `explain` (`board.trial`): what the command would do."""
        return self._part("explanation", "ops")

    def _part(self, name: str, inner: str) -> list[Json]:
        part: list[Json] = self.wire.get(name, {}).get(inner, [])
        return part


def read_reply(body: bytes) -> Json:
    """The reply of a body, with its form checked. Malformed: it has another one."""
    reply = decode(body)
    shapes.REPLY(reply)
    if not reply.get("ok") and "error" not in reply:
        raise Malformed("a refusal that does not say why")
    return reply


def refusal(reply: Json) -> Refused:
    """The error of a reply that is not `ok`."""
    error = reply["error"]
    refused = Refused(
        error["code"], error.get("message", ""), error.get("field"), error.get("command"))
    refused.endpoints = tuple(error.get("endpoints", ()))
    return refused
