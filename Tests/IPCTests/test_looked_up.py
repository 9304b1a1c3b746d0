"""What commands look up for conditions and groups: together no more than one turn has time for."""

import pytest

from harness import cli
from trestle_client import Link, encode

KINDS = [
    {"id": "ticket", "show": {"group": "order"}, "trailing": {"actions": [
        {"id": "serve", "title": "Serve", "when": 'all(group where section == "pass")', "effect": [{"remove": True}]},
        {"id": "count", "title": "Count", "effect": [{"increment": {"by": {"note": 1}}}]},
        {"id": "start", "title": "Start", "when": 'field.state == "ready"', "effect": [{"set": {"fields": {"state": "begun"}}}]},
        {"id": "call", "title": "Call", "effect": [{"invoke": {"deadline": 1, "retries": {
            "attempts": 1, "else": [{"group": {"effects": [{"set": {"fields": {"state": "late"}}}]}}]}}}]}]}}]
MOST = 0.3  # seconds of the state thread for one command, on a slow machine beside others


def board(daemon, count, sections=("grill",), **fields):
    daemon.ask("create", {}, "board")
    defined = daemon.do("board", define={"kinds": KINDS})
    assert defined["ok"], defined["error"]
    for section in sections:
        assert daemon.do("board", section={"id": section})["ok"]
    part = 20 if "note" in fields else 1_000
    for start in range(0, count, part):
        adds = [{"add": {"id": f"r{n}", "kind": "ticket", "section": sections[0],
                         "fields": {"order": f"{n // 2}"} | fields}} for n in range(start, min(count, start + part))]
        assert daemon.ask("batch", {"commands": adds}, "board")["ok"]


def cost(daemon, verb, value, **more):
    """The reply, and the seconds of the state thread until it came."""
    before = daemon.state_thread()
    reply = daemon.ask(verb, value, "board", **more)
    return reply, daemon.state_thread() - before


@pytest.mark.bound(90, 90)
def test_conditions_of_a_batch_are_weighed_together(daemon):
    """Each was within its bound; a thousand of them took half a minute, and a watchdog would have ended the daemon."""
    board(daemon, 10_000)
    every = "count(rows where index >= 0) > 0"
    sets = [{"set": {"row": f"r{n}", "title": "x"}, "if": every} for n in range(1_000)]
    reply, seconds = cost(daemon, "batch", {"commands": sets})
    assert reply["error"]["code"] == "tooLarge", reply
    assert "looked at for conditions and groups" in reply["error"]["message"]
    assert seconds < MOST, seconds
    assert daemon.ask("batch", {"commands": sets[:20]}, "board")["ok"]
    plain = [{"set": {"row": f"r{n}", "title": "y"}, "if": 'title == "x" or title == ""'} for n in range(1_000)]
    assert daemon.ask("batch", {"commands": plain}, "board")["ok"]


@pytest.mark.bound(90, 90)
def test_a_search_in_long_texts_is_weighed_by_its_letters(daemon):
    board(daemon, 400, note="t" * 16_000)
    searches = " or ".join(['field.note ~ "zz"'] * 180)
    for condition, is_refused in ((f"any(rows where {searches})", True), ('any(rows where field.note ~ "zz")', False)):
        reply, seconds = cost(daemon, "command", {"set": {"row": "r1", "title": "x"}, "if": f"not {condition}"})
        assert reply["ok"] != is_refused, reply
        assert not is_refused or reply["error"]["code"] == "tooLarge"
        assert seconds < MOST, seconds


@pytest.mark.bound(90, 90)
def test_rows_that_refuse_for_their_group_are_asked_within_a_bound(daemon):
    """Each of 2,000 rows looked through all the others, to be named in the refusal."""
    board(daemon, 10_000, ("grill", "pass"))
    act = {"each": {"where": "index < 2000", "act": {"action": "serve"}}}
    reply, seconds = cost(daemon, "command", act)
    assert reply["error"]["code"] == "guarded", reply
    assert "rows refuse it" in reply["error"]["message"]
    assert seconds < MOST, seconds


@pytest.mark.bound(90, 90)
def test_next_passes_over_rows_that_cannot_begin(daemon):
    """Each of 64 rows at the end on which the action failed cost another look at all before them."""
    board(daemon, 20_000, state="raw")
    sets = [{"set": {"row": f"r{n}", "fields": {"note": "no number"}}} for n in range(19_900, 20_000)]
    assert daemon.ask("batch", {"commands": sets}, "board")["ok"]
    reply, seconds = cost(daemon, "command", {"next": {"action": "start"}})
    assert reply["ok"] and not reply.get("rows"), reply
    assert seconds < MOST, seconds
    reply, seconds = cost(daemon, "command", {"next": {"action": "count", "where": 'field.note == "no number"'}})
    assert reply["ok"] and not reply.get("rows"), reply
    assert seconds < MOST, seconds


@pytest.mark.bound(90, 90)
def test_what_follows_many_failures_takes_turns(daemon):
    board(daemon, 5_000)
    for start in range(0, 128, 16):
        acts = [{"act": {"row": f"r{2 * n}", "action": "call"}} for n in range(start, start + 16)]
        assert daemon.ask("batch", {"commands": acts}, "board")["ok"]
    late = 'count(rows where field.state == "late")'
    # The 128 orders have two rows each.
    assert cli(daemon, "wait", "board", "--until", f"{late} == 256", "--timeout", "60").returncode == 0
    assert not daemon.tables()["board"].get("invocations")


@pytest.mark.bound(60, 60)
def test_a_worker_waits_on_where_the_action_fails(daemon):
    """It was answered with nothing at once, though it waits: the rows that cannot begin have failed, and it stays."""
    board(daemon, 3, note="no number")
    link = Link(daemon.endpoint)
    link.send(encode({"table": "board", "client": "w", "number": 1, "name": "w",
                      "command": {"next": {"action": "count", "wait": 30}}}))
    assert not link.receive(1)
    assert daemon.do("board", set={"row": "r1", "fields": {"note": "1"}})["ok"]
    assert [landing["row"] for landing in link.receive(20)["rows"]] == ["r1"]
    link.close()
