"""The real daemon, for the tests: started, killed, started again."""

import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

import trestle

ROOT = Path(__file__).resolve().parents[3]
BIN = Path(os.environ.get("TRESTLE_BIN", ROOT / ".build" / "release"))
FULL = os.environ.get("FULL", "") not in ("", "0")


def full(many: int, few: int) -> int:
    """How many: in the full form of the tests, or in the short one."""
    return many if FULL else few


class Daemon:
    """One directory, in which the daemon may run many times."""

    def __init__(self, config: str = "") -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="py", dir="/tmp"))  # a socket's path is short
        self.endpoint = f"ipc://{self.directory}/request.sock"
        self.publish = f"ipc://{self.directory}/publish.sock"
        self.config = self.directory / "trestled.yaml"
        self.config.write_text(config)
        self.log = self.directory / "log"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, *, wait: bool = True) -> None:
        """Starts it; with `wait`, it serves afterwards."""
        command: list[str | Path] = [BIN / "trestled", "--config", self.config, "--state-directory", self.directory / "state"]
        if "endpoints:" not in self.config.read_text():
            command += ["--endpoint", self.endpoint]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)
        if wait:
            with self.connect(patience=0.2) as client:
                client.hello()

    def kill(self, how: signal.Signals = signal.SIGKILL) -> int:
        """Ends it; its exit status."""
        assert self.process
        self.process.send_signal(how)
        return self.process.wait(20)

    def connect(self, *, name: str | None = None, patience: float = 1.0, timeout: float = 30.0) -> trestle.Client:
        """A client of it."""
        return trestle.connect(self.endpoint, name=name, patience=patience, timeout=timeout)

    def close(self) -> None:
        """Ends it, and takes its directory away. It must not have crashed."""
        text = self.log.read_text(errors="replace") if self.log.exists() else ""
        if self.process:
            ended = self.process.poll()
            assert ended is None or ended >= 0 or ended in (-9, -15), text
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)
        assert "Fatal error" not in text, text
