"""The first is killed under 16 writers, again and again, and its standby promoted: what was shown as replicated is there,
nothing is done twice, and two daemons never write (docs/STANDBY.md). Then the standby is killed instead."""

import bisect
import itertools
import os
import random
import shutil
import threading
import time
from typing import NamedTuple

import pytest
import zmq

from cluster_work import rows
from harness import eventually, full
from test_standby import Pair, digests, fill, trestle

#: `make standby-kills` takes 1,000.
KILLS = int(os.environ.get("KILLS", full(50, 3)))
#: Of the standby. It is killed up to three times for each.
STANDBY_KILLS = int(os.environ.get("KILLS", full(100, 10)))
WRITERS = 16
#: Clients whose daemon is away try again with a new socket, and libzmq takes back the old ones by a thread that lags
#: behind on a busy machine. The usual 1,023 were not enough; this acts before a process's first socket.
zmq.Context.instance().max_sockets = 8_192
KEEP = 40
"""So many rows of each writer stay in the table, at most."""


class Answer(NamedTuple):
    """A command that was acknowledged: when it was first sent, when it was answered, by which daemon, in which history."""

    sent: float
    answered: float
    daemon: str
    history: str


def two_leaders(answers, histories):
    """What shows that two daemons wrote. `histories`: of each term, in their order."""
    term = {history: number for number, history in enumerate(histories, 1)}
    wrong = [f"nobody began the history {one.history}" for one in answers if one.history not in term]
    daemons = {}
    for one in answers:
        daemons.setdefault(one.history, set()).add(one.daemon)
    wrong += [f"{', '.join(sorted(those))} wrote in term {term.get(history)}"
              for history, those in daemons.items() if len(those) > 1]
    # A command that was sent after an answer of a later term must not be answered in an earlier one.
    in_order = sorted(answers, key=lambda one: one.answered)
    times = [one.answered for one in in_order]
    newest = list(itertools.accumulate((term.get(one.history, 0) for one in in_order), max))
    for one in answers:
        before = bisect.bisect_left(times, one.sent)
        if before and newest[before - 1] > term.get(one.history, 0):
            wrong.append(f"{one.daemon} took something in term {term.get(one.history)} after term {newest[before - 1]} had begun")
    return wrong


def test_the_checker_finds_two_leaders():
    answers = [Answer(1, 2, "a", "h1"), Answer(3, 4, "b", "h2"), Answer(3.5, 4.5, "a", "h1")]
    assert two_leaders(answers, ["h1", "h2"]) == []
    assert two_leaders([*answers, Answer(5, 6, "a", "h1")], ["h1", "h2"]) == [
        "a took something in term 1 after term 2 had begun"]
    assert two_leaders([*answers, Answer(5, 6, "a", "h2")], ["h1", "h2"]) == ["a, b wrote in term 2"]
    assert two_leaders([Answer(1, 2, "a", "h9")], ["h1"]) == ["nobody began the history h9"]


class Writing(threading.Thread):
    """Adds rows one after the other, and removes the older ones, by a client that knows both daemons."""

    #: Seconds between two commands, of all writers. They write as fast as they can when a daemon is killed, and leave
    #: processors to one that starts: 16 clients in Python take them all.
    pause = 0.0

    def __init__(self, pair, tag):
        super().__init__(daemon=True)
        self.tag, self.epochs = tag, pair.epochs
        self.client = trestle.connect(*(one.endpoint for one in pair.all), timeout=60, patience=0.3, failover=0.5)
        self.acknowledged, self.removed, self.answers, self.wrong = [], set(), [], []
        self.unknown, self.stopping = 0, False
        self.start()

    def run(self):
        n = 0
        try:
            while not self.stopping:
                n += 1
                time.sleep(self.pause)
                row = f"{self.tag}-{n}"
                self.command(row, {"add": {"id": row, "title": row}})
                while len(self.acknowledged) > KEEP:
                    old = self.acknowledged.pop(0)
                    self.removed.add(old)
                    self.command(None, {"remove": {"rows": [old]}})
        except trestle.TrestleError as why:
            self.wrong.append(repr(why))
        self.client.close()

    def command(self, row, body):
        sent = time.monotonic()
        try:
            wire = self.client.wait(self.client.submit("command", body, "t")).wire
        except trestle.OutcomeUnknown:
            self.unknown += 1
        except trestle.Refused as why:
            # A row that the standby did not have yet was lost with the first.
            if row or why.code != "noSuchRow":
                raise
        else:
            self.answers.append((sent, time.monotonic(), wire["epoch"], wire["history"]))
            if row:
                self.acknowledged.append(row)


class Followed(Pair):
    """A pair that remembers which process was whose, and which histories there were."""

    def __init__(self):
        super().__init__()
        self.epochs, self.histories = {}, []

    def note(self):
        """Both run, or one of them."""
        for daemon in self.all:
            if daemon.alive():
                self.epochs[daemon.ask("hello")["hello"]["epoch"]] = daemon.endpoint

    def began(self, daemon):
        self.histories.append(daemon.tables()["t"]["history"])


def shown_as_replicated(pair, writers, known):
    """Rows that the first shows as replicated: all that were acknowledged when it had a position that its standby has."""
    acknowledged = {row for one in writers for row in list(one.acknowledged)}
    position = pair.first.ask("health")["health"]["position"]
    end = time.monotonic() + 0.5
    while time.monotonic() < end:
        for member in pair.first.ask("health")["health"].get("members", []):
            if member["endpoints"] == [pair.standby.endpoint] and member.get("position", 0) >= position:
                return acknowledged
        # Each question is a socket, and libzmq has room for 1,023 in a context.
        time.sleep(0.01)
    return known


@pytest.mark.bound(300, 36_000)
def test_kills():
    pair = Followed()
    writers, lost, refusals, term = [], set(), 0, 1
    begin = time.monotonic()
    try:
        fill(pair.first, rows=1)
        pair.caught_up()
        pair.note()
        pair.began(pair.first)
        writers = [Writing(pair, f"w{n}") for n in range(WRITERS)]
        for n in range(KILLS):
            Writing.pause = 0
            time.sleep(random.uniform(0.1, 0.6))
            shown = shown_as_replicated(pair, writers, set())
            refusals += not pair.standby.ask("promote").get("ok")
            pair.first.kill()
            acknowledged = {row for one in writers for row in list(one.acknowledged)}
            promotion = pair.promoted()
            refusals += not pair.standby.ask("promote").get("ok")
            term += 1
            assert promotion["term"] == term
            pair.began(pair.standby)
            there = set(rows(pair.standby))
            gone = acknowledged - there - {row for one in writers for row in list(one.removed)}
            # A writer still counts rows that were lost with an earlier first.
            wrong = (shown & gone) - lost
            assert not wrong, (wrong, promotion)
            lost |= gone
            pair.first, pair.standby = pair.standby, pair.first
            Writing.pause = 0.05
            if n % 3 == 2:
                # The old first starts as it was, and is fenced as soon as the new one has reached it.
                pair.standby.start()
                pair.note()
                eventually(lambda: pair.standby.ask("health")["health"].get("role") in ("fenced", "standby"), 10)
                assert not pair.standby.do("t", add={"id": f"no{n}"}).get("ok")
                pair.standby.kill()
            pair.follow()
            pair.note()
            leaders = [d for d in pair.all if d.ask("health")["health"].get("term")]
            assert leaders == [pair.first]
            if n % 25 == 24:
                print(f"{n + 1} kills in {time.monotonic() - begin:.0f} s, {len(lost)} rows lost that were not shown", flush=True)
        for one in writers:
            one.stopping = True
        for one in writers:
            one.join(30)
        assert [why for one in writers for why in one.wrong] == []
        pair.caught_up()
        assert digests(pair.first) == digests(pair.standby)
        answers = [Answer(sent, answered, pair.epochs[epoch], history)
                   for one in writers for sent, answered, epoch, history in one.answers]
        assert two_leaders(answers, pair.histories) == []
        assert refusals == 2 * KILLS
        assert {one.history for one in answers} == set(pair.histories), "something was done in each term"
        print(f"{KILLS} kills, {len(answers)} commands, {refusals} promotions refused, {len(lost)} rows lost that were not"
              f" shown, {sum(one.unknown for one in writers)} outcomes unknown")
    finally:
        Writing.pause = 0
        for one in writers:
            one.stopping = True
        pair.close()


def killed_again(standby, dice):
    """It is killed, and killed again while it reads what it has, or takes a copy. Then it runs."""
    for _ in range(dice.randrange(3)):
        standby.kill()
        if dice.random() < 0.3:
            shutil.rmtree(standby.state)  # a machine that was set up anew
        standby.start(wait=0)
        time.sleep(dice.uniform(0, 0.4))
    standby.kill()
    standby.start()


@pytest.mark.bound(300, 36_000)
def test_kills_of_the_standby():
    """Under 16 writers, which notice none of it. It starts each time, and has all in the end."""
    pair, writers, seed = Followed(), [], random.randrange(1 << 32)
    dice = random.Random(seed)
    print(f"seed {seed}")
    try:
        assert pair.first.ask("create", {}, "t").get("ok")
        for n in range(20):  # 4 MB: a copy takes some pieces
            rows_of_it = [{"add": {"id": f"r{n}-{m}", "title": "x" * 2_000}} for m in range(100)]
            assert pair.first.ask("batch", {"commands": rows_of_it}, "t").get("ok")
        pair.note()
        pair.began(pair.first)
        writers = [Writing(pair, f"w{n}") for n in range(WRITERS)]
        for _ in range(STANDBY_KILLS):
            time.sleep(dice.uniform(0.02, 0.5))
            killed_again(pair.standby, dice)
            if dice.random() < 0.5:
                pair.caught_up()
        for one in writers:
            one.stopping = True
        for one in writers:
            one.join(30)
        pair.caught_up()
        assert digests(pair.first) == digests(pair.standby)
        assert all(one.ask("check", timeout=60).get("ok") for one in pair.all)
        assert [why for one in writers for why in one.wrong] == [] and not any(one.unknown for one in writers)
        answers = sum(len(one.answers) for one in writers)
        assert {one[3] for writer in writers for one in writer.answers} == set(pair.histories)
        # All that was acknowledged is there when the first is lost now.
        pair.first.kill()
        promotion = pair.promoted()
        assert (promotion["term"], promotion.get("missing", 0)) == (2, 0)
        assert {row for one in writers for row in one.acknowledged} <= set(rows(pair.standby))
        copies = pair.standby.log.read_text().count("taking a copy")
        print(f"{pair.standby.starts} starts, {copies} copies were begun, {answers} commands")
        assert copies > 1
    finally:
        for one in writers:
            one.stopping = True
        pair.close()
