"""Checks the units from outside, inside the private systemd that run-unit.sh starts.

    check_units.py real|standin RESULT

One line for each check; RESULT becomes `passed` or `failed` at the end. A client here is a plain
socket that speaks as much ZMTP 3.0 as it takes, so that no ZeroMQ binding is needed.
"""

import grp
import os
import pwd
import shutil
import signal
import socket
import stat
import struct
import subprocess
import sys
import time
import traceback

REQUEST, PUBLISH = "/run/trestle/request.sock", "/run/trestle/publish.sock"
CONFIG = "/etc/trestle/trestled.yaml"
OUTSIDER = 65000
failures = []


def check(what, holds, detail=""):
    line = f"{'ok  ' if holds else 'FAIL'} {what}"
    print(line if holds else f"{line}: {detail}", flush=True)
    if not holds:
        failures.append(what)


def systemctl(*arguments, seconds=120):
    run = subprocess.run(
        ["systemctl", "--no-pager", *arguments], capture_output=True, text=True, timeout=seconds
    )
    return run.returncode, (run.stdout + run.stderr).strip()


def prop(unit, name):
    return systemctl("show", "--value", "-p", name, unit)[1]


def eventually(condition, seconds=15):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.1)
    return condition()


def as_member(work):
    return as_user(work, OUTSIDER, [grp.getgrnam("trestle").gr_gid])


def as_outsider(work):
    return as_user(work, OUTSIDER, [])


def as_user(work, uid, groups):
    """What `work()` returns or the name of the error it raises, done by another user."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups(groups)
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
            answer = work()
        except BaseException as error:  # the child must never return into the parent's code
            answer = f"{type(error).__name__}: {error}"
        os.write(writing, str(answer).encode()[:60000])
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    return answer


class Peer:
    """One ZMTP 3.0 connection with the NULL mechanism, long enough for the checks."""

    def __init__(self, address, kind, seconds=20):
        family = socket.AF_INET if isinstance(address, tuple) else socket.AF_UNIX
        self.socket = socket.socket(family)
        self.socket.settimeout(seconds)
        self.socket.connect(address)
        signature = b"\xff" + b"\0" * 8 + b"\x7f"
        self.socket.sendall(signature + b"\3\0" + b"NULL".ljust(20, b"\0") + b"\0" * 32)
        greeting = self.read(64)
        if greeting[0] != 0xFF or greeting[9] != 0x7F:
            raise ValueError(f"not a ZMTP greeting: {greeting!r}")
        self.mechanism = greeting[12:32].rstrip(b"\0").decode()
        if self.mechanism == "NULL":
            body = b"\5READY\x0bSocket-Type" + struct.pack(">I", len(kind)) + kind
            self.socket.sendall(b"\4" + bytes([len(body)]) + body)
            self.ready = self.frame()

    def read(self, count):
        data = b""
        while len(data) < count:
            more = self.socket.recv(count - len(data))
            if not more:
                raise EOFError("closed by the daemon")
            data += more
        return data

    def frame(self):
        flags = self.read(1)[0]
        size = self.read(8 if flags & 2 else 1)
        return self.read(int.from_bytes(size, "big"))

    def send(self, body):
        self.socket.sendall(b"\0" + bytes([len(body)]) + body)


def served(address, kind):
    """`served` once libzmq has shaken hands."""
    peer = Peer(address, kind)
    return "served" if peer.mechanism != "NULL" or peer.ready[:6] == b"\5READY" else peer.ready


def request(body, address=REQUEST):
    peer = Peer(address, b"DEALER")
    peer.send(body)
    return peer.frame().decode()


def both(who):
    return [who(lambda: served(REQUEST, b"DEALER")), who(lambda: served(PUBLISH, b"SUB"))]


def mode(path):
    found = os.lstat(path)
    owner, group = pwd.getpwuid(found.st_uid).pw_name, grp.getgrgid(found.st_gid).gr_name
    return f"{stat.S_IMODE(found.st_mode):04o} {owner}:{group}"


def main_pid(unit):
    return int(prop(unit, "MainPID") or 0)


def same(what, found, wanted):
    check(what, found == wanted, f"{found!r}, not {wanted!r}")


def check_confinement(unit):
    pid = main_pid(unit)
    with open(f"/proc/{pid}/status") as file:
        status = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
    same(f"{unit}: seccomp", status["Seccomp"], "2")
    same(f"{unit}: no new privileges", status["NoNewPrivs"], "1")
    same(f"{unit}: no capabilities", status["CapBnd"].strip("0") + status["CapEff"].strip("0"), "")
    check_users(unit)
    uid = str(pwd.getpwnam("trestle").pw_uid)
    check(f"{unit}: runs as trestle", uid in status["Uid"].split(), status["Uid"])
    same(f"{unit}: journal directory", mode("/var/lib/trestle"), "0700 trestle:trestle")
    same(f"{unit}: cache directory", mode("/var/cache/trestle"), "0700 trestle:trestle")
    with open(f"/proc/{pid}/environ", "rb") as file:
        environment = file.read().split(b"\0")
    check(f"{unit}: no crash reporter", b"SWIFT_BACKTRACE=enable=no" in environment)
    check(f"{unit}: large pages", b"GLIBC_TUNABLES=glibc.malloc.hugetlb=1" in environment)
    own = os.readlink(f"/proc/{pid}/ns/net") != os.readlink("/proc/self/ns/net")
    same(f"{unit}: its own network", own, unit == "trestled-activated.service")


def check_probe(unit):
    """What the stand-in finds it may do."""
    answer = as_member(lambda: request(b"probe"))
    if "=" not in answer:
        check(f"{unit}: answers the probe", False, answer)
        return
    facts = dict(line.split("=") for line in answer.split())
    closed = ["packet", "realtime", "namespace", "write_etc", "wx", "suid", "see_init", "outside"]
    if unit == "trestled-activated.service":
        closed += ["inet", "netlink", "write_run", "loopback"]
    for name in closed:
        check(f"{unit}: may not: {name}", facts[name] != "yes", facts)
    if unit == "trestled.service":
        same(f"{unit}: may: loopback", facts["loopback"], "yes")
    print(f"     {facts}")


def check_reload(unit):
    pid = main_pid(unit)
    same(f"{unit}: reload", systemctl("reload", unit)[0], 0)
    shutil.copy(CONFIG, "/run/good.yaml")
    with open(CONFIG, "w") as file:
        file.write("broken: [\n")
    check(f"{unit}: a bad file fails the reload", systemctl("reload", unit)[0] != 0)
    time.sleep(0.5)
    same(f"{unit}: and leaves the daemon as it was", main_pid(unit), pid)
    same(f"{unit}: which serves", both(as_member), ["served"] * 2)
    shutil.copy("/run/good.yaml", CONFIG)
    same(f"{unit}: reload of the good file again", systemctl("reload", unit)[0], 0)


def check_crash(unit):
    pid = main_pid(unit)
    os.kill(pid, signal.SIGKILL)
    back = eventually(
        lambda: prop(unit, "ActiveState") == "active" and main_pid(unit) not in (0, pid)
    )
    check(f"{unit}: back after kill -9", back, prop(unit, "ActiveState"))
    same(f"{unit}: and serves", both(as_member), ["served"] * 2)


def check_watchdog(unit):
    drop_in = f"/run/check/work/units/{unit}.d"
    os.makedirs(drop_in, exist_ok=True)
    with open(f"{drop_in}/watchdog.conf", "w") as file:
        file.write("[Service]\nWatchdogSec=3\n")
    systemctl("daemon-reload")
    systemctl("restart", unit)
    pid = main_pid(unit)
    time.sleep(5)
    same(f"{unit}: feeds a watchdog of 3 s", main_pid(unit), pid)
    os.kill(pid, signal.SIGSTOP)
    back = eventually(
        lambda: prop(unit, "ActiveState") == "active" and main_pid(unit) not in (0, pid), 40
    )
    check(f"{unit}: a hung daemon is replaced", back, prop(unit, "ActiveState"))
    os.remove(f"{drop_in}/watchdog.conf")
    systemctl("daemon-reload")


def check_bad_start(unit):
    systemctl("stop", unit)
    with open(CONFIG, "w") as file:
        file.write("broken: [\n")
    systemctl("start", unit)
    time.sleep(3)
    same(f"{unit}: a bad file at start is final", prop(unit, "ActiveState"), "failed")
    same(f"{unit}: with the status for it", prop(unit, "ExecMainStatus"), "78")
    same(f"{unit}: and is not retried", prop(unit, "NRestarts"), "0")
    shutil.copy("/run/good.yaml", CONFIG)
    systemctl("reset-failed", unit)


def check_bad_restart(unit, sockets):
    """A bad file and a restart, while clients come: the sockets stay, and one restart heals."""
    with open(CONFIG, "w") as file:
        file.write("broken: [\n")
    check(f"{unit}: a bad file fails the restart", systemctl("restart", unit)[0] != 0)
    waiting = []
    end = time.monotonic() + 12
    while time.monotonic() < end:
        for path in (REQUEST, PUBLISH):
            waiting.append(socket.socket(socket.AF_UNIX))
            waiting[-1].setblocking(False)
            waiting[-1].connect_ex(path)
        time.sleep(0.1)
    same(f"{unit}: its sockets stay", [prop(name, "ActiveState") for name in sockets], ["active"] * 2)
    tries = int(prop(unit, "NRestarts"))
    check(f"{unit}: it is tried again slowly", 2 <= tries <= 7, tries)
    for one in waiting:
        one.close()
    shutil.copy("/run/good.yaml", CONFIG)
    same(f"{unit}: one restart heals", systemctl("restart", unit)[0], 0)
    same(f"{unit}: and it serves", both(as_member), ["served"] * 2)


def check_users(unit):
    """The daemon sees the users of the machine: in a namespace of its own all of them would be `nobody`."""
    with open(f"/proc/{main_pid(unit)}/uid_map") as file:
        same(f"{unit}: knows the users of the machine", file.read().split()[2], "4294967295")


def check_binding(kind):
    unit = "trestled.service"
    code, text = systemctl("start", unit)
    same(f"{unit}: starts", (code, prop(unit, "ActiveState")), (0, "active"))
    if code:
        print(text)
        return
    same(f"{unit}: runtime directory", mode("/run/trestle"), "0750 trestle:trestle")
    for path in (REQUEST, PUBLISH):
        found = mode(path)
        check(f"{unit}: {path}", found in ("0770 trestle:trestle", "0660 trestle:trestle"), found)
    same(f"{unit}: the group is served", both(as_member), ["served"] * 2)
    refused = all("PermissionError" in answer for answer in both(as_outsider))
    check(f"{unit}: others are not", refused, both(as_outsider))
    check_confinement(unit)
    if kind == "standin":
        answer = as_member(lambda: request(b"add"))
        check(f"{unit}: answers", answer.startswith("ok "), answer)
        answer = as_outsider(lambda: request(b"add", ("127.0.0.1", 5999)))
        check(f"{unit}: tcp on loopback", answer.startswith("ok "), answer)
        check_probe(unit)
    check_reload(unit)
    check_crash(unit)
    check_watchdog(unit)
    same(f"{unit}: stops", systemctl("stop", unit)[0], 0)
    same(f"{unit}: cleanly", prop(unit, "Result"), "success")
    check(f"{unit}: takes its sockets away", not os.path.exists("/run/trestle"))
    check_bad_start(unit)


def check_activated(kind):
    unit = "trestled-activated.service"
    sockets = ["trestled-request.socket", "trestled-publish.socket"]
    code, text = systemctl("start", *sockets)
    same(f"{unit}: its sockets start", code, 0)
    if code:
        print(text)
        return
    same(f"{unit}: runtime directory", mode("/run/trestle"), "0755 root:root")
    for path in (REQUEST, PUBLISH):
        same(f"{unit}: {path}", mode(path), "0660 root:trestle")
    same(f"{unit}: waits for a client", prop(unit, "ActiveState"), "inactive")
    refused = all("PermissionError" in answer for answer in both(as_outsider))
    check(f"{unit}: others are refused", refused, both(as_outsider))
    same(f"{unit}: and start nothing", prop(unit, "ActiveState"), "inactive")
    same(f"{unit}: a viewer starts it", as_member(lambda: served(PUBLISH, b"SUB")), "served")
    eventually(lambda: prop(unit, "ActiveState") == "active")
    same(f"{unit}: active", prop(unit, "ActiveState"), "active")
    same(f"{unit}: the group is served", both(as_member), ["served"] * 2)
    check_confinement(unit)
    if kind == "standin":
        answer = as_member(lambda: request(b"add"))
        check(f"{unit}: answers", answer.startswith("ok "), answer)
        check_probe(unit)
    check_reload(unit)
    check_crash(unit)
    check_watchdog(unit)
    same(f"{unit}: stops", systemctl("stop", unit)[0], 0)
    same(f"{unit}: cleanly", prop(unit, "Result"), "success")
    for path in (REQUEST, PUBLISH):
        same(f"{unit}: leaves {path}", mode(path), "0660 root:trestle")
    same(f"{unit}: a client starts it again", both(as_member), ["served"] * 2)
    check_bad_restart(unit, sockets)


def check_exclusion():
    """The two ways of running, each started while the other runs."""
    sockets = ["trestled-request.socket", "trestled-publish.socket"]

    def states():
        units = ["trestled.service", "trestled-activated.service", *sockets]
        return [prop(unit, "ActiveState") == "active" for unit in units]

    same("activated, before", states(), [False, True, True, True])
    same("trestled.service takes over", systemctl("start", "trestled.service")[0], 0)
    same("alone", states(), [True, False, False, False])
    same("and serves", both(as_member), ["served"] * 2)
    same("the sockets take over", systemctl("start", *sockets)[0], 0)
    same("alone", states(), [False, False, True, True])
    same("a client starts the daemon", both(as_member), ["served"] * 2)
    same("alone, with it", states(), [False, True, True, True])


def main(kind, result):
    try:
        check_binding(kind)
        check_activated(kind)
        check_exclusion()
    except Exception:
        traceback.print_exc()
        failures.append("the checks themselves")
    print(f"{len(failures)} failed" if failures else "all passed", flush=True)
    with open(result + ".new", "w") as file:
        file.write("failed" if failures else "passed")
    os.rename(result + ".new", result)


main(*sys.argv[1:])
