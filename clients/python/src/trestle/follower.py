"""A viewer's end of the protocol: keeps a table what the daemon has (docs/PROTOCOL.md, "Following").

No sockets and no clock. Publications come in by `published`, answers by the session, which it shares
with whoever asks; `step` tells what has happened, one thing at a time.

    joining ─ first publication ─▶ snapshot ─▶ following ─ gap ─▶ replay ─▶ following
                                      ▲           │ another epoch ─▶ offer ─┘  │
                                      └── does not fit, too far behind, other ─┘
"""

import random
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from . import shapes
from .clock import DaemonClock
from .errors import Malformed, Refused, Wrong
from .events import Absent, Change, Compared, Event, Freshness, Joined, Mismatch
from .liveness import Liveness
from .ops import apply
from .position import Position, Return
from .session import Session
from .snapshot import Pull
from .table import Table
from .ticket import Ticket
from .wire import Json, decode, topic_of

MOST_HELD = 4096
"""Diffs and heads that wait to be applied; beyond it the oldest are let go and replayed later."""


@dataclass(frozen=True, slots=True)
class _News:
    """A diff or a head, with where it comes from."""

    history: str
    epoch: str
    diff: Json | None
    head: Json | None


class Follower:
    """Follows one table. `table` is what it holds; None: nothing yet, or there is no such table.

    `position` is that of the last event that told of a table. With `since` it goes on from there, change by change,
    as long as the daemon keeps what came then.
    `heartbeat`: seconds between two heartbeats, as `hello` says. With `every_change` no gap is closed
    by a snapshot as long as the daemon keeps the diffs. `counts` has how often there was
    what (`snapshots`, `replays`, `offers`, `gaps`, `wrong`, `malformed`).
    """

    def __init__(self, name: str, session: Session, now: float, heartbeat: float = 1.0,
                 every_change: bool = False, jitter: Callable[[], float] = random.random,
                 since: Position | None = None) -> None:
        self.name, self.topic = name, topic_of(name)
        self.table: Table | None = None
        self.counts: Counter[str] = Counter()
        self.liveness = Liveness(now, heartbeat, jitter)
        self.clock = DaemonClock()
        self.position = self._reached = self._since = since  # of what was told, of what will be, where to go on
        self._session, self._every, self._jitter = session, every_change or since is not None, jitter
        self._state: Literal["joining", "snapshot", "following", "replay", "offer", "absent"] = "joining"
        self._held: deque[_News] = deque(maxlen=MOST_HELD)
        self._events: deque[tuple[Event, Position | None]] = deque()
        self._left: deque[str] = deque(maxlen=16)  # histories that were dropped, or that others came after
        self._epoch = ""
        self._pause_until = 0.0  # a snapshot begins not before
        self._setbacks = 0  # since something last fitted
        self._pull: Pull | Return | None = None
        self._ticket: Ticket | None = None
        self._question: Ticket | None = None  # whether the table may be read

    # What to show.

    def freshness(self, now: float) -> Freshness:
        """How fresh the table is. "No rows" may be shown as such only with `live`."""
        if (word := self.liveness.freshness(now)) != "live":
            return word
        if self._state == "absent":
            return "absent"
        return "live" if self._state == "following" and not self._held else "stale"

    # What comes in.

    def connection(self, up: bool, now: float) -> None:
        """The connection for publications came or went."""
        self.liveness.is_connected = up

    def published(self, body: bytes, now: float) -> None:
        """A publication under this table's topic."""
        try:
            news = decode(body)
            shapes.PUBLICATION(news)
        except Malformed as why:
            self.counts["malformed"] += 1
            return self._wrong(f"a publication that is none: {why}", now)
        history = news.get("history", "")
        if news["table"] != self.name:
            return
        self.liveness.heard(now)
        if "heartbeat" in news:
            self.clock.heard(news.get("timeMs", 0), now * 1000)
        if history in self._left and "heartbeat" not in news:
            return  # it was on its way; a heartbeat is of now: the table is there again
        if news["epoch"] != self._epoch:
            self._restarted(news["epoch"], now)
        if "dropped" in news or not history:
            return self._dropped(history, now)
        for diff in news.get("diffs", ()):
            self._held.append(_News(history, news["epoch"], diff, None))
        if head := news.get("heartbeat") or news.get("welcome"):
            self._held.append(_News(history, news["epoch"], None, head))
        if self._state in ("joining", "absent"):
            self._snapshot(now)

    # What to do.

    def wake(self, now: float) -> float:
        """When `step` has something to do even if nothing comes in."""
        if self._state == "snapshot" and self._pull is None:
            return self._pause_until
        return self.liveness.subscribe_at()

    def step(self, now: float) -> Event | None:
        """The next event; None: nothing more happens before something comes in, or time passes.

        Refused: this user may not read the table, or is not served at all.
        """
        self.liveness.look(now)
        self._look_whether_refused()
        while not self._events:
            if self._state == "snapshot":
                if not self._pulled(now):
                    break
            elif self._state in ("replay", "offer"):
                if self._ticket is None or not self._ticket.done:
                    break
                ticket, self._ticket = self._ticket, None
                self._answered(ticket, now)
            elif self._state == "following" and self._held:
                self._take(self._held.popleft(), now)
            else:
                break
        if not self._events:
            return None
        event, self.position = self._events.popleft()
        return event

    def _tell(self, event: Event) -> None:
        """The event comes next, and where it tells of a table, it is the position from then on."""
        if isinstance(event, Joined | Change) and self.table:
            self._reached = Position(self.table.history, event.revision, event.digest)
        elif isinstance(event, Absent):
            self._reached = self._since = None
        self._events.append((event, self._reached))

    # Refusals.

    def _look_whether_refused(self) -> None:
        """Nothing is published to who may not read the table. Only a question is refused, so one goes with each
        new subscription, unless one is under way."""
        session = self._session
        if session.hello is None:
            if session.turned_away:
                raise session.turned_away
        elif self._question is None:
            if self.liveness.resubscribe and self._state in ("joining", "following", "absent"):
                self._question = session.ask("kinds", {}, self.name)
        elif self._question.done:
            question, self._question = self._question, None
            if isinstance(question.error, Refused):
                self._raise_if_of_the_user(question.error)

    def _raise_if_of_the_user(self, why: Refused) -> None:
        """Lets go of the table that may not be read (any more), and begins again from the beginning."""
        if why.is_of_the_user:
            self._let_go("joining")
            raise why

    # Snapshots.

    def _snapshot(self, now: float, pause: float = 0.0) -> None:
        """Joins again, after a pause: what was published before it asks is in the snapshot."""
        self._state, self._ticket = "snapshot", None
        if self._pull:
            self._pull.close()
        self._pull, self._pause_until = None, now + pause

    def _pulled(self, now: float) -> bool:
        """Goes on with the snapshot; whether something changed."""
        if self._pull is None:
            if now < self._pause_until:
                return False
            self.counts["snapshots"] += 1
            self._held.clear()
            if self._since:
                self._pull = Return(self.name, self._since, self._session)
            else:
                self._pull = Pull(self.name, self._session)
        try:
            table = self._pull.step()
        except Refused as why:
            self._raise_if_of_the_user(why)
            if why.code == "noSuchTable":
                self._gone()
            else:  # it was let go, or is not to be had now
                self._snapshot(now, 0.1 + 0.4 * self._jitter())
            return True
        except Wrong as why:
            self._wrong(str(why), now)
            return True
        if table is None:
            return False
        self._install(table, now)
        return True

    def _install(self, table: Table, now: float) -> None:
        pull, self._pull = self._pull, None
        if self.table and self.table.history != table.history:
            self._left.append(self.table.history)
        if table.history in self._left:
            self._left.remove(table.history)
        self.table, self._epoch, self._since = table, table.epoch, None
        self._state = "following"
        if isinstance(pull, Return):
            self._tell(Compared(pull.relation))
            if pull.goes_on:
                return self._gap(pull.head, now) if pull.head > table.revision else None
        self._tell(Joined(table.revision, table.digest()))

    def _wrong(self, why: str, now: float) -> None:
        """Says so, counts it, and joins again: ever more slowly, and not all viewers in step."""
        self.counts["wrong"] += 1
        self._tell(Mismatch(why))
        if self._state != "joining":
            self._snapshot(now, self._setback())

    def _setback(self) -> float:
        """How long to wait before joining again: ever longer, and not all viewers in step."""
        self._setbacks = min(self._setbacks + 1, 10)
        return min(5.0, 0.02 * 2.0**self._setbacks) * (0.5 + 0.5 * self._jitter())

    def _dropped(self, history: str, now: float) -> None:
        """There is none of this history. It may be late news, of a table before the one that is here."""
        if history:
            self._left.append(history)
        if self.table is None or self.table.history == history:
            self._gone()
        else:
            self._snapshot(now)

    def _gone(self) -> None:
        if self._state != "absent":
            self._tell(Absent())
        self._let_go("absent")

    def _let_go(self, state: Literal["joining", "absent"]) -> None:
        """Nothing is held or asked any more."""
        if self._pull:
            self._pull.close()
        self.table = self._pull = self._ticket = None
        self._held.clear()
        self._state = state

    # Restarts.

    def _restarted(self, epoch: str, now: float) -> None:
        self._epoch = epoch
        self._held.clear()
        if self.table is None:
            if self._state == "snapshot":
                self._snapshot(now)
        elif self._state != "snapshot":
            self.counts["offers"] += 1
            self._state = "offer"
            self._ticket = self._session.ask("offer", {
                "history": self.table.history, "revision": self.table.revision,
                "digest": self.table.digest()}, self.name)

    def _answered(self, ticket: Ticket, now: float) -> None:
        """The answer to `replay` or `offer`."""
        state = self._state
        try:
            reply = ticket.result().wire
        except Refused as why:  # compacted, otherHistory
            self._raise_if_of_the_user(why)
            return self._gone() if why.code == "noSuchTable" else self._snapshot(now)
        if state == "offer" and self.table:
            standing = reply.get("standing", {})
            relation = standing.get("relation", "")
            self._epoch = reply.get("epoch", self._epoch)
            self.table.epoch = self._epoch
            self._tell(Compared(relation))
            if relation == "same":
                self._state = "following"
            elif relation == "extend":
                self._gap(standing.get("head", 0), now)
            else:
                self._snapshot(now)
        elif state == "replay" and self.table:
            self._replayed(reply, now)

    # Diffs.

    def _take(self, news: _News, now: float) -> None:
        table = self.table
        if table is None or news.epoch != self._epoch:
            return
        if news.history != table.history:
            return self._snapshot(now)
        if news.head is not None:
            return self._compare(table, news.head, now)
        diff = news.diff or {}
        if (base := diff.get("base", 0)) > table.revision:
            self._held.appendleft(news)
            return self._gap(base, now)
        if base < table.revision:
            return
        try:
            apply(table, diff)
        except Wrong as why:
            self.table = None  # the diff may have been applied by halves
            return self._wrong(str(why), now)
        self._setbacks = 0
        self._tell(Change(table.revision, diff["digest"], diff.get("cause", {}), tuple(diff.get("ops", ()))))

    def _compare(self, table: Table, head: Json, now: float) -> None:
        """A head proves a gap, and never closes one."""
        revision = head.get("revision", 0)
        if revision > table.revision:
            self._gap(revision, now)
        elif revision == table.revision and "digest" in head:
            if head["digest"] != table.digest():
                return self._wrong("another digest in a heartbeat", now)
            self._setbacks = 0

    def _gap(self, head: int, now: float) -> None:
        """Diffs are missing, up to `head`. Where they are more than the rows, a snapshot is less."""
        table = self.table
        self.counts["gaps"] += 1
        is_long = table is not None and head - table.revision > max(1000, len(table))
        if table is None or (is_long and not self._every):
            return self._snapshot(now, self._setback())
        self.counts["replays"] += 1
        self._state = "replay"
        ask = {"history": table.history, "since": table.revision}
        self._ticket = self._session.ask("replay", ask, self.name)

    def _replayed(self, reply: Json, now: float) -> None:
        """Its diffs come first, then what waits. Its head shows what is still missing."""
        table, replay = self.table, reply.get("replay", {})
        diffs = replay.get("publication", {}).get("diffs", [])
        if table is None or not any(diff.get("base", 0) == table.revision for diff in diffs):
            return self._snapshot(now, self._setback())
        self._state = "following"
        replayed = [_News(table.history, self._epoch, diff, None) for diff in diffs]
        head = _News(table.history, self._epoch, None, {"revision": replay.get("head", 0)})
        self._held = deque([*replayed, *self._held, head], maxlen=len(replayed) + MOST_HELD)
