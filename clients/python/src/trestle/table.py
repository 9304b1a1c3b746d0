"""A table as a viewer holds it: rows, sections, definitions, invocations, and their digest."""

from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any, Self

from . import messages
from .digest import definitions_hash, row_hash, table_digest
from .errors import Wrong
from .order import Order
from .row import Invocation, Row, RowDict, columns_of, row_dict
from .wire import Json


class Table:
    """A table at one revision. Iterate over it for its rows in order; `table["t41"]` is one of them.

    Rows are held as messages that never change in place, so a row that was read stays as it was, and
    `copy` costs little.
    """

    def __init__(self, name: str = "") -> None:
        self.name, self.revision, self.history, self.epoch = name, 0, "", ""
        self.editing = False
        self.settings: messages.Settings = {}
        self.kinds: dict[str, messages.Kind] = {}
        self.waiting: dict[str, Any] = {}  # invocations that have not ended, in the order of their presses
        self.order = Order()
        self.wires: dict[str, Any] = {}  # rows by id
        self._hashes: dict[str, int] = {}
        self._definitions: int | None = None

    @classmethod
    def of_chunks(cls, name: str, chunks: Sequence[Json]) -> Self:
        """The table of all chunks of a snapshot, in order. Wrong: they do not fit together."""
        table, first = cls(name), chunks[0]
        table.revision, table.editing = first.get("revision", 0), first.get("editing", False)
        table.settings = first.get("settings", {})
        table.kinds = {kind["id"]: kind for kind in first.get("kinds", ())}
        try:
            for chunk in chunks:
                for part in chunk.get("slices", ()):
                    rows = part.get("rows", ())
                    table.order.append(part["section"], part.get("title", ""), [row["id"] for row in rows])
                    table.wires.update((row["id"], row) for row in rows)
                table.waiting.update((one["id"], one) for one in chunk.get("invocations", ()))
        except ValueError as why:
            raise Wrong(str(why)) from None
        return table

    # What to read.

    def __len__(self) -> int:
        return len(self.wires)

    def __bool__(self) -> bool:
        """A table without rows is a table."""
        return True

    def __contains__(self, id: object) -> bool:
        return id in self.wires

    def __getitem__(self, id: str) -> Row:
        return Row(self.wires[id], self.order.section_of(id))

    def __iter__(self) -> Iterator[Row]:
        return (Row(self.wires[id], section.id) for section in list(self.order.sections.values())
                for id in list(section.ids()))

    def get(self, id: str) -> Row | None:
        """The row, if it is there."""
        return self[id] if id in self.wires else None

    def rows(self, section: str | None = None) -> list[Row]:
        """All rows in order, or those of one section; none where there is no such section."""
        if section is None:
            return list(self)
        place = self.order.sections.get(section)
        return [Row(self.wires[id], section) for id in place.ids()] if place else []

    @property
    def sections(self) -> dict[str, str]:
        """The sections in order: their titles by their ids."""
        return {section.id: section.title for section in self.order.sections.values()}

    @property
    def invocations(self) -> dict[str, Invocation]:
        """Actions that were performed and have not ended, by their names, in the order of the presses."""
        return {id: Invocation(one) for id, one in self.waiting.items()}

    def to_dicts(self) -> list[RowDict]:
        """The rows in order, for files and for what reads tables of values."""
        return [row_dict(row) for row in self]

    def to_pandas(self) -> Any:
        """A `pandas.DataFrame`: a line for each row, a column `field.KEY` for each key. ImportError: there is no pandas."""
        return import_module("pandas").DataFrame(columns_of(list(self)))

    def to_polars(self) -> Any:
        """A `polars.DataFrame` of the same lines and columns. ImportError: there is no polars."""
        return import_module("polars").DataFrame(columns_of(list(self)))

    def digest(self) -> str:
        """16 hexadecimal digits, of the whole content. Only what was changed is hashed again."""
        if self._definitions is None:
            digests = {id: kind["digest"] for id, kind in self.kinds.items()}
            self._definitions = definitions_hash(self.settings.get("digest", "0"), digests)
        return table_digest(self.order.hashes(self._row_hash), self._definitions, self.editing,
                            self.waiting.values())

    def _row_hash(self, id: str) -> int:
        value = self._hashes.get(id)
        if value is None:
            value = self._hashes[id] = row_hash(self.wires[id])
        return value

    def copy(self) -> "Table":
        """Another table with the same content."""
        other = Table(self.name)
        other.revision, other.history, other.epoch = self.revision, self.history, self.epoch
        other.editing, other.settings = self.editing, self.settings
        other.kinds, other.waiting = dict(self.kinds), dict(self.waiting)
        other.wires, other._hashes = dict(self.wires), dict(self._hashes)
        for section in self.order.sections.values():
            other.order.append(section.id, section.title, list(section.ids()))
        return other

    # What ops change (ops.py).

    def insert(self, row: Json, after: str | None, section: str | None) -> None:
        """A row that is not there yet."""
        self.order.put([row["id"]], after, section)
        self.wires[row["id"]] = row

    def remove(self, id: str) -> None:
        """A row that is there."""
        self.order.take(id)
        del self.wires[id]
        self._hashes.pop(id, None)

    def replace(self, id: str, **changes: object) -> None:
        """The row with these values; None takes one away."""
        row = self.wires[id] | changes
        self.wires[id] = {key: value for key, value in row.items() if value is not None}
        self._hashes.pop(id, None)
        self.order.touch(id)

    def define(self, kinds: Sequence[Any], drop: Sequence[str], settings: Any) -> None:
        """Kinds that are new or other ones, then kinds that go, then the settings."""
        self.kinds.update((kind["id"], kind) for kind in kinds)
        for id in drop:
            del self.kinds[id]
        if settings is not None:
            self.settings = settings
        self._definitions = None
