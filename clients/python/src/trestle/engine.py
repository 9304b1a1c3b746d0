"""The sockets of a client, its session, and who follows tables with it. It never waits.

Both front ends, `client` and `aio`, call `turn`, then wait until one of `sockets` can be read or `pause`
is over.
"""

import os
import threading
import time
import weakref
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any

import zmq

from .errors import Closed, Forked, Malformed
from .events import Event, Freshness
from .follower import Follower
from .position import Position
from .session import Session
from .ticket import Ticket
from .transport import Options, Publications, Requests, publish_endpoint
from .wire import is_object, publication_body, reply_body, request_frames

AT_ONCE = 256
"""Messages of one socket that are taken in a turn."""
REST = 0.2
"""Seconds: nobody is known to write, and is asked again after so long."""
SOONEST, LATEST = 0.05, 1.0
"""Seconds until another attempt to connect, where nobody listens anywhere: at first, and at most."""


class Feed:
    """A follower with its subscription."""

    def __init__(self, follower: Follower, publications: Publications) -> None:
        self.follower, self.publications = follower, publications
        self.closed = self.inherited = False

    def freshness(self, now: float) -> Freshness:
        """How fresh the table is. A feed that is closed hears nothing."""
        return "disconnected" if self.closed or self.inherited else self.follower.freshness(now)

    def step(self, now: float) -> Event | None:
        """The next event, as of `Follower.step`. Closed: it is followed no longer. Forked: not in this process."""
        if self.inherited:
            raise Forked("the viewer was made before a fork, by the parent: connect anew in this process")
        if self.closed:
            raise Closed("the viewer is closed")
        return self.follower.step(now)

    def turn(self, endpoint: str | None, now: float) -> None:
        """Takes what was published, and subscribes where that is due."""
        if self.closed:
            return
        if endpoint and self.publications.endpoint != endpoint:
            self.publications.connect(endpoint)
        if (up := self.publications.is_up()) is not None:
            self.follower.connection(up, now)
        for _ in range(AT_ONCE):
            if (frames := self.publications.receive()) is None:
                break
            try:
                body = publication_body(frames, self.publications.topic)
            except Malformed:
                self.follower.counts["malformed"] += 1
            else:
                self.follower.published(body, now)
        if self.follower.liveness.resubscribe:
            self.follower.liveness.resubscribe = False
            self.publications.again()


class Engine:
    """One daemon, by one connection for requests and one for each table that is followed."""

    def __init__(self, options: Options, session: Session, context: zmq.Context[Any] | None) -> None:
        self.options, self.session = options, session
        session.has_others = len(options.endpoints) > 1
        self._context: zmq.Context[Any] = context or zmq.Context.instance()
        self._lock = threading.RLock()
        self._requests = Requests(self._context, options)
        self._connection = session.connection
        self._connect_at: float | None = None  # there is no connection until then
        self._silent_since: float | None = None  # requests wait for an answer since then
        self._probed = 0.0
        self._question: Ticket | None = None  # whether a silent daemon is there at all
        self._asked = 0.0  # when that was asked
        self._left: set[str] = set()  # endpoints that were left since anything was settled
        self._settled = 0
        self.feeds: list[Feed] = []
        _engines.add(self)

    def inherit(self) -> None:
        """This is a child that was forked: libzmq's threads are the parent's, so everything is refused from now on.

        The sockets are left as they are, since to close one waits for such a thread. So is the lock: nobody may be
        there to let go of it.
        """
        self._lock = threading.RLock()
        self.session.inherited = True
        _inherited.extend(self.sockets())
        self._requests.socket = self._requests.monitor = None
        for feed in self.feeds:
            feed.inherited = True
            feed.publications.socket = feed.publications.monitor = None

    @staticmethod
    def now() -> float:
        """The clock: seconds."""
        return time.monotonic()

    @property
    def endpoint(self) -> str:
        """The request endpoint in use."""
        return self._requests.endpoint

    @property
    def place(self) -> str:
        """The endpoint in use, for people, and why nothing is asked there."""
        if self.session.outdated is None:
            return self.endpoint
        return (f"{self.endpoint} (written in term {self.session.outdated}, and a standby was promoted to term "
                f"{self.session.term}: nothing is asked of it)")

    @contextmanager
    def at_work(self) -> Generator[None]:
        """Holds the sockets, so that no other thread closes them meanwhile. Closed: they are."""
        with self._lock:
            self.session.check_open()
            try:
                yield
            except zmq.ZMQError:
                self.session.check_open()  # the handler of a signal has closed them in this thread
                raise

    def follow(self, table: str, every_change: bool = False, since: str | None = None) -> Feed:
        """Begins to follow a table. ValueError: `since` is no token."""
        position = None if since is None else Position.read(since)
        self.session.check_open()
        hello = self.session.hello or {}
        heartbeat = min(60.0, max(0.1, hello.get("heartbeatMs", 1000) / 1000))
        follower = Follower(table, self.session, self.now(), heartbeat, every_change, since=position)
        feed = Feed(follower, Publications(self._context, self.options, follower.topic))
        self.feeds.append(feed)
        return feed

    def unfollow(self, feed: Feed) -> None:
        """Follows it no longer."""
        feed.closed = True
        with self._lock:
            feed.publications.close()
            if feed in self.feeds:
                self.feeds.remove(feed)

    def turn(self) -> None:
        """Takes in what has arrived, and sends what is due. Closed: the client is."""
        with self.at_work():
            now = self.now()
            self._receive(now)
            for feed in self.feeds:
                feed.turn(self._published(), now)
            self._keep_connected(now)
            self.send()

    def send(self) -> None:
        """Sends what is due."""
        for body in self.session.outgoing(self.now()):
            self._requests.send(request_frames(body, self.options.behalf))

    def has_news(self) -> bool:
        """Whether a message waits to be taken in."""
        return any(int(socket.getsockopt(zmq.EVENTS)) & zmq.POLLIN for socket in self.sockets())

    def pause(self, feeds: Sequence[Feed] = ()) -> float:
        """Seconds until the next turn, if nothing arrives before."""
        now = self.now()
        times = [feed.follower.wake(now) for feed in feeds]
        if (wake := self.session.wake()) is not None:
            times.append(wake)
        if self._connect_at is not None:
            times.append(self._connect_at)
        if self._silent_since is not None and self.session.has_others:
            times.append(self._leave_at(max(self._silent_since, self.session.heard)))
        return max(0.0, min([1.0, *(time - now for time in times)]))

    def sockets(self) -> list[zmq.Socket[Any]]:
        """Those whose messages a turn takes in."""
        all = [self._requests.socket, self._requests.monitor]
        for feed in self.feeds:
            all += [feed.publications.socket, feed.publications.monitor]
        return [socket for socket in all if socket is not None]

    def close(self) -> None:
        """Ends all connections, for good. What waits for an answer gets `Closed`.

        Any thread may call it. One that is at work lets go of the sockets within a second.
        """
        self.session.closed = True
        for feed in list(self.feeds):
            feed.closed = True  # before the lock is there: whoever is at work sees it at once
        with self._lock:
            for feed in list(self.feeds):
                self.unfollow(feed)
            self._requests.close()
            self.session.close()

    def _receive(self, now: float) -> None:
        for _ in range(AT_ONCE):
            if (frames := self._requests.receive()) is None:
                break
            try:
                body = reply_body(frames)
            except Malformed:
                self.session.malformed += 1
            else:
                self.session.receive(body, now)

    def _published(self) -> str | None:
        if not self.session.hello:
            return None
        return publish_endpoint(self.options, self.endpoint, self.session.hello.get("publish", []))

    def _keep_connected(self, now: float) -> None:
        """A new connection where the session wants one, and another endpoint where this one is silent."""
        if now - self._probed > self.options.failover and any(
                feed.follower.freshness(now) == "disconnected" for feed in self.feeds):
            self._probed = now  # the endpoints may be other ones by now
            self.session.probe()
        if self._settled != self.session.settled:
            self._settled = self.session.settled
            self._left.clear()
        is_out_of_touch = self._is_out_of_touch()
        if self.session.outdated is not None and self._connect_at is None:
            self._connect_at = now + REST  # to another one; where there is none, this one may follow that by then
        if self._is_renewed(now):
            return
        if not self.session.busy:
            self._silent_since = None
            return
        since = max(self._silent_since or now, self.session.heard)
        self._silent_since = since
        if (to := self.session.elsewhere) is not None:
            self.session.elsewhere, self._silent_since = None, now
            pause = 0.0 if self._is_news(to) else REST
            self._left.add(self.endpoint)
            self._renew(True, now, to, pause)
            self.session.probe()
            return
        rotate = is_out_of_touch or self._is_to_be_left(since, now)
        if rotate:
            self._left.add(self.endpoint)
            if self._question:
                self.session.withdraw(self._question)
                self._question = None
        if rotate or self._connection != self.session.connection:
            self._connection = self.session.connection
            self._silent_since = now
            self._renew(rotate, now)

    def _is_renewed(self, now: float) -> bool:
        """Another connection, where there is none any more: to the next endpoint at once, unless all were tried."""
        if self._requests.has_ended():
            rounds, rest = divmod(self._requests.failures - 1, len(self.options.endpoints))
            is_tried = rest == len(self.options.endpoints) - 1
            self._connect_at = now + (min(LATEST, SOONEST * 2.0**min(rounds, 8)) if is_tried else 0.0)
        if self._connect_at is None or now < self._connect_at:
            return False
        self._left.add(self.endpoint)
        self._connection, self._silent_since = self.session.connection, now
        self._renew(True, now)
        if self.session.has_others:
            self.session.probe()  # it publishes elsewhere
        return True

    def _renew(self, rotate: bool, now: float, to: Sequence[str] = (), pause: float = 0.0) -> None:
        """A new connection, on which all that waits for an answer is sent again."""
        self._connect_at = None
        self._requests.renew(rotate, to)
        self.session.reconnected(now + pause)

    def _is_news(self, to: Sequence[str]) -> bool:
        """Whether the one that is said to write is worth asking at once. A writer that has ended is named until
        its lease is over, and one that is not in the list cannot be asked: that would be a tight loop."""
        known = [one for one in to if one in self.options.endpoints]
        return bool(known) and known[0] != self.endpoint and known[0] not in self._left

    def _leave_at(self, since: float) -> float:
        """When to ask whether the daemon is there, and then when to leave it."""
        half = self.options.failover / 2
        return since + half if self._question is None else max(since + 2 * half, self._asked + half)

    def _is_to_be_left(self, since: float, now: float) -> bool:
        """Whether the daemon is silent. What was asked may also take long, so before that it is asked what each
        daemon answers soon."""
        if not self.session.has_others or now <= self._leave_at(since):
            return False
        if self._question:
            return True
        self._question, self._asked = self.session.ask("health", {}), now
        return False

    def _is_out_of_touch(self) -> bool:
        """Whether the daemon has said that it cannot tell what is the present state: it answers nothing else."""
        if self._question is None or not self._question.done:
            return False
        ticket, self._question = self._question, None
        health: Any = ticket.reply.wire.get("health") if ticket.reply else None
        return is_object(health) and health.get("outOfTouch") is True


_engines: "weakref.WeakSet[Engine]" = weakref.WeakSet()
_inherited: list[zmq.Socket[Any]] = []


def _after_fork() -> None:
    for engine in list(_engines):
        engine.inherit()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
