"""A real daemon, and the command line that talks to it."""

import os
import pathlib
import pwd
import signal
import subprocess
import time

HERE = pathlib.Path(__file__).resolve().parent
BIN = pathlib.Path(os.environ.get("TRESTLE_BIN", HERE.parents[1] / ".build/release")).resolve()


def by(name):
    """How sentences name somebody who says --as NAME: with the user who runs the tests, if that is another."""
    me = pwd.getpwuid(os.geteuid()).pw_name
    return name if name == me else f"{name} ({me})"


class Daemon:
    """A trestled that can be killed and started again."""

    def __init__(self, directory, config=None, options=()):
        self.directory = pathlib.Path(directory)
        self.endpoint = f"ipc://{directory}/request.sock"
        self.process = None
        self.options = list(options)
        if config:
            (self.directory / "trestled.yaml").write_text(config)
            self.options += ["--config", self.directory / "trestled.yaml"]
        self.environment = {
            "PATH": f"{BIN}:{os.environ['PATH']}",
            "HOME": str(directory),
            "XDG_CONFIG_HOME": str(self.directory / "config"),
            "TRESTLE_ENDPOINT": self.endpoint,
            "LC_ALL": "C.UTF-8",
            # Else the name is that of whoever runs the tests.
            "USER": "tester",
        }
        self.start()

    def start(self):
        log = open(self.directory / "log", "ab")
        self.process = subprocess.Popen(
            [BIN / "trestled", *self.options, "--state-directory", self.directory / "state",
             "--endpoint", self.endpoint],
            stdout=log, stderr=log, cwd=self.directory)
        log.close()
        deadline = time.monotonic() + 10
        while self.run("health", "--timeout", "0.2").returncode != 0:
            assert self.process.poll() is None, (self.directory / "log").read_text()
            assert time.monotonic() < deadline, "the daemon does not answer"

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        self.process.wait(10)

    def run(self, *arguments, stdin=b""):
        """Runs trestle to its end."""
        return subprocess.run(
            [BIN / "trestle", *arguments], input=stdin, capture_output=True, timeout=60,
            cwd=self.directory, env=self.environment)

    def ok(self, *arguments, stdin=b""):
        """The same; what it prints, as text."""
        done = self.run(*arguments, stdin=stdin)
        assert done.returncode == 0, (arguments, done.returncode, done.stderr)
        return done.stdout.decode()

    def open(self, *arguments, **more):
        """Starts trestle, to be read as it goes."""
        return subprocess.Popen(
            [BIN / "trestle", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            cwd=self.directory, env=self.environment, **more)


def recording(daemon, *more):
    """`trestle record board board.session`, once the file has the table as it is."""
    path = daemon.directory / "board.session"
    path.unlink(missing_ok=True)
    process = daemon.open("record", "board", "board.session", *more)
    end = time.monotonic() + 10
    while not (path.exists() and path.read_bytes().count(b"\n") >= 2):
        assert time.monotonic() < end and process.poll() is None, process.stderr.read()
        time.sleep(0.05)
    return process


def stop(process, count=None):
    """Ends a recording, or waits for one of so many revisions; what it printed."""
    if count is None:
        process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (0, b"")
    return out.decode()
