"""Random conditions at every verb that takes one: the daemon, this client and the page find the same rows."""

import json
import random
import shutil
import subprocess
import time
from collections.abc import Callable
from typing import Any

import pytest
from daemon import ROOT, Daemon, full

import trestle
from trestle import Refused, RowPredicate, Table
from trestle.predicate import Clock

HOUR = 3_600_000
TITLES = ["", "Soup", "soup of the day", "2 × fries", "10", "9.5", "Тарелка"]
VALUES = ["", "1", "2", "10", "-3.5", "x", "yes", "10m", "14:00"]
KIND: Any = {"id": "ticket", "show": {"group": "a"}, "ages": {"warn": 3600, "late": 4 * 3600, "since": "moved"}, "trailing": {"actions": [
    {"id": "plus", "repeat": True, "effect": [{"increment": {"by": {"count": 1}}}]}]}}


class Conditions:
    """Random ones. No answer changes while the test runs: ages are half an hour from what they are compared with."""

    def __init__(self, seed: str, now: int) -> None:
        self.dice, self.now = random.Random(seed), now

    def condition(self, depth: int, *, alone: bool = False) -> str:
        """`alone`: on what the row has by itself."""
        if depth == 0 or self.dice.random() < 0.3:
            return self.comparison(alone)
        one, other = (self.condition(depth - 1, alone=alone) for _ in range(2))
        return self.dice.choice([f"not ({one})", f"({one}) and ({other})", f"({one}) or ({other})", f"{one} and {other}"])

    def comparison(self, alone: bool) -> str:
        of_row = ["title", "kind", "state", "items", "field.a", "field.n", 'field."a b"']
        if not alone:
            if self.dice.random() < 0.15:
                return self.dice.choice(["late", "claimed", "asleep", "not claimed"])
            if self.dice.random() < 0.1:
                inner = self.comparison(alone=True)
                some = f"(rows where {inner})"
                if self.dice.random() < 0.5:
                    # After `where` it is about a row of the group, or about the whole table.
                    inner = self.dice.choice([inner, self.comparison(alone=True), f"count{some} > {self.dice.randrange(9)}",
                                              f"any{some}"])
                    some = f"(group where {inner})"
                return self.dice.choice([f"any{some}", f"all{some}", f"count{some} > {self.dice.randrange(9)}",
                                         f'row("r{self.dice.randrange(30)}").title == "Soup"'])
            of_row += ["id", "section", "index", "swipe", "action.plus", "age", "since", "createdMs", "movedMs", "holder",
                       "wakes", "now"]
        left, sign = self.dice.choice(of_row), self.dice.choice(["==", "!=", "<", "<=", ">", ">=", "~", "!~"])
        # The digits of these change each second.
        if left in ("age", "since", "now") and "~" in sign:
            sign = ">"
        times = [f"{self.dice.randrange(9)}h", str(self.now - self.dice.randrange(1, 9) * HOUR)]
        numbers = [str(self.dice.randrange(12)), "-3.5", "2.0"]
        texts = ["none", *(f'"{text}"' for text in (*TITLES, *VALUES[:-2], "grill", "ticket", "collapsed", "ada", "r1", "done"))]
        right = self.dice.choice([times, numbers, texts, texts])
        if not alone and self.dice.random() < 0.1:
            right = ["field.n", "index", "title"]
        return f"{left} {sign} {self.dice.choice(right)}"


def rows(dice: random.Random, now: int) -> list[Any]:
    """Rows with something of everything that a condition can ask for."""
    made: list[Any] = []
    for number in range(30):
        fields = {key: dice.choice(VALUES) for key in ("a", "n", "a b") if dice.random() < 0.7}
        since = now - dice.randrange(9) * HOUR - HOUR // 2
        carried: Any = {"createdMs": since, **({"movedMs": since + HOUR} if dice.random() < 0.5 else {})}
        if dice.random() < 0.3:
            carried["claim"] = {"holder": "ada", "sinceMs": since}
        if dice.random() < 0.2:
            carried["sleep"] = {"untilMs": now + dice.randrange(1, 9) * HOUR}
        made.append({"id": f"r{number}", "title": dice.choice(TITLES), "kind": dice.choice(["row", "ticket"]),
                     "section": dice.choice(["main", "grill"]), "fields": fields, "carried": carried})
    return made


def in_javascript(reply: Any, now: int, conditions: list[str]) -> list[list[str]]:
    """The rows that the page's own predicates find."""
    given = json.dumps({"reply": reply, "nowMs": now, "conditions": conditions})
    said = subprocess.run([shutil.which("node") or "node", str(ROOT / "Tests/WebTests/conditions.mjs")], input=given,
                          capture_output=True, text=True, check=True, timeout=120)
    return list(json.loads(said.stdout))


EACH: dict[str, Callable[[int], Any]] = {
    "set": lambda number: {"set": {"fields": {"mark": str(number)}}},
    "remove": lambda number: {"remove": {}},
    "claim": lambda number: {"claim": {"note": str(number)}},
    "snooze": lambda number: {"snooze": {"forMs": HOUR * (20 + number)}},
    "move": lambda number: {"move": {"section": "elsewhere", "top": True}},
    "act": lambda number: {"act": {"action": "plus"}},
}


def test_three_languages_find_the_same(daemon: Daemon, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")  # requests tell the time zone of their sender
    time.tzset()
    if not shutil.which("node"):
        pytest.skip("there is no node")
    now = int(time.time() * 1000)
    make, count = Conditions("conditions", now), full(10_000, 800)
    with daemon.connect(name="ada") as client:
        board = client.board("board")
        board.create()
        board.define(kinds=[KIND])
        gone = {f"r{number}" for number in range(20, 30)}
        client.wait(client.submit("batch", {"commands": [{"add": one} for one in rows(make.dice, now)]}, "board"))
        whole = client.read("board")
        board.remove(*sorted(gone))
        board.act(next(id for id, row in whole.wires.items() if row["kind"] == "ticket" and id not in gone), "plus")
        reply: Any = client.ask("snapshot", {}, "board").wire
        table, clock = client.read("board"), Clock(float(now), 0.0)
        removed = Table.of_chunks("removed", [{"slices": [{"section": "main", "rows": [
            whole.wires[id] for id in sorted(gone)]}]}])
        cases = [make.condition(3) for _ in range(count)]
        expected = [[row.id for row in RowPredicate(text).rows(table, clock)] for text in cases]
        for text, ids, theirs in zip(cases, expected, in_javascript(reply, now, cases), strict=True):
            assert theirs == ids, f"the page: {text}"
        held = 0
        for number, (text, ids) in enumerate(zip(cases, expected, strict=True)):
            held += bool(ids)
            ask(client, make, number, text, ids, table, clock)
            if number % 10 == 0:
                alone = make.condition(2, alone=True)
                of_removed = {row.id for row in RowPredicate(alone).rows(removed, clock)}
                told = client.ask("explain", {"command": {"each": {"where": alone, "recall": {}}}}, "board")
                assert {landing.row for landing in told.rows} == of_removed, alone
                free = [row.id for row in RowPredicate(alone).rows(table, clock) if not row.claim and "sleep" not in row.wire]
                told = client.ask("explain", {"command": {"next": {"where": alone, "most": 64}}}, "board")
                assert [landing.row for landing in told.rows] == free, alone
        assert count // 10 < held < count, held


def ask(client: "trestle.Client", make: Conditions, number: int, text: str, ids: list[str], table: Table,
        clock: Clock) -> None:
    """The daemon is asked, by one verb or another, which rows the condition fits."""
    name = make.dice.choice([*EACH, "if"])
    if name == "if":
        row = make.dice.choice(list(table.wires))
        try:
            client.ask("explain", {"command": {"if": text, "set": {"row": row, "title": f"{number}"}}}, "board")
            assert row in ids, text
        except Refused as why:
            assert why.code == "stale" and row not in ids, f"{text}: {why}"
        return
    command = {"each": {"where": text, **EACH[name](number)}}
    if name == "act" and any(table.wires[id]["kind"] != "ticket" for id in ids):
        return
    told = client.ask("explain", {"command": command}, "board")
    assert [landing.row for landing in told.rows] == ids, f"{name} where {text}"
