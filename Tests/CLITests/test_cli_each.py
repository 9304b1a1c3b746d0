"""Verbs that change all rows that a condition fits: on a terminal they say how many, and ask."""

import json
import os
import pty
import subprocess

import pytest
from cli_daemon import BIN


@pytest.fixture
def board(daemon):
    daemon.ok("create", "board")
    for number in range(12):
        daemon.ok("add", "board", f"Row {number}", "--id", f"r{number}")
    return daemon


def asked(daemon, answer, *words):
    """Runs a verb on a terminal, gives it an answer, and returns its exit code and what it printed."""
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [BIN / "trestle", *words], stdin=follower, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=daemon.environment, cwd=daemon.directory, text=True)
    os.close(follower)
    os.write(leader, answer)
    out, err = process.communicate(timeout=20)
    os.close(leader)
    return process.returncode, out, err


def rows(daemon, condition):
    return daemon.ok("-o", "name", "show", "board", "--where", condition).split()


def test_it_asks(board):
    words = ("set", "board", "--where", "index < 10", "--field", "done=yes")
    code, out, err = asked(board, b"n\n", *words)
    assert code == 1 and "10 rows fit now: r0, r1, r2, r3, r4, r5, r6, r7, …. Set all that fit? [y/N]" in err
    assert "nothing was changed" in err and rows(board, 'field.done == "yes"') == []
    code, out, err = asked(board, b"y\n", *words)
    assert code == 0 and out.startswith("set 10 rows: r0, ") and len(rows(board, 'field.done == "yes"')) == 10


def test_it_does_not_ask_where_nothing_fits_or_yes_is_said(board):
    code, out, err = asked(board, b"", "remove", "board", "--where", "index > 99")
    assert (code, out, err) == (0, "no row fits\n", "")
    code, out, err = asked(board, b"", "remove", "board", "--where", "index == 1", "--yes")
    assert (code, out, err) == (0, "removed 1 row: r1\n", "")


def test_ten_thousand_rows_are_one_undo(daemon):
    daemon.ok("create", "big")
    lines = "id,title,n\n" + "".join(f"r{n},Row {n},1\n" for n in range(12_000))
    (daemon.directory / "big.csv").write_text(lines)
    daemon.ok("import", "big", "big.csv")
    over = daemon.run("snooze", "big", "--where", "field.n == 1", "--for", "1h")
    assert over.returncode == 1 and b"rows that fit: 12000, at most 10000." in over.stderr
    over = daemon.run("set", "big", "--where", "index >= 0", "--field", "n=2")
    assert over.returncode == 1 and b"rows that fit: 12000, at most 10000." in over.stderr
    daemon.ok("set", "big", "--where", "field.n == 1", "--limit", "10000", "--field", "n=2")
    assert "10000" in daemon.ok("count", "big", "--where", "field.n == 2")
    daemon.ok("undo", "big")
    assert "12000" in daemon.ok("count", "big", "--where", "field.n == 1")
    # Texts of more rows are decided on while others are answered. They are not named one by one.
    words = ("set", "big", "--where", "field.n == 1", "--field", "n=3")
    code, out, err = asked(daemon, b"n\n", *words)
    assert code == 1 and "Very many rows fit. Set all that fit? [y/N]" in err and "nothing was changed" in err
    code, out, err = asked(daemon, b"y\n", *words)
    assert (code, out) == (0, "set 12000 rows\n")
    assert "12000" in daemon.ok("count", "big", "--where", "field.n == 3")
    reply = json.loads(daemon.ok("-o", "json", "set", "big", "--where", "field.n == 3", "--field", "n=5"))
    assert reply["rowCount"] == 12_000 and reply["rows"] == []
    daemon.ok("set", "big", "r5", "--field", "n=4")
    refused = daemon.run("undo", "big", "--revision", str(reply["revision"]))
    assert refused.returncode == 1 and b"is in the way" in refused.stderr
    for _ in range(2):
        daemon.ok("undo", "big")
    assert "12000" in daemon.ok("count", "big", "--where", "field.n == 3")
    daemon.ok("set", "big", "--where", "field.n == 3", "--field", "n=1")
    # Where the daemon's answer has not all of it, the whole table is asked for.
    shown = [json.loads(line) for line in daemon.ok("-o", "ndjson", "show", "big", "--sort", "-index").splitlines()]
    assert [row["id"] for row in shown] == [f"r{n}" for n in reversed(range(12_000))]
    groups = json.loads(daemon.ok("-o", "json", "count", "big", "--by", "title", "--sum", "field.n"))
    assert groups["rows"] == groups["sum"] == len(groups["groups"]) == 12_000
