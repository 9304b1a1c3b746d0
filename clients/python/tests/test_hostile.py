"""Messages of the protocol with something hostile in them: none raises anything, whatever it says."""

import copy
import json
import random
import re
from collections import Counter
from typing import Any

import protocol_page
import pytest
from daemon import full
from test_follower import EMPTY, FIRST, Played, diff

import trestle
from trestle.ops import OPS
from trestle.wire import decode, encode

MUTANTS = full(20_000, 500)
BAD: list[Any] = [
    None, True, -1, 0, 1 << 63, (1 << 64) - 1, 1 << 64, 10**400, -0.0, 1e308, 0.5, "", "a", "row", "r1", "h1", "\x00",
    "e\u0301", "x" * 2000, "\ud800", [], [None], {}, {"": {}}, [[[]]], {"id": {"id": 1}}, EMPTY, "0" * 16, "F" * 16]

ROW = {"id": "r1", "kind": "row", "title": "Soup", "fields": {"a": "b"}, "version": 2, "createdMs": 5,
       "items": [{"id": "i", "tap": {"effects": [{"remove": True}], "digest": EMPTY}}],
       "performed": [{"action": "a", "state": "pending", "invocation": "1.0"}], "scroll": {"item": "i", "fraction": 0.5},
       "claim": {"holder": "ada", "ttl": 5}, "states": [{"name": "collapsed", "height": 3}],
       "actions": {"digest": EMPTY, "leading": {}}}
INVOCATION = {"id": "1.0", "row": "r1", "action": "a", "digest": EMPTY, "attempts": 1, "holder": "h"}
FIELDS: dict[str, Any] = {
    "row": "r1", "rows": ["r1"], "a": "r1", "b": "r1", "item": "i", "items": ["i"], "after": "r1", "section": "main",
    "id": "s", "edge": "closed", "state": "80", "performance": ROW["performed"][0],  # type: ignore[index]
    "invocation": "1.0", "holder": "h", "done": True, "title": "t", "unset": ["a"], "fields": {"a": "c"},
    "tap": {"effects": [{}], "digest": EMPTY}, "kinds": [FIRST["kinds"][0]], "drop": ["row"],  # type: ignore[index]
    "settings": FIRST["settings"], "claim": ROW["claim"], "changedMs": 7, "performed": ROW["performed"],
    "actions": ROW["actions"], "states": {"states": ROW["states"]}, "failure": {"reason": "no", "dueMs": 5},
    "on": True, "open": True}
FULL_FIRST = FIRST | {"slices": [{"section": "main", "title": "main", "rows": [ROW]}], "invocations": [INVOCATION]}


def places(value: Any) -> list[tuple[Any, Any]]:
    """Everything inside that could be replaced: what holds it, and its key."""
    found: list[tuple[Any, Any]] = []
    for key, inner in (value.items() if isinstance(value, dict) else enumerate(value)):
        found.append((value, key))
        if isinstance(inner, dict | list):
            found += places(inner)
    return found


def mutant(dice: random.Random, message: Any) -> bytes:
    """The message with one to three places that say something else, or nothing."""
    message = copy.deepcopy(message)
    for _ in range(dice.randint(1, 3)):
        if not (found := places(message)):
            break
        holder, key = dice.choice(found)
        if dice.random() < 0.2:
            del holder[key]
        else:
            holder[key] = copy.deepcopy(dice.choice(BAD))
    body = json.dumps(message).encode()
    return body if dice.random() < 0.97 else body[:dice.randrange(len(body))]


def op(dice: random.Random) -> Any:
    """Some op, with fields of which some fit and some do not."""
    verb = dice.choice(list(OPS))
    fields: Any = {key: FIELDS[key] for key in dice.sample(list(FIELDS), dice.randint(12, len(FIELDS)))}
    more: Any = {"insert": {"row": ROW | {"id": dice.choice(["r1", "r2"])}}, "invoke": {"invocation": INVOCATION},
               "setInvocation": {"invocation": INVOCATION}, "insertItem": {"item": {"id": dice.choice(["i", "j"])}},
               "take": {"invocation": dice.choice(["1.0", "2.0"])}}
    return {verb: fields | more.get(verb, {})}


def whole() -> Played:
    """A follower that has the table with the row."""
    core = Played()
    core.news(welcome={"revision": 4, "digest": EMPTY})
    digest = trestle.Table.of_chunks("board", [FULL_FIRST]).digest()
    assert core.says(core.question(), snapshot=FULL_FIRST | {"digest": digest}) == [trestle.Joined(4, digest)]
    return core


def test_mutants() -> None:
    """A follower and a session take them in, and say what is wrong."""
    dice, core = random.Random("hostile"), whole()
    news = [part | {"history": "h1", "epoch": "e1"} for part in protocol_page.parts("SUB", False)]
    replies = protocol_page.parts("DEALER", False)
    reasons: Counter[str] = Counter()
    for _ in range(MUTANTS):
        kind = dice.random()
        if kind < 0.7:
            message = core.state | {"diffs": [diff(4, EMPTY, op(dice), op(dice), op(dice))]}
        elif kind < 0.8:
            message = dice.choice(news)
        else:
            message = dice.choice(replies) | {"client": core.session.client, "number": 1 << 40 | dice.randrange(9),
                                              "snapshot": FULL_FIRST}
        core.follower.published(encode(message) if dice.random() < 0.3 else mutant(dice, message), core.now)
        core.session.receive(mutant(dice, message), core.now)
        core.now += dice.choice([0, 0, 1])
        for event in core.events():
            if isinstance(event, trestle.Mismatch):
                why = re.search(r"Error|digest|Stop|is none", event.why)
                reasons[why[0] if why else event.why] += 1
        core.session.outgoing(core.now)
        if core.fresh() != "live":
            core = whole()
    assert reasons["Error"] > MUTANTS // 20 and reasons["is none"] > MUTANTS // 10 and reasons["digest"] > MUTANTS // 50, reasons


@pytest.mark.parametrize("ops", [
    [{"setItem": {"row": "r1", "item": "i", "tap": {"effects": [{}]}}}],  # without its digest
    [{"setInvocation": {"id": "1.0", "invocation": INVOCATION | {"attempts": (1 << 64) - 1}}},
     {"take": {"invocation": "1.0", "holder": "h"}}]])
def test_what_has_no_digest(ops: Any) -> None:
    core = whole()
    event, = core.news(diffs=[diff(4, EMPTY, *ops)])
    assert isinstance(event, trestle.Mismatch) and "without its digest" in event.why and core.follower.table is None


@pytest.mark.parametrize("body", [
    b'{"a":"\\ud800"}', b'{"\\uD800":1}', b"\xed\xa0\x80", b'{"a":"\xed\xa0\x80"}', b"[" * 100_000, b"\xff\xfe{\x00}\x00",
    b'{"a":1e999}'[:-5] + b"NaN}", b'{"a":-Infinity}', b'{"a":' + b"1" * 5000 + b"}"])
def test_bodies_that_are_none(body: bytes) -> None:
    with pytest.raises(trestle.Malformed):
        decode(body)


def test_bodies_that_are_some() -> None:
    assert decode(b'{"a":"\\ud83c\\udf72","a":2}') == {"a": 2}
    assert decode(encode({"a": "☕\x00é", "b": [[]] * 3})) == {"a": "☕\x00é", "b": [[], [], []]}
