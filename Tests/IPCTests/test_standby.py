"""A standby follows a daemon without etcd, and is promoted by hand (docs/STANDBY.md)."""

import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cluster_work import rows
from etcd_service import free_ports
from harness import BIN, Daemon, cli, eventually
from trestle_client import Link

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "clients" / "python" / "src"))
import trestle  # noqa: E402

pytestmark = pytest.mark.bound(120, 7_200)


class Pair:
    """Two daemons, of which one follows the other. They change places when the standby is promoted."""

    def __init__(self, start=True):
        self.all = [Daemon("checkpoint: {after_bytes: 65536}\n") for _ in range(2)]
        self.first, self.standby = self.all
        if start:
            self.first.start()
            self.follow()

    def follow(self, wait=True):
        """The standby follows the first, which is an ordinary daemon or was promoted."""
        self.configure(self.standby, self.first)
        self.standby.start()
        if wait:
            self.caught_up()

    @staticmethod
    def configure(standby, first):
        standby.config.write_text(
            "checkpoint: {after_bytes: 65536}\n"
            f"journal: {{follow: {{endpoint: '{first.endpoint}'}}}}\n")

    def caught_up(self, seconds=30):
        position = self.first.ask("health")["health"]["position"]

        def there():
            """the standby has all that the first has"""
            health = self.standby.ask("health")["health"]
            return health.get("role") == "standby" and not health.get("outOfTouch") and health["position"] >= position

        eventually(there, seconds, 0.05)

    def promoted(self):
        """Promotes the standby as soon as it may be."""
        def done():
            """the standby is promoted"""
            reply = self.standby.ask("promote")
            if reply.get("ok"):
                return reply["promoted"]
            assert reply["error"]["code"] == "notStandby", reply
            assert "answers" in reply["error"]["message"], reply
            return None

        return eventually(done, 20, 0.1)

    def close(self):
        for daemon in self.all:
            print(daemon.close() if daemon.directory.exists() else "")


@pytest.fixture
def pair():
    made = Pair()
    yield made
    made.close()


def refused(daemon, verb, body=None, table=None):
    reply = daemon.ask(verb, body, table)
    assert not reply.get("ok"), reply
    return reply["error"]


def fill(daemon, table="t", rows=50, first=0):
    if table not in daemon.tables():
        assert daemon.ask("create", {}, table).get("ok")
    for n in range(first, first + rows):
        assert daemon.do(table, add={"id": f"r{n}", "title": f"row {n}"}).get("ok")


def digests(daemon):
    return {name: (t.get("revision", 0), t["digest"], t["history"]) for name, t in daemon.tables().items()}


def test_follows(pair):
    fill(pair.first)
    pair.caught_up()
    assert digests(pair.first) == digests(pair.standby)
    # Changes are refused, with the endpoint of the one that takes them.
    error = refused(pair.standby, "command", {"add": {"id": "x"}}, "t")
    assert (error["code"], error["endpoints"]) == ("notLeader", [pair.first.endpoint])
    health = pair.standby.ask("health")["health"]
    assert health["role"] == "standby" and health.get("lag", 0) == 0
    first = pair.first.ask("health")["health"]
    assert first["role"] == "leader" and first["term"] == 1
    position = pair.first.ask("health")["health"]["position"]

    def shown():
        """the first shows what the standby has"""
        members = pair.first.ask("health")["health"].get("members", [])
        return [m for m in members if m["endpoints"] == [pair.standby.endpoint]
                and m["position"] == position]

    eventually(shown, 5)
    gauges = pair.first.stats()["gauges"]
    assert gauges["standbys"] == 1 and gauges["standby_lag"] == 0
    assert pair.standby.stats()["gauges"]["standby_lag_ms"] == 0


def test_restarts_of_both(pair):
    fill(pair.first)
    for n in range(3):
        pair.standby.kill()
        fill(pair.first, rows=20, first=100 * n + 100)
        pair.standby.start()
        pair.caught_up()
        pair.first.kill()
        pair.first.start()
        fill(pair.first, rows=20, first=100 * n + 150)
        pair.caught_up()
        assert digests(pair.first) == digests(pair.standby)
    # It went on each time: nothing was copied after the beginning.
    assert pair.standby.tail(400).count("taking a copy") == 1


def test_begins_anew_behind_what_is_kept(pair):
    fill(pair.first, rows=20)
    pair.caught_up()
    pair.standby.kill()
    # Enough for some checkpoints, so that the entries behind the standby's go when it is forgotten: at a restart.
    for n in range(400):
        assert pair.first.do("t", add={"id": f"big{n}", "title": "x" * 2_000}).get("ok")
    pair.first.restart()
    eventually(lambda: pair.first.stats()["gauges"]["journal_checkpoint"] > 30, 20)
    for n in range(100):
        pair.first.do("t", set={"row": "big0", "title": f"{n}" * 100})
    time.sleep(1)
    pair.standby.start()
    pair.caught_up()
    assert digests(pair.first) == digests(pair.standby)


def test_promotion(pair):
    fill(pair.first)
    pair.caught_up()
    before = digests(pair.first)
    # While the first answers it is refused; and an ordinary daemon is no standby.
    assert refused(pair.standby, "promote")["code"] == "notStandby"
    assert "no standby" in refused(pair.first, "promote")["message"]
    pair.first.kill()
    promotion = pair.promoted()
    assert promotion["term"] == 2 and promotion.get("missing", 0) == 0
    # It writes at once, and the histories are new.
    assert pair.standby.do("t", add={"id": "after"}).get("ok")
    after = digests(pair.standby)
    assert after["t"][2] != before["t"][2] and after["t"][0] == before["t"][0] + 1
    # Refused twice.
    assert "promoted already" in refused(pair.standby, "promote")["message"]
    # Also after a restart it is the one that writes.
    pair.standby.restart()
    assert pair.standby.do("t", add={"id": "later"}).get("ok")
    assert "promoted already" in refused(pair.standby, "promote")["message"]

    # The old first comes back: it is fenced, and stays so.
    pair.first.start()
    eventually(lambda: pair.first.ask("health")["health"].get("role") == "fenced", 10)
    error = refused(pair.first, "command", {"add": {"id": "x"}}, "t")
    assert (error["code"], error["endpoints"]) == ("notLeader", [pair.standby.endpoint])
    said = cli(pair.first, "health")
    assert said.returncode == 1 and "fenced" in said.stdout and pair.standby.endpoint in said.stdout, said
    assert pair.first.stats()["gauges"]["cluster_in_touch"] == 0
    pair.first.restart()
    assert refused(pair.first, "command", {"add": {"id": "x"}}, "t")["code"] == "notLeader"

    # It is made a standby of the new one.
    pair.first.kill()
    pair.first, pair.standby = pair.standby, pair.first
    pair.follow()
    assert digests(pair.first) == digests(pair.standby)
    # A standby's directory does not begin to write without a promotion.
    pair.standby.kill()
    pair.standby.config.write_text("heartbeat_ms: 500\n")
    done = subprocess.run(pair.standby.command(), capture_output=True, text=True, timeout=20)
    assert done.returncode == 78 and "is a standby's" in done.stderr, done.stderr


def test_what_is_forgotten_goes_from_both(pair):
    """Within seconds, and though nothing is changed after it; also what was written before the standby had asked for it."""
    def holders():
        return [path for daemon in pair.all for path in daemon.state.rglob("*")
                if path.is_file() and b"Kim, nut allergy" in path.read_bytes()]

    fill(pair.first, rows=3)
    for _ in range(2):
        assert pair.first.do("t", add={"id": "kim", "title": "Kim", "fields": {"note": "Kim, nut allergy"}}).get("ok")
        pair.caught_up()
        assert len(holders()) >= 2
        assert pair.first.do("t", remove={"rows": ["kim"]}).get("ok")
        assert pair.first.ask("forget", {"rows": ["kim"]}, "t").get("ok")

        def gone():
            """no file of either holds it"""
            try:
                return not holders()
            except FileNotFoundError:
                return False

        eventually(gone, 15, 0.1)
    assert digests(pair.first) == digests(pair.standby)


def test_a_pair_at_rest_forgets_again_and_again(pair):
    """The standby goes on where it was: it takes no other copy, and sets nothing apart."""
    fill(pair.first, rows=6)
    assert pair.first.do("t", remove={"rows": [f"r{n}" for n in range(5)]}).get("ok")
    pair.caught_up()
    before = pair.standby.log.read_text().count("taking a copy")
    for n in range(5):
        assert pair.first.ask("forget", {"rows": [f"r{n}"]}, "t").get("ok")
        time.sleep(1.5)
        pair.caught_up()
    assert pair.standby.log.read_text().count("taking a copy") == before
    assert not list(pair.standby.state.glob("apart-*"))
    assert digests(pair.first) == digests(pair.standby)


def fences(daemon):
    return [(one["outcome"], one.get("code", "")) for one in daemon.ask("audit", {})["audit"]["entries"]
            if one["verb"] == "fence"]


def test_only_a_copy_of_its_log_ends_a_daemons_writing(pair):
    fill(pair.first)
    pair.caught_up()
    place = {"log": "0123456789abcdef", "position": 1, "chain": "0123456789abcdef"}
    for asked in ({"term": 2**64 - 1, "endpoints": []}, {"term": 2, "endpoints": ["ipc:///elsewhere"]},
                  {"term": 2, "endpoints": ["ipc:///elsewhere"], "place": place}):
        error = refused(pair.first, "replicate", {"id": "x1"} | asked)
        assert (error["code"], error["field"]) == ("conflict", "term")
        assert pair.first.do("t", set={"row": "r0", "title": "still"}).get("ok")
    # It asks again and again, and is noted once.
    assert fences(pair.first) == [("refused", "conflict")]
    pair.caught_up()
    pair.first.kill()
    pair.promoted()
    pair.first.start()
    eventually(lambda: pair.first.ask("health")["health"].get("role") == "fenced", 10)
    # The audit that is asked for is that since the start.
    assert fences(pair.first) == [("allowed", "")]


def test_clients_of_the_promoted_one_do_not_go_back(pair):
    """The promoted one is away, and the old first is there, which has not heard of it and would write."""
    fill(pair.first)
    pair.caught_up()
    both = f"{pair.first.endpoint},{pair.standby.endpoint}"
    watching = pair.first.beside_it([BIN / "trestle", "-o", "json", "-e", both, "watch", "t"], "watched")
    with trestle.connect(both, timeout=2, patience=0.5) as client:
        client.board("t").add("with the first", id="p0")
        eventually(lambda: "with the first" in watching.path.read_text(), 20)
        pair.first.kill()
        pair.promoted()
        client.board("t").add("with the promoted", id="p1")
        eventually(lambda: "with the promoted" in watching.path.read_text(), 20)
        # A viewer that hears of the promotion asks for the term. One that loses the daemon before the answer knows none.
        time.sleep(0.5)
        pair.standby.kill()
        pair.first.start()
        assert pair.first.do("t", add={"id": "lost", "title": "by somebody who knows no better"}).get("ok")
        said = set()
        while not any("written in term 1, and a standby was promoted to term 2" in one for one in said):
            with pytest.raises(trestle.NoAnswer) as refused:
                client.board("t").add("never sent", id="never")
            assert not refused.value.may_happen
            said.add(str(refused.value))
            assert len(said) < 20, said
        with pytest.raises(trestle.NoAnswer):
            client.tables()
        assert watching.poll() is None and "no better" not in watching.path.read_text()
        # The promoted one comes back, and the old first is fenced.
        pair.standby.start()
        client.board("t").add("later", id="p2")
        eventually(lambda: "later" in watching.path.read_text(), 20)
        assert "p2" in rows(pair.standby) and "p2" not in rows(pair.first)
        assert "never" not in rows(pair.standby) + rows(pair.first)
        assert "no better" not in watching.path.read_text()


def test_what_only_the_old_first_had_is_set_apart(pair):
    fill(pair.first)
    pair.caught_up()
    pair.standby.kill()
    fill(pair.first, rows=7, first=500)
    pair.first.kill()
    pair.standby.start()
    assert pair.promoted()["position"] > 0
    assert pair.standby.do("t", add={"id": "after"}).get("ok")
    pair.first, pair.standby = pair.standby, pair.first
    pair.follow()
    assert digests(pair.first) == digests(pair.standby)
    assert "r500" not in rows(pair.standby)
    assert (pair.standby.state / "apart-1" / "journal").exists()
    assert "7 of its entries are not in the copy" in pair.standby.tail(200)
    # The journal that was set apart can be read.
    to = pair.standby.directory / "saved"
    done = subprocess.run([BIN / "trestled", "salvage", pair.standby.state / "apart-1", "--to", to],
                          capture_output=True, text=True, timeout=30)
    assert done.returncode == 0, done.stderr


def test_an_unfinished_standby_is_not_promoted():
    standby, first = Daemon("heartbeat_ms: 500\n"), Daemon()
    try:
        Pair.configure(standby, first)
        standby.start()
        assert "has no copy" in refused(standby, "promote")["message"]
        assert refused(standby, "promote")["code"] == "notStandby"
        standby.restart()
        assert "has no copy" in refused(standby, "promote")["message"]
    finally:
        standby.close()
        shutil.rmtree(first.directory)


def test_the_first_does_not_wait(pair):
    """A standby that is stopped holds nothing up, and catches up."""
    fill(pair.first)
    pair.caught_up()
    pair.standby.process.send_signal(signal.SIGSTOP)
    try:
        begin = time.monotonic()
        fill(pair.first, rows=200, first=1_000)
        took = time.monotonic() - begin
    finally:
        pair.standby.process.send_signal(signal.SIGCONT)
    assert took < 10
    pair.caught_up()
    assert digests(pair.first) == digests(pair.standby)


def keys(state, *words):
    return subprocess.run([BIN / "trestled", "keys", words[0], "--state-directory", state, *words[1:]],
                          capture_output=True, text=True, timeout=30, check=True).stdout.strip()


def test_standbys_that_are_gone_make_room(pair):
    """Each start is a new one to the daemon that is followed. It takes 32 at once, of which those that are silent go."""
    fill(pair.first, rows=5)
    pair.caught_up()
    begin = time.monotonic()
    link = Link(pair.first.endpoint)
    taken = [link.ask("replicate", {"id": f"gone{n}"}).get("ok") for n in range(40)]
    assert sum(map(bool, taken)) == 31 or time.monotonic() > begin + 2, taken
    pair.standby.restart()
    pair.caught_up(20)
    fill(pair.first, rows=5, first=100)
    pair.caught_up(20)
    link.close()


def test_over_curve():
    """As docs/STANDBY.md sets it up. The standby waits until the first knows its key, and when that is revoked."""
    first, standby = Daemon("{}"), Daemon("{}")
    request, publish = (f"tcp://127.0.0.1:{port}" for port in free_ports(2))
    first.config.write_text(
        f"endpoints: [{{request: '{first.endpoint}', publish: 'ipc://{first.directory}/publish.sock'}},"
        f" {{request: '{request}', publish: '{publish}', curve: true}}]\n"
        "guests: [{keys: [standby], roles: [admin]}, {users: ['*'], roles: [admin]}]\n")
    command = first.command
    first.command = lambda *_: [word for word in command() if word not in ("--endpoint", first.endpoint)]
    try:
        first.state.mkdir(mode=0o700)
        standby.config.write_text(
            f"journal: {{follow: {{endpoint: '{request}', key: '{keys(first.state, 'show')}'}}}}\n")
        first.start()
        fill(first, rows=5)
        standby.start()

        def follows():
            """the standby has all that the first has"""
            health = standby.ask("health")["health"]
            return not health.get("outOfTouch") and digests(first) == digests(standby)

        eventually(lambda: "refuses the key of this daemon" in standby.log.read_text(), 10, 0.1)
        assert standby.ask("health")["health"]["outOfTouch"]
        for turn in range(2):
            keys(first.state, "add", "standby", keys(standby.state, "show"))
            eventually(follows, 20, 0.1)
            keys(first.state, "revoke", "standby")
            eventually(lambda: standby.ask("health")["health"].get("outOfTouch"), 20, 0.1)
            fill(first, rows=5, first=100 + 10 * turn)
        keys(first.state, "add", "standby", keys(standby.state, "show"))
        eventually(follows, 20, 0.1)
        with trestle.connect(standby.endpoint) as client:
            with pytest.raises(trestle.refusals.NotStandby, match="answers"):
                client.promote()
            first.kill()
            time.sleep(2)
            assert client.promote()["promoted"]["term"] == 2
            with pytest.raises(trestle.refusals.NotStandby, match="promoted already"):
                client.promote()
            client.board("t").add("after", id="after")
    finally:
        print(first.close(), standby.close())


def test_hostile_requests(pair):
    for body in ({"id": ""}, {"id": "a b"}, {"id": "a", "place": {"log": "x"}},
                 {"id": "a", "place": {"log": "0" * 16}}, {"id": "a", "endpoints": ["a b"]},
                 {"id": "a", "endpoints": ["x" * 300]}, {"id": "a", "version": "\n"}):
        assert not pair.first.ask("replicate", body).get("ok"), body
    reply = pair.first.ask("replicate", {"id": "a", "piece": {"checkpoint": 2**60, "offset": 2**60}})
    assert reply["replicated"]["copy"], reply
    place = {"log": "f" * 16, "position": 2**60, "chain": "f" * 16}
    assert pair.first.ask("replicate", {"id": "a", "place": place})["replicated"]["copy"]
    for n in range(40):
        pair.first.ask("replicate", {"id": f"b{n}"})
    fill(pair.first)
    pair.caught_up()
