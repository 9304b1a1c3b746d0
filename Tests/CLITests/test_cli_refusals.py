"""What `define` refuses, by name and field, through the real programs: a line for each thing that cannot be.

People who build more add a line. Each is refused in a kinds file of its own, and the table stays as
it was.
"""

import base64
import json

import pytest

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAQAAAACCAYAAAB/qH1jAAAAEklEQVR42mP4z8DwHxkzoAsAAA8hD/H+RRRjAAAAAElFTkSuQmCC")
GO = "kinds.t.trailing.go"


def action(**more):
    """A kind whose one action is `go`."""
    return {"kinds": {"t": {"trailing": {"actions": [{"id": "go", "style": "custom"} | more]}}}}


def face(**more):
    return action(face=more)


def look(state="expanded", **more):
    return {"kinds": {"t": {"appearance": {state: more}}}}


def image(**more):
    return face(image=more)


def png(data):
    return image(png=base64.b64encode(data).decode())


def strip(**more):
    return {"kinds": {"t": {"strip": True} | more}}


def dish(**more):
    return strip(items={"dish": more})


# What is given, the field that is named, a word of the sentence, and who refuses it: the client, which
# knows what a file may say (65), or the daemon, which knows the table (1).
REFUSED = {
    "an icon": (action(icon="frying-pan"), f"{GO}.icon", "no such icon", 1),
    "an icon of a face": (face(vertical=[{"icon": "bell"}, {"icon": "frying-pan"}]),
                          f"{GO}.face.vertical[1].icon", "no such icon", 1),
    "an icon of a shared face": ({"faces": {"f": {"icon": "frying-pan"}}}, "faces.f.icon", "no such icon", 1),
    "a font weight": (face(text="x", weight="fat"), f"{GO}.face.weight", "semibold, bold, heavy", 1),
    "a font family": (face(text="x", family=["Arial", "a;b"]), f"{GO}.face.family[1]", "family", 1),
    "a font size": (face(text="x", size=0), f"{GO}.face.size", "", 1),
    "an editing style": ({"kinds": {"t": {"editingStyle": "swipe"}}}, "kinds.t.editingStyle",
                         "delete, insert or none", 65),
    "an open brace": (face(text="{title"), f"{GO}.face.text", "{title}", 1),
    "a closing brace": (face(text="title}"), f"{GO}.face.text", "}}", 1),
    "braces without a name": (face(horizontal=[{"text": "{}"}]), f"{GO}.face.horizontal[0].text", "{{", 1),
    "a PNG that is none": (png(b"GIF89a"), f"{GO}.face.image.png", "PNG", 1),
    "a PNG that is cut": (png(PNG[:-8]), f"{GO}.face.image.png", "PNG", 1),
    "a PNG that is no base64": (image(png="%%%"), "kinds.t.trailing.actions[0].face.image.png",
                                "expected base64", 65),
    "a PNG that is too large": (png(PNG + bytes(16 << 10)), f"{GO}.face.image", "at most 16384", 1),
    "a path that is none": (image(path="hello"), f"{GO}.face.image.path", "path", 1),
    "a path that is too large": (image(path="M0 0" + "h1" * (8 << 10)), f"{GO}.face.image", "at most 16384", 1),
    "a background of a state": (look(background="nocolour"), "kinds.t.appearance.expanded.background",
                                "A colour is", 1),
    "a tint of a state": (look(tint="#12"), "kinds.t.appearance.expanded.tint", "A colour is", 1),
    "an alpha above 1": (look(alpha=1.5), "kinds.t.appearance.expanded.alpha", "0 to 1", 1),
    "an alpha below 0": (look(alpha=-0.1), "kinds.t.appearance.expanded.alpha", "0 to 1", 1),
    "an alpha that is no number": (look(alpha="much"), "kinds.t.appearance.expanded.alpha", "number", 65),
    "a state that is not there": (look("open", tint="red"), "kinds.t.appearance.open", "open", 1),
    "a face that is not there": (action(face="nobody"), f"{GO}.face", "nobody", 1),
    "a gap": ({"kinds": {"t": {"trailing": {"gap": -1}}}}, "kinds.t.trailing.gap", "", 1),
    "a group's background": ({"kinds": {"t": {"trailing": {"background": "#12"}}}},
                             "kinds.t.trailing.background", "A colour is", 1),
    "an item's kind of a row that has no items": ({"kinds": {"t": {"items": {"dish": {}}}}}, "kinds.t.items",
                                                 "no strip", 1),
    "a cell's width": (dish(width=0), "kinds.t.items.dish.width", "above 0", 1),
    "a cell's height": (dish(height=-1), "kinds.t.items.dish.height", "", 1),
    "a cell's layout": (dish(layout="loose"), "kinds.t.items.dish.layout", "auto or manual", 65),
    "a key of an item's kind": (dish(face={"text": "x"}), "kinds.t.items.dish", "unknown key `face`", 65),
    "a face in a menu": (dish(menu=[{"id": "go", "face": {"text": "x"}}]), "kinds.t.items.dish.menu", "face", 65),
    "two actions of one id in a menu": (dish(menu=[{"id": "go"}, {"id": "go"}]), "kinds.t.items.dish.menu",
                                        "twice", 1),
    "a spacing": (strip(spacing=-1), "kinds.t.spacing", "at least 0", 1),
    "a page": (strip(page="sideways"), "kinds.t.page", "none, item or width", 65),
    "a brace in an effect": ({"kinds": {"t": {"tap": {"fill": {"f": "{"}}}}}, "kinds.t.tap.fill.f", "{{", 1),
    "a kind that is not there": ({"kinds": {"t": {"tap": {"kind": "nope"}}}}, "kinds.t.tap.kind", "nope", 1),
    "an increment": ({"kinds": {"t": {"tap": {"increment": {"f": 0.5}}}}}, "kinds.t.tap.increment",
                     "whole number", 65),
    "a selection": ({"table": {"selection": "all"}}, "table.selection", "none, viewer or shared", 65),
    "a motion": ({"table": {"motion": {"lift": 11}}}, "table.motion.lift", "0", 1),
}


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    """A daemon for all cases: none of them changes anything."""
    import shutil
    import tempfile

    from cli_daemon import Daemon
    directory = tempfile.mkdtemp(prefix="trestle-cli-")
    daemon = Daemon(directory)
    daemon.ok("create", "board")
    daemon.ok("define", "board", "-", stdin=b"kinds: {t: {states: [collapsed, expanded]}}")
    yield daemon
    daemon.stop()
    shutil.rmtree(directory)


@pytest.mark.parametrize("name", REFUSED)
def test_refused(board, name):
    given, field, word, code = REFUSED[name]
    before = board.ok("-o", "json", "kinds", "board")
    done = board.run("define", "board", "-", stdin=json.dumps(given).encode())
    said = done.stderr.decode()
    assert (done.returncode, field in said, word in said) == (code, True, True), said
    assert board.ok("-o", "json", "kinds", "board") == before
    # A program reads the field from the document.
    refused = board.run("-o", "json", "define", "board", "-", stdin=json.dumps(given).encode())
    assert field in json.dumps(json.loads(refused.stdout))


@pytest.mark.parametrize("command", [
    {"add": {"title": "x", "hint": "sideways"}}, {"remove": {"rows": ["x"], "hint": "sideways"}}])
def test_a_hint(board, command):
    before = board.ok("-o", "json", "kinds", "board")
    done = board.run("-o", "json", "batch", "board", stdin=json.dumps(command).encode())
    assert done.returncode != 0 and b"One of: automatic, fade" in done.stdout + done.stderr
    assert f"{next(iter(command))}.hint".encode() in done.stdout + done.stderr
    assert board.ok("-o", "json", "kinds", "board") == before
