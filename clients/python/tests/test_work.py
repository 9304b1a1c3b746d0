"""The handler without sockets: what is lost, what is said again."""

import json
from typing import Any

import pytest
from test_follower import EMPTY, FIRST
from test_session import Wire

import trestle
from trestle.table import Table
from trestle.work import Work, reason_of

PRESSED: Any = {"id": "4.0", "row": "r", "action": "page", "digest": EMPTY}


class Office(Wire):
    """Work at a table where two presses wait."""

    def __init__(self, jobs: int = 2, count: int | None = None) -> None:
        super().__init__()
        self.meet(limits={"repliesPerSession": 64})
        self.table = Table.of_chunks("t", [FIRST | {"invocations": [PRESSED, PRESSED | {"id": "4.1"}]}])
        self.work = Work("t", self.session, "page", jobs, count)

    def begin(self, *held: str) -> list[trestle.Job]:
        """Takes these."""
        assert self.work.step(self.table, self.now) == []
        asked, = self.sent()
        self.says(asked, invocations=[PRESSED | {"id": id, "attempts": 1} for id in held])
        self.now += 0.01
        return self.work.step(None, self.now)

    def asked(self, after: float) -> list[Any]:
        """What it asks, when so many seconds have passed."""
        self.now += after
        self.work.step(None, self.now)
        return self.sent()


def test_it_takes_as_many_as_it_may() -> None:
    office = Office(jobs=3, count=2)
    office.work.step(office.table, 0)
    asked, = office.sent()
    assert asked["command"] == {"take": {"action": "page", "most": 2}}
    office.says(asked)
    office.work.step(office.table, 0.05)
    assert office.sent() == [], "others were quicker: a pause"
    office.work.step(office.table, 0.2)
    assert len(office.sent()) == 1


def test_what_is_not_listed_is_lost() -> None:
    office = Office()
    first, second = office.begin("4.0", "4.1")
    renew, = office.asked(1.0)
    assert "renew" in renew and renew["client"] == office.session.client
    office.says(renew, invocations=[PRESSED | {"id": "4.1"}])
    assert office.asked(0.0) == [] and (first.lost, second.lost) == (True, False)
    office.work.finish(first)
    office.work.finish(second, "no paper")
    finish, = office.asked(0.0)
    assert finish["command"] == {"finish": {"invocation": "4.1", "failed": "no paper"}}
    office.says(finish)
    office.work.stopping = True
    office.asked(0.0)
    assert office.work.over and office.work.ended == 1


def test_an_end_is_said_again_when_the_disk_has_room() -> None:
    office = Office()
    job, = office.begin("4.0")
    office.work.finish(job)
    finish, = office.asked(0.0)
    office.refuses(finish, "diskFull")
    assert [one for one in office.asked(0.1) if "command" in one] == [] and not job.lost
    again, = (one for one in office.asked(1.0) if "command" in one)
    assert again["command"] == finish["command"] and again["number"] != finish["number"]
    office.says(again)
    office.asked(0.0)
    assert office.work.ended == 1 and not office.work.running


@pytest.mark.parametrize("code", ["notHeld", "noSuchInvocation"])
def test_an_end_that_comes_too_late(code: str) -> None:
    office = Office()
    job, = office.begin("4.0")
    office.work.finish(job)
    office.refuses(office.asked(0.0)[0], code)
    office.asked(0.0)
    assert job.lost and office.work.lost == 1 and not office.work.running


def test_reasons() -> None:
    assert reason_of(ValueError("no\n\tsignal\x00\x1b[2J"), 1024) == "no signal[2J"
    assert reason_of(ValueError(), 1024) == reason_of(ValueError("\x00"), 1024) == "ValueError"
    assert reason_of(ValueError("é" * 9), 5) == "éé"
    assert json.dumps(reason_of(ValueError("\ud800x"), 9))
