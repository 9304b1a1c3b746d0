"""Faces on the command line: docs/FACES.md."""

import json

PNG = ("iVBORw0KGgoAAAANSUhEUgAAAAQAAAACCAYAAAB/qH1jAAAAEklEQVR42mP4z8DwHxkzoAsAAA8hD/H+RRRj"
       "AAAAAElFTkSuQmCC")


def define(daemon, face, **more):
    """Defines a kind with one action that has this face; what came of it."""
    action = {"id": "go", "style": "custom", "face": face}
    document = {"kinds": {"t": {"trailing": {"actions": [action]}}}} | more
    return daemon.run("define", "board", "-", stdin=json.dumps(document).encode())


def kinds(daemon):
    return json.loads(daemon.ok("-o", "json", "kinds", "board"))


def test_icons(daemon):
    """The list needs no daemon, and each of its names is taken."""
    daemon.ok("create", "board")
    unreachable = {"--endpoint": "ipc:///nowhere"}
    listed = json.loads(daemon.ok("-o", "json", *sum(unreachable.items(), ()), "kinds", "--icons"))
    assert {"name": "trash", "also": ["bin", "delete", "delete.forever"]} in listed["icons"]
    names = [name for icon in listed["icons"] for name in [icon["name"], *icon["also"]]]
    parts = [{"icon": name} for name in names]
    assert define(daemon, {"vertical": parts}).returncode == 0
    refused = define(daemon, {"vertical": [{"icon": "bell"}, {"icon": "frying-pan"}]})
    assert refused.returncode == 1
    assert b"kinds.t.trailing.go.face.vertical[1].icon" in refused.stderr


def test_images(daemon):
    """A picture has them, `kinds` prints them as they were defined."""
    daemon.ok("create", "board")
    face = {"vertical": [{"image": {"path": "M2 2h20v20z", "template": True}},
                         {"image": {"png": PNG}}]}
    assert define(daemon, face).returncode == 0
    assert kinds(daemon)["kinds"]["t"]["trailing"]["actions"][0]["face"] == face
    daemon.ok("add", "board", "Soup", "--kind", "t", "--id", "a")
    daemon.ok("swipe", "board", "a", "--trailing")
    drawing = daemon.ok("-o", "svg", "show", "board")
    assert 'd="M2 2h20v20z"' in drawing and f"base64,{PNG}" in drawing
    refused = define(daemon, {"image": {"png": PNG[:-8]}})
    assert b"kinds.t.trailing.go.face.image.png" in refused.stderr
