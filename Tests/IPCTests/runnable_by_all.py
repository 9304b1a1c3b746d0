"""A copy of the client that every user can run."""

import atexit
import functools
import os
import shutil
import tempfile
from pathlib import Path


@functools.cache
def runnable_by_all(program):
    """A copy of the program that other users reach too. A checkout may lie in a home that is closed to them."""
    directory = tempfile.mkdtemp(prefix="trestle-bin-")
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    os.chmod(directory, 0o755)
    copy = Path(directory) / program.name
    shutil.copy(program, copy)
    os.chmod(copy, 0o755)
    return copy
