"""Messages about a daemon that cannot be reached, and how soon they come; and a user's name."""

import json
import os
import pwd
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from cli_daemon import BIN

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "IPCTests"))
from runnable_by_all import runnable_by_all  # noqa: E402

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="runs the program as another user")


def run(endpoint, *arguments, user=None, group=None, environment=None):
    """Runs trestle, perhaps as another user; with how long it took."""
    began = time.monotonic()
    done = subprocess.run(
        [BIN / "trestle" if user is None else runnable_by_all(BIN / "trestle"), "-e", endpoint, *arguments],
        capture_output=True, timeout=60, cwd="/",
        env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", **(environment or {})}, user=user,
        group=group, extra_groups=None if user is None else [])
    return done, time.monotonic() - began


def test_a_socket_that_is_not_there_fails_at_once(tmp_path):
    path = tmp_path / "none.sock"
    for verb in (["tables"], ["add", "a", "b"], ["show", "a"], ["watch", "a"], ["rpc", "{}"],
                 ["wait", "a", "--until", "true"], ["handle", "a", "b", "--", "true"],
                 ["act", "a", "b", "c", "--wait"]):
        done, took = run(f"ipc://{path}", *verb)
        assert done.returncode == 69 and took < 2, verb
        assert done.stderr.decode() == (
            f"trestle: no daemon answers at ipc://{path}: there is no such socket\n")
    done, took = run(f"ipc://{path}", "-o", "json", "tables")
    assert done.returncode == 69 and json.loads(done.stdout)["error"]["code"] == "unreachable"


def test_a_path_is_absolute(tmp_path):
    """The daemon serves nowhere else: so a relative one is a word that is not understood."""
    for endpoint in ("ipc://rel", "ipc://rel/request.sock", "ipc://@name", "ipc://"):
        said = f'expected ipc:///path or tcp://host:port, found "{endpoint}": the path begins with a slash'
        done, _ = run(endpoint, "tables")
        assert (done.returncode, done.stderr.decode()) == (64, f"trestle: --endpoint: {said}\n")
        done = subprocess.run(
            [BIN / "trestle", "tables"], capture_output=True, env={"TRESTLE_ENDPOINT": endpoint})
        assert (done.returncode, done.stderr.decode()) == (64, f"trestle: TRESTLE_ENDPOINT: {said}\n")
    session = tmp_path / "a.session"
    session.write_text('{"session":1,"table":"board","atMs":1}\n')
    done, _ = run("ipc:///none", "replay", session, "--into", "ipc://rel")
    assert done.returncode == 64 and done.stderr.startswith(b"trestle: --into: expected ipc:///path")


def test_nobody_listens(tmp_path):
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(tmp_path / "left.sock"))
    (tmp_path / "file").write_text("")
    taken = socket.socket()
    taken.bind(("127.0.0.1", 0))
    for endpoint, why in ((f"ipc://{tmp_path}/left.sock", "nobody listens there"),
                          (f"ipc://{tmp_path}/file", "it is no socket"),
                          (f"tcp://127.0.0.1:{taken.getsockname()[1]}", "nobody listens there")):
        done, took = run(endpoint, "tables")
        assert (done.returncode, took < 2) == (69, True), endpoint
        assert done.stderr.decode() == f"trestle: no daemon answers at {endpoint}: {why}\n"


def test_who_names_a_time_waits(daemon):
    """Also for a daemon that is about to start; and a daemon that goes away is waited for."""
    daemon.ok("create", "board")
    daemon.stop()
    done, took = run(daemon.endpoint, "--timeout", "1", "tables")
    assert done.returncode == 69 and 0.9 < took < 4 and b"nobody listens there" in done.stderr
    found = []
    waiting = threading.Thread(
        target=lambda: found.append(run(daemon.endpoint, "-o", "name", "--timeout", "20", "tables")))
    waiting.start()
    time.sleep(0.5)
    daemon.start()
    waiting.join()
    assert found[0][0].stdout == b"board\n"


def test_what_outlives_a_daemon_may_begin_while_it_is_away(daemon):
    """Its socket is there: it may be about to be started again."""
    daemon.ok("create", "board")
    daemon.stop(signal.SIGKILL)
    verbs = (["watch", "board"], ["wait", "board", "--until", "revision == 1"])
    waiting = [daemon.open(*verb) for verb in verbs]
    done, took = run(daemon.endpoint, "add", "board", "x")
    assert (done.returncode, took < 2) == (69, True)
    time.sleep(1)
    assert [process.poll() for process in waiting] == [None, None]
    daemon.start()
    assert b'"revision":0' in waiting[0].stdout.readline()
    daemon.ok("add", "board", "x")
    assert waiting[1].wait(10) == 0
    for process in waiting:
        process.kill()
        process.communicate()


def test_a_watch_waits_for_a_daemon_that_went(daemon):
    daemon.ok("create", "board")
    watch = daemon.open("watch", "board", "--count", "1")
    assert b'"revision":0' in watch.stdout.readline()
    daemon.stop(signal.SIGKILL)
    time.sleep(1)
    assert watch.poll() is None
    daemon.start()
    daemon.ok("add", "board", "x")
    assert b'"revision":1' in watch.stdout.readline() and watch.wait(10) == 0
    watch.stdout.close()
    watch.stderr.close()


@as_root
def test_a_refused_permission_names_the_group(daemon):
    group = 6  # disk, of which nobody is
    name = subprocess.run(["getent", "group", str(group)], capture_output=True, text=True).stdout
    name = name.split(":")[0]
    os.chmod(daemon.directory, 0o755)
    path = daemon.directory / "request.sock"
    os.chown(path, 0, group)
    os.chmod(path, 0o660)
    for verb in (["tables"], ["watch", "board"], ["--timeout", "10", "tables"]):
        done, took = run(daemon.endpoint, *verb, user=65534, group=65534)
        assert (done.returncode, took < 2) == (77, True), (verb, done)
        assert done.stderr.decode() == (
            f"trestle: not permitted to connect to {daemon.endpoint}: the socket {path} is open "
            f"to its owner root and the group {name} only\n")
    done, _ = run(daemon.endpoint, "-o", "json", "tables", user=65534, group=65534)
    assert json.loads(done.stdout)["error"]["code"] == "notPermitted"
    # Who is of the group connects.
    assert run(daemon.endpoint, "tables", user=65534, group=group)[0].returncode == 0
    # The directory may be what is closed.
    os.chown(daemon.directory, 0, group)
    os.chmod(daemon.directory, 0o750)
    done, took = run(daemon.endpoint, "tables", user=65534, group=65534)
    assert (done.returncode, took < 2) == (77, True)
    assert (f"the directory {daemon.directory} is open to its owner root and the group {name} only"
            in done.stderr.decode())
    os.chmod(daemon.directory, 0o700)
    done, _ = run(daemon.endpoint, "tables", user=65534, group=65534)
    assert f"its owner root, and not to its group {name}, only" in done.stderr.decode()


# ---------------------------------------------------------------- the client's configuration

def test_a_configuration_that_cannot_be_read(daemon):
    """Whatever is wrong with the file, it is the configuration."""
    path = daemon.directory / "config/trestle/client.yaml"
    path.parent.mkdir(parents=True)
    del daemon.environment["TRESTLE_ENDPOINT"]
    for write in (lambda: path.write_bytes(b"endpoint: \xff\n"), lambda: path.write_text("endpont: x\n"),
                  lambda: (path.unlink(), path.mkdir())):
        write()
        done = daemon.run("-o", "json", "tables")
        error = json.loads(done.stdout)["error"]
        assert (done.returncode, error["code"]) == (78, "badConfiguration"), error
        assert str(path) in error["message"]


# ---------------------------------------------------------------- who one is

def test_one_is_the_same_person_in_each_call(daemon):
    """Without --as, TRESTLE_NAME and USER, as in a unit or a container."""
    daemon.ok("create", "board")
    for row in "ab":
        daemon.ok("add", "board", row, "--id", row)
    me = pwd.getpwuid(os.geteuid()).pw_name

    def ok(*arguments, **environment):
        done, _ = run(daemon.endpoint, *arguments, environment=environment)
        assert done.returncode == 0, done.stderr
        return done.stdout.decode()

    lease = ok("-o", "name", "drag", "board", "lift", "b").strip()
    assert ok("drag", "board", "drop", lease, "--top").startswith("b is now 1st")
    ok("claim", "board", "a")
    assert ok("unclaim", "board") == "a is free\n"
    ok("claim", "board", "a")
    ok("set", "board", "a", "--title", "A", "--if-claimed")
    assert me in ok("history", "board")
    assert "ada" in ok("claim", "board", "b", "--ttl", "60", USER="ada") + ok("history", "board")
    # An empty name is none.
    ok("unclaim", "board", "a", TRESTLE_NAME="", USER="")
    assert b"--as takes a name" in run(daemon.endpoint, "--as", "", "tables")[0].stderr


@as_root
def test_without_any_name_nothing_is_begun_that_cannot_be_ended(daemon):
    os.chmod(daemon.directory, 0o755)
    os.chmod(daemon.directory / "request.sock", 0o666)
    daemon.ok("create", "board")
    daemon.ok("add", "board", "a", "--id", "a")
    nobody = 54321
    with pytest.raises(KeyError):
        pwd.getpwuid(nobody)
    for verb in (["drag", "board", "lift", "a"], ["claim", "board", "a"], ["unclaim", "board"],
                 ["set", "board", "a", "--title", "b", "--if-claimed"], ["undo", "board"]):
        done, _ = run(daemon.endpoint, *verb, user=nobody, group=nobody)
        assert done.returncode == 64, (verb, done)
        assert b"the system has none for user 54321" in done.stderr and b"--as" in done.stderr
        named, _ = run(daemon.endpoint, "--as", "ada", *verb, user=nobody, group=nobody)
        assert named.returncode != 64, (verb, named)
    assert run(daemon.endpoint, "set", "board", "a", "--title", "c", user=nobody,
               group=nobody)[0].returncode == 0


GUESTS = """ipc_mode: "0666"
guests:
  - users: [root]
    roles: [admin]
  - users: [65534]
    tables: [board]
    roles: [viewer]
"""


@as_root
@pytest.mark.parametrize("daemon", [GUESTS], indirect=True)
def test_a_table_that_may_not_be_read_is_refused_and_not_waited_for(daemon):
    """No publication tells it: a viewer that hears nothing asks. The same whether there is such a table."""
    os.chmod(daemon.directory, 0o755)
    for table in ("board", "secret"):
        daemon.ok("create", table)
    assert run(daemon.endpoint, "show", "board", user=65534, group=65534)[0].returncode == 0
    for table in ("secret", "none"):
        for verb in (["show", table], ["watch", table], ["wait", table, "--until", "true"], ["history", table]):
            done, took = run(daemon.endpoint, "--timeout", "30", *verb, user=65534, group=65534)
            assert (done.returncode, took < 15) == (77, True), (verb, done, took)
            assert b"viewer" in done.stderr and done.stdout == b"", (verb, done)


@pytest.mark.parametrize("table", ["", "a/b", "a\x1bb", "x" * 300])
def test_what_can_be_no_table_is_refused_and_not_waited_for(daemon, table):
    said = daemon.run("kinds", table).stderr
    handle = ["handle", table, "page", "--", "true"]
    for verb in (["show", table], ["watch", table], ["wait", table, "--until", "true"], ["record", table, "-"],
                 ["act", table, "a", "b", "--wait"], handle):
        done, took = run(daemon.endpoint, "--timeout", "30", *verb)
        assert (done.returncode, done.stderr, took < 15) == (1, said, True), (verb, done, took)


@as_root
@pytest.mark.parametrize("daemon", [GUESTS], indirect=True)
def test_who_follows_what_it_may_not_read_is_told_at_once(daemon):
    """Also with less time than the silence takes after which a viewer asks: it is 77 then, and not 75."""
    os.chmod(daemon.directory, 0o755)
    daemon.ok("create", "secret")
    handle = ["handle", "secret", "page", "--", "true"]
    for table in ("secret", "none"):
        for verb in (["watch", table], ["wait", table, "--until", "true"], ["record", table, "-"], handle):
            done, took = run(daemon.endpoint, "--timeout", "1.4", *verb, user=65534, group=65534)
            assert (done.returncode, took < 5) == (77, True), (verb, done, took)
