"""A daemon whose guest list has no line about the gateway's user: it is said, and over by itself."""

import json
import os
import signal

import pytest
from board_stage import Stage, eventually, settled
from harness import Daemon

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="the guest list calls users by their numbers")


def invite(daemon, user):
    """A guest list with one line, about this user."""
    before = daemon.log.read_text().count("configuration read again") if daemon.log.exists() else 0
    daemon.config.write_text(json.dumps({"guests": [{"users": [user], "roles": ["admin"]}]}))
    if daemon.process:
        daemon.process.send_signal(signal.SIGHUP)
        eventually(lambda: daemon.log.read_text().count("configuration read again") > before, 10)


@pytest.fixture
def stage():
    daemon = Daemon("{}")
    invite(daemon, 0)
    with Stage(daemon=daemon) as made:
        yield made


def health(stage):
    status, _, body = stage.gateway.get("/healthz")
    return status, json.loads(body).get("why")


@pytest.mark.bound(120)
def test_it_is_said_and_over_by_itself(stage):
    context = stage.context()
    board, boards = stage.open(context=context), stage.open("/", context=context, live=False)
    boards.wait_for_selector(".tables a")
    words = "document.querySelector('[role=status]').textContent"
    invite(stage.daemon, 4001)
    eventually(lambda: health(stage) == (503, "notAllowed"), 20)
    settled(board, "document.querySelector('#freshness').textContent.includes('Not allowed')")
    settled(board, "document.querySelector('.banner:not([hidden])')?.textContent.includes('guest list')")
    settled(boards, f"{words}.includes('guest list')")
    # A page and a gateway that begin now say so too, and never anything else.
    fresh = stage.open(context=context, live=False)
    settled(fresh, "document.querySelector('.blank p')?.textContent.includes('guest list')")
    stage.gateway.kill()
    stage.gateway.start(until_up=False)
    said = set()

    def is_turned_away():
        said.add(health(stage))
        return (503, "notAllowed") in said
    eventually(is_turned_away, 20)
    assert said <= {(503, "silent"), (503, "notAllowed")}
    settled(fresh, "document.querySelector('.blank h2')?.textContent === 'Not allowed'", 30)
    invite(stage.daemon, 0)
    for page in (board, fresh):
        settled(page, "document.querySelector('#freshness').dataset.state === 'live'", 30)
    settled(boards, f"{words} === '1 board'", 30)
    assert health(stage) == (200, None)
