"""A bad network and a daemon that is killed: each command is carried out once, and viewers stay right."""

import asyncio
import random
import threading
import time
from collections import deque
from typing import Any

import pytest
from daemon import Daemon, full
from proxy import Proxy

import trestle
import trestle.aio
from trestle.ticket import Ticket

COMMANDS = full(5_000, 250)
KILLS = full(100, 4)


class Witness:
    """Follows the table without faults, and notes who did what at which revision."""

    def __init__(self, daemon: Daemon, table: str) -> None:
        self.client = daemon.connect(patience=0.3)
        self.viewer = self.client.follow(table, every_change=True)
        self.viewer.joined()
        self.causes: dict[tuple[str, int], int] = {}

    def listen(self, seconds: float = 0.0) -> None:
        """Takes in what has happened."""
        while event := self.viewer.next(seconds):
            seconds = 0.0
            assert not isinstance(event, trestle.Mismatch | trestle.Joined), event
            if isinstance(event, trestle.Compared):
                assert event.relation in ("same", "extend"), event
            if isinstance(event, trestle.Change):
                cause = (event.cause["client"], event.cause["number"])
                assert cause not in self.causes, f"carried out twice: {cause}"
                self.causes[cause] = event.revision

    def catch_up(self, revision: int) -> trestle.Table:
        """The table, at this revision or beyond."""
        end, last = time.monotonic() + 10, 0
        while (table := self.viewer.joined()).revision < revision:
            self.listen(0.2)
            if table.revision > last:
                end, last = time.monotonic() + 10, table.revision
            assert time.monotonic() < end, f"the witness stands at {last}, and not at {revision}"
        return table


def wish(dice: random.Random, rows: list[str]) -> Any:
    """None of these may be carried out twice: a row without an id, a toggle, a swap."""
    if len(rows) < 3 or dice.random() < 0.6:
        return {"add": {"title": "☕", **dice.choice([{}, {"top": True}])}}
    return dice.choice([{"expand": {"row": dice.choice(rows), "toggle": True}},
                        {"swap": {"a": dice.choice(rows), "b": dice.choice(rows)}}])


def check(witness: Witness, client: str, replies: dict[int, trestle.Reply], more: int) -> None:
    """What was acknowledged happened once, at the revision that was said, and nothing else did."""
    table = witness.catch_up(max(reply.revision for reply in replies.values()))
    witness.listen(0.1)
    changed = {number: reply.revision for number, reply in replies.items() if not reply.unchanged}
    done = {number: revision for (who, number), revision in witness.causes.items() if who == client}
    assert done == changed
    added = sum("☕" == row.title for row in table)
    assert added == more, "a row is missing, or is there twice"
    assert witness.client.read(table.name).digest() == table.digest()


def test_a_bad_network(daemon: Daemon) -> None:
    with daemon.connect() as client:
        client.board("board").create()
    witness, dice = Witness(daemon, "board"), random.Random("network")
    replies: dict[int, trestle.Reply] = {}
    rows: list[str] = []
    with Proxy(str(daemon.directory), daemon.endpoint, daemon.publish, "network") as proxy, \
            trestle.connect(proxy.endpoint, publish=proxy.publish, patience=0.1, timeout=30) as client, \
            client.follow("board") as viewer:
        viewer.joined()
        under_way: deque[Ticket] = deque()
        for n in range(COMMANDS + 16):
            if n < COMMANDS:
                under_way.append(client.submit("command", wish(dice, rows), "board"))
            if n >= 16:
                ticket = under_way.popleft()
                reply = replies[ticket.number] = client.wait(ticket)
                if "add" in ticket.message["command"]:
                    rows.append(reply.row)
            viewer.catch_up()
            witness.listen()
        proxy.fair.set()
        last = max(reply.revision for reply in replies.values())
        assert viewer.until(lambda table: table.revision == last).digest() == client.read("board").digest()
        assert "wrong" not in viewer.counts and viewer.counts["gaps"] > 0
        assert client.engine.session.sent_again > COMMANDS // 50
        assert all(proxy.counts[fault] for fault in ("cut", "dropped", "delayed", "doubled")), proxy.counts
        print(f"{COMMANDS} commands, {dict(proxy.counts)}, {client.engine.session.sent_again} sent again, {viewer.counts}")
        check(witness, client.id, replies, len(rows))
    witness.client.close()


def test_a_bad_network_for_tasks(daemon: Daemon) -> None:
    with daemon.connect() as client:
        client.board("board").create()
    witness = Witness(daemon, "board")

    async def program(proxy: Proxy) -> tuple[str, dict[int, trestle.Reply]]:
        async with trestle.aio.connect(proxy.endpoint, publish=proxy.publish, patience=0.1) as client:
            tickets = [client.submit("command", {"add": {"title": "☕"}}, "board") for _ in range(COMMANDS // 2)]
            await asyncio.gather(*(client.wait(ticket, 60) for ticket in tickets))
            return client.id, {ticket.number: ticket.result() for ticket in tickets}

    with Proxy(str(daemon.directory), daemon.endpoint, daemon.publish, "tasks") as proxy:
        client_id, replies = asyncio.run(program(proxy))
    check(witness, client_id, replies, COMMANDS // 2)
    witness.client.close()


def test_kills(daemon: Daemon) -> None:
    """The daemon is killed in the middle of writes, again and again: nothing is lost, nothing doubled."""
    with daemon.connect() as client:
        client.board("board").create()
    witness, dice, over = Witness(daemon, "board"), random.Random("kills"), threading.Event()
    replies: dict[int, trestle.Reply] = {}
    rows: list[str] = []
    failed: list[BaseException] = []
    name, last = "", 0

    def write() -> None:
        nonlocal name, last
        wishes = random.Random("writer")
        try:
            with daemon.connect(patience=0.1) as client:
                under_way: deque[Ticket] = deque()
                while not over.is_set() or under_way:
                    if not over.is_set():
                        under_way.append(client.submit("command", wish(wishes, rows[-500:]), "board"))
                    if len(under_way) >= 8 or over.is_set():
                        ticket = under_way.popleft()
                        reply = replies[ticket.number] = client.wait(ticket)
                        last = max(last, reply.revision)
                        if "add" in ticket.message["command"]:
                            rows.append(reply.row)
                name = client.id
        except BaseException as error:
            failed.append(error)

    writer = threading.Thread(target=write)
    writer.start()
    for _ in range(KILLS):
        time.sleep(dice.uniform(0.05, 0.35))
        daemon.kill()
        assert writer.is_alive(), failed
        time.sleep(dice.choice([0, 0, 0.1]))
        daemon.start()
        # To what was acknowledged before the kill. A page of diffs a kill is too few: what a daemon keeps for
        # those who missed it is bounded.
        witness.catch_up(last)
    time.sleep(0.2)
    over.set()
    writer.join()
    assert not failed, failed
    check(witness, name, replies, len(rows))
    counts = witness.viewer.counts
    assert "wrong" not in counts and counts["snapshots"] == 1
    print(f"{KILLS} kills, {len(replies)} commands, {witness.viewer.joined().revision} revisions, the witness: {counts}")
    with daemon.connect() as client:
        assert client.check()["ok"]
    witness.client.close()


def test_what_was_never_sent(daemon: Daemon) -> None:
    """Without a daemon a command does not leave: the error says so, and it never happens."""
    daemon.kill()
    with daemon.connect(patience=0.1) as client:
        with pytest.raises(trestle.NoAnswer) as why:
            client.wait(client.submit("create", {}, "ghost"), 0.5)
        assert not why.value.may_happen and why.value.ticket is None
        daemon.start()
        client.board("board").create()
        assert [one["table"] for one in client.tables().tables] == ["board"]


def test_what_had_no_answer_is_waited_for_again(daemon: Daemon) -> None:
    with daemon.connect(patience=0.1, timeout=0.5) as client:
        client.wait(client.submit("create", {}, "board"), 20)
        daemon.kill()
        with pytest.raises(trestle.NoAnswer) as why:
            client.board("board").add(id="once")
        assert why.value.may_happen and why.value.ticket
        daemon.start()
        assert client.wait(why.value.ticket, 20).row == "once"
