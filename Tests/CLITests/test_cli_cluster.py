"""`trestle` with the endpoints of several daemons that are one service."""

import json
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "IPCTests"))

from cluster_work import rows  # noqa: E402
from etcd_service import Etcd, Service  # noqa: E402
from harness import BIN, Daemon, eventually  # noqa: E402


@pytest.fixture
def service():
    etcd = Etcd()
    made = Service(etcd, 2)
    yield made
    texts = made.close()
    etcd.close()
    print("\n".join(texts))


def trestle(endpoints, *words, timeout=60):
    return subprocess.run([BIN / "trestle", "-e", ",".join(endpoints), "--timeout", "30", *words],
                          capture_output=True, text=True, timeout=timeout)


def test_commands_find_the_leader_and_outlive_it(service):
    leader = service.leader()
    standby = next(m for m in service.members if m is not leader)
    # The one that does not write comes first.
    order = [standby.endpoint, leader.endpoint]
    assert trestle(order, "create", "t").returncode == 0
    done = trestle(order, "-o", "json", "health")
    assert json.loads(done.stdout)["role"] == "standby"
    assert f"; standby, leader {leader.endpoint}\n" in trestle(order, "health").stdout
    alone = trestle([standby.endpoint], "add", "t", "A")
    assert alone.returncode == 1 and leader.endpoint in alone.stderr
    # A viewer, and commands, across a death.
    watch = subprocess.Popen(
        [BIN / "trestle", "-e", ",".join(reversed(order)), "-o", "ndjson", "watch", "t"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    seen = []
    reader = threading.Thread(target=lambda: seen.extend(watch.stdout), daemon=True)
    reader.start()
    for n in range(5):
        assert trestle(order, "add", "t", f"Row {n}", "--id", f"r{n}").returncode == 0
    leader.kill(signal.SIGKILL)
    for n in range(5, 10):
        begin = time.monotonic()
        done = trestle(order, "add", "t", f"Row {n}", "--id", f"r{n}")
        assert done.returncode == 0, done.stderr
        print(f"{n}: {time.monotonic() - begin:.1f} s")
    assert rows(standby) == [f"r{n}" for n in range(10)]

    def has_seen_all():
        """a viewer that has moved to the other daemon"""
        text = b"".join(seen).decode()
        return all(f'"r{n}"' in text for n in range(10))

    eventually(has_seen_all, 30, 0.2)
    watch.kill()
    watch.wait()


def test_status_and_step_down(service):
    leader = service.leader()
    standby = next(m for m in service.members if m is not leader)
    order = [standby.endpoint, leader.endpoint]
    assert trestle(order, "create", "t").returncode == 0
    eventually(lambda: len(leader.health()["members"]) == 2, 10)

    def status(endpoint):
        done = trestle([endpoint], "-o", "json", "cluster", "status")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    # Both say the same of both.
    for member, role in ((leader, "leader"), (standby, "standby")):
        said = status(member.endpoint)
        assert said["role"] == role and said["outOfTouch"] is False
        of = {one["endpoints"][0]: one for one in said["members"]}
        assert set(of) == set(order)
        assert of[leader.endpoint]["role"] == "leader" and of[leader.endpoint]["term"] > 0
        assert of[standby.endpoint]["role"] == "standby" and of[standby.endpoint]["term"] == 0
    text = trestle(order, "cluster", "status").stdout
    assert "DAEMON" in text and text.count("tcp://") == 2
    # A standby refuses by name; with both endpoints the leader is found.
    refused = trestle([standby.endpoint], "cluster", "step-down")
    assert refused.returncode == 1 and leader.endpoint in refused.stderr
    assert leader.role() == "leader"
    term = status(leader.endpoint)["term"]
    done = trestle(order, "cluster", "step-down")
    assert done.returncode == 0 and "steps down" in done.stdout, done.stderr
    eventually(lambda: standby.role() == "leader", 20, 0.1)
    assert status(standby.endpoint)["term"] > term
    # In the audit of the one that was asked.
    lines = trestle([leader.endpoint], "audit").stdout.splitlines()
    assert any("stepDown" in line and "tcp:127.0.0.1" in line for line in lines), lines
    figures = json.loads(trestle([standby.endpoint], "-o", "json", "stats").stdout)
    assert figures["gauges"]["cluster_leader"] == 1 and figures["gauges"]["cluster_members"] == 2
    assert figures["gauges"]["cluster_term"] > term and figures["counters"]["cluster_takeovers"] == 1
    assert "trestle_cluster_takeovers_total 1" in trestle([standby.endpoint], "-o", "prom", "stats").stdout
    assert trestle(order, "add", "t", "A", "--id", "a").returncode == 0
    # Nobody else is there: it goes on writing.
    leader.kill(signal.SIGKILL)
    eventually(lambda: len(standby.health()["members"]) == 1, 20, 0.2)
    alone = trestle([standby.endpoint], "cluster", "step-down")
    assert alone.returncode == 1 and "nobody would write" in alone.stderr
    assert trestle([standby.endpoint], "add", "t", "B").returncode == 0


def test_a_daemon_that_is_out_of_touch_is_not_well(service):
    standby = next(m for m in service.members if m is not service.leader())
    assert trestle(service.endpoints, "create", "t").returncode == 0
    done = trestle([standby.endpoint], "-o", "json", "health")
    assert done.returncode == 0 and json.loads(done.stdout)["outOfTouch"] is False
    assert "trestle_table_rows{" in trestle([standby.endpoint], "-o", "prom", "stats").stdout
    for index in range(3):
        service.etcd.kill(index)

    def is_unwell():
        """a standby that says so"""
        return trestle([standby.endpoint], "health").returncode == 1

    eventually(is_unwell, 30, 0.2)
    said = trestle([standby.endpoint], "health").stdout
    assert said.startswith("out of touch: trestled") and "leader" not in said, said
    done = trestle([standby.endpoint], "-o", "json", "health")
    said = json.loads(done.stdout)
    assert (done.returncode, said["status"], said["outOfTouch"]) == (1, "outOfTouch", True)
    assert trestle([standby.endpoint], "-o", "name", "health").stdout == "outOfTouch\n"
    done = trestle([standby.endpoint], "-o", "prom", "stats")
    assert done.returncode == 0 and "trestle_cluster_in_touch 0" in done.stdout, done
    assert "trestle_table_" not in done.stdout


def test_a_daemon_alone_is_no_service():
    daemon = Daemon()
    daemon.start()
    try:
        for word in ("status", "step-down"):
            done = trestle([daemon.endpoint], "cluster", word)
            assert done.returncode == 1 and "no service of several" in done.stderr
        assert trestle([daemon.endpoint], "cluster", "nonsense").returncode == 64
        assert "cluster_term" not in trestle([daemon.endpoint], "stats").stdout
    finally:
        daemon.close()


def test_the_list_is_checked(service):
    done = trestle(["tcp://127.0.0.1:1", "nonsense"], "tables")
    assert done.returncode == 64 and "nonsense" in done.stderr
