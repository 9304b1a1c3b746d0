"""Frames and bodies: the protocol's JSON form, and the bounds of what is taken in.

Specified in docs/PROTOCOL.md, "Sockets and frames". Nothing here knows what a message means.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeGuard

from .errors import Malformed

Json = dict[str, Any]
"""A message, or a part of one, in the protocol's JSON form."""

HEADER = b"trestle/1 json"
BEHALF_HEADER = b"trestle/1 json behalf"
MAX_MESSAGE = 64 << 20
"""Bytes of the largest message that is taken in."""
MAX_DEPTH = 100
"""How deep objects and lists may stand in each other."""
MAX_FRAMES = 8


def encode(message: Json) -> bytes:
    """A body. ValueError: it has a number that is not finite, or text that is no Unicode."""
    text = json.dumps(message, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode()


def decode(body: bytes) -> Json:
    """The message of a body. Malformed: it is none, or it is too large or too deep."""
    if len(body) > MAX_MESSAGE:
        raise Malformed(f"{len(body)} bytes are too many")
    try:
        message: Any = json.loads(body.decode(), parse_constant=_no_number)
    except RecursionError:
        raise Malformed("it is nested too deeply") from None
    except ValueError as why:
        raise Malformed(f"this is not JSON: {why}") from None
    if not is_object(message):
        raise Malformed("this is not an object")
    _check_depth(message)
    if b"\\ud" in body or b"\\uD" in body:
        _check_unicode(message)
    return message


def is_object(value: Any) -> TypeGuard[Json]:
    """Whether it is an object."""
    return type(value) is dict


def is_list(value: Any) -> TypeGuard[list[Any]]:
    """Whether it is a list."""
    return type(value) is list


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number")


def _check_unicode(message: Json) -> None:
    """Escapes can write halves of characters, which no text has."""
    try:
        encode(message)
    except UnicodeEncodeError:
        raise Malformed("a text has half a character") from None


def _check_depth(message: Json) -> None:
    level: list[Any] = [message]
    for _ in range(MAX_DEPTH):
        level = [inner for value in level
                 for inner in (value.values() if is_object(value) else value)
                 if is_object(inner) or is_list(inner)]
        if not level:
            return
    raise Malformed("it is nested too deeply")


@dataclass(frozen=True, slots=True)
class Behalf:
    """On whose behalf requests are: the daemon takes it for a user of its own below the connection's.

    `role`: at most what that role may, by default what the connection's user may. `tables`: names, in which
    `*` stands for any characters, by default all. The daemon refuses an empty role, and a tuple with
    nothing in it.
    """

    name: str
    role: str | None = None
    tables: tuple[str, ...] | None = None

    def frame(self) -> bytes:
        """The frame before a request."""
        message: Json = {"name": self.name}
        if self.role is not None:
            message["role"] = self.role
        if self.tables is not None:
            message["tables"] = list(self.tables)
        return encode(message)


def request_frames(body: bytes, behalf: Behalf | None = None) -> list[bytes]:
    """The frames that a DEALER sends for a request with this body."""
    if behalf is None:
        return [b"", HEADER, body]
    return [b"", BEHALF_HEADER, behalf.frame(), body]


def reply_body(frames: Sequence[bytes]) -> bytes:
    """The body of a reply, with or without the empty frame in front."""
    frames = frames[1:] if frames and not frames[0] else frames
    if not 2 <= len(frames) <= MAX_FRAMES or frames[0] != HEADER:
        raise Malformed("these are not the frames of a reply")
    return frames[1]


def publication_body(frames: Sequence[bytes], topic: bytes) -> bytes:
    """The body of a publication under this topic."""
    if len(frames) != 2 or frames[0] != topic:
        raise Malformed("these are not the frames of a publication")
    return frames[1]


def topic_of(table: str, presence: bool = False) -> bytes:
    """The topic of a table, with its slash at the end; or the one of who is there."""
    if not table or "/" in table:
        raise ValueError(f"{table!r} is no name of a table")
    return f"{'p' if presence else ''}j/{table}/".encode()
