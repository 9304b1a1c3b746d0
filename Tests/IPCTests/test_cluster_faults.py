"""Several daemons on etcd, and faults in random order (docs/CLUSTER.md): `make cluster-faults` at full size."""

import bisect
import os
import random
import signal
import subprocess
import threading
import time

import pytest

from etcd_service import Etcd, Member, Service, Writing, rows
from harness import BIN, FULL, eventually, full
from linear import Seen, violations
from trestle_client import Link, encode

pytestmark = pytest.mark.bound(240, 7_200)


def test_the_checker_finds_what_is_planted():
    def history(*revisions):
        """Commands one after the other, and each answered before the next."""
        return [Seen(f"c{n}", n, n + 0.5, revision) for n, revision in enumerate(revisions)]

    assert violations(history(1, 2, 3, 4)) == []
    assert len(violations(history(1, 2, 2))) == 1  # done twice, or two in one place
    assert len(violations(history(1, 3, 2))) == 1  # behind what was answered before
    # Under way together they may come in any order.
    assert violations([Seen("a", 0, 9, 2), Seen("b", 1, 8, 1)]) == []
    assert violations(history(1, 2), [(0.7, 1), (2, 2)]) == []
    assert len(violations(history(1, 2), [(2, 1)])) == 1  # a stale look
    assert violations(history(1, 2), [(2, 1)], stale=1) == []
    # Of gaps too: none, one in the middle, and one that lasts beyond.
    assert gaps_after([0], [0.1, 0.2, 0.3], 1) == [pytest.approx(0.1)]
    assert gaps_after([0, 10], [0.5, 4, 4.1, 10.1, 29], 10) == [pytest.approx(6), pytest.approx(18.9)]


class Looking(threading.Thread):
    """Looks at the table's revision, at one daemon after the other."""

    def __init__(self, endpoints, table="t"):
        super().__init__(daemon=True)
        self.endpoints, self.table, self.seen, self.stopping = endpoints, table, [], False

    def run(self):
        while not self.stopping:
            for endpoint in self.endpoints:
                link, sent = Link(endpoint), time.monotonic()
                try:
                    tables = link.ask("tables", timeout=0.5)["tables"].get("tables", [])
                except TimeoutError:
                    continue
                finally:
                    link.close()
                for table in tables:
                    if table["table"] == self.table:
                        self.seen.append((sent, int(table.get("revision", 0))))
            time.sleep(0.05)


class Storm:
    """What happens to the processes. Of etcd's three members one at most is away at a time."""

    def __init__(self, etcd, service, seed):
        self.etcd, self.service, self.random = etcd, service, random.Random(seed)
        self.counts = {}
        self.before = ""
        self.kills, self.quiet = [], []  # when: of all, and of those with nothing else in the ten seconds before

    def deck(self, **counts):
        """So many of each, in random order."""
        names = [name for name, count in counts.items() for _ in range(count)]
        self.random.shuffle(names)
        return names

    def one(self, name):
        self.counts[name] = self.counts.get(name, 0) + 1
        getattr(self, name)()
        self.before = name

    def some_daemon(self):
        """Mostly the one that writes."""
        writer = self.service.find() if self.random.random() < 0.7 else None
        return writer or self.random.choice(self.service.members)

    def kill(self):
        daemon, end = self.some_daemon(), self.after_a_kill()
        daemon.kill()
        time.sleep(self.random.uniform(0, 3))
        daemon.start(wait=0)
        time.sleep(max(0, end - time.monotonic()))

    def after_a_kill(self):
        self.kills.append(time.monotonic())
        # A kill waits for its time to be over; a stop does not, so that its takeover may be under way.
        if self.before in ("", "kill", "kill_etcd"):
            self.quiet.append(self.kills[-1])
        return time.monotonic() + full(10, 3)

    def stop(self):
        daemon = self.some_daemon()
        daemon.process.send_signal(signal.SIGSTOP)
        time.sleep(self.random.uniform(1, 60 if FULL and self.random.random() < 0.2 else 6))
        daemon.process.send_signal(signal.SIGCONT)
        time.sleep(self.random.uniform(0.5, full(4, 2)))

    def kill_etcd(self):
        index, end = self.random.randrange(len(self.etcd.processes)), self.after_a_kill()
        self.etcd.kill(index)
        time.sleep(self.random.uniform(0, 2))
        self.etcd.start(index)
        time.sleep(max(0, end - time.monotonic()))

    def stop_etcd(self):
        index = self.random.randrange(len(self.etcd.processes))
        self.etcd.kill(index, signal.SIGSTOP)
        time.sleep(self.random.uniform(1, 5))
        self.etcd.kill(index, signal.SIGCONT)
        time.sleep(self.random.uniform(0.5, full(4, 2)))


def gaps_after(kills, answers, seconds):
    """For each kill the longest time in which nobody was answered, of the seconds behind it; sorted."""
    answers = sorted(answers)
    found = []
    for kill in kills:
        first = bisect.bisect_left(answers, kill)
        last = bisect.bisect_left(answers, kill + seconds)
        # From the kill to the first answer behind those seconds, should there be none within them.
        times = [kill, *answers[first:last + 1]]
        found.append(max((b - a for a, b in zip(times, times[1:])), default=seconds))
    return sorted(found)


def test_faults_in_random_order():
    """Nothing that was acknowledged is lost, nothing is done twice, and there is one history."""
    seed = int(os.environ.get("SEED", time.time_ns() % 100_000))
    part = float(os.environ.get("PART", 1))  # of the full size
    end = time.monotonic() + float(os.environ.get("SECONDS", 6_000))
    lease = full(4, 2)
    etcd = Etcd()
    service = Service(etcd, full(3, 2), lease=lease)
    try:
        assert service.writer().ask("create", {}, "t")["ok"]
        threads = [Writing(service.endpoints, f"w{n}-{seed}", keep=200, pause=full(0.1, 0))
                   for n in range(full(32, 8))]
        look = Looking(service.endpoints)
        for thread in [*threads, look]:
            thread.start()
        storm, many = Storm(etcd, service, seed), full(round(100 * part), 1)
        deck = storm.deck(kill=many + full(0, 1), stop=many, kill_etcd=many, stop_etcd=full(many // 5, 1))
        for number, name in enumerate(deck):
            if time.monotonic() > end:
                print(f"the time was over after {number} of {len(deck)}")
                break
            storm.one(name)
            if FULL and number % 20 == 19:
                print(f"{number + 1} of {len(deck)}: {storm.counts}, "
                      f"{sum(len(one.history) for one in threads)} answered", flush=True)
        eventually(etcd.is_well, 30, 0.2)
        service.writer(40)
        time.sleep(2)
        for thread in [*threads, look]:
            thread.stopping = True
        for thread in [*threads, look]:
            thread.join(60)
            assert not thread.is_alive()
        there = rows(service.writer())
        seen = [Seen(*one) for thread in threads for one in thread.history]
        clients = sorted(gap for thread in threads for gap in thread.gaps)
        print(f"seed {seed}: {storm.counts}, {len(seen)} acknowledged, {len(look.seen)} looks, "
              f"the longest gap of a client {clients[-1]:.1f} s")
        for name, kills in (("a kill", storm.kills), ("one with 10 s of quiet before", storm.quiet)):
            gaps = gaps_after(kills, [one.answered for one in seen], full(10, 3)) or [0.0]
            print(f"nobody was answered after {name}, of {len(kills)}: p50 {gaps[len(gaps) // 2]:.2f} s, p99 "
                  f"{gaps[len(gaps) * 99 // 100]:.2f} s, longest {gaps[-1]:.1f} s")
        # A command that was done twice would be refused the second time: the row exists, or it does not.
        assert [thread.refused for thread in threads if thread.refused] == []
        assert len(seen) > 50
        acknowledged = {row for thread in threads for row in thread.acknowledged}
        # One command of a writer at most was under way in the end.
        maybe = {row for thread in threads for row in thread.maybe}
        assert acknowledged - maybe <= set(there) <= acknowledged | maybe and len(there) == len(set(there))
        # A lease, and what a loaded machine adds.
        assert violations(seen, look.seen, stale=lease + 1.0) == []
        assert not FULL or gaps[len(gaps) * 99 // 100] <= 6, gaps[-5:]
        eventually(lambda: len({str(one) for one in service.digests()}) == 1, 30, 0.2)
    finally:
        for process in etcd.processes:
            process.send_signal(signal.SIGCONT)
        texts = service.close()
        etcd.close()
        print("\n".join(text[-3_000:] for text in texts))


class Waking(threading.Thread):
    """Stops the writer of a service for longer than its lease, so many times, and asks it something meanwhile."""

    def __init__(self, etcd, tries, seed):
        super().__init__()
        self.service, self.tries, self.random = Service(etcd, 2), tries, random.Random(seed)
        self.asked, self.wrong, self.done = [], [], 0
        assert self.service.writer().ask("create", {}, "t")["ok"]

    def run(self):
        for number in range(self.tries):
            try:
                self.one(number)
            except Exception as error:  # noqa: BLE001: it is told by the test
                self.wrong.append(f"try {number}: {error!r}")

    def one(self, number):
        service = self.service
        victim = service.writer(40)
        other = next(member for member in service.members if member is not victim)
        eventually(lambda: other.role() == "follower", 20, 0.05)
        links = [Link(victim.endpoint) for _ in range(4)]
        # Connected, so that what is sent now waits in the sockets of the one that is stopped.
        for link in links:
            link.ask("hello")
        victim.process.send_signal(signal.SIGSTOP)

        def ask(link, place):
            row = f"stale-{number}-{place}"
            link.bodies = {1: encode({"client": row, "number": 1, "opened": 0, "table": "t",
                                      "command": {"add": {"id": row, "title": "T"}}}),
                           2: encode({"client": f"{row}-looks", "number": 2, "tables": {}})}
            for body in link.bodies.values():
                link.send(body)

        for place in (0, 1):
            ask(links[place], place)
        eventually(lambda: other.role() == "writer", 30, 0.05)
        reply = other.do("t", add={"id": f"fresh-{number}", "title": "T"})
        assert reply["ok"], reply
        ask(links[2], 2)
        time.sleep(self.random.uniform(0, 0.5))
        victim.process.send_signal(signal.SIGCONT)
        time.sleep(self.random.uniform(0, 0.2))
        ask(links[3], 3)
        for link in links:
            self.answers(link, number, int(reply["revision"]))
            link.close()
        self.done += 1

    def answers(self, link, number, revision):
        """Of a link: what was begun with a state that is thrown away is not answered, and is sent again."""
        end = time.monotonic() + 30
        while link.bodies:
            assert time.monotonic() < end, "no answer"
            if answer := link.receive(1):
                if link.bodies.pop(answer["number"], None):
                    self.check(number, answer, revision)
            else:
                for body in link.bodies.values():
                    link.send(body)

    def check(self, number, answer, revision):
        if answer["number"] == 2:
            seen = int(answer["tables"]["tables"][0].get("revision", 0))
            if seen < revision:
                self.wrong.append(f"try {number}: a look showed {seen} when {revision} was answered elsewhere")
        elif answer.get("error", {}).get("code") != "notLeader":
            self.wrong.append(f"try {number}: {answer}")


def test_writers_that_were_stopped_and_wake():
    """They write nothing, and nothing that they say is of before: whether it was asked before they were stopped,
    meanwhile or afterwards."""
    etcd = Etcd()
    parts = [Waking(etcd, full(100, 3), seed) for seed in range(full(10, 2))]
    try:
        for part in parts:
            part.start()
        for part in parts:
            part.join()
        wrong = [text for part in parts for text in part.wrong]
        print(f"{sum(part.done for part in parts)} wakes, {len(wrong)} wrong")
        assert wrong == []
        for part in parts:
            there = rows(part.service.writer())
            assert there == [f"fresh-{number}" for number in range(part.tries)]
    finally:
        for part in parts:
            part.service.close()
        etcd.close()


def test_etcd_without_space():
    """A sentence, nothing lost, and changes again once there is space."""
    etcd = Etcd(1, flags=["--quota-backend-bytes", str(24 << 20)])
    service = Service(etcd, 1, more="checkpoint: {after_bytes: 262144}\n")
    try:
        writer = service.writer()
        assert writer.ask("create", {}, "t")["ok"]
        ids = [f"r{n}" for n in range(400)]
        assert writer.ask("batch", {"commands": [{"add": {"id": i, "title": "T"}} for i in ids]}, "t")["ok"]
        link = Link(writer.endpoint)

        def work(number):
            """One entry of some 100 KB: its reply, however often it has to be sent."""
            commands = [{"set": {"row": i, "title": f"{number} {'x' * 190}"}} for i in ids]
            body = encode({"client": "c", "number": number, "opened": 0, "table": "t",
                           "batch": {"commands": commands}})

            def answer():
                link.send(body)
                reply = link.receive(3)
                return reply if reply and reply.get("number") == number else None

            return eventually(answer, 60, 0.1)

        number = 1
        while (reply := work(number)).get("ok"):
            number += 1
            assert number < 2_000
        print(f"{number - 1} entries, then {reply['error']}")
        # Where its lease was over by then no other can be had: nobody writes.
        assert reply["error"]["code"] in ("diskFull", "notLeader")
        eventually(lambda: writer.health()["status"] == "readOnly", 90, 0.2)
        refused = writer.do("t", add={"title": "no room"})
        if refused["error"]["code"] != "notLeader":
            assert refused["error"]["code"] == "diskFull" and "NOSPACE" in refused["error"]["message"]
        # All can be read. The entry of the last one may be there, though nobody could know it then.
        assert writer.tables()["t"]["revision"] in (number, number + 1)
        # As docs/CLUSTER.md has it.
        status = etcd.control("endpoint", "status", "-w", "json").stdout.decode()
        revision = int(status.split('"revision":')[1].split(",")[0])
        etcd.control("compact", str(revision))
        etcd.control("defrag")
        etcd.control("alarm", "disarm")
        # Its next look at etcd's size may have to wait for a lease, and for its term, beside other load.
        eventually(lambda: writer.health()["status"] == "ok", 90, 0.2)
        # The command that was under way is carried out once, whatever became of its first copy.
        eventually(lambda: work(number).get("ok"), 90, 0.2)
        link.close()
        # Each change is a revision: none is lost, none is double.
        assert writer.tables()["t"]["revision"] == 1 + number
        writer.kill()
        writer.start()
        eventually(lambda: writer.role() == "writer", 20, 0.1)
        assert writer.tables()["t"]["revision"] == 1 + number
    finally:
        print("\n".join(service.close()))
        etcd.close()


def test_what_is_not_ours_below_the_name():
    etcd = Etcd(1)
    try:
        for key, value in (("head", "nonsense"), ("checkpoint", "nonsense")):
            member = Member(etcd, f"other-{key}")
            etcd.control("put", f"/trestle/other-{key}/{key}", value)
            done = subprocess.run([BIN / "trestled", *member.command()[1:]], capture_output=True, text=True,
                                  timeout=30)
            assert done.returncode == 65, done.stderr
            assert "that this version does not know" in done.stderr
            # It is not touched.
            assert etcd.keys(f"/trestle/other-{key}/") == [key]
            etcd.control("del", f"/trestle/other-{key}/{key}")
            member.start()
            eventually(lambda: member.role() == "writer", 20, 0.1)
            member.close()
    finally:
        etcd.close()


def test_more_than_a_checkpoint_may_have():
    """It is said; what makes less is taken, and then everything is."""
    etcd = Etcd(1)
    service = Service(etcd, 1, more="checkpoint: {after_bytes: 65536}\n")
    try:
        [member] = service.members
        text = member.config.read_text()
        member.kill(signal.SIGTERM)
        member.config.write_text(text.replace("lease_seconds: 2", "lease_seconds: 2\n    max_state_bytes: 1048576"))
        member.start()
        eventually(lambda: member.role() == "writer", 20, 0.1)
        for table in ("t", "u"):
            assert member.ask("create", {}, table)["ok"]
        assert member.do("t", add={"id": "first", "title": "T"})["ok"]
        for n in range(12):
            commands = [{"add": {"id": f"{n}-{i}", "title": "x" * 400}} for i in range(400)]
            if not member.ask("batch", {"commands": commands}, "u").get("ok"):
                break
        eventually(lambda: member.health()["status"] == "readOnly", 30, 0.2)
        refused = member.do("t", add={"title": "more"})
        assert refused["error"]["code"] == "diskFull" and "max_state_bytes" in refused["error"]["message"]
        assert member.do("t", remove={"rows": ["first"]})["ok"]
        assert member.ask("drop", {}, "u")["ok"]
        eventually(lambda: member.health()["status"] == "ok", 30, 0.2)
        assert member.do("t", add={"title": "again"})["ok"]
        eventually(lambda: "checkpoint" in etcd.keys(f"/trestle/{service.name}/"), 20, 0.2)
    finally:
        service.close()
        etcd.close()
