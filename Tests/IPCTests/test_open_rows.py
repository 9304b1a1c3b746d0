"""Expansion and strips, used by several clients at once. All viewers end with the same table."""

import json
import random

import pytest

from harness import cli, eventually, full
from test_in_sync import check_in_step, start_viewers
from trestle_client import Viewer, Writer

TALL = {"id": "tall", "states": [{"name": "collapsed"}, {"name": "half", "height": 90.5},
                                 {"name": "expanded"}]}
STRIP = {"id": "strip", "strip": True, "tap": [{"set": {"fields": {"seen": "yes"}}}]}


def board(daemon, rows):
    assert daemon.do("board", define={"kinds": [TALL, STRIP]})["ok"]
    ids = [f"r{n}" for n in range(rows)]
    for start in range(0, rows, 500):
        commands = [{"add": {"id": id, "kind": "tall"}} for id in ids[start:start + 500]]
        assert daemon.ask("batch", {"commands": commands}, "board")["ok"]
    return ids


def follow(viewer, daemon):
    def in_step():
        """the viewer is at the head"""
        viewer.step(0.02)
        return viewer.table is not None and (
            viewer.revision == daemon.tables()["board"]["revision"])

    eventually(in_step, 20)


def test_two_quick_toggles_are_two_steps(daemon):
    daemon.ask("create", {}, "board")
    board(daemon, 1)
    steps = []
    viewer = Viewer(daemon.endpoint, "board",
                    on_diff=lambda _, d: steps.extend(op["expand"]["state"] for op in d["ops"]))
    follow(viewer, daemon)
    writers = [Writer(daemon.endpoint) for _ in range(2)]
    for _ in range(3):
        for writer in writers:
            writer.send("board", "command", {"expand": {"row": "r0", "toggle": True}})
    for writer in writers:
        while writer.under_way:
            writer.step(0.05)
    follow(viewer, daemon)
    assert steps == ["half", "expanded", "collapsed"] * 2


@pytest.mark.bound(90, 300)
def test_toggling_many_at_once_ends_the_same_everywhere(daemon):
    daemon.ask("create", {}, "board")
    viewers = start_viewers(daemon, "board")
    ids = board(daemon, full(1_000, 300))
    writers = [Writer(daemon.endpoint) for _ in range(4)]
    dice = random.Random("toggles")
    for n, id in enumerate(dice.choices(ids, k=2 * len(ids))):
        writer = writers[n % 4]
        while not writer.may_send() or len(writer.under_way) > 16:
            writer.step(0.05)
        writer.send("board", "command", {"expand": {"row": id, "toggle": True}})
        if n % 400 == 399:
            assert daemon.do("board", expandAll={"open": dice.random() < 0.5})["ok"]
    for writer in writers:
        while writer.under_way:
            writer.step(0.05)
    check_in_step(daemon, "board", viewers, seconds=20)


@pytest.mark.bound(90, 300)
def test_strips_by_many(daemon):
    """Items added, removed, moved, set, scrolled and selected by six clients at once."""
    daemon.ask("create", {}, "board")
    assert daemon.do("board", define={
        "kinds": [{**STRIP, "tapRepeat": True}], "table": {"scrollScope": "shared"}})["ok"]
    for row in ("a", "b"):
        assert daemon.do("board", add={"id": row, "kind": "strip"})["ok"]
    viewers = start_viewers(daemon, "board")
    viewer = Viewer(daemon.endpoint, "board")
    dice, writers = random.Random("strips"), [Writer(daemon.endpoint) for _ in range(6)]
    codes = set()

    def command():
        row, item, other = dice.choice("ab"), f"i{dice.randrange(40)}", f"i{dice.randrange(40)}"
        anchor = dice.choice([{"first": True}, {"last": True}, {"before": other}, {"after": other}])
        return dice.choice([
            {"item": {"row": row, "add": {"item": {
                "id": item, "title": f"T{item} ☕", "fields": {"n": item},
                **({"tap": {"effects": [{"expand": "toggle"}]}} if dice.random() < 0.3 else {})},
                "anchor": anchor}}},
            {"item": {"row": row, "set": {"item": item, "title": f"t{dice.random()}",
                                          "unset": ["n"]}}},
            {"item": {"row": row, "remove": {"items": [item]}}},
            {"item": {"row": row, "move": {"items": [item], "anchor": anchor}}},
            {"scroll": {"row": row, "item": item, "fraction": dice.random()}},
            {"select": {"row": row, "item": item}},
        ])

    for n in range(full(10_000, 1_500)):
        writer = writers[n % 6]
        while not writer.may_send() or len(writer.under_way) > 16:
            if reply := writer.step(0.05):
                codes.add("ok" if reply["ok"] else reply["error"]["code"])
        writer.send("board", "command", command())
        if n % 16 == 0:
            viewer.step(0)
    for writer in writers:
        while writer.under_way:
            writer.step(0.05)
    follow(viewer, daemon)
    assert viewer.counts["wrong"] == 0
    assert {"ok", "exists", "noSuchItem"} <= codes <= {"ok", "exists", "noSuchItem", "badAnchor"}
    check_in_step(daemon, "board", viewers, seconds=20)
    daemon.restart()
    shown = json.loads(cli(daemon, "-o", "json", "show", "board").stdout)
    assert [row.get("items", []) for row in shown["rows"]] == [
        row.get("items", []) for row in json.loads(
            cli(daemon, "-o", "json", "show", "board").stdout)["rows"]]
    assert shown["digest"] == viewer.digest()
