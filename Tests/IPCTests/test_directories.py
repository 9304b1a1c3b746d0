"""What others may not touch: the state directory, the journal's files, the sockets' directories."""

import os
import signal
import subprocess
import time

import pytest

from harness import eventually
from test_backup import Restorer
from test_big import load


def refused(daemon, code, **more):
    """The daemon leaves within a second, with a sentence and a code."""
    daemon.log.touch()
    begin = time.monotonic()
    done = subprocess.run(daemon.command(), capture_output=True, text=True, timeout=10, **more)
    assert done.returncode == code and time.monotonic() - begin < 2, done
    print(done.stderr)
    return done.stderr


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702])
def test_a_state_directory_that_others_may_change_is_refused(make_daemon, mode):
    daemon = make_daemon(start=False)
    daemon.state.mkdir()
    daemon.state.chmod(mode)
    text = refused(daemon, 77)
    assert f"chmod go-w {daemon.state}" in text and oct(mode)[2:] in text
    assert list(daemon.state.iterdir()) == []
    daemon.state.chmod(0o750)
    daemon.start()
    assert daemon.ask("create", {}, "board")["ok"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a directory away")
def test_a_state_directory_of_somebody_else_is_refused(make_daemon):
    daemon = make_daemon(start=False)
    daemon.state.mkdir(mode=0o700)
    os.chown(daemon.state, 12345, 12345)
    text = refused(daemon, 77)
    assert "12345" in text and "chown" in text


def modes(daemon):
    return {file.name: oct(file.stat().st_mode & 0o777) for file in daemon.state.iterdir()}


def test_the_journals_files_are_its_owners_alone(make_daemon):
    """Whatever the umask, and those of a daemon of before too."""
    daemon = make_daemon(start=False)
    old = os.umask(0)
    try:
        daemon.start()
    finally:
        os.umask(old)
    daemon.ask("create", {}, "board")
    assert set(modes(daemon)) >= {"journal", "log-0000000000000001", "acknowledged", "lock"}
    assert set(modes(daemon).values()) == {"0o600"}
    daemon.kill()
    for file in daemon.state.iterdir():
        file.chmod(0o644)
    other = daemon.state / "notes.txt"
    other.write_text("not the daemon's")
    other.chmod(0o644)
    daemon.start()
    assert modes(daemon).pop("notes.txt") == "0o644"
    assert {mode for name, mode in modes(daemon).items() if name != "notes.txt"} == {"0o600"}
    assert daemon.state.stat().st_mode & 0o777 == 0o700 and "board" in daemon.tables()


@pytest.mark.parametrize("name", ["request.sock", "publish.sock"])
@pytest.mark.parametrize("what", ["file", "directory", "link", "fifo"])
def test_only_a_socket_is_replaced(make_daemon, name, what):
    daemon = make_daemon(start=False)
    path = daemon.directory / name
    {"file": lambda: path.write_text("precious"), "directory": path.mkdir,
     "link": lambda: path.symlink_to("/etc/passwd"), "fifo": lambda: os.mkfifo(path)}[what]()
    text = refused(daemon, 73)
    assert f"{path} is there and is no socket" in text
    assert what != "file" or path.read_text() == "precious"
    path.rmdir() if what == "directory" else path.unlink()
    daemon.start()


def test_a_socket_is_not_taken_from_a_daemon_whose_lock_was_removed(make_daemon):
    first = make_daemon()
    first.ask("create", {}, "board")
    for lock in first.directory.glob("*.lock"):
        lock.unlink()
    second = make_daemon(start=False)
    second.endpoint = first.endpoint
    text = refused(second, 73)
    assert "another process serves" in text and "request.sock" in text
    assert "board" in first.tables()
    # A stopped one does not answer, and serves all the same.
    for lock in first.directory.glob("*.lock"):
        lock.unlink()
    first.process.send_signal(signal.SIGSTOP)
    assert "another process serves" in refused(second, 73)
    first.process.send_signal(signal.SIGCONT)
    assert "board" in first.tables()
    # One that is gone leaves its sockets to the next.
    first.kill()
    second.start()


def test_a_socket_in_a_directory_that_others_may_change_is_refused(make_daemon):
    daemon = make_daemon(start=False)
    daemon.directory.chmod(0o777)
    assert f"chmod go-w {daemon.directory}" in refused(daemon, 73)
    daemon.directory.chmod(0o1777)  # as /tmp
    daemon.start()


def test_the_log_names_where_it_serves(make_daemon):
    daemon = make_daemon()
    ready = next(line for line in daemon.tail().splitlines() if "ready" in line)
    for what in (daemon.endpoint, f"ipc://{daemon.directory}/publish.sock", str(daemon.state)):
        assert what in ready, ready


@pytest.mark.bound(120, 200)
def test_a_restore_that_was_let_go_leaves_the_disk(make_daemon):
    """Its parts leave the journal at once, and the next one's take their place."""
    old, new = make_daemon(), make_daemon()
    load(old, "big", 15_000)
    parts = Restorer(old).backup()
    new.ask("create", {}, "board")
    sizes = []
    for _ in range(6):
        restorer = Restorer(new)
        for index, part in enumerate(parts):
            assert restorer.part(index, part)["ok"]
        staged = new.stats()["gauges"]["journal_entries"]
        assert staged > len(parts) / 2
        assert restorer.part(len(parts), "AAAA")["error"]["code"] == "malformed"
        eventually(lambda: new.stats()["gauges"]["journal_entries"] < 10, 20)
        sizes.append(new.stats()["gauges"]["journal_bytes"])
    print(f"{len(parts)} parts of {sum(map(len, parts)) * 3 // 4} bytes; the journal: {sizes}")
    assert sizes[5] <= sizes[3] * 1.1, sizes  # the pages of the first ones are used again
    new.restart()
    assert "board" in new.tables() and new.ask("check")["ok"]
