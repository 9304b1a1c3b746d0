"""SIGHUP: every key of trestled.yaml, at a daemon that runs."""

import json
import re
import shutil
import signal
import socket
import subprocess
import time

import pytest
import zmq

from etcd_service import free_ports
from harness import HERE, Daemon, cli, eventually
from trestle_client import Link, Viewer, Writer, encode
from zmtp import Peer

CONFIGURATION = HERE.parent.parent / "config" / "trestled.yaml"


class Settled(Daemon):
    """A daemon with everything in its file, and no flags over it. JSON is YAML."""

    def __init__(self, **settings):
        super().__init__("{}")
        self.settings = {
            "endpoints": [self.pair("")], "state_directory": str(self.state), "log": {"level": "info"}}
        self.write(**settings)

    def pair(self, name):
        return {"request": f"ipc://{self.directory}/{name}request.sock",
                "publish": f"ipc://{self.directory}/{name}publish.sock"}

    def command(self, state=None, endpoint=None):
        return [*super().command()[:3]]

    def write(self, **settings):
        for key, value in settings.items():
            names = key.split("__")
            at = self.settings
            for name in names[:-1]:
                at = at.setdefault(name, {})
            at[names[-1]] = value
            if value is None:
                del at[names[-1]]
        self.config.write_text(json.dumps(self.settings))

    def reload(self, **settings):
        """Writes the file, sends SIGHUP, and gives what the log says of it."""
        self.write(**settings)
        return self.hup()

    def hup(self):
        size = self.log.stat().st_size
        self.process.send_signal(signal.SIGHUP)

        def said():
            text = self.log.read_bytes()[size:].decode()
            return text if re.search("configuration (read again|stays).*\n", text) else None

        return eventually(said, 10)

    def told(self, name):
        return self.ask("hello")["hello"]["limits"][name]


@pytest.fixture
def settled():
    made = []

    def make(**settings):
        daemon = Settled(**settings)
        made.append(daemon)
        daemon.start()
        daemon.ask("create", {}, "board")
        return daemon

    yield make
    for daemon in made:
        assert daemon.alive(), daemon.tail()
        assert daemon.ask("check", timeout=30)["ok"]
        daemon.kill(signal.SIGTERM)
        print(daemon.close())


def code(reply):
    return None if reply["ok"] else reply["error"]["code"]


# ------------------------------------------------------------------- keys that wait for a restart


def waits(key, value):
    def test(daemon):
        before = daemon.ask("hello")["hello"]
        said = daemon.reload(**{key: value(daemon)})
        assert f"warning: {key} needs a restart: " in said, said
        after = daemon.ask("hello")["hello"]
        assert after["publish"] == before["publish"]
        assert daemon.do("board", add={})["ok"]
        assert not (daemon.directory / "elsewhere").exists()
        assert not (daemon.directory / "other-request.sock").exists()
        # It is said again as long as the file is another, and no longer.
        assert f"{key} needs a restart: " in daemon.hup()
        old = {"endpoints": [daemon.pair("")], "state_directory": str(daemon.state),
               "high_water_mark": 256, "journal": None}
        assert "needs a restart: " not in daemon.reload(**{key: old[key]})

    return test


# ---------------------------------------------------------------------------- keys that change now


def ipc_mode(daemon):
    files = [daemon.directory / name for name in ("request.sock", "publish.sock")]

    def modes():
        return {file.stat().st_mode & 0o777 for file in files}

    assert modes() == {0o660}
    assert "notice: ipc_mode: 0660 → 0600" in daemon.reload(ipc_mode="0600")
    assert modes() == {0o600}
    daemon.reload(ipc_mode="0666")
    assert modes() == {0o666}
    # What the system does not allow is said, and the old value stays.
    hidden = daemon.directory / "hidden"
    files[0].rename(hidden)
    said = daemon.reload(ipc_mode="0640")
    assert "cannot set the mode" in said and "ipc_mode: 0666 stays in force, not 0640" in said
    hidden.rename(files[0])
    assert modes() == {0o666}


def log_level(daemon):
    assert "info: unchanged" in daemon.hup()
    assert "log.level: info → error" in daemon.reload(log__level="error")
    size = daemon.log.stat().st_size
    daemon.process.send_signal(signal.SIGHUP)
    time.sleep(0.5)
    assert daemon.log.stat().st_size == size
    said = daemon.reload(log__level="debug")
    assert "log.level: error → debug" in said and "info: unchanged" in said


def slow_ms(daemon):
    """A line for each request that takes so long; at `debug` one for each. Never more than 200 a second."""
    assert "request" not in daemon.reload(log__slow_ms=1000).replace("requests=", "")
    daemon.ask("explain", {"command": {"add": {}}}, "board")
    size = daemon.log.stat().st_size
    daemon.ask("health")

    def since():
        return daemon.log.read_bytes()[size:].decode()

    assert "request" not in since()
    # It takes an import of some size more than a millisecond.
    daemon.reload(log__slow_ms=1)
    link = Link(daemon.endpoint)
    rows = [{"add": {"title": "x" * 200}} for _ in range(2_000)]
    assert link.ask("batch", {"commands": rows[:1000]}, "board")["ok"]
    line = eventually(lambda: re.search(r"warning: slow request .*verb=batch.*\n", since()), 10)[0]
    assert "client=" in line and "outcome=done" in line and "table=board" in line
    assert float(re.search(r" ms=([\d.]+)", line)[1]) >= 1
    daemon.reload(log__slow_ms=0, log__level="debug")
    size = daemon.log.stat().st_size
    assert not link.ask("command", {"set": {"row": "none", "title": "x"}}, "board")["ok"]
    eventually(lambda: re.search(r"debug: request .*outcome=noSuchRow .*verb=set\n", since()), 10)
    for _ in range(600):
        link.ask("tables")
    time.sleep(1.1)
    link.ask("tables")
    lines = eventually(lambda: since() if "requests left out" in since() else None, 10)
    assert lines.count("debug: request ") <= 620
    link.close()
    daemon.reload(log__level="info")


def heartbeats(daemon, seconds):
    sub = zmq.Context.instance().socket(zmq.SUB)
    sub.linger = 0
    sub.connect(daemon.ask("hello")["hello"]["publish"][0])
    sub.subscribe(b"j/board/")
    try:
        assert sub.poll(5_000)
        end, count = time.monotonic() + seconds, 0
        while (left := end - time.monotonic()) > 0:
            if sub.poll(left * 1_000):
                count += "heartbeat" in json.loads(sub.recv_multipart()[-1])
        return count
    finally:
        sub.close()


def heartbeat_ms(daemon):
    daemon.reload(heartbeat_ms=5_000)
    assert heartbeats(daemon, 1) <= 1
    assert "heartbeat_ms: 5000 → 100" in daemon.reload(heartbeat_ms=100)
    assert daemon.ask("hello")["hello"]["heartbeatMs"] == 100
    assert heartbeats(daemon, 1) >= 5
    daemon.reload(heartbeat_ms=60_000)
    assert heartbeats(daemon, 1) <= 1


def connections(daemon):
    path = str(daemon.directory / "request.sock")
    peers = []

    def let_in(count):
        """Of so many more, those that are let in."""
        new = []
        for _ in range(count):
            try:
                new.append(Peer(path, timeout=2))
            except ConnectionError:  # hung up before it had said anything
                continue
        good = [peer for peer in new if peer.welcome()]
        peers.extend(good)
        return len(good)

    link = Link(daemon.endpoint)  # with the limit reached nobody new comes in to ask
    try:
        assert link.ask("stats")["ok"]
        assert let_in(30) == 30
        daemon.reload(connections=16)
        # Those that are there stay; no more are let in.
        assert let_in(5) == 0
        stats = link.ask("stats")["stats"]
        assert stats["gauges"]["connections"] == 31
        assert stats["counters"]["connections_dropped_full"] >= 5
        daemon.reload(connections=40)
        assert let_in(20) == 9
    finally:
        link.close()
        for peer in peers:
            peer.close()
    eventually(lambda: let_in(1), 10)
    peers[-1].close()


def retain_of_all(daemon):
    daemon.ask("create", {}, "other")
    for n in range(300):
        for table in ["board", "other"] if n < 3 else ["board"]:
            daemon.do(table, add={"id": f"r{n}", "title": "x" * 100})
    assert daemon.tables()["board"]["oldest"] == 0
    daemon.reload(heartbeat_ms=100, retain__total_bytes=20_000)
    eventually(lambda: daemon.tables()["board"]["oldest"] >= 200, 10)
    # The heaviest have lost their oldest, and nobody else has.
    assert daemon.tables()["other"]["oldest"] == 0
    assert code(daemon.do("board", undo={"revision": 1})) == "compacted"
    assert code(daemon.do("board", undo={})) is None


def retain_days(daemon):
    def keeps():
        return daemon.ask("history", {}, "board")["changes"]["keepsSeconds"]

    assert keeps() == 90 * 86_400
    daemon.reload(retain__days=3)
    assert keeps() == 3 * 86_400
    daemon.reload(retain__days=0)
    assert keeps() == 0


def retain(key, small):
    def test(daemon):
        def history():
            return daemon.ask("history", {"most": 1000}, "board")["changes"]

        for n in range(300):
            daemon.do("board", add={"id": f"r{n}", "title": "x" * 100})
        page = history()
        assert len(page["changes"]) == 300 and page["oldest"] == 0
        daemon.reload(heartbeat_ms=100, **{f"retain__{key}": small})
        if key == "seconds":
            time.sleep(1.1)

        def fewer():
            found = history()
            return found if found["oldest"] >= 200 else None

        page = eventually(fewer, 10)
        assert page[f"keeps{key.title()}"] == small
        # What has gone is refused by name; what is kept can be undone.
        assert code(daemon.do("board", undo={"revision": 1})) == "compacted"
        before = daemon.tables()["board"]["revision"]
        daemon.reload(**{f"retain__{key}": 100_000_000 if key == "bytes" else 1_000_000})
        for n in range(100):
            daemon.do("board", set={"row": "r0", "title": str(n)})
        page = history()
        assert page["oldest"] <= before and len(page["changes"]) >= 100
        assert code(daemon.do("board", undo={})) is None

    return test


def checkpoint(daemon):
    daemon.reload(checkpoint__after_bytes=1 << 30)

    def write():
        for n in range(20):
            daemon.do("board", add={"title": "x" * 4_000, "fields": {"a": "y" * 8_000}})

    write()
    time.sleep(1.5)
    assert daemon.stats()["gauges"]["journal_checkpoint"] == 0
    daemon.reload(checkpoint__after_bytes=64 << 10)
    eventually(lambda: daemon.stats()["gauges"]["journal_checkpoint"] > 0, 10)


def disk(daemon):
    assert daemon.ask("health")["health"]["status"] == "ok"
    daemon.reload(disk__reserve_bytes=1 << 40)
    eventually(lambda: daemon.ask("health")["health"]["status"] == "readOnly", 5)
    assert code(daemon.do("board", add={})) == "diskFull"
    daemon.reload(disk__reserve_bytes=0)
    eventually(lambda: daemon.ask("health")["health"]["status"] == "ok", 5)
    assert daemon.do("board", add={})["ok"]


# -------------------------------------------------------------------------------------- the limits


def camel(key):
    head, *rest = key.split("_")
    return head + "".join(word.title() for word in rest)


def limit(key, small, large, exceed):
    """`exceed(daemon, n)` does something that is more than `small` and not more than `large`."""
    def test(daemon):
        name = f"limits__{key}"
        daemon.write(**{name: large})
        daemon.hup()
        reply = exceed(daemon, 0)
        assert reply["ok"], reply
        said = daemon.reload(**{name: small})
        assert f"notice: limits.{key}: {large} → {small}" in said, said
        reply = exceed(daemon, 1)
        assert code(reply) == "tooLarge", reply
        assert daemon.told(camel(key)) == small
        # All is there as it was, also for who comes anew, and more is refused by name.
        viewer = Viewer(daemon.endpoint, "board")
        eventually(lambda: viewer.step(0.05) or viewer.freshness() == "live", 10, 0)
        assert viewer.digest() == daemon.tables()["board"]["digest"]
        assert not viewer.counts["wrong"]
        viewer.close()
        assert daemon.ask("check", timeout=30)["ok"]
        daemon.reload(**{name: large})
        reply = exceed(daemon, 2)
        assert reply["ok"], reply
        assert daemon.told(camel(key)) == large

    return test


def add(**row):
    return lambda daemon, n: daemon.do("board", add=row)


def tables(daemon, n):
    assert daemon.do("board", add={})["ok"]
    return daemon.ask("create", {}, f"more{n}")


# ---------------------------------------------------------------------------- remembered answers


class Lossy(Writer):
    """A writer whose answers get lost."""

    def lose(self):
        """All that is under way has arrived, and no answer comes back."""
        endpoint = self.link.socket.LAST_ENDPOINT.decode()
        expected = {n: one[0] for n, one in self.under_way.items()}
        time.sleep(0.3)
        self.link.close()
        self.link = Link(endpoint)
        assert self.under_way.keys() == expected.keys()

    def hear_all(self, seconds=20):
        """Sends again until each has its answer; gives the answers by number."""
        heard = {}
        for entry in self.under_way.values():
            entry[1] = 0
        end = time.monotonic() + seconds
        while self.under_way:
            assert time.monotonic() < end, f"no answers to {sorted(self.under_way)}"
            if reply := self.step(0.1):
                heard[reply["number"]] = reply
        return heard

    def fill(self, table="board"):
        """As many as may be under way."""
        first = self.number + 1
        while self.may_send():
            self.send(table, "command", {"add": {"id": f"{self.client[-6:]}-{self.number + 1}"}})
        return list(range(first, self.number + 1))


def replies(daemon):
    """`hello` tells no more than are remembered of all."""
    old = Lossy(daemon.endpoint, patience=0.5)
    numbers = old.fill()
    daemon.reload(limits__replies=8)
    assert daemon.told("repliesPerSession") == 8
    old.lose()
    heard = old.hear_all()
    assert sorted(heard) == numbers and all(reply["ok"] for reply in heard.values())
    new = Lossy(daemon.endpoint, patience=0.5)
    numbers = new.fill()
    assert len(numbers) == 8
    new.lose()
    heard = new.hear_all()
    assert sorted(heard) == numbers and all(reply["ok"] for reply in heard.values())
    daemon.reload(limits__replies=100_000)
    assert daemon.told("repliesPerSession") == 64
    old.close()
    new.close()


def sessions(daemon):
    clients = [Lossy(daemon.endpoint, patience=0.5) for _ in range(6)]
    for writer in clients:
        assert writer.command("board", add={})["ok"]
    said = daemon.reload(limits__sessions=2)
    assert "limits.sessions: 10000 → 2" in said and daemon.told("sessions") == 2
    before = daemon.stats()["gauges"]["sessions"]
    assert before >= 6
    # They are at work, and lose nothing.
    for writer in clients:
        writer.send("board", "command", {"add": {}})
        writer.lose()
    for writer in clients:
        assert all(reply["ok"] for reply in writer.hear_all().values())
    # Who comes takes the place of those who were quiet the longest.
    more = []
    for _ in range(6):
        more.append(Lossy(daemon.endpoint, patience=0.5))
        assert more[-1].command("board", add={})["ok"]
    assert daemon.stats()["gauges"]["sessions"] == 2
    assert code(clients[0].command("board", add={})) == "unknown"
    daemon.reload(limits__sessions=10_000)
    for _ in range(4):
        more.append(Lossy(daemon.endpoint, patience=0.5))
        assert more[-1].command("board", add={})["ok"]
    assert daemon.stats()["gauges"]["sessions"] >= 6
    for writer in clients + more:
        writer.close()


def guests(daemon):
    """Who nobody names may do nothing; test_guests.py has the rest."""
    assert "guests: whoever may connect → line 1: key nobody" in daemon.reload(guests=[{"keys": ["nobody"], "roles": ["admin"]}])
    assert daemon.ask("snapshot", {}, "board")["error"]["code"] == "notAllowed"
    daemon.reload(guests=[{"users": ["*"], "roles": ["viewer"]}])
    assert daemon.ask("snapshot", {}, "board")["ok"]
    assert daemon.do("board", add={"title": "one"})["error"]["code"] == "notAllowed"
    daemon.reload(guests=[{"users": ["*"], "roles": ["admin"]}])
    assert daemon.do("board", add={"title": "one"})["ok"]


TESTS = {
    "endpoints": waits("endpoints", lambda d: [d.pair("other-")]),
    "state_directory": waits("state_directory", lambda d: str(d.directory / "elsewhere")),
    "journal": waits("journal", lambda d: {"etcd": {
        "endpoints": ["http://127.0.0.1:1"], "name": "x"}}),
    "high_water_mark": waits("high_water_mark", lambda d: 77),
    "ipc_mode": ipc_mode,
    "log.level": log_level,
    "log.slow_ms": slow_ms,
    "heartbeat_ms": heartbeat_ms,
    "connections": connections,
    "retain.diffs": retain("diffs", 10),
    "retain.bytes": retain("bytes", 5_000),
    "retain.days": retain_days,
    "retain.seconds": retain("seconds", 1),
    "retain.total_bytes": retain_of_all,
    "checkpoint.after_bytes": checkpoint,
    "disk.reserve_bytes": disk,
    "guests": guests,
    "limits.rows": limit("rows", 1, 2_000_000, add(title="one more")),
    "limits.tables": limit("tables", 1, 3_000, tables),
    "limits.sessions": sessions,
    "limits.replies": replies,
}


def shipped_keys():
    """The keys that hold a value, in the file that describes them all."""
    keys, parent = set(), None
    for line in CONFIGURATION.read_text().splitlines():
        if found := re.match(r"(# )?([a-z_]+):(.*)$", line):
            parent = found[2]
            if found[3].strip() or parent in ("endpoints", "guests", "journal"):
                keys.add(parent)
        elif found := re.match(r"  ([a-z_]+): *\S", line):
            keys.add(f"{parent}.{found[1]}")
    return keys


def test_every_key_has_its_test():
    assert shipped_keys() == set(TESTS)


@pytest.mark.parametrize("key", TESTS)
def test_key(settled, key):
    TESTS[key](settled())


# --------------------------------------------------------------------------------------- all of it


def test_what_cannot_be_used_changes_nothing(settled):
    daemon = settled(limits={"rows": 3})
    before = daemon.ask("hello")["hello"]["limits"]
    good = daemon.config.read_text()
    for bad, why in (
        ("limits: {rows: 5, nonsense: 1}", "nonsense"), ("heartbeat_ms: 5\nlimits: {rows: 9}", "heartbeat_ms"),
        ("a: [", ""), ("\x00", ""), (None, "cannot read"),
    ):
        if bad is None:
            daemon.config.unlink()
        else:
            daemon.config.write_text(bad)
        said = daemon.hup()
        assert "error: the configuration stays as it was" in said and why in said
        assert daemon.ask("hello")["hello"]["limits"] == before
    daemon.config.write_text(good)
    said = daemon.hup()
    assert "configuration read again changed=0 failed=0 need_restart=0" in said
    names = said.split("unchanged: ")[1].split("\n")[0].split()
    assert set(names) == shipped_keys()


SMALL = {
    "heartbeat_ms": 150, "connections": 64, 
    "retain": {"diffs": 5, "bytes": 20_000, "days": 1, "seconds": 1, "total_bytes": 10_000},
    "checkpoint": {"after_bytes": 65_536}, "high_water_mark": 9, "ipc_mode": "0600",
    "limits": {"rows": 10, "tables": 1, "sessions": 2, "replies": 20}}
LARGE = {
    "heartbeat_ms": 1_000, "connections": 4_096, 
    "retain": {"diffs": 50_000, "bytes": 1 << 23, "days": 90, "seconds": 0, "total_bytes": 1 << 25},
    "checkpoint": {"after_bytes": 1 << 24}, "high_water_mark": 256, "ipc_mode": "0660",
    "limits": {"rows": 1_000_000, "tables": 1_024, "sessions": 10_000, "replies": 100_000}}


@pytest.mark.bound(120, 120)
def test_under_load(settled):
    """All keys to and fro while three writers and a viewer are at work: no answer is lost."""
    daemon = settled(**LARGE)
    assert SMALL["limits"].keys() == {key[7:] for key in TESTS if key.startswith("limits.")}
    writers = [Lossy(daemon.endpoint, patience=0.4) for _ in range(3)]
    viewer = Viewer(daemon.endpoint, "board")
    answers, sent, changes, losses = {}, 0, 0, 0
    end, turn_at, lose_at = time.monotonic() + 15, time.monotonic() + 0.5, time.monotonic() + 1
    while time.monotonic() < end or any(writer.under_way for writer in writers):
        now = time.monotonic()
        for index, writer in enumerate(writers):
            while now < end and writer.may_send() and len(writer.under_way) < 40:
                n = writer.number + 1
                writer.send("board", "command",
                            {"add": {"id": f"w{index}-{n}"}} if n % 4 else {"remove": {"rows": [f"w{index}-{n - 1}"]}})
                sent += 1
            while reply := writer.step(0):
                assert (index, reply["number"]) not in answers
                answers[index, reply["number"]] = reply
        viewer.step(0.005)
        if now < end and now > turn_at:
            changes += 1
            daemon.write(**(SMALL if changes % 2 else LARGE))
            daemon.process.send_signal(signal.SIGHUP)
            turn_at = now + 0.3
        if now < end and now > lose_at:
            losses += 1
            writers[losses % 3].lose()
            lose_at = now + 1
    daemon.reload(**LARGE)
    assert changes > 20 and losses > 5 and len(answers) == sent > 500
    codes = {code(reply) for reply in answers.values()}
    # Refused by name is what the smaller limits refuse; `unknown` would be a lost answer.
    assert codes <= {None, "tooLarge", "noSuchRow"}, codes
    assert None in codes and "tooLarge" in codes
    added = [key for key, reply in answers.items() if reply["ok"] and key[1] % 4]
    removed = [key for key, reply in answers.items() if reply["ok"] and key[1] % 4 == 0]
    table = daemon.tables()["board"]
    assert table["rows"] == len(added) - len(removed)
    eventually(lambda: viewer.step(0.05) or (
        viewer.freshness() == "live" and viewer.digest() == daemon.tables()["board"]["digest"]), 10, 0)
    assert not viewer.counts["wrong"] and not viewer.counts["diverged"]
    hello = daemon.ask("hello")["hello"]
    for key, value in LARGE["limits"].items():
        assert hello["limits"].get(camel(key), value) == value, key
    daemon.restart()
    again = daemon.tables()["board"]
    assert again["digest"] == table["digest"] and again["revision"] == table["revision"]
    viewer.close()
    for writer in writers:
        writer.close()


def test_a_restart_with_fewer_answers(settled):
    """A writer that goes on takes its window from the daemon that it finds."""
    daemon = settled()
    writer = Writer(daemon.endpoint, patience=0.3)
    assert writer.command("board", add={})["ok"] and writer.window == 64
    daemon.write(limits__replies=3)
    daemon.restart()
    assert writer.command("board", add={})["ok"]
    eventually(lambda: writer.step(0.05) is None and writer.window == 3, 5, 0)
    writer.close()


def test_the_largest_row_comes_back(settled, tmp_path):
    """One made little by little could be larger than a request: its backup was sound, and could not be restored."""
    daemon = settled()
    # All that a row can have around its text, and many fields.
    assert daemon.do("board", add={"id": "i" * 128, "section": "s" * 128})["ok"]
    names = [f"f{n}" for n in range(256)]
    left = 16_384 - len("".join(names)) - len("row")  # its kind
    sizes = [left // 256 + (n < left % 256) for n in range(256)]
    for start in range(0, 256, 64):
        fields = {name: "x" * size for name, size in list(zip(names, sizes))[start:start + 64]}
        reply = daemon.do("board", set={"row": "i" * 128, "fields": fields})
        assert reply["ok"], reply["error"]
    assert code(daemon.do("board", set={"row": "i" * 128, "title": "one more"})) == "tooLarge"
    link = Link(daemon.endpoint)
    link.send(encode({"client": "c" * 128, "number": 1, "name": "n" * 128, "table": "board",
                      "command": {"claim": {"rows": ["i" * 128], "note": "n" * 1024}}}))
    assert link.receive(5)["ok"]
    link.close()
    backup, export = tmp_path / "board.backup", tmp_path / "board.yaml"
    done = cli(daemon, "export", "board")
    assert done.returncode == 0, done.stderr
    export.write_text(done.stdout)
    assert daemon.ask("create", {}, "imported")["ok"]
    for words in (["backup", backup], ["restore", backup, "--table", "board", "--to", "restored"],
                  ["import", "imported", export]):
        done = cli(daemon, *map(str, words))
        assert done.returncode == 0, done.stderr
    assert daemon.tables()["imported"]["rows"] == 1
    assert daemon.tables()["restored"]["digest"] == daemon.tables()["board"]["digest"]


def test_localhost(settled):
    """A name was taken for that of an interface: the daemon ended with "no such network interface"."""
    daemon = Settled()
    ports = free_ports(2)
    daemon.write(endpoints=[daemon.pair(""), {
        "request": f"tcp://localhost:{ports[0]}", "publish": f"tcp://localhost:{ports[1]}"}])
    try:
        daemon.start()
        assert f"tcp://localhost:{ports[1]}" in daemon.ask("hello")["hello"]["publish"]
        assert daemon.ask("create", {}, "board")["ok"]
        viewer = Viewer(f"tcp://localhost:{ports[0]}", "board")
        eventually(lambda: viewer.step(0.05) or viewer.freshness() == "live", 10, 0)
        viewer.close()
    finally:
        print(daemon.close())


@pytest.mark.parametrize("text, said", [
    ("journal:\n#  etcd:\n#    name: x\n", "journal: `etcd` is missing"),
    ("journal:\n  etcd:\n#    name: x\n", "journal.etcd: `endpoints` is missing")])
def test_no_daemon_begins_a_journal_by_mistake(text, said):
    """One of several whose lines were commented out took the commands of clients that list all of them."""
    daemon = Daemon(text)
    try:
        for words in (daemon.command(), [daemon.command()[0], "check-config", *daemon.command()[1:]]):
            done = subprocess.run(words, capture_output=True, text=True, timeout=30, check=False)
            assert done.returncode == 78 and said in done.stderr, done
        assert not daemon.state.exists()
    finally:
        shutil.rmtree(daemon.directory)


def test_a_long_start_asks_for_time(make_daemon):
    """systemd ends a start that takes longer than it allows, and begins anew for ever."""
    daemon = make_daemon(start=False)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(daemon.directory / "notify"))
        manager.settimeout(20)
        daemon.environment = {"NOTIFY_SOCKET": str(daemon.directory / "notify")}
        daemon.start()
        assert manager.recv(4096) == b"EXTEND_TIMEOUT_USEC=90000000"
        while b"READY=1" not in (said := manager.recv(4096)):
            assert said.startswith(b"EXTEND_TIMEOUT_USEC="), said
