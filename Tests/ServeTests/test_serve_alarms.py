"""Each alarm of examples/monitoring, fired for real: a Prometheus scrapes the programs, its condition is made, the
alarm is firing by Prometheus' own word, the condition ends, and so does the alarm. Nothing else fires.

Only times are shorter: see `alarm_stage.shortened`. These conditions are made by something that stands for what a site
would meet:

- a slow disk: a library between daemon and disk that makes each sync take longer;
- a small disk: a tmpfs, which is made smaller and larger;
- an old backup: a real one, of which the file's time is set back. Nobody waits 36 hours;
- a certificate that ends: a real one, made for ten days.

FULL=1 (`make test-alarms`, some minutes) fires all of them. CI fires those that need neither minutes nor etcd.
"""

import os
import re
import signal
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from alarm_stage import RULES, SHORTER, Monitoring, is_there, shortened
from serve_harness import BIN, FULL, Daemon, Serve, eventually
from test_serve_cluster import Several
from test_serve_ready import certify
from test_standby import Pair, fill

import zmtp
from faults.faults import with_shim
from harness import ask_raw
from runnable_by_all import runnable_by_all

pytestmark = pytest.mark.skipif(not is_there(), reason="Debian's prometheus is not there: make .build/prometheus")
ALARMS = re.findall(r"(?m)^ +- alert: (\w+)$", RULES)


def hours_ago(path, hours):
    os.utime(path, (time.time() - hours * 3600,) * 2)


# Each of these is done beside the others, on machines of its own.

def no_figures(monitoring):
    """No machine tells any; then one does; then this one's exporter is away."""
    daemon = Daemon("{}")
    monitoring.closers.append(daemon.close)
    kitchen = monitoring.machine("kitchen", daemon, tells=False)
    monitoring.fires("TrestleFiguresAbsent")
    kitchen.tell()
    monitoring.ends("TrestleFiguresAbsent")
    return kitchen


def a_machine_goes(monitoring):
    gone = monitoring.machine("gone")
    gone.hide()
    monitoring.fires("TrestleFiguresAbsent", instance="gone")
    gone.show()
    monitoring.ends("TrestleFiguresAbsent", instance="gone")


def refused_reload(monitoring, kitchen):
    kitchen.reload("log: [\n")
    monitoring.fires("TrestleReloadRefused", instance="kitchen")
    kitchen.reload("log: {level: info}\n")
    monitoring.ends("TrestleReloadRefused", instance="kitchen")


def old_backup(monitoring, kitchen):
    """The backups stop; one is made; and then there is none at all."""
    backup, = kitchen.backups.iterdir()
    hours_ago(backup, 37)
    monitoring.fires("TrestleBackupOld", instance="kitchen")
    kitchen.back_up("trestle-2026-01-03T000000Z.backup")
    monitoring.ends("TrestleBackupOld", instance="kitchen")


def small_disk(monitoring):
    """A disk of 2 GB, of which others take more and more."""
    mount = Path(tempfile.mkdtemp(prefix="small", dir="/tmp"))
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2g", "small", mount], check=True)
    monitoring.closers += [mount.rmdir, lambda: subprocess.run(["umount", "-l", mount], check=True)]
    daemon = Daemon("disk: {reserve_bytes: 4194304}\n")
    monitoring.closers.append(daemon.close)
    daemon.state = mount / "state"
    monitoring.machine("small", daemon)

    def resize(size):
        subprocess.run(["mount", "-o", f"remount,size={size}", mount], check=True)

    resize("500m")
    monitoring.fires("TrestleDiskLow", instance="small")
    used = os.statvfs(mount)
    resize((used.f_blocks - used.f_bfree) * used.f_frsize + (2 << 20))
    monitoring.fires("TrestleReadOnly", instance="small")
    assert daemon.ask("create", {}, "t")["error"]["code"] == "diskFull"
    resize("500m")
    monitoring.ends("TrestleReadOnly", instance="small")
    assert daemon.ask("create", {}, "t")["ok"]
    resize("2g")
    monitoring.ends("TrestleDiskLow", instance="small")


def gateway(monitoring):
    folder = monitoring.directory / "tls"
    folder.mkdir()
    certify(folder, days=10)
    serve = Serve("--tls-cert", folder / "cert.pem", "--tls-key", folder / "cert.key", start=False)
    monitoring.closers.append(serve.close)
    serve.daemon.start()
    serve.start(until_up=False)
    monitoring.target("trestle-serve", f"127.0.0.1:{serve.port}", instance="gateway", __scheme__="https")

    if FULL:
        monitoring.fires("TrestleCertificateEnds", 3600 // SHORTER + 60, instance="gateway")
    serve.daemon.kill()
    monitoring.fires("TrestleGatewayNotReady", instance="gateway")
    serve.daemon.start()
    monitoring.ends("TrestleGatewayNotReady", instance="gateway")

    good = (folder / "cert.pem").read_bytes()
    (folder / "cert.pem").write_bytes(b"nonsense")
    serve.process.send_signal(signal.SIGHUP)
    monitoring.fires("TrestleGatewayReloadRefused", instance="gateway")
    (folder / "cert.pem").write_bytes(good)
    certify(folder, days=60)
    serve.process.send_signal(signal.SIGHUP)
    monitoring.ends("TrestleGatewayReloadRefused", instance="gateway")
    if FULL:
        monitoring.ends("TrestleCertificateEnds", instance="gateway")

    serve.kill()
    monitoring.fires("TrestleGatewayDown", instance="gateway")
    serve.start(until_up=False)
    monitoring.ends("TrestleGatewayDown", instance="gateway")


def restarts(monitoring):
    """A daemon that ends again and again, as one that is killed for its memory."""
    often = monitoring.machine("often")
    for _ in range(3):
        eventually(lambda: monitoring.value("trestle_uptime_seconds", "often") > 5, 20, 0.2)
        often.daemon.restart()
        eventually(lambda: monitoring.value("trestle_uptime_seconds", "often") < 5, 20, 0.2)
    monitoring.fires("TrestleRestarts", instance="often")
    monitoring.ends("TrestleRestarts", 3600 // SHORTER + 60, instance="often")


def slow_disk(monitoring):
    """All that waits for the disk is late: commits, replies, and what viewers are sent."""
    slow = monitoring.machine("slow", Daemon("{}"))
    daemon = slow.daemon
    monitoring.closers.append(daemon.close)
    assert daemon.ask("create", {}, "t")["ok"]
    daemon.watch("t", "watched")
    with_shim(daemon)
    daemon.environment["FAULTS_SYNC_US"] = "400000"
    daemon.restart()

    def work():
        assert daemon.do("t", add={"title": "x"})["ok"]
        time.sleep(0.05)

    late = ["TrestleCommitsSlow", "TrestleRepliesSlow", "TrestleDeliveriesSlow"]
    for alarm in late:
        monitoring.fires(alarm, 1200 // SHORTER + 60, meanwhile=work, instance="slow")
    daemon.environment = {}
    daemon.restart()
    for alarm in late:
        monitoring.ends(alarm, 1200 // SHORTER + 60, meanwhile=work, instance="slow")


def connections(monitoring):
    """A program that sends what is no request; one that breaks the protocol; and more connections than there may be."""
    door = monitoring.machine("door", config="{connections: 16, ipc_mode: '0666'}\n")
    door.daemon.directory.chmod(0o755)
    path = door.daemon.endpoint.removeprefix("ipc://")

    def nonsense():
        zmtp.Peer(path, identity=b"\0others").socket.close()
        time.sleep(0.3)

    def unreadable():
        assert not ask_raw(door.daemon, b"nonsense")["ok"]
        time.sleep(0.3)

    monitoring.fires("TrestleRefusals", 2400 // SHORTER + 60, meanwhile=unreadable, instance="door")
    monitoring.ends("TrestleRefusals", 600 // SHORTER + 60, instance="door")
    monitoring.fires("TrestleConnectionsBroken", 1200 // SHORTER + 60, meanwhile=nonsense, instance="door")
    monitoring.ends("TrestleConnectionsBroken", 1200 // SHORTER + 60, instance="door")
    assert door.daemon.ask("create", {}, "t")["ok"]
    program = runnable_by_all(BIN / "trestle")
    # Two connections each.
    crowd = [door.daemon.beside_it([program, "-e", door.daemon.endpoint, "watch", "t"], f"watch{n}", user=65534, group=65534)
             for n in range(12)]
    monitoring.fires("TrestleConnectionsFull", 600 // SHORTER + 60, instance="door")
    for one in crowd:
        one.kill()
    monitoring.ends("TrestleConnectionsFull", 600 // SHORTER + 60, instance="door")


def many_tables(monitoring, kitchen):
    for number in range(103):
        kitchen.daemon.ask("create", {}, f"t{number:03}")
    monitoring.fires("TrestleTablesWithoutSeries", 3600 // SHORTER + 60, instance="kitchen")
    for number in range(3):
        kitchen.daemon.ask("drop", {}, f"t{number:03}")
    monitoring.ends("TrestleTablesWithoutSeries", instance="kitchen")


def much_memory(monitoring):
    """Rows of 350 MB. When they are gone, so is the memory."""
    large = monitoring.machine("large")
    rows = [{"add": {"fields": {"x": "y" * 15_000}}} for _ in range(50)]
    assert large.daemon.ask("create", {}, "t")["ok"]
    while large.daemon.rss() < 400_000:
        reply = large.daemon.ask("batch", {"commands": rows}, "t")
        assert reply["ok"], reply
    monitoring.fires("TrestleMemoryHigh", 600 // SHORTER + 60, instance="large")
    assert large.daemon.ask("drop", {}, "t")["ok"]
    monitoring.ends("TrestleMemoryHigh", 600 // SHORTER + 60, instance="large")


def standby(monitoring):
    """A program that is refused again and again, at a daemon that a standby follows; and each of both is gone."""
    pair = Pair()
    monitoring.closers.append(pair.close)
    fill(pair.first, rows=5)
    for name, daemon in (("first", pair.first), ("second", pair.standby)):
        monitoring.machine(name, daemon, service="pair")

    def wrong():
        assert not pair.first.do("t", remove={"rows": ["nobody"]})["ok"]
        assert pair.first.ask("explain", {"command": {"remove": {"rows": ["r1"]}}}, "t")["ok"]
        time.sleep(0.3)

    monitoring.fires("TrestleRefusals", 2400 // SHORTER + 60, meanwhile=wrong, instance="first")
    monitoring.ends("TrestleRefusals", 600 // SHORTER + 60, instance="first")

    pair.first.process.send_signal(signal.SIGSTOP)
    monitoring.fires("TrestleStandbyBehind", 100, instance="second")
    monitoring.fires("TrestleOutOfTouch", instance="second")
    pair.first.process.send_signal(signal.SIGCONT)
    monitoring.ends("TrestleStandbyBehind", instance="second")
    monitoring.ends("TrestleOutOfTouch", instance="second")

    pair.standby.kill()
    monitoring.fires("TrestleMembersMissing", instance="first")
    pair.standby.start()
    monitoring.ends("TrestleMembersMissing", instance="first")
    # It starts again at once, as in an upgrade: for two seconds it is counted twice, and then none is missing.
    pair.standby.restart()
    eventually(lambda: monitoring.value("trestle_standbys", "first") == 2, 10, 0.1)
    eventually(lambda: monitoring.value("trestle_standbys", "first") == 1, 10, 0.1)
    time.sleep(600 // SHORTER + 5)
    assert not monitoring.is_firing("TrestleMembersMissing", {"instance": "first"})


def service(monitoring):
    """Daemons on etcd: etcd stops, a daemon is gone, and then all are."""
    several = Several()
    monitoring.closers.append(several.close)
    members = several.service.members
    for number, member in enumerate(members):
        monitoring.machine(f"member{number}", member, service="kitchen")
    eventually(lambda: len(several.service.leader().health()["members"]) == 2, 20, 0.1)
    time.sleep(3)

    for one in several.etcd.processes:
        one.send_signal(signal.SIGSTOP)
    monitoring.fires("TrestleNoLeader", service="kitchen")
    for number in range(2):
        monitoring.fires("TrestleOutOfTouch", instance=f"member{number}")
    for one in several.etcd.processes:
        one.send_signal(signal.SIGCONT)
    for number in range(2):
        monitoring.ends("TrestleOutOfTouch", instance=f"member{number}")
    monitoring.ends("TrestleNoLeader", service="kitchen")

    gone, = several.service.standbys()
    stays = several.service.leader()
    gone.kill()
    monitoring.fires("TrestleMembersMissing", instance=f"member{members.index(stays)}")
    # The other goes too: the latest figure of it says that it leads.
    stays.kill()
    for number in range(2):
        monitoring.fires("TrestleFiguresOld", 240, instance=f"member{number}")
    monitoring.fires("TrestleNoLeader", service="kitchen")
    for member in members:
        member.start()
    monitoring.ends("TrestleNoLeader", service="kitchen")
    for number in range(2):
        monitoring.ends("TrestleFiguresOld", instance=f"member{number}")
        monitoring.ends("TrestleMembersMissing", instance=f"member{number}")


def together(monitoring, cases):
    """Each in a thread of its own. The first that fails ends all."""
    with ThreadPoolExecutor(len(cases)) as threads:
        running = [threads.submit(case, monitoring, *more) for case, *more in cases]
        try:
            for one in running:
                one.result()
        except BaseException:
            monitoring.over.set()
            raise


def test_times_are_shortened_and_nothing_else():
    text = "expr: rate(a_bucket[5m]) > 120 and b[1d:1m] > 36 * 3600\nfor: 10m\nsummary: for: 10m it is [so]\n"
    assert shortened(text, 60) == (
        "expr: rate(a_bucket[5s]) > 120 and b[1440s:1s] > 36 * 3600\nfor: 10s\nsummary: for: 10m it is [so]\n")
    assert [line for line in shortened(RULES, 1).splitlines() if "summary" in line] == [
        line for line in RULES.splitlines() if "summary" in line]


@pytest.mark.bound(180, 1_500)
def test_each_alarm_is_fired_by_what_it_is_about():
    is_root = os.geteuid() == 0
    if FULL and not is_root:
        pytest.skip("only root may mount a small disk, and be another user")
    with Monitoring() as monitoring:
        kitchen = no_figures(monitoring)
        cases = [(refused_reload, kitchen), (old_backup, kitchen), (gateway,), (a_machine_goes,)]
        cases += [(small_disk,)] if is_root else []
        if FULL:
            cases += [(restarts,), (slow_disk,), (connections,), (many_tables, kitchen), (much_memory,), (standby,),
                      (service,)]
        together(monitoring, cases)
        assert {alarm for alarm, _ in monitoring.ended} == set(ALARMS) or not FULL
        # No alarm fires that the test did not wait for. Beside other tests a machine may be slow indeed.
        others = {(alarm, where) for alarm, where in monitoring.fired - monitoring.ended
                  if FULL or not alarm.endswith("Slow")}
        assert others == set() and not monitoring.wrong
