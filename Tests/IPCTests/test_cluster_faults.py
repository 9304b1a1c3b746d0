"""Several daemons on etcd (docs/CLUSTER.md): leaders that were stopped, an etcd without quorum or without space,
and what is not ours. `make cluster-faults` at full size."""

import os
import random
import signal
import subprocess
import threading
import time
import urllib.request
import uuid

import pytest

from cluster_work import Work, rows
from etcd_service import Etcd, Member, Service
from harness import BIN, eventually, full
from trestle_client import Link, Viewer, encode

pytestmark = pytest.mark.bound(240, 7_200)


class Waking(threading.Thread):
    """Stops the leader of a service for longer than its lease, so many times, and asks it something meanwhile."""

    def __init__(self, etcd, tries, seed):
        super().__init__()
        self.service, self.tries, self.random = Service(etcd, 2), tries, random.Random(seed)
        self.asked, self.wrong, self.done = [], [], 0
        assert self.service.leader().ask("create", {}, "t")["ok"]

    def run(self):
        for number in range(self.tries):
            try:
                self.one(number)
            except Exception as error:  # noqa: BLE001: it is told by the test
                self.wrong.append(f"try {number}: {error!r}")

    def one(self, number):
        service = self.service
        victim = service.leader(40)
        other = next(member for member in service.members if member is not victim)
        eventually(lambda: other.role() == "standby", 20, 0.05)
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
        eventually(lambda: other.role() == "leader", 30, 0.05)
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


def test_leaders_that_were_stopped_and_wake():
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
            there = rows(part.service.leader())
            assert there == [f"fresh-{number}" for number in range(part.tries)]
    finally:
        for part in parts:
            part.service.close()
        etcd.close()


def test_a_minute_without_a_quorum():
    """Two of etcd's three members are stopped, and then two are killed. Nothing is changed meanwhile, and nothing
    is answered or shown as if it were current; then all goes on, and what waited is done once."""
    lease, dice = 2, random.Random()
    etcd = Etcd()
    service = Service(etcd, 3, lease=lease)
    try:
        work = Work(service, lease)
        assert service.leader().ask("create", {}, "u")["ok"]
        viewer = Viewer(service.standbys()[0].endpoint, "t")

        def shown(what):
            """a viewer that says so"""
            viewer.step(0.02)
            return viewer.freshness().startswith(what)

        waiting = []
        for how, back in ((signal.SIGSTOP, lambda index: etcd.kill(index, signal.SIGCONT)),
                          (signal.SIGKILL, etcd.start)):
            before = work.answered()
            eventually(lambda: work.answered() > before + 20, 20, 0.05)
            eventually(lambda: shown("live"), 20, 0)
            lost = dice.sample(range(3), 2)
            for index in lost:
                etcd.kill(index, how)
            begin = time.monotonic()
            eventually(lambda: all(m.health().get("outOfTouch") for m in service.members), lease + 5, 0.1)
            said, before, asked = time.monotonic() - begin, work.answered(), 0
            body = encode({"client": how.name, "number": 1, "opened": 0, "table": "u",
                           "command": {"add": {"id": how.name, "title": "T"}}})
            waiting.append(body)
            while time.monotonic() < begin + full(60, 6):
                for member in service.members:
                    assert member.health()["outOfTouch"]
                    link = Link(member.endpoint)
                    # What changes, and what reads.
                    link.send(body)
                    link.send(encode({"client": f"{how.name}-looks", "number": 1, "tables": {}}))
                    reply = link.receive(0.3)
                    assert reply is None or reply.get("error", {}).get("code") == "notLeader", reply
                    link.close()
                    asked += 2
                shown("")
            assert shown("stale")
            assert work.answered() == before
            for index in lost:
                back(index)
            begin = time.monotonic()
            eventually(lambda: work.answered() > before + 20, 40, 0.05)
            print(f"two of three by {how.name}: said after {said:.1f} s, {asked} times asked and never answered, "
                  f"writing {time.monotonic() - begin:.1f} s after they were back")
            eventually(lambda: shown("live"), 20, 0)
        # The same bytes again, at whoever writes now, and then once more.
        for body in waiting * 2:
            link = Link(service.leader(20).endpoint)
            link.send(body)
            assert link.receive(20)["ok"]
            link.close()
        work.end()
        assert rows(service.leader(), "u") == ["SIGSTOP", "SIGKILL"]
        viewer.close()
    finally:
        for process in etcd.processes:
            process.send_signal(signal.SIGCONT)
        texts = service.close()
        etcd.close()
        print("\n".join(text[-2_000:] for text in texts))


def test_etcd_without_space():
    """A sentence, nothing lost, and changes again once there is space."""
    etcd = Etcd(1, flags=["--quota-backend-bytes", str(24 << 20)])
    # What is in use must fit once what is over is compacted: two checkpoints, with the diffs that are kept, and entries.
    service = Service(etcd, 1, more="checkpoint: {after_bytes: 262144}\nretain: {bytes: 1048576}\n")
    try:
        leader = service.leader()
        assert leader.ask("create", {}, "t")["ok"]
        ids = [f"r{n}" for n in range(400)]
        assert leader.ask("batch", {"commands": [{"add": {"id": i, "title": "T"}} for i in ids]}, "t")["ok"]
        link = Link(leader.endpoint)

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
        eventually(lambda: leader.health()["status"] == "readOnly", 90, 0.2)
        refused = leader.do("t", add={"title": "no room"})
        if refused["error"]["code"] != "notLeader":
            assert refused["error"]["code"] == "diskFull" and "NOSPACE" in refused["error"]["message"]
        # All can be read. The entry of the last one may be there, though nobody could know it then.
        assert leader.tables()["t"]["revision"] in (number, number + 1)
        # As docs/CLUSTER.md has it.
        status = etcd.control("endpoint", "status", "-w", "json").stdout.decode()
        revision = int(status.split('"revision":')[1].split(",")[0])
        # Without `--physical` it may still be under way at the defragmentation, which then frees little.
        etcd.control("compact", "--physical", str(revision))
        etcd.control("defrag")
        etcd.control("alarm", "disarm")
        # Its next look at etcd's size may have to wait for a lease, and for its term, beside other load.
        eventually(lambda: leader.health()["status"] == "ok", 90, 0.2)
        # The command that was under way is carried out once, whatever became of its first copy.
        eventually(lambda: work(number).get("ok"), 90, 0.2)
        link.close()
        # Each change is a revision: none is lost, none is double.
        assert leader.tables()["t"]["revision"] == 1 + number
        leader.kill()
        leader.start()
        eventually(lambda: leader.role() == "leader", 20, 0.1)
        assert leader.tables()["t"]["revision"] == 1 + number
    finally:
        print("\n".join(service.close()))
        etcd.close()


def test_the_reason_is_the_present_one():
    """Nothing was changed for one reason, later for another, and clients, the log and the status told the first."""
    etcd = Etcd(1)
    # Of less than etcd's own, which raises no alarm by itself then.
    service = Service(etcd, 1, more="    quota_bytes: 67108864\n")
    try:
        leader = service.leader()
        assert leader.ask("create", {}, "t")["ok"]

        def fill(pieces):
            """So many MiB in etcd that are not the daemon's."""
            for _ in range(pieces):
                etcd.control("put", f"/other/{uuid.uuid4().hex}", input=os.urandom(512 << 10).hex().encode())

        def reason():
            reply = leader.do("t", add={})
            return None if reply["ok"] else reply["error"]["message"]

        fill(52)
        first = eventually(reason, 30, 0.1)
        assert "four fifths of its quota of 67108864" in first
        fill(8)

        def is_another():
            """another number"""
            return reason() != first

        eventually(is_another, 30, 0.1)
        assert "four fifths of its quota" in reason()
        # For the log a number is no news, and another reason is.
        assert leader.tail().count("read-only: etcd holds") == 1
        member = int(etcd.control("member", "list").stdout.decode().split(",")[0], 16)
        alarm = encode({"action": "ACTIVATE", "memberID": str(member), "alarm": "NOSPACE"})
        urllib.request.urlopen(f"{etcd.clients[0]}/v3/maintenance/alarm", alarm, timeout=10).close()
        eventually(lambda: "NOSPACE" in reason(), 30, 0.1)
        assert leader.tail().count("read-only: etcd has no space left (NOSPACE)") == 1
        etcd.control("alarm", "disarm")
        eventually(lambda: "four fifths" in reason(), 30, 0.1)
        assert leader.tail().count("read-only: etcd holds") == 2
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
            eventually(lambda: member.role() == "leader", 20, 0.1)
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
        eventually(lambda: member.role() == "leader", 20, 0.1)
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
