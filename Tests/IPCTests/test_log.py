"""A log that nobody reads, or that leads nowhere: no line of it stops the daemon, or gets into its journal."""

import fcntl
import os
import signal

import pytest

from harness import eventually

F_SETPIPE_SZ = 1031


class Pipe:
    """The daemon's log is a pipe. It has room for a page."""

    def __init__(self, daemon):
        self.daemon = daemon
        self.path = daemon.directory / "pipe"
        os.mkfifo(self.path)
        daemon.wrapper = ["sh", "-c", f'exec "$@" 2>{self.path}', "sh"]
        self.open()
        daemon.start()

    def open(self):
        self.reader = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK)
        fcntl.fcntl(self.reader, F_SETPIPE_SZ, 4096)

    def close(self):
        os.close(self.reader)

    def read(self):
        try:
            return os.read(self.reader, 65536).decode()
        except BlockingIOError:
            return ""

    def say(self, times=1):
        """Has the daemon say something each time."""
        for _ in range(times):
            self.daemon.process.send_signal(signal.SIGHUP)
            self.daemon.ask("health")

    def drops(self):
        """The lines after some were dropped."""
        text = ""

        def told():
            nonlocal text
            self.say()
            text += self.read()
            return "dropped" in text

        eventually(told, 10)
        return text.splitlines()


@pytest.fixture
def pipe(make_daemon):
    pipe = Pipe(make_daemon(start=False))
    yield pipe
    pipe.close()


def test_a_reader_that_goes_away(pipe):
    """SIGPIPE would end the daemon."""
    pipe.close()
    pipe.say(3)
    assert pipe.daemon.alive()
    pipe.open()
    assert any("dropped: they could not be written" in line for line in pipe.drops())


def test_a_reader_that_stands_still(pipe):
    """The daemon goes on, says how much is missing, and hears that it is to end."""
    pipe.say(200)
    before = pipe.read()
    assert 0 < len(before) <= 4096
    lines = pipe.drops()
    told = next(line for line in lines if "lines were dropped" in line)
    assert told.startswith("warning: ") and int(told.split()[1]) > 50
    assert all(line.split(":")[0] in ("info", "notice", "warning") for line in lines if line)
    pipe.say(200)
    assert pipe.daemon.kill(signal.SIGTERM) == 0


def test_a_terminal_that_nobody_reads(make_daemon):
    """It says that it can be written to where a write would wait."""
    ours, theirs = os.openpty()
    daemon = make_daemon(start=False)
    daemon.wrapper = ["sh", "-c", f'exec "$@" 2>{os.ttyname(theirs)}', "sh"]
    daemon.start()
    os.set_blocking(ours, False)
    for _ in range(600):
        daemon.process.send_signal(signal.SIGHUP)
        daemon.ask("health")
    text = os.read(ours, 1 << 20).decode()
    assert text.count("\n") < 600, "it took them all, and shows nothing"
    assert daemon.kill(signal.SIGTERM) == 0
    for one in (ours, theirs):
        os.close(one)


def test_nothing_is_open(make_daemon):
    """Else the journal gets the number of standard error, and the log is written into it."""
    daemon = make_daemon(start=False)
    daemon.wrapper = ["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh"]
    daemon.start()
    for number in range(3):
        assert os.readlink(f"/proc/{daemon.process.pid}/fd/{number}") == "/dev/null"
    daemon.ask("create", {}, "board")
    for n in range(20):
        daemon.do("board", add={"id": f"r{n}", "title": f"Row {n}"})
    daemon.process.send_signal(signal.SIGHUP)
    daemon.ask("health")
    daemon.kill()
    daemon.wrapper = []
    daemon.start()
    assert daemon.tables()["board"]["rows"] == 20
    assert daemon.ask("check", timeout=30)["ok"]
