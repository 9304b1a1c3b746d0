"""Starts, kills and watches the real daemon, and the programs around it."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import zmq

from trestle_client import Link, encode

HERE = Path(__file__).resolve().parent
BIN = Path(os.environ.get("TRESTLE_BIN", HERE.parent.parent / ".build" / "release"))
FULL = os.environ.get("FULL", "") not in ("", "0")
HEADER = b"trestle/1 json"


def full(many, few):
    return many if FULL else few


def bounded(request, usual, longest):
    """Body of a fixture: no test takes for ever. A test may have a mark `bound(seconds, with FULL=1)` of its own; else
    `usual` holds, and `longest` where it says nothing about FULL=1."""
    marker = request.node.get_closest_marker("bound")
    seconds = full(*reversed((marker.args + (longest,))[:2] if marker else usual))

    def over(*_):
        raise TimeoutError(f"the test took longer than {seconds} s")

    signal.signal(signal.SIGALRM, over)
    signal.alarm(seconds)
    yield
    signal.alarm(0)


def ask_all(endpoint, *requests, behalf=None):
    """Requests by one connection of its own, in order; the replies."""
    context = zmq.Context()
    link, replies = Link(endpoint, context, behalf), []
    for request in requests:
        link.send(encode(request))
        reply = link.receive(20)
        assert reply is not None, f"no reply to {request}"
        replies.append(reply)
    link.close()
    context.destroy(0)
    return replies


def eventually(what, seconds, every=0.02):
    """Waits until `what()` is true, and gives what it gave."""
    end = time.monotonic() + seconds
    while True:
        if result := what():
            return result
        assert time.monotonic() < end, f"not within {seconds} s: {what.__doc__ or what}"
        time.sleep(every)


class Daemon:
    """One state directory and one socket directory; the daemon may run in them many times."""

    def __init__(self, config=None):
        self.directory = Path(tempfile.mkdtemp(prefix="t", dir="/tmp"))  # short: sun_path is 108
        self.config = config and self.directory / "trestled.yaml"
        if config:
            self.config.write_text(config)
        self.state = self.directory / "state"
        self.endpoint = f"ipc://{self.directory}/request.sock"
        self.log = self.directory / "log"
        self.process = None
        self.starts = 0
        self.beside = []  # other processes of the test
        self.environment = {}  # more of it, for the next start
        self.flags = []  # more of the command line
        self.wrapper = []  # what the daemon is run by: ["faketime", …]
        self.programs = BIN  # the folder of its program

    def command(self, state=None, endpoint=None):
        config = ["--config", str(self.config)] if self.config else []
        return [*self.wrapper, str(self.programs / "trestled"), *config, "--state-directory", str(state or self.state),
                "--endpoint", endpoint or self.endpoint, *self.flags]

    def start(self, wait=30.0):
        """Starts it, and gives the seconds until the first reply."""
        begin = time.monotonic()
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(self.command(), stdout=log, stderr=log,
                                            env=os.environ | self.environment)
        self.starts += 1
        if wait:
            end = begin + wait
            while True:
                link = Link(self.endpoint)
                try:
                    self.hello = link.ask("hello", timeout=0.5)["hello"]
                    break
                except TimeoutError:
                    assert self.process.poll() is None, f"it ended: {self.tail()}"
                    assert time.monotonic() < end, f"no reply within {wait} s: {self.tail()}"
                finally:
                    link.close()
        return time.monotonic() - begin

    def kill(self, how=signal.SIGKILL, wait=10.0):
        """Ends it, and gives its exit status."""
        self.process.send_signal(how)
        return self.process.wait(wait)

    def restart(self):
        self.kill()
        return self.start()

    def alive(self):
        return self.process.poll() is None

    def rss(self):
        """Resident memory, in KiB."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(text.split("VmRSS:")[1].split()[0])

    def processor(self):
        """Seconds that all its threads had a processor."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def state_thread(self):
        """Seconds that its state thread had a processor."""
        pid = self.process.pid
        return int(Path(f"/proc/{pid}/task/{pid}/schedstat").read_text().split()[0]) / 1e9

    def faults(self):
        """Pages that the system has handed out."""
        return int(Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()[7])

    def tail(self, lines=40):
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])

    def ask(self, verb, body=None, table=None, timeout=20.0):
        link = Link(self.endpoint)
        try:
            return link.ask(verb, body, table, timeout)
        finally:
            link.close()

    def tables(self):
        return {t["table"]: t for t in self.ask("tables")["tables"].get("tables", [])}

    def do(self, table, **command):
        """One command without a client."""
        return self.ask("command", command, table)

    def stats(self):
        return self.ask("stats")["stats"]

    def counted(self):
        """Everything that `stats` has counted as refused or dropped."""
        stats = self.stats()
        return (sum(stats.get("rejections", {}).values())
                + sum(n for name, n in stats.get("counters", {}).items() if "drop" in name.lower()))

    def beside_it(self, arguments, output, **more):
        """A program that runs until the test ends; its standard output goes to a file."""
        path = self.directory / output
        with path.open("wb") as out, (self.directory / (output + ".err")).open("wb") as err:
            process = subprocess.Popen([str(a) for a in arguments], stdout=out, stderr=err, **more)
        self.beside.append(process)
        process.path = path
        return process

    def viewer(self, table, output, *more):
        """The Python viewer as a process of its own."""
        return self.beside_it(
            [sys.executable, HERE / "trestle_client.py", self.endpoint, table, *more], output)

    def watch(self, table, output, *flags):
        """`trestle watch`."""
        return self.beside_it(
            [BIN / "trestle", "-e", self.endpoint, *flags, "watch", table], output)

    def close(self):
        for process in self.beside:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
                process.wait()
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        text = self.tail()
        shutil.rmtree(self.directory, ignore_errors=True)
        return text


def has_cli():
    """Whether `trestle watch` is there."""
    try:
        done = subprocess.run([BIN / "trestle", "watch", "--help"], capture_output=True, timeout=10)
    except OSError:
        return False
    return done.returncode == 0 and b"watch" in done.stdout


def cli(daemon, *arguments, timeout=20):
    return subprocess.run([str(BIN / "trestle"), "-e", daemon.endpoint, *arguments],
                          capture_output=True, text=True, timeout=timeout)


def raw(daemon, frames, kind=zmq.DEALER, timeout=3.0):
    """Sends exactly these frames, and gives those of the reply, or None."""
    socket = zmq.Context.instance().socket(kind)
    socket.linger = 0
    socket.connect(daemon.endpoint)
    try:
        socket.send_multipart(frames)
        return socket.recv_multipart() if socket.poll(timeout * 1000) else None
    finally:
        socket.close()


def ask_raw(daemon, body, header=HEADER, timeout=3.0):
    """The reply to these bytes as a body, or None."""
    reply = raw(daemon, [b"", header, body], timeout=timeout)
    return json.loads(reply[-1]) if reply else None


def lines(path):
    """The whole lines of an NDJSON file that is still being written."""
    data = path.read_bytes()
    return [json.loads(line) for line in data[:data.rfind(b"\n") + 1].splitlines()]


def last_revision(path):
    """The last revision in such a file, from its last lines only."""
    with path.open("rb") as file:
        file.seek(0, 2)
        file.seek(max(0, file.tell() - 16384))
        found = file.read().split(b"\n")
    for line in reversed(found[:-1]):
        try:
            document = json.loads(line)
        except ValueError:
            continue
        if document.get("revision") is not None:
            return document["revision"], document.get("digest")
    return None, None


def seen(path):
    """[(revision, digest, cause)] of the diffs in a viewer's output, and what stands first."""
    documents = lines(path)
    state = next((d for d in documents if d.get("revision") is not None and "cause" not in d), None)
    return [(d["revision"], d["digest"], d.get("cause") or {}) for d in documents if "cause" in d], state


# --------------------------------------------------------------------------------- mixed commands


# The plain kind with an action at each edge: rows without any cannot be swiped open.
SWIPEABLE = {"id": "row", "leading": {"actions": [{"id": "x"}]}, "trailing": {"actions": [{"id": "y"}]}}


class Mix:
    """A stream of commands of one writer: its own rows, and now and then those of others.

    Only the writer of a row removes it, so that what must be there at the end can be told.
    """

    def __init__(self, seed, index, writers, limit=300):
        self.random = random.Random(f"{seed}/{index}")
        self.index, self.writers, self.limit = index, writers, limit
        self.made, self.rows = 0, []

    def own(self):
        return self.random.choice(self.rows)

    def any(self):
        """A row of anybody, which may be gone, or not there yet."""
        if self.random.random() < 0.5:
            return self.own()
        other = self.random.randrange(self.writers)
        return f"w{other}-{self.random.randint(max(1, self.made - self.limit), self.made)}"

    def add(self):
        self.made += 1
        id = f"w{self.index}-{self.made}"
        command = {"id": id, "title": f"Row {self.made} of {self.index} ☕",
                   "fields": {"by": str(self.index)},
                   "section": self.random.choice(["main", "grill", "bar"])}
        if self.random.random() < 0.3:
            command["top"] = True
        self.rows.append(id)
        return {"add": command}

    def remove(self):
        id = self.own()
        self.rows.remove(id)
        return {"remove": {"rows": [id]}}

    def one(self):
        dice = self.random.random()
        if len(self.rows) < 5 or (dice < 0.25 and len(self.rows) < self.limit):
            return self.add()
        if dice < 0.32:
            return self.remove()
        if dice < 0.55:
            self.made_sets = getattr(self, "made_sets", 0) + 1
            return {"set": {"row": self.own(), "fields": {"n": f"{self.index}:{self.made_sets}"}}}
        if dice < 0.60:
            return {"set": {"row": self.any(), "title": f"t{self.random.random()}"}}
        if dice < 0.80:
            rows = list(dict.fromkeys(self.own() for _ in range(self.random.choice([1, 1, 1, 3]))))
            anchor = self.random.choice([{"top": True}, {"bottom": True}, {"before": self.any()},
                                         {"after": self.any()}])
            return {"move": {"rows": rows} | anchor}
        if dice < 0.86:
            return {"swap": {"a": self.own(), "b": self.any()}}
        if dice < 0.93:
            edge = self.random.choice(["leading", "trailing", "closed"])
            return {"swipe": {"row": self.any(), "edge": edge}}
        return {"expand": {"row": self.own()} | self.random.choice(
            [{"toggle": True}, {"to": "80"}, {"to": "collapsed"}])}

    def next(self):
        """("command" | "batch", body)"""
        if self.random.random() < 0.03:
            return "batch", {"commands": [self.add() for _ in range(self.random.randint(2, 5))]}
        return "command", self.one()
