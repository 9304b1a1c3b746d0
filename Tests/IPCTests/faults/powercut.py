"""The possible contents of the disk after a power cut, from the log of the writes."""

import random

from faults import CREATE, RENAME, SYNC, TRUNCATE, UNLINK, WRITE

SECTOR = 512  # bytes that a disk writes wholly or not at all


class File:
    """The bytes that are surely on the disk, and the writes since then, in order."""

    def __init__(self):
        self.durable, self.pending = bytearray(), []

    def sync(self):
        for change in self.pending:
            apply(self.durable, change)
        self.pending = []


def apply(content, change):
    """Carries out (offset, data), or (size, None) for a truncation."""
    at, data = change
    end = at if data is None else at + len(data)
    if end > len(content):
        content.extend(bytes(end - len(content)))
    if data is None:
        del content[at:]
    else:
        content[at:end] = data


def sectors(change):
    """The same change as changes that a disk may carry out apart."""
    at, data = change
    if data is None:
        return [change]
    parts, offset = [], 0
    while offset < len(data):
        size = SECTOR - (at + offset) % SECTOR
        parts.append((at + offset, data[offset:offset + size]))
        offset += size
    return parts


class Disk:
    """Takes the operations of a log one by one, and tells what a cut after them may leave.

    With `believes_syncs` off it is a disk that only says that it synced.
    """

    def __init__(self, believes_syncs=True):
        self.believes_syncs = believes_syncs
        self.names = {}  # path: File, as the running system sees it
        self.durable_names = {}  # as surely on the disk
        self.pending_names = []  # {path: File or None}, since the directory was synced

    def name(self, step):
        """One step: all of it is on the disk, or nothing. So a rename never leaves neither name."""
        for path, file in step.items():
            self.names.pop(path, None)
            if file:
                self.names[path] = file
        self.pending_names.append(step)

    def take(self, op):
        if op.kind == CREATE:
            self.name({op.path: File()})
        elif op.kind == WRITE:
            self.names[op.path].pending.append((op.offset, op.data))
        elif op.kind == TRUNCATE:
            self.names[op.path].pending.append((op.offset, None))
        elif op.kind == UNLINK:
            self.name({op.path: None})
        elif op.kind == RENAME:
            self.name({op.path: None, op.data: self.names[op.path]})
        elif op.kind == SYNC and self.believes_syncs:
            if op.path == ".":
                for step in self.pending_names:
                    self.durable_names |= step
                self.pending_names = []
            else:
                self.names[op.path].sync()

    def after_a_cut(self, dice):
        """{path: bytes}: all that was synced, and of the rest what the dice say."""
        names = dict(self.durable_names)
        keep = dice.choice([0.0, 0.5, 0.9, 1.0])
        for step in self.pending_names:  # a journalled directory keeps its order
            if dice.random() >= keep:
                break
            names |= step
        return {path: self.content(file, dice) for path, file in names.items() if file}

    @staticmethod
    def content(file, dice):
        content, parts = bytearray(file.durable), []
        for change in file.pending:
            parts += sectors(change)
        how = dice.randrange(4)
        if how == 0:  # in order, up to some place
            parts = parts[:dice.randint(0, len(parts))]
        elif how < 3:  # some of them, each by itself; or in any order as well
            keep = dice.choice([0.1, 0.5, 0.9, 1.0])
            parts = [part for part in parts if dice.random() < keep]
            if how == 2:
                dice.shuffle(parts)
        # Else all of it: the cut that takes only what came after.
        for part in parts:
            apply(content, part)
        return bytes(content)


def cuts(ops, count, seed, believes_syncs=True):
    """`count` times (operations before the cut, {path: bytes}), spread over the whole log.

    Several cuts may be at the same place, with another outcome each.
    """
    dice = random.Random(seed)
    places = sorted(dice.randint(0, len(ops)) for _ in range(count))
    disk, taken = Disk(believes_syncs), 0
    for number, place in enumerate(places):
        while taken < place:
            disk.take(ops[taken])
            taken += 1
        yield place, disk.after_a_cut(random.Random(f"{seed}/{number}"))
