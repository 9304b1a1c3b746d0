"""Many commands under way, many rows at once, and rows as plain values."""

import asyncio
import json
import os
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest
from daemon import BIN, ROOT, Daemon, full

import trestle
import trestle.aio
from trestle import refusals

HERE = Path(__file__).resolve().parents[1]


def test_many_under_way_keep_their_order(daemon: Daemon) -> None:
    """Also where the daemon is killed meanwhile, and each is carried out once."""
    kills, each = full(50, 4), 100
    with daemon.connect(patience=0.2) as client:
        client.board("board").create()
        board = client.pipelined("board")
        sent: list[trestle.Pending] = []
        for _ in range(kills):
            sent += [board.add(f"{len(sent) + n}") for n in range(each)]
            sent[-each // 2].result()
            daemon.kill()
            daemon.start()
        replies = [one.result() for one in sent]
        assert [reply.revision for reply in replies] == list(range(1, len(sent) + 1))
        assert [row.title for row in client.read("board")] == [f"{n}" for n in range(len(sent))]
        wrong = board.remove("nothing")
        assert isinstance(wrong.exception(), refusals.NoSuchRow) and wrong.done()
        assert board.kinds().exception() is None


def test_a_daemon_that_comes_back_is_met_at_once(daemon: Daemon) -> None:
    """Not only when it is time to send again."""
    with daemon.connect(patience=20) as client:
        client.board("board").create()
        daemon.kill()
        pending = client.pipelined("board").add("Soup")
        daemon.start()
        begin = time.monotonic()
        pending.result()
        assert time.monotonic() - begin < 3


def test_a_table_that_may_be_there(daemon: Daemon) -> None:
    with daemon.connect() as client:
        board = client.board("board")
        assert not board.create(exist_ok=True).unchanged
        assert board.create(exist_ok=True).unchanged
        with pytest.raises(refusals.Exists):
            board.create()
        with pytest.raises(refusals.BadName):
            client.board("a/b").create(exist_ok=True)

    async def program() -> trestle.Reply:
        async with trestle.aio.connect(daemon.endpoint) as client:
            return await client.board("board").create(exist_ok=True)

    assert asyncio.run(program()).unchanged


def test_import(daemon: Daemon) -> None:
    rows: list[Any] = [{"id": f"r-{n}", "title": f"Dish {n}", "section": "menu", "fields": {"price": str(n)}} for n in range(1200)]
    seen: list[int] = []
    with daemon.connect() as client:
        client.board("board").create()
        assert client.import_rows("board", rows, progress=seen.append) == 1200
        assert seen == sorted(seen) and seen[-1] == 1200 and len(seen) > 2
        assert [row.id for row in client.read("board")] == [row["id"] for row in rows]
        with pytest.raises(refusals.Exists) as why:
            client.import_rows("board", [*({"title": "new"} for _ in range(300)), rows[7]])
        assert why.value.command == 300
        more = [*rows, {"id": "last"}]
        assert client.import_rows("board", more, exist_ok=True) == 1
        big = [{"title": "x" * 4000, "fields": {"a": "y" * 4000}} for _ in range(300)]
        assert client.import_rows("board", big) == 300, "more bytes than a request may have"
        with pytest.raises(TypeError):
            client.import_rows("board", [{"name": "Soup"}])

    async def program() -> int:
        async with trestle.aio.connect(daemon.endpoint) as client:
            return await client.import_rows("board", ({"title": f"{n}"} for n in range(700)), progress=seen.append)

    assert asyncio.run(program()) == 700 and seen[-1] == 700


def table_of(daemon: Daemon) -> trestle.Table:
    with daemon.connect(name="ada") as client:
        board = client.board("board")
        board.create()
        board.add("Soup", id="soup", section="grill", fields={"table": "12", "late": "yes"})
        board.add("Tea", id="tea", section="bar")
        board.claim("tea")
        return client.read("board")


def test_rows_as_dictionaries(daemon: Daemon) -> None:
    soup, tea = table_of(daemon).to_dicts()
    assert (soup["id"], soup["section"], soup["fields"]) == ("soup", "grill", {"table": "12", "late": "yes"})
    assert tea["claimed_by"] == "ada" and soup["claimed_by"] is None and soup["created_ms"] > 1_000_000


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_rows_as_a_frame(daemon: Daemon, library: str) -> None:
    pytest.importorskip(library)
    table = table_of(daemon)
    frame = getattr(table, f"to_{library}")()
    assert list(frame["id"]) == ["soup", "tea"] and frame.shape[0] == 2
    assert list(frame.columns)[-2:] == ["field.late", "field.table"] and list(frame["field.table"])[0] == "12"
    assert getattr(trestle.Table("none"), f"to_{library}")().shape[0] == 0


def test_the_plugin_of_pytest(daemon: Daemon, tmp_path: Path) -> None:
    project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["pytest11"] == {"trestle": "trestle.pytest_plugin"}
    (tmp_path / "test_it.py").write_text("""
def test_soup(trestled):
    with trestled.connect(name="ada") as client:
        client.board("kitchen").create()
        client.board("kitchen").add("Soup")
        trestled.kill()
        trestled.start()
        assert [row.title for row in client.read("kitchen")] == ["Soup"]
""")
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "trestle.pytest_plugin", "-p", "no:cacheprovider", tmp_path],
        env=os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "TRESTLE_BIN": str(BIN)}, capture_output=True, text=True)
    assert ran.returncode == 0 and "1 passed" in ran.stdout, ran.stdout + ran.stderr


def test_kinds_can_be_sent_back_as_they_are(daemon: Daemon, tmp_path: Path) -> None:
    """By this client, in either form, and by the command line in the form of its files. It changes nothing."""
    trestle_program = [str(BIN / "trestle"), "--endpoint", daemon.endpoint]
    kept = tmp_path / "kinds.json"
    with daemon.connect() as client:
        board = client.board("board")
        board.create()
        subprocess.run([*trestle_program, "define", "board", ROOT / "examples" / "kitchen.yaml"], check=True)
        printed = subprocess.run([*trestle_program, "kinds", "board", "-o", "json"], check=True, capture_output=True)
        kept.write_bytes(printed.stdout)
        found = board.kinds()["kinds"]
        assert board.define(**found).unchanged
        assert b"unchanged" in subprocess.run(
            [*trestle_program, "define", "board", kept], check=True, capture_output=True).stdout
        for said in (board.kinds(), json.loads(kept.read_text()), json.loads(kept.read_text())["kinds"]):
            assert board.define(said).unchanged
        with pytest.raises(refusals.Malformed) as why:
            client.wait(client.submit("command", {"define": {"kinds": [{"id": "row", "tap": [{"set": {"a": "b"}}]}]}}, "board"))
        assert why.value.field == "command.define.kinds[0].tap[0].set.a"
