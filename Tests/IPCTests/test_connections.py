"""Who is connected, as an administrator is told, and the end of a connection."""

import os
import time

import pytest

from harness import Daemon, eventually
from trestle_client import Link, Viewer


@pytest.fixture
def daemon():
    daemon = Daemon("log:\n  level: info\n")
    daemon.start()
    for table in ("board", "other"):
        daemon.ask("create", {}, table)
    yield daemon
    daemon.kill()
    daemon.close()


def listed(daemon):
    return daemon.ask("connections")["connections"]["connections"]


def followers(daemon):
    return [one for one in listed(daemon) if one.get("subscribes")]


def test_who_is_connected(daemon):
    before = time.time() * 1000
    viewer = Viewer(daemon.endpoint, "board")
    eventually(lambda: viewer.step(0.05) or viewer.freshness() == "live", 10, 0)
    one, = followers(daemon)
    assert one["uid"] == os.geteuid() and one["from"] == f"pid:{os.getpid()}" and one["user"]
    assert before - 5_000 <= one["sinceMs"] <= time.time() * 1000 + 1_000
    assert one["tables"] == ["board"] and one["topics"] >= 1
    assert one["sentBytes"] > 0 and one["receivedBytes"] > 0 and "waitingBytes" not in one
    askers = [one for one in listed(daemon) if not one.get("subscribes")]
    assert askers and all("tables" not in one and one["receivedBytes"] > 0 for one in askers)
    ids = [one["id"] for one in listed(daemon)]
    assert len(set(ids)) == len(ids)
    viewer.close()


def test_a_connection_is_ended(daemon):
    """The viewer comes again, and has all that it missed."""
    viewer = Viewer(daemon.endpoint, "board")
    eventually(lambda: viewer.step(0.05) or viewer.freshness() == "live", 10, 0)
    one, = followers(daemon)
    assert daemon.ask("endConnection", {"id": one["id"]})["ok"]
    daemon.do("board", add={"id": "late", "title": "Late"})

    def anew():
        viewer.step(0.02)
        return [new for new in followers(daemon) if new["id"] != one["id"] and "tables" in new]

    again, = eventually(anew, 10)
    assert again["tables"] == ["board"] and again["sinceMs"] >= one["sinceMs"]
    digest = daemon.tables()["board"]["digest"]
    eventually(lambda: viewer.step(0.05) or viewer.digest() == digest, 20, 0)
    assert daemon.stats()["counters"]["connections_dropped_administrator"] == 1
    for wrong in (one["id"], "1-2", "", "x" * 500, "-1-5", "99999999999-1", f"{one['id']}-1"):
        reply = daemon.ask("endConnection", {"id": wrong})
        assert reply["error"]["code"] == "badValue" and reply["error"]["field"] == "endConnection.id"
    entries = [entry for entry in daemon.ask("audit")["audit"]["entries"] if entry["verb"] == "endConnection"]
    assert entries[-1]["outcome"] == "allowed" and entries[-1]["detail"] == one["id"]
    assert {entry["outcome"] for entry in entries[:-1]} == {"refused"}
    viewer.close()


def test_it_takes_an_administrator():
    daemon = Daemon(f"guests:\n  - users: [{os.geteuid()}]\n    tables: [board]\n    roles: [editor]\n")
    daemon.start()
    try:
        link = Link(daemon.endpoint)
        for verb, body in (("connections", {}), ("endConnection", {"id": "1-2"})):
            assert link.ask(verb, body)["error"]["code"] == "notAllowed"
        link.close()
    finally:
        daemon.kill()
        daemon.close()
