"""The client does what docs/PROTOCOL.md prints: vectors, and each frame of the conversation."""

import json
from typing import Any

import protocol_page
import pytest

import trestle
from trestle import digest, xxh64
from trestle.follower import Follower
from trestle.session import Session
from trestle.wire import HEADER, encode, topic_of

HASHES = [xxh64.xxh64, xxh64.python_xxh64]


@pytest.mark.parametrize("hash", HASHES)
def test_vectors(hash: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(digest, "xxh64", hash)
    value: Any
    for number, what, of, expected in (found := protocol_page.vectors()):
        match what:
            case "hash":
                value = digest.hash_of(*of)
            case "sequence":
                value = digest.sequence(of)
            case "row":
                value = digest.row_hash(of)
            case "section":
                rows = [int(one, 16) for one in of["rows"]]
                value = digest.section_hash(of["id"], of["title"], len(rows), digest.sequence(rows))
            case "definitions":
                value = digest.definitions_hash(of["settings"], of["kinds"])
            case "table":
                sections = [int(one, 16) for one in of["sections"]]
                value = int(digest.table_digest(sections, int(of["definitions"], 16), of["editing"],
                                                of["invocations"]), 16)
            case _:
                pytest.fail(f"a vector of something new: {what}")
        assert f"{value:016x}" == expected, number
    assert [number for number, *_ in found] == list(range(1, len(found) + 1)) and len(found) >= 10


def test_the_hash_in_python_is_that_of_the_library() -> None:
    xxhash = pytest.importorskip("xxhash")
    data = bytes(n * 37 % 251 for n in range(300))
    for length in range(300):
        assert xxh64.python_xxh64(data[:length]) == xxhash.xxh64_intdigest(data[:length]), length
    assert xxh64.python_xxh64(b"") == 0xEF46DB3751D8E999  # of XXH64's own specification


class Core:
    """A session and a follower without sockets, which are given what the page prints."""

    def __init__(self) -> None:
        self.session = Session(jitter=lambda: 0.0)
        self.now = 100.0
        self.follower = Follower("board", self.session, self.now, jitter=lambda: 0.5)

    def asked(self) -> list[Any]:
        """What is sent now."""
        return [json.loads(body) for body in self.session.outgoing(self.now)]

    def answer(self, request: Any, reply: Any) -> None:
        """The page's reply, to this request."""
        reply = reply | {"client": request["client"], "number": request["number"]}
        self.session.receive(encode(reply), self.now)

    def hears(self, publication: Any) -> list[trestle.Event]:
        """The events that follow."""
        self.follower.published(encode(publication), self.now)
        return self.events()

    def events(self) -> list[trestle.Event]:
        """Those that there are now."""
        found = []
        while event := self.follower.step(self.now):
            found.append(event)
        return found


def bare(request: Any) -> Any:
    """A request without who sends it, and under which number."""
    return {key: value for key, value in request.items() if key not in ("client", "number", "opened", "name")}


def test_the_conversation() -> None:
    hello, snapshot, move, replay, refused = protocol_page.parts("DEALER", True)
    replies = protocol_page.parts("DEALER", False)
    welcome, diff, heartbeat = protocol_page.parts("SUB", False)
    assert all(frames[0] in (HEADER.decode(), topic_of("board").decode()) for *_, frames in protocol_page.conversation())

    core = Core()
    asked, = core.asked()
    assert bare(asked) == bare(hello)
    core.answer(asked, replies[0])
    assert core.session.hello and core.session.hello["publish"] == ["ipc:///run/trestle/publish.sock"]

    assert core.hears(welcome) == []
    asked, = core.asked()
    assert bare(asked) == bare(snapshot)
    core.answer(asked, replies[1])
    assert core.events() == [trestle.Joined(2, "98076a71c2f1c169")]
    table = core.follower.table
    assert table and [row.title for row in table] == ["Soup", "Tea"]

    ticket = core.session.submit("command", {"move": {"rows": ["t42"], "top": True}}, "board")
    asked, = core.asked()
    assert bare(asked) == bare(move) and asked["number"] == 1 and asked["opened"] == 3
    core.answer(asked, replies[2])
    assert ticket.result().rows == [trestle.Landing("t42", "main", 0, None, 2, None)]
    event, = core.hears(diff)
    assert isinstance(event, trestle.Change)
    assert (event.revision, event.verb, event.actor, event.rows) == (3, "move", "ada", ["t42"])
    assert [row.id for row in table] == ["t42", "t41"] and table["t42"].moved_ms == 1763715600000
    assert core.hears(heartbeat) == [] and core.follower.freshness(core.now) == "live"

    ticket = core.session.submit("command", {"remove": {"rows": ["t99"]}}, "board")
    asked, = core.asked()
    assert bare(asked) == bare(refused)
    core.answer(asked, replies[4])
    with pytest.raises(trestle.Refused, match='noSuchRow: There is no row "t99"'):
        ticket.result()

    # Another viewer loses the diff, and asks for what it missed.
    core = Core()
    core.answer(core.asked()[0], replies[0])
    core.hears(welcome)
    core.answer(core.asked()[0], replies[1])
    core.events()
    assert core.hears(heartbeat) == [] and core.follower.freshness(core.now) == "stale"
    asked, = core.asked()
    assert bare(asked) == bare(replay)
    core.answer(asked, replies[3])
    assert [type(event) for event in core.events()] == [trestle.Change]
    assert core.follower.freshness(core.now) == "live" and core.follower.counts["wrong"] == 0
