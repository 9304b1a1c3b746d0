"""Who may do what: several users of this machine at one daemon. Needs root, to be them."""

import itertools
import json
import os
import select
import signal
import subprocess
import time
import traceback
from pathlib import Path

import pytest
import zmq

from runnable_by_all import runnable_by_all
from harness import BIN, Daemon, ask_all, eventually, full
from background_load import SECRET, all_topics, reply_codes, use_secret_table
from trestle_client import HEADER, Link, encode

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be several users")

ALICE, BOB, CAROL = 4001, 4002, 4003  # no names: they are called by their numbers
SOON = 5.0


class Guests(Daemon):
    """A daemon that all users of this machine can reach."""

    def __init__(self, guests=None, **settings):
        super().__init__("{}")
        self.settings = {"ipc_mode": "0666", **settings}
        self.directory.chmod(0o755)
        self.invite(guests)

    def invite(self, guests):
        """Writes the guest list; a daemon that runs takes it over."""
        settings = self.settings | ({"guests": guests} if guests is not None else {})
        self.config.write_text(json.dumps(settings))
        if self.process and self.alive():
            before = self.log.read_text().count("configuration read again")
            self.hang_up()
            eventually(lambda: self.log.read_text().count("configuration read again") > before, SOON)

    def hang_up(self):
        self.process.send_signal(signal.SIGHUP)


class Apart(Guests):
    """In a namespace of process numbers of its own, as in a container: it is told no process of who is outside."""

    def __init__(self, *arguments, **settings):
        super().__init__(*arguments, **settings)
        self.wrapper = ["unshare", "--pid", "--fork", "--kill-child"]
        if subprocess.run([*self.wrapper, "true"], stderr=subprocess.DEVNULL).returncode != 0:
            pytest.skip("this machine lets nobody make a namespace")

    def hang_up(self):
        pid = self.process.pid
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            os.kill(int(child), signal.SIGHUP)


@pytest.fixture
def guests():
    made = []

    def make(*arguments, kind=Guests, **settings):
        daemon = kind(*arguments, **settings)
        made.append(daemon)
        daemon.start()
        return daemon

    yield make
    for daemon in made:
        ended = daemon.process.poll()
        text = daemon.close()
        assert ended is None, f"the daemon ended: {ended}\n{text}"
        assert "Fatal error" not in text


class As:
    """A function that another user runs, in a process of its own. What it gives comes as JSON."""

    def __init__(self, uid, function, *arguments):
        read, write = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(read)
            try:
                signal.alarm(50)
                os.setgroups([])
                os.setgid(uid)
                os.setuid(uid)
                said = {"gave": function(*arguments)}
            except BaseException:
                said = {"raised": traceback.format_exc()}
            with os.fdopen(write, "w") as out:
                out.write(json.dumps(said))
            os._exit(0)
        os.close(write)
        self.out = os.fdopen(read)

    def gave(self):
        with self.out:
            said = json.loads(self.out.read())
        os.waitpid(self.pid, 0)
        assert "gave" in said, said["raised"]
        return said["gave"]


def as_user(uid, function, *arguments):
    return As(uid, function, *arguments).gave()


def asked(daemon, uid, *requests):
    return as_user(uid, ask_all, daemon.endpoint, *requests)


def add(row, table="board", **more):
    return {"table": table, "command": {"add": {"id": row, "title": row}}, **more}


# ------------------------------------------------------------------------------- who somebody is


def test_what_is_proven_stands_beside_what_is_said(guests):
    daemon = guests()
    daemon.ask("create", {}, "board")
    asked(daemon, ALICE, add("a", name="alice", client="c", number=1))
    asked(daemon, BOB, add("b", name="alice", client="c", number=1))
    daemon.restart()
    for _ in range(2):
        changes = daemon.ask("history", {}, "board")["changes"]["changes"]
        causes = {change["rows"][0]: change["cause"] for change in changes}
        assert {row: (cause["name"], cause["user"]) for row, cause in causes.items()} == {
            "a": ("alice", str(ALICE)), "b": ("alice", str(BOB))}
        daemon.kill(signal.SIGTERM)  # from the checkpoint, too
        daemon.start()
    text = subprocess.run([BIN / "trestle", "-e", daemon.endpoint, "-o", "wide", "history", "board"],
                          capture_output=True, text=True, check=True).stdout
    assert str(ALICE) in text and str(BOB) in text


def test_another_ones_client_and_number(guests):
    """Row 10: her id with her next number, spoofed numbers, made-up clients."""
    daemon = guests(limits={"sessions": 8, "replies": 200})
    daemon.ask("create", {}, "board")
    opened = daemon.ask("hello")["hello"]["opened"]
    first = add("a1", client="pos", number=1, opened=opened)
    assert reply_codes(asked(daemon, ALICE, first)) == ["ok"]
    spoofed = [add(f"b{n}", client="pos", number=n, opened=opened) for n in range(1, 72)]
    made_up = [add(f"c{n}", client=f"made-up-{n}", number=1, opened=opened)
               for n in range(full(10_001, 300))]
    his = reply_codes(asked(daemon, BOB, *spoofed, *made_up))
    # What he pushes out is his own: "unknown" is said to his made-up clients.
    assert his[:len(spoofed)] == ["ok"] * len(spoofed) and set(his) == {"ok", "unknown"}
    # She is answered as before, and her next number is her own.
    replies = asked(daemon, ALICE, first, add("a2", client="pos", number=2, opened=opened))
    assert reply_codes(replies) == ["ok", "ok"]
    assert replies[0]["revision"] == 1
    daemon.restart()
    assert asked(daemon, ALICE, first)[0]["revision"] == 1
    rows = daemon.tables()["board"]["rows"]
    assert rows == 2 + his.count("ok")


KIND = {"id": "ticket", "trailing": {"actions": [
    {"id": "page", "title": "Page", "effect": [{"invoke": {"deadline": 300}}]}]}}


@pytest.mark.bound(90, 600)
def test_what_is_hers_stays_hers(guests):
    """Row 11: her name, her client id, and what she holds."""
    daemon = guests()
    daemon.ask("create", {}, "board")
    daemon.do("board", define={"kinds": [KIND]})
    for row in ("a", "b", "c"):
        daemon.do("board", add={"id": row, "kind": "ticket"})
    daemon.do("board", act={"row": "c", "action": "page"})
    her = {"client": "v-1", "name": "alice", "table": "board", "number": 1}
    replies = asked(
        daemon, ALICE, her | {"attend": {"revision": 0}},
        her | {"drag": {"lift": {"rows": ["a"], "ttl": 60}}},
        her | {"number": 2, "command": {"claim": {"rows": ["b"]}}},
        her | {"number": 3, "command": {"take": {}}})
    assert reply_codes(replies) == ["ok"] * 4
    lease, taken = replies[1]["lease"]["lease"], replies[3]["invocations"][0]["id"]
    attacks = [
        ({"attend": {"revision": 0, "leaving": True}}, "ok"),
        ({"drag": {"cancel": lease}}, "notHeld"),
        ({"drag": {"renew": lease}}, "notHeld"),
        ({"drag": {"hover": {"lease": lease, "top": True}}}, "notHeld"),
        ({"drag": {"drop": {"lease": lease, "to": {"anchor": {"top": True}}}}}, "notHeld"),
        ({"command": {"claim": {"rows": ["b"], "note": "mine"}}}, "claimed"),
        ({"command": {"unclaim": {"rows": ["b"]}}}, "claimed"),
        ({"command": {"unclaim": {}}}, "ok"),
        ({"command": {"set": {"row": "b", "title": "x"}, "ifClaimed": True}}, "notClaimed"),
        ({"command": {"finish": {"invocation": taken, "done": True}}}, "notHeld"),
        ({"command": {"release": {"invocation": taken}}}, "notHeld"),
        ({"renew": {}}, "ok"),
    ]
    times = full(1_000, 5)
    requests, expected = [], []
    for turn in range(times):
        for place, (attack, code) in enumerate(attacks):
            requests.append(her | {"number": 100 + turn * len(attacks) + place} | attack)
            expected.append(code)
    replies = []
    for start in range(0, len(requests), 600):
        # She stays: in the full form he needs longer than a lease lasts.
        stays = asked(daemon, ALICE, her | {"attend": {"revision": 0}}, her | {"drag": {"renew": lease}})
        assert reply_codes(stays) == ["ok", "ok"]
        replies += asked(daemon, BOB, *requests[start:start + 600])
    wrong = [(request, reply) for request, reply, code in zip(requests, replies, expected)
             if reply.get("error", {}).get("code", "ok") != code
             and not ("drop" in request.get("drag", {}) and not reply["ok"])]
    assert not wrong, wrong[:2]
    assert not replies[len(attacks) - 1].get("invocations"), "he is told what she holds"
    who = daemon.ask("who", {}, "board")["who"]
    assert [(one["lease"], one["user"]) for one in who["leases"]] == [(lease, str(ALICE))]
    assert [(one["name"], one["user"]) for one in who["viewers"]] == [("alice", str(ALICE))]
    # After a restart the lease is over. Claim and invocation are hers still.
    daemon.restart()
    again = asked(daemon, BOB, *[her | {"number": 90_000 + n} | attack
                                 for n, (attack, _) in enumerate(attacks[5:11])])
    assert reply_codes(again) == [code for _, code in attacks[5:11]]
    hers = asked(daemon, ALICE, her | {"number": 4, "command": {"unclaim": {"rows": ["b"]}}},
                 her | {"number": 5, "command": {"finish": {"invocation": taken, "done": True}}})
    assert reply_codes(hers) == ["ok", "ok"]


def test_undo_of_mine_is_not_hers(guests):
    daemon = guests()
    daemon.ask("create", {}, "board")
    asked(daemon, ALICE, add("a", name="alice"))
    undo = {"table": "board", "name": "alice", "command": {"undo": {"mine": True}}}
    assert reply_codes(asked(daemon, BOB, undo)) == ["nothingToUndo"]
    assert reply_codes(asked(daemon, ALICE, undo)) == ["ok"]


def test_an_undo_does_not_go_round_a_claim(guests):
    """Who may not end her claim does not end it by an undo; what he brings back does not become his."""
    daemon = guests([{"users": [0], "roles": ["admin"]},
                     {"users": [ALICE, BOB], "tables": ["board"], "roles": ["operator"]}])
    daemon.ask("create", {}, "board")
    daemon.do("board", add={"id": "a"})

    def do(uid, name, **verb):
        return asked(daemon, uid, {"table": "board", "name": name, "command": verb})[0]

    def undo(revision):
        return do(BOB, "bob", undo={"revision": revision})

    claimed = do(ALICE, "alice", claim={"rows": ["a"]})
    assert undo(claimed["revision"])["error"]["code"] == "claimed"
    for end in ({"unclaim": {"rows": ["a"]}}, {"remove": {"rows": ["a"]}}):
        ended = do(ALICE, "alice", **end)
        assert undo(ended["revision"])["ok"]
        row = asked(daemon, BOB, {"table": "board", "snapshot": {}})[0]
        assert "alice" in json.dumps(row), row
        assert do(BOB, "bob", unclaim={"rows": ["a"]})["error"]["code"] == "claimed"
        assert do(ALICE, "alice", claim={"rows": ["a"], "note": f"mine after {ended['revision']}"})["ok"]
        assert do(BOB, "alice", unclaim={"rows": ["a"]})["error"]["code"] == "claimed"


def test_a_namesake_who_leaves_ends_no_claim(guests):
    """Of a claim that came with its row nobody is proven to be the holder. Bo may only read, and looks under her name."""
    daemon = guests([{"users": [0], "roles": ["admin"]}, {"users": [BOB], "tables": ["board"], "roles": ["viewer"]}])
    daemon.ask("create", {}, "board")
    daemon.do("board", add={"id": "a", "carried": {"claim": {"holder": "ada", "note": "mine", "sinceMs": 5}}})
    his = {"table": "board", "client": "b", "name": "ada"}
    before = daemon.tables()["board"]["revision"]
    assert reply_codes(asked(daemon, BOB, his | {"number": 1, "attend": {"revision": before}},
                       his | {"number": 2, "attend": {"revision": before, "leaving": True}})) == ["ok", "ok"]
    assert daemon.tables()["board"]["revision"] == before
    assert "ada" in json.dumps(daemon.ask("snapshot", {}, "board"))


def test_those_who_are_lost_together(guests):
    """Hundreds of viewers go silent at once: their leases and claims end, and nobody else's."""
    daemon = guests([{"users": [0], "roles": ["admin"]},
                     {"users": [ALICE, BOB], "tables": ["board"], "roles": ["operator"]}])
    daemon.ask("create", {}, "board")
    for row in "abcd":
        daemon.do("board", add={"id": row})

    for uid, name, row in ((ALICE, "alice", "a"), (BOB, "bob", "b")):
        reply = asked(daemon, uid, {"table": "board", "name": name, "command": {"claim": {"rows": [row]}}})
        assert reply_codes(reply) == ["ok"]
    crowd = [{"table": "board", "client": f"x{n}", "name": "alice" if n % 2 else f"x{n}", "number": 1,
              "attend": {"revision": 1}} for n in range(300)]
    assert set(reply_codes(asked(daemon, ALICE, *crowd))) == {"ok"}
    lifted = asked(daemon, ALICE, {"table": "board", "client": "x7", "name": "alice",
                                   "drag": {"lift": {"rows": ["c"], "ttl": 60}}})
    assert reply_codes(lifted) == ["ok"]

    def claims():
        rows = daemon.ask("snapshot", {}, "board")["snapshot"]["slices"][0]["rows"]
        return {row["id"]: row["claim"]["holder"] for row in rows if "claim" in row}

    assert claims() == {"a": "alice", "b": "bob"}
    eventually(lambda: claims() == {"b": "bob"}, 15)
    assert daemon.ask("who", {}, "board")["ok"]
    # Her lease has ended too: the row can be lifted by another.
    again = asked(daemon, BOB, {"table": "board", "client": "c-bob", "name": "bob",
                                "drag": {"lift": {"rows": ["c"], "ttl": 60}}})
    assert reply_codes(again) == ["ok"]


def test_half_of_the_viewers_are_one_users_at_most(guests):
    daemon = guests([{"users": [0], "roles": ["admin"]},
                     {"users": [ALICE, BOB], "tables": ["board"], "roles": ["viewer"]}])
    daemon.ask("create", {}, "board")

    def attend(uid, numbers):
        return reply_codes(asked(daemon, uid, *({"table": "board", "client": f"v{uid}-{n}", "number": 1,
                                           "attend": {"revision": 0}} for n in numbers)))

    assert set(attend(BOB, range(2_048))) == {"ok"}
    assert attend(BOB, [2_048]) == ["tooLarge"] and attend(BOB, [0]) == ["ok"]
    assert attend(ALICE, [1]) == ["ok"]


# -------------------------------------------------------------------------------- who may do what

LIST = [
    {"users": [0], "roles": ["admin"]},
    {"users": [ALICE], "tables": ["board", "kitchen*"], "roles": ["editor"]},
    {"users": [BOB], "tables": ["board"], "roles": ["viewer"]},
]


def test_a_drop_makes_no_section_for_an_operator(guests):
    daemon = guests([{"users": [0], "roles": ["admin"]}, {"users": [ALICE], "tables": ["board"], "roles": ["operator"]}])
    daemon.ask("create", {}, "board")
    daemon.do("board", add={"id": "a"})
    her = {"table": "board", "name": "alice", "client": "c-1"}
    place = {"section": "new", "top": True}

    def dropped():
        lease = asked(daemon, ALICE, her | {"drag": {"lift": {"rows": ["a"], "ttl": 60}}})[0]["lease"]["lease"]
        return asked(daemon, ALICE, her | {"number": 1, "drag": {"drop": {"lease": lease, "to": place}}})[0]

    moved = asked(daemon, ALICE, {"table": "board", "command": {"move": {"rows": ["a"], "section": "new", "top": True}}})
    assert reply_codes(moved) == ["notAllowed"]
    assert moved[0]["error"]["message"].endswith('takes the role editor, since it makes section "new".')
    refusal = dropped()["error"]
    assert (refusal["code"], refusal["field"]) == ("notAllowed", "user"), "so that `trestle` ends with 77"
    explained = asked(daemon, ALICE, {"table": "board", "explain": {"command": {"define": {"kinds": [{"id": "k"}]}}}})
    assert reply_codes(explained) == ["notAllowed"]
    noted = daemon.ask("audit", {"most": 20})["audit"]["entries"]
    refused = [entry["verb"] for entry in noted if entry.get("uid") == ALICE and entry.get("code") == "notAllowed"]
    assert sorted(refused) == ["drop", "explain", "move"], noted


def ticket(section, action="page"):
    """Actions whose handler's work sends the row to a section."""
    then = [{"move": {"section": section, "top": True}}]
    return {"actions": [{"id": action, "title": "Page", "effect": [{"invoke": {"deadline": 300, "then": then}}]}]}


def test_a_handler_finishes_into_a_section_that_is_not_there(guests):
    """Whoever may define has said what is done in the end. What an operator has said does not count."""
    daemon = guests([{"users": [0], "roles": ["admin"]}, {"users": [ALICE], "tables": ["board"], "roles": ["operator"]},
                     {"users": [BOB], "tables": ["board"], "roles": ["handler"]}])
    daemon.ask("create", {}, "board")
    daemon.do("board", define={"kinds": [{"id": "ticket", "trailing": ticket("done")}]})
    for row in ("a", "b", "c", "d"):
        daemon.do("board", add={"id": row, "kind": "ticket"})

    numbers = itertools.count(1)

    def numbered(**verb):
        return {"table": "board", "client": "h", "number": next(numbers), "opened": 0} | verb

    def command(**verb):
        return numbered(command=verb)

    def pressed_and_taken(row):
        [press] = asked(daemon, ALICE, command(act={"row": row, "action": "page"}))
        [took] = asked(daemon, BOB, command(take={}))
        assert (press["ok"], took["ok"]) == (True, True), (press, took)
        return took["invocations"][0]["id"]

    def sections():
        snapshot = daemon.ask("snapshot", {}, "board")["snapshot"]
        return {one["section"] for one in snapshot["slices"]}

    done = {"invocation": pressed_and_taken("a"), "done": True}
    explain = {"table": "board", "client": "h", "explain": {"command": {"finish": done}}}
    assert reply_codes(asked(daemon, BOB, explain)) == ["ok"]
    assert "done" not in sections()
    assert reply_codes(asked(daemon, BOB, command(finish=done))) == ["ok"]
    assert "done" in sections()
    # In a batch of such commands too.
    daemon.do("board", move={"rows": ["a"], "before": "b"})
    daemon.do("board", removeSection={"id": "done"})
    batch = [{"finish": {"invocation": pressed_and_taken("b"), "done": True}}]
    assert reply_codes(asked(daemon, BOB, numbered(batch={"commands": batch}))) == ["ok"]
    assert "done" in sections()
    # A row's own action is an operator's word.
    assert reply_codes(asked(daemon, ALICE, command(set={"row": "c", "actions": {"trailing": ticket("hers")}}))) == ["ok"]
    done = {"invocation": pressed_and_taken("c"), "done": True}
    [reply] = asked(daemon, BOB, command(finish=done))
    assert reply["error"]["code"] == "notAllowed" and 'makes section "hers"' in reply["error"]["message"]
    assert "hers" not in sections()
    assert daemon.do("board", section={"id": "hers"})["ok"]
    assert reply_codes(asked(daemon, BOB, command(finish=done))) == ["ok"]


def explained_together(endpoint, count):
    """Large explanations, asked for at once: they wait for each other. The codes of the answers."""
    link = Link(endpoint, zmq.Context())
    for n in range(count):
        commands = [{"set": {"row": f"r{row}", "title": f"{n}"}} for row in range(1_000)]
        link.send(encode({"table": "board", "client": f"c{n}", "number": 1,
                          "explain": {"batch": {"commands": commands}}}))
    replies = [link.receive(30) for _ in range(count)]
    link.close()
    return reply_codes(replies)


def test_an_explanation_that_is_refused_after_it_waited_is_in_the_audit(guests):
    """Once, as every refusal, and with where it came from."""
    daemon = guests(LIST)
    daemon.ask("create", {}, "board")
    rows = [{"add": {"id": f"r{row}"}} for row in range(1_000)]
    assert daemon.ask("batch", {"commands": rows}, "board")["ok"]
    his = As(BOB, explained_together, daemon.endpoint, 4)
    eventually(lambda: daemon.stats()["counters"].get("requests_explain", 0) > 0, SOON)
    # He still is somebody: of a stranger nothing large is read.
    daemon.invite(LIST[:2] + [{"users": [BOB], "tables": ["other"], "roles": ["viewer"]}])
    said = his.gave()
    assert set(said) <= {"ok", "notAllowed"} and said[-1] == "notAllowed", said
    noted = daemon.ask("audit", {"most": 20})["audit"]["entries"]
    refused = [entry for entry in noted if entry.get("uid") == BOB and entry["verb"] == "explain"]
    assert len(refused) == said.count("notAllowed"), (said, refused)
    assert all(entry["code"] == "notAllowed" and entry["from"].startswith("pid:") for entry in refused)


def test_roles(guests):
    daemon = guests(LIST)
    assert daemon.ask("create", {}, "board")["ok"] and daemon.ask("create", {}, "kitchen-2")["ok"]
    assert daemon.ask("create", {}, SECRET)["ok"]
    read = {"table": "board", "snapshot": {}}
    define = {"table": "board", "command": {"define": {"kinds": [{"id": "k"}]}}}
    create, drop = {"table": "kitchen-3", "create": {}}, {"table": "board", "drop": {}}
    everything = [read, add("x"), define, create, drop, {"backup": {}}, {"check": {}}]
    assert reply_codes(asked(daemon, ALICE, *everything)) == ["ok"] * 3 + ["notAllowed"] * 4
    assert reply_codes(asked(daemon, BOB, *everything)) == ["ok"] + ["notAllowed"] * 6
    assert reply_codes(asked(daemon, CAROL, *everything)) == ["notAllowed"] * 7
    refusal = asked(daemon, BOB, add("y"))[0]["error"]
    assert refusal["field"] == "user" and "operator" in refusal["message"]
    names = [[one["table"] for one in asked(daemon, uid, {"tables": {}})[0]["tables"].get("tables", [])]
             for uid in (0, ALICE, BOB, CAROL)]
    assert names == [["b1gs3cr3t", "board", "kitchen-2"], ["board", "kitchen-2"], ["board"], []]
    health = asked(daemon, BOB, {"health": {}})[0]["health"]
    assert (health["tables"], health["rows"]) == (1, 1)
    # An undo of what defined something takes the right to define.
    daemon.invite(LIST[:2] + [{"users": [BOB], "tables": ["board"], "roles": ["operator"]}])
    undo = {"table": "board", "command": {"undo": {"revision": 2}}}
    assert reply_codes(asked(daemon, BOB, undo)) == ["notAllowed"]
    assert reply_codes(asked(daemon, ALICE, undo)) == ["ok"]


def test_the_exit_code(guests):
    daemon = guests(LIST)
    daemon.ask("create", {}, "board")
    done = subprocess.run(
        [runnable_by_all(BIN / "trestle"), "-e", daemon.endpoint, "add", "board", "tea"],
        capture_output=True, text=True, user=BOB, group=BOB, extra_groups=[], cwd="/")
    assert done.returncode == 77, done.stderr
    assert "operator" in done.stderr


def test_a_refusal_says_what_the_user_did(guests):
    """Not which request of the protocol it came to: whoever typed `show` sent no `snapshot`."""
    daemon = guests(LIST + [{"users": [CAROL], "tables": ["*"], "roles": ["operator"]}])
    daemon.ask("create", {}, "board")
    daemon.ask("create", {}, SECRET)
    daemon.do("board", add={"id": "a"})
    for uid, deed, *words in (
            (BOB, f'read table "{SECRET}"', "show", SECRET), (BOB, f'read table "{SECRET}"', "watch", SECRET),
            (BOB, 'change rows in table "board"', "move", "board", "a", "--top"),
            (BOB, 'move rows in table "board"', "--as", "bob", "drag", "board", "lift", "a"),
            (CAROL, 'define kinds or sections in table "board"', "add", "board", "x", "--section", "new"),
            (BOB, "back up all tables", "backup", "-"), (BOB, "read the audit", "audit"),
            (BOB, 'drop table "board"', "drop", "board", "--yes")):
        done = subprocess.run(
            [runnable_by_all(BIN / "trestle"), "-e", daemon.endpoint, "--timeout", "10", *words],
            capture_output=True, text=True, user=uid, group=uid, extra_groups=[], cwd="/")
        assert done.returncode == 77, (words, done)
        assert f"{uid} may not {deed}: that takes the role " in done.stderr, (words, done.stderr)


def test_a_refusal_does_not_say_whether_the_table_is_there(guests):
    daemon = guests(LIST)
    daemon.ask("create", {}, SECRET)
    daemon.do(SECRET, add={"id": "r", "title": SECRET})
    absent = "x" * len(SECRET)

    def questions(table):
        verbs = [
            {"kinds": {}}, {"snapshot": {}}, {"snapshot": {"id": "a", "chunk": 1}}, {"who": {}},
            {"history": {}}, {"replay": {"history": "0" * 32, "since": 0}}, {"renew": {}},
            {"offer": {"history": "0" * 32, "revision": 1, "digest": "0" * 16}},
            {"rewind": {"history": "0" * 32, "since": 1, "to": 0}}, {"attend": {"revision": 0}},
            {"create": {}}, {"drop": {}}, {"command": {"remove": {"rows": ["r"]}}},
            {"command": {"undo": {}}}, {"batch": {"commands": [{"remove": {"rows": ["r"]}}]}},
            {"drag": {"lift": {"rows": ["r"]}}}, {"explain": {"create": {}}},
            {"explain": {"command": {"remove": {"rows": ["r"]}}}}, {"query": {}}]
        return [{"table": table, "client": "q", "number": 1 + n} | verb
                for n, verb in enumerate(verbs)]

    for uid in (BOB, CAROL):
        there = json.dumps(asked(daemon, uid, *questions(SECRET)))
        assert there.replace(SECRET, absent) == json.dumps(asked(daemon, uid, *questions(absent)))
        assert set(reply_codes(json.loads(there))) == {"notAllowed"}


# --------------------------------------------------------------------------- what reaches whom


def sniff(endpoints, seconds, topics):
    """All that is heard in so many seconds, as text."""
    context, heard = zmq.Context(), []
    socket = context.socket(zmq.SUB)
    socket.rcvhwm = 0
    for endpoint in endpoints:
        socket.connect(endpoint)
    for topic in topics:
        socket.subscribe(topic)
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        if socket.poll(left * 1000):
            heard.append([frame.decode(errors="replace") for frame in socket.recv_multipart()])
    context.destroy(0)
    return heard


def test_sniffers(guests):
    """No byte of a table reaches who may not read it: not its news, leases, viewers, heartbeats."""
    daemon = guests(LIST)
    for table in ("board", SECRET):
        assert daemon.ask("create", {}, table)["ok"]
    sniffers = {uid: As(uid, sniff, daemon.hello["publish"], 4, all_topics(SECRET))
                for uid in (0, ALICE, BOB, CAROL)}
    time.sleep(1)
    use_secret_table(daemon, SECRET, 1.5)
    use_secret_table(daemon, "board", 0.5)
    heard = {uid: sniffer.gave() for uid, sniffer in sniffers.items()}
    assert any(SECRET in topic for topic, _ in heard[0]), "who may hears nothing either"
    assert len({topic for topic, _ in heard[0]}) == 8
    for uid in (ALICE, BOB):
        assert {topic.split("/")[1] for topic, _ in heard[uid]} == {"board"}
        assert not any(f"{SECRET}/" in topic or f'"table":"{SECRET}"' in body
                       for topic, body in heard[uid])
    assert heard[CAROL] == []


@pytest.mark.parametrize("kind, after", [
    (Guests, None), (Guests, [{"users": [BOB], "tables": ["other"], "roles": ["viewer"]}]), (Apart, None)])
def test_a_right_that_is_taken_away(guests, kind, after):
    """SIGHUP: from then on not a byte, and all others go on."""
    daemon = guests(LIST, kind=kind)
    daemon.ask("create", {}, "board")
    topics = ["j/board/", "pj/board/"]
    hers = As(ALICE, sniff, daemon.hello["publish"], 4, topics)
    read, write = os.pipe()

    def his():
        heard = []
        context = zmq.Context()
        socket = context.socket(zmq.SUB)
        socket.connect(daemon.hello["publish"][0])
        for topic in topics:
            socket.subscribe(topic)
        end, revoked = time.monotonic() + 4, None
        while (left := end - time.monotonic()) > 0:
            if revoked is None and select.select([read], [], [], 0)[0]:
                revoked = time.monotonic()
            if socket.poll(min(left, 0.02) * 1000):
                socket.recv_multipart()
                heard.append(time.monotonic())
        context.destroy(0)
        return [revoked is not None, len(heard), len([at for at in heard if revoked and at > revoked + 1])]

    sniffer = As(BOB, his)
    time.sleep(1.5)
    daemon.invite(LIST[:2] + (after or []))
    os.write(write, b"x")
    use_secret_table(daemon, "board", 1)
    is_revoked, before, later = sniffer.gave()
    assert is_revoked and before > 0 and later == 0
    assert reply_codes(asked(daemon, BOB, {"table": "board", "snapshot": {}})) == ["notAllowed"]
    assert len(hers.gave()) > 5, "others do not go on"
    assert daemon.stats()["counters"]["connections_dropped_revoked"] >= 1
    # It is given again: a viewer that comes anew hears.
    daemon.invite(LIST)
    assert as_user(BOB, sniff, daemon.hello["publish"], 2, topics)


def test_without_a_list_whoever_may_connect_may_do_all(guests):
    daemon = guests()
    assert reply_codes(asked(daemon, BOB, {"table": "board", "create": {}}, add("x"), {"check": {}})) == ["ok"] * 3
    daemon.invite([])
    assert reply_codes(asked(daemon, BOB, add("y"))) == ["notAllowed"]
    assert reply_codes(asked(daemon, 0, add("y"))) == ["notAllowed"]
    daemon.invite(None)
    assert reply_codes(asked(daemon, BOB, add("y"))) == ["ok"]


# ----------------------------------------------------------------------------------------- figures


def test_what_each_has_cost(guests):
    daemon = guests([{"users": [0], "roles": ["admin"]}, {"users": [BOB], "roles": ["viewer"]}])
    daemon.ask("create", {}, "board")
    before = daemon.stats()["counters"]
    asked(daemon, BOB, *[add("x")] * 20, *[{"tables": {}}] * 5)
    counters = daemon.stats()["counters"]
    assert counters[f"user_requests_{BOB}"] == 25
    assert counters[f"user_refusals_{BOB}"] == 20
    assert counters[f"user_request_bytes_{BOB}"] > 25 * 20
    assert counters["user_requests_root"] - before["user_requests_root"] < 25
    own = asked(daemon, BOB, {"stats": {}})[0]["stats"]
    assert all(str(BOB) in name for name in own["counters"])
    assert set(own["gauges"]) == {"tables", "rows", f"user_connections_{BOB}"}


def test_a_flood_of_one_user_does_not_keep_another_waiting(guests):
    daemon = guests()
    daemon.ask("create", {}, "board")
    asked(daemon, ALICE, add("a"), add("b"))

    def flood():
        context = zmq.Context()
        sockets = [context.socket(zmq.DEALER) for _ in range(8)]
        for socket in sockets:
            socket.connect(daemon.endpoint)
        end, n = time.monotonic() + 3, 0
        while time.monotonic() < end:
            for socket in sockets:
                n += 1
                body = {"table": "board", "command": {"set": {"row": "a", "title": f"{n}"}}}
                try:
                    socket.send_multipart([b"", HEADER, encode(body)], zmq.DONTWAIT)
                    while socket.poll(0):
                        socket.recv_multipart()
                except zmq.Again:
                    socket.poll(5)
        context.destroy(0)
        return n

    flooder = As(BOB, flood)
    time.sleep(0.5)

    def waits():
        times, link = [], Link(daemon.endpoint, zmq.Context())
        for n in range(100):
            begin = time.monotonic()
            link.send(encode({"table": "board", "command": {"set": {"row": "b", "title": f"{n}"}}}))
            assert link.receive(5)["ok"]
            times.append(time.monotonic() - begin)
        return sorted(times)

    times = as_user(ALICE, waits)
    assert flooder.gave() > 1_000
    # 50 ms where the machine does nothing else.
    assert times[90] < 0.25, times[90:]


def test_explain_access(guests):
    daemon = guests(LIST)

    def explain(*arguments):
        done = subprocess.run([BIN / "trestled", "explain-access", "--config", daemon.config, *arguments],
                              capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    assert explain(str(BOB), "board", "snapshot")[0] == 0
    status, text = explain(str(BOB), "board", "move")
    assert status == 77 and "operator" in text
    status, text = explain("-o", "json", str(ALICE), "kitchen-9", "define")
    assert status == 0 and json.loads(text)["allowed"] and json.loads(text)["role"] == "editor"
    # Verbs of the command line, and the commands of a batch.
    assert explain(str(BOB), "board", "show")[0] == 0
    assert explain(str(BOB), "board", "import")[0] == 77
    assert explain(str(ALICE), "board", "handle")[0] == 77
    status, text = explain("-o", "json", str(ALICE), "board", "add,take")
    assert status == 77 and json.loads(text)["role"] == "admin"
    assert explain(str(ALICE), "board", "add,define")[0] == 0
    assert explain(str(ALICE), "board", "add,,define")[0] == 78
    assert explain("nobody-at-all", "board", "move")[0] == 78
    assert explain(str(BOB), "board", "nonsense")[0] == 78


def test_explain_access_of_what_is_about_all_tables(guests):
    """A line about some tables does not give it, whatever table is named: the reason says so."""
    daemon = guests()
    daemon.config.write_text(
        "guests:\n"
        "  - {users: [0], roles: [admin]}\n"
        f"  - {{users: [{ALICE}], tables: [board], roles: [admin]}}\n"
        f"  - {{users: [{BOB}], roles: [viewer]}}\n")

    def explain(*arguments):
        done = subprocess.run([BIN / "trestled", "explain-access", "--config", daemon.config, *arguments],
                              capture_output=True, text=True)
        return done.returncode, done.stdout.strip()

    for verb in ("backup", "restore", "check", "audit"):
        takes = f"no: `{verb}` is about all tables and takes the role admin on all of them, and "
        assert explain("0", "board", verb) == (0, f"yes: 0 may send `{verb}`, which is about all tables, by line 2")
        assert explain(str(ALICE), "board", verb) == (
            77, takes + "line 3 gives it on some tables only, which does not count")
        assert explain(str(BOB), "board", verb) == (77, takes + "no line gives it")
    said = json.loads(explain("-o", "json", str(ALICE), "board", "backup")[1])
    assert said == {"allowed": False, "role": "admin", "allTables": True, "lines": []}
    assert explain(str(ALICE), "board", "drop") == (0, f"yes: {ALICE} may send `drop` to board, by line 3")
    # What anybody may send no line gives.
    for uid in (ALICE, CAROL):
        assert explain(str(uid), "board", "stats") == (
            0, "yes: anybody may send `stats`, and is answered of what it may read")
