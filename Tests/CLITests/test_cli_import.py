"""What one verb prints, another reads."""

import json

import pytest


def test_import_takes_what_show_prints(daemon):
    daemon.ok("create", "board")
    daemon.ok("add", "board", "One", "--id", "a")
    shown = daemon.ok("-o", "json", "show", "board")
    daemon.ok("import", "copy", "-", "--format", "json", "--create", stdin=shown.encode())
    rows = json.loads(daemon.ok("-o", "json", "show", "copy"))["rows"]
    assert [row["id"] for row in rows] == ["a"]


def test_open_rows_come_back_as_they_were(daemon):
    """Expansion and swipes, under the policy that closes one row when another opens."""
    kinds = "kinds: {t: {states: [collapsed, {name: half, height: 90}, expanded]}}"
    for table in ("board", "copy"):
        daemon.ok("create", table)
        daemon.ok("define", table, "-", stdin=kinds.encode())
    for row in "abc":
        daemon.ok("add", "board", row.upper(), "--id", row, "--kind", "t")
    daemon.ok("expand", "board", "a", "--to", "half")
    daemon.ok("expand", "board", "b", "--to", "77.5")
    daemon.ok("swipe", "board", "c", "--leading")
    exported = daemon.ok("export", "board")
    daemon.ok("import", "copy", "-", stdin=exported.encode())
    daemon.ok("swipe", "copy", "a", "--trailing")
    daemon.ok("expand", "copy", "a", "--to", "expanded")
    daemon.ok("import", "copy", "-", stdin=exported.encode())

    def rows(table):
        lines = daemon.ok("export", table).splitlines()
        return [{key: value for key, value in json.loads(line).items()
                 if key not in ("version", "createdMs")} for line in lines]

    assert rows("copy") == rows("board")


def test_an_import_is_one_revision_or_none(daemon):
    daemon.ok("create", "board")
    rows = "".join(f'{{"id":"r{number}","title":"{number}"}}\n' for number in range(1000))
    daemon.ok("import", "board", "-", stdin=rows.encode())
    assert json.loads(daemon.ok("-o", "json", "tables"))["tables"][0]["revision"] == 1
    # The last line is refused: nothing of the others may be there.
    rows = "".join(f'{{"id":"s{number}","title":"{number}"}}\n' for number in range(1500))
    bad = rows + '{"id":"s1500","title":"' + "x" * 5000 + '"}\n'
    done = daemon.run("import", "board", "-", stdin=bad.encode())
    assert done.returncode == 1
    assert done.stderr.startswith(b"trestle: standard input:1501: title bytes: 5000")
    assert json.loads(daemon.ok("-o", "json", "tables"))["tables"][0]["revision"] == 1


def test_large_rows_keep_batches_small(daemon):
    daemon.ok("create", "board")
    rows = "".join(
        f'{{"id":"r{number}","title":"t","fields":{{"f":"{"x" * 15000}"}}}}\n'
        for number in range(200))
    reply = json.loads(daemon.ok("-o", "json", "import", "board", "-", stdin=rows.encode()))
    assert reply["import"]["batches"] == reply["revision"] == 5
