"""A daemon whose guest list has no line about the gateway's user: it is said, and over by itself."""

import itertools
import json
import os
import signal
import time

import pytest
import websocket
from board_stage import Stage, eventually, settled
from harness import Daemon

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="the guest list calls users by their numbers")


def invite(daemon, user, **more):
    """A guest list with one line, about this user."""
    before = daemon.log.read_text().count("configuration read again") if daemon.log.exists() else 0
    daemon.config.write_text(json.dumps({"guests": [{"users": [user], "roles": ["admin"], **more}]}))
    if daemon.process and daemon.alive():
        daemon.process.send_signal(signal.SIGHUP)
        eventually(lambda: daemon.log.read_text().count("configuration read again") > before, 10)


@pytest.fixture
def stage():
    daemon = Daemon("{}")
    invite(daemon, 0)
    with Stage(daemon=daemon) as made:
        yield made


def health(stage):
    status, _, body = stage.gateway.get("/readyz")
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
    # The gateway asked often, by what anybody may ask.
    noted = stage.daemon.ask("audit")["audit"].get("entries", [])
    assert [one for one in noted if one.get("verb") == "hello"] == []


@pytest.mark.bound(120)
def test_a_daemon_that_is_gone_since_is_silent(stage):
    page = stage.open()
    invite(stage.daemon, 4001)
    settled(page, "document.querySelector('#freshness').textContent.includes('Not allowed')", 30)
    stage.daemon.kill()
    eventually(lambda: health(stage) == (503, "silent"), 20)
    settled(page, "!document.querySelector('#freshness').textContent.includes('Not allowed')")
    invite(stage.daemon, 0)
    stage.daemon.start()
    settled(page, "document.querySelector('#freshness').dataset.state === 'live'", 30)


@pytest.mark.bound(120)
def test_one_that_was_started_anew_without_the_line_is_not_said_to_be_there(stage):
    """Else pages send again what was under way, and each is refused for good."""
    page = stage.gateway.page(stage.gateway.pair("grill"))
    eventually(lambda: health(stage) == (200, None), 20)
    stage.daemon.kill()
    invite(stage.daemon, 4001)
    stage.daemon.start()
    page.next("daemon", where=lambda rest: b"notAllowed" in rest)
    assert [head for head, _ in page.held if head in ("device", "daemon up")] == []


@pytest.mark.bound(120)
def test_a_right_that_was_lost_for_a_while_comes_back_to_all_pages(stage):
    """The daemon ends the gateway's subscriptions, and admits them only where it is asked anew. Of two pages one
    always follows."""
    stage.gateway.table("t")
    one, other = (stage.gateway.page(stage.gateway.pair(name)) for name in ("grill", "pass"))
    for page in (one, other):
        page.follow("t")
        page.next("pub")
    invite(stage.daemon, 0, tables=["other"])
    time.sleep(2)  # the gateway connects again, and is not admitted
    invite(stage.daemon, 0)
    numbers = itertools.count()

    def hears():
        one.send("leave t")
        one.follow("t")
        row = f"new-{next(numbers)}"
        stage.daemon.do("t", add={"id": row, "title": row})
        try:
            return other.next("pub", 0.5, lambda rest: row.encode() in rest)
        except (TimeoutError, websocket.WebSocketTimeoutException):
            return None
    eventually(hears, 30)
