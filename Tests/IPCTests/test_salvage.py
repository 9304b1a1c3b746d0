"""A damaged state directory is salvaged into a new one: by the real programs."""

import os
import random
import re
import shutil
import stat
import subprocess

import pytest

from harness import BIN, full


def salvage(daemon, to, state=None):
    return subprocess.run(
        [BIN / "trestled", "salvage", state or daemon.state, "--to", to],
        capture_output=True, text=True, timeout=120, check=False)


def contents(directory):
    return {path.name: (path.read_bytes(), path.stat().st_mode) for path in directory.iterdir()}


def digests(daemon):
    """The tables by what they hold: revision, digest, rows."""
    return {name: (t.get("revision"), t.get("digest"), t.get("rows"))
            for name, t in daemon.tables().items()}


def history(daemon, commands):
    """Commands one by one; gives the tables after each commit, by the daemon's position."""
    states = {}
    for table, command in commands:
        reply = daemon.ask(command, {}, table) if command == "create" else daemon.do(table, **command)
        assert reply["ok"], reply
        states[daemon.ask("health")["health"]["position"]] = digests(daemon)
    return states


def some(count):
    """A table is made, and rows are changed."""
    yield "board", "create"
    yield "other", "create"
    for i in range(count):
        table = "board" if i % 3 else "other"
        yield table, {"add": {"id": f"r{i}", "title": "x" * (i * 7)}}


def serve_from(daemon, directory):
    daemon.state = directory
    daemon.start()


def test_flipped_bits_and_cuts_save_a_prefix(daemon):
    states = history(daemon, some(full(80, 40)))
    last = max(states)
    daemon.kill()
    kept, dice, ends = daemon.directory / "kept", random.Random(2026), set()
    shutil.copytree(daemon.state, kept)
    names = [path.name for path in kept.iterdir() if path.name != "lock" and path.stat().st_size]
    for trial in range(full(60, 10)):
        damaged, saved = daemon.directory / f"damaged{trial}", daemon.directory / f"saved{trial}"
        shutil.copytree(kept, damaged)
        # Mostly the log, which is most of it.
        name = dice.choice([n for n in names if n.startswith("log-")]) if trial % 3 else dice.choice(names)
        data = bytearray((damaged / name).read_bytes())
        used = len(bytes(data).rstrip(b"\0"))
        at = dice.randrange(used)
        if trial % 4 == 3:
            del data[at:]
        else:
            data[at] ^= 1 << dice.randrange(8)
        (damaged / name).write_bytes(data)
        before = contents(damaged)
        done = salvage(daemon, saved, damaged)
        assert contents(damaged) == before, "the damaged directory was changed"
        if done.returncode == 65:
            assert "Nothing can be saved" in done.stderr and not saved.exists(), (name, at, done)
            continue
        assert done.returncode == 0, (name, at, done.stderr)
        end = int(re.search(r"all up to commit (\d+)", done.stdout)[1])
        ends.add(end)
        if end < last:
            assert f"{end + 1}" in re.search(r"Missing: commits? (.*)", done.stdout)[1], done.stdout
            assert "Found: " in done.stdout
        serve_from(daemon, saved)
        assert daemon.ask("health")["health"]["position"] == end
        assert digests(daemon) == states.get(end, {}), (name, at, end)
        for table, (revision, _, rows) in states.get(end, {}).items():
            assert f"Table {table}: revision {revision or 0}, {rows or 0} row" in done.stdout
        daemon.kill()
    assert len(ends) > 2, ends


def test_what_is_refused(daemon):
    history(daemon, some(3))
    saved = daemon.directory / "saved"
    held = salvage(daemon, saved)
    assert held.returncode == 73 and f"in use by process {daemon.process.pid}" in held.stderr
    daemon.kill()
    saved.mkdir()
    assert salvage(daemon, saved).returncode == 73
    assert list(saved.iterdir()) == []
    inside = salvage(daemon, daemon.state / "inside")
    assert inside.returncode == 64 and "which is not changed" in inside.stderr
    assert salvage(daemon, daemon.directory / "x", daemon.directory / "nowhere").returncode == 66
    empty = daemon.directory / "empty"
    empty.mkdir()
    nothing = salvage(daemon, daemon.directory / "x", empty)
    assert nothing.returncode == 65 and "no journal in this directory" in nothing.stderr
    assert list(empty.iterdir()) == [] and not (daemon.directory / "x").exists()


def test_whole_directory_is_copied(daemon):
    states = history(daemon, some(5))
    daemon.kill()
    done = salvage(daemon, daemon.directory / "saved")
    assert done.returncode == 0 and "Nothing is missing" in done.stdout, done
    serve_from(daemon, daemon.directory / "saved")
    assert digests(daemon) == states[max(states)]


def test_a_torn_end_is_not_called_missing(daemon):
    """Where nothing says that somebody was told of it. A start leaves it out, too."""
    last = max(history(daemon, some(3)))
    daemon.kill()
    (daemon.state / "acknowledged").unlink()
    log = min(daemon.state.glob("log-*"))
    data = bytearray(log.read_bytes())
    data[len(bytes(data).rstrip(b"\0")) - 1] ^= 1
    log.write_bytes(data)
    done = salvage(daemon, daemon.directory / "saved")
    assert done.returncode == 0 and f"all up to commit {last - 1}" in done.stdout, done
    assert f"Commit {last} had begun; nobody is known to have been told of it." in done.stdout
    assert "Missing" not in done.stdout
    daemon.start()
    assert daemon.ask("health")["health"]["position"] == last - 1


def test_rollback_is_said_at_start(daemon):
    history(daemon, some(3))
    daemon.kill()
    older = daemon.directory / "older"
    shutil.copytree(daemon.state, older)
    daemon.start()
    assert "was served before" not in daemon.tail()
    history(daemon, [("board", {"add": {"id": f"later{i}"}}) for i in range(4)])
    position = daemon.ask("health")["health"]["position"]
    daemon.kill(15)
    shutil.rmtree(daemon.state)
    shutil.copytree(older, daemon.state)
    daemon.start()
    assert re.search(rf"is older than when it was served before: it ends at commit \d+, "
                     rf"and had {position}", daemon.tail()), daemon.tail()
    # It is said once: this is what it is now.
    daemon.kill(15)
    daemon.log.write_text("")
    daemon.start()
    assert "was served before" not in daemon.tail()
    daemon.kill(15)
    shutil.rmtree(daemon.state)
    daemon.start()
    assert "is empty, and had" in daemon.tail(), daemon.tail()


def test_a_rollback_is_said_after_a_reboot_too(daemon):
    """systemd gives a directory that lasts; what is beside the socket is gone with the reboot."""
    daemon.kill(15)
    cache = daemon.directory / "cache"
    cache.mkdir(mode=0o700)
    daemon.environment["CACHE_DIRECTORY"] = f"{cache}:/nowhere"
    (daemon.directory / "request.sock.seen").unlink()
    daemon.start()
    history(daemon, some(3))
    daemon.kill(15)
    older = daemon.directory / "older"
    shutil.copytree(daemon.state, older)
    daemon.start()
    history(daemon, [("board", {"add": {"id": f"later{i}"}}) for i in range(4)])
    position = daemon.ask("health")["health"]["position"]
    daemon.kill(15)
    shutil.rmtree(daemon.state)
    shutil.copytree(older, daemon.state)
    # There is one mark, and only its owner may look at it.
    assert list(daemon.directory.glob("*.seen")) == []
    assert [(path.name, path.stat().st_mode & 0o777) for path in cache.iterdir()] == [("trestled.seen", 0o600)]
    daemon.log.write_text("")
    daemon.start()
    assert re.search(rf"is older than when it was served before: .*, and had {position}", daemon.tail()), daemon.tail()


def test_where_no_mark_can_be_written_it_is_beside_the_socket(daemon):
    daemon.kill(15)
    (daemon.directory / "request.sock.seen").unlink()
    daemon.environment["CACHE_DIRECTORY"] = "/proc/nowhere"
    daemon.start()
    assert (daemon.directory / "request.sock.seen").exists()


def marks(daemon):
    """Where a mark is looked for first, and where then."""
    daemon.kill(15)
    cache = daemon.directory / "cache"
    cache.mkdir(mode=0o700)
    daemon.environment["CACHE_DIRECTORY"] = str(cache)
    (daemon.directory / "request.sock.seen").unlink()
    return cache / "trestled.seen", daemon.directory / "request.sock.seen"


@pytest.mark.parametrize("what", ["fifo", "directory", "symlink", "link", "device", "foreign"])
def test_what_others_put_in_place_of_the_mark_is_left_alone(daemon, what):
    """Where they may write in the directory. A FIFO that nobody reads does not keep the daemon waiting either."""
    if what in ("foreign", "device") and os.geteuid() != 0:
        pytest.skip("only root can give files away, and make devices")
    mark, other = marks(daemon)
    victim = mark.with_name("victim")
    victim.write_text("of somebody\n")
    if what == "fifo":
        os.mkfifo(mark)
    elif what == "directory":
        mark.mkdir()
    elif what == "symlink":
        mark.symlink_to(victim)
    elif what == "link":
        mark.hardlink_to(victim)
    elif what == "device":
        try:
            os.mknod(mark, 0o600 | stat.S_IFCHR, os.makedev(1, 3))
        except PermissionError:
            pytest.skip("no devices can be made here")
    else:
        mark.write_text("of somebody\n")
        os.chown(mark, 4001, 4001)
        mark.chmod(0o666)
    assert daemon.start() < 20
    assert daemon.ask("create", {}, "board")["ok"]
    daemon.kill(15)
    assert other.read_text().startswith("state "), "it is beside the socket"
    assert victim.read_text() == "of somebody\n"
    if what == "foreign":
        assert mark.read_text() == "of somebody\n"


def test_where_no_mark_is_its_own_it_starts_without(daemon):
    for mark in marks(daemon):
        os.mkfifo(mark)
    daemon.start()
    assert daemon.ask("create", {}, "board")["ok"]
    daemon.kill(15)
    for mark in daemon.directory.rglob("*.seen"):
        assert stat.S_ISFIFO(mark.stat().st_mode)
