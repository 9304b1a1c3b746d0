"""Several daemons on etcd (docs/CLUSTER.md), and all faults in random order: `make cluster-faults` at full size.

SEED=n is that order, PART=0.1 a tenth of it, ONLY=kill,kill_etcd those faults alone, SECONDS the longest that it
may take; LOGS names a directory for the ends of what the daemons say."""

import bisect
import os
import random
import shutil
import signal
import time
from pathlib import Path

import pytest

from cluster_work import Work
from etcd_service import Dated, Etcd, Hosts, Member, Service
from harness import FULL, eventually, full
from linearizability import Seen, violations

pytestmark = pytest.mark.bound(240, 7_200)
HOUR = 3_600
QUIET = full(10, 3)  # seconds


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


class Storm:
    """What happens to the machines. One fault is over before the next begins, so that of etcd's three members one
    at most is away at a time."""

    def __init__(self, etcd, service, seed):
        self.etcd, self.service, self.random = etcd, service, random.Random(seed)
        self.counts = {}
        self.noise = float("-inf")  # when the last fault that was no kill was over
        self.kills, self.quiet = [], []  # when: of all, and of those with no other fault in the seconds before
        self.events = []  # when, and what was done to whom
        self.ended = []  # daemons that ended by themselves

    def deck(self, **counts):
        """So many of each, in random order."""
        names = [name for name, count in counts.items() for _ in range(count)]
        self.random.shuffle(names)
        return names

    def one(self, name):
        for index, daemon in enumerate(self.service.members):
            if not daemon.alive():
                self.ended.append(f"daemon {index}: {daemon.process.returncode}, {daemon.tail(5)}")
                daemon.start(wait=0)
        self.counts[name] = self.counts.get(name, 0) + 1
        getattr(self, name)()
        # A kill waits for its time to be over; others do not, so that a takeover may be under way.
        if name not in ("kill", "kill_etcd"):
            self.noise = time.monotonic()

    def note(self, what):
        self.events.append((time.monotonic(), what))

    def some_machine(self):
        """Mostly that of the daemon that writes."""
        members = self.service.members
        leader = self.service.find() if self.random.random() < 0.7 else None
        return members.index(leader) if leader else self.random.randrange(len(members))

    def begin_a_kill(self):
        now = time.monotonic()
        self.kills.append(now)
        if now - self.noise >= QUIET:
            self.quiet.append(now)
        return now + QUIET

    def kill(self):
        index = self.some_machine()
        daemon, end = self.service.members[index], self.begin_a_kill()
        self.note(f"kill of daemon {index}")
        daemon.kill()
        time.sleep(self.random.uniform(0, 3))
        daemon.start(wait=0)
        time.sleep(max(0, end - time.monotonic()))

    def stop(self):
        index = self.some_machine()
        daemon = self.service.members[index]
        seconds = self.random.uniform(1, full(60, 4) if self.random.random() < 0.2 else full(6, 4))
        self.note(f"stop of daemon {index} for {seconds:.1f} s")
        daemon.process.send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        daemon.process.send_signal(signal.SIGCONT)
        time.sleep(self.random.uniform(0.5, full(4, 2)))

    def kill_etcd(self):
        index, end = self.random.randrange(len(self.etcd.processes)), self.begin_a_kill()
        self.note(f"kill of etcd's member {index}")
        self.etcd.kill(index)
        time.sleep(self.random.uniform(0, 2))
        self.etcd.start(index)
        time.sleep(max(0, end - time.monotonic()))

    def stop_etcd(self):
        index, seconds = self.random.randrange(len(self.etcd.processes)), self.random.uniform(1, full(5, 3))
        self.note(f"stop of etcd's member {index} for {seconds:.1f} s")
        self.etcd.kill(index, signal.SIGSTOP)
        time.sleep(seconds)
        self.etcd.kill(index, signal.SIGCONT)
        time.sleep(self.random.uniform(0.5, full(4, 2)))

    def cut(self):
        """A daemon and a member of etcd together: nothing comes in, nothing goes out, or both. Whoever asks the
        daemon still reaches it."""
        index, seconds = self.some_machine(), self.random.uniform(2, full(12, 4))
        ways = self.random.choice([("input",), ("output",), ("input", "output")])
        self.note(f"cut of machine {index}, {' and '.join(ways)}, for {seconds:.1f} s")
        self.etcd.hosts.cut(index, ways)
        time.sleep(seconds)
        self.etcd.hosts.mend(index)
        time.sleep(self.random.uniform(0.5, full(4, 2)))

    def clock(self):
        """Of one daemon or of several, by an hour or two. It stays so until the next jump."""
        members = self.service.members
        for daemon in self.random.sample(members, self.random.randint(1, len(members))):
            daemon.set(self.random.choice([s for s in (HOUR, -HOUR, 0) if s != daemon.seconds]))
        self.note(f"clocks {[daemon.seconds for daemon in members]}")
        time.sleep(self.random.uniform(0.1, full(4, 1)))

    def tell_of(self, kill, begin):
        """What was done in the half minute before a kill, and after it."""
        for when, what in self.events:
            if kill - 30 <= when <= kill + 10:
                print(f"    at {when - begin:.1f} s, {when - kill:+.1f} s: {what}")


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


def machines():
    """Three of them, where such can be made, and what is missing otherwise."""
    try:
        return Hosts(3), ""
    except Hosts.Unable as error:
        return None, f"without cuts: {error}"


def test_faults_in_random_order():
    """Nothing that was acknowledged is lost, nothing is done twice, and there is one history."""
    seed = int(os.environ.get("SEED", time.time_ns() % 100_000))
    part = float(os.environ.get("PART", 1))  # of the full size
    begin = time.monotonic()
    end = begin + float(os.environ.get("SECONDS", 6_000))
    hosts, missing = machines()
    etcd = service = None
    try:
        etcd = Etcd(hosts=hosts)
        dated = bool(shutil.which("cc"))
        if not dated:
            missing += " without clocks that jump: there is no C compiler"
        service = Service(etcd, full(3, 2), lease=full(4, 2), kind=Dated if dated else Member)
        work = Work(service, full(4, 2), full(32, 8), full(0.1, 0))
        storm = Storm(etcd, service, seed)

        def many(count):
            return full(max(1, round(count * part)), 1)

        counts = {"kill": 100, "stop": 100, "kill_etcd": 100, "stop_etcd": 20,
                  "cut": 30 if hosts else 0, "clock": 30 if dated else 0}
        only = os.environ.get("ONLY", ",".join(counts)).split(",")
        deck = storm.deck(**{name: many(counts[name]) for name in only if counts[name]})
        print(f"seed {seed}, {len(deck)} faults {missing}", flush=True)
        for number, name in enumerate(deck):
            if time.monotonic() > end:
                print(f"the time was over after {number} of {len(deck)}")
                break
            storm.one(name)
            if FULL and number % 20 == 19:
                print(f"{number + 1} of {len(deck)} in {time.monotonic() - begin:.0f} s: {storm.counts}, "
                      f"{work.answered()} answered", flush=True)
        eventually(etcd.is_well, 30, 0.2)
        service.leader(40)
        time.sleep(2)
        work.stop()
        print(f"seed {seed}: {storm.counts} in {time.monotonic() - begin:.0f} s {missing}")
        answers = [one.answered for one in work.seen]
        for name, kills in (("a kill", storm.kills), (f"one with {QUIET} s of quiet before", storm.quiet)):
            gaps = gaps_after(kills, answers, QUIET) or [0.0]
            print(f"nobody was answered after {name}, of {len(kills)}: p50 {gaps[len(gaps) // 2]:.2f} s, p99 "
                  f"{gaps[len(gaps) * 99 // 100]:.2f} s, longest {gaps[-1]:.1f} s")
        for kill in storm.kills:
            if (gap := gaps_after([kill], answers, QUIET)[0]) > 6:
                print(f"  {gap:.1f} s after a kill at {kill - begin:.1f} s:")
                storm.tell_of(kill, begin)
        assert len(work.seen) > 50
        work.check()
        assert storm.ended == [], "daemons that ended by themselves"
        assert not FULL or gaps[len(gaps) * 99 // 100] <= 6, gaps[-5:]
    finally:
        for process in etcd.processes if etcd else []:
            process.send_signal(signal.SIGCONT)
        texts = service.close() if service else []
        if etcd:
            etcd.close()
        if hosts:
            hosts.close()
        if place := os.environ.get("LOGS"):
            for index, text in enumerate(texts):
                Path(place, f"daemon{index}.log").write_text(text)
        print("\n".join(text[-3_000:] for text in texts))
