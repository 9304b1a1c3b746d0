"""A writer's session: each command is carried out once, whatever is lost on the way.

No sockets and no clock: bodies and times (in seconds, by any clock that does not go back) come in,
bodies go out. docs/PROTOCOL.md, "Sending again".

    submit ─▶ queued ─ window ─▶ under way ─ no answer for a while ─▶ sent again, the same bytes
                                    └── answer ─▶ done
"""

import random
import time
import uuid
from collections import deque
from collections.abc import Callable

from .errors import Closed, Forked, Malformed, OutcomeUnknown, Refused
from .reply import Reply, read_reply, refusal
from .ticket import Identity, Ticket
from .verbs import given
from .wire import Json, encode

PASSING = 1 << 40
"""Requests that are not remembered have numbers from here on, so that replies are told apart."""
ONCE = {"command", "batch", "create", "drop", "restore"}
"""Requests that are carried out once, and a drag's `drop`."""
SLOWEST = 8.0
"""Seconds: the longest pause before something is sent again."""


class Session:
    """Requests of one client of one daemon. `name` is what people call the sender.

    `patience`: seconds without an answer after which a request is sent again; it doubles each time.
    """

    def __init__(self, name: str | None = None, patience: float = 1.0,
                 jitter: Callable[[], float] = random.random,
                 new_id: Callable[[], str] = lambda: f"py-{uuid.uuid4().hex}") -> None:
        self.name, self.patience = name, patience
        self.closed = False
        self.inherited = False  # by a `fork`
        self._jitter, self._new_id = jitter, new_id
        self.hello: Json | None = None
        self.turned_away: Refused | None = None  # the last `hello` was refused, and why
        self.epoch = ""
        self.heard = 0.0  # when the last answer came
        self.sent_again = self.malformed = 0
        self.connection = 0  # grows when the owner is to make a new connection
        self.has_others = False  # daemons: a command that one of them may not carry out goes to another
        self.elsewhere: tuple[str, ...] | None = None  # the owner is to connect there
        self.settled = 0  # answers, but those that another daemon writes and those to `hello`
        self.term = 0  # the newest that a daemon of the service has named
        self.outdated: int | None = None  # the term of the present one, which is older, so nothing is asked of it
        self._is_held = False  # nothing but `hello` is sent: a daemon that was replaced may not know it
        self._is_fresh = True  # nothing on this connection is about what was given up
        self._one_by_one = False
        self._identity = Identity(new_id())
        self._numbered: deque[Ticket] = deque()  # in order, without a number yet
        self._passing: dict[int, Ticket] = {}
        self._older: dict[str, Identity] = {}  # former identities with commands under way
        self._next_passing = PASSING
        self._hello: Ticket | None = None
        self._ask_hello()

    @property
    def client(self) -> str:
        """The client id: the holder of what is taken, the client of what was done."""
        return self._identity.client

    @property
    def busy(self) -> bool:
        """Whether anything waits for an answer."""
        return bool(self._numbered or self._passing or self._identity.under_way or self._older)

    # What goes in.

    def submit(self, verb: str, body: Json, table: str | None = None, but: str | None = None) -> Ticket:
        """A request that is carried out once: `command`, `batch`, `create`, `drop`, `restore`, a drag's drop.

        `but`: a refusal with this code is a reply that is `unchanged`.
        """
        self.check_open()
        ticket = Ticket(verb, self._message(verb, body, table), True, but)
        self._check_size(encode(ticket.message))
        self._numbered.append(ticket)
        if self.turned_away:
            self.probe()  # nothing is sent before `hello` is answered: perhaps it is now
        return ticket

    def ask(self, verb: str, body: Json, table: str | None = None) -> Ticket:
        """A request that may be carried out twice: all that reads, and what passes. ValueError: it is another one."""
        self.check_open()
        if verb in ONCE or (verb == "drag" and "drop" in body):
            raise ValueError(f"`{verb}` is carried out once: `submit` it")
        ticket = Ticket(verb, self._message(verb, body, table), numbered=False)
        self._next_passing += 1
        ticket.number = self._next_passing
        message = {"client": self.client, "number": ticket.number, **ticket.message}
        ticket.body = encode(message)
        self._check_size(ticket.body)
        self._passing[ticket.number] = ticket
        return ticket

    def withdraw(self, ticket: Ticket) -> bool:
        """Nobody waits for it any more. True: it never left; else a command goes on being sent."""
        if not ticket.numbered:
            if self._passing.pop(ticket.number, None) and ticket.sent:
                self._leave_connection()
            return ticket.sent == 0
        if ticket in self._numbered:
            self._numbered.remove(ticket)
            return True
        return False

    def close(self) -> None:
        """Nothing goes in or out any more. What waits for an answer gets `Closed`."""
        self.closed = True
        waiting = [*self._numbered, *self._all()]
        self._numbered.clear()
        self._passing.clear()
        self._older.clear()
        self._identity.under_way.clear()
        for ticket in waiting:
            ticket.end(None, Closed(f"{ticket.verb}: the client is closed"))

    def check_open(self) -> None:
        """Closed: it is. Forked: it is another process's."""
        if self.inherited:
            raise Forked("the client was made before a fork, by the parent: connect anew in this process")
        if self.closed:
            raise Closed("the client is closed")

    def limit(self, name: str, usual: int) -> int:
        """A bound of the daemon, as its `hello` says; `usual` where it has not said it."""
        return int((self.hello or {}).get("limits", {}).get(name, usual))

    def probe(self) -> None:
        """Asks for `hello`, unless that is under way: whether the daemon is there, and what it says now."""
        if self._hello is None:
            self._ask_hello()

    def reconnected(self, now: float) -> None:
        """There is a new connection: what was under way on the old one is sent again now."""
        self._is_fresh = True
        self.outdated, self._is_held = None, self.term > 1
        if self._is_held:
            self.probe()
        for ticket in self._all():
            ticket.again = now

    def _leave_connection(self) -> None:
        """Refusals that do not say what they refuse may still come by it, and mean nothing any more."""
        self._is_fresh = False
        self.connection += 1

    def _check_size(self, body: bytes) -> None:
        """Refused: the daemon would close the connection, or not tell which request it refuses."""
        most = self.limit("requestBytes", 1 << 20)
        if len(body) + 200 > most:  # with client, number and opened
            raise Refused("tooLarge", f"request bytes: {len(body)}, at most {most}.")

    def _message(self, verb: str, body: Json, table: str | None) -> Json:
        zone = time.localtime().tm_gmtoff  # for clock times in conditions
        return given(name=self.name or None, zoneSeconds=zone or None, table=table) | {verb: body}

    # What goes out.

    def outgoing(self, now: float) -> list[bytes]:
        """The bodies that are to be sent now, in order."""
        identity = self._identity
        while self._numbered and not self._is_held and identity.may_send():
            ticket = self._numbered.popleft()
            identity.last += 1
            ticket.identity, ticket.number, ticket.again = identity, identity.last, now
            ticket.body = encode({"client": identity.client, "number": ticket.number,
                                  "opened": identity.opened, **ticket.message})
            identity.under_way[ticket.number] = ticket
        due = [ticket for ticket in self._candidates() if ticket.again <= now]
        for ticket in due:
            self.sent_again += ticket.sent > 0
            pause = min(SLOWEST, self.patience * 2.0**min(ticket.sent, 16))
            ticket.again = now + max(self.patience, pause * (0.5 + 0.5 * self._jitter()))
            ticket.sent += 1
        return [ticket.body for ticket in due]

    def wake(self) -> float | None:
        """When `outgoing` has something next; None: not before something goes in."""
        return min((ticket.again for ticket in self._candidates()), default=None)

    def _candidates(self) -> list[Ticket]:
        if self._is_held:
            return [self._hello] if self._hello else []
        return self._all()[:1] if self._one_by_one else self._all()

    def _all(self) -> list[Ticket]:
        return [*self._passing.values(),
                *(ticket for one in self._older.values() for ticket in one.under_way.values()),
                *self._identity.under_way.values()]

    # What comes back.

    def receive(self, body: bytes, now: float) -> None:
        """A reply. What is none is counted in `malformed`, and is as good as lost."""
        try:
            reply = read_reply(body)
        except Malformed:
            self.malformed += 1
            return
        self.heard = now
        epoch = reply.get("epoch", "")
        if epoch and self.epoch and epoch != self.epoch and "hello" not in reply:
            self.probe()  # started anew, perhaps with other limits
        client, number = reply.get("client"), reply.get("number", 0)
        if client is None and not reply.get("ok"):
            return self._nameless(reply)
        if number >= PASSING and (passing := self._passing.pop(number, None)):
            self._passed(passing, reply)
            return
        identity = self._identity if client == self._identity.client else self._older.get(client or "")
        if identity and (ticket := identity.under_way.pop(number, None)):
            self._answered(ticket, identity, reply, now)
            if identity is not self._identity and not identity.under_way:
                self._older.pop(identity.client, None)
        self._one_by_one = self._one_by_one and bool(self._all())

    def _nameless(self, reply: Json) -> None:
        """A refusal of what could not be read, so that it does not say what it refuses.

        With one request under way it is that one. With several, all are sent again on a new
        connection, one after another. No second copy of the refusal arrives there.
        """
        if not self._is_fresh:
            return
        self._leave_connection()
        sent = [ticket for ticket in self._candidates() if ticket.sent]
        self._one_by_one = len(sent) > 1
        if len(sent) != 1:
            return
        ticket = sent[0]
        if ticket.identity:
            ticket.identity.under_way.pop(ticket.number, None)
        self._passing.pop(ticket.number, None)
        refused = refusal(reply)
        if ticket is self._hello:
            self._turned_away(refused)
        ticket.end(None, refused)

    def _passed(self, ticket: Ticket, reply: Json) -> None:
        refused = None if reply.get("ok") else refusal(reply)
        if refused and self._goes_elsewhere(refused, self._passing, ticket):
            return
        if ticket is self._hello:
            self._hello = None
            if refused:
                self._turned_away(refused)
            elif "hello" in reply:
                self._met(reply)
        elif not self._identity.under_way:  # what only reads is answered by any daemon
            self.settled += 1
        ticket.end(None if refused else Reply(reply), refused)

    def _turned_away(self, why: Refused) -> None:
        """`hello` was refused: what waits for it is refused for the same reason."""
        self._hello, self.turned_away = None, why
        if self._identity.window:
            return  # an earlier one was answered
        waiting, self._numbered = self._numbered, deque()
        for ticket in waiting:
            ticket.end(None, why)

    def _goes_elsewhere(self, refused: Refused, waiting: dict[int, Ticket], ticket: Ticket) -> bool:
        """Another daemon writes: the same request, as it is, is sent there."""
        if refused.code != "notLeader" or not self.has_others:
            return False
        waiting[ticket.number] = ticket
        self.elsewhere = refused.endpoints
        return True

    def _answered(self, ticket: Ticket, identity: Identity, reply: Json, now: float) -> None:
        refused = None if reply.get("ok") else refusal(reply)
        if refused and self._goes_elsewhere(refused, identity.under_way, ticket):
            ticket.sent = max(0, ticket.sent - 1)  # this copy changed nothing, and nobody remembers it
            return
        self.settled += 1
        if refused is None:
            ticket.end(Reply(reply), None)
        elif refused.code == ticket.but:
            ticket.end(Reply({key: value for key, value in reply.items() if key != "error"}
                             | {"ok": True, "unchanged": True}), None)
        elif refused.code == "unknown" and ticket.sent == 1:
            self._begin_anew(identity)
            self._numbered.append(ticket)
            ticket.sent = 0
        elif refused.code == "unknown":
            ticket.end(None, OutcomeUnknown(f"{ticket.verb} {ticket.number}: {refused.message}"))
        elif refused.code == "diskFull" and ticket.sent > 1:
            # This answer is not remembered: another copy may arrive when there is room again.
            identity.under_way[ticket.number] = ticket
            ticket.again = max(ticket.again, now + self.patience)
        else:
            ticket.end(None, refused)

    def _begin_anew(self, identity: Identity) -> None:
        """This writer was idle for too long, and is forgotten: another client id."""
        if identity is self._identity:
            if identity.under_way:
                self._older[identity.client] = identity
            self._identity = Identity(self._new_id())
            self.probe()

    def _ask_hello(self) -> None:
        self.turned_away = None
        self._hello = self.ask("hello", {})

    def _met(self, reply: Json) -> None:
        hello = reply["hello"]
        term = hello.get("term", 0)
        self.outdated = term if 0 < term < self.term else None
        self._is_held = self.outdated is not None
        if self._is_held:
            return
        self.hello, self.term = hello, max(self.term, term)
        self.epoch = reply.get("epoch", "")
        identity = self._identity
        if not identity.window:
            identity.opened = hello.get("opened", 0)
        identity.window = max(1, hello.get("limits", {}).get("repliesPerSession", 1))

