"""Instructions a command, counted by callgrind: exact where times are not (docs/BENCHMARKS.md).

A daemon runs under valgrind. What is counted is the state thread and libzmq's I/O thread, each for
itself, between the warm-up and the end of a case.

One writer has one command under way at a time, so each command is a turn of its own: decided,
committed, published to one viewer, answered. In the cases with many, 64 writers have one each, and
about 30 commands share a turn.

    instructions.py --trestled FILE --figures FILE [--write] [--short] [--case NAME] [--profile DIR]

It fails where a figure of the file is exceeded by more than `MOST` allows.
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
MANY = 64  # writers of the cases with many
COMMANDS_OF_MANY = 1_280
# The same commands in the same turns cost the state thread the same. How often libzmq's thread wakes,
# and which commands share a turn, is the system's choice.
MOST = {"state": 1.03, "libzmq": 1.40, "state of many": 1.08, "libzmq of many": 1.40}
SEED = 7
# A turn takes in requests for about as long as a commit takes. Valgrind makes the processor many times
# slower, so a commit too: in waiting, which is not counted.
SLOW_DISK = "#include <unistd.h>\nint fdatasync(int file) { return usleep(%d); }\n"
COMMIT_US = 40_000
# Below valgrind each command takes a millisecond, and more when its code is translated anew. The daemon would take
# all of them for slow ones that let others by (docs/decisions/0034). By this clock nothing takes time.
NEVER_SLOW = """#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *time) {
    if (clock != CLOCK_THREAD_CPUTIME_ID) return syscall(SYS_clock_gettime, clock, time);
    *time = (struct timespec){0};
    return 0;
}
"""
# For `make test`: of one verb each, since a mix depends on the rows that other cases have left.
SHORT = ("set field, binary", "move, binary", "set title, JSON")
VERBS = ("set title", "set field", "move", "expand", "add", "remove", "act")
# Of a hundred: as in the other benchmarks, with a field set as often as a title.
MIX = {"move": 50, "expand": 25, "set title": 8, "set field": 7, "add": 3, "remove": 2, "act": 5}
TITLE = "Two espresso, one with oat milk"
NOTE = "n" * 120
# With it, each command is looked up in it.
GUESTS = """guests:
  - users: [root, trestle]
    roles: [admin]
  - groups: [kitchen]
    tables: [board, "kitchen*"]
    roles: [operator, handler]
  - users: ["*"]
    roles: [admin]
"""


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


# Of these a row's version can be required.
CONDITIONAL = ("set title", "set field", "expand", "remove")


def fields(data):
    """The fields of a binary message: numbers, and contents as bytes."""
    place = 0

    def varint():
        nonlocal place
        value = shift = 0
        while True:
            byte = data[place]
            place, value, shift = place + 1, value | (byte & 127) << shift, shift + 7
            if byte < 128:
                return value

    while place < len(data):
        tag = varint()
        if tag & 7 == 0:
            yield tag >> 3, varint()
        else:
            assert tag & 7 == 2, tag
            size = varint()
            place += size
            yield tag >> 3, data[place - size:place]


def answered_number(form, reply):
    """The number of the request that this answers."""
    if form == "json":
        return json.loads(reply).get("number")
    return dict(fields(reply)).get(3)


class Commands:
    """The commands of one writer, in both forms the same: `SEED` and its name say which."""

    def __init__(self, client, rows, versions):
        self.client, self.rows, self.versions = client, list(rows), versions
        self.dice, self.made, self.count = random.Random(f"{SEED} {client}"), 0, 0
        self.states, self.number = {}, 0

    def row(self):
        return self.dice.choice(self.rows)

    def next(self, verb):
        self.count += 1
        if verb == "mix":
            verb = self.dice.choices(list(MIX), MIX.values())[0]
        if verb == "add":
            self.made += 1
            row, after = f"{self.client}{self.made:06}", self.row()
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

    def request(self, form, opened, case):
        """The next command as a request. With conditions, half of them have a sender's name, and
        those that can name the row's version."""
        verb, arguments = self.next(case.removesuffix(" with conditions"))
        named = case.endswith(" with conditions") and self.count % 2 == 0
        version = self.versions.get(arguments[0]) if named and verb in CONDITIONAL else None
        self.number += 1
        if form == "json":
            command = JSON[verb](*arguments)
            if version is not None:
                command = {"ifVersion": version} | command
            body = {"client": self.client, "number": self.number, "opened": opened,
                    "table": "bench"} | ({"name": "Ada Byron"} if named else {})
            return json.dumps(body | {"command": command}, separators=(",", ":")).encode()
        command = number(2 << 3) + number(version) if version is not None else b""
        return (content(1, self.client) + number(2 << 3) + number(self.number) + number(3 << 3)
                + number(opened) + content(4, "bench") + (content(5, "Ada Byron") if named else b"")
                + content(32, command + BINARY[verb](*arguments)))

    def answered(self, form, reply):
        """Notes the versions that an answer tells. True: the command changed something."""
        if form == "json":
            reply = json.loads(reply)
            assert reply["ok"], reply
            landings = reply.get("rows", [])
            changes = not reply.get("unchanged")
        else:
            parts = list(fields(reply))
            assert parts[0] == (1, 1), reply  # ok
            landings = []
            for _, landing in (part for part in parts if part[0] == 10):
                one = dict(fields(landing))
                landings.append({"row": one[1].decode(), "version": one.get(5)})
            changes = (8, 1) not in parts
        for landing in landings:
            self.versions[landing["row"]] = landing.get("version")
        return changes


# --------------------------------------------------------------------------------------- the daemon


class Counted:
    """A daemon under callgrind, a writer, and a viewer of both forms' topics in turn."""

    def __init__(self, trestled, is_many=False, has_guests=False, has_names=False):
        # Memory: what is counted does not depend on a disk.
        base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.directory = Path(tempfile.mkdtemp(prefix="instr", dir=base))
        program = self.directory / "trestled"
        # Without debug information valgrind begins in seconds.
        strip = ["objcopy", "-g"] if has_names else ["strip", "-o"]
        files = [trestled, program] if has_names else [program, trestled]
        subprocess.run([*strip, *files], check=True)
        config = self.directory / "trestled.yaml"
        # Nothing by the clock: no heartbeat and no checkpoint falls into a round.
        config.write_text("heartbeat_ms: 60000\ncheckpoint:\n  after_bytes: 1073741824\n"
                          f"log:\n  level: error\n{GUESTS if has_guests else ''}")
        self.endpoint = f"ipc://{self.directory}/request.sock"
        environment = os.environ | {"SWIFT_DETERMINISTIC_HASHING": "1"}
        environment["LD_PRELOAD"] = self.preload(NEVER_SLOW + (SLOW_DISK % COMMIT_US if is_many else ""))
        self.log = (self.directory / "log").open("wb")
        self.process = subprocess.Popen(
            ["valgrind", "--tool=callgrind", "--instr-atstart=no", "--separate-threads=yes",
             "--fair-sched=yes", f"--callgrind-out-file={self.directory}/out", program, "--config",
             config, "--state-directory", self.directory / "state", "--endpoint", self.endpoint],
            stdout=self.log, stderr=self.log, env=environment)
        self.context = zmq.Context()
        self.socket = self.open(zmq.DEALER, self.endpoint)
        hello = json.loads(self.exchange("json", b'{"hello":{}}', wait=120))["hello"]
        self.opened, self.versions, self.asked = hello["opened"], {}, 0
        self.many = [self.open(zmq.DEALER, self.endpoint) for _ in range(MANY if is_many else 0)]
        self.viewers = {}
        for form, topic in (("json", b"j/bench/"), ("proto", b"b/bench/")):
            self.viewers[form] = (self.open(zmq.SUB, hello["publish"][0]), topic)

    def preload(self, source):
        library = self.directory / "preload.so"
        subprocess.run([shutil.which("cc") or "clang", "-shared", "-fPIC", "-x", "c", "-o", library, "-"],
                       input=source.encode(), check=True)
        return str(library)

    def open(self, kind, endpoint):
        socket = self.context.socket(kind)
        socket.linger = 0
        socket.connect(endpoint)
        return socket

    def exchange(self, form, data, number=None, wait=60):
        """The answer to a request; of those with a number the one that has it."""
        end = time.monotonic() + wait
        while True:
            self.socket.send_multipart([b"trestle/1 " + form.encode(), data])
            # A pause of valgrind may have ended the connection: sent twice, it is done once.
            while self.socket.poll(10_000):
                reply = self.socket.recv_multipart()[-1]
                # Not the second answer to what was sent twice.
                if answered_number(form, reply) == number:
                    return reply
            if time.monotonic() > end:
                self.fail("no answer")

    def fail(self, why):
        raise SystemExit(f"{why}:\n{(self.directory / 'log').read_text(errors='replace')}")

    def ask(self, verb, body):
        self.asked += 1
        request = {"client": "bench", "number": self.asked, "opened": self.opened, "table": "bench",
                   verb: body}
        reply = json.loads(self.exchange("json", json.dumps(request).encode(), self.asked))
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
            landings = self.ask("batch", {"commands": [
                {"add": {"id": row, "title": TITLE, "fields": {"note": NOTE}}}
                for row in rows[start:start + 500]]})["rows"]
            self.versions |= {landing["row"]: landing["version"] for landing in landings}
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

    def do(self, form, commands, case, count):
        """Commands of one writer, each answered before the next: with what the viewer gets of it."""
        viewer = self.viewers[form][0]
        for _ in range(count):
            request = commands.request(form, self.opened, case)
            reply = self.exchange(form, request, commands.number)
            # Published before it is answered: it is here, or there is none.
            if commands.answered(form, reply):
                assert viewer.poll(5_000), "nothing was published"
                viewer.recv_multipart()

    def do_many(self, form, writers, case, count):
        """As many commands of all writers together, each with one under way."""
        viewer, poller = self.viewers[form][0], zmq.Poller()
        owner = dict(zip(self.many, writers))
        for socket in (*self.many, viewer):
            poller.register(socket, zmq.POLLIN)

        waiting = {}  # what each has asked last and has no answer to: number and message

        def send(socket):
            request = owner[socket].request(form, self.opened, case)
            waiting[socket] = owner[socket].number, [b"trestle/1 " + form.encode(), request]
            socket.send_multipart(waiting[socket][1])

        for socket in self.many:
            send(socket)
        sent, silence = len(self.many), 0
        while waiting:
            ready = poller.poll(10_000)
            silence = 0 if ready else silence + 1
            if silence == 6:
                self.fail("no answer")
            if not ready:
                # A pause of valgrind may have ended connections: sent twice, it is done once.
                for socket, (_, message) in waiting.items():
                    socket.send_multipart(message)
            for socket, _ in ready:
                message = socket.recv_multipart()
                # Not the viewer's, and not the second answer to what was sent twice.
                if socket in waiting and answered_number(form, message[-1]) == waiting[socket][0]:
                    owner[socket].answered(form, message[-1])
                    del waiting[socket]
                    if sent < count:
                        send(socket)
                        sent += 1

    def commits(self):
        return self.ask("stats", {})["stats"]["counters"]["commits"]

    def control(self, *arguments):
        subprocess.run(["callgrind_control", *arguments, str(self.process.pid)], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def count(self, work, commands, keep=None):
        """Instructions a command of the state thread and of the I/O thread, of this work."""
        self.control("-i", "on")
        work()
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
                if keep and thread == 1:
                    shutil.copy(path, keep)
        assert threads.get(1), f"nothing was counted: {threads}"
        others = [total for thread, total in threads.items() if thread != 1]
        return threads[1] / commands, max(others, default=0) / commands

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


def cases(options, is_many, has_guests):
    """The cases of one writer or of many: each a name, a form and what is done."""
    for form, word in (("proto", "binary"), ("json", "JSON")):
        for verb in ("mix",) if has_guests else (*VERBS, "mix", "mix with conditions"):
            name = f"{verb}{' with a guest list' if has_guests else ''}, {word}{f', {MANY} writers' if is_many else ''}"
            if options.case in name and (not options.short or name in SHORT):
                yield name, form, verb


def measure(options, is_many, has_guests=False):
    figures, chosen = {}, list(cases(options, is_many, has_guests))
    if not chosen:
        return figures
    daemon = Counted(options.trestled, is_many, has_guests, bool(options.profile))
    try:
        rows = daemon.fill()
        one = Commands("counter", rows, daemon.versions)
        many = [Commands(f"c{n:02}", rows[n::MANY], daemon.versions) for n in range(MANY)]
        for name, form, verb in chosen:
            daemon.watch(form)
            count = COMMANDS_OF_MANY if is_many else COMMANDS

            def work(count=count, form=form, verb=verb):
                if is_many:
                    daemon.do_many(form, many, verb, count)
                else:
                    daemon.do(form, one, verb, count)

            # The same commands whichever cases came before.
            for writer in (one, *many):
                writer.dice = random.Random(f"{SEED} {writer.client} {name}")
            work(WARM_UP)
            keep = options.profile and options.profile / name.replace(", ", "-").replace(" ", "-")
            before = daemon.commits()
            rounds = [daemon.count(work, count, keep) for _ in range(ROUNDS)]
            turn = ROUNDS * count / (daemon.commits() - before)
            state, io = (round(min(column)) for column in zip(*rounds))
            figures[name] = {"state": state, "libzmq": io}
            print(f"  {name:42} {state:8,} {io:8,}   {turn:4.1f}", flush=True)
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


def worse(found, known):
    """What is dearer than its figure allows."""
    for name, counts in found.items():
        if name not in known:
            yield f"{name}: there is no figure"
            continue
        for thread, count in counts.items():
            before = known[name][thread]
            if count > before * MOST[f"{thread} of many" if "writers" in name else thread]:
                yield f"{name}, {thread}: {count:,} instead of {before:,} ({count / before - 1:+.1%})"


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("--trestled", required=True, type=Path)
    arguments.add_argument("--figures", required=True, type=Path)
    arguments.add_argument("--write", action="store_true", help="make what is measured the figures")
    arguments.add_argument("--short", action="store_true", help="three cases, of the state thread alone")
    arguments.add_argument("--case", default="", help="only cases that have this in their names")
    arguments.add_argument("--profile", type=Path, help="keep callgrind's files there, with names")
    options = arguments.parse_args()
    for program in ("valgrind", "callgrind_control", "strip"):
        if not shutil.which(program):
            sys.exit(f"There is no {program}: install valgrind and binutils (apt-get install valgrind binutils).")
    if options.profile:
        options.profile.mkdir(parents=True, exist_ok=True)
    print(f"  {'instructions a command, one viewer':42} {'state':>8} {'libzmq':>8}   commands a turn")
    found = measure(options, is_many=False) | measure(options, is_many=True)
    found |= measure(options, is_many=True, has_guests=True)
    here = surroundings(options.trestled)
    if options.write:
        is_part = (options.case or options.short) and options.figures.exists()
        old = json.loads(options.figures.read_text())["figures"] if is_part else {}
        options.figures.write_text(json.dumps({"made with": here, "figures": old | found}, indent=2) + "\n")
        return
    known = json.loads(options.figures.read_text())
    if known["made with"] != here:
        print(f"The figures were made with {known['made with']}, this is {here}.")
        if options.short:
            return print("Figures of other libraries say nothing here: nothing is compared.")
    if options.short:
        # How often libzmq's thread wakes is the system's choice.
        found = {name: {"state": counts["state"]} for name, counts in found.items()}
    faults = list(worse(found, known["figures"]))
    print("\n".join(faults) or "None is above what its figure allows.")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
