"""The words, literals and signs of a predicate."""

import re
import unicodedata
from dataclasses import dataclass

MOST = 2_000
"""More than a person writes."""
SIGNS = ("==", "!=", "<=", ">=", "!~", "<", ">", "~", "(", ")", ".")
HINTS = {"=": "==", "&&": "and", "||": "or", "!": "not", "&": "and"}
SEPARATORS = "\x1c\x1d\x1e\x1f"
"""Space to Python, but not to Unicode."""
INSIDE = "_-0123456789\u200c\u200d"
"""In a name, behind its first letter; the last two join letters, in Persian for one."""
ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", '"': '"', "'": "'"}
NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9][0-9.]*)?")
DURATION = re.compile("".join(f"(?:([0-9]{{1,9}}){unit})?" for unit in "dhms"))
"""Whole numbers of days, hours, minutes and seconds: `1h30m`."""
UNITS = (86_400.0, 3_600.0, 60.0, 1.0)


class BadToken(Exception):
    """Nothing known begins there, or it has no end."""

    def __init__(self, offset: int, message: str) -> None:
        super().__init__(offset, message)
        self.offset, self.message = offset, message


@dataclass(frozen=True, slots=True)
class Token:
    """`kind` is `word`, `text`, `number`, `duration`, `sign` or `end`; `offset` is where it begins."""

    kind: str
    value: str | float
    offset: int
    written: str = ""
    """A duration, which has its seconds as value."""

    @property
    def name(self) -> str:
        """The name in messages."""
        if self.kind == "end":
            return "the end"
        if self.kind == "number":
            return repr(self.value)
        if self.kind == "duration":
            return f"`{self.written}`"
        return f'"{self.value}"' if self.kind == "text" else f"`{self.value}`"


def number_in(text: str) -> float | None:
    """The decimal number in a text, as fields hold them; None for any other text."""
    if not re.fullmatch(r"[0-9.-]+", text):
        return None
    try:
        number = float(text)
    except ValueError:
        return None
    return number if abs(number) != float("inf") else None


def tokens(text: str) -> list[Token]:
    """All of them; the last is the end."""
    found: list[Token] = []
    at = 0
    while True:
        while at < len(text) and text[at].isspace() and text[at] not in SEPARATORS:
            at += 1
        if at == len(text):
            return [*found, Token("end", "", at)]
        if len(found) == MOST:
            raise BadToken(at, f"more than {MOST} words and signs")
        token, at = _token(text, at)
        found.append(token)


def _token(text: str, at: int) -> tuple[Token, int]:
    if text[at] in "\"'":
        return _text(text, at)
    if (match := DURATION.match(text, at)) and match[0] and not _goes_on(text, match.end()):
        seconds = sum((float(count or 0) * unit for count, unit in zip(match.groups(), UNITS)), 0.0)
        return Token("duration", seconds, at, match[0]), match.end()
    if match := NUMBER.match(text, at):
        number = number_in(match[0])
        if number is None:
            raise BadToken(at, f"`{match[0]}` is no number")
        return Token("number", number, at), match.end()
    if end := _end_of_name(text, at):
        return Token("word", text[at:end], at), end
    for sign in (text[at:at + 2], text[at]):
        if sign in SIGNS:
            return Token("sign", sign, at), at + len(sign)
        if hint := HINTS.get(sign):
            raise BadToken(at, f"`{sign}` is written `{hint}`")
    raise BadToken(at, f"nothing that begins with `{text[at]}` stands here")


def _end_of_name(text: str, start: int) -> int | None:
    """Letters of any script and `_`, and behind the first of them marks, digits and `-` too. None: it does not begin one."""
    if not (text[start] == "_" or unicodedata.category(text[start])[0] == "L"):
        return None
    at = start + 1
    while _goes_on(text, at):
        at += 1
    return at


def _goes_on(text: str, at: int) -> bool:
    """Whether there is what may stand in a name, behind its first letter."""
    return at < len(text) and (text[at] in INSIDE or unicodedata.category(text[at])[0] in "LM")


def _text(text: str, start: int) -> tuple[Token, int]:
    quote, at = text[start], start + 1
    parts: list[str] = []
    while at < len(text) and text[at] != quote:
        if text[at] == "\\" and at + 1 < len(text):
            at += 1
            if text[at] not in ESCAPES:
                raise BadToken(at - 1, "expected one of \\ \" ' n t after \\")
            parts.append(ESCAPES[text[at]])
        else:
            parts.append(text[at])
        at += 1
    if at >= len(text):
        raise BadToken(start, "this text has no end")
    return Token("text", "".join(parts), start), at + 1
