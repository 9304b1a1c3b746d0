"""Predicates say what the command line's own say: both are held against one file of vectors."""

import asyncio
import json
import random
import sys
from typing import Any

import pytest
from daemon import ROOT, Daemon

import trestle
import trestle.aio
from trestle import BadPredicate, NoAnswer, Predicate, RowPredicate, Table
from trestle.predicate import Clock

VECTORS: dict[str, Any] = json.loads(
    (ROOT / "Tests/TablePredicateTests/Vectors/predicates.json").read_text())


@pytest.fixture(scope="module")
def table() -> Table:
    """The table of the vectors."""
    slices: dict[str, list[dict[str, Any]]] = {}
    for version, row in enumerate(VECTORS["rows"], 1):
        wire = row | {"kind": "row", "version": version}
        if row["id"] == VECTORS["expanded"]:
            wire["expand"] = "expanded"
        slices.setdefault(wire.pop("section"), []).append(wire)
    chunk = {"revision": len(VECTORS["rows"]) + 1,
             "slices": [{"section": id, "rows": rows} for id, rows in slices.items()]}
    return Table.of_chunks("t", [chunk])


def test_there_are_vectors() -> None:
    assert len(VECTORS["true"]) > 70 and len(VECTORS["false"]) > 15 and len(VECTORS["faults"]) > 60


@pytest.mark.parametrize("text", VECTORS["true"])
def test_true(table: Table, text: str) -> None:
    assert Predicate(text)(table)
    assert not Predicate(f"not ({text})")(table)


@pytest.mark.parametrize("text", VECTORS["false"])
def test_false(table: Table, text: str) -> None:
    assert not Predicate(text)(table)


@pytest.mark.parametrize("one", VECTORS["where"], ids=lambda one: one["where"])
def test_rows(table: Table, one: dict[str, Any]) -> None:
    holds = RowPredicate(one["where"])
    assert [row.id for row in table if holds(table, row.id)] == one["rows"]
    assert [row.id for row in holds.rows(table)] == one["rows"]
    assert not holds(table, "nobody"), "a row that is not there"


@pytest.mark.parametrize("one", VECTORS["faults"], ids=lambda one: one["text"])
def test_faults(one: dict[str, Any]) -> None:
    with pytest.raises(BadPredicate) as fault:
        Predicate(one["text"])
    assert (fault.value.offset, fault.value.message) == (one["offset"], one["message"])


def test_times() -> None:
    given = VECTORS["timed"]
    slices: dict[str, list[dict[str, Any]]] = {}
    for row in given["rows"]:
        slices.setdefault(row["section"], []).append({key: row[key] for key in row if key != "section"})
    table = Table.of_chunks("t", [{"kinds": given["kinds"], "slices": [
        {"section": id, "rows": rows} for id, rows in slices.items()]}])
    clock = Clock(float(given["nowMs"]), given["zoneSeconds"])
    for text in given["true"]:
        assert Predicate(text)(table, clock), text
    for text in given["false"]:
        assert not Predicate(text)(table, clock), text
    for one in given["where"]:
        assert [row.id for row in RowPredicate(one["where"]).rows(table, clock)] == one["rows"], one["where"]
    assert Predicate("any(rows where age > 10m)").is_timed and not Predicate("any(rows where claimed)").is_timed


def test_rows_that_belong_together() -> None:
    given = VECTORS["groups"]
    slices: dict[str, list[dict[str, Any]]] = {}
    for row in given["rows"]:
        slices.setdefault(row["section"], []).append({key: row[key] for key in row if key != "section"})
    table = Table.of_chunks("t", [{"kinds": given["kinds"], "slices": [
        {"section": id, "rows": rows} for id, rows in slices.items()]}])
    for one in given["where"]:
        assert [row.id for row in RowPredicate(one["where"]).rows(table)] == one["rows"], one["where"]
    assert RowPredicate("count(group) == 3")(table, "a") and not RowPredicate("count(group) == 3")(table, "e")


def test_depth_and_length_are_bounded() -> None:
    """Also where many calls are under way already."""
    def deeper(calls: int, text: str) -> None:
        if calls:
            return deeper(calls - 1, text)
        with pytest.raises(BadPredicate):
            Predicate(text)

    for text in ("(" * 5_000, "not " * 1_000 + "true", " and ".join(["true"] * 1_500)):
        deeper(sys.getrecursionlimit() // 3, text)


def test_what_is_within_the_bounds(table: Table) -> None:
    assert Predicate("(" * 98 + "true" + ")" * 98)(table)
    assert Predicate(" and ".join(["revision >= 0"] * 450))(table)


def test_no_text_ends_in_another_error(table: Table) -> None:
    """Whatever the words are: a predicate, or a fault within the text."""
    parts = ["count", "(", "rows", ")", "where", "row", '"7"', ".", "field", "x", "==", "1", "and", "or",
             "not", "exists", "any", "all", "~", "none", "true", "revision", "'", "\\", "-"]
    dice = random.Random(24)
    held = 0
    for _ in range(20_000):
        text = dice.choice(["", " "]).join(dice.choices(parts, k=dice.randrange(12)))
        try:
            held += Predicate(text)(table)
        except BadPredicate as fault:
            assert 0 <= fault.offset <= len(text)
    assert held


def test_index_of_in_a_large_section() -> None:
    table = Table.of_chunks("t", [{"slices": [{"section": "a", "rows": [{"id": f"r{n}"} for n in range(500)]}]}])
    table.remove("r0")
    assert Predicate('row("r400").index == 399 and row("r1").index == 0')(table)


def test_in_a_large_table_the_newest_counts(daemon: Daemon, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was true only in between, of revisions that came together, is not looked at."""
    monkeypatch.setattr("trestle.predicate.MOST_ROWS_EACH_TIME", 0)
    looked: list[int] = []
    original = Predicate.__call__

    def look(self: Predicate, table: Table, clock: Clock | None = None) -> bool:
        looked.append(table.revision)
        return original(self, table, clock)

    monkeypatch.setattr(Predicate, "__call__", look)
    with daemon.connect() as client:
        board = client.board("board")
        board.create()
        with client.follow("board") as viewer:
            viewer.joined()
            for n in range(50):
                board.add(f"Row {n}")
            assert viewer.until("count(rows) == 50").revision == 50
    assert looked[0] == 0 and looked[-1] == 50 and len(looked) < 25, looked
    assert Predicate("count(rows) == 0").goes_over_rows
    assert not Predicate('revision > 4 and exists row("1")').goes_over_rows


def test_waiting_for_a_predicate(daemon: Daemon) -> None:
    """As text, from a program that waits and from asyncio."""
    text = 'count(rows where section == "pass") == 1'
    with daemon.connect() as client:
        board = client.board("board")
        board.create()
        with client.follow("board") as viewer:
            with pytest.raises(NoAnswer):
                viewer.until(text, timeout=0.2)
            board.add("Soup", section="pass")
            assert len(viewer.until(text)) == 1
            with pytest.raises(BadPredicate):
                viewer.until("count(rows) = 1")

    async def program() -> int:
        async with trestle.aio.connect(daemon.endpoint) as client:
            with client.follow("board") as viewer:
                waiting = asyncio.ensure_future(viewer.until("count(rows) == 2"))
                await client.board("board").add("Tea", section="bar")
                return len(await waiting)

    assert asyncio.run(program()) == 2
