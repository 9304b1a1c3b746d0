"""`trestle view`: rows are edited by a form, and several are changed together, in tmux, with a real daemon."""

import json

import pytest
from cli_daemon import by
from viewer import ENTER, ESC, Tmux

KINDS = b"""
kinds:
  order:
    height: 60
    form: [table, qty, note]
    trailing: {actions: [{id: bump, title: Bump, effect: {remove: true}}]}
"""
TAB = "\t"


def row(daemon, name):
    return next((one for one in json.loads(daemon.ok("-o", "json", "show", "board"))["rows"] if one["id"] == name),
                None)


@pytest.fixture(params=[(80, 24), (44, 14)], ids=["80x24", "44x14"])
def viewer(daemon, request):
    daemon.ok("create", "board")
    daemon.ok("define", "board", "-", stdin=KINDS)
    for name, table in (("fries", 7), ("soup", 8), ("fish", 9)):
        daemon.ok("add", "board", f"2 × {name}", "--kind", "order", "--id", name, "--field", f"table={table}",
                  "--as", "ben")
    width, height = request.param
    one = Tmux(daemon, "board", "--as", "ada", width=width, height=height)
    try:
        one.wait_for("● live", "fries")
        yield one
    finally:
        one.close()


def test_a_form_survives_others_and_a_daemon_that_is_away(daemon, viewer):
    viewer.type("e")
    viewer.wait_for("Edit 2 × fries", "table", "note", "+ field")
    viewer.type(", salted" + TAB + TAB + "2")
    daemon.ok("set", "board", "fries", "--title", "2 × chips", "--field", "note=hot", "--as", "ben")
    viewer.wait_for("meanwhile: 2 × chips", "hot", "2 × fries, salted")
    viewer.type(ENTER)
    viewer.wait_for("both are")
    # The daemon goes away: what was typed stays, also over Esc.
    daemon.stop()
    viewer.wait_for("disconnected")
    viewer.type(ENTER)
    viewer.wait_for("Not connected")
    viewer.type(ESC)
    viewer.wait_without("Edit 2")
    viewer.type("q")
    viewer.wait_for("Typed and not sent: fries.")
    daemon.start()
    viewer.wait_for("● live")
    viewer.type("e")
    viewer.wait_for("2 × fries, salted")
    before = row(daemon, "fries")["version"]
    viewer.type(ENTER)
    viewer.wait_without("Edit 2")
    found = row(daemon, "fries")
    assert found["title"] == "2 × fries, salted" and found["version"] == before + 1
    assert found["fields"] == {"table": "7", "note": "hot", "qty": "2"}


def test_a_row_is_added_by_its_form(daemon, viewer):
    viewer.type("a")
    viewer.wait_for("New row", "section")
    viewer.type("1 × stew" + TAB + "4" + ENTER)
    viewer.wait_without("New row")
    rows = json.loads(daemon.ok("-o", "json", "show", "board"))["rows"]
    assert [one["title"] for one in rows][:2] == ["2 × fries", "1 × stew"]
    assert rows[1]["fields"] == {"table": "4"} and rows[1]["kind"] == "order"


def test_marked_rows_are_one_revision_and_one_undo(daemon, viewer):
    viewer.type("vv")
    viewer.wait_for("2 marked", "■2 × fries", "■2 × soup")
    viewer.type("g:set driver=9" + ENTER)
    viewer.wait_without("marked")
    assert row(daemon, "soup")["fields"]["driver"] == "9" and "driver" not in row(daemon, "fish")["fields"]
    viewer.type("u")
    viewer.wait_for(f"Undone: {by('ada')} set driver of")
    assert "driver" not in row(daemon, "fries")["fields"] and "driver" not in row(daemon, "soup")["fields"]
    viewer.type("gvvg\x1b[D")
    viewer.wait_for("1 Bump")
    viewer.type("1")
    viewer.wait_without("fries")
    assert row(daemon, "soup") is None
    viewer.type("u")
    viewer.wait_for("Undone: Bump of 2 rows.", "fries", "soup")
    viewer.type(":goto fish" + ENTER + "\x1b[D")
    viewer.wait_for("1 Bump")
    viewer.type("1")
    viewer.wait_without("fish")
    viewer.type("u")
    viewer.wait_for("Undone: Bump of 2 × fish (table 9).")


def test_history_tells_of_many_rows_at_once(daemon):
    daemon.ok("create", "board")
    batch = "".join(json.dumps({"add": {"id": f"s{n}", "title": f"Stop {n}", "fields": {"driver": "7"}}}) + "\n"
                    for n in range(25))
    daemon.ok("batch", "board", stdin=batch.encode())
    batch = "".join(json.dumps({"set": {"row": f"s{n}", "fields": {"driver": "9"}}}) + "\n" for n in range(25))
    daemon.ok("batch", "board", stdin=batch.encode())
    assert f'{by("tester")} set driver of 25 rows to "9", which was "7"' in daemon.ok("history", "board")
    page = json.loads(daemon.ok("-o", "json", "history", "board", "--count", "1"))
    assert page["changes"][0]["rows"] == [f"s{n}" for n in range(25)]


def test_history_is_data_too(daemon):
    daemon.ok("create", "board")
    daemon.ok("add", "board", "Stop", "--id", "s1", "--section", "a", "--field", "driver=7")
    daemon.ok("set", "board", "s1", "--field", "driver=9")
    daemon.ok("remove", "board", "s1")
    done = json.loads(daemon.ok("-o", "json", "history", "board", "--ops"))["changes"]
    removed, changed, added = (done[0], done[1], done[2])
    assert changed["rows"] == ["s1"]
    assert changed["ops"] == [{"set": {"row": "s1", "fields": {"driver": "9"}}}]
    assert {"set": {"row": "s1", "fields": {"driver": "7"}}} in changed["back"]
    assert added["ops"][-1]["insert"]["row"]["fields"] == {"driver": "7"}
    # A recalled row has all that it had, and its section.
    back = next(op["insert"] for op in removed["back"] if "insert" in op)
    assert (back["row"]["id"], back["row"]["fields"], back["section"]) == ("s1", {"driver": "9"}, "a")
    lines = daemon.ok("-o", "ndjson", "history", "board", "--ops", "--count", "2").splitlines()
    assert [json.loads(line)["ops"] for line in lines] == [removed["ops"], changed["ops"]]
    assert "ops" not in json.loads(daemon.ok("-o", "json", "history", "board"))["changes"][0]
    refused = daemon.run("history", "board", "--ops")
    assert refused.returncode == 64 and b"-o json" in refused.stderr
