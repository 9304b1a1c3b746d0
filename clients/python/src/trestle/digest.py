"""Digests: hashes over the canonical form, and values of sequences (docs/PROTOCOL.md, "Digest")."""

import struct
from collections.abc import Iterable
from functools import cache
from typing import Any

from .wire import Json
from .xxh64 import xxh64

P = (1 << 61) - 1
B = 0x13C6EF372FE94F82
Part = str | int | float


def hash_of(*parts: Part) -> int:
    """XXH64 over numbers (8 bytes, a float by its bits) and texts (their length before them)."""
    data = bytearray()
    for part in parts:
        if isinstance(part, str):
            text = part.encode()
            data += len(text).to_bytes(8, "little") + text
        elif isinstance(part, float):
            data += struct.pack("<d", part or 0.0)  # of zero the positive one
        else:
            data += part.to_bytes(8, "little")
    return xxh64(bytes(data))


def sequence(hashes: Iterable[int]) -> int:
    """The value of a sequence of hashes."""
    value = 0
    for one in hashes:
        value = (value * B + one % P) % P
    return value


@cache
def _power(length: int) -> int:
    return pow(B, length, P)


def joined(first: int, second: int, length: int) -> int:
    """The value of one sequence followed by another, which has this length (of some block)."""
    return (first * _power(length) + second) % P


def _fields(thing: Json) -> list[Part]:
    # Python orders texts by code points, which is the order of their UTF-8.
    pairs = sorted(thing.get("fields", {}).items())
    return [len(pairs), *(text for pair in pairs for text in pair)]


def _number(digest: str) -> int:
    return int(digest, 16)


def row_hash(row: Json) -> int:
    """The hash of a row as snapshots have it. Its version is not in it."""
    parts: list[Part] = [row["id"], row["kind"], row.get("title", ""), *_fields(row), row.get("createdMs", 0),
                         row.get("expand", "collapsed"), row.get("swipe", "closed")]
    if actions := row.get("actions"):
        parts += ["actions", _number(actions["digest"])]
    if performed := row.get("performed"):
        parts += ["performed", len(performed)]
        for one in performed:
            parts += _performance(one)
    if items := row.get("items"):
        parts += ["items", len(items)]
        for item in items:
            tap = item.get("tap")
            parts += [item["id"], item.get("title", ""), *_fields(item), _number(tap["digest"]) if tap else 0]
    if scroll := row.get("scroll"):
        parts += ["scroll", scroll["item"], 1, float(scroll.get("fraction", 0))]
    for word, key in (("changed", "changedMs"), ("moved", "movedMs")):
        if row.get(key):
            parts += [word, row[key]]
    if claim := row.get("claim"):
        parts += ["claim", claim["holder"], claim.get("note", ""), 1, float(claim.get("ttl", 0)),
                  claim.get("sinceMs", 0)]
    if states := row.get("states"):
        parts += ["states", len(states)]
        for state in states:
            height = state.get("height")
            parts += [state["name"], *([0] if height is None else [1, float(height)])]
    if (selected := row.get("selected")) is not None:
        item = selected.get("item")
        parts += ["selected", *([0] if item is None else [1, item])]
    parts += _named("item kinds", items, "kind") + _named("performed on items", performed, "item")
    if row.get("cameFrom"):
        parts += ["came from", row["cameFrom"]]
    if sleep := row.get("sleep"):
        parts += ["sleep", sleep.get("untilMs", 0), "top" if sleep.get("top") else "place"]
    return hash_of(*parts)


def _named(word: str, things: list[Json] | None, key: str) -> list[Part]:
    """Which of the things have this key, each by its index; nothing where none has."""
    named = [(index, one[key]) for index, one in enumerate(things or ()) if one.get(key)]
    return [word, len(named), *(part for pair in named for part in pair)] if named else []


def _performance(one: Json) -> list[Part]:
    more = {"pending": [one.get("invocation", "")], "failed": [one.get("reason", "")]}
    return [one["action"], one["state"], *more.get(one["state"], [])]


def section_hash(id: str, title: str, rows: int, value: int) -> int:
    """The hash of a section whose rows' hashes have this value as a sequence."""
    return hash_of(id, title, rows, value)


def definitions_hash(settings: str, kinds: dict[str, str]) -> int:
    """The hash of a table's definitions, of the digest of its settings and those of its kinds."""
    parts: list[Part] = [_number(settings), len(kinds)]
    for id, digest in sorted(kinds.items()):
        parts += [id, _number(digest)]
    return hash_of(*parts)


def invocation_hash(one: Json) -> int:
    """The hash of an invocation that has not ended."""
    holder = one.get("holder")
    held: list[Part] = [1, holder] if holder else [0]
    failure = one.get("failure")
    failed: list[Part] = [failure.get("reason", ""), failure.get("dueMs", 0),
                          int(failure.get("over", False))] if failure else []
    return hash_of(_number(one["digest"]), *held, one.get("attempts", 0), *failed)


def table_digest(sections: list[int], definitions: int, editing: bool,
                 invocations: Iterable[Any] = ()) -> str:
    """The digest of a table: 16 lower-case hexadecimal digits."""
    parts: list[Part] = [len(sections), sequence(sections), definitions]
    if editing:
        parts += ["editing"]
    if hashes := [invocation_hash(one) for one in invocations]:
        parts += ["invocations", len(hashes), sum(hashes) % (1 << 64)]
    return f"{hash_of(*parts):016x}"
