"""What the daemon does without free file descriptors, and that nothing acknowledged is lost."""

import resource
import shutil
import socket
import time

import pytest

from faults import CONFIG, Commands, check_again, check_state, start
from harness import Daemon

LIMIT = 96


def connect(path, count):
    """Connections that nobody closes, until the daemon takes no more."""
    made = []
    for _ in range(count):
        one = socket.socket(socket.AF_UNIX)
        one.settimeout(0.2)
        try:
            one.connect(path)
        except OSError:
            one.close()
            break
        made.append(one)
    return made


@pytest.fixture
def short_of_descriptors():
    """A daemon that may open few files, whatever it asks for."""
    if not shutil.which("prlimit"):
        pytest.skip("prlimit (Debian's util-linux) is not installed")
    daemon = Daemon(CONFIG)
    daemon.wrapper = ["prlimit", f"--nofile={LIMIT}:{LIMIT}"]
    yield daemon
    print(daemon.close())


def test_more_connections_than_descriptors(short_of_descriptors):
    """libzmq 4.3.4 ends the process when `accept` finds none left: it does not come to that."""
    daemon = short_of_descriptors
    assert start(daemon)
    commands = Commands(daemon)
    assert commands.run(20)
    path = daemon.endpoint.removeprefix("ipc://")
    held = connect(path, 2 * LIMIT)
    time.sleep(0.5)
    assert daemon.process.poll() is None, daemon.tail()
    assert commands.run(5)  # who comes now is let in for one of those who are silent
    for one in held:
        one.close()
    daemon.kill()
    daemon.wrapper = []
    assert start(daemon), daemon.tail()
    acknowledged, sent = set(commands.replies), set(commands.sent)
    check_state(daemon, commands, acknowledged, sent)
    check_again(daemon, commands, acknowledged, sent)


def test_the_daemon_raises_its_limit():
    """With the system's own limits it takes thousands of connections, and answers meanwhile."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    count = min(2_000, hard // 4)
    if hard < 1_024:
        pytest.skip(f"no more than {hard} files may be open here")
    daemon = Daemon()
    daemon.wrapper = ["prlimit", f"--nofile=64:{hard}"]
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, count + 200)), hard))
        daemon.start()
        held = connect(daemon.endpoint.removeprefix("ipc://"), count)
        assert len(held) > 64, f"only {len(held)} connections"
        assert daemon.ask("hello")["ok"]
        assert daemon.alive()
        for one in held:
            one.close()
        assert daemon.ask("hello")["ok"]
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        print(daemon.close())
