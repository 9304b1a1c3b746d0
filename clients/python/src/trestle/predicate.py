"""Predicates: conditions on a table, written as text, as `trestle wait --until` takes them.

docs/PREDICATES.md describes the language. What is here and the command line's own code are held against one
file of vectors. A predicate is cut into tokens (`tokens`), and parsed into functions of a `Scope`.
"""

import re
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NoReturn

from . import messages
from .errors import TrestleError
from .row import Row
from .table import Table
from .tokens import BadToken, Token, number_in, tokens

CLOCK = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9]))?")
"""A time of the day: `9:30`, `14:00` or `14:00:30`."""
DAY_MS = 86_400_000.0


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment in milliseconds since 1970 (UTC), beside the midnight with which today begins."""

    ms: float
    midnight: float


Value = None | bool | float | str | Moment
MOST_ROWS_EACH_TIME = 10_000
"""To look at all rows of a larger table takes longer than a busy table leaves."""
TIMED_PAUSE = 0.05
"""Seconds between two looks by a predicate that names times."""
MOST_DEPTH = 100
"""Nested parentheses and negations. Each is a call of the parser within a call."""


class BadPredicate(TrestleError, ValueError):
    """The text is no predicate. `offset` is the place, in characters from 0."""

    def __init__(self, text: str, offset: int, message: str) -> None:
        super().__init__(f"{message}\n  {text}\n  {' ' * offset}^")
        self.text, self.offset, self.message = text, offset, message

    def __reduce__(self) -> "tuple[type[BadPredicate], tuple[str, int, str]]":
        """For `pickle`."""
        return type(self), (self.text, self.offset, self.message)


@dataclass(frozen=True, slots=True)
class Clock:
    """The daemon's time, in milliseconds since 1970 (UTC), and the seconds that the reader's time of day is ahead of UTC."""

    now_ms: float
    zone: float = 0.0

    @classmethod
    def here(cls, now_ms: float | None = None) -> "Clock":
        """With the time zone of this machine, and if need be its time."""
        now_ms = time.time() * 1000 if now_ms is None else now_ms
        return cls(float(int(now_ms)), float(time.localtime(now_ms / 1000).tm_gmtoff))

    def moment(self, ms: float) -> Moment:
        """That moment, beside the beginning of today."""
        zone = self.zone * 1000
        return Moment(ms, (self.now_ms + zone) // DAY_MS * DAY_MS - zone)

    def seconds_since(self, ms: float) -> float:
        """Whole seconds; 0 if that is to come."""
        return max(0.0, (self.now_ms - ms) // 1000)


@dataclass(slots=True)
class Scope:
    """The scope in which a predicate is evaluated: a table at a time, and after `where` one of its rows."""

    table: Table
    row: Row | None = None
    index: int = 0
    clock: Clock = field(default_factory=Clock.here)
    shared: "dict[tuple[str, str], list[Scope]]" = field(default_factory=dict)
    """The rows of each group, once one was asked for."""
    found: "dict[Evaluation, Value]" = field(default_factory=dict)
    """What was found of all rows: it is the same for each row that asks."""

    def rows(self) -> "Iterator[Scope]":
        """One for each row, in order."""
        for section in self.table.order.sections.values():
            for index, id in enumerate(section.ids()):
                row = Row(self.table.wires[id], section.id)
                yield Scope(self.table, row, index, self.clock, self.shared, self.found)

    def at(self, id: str) -> "Scope":
        """One for a row; without one if it is not there."""
        row = self.table.get(id)
        return Scope(self.table, row, self.table.order.index_of(id) if row else 0, self.clock, self.shared,
                     self.found)

    def _group_key(self) -> "tuple[str, str] | None":
        kind = self.table.kinds.get(self.row.kind) if self.row else None
        key = kind.get("show", {}).get("group") if kind else None
        value = self.row.fields.get(key) if self.row and key else None
        return (key, value) if key and value else None

    def group(self) -> "list[Scope]":
        """The rows of the row's group, itself too: those of all sections with its value of its kind's `show.group`."""
        wanted = self._group_key()
        if wanted is None:
            return [self]
        if not self.shared:
            for scope in self.rows():
                if key := scope._group_key():
                    self.shared.setdefault(key, []).append(scope)
        return self.shared.get(wanted, [self])


Evaluation = Callable[[Scope], Value]


@dataclass(frozen=True, slots=True)
class Node:
    """A part of a predicate. A condition is true or false; anything else is a value to compare."""

    evaluate: Evaluation
    is_condition: bool = False

    def holds(self, scope: Scope) -> bool:
        """Whether the condition holds."""
        return self.evaluate(scope) is True


class Predicate:
    """A condition on a table: `Predicate('count(rows) == 0')(table)`. BadPredicate: the text is none."""

    def __init__(self, text: str) -> None:
        self.text = text
        parser = _Parser(text, in_row=False)
        self._node = parser.whole()
        self.goes_over_rows = parser.goes_over_rows
        """It looks at all rows. If not, it costs the same in a table of any size."""
        self.is_timed = parser.is_timed
        """It may change although the table does not, since it names times."""

    def __call__(self, table: Table, clock: Clock | None = None) -> bool:
        return self._node.holds(Scope(table, clock=clock or Clock.here()))

    def is_costly(self, table: Table) -> bool:
        """Whether it is looked at only at the newest of the revisions that arrive together."""
        return self.goes_over_rows and len(table) > MOST_ROWS_EACH_TIME


class RowPredicate:
    """A condition on a row, as after `where`: `RowPredicate('section == "pass"').rows(table)`.

    Called with a table and an id, it says whether that row meets it. One that is not there meets none.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._node = _Parser(text, in_row=True).whole()

    def __call__(self, table: Table, id: str, clock: Clock | None = None) -> bool:
        scope = Scope(table, clock=clock or Clock.here()).at(id)
        return scope.row is not None and self._node.holds(scope)

    def rows(self, table: Table, clock: Clock | None = None) -> list[Row]:
        """The rows that meet it, in order."""
        scopes = Scope(table, clock=clock or Clock.here()).rows()
        return [scope.row for scope in scopes if scope.row and self._node.holds(scope)]


# Values.

OF_TABLE: dict[str, Node] = {
    "revision": Node(lambda scope: float(scope.table.revision)),
    "sections": Node(lambda scope: float(len(scope.table.order.sections))),
    "invocations": Node(lambda scope: float(len(scope.table.waiting))),
    "editing": Node(lambda scope: scope.table.editing, is_condition=True),
    "now": Node(lambda scope: scope.clock.moment(scope.clock.now_ms)),
}


def _ages(row: Row, scope: Scope) -> messages.KindAges:
    kind = scope.table.kinds.get(row.kind)
    return kind.get("ages", {}) if kind else {}


def _age_began(row: Row, scope: Scope) -> int:
    """The moment since which the age counts."""
    ages = _ages(row, scope)
    return row.moved_ms or row.created_ms if ages.get("since") == "moved" else row.created_ms


def _is_late(row: Row, scope: Scope) -> bool:
    ages = _ages(row, scope)
    if row.wakes_ms is not None or "late" not in ages or "in" in ages and row.section not in ages["in"]:
        return False
    return scope.clock.seconds_since(_age_began(row, scope)) >= int(ages["late"])


OF_ROW: dict[str, Callable[[Row, Scope], Value]] = {
    "id": lambda row, _: row.id,
    "title": lambda row, _: row.title,
    "kind": lambda row, _: row.kind,
    "section": lambda row, _: row.section,
    "index": lambda _, scope: float(scope.index),
    "version": lambda row, _: float(row.version),
    "state": lambda row, _: row.state,
    "swipe": lambda row, _: row.swipe,
    "items": lambda row, _: float(len(row.items)),
    "age": lambda row, scope: scope.clock.seconds_since(_age_began(row, scope)),
    "since": lambda row, scope: scope.clock.seconds_since(row.moved_ms or row.created_ms),
    "late": _is_late,
    "claimed": lambda row, _: row.claim is not None,
    "holder": lambda row, _: row.claim.holder if row.claim else None,
    "createdMs": lambda row, scope: scope.clock.moment(row.created_ms),
    "movedMs": lambda row, scope: scope.clock.moment(row.moved_ms) if row.moved_ms else None,
    "asleep": lambda row, _: row.wakes_ms is not None,
    "wakes": lambda row, scope: None if row.wakes_ms is None else scope.clock.moment(row.wakes_ms),
}
CONDITIONS = ("late", "claimed", "asleep")
TIMED = ("age", "since", "late", "createdMs", "movedMs", "wakes")
NAMES = ", ".join([*OF_ROW, "field.NAME", "action.NAME"])


def _number(value: Value) -> float | None:
    """The number; also that of a text that is one, since fields are texts."""
    if isinstance(value, str):
        return number_in(value)
    if isinstance(value, Moment):
        return value.ms
    return value if isinstance(value, float) else None


def _moment(value: Value, midnight: float) -> float | None:
    """The moment that a clock time of the day from `midnight` on means; of any other value the number."""
    if not isinstance(value, str) or not (match := CLOCK.fullmatch(value)):
        return _number(value)
    hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return midnight + (hours * 3_600 + minutes * 60 + seconds) * 1_000


def _numbers(left: Value, right: Value) -> tuple[float | None, float | None]:
    """Those to compare."""
    if isinstance(left, Moment):
        return left.ms, _moment(right, left.midnight)
    if isinstance(right, Moment):
        return _moment(left, right.midnight), right.ms
    return _number(left), _number(right)


def _same(left: Value, right: Value) -> bool:
    if isinstance(left, bool) or isinstance(right, bool) or left is None or right is None:
        return left is right
    if isinstance(left, str) and isinstance(right, str):
        return left == right
    a, b = _numbers(left, right)
    return a is not None and a == b


def _less(left: Value, right: Value) -> bool:
    if isinstance(left, str) and isinstance(right, str):
        return left.encode() < right.encode()
    a, b = _numbers(left, right)
    return a is not None and b is not None and a < b


def _text(value: Value) -> str | None:
    if isinstance(value, Moment):
        value = float(value.ms)
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and -2**63 <= value < 2**63 else repr(value)
    return value if isinstance(value, str) else None


def _contains(left: Value, right: Value) -> bool:
    whole, part = _text(left), _text(right)
    return whole is not None and part is not None and part in whole


COMPARISONS: dict[str, Callable[[Value, Value], bool]] = {
    "==": _same,
    "!=": lambda a, b: not _same(a, b),
    "<": _less,
    ">": lambda a, b: _less(b, a),
    "<=": lambda a, b: _less(a, b) or (a is not None and _same(a, b)),
    ">=": lambda a, b: _less(b, a) or (a is not None and _same(a, b)),
    "~": _contains,
    "!~": lambda a, b: not _contains(a, b),
}


# Parsing, by recursive descent. With few calls for each level, since Python has a bound on them.

class _Parser:
    def __init__(self, text: str, in_row: bool) -> None:
        self.text, self.in_row = text, in_row
        self.depth = self.at = 0
        self.goes_over_rows = self.is_timed = self.in_group = False
        try:
            self.tokens = tokens(text)
        except BadToken as bad:
            raise BadPredicate(text, bad.offset, bad.message) from None

    @property
    def token(self) -> Token:
        return self.tokens[self.at]

    def fault(self, message: str, offset: int | None = None) -> NoReturn:
        raise BadPredicate(self.text, self.token.offset if offset is None else offset, message)

    def takes(self, kind: str, value: str) -> bool:
        """Whether this is what comes, and then it is behind us."""
        if (self.token.kind, self.token.value) != (kind, value):
            return False
        self.at += 1
        return True

    def expect(self, sign: str) -> None:
        if not self.takes("sign", sign):
            self.fault(f"expected `{sign}`, found {self.token.name}")

    def whole(self) -> Node:
        node = self.condition()
        if self.token.kind != "end":
            self.fault(f"expected `and`, `or` or the end, found {self.token.name}")
        return node

    def deeper(self) -> None:
        self.depth += 1
        if self.depth >= MOST_DEPTH:
            self.fault(f"more than {MOST_DEPTH} levels")

    def checked(self, node: Node, start: int) -> Node:
        """Refuses a value in the place of a condition."""
        if not node.is_condition:
            self.fault(f"expected a comparison such as `==`, found {self.token.name}",
                       max(self.token.offset, start))
        return node

    def condition(self) -> Node:
        """`or` between parts with `and` between them."""
        self.deeper()
        start, either = self.token.offset, [[self.negation()]]
        while self.token.kind == "word" and self.token.value in ("and", "or"):
            self.checked(either[-1][-1], start)
            if self.token.value == "or":
                either.append([])
            self.at += 1
            start = self.token.offset
            either[-1].append(self.checked(self.negation(), start))
        self.depth -= 1
        if len(either) == len(either[0]) == 1:
            return either[0][0]
        return Node(lambda scope: any(all(node.holds(scope) for node in part) for part in either), True)

    def negation(self) -> Node:
        """A comparison, behind any number of `not`."""
        starts: list[int] = []
        while self.takes("word", "not"):
            self.deeper()
            starts.append(self.token.offset)
        node = self.comparison()
        if starts:
            self.checked(node, starts[-1])
            self.depth -= len(starts)
        if len(starts) % 2 == 0:
            return node
        return Node(lambda scope: not node.holds(scope), True)

    def comparison(self) -> Node:
        start, left = self.token.offset, self.value()
        comparison = COMPARISONS.get(str(self.token.value)) if self.token.kind == "sign" else None
        if comparison is None:
            return self.checked(left, start)
        self.at += 1
        right = self.value()
        return Node(lambda scope: comparison(left.evaluate(scope), right.evaluate(scope)), True)

    def value(self) -> Node:
        kind, value = self.token.kind, self.token.value
        if self.takes("sign", "("):
            node = self.condition()
            self.expect(")")
            return node
        if kind not in ("text", "number", "duration", "word"):
            self.fault(f"expected a value, found {self.token.name}")
        self.at += 1
        return self.word(str(value)) if kind == "word" else Node(lambda scope: value)

    def word(self, word: str) -> Node:
        if word in ("true", "false"):
            return Node(lambda scope: word == "true", True)
        if word == "none":
            return Node(lambda scope: None)
        if word in ("count", "any", "all"):
            return self.rows(word)
        if word == "exists":
            return self.existence()
        if word == "row" and (self.token.kind, self.token.value) == ("sign", "("):
            id = self.name()
            self.expect(".")
            is_condition, of = self.token.value in CONDITIONS, self.property()
            return Node(lambda scope: of(scope.at(id)), is_condition)
        is_of_row = word in ("field", "action") or word in OF_ROW
        if self.in_row and is_of_row:
            self.at -= 1
            return Node(self.property(), word in CONDITIONS)
        if node := OF_TABLE.get(word):
            self.is_timed |= word == "now"
            return node
        self.at -= 1
        if is_of_row:
            self.fault(f'`{word}` is of a row: write row("…").{word}, or use it after `where`')
        self.fault(f"`{word}` is not known here")

    def rows(self, word: str) -> Node:
        """`(rows)` or `(rows where CONDITION)`, or the same of `group`."""
        self.expect("(")
        # A group is one row's, and has no groups in it.
        allowed = ["rows"] + ["group"] * (self.in_row and not self.in_group)
        if self.token.kind != "word" or self.token.value not in allowed:
            self.fault(f"expected {' or '.join(f'`{one}`' for one in allowed)}, found {self.token.name}")
        of_group = self.token.value == "group"
        self.at += 1
        self.goes_over_rows = True
        outer, self.in_group = self.in_group, self.in_group or of_group
        node = self.over(word, of_group)
        self.in_group = outer
        return node

    def over(self, word: str, of_group: bool) -> Node:
        """The rest behind `rows` or `group`: nothing, or `where CONDITION`."""
        if word != "all" and self.takes("sign", ")"):
            if word == "any":
                return Node(lambda scope: of_group or len(scope.table) > 0, True)
            return Node(lambda scope: float(len(scope.group()) if of_group else len(scope.table)))
        if not self.takes("word", "where"):
            self.fault(f"expected `where`, found {self.token.name}")
        outer, self.in_row = self.in_row, True
        start = self.token.offset
        node = self.checked(self.condition(), start)
        self.expect(")")
        self.in_row = outer
        scopes: Callable[[Scope], Iterable[Scope]] = Scope.group if of_group else Scope.rows
        finds: dict[str, Evaluation] = {
            "any": lambda scope: any(map(node.holds, scopes(scope))),
            "all": lambda scope: all(map(node.holds, scopes(scope))),
            "count": lambda scope: float(sum(map(node.holds, scopes(scope)))),
        }
        find = finds[word]

        def once(scope: Scope) -> Value:
            if find not in scope.found:
                scope.found[find] = find(scope)
            return scope.found[find]

        return Node(find if of_group else once, word != "count")

    def existence(self) -> Node:
        if self.takes("word", "row"):
            row = self.name()
            return Node(lambda scope: row in scope.table, True)
        if self.takes("word", "section"):
            section = self.name()
            return Node(lambda scope: section in scope.table.order.sections, True)
        self.fault(f'expected row("…") or section("…"), found {self.token.name}')

    def name(self) -> str:
        """`("…")`"""
        self.expect("(")
        if self.token.kind != "text":
            self.fault(f"expected an id in quotes, found {self.token.name}")
        self.at += 1
        id = str(self.tokens[self.at - 1].value)
        self.expect(")")
        return id

    def property(self) -> Evaluation:
        if self.token.kind != "word":
            self.fault(f"expected one of: {NAMES}")
        word = str(self.token.value)
        if of := OF_ROW.get(word):
            self.at += 1
            self.is_timed |= word in TIMED
            return lambda scope: of(scope.row, scope) if scope.row else None
        if word not in ("field", "action"):
            self.fault(f"`{word}` is none of: {NAMES}")
        self.at += 1
        self.expect(".")
        token = self.token
        name = token.value
        if token.kind == "number" and float(name).is_integer() and abs(float(name)) < 1e15:
            name = str(int(name))
        elif token.kind not in ("word", "text"):
            self.fault(f"expected a name, found {self.token.name}")
        self.at += 1
        name = str(name)
        if word == "field":
            return lambda scope: scope.row.fields.get(name) if scope.row else None
        return lambda scope: _state(scope.row, name)


def _state(row: Row | None, action: str) -> Value:
    performed = row.performed.get(action) if row else None
    return performed.state if performed else None
