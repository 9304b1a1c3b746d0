"""What is in the way on one row for a moment: `next` passes it over, forgets none, and keeps to the order of the line."""

import time

import pytest

from harness import cli, eventually
from trestle_client import Link, Writer, encode

KIND = {"id": "job", "show": {"group": "customer"}, "trailing": {"actions": [
    {"id": "run", "title": "Run", "when": 'not any(group where section == "running")',
     "effect": [{"move": {"section": "running", "bottom": True}}]},
    {"id": "mark", "title": "Mark", "effect": [{"group": {"effects": [{"set": {"fields": {"mark": "yes"}}}]}}]}]}}
RISKY = {"id": "risky", "trailing": {"actions": [
    {"id": "mark", "title": "Mark", "confirm": True, "effect": [{"set": {"fields": {"mark": "yes"}}}]}]}}


def jobs(daemon, *customers):
    daemon.ask("create", {}, "jobs")
    assert daemon.do("jobs", define={"kinds": [KIND, RISKY]})["ok"]
    for section in ("queued", "running", "done"):
        assert daemon.do("jobs", section={"id": section})["ok"]
    for number, customer in enumerate(customers):
        assert daemon.do("jobs", add={"id": f"r{number}", "kind": "job", "section": "queued",
                                      "fields": {"customer": customer}})["ok"]


def got(reply):
    assert reply["ok"], reply
    return [row["row"] for row in reply.get("rows", [])]


def performed(daemon):
    slices = daemon.ask("snapshot", {}, "jobs")["snapshot"]["slices"]
    return [one for part in slices for row in part.get("rows", []) for one in row.get("performed", [])]


@pytest.fixture
def ada(daemon):
    writer = Writer(daemon.endpoint, name="ada")
    yield writer
    writer.close()


def test_one_job_of_each_customer_at_a_time(daemon, ada):
    """The first one of a customer makes the guards of the others false: they wait for their turn, and have not failed."""
    jobs(daemon, "a", "a", "b", "a", "b")
    run = {"action": "run", "section": "queued", "most": 5}
    assert got(ada.command("jobs", next=run)) == ["r0", "r2"]
    assert got(ada.command("jobs", next=run)) == []
    assert daemon.do("jobs", move={"rows": ["r0"], "section": "done", "bottom": True})["ok"]
    assert got(ada.command("jobs", next=run)) == ["r1"]
    for row in ("r2", "r1"):
        assert daemon.do("jobs", move={"rows": [row], "section": "done", "bottom": True})["ok"]
    assert got(ada.command("jobs", next=run)) == ["r3", "r4"]
    assert [one for one in performed(daemon) if one["state"] == "failed"] == []


def test_a_drag_is_waited_for(daemon, ada):
    jobs(daemon, "a", "a", "b")
    ada.send("jobs", "drag", {"lift": {"rows": ["r1"], "ttl": 20}})
    lease = ada.step(5)["lease"]["lease"]
    mark = {"action": "mark", "section": "queued"}
    assert got(ada.command("jobs", next=mark)) == ["r2"]
    assert got(ada.command("jobs", next=mark)) == []
    ada.send("jobs", "drag", {"cancel": lease})
    assert ada.step(5)["ok"]
    assert got(ada.command("jobs", next=mark)) == ["r0"]
    assert [one for one in performed(daemon) if one["state"] == "failed"] == []


def test_what_a_person_has_to_confirm_stops_nobody(daemon, ada):
    jobs(daemon)
    assert daemon.do("jobs", add={"id": "risky", "kind": "risky", "section": "queued"})["ok"]
    mark = {"action": "mark", "section": "queued"}
    assert ada.command("jobs", next=mark)["error"]["code"] == "needsConfirmation"
    assert daemon.do("jobs", add={"id": "safe", "kind": "job", "section": "queued", "fields": {"customer": "a"}})["ok"]
    assert got(ada.command("jobs", next=mark)) == ["safe"]


def ask(daemon, name, **next):
    link = Link(daemon.endpoint)
    link.send(encode({"table": "jobs", "client": name, "number": 1, "name": name, "command": {"next": next}}))
    return link


@pytest.mark.bound(60, 60)
def test_who_waits_for_a_group_is_served_first(daemon):
    """Its row is another one than that which changed."""
    jobs(daemon, "a", "a")
    assert daemon.do("jobs", move={"rows": ["r0"], "section": "running", "bottom": True})["ok"]
    run = {"action": "run", "section": "queued"}
    first = ask(daemon, "first", wait=30, **run)
    eventually(lambda: daemon.stats()["gauges"]["waiting_workers"] == 1, 20, 0.02)
    boss = Writer(daemon.endpoint, name="boss")
    boss.send("jobs", "command", {"move": {"rows": ["r0"], "section": "done", "bottom": True}})
    boss.send("jobs", "command", {"next": run})
    replies = {}
    while len(replies) < 2:
        reply = boss.step(5)
        replies[reply["number"]] = reply
    assert got(replies[2]) == []
    assert got(first.receive(20)) == ["r1"]
    for link in (first, boss):
        link.close()


@pytest.mark.bound(60, 60)
def test_who_waits_for_a_group_of_a_large_table_is_served_soon(daemon, ada):
    """There a change is not held against all rows at once: the next look at all is after a pause."""
    jobs(daemon, "a", "a")
    for start in range(0, 3_000, 1_000):
        commands = [{"add": {"id": f"d{n}", "kind": "job", "section": "done"}} for n in range(start, start + 1_000)]
        assert daemon.ask("batch", {"commands": commands}, "jobs")["ok"]
    assert daemon.do("jobs", move={"rows": ["r0"], "section": "running", "bottom": True})["ok"]
    first = ask(daemon, "first", wait=30, action="run", section="queued")
    assert not first.receive(1)
    assert daemon.do("jobs", remove={"rows": ["r0"]})["ok"]
    assert got(first.receive(1)) == ["r1"]
    first.close()


@pytest.mark.bound(60, 60)
def test_edit_mode_is_waited_for(daemon, ada):
    jobs(daemon)
    mark = {"action": "mark", "section": "queued"}
    first = ask(daemon, "first", wait=30, **mark)
    assert daemon.do("jobs", edit={"on": True})["ok"]
    assert daemon.do("jobs", add={"id": "r0", "kind": "job", "section": "queued", "fields": {"customer": "a"}})["ok"]
    assert not first.receive(1.5)
    assert ada.command("jobs", next=mark)["error"]["code"] == "editing"
    assert daemon.do("jobs", edit={"on": False})["ok"]
    assert got(first.receive(20)) == ["r0"]
    first.close()


@pytest.mark.parametrize("hours", [0, 3, -9])
def test_clock_times_are_those_of_the_sender(daemon, monkeypatch, hours):
    """Rows that are counted by a condition are those that a command by this condition changes."""
    jobs(daemon, "a", "b")
    while time.gmtime().tm_min == 59:
        time.sleep(1)  # the hour must not change meanwhile
    monkeypatch.setenv("TZ", f"HERE{-hours:+d}")

    def within(hour):
        return f'now >= "{hour}:00" and ' + (f'now < "{hour + 1}:00"' if hour < 23 else "true")

    hour = (time.gmtime().tm_hour + hours) % 24
    here, elsewhere = within(hour), within((hour + 5) % 24)
    for condition, count in ((here, 2), (elsewhere, 0)):
        assert cli(daemon, "count", "jobs", "--where", condition).stdout.split() == [str(count)]
        changed = cli(daemon, "-o", "name", "set", "jobs", "--where", condition, "--field", f"fits={count}", "--yes")
        assert len(changed.stdout.split()) == count, changed
    assert cli(daemon, "set", "jobs", "r0", "--title", "x", "--if", here).returncode == 0
    refused = cli(daemon, "set", "jobs", "r0", "--title", "y", "--if", elsewhere)
    assert refused.returncode == 1 and "it is not so" in refused.stderr
