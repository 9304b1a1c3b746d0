"""A table at the daemon, by its name: what one can do to it, and ask about it.

Written once for both front ends: each method gives what `send` gives, a `Reply` or an awaitable one.
"""

from collections.abc import Callable, Sequence
from typing import Generic, Protocol

from .engine import Engine
from .verbs import Batch, R, Verbs, anchor, conditions, given, ids
from .wire import Json

Send = Callable[[str, Json, str], R]
"""Asks a verb with its body about a table."""


class CarryOut(Protocol[R]):
    """Carries out a verb with its body on a table, once. A refusal with the code `but` is as good as done."""

    def __call__(self, verb: str, body: Json, table: str, but: str | None = None) -> R: ...


class Trial(Verbs[R]):
    """Asks what a command would do, and does nothing: `board.trial.move("t41", top=True)`.

    The reply has the landings, `reply.ops`, or is the refusal.
    """

    def __init__(self, name: str, ask: Send[R], conditions: Json | None = None) -> None:
        self._name, self._ask, self._conditions = name, ask, conditions or {}

    def _do(self, command: Json) -> R:
        return self._ask("explain", {"command": command | self._conditions}, self._name)


class Board(Verbs[R], Generic[R]):
    """One table. `carry_out` is for what is done once, `ask` for what may be asked twice."""

    def __init__(self, name: str, carry_out: CarryOut[R], ask: Send[R], conditions: Json | None = None) -> None:
        self.name = name
        self._carry_out, self._ask, self._conditions = carry_out, ask, conditions or {}

    def _do(self, command: Json) -> R:
        return self._carry_out("command", command | self._conditions, self.name)

    def when(self, *, revision: int | None = None, version: int | None = None,
             claimed: bool = False, if_: str | None = None) -> "Board[R]":
        """This table, for commands that are refused as `stale` or `notClaimed` unless it is so.

        `revision`: the table's, also for a batch. `version`: that of the one row of a `set`, `remove`, `move`,
        `swipe`, `expand`, `act`, `select`, `mark`, `scroll` or a command about items. `claimed`: you have claimed
        the rows that one of these or a `swap` names. With these two the daemon refuses other commands as `badValue`.
        `if_`: a predicate (docs/PREDICATES.md) that is true of each row that the command names or, if it names none, of
        the table; any command can have it.
        What cannot have conditions at all (`create`, `drop`, drags) is a ValueError. A second `when` adds to the
        first; of one kind the latest counts.
        """
        return Board(self.name, self._carry_out, self._ask, self._conditions | conditions(version, claimed, if_)
                     | given(ifRevision=revision))

    def _refuse_conditions(self, what: str, but: str | None = None) -> None:
        """ValueError: the protocol has no place for one of them, and without it more would be done than was said."""
        if found := self._conditions.keys() - {but}:
            raise ValueError(f"{what} cannot have a condition: {', '.join(sorted(found))}")

    @property
    def trial(self) -> Trial[R]:
        """Asks what commands would do."""
        return Trial(self.name, self._ask, self._conditions)

    def batch(self, batch: Batch, *, if_revision: int | None = None) -> R:
        """All of its commands in one revision, or none: `Refused.command` tells which was in the way.

        ValueError: a version or claims are required of it. That is said of its commands: `Batch.when`.
        """
        self._refuse_conditions("a batch", but="ifRevision")
        condition = self._conditions | given(ifRevision=if_revision)
        return self._carry_out("batch", {"commands": batch.commands, **condition}, self.name)

    # The table.

    def create(self, *, exist_ok: bool = False) -> R:
        """Makes the table. Refused as `exists` if there is one; with `exist_ok` the reply is `unchanged` then."""
        self._refuse_conditions("`create`")
        return self._carry_out("create", {}, self.name, "exists" if exist_ok else None)

    def drop(self) -> R:
        """Removes the table, with all that is in it."""
        self._refuse_conditions("`drop`")
        return self._carry_out("drop", {}, self.name)

    def forget(self, *rows: str) -> R:
        """Makes the past of rows be gone for good: history, undo and the daemon's files hold nothing of them any more.

        Refused as `exists` if a row is still in the table: remove it first.
        """
        self._refuse_conditions("`forget`")
        return self._carry_out("forget", {"rows": ids("rows", rows)}, self.name)

    def kinds(self) -> R:
        """Its kinds and settings: `reply["kinds"]`."""
        return self._ask("kinds", {}, self.name)

    def history(self, *, row: str | None = None, actor: str | None = None, verb: str | None = None,
                before: int | None = None, most: int | None = None, from_ms: int | None = None,
                to_ms: int | None = None) -> R:
        """Revisions, newest first, that match all that is given: `reply.changes`."""
        return self._ask("history", given(row=row, actor=actor, verb=verb, before=before, most=most,
                                          fromMs=from_ms, toMs=to_ms), self.name)

    def query(self, where: str | None = None, *, sections: Sequence[str] = (), row: str | None = None,
              sort: str | None = None, most: int | None = None, by: str | None = None,
              sum: str | None = None) -> R:
        """How many rows fit, and the first of them by `sort`, `most` at most: `reply["found"]`. The daemon looks, and no
        table is sent. `by` counts the values of a property apart, `sum` adds up its numbers."""
        return self._ask("query", given(where=where, sections=list(sections) or None, row=row, sort=sort,
                                        most=most, by=by, sum=sum), self.name)

    # Who is there.

    def who(self) -> R:
        """Viewers and leases: `reply.viewers`, `reply["who"]`."""
        return self._ask("who", {}, self.name)

    def attend(self, revision: int, *, leaving: bool = False) -> R:
        """Says that you look at this revision. Say it every two seconds; others see it in `who`."""
        return self._ask("attend", given(revision=revision, leaving=leaving or None), self.name)

    # Drags.

    def lift(self, *rows: str, ttl: float | None = None) -> R:
        """Takes rows up: `reply.lease`. It ends `ttl` seconds (1 to 60; 10) after it was last heard of."""
        return self._ask("drag", self._step({"lift": given(rows=ids("rows", rows), ttl=ttl)}), self.name)

    def hover(self, lease: str, *, top: bool = False, bottom: bool = False, before: str | None = None,
              after: str | None = None, section: str | None = None) -> R:
        """Shows others where the rows are held."""
        place = anchor(top, bottom, before, after, section)
        return self._ask("drag", self._step({"hover": {"lease": lease, **place}}), self.name)

    def drop_at(self, lease: str, *, top: bool = False, bottom: bool = False, before: str | None = None,
                after: str | None = None, section: str | None = None, strict: bool = False) -> R:
        """Puts the rows down there, and ends the lease."""
        to = anchor(top, bottom, before, after, section) | given(strict=strict or None)
        return self._carry_out("drag", self._step({"drop": {"lease": lease, "to": to}}), self.name)

    def cancel(self, lease: str) -> R:
        """Ends the lease, with everything as before."""
        return self._ask("drag", self._step({"cancel": lease}), self.name)

    def renew_lease(self, lease: str) -> R:
        """Says that you still hold it."""
        return self._ask("drag", self._step({"renew": lease}), self.name)

    def _step(self, step: Json) -> Json:
        """A step of a drag. ValueError: it has conditions."""
        self._refuse_conditions("a drag")
        return step


class Daemon(Generic[R]):
    """Questions to the daemon as a whole. The parts of the replies have the verbs' names."""

    def __init__(self, engine: Engine, timeout: float) -> None:
        self.engine, self.timeout = engine, timeout

    @property
    def id(self) -> str:
        """The client id: the cause of what it does has it."""
        return self.engine.session.client

    def board(self, table: str) -> Board[R]:
        """A table, for commands and questions."""
        return Board(table, self._carry_out, self._ask_daemon)

    def _carry_out(self, verb: str, body: Json, table: str, but: str | None = None) -> R:
        raise NotImplementedError

    def _ask_daemon(self, verb: str, body: Json, table: str | None = None) -> R:
        raise NotImplementedError

    def ask(self, verb: str, body: Json | None = None, table: str | None = None) -> R:
        """Any request that reads or passes, as docs/PROTOCOL.md names it. It may be carried out twice.

        ValueError: it is carried out once, such as a command. `submit` is for that.
        """
        return self._ask_daemon(verb, body or {}, table)

    def hello(self) -> R:
        """Version, limits, endpoints."""
        return self.ask("hello")

    def tables(self) -> R:
        """All tables: `reply.tables`."""
        return self.ask("tables")

    def health(self) -> R:
        """Whether all is well: `reply["health"]["status"]`."""
        return self.ask("health")

    def stats(self) -> R:
        """Its figures."""
        return self.ask("stats")

    def promote(self) -> R:
        """Lets a standby write from now on: `reply["promoted"]`. Of one endpoint: the one that is asked is promoted.

        NotStandby: it is none, has heard of the first of late, or was promoted already, perhaps by this very question
        when its answer was lost.
        """
        return self.ask("promote")

    def check(self) -> R:
        """The daemon reads its journal again, and computes every digest. It may take seconds."""
        return self.ask("check")


