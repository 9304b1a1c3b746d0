"""Fixtures: a daemon that runs, and how long a test may take."""

import signal
from collections.abc import Iterator

import pytest
from daemon import BIN, FULL, Daemon, program


@pytest.fixture(autouse=True)
def bound() -> Iterator[None]:
    """No test takes for ever."""
    def over(*_: object) -> None:
        raise TimeoutError("the test took too long")

    signal.signal(signal.SIGALRM, over)
    signal.alarm(900 if FULL else 60)
    yield
    signal.alarm(0)


@pytest.fixture
def daemon() -> Iterator[Daemon]:
    """A daemon that runs."""
    if not program():
        pytest.skip(f"there is no {BIN}/trestled: set TRESTLE_BIN")
    with Daemon() as daemon:
        yield daemon
