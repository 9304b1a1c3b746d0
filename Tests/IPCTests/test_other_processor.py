"""Programs for one processor read what those for another have written: tables, backups, and the journal of a standby.

TRESTLE_OTHER_BIN has the same programs for another processor, which start here too. `make arm64` sets it.
"""

import os
import sys
from pathlib import Path

import pytest

from harness import BIN, Daemon, ask_raw, cli
from test_standby import Pair, digests, fill

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Fixtures"))
from make_release import VERBS, request, run  # noqa: E402

OTHER = Path(os.environ.get("TRESTLE_OTHER_BIN", ""))

pytestmark = [
    pytest.mark.skipif(not OTHER.name, reason="TRESTLE_OTHER_BIN names no programs for another processor"),
    pytest.mark.bound(240, 600)]


@pytest.fixture(params=["from the other", "to the other"])
def pair_of_programs(request):
    return [OTHER, BIN] if request.param == "from the other" else [BIN, OTHER]


def machine(program):
    """The number of the processor that the ELF file is for."""
    return int.from_bytes(program.read_bytes()[18:20], "little")


def everything(daemon):
    """What a daemon says of its tables, all but the seconds that pass."""
    tables = daemon.tables()
    return {
        "tables": {name: (table.get("revision", 0), table["digest"], table["history"]) for name, table in tables.items()},
        "rows": {name: daemon.ask("snapshot", {}, name)["snapshot"].get("slices", []) for name in tables},
        "histories": {name: daemon.ask("history", {}, name)["changes"]["changes"] for name in tables},
    }


def work(daemon):
    """A table of each sort of change, as in the fixture of a release."""
    assert cli(daemon, "create", "board").returncode == 0
    for line in VERBS.strip().split("\n"):
        run(daemon, line)


def test_the_programs_are_for_two_processors():
    assert machine(BIN / "trestled") != machine(OTHER / "trestled")


def test_a_state_directory(make_daemon, pair_of_programs):
    """It goes from one to the other and back, with a kill before each way; answers are remembered, and work goes on."""
    daemon = make_daemon(start=False)
    # No deadline passes between two looks.
    daemon.flags = ["--virtual-clock"]
    daemon.programs = pair_of_programs[0]
    daemon.start()
    work(daemon)
    asked = [request(n, "board", command={"add": {"id": f"n{n}", "title": f"Row {n}"}}).encode() for n in range(1, 4)]
    answers = [ask_raw(daemon, text) for text in asked]
    before = everything(daemon)
    for programs in [*reversed(pair_of_programs), pair_of_programs[1]]:
        daemon.kill()
        daemon.programs = programs
        daemon.start()
        assert everything(daemon) == before
        assert [ask_raw(daemon, text) for text in asked] == answers
        assert daemon.do("board", undo={})["ok"]
        assert daemon.do("board", add={"title": f"by {programs}", "section": "grill"})["ok"]
        assert daemon.ask("check")["ok"]
        before = everything(daemon)


def test_a_backup(make_daemon, pair_of_programs):
    first, second = make_daemon(start=False), make_daemon(start=False)
    for daemon, programs in zip([first, second], pair_of_programs):
        daemon.flags = ["--virtual-clock"]
        daemon.programs = programs
        daemon.start()
    work(first)
    path = str(first.directory / "all.backup")
    assert cli(first, "backup", path).returncode == 0
    done = cli(second, "restore", path)
    assert done.returncode == 0, done.stderr
    assert {name: one["digest"] for name, one in second.tables().items()} == {
        name: one["digest"] for name, one in first.tables().items()}


def test_a_standby(pair_of_programs):
    """One follows the other: a copy of the checkpoint, then the entries. Then it is promoted, and followed by the first."""
    pair = Pair(start=False)
    try:
        for daemon, programs in zip(pair.all, pair_of_programs):
            daemon.programs = programs
        pair.first.start()
        fill(pair.first, rows=300)
        pair.follow()
        fill(pair.first, rows=50, first=300)
        pair.caught_up()
        assert digests(pair.first) == digests(pair.standby)
        pair.first.kill()
        assert (promotion := pair.promoted())["term"] == 2 and promotion.get("missing", 0) == 0
        pair.first, pair.standby = pair.standby, pair.first
        fill(pair.first, rows=50, first=350)
        pair.follow()
        assert digests(pair.first) == digests(pair.standby)
        assert all(one.ask("check")["ok"] for one in pair.all)
    finally:
        pair.close()
