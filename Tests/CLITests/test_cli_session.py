"""`record` and `replay`: a session happens again, with the same digests."""

import collections
import json
import random
import shutil
import signal
import tempfile
import time

import pytest
import zmq
from cli_daemon import Daemon, recording, stop

KINDS = """
kinds:
  ticket:
    states: [collapsed, {name: half, height: 90}, expanded]
    trailing:
      actions:
        - {id: bump, effect: {remove: true}}
        - {id: late, hidesWhenSelected: true, effect: [{set: {late: "yes"}}, {move: {section: pass, top: true}}]}
        - {id: page, effect: {invoke: {deadline: 60, then: {set: {paged: "yes"}}}}}
  courses: {strip: true}
  fixed: {canMove: false}
  headline: {pinned: true}
table: {swipePolicy: exclusive, swipeScope: shared, expandPolicy: independent, scrollScope: shared}
"""


@pytest.fixture
def fresh():
    """A daemon that has nothing yet, and takes the time from its requests."""
    directory = tempfile.mkdtemp(prefix="trestle-fresh-")
    daemon = Daemon(directory, options=["--virtual-clock"])
    yield daemon
    daemon.stop()
    shutil.rmtree(directory)


def head(daemon):
    return json.loads(daemon.ok("-o", "json", "tables"))["tables"][0]


def tables(daemon):
    return {table["table"]: table["digest"]
            for table in json.loads(daemon.ok("-o", "json", "tables"))["tables"]}


ALL = {"add": 20, "remove": 6, "moveBy": 12, "moveTo": 4, "set": 20, "swap": 4, "swipe": 8, "toggle": 8,
       "height": 4, "act": 10, "select": 2, "take": 2, "section": 1, "expandAll": 0.2, "claim": 5,
       "unclaim": 3, "undo": 3, "undoMine": 1, "undoOne": 5, "redo": 4, "redoMine": 1, "recall": 6,
       "lift": 8}


class Writer:
    """Random commands, many under way, some in a handler's name and some in those of people."""

    def __init__(self, daemon, seed, weights=ALL):
        self.random = random.Random(seed)
        self.client = f"handler{seed}"
        self.weights = weights
        self.context = zmq.Context()
        self.socket = self.context.socket(zmq.DEALER)
        self.socket.connect(daemon.endpoint)
        self.rows = [f"r{number}" for number in range(60)]
        self.number = 0
        self.waiting = 0
        # The revisions that an undo may name.
        self.first = self.last = head(daemon)["revision"]
        self.opened = json.loads(daemon.ok("rpc", '{"hello":{}}'))["hello"].get("opened", 0)

    def commands(self):
        pick = self.random.choice
        row, other = pick(self.rows), pick(self.rows)
        section = pick(["grill", "fry", "pass"])
        return {
            "add": {"add": {"id": row, "title": f"Row {self.number}",
                            "kind": pick(["ticket", "row", "ticket", "row", "fixed", "headline"]),
                            "section": section, "fields": {"qty": str(self.number)}}},
            "remove": {"remove": {"rows": [row]}},
            "moveBy": {"move": {"rows": [row], "after": other}},
            "moveTo": {"move": {"rows": [row, other], "section": section, "bottom": True}},
            "set": {"set": {"row": row, "title": f"Title {self.number} é\u202e", "unset": ["late"]}},
            "swap": {"swap": {"a": row, "b": other}},
            "swipe": {"swipe": {"row": row, "edge": pick(["leading", "trailing", "closed"])}},
            "toggle": {"expand": {"row": row, "toggle": True}},
            "height": {"expand": {"row": row, "to": "77.5"}},
            "act": {"act": {"row": row, "action": pick(["bump", "late", "page"])}},
            "select": {"select": {"row": row}},
            "take": {"take": {"action": "page"}},
            "section": {"section": {"id": section, "title": f"Section {self.number}"}},
            "expandAll": {"expandAll": {"open": pick([True, False])}},
            "claim": {"claim": {"rows": [row], "note": pick(["", "mine"]), **pick([{}, {"ttl": 60}])}},
            "unclaim": {"unclaim": {"rows": pick([[], [row]]), "holder": pick(["ada", "ben"])}},
            "undo": {"undo": {}},
            "undoMine": {"undo": {"mine": True}},
            "undoOne": {"undo": {"revision": self.random.randint(
                max(self.first + 1, self.last - 60), max(self.first + 1, self.last))}},
            "redo": {"redo": {}},
            "redoMine": {"redo": {"mine": True}},
            "recall": {"recall": {"rows": [row]}},
        }

    def send(self, verb, name=None):
        self.number += 1
        body = {"client": self.client, "number": self.number, "opened": self.opened,
                "table": "board", **({"name": name} if name else {}), **verb}
        self.socket.send_multipart([b"", b"trestle/1 json", json.dumps(body).encode()])
        self.waiting += 1
        while self.waiting > 32:
            self.receive()

    def receive(self):
        assert self.socket.poll(20000)
        reply = json.loads(self.socket.recv_multipart()[-1])
        self.waiting -= 1
        self.last = reply.get("revision", self.last)
        if "lease" in reply:
            self.let_go(reply["lease"])
        for invocation in reply.get("invocations", []):
            if invocation.get("holder") == self.client and self.random.random() < 0.8:
                outcome = self.random.choice([{"done": True}, {"failed": "nobody there"}])
                self.send({"command": {"finish": {"invocation": invocation["id"], **outcome}}})

    def let_go(self, lease):
        """Ends a drag: somewhere, or where the row is likely to stand, or not at all."""
        to = self.random.choice([
            {"after": self.random.choice(self.rows)}, {"section": "pass", "top": True},
            {"section": "pass", "top": True}, None])
        step = {"drop": {"lease": lease["lease"], "to": to}} if to else {"cancel": lease["lease"]}
        self.send({"drag": step}, lease["holder"])

    def run(self, commands):
        verbs, weights = list(self.weights), list(self.weights.values())
        while self.number < commands:
            verb = self.random.choices(verbs, weights)[0]
            name = self.random.choice([None, None, "ada", "ben"])
            if verb == "lift":
                rows = self.random.sample(self.rows, self.random.choice([1, 1, 2]))
                if self.random.random() < 0.5:
                    # Who lifts a row that is open closes it.
                    self.send({"command": {"swipe": {"row": rows[0], "edge": "trailing"}}}, name)
                self.send({"drag": {"lift": {"rows": rows}}}, name)
            elif self.random.random() < 0.05:
                batch = [self.commands()[verb] for verb in self.random.choices(verbs, weights, k=2)
                         if verb != "lift"]
                self.send({"batch": {"commands": batch}}, name)
            else:
                self.send({"command": self.commands()[verb]}, name)
        while self.waiting:
            self.receive()
        self.socket.close()
        self.context.term()


def changes(daemon, path="board.session"):
    lines = [json.loads(line) for line in (daemon.directory / path).read_text().splitlines()]
    return [line["change"] for line in lines if "change" in line]


def recorded_to(daemon, process):
    """Ends a recording that has come to where the table is."""
    at = head(daemon)
    path = daemon.directory / "board.session"
    end = time.monotonic() + 20
    while f'"revision":{at["revision"]},' not in path.read_text()[-100_000:]:
        assert time.monotonic() < end, "the recording does not come to the end"
        time.sleep(0.1)
    stop(process)
    return at


def test_ten_thousand_commands_come_to_the_same_digest(daemon, fresh):
    daemon.ok("create", "board")
    process = recording(daemon)
    daemon.ok("define", "board", "-", stdin=KINDS.encode())
    writer = Writer(daemon, 7)
    writer.run(10_000)
    recorded = recorded_to(daemon, process)
    verbs = collections.Counter(change["cause"]["verb"] for change in changes(daemon))
    print(dict(verbs))
    assert min(verbs[verb] for verb in ["undo", "redo", "recall", "claim", "unclaim", "drop",
                                        "lift", "cancel", "act", "finish", "batch"]) > 5
    assert recorded["revision"] == sum(verbs.values()) > 3_000
    path = str(daemon.directory / "board.session")
    # To look at: no daemon, every digest held against the table's.
    lines = fresh.ok("replay", path, "--speed", "0").splitlines()
    assert json.loads(lines[-1])["digest"] == recorded["digest"]
    assert len(lines) == recorded["revision"] + 1
    # Carried out by a fresh daemon, and compared after each revision.
    began = time.monotonic()
    said = json.loads(fresh.ok("-o", "json", "replay", path, "--into", fresh.endpoint))
    print(f"{said['replayed']} in {time.monotonic() - began:.1f} s")
    assert said["replayed"]["digest"] == recorded["digest"]
    found = head(fresh)
    assert (found["digest"], found["revision"]) == (recorded["digest"], recorded["revision"])


def test_a_session_that_begins_with_a_table_in_use(daemon, fresh):
    """Rows that were changed, moved and claimed, some pinned; undo goes on from there."""
    daemon.ok("create", "board")
    daemon.ok("define", "board", "-", stdin=KINDS.encode())
    passing = ["swipe", "toggle", "height", "select", "expandAll", "claim", "unclaim", "lift",
               "add", "moveBy", "moveTo", "set", "swap", "section"]
    Writer(daemon, 11, {verb: ALL[verb] for verb in passing}).run(1_500)
    began = head(daemon)
    process = recording(daemon)
    # What is taken back without being named might be older than the session.
    undone = {**ALL, "act": 0, "take": 0, "undo": 0, "undoMine": 0, "recall": 15}
    Writer(daemon, 12, undone).run(2_000)
    recorded = recorded_to(daemon, process)
    path = daemon.directory / "board.session"
    state = path.read_text().splitlines()[1]
    for key in ["changedMs", "movedMs", "claim", "headline"]:
        assert state.count(f'"{key}"') > 2, key
    said = json.loads(fresh.ok("-o", "json", "replay", str(path), "--into", fresh.endpoint))
    assert said["replayed"]["digest"] == recorded["digest"]
    assert head(fresh)["digest"] == recorded["digest"]
    assert said["replayed"]["revisions"] == recorded["revision"] - began["revision"] > 300
    verbs = collections.Counter(change["cause"]["verb"] for change in changes(daemon))
    assert min(verbs[verb] for verb in ["undo", "redo", "recall", "drop"]) > 1, verbs


def test_a_drop_in_place_is_a_revision(daemon, fresh):
    daemon.ok("create", "board")
    for row in "ab":
        daemon.ok("add", "board", f"Row {row}", "--id", row)
    process = recording(daemon)
    for name in ["ada", "ben"]:
        body = {"client": name, "table": "board"}
        lift = json.loads(daemon.ok("rpc", json.dumps(
            {**body, "drag": {"lift": {"rows": ["b"]}}})))["lease"]["lease"]
        drop = {"drop": {"lease": lift, "to": {"after": "a"}}}
        daemon.ok("rpc", json.dumps({**body, "number": 1, "drag": drop}))
    recorded = recorded_to(daemon, process)
    assert [change["cause"]["verb"] for change in changes(daemon)] == ["drop", "drop"]
    fresh.ok("replay", str(daemon.directory / "board.session"), "--into", fresh.endpoint)
    assert head(fresh)["digest"] == recorded["digest"]


def test_a_claim_that_ran_out_is_ended(daemon, fresh):
    daemon.ok("create", "board")
    for row in "ab":
        daemon.ok("add", "board", f"Row {row}", "--id", row)
    process = recording(daemon, "--count", "2")
    claim = {"claim": {"rows": ["a"], "note": "soon", "ttl": 1}}
    daemon.ok("rpc", json.dumps({"table": "board", "name": "ada", "command": claim}))
    stop(process, 2)
    assert [change["cause"]["verb"] for change in changes(daemon)] == ["claim", "expire"]
    fresh.ok("replay", str(daemon.directory / "board.session"), "--into", fresh.endpoint)
    assert head(fresh)["digest"] == head(daemon)["digest"]


def test_what_was_before_the_session_is_not_taken_back(daemon, fresh):
    daemon.ok("create", "board")
    for row in "ab":
        daemon.ok("add", "board", f"Row {row}", "--id", row)
    daemon.ok("remove", "board", "a")
    path = daemon.directory / "board.session"

    def refused(command):
        process = recording(daemon)
        daemon.ok("rpc", json.dumps({"table": "board", "command": command}))
        recorded_to(daemon, process)
        done = fresh.run("replay", str(path), "--into", fresh.endpoint, "--to", next(iter(command)))
        assert done.returncode == 65
        # Nothing of the session was carried out: there is no table to be looked at.
        assert tables(fresh) == {}
        return done.stderr.decode()

    assert refused({"recall": {"rows": ["a"]}}) == (
        f'trestle: {path}:3: revision 4 (recall) brings row "a" back, which was removed before '
        "the session began: record it from an earlier time\n")
    assert refused({"undo": {"revision": 2}}) == (
        f"trestle: {path}:3: revision 5 (undo) takes revision 2 back, which was before the "
        "session began: record it from an earlier time\n")


def test_a_replay_that_ends_under_way_leaves_its_table(daemon, fresh):
    daemon.ok("create", "board")
    for row in "ab":
        daemon.ok("add", "board", f"Row {row}", "--id", row)
    process = recording(daemon, "--count", "2")
    daemon.ok("set", "board", "a", "--title", "New")
    daemon.ok("rpc", '{"table":"board","command":{"undo":{"revision":2}}}')
    stop(process, 2)
    path = daemon.directory / "board.session"
    assert fresh.run("replay", str(path), "--into", fresh.endpoint).returncode == 65
    assert "New" in fresh.ok("show", "board")


def test_a_session_is_carried_out_again_and_where_it_was_recorded(fresh):
    """The daemon knows the clients and their numbers; the digest has the ids of some of them."""
    opened = json.loads(fresh.ok("rpc", '{"hello":{}}'))["hello"]["opened"]
    fresh.ok("create", "board")
    process = recording(fresh, "--count", "6")

    def send(client, number, **verb):
        reply = json.loads(fresh.ok("rpc", json.dumps(
            {"client": client, "number": number, "opened": opened, "table": "board", **verb})))
        assert reply["ok"], reply
        return reply

    fresh.ok("define", "board", "-", stdin=KINDS.encode())
    add = {"command": {"add": {"id": "a", "title": "Soup", "kind": "ticket"}}}
    first = send("pos", 1, **add)
    send("pos", 2, command={"claim": {"rows": ["a"], "note": "mine"}})
    send("pos", 3, command={"act": {"row": "a", "action": "page"}})
    taken = send("cook", 1, command={"take": {"action": "page"}})
    send("pos", 4, command={"set": {"row": "a", "title": "Hot soup"}})
    stop(process, 6)
    assert taken["invocations"][0]["client"] == "pos" and taken["invocations"][0]["holder"] == "cook"
    path = str(fresh.directory / "board.session")
    for name in ["s2", "s3"]:
        fresh.ok("replay", path, "--into", fresh.endpoint, "--to", name)
    fresh.ok("drop", "s2")
    fresh.ok("replay", path, "--into", fresh.endpoint, "--to", "s2")
    assert set(tables(fresh)) == {"board", "s2", "s3"}
    assert len(set(tables(fresh).values())) == 1
    # Who was there goes on, and is still answered once.
    send("cook", 2, command={"finish": {"invocation": taken["invocations"][0]["id"], "done": True}})
    assert send("pos", 1, **add) == first
    send("pos", 5, command={"remove": {"rows": ["a"]}})


def small_session(daemon):
    daemon.ok("create", "board")
    for row in "abc":
        daemon.ok("add", "board", f"Row {row}", "--id", row, "--section", "s")
    daemon.ok("expand", "board", "b", "--to", "80")
    process = recording(daemon, "--count", "3")
    daemon.ok("move", "board", "c", "--top")
    time.sleep(0.5)
    daemon.ok("remove", "board", "a")
    daemon.ok("add", "board", "New")
    assert stop(process, 3) == "3 revisions, to revision 7\n"
    return daemon.directory / "board.session"


def test_a_session_that_begins_in_the_middle(daemon, fresh):
    path = small_session(daemon)
    fresh.ok("replay", str(path), "--into", fresh.endpoint, "--to", "copy")
    assert head(fresh)["digest"] == head(daemon)["digest"]
    assert head(fresh)["table"] == "copy"
    again = fresh.run("replay", str(path), "--into", fresh.endpoint, "--to", "copy")
    assert (again.returncode, again.stderr) == (
        1, b'trestle: There is a table "copy" already.\n')


def test_time_passes_as_it_did(daemon):
    path = small_session(daemon)
    began = time.monotonic()
    slow = daemon.ok("replay", str(path))
    took = time.monotonic() - began
    assert took > 0.4
    began = time.monotonic()
    assert daemon.ok("replay", str(path), "--speed", "0") == slow
    assert time.monotonic() - began < took


def test_recording_goes_on_over_a_restart(daemon):
    daemon.ok("create", "board")
    process = recording(daemon)
    daemon.ok("add", "board", "One")
    daemon.stop(signal.SIGKILL)
    daemon.start()
    daemon.ok("add", "board", "Two")
    time.sleep(2.5)
    stop(process)
    path = daemon.directory / "board.session"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["change"]["revision"] for line in lines if "change" in line] == [1, 2]
    assert daemon.ok("replay", str(path), "--speed", "0").count("\n") == 3


def test_what_is_damaged_is_found(daemon, fresh):
    path = small_session(daemon)
    text = path.read_text()
    lines = text.splitlines(keepends=True)

    def replayed(content, *more):
        path.write_text(content)
        done = daemon.run("replay", str(path), "--speed", "0", *more)
        return done.returncode, done.stderr.decode()

    code, said = replayed(text.replace('"c"', '"b"'))
    assert code == 65 and said.startswith(f"trestle: {path}:2: the state is damaged")
    code, said = replayed("".join(lines[:2] + lines[3:]))
    assert code == 65 and said.startswith(f"trestle: {path}:3: revision 6 does not fit")
    code, said = replayed("".join(lines[:3]) + "{}\n" + lines[3])
    assert code == 65 and f"{path}:4: no line of a session" in said
    assert replayed("".join(lines[:-1]) + lines[-1][:40]) == (0, "")
    assert replayed("hello\n")[0] == 65
    assert replayed("")[0] == 65
    # Only a daemon with a virtual clock comes to the same digests.
    code, said = replayed(text, "--into", daemon.endpoint, "--to", "copy")
    assert code == 1 and "Start it with --virtual-clock" in said


def test_a_pipe_is_a_file(daemon):
    path = small_session(daemon)
    out = daemon.ok("replay", "-", "--speed", "0", stdin=path.read_bytes())
    assert out.count("\n") == 4
    done = daemon.run("record", "board", "-", "--timeout", "0.5")
    assert done.returncode == 0 and done.stdout.count(b"\n") == 2
    assert daemon.run("record", "board", "/nowhere/x", "--timeout", "2").returncode == 73
    assert daemon.run("record", "board", "x", "--count", "1", "--timeout", "0.5").returncode == 75
    assert daemon.run("record", "nothing", "x").returncode == 66
