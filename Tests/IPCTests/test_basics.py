"""Every verb of PROTOCOL.md §4–§8 and §10, and every refusal of §5 that can be provoked from outside."""

import base64
import json
import re
import time
import uuid

import pytest
import zmq

from harness import ask_raw, eventually, raw
from trestle_client import Viewer, Writer, encode

HEX = set("0123456789abcdef")


def is_hex(text, digits):
    return isinstance(text, str) and len(text) == digits and set(text) <= HEX


def order(daemon, table="board"):
    """The table as a fresh snapshot shows it: [(section, [id])]."""
    sections = {}
    chunk = daemon.ask("snapshot", {}, table)["snapshot"]
    assert chunk["chunks"] == 1
    for part in chunk["slices"]:
        sections.setdefault(part["section"], []).extend(r["id"] for r in part.get("rows", []))
    return list(sections.items())


def row(daemon, id, table="board"):
    for part in daemon.ask("snapshot", {}, table)["snapshot"]["slices"]:
        for found in part.get("rows", []):
            if found["id"] == id:
                return found


TICKET = {"id": "ticket", "height": 60.5, "layout": "auto", "margins": {"text": 20, "bottom": 40},
          "states": [{"name": "collapsed"}, {"name": "one-line", "height": 100},
                     {"name": "expanded"}],
          "initial": "collapsed", "ages": {"warn": 300, "late": 600},
          "leading": {"actions": [{"id": "mine"}]},
          "trailing": {"look": {"style": "circular", "width": 60, "insets": [6, 0, 6, 0]},
                       "actions": [{"id": "bump", "title": "Bump", "role": "destructive",
                                    "effect": [{"remove": True}]}]}}
FIXED = {"id": "fixed", "height": 44, "canMove": False, "canDelete": False, "editingStyle": "insert"}


@pytest.fixture
def board(daemon):
    """A daemon with a table: main = a b c, grill = d e, two kinds of its own."""
    assert daemon.ask("create", {}, "board")["ok"]
    assert daemon.do("board", define={"kinds": [TICKET, FIXED]})["ok"]
    for id in "abc":
        assert daemon.do("board", add={"id": id, "title": f"Row {id}"})["ok"]
    for id in "de":
        assert daemon.do("board", add={"id": id, "section": "grill", "kind": "ticket"})["ok"]
    return daemon


def test_hello(daemon):
    reply = daemon.ask("hello")
    hello = reply["hello"]
    assert reply["ok"] is True and hello["protocol"] == 1 and hello["program"] == "trestled"
    assert is_hex(hello["epoch"], 32) and hello["epoch"] == reply["epoch"]
    assert hello["publish"] == [f"ipc://{daemon.directory}/publish.sock"]
    assert hello["version"] and isinstance(hello["opened"], int)
    assert hello["heartbeatMs"] == 1000
    assert hello["limits"]["frames"] == 8 and hello["limits"]["requestBytes"] == 1 << 20
    assert hello["limits"]["idBytes"] == 128
    assert hello["limits"]["sessions"] == 10_000 and hello["limits"]["repliesPerSession"] == 64


def test_frames_of_req_and_dealer(daemon):
    body = b'{"client":"c","number":7,"tables":{}}'
    with_delimiter = raw(daemon, [b"", b"trestle/1 json", body])
    assert with_delimiter[:2] == [b"", b"trestle/1 json"] and len(with_delimiter) == 3
    without = raw(daemon, [b"trestle/1 json", body])
    assert without[0] == b"trestle/1 json" and len(without) == 2
    req = raw(daemon, [b"trestle/1 json", body], zmq.REQ)
    assert req[0] == b"trestle/1 json" and len(req) == 2
    assert json.loads(without[-1]) == json.loads(req[-1]) == json.loads(with_delimiter[-1])
    assert json.loads(req[-1])["client"] == "c" and json.loads(req[-1])["number"] == 7
    # Frames behind the body are ignored, up to eight in all.
    assert json.loads(raw(daemon, [b"", b"trestle/1 json", body] + [b"more"] * 5)[-1])["ok"]


def test_tables_create_drop(daemon):
    assert daemon.ask("tables")["tables"].get("tables", []) == []
    created = daemon.ask("create", {}, "board")
    assert created["ok"] and is_hex(created["history"], 32) and created["revision"] == 0
    table = daemon.tables()["board"]
    assert table["revision"] == 0 and table["rows"] == 0 and is_hex(table["digest"], 16)
    assert table["history"] == created["history"] and table["oldest"] == 0
    assert daemon.ask("drop", {}, "board")["ok"]
    assert daemon.tables() == {}
    again = daemon.ask("create", {}, "board")
    assert again["ok"] and again["history"] != created["history"]


def test_commands_and_where_rows_land(board):
    assert order(board) == [("main", ["a", "b", "c"]), ("grill", ["d", "e"])]

    reply = board.do("board", add={"title": "no id", "top": True})
    made = reply["rows"][0]["row"]
    assert reply["rows"][0]["section"] == "main" and reply["rows"][0]["index"] == 0
    assert "after" not in reply["rows"][0] and reply["rows"][0]["version"] == reply["revision"]
    reply = board.do("board", remove={"rows": [made]})
    assert reply["ok"] and not {"section", "index", "after", "version"} & set(reply["rows"][0])

    reply = board.do("board", move={"rows": ["a"], "after": "b"})
    assert reply["rows"][0] == reply["rows"][0] | {
        "row": "a", "section": "main", "index": 1, "after": "b"}
    reply = board.do("board", move={"rows": ["a"], "after": "b"})
    assert reply["ok"] and reply["unchanged"] is True
    assert reply["revision"] == board.tables()["board"]["revision"]
    assert board.do("board", move={"rows": ["c", "a"], "before": "e"})["ok"]
    assert order(board) == [("main", ["b"]), ("grill", ["d", "c", "a", "e"])]
    assert board.do("board", move={"rows": ["a"], "section": "bar", "bottom": True})["ok"]  # comes into being
    assert ("bar", ["a"]) in order(board)
    assert board.do("board", swap={"a": "b", "b": "e"})["ok"]
    assert dict(order(board))["main"] == ["e"] and dict(order(board))["grill"] == ["d", "c", "b"]

    reply = board.do("board", set={"row": "e", "title": "E", "fields": {"x": "1", "y": "2"}})
    assert row(board, "e")["version"] == reply["revision"] == reply["rows"][0]["version"]
    assert board.do("board", set={"row": "e", "unset": ["x"], "fields": {"z": ""}})["ok"]
    assert row(board, "e")["fields"] == {"y": "2", "z": ""} and row(board, "e")["title"] == "E"
    assert board.do("board", set={"row": "e", "title": "E"})["unchanged"] is True
    assert board.do("board", set={"row": "e", "unset": ["y"], "fields": {"y": "2"}})["ok"]

    version = row(board, "e")["version"]
    for edge in ["leading", "trailing", "closed"]:
        assert board.do("board", swipe={"row": "e", "edge": edge})["ok"]
        assert row(board, "e").get("swipe", "closed") == edge
    for state, is_now in [({"toggle": True}, "one-line"), ({"toggle": True}, "expanded"),
                          ({"toggle": True}, "collapsed"), ({"to": "one-line"}, "one-line"),
                          ({"to": "80"}, "80"), ({"to": "expanded"}, "expanded")]:
        assert board.do("board", expand={"row": "e"} | state)["ok"]
        assert row(board, "e").get("expand", "collapsed") == is_now
    assert row(board, "e")["version"] == version  # only kind, title and fields count

    assert board.do("board", section={"id": "quiet", "title": "Quiet"})["ok"]
    assert ("quiet", []) in order(board)
    assert board.do("board", section={"id": "quiet", "title": "Quieter"})["ok"]
    assert board.do("board", removeSection={"id": "quiet"})["ok"]
    assert "quiet" not in dict(order(board))


def test_move_after_a_removed_anchor(board):
    assert board.do("board", remove={"rows": ["b"]})["ok"]
    reply = board.do("board", move={"rows": ["e"], "before": "b"})
    assert reply["ok"] and reply["rows"][0]["section"] == "main" and reply["rows"][0]["note"]
    assert dict(order(board))["main"] == ["a", "e", "c"]
    reply = board.do("board", move={"rows": ["d"], "before": "b", "strict": True})
    assert reply["error"]["code"] == "noSuchRow"


def test_exclusive_swipes(board):
    assert board.do("board", define={"table": {"swipePolicy": "exclusive"}})["ok"]
    assert board.do("board", swipe={"row": "d", "edge": "trailing"})["ok"]
    before = board.tables()["board"]["revision"]
    assert board.do("board", swipe={"row": "e", "edge": "leading"})["revision"] == before + 1
    assert row(board, "d").get("swipe", "closed") == "closed"
    assert row(board, "e")["swipe"] == "leading"


def test_kinds(board):
    kinds = {k["id"]: k for k in board.ask("kinds", {}, "board")["kinds"]["kinds"]}
    assert set(kinds) == {"row", "ticket", "fixed"}
    assert kinds["ticket"]["height"] == 60.5 and kinds["ticket"]["ages"] == {"warn": 300, "late": 600}
    assert kinds["ticket"]["states"][1] == {"name": "one-line", "height": 100}
    assert kinds["ticket"]["trailing"]["actions"][0]["effect"] == [{"remove": True}]
    assert kinds["fixed"]["canMove"] is False and is_hex(kinds["row"]["digest"], 16)
    settings = {"swipePolicy": "multiple", "expandPolicy": "accordionTable"}
    assert board.do("board", define={"drop": ["fixed"], "table": settings})["ok"]
    reply = board.ask("kinds", {}, "board")["kinds"]
    assert {k["id"] for k in reply["kinds"]} == {"row", "ticket"}
    assert reply["table"] == reply["table"] | settings


def test_batch(board):
    before = board.tables()["board"]
    commands = [{"add": {"id": "x"}}, {"move": {"rows": ["x"], "before": "a"}},
                {"set": {"row": "x", "title": "X"}}, {"remove": {"rows": ["c"]}}]
    reply = board.ask("batch", {"commands": commands, "ifRevision": before["revision"]}, "board")
    assert reply["ok"] and reply["revision"] == before["revision"] + 1
    assert order(board)[0] == ("main", ["x", "a", "b"])
    assert [r["row"] for r in reply["rows"]][:1] == ["x"]

    before = board.tables()["board"]
    reply = board.ask("batch", {"commands": commands[:1] + [{"remove": {"rows": ["nobody"]}}]}, "board")
    assert reply["error"]["code"] == "exists" and reply["error"]["command"] == 0
    reply = board.ask("batch", {"commands": [{"remove": {"rows": ["x"]}},
                                             {"remove": {"rows": ["nobody"]}}]}, "board")
    assert reply["error"]["code"] == "noSuchRow" and reply["error"]["command"] == 1
    assert board.tables()["board"] == before  # all or nothing


def test_snapshot_in_chunks(board):
    rows = [{"add": {"id": f"r{i:05}", "title": "x" * 400}} for i in range(5000)]
    for i in range(0, 5000, 500):
        assert board.ask("batch", {"commands": rows[i:i + 500]}, "board")["ok"]
    first = board.ask("snapshot", {}, "board")["snapshot"]
    assert first["chunk"] == 0 and first["chunks"] > 1 and first["rows"] == 5005
    assert first["digest"] == board.tables()["board"]["digest"]
    board.do("board", remove={"rows": ["r00017"]})  # the snapshot stays what it was
    ids = []
    for n in range(first["chunks"]):
        chunk = first if n == 0 else board.ask(
            "snapshot", {"id": first["id"], "chunk": n}, "board")["snapshot"]
        assert (chunk["id"], chunk["chunk"], chunk["revision"]) == (first["id"], n, first["revision"])
        assert len(encode(chunk)) <= 1 << 20
        ids += [r["id"] for part in chunk["slices"] for r in part.get("rows", [])]
    assert len(ids) == len(set(ids)) == 5005 and "r00017" in ids


def test_the_id_of_a_snapshot_tells_nothing(board):
    """Not how many were begun by others, nor what the next is called."""
    ids = []
    for n in range(4):
        board.do("board", add={"id": f"new{n}"})
        ids.append(board.ask("snapshot", {}, "board")["snapshot"]["id"])
        # All that ask at the same revision share one.
        assert board.ask("snapshot", {}, "board")["snapshot"]["id"] == ids[-1]
    assert all(re.fullmatch("[0-9a-f]{32}", one) for one in ids), ids
    assert len({one[:8] for one in ids} | {one[-8:] for one in ids}) == 8, ids


def test_replay_and_offer(board):
    head = board.tables()["board"]
    for n in range(10):
        board.do("board", set={"row": "a", "title": str(n)})
    since = head["revision"]
    reply = board.ask("replay", {"history": head["history"], "since": since}, "board")
    bases = [d["base"] for d in reply["replay"]["publication"]["diffs"]]
    assert bases == list(range(since, since + 10)) and reply["replay"]["head"] == since + 10
    assert reply["replay"]["publication"]["history"] == head["history"]

    def offer(**more):
        return board.ask("offer", {"history": head["history"], "revision": since,
                                   "digest": head["digest"]} | more, "board")["standing"]

    now = board.tables()["board"]
    assert offer()["relation"] == "extend" and offer()["head"] == since + 10
    assert offer(revision=now["revision"], digest=now["digest"])["relation"] == "same"
    assert offer(digest="0" * 16)["relation"] == "diverged"
    assert offer(history="0" * 32)["relation"] == "diverged"
    assert offer(revision=since + 1000)["relation"] == "rolledBack"


def test_health_stats_check(board):
    assert board.ask("health")["health"]["status"] == "ok"
    assert board.ask("health")["health"]["rows"] == 5
    stats = board.stats()
    assert stats["counters"] and stats["gauges"]
    assert all(isinstance(n, int) for group in stats.values() for n in group.values())
    check = board.ask("check")
    assert check["ok"] and check["check"]["tables"][0]["digest"] == board.tables()["board"]["digest"]


def test_publications(board):
    """welcome, diffs, heartbeat, dropped: as raw JSON."""
    sub = zmq.Context.instance().socket(zmq.SUB)
    sub.linger, sub.rcvtimeo = 0, 3000
    sub.connect(board.hello["publish"][0])
    sub.subscribe(b"j/board/")

    def following(what):
        while True:
            topic, body = sub.recv_multipart()
            publication = json.loads(body)
            assert topic == b"j/board/" and publication["table"] == "board"
            assert is_hex(publication["epoch"], 32)
            if publication.get(what) is not None and publication.get(what) != []:
                return publication

    head = board.tables()["board"]
    welcome = following("welcome")
    assert welcome["welcome"] == {k: head[k] for k in ("revision", "digest", "oldest")}
    assert welcome["history"] == head["history"]
    reply = board.ask("command", {"move": {"rows": ["a"], "bottom": True}}, "board")
    published = following("diffs")
    assert published["timeMs"] > 1.6e12
    diff = published["diffs"][0]
    assert diff["base"] == head["revision"] and is_hex(diff["digest"], 16)
    assert diff["cause"]["verb"] == "move"
    assert diff["ops"] == [{"move": {"rows": ["a"], "after": "c"}}]
    published = following("heartbeat")
    beat = published["heartbeat"]
    assert abs(published["timeMs"] / 1000 - time.time()) < 30
    assert beat["revision"] == reply["revision"] and beat["digest"] == diff["digest"]
    assert board.ask("drop", {}, "board")["ok"]
    assert following("dropped")["history"] == head["history"]
    board.ask("create", {}, "board")
    assert following("welcome")["history"] != head["history"]
    sub.close()


def test_a_viewer_waits_for_its_table(daemon):
    viewer = Viewer(daemon.endpoint, "later")

    def is_in(state):
        def there():
            viewer.step(0.05)
            return viewer.state == state
        return there

    eventually(is_in("absent"), 5, 0)
    assert daemon.ask("create", {}, "later")["ok"]
    eventually(is_in("following"), 5, 0)
    daemon.do("later", add={"id": "a"})
    eventually(lambda: viewer.step(0.05) or len(viewer.table) == 1, 5, 0)
    assert daemon.ask("drop", {}, "later")["ok"]
    eventually(is_in("absent"), 5, 0)
    assert daemon.ask("create", {}, "later")["ok"]
    eventually(is_in("following"), 5, 0)
    assert viewer.revision == 0 and viewer.counts["wrong"] == 0
    viewer.close()


def test_a_viewer_sees_every_kind_of_op(board):
    viewer = Viewer(board.endpoint, "board")
    steps = [{"define": {"table": {"swipePolicy": "exclusive", "expandPolicy": "accordionTable"}}},
             {"section": {"id": "bar", "title": "Bar"}}, {"section": {"id": "bar", "title": "Bär"}},
             {"add": {"id": "é", "title": "combined", "section": "bar", "fields": {"k": "v"}}},
             {"add": {"id": "e\u0301", "title": "decomposed", "before": "é"}},
             {"add": {"id": "ü" * 64, "title": "128 bytes", "after": "a"}},
             {"swap": {"a": "é", "b": "a"}}, {"move": {"rows": ["c", "a", "d"], "top": True}},
             {"move": {"rows": ["d"], "before": "e"}}, {"set": {"row": "a", "unset": ["no"], "title": ""}},
             {"set": {"row": "a", "fields": {"ключ": "значение", "empty": ""}}},
             {"set": {"row": "a", "unset": ["ключ"], "kind": "ticket"}},
             {"expand": {"row": "a", "to": "123.5"}}, {"expand": {"row": "d", "toggle": True}},
             {"swipe": {"row": "a", "edge": "leading"}}, {"swipe": {"row": "d", "edge": "trailing"}},
             {"remove": {"rows": ["é", "e\u0301"]}}, {"move": {"rows": ["ü" * 64], "section": "main", "top": True}},
             {"removeSection": {"id": "bar"}}, {"define": {"drop": ["fixed"]}},
             {"add": {"id": "own", "expand": "low", "states": [{"name": "collapsed"}, {"name": "low", "height": 30}]}},
             {"expandAll": {"open": False}}, {"expand": {"row": "own", "toggle": True}},
             {"set": {"row": "a", "states": {"states": [{"name": "high", "height": 0.5}, {"name": "expanded"}]}}},
             {"expandAll": {"open": False}}, {"set": {"row": "own", "states": {}}},
             {"define": {"table": {"selection": "shared"}}}, {"select": {"row": "a"}}, {"mark": {"row": "own"}},
             {"mark": {}}, {"mark": {"row": "a"}},
             {"define": {"kinds": [TICKET | {"height": 61}]}}]
    refused = []
    for step in steps:
        reply = board.ask("command", step, "board")
        if not reply["ok"]:
            refused.append((step, reply["error"]))
    eventually(lambda: viewer.step(0.05) or viewer.revision == board.tables()["board"]["revision"], 5, 0)
    assert viewer.counts["wrong"] == 0 and viewer.digest() == board.tables()["board"]["digest"]
    sections = [(s, ids) for s, ids in viewer.table.order()]
    assert sections == order(board)
    assert not refused
    viewer.close()


def test_a_request_with_an_unknown_field_is_refused(board):
    """A condition in the wrong place was ignored once, and the row was written."""
    before = row(board, "a")
    for body, field, hint in [
            (b'{"table":"board","colour":{"a":[1]},"command":{"set":{"row":"a","title":"T"}}}', "colour", ""),
            (b'{"table":"board","command":{"set":{"row":"a","title":"T","ifVersion":99}}}',
             "command.set.ifVersion", "beside the command's verb."),
            (b'{"table":"board","command":{"set":{"row":"a","titel":"T"}}}', "command.set.titel",
             'Did you mean "title"?')]:
        error = ask_raw(board, body)["error"]
        assert (error["code"], error["field"]) == ("malformed", field)
        assert error["message"].endswith(hint)
    assert row(board, "a") == before
    # A member that is null is absent.
    assert ask_raw(board, b'{"table":"board","command":{"why":null,"set":{"row":"a","title":"T"}}}')["ok"]


def test_numbers_are_numbers(board):
    """No 64-bit integer as text, nothing in base64, in any reply or publication."""
    replies = [board.ask(v, b, t) for v, b, t in [
        ("hello", {}, None), ("tables", {}, None), ("kinds", {}, "board"), ("snapshot", {}, "board"),
        ("health", {}, None), ("stats", {}, None), ("check", {}, None),
        ("replay", {"history": board.tables()["board"]["history"], "since": 0}, "board"),
        ("command", {"set": {"row": "a", "title": "x"}}, "board")]]
    numeric = {"number", "revision", "opened", "index", "base", "oldest", "head",
               "timeMs", "createdMs", "chunk", "chunks", "position", "uptimeMs", "sections"}

    def walk(value, path=""):
        if isinstance(value, dict):
            for key, inner in value.items():
                if key in numeric and not isinstance(inner, (dict, list)):
                    assert not isinstance(inner, str), (path, key, inner)
                walk(inner, f"{path}/{key}")
        elif isinstance(value, list):
            for inner in value:
                walk(inner, path)
        elif isinstance(value, str) and len(value) > 40 and not value.startswith("ipc:"):
            try:
                base64.b64decode(value, validate=True)
            except ValueError:
                return
            raise AssertionError(f"base64 in {path}: {value}")

    walk(replies)
    # In requests, a number is a number too; 2⁶³ and more are numbers like others.
    big = (1 << 64) - 1
    reply = board.ask("command", {"ifRevision": big, "remove": {"rows": ["a"]}}, "board")
    assert reply["error"]["code"] == "stale"


def test_sending_again(board):
    writer = Writer(board.endpoint)
    body = encode({"client": writer.client, "number": 1, "opened": writer.opened, "table": "board",
                   "command": {"add": {"id": "once"}}})
    first = ask_raw(board, body)
    assert first["ok"] and first["number"] == 1 and first["client"] == writer.client
    board.do("board", set={"row": "a", "title": "meanwhile"})
    for _ in range(3):
        assert ask_raw(board, body) == first
    other = ask_raw(board, body.replace(b"once", b"more"))
    assert other["error"]["code"] == "numberReused"
    refused = body.replace(b'"number":1', b'"number":2')
    again = [ask_raw(board, refused) for _ in range(2)]
    assert again[0]["error"]["code"] == "exists" and again[0] == again[1]  # refusals are remembered
    board.do("board", remove={"rows": ["once"]})
    assert ask_raw(board, refused) == again[0]
    for number in range(3, 68):
        assert ask_raw(board, body.replace(b'"number":1', b'"number":%d' % number)
                       .replace(b"once", b"n%d" % number))["ok"]
    assert ask_raw(board, body)["error"]["code"] == "unknown"
    assert ask_raw(board, refused.replace(b'"number":2', b'"number":4').replace(b"once", b"n4"))["ok"]


LONG = "x" * 129


def add(**more):
    return {"table": "board", "command": {"add": more}}


def command(verb, table="board", **more):
    return {"table": table, "command": {verb: more}}


def pre(condition, verb, **more):
    return {"table": "board", "command": condition | {verb: more}}


REFUSALS = [  # (what, the code, the request)
    ("tooLarge", "an id", add(id=LONG)),
    ("tooLarge", "a section", add(section=LONG)),
    ("tooLarge", "an anchor", command("move", rows=["a"], before=LONG)),
    ("tooLarge", "a title", lambda h: add(title="x" * (h["limits"]["titleBytes"] + 1))),
    ("tooLarge", "a row", lambda h: add(fields={f"f{i}": "x" * 1000 for i in range(h["limits"]["rowBytes"] // 1000 + 1)})),
    ("tooLarge", "fields", lambda h: add(fields={f"f{i}": "" for i in range(h["limits"]["fields"] + 1)})),
    ("tooLarge", "a batch", lambda h: {"table": "board", "batch": {
        "commands": [{"swap": {"a": "a", "b": "b"}}] * (h["limits"]["batchCommands"] + 1)}}),
    ("tooLarge", "kinds", lambda h: command("define", kinds=[{"id": f"k{i}"} for i in range(h["limits"]["kinds"] + 1)])),
    ("tooLarge", "a client", {"client": LONG, "number": 1, "opened": 0} | add()),
    ("malformed", "no bytes", b""),
    ("malformed", "half of it", b'{"tables":{'),
    ("malformed", "a list", b"[]"),
    ("malformed", "null", b"null"),
    ("malformed", "two documents", b'{"tables":{}}{"tables":{}}'),
    ("malformed", "invalid UTF-8", b'{"table":"board","command":{"add":{"title":"\xff"}}}'),
    ("malformed", "half a surrogate", b'{"table":"board","command":{"add":{"title":"\\ud800"}}}'),
    ("malformed", "NaN", b'{"table":"board","command":{"define":{"kinds":[{"id":"k","height":nan}]}}}'),
    ("malformed", "the wrong type", b'{"tables":7}'),
    ("malformed", "text where a list belongs", b'{"table":"board","command":{"remove":{"rows":"a"}}}'),
    ("malformed", "a negative number", b'{"client":"c","number":-1,"tables":{}}'),
    ("malformed", "a number over 64 bits", b'{"client":"c","number":18446744073709551616,"tables":{}}'),
    ("malformed", "a broken number", b'{"client":"c","number":1.5,"tables":{}}'),
    ("malformed", "no rows", command("move", top=True)),
    ("malformed", "two verbs", b'{"tables":{},"hello":{}}'),
    ("malformed", "no anchor", command("move", rows=["a"])),
    ("malformed", "two anchors", command("move", rows=["a"], top=True, before="b")),
    ("malformed", "no target", command("expand", row="a")),
    ("malformed", "a client without a number", {"client": "c", "table": "board", "command": {"add": {}}}),
    ("unknownVerb", "no verb", {"table": "board"}),
    ("unknownVerb", "another verb", {"table": "board", "levitate": {}}),
    ("unknownVerb", "another command", command("levitate", row="a")),
    ("unknownVerb", "no command", {"table": "board", "command": {}}),
    ("badName", "an empty name", {"table": "", "create": {}}),
    ("badName", "no name", {"create": {}}),
    ("badName", "a slash", {"table": "a/b", "create": {}}),
    ("badName", "a control character", {"table": "a\tb", "create": {}}),
    ("badName", "DEL", {"table": "a\x7f", "create": {}}),
    ("tooLarge", "a table name", {"table": LONG, "create": {}}),
    ("noSuchTable", "snapshot", {"table": "nobody", "snapshot": {}}),
    ("noSuchTable", "kinds", {"table": "nobody", "kinds": {}}),
    ("noSuchTable", "drop", {"table": "nobody", "drop": {}}),
    ("noSuchTable", "command", command("add", "nobody")),
    ("noSuchTable", "batch", {"table": "nobody", "batch": {"commands": [{"add": {}}]}}),
    ("noSuchTable", "replay", {"table": "nobody", "replay": {"history": "0" * 32, "since": 0}}),
    ("noSuchTable", "offer", {"table": "nobody", "offer": {"history": "0" * 32, "revision": 0, "digest": "0" * 16}}),
    ("exists", "a table", {"table": "board", "create": {}}),
    ("exists", "a row", add(id="a")),
    ("badID", "an empty id", add(id="")),
    ("badID", "a control character", add(id="a\nb")),
    ("badID", "NUL", add(id="a\0")),
    ("badID", "a section", add(section="\x01")),
    ("badID", "an empty field key", add(fields={"": "x"})),
    ("badID", "an empty client", {"client": "", "number": 1, "opened": 0} | add()),
    ("badNumber", "height 0", command("define", kinds=[{"id": "k", "height": 0}])),
    ("badNumber", "height -1", command("define", kinds=[{"id": "k", "height": -1}])),
    ("badNumber", "height 1000001", command("define", kinds=[{"id": "k", "height": 1000001}])),
    ("badNumber", "a state's height", command("define", kinds=[{"id": "k", "states": [{"name": "s", "height": -5}]}])),
    ("badNumber", "expand to -5", command("expand", row="a", to="-5")),
    ("badNumber", "expand to 0", command("expand", row="a", to="0")),
    ("badNumber", "expand to 1000001", command("expand", row="a", to="1000001")),
    ("badNumber", "expand to 1e999", command("expand", row="a", to="1e999")),
    ("badValue", "an edge", command("swipe", row="a", edge="up")),
    ("badValue", "a layout", command("define", kinds=[{"id": "k", "layout": "magic"}])),
    ("badValue", "a policy", {"table": "board", "command": {"define": {"table": {"swipePolicy": "chaos"}}}}),
    ("badValue", "top: false", command("move", rows=["a"], top=False)),
    ("badValue", "NUL in a title", add(title="a\0b")),
    ("badValue", "NUL in a field", add(fields={"a": "\0"})),
    ("badValue", "a history", {"table": "board", "replay": {"history": "zz", "since": 0}}),
    ("badValue", "a digest", {"table": "board", "offer": {"history": "0" * 32, "revision": 0, "digest": "no"}}),
    ("duplicate", "moved rows", command("move", rows=["a", "b", "a"], top=True)),
    ("duplicate", "removed rows", command("remove", rows=["a", "a"])),
    ("duplicate", "kinds", command("define", kinds=[{"id": "k"}, {"id": "k"}])),
    ("badAnchor", "among the moved rows", command("move", rows=["a", "b"], before="b")),
    ("badAnchor", "in another section", command("move", rows=["a"], before="d", section="main")),
    ("badAnchor", "add, in another section", add(before="d", section="main")),
    ("stale", "ifRevision", pre({"ifRevision": 9999}, "remove", rows=["a"])),
    ("stale", "ifVersion", pre({"ifVersion": 9999}, "set", row="a", title="x")),
    ("stale", "a batch", {"table": "board", "batch": {"commands": [{"add": {}}], "ifRevision": 0}}),
    ("noSuchSection", "removeSection", command("removeSection", id="nowhere")),
    ("noSuchKind", "add", add(kind="nothing")),
    ("noSuchKind", "set", command("set", row="a", kind="nothing")),
    ("noSuchKind", "drop", command("define", drop=["nothing"])),
    ("noSuchRow", "set", command("set", row="nobody", title="x")),
    ("noSuchRow", "move", command("move", rows=["nobody"], top=True)),
    ("noSuchRow", "an anchor that never was", command("move", rows=["a"], before="nobody")),
    ("noSuchRow", "swap", command("swap", a="a", b="nobody")),
    ("noSuchRow", "swipe", command("swipe", row="nobody", edge="closed")),
    ("noSuchRow", "expand", command("expand", row="nobody", toggle=True)),
    ("noSuchState", "expand", command("expand", row="d", to="giant")),
    ("notAllowed", "moving", command("move", rows=["fix"], top=True)),
    ("notAllowed", "removing", command("remove", rows=["fix"])),
    ("notAllowed", "swapping", command("swap", a="a", b="fix")),
    ("kindInUse", "ticket", command("define", drop=["ticket"])),
    ("kindInUse", "row", command("define", drop=["row"])),
    ("sectionNotEmpty", "grill", command("removeSection", id="grill")),
    ("viewerScope", "swipe", command("swipe", "private", row="p", edge="leading")),
    ("noSuchSnapshot", "never was", {"table": "board", "snapshot": {"id": "0" * 32, "chunk": 1}}),
    ("noSuchSnapshot", "no such chunk", lambda h: {"table": "board", "snapshot": {"id": h["snapshot"], "chunk": 999}}),
    ("otherHistory", "replay", {"table": "board", "replay": {"history": "0" * 32, "since": 0}}),
    # Of several, the upper one: the form of the message, then what the table says.
    ("badID", "before noSuchTable", command("add", "nobody", id="a\n")),
    ("exists", "before noSuchKind", add(id="a", kind="nothing")),
    ("exists", "before badAnchor", add(id="a", before="d", section="main")),
    ("badID", "before noSuchRow", command("move", rows=["a\n", "nobody"], top=True)),
    ("stale", "before noSuchRow", pre({"ifRevision": 9999}, "remove", rows=["nobody"])),
    ("badName", "before badID", command("add", "a/b", id="")),
    ("unknownVerb", "before badName", {"table": "a/b", "levitate": {}}),
]


@pytest.fixture(scope="module")
def refusing():
    """One daemon for the whole list: a refused request changes nothing."""
    from harness import Daemon
    daemon = Daemon()
    daemon.start()
    daemon.ask("create", {}, "board")
    daemon.ask("create", {}, "private")
    daemon.do("board", define={"kinds": [TICKET, FIXED]})
    for id in "abc":
        daemon.do("board", add={"id": id})
    daemon.do("board", add={"id": "d", "section": "grill", "kind": "ticket"})
    daemon.do("board", add={"id": "fix", "kind": "fixed"})
    daemon.do("private", define={"table": {"swipeScope": "viewer"}})
    daemon.do("private", add={"id": "p"})
    daemon.snapshot = daemon.ask("snapshot", {}, "board")["snapshot"]["id"]
    yield daemon
    print(daemon.close())


@pytest.mark.parametrize("code, what, request_", REFUSALS, ids=[f"{c}: {w}" for c, w, _ in REFUSALS])
def test_refusals(refusing, code, what, request_):
    before = refusing.tables()
    if callable(request_):
        request_ = request_(refusing.hello | {"snapshot": refusing.snapshot})
    body = request_ if isinstance(request_, bytes) else encode(request_)
    reply = ask_raw(refusing, body)
    assert reply is not None, "no reply"
    assert reply["ok"] is False and reply["error"]["code"] == code, reply
    assert reply["error"]["message"].rstrip().endswith("."), "a sentence for people"
    assert refusing.tables() == before


FIELDS = {  # from the request down (§5)
    "table": {"table": "nobody", "kinds": {}},
    "command.add.id": add(id="a"),
    "command.move.rows": command("move", rows=["nobody"], top=True),
    "command.move.before": command("move", rows=["a"], before="nobody"),
    "command.set.row": command("set", row="nobody"),
    "command.set.kind": command("set", row="a", kind="nothing"),
    "command.swipe.edge": command("swipe", row="a", edge="up"),
    "command.expand.to": command("expand", row="d", to="giant"),
    "command.swap.b": command("swap", a="a", b="nobody"),
    "command.ifRevision": pre({"ifRevision": 9999}, "remove", rows=["a"]),
    "command.removeSection.id": command("removeSection", id="grill"),
    "batch.commands.add.id": {"table": "board", "batch": {"commands": [{"add": {}}, {"add": {"id": "a"}}]}},
    "batch.ifRevision": {"table": "board", "batch": {"commands": [{"add": {}}], "ifRevision": 9999}},
    "replay.history": {"table": "board", "replay": {"history": "0" * 32, "since": 0}},
}


@pytest.mark.parametrize("field", FIELDS)
def test_the_field_at_fault(refusing, field):
    error = ask_raw(refusing, encode(FIELDS[field]))["error"]
    assert re.sub(r"\[\d+\]", "", error["field"]) == field, error


@pytest.mark.parametrize("header", [b"trestle/2 json", b"trestle/1 xml", b"trestle/1", b"x" * 1000,
                                    b"trestle/1 json ", b"TRESTLE/1 JSON"])
def test_unsupported_protocol(refusing, header):
    reply = raw(refusing, [b"", header, b'{"tables":{}}'])
    assert reply and json.loads(reply[-1])["error"]["code"] == "unsupportedProtocol"


def test_too_many_frames(refusing):
    reply = raw(refusing, [b"", b"trestle/1 json"] + [b'{"tables":{}}'] * 7)
    assert reply and json.loads(reply[-1])["error"]["code"] == "tooManyFrames"


def test_a_request_over_the_limit_closes_the_connection(refusing):
    body = encode(add(title="x" * (refusing.hello["limits"]["requestBytes"] + 1)))
    assert ask_raw(refusing, body)["error"]["code"] == "tooLarge"
    body += b" " * (8 << 20)
    assert ask_raw(refusing, body, timeout=1) is None
    assert refusing.ask("tables")["ok"]


def test_rejections_are_counted(refusing):
    code = "kindInUse"
    before = refusing.stats().get("rejections", {}).get(code, 0)
    ask_raw(refusing, encode(command("define", drop=["row"])))
    assert refusing.stats()["rejections"][code] == before + 1


def test_a_client_without_a_number_is_not_remembered(board):
    for _ in range(2):
        assert board.do("board", add={"title": uuid.uuid4().hex})["ok"]
    assert board.tables()["board"]["rows"] == 7
