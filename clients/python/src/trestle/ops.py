"""The ops of diffs: one function for each, in a table by their names (docs/PROTOCOL.md, "Ops").

An op that does not fit raises `Wrong`. The table may then have been changed by halves: let it go.
"""

from collections.abc import Callable
from typing import Any

from .errors import Wrong
from .table import Table
from .wire import Json

MOST_PERFORMANCES = 32


class Change:
    """One diff, or one way back, that is being applied to a table."""

    def __init__(self, table: Table, revision: int, time_ms: int, going_back: bool) -> None:
        self.table, self.revision, self.time_ms, self.going_back = table, revision, time_ms, going_back

    def stamped(self, key: str) -> Json:
        """The cause's time under this key; nothing without one."""
        return {key: self.time_ms} if self.time_ms else {}

    def changed(self) -> Json:
        """What a row gets whose version grows."""
        return {"version": self.revision, **self.stamped("changedMs")}


def apply(table: Table, diff: Json) -> None:
    """The diff that leads on from the table's revision; then the digest has to be the diff's."""
    base = diff.get("base", 0)
    if base != table.revision:
        raise Wrong(f"a diff of revision {base} does not fit {table.revision}")
    change = Change(table, base + 1, diff.get("cause", {}).get("timeMs", 0), going_back=False)
    _apply(change, diff.get("ops", []), diff["digest"])


def rewind(table: Table, step: Json) -> None:
    """One of the ways back that `rewind` gives. Use a copy of the table that is followed."""
    change = Change(table, step.get("revision", 0), 0, going_back=True)
    _apply(change, step.get("ops", []), step["digest"])


def _apply(change: Change, ops: list[Json], digest: str) -> None:
    for op in ops:
        (verb, fields), = op.items()
        if (function := OPS.get(verb)) is None:
            raise Wrong(f"an op that this client does not know: {verb}")
        try:
            function(change, fields)
        except (KeyError, ValueError, StopIteration) as why:
            raise Wrong(f"{verb} does not fit at revision {change.revision}: {why!r}") from why
    change.table.revision = change.revision
    try:
        here = change.table.digest()
    except KeyError as why:
        raise Wrong(f"a part without its digest at revision {change.revision}") from why
    if here != digest:
        raise Wrong(f"another digest at revision {change.revision}")


# Rows.

def _insert(change: Change, op: Json) -> None:
    row = op["row"] if change.going_back else op["row"] | {"version": change.revision}
    change.table.insert(row, op.get("after"), op.get("section"))


def _remove(change: Change, op: Json) -> None:
    change.table.remove(op["row"])


def _move(change: Change, op: Json) -> None:
    for id in op["rows"]:
        change.table.order.take(id)
    change.table.order.put(op["rows"], op.get("after"), op.get("section"))
    for id in op["rows"]:
        change.table.replace(id, **change.stamped("movedMs"))


def _swap(change: Change, op: Json) -> None:
    change.table.order.swap(op["a"], op["b"])
    for id in (op["a"], op["b"]):
        change.table.replace(id, **change.stamped("movedMs"))


def _set(change: Change, op: Json) -> None:
    row = change.table.wires[op["row"]]
    new: Json = {key: op[key] for key in ("title", "kind") if key in op}
    new["fields"] = _fields(row, op)
    if "actions" in op:  # without any edge: its kind's again
        own = "leading" in op["actions"] or "trailing" in op["actions"]
        new["actions"] = op["actions"] if own else None
    if "states" in op:
        new["states"] = op["states"].get("states") or None
    change.table.replace(op["row"], **new, **change.changed(), performed=_pending(row))


def _fields(thing: Json, op: Json) -> Json:
    unset = set(op.get("unset", ()))
    left = {key: value for key, value in thing.get("fields", {}).items() if key not in unset}
    return {**left, **op.get("fields", {})}


def _pending(row: Json) -> list[Json]:
    return [one for one in row.get("performed", ()) if one["state"] == "pending"]


def _swipe(change: Change, op: Json) -> None:
    change.table.replace(op["row"], swipe=op["edge"])


def _expand(change: Change, op: Json) -> None:
    change.table.replace(op["row"], expand=op["state"])


def _expand_all(change: Change, op: Json) -> None:
    table, state = change.table, "expanded" if op.get("open") else "collapsed"
    for id, row in list(table.wires.items()):
        states = row.get("states") or table.kinds[row["kind"]].get("states", ())
        if any(one["name"] == state for one in states):
            table.replace(id, expand=state)


def _claim(change: Change, op: Json) -> None:
    change.table.replace(op["row"], claim=op.get("claim"))


def _restore(change: Change, op: Json) -> None:
    version = op.get("version", 0) if change.going_back else change.revision
    change.table.replace(op["row"], version=version, performed=op.get("performed", []),
                         changedMs=op.get("changedMs", 0), movedMs=op.get("movedMs", 0))


# Sections and definitions.

def _insert_section(change: Change, op: Json) -> None:
    change.table.order.insert_section(op["id"], op.get("title", ""), op.get("after"))


def _remove_section(change: Change, op: Json) -> None:
    change.table.order.remove_section(op["id"])


def _set_section(change: Change, op: Json) -> None:
    change.table.order.set_section(op["id"], op.get("title", ""))


def _define(change: Change, op: Json) -> None:
    change.table.define(op.get("kinds", []), op.get("drop", []), op.get("settings"))


def _edit(change: Change, op: Json) -> None:
    change.table.editing = op.get("on", False)


# Actions.

def _perform(change: Change, op: Json) -> None:
    row = change.table.wires[op["row"]]
    change.table.replace(op["row"], **change.changed(), performed=_performed(row, op["performance"]))


def _performed(row: Json, new: Json) -> list[Json]:
    """The row's performances with this one, in the place of that of the same action."""
    old = row.get("performed", [])
    if any(one["action"] == new["action"] for one in old):
        return [new if one["action"] == new["action"] else one for one in old]
    all = [*old, new]
    if len(all) > MOST_PERFORMANCES:
        all.remove(next(one for one in all if one["state"] != "pending"))
    return all


def _invoke(change: Change, op: Json) -> None:
    one, table = op["invocation"], change.table
    if one["id"] in table.waiting or one["row"] not in table:
        raise ValueError("the invocation is there already, or its row is not")
    table.waiting[one["id"]] = one


def _take(change: Change, op: Json) -> None:
    one = change.table.waiting[op["invocation"]]
    attempts = one.get("attempts", 0) + 1
    change.table.waiting[op["invocation"]] = one | {"holder": op["holder"], "attempts": attempts}


def _release(change: Change, op: Json) -> None:
    one = change.table.waiting[op["invocation"]]
    change.table.waiting[op["invocation"]] = {key: one[key] for key in one if key != "holder"}


def _finish(change: Change, op: Json) -> None:
    one = change.table.waiting.pop(op["invocation"])
    row = change.table.wires.get(one["row"], {})
    if any(old.get("invocation") == one["id"] for old in _pending(row)):
        ended = {"state": "done"} if op.get("done") else {"state": "failed", "reason": op.get("failed", "")}
        performed = _performed(row, {"action": one["action"], **ended})
        change.table.replace(one["row"], performed=performed)


def _set_invocation(change: Change, op: Json) -> None:
    change.table.waiting.pop(op["id"], None)
    if "invocation" in op:
        change.table.waiting[op["id"]] = op["invocation"]


# Strips.

def _items(change: Change, op: Json, work: Callable[[list[Json]], Any]) -> None:
    row = change.table.wires[op["row"]]
    items = list(row.get("items", ()))
    work(items)
    change.table.replace(op["row"], items=items, **change.changed(), performed=_pending(row))


def _at(items: list[Json], id: str) -> int:
    return [item["id"] for item in items].index(id)


def _behind(items: list[Json], op: Json) -> int:
    return _at(items, op["after"]) + 1 if "after" in op else 0


def _insert_item(change: Change, op: Json) -> None:
    def work(items: list[Json]) -> None:
        if any(item["id"] == op["item"]["id"] for item in items):
            raise ValueError("the item is there already")
        items.insert(_behind(items, op), op["item"])
    _items(change, op, work)


def _remove_item(change: Change, op: Json) -> None:
    _items(change, op, lambda items: items.pop(_at(items, op["item"])))


def _move_items(change: Change, op: Json) -> None:
    def work(items: list[Json]) -> None:
        moved = [items.pop(_at(items, id)) for id in op["items"]]
        at = _behind(items, op)
        items[at:at] = moved
    _items(change, op, work)


def _set_item(change: Change, op: Json) -> None:
    def work(items: list[Json]) -> None:
        at = _at(items, op["item"])
        item = items[at] | {"fields": _fields(items[at], op)}
        if "title" in op:
            item["title"] = op["title"]
        if "tap" in op:  # without effects: what the kind says
            item.pop("tap", None)
            if op["tap"].get("effects"):
                item["tap"] = op["tap"]
        items[at] = item
    _items(change, op, work)


def _scroll(change: Change, op: Json) -> None:
    scroll = {"item": op["item"], "fraction": op.get("fraction", 0.0)} if "item" in op else None
    change.table.replace(op["row"], scroll=scroll)


def _select(change: Change, op: Json) -> None:
    change.table.wires[op["row"]]  # news of a row that has to be there


OPS: dict[str, Callable[[Change, Json], None]] = {
    "insert": _insert, "remove": _remove, "move": _move, "swap": _swap, "set": _set, "swipe": _swipe,
    "expand": _expand, "expandAll": _expand_all, "claim": _claim, "restore": _restore,
    "insertSection": _insert_section, "removeSection": _remove_section, "setSection": _set_section,
    "define": _define, "edit": _edit, "perform": _perform, "invoke": _invoke, "take": _take,
    "release": _release, "finish": _finish, "setInvocation": _set_invocation,
    "insertItem": _insert_item, "removeItem": _remove_item, "moveItems": _move_items,
    "setItem": _set_item, "scroll": _scroll, "select": _select}
