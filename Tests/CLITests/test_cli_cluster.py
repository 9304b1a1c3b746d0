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

from etcd_service import Etcd, Service, rows  # noqa: E402
from harness import BIN, eventually  # noqa: E402


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


def test_commands_find_the_writer_and_outlive_it(service):
    writer = service.writer()
    follower = next(m for m in service.members if m is not writer)
    # The one that does not write comes first.
    order = [follower.endpoint, writer.endpoint]
    assert trestle(order, "create", "t").returncode == 0
    done = trestle(order, "-o", "json", "health")
    assert json.loads(done.stdout)["role"] == "follower"
    assert "writes" in trestle(order, "health").stdout
    alone = trestle([follower.endpoint], "add", "t", "A")
    assert alone.returncode == 1 and writer.endpoint in alone.stderr
    # A viewer, and commands, across a death.
    watch = subprocess.Popen(
        [BIN / "trestle", "-e", ",".join(reversed(order)), "-o", "ndjson", "watch", "t"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    seen = []
    reader = threading.Thread(target=lambda: seen.extend(watch.stdout), daemon=True)
    reader.start()
    for n in range(5):
        assert trestle(order, "add", "t", f"Row {n}", "--id", f"r{n}").returncode == 0
    writer.kill(signal.SIGKILL)
    for n in range(5, 10):
        begin = time.monotonic()
        done = trestle(order, "add", "t", f"Row {n}", "--id", f"r{n}")
        assert done.returncode == 0, done.stderr
        print(f"{n}: {time.monotonic() - begin:.1f} s")
    assert rows(follower) == [f"r{n}" for n in range(10)]

    def has_seen_all():
        """a viewer that has moved to the other daemon"""
        text = b"".join(seen).decode()
        return all(f'"r{n}"' in text for n in range(10))

    eventually(has_seen_all, 30, 0.2)
    watch.kill()
    watch.wait()


def test_the_list_is_checked(service):
    done = trestle(["tcp://127.0.0.1:1", "nonsense"], "tables")
    assert done.returncode == 64 and "nonsense" in done.stderr
