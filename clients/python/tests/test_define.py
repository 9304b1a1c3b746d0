"""`define` takes what `trestle kinds -o json` prints, and what a kinds file says. The command line is the measure."""

import asyncio
import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from daemon import BIN, ROOT, Daemon

import trestle
import trestle.aio
from trestle import kinds, swipes
from trestle.wire import Json

FILE = Path(__file__).with_name("kinds.json").read_text()
"""Nearly each key of a kinds file, with a value that is not its default."""
FILES = {path.name: path.read_text() for path in (ROOT / "examples").glob("*.yaml")} | {"kinds.json": FILE} | {
    f"{path.name} {number}": block for path in (ROOT / "docs" / "tutorials").glob("*.md")
    for number, block in enumerate(re.findall(r"^```yaml[^\n]*\n(.*?)^```", path.read_text(), re.M | re.S))
    if re.search(r"^kinds:", block, re.M)}


def line(daemon: Daemon, *words: str, text: str = "", fails: bool = False) -> str:
    """What the command line prints."""
    done = subprocess.run([BIN / "trestle", *words, "--endpoint", daemon.endpoint], input=text, capture_output=True,
                          text=True)
    assert (done.returncode != 0) == fails, done.stderr
    return done.stdout


def printed(daemon: Daemon, table: str) -> str:
    """Its kinds and settings."""
    return line(daemon, "kinds", table, "-o", "json")


def by_name(board: Any, text: str, _: trestle.Reply) -> None:
    """The parts of what is printed, each by itself."""
    said = json.loads(text)
    if "faces" in said:
        board.define({"faces": said["faces"]})
    board.define(said["kinds"])
    board.define(kinds=said["kinds"], table=said["table"])


WAYS: list[Callable[[Any, str, trestle.Reply], Any]] = [
    by_name,
    lambda board, text, _: board.define(json.loads(text)),
    lambda board, _, reply: board.define(reply),
    lambda board, _, reply: board.define(reply["kinds"]),
    lambda board, _, reply: board.define(**reply["kinds"]),
    lambda board, _, reply: board.define(reply["kinds"]["kinds"], table=reply["kinds"]["table"])]


@pytest.mark.parametrize("file", sorted(FILES))
def test_what_is_printed_is_taken(daemon: Daemon, file: str) -> None:
    """Byte by byte, however it is handed over."""
    with daemon.connect() as client:
        client.board("from").create()
        line(daemon, "define", "from", "-", text=FILES[file])
        expected = printed(daemon, "from")
        reply = client.board("from").kinds()
        digests = [one["digest"] for one in reply["kinds"]["kinds"]]
        for number, way in enumerate(WAYS):
            board = client.board(f"to-{number}")
            board.create()
            way(board, expected, reply)
            assert printed(daemon, board.name) == expected
            assert [one["digest"] for one in board.kinds()["kinds"]["kinds"]] == digests
            way(board, expected, reply)
            assert printed(daemon, board.name) == expected
        batch = trestle.Batch()
        batch.define(json.loads(expected))
        client.board("batch").create()
        client.board("batch").batch(batch)
        assert printed(daemon, "batch") == expected


def test_a_file_means_the_same_by_both(daemon: Daemon) -> None:
    """Also what no daemon prints: one effect without a list, durations, a kind that is like another one."""
    with daemon.connect() as client:
        for name in ("line", "python"):
            client.board(name).create()
        line(daemon, "define", "line", "-", text=FILE)
        client.board("python").define(json.loads(FILE))
        assert printed(daemon, "python") == printed(daemon, "line")

    async def program() -> None:
        async with trestle.aio.connect(daemon.endpoint) as client:
            await client.board("asyncio").create()
            await client.board("asyncio").define(json.loads(FILE))

    asyncio.run(program())
    assert printed(daemon, "asyncio") == printed(daemon, "line")


def without_values(file: Json) -> list[Json]:
    """Documents in each of which one key has no value."""
    base, items = file["kinds"]["base"], file["kinds"]["strip"]["items"]
    found: list[Json] = [{"kinds": {"base": {key: None}}} for key in ("initial", *base)]
    for key in ("leading", "trailing", "margins", "ages"):
        found += [{"kinds": {"base": {key: {inner: None}}}} for inner in base[key]]
    found += [{"kinds": {"base": {key: []}}} for key in ("tap", "emphasis", "form")]
    found += [{"kinds": {"base": {"show": {}, "appearance": {}, "ages": {"in": []}, "leading": {"actions": []}}}}]
    found += [{"kinds": {"strip": {key: None}}} for key in ("page", "spacing", "items")]
    found += [{"kinds": {"strip": {"items": {name: None}}}} for name in items]
    found += [{"table": {key: None}} for key in file["table"]] + [{"table": {"alerts": []}}]
    return found + [{"table": {"motion": {key: None}}} for key in kinds.MOTION] + [{"faces": {"spare": None}}]


def test_what_has_no_value_goes_back_to_its_default(daemon: Daemon) -> None:
    file: Json = json.loads(FILE)
    file["table"]["motion"] = {key: value * 0.5 + 0.26 for key, value in kinds.MOTION.items()} | {"hidesLifted": False}
    changed = set[str]()
    with daemon.connect() as client:
        for document in without_values(file):
            said = json.dumps(document)
            for name in ("line", "python"):
                client.board(name).create()
                client.board(name).define(file)
            before = printed(daemon, "python")
            if said == '{"kinds": {"base": {"states": null}}}':  # its initial state is none of them then
                assert "noSuchState" in line(daemon, "define", "line", "-", "-o", "json", text=said, fails=True)
                with pytest.raises(trestle.refusals.NoSuchState):
                    client.board("python").define(document)
                document = {"kinds": {"base": {"states": None, "initial": None, "appearance": None}}}
            line(daemon, "define", "line", "-", text=json.dumps(document))
            client.board("python").define(document)
            after = printed(daemon, "python")
            assert after == printed(daemon, "line"), said
            if after != before:
                changed.add(said)
            for name in ("line", "python"):
                client.board(name).drop()
        alike = [said for said in map(json.dumps, without_values(file)) if said not in changed]
    assert alike == []


def test_the_keys_are_those_of_the_command_line(daemon: Daemon) -> None:
    """A key that kinds files come to have is not refused here."""
    found: dict[str, set[str]] = {}
    for one in line(daemon, "kinds", "--keys").splitlines()[1:]:
        path, _, key = one.split()[0].rpartition(".")
        found.setdefault(path, set()).add(key)
    edge = "kinds.NAME.leading"
    here = {"kinds.NAME": kinds.KEYS, "kinds.NAME.margins": kinds.MARGINS, edge: swipes.GROUP,
            f"{edge}.actions": swipes.ACTION, "kinds.NAME.show": kinds.SHOW, "table": kinds.SETTINGS}
    assert {path: set(keys) for path, keys in here.items()} == {path: found[path] for path in here}
    readers: dict[str, Callable[[Json], Json]] = {
        "kinds.NAME.ages": lambda said: kinds.kind("k", {"ages": said}, "k"),
        f"{edge}.actions.effect.invoke": lambda said: swipes.invoke(said, "e"),
        "kinds.NAME.appearance.STATE": lambda said: kinds.part("appearance", {"half": said}, "k")[0],
        "kinds.NAME.emphasis": lambda said: kinds.emphasis({"row": True} | said, "e"),
        "kinds.NAME.items.NAME": lambda said: kinds.item("i", said, "i")}
    for path, reads in readers.items():
        for key in found[path]:
            reads({key: True if key == "row" else None} if key != "field" else {"row": None, key: "f"})
    for key in found[f"{edge}.actions.effect"]:
        try:
            swipes.effect({key: 7}, "e")
        except (TypeError, ValueError) as why:
            assert "no such" not in str(why)


WRONG: list[tuple[type[Exception], str, Callable[[Any], Any]]] = [
    (ValueError, r"define: expected `kinds`", lambda to: to.define({})),
    (ValueError, r"define: expected `kinds`", lambda to: to.define({"table": None})),
    (ValueError, r"kinds\.kinds: `ticket` is none", lambda to: to.define({"kinds": {"ticket": {}}, "tabel": {}})),
    (ValueError, r"kinds\.table: `swipeScope` is none", lambda to: to.define({"ticket": None, "table": {"swipeScope": "viewer"}})),
    (ValueError, r"table: `height` is none", lambda to: to.define({"table": {"height": 60}})),
    (ValueError, r"kinds\.ticket: `hight` is none", lambda to: to.define({"kinds": {"ticket": {"hight": 4}}})),
    (ValueError, r"kinds\.t\.trailing\.actions\[1\]: `look`",
     lambda to: to.define(kinds={"t": {"trailing": {"actions": [{"id": "a"}, {"look": {}}]}}})),
    (ValueError, r"kinds\.t\.states: a kind has", lambda to: to.define(kinds={"t": {"states": []}})),
    (ValueError, r"kinds\.t\.leading\.insets: expected .*found 1", lambda to: to.define(kinds={"t": {"leading": {"insets": [1]}}})),
    (ValueError, r"kinds\.t\.like: `u` is no kind", lambda to: to.define(kinds={"t": {"like": "u"}})),
    (ValueError, r"kinds\.t\.tap: expected one effect, found remove, kind",
     lambda to: to.define(kinds={"t": {"tap": {"remove": True, "kind": "a"}}})),
    (ValueError, r"kinds\.t\.tap\[0\]\.fly: there is no such", lambda to: to.define(kinds={"t": {"tap": [{"fly": True}]}})),
    (ValueError, r"kinds\.t\.tap\.remove: expected true", lambda to: to.define(kinds={"t": {"tap": {"remove": False}}})),
    (ValueError, r"kinds\.t\.tap\.snooze\.for: '10' is no duration", lambda to: to.define(kinds={"t": {"tap": {"snooze": "10"}}})),
    (ValueError, r"kinds\.t\.tap\.snooze\.for: '' is no duration", lambda to: to.define(kinds={"t": {"tap": {"snooze": ""}}})),
    (ValueError, r"kinds\.t\.emphasis\[0\]: either", lambda to: to.define(kinds={"t": {"emphasis": [{"when": "true"}]}})),
    (ValueError, r"faces\.f: expected one of .*found icon, text", lambda to: to.define({"faces": {"f": {"text": "a", "icon": "b"}}})),
    (ValueError, r"table: `digest`", lambda to: to.define({"kinds": {}, "table": {"digest": "0"}})),
    (ValueError, r"table: given twice", lambda to: to.define({"table": {}}, table={})),
    (ValueError, r"kinds: given twice", lambda to: to.define([], kinds=[])),
    (ValueError, r"table\.motion: `lfit` is none", lambda to: to.define(table={"motion": {"lfit": None}})),
    (TypeError, r"states: 'tall' is no list", lambda to: to.add(states="tall")),
    (TypeError, r"kinds\.t: 60 is no mapping", lambda to: to.define({"kinds": {"t": 60}})),
    (TypeError, r"kinds: the key 7 is no text", lambda to: to.define(kinds={7: {}})),
    (TypeError, r"kinds\.t\.tap\.set\['n'\]: 5 is no text", lambda to: to.define(kinds={"t": {"tap": {"set": {"n": 5}}}})),
    (TypeError, r"kinds\.t\.tap\.increment\['n'\]: 0\.5 is no whole",
     lambda to: to.define(kinds={"t": {"tap": {"increment": {"n": 0.5}}}})),
    (TypeError, r"kinds\.t\.form: 'a' is no list", lambda to: to.define(kinds={"t": {"form": "a"}}))]


@pytest.mark.parametrize(("kind", "text", "call"), WRONG)
def test_what_is_wrong_is_named(kind: type[Exception], text: str, call: Callable[[Any], Any]) -> None:
    batch = trestle.Batch()
    with pytest.raises(kind, match=f"^{text}"):
        call(batch)
    assert batch.commands == []


def test_what_was_taken_before_is_taken(daemon: Daemon) -> None:
    """Kinds as a list, settings in the protocol's form: they are sent as they are."""
    batch = trestle.Batch()
    batch.define([{"id": "a", "states": [{"name": "collapsed"}]}], drop=["b"], table={"look": {"width": 44}})
    batch.define(table={"swipePolicy": "multiple"})
    batch.define(kinds=[{"id": "a", "clear": ["tap"]}])
    batch.define()
    assert batch.commands == [
        {"define": {"kinds": [{"id": "a", "states": [{"name": "collapsed"}]}], "drop": ["b"], "table": {"look": {"width": 44}}}},
        {"define": {"table": {"swipePolicy": "multiple"}}}, {"define": {"kinds": [{"id": "a", "clear": ["tap"]}]}},
        {"define": {}}]
    with daemon.connect() as client:
        board = client.board("board")
        board.create()
        board.define(table={"width": 44, "spacing": None, "motion": {"hidesLifted": False}})
        settings = board.kinds()["kinds"]["table"]
        assert settings["look"] == {"width": 44} and settings["motion"]["hidesLifted"] == 0
        with pytest.raises(trestle.Refused) as why:
            board.define(table={"wdith": 44})
        assert why.value.field == "command.define.table.wdith"


def test_what_a_viewer_holds_is_taken(daemon: Daemon) -> None:
    """The definitions of a table, and what rows have of their own."""
    with daemon.connect() as client:
        old, new = client.board("from"), client.board("to")
        for board in (old, new):
            board.create()
        old.define(json.loads(FILE))
        item = {"id": "a", "title": "A", "kind": "dish", "fields": {"a": "1"}}
        old.add("Soup", id="soup", states=["collapsed", {"name": "tall", "height": 90}], expand="tall", actions=EDGES)
        old.add("Courses", id="courses", kind="strip", items=[item])
        table = client.read("from")
        new.define(kinds=table.kinds, table=table.settings)
        new.define(list(table.kinds.values()), table=table.settings)
        assert printed(daemon, "to") == printed(daemon, "from")
        soup, courses = table["soup"], table["courses"]
        new.add(soup.title, id="soup", fields=soup.fields, states=soup.wire["states"], expand=soup.state,
                actions=soup.wire["actions"])
        new.add("Courses", id="courses", kind="strip", items=courses.items)
        new.set("courses", fields=soup.fields)
        same = client.read("to")
        for key in ("states", "actions", "expand"):
            assert same["soup"].wire.get(key) == soup.wire.get(key)
        assert same["courses"].items == courses.items and same["courses"].items[0].fields == {"a": "1"}


EDGES: Json = {"leading": None, "trailing": {"style": "circular", "width": "face", "actions": [
    {"id": "a", "title": "A", "face": "big", "effect": {"set": {"fields": "b"}}}]}}
"""Actions of a row in the form of a file. One sets a field that has a name of the protocol's."""


def test_what_files_say_of_rows_is_taken(daemon: Daemon, tmp_path: Path) -> None:
    """What `trestle export` prints of actions, states and items, and what `trestle set --actions` reads."""
    with daemon.connect() as client:
        board = client.board("board")
        board.create()
        board.define(json.loads(FILE))
        (tmp_path / "edges.json").write_text(json.dumps(EDGES))
        taps = {"id": "t", "tap": [{"fill": {"by": "{actor}"}}]}
        board.add(id="strip", kind="strip", items=[taps])
        board.add(id="one")
        line(daemon, "set", "board", "one", "--actions", str(tmp_path / "edges.json"), "--state", "collapsed", "--state", "tall=90")
        said = {row["id"]: row for row in map(json.loads, line(daemon, "export", "board").splitlines())}
        assert said["strip"]["items"][0]["tap"] == taps["tap"]
        board.add(id="two", actions=said["one"]["actions"], states=said["one"]["states"])
        board.add(id="three")
        board.set("three", actions=EDGES, states=said["one"]["states"])
        board.add(id="again", kind="strip", items=said["strip"]["items"])
        one, two, three, strip, again = (client.read("board")[name].wire for name in ("one", "two", "three", "strip", "again"))
        assert one["actions"] == two["actions"] == three["actions"] and one["states"] == two["states"] == three["states"]
        assert strip["items"] == again["items"]
        # The protocol's form, without a digest, is not taken for a file's.
        board.set("three", actions={"trailing": {"actions": [{"id": "x", "effect": [{"set": {"fields": {"a": "b"}}}]}]}})
        effects = client.read("board")["three"].wire["actions"]["trailing"]["actions"][0]["effect"]
        assert effects == [{"set": {"fields": {"a": "b"}}}]
        with pytest.raises(trestle.Refused) as why:
            board.set("three", actions={"trailing": {"styel": "circular"}})
        assert why.value.field == "command.set.actions.trailing.styel"
