"""Sockets: CURVE, several endpoints, requests that cannot be read, messages that are too large."""

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import zmq
from daemon import Daemon
from test_follower import FIRST, HEAD, STATE

import trestle
import trestle.aio
from trestle.transport import Options, endpoints_of, publish_endpoint
from trestle.wire import BEHALF_HEADER, HEADER, Behalf, request_frames


class Played(threading.Thread):
    """A daemon in the test's own process, with CURVE if it has keys."""

    def __init__(self, directory: Path, curve: tuple[bytes, bytes] | None) -> None:
        super().__init__(daemon=True)
        self.endpoint, self.publish = f"ipc://{directory}/r", f"ipc://{directory}/p"
        self._context: zmq.Context[Any] = zmq.Context()
        self._over, self._curve = threading.Event(), curve
        self.verbs: list[str] = []

    def run(self) -> None:
        requests: zmq.Socket[Any] = self._context.socket(zmq.ROUTER)
        news: zmq.Socket[Any] = self._context.socket(zmq.XPUB)
        for socket, endpoint in ((requests, self.endpoint), (news, self.publish)):
            socket.setsockopt(zmq.LINGER, 0)
            if self._curve:
                socket.setsockopt(zmq.CURVE_SERVER, 1)
                socket.setsockopt(zmq.CURVE_SECRETKEY, self._curve[1])
            socket.bind(endpoint)
        while not self._over.is_set():
            if requests.poll(10):
                peer, *_, body = requests.recv_multipart()
                if reply := self.reply(json.loads(body)):
                    requests.send_multipart([peer, b"", HEADER, json.dumps(reply).encode()])
            while news.poll(0):
                if news.recv()[:1] == b"\1":
                    news.send_multipart([b"j/board/", json.dumps(STATE | {"welcome": HEAD}).encode()])
        requests.close()
        news.close()
        self._context.term()

    def reply(self, request: Any) -> Any:
        """What it says; None: nothing."""
        verb, = {"hello", "snapshot", "tables"} & set(request)
        self.verbs.append(verb)
        answer = {"hello": {"publish": [self.publish], "opened": 1}, "snapshot": FIRST, "tables": {}}[verb]
        return {"ok": True, **STATE, "client": request["client"], "number": request["number"], verb: answer}

    def close(self) -> None:
        """Ends it."""
        self._over.set()
        self.join()


@pytest.fixture
def curve(tmp_path: Path) -> Iterator[tuple[Played, bytes]]:
    """A daemon with CURVE, and its public key."""
    public, secret = zmq.curve_keypair()
    played = Played(tmp_path, (public, secret))
    played.start()
    yield played, public
    played.close()


def test_curve(curve: tuple[Played, bytes]) -> None:
    played, key = curve
    with trestle.connect(played.endpoint, curve=trestle.Curve.new(key)) as client, client.follow("board") as viewer:
        assert client.tables().revision == 0
        assert viewer.joined().revision == 4 and viewer.freshness() == "live"

    async def program() -> None:
        async with trestle.aio.connect(played.endpoint, curve=trestle.Curve.new(key)) as client:
            with client.follow("board") as viewer:
                assert (await viewer.joined()).revision == 4

    asyncio.run(program())
    assert "secret" not in repr(trestle.Curve.new(key))


def test_curve_with_another_key_or_none(curve: tuple[Played, bytes]) -> None:
    played, _ = curve
    other, _ = zmq.curve_keypair()
    for keys in (None, trestle.Curve.new(other)):
        with trestle.connect(played.endpoint, curve=keys, timeout=0.5) as client:
            with pytest.raises(trestle.NoAnswer):
                client.tables()
    assert played.verbs == []


def test_publications_come_by_the_transport_of_the_requests() -> None:
    offered = ["ipc:///p", "tcp://127.0.0.1:2"]
    assert publish_endpoint(Options(), "tcp://127.0.0.1:1", offered) == offered[1]
    assert publish_endpoint(Options(), "ipc:///r", offered) == offered[0]
    assert publish_endpoint(Options(), "inproc://r", offered) == offered[0]
    assert publish_endpoint(Options(publish="ipc:///x"), "ipc:///r", offered) == "ipc:///x"
    assert publish_endpoint(Options(), "ipc:///r", []) is None


def test_endpoints_as_people_write_them(monkeypatch: pytest.MonkeyPatch) -> None:
    assert endpoints_of("ipc:///a, ipc:///b", "tcp://h:1") == ("ipc:///a", "ipc:///b", "tcp://h:1")
    monkeypatch.setenv("TRESTLE_ENDPOINT", "ipc:///c,ipc:///d")
    assert endpoints_of() == ("ipc:///c", "ipc:///d")
    for connect in (trestle.connect, trestle.aio.connect):
        for wrong in ("", "foo", "foo://bar", "tcp://nowhere"):
            with pytest.raises(ValueError, match=f"'{wrong}' is no endpoint"):
                connect(wrong)
        with pytest.raises(ValueError, match="'foo' is no endpoint"):
            connect("ipc:///a,foo")


def test_several_endpoints(daemon: Daemon) -> None:
    """The first is nobody's, and the others end one after another: what is under way goes on, once."""
    daemon.kill()
    paths = [f"{daemon.directory}/{name}" for name in ("request.sock", "publish.sock", "r2", "p2")]
    daemon.config.write_text("endpoints:\n" + "".join(
        f"  - request: ipc://{request}\n    publish: ipc://{publish}\n"
        for request, publish in (paths[:2], paths[2:])))
    daemon.start()
    endpoints = [f"ipc://{daemon.directory}/nobody", daemon.endpoint, f"ipc://{paths[2]}"]
    with trestle.connect(*endpoints, patience=0.2, failover=0.3) as client:
        board = client.board("board")
        begin = time.monotonic()
        board.create()
        assert time.monotonic() - begin < 5 and client.engine.endpoint == daemon.endpoint
        with client.follow("board") as viewer:
            viewer.joined()
            Path(paths[0]).rename(paths[0] + ".away")  # those who are connected stay; nobody else comes
            daemon.kill()
            daemon.start(wait=False)
            Path(paths[0]).unlink(missing_ok=True)
            board.add("Soup", id="once")
            assert viewer.until(lambda table: "once" in table).revision == 1
        assert len(client.read("board")) == 1


class Member(Played):
    """One of the daemons of a service. `writers`: they write, and it does not."""

    def __init__(self, directory: Path) -> None:
        directory.mkdir()
        super().__init__(directory, None)
        self.writers: list[str] = []
        self.busy_until = 0.0
        self.health: Any = {}

    def reply(self, request: Any) -> Any:
        """`hello` and `health` are always answered, the others when it is not busy."""
        named = {"ok": True, "epoch": "e1", "client": request["client"], "number": request["number"]}
        if "hello" in request:
            return named | {"hello": {"publish": [self.publish], "opened": 1, "limits": {"repliesPerSession": 8}}}
        if "health" in request:
            return named | {"health": self.health}
        self.verbs += {"command", "tables"} & set(request)
        if time.monotonic() < self.busy_until:
            return None
        error = {"code": "notLeader", "message": "so", "endpoints": self.writers}
        return named | ({"ok": False, "error": error} if self.writers else {"tables": {}})


@pytest.fixture
def members(tmp_path: Path) -> Iterator[list[Member]]:
    """Two daemons that are one service."""
    both = [Member(tmp_path / "1"), Member(tmp_path / "2")]
    for member in both:
        member.start()
    yield both
    for member in both:
        member.close()


def service(members: list[Member]) -> trestle.Client:
    """A client of both, the first one first."""
    return trestle.connect(*(member.endpoint for member in members), patience=0.5, failover=2.0)


def test_where_a_connection_ends_the_next_is_taken_at_once(members: list[Member]) -> None:
    """It is not waited for `failover`, nor until it is time to send again."""
    with trestle.connect(*(member.endpoint for member in members), patience=20, failover=20) as client:
        client.tables()
        assert client.engine.endpoint == members[0].endpoint
        members[0].close()
        began = time.monotonic()
        client.tables()
        assert client.engine.endpoint == members[1].endpoint and time.monotonic() - began < 2


@pytest.mark.parametrize("names", ["unknown", "each other"])
def test_who_is_sent_to_nobody_rests(members: list[Member], names: str) -> None:
    """A writer that has ended is named until its lease is over."""
    for member, other in (members, members[::-1]):
        member.writers = ["ipc:///nobody"] if names == "unknown" else [other.endpoint]
    with service(members) as client:
        began = time.monotonic()
        ticket = client.submit("command", {"add": {}}, "board")
        with pytest.raises(trestle.NoAnswer):
            client.wait(ticket, 1.5)
        asked = sum(len(member.verbs) for member in members)
        assert 1 < asked < 6 + 20 * (time.monotonic() - began)
        for member in members:
            member.writers = []
        client.wait(ticket)


def test_a_daemon_that_is_busy_is_not_left(members: list[Member]) -> None:
    """What takes longer than `failover` is answered, as long as the daemon answers anything."""
    members[0].busy_until = time.monotonic() + 3.5
    with service(members) as client:
        client.tables()
        assert client.engine.endpoint == members[0].endpoint and members[1].verbs == []


def test_a_daemon_that_is_out_of_touch_is_left(members: list[Member]) -> None:
    members[0].busy_until, members[0].health = time.monotonic() + 600, {"outOfTouch": True}
    with service(members) as client:
        client.tables()
        assert client.engine.endpoint == members[1].endpoint


def test_what_cannot_be_read_is_refused_by_name(daemon: Daemon) -> None:
    with daemon.connect(patience=0.3) as client:
        board = client.board("board")
        board.create()
        with pytest.raises(trestle.Refused, match="malformed"):
            board.command("add", fields={"a": 1})
        assert board.add("Soup").revision == 1
        adds: list[Any] = [{"id": "a"}, {"id": 7}, {"id": "b"}, {"title": []}]
        tickets = [client.submit("command", {"add": fields}, "board") for fields in adds]
        assert client.wait(tickets[0]).row == "a" and client.wait(tickets[2]).row == "b"
        for ticket in (tickets[1], tickets[3]):
            with pytest.raises(trestle.Refused, match="malformed"):
                client.wait(ticket)
        assert len(client.read("board")) == 3


def test_a_message_above_the_bound_is_not_taken_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trestle.transport.MAX_MESSAGE", 300)  # below what this daemon's snapshot has
    played = Played(tmp_path, None)
    played.start()
    try:
        with trestle.connect(played.endpoint, timeout=0.5, patience=0.1) as client:
            client.tables()
            with pytest.raises(trestle.NoAnswer):
                client.read("board")
    finally:
        played.close()


def test_the_frame_before_a_request() -> None:
    body = b'{"tables":{}}'
    assert request_frames(body) == [b"", HEADER, body]
    some = Behalf("caf\u00e9", "viewer", ("a*",))
    assert request_frames(body, some) == [
        b"", BEHALF_HEADER, '{"name":"caf\u00e9","role":"viewer","tables":["a*"]}'.encode(), body]
    assert Behalf("grill").frame() == b'{"name":"grill"}'
    assert Behalf("grill", "").frame() == b'{"name":"grill","role":""}', "which the daemon refuses"
    assert Behalf("grill", tables=()).frame() == b'{"name":"grill","tables":[]}', "which the daemon refuses"
