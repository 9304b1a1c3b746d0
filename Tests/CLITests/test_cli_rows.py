"""Rows show what their kind says, and emphasised fields stand out: docs/ROWS.md."""

import json

KINDS = """
kinds:
  ticket:
    height: 60
    ages: {warn: 300, late: 600, in: [grill], since: moved}
    show:
      title: "{qty} × {title}"
      line: ["table {table}", "{course}"]
      badge: "{qty}"
      detail: [course, table]
      hide: [state]
      as: {price: "0.00"}
      wrap: 2
      group: order
    emphasis:
      - {when: 'field.note ~ "ALLERGY"', field: note, background: "#b00020", color: "#ffffff", icon: warning}
  drink: {like: ticket, height: 40}
"""


def define(daemon, text, *options):
    return daemon.run("define", "board", "-", *options, stdin=text.encode())


def test_a_face(daemon):
    """The kind comes back as it was defined, and the table, its heights and its picture follow it."""
    daemon.ok("create", "board")
    assert define(daemon, KINDS).returncode == 0
    kinds = json.loads(daemon.ok("-o", "json", "kinds", "board"))["kinds"]
    assert kinds["ticket"]["show"]["line"] == ["table {table}", "{course}"]
    assert kinds["ticket"]["ages"] == {"warn": 300, "late": 600, "in": ["grill"], "since": "moved"}
    assert kinds["drink"]["emphasis"] == kinds["ticket"]["emphasis"] and kinds["drink"]["height"] == 40
    daemon.ok("add", "board", "salmon", "--kind", "ticket", "--id", "a", "--field", "table=7", "--field", "qty=2",
              "--field", "note=ALLERGY: dairy")
    daemon.ok("add", "board", "fries", "--kind", "ticket", "--id", "b", "--field", "table=12")
    shown = daemon.ok("show", "board")
    assert "2 × salmon" in shown and "table 7 (2) [! ALLERGY: dairy]" in shown
    assert "table 12" in shown and "state" not in shown
    frames = json.loads(daemon.ok("-o", "json", "layout", "board", "--width", "320"))["rows"]
    assert [row["height"] for row in frames] == [66, 60]
    drawing = daemon.ok("-o", "svg", "show", "board")
    assert ">ALLERGY: dairy<" in drawing and 'fill="#b00020"' in drawing


def test_a_colour_of_its_own(daemon):
    """It is a field: so it is set, undone, exported and imported as one, and kinds files and settings come back whole."""
    daemon.ok("create", "board")
    text = "kinds: {ticket: {show: {color: tint}, appearance: {collapsed: {background: '#eeeeee', tint: red}}}}\n" \
        "table: {expandScope: viewer}"
    assert define(daemon, text).returncode == 0
    written = daemon.ok("kinds", "board")
    assert "color: tint" in written and "expandScope: viewer" in written
    daemon.ok("create", "copy")
    assert daemon.run("define", "copy", "-", stdin=written.encode()).returncode == 0
    assert daemon.ok("kinds", "copy") == written
    daemon.ok("add", "board", "salmon", "--kind", "ticket", "--id", "a", "--field", "tint=#ffe9b3")

    def look(table="board"):
        return json.loads(daemon.ok("-o", "json", "layout", table, "--width", "320"))["rows"][0]["appearance"]

    own, kinds = {"background": "#ffe9b3", "alpha": 0}, {"background": "#eeeeee", "alpha": 0, "tint": "red"}
    assert look() == own
    drawing = daemon.ok("-o", "svg", "show", "board")
    assert 'fill="#ffe9b3"' in drawing and ">tint" not in drawing and "#eeeeee" not in drawing
    daemon.ok("set", "board", "a", "--field", "tint=no colour")
    assert look() == kinds
    daemon.ok("undo", "board")
    assert look() == own
    exported = daemon.ok("-o", "ndjson", "export", "board")
    assert daemon.run("import", "copy", "-", stdin=exported.encode()).returncode == 0
    assert look("copy") == own
    daemon.ok("expand", "board", "a", "--to", "expanded")
    assert look() == {"background": "#ffe9b3", "alpha": 1}


def test_definitions_in_part(daemon):
    """A key that is not named stays, one without a value goes, and undo brings it back."""
    daemon.ok("create", "board")
    assert define(daemon, KINDS).returncode == 0

    def ticket():
        return json.loads(daemon.ok("-o", "json", "kinds", "board"))["kinds"]["ticket"]

    before = ticket()
    assert define(daemon, "kinds: {ticket: {height: 70, ages: {since: }}}").returncode == 0
    assert ticket() == before | {"height": 70, "ages": {"warn": 300, "late": 600, "in": ["grill"]}}
    assert define(daemon, "kinds: {ticket: {show: , ages: {in: }, emphasis: }}").returncode == 0
    assert "show" not in ticket() and "emphasis" not in ticket()
    assert ticket()["ages"] == {"warn": 300, "late": 600}
    for _ in range(2):
        daemon.ok("undo", "board")
    assert ticket() == before


def test_refused(daemon):
    """A template and a condition with a fault are refused by name."""
    daemon.ok("create", "board")
    refused = define(daemon, "kinds: {t: {show: {title: '{'}}}")
    assert refused.returncode == 1 and b"kinds.t.show.title" in refused.stderr
    refused = define(daemon, "kinds: {t: {emphasis: [{when: 'section == \"a\"', row: true}]}}")
    assert refused.returncode != 0 and b"not of the row alone" in refused.stderr
    refused = define(daemon, "kinds: {t: {emphasis: [{when: 'true', row: true, icon: frying-pan}]}}")
    assert refused.returncode == 1 and b"kinds.t.emphasis[0].icon" in refused.stderr


def test_keys(daemon):
    """The list needs no daemon."""
    listed = json.loads(daemon.ok("-o", "json", "--endpoint", "ipc:///nowhere", "kinds", "--keys"))["keys"]
    keys = {one["key"]: one["values"] for one in listed}
    assert keys["kinds.NAME.like"] and "clock" in keys["kinds.NAME.show.as"]
    assert daemon.run("kinds", "board", "--keys").returncode == 64
