"""A set of very many rows by a condition, and its undo: one revision each, and others are answered meanwhile."""

from harness import full
from trestle_client import Link, Viewer, encode

ROWS = full(100_000, 30_000)


def fill(daemon):
    daemon.ask("create", {}, "board")
    for start in range(0, ROWS, 1_000):
        adds = [{"add": {"id": f"r{n}", "title": f"Row {n}", "fields": {"state": "open", "n": str(n)}}}
                for n in range(start, start + 1_000)]
        assert daemon.ask("batch", {"commands": adds}, "board", timeout=60)["ok"]


def sent(daemon, number, command):
    """Sends a command; returns its reply, and how many commands of somebody else were answered before."""
    many, other = Link(daemon.endpoint), Link(daemon.endpoint)
    many.send(encode({"client": "many", "number": number, "table": "board", "command": command}))
    answered = 0
    while not (reply := many.receive()):
        answered += 1
        title = f"{number}: {answered}"
        other.send(encode({"client": f"other{number}", "number": answered, "table": "board",
                           "command": {"set": {"row": "r7", "title": title}}}))
        assert other.receive(20)["ok"]
    many.close()
    other.close()
    return reply, answered


def rows(daemon, condition):
    return daemon.ask("query", {"where": condition}, "board", timeout=60)["found"].get("count", 0)


def test_others_are_answered_while_very_many_rows_change(daemon):
    fill(daemon)
    command = {"each": {"where": 'field.state == "open"', "set": {"fields": {"state": "done"}}}}
    reply, answered = sent(daemon, 1, command)
    assert reply["ok"] and reply["rowCount"] == ROWS and "rows" not in reply
    assert answered >= 2
    assert rows(daemon, 'field.state == "done"') == ROWS
    # It was one revision: this one takes all of it back.
    revision = reply["revision"]
    back, answered = sent(daemon, 2, {"undo": {"revision": revision}})
    assert back["ok"] and back["rowCount"] == ROWS
    assert answered >= 2
    assert rows(daemon, 'field.state == "open"') == ROWS
    # Others have changed one row meanwhile, and that stays.
    assert daemon.ask("query", {"where": 'title ~ "2: "'}, "board")["found"]["count"] == 1
    # Sent again it is answered as before.
    again = Link(daemon.endpoint)
    again.send(encode({"client": "many", "number": 2, "table": "board", "command": {"undo": {"revision": revision}}}))
    assert again.receive(20) == back
    again.close()
    assert daemon.ask("check", timeout=60)["ok"]
    daemon.restart()
    assert rows(daemon, 'field.state == "open"') == ROWS


def test_a_viewer_follows_very_many_rows(daemon):
    fill(daemon)
    viewer = Viewer(daemon.endpoint, "board")
    while viewer.state != "following":
        viewer.step(0.1)
    reply, _ = sent(daemon, 1, {"each": {"where": 'id ~ "r"', "set": {"title": "T", "unset": ["n"]}}})
    assert reply["ok"] and reply["rowCount"] == ROWS
    daemon.do("board", undo={"revision": reply["revision"]})
    head = daemon.ask("tables")["tables"]["tables"][0]
    while viewer.revision < head["revision"] or viewer.state != "following":
        viewer.step(0.1)
    assert viewer.digest() == head["digest"]
    viewer.close()
