"""A network that carries nothing for a while: viewers over TCP reach the head by themselves."""

import os
import shutil
import subprocess
import sys
import time

import pytest

from harness import BIN, HERE, Daemon, eventually, full, last_revision, lines
from trestle_client import Writer

ROUNDS = full([5.0, 1.0, 8.0, 3.5, 0.3], [4.0])  # seconds without a network
PORT = 7571


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


@pytest.mark.bound(60, 200)
def test_viewers_come_to_head_after_a_partition(network):
    daemon = Daemon()
    daemon.wrapper = network.inside
    tcp = f"tcp://127.0.0.1:{PORT}"
    daemon.flags = ["--endpoint", tcp]  # beside ipc://, by which the test goes on writing
    try:
        daemon.start()
        daemon.ask("create", {}, "board")
        writer = Writer(daemon.endpoint)
        assert writer.command("board", add={"id": "first"})["ok"]
        viewers = [
            daemon.beside_it([*network.inside, sys.executable, HERE / "trestle_client.py", tcp,
                              "board"], "viewer-python"),
            daemon.beside_it([*network.inside, BIN / "trestle", "-e", tcp, "-o", "ndjson", "watch",
                              "board"], "viewer-watch")]

        def at_head():
            """every viewer has the head's revision and digest"""
            head = daemon.tables()["board"]
            return all(last_revision(v.path) == (head["revision"], head["digest"]) for v in viewers)

        eventually(at_head, 10)
        for seconds in ROUNDS:
            network.cut()
            for n in range(200):
                assert writer.command("board", add={"title": f"n{n}"})["ok"]
            time.sleep(seconds)
            assert not at_head(), "the network was not cut"
            network.mend()
            begin = time.monotonic()
            eventually(at_head, 20)
            print(f"cut for {seconds} s, at head {time.monotonic() - begin:.1f} s afterwards")
        counts = [line["counts"] for line in lines(viewers[0].path) if "counts" in line][-1]
        assert not {"wrong", "rolledBack", "diverged"} & set(counts), counts
        assert daemon.ask("check")["ok"]
    finally:
        print(daemon.close())
