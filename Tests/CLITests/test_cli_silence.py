"""Daemons that do not answer, or answer nonsense."""

import json
import signal
import socket
import struct
import threading

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
