"""The packages in a Debian or Ubuntu with a systemd that is really booted: installed, used, upgraded under
load, rebooted, purged. Also that the bounds of the units act. Takes minutes, and root: `make test-deb RELEASES=trixie`.

The tests are steps, in order: each goes on where the one before ended.
"""

import gzip
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import tarfile

import pytest

from machine import BASE, DEBS, HERE, ROOT, Machine, eventually, package_before

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.geteuid() != 0, reason="needs root"),
    pytest.mark.skipif(
        not all(list(DEBS.glob(f"{name}_*.deb")) for name in ("trestled", "trestle-serve")),
        reason="needs make build serve, then make deb"),
]
SERVICE, BINDING = "trestled-activated.service", "trestled.service"
INSTANCE = "trestled@pass.service"
SOCKETS = ["trestled-request.socket", "trestled-publish.socket"]
SOCKET = "/run/trestle/request.sock"
GATEWAY = "trestle-serve.service"
EXPOSURE = {SERVICE: 0.6, BINDING: 1.4}


@pytest.fixture(scope="module")
def machine():
    machine = Machine()
    try:
        machine.boot()
        debs = machine.work / "debs"
        debs.mkdir()
        package_before(debs)
        for deb in DEBS.glob("*.deb"):
            if "-dbgsym" not in deb.name:
                shutil.copy(deb, debs / (deb.name.split("_")[0] + ".deb"))
        machine.share(debs, "/opt/debs")
        for script in ("debian_load.py", "debian_http.py"):
            shutil.copy(HERE / script, debs)
        machine.share(debs, "/opt/debs")
        yield machine
    finally:
        machine.close()


def pid(machine, unit=SERVICE):
    return machine.prop(unit, "MainPID")


def inode(machine):
    return machine.run("stat", "-c", "%i", SOCKET).stdout.strip()


def tables(machine):
    answer = machine.run("trestle", "--timeout", "60", "-o", "json", "tables").stdout
    return {table["table"]: table for table in json.loads(answer)["tables"]}


def rows(machine, table):
    return tables(machine)[table]["rows"]


def browser(machine, method, path, cookie="", body=""):
    """What the gateway answers: `status`, `text`, `cookie`."""
    return json.loads(machine.run(
        "python3", "/opt/debs/debian_http.py", method, path, cookie, body).stdout)


def serves(machine):
    return browser(machine, "GET", "/readyz")["status"] == 200


class Load:
    """Sixteen writers; `wait` until each has written so much more; `end` tells what came of it."""

    def __init__(self, machine, table):
        self.path = machine.work / f"load-{table}.log"
        self.process = machine.start(
            "python3", "/opt/debs/debian_load.py", table, user="kim", output=self.path.open("w"))

    def progress(self):
        lines = [line.split() for line in self.path.read_text().splitlines()]
        last = {line[0]: int(line[1]) for line in lines if len(line) == 2 and line[0].isdigit()}
        return min(last.values(), default=0) if len(last) == 16 else 0

    def wait(self, more, seconds=60):
        goal = self.progress() + more
        eventually(lambda: self.progress() >= goal or self.process.poll() is not None, seconds,
                   f"{more} more rows of each writer")
        assert self.process.poll() is None, self.path.read_text()[-2000:]

    def end(self):
        self.process.stdin.close()
        assert self.process.wait(90) == 0, self.path.read_text()[-2000:]
        return json.loads(self.path.read_text().splitlines()[-1])


def unharmed(result, at_least):
    assert result["errors"] == []
    assert (result["lost"], result["double"], result["unasked"]) == (0, 0, 0), result
    assert result["acknowledged"] >= at_least


def test_install(machine):
    """The sockets are there and the daemon is not: the first client starts it."""
    machine.install("/opt/debs/trestle_before.deb", "/opt/debs/trestled_before.deb",
                    "/opt/debs/python3-trestle.deb", "/opt/debs/trestle-doc.deb")
    for socket in SOCKETS:
        assert (machine.state(socket), machine.enabled(socket)) == ("active", "enabled")
    assert machine.state(SERVICE) == "inactive" and machine.state(BINDING) == "inactive"
    found = machine.run("stat", "-c", "%a %U %G", SOCKET).stdout.split()
    assert found == ["660", "root", "trestle"]
    assert "~before" in machine.run("dpkg-query", "-W", "trestled").stdout
    assert machine.run("sh", "-c", "ls /usr/share/man/man1/trestle-wait.1.gz").stdout


def test_a_member_of_the_group_works(machine):
    for name in ("kim", "eve"):
        machine.run("useradd", "--create-home", name)
    machine.run("usermod", "-aG", "trestle", "kim")
    machine.run("trestle", "--timeout", "30", "create", "board", user="kim")
    machine.run("trestle", "add", "board", "Soup", "--id", "soup", user="kim")
    assert "Soup" in machine.run("trestle", "show", "board", user="kim").stdout
    machine.run("trestle", "--as", "ada", "set", "board", "soup", "--title", "Soup of the day", user="kim")
    assert "ada (kim) renamed" in machine.run("trestle", "history", "board", user="kim").stdout
    machine.run("trestle", "set", "board", "soup", "--title", "Soup", user="kim")
    refused = machine.run("trestle", "tables", user="eve", fails=True)
    assert refused.returncode == 77 and "trestle" in refused.stderr
    assert machine.state(SERVICE) == "active"
    code = "import trestle; c = trestle.connect(); print([r.title for r in c.read('board')])"
    assert "Soup" in machine.run("python3", "-c", code, user="kim").stdout
    code = "from importlib.metadata import entry_points; print([one.value for one in entry_points(group='pytest11')])"
    assert "trestle.pytest_plugin" in machine.run("python3", "-c", code, user="kim").stdout


def test_exposure(machine):
    for unit, limit in EXPOSURE.items():
        said = machine.run("systemd-analyze", "security", "--no-pager", unit, fails=None).stdout
        assert float(re.search(r"Overall exposure level for \S+ ([0-9.]+)", said.replace(":", ""))[1]) \
            <= limit, said


def test_upgrade_under_load(machine):
    """Sixteen writers see no error, nothing is lost, and the sockets stay the ones they were."""
    machine.run("sed", "-i", "s/level: info/level: notice/", "/etc/trestle/trestled.yaml")
    machine.run("cp", "/etc/trestle/trestled.yaml", "/etc/trestle/pass.yaml")
    machine.run("systemctl", "enable", "--now", INSTANCE)
    load, before = Load(machine, "upgrade"), inode(machine)
    load.wait(40)
    old, old_instance = pid(machine), pid(machine, INSTANCE)
    machine.install("/opt/debs/trestle.deb", "/opt/debs/trestled.deb")
    load.wait(40)
    result = load.end()
    print(result)
    unharmed(result, 16 * 80)
    assert pid(machine) not in (old, "0") and inode(machine) == before
    # It runs the program that is there: the file of the one before is gone.
    assert pid(machine, INSTANCE) not in (old_instance, "0")
    assert machine.run("readlink", f"/proc/{pid(machine, INSTANCE)}/exe").stdout.strip() == "/usr/bin/trestled"
    assert "~before" not in machine.run("dpkg-query", "-W", "trestled").stdout
    kept = machine.run("cat", "/etc/trestle/trestled.yaml").stdout
    assert "level: notice" in kept and kept.startswith("# As it was before.")
    machine.run("trestle", "--timeout", "60", "check")


def test_the_way_back_of_the_page(machine):
    """docs/OPERATION.md: what it tells somebody to type to go back to an older version, in order, ends well."""
    page = (ROOT / "docs/OPERATION.md").read_text()
    block = page.split("To go back, ")[1].split("\n\n")[1]
    lines = [line[4:] for line in block.splitlines()]
    assert len(lines) >= 6 and all(line.startswith("    ") for line in block.splitlines())
    expected = rows(machine, "upgrade")
    older = "; ".join(f"cp /opt/debs/{name}_before.deb older/{name}_1.deb" for name in ("trestle", "trestled"))
    machine.run("sh", "-exc", f"mkdir -p /root/older; cd /root; {older}; trestle backup before-upgrade.backup")
    # Nobody is there to answer apt.
    script = "\n".join(lines).replace("apt install", "apt-get install -y -o Dpkg::Options::=--force-confold")
    machine.run("sh", "-exc", f"cd /root\n{script}", timeout=300)
    assert "~before" in machine.run("dpkg-query", "-W", "trestled").stdout
    assert rows(machine, "upgrade") == expected
    machine.run("test", "-d", "/var/lib/trestle.newer")
    machine.install("/opt/debs/trestle.deb", "/opt/debs/trestled.deb")
    assert rows(machine, "upgrade") == expected


@pytest.fixture(scope="module")
def cookie(machine):
    """Of a device that was let in. The gateway runs."""
    machine.run("systemctl", "enable", "--now", GATEWAY)
    eventually(lambda: serves(machine), 20, "a gateway that serves")
    said = machine.run("trestle", "serve", "pair", "--name", "grill", "--role", "operator",
                       "-o", "json", user="trestle-serve").stdout
    code = json.loads(said)["link"].split("#")[1]
    return browser(machine, "POST", "/pair", body=json.dumps({"code": code}))["cookie"]


def test_the_gateway_waits_for_somebody(machine):
    """Its package starts nothing: who may come is the administrator's to say."""
    machine.install("/opt/debs/trestle-serve_before.deb")
    assert (machine.state(GATEWAY), machine.enabled(GATEWAY)) == ("inactive", "disabled")
    assert machine.run("sh", "-c", "ls /usr/share/man/man8/trestle-serve.8.gz").stdout
    assert "~before" in machine.run("dpkg-query", "-W", "trestle-serve").stdout


def test_the_gateway_shows_the_board(machine, cookie):
    seen = browser(machine, "GET", "/tables/board/snapshot", cookie)
    assert seen["status"] == 200 and "Soup" in seen["text"]
    assert browser(machine, "GET", "/tables/board/snapshot")["status"] in (401, 403)
    assert "<html" in browser(machine, "GET", "/")["text"]
    said = machine.run("systemd-analyze", "security", "--no-pager", GATEWAY, fails=None).stdout
    assert float(re.search(r"Overall exposure level for \S+ ([0-9.]+)", said.replace(":", ""))[1]) \
        <= 1.3, said


def test_the_gateway_is_upgraded(machine, cookie):
    """Its service runs the new program, and knows the devices that the one before let in."""
    old = pid(machine, GATEWAY)
    machine.install("/opt/debs/trestle-serve.deb")
    eventually(lambda: serves(machine), 20, "a gateway that serves")
    assert pid(machine, GATEWAY) not in (old, "0")
    assert "Soup" in browser(machine, "GET", "/tables/board/snapshot", cookie)["text"]
    assert "grill" in machine.run("trestle", "serve", "devices", user="trestle-serve").stdout


def test_reboot(machine, cookie):
    expected = rows(machine, "upgrade")
    machine.reboot()
    eventually(lambda: serves(machine), 30, "a gateway that serves")
    assert "Soup" in browser(machine, "GET", "/tables/board/snapshot", cookie)["text"]
    for socket in SOCKETS:
        assert machine.state(socket) == "active"
    assert rows(machine, "upgrade") == expected
    assert "Soup" in machine.run("trestle", "show", "board", user="kim").stdout


def test_backup(machine):
    """The timer's service writes what can be restored, for nobody else to read; the oldest go."""
    assert machine.enabled("trestle-backup.timer") == "disabled"
    machine.run("systemctl", "enable", "--now", "trestle-backup.timer")
    machine.run("systemctl", "start", "trestle-backup.service", timeout=120)
    place = "/var/backups/trestle"
    assert machine.run("stat", "-c", "%a %U", place).stdout.split() == ["700", "trestle"]
    first, = machine.run("ls", place).stdout.split()
    assert machine.run("stat", "-c", "%a %U", f"{place}/{first}").stdout.split() == ["600", "trestle"]
    for _ in range(3):
        machine.run("sleep", "1.1")
        machine.run("/usr/lib/trestle/trestle-backup", "--keep", "2", user="trestle")
    left = machine.run("ls", place).stdout.split()
    assert len(left) == 2 and first not in left
    machine.run("systemctl", "enable", "--now", "trestle-backup@pass.timer")
    machine.run("systemctl", "start", "trestle-backup@pass.service", timeout=120)
    its_own, = machine.run("ls", f"{place}/pass").stdout.split()
    machine.run("trestle", "restore", "--check", f"{place}/pass/{its_own}")
    machine.run("trestle", "restore", f"{place}/{left[-1]}", "--table", "board", "--to", "restored")
    assert "Soup" in machine.run("trestle", "show", "restored").stdout
    refused = machine.run("/usr/lib/trestle/trestle-backup", "--keep", "0", fails=True)
    assert refused.returncode == 64


def test_the_drill_of_the_page(machine):
    """docs/OPERATION.md: what it tells somebody to type to restore, in order, ends well."""
    page = (ROOT / "docs/OPERATION.md").read_text()
    section = page.split("## Restore: a drill")[1].split("\n## ")[0]
    expected = rows(machine, "upgrade")
    lines = [line[4:] for line in section.splitlines() if line.startswith("    ")]
    assert len(lines) >= 12
    done = machine.run("sh", "-exc", "\n".join(lines))
    assert "Soup" in done.stdout
    # Both ways on from a damaged directory, one after the other, here with one that is whole.
    assert "Saved in /var/lib/trestle.saved" in done.stdout and "Nothing is missing" in done.stdout
    assert rows(machine, "upgrade") == expected and "drill" not in tables(machine)
    for kept in ("damaged", "aside"):
        machine.run("test", "-d", f"/var/lib/trestle.{kept}")


def test_the_move_of_the_page(machine):
    """docs/CARE.md: what it tells somebody to type on the old machine and on the new one, here one after the other."""
    section = (ROOT / "docs/CARE.md").read_text().split("## Move to a new machine")[1].split("**The tables alone.**")[0]
    blocks = [[line[4:] for line in block.splitlines()] for block in section.split("\n\n") if block.startswith("    ")]
    pack, unpack = ("\n".join(block) for block in blocks)
    expected = rows(machine, "upgrade")
    history = machine.run("trestle", "history", "board").stdout
    machine.run("sh", "-exc", f"cd /root\n{pack}\nmv /var/lib/trestle /var/lib/trestle.moved")
    machine.run("sh", "-exc", f"cd /root\n{unpack}")
    assert rows(machine, "upgrade") == expected
    assert machine.run("trestle", "history", "board").stdout == history
    machine.run("rm", "-r", "/var/lib/trestle.moved", "/root/move.tar.gz")


def test_files_of_ones_own(machine):
    """A file in trestled.d holds over trestled.yaml; `config show` and `keys list` find it whoever asks."""
    machine.put("/etc/trestle/trestled.d/10-site.yaml", "heartbeat_ms: 2000\nlog: {slow_ms: 500}\n")
    machine.run("systemctl", "reload", SERVICE)
    for user in (None, "kim", "trestle"):
        said = machine.run("trestled", "config", "show", user=user).stdout
        assert re.search(r"heartbeat_ms +2000 +/etc/trestle/trestled.d/10-site.yaml:1", said), said
        assert re.search(r"state_directory +/var/lib/trestle +default", said), said
    eventually(lambda: "heartbeat_ms: 1000 → 2000" in machine.log(SERVICE), 10, "a reload")
    machine.put("/etc/trestle/trestled.d/10-site.yaml", "heartbeat_ms: none\n")
    refused = machine.run("systemctl", "reload", SERVICE, fails=True)
    assert refused.returncode
    assert "/etc/trestle/trestled.d/10-site.yaml:1" in machine.log(SERVICE)
    machine.run("rm", "/etc/trestle/trestled.d/10-site.yaml")
    machine.run("systemctl", "reload", SERVICE)
    assert "/var/lib/trestle/curve" in machine.run("trestled", "keys", "list", fails=None).stderr
    refused = machine.run("trestled", "keys", "list", user="kim", fails=True)
    assert "/var/lib/trestle" in refused.stderr


def test_several_daemons(machine):
    """docs/OPERATION.md: an instance has a file, tables and sockets of its own."""
    machine.run("cp", "/etc/trestle/trestled.yaml", "/etc/trestle/kitchen.yaml")
    machine.run("systemctl", "enable", "--now", "trestled@kitchen")
    endpoint = "ipc:///run/trestle-kitchen/request.sock"
    machine.run("trestle", "-e", endpoint, "create", "menu", user="kim")
    assert "menu" not in tables(machine) and machine.state(SERVICE) == "active"
    assert machine.run("stat", "-c", "%a %U", "/var/lib/trestle-kitchen").stdout.split() == ["700", "trestle"]
    machine.run("systemctl", "restart", "trestled@kitchen")
    assert "menu" in machine.run("trestle", "-e", endpoint, "tables", user="kim").stdout
    machine.run("systemctl", "disable", "--now", "trestled@kitchen")
    machine.run("rm", "-r", "/var/lib/trestle-kitchen", "/var/cache/trestle-kitchen", "/etc/trestle/kitchen.yaml")


def test_the_first_day(machine):
    """debian/tests, as autopkgtest would run it."""
    machine.share(ROOT / "debian/tests", "/opt/tests")
    machine.run("sh", "-c", "AUTOPKGTEST_TMP=$(mktemp -d) /opt/tests/first-day")


def test_the_figures_for_prometheus(machine):
    """The timer's service is no root, and while all is well the log says nothing of it."""
    doc = "/usr/share/doc/trestle-doc/examples/monitoring"
    machine.run("install", f"{doc}/trestle-metrics", "/usr/local/bin")
    machine.run("install", "-d", "-g", "trestle", "-m", "2775", "/var/lib/prometheus/node-exporter")
    machine.run("cp", f"{doc}/trestle-metrics.service", f"{doc}/trestle-metrics.timer", "/etc/systemd/system")
    machine.run("systemctl", "daemon-reload")
    for _ in range(2):
        machine.run("systemctl", "start", "trestle-metrics.service")
    file = "/var/lib/prometheus/node-exporter/trestle.prom"
    assert machine.run("stat", "-c", "%a %U", file).stdout.split() == ["644", "trestle"]
    text = machine.run("cat", file).stdout
    assert "trestle_reload_refused 0" in text and "trestle_backup_timestamp_seconds 1" in text
    said = machine.log("trestle-metrics.service")
    assert "Started" not in said and "Finished" not in said and "trestle-metrics" not in said, said
    machine.run("rm", *(f"/etc/systemd/system/trestle-metrics.{kind}" for kind in ("service", "timer")))
    machine.run("systemctl", "daemon-reload")


def test_watchdog(machine):
    """A daemon that does nothing any more is ended and started again, while clients wait."""
    assert machine.prop(SERVICE, "WatchdogUSec") == "30s"
    load = Load(machine, "watchdog")
    load.wait(20)
    old = pid(machine)
    machine.run("kill", "-STOP", old)
    eventually(lambda: pid(machine) not in (old, "0"), 90, "another process")
    load.wait(20, 90)
    unharmed(load.end(), 16 * 40)
    assert "Watchdog timeout" in machine.log(SERVICE)


def test_memory(machine):
    """What takes more than it may is ended, and comes back with all that was acknowledged."""
    assert machine.prop(SERVICE, "MemoryMax") == str(2 << 30)
    old = pid(machine)
    for limit in ("MemoryHigh=infinity", "MemoryMax=48M"):
        machine.run("systemctl", "set-property", "--runtime", SERVICE, limit)
    machine.run("trestle", "create", "big")
    lines = "".join(json.dumps({"id": f"r{n}", "title": "x" * 1000}) + "\n" for n in range(60_000))
    path = machine.work / "debs/big.ndjson"
    path.write_text(lines)
    machine.share(machine.work / "debs", "/opt/debs")
    machine.run("trestle", "--timeout", "20", "import", "big", "/opt/debs/big.ndjson", fails=None)
    eventually(lambda: machine.prop(SERVICE, "NRestarts") != "0" and pid(machine) != old, 60,
               "a daemon that was ended for its memory")
    machine.run("systemctl", "set-property", "--runtime", SERVICE, "MemoryMax=2G")
    machine.run("systemctl", "reset-failed", SERVICE, fails=None)
    machine.run("systemctl", "start", *SOCKETS)
    machine.run("trestle", "--timeout", "60", "check")
    assert {"board", "upgrade", "watchdog"} <= set(tables(machine))


def test_a_bad_configuration_closes_nothing(machine):
    """A bad file and a restart while a client waits: the sockets stay, and one restart heals, as docs/OPERATION.md says."""
    kept = machine.run("cat", "/etc/trestle/trestled.yaml").stdout
    machine.put("/etc/trestle/trestled.yaml", "broken: [\n")
    machine.run("systemctl", "restart", SERVICE, fails=True)
    assert machine.run("trestle", "--timeout", "15", "tables", fails=True).returncode == 75
    assert {machine.state(socket) for socket in SOCKETS} == {"active"}
    assert 2 <= int(machine.prop(SERVICE, "NRestarts")) <= 10
    machine.put("/etc/trestle/trestled.yaml", kept)
    machine.run("systemctl", "restart", SERVICE)
    machine.run("trestle", "--timeout", "60", "check")


def test_a_daemon_that_dies_again_and_again(machine):
    """There is no limit after which the sockets close: clients wait, and it serves when it can."""
    for _ in range(12):
        process = pid(machine)
        if process != "0":
            machine.run("kill", "-KILL", process, fails=None)
        machine.run("sleep", "1")
    assert {machine.state(socket) for socket in SOCKETS} == {"active"}
    machine.run("trestle", "--timeout", "60", "check")


def test_a_guest_list(machine):
    """The shipped unit: each user may do what the list says, at once."""
    machine.run("usermod", "-aG", "trestle", "eve")
    kept = machine.run("cat", "/etc/trestle/trestled.yaml").stdout
    guests = ("guests:\n  - users: [root, trestle]\n    roles: [admin]\n"
              "  - users: [kim]\n    tables: [board]\n    roles: [operator]\n")
    machine.put("/etc/trestle/trestled.yaml", f"{kept}\n{guests}")
    machine.run("systemctl", "restart", SERVICE)

    def code(user, *words):
        return machine.run("trestle", "--timeout", "30", *words, user=user, fails=None).returncode

    assert code("kim", "add", "board", "Stew", "--id", "stew") == 0
    assert code("kim", "create", "other") == 77 and code("kim", "show", "upgrade") == 77
    assert code("eve", "show", "board") == 77 and code("eve", "add", "board", "Hers") == 77
    assert code("root", "create", "other") == 0
    said = machine.run("trestle", "-o", "json", "history", "board").stdout
    assert '"user":"kim"' in said.replace(" ", ""), said
    # A right that is given takes effect without a restart, and one that is taken away too.
    old = pid(machine)
    for roles, expected in (("viewer", 0), ("", 77)):
        line = f"  - users: [eve]\n    tables: [board]\n    roles: [{roles}]\n" if roles else ""
        machine.put("/etc/trestle/trestled.yaml", f"{kept}\n{guests}{line}")
        machine.run("systemctl", "reload", SERVICE)
        eventually(lambda: code("eve", "show", "board") == expected, 20, f"eve's right: {roles or 'none'}")
        assert code("eve", "add", "board", "Hers") == 77
    assert pid(machine) == old
    audit = machine.run("trestle", "-o", "json", "audit").stdout
    assert "eve" in audit and "refused" in audit
    machine.put("/etc/trestle/trestled.yaml", kept)
    machine.run("gpasswd", "-d", "eve", "trestle")
    machine.run("systemctl", "restart", SERVICE)


def test_the_other_variant(machine):
    """Who chose trestled.service keeps it over an upgrade, and writers see no error either."""
    machine.run("systemctl", "disable", "--now", *SOCKETS)
    machine.run("systemctl", "enable", "--now", BINDING)
    load = Load(machine, "binding")
    load.wait(20)
    old = pid(machine, BINDING)
    machine.run("apt-get", "install", "-y", "--reinstall", "/opt/debs/trestled.deb", timeout=300)
    load.wait(20)
    unharmed(load.end(), 16 * 40)
    assert pid(machine, BINDING) not in (old, "0")
    assert {machine.state(socket) for socket in SOCKETS} == {"inactive"}
    assert {machine.enabled(socket) for socket in SOCKETS} == {"disabled"}
    machine.run("systemctl", "disable", "--now", BINDING)
    machine.run("systemctl", "enable", "--now", *SOCKETS)


def test_the_image(machine):
    """`make image`: every blob has its digest, and the layer has a daemon that serves as its configuration says."""
    image = machine.work / "trestled.oci.tar"
    subprocess.run([ROOT / "debian/make-image.py", DEBS, image, BASE], check=True, timeout=300)
    with tarfile.open(image) as archive:
        blobs = {name.rsplit("/")[-1]: archive.extractfile(name).read()
                 for name in archive.getnames() if name.startswith("blobs/")}
        index = json.load(archive.extractfile("index.json"))
    assert all(hashlib.sha256(content).hexdigest() == name for name, content in blobs.items())

    def blob(one):
        assert len(blobs[one["digest"][7:]]) == one["size"]
        return blobs[one["digest"][7:]]

    manifest = json.loads(blob(index["manifests"][0]))
    configuration = json.loads(blob(manifest["config"]))
    plain = gzip.decompress(blob(manifest["layers"][0]))
    assert configuration["rootfs"]["diff_ids"] == [f"sha256:{hashlib.sha256(plain).hexdigest()}"]
    root = machine.work / "image"
    with tarfile.open(fileobj=io.BytesIO(plain)) as layer:
        layer.extractall(root, numeric_owner=True)
    begin = configuration["config"]
    enter = f'mount --bind /proc "$0/proc" && exec chroot --userspec={begin["User"]} "$0" env -i "$@"'
    command = ["unshare", "--mount", "sh", "-c", enter, root, *begin["Env"]]
    daemon = subprocess.Popen([*command, *begin["Entrypoint"], *begin["Cmd"]])
    try:
        eventually(lambda: (root / "run/trestle/request.sock").exists(), 20, "a socket")
        subprocess.run([*command, "trestle", "--timeout", "20", "create", "board"], check=True, timeout=60)
        said = subprocess.run([*command, "trestle", "tables"], check=True, timeout=60, capture_output=True, text=True)
        assert "board" in said.stdout and (root / "var/lib/trestle/journal").exists()
    finally:
        daemon.terminate()
        assert daemon.wait(20) == 0


def test_purge_of_the_gateway(machine):
    """It stops, forgets who was let in, and the daemon does not notice."""
    assert machine.state(GATEWAY) == "active"
    machine.run("apt-get", "remove", "-y", "trestle-serve", timeout=300)
    assert machine.state(GATEWAY) == "inactive"
    assert browser(machine, "GET", "/healthz")["status"] == 0
    machine.run("test", "-d", "/var/lib/trestle-serve")
    machine.run("apt-get", "purge", "-y", "trestle-serve", timeout=300)
    for path in ("/var/lib/trestle-serve", "/lib/systemd/system/trestle-serve.service"):
        machine.run("test", "-e", path, fails=True)
    assert rows(machine, "board")


def test_purge_keeps_the_tables_unless_told(machine):
    expected = rows(machine, "upgrade")
    said = machine.run("apt-get", "purge", "-y", "trestled", timeout=300)
    assert "the tables are kept" in said.stdout + said.stderr
    assert machine.run("test", "-e", SOCKET, fails=None).returncode == 1
    machine.run("test", "-d", "/var/lib/trestle/journal", "-o", "-e", "/var/lib/trestle/journal")
    machine.run("test", "-e", "/etc/trestle/trestled.yaml", fails=True)
    for unit in (INSTANCE, "trestle-backup@pass.timer", "trestle-backup.timer"):
        assert machine.state(unit) == "inactive"
    links = machine.run("find", "/etc/systemd/system", "-name", "*@pass.*").stdout
    machine.run("test", "-d", "/var/lib/trestle-pass")
    assert links == ""
    machine.run("rm", "/etc/trestle/pass.yaml")
    machine.install("/opt/debs/trestled.deb")
    assert rows(machine, "upgrade") == expected
    answer = "trestled trestled/purge-state boolean true"
    machine.run("sh", "-c", f"echo '{answer}' | debconf-set-selections")
    machine.run("apt-get", "purge", "-y", "trestled", timeout=300)
    for path in ("/var/lib/trestle", "/var/cache/trestle", "/etc/trestle", "/etc/default/trestled", SOCKET,
                 "/lib/systemd/system/trestled.service"):
        machine.run("test", "-e", path, fails=True)
    listed = machine.run("systemctl", "list-unit-files", "--no-legend", "trestle*", fails=None)
    assert listed.stdout == ""
