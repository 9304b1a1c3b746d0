"""A Debian or Ubuntu of its own, booted by boot-debian.sh, and what is done in it."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import time

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SCRIPT = HERE / "boot-debian.sh"
BASE = pathlib.Path(os.environ.get("TRESTLE_DEBIAN", "/var/cache/trestle-debian/bookworm"))
DEBS = ROOT / ".build/deb"
QUIET = {"DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}


class Machine:
    """Boots, runs commands, boots again. What it changes is in a folder that goes with it."""

    def __init__(self):
        done = subprocess.run([SCRIPT, "--base", BASE], timeout=900)
        if done.returncode == 77:
            pytest.skip("boot-debian.sh cannot run here: its message is above")
        assert done.returncode == 0
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="trestle-debian."))
        self.work.chmod(0o755)
        self.runner = None
        self.boots = 0

    def boot(self):
        log = (self.work / f"boot-{self.boots}.log").open("w")
        self.boots += 1
        self.runner = subprocess.Popen(
            [SCRIPT, "--boot", BASE, self.work], stdout=log, stderr=subprocess.STDOUT)
        eventually(lambda: (self.work / "pid").exists(), 20, "a process that is PID 1")
        eventually(lambda: self.run("systemctl", "is-system-running", fails=None).stdout.strip()
                   in ("running", "degraded"), 60, "a system that runs")

    def run(self, *command, user=None, fails=False, timeout=180, **more):
        """What a command did, as root or as somebody; `fails=None` takes both endings."""
        pid = (self.work / "pid").read_text().strip()
        words = ["runuser", "-u", user, "--", *command] if user else command
        done = subprocess.run(
            ["nsenter", "-t", pid, "-a", *[str(word) for word in words]],
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", **QUIET}, cwd="/",
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout, **more)
        said = f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout}{done.stderr}"
        assert fails is None or bool(done.returncode) == fails, said
        return done

    def start(self, *command, user, output):
        """Begins what goes on meanwhile."""
        pid = (self.work / "pid").read_text().strip()
        return subprocess.Popen(
            ["nsenter", "-t", pid, "-a", "runuser", "-u", user, "--", *command],
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", **QUIET}, cwd="/",
            stdin=subprocess.PIPE, stdout=output, stderr=subprocess.STDOUT, text=True)

    def put(self, path, text):
        self.run("mkdir", "-p", str(pathlib.Path(path).parent))
        self.run("python3", "-c", "import sys; open(sys.argv[1], 'w').write(sys.argv[2])", path, text)

    def prop(self, unit, name):
        return self.run("systemctl", "show", "--value", "-p", name, unit).stdout.strip()

    def state(self, unit):
        return self.run("systemctl", "is-active", unit, fails=None).stdout.strip()

    def enabled(self, unit):
        return self.run("systemctl", "is-enabled", unit, fails=None).stdout.strip()

    def log(self, unit):
        return self.run("journalctl", "--no-pager", "-o", "cat", "-u", unit).stdout

    def install(self, *packages):
        """As an administrator does, with their own configuration kept."""
        return self.run(
            "apt-get", "install", "-y", "--no-install-recommends",
            "-o", "Dpkg::Options::=--force-confold", *packages, timeout=300)

    def share(self, folder, place):
        """Copies files of this machine into it."""
        pid = (self.work / "pid").read_text().strip()
        shutil.copytree(folder, f"/proc/{pid}/root{place}", dirs_exist_ok=True)

    def reboot(self):
        """Switches it off as the system does, and on again."""
        self.run("systemctl", "reboot", fails=None)
        self.runner.wait(90)
        self.boot()

    def close(self):
        if self.runner and self.runner.poll() is None:
            self.run("systemctl", "poweroff", "--force", "--force", fails=None)
            try:
                self.runner.wait(20)
            except subprocess.TimeoutExpired:
                self.runner.terminate()
                self.runner.wait(20)
        shutil.rmtree(self.work, ignore_errors=True)


def eventually(holds, seconds, what):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = holds()
        if found:
            return found
        time.sleep(0.2)
    raise AssertionError(f"not within {seconds} s: {what}")


def package_before(folder):
    """The packages as a version before, with another text in the configuration that it brings."""
    for name in ("trestle", "trestled", "trestle-serve"):
        deb, = DEBS.glob(f"{name}_*.deb")
        tree = folder / name
        subprocess.run(["dpkg-deb", "-R", deb, tree], check=True, timeout=60)
        control = tree / "DEBIAN/control"
        version = subprocess.run(["dpkg-deb", "-f", deb, "Version"], check=True, text=True,
                                 capture_output=True, timeout=60).stdout.strip()
        control.write_text(control.read_text().replace(version, f"{version}~before"))
        if name == "trestled":
            file = tree / "etc/trestle/trestled.yaml"
            file.write_text(f"# As it was before.\n{file.read_text()}")
        subprocess.run(["dpkg-deb", "-Znone", "--root-owner-group", "-b", tree,
                        folder / f"{name}_before.deb"], check=True, stdout=subprocess.DEVNULL,
                       timeout=60)
        shutil.rmtree(tree)
