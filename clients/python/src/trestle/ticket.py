"""Requests on their way, and the client id under which they are numbered."""

from collections.abc import Callable

from .errors import TrestleError
from .reply import Reply
from .wire import Json


class Ticket:
    """A request on its way: `done`, then `reply` or `error`."""

    def __init__(self, verb: str, message: Json, numbered: bool, but: str | None = None) -> None:
        self.verb, self.message, self.numbered = verb, message, numbered
        self.but = but  # a refusal with this code is as good as done
        self.identity: Identity | None = None
        self.number, self.body = 0, b""
        self.sent = 0  # how often
        self.again = 0.0  # when it is sent the next time
        self.reply: Reply | None = None
        self.error: TrestleError | None = None
        self.on_done: list[Callable[[], None]] = []

    @property
    def done(self) -> bool:
        """Whether there is an answer."""
        return self.reply is not None or self.error is not None

    def result(self) -> Reply:
        """The reply. Refused, OutcomeUnknown: what became of it instead."""
        if self.error is not None:
            raise self.error
        if self.reply is None:
            raise RuntimeError("there is no answer yet")
        return self.reply

    def end(self, reply: Reply | None, error: TrestleError | None) -> None:
        """The outcome."""
        self.reply, self.error = reply, error
        for tell in list(self.on_done):
            tell()


class Identity:
    """A client id, with what `hello` said when it was chosen, and its commands by their numbers."""

    def __init__(self, client: str) -> None:
        self.client, self.opened = client, 0
        self.window = 0  # 0: `hello` was not answered yet
        self.last = 0
        self.under_way: dict[int, Ticket] = {}

    def may_send(self) -> bool:
        """Whether the daemon will still remember the oldest answer that has not come."""
        return self.window > 0 and self.last + 1 - min(self.under_way, default=self.last + 1) < self.window
