"""The viewer, the conversation and the vectors that docs/PROTOCOL.md prints are what it says.

After a change of the protocol, `TRANSCRIPT=write` writes the conversation anew, as it is now.
"""

import importlib.util
import json
import os
import pathlib
import re
import sys
import time

import pytest
import zmq

from harness import HEADER, Mix, eventually
from trestle_table import hash_of, invocation_hash, row_hash, sequence

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "PROTOCOL.md"
ARROWS = {"→": "send", "←": "receive"}


def block(start):
    """The indented block that begins with this line, as it would be typed."""
    lines = PAGE.read_text().split("\n")
    first = lines.index("    " + start)
    end = next(n for n in range(first, len(lines)) if lines[n].strip() and not lines[n].startswith("    "))
    return "\n".join(line[4:] for line in lines[first:end]).rstrip() + "\n"


@pytest.fixture
def program(tmp_path):
    """The listings, as files."""
    (tmp_path / "short.py").write_text(block("import json, random, sys, time, zmq"))
    (tmp_path / "viewer.py").write_text(block("import itertools, json, random, sys, time, zmq"))
    (tmp_path / "digest.py").write_text(block("import struct"))
    return tmp_path / "viewer.py"


# ------------------------------------------------------------------------------------- the viewer


def shown(process):
    """[[word, revision, row, …], …]"""
    return [line.split() for line in process.path.read_text().split("\n") if line]


def order(daemon, table):
    """What the viewer should show last."""
    reply = daemon.ask("snapshot", {}, table)
    assert reply["snapshot"]["chunks"] == 1
    rows = [row["id"] for part in reply["snapshot"]["slices"] for row in part.get("rows", [])]
    return str(reply["revision"]), rows


def caught_up(daemon, viewer, table):
    """The viewer's last line is the daemon's table."""
    revision, rows = order(daemon, table)
    last = (shown(viewer) or [["nothing", "-"]])[-1]
    return last == ["live", revision, *rows]


@pytest.mark.bound(120)
def test_the_viewer_follows_random_commands_and_a_restart(daemon, program):
    daemon.ask("create", {}, "board")
    viewer = daemon.beside_it([sys.executable, program, daemon.endpoint, "board"], "viewer")
    mix = Mix("page", 0, 1, limit=60)

    def act(count):
        for _ in range(count):
            daemon.ask(*mix.next(), "board")
        eventually(lambda: caught_up(daemon, viewer, "board"), 15)

    act(150)
    daemon.kill()
    eventually(lambda: shown(viewer)[-1][0] == "stale", 15)
    daemon.start()
    eventually(lambda: "same" in [line[0] for line in shown(viewer)], 15)
    act(100)
    # None goes back.
    live = [int(line[1]) for line in shown(viewer) if line[0] == "live"]
    assert live == sorted(live)
    daemon.ask("drop", {}, "board")
    eventually(lambda: shown(viewer)[-1][0] == "absent", 15)
    daemon.ask("create", {}, "board")
    daemon.do("board", add={"id": "anew"})
    eventually(lambda: shown(viewer)[-1] == ["live", "1", "anew"], 15)
    assert viewer.poll() is None


@pytest.mark.bound(60)
def test_the_viewer_applies_moves_itself(daemon, program):
    """Inserts, removals and moves need no snapshot: it is right by its own digest."""
    daemon.ask("create", {}, "board")
    viewer = daemon.beside_it([sys.executable, program, daemon.endpoint, "board"], "viewer")
    for n in range(8):
        daemon.do("board", add={"id": f"r{n}", "section": "main"})
    eventually(lambda: caught_up(daemon, viewer, "board"), 15)
    before = daemon.stats()["counters"]["requests_snapshot"]
    for n in range(40):
        daemon.do("board", move={"rows": [f"r{n % 5}", f"r{5 + n % 3}"], "after": f"r{(n + 1) % 5}"})
    daemon.do("board", remove={"rows": ["r3"]})
    daemon.do("board", add={"id": "new", "after": "r4"})
    revision = str(daemon.tables()["board"]["revision"])
    eventually(lambda: shown(viewer)[-1][:2] == ["live", revision], 15)
    assert daemon.stats()["counters"]["requests_snapshot"] == before
    rows = [row["id"] for part in daemon.ask("snapshot", {}, "board")["snapshot"]["slices"]
            for row in part["rows"]]
    assert shown(viewer)[-1][2:] == rows


@pytest.mark.bound(60)
@pytest.mark.parametrize("name", ["viewer.py", "short.py"])
def test_sections_are_shown_one_after_the_other(daemon, program, name):
    """Also when a row comes to the top of one that is not the first."""
    daemon.ask("create", {}, "board")
    for id, section in (("c", "main"), ("a", "main"), ("b", "z"), ("d", "z")):
        daemon.do("board", add={"id": id, "section": section})
    viewer = daemon.beside_it([sys.executable, program.with_name(name), daemon.endpoint, "board"], name)

    def is_shown(*rows):
        return shown(viewer)[-1:] and shown(viewer)[-1][-4:] == list(rows)

    eventually(lambda: is_shown("c", "a", "b", "d"), 15)
    daemon.do("board", move={"rows": ["d"], "section": "z", "top": True})
    eventually(lambda: is_shown("c", "a", "d", "b"), 15)
    daemon.do("board", move={"rows": ["c"], "section": "z", "top": True})
    eventually(lambda: is_shown("a", "c", "d", "b"), 15)


@pytest.mark.bound(120)
def test_the_shortest_viewer(daemon, program):
    """Random commands, a kill and a restart, and the end of the table."""
    daemon.ask("create", {}, "board")
    short = program.with_name("short.py")
    viewer = daemon.beside_it([sys.executable, short, daemon.endpoint, "board"], "short")
    mix = Mix("page", 0, 1, limit=60)

    def is_shown():
        return (shown(viewer) or [["nothing"]])[-1] == order(daemon, "board")[1]

    def act(count):
        for _ in range(count):
            daemon.ask(*mix.next(), "board")
        eventually(is_shown, 15)

    act(60)
    daemon.kill()
    eventually(lambda: shown(viewer)[-1] == ["stale"], 15)
    daemon.start()
    act(60)
    daemon.ask("drop", {}, "board")
    eventually(lambda: shown(viewer)[-1] == ["absent"], 15)
    daemon.ask("create", {}, "board")
    daemon.do("board", add={"id": "anew"})
    eventually(lambda: shown(viewer)[-1] == ["anew"], 15)
    assert viewer.poll() is None


class Counterfeit:
    """A daemon of two sockets, which says what the test wants."""

    def __init__(self, directory, history="ab" * 16, epoch="cd" * 16):
        context = zmq.Context.instance()
        self.endpoints = [f"ipc://{directory}/{name}" for name in ("r", "p")]
        self.requests, self.news = context.socket(zmq.ROUTER), context.socket(zmq.XPUB)
        for socket, endpoint in zip((self.requests, self.news), self.endpoints):
            socket.linger = 0
            socket.bind(endpoint)
        self.state = {"table": "board", "history": history, "epoch": epoch}
        self.asked, self.now = [], {}  # `now`: what is other in replies

    def publish(self, **more):
        self.news.send_multipart([b"j/board/", json.dumps(self.state | more).encode()])

    def serve(self, seconds, snapshot):
        """Answers for so long; what was asked is in `asked`."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if self.requests.poll(1000 * left):
                peer, *_, body = self.requests.recv_multipart()
                verb = next(key for key in json.loads(body) if key not in ("table",))
                self.asked.append(verb)
                answer = {"hello": {"hello": {"publish": [self.endpoints[1]], "heartbeatMs": 1000}},
                          "offer": {"standing": {"relation": "same"}}}.get(verb, {"snapshot": snapshot})
                reply = json.dumps({"ok": True} | self.state | answer | self.now).encode()
                self.requests.send_multipart([peer, HEADER, reply])

    def close(self):
        self.requests.close()
        self.news.close()


@pytest.mark.bound(60)
def test_the_viewer_finds_what_is_wrong(make_daemon, program):
    """Against a daemon that lies: another digest, in a diff and in a heartbeat, means a snapshot."""
    daemon = make_daemon(start=False)  # for its directory, and to end the viewer
    daemon.log.touch()
    fake = Counterfeit(daemon.directory)
    try:
        empty = {"id": "s", "revision": 4, "digest": "14d24eb6952b1359", "chunk": 0, "chunks": 1,
                 "kinds": [{"id": "row", "digest": "561a9447a7952773"}],
                 "settings": {"digest": "f33a72af52251878"}}
        head = {"revision": 4, "digest": empty["digest"], "oldest": 0}
        viewer = daemon.beside_it([sys.executable, program, fake.endpoints[0], "board"], "viewer")

        def after(seconds=1.2, **news):
            fake.asked.clear()
            fake.publish(**news)
            fake.serve(seconds, empty)
            return fake.asked.count("snapshot")

        fake.serve(1.5, empty)
        assert after(welcome=head) == 1 and shown(viewer)[-1] == ["live", "4"]
        assert after(heartbeat=head) == 0
        wrong = {"base": 4, "digest": "0" * 16, "cause": {}, "ops": []}
        assert after(diffs=[wrong]) == 1
        assert after(diffs=[wrong | {"base": 3}]) == 0, "it is in the snapshot already"
        assert after(diffs=[wrong | {"base": 5, "digest": empty["digest"]}]) == 1, "a gap"
        assert after(heartbeat=head | {"digest": "1" * 16}) == 1
        assert after(heartbeat=head | {"revision": 5}) == 1, "a gap"
        assert after(heartbeat=head | {"revision": 3, "digest": "1" * 16}) == 0, "it is old"
        fake.serve(3.5, empty)
        assert shown(viewer)[-1][0] == "stale"
        assert viewer.poll() is None
    finally:
        fake.close()


@pytest.mark.bound(60)
def test_a_restart_takes_one_snapshot_at_most(make_daemon, program):
    """Of each publication that was still on its way it took one: 717 for six restarts."""
    daemon = make_daemon(start=False)
    daemon.log.touch()
    fake = Counterfeit(daemon.directory)
    try:
        empty = {"id": "s", "revision": 4, "digest": "14d24eb6952b1359", "chunk": 0, "chunks": 1,
                 "kinds": [{"id": "row", "digest": "561a9447a7952773"}],
                 "settings": {"digest": "f33a72af52251878"}}
        head = {"revision": 4, "digest": empty["digest"], "oldest": 0}
        viewer = daemon.beside_it([sys.executable, program, fake.endpoints[0], "board"], "viewer")
        fake.serve(1.5, empty)
        fake.publish(welcome=head)
        fake.serve(1, empty)
        assert fake.asked.count("snapshot") == 1
        # A gap, and the snapshot comes from the daemon that was started meanwhile: the rest is of the one before.
        before, fake.now = fake.state, {"epoch": "ef" * 16}
        for base in range(5, 60):
            fake.publish(diffs=[{"base": base, "digest": "0" * 16, "cause": {}, "ops": []}])
        fake.state = before | fake.now
        fake.publish(heartbeat=head)
        fake.serve(2, empty)
        assert fake.asked.count("snapshot") == 2 and "offer" not in fake.asked
        # In quiet it is the same table after a restart: there is nothing to take.
        fake.state, fake.now = before | {"epoch": "01" * 16}, {}
        fake.publish(heartbeat=head)
        fake.serve(1, empty)
        assert fake.asked.count("snapshot") == 2 and fake.asked.count("offer") == 1
        # A history that was left is passed over too.
        before, fake.state = fake.state, fake.state | {"history": "23" * 16}
        fake.publish(welcome=head)
        fake.serve(1, empty)
        fake.state = before
        for base in range(4, 30):
            fake.publish(diffs=[{"base": base, "digest": "0" * 16, "cause": {}, "ops": []}])
        fake.state = before | {"history": "23" * 16}
        fake.serve(1, empty)
        assert fake.asked.count("snapshot") == 3 and shown(viewer)[-1] == ["live", "4"]
        assert viewer.poll() is None
    finally:
        fake.close()


# ------------------------------------------------------------------------------- the conversation


def conversation(text):
    """[(socket, "send" | "receive", [frame, …]), …] in the page's order."""
    part = text.split("### A conversation", 1)[1].split("\n### ", 1)[0]
    found = []
    for line in part.split("\n"):
        if not line.startswith("    "):
            continue
        start = re.match(r"    (DEALER|SUB   |      ) ([→←]) (.*)", line)
        if not start:
            if "subscribes" not in line:
                found[-1][2][-1] += line.strip()
        elif start[1].strip():
            found.append((start[1].strip(), ARROWS[start[2]], [start[3]]))
        else:
            found[-1][2].append(start[3])
    return found


class Played:
    """The page's requests, to a daemon that is as the page says; what it said in their place."""

    def __init__(self, daemon):
        self.daemon, self.names = daemon, {}
        context = zmq.Context.instance()
        self.sub, self.dealer = context.socket(zmq.SUB), context.socket(zmq.DEALER)
        self.sub.linger = self.dealer.linger = 0
        self.sub.connect(daemon.hello["publish"][0])
        self.dealer.connect(daemon.endpoint)

    def ask(self, frames, at):
        body = json.loads(frames[-1]) | {"atMs": at}
        for theirs, ours in self.names.items():
            body = json.loads(json.dumps(body).replace(theirs, ours))
        self.dealer.send_multipart([frames[0].encode(), json.dumps(body).encode()])

    def hear(self, socket, like):
        """The next message; of publications, the next of this sort."""
        end = time.monotonic() + 10
        while True:
            assert socket.poll(1000 * max(0, end - time.monotonic())), f"nothing came like {like}"
            frames = [frame.decode() for frame in socket.recv_multipart()]
            if socket is self.dealer or list(json.loads(frames[1])) == list(json.loads(like[1])):
                return frames

    def translate(self, theirs, ours):
        """What is drawn by lot, and where sockets are, by the page's names."""
        for one, other in zip(re.findall(r"\b[0-9a-f]{32}\b", theirs),
                              re.findall(r"\b[0-9a-f]{32}\b", ours)):
            assert self.names.setdefault(one, other) == other, f"{one} is not one thing"
        for one, other in self.names.items():
            ours = ours.replace(other, one)
        return ours.replace(self.daemon.hello["publish"][0], "ipc:///run/trestle/publish.sock")

    def close(self):
        self.sub.close()
        self.dealer.close()


def broken(frame, head):
    """A frame in lines, as the page has it."""
    lines, line = [], ""
    for piece in re.split(r'(?<=,)(?=["{])', frame):
        if len(line) + len(piece) > 84:
            lines.append(line)
            line = ""
        line += piece
    return head + ("\n" + " " * len(head)).join([*lines, line])


def drawn(socket, frames):
    """A message that was received, as the page has it."""
    return "\n".join(broken(frame, f"    {' ' * 6 if n else socket.ljust(6)} ← ")
                     for n, frame in enumerate(frames))


@pytest.mark.bound(60)
def test_the_conversation_is_real(make_daemon):
    daemon = make_daemon(start=False)
    daemon.flags = ["--virtual-clock"]
    daemon.start()
    text = PAGE.read_text()
    at = int(re.search(r'"createdMs":(\d+)', text.split("### A conversation", 1)[1])[1])
    daemon.ask("create", {}, "board")
    played = Played(daemon)
    try:
        for id, title in (("t41", "Soup"), ("t42", "Tea")):
            add = {"table": "board", "command": {"add": {"id": id, "title": title}}}
            played.ask([HEADER.decode(), json.dumps(add)], at)
            assert json.loads(played.hear(played.dealer, None)[-1])["ok"]
        played.sub.subscribe(b"j/board/")
        steps = conversation(text)
        assert len(steps) == 13 and {socket for socket, *_ in steps} == {"DEALER", "SUB"}
        for socket, way, frames in steps:
            if way == "send":
                played.ask(frames, at)
                continue
            said = played.hear(played.dealer if socket == "DEALER" else played.sub, frames)
            said = [played.translate(theirs, ours) for theirs, ours in zip(frames, said)]
            # Whoever runs the test.
            said = [re.sub(r'("user":")[^"]*', r"\1ada", frame) for frame in said]
            # A heartbeat is sent when it is due.
            said = [re.sub(r'("timeMs":)\d+(,"heartbeat")', r"\g<1>1763715601000\2", frame) for frame in said]
            if os.environ.get("TRANSCRIPT") == "write":
                old = drawn(socket, frames)
                assert old in text, f"the page does not break lines like this:\n{old}"
                text = text.replace(old, drawn(socket, said))
            else:
                assert said == frames
    finally:
        played.close()
    if os.environ.get("TRANSCRIPT") == "write":
        PAGE.write_text(text)


# ------------------------------------------------------------------------------------ the vectors


def vectors():
    """[(number, what, of what, value), …]"""
    part = PAGE.read_text().split("### Vectors", 1)[1].split("\n## ", 1)[0]
    text = "".join(re.sub(r"^ {4}", "\n" if line[4:8].strip() else "", line).strip(" ")
                   for line in part.split("\n") if line.startswith("    "))
    found = re.findall(r"^\s*(\d+)\s+(\w+)\s+(.*) = ([0-9a-f]{16})$", text, re.M)
    return [(int(number), what, json.loads(of), value) for number, what, of, value in found]


def number(text):
    return int(text, 16)


# By the Python client's own functions.
BY_CLIENT = {
    "hash": lambda of: hash_of(*of),
    "sequence": sequence,
    "row": row_hash,
    "section": lambda of: hash_of(of["id"], of["title"], len(of["rows"]),
                                  sequence(map(number, of["rows"]))),
    "definitions": lambda of: hash_of(
        number(of["settings"]), len(of["kinds"]),
        *[part for id, digest in sorted(of["kinds"].items()) for part in (id, number(digest))]),
    "table": lambda of: hash_of(
        len(of["sections"]), sequence(map(number, of["sections"])), number(of["definitions"]),
        "editing", "invocations", len(of["invocations"]),
        sum(map(invocation_hash, of["invocations"])) % 2**64),
}


def test_there_are_ten_vectors():
    assert [number for number, *_ in vectors()] == list(range(1, 11))
    assert {what for _, what, *_ in vectors()} == set(BY_CLIENT)


@pytest.mark.parametrize("number, what, of, value", vectors(), ids=str)
def test_a_vector_by_the_client(number, what, of, value):
    assert f"{BY_CLIENT[what](of):016x}" == value


def test_the_vectors_by_the_page(program):
    """The page's own function, on the tables that the vectors make and on one from a daemon."""
    spec = importlib.util.spec_from_file_location("page_digest", program.parent / "digest.py")
    page = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(page)
    by_number = {number: (of, value) for number, _, of, value in vectors()}
    rows = [by_number[n][0] for n in (4, 5, 6, 7)]
    for n, row in zip((4, 5, 6, 7), rows):
        assert f"{page.row_hash(row):016x}" == by_number[n][1]
    section, of_section = by_number[8]
    assert section["rows"] == [by_number[4][1], by_number[5][1]]
    assert f"{page.section_hash('grill', 'grill', rows[:2]):016x}" == of_section
    definitions, table = by_number[9][0], by_number[10]
    whole = {
        "titles": {"grill": "grill", "main": "main"}, "editing": True,
        "order": [row | {"section": name}
                  for row, name in zip(rows, ("grill", "grill", "main", "main"))],
        "settings": {"digest": definitions["settings"]},
        "kinds": [{"id": id, "digest": digest} for id, digest in definitions["kinds"].items()],
        "invocations": table[0]["invocations"]}
    assert page.digest(whole) == table[1]
    rows[0]["title"] = "Tea"
    assert page.digest(whole | {"order": [rows[0] | {"section": "grill"}]}) != table[1]
