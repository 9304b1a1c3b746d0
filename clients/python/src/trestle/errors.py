"""The errors, by name. Everything that this package raises on purpose is a `TrestleError`."""

from typing import TYPE_CHECKING, Any, ClassVar, Self

if TYPE_CHECKING:
    from .ticket import Ticket


class TrestleError(Exception):
    """The root of all errors of this package."""


class Refused(TrestleError):
    """The daemon refused the request. Nothing was changed.

    Each code has a class of its own in `trestle.refusals`: `except trestle.refusals.Stale`.
    `code` is for programs (`noSuchRow`, `stale`, …), `message` is a sentence for people, `field` is
    the path of the field at fault, and `command` the index in a batch, from 0.
    """

    endpoints: tuple[str, ...] = ()
    """With `notLeader`: where the daemon that writes is reached, as far as is known."""

    _by_code: "ClassVar[dict[str, type[Refused]]]" = {}

    def __init_subclass__(cls, code: str, **more: Any) -> None:
        super().__init_subclass__(**more)
        Refused._by_code[code] = cls

    def __new__(cls, code: str, message: str = "", field: str | None = None, command: int | None = None) -> Self:
        """One of the class of its code (`trestle.refusals`)."""
        its: Any = cls._by_code.get(code, cls) if cls is Refused else cls
        made: Self = super().__new__(its, code, message, field, command)
        return made

    def __init__(self, code: str, message: str = "", field: str | None = None,
                 command: int | None = None) -> None:
        super().__init__(code, message, field, command)
        self.code, self.message, self.field, self.command = code, message, field, command

    @property
    def is_of_the_user(self) -> bool:
        """Whether the guest list refuses this user. Nothing in the request is at fault, so asking again is of no use."""
        return self.code == "notAllowed" and self.field == "user"

    def __str__(self) -> str:
        place = f" ({self.field})" if self.field else ""
        return f"{self.code}: {self.message}{place}"


class NoAnswer(TrestleError, TimeoutError):
    """No answer came in time.

    With `may_happen`, the command is under way: it may have been carried out, or will be. It keeps
    its number and is sent again, so it is never carried out twice. `client.wait(error.ticket)` waits
    for it again. Without, it never left, and there is no `ticket`.
    """

    def __init__(self, what: str, seconds: float, may_happen: bool, endpoint: str,
                 ticket: "Ticket | None" = None) -> None:
        more = "; it may be carried out all the same" if may_happen else ""
        super().__init__(f"{what}: no answer from {endpoint} within {seconds:g} s{more}")
        self.may_happen, self.ticket = may_happen, ticket
        self._parts = what, seconds, may_happen, endpoint

    def __reduce__(self) -> "tuple[type[NoAnswer], tuple[str, float, bool, str]]":
        """For `pickle`. The ticket stays with its client."""
        return type(self), self._parts


class Closed(TrestleError):
    """The client or the viewer is closed. A command that had no answer by then may have been carried out."""


class Forked(TrestleError):
    """The client was made before a `fork`, in the parent: no thread takes in what arrives for it here. Connect anew."""


class OutcomeUnknown(TrestleError):
    """Nobody can tell whether the command was carried out: its answer is no longer remembered.

    Look at the table before you do it again.
    """


class Malformed(TrestleError, ValueError):
    """A message does not have the form that the protocol says, or is beyond a bound."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why, self.path = why, ""

    def inside(self, name: str) -> "Malformed":
        """This error, seen from the message that has it in its field `name`."""
        self.path = f"{name}.{self.path}" if self.path else name
        return self

    def __str__(self) -> str:
        return f"{self.path}: {self.why}" if self.path else self.why


class Wrong(TrestleError):
    """A diff or a digest does not fit: the replica is not what the daemon has."""


class NoTable(TrestleError, LookupError):
    """There is no such table."""
