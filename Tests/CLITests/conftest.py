"""A real daemon for each test, with everything of its own under a short temporary directory."""

import shutil
import tempfile

import pytest
from cli_daemon import Daemon


@pytest.fixture
def daemon(request):
    """`@pytest.mark.parametrize("daemon", ["retain: …"], indirect=True)` gives it a configuration."""
    directory = tempfile.mkdtemp(prefix="trestle-cli-")
    running = Daemon(directory, getattr(request, "param", None))
    yield running
    if running.process.poll() is None:
        running.stop()
    shutil.rmtree(directory)
