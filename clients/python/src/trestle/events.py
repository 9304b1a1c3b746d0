"""The events that a follower tells, in the order in which it happened. The table stands at what was told last."""

from dataclasses import dataclass
from typing import Any, Literal

from . import messages

Freshness = Literal["live", "stale", "disconnected", "absent"]
"""`live`: what is held is what the daemon has, as far as a heartbeat ago. `stale`: nothing was heard
for three heartbeats, or the follower is catching up. `disconnected`: there is no connection, or never
was. `absent`: the daemon says that there is no such table."""


@dataclass(frozen=True, slots=True)
class Joined:
    """The whole table has come, at this revision: at the beginning, or where diffs could not lead on."""

    revision: int
    digest: str


@dataclass(frozen=True, slots=True)
class Change:
    """One revision: the table has it, and nothing beyond it, while this is the last that was told."""

    revision: int
    digest: str
    cause: messages.Cause
    ops: tuple[messages.Op, ...]

    @property
    def verb(self) -> str:
        """The verb that led to it: `move`, `batch`, `undo`, …"""
        return str(self.cause.get("verb", ""))

    @property
    def actor(self) -> str:
        """The person who did it: the name, or the client id; empty where that is not known."""
        return str(self.cause.get("name") or self.cause.get("client") or "")

    @property
    def user(self) -> str:
        """The user, as the connection proved it; empty where nothing was proven."""
        return str(self.cause.get("user", ""))

    @property
    def rows(self) -> list[str]:
        """The ids of the rows that its ops name, each once, in their order."""
        found: dict[str, None] = {}
        op: Any
        for op in self.ops:
            for fields in op.values():
                row, invocation = fields.get("row"), fields.get("invocation")
                ids: list[Any] = [row["id"] if isinstance(row, dict) else row,
                       invocation["row"] if isinstance(invocation, dict) else None,
                       fields.get("a"), fields.get("b"), *fields.get("rows", ())]
                found.update((id, None) for id in ids if id)
        return list(found)


@dataclass(frozen=True, slots=True)
class Absent:
    """There is no such table, or no longer."""


@dataclass(frozen=True, slots=True)
class Compared:
    """The daemon was started anew, or this program (`since`). The answer to what it has: `same`, `extend`, `rolledBack`
    (it has lost revisions that were seen), `diverged`, `compacted`."""

    relation: str


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Something did not fit. A snapshot follows."""

    why: str


Event = Joined | Change | Absent | Compared | Mismatch
