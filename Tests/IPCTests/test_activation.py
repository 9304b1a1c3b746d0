"""Sockets that another process has bound, as systemd does it (ZMQ_USE_FD)."""

import shutil
import signal
import subprocess
import time

import pytest

from harness import BIN, eventually
from trestle_client import Viewer, Writer

TOOL = shutil.which("systemd-socket-activate")


@pytest.mark.skipif(not TOOL, reason="systemd-socket-activate (package systemd) is not installed")
@pytest.mark.parametrize("order", [("request", "publish"), ("publish", "request")])
def test_activation(make_daemon, order):
    daemon = make_daemon(start=False)
    # The names say which is which, not the order. The tool waits for a connection and then
    # becomes the daemon, with the sockets at 3 and 4.
    with daemon.log.open("ab") as log:
        daemon.process = subprocess.Popen(
            [TOOL, *[f"--listen={daemon.directory}/{name}.sock" for name in order],
             "--fdname=" + ":".join(order),
             str(BIN / "trestled"), "--state-directory", str(daemon.state)], stdout=log, stderr=log)
    eventually(lambda: (daemon.directory / f"{order[1]}.sock").exists(), 5)
    begin = time.monotonic()
    hello = daemon.ask("hello", timeout=20)["hello"]
    print(f"first reply {time.monotonic() - begin:.2f} s after the first request")
    assert hello["publish"] == [f"ipc://{daemon.directory}/publish.sock"]
    assert daemon.ask("create", {}, "board")["ok"]
    viewer, writer = Viewer(daemon.endpoint, "board"), Writer(daemon.endpoint)
    for n in range(50):
        assert writer.command("board", add={"id": f"n{n}"})["ok"]
    head = daemon.tables()["board"]
    eventually(lambda: viewer.step(0.05) or viewer.revision == head["revision"], 5, 0)
    assert viewer.digest() == head["digest"]
    assert daemon.kill(signal.SIGTERM) == 0
    # The sockets are not the daemon's to remove.
    assert (daemon.directory / "request.sock").exists()
    assert (daemon.directory / "publish.sock").exists()
    viewer.close(), writer.close()
