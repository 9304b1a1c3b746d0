"""A table as a viewer holds it: content and order, the ops of a diff (§7), the digest (§9).

Written from docs/PROTOCOL.md alone; no sockets here.

Rows are in blocks of some 64, and each block, section and row keeps its hash until it changes. After
a diff, one or two blocks are hashed again, and the blocks' values of their section are joined.
"""

import copy
import struct

from xxhash import xxh64_intdigest

P = (1 << 61) - 1  # §9
B = 0x13C6EF372FE94F82


def hash_of(*parts):
    """XXH64 over the canonical form of numbers and texts."""
    data = bytearray()
    for part in parts:
        if isinstance(part, str):
            part = part.encode()
            data += len(part).to_bytes(8, "little") + part
        else:
            data += part.to_bytes(8, "little")
    return xxh64_intdigest(bytes(data))


def sequence(hashes):
    value = 0
    for h in hashes:
        value = (value * B + h % P) % P
    return value


def row_hash(row):
    # Python orders texts by code points, which is the order of their UTF-8.
    fields = sorted(row.get("fields", {}).items())
    parts = [row["id"], row["kind"], row.get("title", ""), len(fields),
             *[text for pair in fields for text in pair], row.get("createdMs", 0),
             row.get("expand", "collapsed"), row.get("swipe", "closed")]
    if row.get("actions"):
        parts += ["actions", int(row["actions"]["digest"], 16)]
    if row.get("performed"):
        parts += ["performed", len(row["performed"])]
        for one in row["performed"]:
            parts += [one["action"], one["state"]]
            if one["state"] == "pending":
                parts.append(one["invocation"])
            elif one["state"] == "failed":
                parts.append(one.get("reason", ""))
    if row.get("items"):
        parts += ["items", len(row["items"])]
        for item in row["items"]:
            fields = sorted(item.get("fields", {}).items())
            parts += [item["id"], item.get("title", ""), len(fields),
                      *[text for pair in fields for text in pair],
                      int(item["tap"]["digest"], 16) if item.get("tap") else 0]
    if row.get("scroll"):
        bits = struct.pack("<d", row["scroll"].get("fraction", 0.0) or 0.0)
        parts += ["scroll", row["scroll"]["item"], 1, int.from_bytes(bits, "little")]
    for word, key in (("changed", "changedMs"), ("moved", "movedMs")):
        if row.get(key):
            parts += [word, row[key]]
    if claim := row.get("claim"):
        bits = struct.pack("<d", claim.get("ttl", 0.0))
        parts += ["claim", claim["holder"], claim.get("note", ""), 1,
                  int.from_bytes(bits, "little"), claim.get("sinceMs", 0)]
    if row.get("states"):
        parts += ["states", len(row["states"])]
        for state in row["states"]:
            parts += [state["name"], *optional_number(state.get("height"))]
    if row.get("selected") is not None:
        item = row["selected"].get("item")
        parts += ["selected", *([0] if item is None else [1, item])]
    for word, key, name in (("item kinds", "items", "kind"),
                            ("performed on items", "performed", "item")):
        named = [(index, one[name]) for index, one in enumerate(row.get(key) or ()) if one.get(name)]
        if named:
            parts += [word, len(named), *[part for pair in named for part in pair]]
    if row.get("cameFrom"):
        parts += ["came from", row["cameFrom"]]
    if sleep := row.get("sleep"):
        parts += ["sleep", sleep["untilMs"], "top" if sleep.get("top") else "place"]
    return hash_of(*parts)


def optional_number(value):
    """0, or 1 and the 64 bits of a number."""
    if value is None:
        return [0]
    return [1, int.from_bytes(struct.pack("<d", value or 0.0), "little")]


def invocation_hash(one):
    holder = [1, one["holder"]] if "holder" in one else [0]
    failure = one.get("failure")
    failed = [failure.get("reason", ""), failure["dueMs"], int(failure.get("over", False))] if failure else []
    return hash_of(int(one["digest"], 16), *holder, one.get("attempts", 0), *failed)


class Wrong(Exception):
    """An op or a digest does not fit: the replica is wrong (§7)."""


class Block:
    """Up to 2 × SIZE rows that follow one another in a section, and the value of their sequence."""

    SIZE = 64

    def __init__(self, section, ids):
        self.section, self.ids, self.value = section, ids, None

    def touch(self):
        self.value = self.section.hash = None


class Section:
    def __init__(self, id, title):
        self.id, self.title, self.blocks, self.hash = id, title, [], None


class Table:
    """Rows by id, in sections of blocks: an op touches one block or two, not the whole table."""

    def __init__(self, chunks):
        """From the chunks of a snapshot (§6)."""
        self.rows, self.block_of, self.sections = {}, {}, {}  # sections: id to Section, in order
        self.hashes, self.powers, self.definitions = {}, {}, None  # what digest() remembers
        self.time, self.going_back = 0, False  # of the diff that is being applied
        self.kinds = {kind["id"]: kind for kind in chunks[0].get("kinds", ())}
        self.settings = chunks[0].get("settings") or {}
        self.editing = chunks[0].get("editing", False)
        self.invocations = {one["id"]: one for chunk in chunks
                            for one in chunk.get("invocations", ())}
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

    def apply(self, ops, revision, time=0):
        """The ops of the diff that leads to `revision`, in order; `time` is its cause's (§7)."""
        self.time, self.going_back = time, False
        self._apply(ops, revision)

    def rewind(self, step):
        """One of the ways back that `rewind` gives (§20, "An older revision")."""
        self.time, self.going_back = 0, True
        self._apply(step.get("ops", ()), step["revision"])
        if self.digest() != step["digest"]:
            raise Wrong(f"another digest at {step['revision']}")

    def copy(self):
        """Another table with the same content."""
        slices = [{"section": id, "title": self.sections[id].title,
                   "rows": [copy.deepcopy(self.rows[row]) for row in rows]}
                  for id, rows in self.order()]
        return Table([{"kinds": list(self.kinds.values()), "settings": self.settings,
                       "editing": self.editing, "slices": slices,
                       "invocations": copy.deepcopy(list(self.invocations.values()))}])

    def _apply(self, ops, revision):
        for op in ops:
            (verb, fields), = op.items()
            try:
                getattr(self, "op_" + verb)(fields, revision)
            except (KeyError, ValueError, AttributeError) as why:
                raise Wrong(f"{why!r} in {op}") from why

    def digest(self):
        """§9, of what was touched since the last time."""
        if self.definitions is None:
            settings = int(self.settings["digest"], 16)
            kinds = sorted((id, int(kind["digest"], 16)) for id, kind in self.kinds.items())
            self.definitions = hash_of(settings, len(kinds), *[part for kind in kinds for part in kind])
        for section in self.sections.values():
            if section.hash is None:
                value = rows = 0
                for block in section.blocks:
                    if block.value is None:
                        block.value = sequence(self._row_hash(id) for id in block.ids)
                    value = (value * self._power(len(block.ids)) + block.value) % P
                    rows += len(block.ids)
                section.hash = hash_of(section.id, section.title, rows, value)
        all = sequence(section.hash for section in self.sections.values())
        parts = [len(self.sections), all, self.definitions]
        if self.editing:
            parts.append("editing")
        if self.invocations:
            parts += ["invocations", len(self.invocations),
                      sum(map(invocation_hash, self.invocations.values())) % 2**64]
        return f"{hash_of(*parts):016x}"

    def _row_hash(self, id):
        if id not in self.hashes:
            self.hashes[id] = row_hash(self.rows[id])
        return self.hashes[id]

    def _power(self, n):
        if n not in self.powers:
            self.powers[n] = pow(B, n, P)
        return self.powers[n]

    # Places.

    def _take(self, id):
        block = self.block_of.pop(id)
        block.ids.remove(id)
        block.touch()
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
        block.touch()
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
        self.block_of[id].touch()
        self.hashes.pop(id, None)
        return self.rows[id]

    # Ops (§7). One that does not fit raises KeyError or ValueError.

    def op_insert(self, op, revision):
        row = op["row"]
        if row["id"] in self.rows:
            raise ValueError("the row is there already")
        self._put([row["id"]], op)
        self.rows[row["id"]] = row if self.going_back else row | {"version": revision}

    def op_remove(self, op, _):
        self._take(op["row"])
        self.hashes.pop(op["row"], None)
        del self.rows[op["row"]]

    def op_move(self, op, _):
        for id in op["rows"]:
            self._take(id)
        self._put(op["rows"], op)
        for id in op["rows"]:
            self._moved(id)

    def _moved(self, id):
        if self.time:
            self._touch(id)["movedMs"] = self.time

    def _changed(self, row, revision):
        row["version"] = revision
        if self.time:
            row["changedMs"] = self.time

    def op_set(self, op, revision):
        row = self._touch(op["row"])
        self._changed(row, revision)
        row.update({key: op[key] for key in ("title", "kind") if key in op})
        fields = row.setdefault("fields", {})
        for key in op.get("unset", ()):
            fields.pop(key, None)
        fields.update(op.get("fields", {}))
        if "actions" in op:  # without any edge: its kind's again
            if {"leading", "trailing"} & set(op["actions"]):
                row["actions"] = op["actions"]
            else:
                row.pop("actions", None)
        if "states" in op:  # without any state: its kind's again
            row["states"] = op["states"].get("states", [])
        row["performed"] = [p for p in row.get("performed", ()) if p["state"] == "pending"]

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
        x.touch(), y.touch()
        self._moved(a), self._moved(b)

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
        self.sections[op["id"]].hash = None

    def op_define(self, op, _):
        self.definitions = None
        self.kinds.update({kind["id"]: kind for kind in op.get("kinds", ())})
        for id in op.get("drop", ()):
            del self.kinds[id]
        if op.get("settings") is not None:
            self.settings = op["settings"]

    def op_perform(self, op, revision):
        row = self._touch(op["row"])
        self._changed(row, revision)
        self._perform(row, op["performance"])

    def _perform(self, row, performance):
        performed = row.setdefault("performed", [])
        for index, one in enumerate(performed):
            if all(one.get(key) == performance.get(key) for key in ("action", "item")):
                performed[index] = performance
                break
        else:
            performed.append(performance)
        # Too many: of the row's own the oldest that is not pending, of the items' the oldest that
        # failed.
        own = [p for p in performed if "item" not in p]
        on_items = [p for p in performed if "item" in p]
        for all_, most, gone in ((own, 32, ("done", "failed")), (on_items, 256, ("failed",))):
            if len(all_) > most:
                performed[:] = [p for p in performed
                                if p is not next((q for q in all_ if q["state"] in gone), None)]

    def op_invoke(self, op, _):
        one = op["invocation"]
        if one["id"] in self.invocations or one["row"] not in self.rows:
            raise ValueError("the invocation is there already, or its row is not")
        self.invocations[one["id"]] = one

    def op_take(self, op, _):
        one = self.invocations[op["invocation"]]
        one["holder"] = op["holder"]
        one["attempts"] = one.get("attempts", 0) + 1

    def op_release(self, op, _):
        del self.invocations[op["invocation"]]["holder"]

    def op_rest(self, op, _):
        one = self.invocations[op["invocation"]]
        if "failure" in op:
            one["attempts"] = one.get("attempts", 0) + ("holder" not in one)
            one.pop("holder", None)
            one["failure"] = op["failure"]
        else:
            one["failure"]["over"] = True

    def op_finish(self, op, _):
        one = self.invocations.pop(op["invocation"])
        row = self.rows.get(one["row"], {})
        for performance in row.get("performed", ()):
            if performance.get("invocation") == one["id"]:
                ended = ({"state": "done"} if op.get("done")
                         else {"state": "failed", "reason": op.get("failed", "")})
                item = {"item": one["item"]} if "item" in one else {}
                self._perform(self._touch(one["row"]), {"action": one["action"], **item, **ended})

    def op_edit(self, op, _):
        self.editing = op.get("on", False)

    def op_expandAll(self, op, _):
        state = "expanded" if op.get("open") else "collapsed"
        for id, row in self.rows.items():
            states = row.get("states") or self.kinds[row["kind"]]["states"]
            if state in (s["name"] for s in states):
                self._touch(id)["expand"] = state

    # Items of strips.

    def _items(self, op, revision):
        row = self._touch(op["row"])
        self._changed(row, revision)
        row["performed"] = [p for p in row.get("performed", ()) if p["state"] == "pending"]
        return row.setdefault("items", [])

    def _item(self, items, id):
        return [item["id"] for item in items].index(id)

    def op_insertItem(self, op, revision):
        items = self._items(op, revision)
        if any(item["id"] == op["item"]["id"] for item in items):
            raise ValueError("the item is there already")
        items.insert(self._item(items, op["after"]) + 1 if "after" in op else 0, op["item"])

    def op_removeItem(self, op, revision):
        items = self._items(op, revision)
        del items[self._item(items, op["item"])]

    def op_moveItems(self, op, revision):
        items = self._items(op, revision)
        moved = [items.pop(self._item(items, id)) for id in op["items"]]
        at = self._item(items, op["after"]) + 1 if "after" in op else 0
        items[at:at] = moved

    def op_setItem(self, op, revision):
        items = self._items(op, revision)
        item = items[self._item(items, op["item"])]
        if "title" in op:
            item["title"] = op["title"]
        fields = item.setdefault("fields", {})
        for key in op.get("unset", ()):
            fields.pop(key, None)
        fields.update(op.get("fields", {}))
        if "kind" in op:  # empty: it has none any more
            item["kind"] = op["kind"]
        if "tap" in op:
            item["tap"] = op["tap"] if op["tap"].get("effects") else None

    def op_scroll(self, op, _):
        row = self._touch(op["row"])
        row["scroll"] = {"item": op["item"], "fraction": op.get("fraction", 0.0)} if "item" in op else None

    def op_select(self, op, _):
        self.rows[op["row"]]

    def op_mark(self, op, _):
        self._touch(op["row"])["selected"] = op.get("selected")

    def op_came(self, op, _):
        self._touch(op["row"])["cameFrom"] = op.get("from")

    # What is said of a row, and what was.

    def op_claim(self, op, _):
        self._touch(op["row"])["claim"] = op.get("claim")

    def op_sleep(self, op, _):
        self._touch(op["row"])["sleep"] = op.get("sleep")

    def op_restore(self, op, revision):
        row = self._touch(op["row"])
        row["version"] = op.get("version", 0) if self.going_back else revision
        row["performed"] = op.get("performed", [])
        row["changedMs"], row["movedMs"] = op.get("changedMs", 0), op.get("movedMs", 0)

    def op_setInvocation(self, op, _):
        self.invocations.pop(op["id"], None)
        if op.get("invocation"):
            self.invocations[op["id"]] = op["invocation"]
            self.invocations = dict(sorted(
                self.invocations.items(), key=lambda pair: [int(part) for part in pair[0].split(".")]))
