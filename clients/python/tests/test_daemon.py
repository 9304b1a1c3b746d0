"""The client at the real daemon: what a program does with it."""

import os
import shutil
import signal
import time
from collections.abc import Callable

import pytest
from daemon import Daemon

import trestle


def test_rows_and_refusals(daemon: Daemon) -> None:
    with daemon.connect(name="ada") as client:
        board = client.board("board")
        board.create()
        assert board.add("Soup", id="t41", section="grill", fields={"table": "12"}).revision == 1
        made = board.add("Tea").row
        landing = board.move(made, top=True, section="grill").rows[0]
        assert (landing.section, landing.index) == ("grill", 0)
        table = client.read("board")
        assert [row.title for row in table.rows("grill")] == ["Tea", "Soup"] and table["t41"].fields["table"] == "12"
        with pytest.raises(trestle.Refused) as why:
            board.remove("t99")
        assert (why.value.code, why.value.field) == ("noSuchRow", "command.remove.rows")
        assert str(why.value) == 'noSuchRow: There is no row "t99". (command.remove.rows)'
        with pytest.raises(trestle.Refused, match="stale"):
            board.when(version=77).set("t41", title="Stew")
        with pytest.raises(trestle.NoTable):
            client.read("nobody")


def test_conditions_hold_wherever_they_stand(daemon: Daemon) -> None:
    with daemon.connect(name="ada") as client:
        board = client.board("board")
        board.create()
        first = board.add("Soup", id="t41").revision
        board.add("Tea", id="t42")
        batch = trestle.Batch()
        batch.set("t41", title="Stew")
        stale: list[Callable[[], object]] = [
            lambda: board.when(revision=first).when(version=first).set("t41", title="Stew"),
            lambda: board.when(version=77).trial.set("t41", title="Stew"),
            lambda: board.when(if_='title == "Cake"').set("t41", title="Stew"),
            lambda: board.when(if_="count(rows) > 2").add("Cake"),
            lambda: board.when(revision=first).batch(batch),
            lambda: board.batch(batch, if_revision=first)]
        for command in stale:
            with pytest.raises(trestle.Refused, match="stale"):
                command()
        with pytest.raises(trestle.Refused, match="notClaimed"):
            board.when(claimed=True).when(version=first).set("t41", title="Stew")
        here = board.when(revision=client.read("board").revision)
        assert here.when(version=first).trial.set("t41", title="Stew").ops
        lease = board.lift("t41").lease
        impossible: list[Callable[[], object]] = [
            here.drop, here.create, lambda: here.drop_at(lease, top=True), lambda: here.lift("t42"),
            lambda: board.when(version=first).batch(batch), lambda: here.when(claimed=True).batch(batch)]
        for command in impossible:
            with pytest.raises(ValueError, match="cannot have a condition: if"):
                command()
        board.cancel(lease)
        assert here.batch(batch).revision == first + 2, "nothing else was carried out"
        assert board.when(if_='title == "Stew" and not claimed').set("t41", title="Broth").revision == first + 3


def test_the_daemon_finds_rows(daemon: Daemon) -> None:
    with daemon.connect(name="ada") as client:
        board = client.board("found")
        board.create()
        for number in range(4):
            board.add("Soup", id=f"r{number}", fields={"qty": str(number)}, section="abba"[number])
        found = board.query('field.qty > 0', sort="-field.qty", most=2, by="section", sum="field.qty")["found"]
        assert (found["count"], found["sum"]) == (3, 6)
        assert [(row["id"], row["section"], row["index"]) for row in found["rows"]] == [("r3", "a", 1), ("r2", "b", 1)]
        assert sorted((one["text"], one["rows"], one["sum"]) for one in found["groups"]) == [("a", 1, 3), ("b", 2, 3)]
        assert board.query(sections=["b"])["found"]["count"] == 2


def test_conditions_of_one_command_of_a_batch(daemon: Daemon) -> None:
    with daemon.connect(name="ada") as client:
        board = client.board("board")
        board.create()
        version = board.add("Soup", id="t41").revision
        batch = trestle.Batch()
        batch.add("Tea", id="t42")
        batch.when(version=version).set("t41", title="Stew")
        assert len(batch.commands) == 2 and "ifVersion" not in batch.commands[0]
        board.batch(batch)
        for condition in ({"version": version}, {"claimed": True}):
            batch = trestle.Batch()
            batch.add("Cake", id="t43")
            batch.when(**condition).set("t41", title="Broth")
            with pytest.raises(trestle.Refused, match="stale|notClaimed") as why:
                board.batch(batch)
            assert why.value.command == 1
        batch = trestle.Batch()
        batch.when(version=version).claim("t41")
        with pytest.raises(trestle.Refused, match="badValue"):
            board.batch(batch)
        table = client.read("board")
        assert [row.title for row in table] == ["Stew", "Tea"] and table["t41"].claim is None


@pytest.mark.parametrize("hours", [2, -2])
def test_rows_age_by_the_daemons_time(daemon: Daemon, hours: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where this machine's clock is two hours off, which is known within two heartbeats."""
    right = time.time
    with daemon.connect() as client:
        board = client.board("board")
        board.create()
        board.add("Soup", id="t1")
        monkeypatch.setattr(time, "time", lambda: right() + hours * 3600)
        with client.follow("board") as viewer:
            table = viewer.joined()
            end = time.monotonic() + 10
            while abs(viewer.clock_ahead - hours * 3600) > 1 and time.monotonic() < end:
                viewer.next(0.2)
            assert abs(viewer.clock_ahead - hours * 3600) < 1
            assert 0 <= viewer.time_ms - table["t1"].created_ms < 15_000


def test_a_viewer_sees_each_revision(daemon: Daemon) -> None:
    with daemon.connect() as client, daemon.connect(name="eve") as other:
        board = other.board("board")
        with client.follow("board") as viewer:
            assert viewer.freshness() == "disconnected"
            assert viewer.next(5) == trestle.Absent() and viewer.freshness() == "absent"
            board.create()
            assert isinstance(viewer.next(5), trestle.Joined)
            board.add("Soup", id="t41")
            board.set("t41", title="Stew")
            first, second = viewer.next(5), viewer.next(5)
            assert isinstance(first, trestle.Change) and (first.verb, first.actor, first.rows) == ("add", "eve", ["t41"])
            assert isinstance(second, trestle.Change) and second.revision == 2
            assert viewer.table and viewer.table["t41"].title == "Stew" and viewer.freshness() == "live"
            board.drop()
            assert viewer.next(5) == trestle.Absent() and viewer.table is None


def test_a_dropped_table_is_put_back_from_a_copy(daemon: Daemon) -> None:
    state, copy = daemon.directory / "state", daemon.directory / "copy"
    with daemon.connect(patience=0.2) as client, client.follow("board") as viewer:
        board = client.board("board")
        board.create()
        history = viewer.joined().history
        daemon.kill()
        shutil.copytree(state, copy)
        daemon.start()
        board.drop()
        while viewer.table:
            viewer.next(5)
        daemon.kill()
        shutil.rmtree(state)
        copy.rename(state)
        daemon.start()
        assert viewer.joined(10).history == history


def guests_of(daemon: Daemon, tables: str) -> None:
    """This user may read these tables, and nobody anything else."""
    daemon.config.write_text(f"guests:\n  - users: [{os.getuid()}]\n    tables: [{tables}]\n    roles: [operator]\n")


def test_a_table_that_may_not_be_read_is_refused_and_not_waited_for(daemon: Daemon) -> None:
    with daemon.connect() as client:
        for table in ("board", "secret"):
            client.board(table).create()
        with client.follow("secret") as viewer:
            viewer.joined()
            guests_of(daemon, "board")
            assert daemon.process
            daemon.process.send_signal(signal.SIGHUP)
            with pytest.raises(trestle.Refused, match="notAllowed"):
                viewer.until(lambda table: False)
        with client.follow("board") as viewer:
            viewer.joined()
        for table in ("secret", "none"):
            with client.follow(table) as viewer, pytest.raises(trestle.Refused, match="notAllowed"):
                viewer.joined()
        with pytest.raises(trestle.Refused, match="notAllowed"):
            client.handle("secret", None, lambda job: None)
        with pytest.raises(trestle.Refused, match="notAllowed"):
            client.read("secret")


def test_who_is_turned_away_at_once_is_told_so(daemon: Daemon) -> None:
    """There is no such role, so that the daemon takes not even `hello`."""
    with trestle.connect(daemon.endpoint, timeout=30.0, behalf=trestle.Behalf("grill", "cook")) as client:
        with client.follow("board") as viewer, pytest.raises(trestle.Refused, match="behalf.role"):
            viewer.joined()
        for _ in range(2):
            with pytest.raises(trestle.Refused, match="behalf.role"):
                client.board("board").create()


def test_a_table_that_does_not_come_is_no_silence(daemon: Daemon) -> None:
    with daemon.connect() as client, client.follow("none") as viewer, pytest.raises(trestle.NoTable):
        viewer.joined(0.5)


def test_on_behalf_of_others(daemon: Daemon) -> None:
    def as_one(name: str, role: str, *tables: str) -> trestle.Client:
        return trestle.connect(daemon.endpoint, timeout=30.0, behalf=trestle.Behalf(name, role, tables or None))

    with daemon.connect() as client, as_one("grill", "operator", "b*") as grill, \
            as_one("bar", "operator") as bar, as_one("wall", "viewer", "other") as wall:
        client.board("board").create()
        client.board("board").add("Tea")  # and the section, which an operator does not make
        mine = grill.board("board")
        mine.add("Soup", id="t41")
        mine.claim("t41")
        with pytest.raises(trestle.Refused, match="claimed"):
            bar.board("board").claim("t41")
        with pytest.raises(trestle.Refused, match="notAllowed"):
            mine.drop()
        with pytest.raises(trestle.Refused, match="notAllowed"):
            wall.read("board")
        claim = client.read("board")["t41"].claim
        assert claim and claim.holder == "grill"
