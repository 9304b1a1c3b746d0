"""The session without sockets: numbers, window, copies, and what is unknown."""

import json
import pickle
from typing import Any

import pytest

import trestle
from trestle.session import Session
from trestle.ticket import Ticket
from trestle.wire import encode

HELLO = {"protocol": 1, "opened": 7, "publish": ["ipc:///p"], "limits": {"repliesPerSession": 4, "requestBytes": 2000}}


class Wire:
    """A session, a clock, and a daemon that says what the test wants."""

    def __init__(self) -> None:
        ids = iter(["one", "two", "three"])
        self.session = Session("ada", jitter=lambda: 0.0, new_id=lambda: next(ids))
        self.now, self.epoch = 0.0, "e1"

    def sent(self, after: float = 0.0) -> list[Any]:
        """What is sent, when so many seconds have passed."""
        self.now += after
        return [json.loads(body) for body in self.session.outgoing(self.now)]

    def says(self, request: Any, **reply: Any) -> None:
        """A reply to this request."""
        named = {key: request[key] for key in ("client", "number")}
        self.session.receive(encode({"ok": "error" not in reply, "epoch": self.epoch, **named, **reply}), self.now)

    def refuses(self, request: Any, code: str) -> None:
        """A refusal of this request."""
        self.says(request, error={"code": code, "message": "so"})

    def meet(self, **hello: Any) -> None:
        """Answers a `hello` that is being asked."""
        asked, = [one for one in self.sent() if "hello" in one]
        self.says(asked, hello=HELLO | hello)

    def add(self) -> Ticket:
        """A command."""
        return self.session.submit("command", {"add": {}}, "t")


@pytest.fixture
def wire() -> Wire:
    """One that has been answered."""
    wire = Wire()
    wire.meet()
    return wire


def test_nothing_leaves_before_hello() -> None:
    wire = Wire()
    wire.add()
    assert [list(one)[-1] for one in wire.sent()] == ["hello"]
    assert wire.sent(0.5) == [], "the hello is under way"
    asked, = wire.sent(1.0)
    wire.says(asked, hello=HELLO)
    asked, = wire.sent()
    assert asked == {"client": "one", "number": 1, "opened": 7, "name": "ada", "table": "t", "command": {"add": {}}}


def test_who_is_turned_away_at_hello_is_told_so() -> None:
    wire = Wire()
    first = wire.add()
    hello, = wire.sent()
    wire.refuses(hello, "notAllowed")
    with pytest.raises(trestle.Refused, match="notAllowed"):
        first.result()
    assert wire.sent(10.0) == [], "nothing is asked for ever"
    second = wire.add()
    hello, = wire.sent()
    assert "hello" in hello and not second.done, "a later command tries again"
    wire.says(hello, hello=HELLO)
    command, = wire.sent()
    wire.says(command)
    assert second.result()
    wire.session.probe()
    hello, = wire.sent()
    third = wire.add()
    wire.refuses(hello, "notAllowed")
    command, = wire.sent()
    wire.says(command)
    assert third.result(), "who was let in once may go on"


def test_the_window_and_the_same_bytes(wire: Wire) -> None:
    """With four answers remembered, number 5 waits for the answer to 1 and all below."""
    tickets = [wire.add() for _ in range(7)]
    first = wire.sent()
    assert [one["number"] for one in first] == [1, 2, 3, 4]
    for request in first[1:]:
        wire.says(request)
    assert wire.sent() == [], "1 is not answered"
    again = wire.sent(1.0)
    assert again == first[:1], "the same bytes"
    assert wire.sent(1.0) == first[:1] and wire.sent(1.0) == [], "with more patience each time"
    wire.says(first[0], revision=9)
    assert tickets[0].result().revision == 9
    assert [one["number"] for one in wire.sent()] == [5, 6, 7]
    wire.says(first[0], revision=10)
    assert tickets[0].result().revision == 9, "the answer to a copy is nobody's"


def test_unknown(wire: Wire) -> None:
    """Never sent before: under another id. Sent before: nobody can tell."""
    fresh, other = wire.add(), wire.add()
    one, two = wire.sent()
    wire.refuses(one, "unknown")
    assert not fresh.done and wire.session.client == "two"
    wire.meet(opened=99)
    asked = [request for request in wire.sent(0.2) if "command" in request]
    assert [(request["client"], request["number"], request["opened"]) for request in asked] == [("two", 1, 99)]
    wire.says(asked[0])
    assert fresh.done
    again, = wire.sent(1.0)
    assert again == two, "what was under way stays under its id"
    wire.refuses(two, "unknown")
    with pytest.raises(trestle.OutcomeUnknown):
        other.result()
    assert not wire.session.busy
    alone = wire.add()
    wire.refuses([one for one in wire.sent() if "command" in one][0], "unknown")
    wire.meet()
    wire.says([one for one in wire.sent() if "command" in one][0])
    assert alone.done and wire.session.client == "three"


def test_disk_full(wire: Wire) -> None:
    """One copy: it was refused. Several: another copy may still be carried out, so it goes on."""
    once = wire.add()
    wire.refuses(wire.sent()[0], "diskFull")
    with pytest.raises(trestle.Refused, match="diskFull"):
        once.result()
    twice = wire.add()
    wire.sent()
    asked, = wire.sent(1.0)
    wire.refuses(asked, "diskFull")
    assert not twice.done
    assert wire.sent(1.0) == [asked]
    wire.says(asked, revision=3)
    assert twice.result().revision == 3


def test_another_daemon_writes(wire: Wire) -> None:
    """With one endpoint it is a refusal. With several the same request goes where it is told."""
    alone = wire.add()
    wire.says(wire.sent()[0], error={"code": "notLeader", "message": "so", "endpoints": ["tcp://b:1"]})
    with pytest.raises(trestle.Refused, match="notLeader") as refused:
        alone.result()
    assert refused.value.endpoints == ("tcp://b:1",)
    wire.session.has_others = True
    command, question = wire.add(), wire.session.ask("who", {}, "t")
    for asked in (sent := wire.sent()):
        wire.says(asked, error={"code": "notLeader", "message": "so", "endpoints": ["tcp://b:1"]})
    assert not command.done and not question.done
    assert wire.session.elsewhere == ("tcp://b:1",)
    wire.session.reconnected(wire.now)
    assert wire.sent() == sent, "the same bytes"
    for asked in sent:
        wire.says(asked, revision=3)
    assert command.result().revision == 3 and question.done


def test_a_daemon_of_an_older_term(wire: Wire) -> None:
    """A standby was promoted, and the daemon that it followed may not know it: it gets nothing but `hello`."""
    wire.session.probe()
    wire.meet(term=2)
    command = wire.add()
    sent, = wire.sent()
    wire.session.reconnected(wire.now)
    waiting = wire.add()
    assert [list(one)[-1] for one in wire.sent()] == ["hello"]
    wire.session.probe()
    wire.session.reconnected(wire.now)
    wire.meet(term=1)
    assert wire.session.outdated == 1 and wire.session.busy
    assert wire.sent(9.0) == []
    wire.session.reconnected(wire.now)
    wire.meet(term=3)
    again, fresh = wire.sent()
    assert again == sent and wire.session.outdated is None and wire.session.term == 3
    for asked in (again, fresh):
        wire.says(asked, revision=3)
    assert command.done and waiting.done
    # One that names none is of an older version, or a service on etcd: there one daemon writes.
    wire.session.reconnected(wire.now)
    wire.meet()
    assert wire.session.outdated is None


def test_another_daemon_has_forgotten_the_writer(wire: Wire) -> None:
    """The copy that was refused with `notLeader` changed nothing: only others may have been carried out."""
    wire.session.has_others = True
    elsewhere = {"code": "notLeader", "message": "so", "endpoints": ["tcp://b:1"]}
    once = wire.add()
    asked, = wire.sent()
    wire.says(asked, error=elsewhere)
    wire.session.reconnected(wire.now)
    assert wire.sent() == [asked]
    wire.refuses(asked, "unknown")
    assert not once.done, "it is sent under another client id"
    wire.meet(opened=30)
    again, = wire.sent()
    assert again["client"] == "two"
    wire.says(again, revision=3)
    assert once.result().revision == 3
    twice = wire.add()
    wire.sent()
    asked, = wire.sent(1.0)
    wire.says(asked, error=elsewhere)
    wire.session.reconnected(wire.now)
    wire.sent()
    wire.refuses(asked, "unknown")
    with pytest.raises(trestle.OutcomeUnknown):
        twice.result()


def test_another_epoch_asks_hello_again(wire: Wire) -> None:
    """The daemon came back with a smaller window. `opened` stays that of the first command."""
    wire.add()
    asked, = wire.sent()
    wire.epoch = "e2"
    wire.says(asked)
    wire.meet(opened=50, limits={"repliesPerSession": 2})
    for _ in range(3):
        wire.add()
    assert [(one["number"], one["opened"]) for one in wire.sent()] == [(2, 7), (3, 7)]


def test_a_refusal_without_a_name(wire: Wire) -> None:
    """What cannot be read is refused without its number: found on new connections, one by one."""
    tickets = [wire.add() for _ in range(3)]
    requests, before = wire.sent(), wire.session.connection
    nameless = encode({"ok": False, "epoch": "e1", "error": {"code": "malformed", "message": "no"}})
    for _ in range(3):  # copies of it, by the old connection
        wire.session.receive(nameless, wire.now)
    assert wire.session.connection == before + 1 and not any(ticket.done for ticket in tickets)
    wire.session.reconnected(wire.now)
    assert wire.sent() == requests[:1], "alone"
    wire.says(requests[0])
    assert wire.sent() == requests[1:2]
    for _ in range(3):
        wire.session.receive(nameless, wire.now)
    with pytest.raises(trestle.Refused, match="malformed"):
        tickets[1].result()
    assert tickets[0].done and not tickets[2].done and wire.session.connection == before + 2
    wire.session.reconnected(wire.now)
    assert wire.sent() == requests[2:]
    wire.says(requests[2])
    assert tickets[2].done


def test_what_is_not_to_be_sent(wire: Wire) -> None:
    with pytest.raises(trestle.Refused, match="tooLarge"):
        wire.session.submit("command", {"add": {"title": "x" * 2000}}, "t")
    with pytest.raises(ValueError):
        wire.session.submit("command", {"scroll": {"fraction": float("nan")}}, "t")
    with pytest.raises(ValueError):
        wire.session.submit("command", {"add": {"title": "\ud800"}}, "t")
    assert wire.sent() == []


def test_what_is_carried_out_once_is_not_asked(wire: Wire) -> None:
    for verb, body in (("command", {"add": {}}), ("batch", {}), ("create", {}), ("drop", {}), ("restore", {}),
                       ("drag", {"drop": {"lease": "1"}})):
        with pytest.raises(ValueError, match=f"`{verb}` is carried out once"):
            wire.session.ask(verb, body, "t")
    wire.session.ask("drag", {"lift": {"rows": ["a"]}}, "t")
    assert [list(one)[-1] for one in wire.sent()] == ["drag"]


def test_closed(wire: Wire) -> None:
    """Whatever waits is told so, and nothing goes out any more."""
    tickets = [wire.add() for _ in range(5)]
    wire.sent()
    tickets.append(wire.session.ask("who", {}, "t"))
    wire.session.close()
    for ticket in tickets:
        with pytest.raises(trestle.Closed):
            ticket.result()
    assert wire.sent(10.0) == [] and not wire.session.busy
    with pytest.raises(trestle.Closed):
        wire.add()


def test_errors_are_pickled() -> None:
    """As they are when they come from another process."""
    ticket = Ticket("command", {}, numbered=True)
    for error in (trestle.NoAnswer("add", 1.5, True, "ipc:///r", ticket), trestle.BadPredicate("a b", 2, "expected"),
                  trestle.Refused("stale", "so", "command.set"), trestle.Closed("the client is closed")):
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error) and str(again) == str(error)
        known = {key: value for key, value in vars(error).items() if key != "ticket"}
        assert known.items() <= vars(again).items()


def test_a_reply_that_names_no_row() -> None:
    with pytest.raises(IndexError, match="names no row"):
        trestle.Reply({"ok": True}).row


def test_withdrawn(wire: Wire) -> None:
    tickets = [wire.add() for _ in range(5)]
    wire.sent()
    assert wire.session.withdraw(tickets[4]), "it never left"
    assert not wire.session.withdraw(tickets[0]), "it goes on"
    assert len(wire.sent(1.0)) == 4


def test_hostile_replies(wire: Wire) -> None:
    """None of these is an answer, and none is more than counted."""
    ticket = wire.add()
    request, = wire.sent()
    named = f'"client":"one","number":{request["number"]}'
    bad = [b"", b"\xff", b"[]", b"1", b"{", b'{"ok":1}', b'{"ok":false}', b'{"ok":true,"epoch":7}',
           b'{"ok":true,"revision":-1}', b'{"ok":true,"revision":1e400}', b'{"revision":NaN}',
           b'{"ok":true,"rows":{}}', b'{"ok":true,"rows":[{"row":1}]}', b"9" * 5000,
           b'{"a":' * 50_000 + b"1" + b"}" * 50_000, b'{"a":' * 150 + b"1" + b"}" * 150,
           f'{{"ok":true,{named},"revision":18446744073709551616}}'.encode(),
           f'{{"ok":false,{named},"error":{{}}}}'.encode()]
    for body in bad:
        wire.session.receive(body, wire.now)
    assert wire.session.malformed == len(bad) and not ticket.done
    wire.session.receive(b'{"ok":true,"client":"one","number":77}', wire.now)
    wire.session.receive(b'{"ok":true,"client":"else","number":1}', wire.now)
    wire.session.receive(b'{"ok":true,"number":1,"ghost":{"a":[null]}}', wire.now)
    assert not ticket.done
    wire.session.receive(f'{{"ok":true,{named},"ghost":{{"a":[null]}}}}'.encode(), wire.now)
    assert ticket.done
