"""Instructions a command, counted by callgrind: exact where times are not (docs/BENCHMARKS.md).

A daemon runs under valgrind. One writer has one command under way at a time, so each command is a
turn of its own: decided, committed, published to one viewer, answered. What is counted is the state
thread and libzmq's I/O thread, each for itself, between the warm-up and the end of a case.

    instructions.py --trestled FILE --figures FILE [--write] [--case NAME]

It fails where a figure of the file is exceeded by more than 3 %.
"""

import argparse
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

ROWS = 10_000
COMMANDS = 200  # of each round
ROUNDS = 2  # the least counts: a timer that fell into a round is no part of a command
WARM_UP = 100
MOST = 1.03
SEED = 7
VERBS = ("set title", "set field", "move", "expand", "add", "remove", "act")
# Of a hundred: as in the other benchmarks, with a field set as often as a title.
MIX = {"move": 50, "expand": 25, "set title": 8, "set field": 7, "add": 3, "remove": 2, "act": 5}
TITLE = "Two espresso, one with oat milk"
NOTE = "n" * 120


# ------------------------------------------------------------------------------------ the two forms


def number(value):
    """A varint."""
    data = bytearray()
    while value > 127:
        data.append(value & 127 | 128)
        value >>= 7
    data.append(value)
    return bytes(data)


def content(field, value):
    value = value.encode() if isinstance(value, str) else value
    return number(field << 3 | 2) + number(len(value)) + value


def entry(key, value):
    return content(1, key) + content(2, value)


BINARY = {
    "set title": lambda row, title: content(11, content(1, row) + content(2, title)),
    "set field": lambda row, value: content(11, content(1, row) + content(3, entry("note", value))),
    "move": lambda row, after: content(13, content(1, row) + content(6, after)),
    "expand": lambda row: content(16, content(1, row) + number(2 << 3) + number(1)),
    "add": lambda row, after: content(
        10, content(1, row) + content(3, TITLE) + content(4, entry("note", NOTE)) + content(9, after)),
    "remove": lambda row: content(12, content(1, row)),
    "act": lambda row, action: content(20, content(1, row) + content(2, action)),
}
JSON = {
    "set title": lambda row, title: {"set": {"row": row, "title": title}},
    "set field": lambda row, value: {"set": {"row": row, "fields": {"note": value}}},
    "move": lambda row, after: {"move": {"rows": [row], "after": after}},
    "expand": lambda row: {"expand": {"row": row, "toggle": True}},
    "add": lambda row, after: {
        "add": {"id": row, "title": TITLE, "fields": {"note": NOTE}, "after": after}},
    "remove": lambda row: {"remove": {"rows": [row]}},
    "act": lambda row, action: {"act": {"row": row, "action": action}},
}


class Commands:
    """The commands of a case, in both forms the same: `SEED` says which."""

    def __init__(self, rows):
        self.dice, self.rows, self.made, self.count = random.Random(SEED), list(rows), 0, 0
        self.states = {}

    def row(self):
        return self.dice.choice(self.rows)

    def next(self, verb):
        self.count += 1
        if verb == "mix":
            verb = self.dice.choices(list(MIX), MIX.values())[0]
        if verb == "add":
            self.made += 1
            row, after = f"n{self.made:07}", self.row()
            self.rows.append(row)
            return verb, (row, after)
        if verb == "remove":
            place = self.dice.randrange(len(self.rows))
            self.rows[place], self.rows[-1] = self.rows[-1], self.rows[place]
            return verb, (self.rows.pop(),)
        if verb == "move":
            row = after = self.row()
            while after == row:
                after = self.row()
            return verb, (row, after)
        row = self.row()
        if verb == "expand":
            return verb, (row,)
        if verb == "act":
            # The same action is refused until the row has changed.
            self.states[row] = "open" if self.states.get(row) == "done" else "done"
            return verb, (row, self.states[row])
        return verb, (row, f"{TITLE} {self.count:07}")


# --------------------------------------------------------------------------------------- the daemon


class Counted:
    """A daemon under callgrind, a writer, and a viewer of both forms' topics in turn."""

    def __init__(self, trestled):
        # Memory: what is counted does not depend on a disk.
        base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.directory = Path(tempfile.mkdtemp(prefix="instr", dir=base))
        program = self.directory / "trestled"
        # Without debug information valgrind begins in seconds.
        subprocess.run(["strip", "-o", program, trestled], check=True)
        config = self.directory / "trestled.yaml"
        # Nothing by the clock: no heartbeat and no checkpoint falls into a round.
        config.write_text("heartbeat_ms: 60000\ncheckpoint:\n  after_bytes: 1073741824\n"
                          "log:\n  level: error\n")
        self.endpoint = f"ipc://{self.directory}/request.sock"
        environment = os.environ | {"SWIFT_DETERMINISTIC_HASHING": "1"}
        self.log = (self.directory / "log").open("wb")
        self.process = subprocess.Popen(
            ["valgrind", "--tool=callgrind", "--instr-atstart=no", "--separate-threads=yes",
             "--fair-sched=yes", f"--callgrind-out-file={self.directory}/out", program, "--config",
             config, "--state-directory", self.directory / "state", "--endpoint", self.endpoint],
            stdout=self.log, stderr=self.log, env=environment)
        self.context = zmq.Context()
        self.socket = self.open(zmq.DEALER, self.endpoint)
        hello = self.exchange("json", {"hello": {}}, wait=120)["hello"]
        self.opened, self.number = hello["opened"], 0
        self.viewers = {}
        for form, topic in (("json", b"j/bench/"), ("proto", b"b/bench/")):
            self.viewers[form] = (self.open(zmq.SUB, hello["publish"][0]), topic)

    def open(self, kind, endpoint):
        socket = self.context.socket(kind)
        socket.linger = 0
        socket.connect(endpoint)
        return socket

    def exchange(self, form, body, wait=60):
        data = body if isinstance(body, bytes) else json.dumps(body, separators=(",", ":")).encode()
        end = time.monotonic() + wait
        while self.socket.poll(0):  # the second answer to what was sent twice
            self.socket.recv_multipart()
        while True:
            self.socket.send_multipart([b"trestle/1 " + form.encode(), data])
            # A pause of valgrind may have ended the connection: sent twice, it is done once.
            if self.socket.poll(10_000):
                break
            if time.monotonic() > end:
                raise SystemExit(f"no answer:\n{(self.directory / 'log').read_text(errors='replace')}")
        reply = self.socket.recv_multipart()[-1]
        return json.loads(reply) if form == "json" else reply

    def ask(self, verb, body):
        reply = self.exchange("json", {"table": "bench", verb: body})
        assert reply["ok"], reply
        return reply

    def fill(self):
        self.ask("create", {})
        actions = [{"id": state, "effect": [{"set": {"fields": {"state": state}}}]}
                   for state in ("done", "open")]
        self.ask("command", {"define": {"kinds": [
            {"id": "row", "trailing": {"actions": actions}}]}})
        rows = [f"r{n:07}" for n in range(ROWS)]
        for start in range(0, ROWS, 500):
            self.ask("batch", {"commands": [
                {"add": {"id": row, "title": TITLE, "fields": {"note": NOTE}}}
                for row in rows[start:start + 500]]})
        return rows

    def watch(self, form):
        """From now on the one viewer is of this form."""
        for name, (socket, topic) in self.viewers.items():
            (socket.subscribe if name == form else socket.unsubscribe)(topic) if (
                name == form or topic in self.watched) else None
        self.watched = {self.viewers[form][1]}
        assert self.viewers[form][0].poll(60_000), "no welcome"
        time.sleep(0.2)
        while self.viewers[form][0].poll(0):
            self.viewers[form][0].recv_multipart()

    watched = frozenset()

    def do(self, form, verb, arguments):
        """One command: its answer, and what the viewer gets of it."""
        self.number += 1
        if form == "json":
            body = {"client": "counter", "number": self.number, "opened": self.opened,
                    "table": "bench", "command": JSON[verb](*arguments)}
            reply = self.exchange(form, body)
            assert reply["ok"], reply
            changes = not reply.get("unchanged")
        else:
            body = (content(1, "counter") + number(2 << 3) + number(self.number)
                    + number(3 << 3) + number(self.opened) + content(4, "bench")
                    + content(32, BINARY[verb](*arguments)))
            reply = self.exchange(form, body)
            assert reply.startswith(b"\x08\x01"), reply  # ok, the first field
            changes = None
        viewer = self.viewers[form][0]
        # Published before it is answered: it is here, or there is none.
        if viewer.poll(5_000 if changes else 20):
            viewer.recv_multipart()

    def control(self, *arguments):
        subprocess.run(["callgrind_control", *arguments, str(self.process.pid)], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def count(self, form, commands, verb):
        """Instructions of the state thread and of the I/O thread for one round, a command."""
        self.control("-i", "on")
        for _ in range(COMMANDS):
            self.do(form, *commands.next(verb))
        self.control("-i", "off")
        for old in self.directory.glob("out*"):
            old.unlink()
        self.control("-d")
        threads = {}
        for path in self.directory.glob("out*"):
            thread = total = None
            for line in path.open():
                if line.startswith("thread:"):
                    thread = int(line.split()[1])
                elif line.startswith(("summary:", "totals:")):
                    total = int(line.split()[1])
            if thread is not None and total:
                threads[thread] = max(threads.get(thread, 0), total)
        assert threads.get(1), f"nothing was counted: {threads}"
        others = [total for thread, total in threads.items() if thread != 1]
        return threads[1] / COMMANDS, max(others, default=0) / COMMANDS

    def close(self):
        self.context.destroy(0)
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()
        shutil.rmtree(self.directory, ignore_errors=True)


# -------------------------------------------------------------------------------------- the figures


def measure(trestled, only):
    figures = {}
    daemon = Counted(trestled)
    try:
        commands = Commands(daemon.fill())
        for form in ("proto", "json"):
            daemon.watch(form)
            for verb in (*VERBS, "mix"):
                name = f"{verb}, {'binary' if form == 'proto' else 'JSON'}"
                if only and only not in name:
                    continue
                for _ in range(WARM_UP):
                    daemon.do(form, *commands.next(verb))
                rounds = [daemon.count(form, commands, verb) for _ in range(ROUNDS)]
                state, io = (round(min(column)) for column in zip(*rounds))
                figures[name] = {"state": state, "libzmq": io}
                print(f"  {name:18} {state:8,} {io:8,}", flush=True)
    finally:
        daemon.close()
    return figures


def surroundings(trestled):
    """Figures compare only with the same compiler, C library and libzmq: their code is counted too."""
    swift = subprocess.run(["swift", "--version"], capture_output=True, text=True).stdout.splitlines()
    libc = os.confstr("CS_GNU_LIBC_VERSION")
    linked = subprocess.run(["ldd", trestled], capture_output=True, text=True).stdout.split()
    libzmq = next((os.path.realpath(one) for one in linked if "/libzmq" in one), "?")
    return {"swift": swift[0].strip() if swift else "?", "libc": libc,
            "libzmq": os.path.basename(libzmq)}


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("--trestled", required=True, type=Path)
    arguments.add_argument("--figures", required=True, type=Path)
    arguments.add_argument("--write", action="store_true", help="make what is measured the figures")
    arguments.add_argument("--case", default="", help="only cases that have this in their names")
    options = arguments.parse_args()
    for program in ("valgrind", "callgrind_control", "strip"):
        if not shutil.which(program):
            sys.exit(f"There is no {program}: install valgrind and binutils (apt-get install valgrind binutils).")
    print(f"  {'a command':18} {'state':>8} {'libzmq':>8}   (instructions; one command a turn, one viewer)")
    found, here = measure(options.trestled, options.case), surroundings(options.trestled)
    if options.write:
        is_part = options.case and options.figures.exists()
        old = json.loads(options.figures.read_text())["figures"] if is_part else {}
        options.figures.write_text(json.dumps({"made with": here, "figures": old | found}, indent=2) + "\n")
        return
    known = json.loads(options.figures.read_text())
    if known["made with"] != here:
        print(f"The figures were made with {known['made with']}, this is {here}.")
    worse = []
    for name, counts in found.items():
        if name not in known["figures"]:
            worse.append(f"{name}: there is no figure")
            continue
        for thread, count in counts.items():
            before = known["figures"][name][thread]
            if count > before * MOST:
                worse.append(f"{name}, {thread}: {count:,} instead of {before:,} ({count / before - 1:+.1%})")
    print("\n".join(worse) or "None is more than 3 % above its figure.")
    sys.exit(1 if worse else 0)


if __name__ == "__main__":
    main()
