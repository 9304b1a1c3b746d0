"""The ops of diffs: one function for each, in a table by their names (docs/PROTOCOL.md, "Ops").

An op that does not fit raises `Wrong`. The table may then have been changed by halves: let it go.
"""

from collections.abc import Callable

from .advance import Advance, fields_after, pending
from .errors import Wrong
from .strip_ops import insert_item, move_items, remove_item, scroll, set_item
from .table import Table
from .wire import Json

MOST_PERFORMANCES, MOST_ON_ITEMS = 32, 256


def apply(table: Table, diff: Json) -> None:
    """The diff that leads on from the table's revision; then the digest has to be the diff's."""
    base = diff.get("base", 0)
    if base != table.revision:
        raise Wrong(f"a diff of revision {base} does not fit {table.revision}")
    advance = Advance(table, base + 1, diff.get("cause", {}).get("timeMs", 0), going_back=False)
    _apply(advance, diff.get("ops", []), diff["digest"])


def rewind(table: Table, step: Json) -> None:
    """One of the ways back that `rewind` gives. Use a copy of the table that is followed."""
    advance = Advance(table, step.get("revision", 0), 0, going_back=True)
    _apply(advance, step.get("ops", []), step["digest"])


def go_back(table: Table, steps: list[Json]) -> None:
    """All ways back of one answer to `rewind`. Wrong: they do not lead back."""
    if not steps or steps[-1].get("revision", 0) >= table.revision:
        raise Wrong("the daemon gave no way back")
    for step in steps:
        rewind(table, step)


def _apply(advance: Advance, ops: list[Json], digest: str) -> None:
    for op in ops:
        (verb, fields), = op.items()
        if (function := OPS.get(verb)) is None:
            raise Wrong(f"an op that this client does not know: {verb}")
        try:
            function(advance, fields)
        except (KeyError, ValueError, StopIteration) as why:
            raise Wrong(f"{verb} does not fit at revision {advance.revision}: {why!r}") from why
    if advance.is_unordered:
        try:
            advance.table.waiting = _by_press(advance.table.waiting)
        except ValueError as why:
            raise Wrong(f"no id of an invocation, at revision {advance.revision}: {why!r}") from why
    advance.table.revision = advance.revision
    try:
        here = advance.table.digest()
    except (KeyError, OverflowError) as why:
        raise Wrong(f"a part without its digest, or too large a number, at revision {advance.revision}") from why
    if here != digest:
        raise Wrong(f"another digest at revision {advance.revision}")


# Rows.

def _insert(advance: Advance, op: Json) -> None:
    row = op["row"] if advance.going_back else op["row"] | {"version": advance.revision}
    advance.table.insert(row, op.get("after"), op.get("section"))


def _move(advance: Advance, op: Json) -> None:
    for id in op["rows"]:
        advance.table.order.take(id)
    advance.table.order.put(op["rows"], op.get("after"), op.get("section"))
    for id in op["rows"]:
        advance.table.replace(id, **advance.stamped("movedMs"))


def _swap(advance: Advance, op: Json) -> None:
    advance.table.order.swap(op["a"], op["b"])
    for id in (op["a"], op["b"]):
        advance.table.replace(id, **advance.stamped("movedMs"))


def _set(advance: Advance, op: Json) -> None:
    row = advance.table.wires[op["row"]]
    new: Json = {key: op[key] for key in ("title", "kind") if key in op}
    new["fields"] = fields_after(row, op)
    if "actions" in op:  # without any edge: its kind's again
        own = "leading" in op["actions"] or "trailing" in op["actions"]
        new["actions"] = op["actions"] if own else None
    if "states" in op:
        new["states"] = op["states"].get("states") or None
    advance.table.replace(op["row"], **new, **advance.changed(), performed=pending(row))


def _expand_all(advance: Advance, op: Json) -> None:
    table, state = advance.table, "expanded" if op.get("open") else "collapsed"
    for id, row in list(table.wires.items()):
        states = row.get("states") or table.kinds[row["kind"]].get("states", ())
        if any(one["name"] == state for one in states):
            table.replace(id, expand=state)


def _restore(advance: Advance, op: Json) -> None:
    version = op.get("version", 0) if advance.going_back else advance.revision
    advance.table.replace(op["row"], version=version, performed=op.get("performed", []),
                         changedMs=op.get("changedMs", 0), movedMs=op.get("movedMs", 0))


def _edit(advance: Advance, op: Json) -> None:
    advance.table.editing = op.get("on", False)


# Actions.

def _perform(advance: Advance, op: Json) -> None:
    row = advance.table.wires[op["row"]]
    advance.table.replace(op["row"], **advance.changed(), performed=_performed(row, op["performance"]))


def _performed(row: Json, new: Json) -> list[Json]:
    """The row's performances with this one, in the place of that of the same action on the same item."""
    old = row.get("performed", [])
    same = [one["action"] == new["action"] and one.get("item") == new.get("item") for one in old]
    all = [new if is_same else one for one, is_same in zip(old, same)] + ([] if any(same) else [new])
    own, on_items = ([one for one in all if ("item" in one) == is_on_item] for is_on_item in (False, True))
    # Too many: of the row's own the oldest that has ended goes, of the items' the oldest that failed.
    for some, most, ended in (own, MOST_PERFORMANCES, ("done", "failed")), (on_items, MOST_ON_ITEMS, ("failed",)):
        gone = next((one for one in some if one["state"] in ended), None) if len(some) > most else None
        all = [one for one in all if one is not gone]
    return all


def _invoke(advance: Advance, op: Json) -> None:
    one, table = op["invocation"], advance.table
    if one["id"] in table.waiting or one["row"] not in table:
        raise ValueError("the invocation is there already, or its row is not")
    table.waiting[one["id"]] = one


def _take(advance: Advance, op: Json) -> None:
    one = advance.table.waiting[op["invocation"]]
    attempts = one.get("attempts", 0) + 1
    advance.table.waiting[op["invocation"]] = one | {"holder": op["holder"], "attempts": attempts}


def _unheld(one: Json) -> Json:
    return {key: one[key] for key in one if key != "holder"}


def _release(advance: Advance, op: Json) -> None:
    advance.table.waiting[op["invocation"]] = _unheld(advance.table.waiting[op["invocation"]])


def _rest(advance: Advance, op: Json) -> None:
    one = advance.table.waiting[op["invocation"]]
    if "failure" in op:
        # An attempt that no handler took counts too.
        attempts = one.get("attempts", 0) + ("holder" not in one)
        one = _unheld(one) | {"attempts": attempts, "failure": op["failure"]}
    elif one.get("failure", {"over": True}).get("over"):
        raise ValueError("the invocation does not rest")
    else:
        one = one | {"failure": one["failure"] | {"over": True}}
    advance.table.waiting[op["invocation"]] = one


def _finish(advance: Advance, op: Json) -> None:
    one = advance.table.waiting.pop(op["invocation"])
    row = advance.table.wires.get(one["row"], {})
    if any(old.get("invocation") == one["id"] for old in pending(row)):
        ended = {"state": "done"} if op.get("done") else {"state": "failed", "reason": op.get("failed", "")}
        item = {"item": one["item"]} if "item" in one else {}
        performed = _performed(row, {"action": one["action"], **item, **ended})
        advance.table.replace(one["row"], performed=performed)


def _set_invocation(advance: Advance, op: Json) -> None:
    id, waiting = op["id"], advance.table.waiting
    if "invocation" not in op:
        waiting.pop(id, None)
        return
    # It may be an earlier press than others, whose order is that in which handlers get them. They are put in order
    # once, after the ops: a diff may bring back as many as its batch had, and thousands may wait.
    advance.is_unordered |= id not in waiting
    waiting[id] = op["invocation"]


def _by_press(waiting: dict[str, Json]) -> dict[str, Json]:
    """The invocations in the order of their presses."""
    return {id: waiting[id] for id in sorted(waiting, key=_press)}


def _press(id: str) -> tuple[int, int]:
    """The revision of an invocation's press, and its place in the batch."""
    revision, index = id.split(".")
    return int(revision), int(index)


def _sets(member: str, name: str) -> Callable[[Advance, Json], None]:
    """An op that sets a member of a row to what it has under this name; the member goes where it has nothing there."""
    return lambda advance, op: advance.table.replace(op["row"], **{member: op.get(name)})


OPS: dict[str, Callable[[Advance, Json], object]] = {
    "insert": _insert,
    "remove": lambda advance, op: advance.table.remove(op["row"]),
    "move": _move, "swap": _swap, "set": _set,
    "swipe": _sets("swipe", "edge"),
    "expand": _sets("expand", "state"),
    "expandAll": _expand_all,
    "claim": _sets("claim", "claim"),
    "sleep": _sets("sleep", "sleep"),
    "restore": _restore,
    "insertSection": lambda advance, op: advance.table.order.insert_section(op["id"], op.get("title", ""), op.get("after")),
    "removeSection": lambda advance, op: advance.table.order.remove_section(op["id"]),
    "setSection": lambda advance, op: advance.table.order.set_section(op["id"], op.get("title", "")),
    "define": lambda advance, op: advance.table.define(op.get("kinds", []), op.get("drop", []), op.get("settings")),
    "edit": _edit, "perform": _perform, "invoke": _invoke, "take": _take, "release": _release, "rest": _rest,
    "finish": _finish, "setInvocation": _set_invocation,
    "insertItem": insert_item, "removeItem": remove_item, "moveItems": move_items, "setItem": set_item, "scroll": scroll,
    "select": lambda advance, op: advance.table.wires[op["row"]],  # news of a row that has to be there
    "mark": _sets("selected", "selected"),
    "came": _sets("cameFrom", "from"),
}
