"""`record` and `replay`: what happened once happens again, to the same digests."""

import json
import random
import shutil
import signal
import tempfile
import time

import pytest
import zmq
from cli_daemon import Daemon

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


def recording(daemon, *more):
    process = daemon.open("record", "board", "board.session", *more)
    end = time.monotonic() + 10
    path = daemon.directory / "board.session"
    while not (path.exists() and path.read_bytes().count(b"\n") >= 2):
        assert time.monotonic() < end and process.poll() is None, process.stderr.read()
        time.sleep(0.05)
    return process


def stop(process, count=None):
    if count is None:
        process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (0, b"")
    return out.decode()


def head(daemon):
    return json.loads(daemon.ok("-o", "json", "tables"))["tables"][0]


class Writer:
    """Random commands, many under way, some in a handler's name."""

    def __init__(self, daemon, seed):
        self.random = random.Random(seed)
        self.context = zmq.Context()
        self.socket = self.context.socket(zmq.DEALER)
        self.socket.connect(daemon.endpoint)
        self.rows = [f"r{number}" for number in range(60)]
        self.number = 0
        self.changed = 0
        self.waiting = 0
        self.opened = json.loads(daemon.ok("rpc", '{"hello":{}}'))["hello"].get("opened", 0)

    def command(self):
        pick = self.random.choice
        row, other = pick(self.rows), pick(self.rows)
        section = pick(["grill", "fry", "pass"])
        return self.random.choices([
            {"add": {"id": row, "title": f"Row {self.number}", "kind": pick(["ticket", "row"]),
                     "section": section, "fields": {"qty": str(self.number)}}},
            {"remove": {"rows": [row]}},
            {"move": {"rows": [row], "after": other}},
            {"move": {"rows": [row, other], "section": section, "bottom": True}},
            {"set": {"row": row, "title": f"Title {self.number} é\u202e", "unset": ["late"]}},
            {"swap": {"a": row, "b": other}},
            {"swipe": {"row": row, "edge": pick(["leading", "trailing", "closed"])}},
            {"expand": {"row": row, "toggle": True}},
            {"expand": {"row": row, "to": "77.5"}},
            {"act": {"row": row, "action": pick(["bump", "late", "page"])}},
            {"select": {"row": row}},
            {"take": {"action": "page"}},
            {"section": {"id": section, "title": f"Section {self.number}"}},
            {"expandAll": {"open": pick([True, False])}},
        ], [20, 6, 12, 4, 20, 4, 8, 8, 4, 10, 2, 2, 1, 0.2])[0]

    def send(self, verb):
        self.number += 1
        body = {"client": "handler", "number": self.number, "opened": self.opened,
                "table": "board", **verb}
        self.socket.send_multipart([b"", b"trestle/1 json", json.dumps(body).encode()])
        self.waiting += 1
        while self.waiting > 32:
            self.receive()

    def receive(self):
        assert self.socket.poll(20000)
        reply = json.loads(self.socket.recv_multipart()[-1])
        self.waiting -= 1
        if reply["ok"] and not reply.get("unchanged"):
            self.changed += 1
        for invocation in reply.get("invocations", []):
            if invocation.get("holder") == "handler" and self.random.random() < 0.8:
                outcome = self.random.choice([{"done": True}, {"failed": "nobody there"}])
                self.send({"command": {"finish": {"invocation": invocation["id"], **outcome}}})

    def run(self, commands):
        while self.number < commands:
            if self.random.random() < 0.05:
                batch = [self.command() for _ in range(self.random.randrange(1, 4))]
                self.send({"batch": {"commands": batch}})
            else:
                self.send({"command": self.command()})
        while self.waiting:
            self.receive()
        self.socket.close()
        self.context.term()


def test_ten_thousand_commands_come_to_the_same_digest(daemon, fresh):
    daemon.ok("create", "board")
    process = recording(daemon)
    daemon.ok("define", "board", "-", stdin=KINDS.encode())
    writer = Writer(daemon, 7)
    writer.run(10_000)
    daemon.ok("wait", "board", "--until", f"revision >= {head(daemon)['revision']}")
    time.sleep(1)
    assert f"{writer.changed + 1} revisions" in stop(process)
    recorded = head(daemon)
    assert recorded["revision"] == writer.changed + 1 > 3_000
    path = str(daemon.directory / "board.session")
    # To look at: no daemon, every digest held against the table's.
    lines = fresh.ok("replay", path, "--speed", "0").splitlines()
    assert json.loads(lines[-1])["digest"] == recorded["digest"]
    assert len(lines) == writer.changed + 2
    # Carried out by a fresh daemon, and compared after each revision.
    began = time.monotonic()
    said = json.loads(fresh.ok("-o", "json", "replay", path, "--into", fresh.endpoint))
    print(f"{said['replayed']} in {time.monotonic() - began:.1f} s")
    assert said["replayed"]["digest"] == recorded["digest"]
    found = head(fresh)
    assert (found["digest"], found["revision"]) == (recorded["digest"], recorded["revision"])


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
    fresh.ok("replay", str(path), "--into", fresh.endpoint, "--as", "copy")
    assert head(fresh)["digest"] == head(daemon)["digest"]
    assert head(fresh)["table"] == "copy"
    again = fresh.run("replay", str(path), "--into", fresh.endpoint, "--as", "copy")
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
    code, said = replayed(text, "--into", daemon.endpoint, "--as", "copy")
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
