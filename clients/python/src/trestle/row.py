"""Rows as a program reads them. They do not change: a table gives new ones after a change."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypedDict

from . import messages

Texts = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim: a person says that they work on a row. `ttl` is in seconds, `since_ms` in milliseconds since 1970."""

    holder: str
    note: str
    ttl: float | None
    since_ms: int


@dataclass(frozen=True, slots=True)
class Performance:
    """The outcome of an action: its `state` is `pending`, `done` or `failed` (with a `reason`)."""

    action: str
    state: str
    reason: str


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a strip. `kind` is one of its strip kind's item kinds; empty: none."""

    id: str
    title: str
    fields: Texts
    kind: str
    performed: Mapping[str, Performance]


@dataclass(frozen=True, slots=True)
class Row:
    """A row at one revision. `wire` is all of it, in the protocol's JSON form; treat it as read-only."""

    wire: messages.Row
    section: str

    @property
    def id(self) -> str:
        """The row's id, which no other row of the table has."""
        return str(self.wire["id"])

    @property
    def kind(self) -> str:
        """The kind, by its id."""
        return str(self.wire["kind"])

    @property
    def title(self) -> str:
        """The title."""
        return str(self.wire.get("title", ""))

    @property
    def fields(self) -> Texts:
        """Texts by keys."""
        return MappingProxyType(self.wire.get("fields", {}))

    @property
    def version(self) -> int:
        """The revision at which the content was last changed: `board.when(version=row.version)`."""
        return int(self.wire.get("version", 0))

    @property
    def created_ms(self) -> int:
        """When it was made, in milliseconds since 1970."""
        return int(self.wire.get("createdMs", 0))

    @property
    def changed_ms(self) -> int:
        """When its version last grew; 0: not since it was made."""
        return int(self.wire.get("changedMs", 0))

    @property
    def moved_ms(self) -> int:
        """When it last came to stand elsewhere; 0: not since it was made."""
        return int(self.wire.get("movedMs", 0))

    @property
    def state(self) -> str:
        """`collapsed`, `expanded`, a state of its kind, or a height in points as text."""
        return str(self.wire.get("expand", "collapsed"))

    @property
    def swipe(self) -> str:
        """`leading`, `trailing` or `closed`."""
        return str(self.wire.get("swipe", "closed"))

    @property
    def claim(self) -> Claim | None:
        """The claim of the person who works on it."""
        if not (claim := self.wire.get("claim")):
            return None
        return Claim(claim["holder"], claim.get("note", ""), claim.get("ttl"), claim.get("sinceMs", 0))

    @property
    def wakes_ms(self) -> int | None:
        """When the row wakes, in milliseconds since 1970; None: it does not sleep."""
        sleep = self.wire.get("sleep")
        return int(sleep.get("untilMs", 0)) if sleep else None

    @property
    def performed(self) -> Mapping[str, Performance]:
        """The outcomes of the row's own actions, by their ids."""
        return self._performed(None)

    def _performed(self, item: str | None) -> Mapping[str, Performance]:
        return {one["action"]: Performance(one["action"], one["state"], one.get("reason", ""))
                for one in self.wire.get("performed", ()) if one.get("item") == item}

    @property
    def came_from(self) -> str | None:
        """The section that the row left last, if an action of its kind asks for it."""
        return self.wire.get("cameFrom")

    @property
    def is_selected(self) -> bool:
        """Whether the row, or one of its items, is what all screens have selected."""
        return self.wire.get("selected") is not None

    @property
    def selected_item(self) -> str | None:
        """The item that all screens have selected, by its id."""
        return (self.wire.get("selected") or {}).get("item")

    @property
    def items(self) -> tuple[Item, ...]:
        """The items of a strip, in order."""
        return tuple(Item(one["id"], one.get("title", ""), MappingProxyType(one.get("fields", {})),
                          one.get("kind", ""), self._performed(one["id"]))
                     for one in self.wire.get("items", ()))


class RowDict(TypedDict):
    """A row as plain values, with the names of `Row`."""

    id: str
    section: str
    kind: str
    title: str
    state: str
    version: int
    created_ms: int
    changed_ms: int
    moved_ms: int
    claimed_by: str | None
    fields: dict[str, str]


def row_dict(row: Row) -> RowDict:
    """The row as plain values."""
    return {"id": row.id, "section": row.section, "kind": row.kind, "title": row.title, "state": row.state,
            "version": row.version, "created_ms": row.created_ms, "changed_ms": row.changed_ms,
            "moved_ms": row.moved_ms, "claimed_by": row.claim.holder if row.claim else None,
            "fields": dict(row.fields)}


def columns_of(rows: Sequence[Row]) -> dict[str, list[Any]]:
    """The rows as columns; where a row has no such field there is None."""
    lines: list[Any] = [row_dict(row) for row in rows]
    columns = {name: [line[name] for line in lines] for name in RowDict.__annotations__ if name != "fields"}
    for key in sorted({key for line in lines for key in line["fields"]}):
        columns[f"field.{key}"] = [line["fields"].get(key) for line in lines]
    return columns


@dataclass(frozen=True, slots=True)
class Invocation:
    """An action that was performed and that a handler completes.

    `attempt` is 1 at the first time; from 2 on it may have run before. `deadline` is in seconds from
    `pressed_ms`. `row` is the row as it was pressed (None where only the table was asked).
    """

    wire: messages.Invocation

    @property
    def id(self) -> str:
        """Its name, such as `12.0`."""
        return str(self.wire["id"])

    @property
    def action(self) -> str:
        """The action that was performed."""
        return str(self.wire["action"])

    @property
    def row_id(self) -> str:
        """The row's id."""
        return str(self.wire["row"])

    @property
    def item_id(self) -> str | None:
        """The item on which it was performed, by its id; None: on the row."""
        return self.wire.get("item")

    @property
    def row(self) -> Row | None:
        """The row as it was pressed."""
        pressed: Any = self.wire.get("pressed")
        return Row(pressed, str(pressed.get("section", ""))) if pressed else None

    @property
    def holder(self) -> str | None:
        """The client that holds it; None: it waits."""
        return self.wire.get("holder") or None

    @property
    def attempt(self) -> int:
        """How often it was taken."""
        return int(self.wire.get("attempts", 0))

    @property
    def allowed(self) -> int | None:
        """How often it may be taken; None: until it fails, or its deadline passes."""
        retries: Any = self.wire.get("retries", {})
        return int(retries["attempts"]) if "attempts" in retries else None

    @property
    def due_ms(self) -> int | None:
        """When it can be taken again, in milliseconds since 1970; None: it does not pause after a failure."""
        failure: Any = self.wire.get("failure")
        return int(failure.get("dueMs", 0)) if failure and not failure.get("over") else None

    @property
    def deadline(self) -> float:
        """Seconds from the press, or for each attempt where `allowed` bounds them."""
        return float(self.wire.get("deadline", 0))

    @property
    def pressed_ms(self) -> int:
        """When it was pressed, in milliseconds since 1970."""
        return int(self.wire.get("pressedMs", 0))
