import signal
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from serve_harness import FULL, SERVE, Serve  # noqa: E402


def pytest_configure(config):
    config.addinivalue_line("markers", "bound(seconds, full): the longest that the test may take")


def pytest_collection_modifyitems(items):
    if not SERVE.exists():
        for item in items:
            item.add_marker(pytest.mark.skip(f"there is no {SERVE}: make serve"))


@pytest.fixture(autouse=True)
def bound(request):
    """No test takes for ever."""
    marker = request.node.get_closest_marker("bound")
    short, long = (marker.args + (4_000,))[:2] if marker else (90, 900)

    def over(*_):
        raise TimeoutError(f"the test took longer than {long if FULL else short} s")

    signal.signal(signal.SIGALRM, over)
    signal.alarm(long if FULL else short)
    yield
    signal.alarm(0)


@pytest.fixture
def serve():
    """A daemon and a gateway; afterwards both must be alive, unless the test ended them."""
    with Serve() as one:
        yield one


@pytest.fixture(scope="module")
def shared():
    """The same for all tests of a file that do it no harm."""
    with Serve() as one:
        yield one
        assert one.alive(), one.log.read_text()
        assert one.daemon.alive(), one.daemon.tail()
