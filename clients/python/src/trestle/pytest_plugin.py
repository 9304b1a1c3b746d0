"""A plugin of pytest: the fixture `trestled` is a daemon that runs, with a directory of its own.

    def test_soup(trestled):
        with trestled.connect() as client:
            client.board("kitchen").create()
"""

from collections.abc import Iterator

import pytest

from .testing import Daemon


@pytest.fixture
def trestled() -> Iterator[Daemon]:
    """A daemon that runs: `trestled.connect()`, `trestled.endpoint`, `trestled.kill()`, `trestled.start()`."""
    with Daemon() as daemon:
        yield daemon
