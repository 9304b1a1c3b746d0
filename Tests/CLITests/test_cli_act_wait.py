"""What waits for an action's end, and what handles it, while tables are dropped, restored and clients forgotten."""

import json
import time

import pytest

KINDS = {"kinds": {"k": {"trailing": {"actions": [
    {"id": "page", "title": "Page", "effect": {"invoke": {"deadline": 600}}}]}}}}


@pytest.fixture
def board(daemon):
    """A table whose rows have an action that waits for a handler."""
    (daemon.directory / "kinds.json").write_text(json.dumps(KINDS))
    daemon.ok("create", "board")
    daemon.ok("define", "board", "kinds.json")
    for number in range(3):
        daemon.ok("add", "board", f"Row {number}", "--id", f"r{number}", "--kind", "k")
    return daemon


def until(what, seconds=10):
    deadline = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < deadline, "not in time"
        time.sleep(0.05)
    return found


def waiting(daemon, row):
    """An `act --wait` whose press is pending."""
    process = daemon.open("act", "board", row, "page", "--wait", "--timeout", "30")
    until(lambda: json.loads(daemon.ok("-o", "json", "show", "board")).get("invocations"))
    return process


def test_a_drop_ends_the_wait(board):
    process = waiting(board, "r0")
    board.ok("drop", "board")
    out, err = process.communicate(timeout=10)
    assert (process.returncode, out) == (66, b"") and b"was dropped" in err


def test_a_restore_is_not_its_end(board):
    board.ok("backup", "then")
    # Beyond the revision of the press that comes: the restored table has no invocation, and looks as if it had ended.
    process = waiting(board, "r0")
    board.ok("restore", "then", "--replace")
    for number in range(5):
        board.ok("add", "board", f"More {number}")
    out, err = process.communicate(timeout=10)
    assert (process.returncode, out) == (66, b"") and b"restored" in err


def test_a_handler_goes_on_after_a_restore(board):
    board.ok("backup", "then")
    for number in range(40):
        board.ok("set", "board", "r2", "--title", f"Title {number}")
    handler = board.open("-o", "ndjson", "handle", "board", "page", "--count", "2", "--timeout", "30", "--", "true")
    board.ok("act", "board", "r0", "page", "--wait", "--timeout", "10")
    board.ok("restore", "then", "--replace")
    board.ok("act", "board", "r1", "page", "--wait", "--timeout", "10")
    out, err = handler.communicate(timeout=10)
    assert handler.returncode == 0, err
    assert [json.loads(line)["row"] for line in out.splitlines()] == ["r0", "r1"]


@pytest.mark.parametrize("daemon", ["limits: {sessions: 2}"], indirect=True)
def test_a_handler_that_was_forgotten_goes_on(board):
    handler = board.open("-o", "ndjson", "handle", "board", "page", "--count", "2", "--timeout", "60", "--", "true")
    for row in ("r0", "r1"):
        # Each run is another client.
        for number in range(3):
            board.ok("set", "board", "r2", "--title", f"{row} {number}")
        board.ok("act", "board", row, "page", "--wait", "--timeout", "10")
    out, err = handler.communicate(timeout=10)
    assert handler.returncode == 0, err
    assert [json.loads(line)["accepted"] for line in out.splitlines()] == [True, True]


def test_a_batch_that_is_too_large(board):
    fields = {"note": "x" * 1_200}
    commands = [{"add": {"title": str(number), "fields": fields}} for number in range(1_000)]
    lines = "\n".join(json.dumps(one) for one in commands).encode()
    for verb in (["batch"], ["explain", "batch"]):
        done = board.run("-o", "json", *verb, "board", stdin=lines)
        assert done.returncode == 1, done.stderr
        assert json.loads(done.stdout)["error"]["code"] == "tooLarge"
