"""`import` reads what other verbs print."""

import json

import pytest
from cli_daemon import HERE

KITCHEN = HERE.parents[1] / "examples/kitchen.yaml"
ROWS = HERE.parents[1] / "examples/kitchen.ndjson"


def test_import_takes_what_show_prints(daemon):
    daemon.ok("create", "board")
    daemon.ok("add", "board", "One", "--id", "a")
    shown = daemon.ok("-o", "json", "show", "board")
    daemon.ok("import", "copy", "-", "--format", "json", "--create", stdin=shown.encode())
    rows = json.loads(daemon.ok("-o", "json", "show", "copy"))["rows"]
    assert [row["id"] for row in rows] == ["a"]


def test_open_rows_come_back_as_they_were(daemon):
    """Expansion and swipes, under the policy that closes one row when another opens."""
    kinds = ("kinds: {t: {states: [collapsed, {name: half, height: 90}, expanded],"
             " leading: {actions: [{id: x}]}, trailing: {actions: [{id: y}]}}}")
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
                 if key != "version"} for line in lines]

    assert rows("copy") == rows("board")


KINDS = """
kinds:
  t:
    trailing:
      actions:
        - {id: mark, effect: {set: {m: "1"}}}
        - {id: page, effect: {invoke: {deadline: 600}}}
        - {id: call, effect: {invoke: {deadline: 600}}}
"""


def test_an_import_brings_back_what_an_export_holds(daemon):
    """Age, what was performed, claims; what is pending there has failed here."""
    for table in ("board", "copy"):
        daemon.ok("create", table)
        daemon.ok("define", table, "-", stdin=KINDS.encode())
    for row in "abc":
        daemon.ok("add", "board", row.upper(), "--id", row, "--kind", "t", "--section", "s")
    daemon.ok("set", "board", "a", "--title", "A, changed")
    daemon.ok("move", "board", "c", "--top")
    daemon.ok("act", "board", "a", "mark")
    daemon.ok("act", "board", "b", "page")
    daemon.run("handle", "board", "page", "--count", "1", "--", "sh", "-c", "echo no signal >&2; exit 3")
    daemon.ok("act", "board", "b", "call")
    daemon.ok("--as", "ada", "claim", "board", "b", "c", "--note", "mine")
    daemon.ok("section", "board", "empty", "--title", "Nothing here")
    exported = daemon.ok("-o", "json", "export", "board")
    reply = json.loads(daemon.ok("-o", "json", "--as", "bob", "import", "copy", "-",
                                 "--format", "json", stdin=exported.encode()))
    assert reply["import"]["batches"] == 1 and reply["revision"] == 2
    before, after = json.loads(exported), json.loads(daemon.ok("-o", "json", "export", "copy"))
    for one in before["rows"] + after["rows"]:
        del one["version"]
    performed = {row["id"]: row.get("performed", []) for row in before["rows"]}
    assert performed["a"] == [{"action": "mark", "state": "done"}]
    assert performed["b"][0] == {"action": "page", "state": "failed", "reason": "no signal"}
    assert performed["b"][1]["state"] == "pending"
    performed["b"][1] = {"action": "call", "state": "failed", "reason": "not finished when it was exported"}
    assert after == before
    # Nobody is called because a file was read, and a second time changes nothing.
    assert daemon.run("--timeout", "1", "handle", "copy", "call", "--count", "1", "--", "true").returncode == 75
    again = json.loads(daemon.ok("-o", "json", "import", "copy", "-", "--format", "json", stdin=exported.encode()))
    assert again["import"]["same"] == 3 and again["revision"] == 2
    # The claim is ada's, and keeps others out who ask for it.
    assert daemon.run("--as", "bob", "claim", "copy", "b").returncode == 1
    daemon.ok("--as", "ada", "unclaim", "copy", "b")
    # A row that is there keeps its own past.
    daemon.ok("set", "copy", "a", "--title", "Another")
    daemon.ok("import", "copy", "-", "--format", "json", stdin=exported.encode())
    assert "performed" not in json.loads(daemon.ok("export", "copy").splitlines()[1])


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


def test_an_export_makes_its_table_again(daemon):
    """JSON has the kinds and the settings too; of the others it is said what comes first."""
    daemon.ok("create", "board")
    daemon.ok("define", "board", KITCHEN)
    daemon.ok("import", "board", ROWS)
    daemon.ok("swipe", "board", "1041-g", "--trailing")
    daemon.ok("expand", "board", "1044-g", "--to", "expanded")
    before = daemon.ok("-o", "json", "export", "board")
    (daemon.directory / "board.json").write_text(before)
    daemon.ok("import", "copy", "board.json", "--create")
    after = daemon.ok("-o", "json", "export", "copy")

    def bare(text):
        document = json.loads(text)
        for one in document["rows"]:
            del one["version"]
        return document

    assert bare(after) == bare(before)
    assert daemon.ok("-o", "json", "kinds", "copy") == daemon.ok("-o", "json", "kinds", "board")
    copy = json.loads(daemon.ok("-o", "json", "tables"))["tables"]
    assert [table["revision"] for table in copy if table["table"] == "copy"] == [1]
    assert len({table["digest"] for table in copy}) == 1
    # The same once more changes nothing, and takes no kinds from the file.
    daemon.ok("define", "copy", "-", stdin=b"kinds: {other: {height: 90}}")
    assert "12 as they were" in daemon.ok("import", "copy", "board.json")
    assert "other:" in daemon.ok("kinds", "copy")
    # What has no kinds cannot bring them.
    for form in ("ndjson", "csv"):
        text = daemon.ok("export", "board", "--format", form)
        done = daemon.run("import", "new", "-", "--format", form, "--create", stdin=text.encode())
        assert done.returncode == 1
        assert "is registered here. The file has no kinds: `trestle create new` and " \
            "`trestle define new KINDS` come first." in done.stderr.decode()
    daemon.ok("create", "new")
    done = daemon.run("import", "new", "-", stdin=daemon.ok("export", "board").encode())
    assert "Register the kinds of the rows first: `trestle define new KINDS`." in done.stderr.decode()
    assert daemon.ok("-o", "name", "show", "new") == ""


def test_kinds_of_a_file_that_are_refused(daemon):
    document = {"definitions": {"kinds": {"a": {"height": -1}}}, "rows": [{"title": "x", "kind": "a"}]}
    done = daemon.run("import", "new", "-", "--format", "json", "--create",
                      stdin=json.dumps(document).encode())
    assert done.returncode == 1 and done.stderr.startswith(b"trestle: standard input:1: ")
    assert daemon.ok("-o", "name", "tables") == ""


def test_files_as_spreadsheets_have_them(daemon):
    """Semicolons, any case, UTF-16; twice the same; and nothing in an export computes anything."""
    daemon.ok("create", "board")
    text = "ID;Title;Section;note\r\na;Crêpe;fry;=1+1\r\nb;'=x;fry;\r\n;;;\r\n"
    assert "2 rows: 2 added" in daemon.ok("import", "board", "-", "--format", "csv", stdin=text.encode())
    (daemon.directory / "again.csv").write_bytes(text.replace(";", "\t").encode("utf-16"))
    assert "2 as they were" in daemon.ok("import", "board", "again.csv")
    safe = daemon.ok("export", "board", "--for-spreadsheets")
    assert safe == "\ufeffid,kind,section,title,note\r\na,row,fry,Crêpe,'=1+1\r\nb,row,fry,'=x,\r\n"
    assert daemon.ok("export", "board", "--format", "csv") == safe[1:].replace("'=1", "=1").replace("'=x", "=x")
    (daemon.directory / "safe.csv").write_text(safe)
    assert "2 as they were" in daemon.ok("import", "board", "safe.csv")
    done = daemon.run("export", "board", "--for-spreadsheets", "--format", "json")
    assert done.returncode == 64 and b"--for-spreadsheets goes with --format csv." in done.stderr


def test_swapped_arguments(daemon):
    daemon.ok("create", "board")
    for verb, name in (("import", "rows.csv"), ("define", "kinds.yaml")):
        (daemon.directory / name).write_text("title\n")
        done = daemon.run(verb, name, "board")
        assert done.returncode == 74 and done.stderr.decode() == (
            "trestle: cannot read board: No such file or directory. "
            f"Are the arguments swapped? `trestle {verb} board {name}`\n")
        done = daemon.run(verb, "board", "nothing")
        assert done.stderr == b"trestle: cannot read nothing: No such file or directory\n"
