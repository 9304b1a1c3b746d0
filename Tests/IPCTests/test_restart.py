"""What survives a restart of the daemon: sessions, history, replay. And how the daemon ends."""

import signal
import time

import pytest

from harness import ask_raw, eventually
from trestle_client import Viewer, Writer, encode


@pytest.fixture
def board(daemon):
    daemon.ask("create", {}, "board")
    daemon.do("board", add={"id": "a"})
    return daemon


def numbered(writer, number, **command):
    return encode({"client": writer.client, "number": number, "opened": writer.opened,
                   "table": "board", "command": command})


def test_sessions_survive(board):
    writer = Writer(board.endpoint)
    bodies = [numbered(writer, n, add={"id": f"n{n}"}) for n in range(1, 71)]
    replies = [ask_raw(board, body) for body in bodies]
    assert all(r["ok"] for r in replies)
    refused = numbered(writer, 71, add={"id": "a"})
    said = ask_raw(board, refused)
    before = board.tables()["board"]
    for _ in range(2):
        board.restart()
        assert ask_raw(board, bodies[-1]) == replies[-1]  # with the epoch of the first answer
        assert ask_raw(board, refused) == said
        assert ask_raw(board, bodies[0])["error"]["code"] == "unknown"
        assert ask_raw(board, numbered(writer, 70, add={"id": "x"}))["error"]["code"] == "numberReused"
        assert board.tables()["board"] == before
    assert ask_raw(board, numbered(writer, 72, add={"id": "b"}))["ok"]


def test_epoch_and_history(board):
    before, hello = board.tables()["board"], board.hello
    seconds = board.restart()
    print(f"first reply {seconds:.2f} s after the start")
    assert board.hello["epoch"] != hello["epoch"]
    assert board.tables()["board"] == before
    assert board.hello["opened"] >= hello["opened"]


def test_replay_reaches_over_a_restart(board):
    before = board.tables()["board"]
    for n in range(20):
        board.do("board", set={"row": "a", "title": f"t{n}"})
    asked = {"history": before["history"], "since": before["revision"]}
    published = board.ask("replay", asked, "board")["replay"]
    board.restart()
    again = board.ask("replay", asked, "board")
    assert again["ok"], again
    assert again["replay"]["publication"]["diffs"] == published["publication"]["diffs"]
    standing = board.ask("offer", {k: before[k] for k in ("history", "revision", "digest")}, "board")["standing"]
    assert standing["relation"] == "extend"


def test_hints_survive_a_restart(board):
    """A hint is in the journal's diff, and in no row (F2)."""
    before = board.tables()["board"]
    board.do("board", add={"id": "b", "hint": "left"})
    board.do("board", remove={"rows": ["a"], "hint": "fade"})
    board.do("board", add={"id": "c", "hint": "automatic"})
    asked = {"history": before["history"], "since": before["revision"]}

    def ops():
        diffs = board.ask("replay", asked, "board")["replay"]["publication"]["diffs"]
        return [op for diff in diffs for op in diff["ops"]]

    first, second, third = said = ops()
    assert first["insert"]["hint"] == "left" and second == {"remove": {"row": "a", "hint": "fade"}}
    assert "hint" not in third["insert"]
    digest = board.tables()["board"]["digest"]
    board.restart()
    assert ops() == said and board.tables()["board"]["digest"] == digest
    refused = board.do("board", add={"hint": "slide"})
    assert (refused["error"]["code"], refused["error"]["field"]) == ("badValue", "command.add.hint")


def test_a_viewer_carries_on(board):
    viewer = Viewer(board.endpoint, "board")
    fresh = []

    def at_head():
        """the viewer is live and at the head"""
        viewer.step(0.05)
        fresh.append(viewer.freshness())
        return viewer.freshness() == "live" and viewer.revision == head["revision"]

    head = board.tables()["board"]
    eventually(at_head, 5, 0)
    board.kill()
    end = time.monotonic() + 4
    while time.monotonic() < end:
        viewer.step(0.05)
    assert viewer.freshness().startswith("stale for ")
    board.start()
    eventually(at_head, 5, 0)
    assert viewer.counts["same"] == 1
    board.kill()
    board.start()
    for n in range(5):
        board.do("board", add={"id": f"n{n}"})
    head = board.tables()["board"]
    eventually(at_head, 5, 0)
    assert viewer.digest() == head["digest"]
    assert not viewer.counts["wrong"] and not viewer.counts["diverged"] and not viewer.counts["rolledBack"]
    assert viewer.counts["snapshots"] == 1
    viewer.close()


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_well(board, how):
    writer = Writer(board.endpoint, patience=60)
    for n in range(60):
        writer.send("board", "command", {"add": {"id": f"n{n}"}})
    time.sleep(0.05)
    begin = time.monotonic()
    assert board.kill(how, wait=5) == 0, board.tail()
    assert time.monotonic() - begin < 2
    answered = []
    while reply := writer.step(0.5):
        answered.append(reply)
    board.start()
    rows = board.tables()["board"]["rows"]
    # What had arrived was carried out, and what was carried out was answered.
    assert len(answered) == rows - 1
    assert answered and all(r["ok"] for r in answered)
    # The rest is sent again.
    writer.patience = 0.2
    for entry in writer.under_way.values():
        entry[1] = 0
    eventually(lambda: writer.step(0.1) is None and not writer.under_way, 10, 0)
    assert board.tables()["board"]["rows"] == 61


def test_sighup_goes_on(board):
    before, epoch = board.tables(), board.hello["epoch"]
    board.process.send_signal(signal.SIGHUP)
    time.sleep(0.3)
    assert board.alive() and board.tables() == before and board.ask("hello")["epoch"] == epoch
    assert len(board.tail().splitlines()) >= 2, "it says that it has read its configuration again"


def test_drop_and_create_survive(board):
    writer = Writer(board.endpoint)
    assert writer.do("board", "drop", {})["ok"]
    history = writer.do("board", "create", {})["history"]
    board.restart()
    table = board.tables()["board"]
    assert table["history"] == history and table["revision"] == table["rows"] == 0


def test_compacted(make_daemon):
    """More diffs than are kept: replay and offer say so, and a viewer that was away takes a snapshot."""
    daemon = make_daemon(config="retain: {diffs: 100}\n")
    daemon.ask("create", {}, "board")
    daemon.do("board", add={"id": "a"})
    then = daemon.tables()["board"]
    viewer = Viewer(daemon.endpoint, "board")
    eventually(lambda: viewer.step(0.05) or viewer.freshness() == "live", 5, 0)
    viewer.sub.unsubscribe(viewer.topic)
    time.sleep(0.2)
    for n in range(300):
        assert daemon.do("board", set={"row": "a", "title": str(n)})["ok"]
    asked = {"history": then["history"], "since": then["revision"]}
    for _ in range(2):
        head = daemon.tables()["board"]
        assert 100 <= head["revision"] - head["oldest"] < 300
        assert daemon.ask("replay", asked, "board")["error"]["code"] == "compacted"
        offer = {k: then[k] for k in ("history", "revision", "digest")}
        assert daemon.ask("offer", offer, "board")["standing"]["relation"] == "compacted"
        daemon.restart()
    viewer.sub.subscribe(viewer.topic)
    eventually(lambda: viewer.step(0.05) or (viewer.state, viewer.revision) == ("following", head["revision"]), 5, 0)
    assert viewer.digest() == head["digest"] and viewer.counts["compacted"] == 1
    assert not viewer.counts["wrong"]
    viewer.close()
