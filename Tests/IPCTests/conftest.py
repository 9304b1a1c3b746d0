import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from harness import BIN, Daemon, bounded  # noqa: E402


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: measures, for minutes")
    config.addinivalue_line("markers", "bound(seconds, full): the longest that the test may take")


def pytest_collection_modifyitems(items):
    if not (BIN / "trestled").exists():
        for item in items:
            if "trestle_table" not in item.nodeid:
                item.add_marker(pytest.mark.skip(f"there is no {BIN}/trestled"))


@pytest.fixture(autouse=True)
def bound(request):
    yield from bounded(request, (60, 600), 600)


@pytest.fixture
def make_daemon():
    made = []

    def make(start=True, config=None):
        daemon = Daemon(config)
        made.append(daemon)
        if start:
            daemon.start()
        return daemon

    yield make
    for daemon in made:
        ended = daemon.process.poll() if daemon.process else None
        text = daemon.close()
        print(f"---- the log of {daemon.endpoint} (exit status {ended})\n{text}")
        # A trap shows as SIGILL, SIGTRAP, SIGSEGV or SIGABRT, and as this in the log.
        assert ended is None or ended >= 0 or ended in (-9, -15), f"the daemon crashed: {ended}"
        assert "Fatal error" not in text


@pytest.fixture
def daemon(make_daemon):
    return make_daemon()


@pytest.fixture
def board(daemon):
    """A daemon with a table of twenty rows, which has to be alive and whole at the end."""
    daemon.ask("create", {}, "board")
    for n in range(20):
        daemon.do("board", add={"id": f"r{n}", "title": f"Row {n}"})
    yield daemon
    assert daemon.alive(), daemon.tail()
    assert daemon.ask("check", timeout=30)["ok"]
