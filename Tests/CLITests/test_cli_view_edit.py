"""Edit mode in `trestle view`, in tmux, with keys and mouse: controls and grips (F10)."""

import json

import pytest
from viewer import DOWN, ENTER, Tmux, mouse

KINDS = b"""
kinds:
  order: {height: 60}
  slot: {height: 40, editingStyle: insert, states: [collapsed]}
  bare: {height: 40, editingStyle: none, states: [collapsed]}
  notice: {height: 40, pinned: true, canDelete: false, states: [collapsed]}
"""


def rows(daemon):
    return [row["title"] for row in json.loads(daemon.ok("-o", "json", "show", "board"))["rows"]]


@pytest.fixture
def viewers(daemon):
    """Two viewers, each in an edit mode of its own."""
    daemon.ok("create", "board")
    daemon.ok("define", "board", "-", stdin=KINDS)
    for kind, title in (("notice", "86 the ribeye"), ("order", "Soup"), ("order", "Fish"),
                        ("order", "Roast"), ("slot", "One more"), ("bare", "Nothing")):
        daemon.ok("add", "board", title, "--kind", kind, "--id", title.split()[0].lower())
    both = [Tmux(daemon, "board", "--as", name, width=80, height=30) for name in ("ana", "ben")]
    try:
        for viewer in both:
            viewer.wait_for("● live", "6 rows", "Nothing")
        for viewer in both:
            viewer.type("E")
            viewer.wait_for("EDIT", "≡")
        yield both
    finally:
        for viewer in both:
            viewer.close()


def shown(viewer, text):
    """The line with a row."""
    return next(line for line in viewer.lines() if text in line)


def test_keys(daemon, viewers):
    one, two = viewers
    assert [mark for mark in "−+≡" if mark in shown(two, "Soup")] == ["−", "≡"]
    assert [mark for mark in "−+≡" if mark in shown(two, "One more")] == ["+", "≡"]
    assert [mark for mark in "−+≡" if mark in shown(two, "Nothing")] == ["≡"]
    assert [mark for mark in "−+≡" if mark in shown(two, "86 the")] == []
    # Deleted by key: it asks.
    one.type(":goto fish" + ENTER + "x")
    one.wait_for("Delete Fish?", "y yes")
    one.type("n")
    one.wait_for("Not done.")
    assert "Fish" in rows(daemon)
    one.type("x")
    one.wait_for("Delete Fish?")
    one.type("y")
    one.wait_for("Deleted fish.")
    two.wait_without("Fish", seconds=1)
    one.type("u")
    two.wait_for("Fish")
    # Inserted by key.
    one.type(":goto one" + ENTER + "i")
    one.wait_for("new row in main:")
    one.type("Cake" + ENTER)
    two.wait_for("Cake")
    assert rows(daemon)[-3:] == ["One more", "Cake", "Nothing"]
    # Keys do what the row's control shows, and nothing outside edit mode.
    one.type("x")
    one.wait_for("no control to delete")
    one.type("E")
    one.wait_without("EDIT")
    two.wait_for("EDIT")
    one.type("x")
    one.wait_for("Turn edit mode on first")
    assert len(rows(daemon)) == 7


def test_mouse(daemon, viewers):
    one, two = viewers
    # The minus, and the answer with the mouse too.
    y = one.line_of("Fish")
    one.click(one.lines()[y].index("−"), y)
    lines = one.wait_for("Delete Fish?")
    last = next(n for n, line in enumerate(lines) if "y yes" in line)
    one.click(lines[last].index("n no") + 1, last)
    one.wait_for("Not done.")
    one.click(one.lines()[y].index("−"), y)
    one.wait_for("Delete Fish?")
    one.click(lines[last].index("y yes") + 1, last)
    two.wait_without("Fish")
    one.wait_without("Fish")
    # The plus.
    y = one.line_of("One more")
    one.click(one.lines()[y].index("+"), y)
    one.wait_for("new row in main:")
    one.type("Cake" + ENTER)
    two.wait_for("Cake")
    assert rows(daemon) == ["86 the ribeye", "Soup", "Roast", "One more", "Cake", "Nothing"]
    # The grip: others see the row in the air, and it lands where it is let go.
    y, x = one.line_of("Soup"), one.lines()[one.line_of("Soup")].index("≡")
    to = one.line_of("Cake") + 1  # the lower half of its two lines
    one.drag((x, y), (x, to), release=False)
    one.wait_for("──▶ Soup", "⇅ lifted")
    two.wait_for("⇅ ana")
    one.type(mouse(0, x, to, release=True))
    two.wait_without("⇅ ana")
    assert rows(daemon) == ["86 the ribeye", "Roast", "One more", "Cake", "Soup", "Nothing"]
    # A pinned row has no grip: nothing is dragged by that place.
    y, before = one.line_of("86 the"), rows(daemon)
    one.drag((x, y), (x, y + 6))
    one.type(DOWN)
    assert rows(daemon) == before
