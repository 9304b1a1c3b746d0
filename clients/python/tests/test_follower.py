"""The follower without sockets: gaps, restarts, freshness, and news that are not what they say."""

import json
import sys
from typing import Any

import pytest
from test_page import Core

import trestle
from trestle import ops
from trestle.advance import Advance
from trestle.table import Table
from trestle.wire import encode

EMPTY = "14d24eb6952b1359"  # a new table's digest, as the page says
FIRST = {"id": "s", "revision": 4, "digest": EMPTY, "chunk": 0, "chunks": 1,
         "kinds": [{"id": "row", "digest": "561a9447a7952773", "states": [{"name": "collapsed"}]}],
         "settings": {"digest": "f33a72af52251878"}}
STATE = {"table": "board", "history": "h1", "epoch": "e1"}
HEAD = {"revision": 4, "digest": EMPTY}


def diff(base: int, digest: str = EMPTY, *ops: Any) -> Any:
    """A diff without an op leads to the same digest."""
    return {"base": base, "digest": digest, "cause": {"verb": "select"}, "ops": list(ops)}


class Played(Core):
    """A follower with a daemon that the test plays."""

    def __init__(self) -> None:
        super().__init__()
        hello, = self.asked()
        self.answer(hello, {"ok": True, "epoch": "e1", "hello": {"publish": ["ipc:///p"]}})
        self.state = dict(STATE)

    def news(self, **more: Any) -> list[trestle.Event]:
        """A publication."""
        return self.hears(self.state | more)

    def question(self, verb: str = "") -> Any:
        """The one request that is sent now; that of this verb, if it is named."""
        asked, = (one for one in self.asked() if not verb or verb in one)
        return asked

    def says(self, asked: Any, **more: Any) -> list[trestle.Event]:
        """Its answer, and what follows."""
        self.answer(asked, {"ok": "error" not in more} | self.state | more)
        return self.events()

    def join(self) -> "Played":
        """As far as the snapshot at revision 4."""
        self.news(welcome=HEAD)
        assert self.says(self.question(), snapshot=FIRST) == [trestle.Joined(4, EMPTY)]
        return self

    def fresh(self) -> trestle.Freshness:
        """How fresh the table is."""
        return self.follower.freshness(self.now)


def test_freshness() -> None:
    core = Played()
    assert core.fresh() == "disconnected"
    core.join()
    assert core.fresh() == "live"
    core.now += 2.9
    assert core.fresh() == "live"
    core.now += 0.2
    assert core.fresh() == "stale"
    core.news(heartbeat=HEAD)
    assert core.fresh() == "live"
    core.follower.connection(False, core.now)
    assert core.fresh() == "disconnected"
    core.news(heartbeat=HEAD)
    assert core.fresh() == "live"
    assert core.news(dropped={}) == [trestle.Absent()] and core.fresh() == "absent" and core.follower.table is None
    core.now += 3.1
    assert core.fresh() == "stale", "that there is no table is a fact no longer than what one has"


def test_the_time_is_the_daemons() -> None:
    """Whatever is said here: by the heartbeat that was under way for the shortest time."""
    core = Played().join()
    hour = 3_600_000
    daemon, wall = 1_800_000_000_000, 1_800_000_000_000 + 2 * hour

    def time_ms() -> float:
        return core.follower.clock.time_ms(core.now * 1000, wall)

    assert time_ms() == wall, "nothing else is known"
    for delay in (900, 40, 300, 5_000):
        core.now += 1
        daemon += 1000
        core.news(heartbeat=HEAD, timeMs=daemon - delay)
    assert abs(time_ms() - (daemon - 40)) < 1
    # A diff tells when it was made, which may be long ago.
    core.news(diffs=[diff(4)], timeMs=daemon - hour)
    assert abs(time_ms() - (daemon - 40)) < 1
    core.news(heartbeat=HEAD)
    core.news(heartbeat=HEAD, timeMs=0)
    core.now += 10
    assert abs(time_ms() - (daemon + 10_000 - 40)) < 1
    # The machine slept, and its clock that does not go back stood still: the next heartbeat is right at once.
    daemon += 10_000 + hour
    core.news(heartbeat=HEAD, timeMs=daemon - 40)
    assert abs(time_ms() - (daemon - 40)) < 1
    # The daemon's clock was set back: right after so many heartbeats.
    daemon -= hour
    for _ in range(16):
        core.now += 1
        daemon += 1000
        core.news(heartbeat=HEAD, timeMs=daemon - 40)
    assert abs(time_ms() - (daemon - 40)) < 1


def test_silence_is_answered_by_a_new_subscription() -> None:
    core = Played().join()
    times = []
    for _ in range(300):
        core.now += 0.1
        core.events()
        if core.follower.liveness.resubscribe:
            core.follower.liveness.resubscribe = False
            times.append(core.now)
    pauses = [b - a for a, b in zip([100.0, *times], times, strict=False)]
    assert pauses[0] < 2.2 and [round(one, 1) for one in pauses] == sorted(round(one, 1) for one in pauses) and max(pauses) < 9, "longer each time"


def refused(core: Played, request: Any, code: str, field: str) -> None:
    """The daemon refuses this request."""
    core.answer(request, {"ok": False, "error": {"code": code, "field": field, "message": "so"}})


def test_who_may_not_read_the_table_is_told_so() -> None:
    """Nothing is published to it, so that only a question is answered."""
    core = Played()
    core.now += 1.9
    assert core.events() == [] and core.asked() == []
    core.now += 0.2
    assert core.events() == [] and core.follower.liveness.resubscribe
    asked = core.question()
    assert "kinds" in asked and asked["table"] == "board"
    refused(core, asked, "notAllowed", "user")
    with pytest.raises(trestle.Refused, match="notAllowed"):
        core.events()
    core.follower.liveness.resubscribe = False
    core.now += 10.0
    assert core.events() == [], "the next subscription is again one with a question"
    core.answer(core.question(), {"ok": True, "kinds": {}})
    core.join()
    assert core.fresh() == "live"


@pytest.mark.parametrize("at", ["snapshot", "replay", "offer", "silence"])
def test_who_may_not_read_the_table_any_more_is_told_so(at: str) -> None:
    core = Played()
    if at == "snapshot":
        core.news(welcome=HEAD)
    else:
        core.join()
        more: Any = {"replay": {"diffs": [diff(5)]}, "offer": {"epoch": "e2", "heartbeat": HEAD}, "silence": {}}[at]
        if more:
            core.news(**more)
        else:
            core.now += 3.0
            core.events()
    asked = core.question()
    assert at in asked or (at, "kinds" in asked) == ("silence", True)
    refused(core, asked, "notAllowed", "user")
    with pytest.raises(trestle.Refused, match="notAllowed"):
        core.events()
    assert core.follower.table is None and core.events() == []


def test_another_refusal_of_a_question_means_nothing() -> None:
    core = Played()
    core.now += 3.0
    core.events()
    refused(core, core.question(), "noSuchTable", "table")
    assert core.events() == []


def test_gaps() -> None:
    core = Played().join()
    assert core.news(diffs=[diff(3)]) == [], "the snapshot has it"
    assert core.news(diffs=[diff(6)]) == [] and core.fresh() == "stale"
    asked = core.question()
    assert asked["replay"] == {"history": "h1", "since": 4}
    core.news(diffs=[diff(7)])
    # A part of what is missing: the rest is asked for.
    assert len(core.says(asked, replay={"publication": {"diffs": [diff(4)]}, "head": 8})) == 1
    asked = core.question()
    assert asked["replay"]["since"] == 5
    changes = core.says(asked, replay={"publication": {"diffs": [diff(5)]}, "head": 8})
    assert [change.revision for change in changes if isinstance(change, trestle.Change)] == [6, 7, 8]
    assert core.fresh() == "live" and core.asked() == []
    # A heartbeat proves a gap, and moves nothing.
    core.news(heartbeat={"revision": 9, "digest": EMPTY})
    assert core.follower.table and core.follower.table.revision == 8 and core.fresh() == "stale"
    core.says(core.question(), error={"code": "compacted"})
    assert core.question()["snapshot"] == {}


def test_a_long_gap_is_closed_by_a_snapshot() -> None:
    core = Played().join()
    core.news(diffs=[diff(5000)])
    core.now += 1
    core.events()
    assert "snapshot" in core.question()


@pytest.mark.parametrize("relation, then", [("same", None), ("extend", "replay"), ("rolledBack", "snapshot"),
                                            ("diverged", "snapshot"), ("compacted", "snapshot"), ("new", "snapshot")])
def test_restarts(relation: str, then: str | None) -> None:
    core = Played().join()
    core.state["epoch"] = "e2"
    assert core.news(heartbeat=HEAD) == [] and core.fresh() == "stale"
    asked = core.question()
    assert asked["offer"] == {"history": "h1", "revision": 4, "digest": EMPTY}
    assert core.says(asked, standing={"relation": relation, "head": 6}) == [trestle.Compared(relation)]
    sent = [key for request in core.asked() for key in request if key in ("replay", "snapshot", "hello")]
    assert sent == (["hello"] if then is None else ["hello", then]), "the session asks for its window anew"
    assert core.fresh() == ("live" if then is None else "stale")


def test_another_history_and_late_news_of_the_old_one() -> None:
    core = Played().join()
    core.state["history"] = "h2"
    core.news(welcome=HEAD)
    assert core.says(core.question(), snapshot=FIRST | {"id": "t"}) == [trestle.Joined(4, EMPTY)]
    core.state["history"] = "h1"
    assert core.news(diffs=[diff(4)], welcome=HEAD) == [] and core.news(dropped={}) == []
    assert core.fresh() == "live" and core.follower.table and core.follower.table.history == "h2"


def test_a_dropped_table_comes_back_with_its_history() -> None:
    core = Played().join()
    assert core.news(dropped={}) == [trestle.Absent()]
    assert core.news(diffs=[diff(4)]) == [] and core.asked() == [] and core.fresh() == "absent", "late news"
    core.state["epoch"] = "e2"
    core.news(heartbeat=HEAD)
    assert core.says(core.question(), snapshot=FIRST) == [trestle.Joined(4, EMPTY)] and core.fresh() == "live"


def test_a_daemon_that_is_behind() -> None:
    core = Played().join()
    core.state = {"table": "board", "epoch": "e2"}
    core.news(welcome={})
    assert core.says(core.question("snapshot"), error={"code": "noSuchTable"}) == [trestle.Absent()]
    core.state = STATE | {"epoch": "e2"}
    core.news(welcome=HEAD)
    assert core.says(core.question("snapshot"), snapshot=FIRST) == [trestle.Joined(4, EMPTY)]
    # Another one still has the table that was there before.
    core.state = STATE | {"epoch": "e3", "history": "h0"}
    core.news(heartbeat=HEAD)
    core.says(core.question("offer"), standing={"relation": "diverged"})
    assert core.says(core.question("snapshot"), snapshot=FIRST) == [trestle.Joined(4, EMPTY)]
    # The news that it was dropped are lost.
    core.state = STATE | {"epoch": "e3"}
    core.news(heartbeat=HEAD)
    assert core.says(core.question("snapshot"), snapshot=FIRST) == [trestle.Joined(4, EMPTY)]
    assert core.follower.table and core.follower.table.history == "h1" and core.fresh() == "live"


@pytest.mark.parametrize("more", [
    {"diffs": [diff(4, "0" * 16)]},
    {"heartbeat": HEAD | {"digest": "1" * 16}},
    {"diffs": [diff(4, EMPTY, {"remove": {"row": "nobody"}})]},
    {"diffs": [diff(4, EMPTY, {"ghost": {}})]},
    {"diffs": [diff(4, EMPTY, {"move": {"rows": []}})]},
    {"diffs": [diff(4, EMPTY, {"define": {"drop": ["row"]}})]},
    {"diffs": [diff(4, EMPTY, {"setItem": {"row": "r", "item": "i"}})]},
    {"diffs": [diff(4, EMPTY, {"insertSection": {"id": "s", "after": "nobody"}})]},
    {"diffs": [diff(4, EMPTY, {"select": {"row": "nobody"}})]},
    {"diffs": [diff(4, EMPTY, {"select": {}})]},
    {"diffs": [diff(4, EMPTY, {"select": {"row": 1}})]},
    {"diffs": [diff(4, EMPTY, {"insert": {"row": {"id": "r", "kind": "row", "version": -1}}})]},
    {"diffs": [diff(4, EMPTY, {"swap": {"a": "a", "b": "b"}, "edit": {}})]},
    {"diffs": [diff(4, EMPTY, {"restore": {"row": "r", "changedMs": 1 << 64}})]},
    {"diffs": [{"base": "4", "digest": EMPTY}]}, {"diffs": {}}, {"diffs": [None]}, {"heartbeat": []},
    {"heartbeat": {"digest": "x"}}, {"epoch": 7}, {"table": None}])
def test_what_does_not_fit_is_healed_by_a_snapshot(more: Any) -> None:
    core = Played().join()
    event, = core.news(**more)
    assert isinstance(event, trestle.Mismatch) and core.follower.counts["wrong"] == 1
    assert core.fresh() != "live" and core.asked() == [], "after a pause"
    core.now += 1
    core.events()
    assert core.says(core.question(), snapshot=FIRST) == [trestle.Joined(4, EMPTY)]
    assert core.news(diffs=[diff(4)]) == [trestle.Change(5, EMPTY, {"verb": "select"}, ())]


def test_a_daemon_that_lies_for_ever_is_asked_ever_more_slowly() -> None:
    core = Played().join()
    snapshots = 0
    for _ in range(600):
        core.now += 0.05
        core.news(heartbeat=HEAD | {"digest": "1" * 16})
        for asked in core.asked():
            snapshots += "snapshot" in asked
            core.says(asked, snapshot=FIRST)
    assert 5 < snapshots < 30, "in 30 seconds"


@pytest.mark.parametrize("chunk", [
    {"digest": "0" * 16}, {"chunks": 0}, {"chunks": 1 << 40}, {"chunk": 1}, {"settings": {}}, {"id": 3},
    {"kinds": [{"id": "row"}]}, {"rows": -1},
    {"slices": [{"section": "a", "rows": [{"id": "r", "kind": "row"}, {"id": "r", "kind": "row"}]}]},
    {"slices": [{"section": "a", "rows": [{"id": "r", "kind": "row", "items": [{"id": "i", "tap": {}}]}]}]},
    {"invocations": [{"id": "1.0"}]}])
def test_a_snapshot_that_is_none(chunk: Any) -> None:
    core = Played()
    core.news(welcome=HEAD)
    events = core.says(core.question(), snapshot=FIRST | chunk)
    assert core.follower.table is None and core.fresh() == "stale"
    assert all(isinstance(event, trestle.Mismatch) for event in events)
    core.now += 3
    core.events()
    assert core.says(core.question(), snapshot=FIRST) == [trestle.Joined(4, EMPTY)], "it asks again"


def test_chunks_some_at_a_time() -> None:
    core = Played()
    core.news(welcome=HEAD)
    chunks = [{"id": "s", "digest": EMPTY, "chunk": n, "chunks": 9} for n in range(9)]
    core.says(core.question(), snapshot=FIRST | {"chunks": 9})
    asked = core.asked()
    assert [one["snapshot"]["chunk"] for one in asked] == [1, 2, 3, 4]
    events: list[trestle.Event] = []
    while asked:
        one = asked.pop()
        events += core.says(one, snapshot=chunks[one["snapshot"]["chunk"]])
        asked += core.asked()
    assert events == [trestle.Joined(4, EMPTY)]


def test_news_while_the_snapshot_comes_are_kept() -> None:
    core = Played()
    core.news(welcome=HEAD)
    asked = core.question()
    core.news(diffs=[diff(3), diff(4)])
    core.news(diffs=[diff(5)])
    assert [type(event).__name__ for event in core.says(asked, snapshot=FIRST)] == ["Joined", "Change", "Change"]


def test_invocations_stand_in_the_order_of_their_presses() -> None:
    table = Table.of_chunks("t", [FIRST])

    def put(*steps: str | tuple[str, str]) -> list[str]:
        """One diff in which each comes, with a holder if there is one, or goes if a minus stands before it."""
        comings = [coming(*([step] if isinstance(step, str) else step)) for step in steps]
        ops.apply(table, fitting(table, *comings))
        return list(table.invocations)

    wanted = ["9.0", "10.0", "12.0", "12.1", "100.9", "100.10"]
    assert put("12.1", "9.0", "10.0", "12.0", "100.10", "100.9") == wanted, "by numbers, whatever came first"
    assert put(("10.0", "h")) == wanted and table.invocations["10.0"].holder == "h", "one that is there keeps its place"
    assert put("-9.0", "-8.0", "9.0") == wanted, "it comes back where it was"
    here = Table.of_chunks("t", [FIRST])
    back = fitting(here, coming("12.0"), coming("9.0"))
    ops.rewind(here, {"revision": 3, "digest": back["digest"], "ops": back["ops"]})
    assert list(here.invocations) == ["9.0", "12.0"], "also on the way back"
    with pytest.raises(trestle.Wrong):
        put("10.x")


def coming(id: str, holder: str = "") -> Any:
    """The op with which an invocation comes; with which it goes, if a minus stands before its id."""
    one = {"id": id, "row": "r", "action": "print", "holder": holder, "digest": "0" * 16}
    return {"setInvocation": {"id": id.lstrip("-")} | ({} if id[0] == "-" else {"invocation": one})}


def fitting(table: Table, *comings: Any) -> Any:
    """A diff of these ops with the right digest, which the order of the invocations does not change."""
    copy = table.copy()
    for op in comings:
        ops.OPS["setInvocation"](Advance(copy, table.revision + 1, 0, going_back=False), op["setInvocation"])
    return diff(table.revision, copy.digest(), *comings)


def test_presses_that_come_back_are_put_in_order_once() -> None:
    """A redo of a batch brings its presses back, before those that came meanwhile."""

    def calls(count: int) -> int:
        """How many functions are called when so many come back before four times as many."""
        table = Table.of_chunks("t", [FIRST])
        ops.apply(table, fitting(table, *(coming(f"7.{n}") for n in range(4 * count))))
        change = fitting(table, *(coming(f"5.{n}") for n in range(count)))
        called = 0

        def profile(frame: Any, event: str, arg: Any) -> None:
            nonlocal called
            called += event in ("call", "c_call")

        before = sys.getprofile()
        sys.setprofile(profile)
        try:
            ops.apply(table, change)
        finally:
            sys.setprofile(before)
        wanted = [f"5.{n}" for n in range(count)] + [f"7.{n}" for n in range(4 * count)]
        assert list(table.waiting) == wanted
        return called

    assert calls(400) < 5 * calls(100), "four times as much work for four times as many, not sixteen times"


def test_rows_do_not_change_in_hand() -> None:
    """A row that was read stays as it was; so does a copy of the table."""
    table = Table.of_chunks("t", [FIRST | {"slices": [{"section": "main", "rows": [
        {"id": "r", "kind": "row", "title": "Soup", "fields": {"a": "1"}}]}]}])
    row, copy = table["r"], table.copy()
    digest = copy.digest()
    other = Table.of_chunks("t", [json.loads(encode(FIRST | {"slices": [{"section": "main", "rows": [
        {"id": "r", "kind": "row", "title": "Tea", "fields": {"a": "1", "b": "2"}, "changedMs": 9}]}]}))])
    ops.apply(table, {"base": 4, "digest": other.digest(), "cause": {"timeMs": 9}, "ops": [
        {"set": {"row": "r", "title": "Tea", "fields": {"b": "2"}}}]})
    assert (table["r"].title, table["r"].version, dict(table["r"].fields)) == ("Tea", 5, {"a": "1", "b": "2"})
    assert (row.title, dict(row.fields)) == ("Soup", {"a": "1"}) and copy.digest() == digest
    with pytest.raises(TypeError):
        row.fields["a"] = "2"  # type: ignore[index]
