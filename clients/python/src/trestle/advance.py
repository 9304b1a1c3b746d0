"""A diff that is being applied, and what several ops do alike."""

from .table import Table
from .wire import Json


class Advance:
    """One diff, or one way back, that is being applied to a table."""

    def __init__(self, table: Table, revision: int, time_ms: int, going_back: bool) -> None:
        self.table, self.revision, self.time_ms, self.going_back = table, revision, time_ms, going_back
        self.is_unordered = False  # an invocation came: its press may be earlier than those of others

    def stamped(self, key: str) -> Json:
        """The cause's time under this key; nothing without one."""
        return {key: self.time_ms} if self.time_ms else {}

    def changed(self) -> Json:
        """The members that a row gets when its version grows."""
        return {"version": self.revision, **self.stamped("changedMs")}


def fields_after(thing: Json, op: Json) -> Json:
    """The fields of a row or an item after a `set` of it."""
    unset = set(op.get("unset", ()))
    left = {key: value for key, value in thing.get("fields", {}).items() if key not in unset}
    return {**left, **op.get("fields", {})}


def pending(row: Json) -> list[Json]:
    """Those of the row's performances that stay when its content changes."""
    return [one for one in row.get("performed", ()) if one["state"] == "pending"]
