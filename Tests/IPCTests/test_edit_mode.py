"""Edit mode for everybody ends with the screen that turned it on, however that goes, and over kills of the daemon."""

import time

import pytest

from harness import cli, eventually
from test_actions import board, state
from trestle_client import Person, Writer


def is_editing(daemon):
    return state(daemon).get("editing", False)


def code(reply):
    return reply.get("error", {}).get("code")


def latest(daemon):
    return daemon.ask("history", {"most": 1}, "board")["changes"]["changes"][0]


def opens(daemon):
    return Writer(daemon.endpoint).command("board", swipe={"row": "r1", "edge": "trailing"})


def test_it_ends_with_its_screen(daemon):
    board(daemon, 3)
    ada, ben = (Person(daemon.endpoint, "board", name) for name in ("ada", "ben"))
    ada.attend(0)
    ben.attend(0)
    assert ada.command(edit={"on": True})["ok"]
    assert code(opens(daemon)) == "editing"
    refused = ben.command(edit={"on": True})["error"]
    assert (refused["code"], refused["field"]) == ("editing", "command.edit.on") and "by ada" in refused["message"]
    ben.attend(0, leaving=True)
    other = Person(daemon.endpoint, "board", "ada")
    other.attend(0)
    other.attend(0, leaving=True)
    assert is_editing(daemon), "others left"
    ada.attend(0, leaving=True)
    assert not is_editing(daemon)
    assert latest(daemon)["cause"]["verb"] == "expire"
    assert opens(daemon)["ok"]


def test_a_watch_of_its_name_is_nothing_to_a_script(daemon):
    board(daemon, 3)
    assert cli(daemon, "edit", "board", "--on").returncode == 0
    assert cli(daemon, "watch", "board", "--timeout", "0.5").returncode == 0
    assert is_editing(daemon)
    assert latest(daemon)["cause"]["verb"] == "edit"
    # From any client of hers.
    assert "unchanged" in cli(daemon, "edit", "board", "--on").stdout


def test_a_watch_named_as_its_client_is_nothing_to_a_script(daemon):
    board(daemon, 3)
    script = Writer(daemon.endpoint)
    assert script.command("board", edit={"on": True})["ok"]
    watch = Person(daemon.endpoint, "board", script.client)
    watch.attend(0)
    watch.attend(0, leaving=True)
    assert is_editing(daemon)


@pytest.mark.bound(60, 60)
def test_a_screen_that_looks_keeps_it_and_one_that_is_silent_loses_it(daemon):
    board(daemon, 3)
    ada = Person(daemon.endpoint, "board", "ada")
    ada.attend(0)
    assert ada.command(edit={"on": True})["ok"]
    begun = state(daemon)["revision"]
    for _ in range(5):
        time.sleep(2)
        ada.attend(0)
    assert is_editing(daemon) and state(daemon)["revision"] == begun, "to look is no revision"
    last = time.monotonic()
    eventually(lambda: not is_editing(daemon), 15)
    assert time.monotonic() - last > 4.5


@pytest.mark.bound(60, 60)
@pytest.mark.parametrize("by", ["journal", "checkpoint"])
def test_over_a_kill_it_has_its_holder(make_daemon, by):
    daemon = make_daemon(config="checkpoint: {after_bytes: 65536}\n")
    board(daemon, 3)
    ada = Person(daemon.endpoint, "board", "ada")
    ada.attend(0)
    assert ada.command(edit={"on": True})["ok"]
    if by == "checkpoint":
        begun = daemon.stats()["gauges"]["journal_checkpoint"]
        for n in range(60):
            assert daemon.do("board", set={"row": "r0", "title": f"{n} " + "x" * 4_000})["ok"]
        eventually(lambda: daemon.stats()["gauges"]["journal_checkpoint"] > begun, 20)
    daemon.kill()
    daemon.start()
    assert is_editing(daemon)
    ben = Person(daemon.endpoint, "board", "ben")
    assert code(ben.command(edit={"on": True})) == "editing"
    other = Person(daemon.endpoint, "board", "ada")
    other.attend(0)
    other.attend(0, leaving=True)
    assert is_editing(daemon), "it was no screen of that other client"
    ada.attend(0)
    assert is_editing(daemon)
    ada.attend(0, leaving=True)
    assert not is_editing(daemon)
    daemon.kill()
    daemon.start()
    assert not is_editing(daemon), "its end is in the journal"


@pytest.mark.bound(60, 60)
def test_by_a_virtual_clock_only_its_screen_ends_it(make_daemon):
    daemon = make_daemon(start=False)
    daemon.flags = ["--virtual-clock"]
    daemon.start()
    board(daemon, 3)
    ada = Person(daemon.endpoint, "board", "ada")
    ada.attend(0)
    assert ada.command(edit={"on": True})["ok"]
    # Any other daemon has missed it by then.
    time.sleep(7)
    assert is_editing(daemon)
    ada.attend(0, leaving=True)
    assert not is_editing(daemon)
