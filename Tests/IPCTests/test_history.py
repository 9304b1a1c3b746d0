"""Undo, redo, recall, history, older revisions, claims, presence: Must show 3 and 4 of reordering."""

import os
import pwd
import random
import shutil
import struct
import subprocess
import time

import pytest

from harness import HERE, SWIPEABLE, Daemon, Mix, eventually, full
from trestle_client import Others, Person, Viewer

KEEPING = "retain:\n  bytes: 268435456\ncheckpoint:\n  after_bytes: 65536\n"

# Everybody here is proven to be who runs the tests, whatever name was said.
ME = f" ({pwd.getpwuid(os.geteuid()).pw_name})"


@pytest.fixture
def people(request):
    made = []

    def make(daemon, name=None, table="board"):
        made.append(Person(daemon.endpoint, table, name))
        return made[-1]

    yield make
    for person in made:
        person.close()


def begin(daemon, rows="abcdef"):
    daemon.ask("create", {}, "board")
    for id in rows:
        assert daemon.do("board", add={"id": id, "title": f"Row {id}"})["ok"]
    return daemon


@pytest.fixture
def board(daemon):
    return begin(daemon)


def order(daemon):
    return [row["id"] for row in rows(daemon)]


def rows(daemon):
    chunk = daemon.ask("snapshot", {}, "board")["snapshot"]
    return [row for part in chunk.get("slices", []) for row in part.get("rows", [])]


def row(daemon, id):
    return next((row for row in rows(daemon) if row["id"] == id), None)


def code(reply):
    return None if reply["ok"] else reply["error"]["code"]


def note(reply):
    return next((one["note"] for one in reply["rows"] if one.get("note")), None)


def digest(daemon):
    return daemon.tables()["board"]["digest"]


def history(daemon, **filters):
    reply = daemon.ask("history", filters, "board")
    assert reply["ok"], reply
    return reply["changes"]


def follow(daemon, **more):
    viewer = Viewer(daemon.endpoint, "board", **more)
    catch_up(daemon, viewer)
    return viewer


def catch_up(daemon, viewer):
    head = daemon.tables()["board"]["revision"]
    eventually(lambda: viewer.step(0.02) or (viewer.state == "following" and viewer.revision >= head), 30)


# ------------------------------------------------------------------------------------ Must show 3


def pour(writer, requests):
    """Sends all, many at once, in order; gives the replies in order."""
    replies, requests, asked = {}, list(requests), []
    end = time.monotonic() + 120
    while requests or writer.under_way:
        assert time.monotonic() < end
        while requests and writer.may_send() and len(writer.under_way) < 32:
            asked.append(writer.send("board", *requests.pop(0)))
        if reply := writer.step(0.05):
            replies[reply["number"]] = reply
    return [replies[number] for number in asked]


@pytest.mark.bound(120, 900)
def test_everything_is_undone(make_daemon, people):
    """Each table during a rewind is the one that was there, over restarts and checkpoints."""
    daemon = begin(make_daemon(config=KEEPING), rows="")
    writer = people(daemon, "ada").writer
    base = digest(daemon)
    pour(writer, [("command", {"define": {"kinds": [SWIPEABLE]}})])
    wanted, mix = full(10_000, 1_000), Mix("undo", 0, 1, limit=120)
    digests = {0: base}
    while (head := daemon.tables()["board"])["revision"] < wanted:
        digests[head["revision"]] = head["digest"]
        pour(writer, [mix.next() for _ in range(100)])
        if 0.4 < head["revision"] / wanted < 0.6 and daemon.starts == 1:
            daemon.restart()
    top = head["revision"]
    digests[top] = head["digest"]
    # One may be under way: it is written between turns.
    patience = time.monotonic() + 30
    while not (covered := daemon.stats()["gauges"]["journal_checkpoint"]):
        assert time.monotonic() < patience, "there was no checkpoint"
        time.sleep(0.1)
    assert covered > 0

    undone, points = 0, sorted(digests, reverse=True)
    for here, then in zip(points, points[1:]):
        for reply in pour(writer, [("command", {"undo": {}})] * (here - then)):
            assert reply["ok"] and not reply.get("unchanged"), reply
        undone += here - then
        assert digest(daemon) == digests[then], f"back at {then}"
        if 0.4 < undone / top < 0.6 and daemon.starts == 2:
            daemon.restart()
    assert daemon.starts == 3 and digest(daemon) == digests[0] and rows(daemon) == []
    assert code(writer.do("board", "command", {"undo": {}})) == "nothingToUndo"
    # And led back again, all of it: the last table as it was.
    for reply in pour(writer, [("command", {"redo": {}})] * 100):
        assert reply["ok"], reply
    head = daemon.tables()["board"]["revision"]
    assert head == 2 * top + 100
    viewer = follow(daemon)
    try:
        for revision in (top, points[len(points) // 2], 0):
            assert viewer.at(revision).digest() == digests[revision]
    finally:
        viewer.close()
    assert daemon.ask("check", timeout=120)["ok"]
    print(f"{top} revisions undone, {len(digests)} digests compared, checkpoint at "
          f"{daemon.stats()['gauges']['journal_checkpoint']}")


def test_undo_after_others(board, people):
    ada, bob = people(board, "ada"), people(board, "bob")
    ada.command(set={"row": "b", "title": "mine", "fields": {"n": "1"}})
    revision = board.tables()["board"]["revision"]
    # Elsewhere in the row, and its place: they stay.
    bob.command(set={"row": "b", "fields": {"m": "2"}})
    bob.command(move={"rows": ["b"], "bottom": True})
    theirs = row(board, "b")
    assert ada.command(undo={"revision": revision})["ok"]
    now = row(board, "b")
    assert (now["title"], now["fields"], order(board)) == ("Row b", {"m": "2"}, list("acdefb"))
    assert now["movedMs"] == theirs["movedMs"]
    assert code(ada.command(undo={"revision": revision})) == "alreadyUndone"
    assert ada.command(redo={})["ok"] and row(board, "b")["title"] == "mine"
    # The same thing: it is in the way, and named.
    bob.command(set={"row": "b", "title": "theirs"})
    later = board.tables()["board"]["revision"]
    reply = ada.command(undo={"revision": revision})
    assert code(reply) == "conflict"
    assert reply["error"]["message"] == (
        f"Revision {later} (bob, set) is in the way of revision {later - 1}: "
        'it changed row "b": its title.')
    # Once that is undone, nothing is in the way.
    assert bob.command(undo={"mine": True})["ok"] and ada.command(undo={"revision": revision})["ok"]
    assert row(board, "b")["title"] == "Row b"
    # What passes is in nobody's way.
    ada.command(set={"row": "c", "title": "mine"})
    bob.command(expand={"row": "c", "toggle": True})
    bob.command(claim={"rows": ["c"]})
    assert ada.command(undo={"mine": True})["ok"]
    now = row(board, "c")
    assert (now["title"], now["expand"], now["claim"]["holder"]) == ("Row c", "expanded", "bob")


def test_undo_finds_places_again(board, people):
    ada, bob = people(board, "ada"), people(board, "bob")
    ada.command(move={"rows": ["c"], "top": True})
    bob.command(remove={"rows": ["b"]})
    reply = ada.command(undo={"mine": True})
    assert order(board) == list("acdef") and note(reply) == "after a: b was removed"
    ada.command(move={"rows": ["d"], "bottom": True})
    bob.command(move={"rows": ["c"], "top": True})
    reply = ada.command(undo={"mine": True})
    assert reply["ok"] and order(board) == list("cadef") and note(reply) == "after a: c was moved"


def test_whose(board, people):
    ada, bob, eve = (people(board, name) for name in ("ada", "bob", "eve"))
    for person, id in ((ada, "a"), (bob, "b")):
        person.command(set={"row": id, "title": person.name})
    assert code(eve.command(undo={"mine": True})) == "nothingToUndo"
    assert ada.command(undo={"mine": True})["ok"] and row(board, "b")["title"] == "bob"
    # The same name from elsewhere is the same actor.
    assert people(board, "ada").command(redo={"mine": True})["ok"] and row(board, "a")["title"] == "ada"
    assert code(bob.command(redo={})) == "nothingToUndo"
    # What was redone is as late as its redo.
    assert bob.command(undo={})["ok"] and row(board, "a")["title"] == "Row a"
    assert bob.command(undo={})["ok"] and row(board, "b")["title"] == "Row b"
    # It is a change of who made it, and of who did it again.
    for person in (ada, bob):
        ada.command(set={"row": "a", "title": "ada"})
        assert bob.command(undo={})["ok"] and bob.command(redo={})["ok"] and row(board, "a")["title"] == "ada"
        assert person.command(undo={"mine": True})["ok"] and row(board, "a")["title"] == "Row a"


def test_what_undo_refuses(board, people):
    ada = people(board, "ada")
    head = board.tables()["board"]["revision"]
    for revision, why in ((0, "badNumber"), (head + 1, "badNumber"), (2**64 - 1, "badNumber")):
        assert code(ada.command(undo={"revision": revision})) == why
    for commands in ([{"undo": {}}], [{"set": {"row": "a", "title": "x"}}, {"recall": {"rows": ["z"]}}]):
        reply = ada.writer.do("board", "batch", {"commands": commands})
        assert code(reply) == "badValue" and reply["error"]["command"] == len(commands) - 1
    assert code(ada.command(undo={}, ifVersion=1)) == code(ada.command(redo={}, ifClaimed=True)) == "badValue"
    assert code(ada.command(undo={}, ifRevision=1)) == "stale"
    assert code(ada.command(recall={"rows": ["a"]})) == "exists"
    assert code(ada.command(recall={"rows": ["z"]})) == "noSuchRow"
    assert code(ada.command(recall={"rows": [f"n{n}" for n in range(257)]})) == "tooLarge"
    assert board.tables()["board"]["revision"] == head


def test_an_undone_press_that_is_redone_has_its_row(board, people):
    ada = people(board, "ada")
    board.do("board", define={"kinds": [{"id": "worker", "trailing": {"actions": [
        {"id": "page", "effect": [{"invoke": {"deadline": 60}}]}]}}]})
    board.do("board", add={"id": "w", "kind": "worker", "title": "W"})
    assert ada.command(act={"row": "w", "action": "page"})["ok"]
    then = digest(board)
    assert ada.command(undo={})["ok"] and "performed" not in row(board, "w")
    assert ada.command(redo={})["ok"] and digest(board) == then
    reply = ada.command(take={})
    (one,) = reply["invocations"]
    assert one["pressed"]["id"] == "w" and one["pressed"]["section"] == "main"
    reply = ada.command(undo={"revision": 9})
    assert code(reply) == "notUndoable" and 'A program ran for "page"' in reply["error"]["message"]
    assert code(ada.command(undo={"revision": board.tables()["board"]["revision"]})) == "notUndoable"


def test_what_ended_meanwhile_ended_as_it_did(make_daemon, people):
    """Also over a restart, after which only what is kept is known: an action that failed may be performed again."""
    daemon = begin(make_daemon(config=KEEPING))
    ada, hal = people(daemon, "ada"), people(daemon, "hal")
    daemon.do("board", define={"kinds": [{"id": "row", "leading": {"actions": [
        {"id": "page", "effect": [{"invoke": {"deadline": 3600}}]}]}}]})

    def end(id, **outcome):
        assert ada.command(act={"row": id, "action": "page"})["ok"]
        (taken,) = hal.command(take={})["invocations"]
        assert ada.command(remove={"rows": [id]})["ok"]
        assert hal.command(finish={"invocation": taken["id"], **outcome})["ok"]

    def performed(id):
        return [{key: one[key] for key in ("state", "reason") if key in one} for one in row(daemon, id)["performed"]]

    failed = [{"state": "failed", "reason": "fire"}]
    for id, outcome in (("a", {"failed": "fire"}), ("b", {"done": True}), ("c", {"failed": "fire"})):
        end(id, **outcome)
    daemon.restart()
    assert ada.command(undo={})["ok"] and performed("c") == failed
    assert ada.command(recall={"rows": ["a", "b"]})["ok"]
    assert performed("a") == failed and performed("b") == [{"state": "done"}]
    assert ada.command(act={"row": "a", "action": "page"})["ok"]
    assert code(ada.command(act={"row": "b", "action": "page"})) == "alreadyDone"


def test_an_undo_goes_on_where_nothing_is_left(board, people):
    """What the daemon, or somebody else, has replaced is in nobody's way."""
    ada = people(board, "ada")
    assert ada.command(set={"row": "a", "title": "new"})["ok"]
    claimed = ada.command(claim={"rows": ["a"], "ttl": 1})["revision"]
    eventually(lambda: not row(board, "a").get("claim"), 30)
    reply = ada.command(undo={"revision": claimed})
    assert code(reply) == "conflict"
    assert f"Revision {claimed + 1} (expire) is in the way" in reply["error"]["message"]
    assert ada.command(undo={})["ok"] and row(board, "a")["title"] == "Row a"
    for _ in "abcdef":
        assert ada.command(undo={})["ok"]
    assert rows(board) == [] and code(ada.command(undo={})) == "nothingToUndo"


def test_what_is_too_large_to_take_back_is_not_passed_over(board, people):
    """To take back what was done before it would surprise: nobody asked for that."""
    ada = people(board, "ada")
    rows = [f"{n:05d}" + "r" * 59 for n in range(16_000)]
    for start in range(0, len(rows), 1_000):
        adds = [{"add": {"id": row}} for row in rows[start:start + 1_000]]
        assert board.ask("batch", {"commands": adds}, "board")["ok"]

    def count():
        return board.tables()["board"]["rows"]

    before = count()
    large = ada.command(expandAll={"open": True})["revision"]
    reply = ada.command(undo={})
    assert code(reply) == "notUndoable" and f"Revision {large} " in reply["error"]["message"]
    assert count() == before
    # By its number an earlier one is taken back, and what comes later by itself.
    assert len(ada.command(undo={"revision": large - 1})["rows"]) == 1_000
    assert count() == before - 1_000
    ada.command(add={"id": "one"})
    assert [one["row"] for one in ada.command(undo={})["rows"]] == ["one"]


# ------------------------------------------------------------------------------------ Must show 4


def test_recall(make_daemon, people):
    """A bumped ticket comes back to its old place with its old age, after a restart."""
    daemon = begin(make_daemon(config=KEEPING), "")
    ada, bob = people(daemon, "ada"), people(daemon, "bob")
    daemon.do("board", define={"kinds": [{"id": "ticket", "trailing": {"actions": [
        {"id": "bump", "effect": [{"set": {"fields": {"bumped": "yes"}}}, {"remove": True}]}]}}]})
    for id in "abcdef":
        daemon.do("board", add={"id": id, "kind": "ticket", "title": id.upper()})
    ada.command(set={"row": "c", "fields": {"seat": "4"}})
    ada.command(expand={"row": "c", "toggle": True})
    ada.command(move={"rows": ["c"], "after": "b"}), ada.command(move={"rows": ["c"], "after": "d"})
    before = row(daemon, "c")
    assert before["changedMs"] and before["movedMs"] and order(daemon) == list("abdcef")
    ada.command(swipe={"row": "c", "edge": "trailing"})
    ada.command(act={"row": "c", "action": "bump"})
    assert order(daemon) == list("abdef")
    time.sleep(0.05)
    daemon.restart()
    # The neighbour above it moves, the one above that goes, one comes.
    bob.command(move={"rows": ["d"], "bottom": True})
    bob.command(remove={"rows": ["b"]})
    bob.command(add={"id": "x", "kind": "ticket", "top": True})
    daemon.restart()
    reply = ada.command(recall={"rows": ["c"]})
    assert reply["ok"], reply
    assert order(daemon) == list("xacefd") and note(reply) == "after a: d was moved"
    after = row(daemon, "c")
    assert after.pop("version") > before.pop("version")
    assert after == before, "place, state, age"
    assert code(ada.command(recall={"rows": ["c"]})) == "exists"
    # It can be bumped again, and the recall undone like anything else.
    assert ada.command(undo={})["ok"] and row(daemon, "c") is None
    assert ada.command(redo={})["ok"] and ada.command(act={"row": "c", "action": "bump"})["ok"]
    # Two that went together stand as they stood.
    ada.command(recall={"rows": ["c"]})
    bob.command(remove={"rows": ["c", "e"]})
    assert ada.command(recall={"rows": ["e", "c"]})["ok"] and order(daemon) == list("xacefd")


# -------------------------------------------------------------------------- history, older revisions


def test_history(board, people):
    ada, bob = people(board, "ada"), people(board, "bob")
    before = time.time() * 1000
    ada.command(set={"row": "a", "title": "Alpha"})
    bob.command(move={"rows": ["b"], "bottom": True})
    ada.command(set={"row": "b", "title": "Beta", "fields": {"n": "1"}})
    bob.command(undo={"mine": True})
    everything = history(board)
    assert [c["revision"] for c in everything["changes"]] == list(range(10, 0, -1))
    assert everything["oldest"] == 0 and everything["keepsDiffs"] == 50_000 and "leaving" not in everything
    first, second, third, fourth = reversed(everything["changes"][:4])
    assert [c["text"] for c in (first, second, third)] == [
        f'ada{ME} renamed "Row a" to "Alpha"', f'bob{ME} moved "Beta" after "Row f"',
        f'ada{ME} renamed "Row b" to "Beta" and set n of it to "1"']
    assert fourth["cause"]["undoes"] == 8 and second["undoneBy"] == 10
    assert first["cause"]["name"] == "ada" and first["cause"]["client"] == ada.writer.client
    assert before - 1 <= first["cause"]["timeMs"] <= time.time() * 1000 + 1

    def found(**filters):
        return [c["revision"] for c in history(board, **filters).get("changes", [])]

    assert found(row="a") == [7, 1] and found(row="b") == [10, 9, 8, 2] and found(row="z") == []
    assert found(actor="bob") == [10, 8] and found(actor="nobody") == []
    assert found(verb="set") == [9, 7] and found(verb="add", row="f") == [6] and found(verb="fly") == []
    assert found(before=9, most=2) == [8, 7] and found(before=1) == [] and found(before=2**63, most=1) == [10]
    middle = second["cause"]["timeMs"]
    assert set(found(fromMs=middle)) | set(found(toMs=middle)) == set(range(1, 11)) and 8 in found(
        fromMs=middle, toMs=middle)
    for most in (0, 1001, 2**32 - 1):
        assert code(board.ask("history", {"most": most}, "board")) == "badNumber"
    assert code(board.ask("history", {}, "nowhere")) == "noSuchTable"
    # The same after a restart.
    board.restart()
    assert history(board) == everything


def test_what_is_no_longer_kept(make_daemon, people):
    daemon = begin(make_daemon(config="retain:\n  diffs: 20\ncheckpoint:\n  after_bytes: 65536\n"))
    ada = people(daemon, "ada")
    ada.command(remove={"rows": ["a"]})
    for n in range(40):
        ada.command(set={"row": "b", "fields": {"n": str(n)}})
    head = daemon.tables()["board"]
    for _ in range(2):  # and after a restart
        page = history(daemon)
        assert page["oldest"] == head["revision"] - 20 and len(page["changes"]) == 20
        assert page["keepsDiffs"] == 20 and page["leaving"] == head["revision"] - 18
        base = {"history": head["history"]}
        assert code(daemon.ask("replay", base | {"since": 3}, "board")) == "compacted"
        assert code(ada.command(undo={"revision": 7})) == "compacted"
        assert code(ada.command(recall={"rows": ["a"]})) == "compacted"
        to = base | {"since": head["revision"], "to": page["oldest"]}
        back = daemon.ask("rewind", to, "board")["rewind"]["back"]
        assert [step["revision"] for step in back] == list(range(head["revision"] - 1, page["oldest"] - 1, -1))
        assert code(daemon.ask("rewind", to | {"to": page["oldest"] - 1}, "board")) == "compacted"
        assert code(daemon.ask("rewind", to | {"to": head["revision"]}, "board")) == "badNumber"
        assert code(daemon.ask("rewind", to | {"since": head["revision"] + 1}, "board")) == "badNumber"
        assert code(daemon.ask("rewind", to | {"history": "0" * 32}, "board")) == "otherHistory"
        daemon.restart()
    for _ in range(20):
        assert ada.command(undo={})["ok"]
        if daemon.tables()["board"]["revision"] - head["revision"] == 10:
            break
    assert code(ada.command(undo={})) == "nothingToUndo"


def test_a_rewind_beyond_what_is_kept_is_refused_whatever_its_steps_weigh(make_daemon, people):
    daemon = begin(make_daemon(config="retain:\n  diffs: 20\n"))
    ada = people(daemon, "ada")
    for size in (1, 2_000):
        for n in range(25):
            assert ada.command(set={"row": "b", "fields": {"n": f"{n}" * size}})["ok"]
        head = daemon.tables()["board"]
        to = {"history": head["history"], "since": head["revision"]}
        oldest = history(daemon)["oldest"]
        assert code(daemon.ask("rewind", to | {"to": oldest - 1}, "board")) == "compacted"
        steps = daemon.ask("rewind", to | {"to": oldest}, "board")["rewind"]["back"]
        assert steps and (len(steps) < 20) == (size > 1)


def test_what_is_too_old_goes_though_nobody_looks(make_daemon, people):
    daemon = begin(make_daemon(config="retain:\n  seconds: 2\n"))
    assert len(history(daemon)["changes"]) == 6
    eventually(lambda: history(daemon)["oldest"] == 6, 10)
    assert code(people(daemon, "ada").command(undo={})) == "nothingToUndo"


def test_older_revisions(board, people):
    """A client leads its copy back to any kept revision, with versions, and shows the present all the while."""
    digests, versions = {}, {}

    def remember(_, diff):
        digests[diff["base"] + 1] = diff["digest"]
        versions[diff["base"] + 1] = {id: one["version"] for id, one in viewer.table.rows.items()}

    viewer = follow(board, on_diff=remember)
    try:
        writer, mix = people(board, "ada").writer, Mix("older", 0, 1, limit=60)
        pour(writer, [("command", {"define": {"kinds": [SWIPEABLE]}})])
        pour(writer, [mix.next() for _ in range(300)])
        pour(writer, [("command", command) for command in (
            {"expandAll": {"open": True}}, {"edit": {"on": True}}, {"edit": {"on": False}},
            {"claim": {"rows": ["a"], "note": "é", "ttl": 3600}}, {"undo": {}}, {"redo": {}},
            {"define": {"kinds": [{"id": "strip", "strip": True}]}},
            {"add": {"id": "s", "kind": "strip", "items": [{"id": i} for i in "ij"]}},
            {"item": {"row": "s", "move": {"items": ["j"], "anchor": {"first": True}}}},
            {"item": {"row": "s", "set": {"item": "i", "title": "I"}}},
            {"item": {"row": "s", "remove": {"items": ["i"]}}}, {"undo": {}},
            {"define": {"drop": ["strip"]}}, {"remove": {"rows": ["s"]}},
            {"define": {"drop": ["strip"]}}, {"undo": {}})])
        catch_up(board, viewer)
        head = viewer.revision
        assert viewer.counts["wrong"] == 0 and viewer.digest() == digest(board)
        dice = random.Random("older")
        for revision in [*dice.sample(range(7, head), 12), 7, head - 1, head]:
            table = viewer.at(revision)
            assert table.digest() == digests[revision], revision
            assert {id: one["version"] for id, one in table.rows.items()} == versions[revision], revision
        assert len(viewer.at(0)) == 0
        assert viewer.revision == head and viewer.digest() == digests[head]
    finally:
        viewer.close()


# -------------------------------------------------------------------------------- presence, claims


def test_who(board, people):
    ada, bob, others = people(board, "ada"), people(board), Others(board.endpoint, "board")
    others.until(lambda: others.count, 10)
    assert ada.attend(4)["ok"] and bob.attend(6)["ok"]
    viewers = {v["client"]: v for v in board.ask("who", {}, "board")["who"]["viewers"]}
    one, other = viewers[ada.writer.client], viewers[bob.writer.client]
    assert (one["name"], one["revision"], one["lag"]) == ("ada", 4, 2)
    assert "name" not in other and other["lag"] == 0
    assert abs(one["sinceMs"] - time.time() * 1000) < 60_000
    others.until(lambda: set(others.viewers) == set(viewers), 5)
    since = one["sinceMs"]
    assert ada.attend(6)["ok"]
    others.until(lambda: others.viewers[ada.writer.client]["revision"] == 6, 5)
    assert others.viewers[ada.writer.client]["sinceMs"] == since
    before = board.ask("health")["health"]["position"]
    ada.attend(leaving=True)
    others.until(lambda: set(others.viewers) == {bob.writer.client}, 5)
    took = others.until(lambda: not others.viewers, 10)
    assert took < 8, "5 seconds of silence, and the time to notice"
    assert board.ask("health")["health"]["position"] == before, "nothing of it is on disk"
    assert code(board.ask("attend", {}, "nowhere")) == "noSuchTable"
    others.close()
    # It is in a full presence to whoever comes later, also where nobody is.
    late = Others(board.endpoint, "board")
    late.until(lambda: late.count, 10)
    count = late.count
    late.until(lambda: late.count > count, 10)
    assert not late.viewers and not late.leases
    late.close()


def test_conditions_on_rows_and_on_the_table(board, people):
    ada = people(board, "ada")

    def refusal(condition, **command):
        error = ada.command(**command, **{"if": condition})["error"]
        return error["code"], error["field"]

    before = ada.command(set={"row": "a", "title": "one"})["revision"]
    assert refusal('title == "one"', remove={"rows": ["a", "b"]}) == ("stale", "command.if")
    assert refusal("count(rows) > 99", edit={"on": True}) == ("stale", "command.if")
    assert refusal("title = 1", remove={"rows": ["a"]}) == ("badValue", "command.if")
    assert refusal('title == "one"', edit={"on": True}) == ("badValue", "command.if")
    assert refusal("claimed", set={"row": "a", "title": "two"}) == ("stale", "command.if")
    assert refusal("age > 1h", set={"row": "a", "title": "two"}) == ("stale", "command.if")
    assert ada.command(set={"row": "a", "title": "two"}, **{"if": 'title == "one" and age < 1h'})["ok"]
    assert ada.command(remove={"rows": ["a"]}, **{"if": "count(rows) == 6"})["revision"] == before + 2


def test_claims(board, people):
    ada, bob = people(board, "ada"), people(board, "bob")
    reply = ada.command(claim={"rows": ["a", "b"], "note": "called twice"})
    assert reply["ok"]
    claim = row(board, "a")["claim"]
    assert (claim["holder"], claim["note"]) == ("ada", "called twice") and "ttl" not in claim
    assert ada.command(claim={"rows": ["a"], "note": "called twice"})["unchanged"]
    assert code(bob.command(claim={"rows": ["c", "a"]})) == "claimed" and row(board, "c").get("claim") is None
    # Advice: others may work on it, unless they ask.
    assert bob.command(set={"row": "a", "title": "x"})["ok"]
    assert code(bob.command(set={"row": "a", "title": "y"}, ifClaimed=True)) == "notClaimed"
    assert code(bob.command(set={"row": "c", "title": "y"}, ifClaimed=True)) == "notClaimed"
    assert ada.command(set={"row": "a", "title": "y"}, ifClaimed=True)["ok"]
    assert code(ada.command(remove={"rows": ["b", "c"]}, ifClaimed=True)) == "notClaimed"
    assert code(ada.command(edit={"on": True}, ifClaimed=True)) == "badValue"
    assert row(board, "a")["claim"] == claim
    # Ended by its holder, or by name.
    assert code(bob.command(unclaim={"rows": ["a"]})) == "claimed"
    assert bob.command(unclaim={"rows": ["a"], "holder": "ada"})["ok"] and not row(board, "a").get("claim")
    assert ada.command(unclaim={})["ok"] and not row(board, "b").get("claim")
    assert ada.command(unclaim={})["unchanged"]
    for ttl in (0, 0.5, 86_401, -1, "NaN", "Infinity"):
        assert code(ada.command(claim={"rows": ["a"], "ttl": ttl})) == "badNumber", ttl
    assert code(ada.command(claim={"rows": ["a"], "note": "x" * 1025})) == "tooLarge"
    assert code(board.ask("batch", {"commands": [{"claim": {"rows": ["a"]}}]}, "board")) is None
    # Over a restart, and gone with its row.
    ada.command(claim={"rows": ["b"]})
    board.restart()
    assert row(board, "b")["claim"]["holder"] == "ada"


def test_claims_end_by_themselves(board, people):
    ada, bob = people(board, "ada"), people(board, "bob")
    assert ada.command(claim={"rows": ["a"], "ttl": 2})["ok"]
    assert ada.command(claim={"rows": ["b"], "ttl": 3600})["ok"]
    for _ in range(3):
        time.sleep(1)
        assert ada.command(claim={"rows": ["a"], "ttl": 2})["unchanged"]
    began = time.monotonic()
    eventually(lambda: not row(board, "a").get("claim"), 8)
    assert time.monotonic() - began > 1
    change = history(board, most=1)["changes"][0]
    assert change["cause"]["verb"] == "expire" and "client" not in change["cause"]
    assert change["text"] == 'the daemon ended the claim of "Row a"'
    assert row(board, "b")["claim"]
    # The last viewer of its holder goes.
    elsewhere = people(board, "ada")
    for person in (ada, elsewhere, bob):
        person.attend(1)
    bob.command(claim={"rows": ["c"]})
    ada.attend(leaving=True)
    assert row(board, "b")["claim"]
    elsewhere.attend(leaving=True)
    assert not row(board, "b").get("claim") and row(board, "c")["claim"]
    eventually(lambda: not row(board, "c").get("claim"), 10)  # of one that is not heard of


# ------------------------------------------------------------------------------------ setting the date

class Dated(Daemon):
    """A daemon whose wall clock can be set; its monotonic clock cannot."""

    def __init__(self, config):
        super().__init__(config)
        self.shim = self.directory / "setdate.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", self.shim, HERE / "setdate.c"], check=True)
        self.date = self.directory / "date"
        self.date.write_bytes(bytes(8))

    def command(self, state=None, endpoint=None):
        return ["env", f"LD_PRELOAD={self.shim}", f"SETDATE={self.date}",
                *super().command(state, endpoint)]

    def set(self, years):
        with self.date.open("r+b") as file:
            file.write(struct.pack("<q", years * 365 * 86_400))


@pytest.mark.skipif(not shutil.which("cc"), reason="there is no C compiler")
def test_the_date_is_set(people):
    daemon = Dated("checkpoint:\n  after_bytes: 65536\n")
    year = 365 * 86_400_000
    try:
        daemon.start()
        begin(daemon)
        ada, bob = people(daemon, "ada"), people(daemon, "bob")
        others = Others(daemon.endpoint, "board")
        long = ada.lift("a", ttl=30)["lease"]["lease"]
        assert ada.command(claim={"rows": ["b"], "ttl": 30})["ok"]
        now = time.time() * 1000
        for years in (10, -10, 10, 0):
            daemon.set(years)
            time.sleep(0.3)
            reply = daemon.do("board", set={"row": "c", "fields": {"years": str(years)}})
            assert reply["ok"]
            stamped = row(daemon, "c")["changedMs"]
            assert abs(stamped - now - years * year) < 60_000, (years, stamped - now)
            daemon.do("board", move={"rows": ["d"], "before": "abcef"[abs(years) % 4]})
            # Neither is the lease lost, nor the claim, nor a viewer.
            assert daemon.ask("who", {}, "board")["who"]["leases"][0]["lease"] == long
            assert row(daemon, "b")["claim"]["holder"] == "ada"
            # Nor does one taken now last for ever.
            short = bob.lift("e", ttl=1)["lease"]["lease"]
            daemon.set(-years)
            began = time.monotonic()
            others.until(lambda: short in others.ended, 5)
            assert time.monotonic() - began < 3
            assert others.ended[short]["reason"] == "it was not renewed in time"
        assert ada.renew(long)["ok"] and ada.drop(long, bottom=True)["ok"]
        assert bob.command(claim={"rows": ["f"], "ttl": 1})["ok"]
        daemon.set(-10)
        eventually(lambda: not row(daemon, "f").get("claim"), 5)
        # What stands on disk does not mind either.
        before = digest(daemon)
        daemon.restart()
        assert digest(daemon) == before and daemon.ask("check", timeout=60)["ok"]
        others.close()
    finally:
        text = daemon.close()
        print(text)
        assert "Fatal error" not in text
