"""The examples, packages outside of Trestle. `make examples` builds them.

`board-watcher` follows a real daemon. `board-model` brings no connection: it hears what docs/PROTOCOL.md prints.
"""

import json
import os
import pathlib
import re
import subprocess

import pytest

from harness import eventually

ROOT = pathlib.Path(__file__).parents[2]
WATCHER = ROOT / ".build/unit/debug/board-watcher"
MODEL = ROOT / ".build/unit/debug/board-model"


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


def printed(socket):
    """What the conversation of the protocol's page receives by this socket."""
    part = (ROOT / "docs/PROTOCOL.md").read_text().split("### A conversation", 1)[1].split("\n### ", 1)[0]
    whole = re.sub(r"\n {13}(?=\S)", "", part)
    found, at = [], ""
    for line in whole.split("\n"):
        if start := re.match(r"    (DEALER|SUB   |      ) ([→←]) (.*)", line):
            at = start[1].strip() or at
            if at == socket and start[2] == "←" and start[3].startswith("{"):
                found.append(json.loads(start[3]))
    return found


def test_the_model_of_an_app_shows_what_it_hears():
    if not MODEL.exists() and not os.environ.get("CI"):
        pytest.skip("there is no board-model: make examples")
    welcome, diff, heartbeat = printed("SUB")[:3]
    snapshot = next(one for one in printed("DEALER") if "snapshot" in one) | {"client": "p-1", "number": (1 << 40) + 1}
    refused = {"ok": False, "client": "p-1", "number": 1, "epoch": welcome["epoch"],
               "error": {"code": "paused", "message": "not now"}}
    said = [("pub j/board/", welcome), ("reply", snapshot), ("pub j/board/", diff), ("pub j/board/", heartbeat)]
    lines = [f"{head} {json.dumps(body)}" for head, body in said] + ["add Cake", f"reply {json.dumps(refused)}", "pub j/board/ {"]
    done = subprocess.run([MODEL, "board"], input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=20)
    assert done.returncode == 0, done.stderr
    out = done.stdout.split("\n")
    assert out[0] == "→ follow board" and '"snapshot":{' in out[1], out
    assert [line for line in out if line.startswith("live")] == [
        "live: Soup at 0, 60 high; Tea at 60, 60 high", "live: Tea at 0, 60 high; Soup at 60, 60 high"], out
    asked = json.loads(next(line for line in out if "Cake" in line).removeprefix("→ request "))
    assert asked["command"]["add"]["title"] == "Cake" and (asked["client"], asked["number"], asked["opened"]) == ("p-1", 1, 1)
