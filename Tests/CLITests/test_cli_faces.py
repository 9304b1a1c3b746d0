"""Faces on the command line: docs/FACES.md."""

import json
import re

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


def swipe(daemon, *options):
    """What `layout` says of the first row's swipe, and of the whole."""
    document = json.loads(daemon.ok("-o", "json", "layout", "board", "--width", "320", *options))
    return document["rows"][0]["swipe"], document


def opened(daemon, group, **more):
    """A table with one row, `Soup` with the field table=4, open at its trailing edge."""
    daemon.ok("create", "board")
    document = {"kinds": {"t": {"trailing": group}}} | more
    daemon.ok("define", "board", "-", stdin=json.dumps(document).encode())
    daemon.ok("add", "board", "Soup", "--kind", "t", "--id", "a", "--field", "table=4")
    daemon.ok("swipe", "board", "a", "--trailing")


def test_fonts_and_values(daemon):
    """The width follows the row: docs/LAYOUT.md has the table. 'Soup 4' takes 3,169 thousandths."""
    face = {"text": "{title} {table}", "family": ["Georgia", "Arial"]}
    action = {"id": "go", "style": "custom", "width": "face", "face": "bound"}
    opened(daemon, {"actions": [action]}, faces={"bound": face})
    found, _ = swipe(daemon)
    assert found["actions"][0]["hit"][2] == 3169 * 15 / 1000
    assert found["actions"][0]["substituted"] == ["Georgia"]
    drawing = daemon.ok("-o", "svg", "show", "board")
    assert ">Soup 4</text>" in drawing and 'font-family="Georgia, Arial, ' in drawing
    daemon.ok("set", "board", "a", "--title", "Soups")
    assert swipe(daemon)[0]["actions"][0]["hit"][2] == (3169 + 500) * 15 / 1000
    # As it was defined, and by name where it is not there.
    assert kinds(daemon)["faces"] == {"bound": face}
    refused = define(daemon, "nobody")
    assert b"kinds.t.trailing.go.face" in refused.stderr and refused.returncode == 1
    refused = daemon.run("define", "board", "-", stdin=b"faces: {bound: ~}")
    assert b"in use" in refused.stderr and refused.returncode == 1


def test_the_pull_view(daemon):
    """Two buttons of 60 + 8 and a gap of 12: 148, the gap at the row's side."""
    actions = [{"id": "a", "title": "A"}, {"id": "b", "title": "B"}]
    opened(daemon, {"style": "circular", "width": 60, "spacing": 8, "gap": 12,
                    "background": "#eeeeee", "actions": actions})
    found, _ = swipe(daemon)
    assert (found["pull"], found["gap"], found["background"]) == (148, 12, "#eeeeee")
    assert [one["hit"][0] for one in found["actions"]] == [80, 12]
    assert 'fill="#eeeeee"' in daemon.ok("-o", "svg", "show", "board")


def test_limits_and_hair_spaces(daemon):
    """A face of 148 × 60 is shown half as large; 44 points × 1.1 are 16 hair spaces of 3."""
    action = {"id": "go", "title": "Go", "style": "custom"}
    opened(daemon, {"actions": [action | {"width": 148}]})
    found, document = swipe(daemon, "--capability", "contextualAction")
    assert document["limits"] == {
        "images": 1, "textBeside": False, "template": True, "largestImage": 74}
    shown = found["actions"][0]["shown"]
    assert shown["imageSize"] == [74, 30] and "size" in shown["degraded"]
    daemon.ok("define", "board", "-", stdin=b"kinds: {t: {trailing: {actions: [{id: go, style: custom}]}}}")
    for options, count in ([], 32), (["--hair", "3"], 16):
        found, _ = swipe(daemon, "--capability", "rowAction", *options)
        assert found["actions"][0]["shown"]["hairSpaces"] == count
    assert daemon.run("layout", "board", "--width", "9", "--hair", "0").returncode == 64


def test_motion(daemon):
    """Viewers get the motion profile with the kinds: all of it, also on the wire."""
    daemon.ok("create", "board")
    standard = kinds(daemon)["table"]["motion"]
    assert standard == {
        "circular": 0.5, "circularFirst": 0, "face": 0, "expand": 0.3, "longPress": 0.5,
        "lift": 0.3, "drop": 0.3, "liftedScale": 1.05, "liftedAlpha": 0.98, "shadowX": -5,
        "shadowY": 0, "shadowRadius": 5, "shadowOpacity": 0.4, "hidesLifted": True}
    daemon.ok("define", "board", "-", stdin=b"table: {motion: {lift: 0.2}}")
    assert kinds(daemon)["table"]["motion"] == standard | {"lift": 0.2}
    raw = json.loads(daemon.ok("rpc", json.dumps({"table": "board", "kinds": {}})))
    motion = raw["kinds"]["table"]["motion"]
    assert motion["lift"] == 0.2 and motion["shadowX"] == -5 and len(motion) == len(standard)
    refused = daemon.run("define", "board", "-", stdin=b"table: {motion: {lift: 11}}")
    assert b"table.motion.lift" in refused.stderr


def test_revealed(daemon):
    """A row on its way: 74 points at rest, half of them at 50 %."""
    opened(daemon, {"actions": [{"id": "go", "title": "Go", "background": "#123456"}]})
    widths = []
    for percent in 25, 50, 100:
        drawing = daemon.ok("-o", "svg", "show", "board", "--reveal", str(percent))
        widths.append(float(re.search(r'width="([0-9.]+)"[^>]* fill="#123456"', drawing)[1]))
    assert widths == [18.5, 37, 74]
    assert '"#123456"' not in daemon.ok("-o", "svg", "show", "board", "--reveal", "0")
    assert daemon.run("-o", "svg", "show", "board", "--reveal", "101").returncode == 64
    assert daemon.run("show", "board", "--reveal", "5").returncode == 64
    # A closed row covers all, also the space that circles keep from it.
    daemon.ok("define", "board", "-", stdin=b"kinds: {t: {trailing: {style: circular, spacing: 8}}}")
    paper = re.compile(r'<rect x="0" y="0" width="([0-9.]+)" height="60" class="f-paper"')
    for percent, width in (0, 320), (100, 320 - 74 - 8 - 8):
        drawing = daemon.ok("-o", "svg", "show", "board", "--width", "320", "--reveal", str(percent))
        assert float(paper.search(drawing)[1]) == width
