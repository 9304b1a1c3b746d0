"""Where rows stand: ids in sections, in blocks, so that a change touches a block and not the table."""

from collections.abc import Callable, Iterator, Sequence

from .digest import joined, section_hash, sequence

SIZE = 64
"""Rows of a block when it is made; a block of twice as many is cut."""


class Block:
    """Ids that follow one another in a section, and what is remembered of their hashes."""

    __slots__ = ("section", "ids", "value")

    def __init__(self, section: "Section", ids: list[str]) -> None:
        self.section, self.ids = section, ids
        self.value: int | None = None

    def touch(self) -> None:
        """Something in it has changed: its value and its section's hash are to be made anew."""
        self.value = self.section.hash = None


class Section:
    """A section: its id, its title, its blocks."""

    __slots__ = ("id", "title", "blocks", "hash")

    def __init__(self, id: str, title: str) -> None:
        self.id, self.title = id, title
        self.blocks: list[Block] = []
        self.hash: int | None = None

    def ids(self) -> Iterator[str]:
        """Its rows, in order."""
        return (id for block in self.blocks for id in block.ids)


class Order:
    """The sections of a table, in order, and where each row stands. KeyError, ValueError: it does not fit."""

    def __init__(self) -> None:
        self.sections: dict[str, Section] = {}
        self._block_of: dict[str, Block] = {}

    def __contains__(self, id: str) -> bool:
        return id in self._block_of

    def __len__(self) -> int:
        return len(self._block_of)

    def section_of(self, id: str) -> str:
        """The section of a row."""
        return self._block_of[id].section.id

    def index_of(self, id: str) -> int:
        """Its index in its section, from 0."""
        block = self._block_of[id]
        before = block.section.blocks[:block.section.blocks.index(block)]
        return sum(len(one.ids) for one in before) + block.ids.index(id)

    def append(self, section: str, title: str, ids: Sequence[str]) -> None:
        """More rows at the end of a section, which is made if it is not there."""
        place = self.sections.setdefault(section, Section(section, title))
        for start in range(0, len(ids), SIZE):
            block = Block(place, list(ids[start:start + SIZE]))
            place.blocks.append(block)
            for id in block.ids:
                if id in self._block_of:
                    raise ValueError(f"the row {id!r} is there twice")
                self._block_of[id] = block

    def take(self, id: str) -> None:
        """The row leaves its place."""
        block = self._block_of.pop(id)
        block.ids.remove(id)
        block.touch()
        if not block.ids:
            block.section.blocks.remove(block)

    def put(self, ids: Sequence[str], after: str | None, section: str | None) -> None:
        """Rows that stand nowhere come to stand behind a row, or at the top of a section."""
        if any(id in self._block_of for id in ids) or len(set(ids)) != len(ids):
            raise ValueError("a row is there already")
        if after is not None:
            block = self._block_of[after]
            at = block.ids.index(after) + 1
        else:
            place = self.sections[section or ""]
            if not place.blocks:
                place.blocks.append(Block(place, []))
            block, at = place.blocks[0], 0
        block.ids[at:at] = ids
        self._block_of.update(dict.fromkeys(ids, block))
        block.touch()
        if len(block.ids) > 2 * SIZE:
            self._cut(block)

    def _cut(self, block: Block) -> None:
        ids, block.ids = block.ids, block.ids[:SIZE]
        pieces = [Block(block.section, ids[start:start + SIZE]) for start in range(SIZE, len(ids), SIZE)]
        behind = block.section.blocks.index(block) + 1
        block.section.blocks[behind:behind] = pieces
        for piece in pieces:
            self._block_of.update(dict.fromkeys(piece.ids, piece))

    def swap(self, a: str, b: str) -> None:
        """Two rows exchange places."""
        x, y = self._block_of[a], self._block_of[b]
        i, j = x.ids.index(a), y.ids.index(b)
        x.ids[i], y.ids[j] = b, a
        self._block_of[a], self._block_of[b] = y, x
        x.touch()
        y.touch()

    def touch(self, id: str) -> None:
        """The row's content has changed."""
        self._block_of[id].touch()

    def insert_section(self, id: str, title: str, after: str | None) -> None:
        """A new section behind another one, or the first."""
        if id in self.sections:
            raise ValueError(f"the section {id!r} is there already")
        order = list(self.sections.values())
        at = [one.id for one in order].index(after) + 1 if after is not None else 0
        order.insert(at, Section(id, title))
        self.sections = {one.id: one for one in order}

    def remove_section(self, id: str) -> None:
        """An empty section goes."""
        if self.sections[id].blocks:
            raise ValueError(f"the section {id!r} is not empty")
        del self.sections[id]

    def set_section(self, id: str, title: str) -> None:
        """Its title."""
        self.sections[id].title = title
        self.sections[id].hash = None

    def hashes(self, row_hash: Callable[[str], int]) -> list[int]:
        """The hashes of the sections. Only what was touched is made anew."""
        return [self._section_hash(section, row_hash) for section in self.sections.values()]

    def _section_hash(self, section: Section, row_hash: Callable[[str], int]) -> int:
        if section.hash is None:
            value = rows = 0
            for block in section.blocks:
                if block.value is None:
                    block.value = sequence(row_hash(id) for id in block.ids)
                value = joined(value, block.value, len(block.ids))
                rows += len(block.ids)
            section.hash = section_hash(section.id, section.title, rows, value)
        return section.hash
