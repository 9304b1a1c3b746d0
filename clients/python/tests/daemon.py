"""The real daemon, for the tests, and how long they are."""

import os
from pathlib import Path

from trestle.testing import Daemon as Daemon
from trestle.testing import program as program

ROOT = Path(__file__).resolve().parents[3]
BIN = Path(os.environ.setdefault("TRESTLE_BIN", str(ROOT / ".build" / "release")))
FULL = os.environ.get("FULL", "") not in ("", "0")


def full(many: int, few: int) -> int:
    """How many: in the full form of the tests, or in the short one."""
    return many if FULL else few
