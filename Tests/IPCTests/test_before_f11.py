"""A program of before: its client, kept as it was, follows a table that uses none of the new things.

The folder `before_f11` has the client in Python as it was before rule F11. It must never be changed.
"""

import importlib
import sys
from pathlib import Path

import pytest

from harness import eventually

OLD = Path(__file__).parent / "before_f11"


@pytest.fixture
def old():
    """The old modules, whatever is imported under their names."""
    names = ("trestle_table", "trestle_client")
    new = {name: sys.modules.pop(name, None) for name in names}
    sys.path.insert(0, str(OLD))
    try:
        yield importlib.import_module("trestle_client")
    finally:
        sys.path.remove(str(OLD))
        for name in names:
            sys.modules.pop(name, None)
            if new[name]:
                sys.modules[name] = new[name]


def test_it_is_the_old_one(old):
    assert Path(old.__file__).parent == OLD
    assert Path(sys.modules["trestle_table"].__file__).parent == OLD


KINDS = [{"id": "row", "trailing": {"actions": [{"id": "go", "effect": [{"set": {"fields": {"who": "{actor}"}}}]}]},
          "states": [{"name": "collapsed"}, {"name": "half", "height": 90}, {"name": "expanded"}],
          "tap": [{"set": {"fields": {"seen": "{now} is a text here"}}}]},
         {"id": "reel", "strip": True}]


def test_an_old_viewer_follows(old, daemon):
    assert daemon.ask("create", {}, "board")["ok"]
    viewer = old.Viewer(daemon.endpoint, "board")
    steps = [{"define": {"kinds": KINDS, "table": {"swipePolicy": "exclusive"}}},
             {"add": {"id": "a", "title": "A", "fields": {"k": "v"}}}, {"add": {"id": "b", "title": "B"}},
             {"add": {"id": "s", "kind": "reel", "items": [{"id": "i", "title": "I"}, {"id": "j"}]}},
             {"expand": {"row": "a", "toggle": True}}, {"expand": {"row": "b", "to": "77"}},
             {"swipe": {"row": "a", "edge": "trailing"}}, {"act": {"row": "a", "action": "go"}},
             {"select": {"row": "b"}}, {"item": {"row": "s", "set": {"item": "i", "title": "J"}}},
             {"select": {"row": "s", "item": "i"}}, {"edit": {"on": True}}, {"edit": {"on": False}},
             {"expandAll": {"open": True}}, {"remove": {"rows": ["b"]}}, {"undo": {}}]
    for step in steps:
        reply = daemon.ask("command", step, "board")
        assert reply["ok"], (step, reply)
    eventually(lambda: viewer.step(0.05) or viewer.revision == daemon.tables()["board"]["revision"], 5, 0)
    assert viewer.counts["wrong"] == 0 and viewer.digest() == daemon.tables()["board"]["digest"]
    # Braces in a `set` of before are text, as they were.
    assert viewer.table.rows["a"]["fields"]["who"] == "{actor}"
    assert viewer.table.rows["b"]["fields"]["seen"] == "{now} is a text here"
    viewer.close()
