"""A daemon of one's own for tests: started, killed, started again. `trestle.pytest_plugin` has it as a fixture."""

import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import Self

from .client import Client, connect


def program() -> Path | None:
    """`trestled`: in `TRESTLE_BIN`, else where programs are. None: there is none."""
    folder = os.environ.get("TRESTLE_BIN")
    found = shutil.which("trestled", path=folder) if folder else shutil.which("trestled")
    return Path(found) if found else None


class Daemon:
    """One directory, in which the daemon may run many times. Use it in a `with`.

    `config`: the text of its `trestled.yaml`.
    """

    def __init__(self, config: str = "") -> None:
        if (found := program()) is None:
            raise FileNotFoundError("there is no trestled: install it, or set TRESTLE_BIN to its folder")
        self.program = found
        self.directory = Path(tempfile.mkdtemp(prefix="py", dir="/tmp"))  # a socket's path is short
        self.endpoint = f"ipc://{self.directory}/request.sock"
        self.publish = f"ipc://{self.directory}/publish.sock"
        self.config = self.directory / "trestled.yaml"
        self.config.write_text(config)
        self.log = self.directory / "log"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, *, wait: bool = True) -> None:
        """Starts it; with `wait`, it serves afterwards."""
        command: list[str | Path] = [
            self.program, "--config", self.config, "--state-directory", self.directory / "state"]
        if "endpoints:" not in self.config.read_text():
            command += ["--endpoint", self.endpoint]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)
        if wait:
            with self.connect(patience=0.2) as client:
                client.hello()

    def kill(self, how: signal.Signals = signal.SIGKILL) -> int:
        """Ends it; its exit status. What it has acknowledged is there when it is started again."""
        if not self.process:
            raise RuntimeError("it does not run")
        self.process.send_signal(how)
        return self.process.wait(20)

    def connect(self, *, name: str | None = None, patience: float = 1.0, timeout: float = 30.0) -> Client:
        """A client of it."""
        return connect(self.endpoint, name=name, patience=patience, timeout=timeout)

    def close(self) -> None:
        """Ends it, and takes its directory away. RuntimeError: it has crashed."""
        text = self.log.read_text(errors="replace") if self.log.exists() else ""
        ended = self.process.poll() if self.process else None
        if self.process:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)
        if "Fatal error" in text or ended not in (None, -9, -15) and ended < 0:
            raise RuntimeError(f"the daemon has crashed: {text}")

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
