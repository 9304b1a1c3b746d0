"""A year of a site: nothing needs somebody on a given day. The wall clock goes on by leaps, all else by itself."""

import json
import signal
import struct
import subprocess
import time

import pytest
from serve_harness import BIN, Serve, eventually, full
from test_serve_cluster import Beyond
from test_serve_ready import certify, fingerprint

from etcd_service import HERE
from harness import Daemon

DAY = 86_400
#: Days between two looks at the site.
STEP = full(7, 31)


class Year(Serve):
    """A daemon and a gateway with one date, which the test sets. It needs a C compiler."""

    def __init__(self):
        daemon = Daemon("retain: {days: 30}\ncheckpoint: {after_bytes: 65536}\n")
        shim, self.date = daemon.directory / "setdate.so", daemon.directory / "date"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", shim, HERE / "setdate.c"], check=True)
        self.date.write_bytes(bytes(8))
        self.dated = ["env", f"LD_PRELOAD={shim}", f"SETDATE={self.date}"]
        daemon.wrapper = self.dated
        super().__init__(daemon=daemon)

    def command(self, *words):
        return [*self.dated, *super().command(*words)]

    def set(self, days):
        with self.date.open("r+b") as file:
            file.write(struct.pack("<q", days * DAY))

    def trestle(self, *words):
        done = subprocess.run([*self.dated, BIN / "trestle", "-e", self.daemon.endpoint, *map(str, words)],
                              capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def sizes(self):
        """KiB of the state directories of the daemon and of the gateway."""
        return [sum(path.stat().st_blocks for path in place.rglob("*")) // 2 for place in (self.daemon.state, self.state)]

    def keeps_a_month(self):
        """what was done before `retain.days` is gone from the table's past"""
        times = [one["cause"]["timeMs"] for one in self.daemon.ask("history", {"most": 1_000}, "board")["changes"]["changes"]]
        return min(times) > max(times) - 31 * DAY * 1_000

    def work(self, page, day):
        """A day's work: rows come, change and go."""
        for n in range(100):
            row = f"d{day}-{n}"
            for command in ({"add": {"id": row, "title": f"order {row}"}}, {"set": {"row": row, "title": "done " * 20}},
                            {"remove": {"rows": [row]}}):
                reply = page.do("board", **command)
                assert reply.get("ok"), reply


class Sealed(Serve):
    """A gateway with a certificate, beside that of the site. It runs the whole year; certbot's hook reloads it."""

    def __init__(self, site):
        self.site, daemon = site, Beyond(site.daemon.endpoint)
        self.folder, self.ends = daemon.directory, 0
        self.renew(0)
        super().__init__("--tls-cert", self.folder / "cert.pem", "--tls-key", self.folder / "cert.key", daemon=daemon, start=False)
        self.start(until_up=False)

    def command(self, *words):
        return [*self.site.dated, *super().command(*words)]

    def renew(self, day):
        """As certbot does each day: of 90 days the last 30 are left. Whether it made another one."""
        today = time.time() + day * DAY
        if self.ends - today > 30 * DAY:
            return False
        assert day == 0 or self.ends > today, "it ended before it was renewed"
        self.ends, self.print = certify(self.folder, 90, before=self.site.dated)
        return True

    def serves(self, day):
        if self.renew(day):
            self.process.send_signal(signal.SIGHUP)
        eventually(lambda: fingerprint(self.port) == self.print, 10)


@pytest.mark.bound(180, 1_200)
def test_a_year():
    with Year() as site, Sealed(site) as sealed:
        site.daemon.ask("create", table="board")
        used, drawer = site.pair("used", "editor"), site.pair("drawer")
        token = json.loads(site.run("pair", "--name", "till", "--role", "operator", "--token", "-o", "json").stdout)["token"]
        sizes, backups = [], []
        for day in range(0, 400, STEP):
            # Nobody is there for some days; then there is a new version, or a reboot.
            site.daemon.kill()
            site.kill(signal.SIGTERM)
            site.set(day)
            site.daemon.start()
            site.start()
            sealed.serves(day)
            page = site.page(used, tab=f"t{day}")
            assert "Max-Age=31536000" in page.socket.headers["set-cookie"], "the browser keeps it for another year"
            site.work(page, day)
            assert site.get("/tables/board/snapshot", **{"Authorization": f"Bearer {token}"})[0] == 200
            # The timer of the packages does this each night.
            backups.append(site.daemon.directory / f"{day}.backup")
            site.trestle("backup", backups[-1])
            site.trestle("restore", "--check", backups[-1])
            eventually(site.keeps_a_month, 10)
            page.socket.shutdown()
            sizes.append(site.sizes())
        # A device that was used has stayed in, one that lay in a drawer for a year is out.
        assert site.get("/tables/board/snapshot", used)[0] == 200
        assert site.get("/tables/board/snapshot", drawer)[0] == 401
        assert sum(len(one["entries"]) for one in [site.daemon.ask("audit")["audit"]]) <= 1_000
        print("KiB of the daemon and of the gateway:", sizes)
        few = len(sizes) // 4
        for index in range(2):
            assert max(one[index] for one in sizes[-few:]) <= 1.5 * max(one[index] for one in sizes[:few]) + 64
        assert backups[-1].stat().st_size <= 1.5 * backups[few].stat().st_size
        said = [line for line in site.daemon.tail(100_000).splitlines() if line.startswith(("warning", "error", "critical"))]
        assert said == [], "the log asks for nobody"
        assert len(site.daemon.tail(100_000).splitlines()) < 40 * len(sizes)
        assert len(site.log.read_text().splitlines()) < 40 * len(sizes)
        eventually(lambda: site.get("/readyz")[0] == 200, 10)
