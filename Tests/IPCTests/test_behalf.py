"""On whose behalf a request is: children of one principal, held apart by the daemon."""

import json
import re
import subprocess
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
import zmq

from harness import BIN, ask_all, full
from background_load import reply_codes
from peer_support import RESIDENT
from trestle_client import BEHALF_HEADER, HEADER, encode

TIMES = full(1_000, 50)
GRILL = {"name": "grill", "role": "operator"}
BAR = {"name": "bar", "role": "operator"}
CHIEF = {"name": "chief", "role": "editor"}
KIND = {"id": "ticket", "trailing": {"actions": [
    {"id": "page", "title": "Page", "effect": [{"invoke": {"deadline": 300}}]}]}}


@pytest.fixture
def daemon(make_daemon):
    daemon = make_daemon()
    daemon.ask("create", {}, "board")
    daemon.do("board", define={"kinds": [KIND]})
    for row in ("a", "b", "c"):
        daemon.do("board", add={"id": row, "title": row, "kind": "ticket"})
    return daemon


def ask(daemon, behalf, *requests):
    return ask_all(daemon.endpoint, *requests, behalf=behalf)


def frames(daemon, *messages):
    """Messages of any frames by one connection; the replies, parsed."""
    context = zmq.Context()
    socket = context.socket(zmq.DEALER)
    socket.linger = 0
    socket.connect(daemon.endpoint)
    replies = []
    for message in messages:
        socket.send_multipart(message)
        assert socket.poll(20_000), f"no reply to {message!r:.200}"
        replies.append(json.loads(socket.recv_multipart()[-1]))
    context.destroy(0)
    return replies


def command(**verb):
    return {"table": "board", "command": verb}


def user(daemon):
    """What the daemon calls us."""
    return daemon.ask("history", {"most": 1}, "board")["changes"]["changes"][0]["cause"]["user"]


# --------------------------------------------------------------------------------- who it is


def test_the_history_names_the_child_and_a_name_that_is_left_out_is_its(daemon):
    replies = ask(daemon, GRILL, command(set={"row": "a", "title": "1"}),
                  command(set={"row": "a", "title": "2"}) | {"name": "ada"})
    assert reply_codes(replies) == ["ok", "ok"]
    changes = daemon.ask("history", {"most": 2}, "board")["changes"]["changes"]
    said = [(one["cause"]["user"], one["cause"]["name"]) for one in changes]
    me = user(daemon).split("/")[0]
    assert said == [(f"{me}/grill", "ada"), (f"{me}/grill", "grill")]


def test_two_names_that_look_alike_are_two(daemon):
    one, other = {"name": "caf\u00e9"}, {"name": "cafe\u0301"}
    claim = command(claim={"rows": ["a"]}) | {"name": "x"}
    assert reply_codes(ask(daemon, one, claim)) == ["ok"]
    assert reply_codes(ask(daemon, other, claim)) == ["claimed"]
    assert reply_codes(ask(daemon, one, command(unclaim={"rows": ["a"]}) | {"name": "x"})) == ["ok"]


@pytest.mark.parametrize("behalf, code, field", [
    ({"name": "g", "role": "root"}, "badValue", "behalf.role"),
    ({"name": "g", "role": ""}, "badValue", "behalf.role"),
    ({"name": "g", "role": None}, "badValue", "behalf.role"),
    ({"name": ""}, "badID", "behalf.name"),
    ({}, "badID", "behalf.name"),
    ({"name": "n" * 65}, "tooLarge", "behalf.name"),
    ({"name": "a\u0000b"}, "badID", "behalf.name"),
    ({"name": "a\u001b[31m"}, "badID", "behalf.name"),
    ({"name": "g", "tables": ["t"] * 65}, "tooLarge", "behalf.tables"),
    ({"name": "g", "tables": [""]}, "badValue", "behalf.tables"),
    ({"name": "g", "tables": []}, "badValue", "behalf.tables"),
    ({"name": "g", "tables": None}, "badValue", "behalf.tables"),
    ({"name": "g", "tables": ["t" * 20_000]}, "tooLarge", "behalf"),
    ({"name": 5}, "malformed", "behalf.name"),
    ({"name": ["g"]}, "malformed", "behalf.name"),
])
def test_a_frame_that_may_not_be_is_refused_by_name(daemon, behalf, code, field):
    [reply] = ask(daemon, behalf, command(remove={"rows": ["a"]}) | {"client": "c", "number": 7})
    assert (reply["error"]["code"], reply["error"].get("field")) == (code, field), reply
    assert (reply["client"], reply["number"]) == ("c", 7), "it says which request it was"
    assert daemon.tables()["board"]["rows"] == 3


def test_frames_that_may_not_be(daemon):
    body, behalf = encode({"tables": {}}), encode(GRILL)
    replies = frames(
        daemon, [BEHALF_HEADER, behalf, body], [b"", BEHALF_HEADER, behalf, body],
        [BEHALF_HEADER, behalf, body, b"more", b"and more"],  # as behind any request
        [BEHALF_HEADER], [BEHALF_HEADER, behalf], [BEHALF_HEADER, b"", body],
        [BEHALF_HEADER, b"\xff{", body], [BEHALF_HEADER, body, behalf],
        [HEADER, behalf, body],  # without the word in the header it is the request
        [b"trestle/1 json behalf ", behalf, body], [b"trestle/1 behalf", behalf, body],
        [BEHALF_HEADER, *[behalf] * 20, body])
    assert reply_codes(replies) == [
        "ok", "ok", "ok", "malformed", "malformed", "malformed", "malformed", "malformed",
        "unknownVerb", "unsupportedProtocol", "unsupportedProtocol", "tooManyFrames"]
    # The form of the frame is that of the header: this is no message of protobuf's.
    context = zmq.Context()
    socket = context.socket(zmq.DEALER)
    socket.linger = 0
    socket.connect(daemon.endpoint)
    socket.send_multipart([b"trestle/1 proto behalf", behalf, body])
    assert socket.poll(20_000)
    header, reply = socket.recv_multipart()
    context.destroy(0)
    assert header == b"trestle/1 proto" and b"malformed" in reply


# ------------------------------------------------------------------------------- what it may do


def test_a_child_has_no_more_rights_than_its_role_and_its_tables(daemon):
    daemon.ask("create", {}, "bar")
    viewer = {"name": "v", "role": "viewer", "tables": ["b*r"]}
    replies = ask(daemon, viewer, {"tables": {}}, {"table": "bar", "snapshot": {}},
                  {"table": "board", "snapshot": {}}, {"table": "none", "snapshot": {}},
                  command(remove={"rows": ["a"]}), {"table": "bar", "drop": {}}, {"backup": {}},
                  {"audit": {}}, {"check": {}}, {"stats": {}}, {"health": {}}, {"hello": {}})
    assert reply_codes(replies) == ["ok", "ok"] + ["notAllowed"] * 7 + ["ok"] * 3
    assert [one["table"] for one in replies[0]["tables"]["tables"]] == ["bar"]
    assert "history" not in replies[2] and replies[2]["error"]["field"] == "user"
    assert re.search(r'/v may not read table "board"', replies[2]["error"]["message"])
    assert set(replies[9]["stats"]["gauges"]) == {"tables", "rows"}
    assert replies[10]["health"]["tables"] == 1
    # Without a role it may what its parent may.
    assert reply_codes(ask(daemon, {"name": "all"}, {"table": "bar", "drop": {}})) == ["ok"]


def test_an_operator_undoes_no_definition(daemon):
    [defined] = ask(daemon, CHIEF, command(define={"kinds": [{"id": "other"}]}))
    assert defined["ok"], defined
    undo = command(undo={"revision": defined["revision"]})
    assert reply_codes(ask(daemon, GRILL, undo, command(undo={}), command(define={"kinds": []}))) == [
        "notAllowed"] * 3
    assert reply_codes(ask(daemon, CHIEF, undo)) == ["ok"]


def test_a_child_of_somebody_with_no_rights_has_none(make_daemon):
    daemon = make_daemon(config=json.dumps({"guests": []}))
    replies = ask(daemon, {"name": "g", "role": "admin"}, {"table": "board", "create": {}},
                  {"table": "board", "snapshot": {}}, {"audit": {}}, {"tables": {}})
    assert reply_codes(replies) == ["notAllowed"] * 3 + ["ok"]
    assert not replies[3].get("tables", {}).get("tables")


# ----------------------------------------------------------------------- rows 10 and 11, of siblings


@pytest.mark.bound(120, 900)
def test_what_is_one_childs_stays_its(daemon):
    """Another child with its name and its client id: each attack is refused by name, under load."""
    its = {"client": "v-1", "name": "grill", "table": "board", "number": 1}
    admin = {"name": "grill", "role": "admin"}
    replies = ask(
        daemon, admin, its | {"attend": {"revision": 0}},
        its | {"drag": {"lift": {"rows": ["a"], "ttl": 60}}},
        its | {"number": 2, "command": {"claim": {"rows": ["b"]}}},
        its | {"number": 3, "command": {"act": {"row": "c", "action": "page"}}},
        its | {"number": 4, "command": {"take": {}}})
    assert reply_codes(replies) == ["ok"] * 5
    lease, taken = replies[1]["lease"]["lease"], replies[4]["invocations"][0]["id"]
    changing = [
        ({"attend": {"revision": 0, "leaving": True}}, "ok"),
        ({"drag": {"cancel": lease}}, "notHeld"),
        ({"drag": {"renew": lease}}, "notHeld"),
        ({"drag": {"hover": {"lease": lease, "top": True}}}, "notHeld"),
        ({"command": {"claim": {"rows": ["b"], "note": "mine"}}}, "claimed"),
        ({"command": {"unclaim": {"rows": ["b"]}}}, "claimed"),
        ({"command": {"unclaim": {"rows": ["b"], "holder": "grill"}}}, "claimed"),
        ({"command": {"unclaim": {}}}, "ok"),
        ({"command": {"set": {"row": "b", "title": "x"}, "ifClaimed": True}}, "notClaimed"),
    ]
    handling = [
        ({"command": {"finish": {"invocation": taken, "done": True}}}, "notHeld"),
        ({"command": {"release": {"invocation": taken}}}, "notHeld"),
        ({"renew": {}}, "ok"),
    ]

    def attack(behalf, attacks, client="v-1"):
        requests, expected = [], []
        for turn in range(TIMES):
            for place, (verb, code) in enumerate(attacks):
                number = 100 + turn * len(attacks) + place
                requests.append(its | {"client": client, "number": number} | verb)
                expected.append(code)
        replies = ask(daemon, behalf, *requests)
        return [(request, reply) for request, reply, code in zip(requests, replies, expected)
                if reply_codes([reply]) != [code] or reply.get("invocations")]

    over = threading.Event()

    def stay():
        while not over.wait(2):
            stays = ask(daemon, admin, its | {"attend": {"revision": 0}}, its | {"drag": {"renew": lease}})
            assert reply_codes(stays) == ["ok", "ok"]

    with ThreadPoolExecutor(5) as pool:
        staying = pool.submit(stay)
        wrong = [*pool.map(lambda one: attack(*one), [
            (BAR, changing), ({"name": "GRILL", "role": "operator"}, changing),
            ({"name": "pick", "role": "handler"}, handling),
            # Its parent, who may end claims by naming their holder. (With its client id the parent would take
            # numbers from it: who sends for others may do that.)
            (None, [one for one in changing if "holder" not in str(one)], "v-2")])]
        over.set()
    staying.result()
    assert wrong == [[]] * 4, [one[:2] for one in wrong]
    who = daemon.ask("who", {}, "board")["who"]
    assert [(one["lease"], one["user"].split("/")[1]) for one in who["leases"]] == [(lease, "grill")]
    assert [(one["name"], one["user"].split("/")[1]) for one in who["viewers"]] == [("grill", "grill")]
    # The claim and the invocation are its after a restart too.
    daemon.restart()
    again = [(request, code) for request, code in changing[4:7]]
    assert reply_codes(ask(daemon, BAR, *[its | {"number": 90_000_000 + n} | verb
                                    for n, (verb, _) in enumerate(again)])) == ["claimed"] * 3
    hers = ask(daemon, admin, its | {"number": 5, "command": {"unclaim": {"rows": ["b"]}}},
               its | {"number": 6, "command": {"finish": {"invocation": taken, "done": True}}})
    assert reply_codes(hers) == ["ok", "ok"]


@pytest.mark.bound(120, 900)
def test_another_childs_client_and_number(make_daemon):
    """Spoofed numbers, made-up clients, made-up children: her answers stay, over a restart too."""
    daemon = make_daemon(config=json.dumps({"limits": {"sessions": 64, "replies": 1_000}}))
    daemon.ask("create", {}, "board")
    daemon.do("board", add={"id": "r", "title": "r"})  # and the section, which an operator does not make
    opened = daemon.ask("hello")["hello"]["opened"]

    def add(row, client, number, since=opened):
        return command(add={"id": row}) | {"client": client, "number": number, "opened": since}

    first = add("a1", "pos", 1)
    mine = add("m1", "boss", 1)
    assert reply_codes(ask(daemon, GRILL, first)) == reply_codes(ask(daemon, None, mine)) == ["ok"]
    spoofed = [add(f"b{n}", "pos", n) for n in range(2, 72)]
    assert set(reply_codes(ask(daemon, BAR, *spoofed))) == {"ok"}
    # Children that nobody knows: they push out each other and their siblings, and nothing runs twice.
    context = zmq.Context()
    socket = context.socket(zmq.DEALER)
    socket.linger = 0
    socket.connect(daemon.endpoint)
    children = full(10_000, 1_500)
    for begin in range(0, children, 50):
        # Of a family that forgets much, whoever said hello long ago is not new.
        since = daemon.ask("hello")["hello"]["opened"]
        for n in range(begin, begin + 50):
            socket.send_multipart([
                BEHALF_HEADER, encode({"name": f"made up {n}"}), encode(add(f"e{n}", "pos", 1, since))])
        for _ in range(50):
            assert socket.poll(20_000)
            assert json.loads(socket.recv_multipart()[-1])["ok"]
    context.destroy(0)
    rows = daemon.tables()["board"]["rows"]
    assert rows == 3 + len(spoofed) + children
    for _ in range(2):
        again = [*ask(daemon, None, mine), *ask(daemon, GRILL, first), *ask(daemon, BAR, *spoofed),
                 *ask(daemon, {"name": "made up 0"}, add("e0", "pos", 1))]
        assert set(reply_codes(again)) <= {"ok", "unknown"} and "unknown" in reply_codes(again)
        assert daemon.tables()["board"]["rows"] == rows
        assert daemon.ask("stats")["stats"]["gauges"]["sessions"] <= 2 * 64 + 1
        daemon.restart()


def test_a_sibling_pushes_out_its_own_only(make_daemon):
    daemon = make_daemon(config=json.dumps({"limits": {"sessions": 64, "replies": 1_000}}))
    daemon.ask("create", {}, "board")
    daemon.do("board", add={"id": "r", "title": "r"})  # and the section, which an operator does not make
    opened = daemon.ask("hello")["hello"]["opened"]

    def add(row, client):
        return command(add={"id": row}) | {"client": client, "number": 1, "opened": opened}

    first = add("a1", "pos")
    [before] = ask(daemon, GRILL, first)
    assert before["ok"], before
    flood = [add(f"c{n}", f"made-up-{n}") for n in range(full(10_001, 500))]
    # Once its own are forgotten, a client of its that said hello before is not new.
    assert set(reply_codes(ask(daemon, BAR, *flood))) == {"ok", "unknown"}
    for _ in range(2):
        assert ask(daemon, GRILL, first) == [before]
        assert reply_codes(ask(daemon, BAR, flood[0])) == ["unknown"]
        daemon.restart()


# --------------------------------------------------------------------------------- who did what


def test_the_audit_and_the_figures_name_the_child(daemon):
    me = user(daemon)
    assert reply_codes(ask(daemon, CHIEF, command(section={"id": "s", "title": "S"}))) == ["ok"]
    assert reply_codes(ask(daemon, GRILL, {"table": "board", "drop": {}})) == ["notAllowed"]
    entries = daemon.ask("audit", {"most": 2})["audit"]["entries"]
    assert [(one["user"], one["verb"], one["outcome"]) for one in entries] == [
        (f"{me}/grill", "drop", "refused"), (f"{me}/chief", "section", "allowed")]
    done = subprocess.run([BIN / "trestle", "-e", daemon.endpoint, "audit"], capture_output=True, text=True)
    assert f"grill ({me})" in done.stdout
    counters = daemon.ask("stats")["stats"]["counters"]
    assert counters[f"user_requests_{me}/grill"] == counters[f"user_refusals_{me}/grill"] == 1
    assert counters[f"user_reply_bytes_{me}/chief"] > 0
    [reply] = ask(daemon, GRILL, {"stats": {}})
    assert {name for name in reply["stats"]["counters"]} == {
        f"user_{what}_{me}/grill" for what in ("requests", "refusals", "request_bytes", "reply_bytes")}


def test_the_command_line(daemon):
    def run(*words):
        return subprocess.run([BIN / "trestle", "-e", daemon.endpoint, *words],
                              capture_output=True, text=True, timeout=30)

    me = user(daemon)
    assert run("--behalf", "grill:operator", "claim", "board", "a").returncode == 0
    assert run("--behalf", "bar:operator", "unclaim", "board", "a").returncode != 0
    refused = run("--behalf", "grill:operator", "drop", "board", "--yes")
    assert refused.returncode == 77 and f"{me}/grill may not" in refused.stderr, refused
    history = json.loads(run("-o", "json", "history", "board", "--count", "1").stdout)
    cause = str(history)
    assert f"'user': '{me}/grill'" in cause and "'name': 'grill'" in cause, history
    for bad in ("grill:root", "grill:", "", ":viewer", "n" * 65):
        wrong = run("--behalf", bad, "tables")
        assert wrong.returncode == 64 and "--behalf takes" in wrong.stderr, (bad, wrong)


def test_old_figures_of_forgotten_children_are_their_parents(daemon):
    me = user(daemon)
    context = zmq.Context()
    socket = context.socket(zmq.DEALER)
    socket.linger = 0
    socket.connect(daemon.endpoint)
    count = full(10_000, 1_300)
    for n in range(count):
        socket.send_multipart([BEHALF_HEADER, encode({"name": f"c{n} {uuid.uuid4().hex}"}),
                               encode({"tables": {}})])
        assert socket.poll(20_000)
        socket.recv_multipart()
    context.destroy(0)
    counters = daemon.ask("stats")["stats"]["counters"]
    assert counters[f"user_requests_{me}"] >= count - 1_024
    assert sum(name.startswith("user_requests_") for name in counters) <= 256 + 1
    assert daemon.alive()


def test_what_is_kept_of_children_is_bounded_in_bytes(daemon):
    """1,024 frames of 15 KiB, half of them unknown fields, and what was read of them were 78 MiB."""
    me, count, body = user(daemon), 1_100, encode({"tables": {}})
    tables = ["b*" + "x" * 58 + f"{n:02}" for n in range(60)]
    messages = []
    for n in range(count):
        large = encode({"name": f"c{n}", "tables": tables, "unknown": "p" * 11_000})
        messages += [[BEHALF_HEADER, large, body], [BEHALF_HEADER, encode(GRILL), body]]
    before = daemon.rss()
    assert set(reply_codes(frames(daemon, *messages))) == {"ok"}
    assert daemon.rss() - before < 24 << 10
    counters = daemon.ask("stats")["stats"]["counters"]
    # The quietest went, and what they have cost is their parent's. Who asks all the time stays.
    assert counters[f"user_requests_{me}"] >= count - 150
    assert counters[f"user_requests_{me}/grill"] == count


def test_children_go_with_their_requests(daemon):
    """4 KiB of stars became 260 KiB and counted as 4: 18 MB of frames pinned 280 MB, in the places where replies had
    waited and in the list of viewers."""
    me, count = user(daemon), 1_100
    stars = ["b*", *["*" * 240 + f"{n:02}*" for n in range(16)]]
    large = [encode({"name": f"c{n}", "tables": stars}) for n in range(count)]
    before = daemon.rss()
    # All at once, so that each has a place of its own; some wait for their turn.
    for verb in ({"tables": {}}, {"table": "board", "history": {}},
                 {"table": "board", "client": "v", "number": 1, "attend": {"revision": 0}}):
        context = zmq.Context()
        socket = context.socket(zmq.DEALER)
        socket.sndhwm, socket.rcvhwm, socket.linger = 0, 0, 0
        socket.connect(daemon.endpoint)
        for frame in large:
            socket.send_multipart([BEHALF_HEADER, frame, encode(verb)])
        replies = []
        for _ in large:
            assert socket.poll(30_000)
            replies.append(json.loads(socket.recv_multipart()[-1]))
        assert set(reply_codes(replies)) <= {"ok", "tooLarge"}  # too many at once
        context.destroy(0)
        print(f"{[*verb][-1]}: {daemon.rss() - before} KiB more")
    assert daemon.rss() - before < 24 << 10 and daemon.rss() < RESIDENT
    assert daemon.ask("stats")["stats"]["counters"][f"user_requests_{me}"] > count
