"""examples/board-watcher, a package outside of Trestle, follows a real daemon. `make examples` builds it."""

import os
import pathlib

import pytest

from harness import eventually

ROOT = pathlib.Path(__file__).parents[2]
WATCHER = ROOT / ".build/unit/debug/board-watcher"


@pytest.mark.bound(90)
def test_the_watcher_says_what_changes_and_whether_it_is_live(daemon):
    if not WATCHER.exists() and not os.environ.get("CI"):
        pytest.skip("there is no board-watcher: make examples")
    watcher = daemon.beside_it([WATCHER, daemon.endpoint, "board"], "watcher")

    def said():
        return watcher.path.read_text().split("\n")[:-1]

    eventually(lambda: "no such table" in said(), 15)
    daemon.ask("create", {}, "board")
    eventually(lambda: said()[-2:] == ["revision 0: 0 rows", "live"], 15)
    for id, title in (("t41", "Soup"), ("t42", "Tea")):
        assert daemon.ask("command", {"add": {"id": id, "title": title}}, "board")["ok"]
    daemon.do("board", move={"rows": ["t42"], "top": True})
    eventually(lambda: said()[-1].startswith("revision 3: "), 15)
    assert [line.split(":")[0] for line in said()[-3:]] == [f"revision {n}" for n in (1, 2, 3)]
    assert 'added "Soup"' in said()[-3] and 'moved "Tea"' in said()[-1], said()
    daemon.kill()
    eventually(lambda: said()[-1] == "stale", 15)
    daemon.start()
    eventually(lambda: "after a restart: same" in said() and said()[-1] == "live", 15)
    daemon.do("board", remove={"rows": ["t41"]})
    eventually(lambda: said()[-1].startswith("revision 4: "), 15)
    assert watcher.poll() is None


def test_what_the_tutorial_shows_is_the_program():
    """The lines that the library's documentation explains are those of the example."""
    program = (ROOT / "examples/board-watcher/Sources/board-watcher/main.swift").read_text()
    page = (ROOT / "Sources/TableClient/TableClient.docc/YourFirstViewer.md").read_text()
    for line in ("import TableClient", "for step in try follower.next(withinMilliseconds: 1_000) {",
                 "guard let table = follower.replica.table else { continue }",
                 "revision \\(table.revision): \\(table.count) rows", "follower.sentence(about: diff)"):
        assert line in program and line in page, line
    assert len([line for line in program.split("\n") if line.strip()]) <= 45
    package = (ROOT / "examples/board-watcher/Package.swift").read_text()
    for line in ('.package(name: "trestle", path: "../..")', '.product(name: "TableClient", package: "trestle")'):
        assert line in package and line in page, line
