"""The classes of refusals and the typed dictionaries are those of the protocol's pages."""

import os
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest
import write_types

import trestle
from trestle import refusals

PACKAGE = Path(trestle.__file__).parent


@pytest.mark.parametrize("name, write", [
    ("refusals.py", write_types.write_refusals), ("messages.py", write_types.write_messages)])
def test_it_is_written_from_the_page(name: str, write: Callable[[], str]) -> None:
    if os.environ.get("TRESTLE_WRITE"):
        (PACKAGE / name).write_text(write())
    assert (PACKAGE / name).read_text() == write(), "TRESTLE_WRITE=1 writes it"


def test_a_refusal_is_of_its_class() -> None:
    for code, _ in write_types.refusals():
        kind = getattr(refusals, write_types.class_of(code))
        found = trestle.Refused(code, "so", "command.add", 2)
        assert type(found) is kind and issubclass(kind, trestle.Refused) and found.command == 2
        assert type(pickle.loads(pickle.dumps(found))) is kind
    assert type(trestle.Refused("later")) is trestle.Refused, "a code of a later daemon"
    with pytest.raises(refusals.Stale):
        raise trestle.Refused("stale", "so")
