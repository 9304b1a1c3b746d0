"""The ops of strips. With all but `scroll` the row's version grows."""

from collections.abc import Callable
from typing import Any

from .advance import Advance, fields_after, pending
from .wire import Json


def _items(advance: Advance, op: Json, work: Callable[[list[Json]], Any]) -> None:
    row = advance.table.wires[op["row"]]
    items = list(row.get("items", ()))
    work(items)
    advance.table.replace(op["row"], items=items, **advance.changed(), performed=pending(row))


def _at(items: list[Json], id: str) -> int:
    return [item["id"] for item in items].index(id)


def _behind(items: list[Json], op: Json) -> int:
    return _at(items, op["after"]) + 1 if "after" in op else 0


def insert_item(advance: Advance, op: Json) -> None:
    """An item that is not there yet."""
    def work(items: list[Json]) -> None:
        if any(item["id"] == op["item"]["id"] for item in items):
            raise ValueError("the item is there already")
        items.insert(_behind(items, op), op["item"])
    _items(advance, op, work)


def remove_item(advance: Advance, op: Json) -> None:
    """An item goes."""
    _items(advance, op, lambda items: items.pop(_at(items, op["item"])))


def move_items(advance: Advance, op: Json) -> None:
    """Items leave their places, then stand in this order."""
    def work(items: list[Json]) -> None:
        moved = [items.pop(_at(items, id)) for id in op["items"]]
        at = _behind(items, op)
        items[at:at] = moved
    _items(advance, op, work)


def set_item(advance: Advance, op: Json) -> None:
    """The given members of an item; fields in `unset` go first."""
    def work(items: list[Json]) -> None:
        at = _at(items, op["item"])
        item = items[at] | {"fields": fields_after(items[at], op)}
        item |= {key: op[key] for key in ("title", "kind") if key in op}  # an empty kind is none
        if "tap" in op:  # without effects: what the kind says
            item.pop("tap", None)
            if op["tap"].get("effects"):
                item["tap"] = op["tap"]
        items[at] = item
    _items(advance, op, work)


def scroll(advance: Advance, op: Json) -> None:
    """Where all screens scroll the strip to."""
    scroll = {"item": op["item"], "fraction": op.get("fraction", 0.0)} if "item" in op else None
    advance.table.replace(op["row"], scroll=scroll)
