"""Makes the fixture of a release, once, with the programs of that release:

    TRESTLE_BIN=… .venv/bin/python Tests/Fixtures/make_release.py Tests/Fixtures/X.Y

What is written then must never be changed: test_releases.py holds every later program against it.
"""

import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/IPCTests"))

from harness import BIN, Daemon, ask_raw, cli, eventually  # noqa: E402

VERBS = """
define board {kitchen}
add board|Ribeye, medium|--id|t41|--kind|ticket|--section|grill|--field|table=12
add board|Fries — 天ぷら|--id|t42|--kind|ticket|--section|fry
add board|Salad|--id|t43|--section|cold
add board|Soup|--id|t44|--kind|ticket|--section|grill
move board|t44|--before|t41
expand board|t41|--toggle
swipe board|t42|--trailing
act board|t41|page
claim board|t42|--note|calling them back|--ttl|86400
remove board|t43
undo board
create courses
define courses {menu}
import courses|{rows}
section courses|late|--title|Late
set courses|{first}|--title|Changed
"""


def request(number, table, **body):
    return json.dumps({"client": "release", "number": number, "opened": 0, "table": table, **body})


def run(daemon, line):
    words = line.replace("|", "\0").replace(" ", "\0", 1).split("\0")
    verb, table = words[0], words[1].split(" ")
    first = json.loads((ROOT / "examples/menu.ndjson").read_text().splitlines()[0])["id"]
    places = {"kitchen": str(ROOT / "examples/kitchen.yaml"), "menu": str(ROOT / "examples/menu.yaml"),
              "rows": str(ROOT / "examples/menu.ndjson"), "first": first}
    arguments = [word.format(**places) for word in [*table, *words[2:]]]
    done = cli(daemon, verb, *arguments, "--as", "ada")
    assert done.returncode == 0, (line, done.stdout, done.stderr)


def pack(path, folder, name):
    """The same files give the same archive."""
    def plain(info):
        info.uid = info.gid = info.mtime = 0
        info.uname = info.gname = ""
        return None if "__pycache__" in info.name else info

    with tarfile.open(path, "w:xz") as archive:
        archive.add(folder, name, filter=plain)


def main():
    out = Path(sys.argv[1])
    out.mkdir(parents=True)
    daemon, session = Daemon(), None
    try:
        daemon.start()
        assert cli(daemon, "create", "board").returncode == 0
        session = subprocess.Popen(
            [BIN / "trestle", "-e", daemon.endpoint, "record", "board", out / "board.session"],
            stdout=subprocess.DEVNULL)
        eventually(lambda: (out / "board.session").exists()
                   and (out / "board.session").stat().st_size, 10)
        for line in VERBS.strip().split("\n"):
            run(daemon, line)
        asked = [request(1, "board", command={"add": {"id": "r1", "title": "One"}}),
                 request(2, "board", command={"add": {"id": "r1", "title": "Two"}}),
                 request(3, "board", command={"move": {"rows": ["r1"], "top": True}}),
                 request(4, "new", create={})]
        answers = [{"request": text, "reply": ask_raw(daemon, text.encode())} for text in asked]
        assert cli(daemon, "backup", str(out / "all.backup")).returncode == 0
        session.terminate()
        assert session.wait(10) == 0
        (out / "release.json").write_text(json.dumps({
            "version": daemon.hello["version"], "protocol": daemon.hello["protocol"],
            "tables": daemon.tables(),
            "snapshots": {name: daemon.ask("snapshot", {}, name)["snapshot"].get("slices", [])
                          for name in daemon.tables()},
            "history": daemon.ask("history", {}, "board")["changes"],
            "requests": answers}, ensure_ascii=False, indent=1) + "\n")
        daemon.kill()
        pack(out / "state.tar.xz", daemon.state, "state")
        pack(out / "client.tar.xz", ROOT / "clients/python/src/trestle", "trestle")
    except BaseException:
        shutil.rmtree(out)
        raise
    finally:
        if session and session.poll() is None:
            session.kill()
        daemon.close()


if __name__ == "__main__":
    main()
