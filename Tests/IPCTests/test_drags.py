"""Drags are leases (§17): Must show 1, 2 and 5 of reordering, and whatever can go wrong with them."""

import random
import statistics
import sys
import time

import pytest

from harness import HERE, SWIPEABLE, ask_raw, eventually, full, lines, seen
from test_in_sync import check_in_step, start_viewers
from trestle_client import Others, Person, Viewer, encode


@pytest.fixture
def board(daemon):
    """Rows a to f on the board."""
    daemon.ask("create", {}, "board")
    for id in "abcdef":
        daemon.do("board", add={"id": id, "title": f"Row {id}"})
    return daemon


@pytest.fixture
def people(board):
    made = []

    def make(name=None, table="board"):
        made.append(Person(board.endpoint, table, name))
        return made[-1]

    yield make
    for person in made:
        person.close()


def order(daemon, table="board"):
    chunk = daemon.ask("snapshot", {}, table)["snapshot"]
    return [row["id"] for part in chunk["slices"] for row in part.get("rows", [])]


def leases(daemon, table="board"):
    return daemon.ask("who", {}, table)["who"].get("leases", [])


def code(reply):
    return None if reply["ok"] else reply["error"]["code"]


def lift(person, *rows, ttl=None):
    reply = person.lift(*rows, ttl=ttl)
    assert reply["ok"], reply
    return reply["lease"]["lease"]


def position(daemon):
    return daemon.ask("health")["health"]["position"]


# ------------------------------------------------------------------------------------ Must show 1


@pytest.mark.bound(150, 600)
def test_thirty_two_holders(daemon):
    """Rows are dragged, removed and recalled by 32 people, some of whom are killed, as is the daemon."""
    rows, processes, each, seconds = 500, 8, 4, full(60, 6)
    dice = random.Random("drags")
    daemon.ask("create", {}, "board")
    viewers = start_viewers(daemon, "board")
    for start in range(0, rows, 100):
        reply = daemon.ask("batch", {"commands": [
            {"add": {"id": f"r{n}", "section": f"s{n % 3}"}} for n in range(start, start + 100)]}, "board")
        assert reply["ok"], reply
    stop, made = daemon.directory / "stop", 0

    def start():
        nonlocal made
        made += 1
        return daemon.beside_it([sys.executable, HERE / "dragging_process.py", daemon.endpoint, rows,
                                 f"drags/{made}", each, stop], f"holder{made}")

    holders = [start() for _ in range(processes)]
    every, killed = list(holders), []
    eventually(lambda: all(lines(h.path) for h in holders), 60)
    end, restarts = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        time.sleep(seconds / full(36, 12))
        if dice.random() < 0.6:
            index = dice.randrange(processes)
            holders[index].kill()
            holders[index].wait()
            killed.append(holders[index])
            holders[index] = start()
            every.append(holders[index])
        if dice.random() < 0.25 or restarts == 0:
            # Some rows are in the air: who holds them hears that the lease is gone.
            eventually(lambda: len(leases(daemon)) > 2, 10, every=0.001)
            daemon.kill()
            daemon.start()
            restarts += 1
    stop.touch()
    for process in holders:
        assert process.wait(60) == 0, (process.path.parent / (process.path.name + ".err")).read_text()
    eventually(lambda: not leases(daemon), 8)

    head = check_in_step(daemon, "board", viewers, seconds=30)
    causes = {}
    for revision, _, cause in seen(viewers[0].path)[0]:
        if cause["verb"] == "batch":
            continue
        assert cause["verb"] in ("drop", "remove", "recall"), cause
        key = (cause["client"], cause["number"])
        assert key not in causes, "carried out twice"
        causes[key] = (revision, cause["verb"])
    said = [d for h in every for d in lines(h.path)]
    acked = [d["reply"] for d in said if d.get("reply", {}).get("ok")]
    for reply in acked:
        assert not reply.get("unchanged")
        assert causes[reply["client"], reply["number"]][0] == reply["revision"]
    drops = [key for key, (_, verb) in causes.items() if verb == "drop"]
    # Those that nobody heard an answer to are of holders who were killed.
    unheard = set(causes) - {(reply["client"], reply["number"]) for reply in acked}
    assert len(unheard) <= len(killed) * each, unheard
    codes = [d["reply"]["error"]["code"] for d in said if "reply" in d and not d["reply"]["ok"]]
    codes += [d["code"] for d in said if "code" in d]
    assert set(codes) <= {"noSuchLease", "noSuchRow", "leased", "badAnchor", "exists", "conflict"}, set(codes)

    # The order is a permutation of the rows that are there.
    viewer = Viewer(daemon.endpoint, "board")
    try:
        eventually(lambda: viewer.step(0.05) or viewer.freshness() == "live", 30)
        there = [id for _, ids in viewer.table.order() for id in ids]
        assert len(there) == len(set(there)) == len(viewer.table) and set(there) == set(viewer.table.rows)
        assert viewer.digest() == head["digest"]
    finally:
        viewer.close()
    assert daemon.ask("check", timeout=60)["ok"]
    print(f"{len(drops)} drops, {head['revision']} revisions, {len(acked)} acknowledged, "
          f"{len(killed)} holder processes killed, the daemon {restarts} times; refusals: "
          f"{ {c: codes.count(c) for c in set(codes)} }; unheard: {len(unheard)}")
    assert len(drops) > full(200, 20) and {"leased", "noSuchLease"} <= set(codes)


# ------------------------------------------------------------------------------------ Must show 2


def test_a_long_drag_is_one_revision(board, people):
    ada = people("ada")
    before, revision = position(board), board.tables()["board"]["revision"]
    lease = lift(ada, "b", "a")
    for n in range(1000):
        assert ada.hover(lease, after="cdef"[n % 4])["unchanged"]
    assert position(board) == before and board.tables()["board"]["revision"] == revision
    assert order(board) == list("abcdef")
    reply = ada.drop(lease, after="d")
    assert reply["ok"] and reply["revision"] == revision + 1 and not reply.get("unchanged")
    assert [row["row"] for row in reply["rows"]] == ["b", "a"]
    assert position(board) == before + 1
    assert order(board) == list("cdbaef") and leases(board) == []
    stats = board.stats()
    assert stats["counters"]["requests_hover"] == 1000
    change = board.ask("history", {"most": 1}, "board")["changes"]["changes"][0]
    assert change["cause"]["verb"] == "drop" and change["cause"]["name"] == "ada"


def test_a_drop_where_they_stand_is_a_revision(board, people):
    ada = people("ada")
    revision = board.tables()["board"]["revision"]
    reply = ada.drop(lift(ada, "b"), after="a")
    assert reply["ok"] and not reply.get("unchanged") and reply["revision"] == revision + 1
    # The same drop again, as after a lost answer: the remembered one.
    number = ada.writer.number
    body = encode({"client": ada.writer.client, "number": number, "opened": ada.writer.opened,
                   "table": "board", "drag": {"drop": {"lease": "x", "to": {"top": True}}}, "name": "ada"})
    ada.writer.link.send(body)
    assert code(ada.writer.link.receive(10)) == "numberReused"


# ------------------------------------------------------------------------------------ Must show 5


def test_a_ghost_is_seen_at_once_and_goes_with_its_holder(board, people):
    ada, others = people("ada"), Others(board.endpoint, "board")
    others.until(lambda: others.count, 10)
    lease = lift(ada, "a", ttl=60)
    others.until(lambda: lease in others.leases, 10)
    assert others.leases[lease]["holder"] == "ada" and others.leases[lease]["rows"] == ["a"]
    took = []
    for n in range(60):
        place = "bcdef"[n % 5]
        begin = time.monotonic()
        ada.post("drag", {"hover": {"lease": lease, "before": place}})
        others.until(lambda: others.leases[lease].get("before") == place, 10)
        took.append(time.monotonic() - begin)
        time.sleep(0.02)
    median = statistics.median(took)
    print(f"hover to ghost: median {median * 1000:.1f} ms, worst {max(took) * 1000:.1f} ms")
    assert median < 0.1  # on an idle machine a millisecond or two
    ada.cancel(lease)
    others.until(lambda: lease not in others.leases, 10)
    assert others.ended[lease]["reason"] == "ada let go" and not others.ended[lease].get("dropped")

    holder = board.beside_it([sys.executable, HERE / "dragging_process.py", "hold", board.endpoint, "b"], "hold")
    eventually(lambda: lines(holder.path), 30)
    lease = lines(holder.path)[0]["lease"]
    others.until(lambda: lease in others.leases, 2)
    holder.kill()
    took = others.until(lambda: lease not in others.leases, 4)
    print(f"the ghost of a killed holder (ttl 2 s) went after {took:.2f} s")
    assert others.ended[lease]["reason"] == "it was not renewed in time"
    others.close()


def test_ghosts_end_with_the_daemon(board, people):
    ada, others = people("ada"), Others(board.endpoint, "board")
    others.until(lambda: others.count, 10)
    lease = lift(ada, "a", ttl=60)
    others.until(lambda: lease in others.leases, 10)
    board.restart()
    epoch = others.epoch
    others.until(lambda: others.epoch != epoch and not others.leases, 15)
    reply = ada.drop(lease, top=True)
    assert code(reply) == "noSuchLease" and "restarted" in reply["error"]["message"]
    assert leases(board) == [] and order(board) == list("abcdef")
    others.close()


@pytest.mark.parametrize("ended", ["killed", "checkpoint", "dropped", "cancelled"])
def test_a_swipe_that_a_lift_closed_opens_after_a_kill(make_daemon, ended):
    """As by `cancel` (B6, E3); and an undo then takes the swipe back, not an earlier change (H6)."""
    daemon = make_daemon(config="checkpoint: {after_bytes: 65536}\n")
    daemon.ask("create", {}, "board")
    daemon.do("board", define={"kinds": [SWIPEABLE]})
    for id in "abc":
        daemon.do("board", add={"id": id, "kind": SWIPEABLE["id"]})
    assert daemon.do("board", swipe={"row": "a", "edge": "trailing"})["ok"]
    ada = Person(daemon.endpoint, "board", "ada")
    lease = lift(ada, "a", ttl=60)
    if ended == "checkpoint":
        # It covers the lift, whose diff is no longer read then.
        parts = daemon.stats()["gauges"]["journal_checkpoint"]
        for n in range(60):
            assert daemon.do("board", set={"row": "b", "title": str(n % 10) * 4_000})["ok"]
        eventually(lambda: daemon.stats()["gauges"]["journal_checkpoint"] > parts, 20)
    elif ended == "dropped":
        assert ada.drop(lease, bottom=True)["ok"]
    elif ended == "cancelled":
        assert ada.cancel(lease)["ok"]
    ada.close()
    daemon.restart()
    swipe = {row["id"]: row["swipe"] for part in daemon.ask("snapshot", {}, "board")["snapshot"]["slices"]
             for row in part["rows"]}
    assert swipe["a"] == ("closed" if ended == "dropped" else "trailing"), swipe
    if ended != "killed":
        return
    assert daemon.ask("command", {"undo": {}}, "board")["ok"]
    rows = daemon.ask("snapshot", {}, "board")["snapshot"]["slices"][0]["rows"]
    assert [row["id"] for row in rows] == list("abc") and rows[0]["swipe"] == "closed"
    # Once.
    daemon.restart()
    rows = daemon.ask("snapshot", {}, "board")["snapshot"]["slices"][0]["rows"]
    assert rows[0]["swipe"] == "closed"


# ---------------------------------------------------------------------------- who may, and for how long


def test_only_the_holder(board, people):
    ada, bob = people("ada"), people("bob")
    lease = lift(ada, "a")
    for reply in (bob.drop(lease, bottom=True), bob.hover(lease, top=True), bob.renew(lease),
                  bob.cancel(lease)):
        assert code(reply) == "notHeld", reply
    assert leases(board)[0]["lease"] == lease
    assert code(board.ask("drag", {"cancel": lease}, "board")) == "notHeld"
    # Elsewhere under the same name: the same person.
    assert people("ada").drop(lease, bottom=True)["ok"]
    assert order(board) == list("bcdefa")


def test_a_lease_runs_out(board, people):
    ada, bob = people("ada"), people("bob")
    lease = lift(ada, "a", ttl=1)
    for _ in range(4):
        time.sleep(0.5)
        assert ada.renew(lease)["ok"]
    assert code(bob.lift("a")) == "leased"
    eventually(lambda: not leases(board), 2)
    reply = ada.drop(lease, bottom=True)
    assert code(reply) == "noSuchLease" and "not renewed" in reply["error"]["message"]
    assert code(ada.hover(lease, top=True)) == code(ada.cancel(lease)) == "noSuchLease"
    assert code(ada.drop("nothing", top=True)) == "noSuchLease"
    assert order(board) == list("abcdef") and bob.lift("a")["ok"]


def test_the_same_lift_again_is_the_same_lease(board, people):
    ada, other = people("ada"), people("ada")
    lease = lift(ada, "a", "b")
    assert lift(ada, "a", "b") == lease
    assert code(ada.lift("b", "a")) == code(ada.lift("a")) == code(other.lift("a", "b")) == "leased"
    assert len(leases(board)) == 1


def test_ids_of_leases_tell_no_count(board, people):
    """Who may read one table does not learn from them how many drags there are in others."""
    ada = people("ada")
    ids = []
    for _ in range(8):
        ids.append(lift(ada, "a"))
        ada.cancel(ids[-1])
    assert len(set(ids)) == 8 and len({one[:8] for one in ids}) == 1, "the epoch, which everybody knows"
    numbers = [int(one[9:], 16) for one in ids]
    assert all(len(one) == 41 and one[8] == "-" for one in ids), ids
    assert min(abs(a - b) for a in numbers for b in numbers if a != b) > 2 ** 64, ids


def test_a_removed_row_ends_the_lease(board, people):
    ada, bob = people("ada"), people("bob")
    others = Others(board.endpoint, "board")
    others.until(lambda: others.count, 10)
    lease = lift(ada, "a", "b")
    assert bob.command(remove={"rows": ["b"]})["ok"]
    reply = ada.drop(lease, bottom=True)
    assert code(reply) == "noSuchLease" and "row b was removed by bob" in reply["error"]["message"]
    others.until(lambda: lease in others.ended, 10)
    assert others.ended[lease]["reason"] == "row b was removed by bob"
    others.close()
    lift(ada, "c")
    board.ask("drop", {}, "board")
    assert code(ada.lift("c")) == "noSuchTable"
    board.ask("create", {}, "board")
    assert leases(board) == []


def test_a_viewer_that_goes_drags_nothing(board, people):
    ada, quiet = people("ada"), people("quiet")
    for person, row in ((ada, "a"), (quiet, "b")):
        assert person.attend(6)["ok"]
        lift(person, row, ttl=60)
    ada.attend(leaving=True)
    (one,) = leases(board)
    assert one["holder"] == "quiet"
    began = time.monotonic()
    eventually(lambda: not leases(board), 10)
    assert time.monotonic() - began > 3, "5 seconds of silence"
    assert "quiet is gone" in quiet.drop(one["lease"], top=True)["error"]["message"]


# -------------------------------------------------------------------------------------- bad input


def test_bad_ttls(board, people):
    ada = people("ada")
    for ttl in (0, 0.999, 60.001, -1, 1e308, "NaN", "Infinity", "-Infinity"):
        assert code(ada.lift("a", ttl=ttl)) == "badNumber", ttl
    for ttl in ("x", [], {}, True):
        lift = {"lift": {"rows": ["a"], "ttl": ttl}}
        reply = ask_raw(board, encode({"client": "c", "number": 1, "table": "board", "drag": lift}))
        assert code(reply) == "malformed", ttl
    for ttl in (1, 60):
        assert ada.cancel(ada.lift("a", ttl=ttl)["lease"]["lease"])["ok"]
    assert leases(board) == []


def test_bad_lifts(board, people):
    ada, bob = people("ada"), people("bob")
    assert board.ask("batch", {"commands": [{"add": {"id": f"n{n}"}} for n in range(300)]}, "board")["ok"]
    reply = ada.lift(*(f"n{n}" for n in range(10_000)))
    assert code(reply) == "tooLarge" and reply["error"]["field"] == "drag.lift.rows", reply
    assert code(ada.lift(*(f"n{n}" for n in range(257)))) == "tooLarge"
    lease = lift(ada, *(f"n{n}" for n in range(256)))
    assert ada.drop(lease, top=True)["ok"] and order(board)[:256] == [f"n{n}" for n in range(256)]
    assert code(ada.lift()) == "malformed"
    assert code(ada.lift("a", "a")) == "duplicate"
    assert code(ada.lift("a", "nobody")) == "noSuchRow"
    reply = board.do(
        "board", define={"kinds": [{"id": "fixed", "canMove": False}, {"id": "pin", "pinned": True}]})
    assert reply["ok"], reply
    for kind in ("fixed", "pin"):
        board.do("board", add={"id": kind, "kind": kind})
        assert code(ada.lift(kind)) == "notAllowed"
    lift(ada, "a")
    reply = bob.lift("b", "a")
    assert code(reply) == "leased" and "ada" in reply["error"]["message"]
    assert [one["rows"] for one in leases(board)] == [["a"]]
    reply = ask_raw(board, encode({"table": "board", "drag": {"lift": {"rows": ["b"]}}}))
    assert code(reply) == "malformed" and reply["error"]["field"] == "client"


def test_bad_drops_end_the_lease(board, people):
    ada, bob = people("ada"), people("bob")
    # Onto itself.
    lease = lift(ada, "a", "b")
    reply = ada.drop(lease, after="b")
    assert code(reply) == "badAnchor" and reply["error"]["field"] == "drag.drop.to.after", reply
    reply = ada.drop(lease, top=True)
    assert code(reply) == "noSuchLease" and "the drop was refused" in reply["error"]["message"]
    # Beside a row that never was, and into a section that it is not in.
    assert code(ada.drop(lift(ada, "a"), before="nobody")) == "noSuchRow"
    assert code(ada.drop(lift(ada, "a"), before="c", section="other")) == "badAnchor"
    assert leases(board) == [] and order(board) == list("abcdef")
    # Between rows that vanished.
    strict, loose = lift(ada, "a"), lift(ada, "f")
    bob.command(remove={"rows": ["c"]}), bob.command(remove={"rows": ["d"]})
    assert code(ada.drop(strict, after="c", strict=True)) == "noSuchRow"
    reply = ada.drop(loose, after="d")
    assert reply["ok"] and reply["rows"][0]["after"] == "b"
    assert reply["rows"][0]["note"] == "after b: d was removed"
    assert order(board) == list("abfe")
    # A message that does not say where: the lease goes on.
    lease = lift(ada, "a")
    assert code(ada.drop(lease)) == "malformed"
    assert ada.drop(lease, bottom=True)["ok"]


def test_a_lifted_row_stays_where_it_is(board, people):
    ada, bob = people("ada"), people("bob")
    lease = lift(ada, "a")
    for refused in (
            {"move": {"rows": ["b", "a"], "bottom": True}}, {"swap": {"a": "a", "b": "b"}},
            {"swap": {"a": "b", "b": "a"}}, {"swipe": {"row": "a", "edge": "leading"}},
            {"act": {"row": "a", "action": "done"}}):
        for person in (ada, bob):
            assert code(person.command(**refused)) == "leased", refused
    reply = bob.writer.do("board", "batch", {"commands": [
        {"set": {"row": "b", "title": "x"}}, {"move": {"rows": ["a"], "bottom": True}}]})
    assert code(reply) == "leased" and reply["error"]["command"] == 1
    # Others move around it; what does not move it goes on.
    assert bob.command(move={"rows": ["f"], "before": "a"})["ok"]
    assert bob.command(set={"row": "a", "title": "renamed"})["ok"]
    assert bob.command(expand={"row": "a", "toggle": True})["ok"]
    assert ada.drop(lease, after="b")["ok"] and order(board) == list("fbacde")


def test_an_undo_does_not_move_a_lifted_row(board, people):
    ada, bob = people("ada"), people("bob")
    assert bob.command(move={"rows": ["a"], "bottom": True})["ok"]
    lease = lift(ada, "a")
    assert code(bob.command(undo={})) == "leased"
    ada.cancel(lease)
    assert bob.command(undo={})["ok"] and order(board) == list("abcdef")


def test_a_swipe_is_closed_by_a_lift_and_comes_back(board, people):
    ada, bob = people("ada"), people("bob")

    def state():
        chunk = board.ask("snapshot", {}, "board")["snapshot"]
        return {row["id"]: row.get("swipe", "closed") for part in chunk["slices"] for row in part["rows"]}

    board.do("board", define={"kinds": [SWIPEABLE]})
    bob.command(swipe={"row": "a", "edge": "leading"})
    before = board.tables()["board"]
    lease = lift(ada, "a", "b")
    assert state()["a"] == "closed"
    ada.cancel(lease)
    assert state()["a"] == "leading"
    now = board.tables()["board"]
    assert now["digest"] == before["digest"] and now["revision"] == before["revision"] + 2
    # Somebody opened another one meanwhile: theirs stays.
    lease = lift(ada, "a")
    bob.command(swipe={"row": "b", "edge": "trailing"})
    ada.cancel(lease)
    assert state()["a"] == "closed" and state()["b"] == "trailing"
    # Lost like this, too: the lift is taken back by somebody, and the row is not both.
    bob.command(swipe={"row": "a", "edge": "leading"})
    lease = lift(ada, "a")
    revision = board.tables()["board"]["revision"]
    bob.command(swipe={"row": "c", "edge": "leading"})
    bob.command(undo={"revision": revision})
    assert state()["a"] == "closed"
    # A drop leaves it closed.
    assert ada.drop(lease, bottom=True)["ok"] and state()["a"] == "closed"


@pytest.mark.parametrize("how", ["cancel", "time", "leave", "remove"])
def test_a_drag_that_ends_without_a_drop_is_its_holders(board, people, how):
    """What opens the swipe again is no revision by nobody."""
    ada, bob = people("ada"), people("bob")
    board.do("board", define={"kinds": [SWIPEABLE]})
    bob.command(swipe={"row": "a", "edge": "leading"})
    if how == "leave":
        assert ada.ask("attend", {"revision": 0})["ok"]
    lease = lift(ada, "a", "b", ttl=1 if how == "time" else 60)
    lifted = board.ask("history", {"most": 1}, "board")["changes"]["changes"][0]["cause"]
    assert (lifted["verb"], lifted["name"]) == ("lift", "ada")
    if how == "cancel":
        assert ada.cancel(lease)["ok"]
    elif how == "leave":
        assert ada.ask("attend", {"revision": 0, "leaving": True})["ok"]
    elif how == "remove":
        bob.command(remove={"rows": ["b"]})

    def cause():
        """A drag that has ended."""
        changes = board.ask("history", {"most": 9}, "board")["changes"]["changes"]
        return next((one["cause"] for one in changes if one["cause"]["verb"] == "cancel"), None)

    said = eventually(cause, 5)
    assert (said["name"], said["user"]) == ("ada", lifted["user"]), said
    assert "client" not in said and "number" not in said
    board.kill()
    board.start()
    assert cause() == said


@pytest.mark.bound(120, 300)
def test_hover_storms(board, people):
    """20,000 hovers as fast as possible: few presences, no journal, and others are answered."""
    crowd = [people(f"p{n}") for n in range(4)]
    held = [lift(person, "abcd"[n], ttl=60) for n, person in enumerate(crowd)]
    others = Others(board.endpoint, "board")
    others.until(lambda: others.count, 10)
    writer, took, each = people("writer"), [], 5000
    before, count, begin = position(board), others.count, time.monotonic()
    for n in range(each):
        for person, lease in zip(crowd, held):
            hover = {"hover": {"lease": lease, "after": "ef"[n % 2]}}
            person.link.socket.send_multipart([b"", b"trestle/1 json", encode(  # waits where it is full
                {"client": person.writer.client, "name": person.name, "table": "board", "drag": hover})])
            while person.link.receive():
                pass
        if n % 250 == 0:
            asked = time.monotonic()
            assert writer.command(set={"row": "f", "fields": {"n": str(n)}})["ok"]
            took.append(time.monotonic() - asked)
        while others.step(0):
            pass
    eventually(lambda: board.stats()["counters"]["requests_hover"] >= 4 * each, 60)
    seconds = time.monotonic() - begin
    while others.step(0.1):
        if time.monotonic() - begin > seconds + 1:
            break
    presences = others.count - count
    print(f"{4 * each} hovers in {seconds:.1f} s: {presences} presences; a command among them took "
          f"{statistics.median(took) * 1000:.1f} ms, at most {max(took) * 1000:.0f} ms")
    assert presences <= (seconds + 2) / 0.016 + 10
    assert position(board) == before + len(took)
    assert statistics.median(took) < 0.5 and max(took) < 5
    assert [one["after"] for one in leases(board)] == ["f"] * 4
    for person, lease in zip(crowd, held):
        assert person.drop(lease, bottom=True)["ok"]
