"""Whoever is on no line of the guest list takes next to nothing of the state thread."""

import json
import os

import pytest

from siege import HEADER
from test_costly import reply, send
from test_guests import ALICE, BOB, as_user, guests  # noqa: F401
from zmtp import Peer, message


def definition(count):
    """What takes long to read for its size."""
    face = json.loads('{"vertical":{"parts":[' * 30 + '{"text":"a"}' + "]}}" * 30)
    kinds = [{"id": f"k{n}", "leading": {"actions": [{"id": "a", "face": face}]}} for n in range(count)]
    return {"command": {"define": {"kinds": kinds}}}


def strange(path, count):
    link = Peer(path, timeout=30)
    assert link.welcome()
    replies = []
    for body in [{"hello": {}}, {"health": {}}, {"table": "board", "kinds": {}}]:
        link.send(message(b"", HEADER, json.dumps({"client": "c", "number": 1} | body).encode()))
        replies.append(reply(link))
    for number in range(count):
        send(link, "c", number, definition(15))
        replies.append(reply(link))
    behalf = {"name": "tablet", "role": "admin", "tables": ["*"]}
    link.send(message(b"", HEADER + b" behalf", json.dumps(behalf).encode(),
                      json.dumps({"client": "c", "number": 0} | definition(15)).encode()))
    replies.append(reply(link))
    return replies


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be several users")
def test_what_a_stranger_sends_is_not_read(guests):  # noqa: F811
    lines = [{"users": ["root"], "roles": ["admin"]}, {"users": [str(BOB)], "roles": ["viewer"]}]
    daemon, count = guests(lines), 100
    daemon.ask("create", {}, "board")
    path, before = daemon.endpoint.removeprefix("ipc://"), daemon.state_thread()
    hello, health, kinds, *large, behalf = as_user(ALICE, strange, path, count)
    cost = (daemon.state_thread() - before) / count
    # A gateway learns by it that it is not let in.
    assert hello["ok"] and hello["hello"].get("features", []) == []
    assert health["ok"] and kinds["error"]["code"] == "notAllowed"
    assert [(one["client"], one["number"]) for one in large] == [("c", number) for number in range(count)]
    assert {(one["error"]["code"], one["error"]["field"]) for one in [*large, behalf]} == {("notAllowed", "user")}
    assert cost < 0.0005, cost  # it was 1.1 ms
    # Of a guest it is read, and refused for what it asks for.
    hello, _, _, large, _ = as_user(BOB, strange, path, 1)
    assert "editor" in large["error"]["message"] and "behalf" in hello["hello"]["features"]
