"""Several daemons that are one service, on etcd (docs/CLUSTER.md)."""

import random
import re
import signal
import threading
import time

import pytest
import zmq

from cluster_work import Writing, rows
from etcd_service import Etcd, Member, Service
from harness import eventually, full
from background_load import commands_per_second
from trestle_client import Link, Viewer, encode

pytestmark = pytest.mark.bound(120, 3_600)


@pytest.fixture(scope="module")
def etcd():
    made = Etcd()
    yield made
    made.close()


@pytest.fixture
def make_service(etcd):
    made = []

    def make(daemons=2, over=etcd, **more):
        made.append(Service(over, daemons, **more))
        return made[-1]

    yield make
    for service in made:
        for text in service.close():
            print(text)


def write(service, count, table="t"):
    threads = [Writing(service.endpoints, f"w{n}-{time.time_ns()}", table) for n in range(count)]
    for thread in threads:
        thread.start()
    return threads


def stop(threads):
    for thread in threads:
        thread.stopping = True
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()


def check_once(service, threads, table="t"):
    """All that was acknowledged is there, once, at each daemon; nothing was refused."""
    acknowledged = [row for thread in threads for row in thread.acknowledged]
    assert not [one for thread in threads for one in thread.refused]
    assert len(acknowledged) == len(set(acknowledged))
    leader = service.leader()
    there = rows(leader, table)
    assert len(there) == len(set(there))
    assert set(acknowledged) <= set(there)
    # A command may have been carried out whose answer nobody waited for: at most one of each writer.
    assert len(there) <= len(acknowledged) + len(threads)
    state = leader.tables()[table]

    def agree():
        """every daemon with the leader's digest"""
        return all(d.get(table) == (state.get("revision", 0), state["digest"])
                   for d in service.digests())

    eventually(agree, 20, 0.1)
    for member in service.members:
        if member.alive():
            assert rows(member, table) == there
    return len(there)


def test_one_writes_and_the_others_follow(make_service):
    service = make_service(3)
    leader = service.leader()
    assert leader.ask("create", {}, "t")["ok"]
    for n in range(20):
        assert leader.do("t", add={"id": f"r{n}", "title": "T"})["ok"]
    health = leader.health()
    assert health["role"] == "leader" and int(health["term"]) > 0
    standbys = service.standbys()
    assert len(standbys) == 2
    for standby in standbys:
        eventually(lambda: standby.tables().get("t") == leader.tables()["t"], 5)
        assert rows(standby) == [f"r{n}" for n in range(20)]
        refused = standby.do("t", add={"id": "x", "title": "T"})
        assert refused["error"]["code"] == "notLeader"
        assert refused["error"]["endpoints"] == [leader.endpoint]
        assert standby.ask("history", {"most": 5}, "t")["ok"]
    eventually(lambda: len(leader.health().get("members", [])) == 3, 10)
    assert leader.ask("check", timeout=30)["ok"]


def test_viewers_sit_at_standbys(make_service):
    """Every revision with its digest, and no snapshot when a viewer moves to another daemon."""
    service = make_service(2)
    leader, standby = service.leader(), service.standbys()[0]
    assert leader.ask("create", {}, "t")["ok"]
    eventually(lambda: "t" in standby.tables(), 5)
    viewer = Viewer(standby.endpoint, "t")
    threads = write(service, 4)
    end = time.monotonic() + 3
    while time.monotonic() < end:
        viewer.step(0.02)
    stop(threads)
    revision = int(leader.tables()["t"]["revision"])
    assert revision > 20

    def is_there():
        """a viewer at the leader's revision"""
        viewer.step(0.02)
        return viewer.table is not None and viewer.revision == revision

    eventually(is_there, 10)
    viewer.close()


def test_a_death_is_a_pause(make_service):
    service = make_service(2)
    assert service.leader().ask("create", {}, "t")["ok"]
    threads = write(service, 8)
    kills = 0
    for _ in range(full(100, 3)):
        time.sleep(random.uniform(1, 10 if full(1, 0) else 2))
        victim = service.leader()
        victim.kill(signal.SIGKILL)
        kills += 1
        service.leader()
        victim.start()
    stop(threads)
    gaps = sorted(gap for thread in threads for gap in thread.gaps)
    print(f"{kills} kills, {len(gaps)} commands, {check_once(service, threads)} rows,"
          f" longest gaps {[round(g, 1) for g in gaps[-10:]]}")
    assert gaps[-1] < 15


def test_what_waits_for_its_time_outlives_the_leader(make_service):
    """A row sleeps on at the next leader and wakes at its time; an attempt that pauses there is the second of two."""
    service = make_service(2)
    leader = service.leader()
    assert leader.ask("create", {}, "t")["ok"]
    run = {"id": "run", "effect": [{"invoke": {"deadline": 2, "retries": {
        "attempts": 2, "else": [{"set": {"fields": {"state": "given up"}}}]}}}]}
    assert leader.do("t", define={"kinds": [{"id": "row", "trailing": {"actions": [run]}}]})["ok"]
    for row in ("sleeper", "job"):
        assert leader.do("t", add={"id": row, "title": row})["ok"]
    assert leader.do("t", act={"row": "job", "action": "run"})["ok"]
    begun = time.monotonic()
    assert leader.do("t", snooze={"rows": ["sleeper"], "forMs": 4_000})["ok"]
    leader.kill()
    leader = service.leader()

    def row(name):
        parts = leader.ask("snapshot", {}, "t")["snapshot"]["slices"]
        return next(one for part in parts for one in part["rows"] if one["id"] == name)

    if time.monotonic() < begun + 3:
        assert "sleep" in row("sleeper") and row("job")["performed"][0]["state"] == "pending"
    eventually(lambda: "sleep" not in row("sleeper"), 20)
    assert time.monotonic() > begun + 3.9
    eventually(lambda: row("job").get("fields", {}).get("state") == "given up", 30)
    assert row("job")["performed"][0]["state"] == "failed"


def test_a_leader_that_was_stopped_writes_nothing(make_service):
    service = make_service(2)
    assert service.leader().ask("create", {}, "t")["ok"]
    threads = write(service, 8)
    for _ in range(full(100, 2)):
        time.sleep(random.uniform(0.5, 2))
        victim = service.leader()
        victim.process.send_signal(signal.SIGSTOP)
        other = next(m for m in service.members if m is not victim)
        eventually(lambda: other.role() == "leader", 20, 0.1)
        before = other.tables()["t"]["revision"]
        time.sleep(random.uniform(0.5, 3))
        # What it had taken in before it was stopped, and what is asked of it now.
        link = Link(victim.endpoint)
        victim.process.send_signal(signal.SIGCONT)
        reply = link.ask("tables", timeout=20)
        assert int(reply["tables"]["tables"][0]["revision"]) >= int(before), "a stale answer"
        link.close()
        eventually(lambda: victim.role() == "standby", 20, 0.1)
    stop(threads)
    check_once(service, threads)


def test_members_of_etcd_die(make_service, etcd):
    service = make_service(2)
    assert service.leader().ask("create", {}, "t")["ok"]
    threads = write(service, 8)
    for turn in range(full(100, 3)):
        time.sleep(random.uniform(0.5, 2))
        etcd.kill(turn % 3)
        time.sleep(random.uniform(0.5, 2))
        etcd.start(turn % 3)
        eventually(etcd.is_well, 30, 0.2)
    stop(threads)
    gaps = sorted(gap for thread in threads for gap in thread.gaps)
    print(f"{check_once(service, threads)} rows, longest gaps {[round(g, 1) for g in gaps[-10:]]}")


def test_without_a_quorum_nothing_is_said(make_service):
    own = Etcd()
    try:
        service = make_service(2, over=own)
        leader = service.leader()
        assert leader.ask("create", {}, "t")["ok"]
        # The standby too, before nobody can tell it any more.
        eventually(lambda: all(member.health()["position"] for member in service.members), 10)
        own.kill(0)
        own.kill(1)
        # It is under way when there is no quorum any more, so that an entry waits.
        waiting = Link(leader.endpoint)
        body = {"client": "anna", "number": 1, "opened": 0, "table": "t",
                "command": {"add": {"id": "waits", "title": "T"}}}
        waiting.send(encode(body))
        time.sleep(full(60, 4))
        for member in service.members:
            assert member.alive(), member.tail()
            assert member.health()["position"], "what is about the process is answered"
            assert member.ask("hello", timeout=5)["hello"]["features"][0] == "cluster"
            assert member.ask("stats", timeout=5)["stats"]["gauges"]["cluster_in_touch"] == 0
            assert "role: " + ("suspended" if member is leader else "out of touch") in member.tail(200)
            with pytest.raises(TimeoutError):
                member.ask("tables", timeout=1.5)
        own.start(0)
        own.start(1)
        again = service.leader(40)
        assert again.do("t", add={"id": "a", "title": "T"})["ok"]
        # Once, whoever writes now.
        waiting.close()
        assert again.ask("tables")["ok"]
        link = Link(again.endpoint)
        link.send(encode(body))
        assert link.receive(20)["ok"]
        link.close()
        assert sorted(rows(again)) == ["a", "waits"]
    finally:
        own.close()


def test_a_stop_hands_over_at_once(make_service):
    """The lease is given back: it would last for a minute."""
    service = make_service(2, lease=60)
    leader = service.leader()
    assert leader.ask("create", {}, "t")["ok"]
    other = next(m for m in service.members if m is not leader)
    assert leader.kill(signal.SIGTERM) == 0
    eventually(lambda: other.role() == "leader", 20)


def test_a_start_reads_checkpoint_and_log(make_service, etcd):
    service = make_service(1, more="checkpoint: {after_bytes: 65536}\n")
    leader = service.leader()
    assert leader.ask("create", {}, "t")["ok"]
    link = Link(leader.endpoint)
    for n in range(40):
        commands = [{"add": {"id": f"r{n}-{i}", "title": "T" * 200}} for i in range(50)]
        assert link.ask("batch", {"commands": commands}, "t")["ok"]
    link.close()
    prefix = f"/trestle/{service.name}/"
    eventually(lambda: "checkpoint" in etcd.keys(prefix + "checkpoint") or any(
        key == "" for key in etcd.keys(prefix + "checkpoint")) or etcd.keys(prefix + "checkpoint/"), 20)
    eventually(lambda: int(leader.stats()["gauges"].get("journal_checkpoint", 0)) > 0, 20)
    before = leader.tables()
    for how in (signal.SIGKILL, signal.SIGTERM):
        leader.kill(how)
        leader.start()
        eventually(lambda: leader.role() == "leader", 20, 0.1)
        assert leader.tables() == before
    # A daemon that was never there.
    fresh = Member(etcd, service.name)
    service.members.append(fresh)
    fresh.start()
    eventually(lambda: fresh.tables() == before, 10)


def test_a_start_waits_for_no_timer(make_service):
    """An answer of etcd above 16 KiB stayed in libcurl until a timer of 800 ms was over, each time."""
    service = make_service(1, more="checkpoint: {after_bytes: 100000000}\n")
    leader = service.leader()
    assert leader.ask("create", {}, "t")["ok"]
    link = Link(leader.endpoint)
    for n in range(300):
        assert link.ask("command", {"add": {"id": f"r{n}", "title": "T" * 2_000}}, "t")["ok"]
    link.close()
    took = []
    for _ in range(3):
        leader.kill()
        leader.start()
        eventually(lambda: leader.role() == "leader", 20, 0.1)
        took += [int(ms) for ms in re.findall(r"recovered .*entries=301 ms=(\d+)", leader.tail(20))][-1:]
    print(took)
    # There are at least five such answers.
    assert len(took) == 3 and min(took) < 5 * 800 / 2


def test_a_large_entry_is_cut(make_service, etcd):
    service = make_service(2)
    leader = service.leader()
    assert leader.ask("create", {}, "t")["ok"]
    # An entry has what was there before, too, so it is larger than its request.
    for verb, key, text in (("add", "id", "T"), ("set", "row", "S")):
        commands = [{verb: {key: f"r{i}", "title": text * 4_000}} for i in range(200)]
        assert leader.ask("batch", {"commands": commands}, "t", timeout=30)["ok"]
    assert any("/" in key for key in etcd.keys(f"/trestle/{service.name}/log/"))
    standby = service.standbys()[0]
    eventually(lambda: standby.tables() == leader.tables(), 10)
    leader.kill()
    eventually(lambda: standby.role() == "leader", 20, 0.1)
    assert len(rows(standby)) == 200


def test_a_state_directory_with_a_journal_is_not_passed_over(etcd, make_daemon):
    daemon = make_daemon()
    assert daemon.ask("create", {}, "t")["ok"]
    daemon.kill(signal.SIGTERM)
    member = Member(etcd, "other")
    member.state = daemon.state
    member.start(wait=0)
    assert member.process.wait(20) == 78
    assert "holds a journal" in member.close()


def test_the_disk_of_a_daemon_does_not_count(make_service):
    """What is committed is on etcd. Whether the keys' disk has room is no matter of the service."""
    service = make_service(1, more="disk:\n  reserve_bytes: 1099511627776\n")
    leader = service.leader()
    assert leader.ask("create", {}, "t")["ok"]
    assert leader.do("t", add={"id": "a"})["ok"]
    assert leader.health()["status"] == "ok"


def test_an_etcd_that_is_not_there():
    class Nowhere:
        clients = ["http://127.0.0.1:1"]

    member = Member(Nowhere, "x")
    member.start(wait=0)
    assert member.process.wait(40) == 69
    assert "etcd does not answer" in member.close()


def certificates(etcd, name):
    """Keys of the file, as they stand below `etcd:`."""
    d = etcd.directory
    return (f"    ca_file: {d}/ca.pem\n    cert_file: {d}/{name}.pem\n    key_file: {d}/{name}.key\n")


def test_certificates(make_service):
    own = Etcd(1, sealed=True)
    try:
        service = make_service(2, over=own, access=certificates(own, "client"))
        assert service.leader().ask("create", {}, "t")["ok"]
        standby = service.standbys()[0]
        eventually(lambda: "t" in standby.tables(), 10)
        stranger = Member(own, service.name, access=certificates(own, "stranger"))
        stranger.start(wait=0)
        assert stranger.process.wait(60) == 69
        assert "etcd does not answer" in stranger.close()
    finally:
        own.close()


def test_a_user_of_etcd(make_service):
    own = Etcd(1)
    try:
        own.control("user", "add", "root:secret")
        own.control("user", "grant-role", "root", "root")
        own.control("user", "add", "trestle:bread")
        own.control("role", "add", "trestle")
        own.control("role", "grant-permission", "trestle", "--prefix=true", "readwrite", "/trestle/s/")
        own.control("user", "grant-role", "trestle", "trestle")
        own.control("auth", "enable")
        own.user = ["--user", "root:secret"]
        (own.directory / "password").write_text("bread\n")
        (own.directory / "wrong").write_text("butter\n")

        def access(file):
            return f"    user: trestle\n    password_file: {own.directory}/{file}\n"

        service = make_service(2, over=own, name="s", access=access("password"))
        assert service.leader().ask("create", {}, "t")["ok"]
        # Tokens are gone with the process that gave them.
        own.kill(0)
        own.start(0)
        eventually(own.is_well, 30, 0.2)
        assert service.leader(30).do("t", add={"id": "a", "title": "T"})["ok"]
        for name, file in (("s", "wrong"), ("other", "password")):
            stranger = Member(own, name, access=access(file))
            stranger.start(wait=0)
            assert stranger.process.wait(60) == 69, (name, file)
            text = stranger.close()
            assert "authentication failed" in text or "permission denied" in text, text
    finally:
        own.close()


@pytest.mark.slow
@pytest.mark.bound(300, 600)
def test_many_commands_go_in_one_transaction(make_service):
    """64 clients: many times the rate of one client, which has one transaction for each command."""
    service = make_service(full(3, 2))
    leader = service.leader()
    assert leader.ask("create", {}, "t")["ok"]
    one = commands_per_second(leader, 1, 4)
    many = commands_per_second(leader, 64, 8)
    print(f"one client {one:.0f}/s, 64 clients {many:.0f}/s: {many / one:.1f} times")
    assert many >= 5 * one


class Subscribers(threading.Thread):
    """So many at each of some daemons, who take what comes and do nothing with it."""

    def __init__(self, daemons, each, topic):
        super().__init__(daemon=True)
        self.context, self.got, self.stopping = zmq.Context(), 0, False
        self.sockets = []
        for daemon in daemons:
            [publish] = daemon.ask("hello")["hello"]["publish"]
            for _ in range(each):
                self.sockets.append(self.context.socket(zmq.SUB))
                self.sockets[-1].subscribe(topic)
                self.sockets[-1].connect(publish)

    def run(self):
        poller = zmq.Poller()
        for one in self.sockets:
            poller.register(one, zmq.POLLIN)
        while not self.stopping:
            for one, _ in poller.poll(100):
                try:
                    while True:
                        one.recv_multipart(zmq.DONTWAIT)
                        self.got += 1
                except zmq.Again:
                    pass
        self.context.destroy(0)


@pytest.mark.slow
@pytest.mark.bound(300, 600)
def test_standbys_add_their_deliveries(make_service):
    """By processor time, since all of them share this machine: what the busiest daemon spends on a delivery."""
    service = make_service(3)
    leader = service.leader()
    assert leader.ask("create", {}, "t")["ok"]
    for number in range(10):
        assert leader.do("t", add={"id": f"r{number}", "title": "T"})["ok"]
    eventually(lambda: all("t" in member.tables() for member in service.members), 10)
    each, count, costs = full(200, 100), full(1_500, 500), []
    for daemons in ([leader], service.members):
        viewers = Subscribers(daemons, each, b"j/t/")
        viewers.start()
        # Each is greeted.
        eventually(lambda: viewers.got >= len(viewers.sockets), 30, 0.1)
        before, got = {member: member.processor() for member in daemons}, viewers.got
        link = Link(leader.endpoint)
        for number in range(1, count + 1):
            body = {"client": f"c{len(daemons)}", "number": number, "opened": 0, "table": "t",
                    "command": {"set": {"row": f"r{number % 10}", "title": f"{len(daemons)} {number}"}}}
            link.send(encode(body))
            assert link.receive(10)["ok"]
        link.close()
        eventually(lambda: viewers.got - got >= count * len(viewers.sockets), 60, 0.1)
        busiest = max(member.processor() - before[member] for member in daemons)
        costs.append(busiest / (count * len(viewers.sockets)))
        print(f"{len(daemons)} daemons, {len(viewers.sockets)} viewers, {count} changes: the busiest "
              f"{busiest:.2f} s of processor")
        viewers.stopping = True
        viewers.join(30)
    print(f"{costs[0] / costs[1]:.2f} times the deliveries")
    assert costs[0] >= 2 * costs[1]
