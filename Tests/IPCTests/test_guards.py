"""Guards of actions, going back, and groups (rules A19 and A20), by the command line and a viewer of its own."""

import json
import time

import pytest

from harness import cli, eventually
from trestle_client import Viewer, Writer

KINDS = """
kinds:
  ticket:
    show: {group: order}
    leading:
      actions:
        - {id: hold, title: Hold, effect: {move: {section: held, bottom: true}}}
        - {id: release, title: Release, when: section == "held", unless: It is not held.,
           effect: [{fill: {was: "{from}"}}, {move: back}]}
    trailing:
      actions:
        - {id: start, title: Start, when: field.state == "ready", effect: [{set: {state: cooking}}, {invoke: {deadline: 60}}]}
        - {id: send, title: Send, effect: {group: [{set: {state: sent}}, {unset: [table]}, {move: {section: pass, bottom: true}}]}}
        - {id: serve, title: Serve, when: all(group where section == "pass"), unless: The order is not whole.,
           effect: {group: {remove: true}}}
        - {id: old, title: Old, when: since > 1s, effect: {kind: slip}}
  slip: {}
"""


def board(daemon):
    (daemon.directory / "kinds.yaml").write_text(KINDS)
    assert cli(daemon, "create", "board").returncode == 0
    defined = cli(daemon, "define", "board", str(daemon.directory / "kinds.yaml"))
    assert defined.returncode == 0, defined.stderr
    for row, section, order in (("a", "grill", "7"), ("b", "fry", "7"), ("c", "fry", "8")):
        fields = {"order": order, "table": "1"}
        assert daemon.do("board", add={"id": row, "kind": "ticket", "section": section, "fields": fields})["ok"]


def rows(daemon):
    return {row["id"]: row for row in json.loads(cli(daemon, "-o", "json", "show", "board").stdout)["rows"]}


def test_a_guard_refuses_and_next_passes_over(daemon):
    board(daemon)
    refused = cli(daemon, "-o", "json", "act", "board", "a", "release")
    assert refused.returncode == 1
    error = json.loads(refused.stdout or refused.stderr)["error"]
    assert (error["code"], error["message"]) == ("guarded", "It is not held.")
    assert "`field.state == \"ready\"`" in cli(daemon, "act", "board", "a", "start").stderr
    assert cli(daemon, "set", "board", "c", "--field", "state=ready").returncode == 0
    worker = Writer(daemon.endpoint)
    reply = worker.do("board", "command", {"next": {"action": "start", "most": 3}})
    assert [one["row"] for one in reply["invocations"]] == ["c"]
    assert worker.do("board", "command", {"next": {"action": "start"}}).get("invocations", []) == []
    worker.close()
    many = cli(daemon, "act", "board", "start", "--where", "true", "--yes")
    assert many.returncode == 1 and "rows refuse it" in many.stderr, many


def test_an_order_leaves_when_all_of_it_is_there(daemon):
    """The daemon looks at the other rows in the turn of the press, and a worker gets the orders that are whole."""
    board(daemon)
    assert cli(daemon, "move", "board", "a", "--section", "pass", "--bottom").returncode == 0
    refused = cli(daemon, "act", "board", "a", "serve")
    assert refused.returncode == 1 and "The order is not whole." in refused.stderr
    assert cli(daemon, "move", "board", "c", "--section", "pass", "--bottom").returncode == 0
    worker = Writer(daemon.endpoint)
    worker.do("board", "command", {"next": {"action": "serve", "most": 3}})
    worker.close()
    assert set(rows(daemon)) == {"a", "b"}, "c is an order of its own"
    listed = cli(daemon, "-o", "json", "show", "board", "--where", 'all(group where section == "fry")')
    assert [row["id"] for row in json.loads(listed.stdout)["rows"]] == []
    assert cli(daemon, "move", "board", "b", "--section", "pass", "--bottom").returncode == 0
    assert cli(daemon, "act", "board", "serve", "--where", "count(group) == 2", "--limit", "1", "--yes").returncode == 0
    assert rows(daemon) == {}


def test_a_guard_goes_by_the_clock(daemon):
    board(daemon)
    assert cli(daemon, "move", "board", "a", "--section", "pass", "--bottom").returncode == 0
    assert cli(daemon, "act", "board", "a", "old").returncode == 1
    time.sleep(2.1)
    assert cli(daemon, "act", "board", "a", "old").returncode == 0
    assert rows(daemon)["a"]["kind"] == "slip"


def test_a_worker_gets_a_row_when_its_guard_comes_to_hold(daemon):
    """By a timer of the daemon: this worker does not ask again."""
    board(daemon)
    worker = Writer(daemon.endpoint, name="ada")
    daemon.do("board", move={"rows": ["a"], "section": "pass", "bottom": True})
    worker.send("board", "command", {"next": {"action": "old", "section": "pass", "wait": 30}})
    moved = rows(daemon)["a"]["movedMs"]
    assert daemon.stats()["gauges"]["waiting_workers"] == 1
    assert [row["row"] for row in worker.step(10)["rows"]] == ["a"]
    pressed = daemon.ask("history", {}, "board")["changes"]["changes"][0]["cause"]
    # By the daemon's own date, with room for a machine that has much else to do.
    assert pressed["verb"] == "next" and 2_000 <= pressed["timeMs"] - moved < 2_800
    worker.close()


def test_back_and_the_whole_order(daemon):
    board(daemon)
    viewer = Viewer(daemon.endpoint, "board")
    for action in ("hold", "release", "hold", "release"):
        assert cli(daemon, "act", "board", "b", action).returncode == 0, action
    assert rows(daemon)["b"]["section"] == "fry" and rows(daemon)["b"]["cameFrom"] == "held"
    assert rows(daemon)["b"]["fields"]["was"] == "fry"
    assert cli(daemon, "act", "board", "a", "send").returncode == 0
    now = rows(daemon)
    assert [now[id]["section"] for id in "abc"] == ["pass", "pass", "fry"]
    assert [now[id]["fields"].get("table") for id in "abc"] == [None, None, "1"]
    assert [now[id].get("cameFrom") for id in "abc"] == ["grill", "fry", None]
    # It is one revision, so one undo takes it back; and what a row remembers stays over a restart.
    assert cli(daemon, "undo", "board").returncode == 0
    assert [rows(daemon)[id]["section"] for id in "ab"] == ["grill", "fry"]
    daemon.restart()
    assert rows(daemon)["b"]["cameFrom"] == "held"
    eventually(lambda: viewer.step(0.05) or viewer.freshness() == "live" and viewer.digest() is not None
               and viewer.revision == json.loads(cli(daemon, "-o", "json", "show", "board").stdout)["revision"], 20)
    viewer.close()


@pytest.mark.parametrize("text, said", [
    ("{id: a, when: age >}", "expected a value"),
    ("{id: a, when: count(rows) > 1}", "expected `group`, found `rows`"),
    ("{id: a, unless: Not now.}", "`when` is missing"),
    ("{id: a, whne: late}", "`when`"),
    ("{id: a, effect: {move: bakc}}", "back"),
    ("{id: a, effect: {group: {invoke: {deadline: 9}}}}", "starts a handler"),
])
def test_faults_of_definitions(daemon, text, said):
    cli(daemon, "create", "board")
    (daemon.directory / "bad.yaml").write_text("kinds: {t: {trailing: {actions: [%s]}}}\n" % text)
    refused = cli(daemon, "define", "board", str(daemon.directory / "bad.yaml"))
    assert refused.returncode != 0 and said in refused.stderr, refused
