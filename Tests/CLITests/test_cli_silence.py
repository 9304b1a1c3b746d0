"""Daemons that do not answer, or answer nonsense."""

import json
import signal
import socket
import struct
import threading
import time

import pytest


def test_no_answer_is_a_timeout(daemon):
    daemon.ok("create", "board")
    daemon.process.send_signal(signal.SIGSTOP)
    try:
        for verb in (["health"], ["add", "board", "x"], ["show", "board"], ["rpc", "{}"]):
            done = daemon.run("--timeout", "0.5", *verb)
            assert done.returncode == 75, verb
            assert done.stderr.decode() == f"trestle: no answer from {daemon.endpoint} in time\n"
        done = daemon.run("--timeout", "0.5", "-o", "json", "health")
        assert done.returncode == 75
        assert json.loads(done.stdout)["error"]["code"] == "timeout"
    finally:
        daemon.process.send_signal(signal.SIGCONT)


def test_no_time_is_a_timeout(daemon):
    """There was no time for a connection: whether a daemon is there is not known."""
    daemon.ok("create", "board")
    for verb in (["tables"], ["add", "board", "x"], ["wait", "board", "--until", "false"]):
        done = daemon.run("--timeout", "0", *verb)
        assert (done.returncode, done.stdout) == (75, b""), (verb, done)
    done = daemon.run("-e", "ipc:///tmp/trestle-nobody.sock", "--timeout", "0", "tables")
    assert done.returncode == 69


def test_a_command_is_done_once(daemon):
    """Sent again and again while the daemon sleeps, it is carried out once."""
    daemon.ok("create", "board")
    daemon.process.send_signal(signal.SIGSTOP)
    add = daemon.open("add", "board", "Row", "--timeout", "20")
    try:
        add.wait(3)
    except Exception:
        pass
    daemon.process.send_signal(signal.SIGCONT)
    out, _ = add.communicate(timeout=20)
    assert add.returncode == 0
    assert daemon.ok("-o", "name", "show", "board") == out.decode()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("verb", [
    ["handle", "board", "page", "--", "true"], ["record", "board", "s"], ["record", "board", "-"],
    ["backup", "b"], ["backup", "-"]], ids=" ".join)
def test_what_waits_for_a_daemon_can_be_ended(daemon, verb, number):
    daemon.ok("create", "board")
    daemon.process.send_signal(signal.SIGSTOP)
    try:
        process = daemon.open("--timeout", "100", *verb)
        time.sleep(0.7)
        assert process.poll() is None
        process.send_signal(number)
        assert process.wait(5) != 0
        process.communicate()
        assert not list(daemon.directory.glob("b*")) and not (daemon.directory / "s").exists()
    finally:
        daemon.process.send_signal(signal.SIGCONT)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_backup_can_be_ended_in_the_middle(daemon, number):
    """Nothing of it stays. The daemon is stopped once the file is begun."""
    rows = "".join(f'{{"id":"r{number}","title":"{number:02000}"}}\n' for number in range(4_000))
    daemon.ok("import", "board", "-", "--create", stdin=rows.encode())
    directory = daemon.directory / "backups"
    directory.mkdir()
    for _ in range(20):
        process = daemon.open("--timeout", "100", "backup", "backups/b")
        end = time.monotonic() + 10
        while not list(directory.iterdir()) and time.monotonic() < end:
            pass
        daemon.process.send_signal(signal.SIGSTOP)
        try:
            time.sleep(0.5)
            if process.poll() is not None:
                continue  # It was whole by then.
            assert [path.name[:2] for path in directory.iterdir()] == ["b."]
            process.send_signal(number)
            assert process.wait(5) == 130
            break
        finally:
            daemon.process.send_signal(signal.SIGCONT)
            process.communicate()
            for path in directory.glob("b"):
                path.unlink()
    else:
        pytest.fail("each backup was whole before the daemon was stopped")
    assert not list(directory.iterdir())


class Impostor(threading.Thread):
    """Speaks ZMTP 3.0 as a ROUTER would, and answers each request with the same frames."""

    def __init__(self, path, frames):
        super().__init__(daemon=True)
        self.frames = frames
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen()
        self.start()

    def run(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            try:
                self.serve(connection)
            except (OSError, EOFError):
                connection.close()

    def serve(self, connection):
        greeting = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32)
        connection.sendall(greeting)
        self.take(connection, 64)
        ready = b"\x05READY\x0bSocket-Type" + struct.pack(">I", 6) + b"ROUTER"
        connection.sendall(b"\x04" + bytes([len(ready)]) + ready)
        while True:
            flags = self.take(connection, 1)[0]
            size = self.take(connection, 8 if flags & 2 else 1)
            self.take(connection, int.from_bytes(size, "big"))
            if flags & 5:
                continue
            for index, frame in enumerate(self.frames):
                more = 1 if index + 1 < len(self.frames) else 0
                connection.sendall(bytes([more, len(frame)]) + frame)

    @staticmethod
    def take(connection, count):
        taken = b""
        while len(taken) < count:
            part = connection.recv(count - len(taken))
            if not part:
                raise EOFError
            taken += part
        return taken


@pytest.mark.parametrize("verb", [["health"], ["add", "board", "x"], ["show", "board"]])
def test_another_protocol(daemon, verb):
    path = daemon.directory / "impostor.sock"
    Impostor(str(path), [b"", b"trestle/1 proto", b"\xff\xff\xff"])
    done = daemon.run("-e", f"ipc://{path}", "--timeout", "3", *verb)
    assert done.returncode == 76
    assert done.stderr.startswith(b"trestle: the daemon speaks another protocol")
    done = daemon.run("-e", f"ipc://{path}", "--timeout", "3", "-o", "json", *verb)
    assert done.returncode == 76
    assert json.loads(done.stdout)["error"]["code"] == "protocolMismatch"
