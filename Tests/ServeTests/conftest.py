import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from serve_harness import SERVE, Serve, bounded  # noqa: E402


def pytest_configure(config):
    config.addinivalue_line("markers", "bound(seconds, full): the longest that the test may take")


def pytest_collection_modifyitems(items):
    if not SERVE.exists():
        for item in items:
            item.add_marker(pytest.mark.skip(f"there is no {SERVE}: make serve"))


@pytest.fixture(autouse=True)
def bound(request):
    yield from bounded(request, (90, 900), 4_000)


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


@pytest.fixture(scope="module")
def stage():
    """The kitchen's board in a browser that complains of nothing. Files with boards of their own have one of their own."""
    from board_stage import Stage  # Files without a browser do not need Playwright.
    with Stage() as made:
        yield made
        assert made.wrong == []


@pytest.fixture
def page(stage):
    return stage.reopen()


@pytest.fixture(autouse=True)
def pages_of_its_own(request):
    """Closes the pages that a test has opened. Each one that stays draws on, and takes a tenth of a processor."""
    if "stage" not in request.fixturenames:
        yield
        return
    stage = request.getfixturevalue("stage")
    before = set(stage.pages())
    yield
    for page in stage.pages():
        if page not in before:
            page.close()
