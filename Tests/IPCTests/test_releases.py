"""What a release has left behind: its state directory, its backup, its recording, its client. These
programs open all of it. What is of a newer program than this one is refused with a sentence.

make_release.py in Tests/Fixtures makes a fixture with the programs of a release.
"""

import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
import xxhash

from harness import HERE, ask_raw, cli

RELEASES = sorted((HERE.parent / "Fixtures").glob("[0-9]*"))


@pytest.fixture(params=RELEASES, ids=lambda path: path.name)
def release(request):
    return request.param


def written(release):
    return json.loads((release / "release.json").read_text())


def unpack(archive, folder):
    with tarfile.open(archive) as file:
        file.extractall(folder, filter="data")


@pytest.fixture
def old_state(make_daemon, release):
    daemon = make_daemon(start=False)
    shutil.rmtree(daemon.state, ignore_errors=True)
    unpack(release / "state.tar.xz", daemon.directory)
    daemon.state.chmod(0o700)
    # The release's deadlines are long over, and must not end anything here.
    daemon.flags = ["--virtual-clock"]
    return daemon


def has(new, old, where=""):
    """What an old program reads is still said, and means the same; more may be said."""
    if isinstance(old, dict):
        assert isinstance(new, dict), where
        for key, value in old.items():
            assert key in new, f"{where}.{key} is gone"
            has(new[key], value, f"{where}.{key}")
    elif isinstance(old, list):
        assert isinstance(new, list) and len(new) == len(old), where
        for index, (one, other) in enumerate(zip(new, old)):
            has(one, other, f"{where}[{index}]")
    else:
        assert new == old, where


def test_its_state_directory(old_state, release):
    """Tables, histories and remembered answers, also after another start; then work goes on."""
    expected = written(release)
    for _ in range(2):
        old_state.start()
        has(old_state.tables(), expected["tables"])
        for table, slices in expected["snapshots"].items():
            has(old_state.ask("snapshot", {}, table)["snapshot"].get("slices", []), slices, table)
        history = old_state.ask("history", {}, "board")["changes"]
        for change in history["changes"]:
            # The sentence names the user beside the name that was said, and the members are those of then.
            change["text"] = re.sub(r"^(\S+) \([^)]*\) ", r"\1 ", change["text"])
        # How long it is kept is the daemon's setting, and not the state's.
        history["keepsSeconds"] = expected["history"]["keepsSeconds"]
        has(history, expected["history"])
        for one in expected["requests"]:
            has(ask_raw(old_state, one["request"].encode()), one["reply"])
        assert old_state.ask("check")["ok"]
        old_state.kill()
    old_state.start()
    before = old_state.tables()["board"]["revision"]
    assert old_state.do("board", undo={})["ok"]
    assert old_state.tables()["board"]["revision"] == before + 1


def test_its_backup(daemon, release):
    daemon.kill()
    daemon.flags = ["--virtual-clock"]
    daemon.start()
    path = str(release / "all.backup")
    assert cli(daemon, "restore", "--check", path).returncode == 0
    done = cli(daemon, "restore", path)
    assert done.returncode == 0, done.stderr
    expected = written(release)["tables"]
    digests = {name: table["digest"] for name, table in daemon.tables().items()}
    assert digests == {name: table["digest"] for name, table in expected.items()}


def test_its_recording(daemon, release):
    """Replayed into a daemon, each digest is what the old daemon had."""
    daemon.kill()
    daemon.flags = ["--virtual-clock"]
    daemon.start()
    session = str(release / "board.session")
    done = cli(daemon, "replay", session, "--into", daemon.endpoint, "--speed", "1000",
               timeout=50)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in Path(session).read_text().splitlines()]
    last = [line["change"] for line in lines if "change" in line][-1]
    assert daemon.tables()["board"]["digest"] == last["digest"]


CLIENT = """
import sys
import trestle

with trestle.connect(sys.argv[1], name="old") as client, client.follow("board") as viewer:
    board = client.board("board")
    board.create()
    tea = board.add("Tea", section="bar").row
    board.move(tea, top=True, section="grill")
    board.set(tea, title="Green tea")
    table = client.read("board")
    print([(row.section, row.title) for row in table], table.revision)
"""


def test_its_client(daemon, release, tmp_path):
    """The client in Python of that release writes and reads at this daemon; it checks each digest."""
    unpack(release / "client.tar.xz", tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", CLIENT, daemon.endpoint], capture_output=True, text=True, timeout=40,
        env={**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"})
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[('grill', 'Green tea')] 3"


def test_a_state_directory_of_a_newer_program(daemon):
    """The daemon ends with a sentence and leaves everything as it was."""
    assert daemon.ask("create", {}, "board")["ok"]
    daemon.kill()
    manifest = daemon.state / "journal"
    kind, form, log, _ = struct.unpack("<4Q", manifest.read_bytes())
    body = struct.pack("<3Q", kind, form + 1, log)
    manifest.write_bytes(body + struct.pack("<Q", xxhash.xxh64_intdigest(body)))

    def files():
        return {path.name: path.read_bytes() for path in daemon.state.iterdir() if path.name != "lock"}

    before = files()
    with pytest.raises(AssertionError, match="it ended"):
        daemon.start()
    assert daemon.process.returncode == 65
    assert "use the newer program" in daemon.tail(), daemon.tail()
    assert files() == before


def test_a_backup_of_a_newer_program(daemon, release, tmp_path):
    path = tmp_path / "newer.backup"
    path.write_bytes((release / "all.backup").read_bytes().replace(b"backup 1\n", b"backup 2\n", 1))
    done = cli(daemon, "restore", str(path))
    assert done.returncode == 65
    assert "is a backup of version 2; this program reads version 1" in done.stderr
    assert daemon.tables() == {}
