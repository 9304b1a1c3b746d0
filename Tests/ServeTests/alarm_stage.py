"""Machines that Prometheus watches: real programs, whose figures it reads as it would on a site.

    with Monitoring() as monitoring:
        kitchen = monitoring.machine("kitchen")     # a daemon, the timer's script, Debian's node exporter
        monitoring.fires("TrestleBackupOld", instance="kitchen")

Prometheus has the project's rules. Only their times are shorter (`shortened`): what they compare stays.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import urllib.request
from pathlib import Path
from urllib.parse import urlencode

from serve_harness import BIN, ROOT, Daemon, eventually, full

from etcd_service import free_ports

MONITORING = ROOT / "examples/monitoring"
RULES = (MONITORING / "trestle.rules.yml").read_text()
PROMETHEUS = Path(os.environ.get("PROMETHEUS", BIN.parent / "prometheus"))
EXPORTER = PROMETHEUS.with_name("prometheus-node-exporter")
#: By what `for:` and windows are divided. Prometheus looks each second, and figures are written each second.
SHORTER = full(30, 60)
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def is_there():
    return PROMETHEUS.is_file() and EXPORTER.is_file()


def shortened(rules, by=SHORTER):
    """The rules with each `for:` and each window divided, to at least a second. Thresholds are as they were, also
    those that are times: figures that are 120 s old, a backup of 36 hours."""
    def less(match):
        before, number, unit, after = match.groups()
        return f"{before}{max(1, int(number) * UNITS[unit] // by)}s{after}"

    rules = re.sub(r"(\[|for: )(\d+)([smhd])(\]|:|$)", less, rules, flags=re.M)
    return re.sub(r"(\[\d+s:)(\d+)([smhd])(\])", less, rules)


class Machine:
    """A daemon, its figures as examples/monitoring writes them, and a node exporter that shows them."""

    def __init__(self, name, daemon, port):
        self.name, self.daemon, self.port = name, daemon, port
        self.folder, self.backups = (daemon.directory / one for one in ("exporter", "backups"))
        for one in (self.folder, self.backups):
            one.mkdir()
        self.environment = os.environ | {
            "PATH": f"{BIN}:{os.environ['PATH']}", "TRESTLE_ENDPOINT": daemon.endpoint}
        self.over, self.timer, self.exporter = threading.Event(), None, None
        self.show()

    def show(self):
        """Starts the exporter."""
        with (self.daemon.directory / "exporter.log").open("ab") as log:
            self.exporter = subprocess.Popen(
                [EXPORTER, "--collector.disable-defaults", "--collector.textfile", "--web.disable-exporter-metrics",
                 f"--collector.textfile.directory={self.folder}", f"--web.listen-address=127.0.0.1:{self.port}"],
                stdout=log, stderr=log)

    def hide(self):
        self.exporter.kill()
        self.exporter.wait()

    def tell(self):
        """Begins the timer: it writes the figures each second, where the unit of systemd does each 15 s."""
        def run():
            while not self.over.wait(1):
                subprocess.run([MONITORING / "trestle-metrics", self.folder, self.backups],
                               env=self.environment, capture_output=True, timeout=30)

        self.timer = threading.Thread(target=run)
        self.timer.start()

    def trestle(self, *words):
        done = subprocess.run([BIN / "trestle", *map(str, words)], env=self.environment, capture_output=True, text=True,
                              timeout=30)
        assert done.returncode == 0, (words, done.stderr)
        return done.stdout

    def back_up(self, name="trestle-2026-01-01T000000Z.backup"):
        self.trestle("backup", self.backups / name)

    def reload(self, settings):
        self.daemon.config.write_text(settings)
        self.daemon.process.send_signal(signal.SIGHUP)

    def close(self):
        self.over.set()
        if self.timer:
            self.timer.join()
        self.hide()


class Monitoring:
    """A Prometheus with the project's rules, and the machines that it watches."""

    def __init__(self):
        self.directory = Path(tempfile.mkdtemp(prefix="m", dir="/tmp"))
        self.machines, self.closers, self.targets = [], [], {"node": [], "trestle-serve": []}
        self.firing, self.fired, self.ended, self.wrong = [], set(), set(), set()
        self.lock, self.over = threading.Lock(), threading.Event()
        for job in self.targets:
            self.write(job)
        (self.directory / "trestle.rules.yml").write_text(shortened(RULES))
        (self.directory / "prometheus.yml").write_text(
            "global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}\n"
            f"rule_files: [{self.directory}/trestle.rules.yml]\nscrape_configs:\n" + "".join(
                f"  - {{job_name: {job}, tls_config: {{insecure_skip_verify: true}},\n"
                f"     file_sd_configs: [{{files: ['{self.directory}/{job}.json'], refresh_interval: 1s}}]}}\n"
                for job in self.targets))
        port, = free_ports(1)
        self.address = f"http://127.0.0.1:{port}"
        with (self.directory / "log").open("wb") as log:
            self.process = subprocess.Popen(
                [PROMETHEUS, f"--config.file={self.directory}/prometheus.yml", f"--web.listen-address=127.0.0.1:{port}",
                 f"--storage.tsdb.path={self.directory}/data", "--log.level=warn"], stdout=log, stderr=log)
        eventually(lambda: self.look() is not None, 30, 0.2)
        self.watcher = threading.Thread(target=self.watch)
        self.watcher.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.over.set()
        self.watcher.join()
        self.process.kill()
        self.process.wait()
        for machine in self.machines:
            machine.close()
        for close in reversed(self.closers):
            close()
        print((self.directory / "log").read_text())
        shutil.rmtree(self.directory)

    # The programs that Prometheus watches.

    def write(self, job):
        file = self.directory / f"{job}.json"
        file.with_suffix(".new").write_text(json.dumps(self.targets[job]))
        file.with_suffix(".new").rename(file)

    def target(self, job, address, **labels):
        with self.lock:
            self.targets[job].append({"targets": [address], "labels": labels})
            self.write(job)

    def machine(self, name, daemon=None, config="{}", tells=True, **labels):
        """One more machine. Its daemon runs, has a backup, and its figures are written."""
        if daemon is None:
            daemon = Daemon(config)
            self.closers.append(daemon.close)
        port, = free_ports(1)
        machine = Machine(name, daemon, port)
        self.machines.append(machine)
        if daemon.process is None:
            daemon.start()
        machine.back_up()
        if tells:
            machine.tell()
        self.target("node", f"127.0.0.1:{port}", instance=name, **labels)
        if tells:
            eventually(lambda: self.value("trestle_uptime_seconds", name) is not None, 30, 0.2)
        return machine

    # The alerts and targets that Prometheus reports.

    def ask(self, what, **more):
        """What Prometheus answers; None if it does not."""
        try:
            with urllib.request.urlopen(f"{self.address}/api/v1/{what}?{urlencode(more)}", timeout=5) as answer:
                return json.load(answer)["data"]
        except OSError:
            return None

    def value(self, metric, instance):
        """The present value of a metric that has one series at this machine; None if there is none."""
        found = self.ask("query", query=f'{metric}{{instance="{instance}"}}')
        return float(found["result"][0]["value"][1]) if found and found["result"] else None

    def look(self):
        """The alarms that are firing, with their labels; None if Prometheus does not answer."""
        found = self.ask("rules", type="alert")
        if found is None:
            return None
        rules = [rule for group in found["groups"] for rule in group["rules"]]
        self.wrong |= {rule["lastError"] for rule in rules if rule.get("lastError")}
        return [(rule["name"], alert["labels"]) for rule in rules for alert in rule["alerts"]
                if alert["state"] == "firing"]

    def watch(self):
        while not self.over.wait(0.25):
            found = self.look()
            if found is not None:
                self.firing = found
                self.fired |= {(name, labels.get("instance", labels.get("service", ""))) for name, labels in found}

    def is_firing(self, alarm, labels):
        return any(name == alarm and labels.items() <= has.items() for name, has in self.firing)

    def fires(self, alarm, seconds=60, meanwhile=lambda: time.sleep(0.2), **labels):
        """Waits until it is firing. `meanwhile` is done again and again."""
        self.awaited(alarm, labels, True, seconds, meanwhile)

    def ends(self, alarm, seconds=60, meanwhile=lambda: time.sleep(0.2), **labels):
        """Waits until it has ended, after it was firing."""
        self.awaited(alarm, labels, False, seconds, meanwhile)
        with self.lock:
            self.ended.add((alarm, labels.get("instance", labels.get("service", ""))))

    def awaited(self, alarm, labels, want, seconds, meanwhile):
        begin = time.monotonic()
        while self.is_firing(alarm, labels) != want:
            assert time.monotonic() < begin + seconds, f"{alarm} {labels} is not {'firing' if want else 'over'}"
            assert not self.wrong, f"expressions that cannot be evaluated: {self.wrong}"
            assert not self.over.is_set(), "another condition has failed"
            meanwhile()
        print(f"{alarm} {labels} {'fires' if want else 'ends'} after {time.monotonic() - begin:.0f} s", flush=True)
