"""Nothing of a table reaches who may not read it, by tcp and by tcp with CURVE, of either socket (test_guests: by ipc)."""

import json
import os
import threading
import time

import pytest
import zmq

from tampering_proxy import TamperingProxy
from harness import HEADER
from background_load import SECRET, all_topics, use_secret_table
from test_curve import Site, free_ports
from trestle_client import encode

ABSENT = "x" * len(SECRET)
GUESTS = f"""
  - users: [root, {os.getuid()}]
    roles: [admin]
  - keys: [anna]
    roles: [admin]
  - keys: [bert]
    tables: [board]
    roles: [viewer, operator]
"""
# Everybody: those with keys too.
ANYBODY = """  - anybody: true
    tables: [board]
    roles: [viewer]
"""


class Sniffed(Site):
    """A daemon with an open tcp pair too, and keys of three: anna may all, bert knows one table, carl none."""

    def __init__(self, daemon, guests):
        self.plain, self.plain_publish = free_ports()
        super().__init__(daemon, guests=guests, more=f"""  - request: tcp://127.0.0.1:{self.plain}
    publish: tcp://127.0.0.1:{self.plain_publish}
""")
        self.pairs = {"anna": (self.public, self.secret)}
        for name in ("bert", "carl"):
            self.pairs[name] = zmq.curve_keypair()
            assert self.keys("add", name, self.pairs[name][0].decode()).returncode == 0
        time.sleep(0.6)  # the daemon looks at its list four times a second

    def connect(self, who, kind, port=None):
        """A socket of the holder of a key, or of somebody without one."""
        if who:
            return self.link(*self.pairs[who], kind=kind, port=port)
        made = zmq.Context.instance().socket(kind)
        made.linger = 0
        made.connect(f"tcp://127.0.0.1:{port or (self.plain if kind == zmq.DEALER else self.plain_publish)}")
        return made


@pytest.fixture(params=["bert", "carl", None])
def who(request):
    return request.param


@pytest.fixture
def sniffed(make_daemon, who):
    site = Sniffed(make_daemon(start=False), GUESTS + ("" if who else ANYBODY))
    assert site.daemon.ask("create", {}, SECRET)["ok"]
    yield site
    assert site.daemon.alive(), site.daemon.tail()


class Line(threading.Thread):
    """All that goes over one connection."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.proxy = TamperingProxy(("127.0.0.1", port))
        self.start()

    def run(self):
        self.proxy.pass_on(3)

    @property
    def heard(self):
        return bytes(self.proxy.heard["daemon"])


def test_publish_socket(sniffed, who):
    """By every topic that there is, in both forms: not its news, leases, viewers, heartbeats."""
    line = Line(sniffed.publish if who else sniffed.plain_publish)
    viewer = sniffed.connect(who, zmq.SUB, line.proxy.port)
    may = sniffed.connect("anna", zmq.SUB)
    for topic in all_topics(SECRET):
        viewer.subscribe(topic)
        may.subscribe(topic)
    time.sleep(0.7)
    use_secret_table(sniffed.daemon, SECRET, 1)
    # Of a table that may be read, with none of the secret's words.
    sniffed.daemon.do("board", add={"id": "seen"})
    time.sleep(1.2)
    heard = {socket: [] for socket in (viewer, may)}
    for socket, messages in heard.items():
        while socket.poll(0):
            messages.append(b" ".join(socket.recv_multipart()))
    assert any(SECRET.encode() in one for one in heard[may]), "who may hears nothing either"
    assert not [one for one in heard[viewer] if SECRET.encode() in one]
    # On the line there is nothing either that its library would have passed over.
    assert SECRET.encode() not in line.heard
    if who == "carl":
        assert heard[viewer] == []
        # Not even sizes: READY, then pings and pongs of libzmq, which are as long as ever.
        assert len(line.heard) < 1_000, len(line.heard)
    else:
        assert any(b"board/" in one for one in heard[viewer])
        assert who or b"board/" in line.heard


def questions(table):
    history = {"history": "0" * 32}
    verbs = [
        {"kinds": {}}, {"snapshot": {}}, {"snapshot": {"id": "a", "chunk": 1}}, {"who": {}}, {"history": {}},
        {"replay": history | {"since": 0}}, {"offer": history | {"revision": 1, "digest": "0" * 16}},
        {"rewind": history | {"since": 1, "to": 0}}, {"attend": {"revision": 0}}, {"renew": {}}, {"create": {}},
        {"drop": {}}, {"command": {"remove": {"rows": ["r"]}}}, {"command": {"undo": {}}},
        {"batch": {"commands": [{"remove": {"rows": ["r"]}}]}}, {"drag": {"lift": {"rows": ["r"]}}},
        {"explain": {"create": {}}}, {"explain": {"command": {"remove": {"rows": ["r"]}}}}, {"query": {}}]
    about_all = [{verb: {}} for verb in ("tables", "stats", "health", "audit", "check")] + [{"backup": {}}]
    return [{"table": table, "client": "q", "number": 1 + n} | verb for n, verb in enumerate(verbs)] + about_all


def test_request_socket(sniffed, who):
    """Every request about it is answered as if it were not there, in as many bytes."""
    use_secret_table(sniffed.daemon, SECRET, 0.3)
    line = Line(sniffed.port if who else sniffed.plain)
    link = sniffed.connect(who, zmq.DEALER, line.proxy.port)

    def answers(table):
        said = []
        for question in questions(table):
            link.send_multipart([b"", HEADER, encode(question)])
            assert link.poll(10_000), question
            said.append(link.recv_multipart()[-1])
        return said

    there, absent = answers(SECRET), answers(ABSENT)
    about_it = len(questions(SECRET)) - 6
    for question, a, b in zip(questions(SECRET)[:about_it], there, absent):
        assert json.loads(a)["error"]["code"] == "notAllowed", (question, a)
        assert a.replace(SECRET.encode(), ABSENT.encode()) == b, question
    for question, answer in zip(questions(SECRET)[about_it:], there[about_it:]):
        assert SECRET.encode() not in answer, (question, answer)
    names = [one["table"] for one in json.loads(there[about_it])["tables"].get("tables", [])]
    assert names == ([] if who == "carl" else ["board"])
    if who:
        assert SECRET.encode() not in line.heard and b"notAllowed" not in line.heard
