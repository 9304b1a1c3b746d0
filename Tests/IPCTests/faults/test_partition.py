"""A network that carries nothing for a while: viewers over TCP reach the head by themselves."""

import json
import os
import shutil
import subprocess
import sys
import time

import pytest

from harness import BIN, HERE, Daemon, cli, eventually, full, last_revision, lines
from trestle_client import Writer

ROUNDS = full([5.0, 1.0, 8.0, 3.5, 0.3], [4.0])  # seconds without a network
TCP = "tcp://127.0.0.1:7571"


class Network:
    """A namespace of its own, so that its loopback can be cut: the daemon serves TCP there only."""

    def __init__(self):
        self.name = f"trestle{os.getpid()}"
        self.inside = ["ip", "netns", "exec", self.name]
        self.run("ip", "netns", "add", self.name)

    @staticmethod
    def run(*command):
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, (command, done.stderr)

    def set_up(self):
        self.run(*self.inside, "ip", "link", "set", "lo", "up")
        self.run(*self.inside, "nft", "add table inet cut")
        self.run(*self.inside, "nft", "add chain inet cut input { type filter hook input priority 0; }")

    def cut(self):
        self.run(*self.inside, "nft", "add rule inet cut input drop")

    def lose(self, one_of):
        """One packet of so many is lost, whichever way it goes."""
        self.run(*self.inside, "nft", f"add rule inet cut input numgen random mod {one_of} 0 drop")

    def mend(self):
        self.run(*self.inside, "nft", "flush chain inet cut input")

    def close(self):
        subprocess.run(["ip", "netns", "delete", self.name], capture_output=True)


@pytest.fixture
def network():
    if os.geteuid() != 0:
        pytest.skip("only root may make network namespaces")
    for tool in ("ip", "nft"):
        if not shutil.which(tool):
            pytest.skip(f"{tool} (Debian's iproute2, nftables) is not installed")
    try:
        network = Network()
    except AssertionError as error:
        pytest.skip(f"no network namespace can be made here: {error}")
    try:
        network.set_up()
        yield network
    finally:
        network.close()


@pytest.fixture
def daemon(network):
    """Serves TCP inside, beside ipc://, by which the test reaches it."""
    daemon = Daemon()
    daemon.wrapper = network.inside
    daemon.flags = ["--endpoint", TCP]
    try:
        daemon.start()
        daemon.ask("create", {}, "board")
        yield daemon
    finally:
        print(daemon.close())


class Viewers:
    """One in Python and `trestle watch`, over TCP inside."""

    def __init__(self, network, daemon):
        self.daemon = daemon
        self.all = [
            daemon.beside_it([*network.inside, sys.executable, HERE / "trestle_client.py", TCP, "board"],
                             "viewer-python"),
            daemon.beside_it([*network.inside, BIN / "trestle", "-e", TCP, "-o", "ndjson", "watch", "board"],
                             "viewer-watch")]

    def at_head(self):
        """every viewer has the head's revision and digest"""
        head = self.daemon.tables()["board"]
        return all(last_revision(v.path) == (head["revision"], head["digest"]) for v in self.all)

    def check(self):
        counts = [line["counts"] for line in lines(self.all[0].path) if "counts" in line][-1]
        assert not {"wrong", "rolledBack", "diverged"} & set(counts), counts
        assert self.daemon.ask("check")["ok"]


@pytest.mark.bound(60, 200)
def test_viewers_come_to_head_after_a_partition(network, daemon):
    writer = Writer(daemon.endpoint)
    assert writer.command("board", add={"id": "first"})["ok"]
    viewers = Viewers(network, daemon)
    eventually(viewers.at_head, 10)
    for seconds in ROUNDS:
        network.cut()
        for n in range(200):
            assert writer.command("board", add={"title": f"n{n}"})["ok"]
        time.sleep(seconds)
        assert not viewers.at_head(), "the network was not cut"
        network.mend()
        begin = time.monotonic()
        eventually(viewers.at_head, 20)
        print(f"cut for {seconds} s, at head {time.monotonic() - begin:.1f} s afterwards")
    viewers.check()


@pytest.mark.bound(90, 300)
def test_a_line_that_loses_packets(network, daemon):
    """Two of a hundred: each command is carried out once, and viewers stay at the head."""
    daemon.do("board", add={"id": "first"})
    viewers = Viewers(network, daemon)
    eventually(viewers.at_head, 10)
    network.lose(50)
    count, longest = full(300, 30), 0.0
    for n in range(count):
        begin = time.monotonic()
        done = subprocess.run([*network.inside, BIN / "trestle", "-e", TCP, "add", "board", f"t{n}"],
                              capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        longest = max(longest, time.monotonic() - begin)
    eventually(viewers.at_head, 20)
    print(f"{count} commands, the longest took {longest:.1f} s")
    rows = [json.loads(line) for line in cli(daemon, "-o", "ndjson", "show", "board").stdout.splitlines()]
    titles = sorted(row.get("title", "") for row in rows if row.get("title", "").startswith("t"))
    assert titles == sorted(f"t{n}" for n in range(count))
    viewers.check()
