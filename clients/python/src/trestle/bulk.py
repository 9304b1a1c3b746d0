"""Many rows as batches, each within the daemon's bounds."""

from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from .errors import Refused
from .verbs import Batch
from .wire import Json, encode

T = TypeVar("T")
PARTS = 4
"""Batches under way at a time: the daemon works at one while another is on its way."""
MOST = 250
"""Rows of one batch, so that others get their turn, and progress is seen."""


@dataclass(slots=True)
class Part:
    """A batch that adds rows; `numbers` are theirs among all that were given."""

    commands: list[Json] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    bytes: int = 0

    @property
    def count(self) -> int:
        """How many rows it adds."""
        return len(self.commands)

    @contextmanager
    def numbered(self) -> Generator[None]:
        """A refusal within names the row by its number among all that were given."""
        try:
            yield
        except Refused as why:
            if why.command is not None and why.command < self.count:
                raise Refused(why.code, why.message, why.field, self.numbers[why.command]) from None
            raise


def ahead(sent: Iterable[T]) -> Iterator[T]:
    """All that is sent, in order: some more of it is under way while one is waited for."""
    under_way: deque[T] = deque()
    for one in sent:
        under_way.append(one)
        if len(under_way) >= PARTS:
            yield under_way.popleft()
    yield from under_way


def parts_of(rows: Iterable[Mapping[str, Any]], there: Collection[object], limit: Callable[[str, int], int]) -> Iterator[Part]:
    """The batches, in order. Rows whose id is `there` are left out. TypeError: a row has what `Board.add` does not take."""
    part = Part()
    for number, row in enumerate(rows):
        if row.get("id") in there:
            continue
        batch = Batch()
        batch.add(**row)
        size = len(encode(batch.commands[0])) + 1
        is_full = part.count >= min(MOST, limit("batchCommands", 1000))
        if part.commands and (is_full or part.bytes + size > limit("requestBytes", 1 << 20) // 2):
            yield part
            part = Part()
        part.commands += batch.commands
        part.numbers.append(number)
        part.bytes += size
    if part.commands:
        yield part
