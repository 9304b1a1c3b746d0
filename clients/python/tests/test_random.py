"""Random commands of every verb: each diff leads to the daemon's digest, there and back."""

from collections import Counter, deque

from daemon import Daemon, full
from wishes import KINDS, SETTINGS, Wishes

import trestle
from trestle.ops import OPS
from trestle.ticket import Ticket

DIFFS = full(10_000, 700)
UNDER_WAY = full(8, 1)  # with one, the run is the same each time


def test_every_op_there_and_back(daemon: Daemon) -> None:
    """`DIFFS` diffs, each verified by its digest as it is applied; then all the way back, verified too."""
    ops: Counter[str] = Counter()
    codes: Counter[str] = Counter()
    with daemon.connect(name="ada", patience=5) as client:
        board, wishes = client.board("board"), Wishes("diffs")
        board.create()
        board.define(KINDS, table=SETTINGS)
        with client.follow("board") as viewer:
            table = viewer.joined()
            first, under_way, diffs = table.revision, deque[Ticket](), 0
            # The dice depend on the time of day, which rows go by: so it goes on until each op was there.
            while diffs < DIFFS or (diffs < 5 * DIFFS and set(OPS) - set(ops)):
                while len(under_way) < UNDER_WAY:
                    under_way.append(client.submit(*wishes.next(table, client.id), "board"))
                heard = table.revision
                try:
                    heard = client.wait(under_way.popleft()).revision
                except trestle.Refused as why:
                    codes[why.code] += 1
                while event := viewer.next(5 if table.revision < heard else 0):
                    assert isinstance(event, trestle.Change), event
                    assert event.digest == table.digest()
                    ops.update(verb for op in event.ops for verb in op)
                    diffs += 1
            for ticket in under_way:
                try:
                    client.wait(ticket)
                except trestle.Refused:
                    pass
            viewer.until(lambda table: table.digest() == client.read("board").digest())
            # The way back ends at the oldest revision that is kept; each step is verified.
            kept = max(first, board.history(most=1)["changes"]["oldest"])
            past = client.at(table, kept)
            assert past.revision == kept < table.revision - DIFFS // 4
            since = table.revision
            while since > kept:
                ask = {"history": table.history, "since": since, "to": kept}
                for step in client.ask("rewind", ask, "board")["rewind"]["back"]:
                    ops.update(verb for op in step.get("ops", []) for verb in op)
                    since = step["revision"]
            assert viewer.counts["snapshots"] == 1 and "wrong" not in viewer.counts
    print(f"{diffs} diffs, {dict(ops)}, refused: {dict(codes)}")
    assert set(ops) == set(OPS), f"not seen: {set(OPS) - set(ops)}"
    assert not {"malformed", "unknownVerb", "numberReused", "badID", "badNumber"} & set(codes), codes
