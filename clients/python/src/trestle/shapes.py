"""The shapes of the daemon's messages, as far as this client reads them.

A message passes before anything looks into it, so that no code behind meets a text where a number
should be. Fields that are not named here are ignored. Malformed tells what is wrong, and where.
"""

from collections.abc import Callable
from typing import Any

from .errors import Malformed
from .wire import is_list, is_object

Check = Callable[[Any], None]
MOST = (1 << 64) - 1


def text(value: Any) -> None:
    """A text."""
    if type(value) is not str:
        raise Malformed("this is no text")


def number(value: Any) -> None:
    """A whole number of 64 bits, without a sign."""
    if type(value) is not int or not 0 <= value <= MOST:
        raise Malformed("this is no whole number of 64 bits")


def real(value: Any) -> None:
    """A number that is not beyond those of 64 bits."""
    if type(value) not in (int, float) or not -MOST <= value <= MOST:  # which no NaN is
        raise Malformed("this is no number, or too large")


def flag(value: Any) -> None:
    """true or false."""
    if type(value) is not bool:
        raise Malformed("this is neither true nor false")


def digest(value: Any) -> None:
    """16 lower-case hexadecimal digits."""
    if type(value) is not str or len(value) != 16 or not set(value) <= set("0123456789abcdef"):
        raise Malformed("this is no digest")


def texts(value: Any) -> None:
    """Texts by keys."""
    if not is_object(value) or any(type(inner) is not str for inner in value.values()):
        raise Malformed("these are no texts by keys")


def anything(value: Any) -> None:
    """An object that is kept as it is."""
    if not is_object(value):
        raise Malformed("this is no object")


def each(check: Check) -> Check:
    """A list of such things."""
    def checked(value: Any) -> None:
        if not is_list(value):
            raise Malformed("this is no list")
        for index, inner in enumerate(value):
            try:
                check(inner)
            except Malformed as why:
                raise why.inside(f"[{index}]") from None
    return checked


class Shape:
    """An object with these fields. Those whose name stands in `required` MUST be there."""

    def __init__(self, required: str = "", /, **fields: Check) -> None:
        self.required, self.fields = required.split(), fields

    def __call__(self, value: Any) -> None:
        if not is_object(value):
            raise Malformed("this is no object")
        for name in self.required:
            if name not in value:
                raise Malformed(f"there is no {name}")
        for name, inner in value.items():
            if check := self.fields.get(name):
                try:
                    check(inner)
                except Malformed as why:
                    raise why.inside(name) from None


class OneOf(Shape):
    """An object with exactly one field, whose name tells what it is."""

    def __call__(self, value: Any) -> None:
        super().__call__(value)
        if len(value) != 1:
            raise Malformed("this is not exactly one thing")


DIGESTED = Shape("digest", digest=digest)
STATES = each(Shape("name", name=text, height=real))
PERFORMANCE = Shape("action state", action=text, state=text, reason=text, invocation=text,
                    item=text)
TAP = Shape(digest=digest, effects=each(anything))
ITEM = Shape("id", id=text, title=text, kind=text, fields=texts, tap=Shape("digest", digest=digest))
CLAIM = Shape("holder", holder=text, note=text, ttl=real, sinceMs=number)
SLEEP = Shape("untilMs", untilMs=number, top=flag)
ROW = Shape("id kind", id=text, kind=text, title=text, fields=texts, version=number, createdMs=number,
            changedMs=number, movedMs=number, expand=text, swipe=text, actions=DIGESTED, states=STATES,
            performed=each(PERFORMANCE), claim=CLAIM, items=each(ITEM), section=text, index=number,
            scroll=Shape("item", item=text, fraction=real), selected=Shape(item=text),
            cameFrom=text, sleep=SLEEP)
KIND = Shape("id digest", id=text, digest=digest, states=STATES)
FAILURE = Shape(reason=text, dueMs=number, over=flag)
INVOCATION = Shape("id row action digest", id=text, row=text, action=text, item=text, client=text, pressedMs=number,
                   deadline=real, holder=text, attempts=number, pressed=ROW, digest=digest,
                   retries=Shape(attempts=number, backoff=real), failure=FAILURE)

OP = OneOf(
    insert=Shape("row", row=ROW, after=text, section=text, hint=text),
    remove=Shape("row", row=text, hint=text),
    move=Shape("rows", rows=each(text), after=text, section=text),
    set=Shape("row", row=text, title=text, kind=text, fields=texts, unset=each(text), actions=Shape(digest=digest),
              states=Shape(states=STATES)),
    swipe=Shape("row edge", row=text, edge=text),
    expand=Shape("row state", row=text, state=text),
    swap=Shape("a b", a=text, b=text),
    insertSection=Shape("id", id=text, title=text, after=text),
    removeSection=Shape("id", id=text),
    setSection=Shape("id", id=text, title=text),
    define=Shape(kinds=each(KIND), drop=each(text), settings=DIGESTED),
    perform=Shape("row performance", row=text, performance=PERFORMANCE),
    invoke=Shape("invocation", invocation=INVOCATION),
    take=Shape("invocation holder", invocation=text, holder=text),
    release=Shape("invocation", invocation=text),
    rest=Shape("invocation", invocation=text, failure=FAILURE),
    finish=Shape("invocation", invocation=text, done=flag, failed=text),
    edit=Shape(on=flag),
    expandAll=Shape(open=flag),
    insertItem=Shape("row item", row=text, item=ITEM, after=text),
    removeItem=Shape("row item", row=text, item=text),
    moveItems=Shape("row items", row=text, items=each(text), after=text),
    setItem=Shape("row item", row=text, item=text, title=text, kind=text, fields=texts, unset=each(text), tap=TAP),
    scroll=Shape("row", row=text, item=text, fraction=real),
    select=Shape("row", row=text, item=text),
    mark=Shape("row", row=text, selected=Shape(item=text)),
    came=Shape("row", row=text, **{"from": text}),
    claim=Shape("row", row=text, claim=CLAIM),
    sleep=Shape("row", row=text, sleep=SLEEP),
    restore=Shape("row", row=text, version=number, performed=each(PERFORMANCE), changedMs=number,
                  movedMs=number),
    setInvocation=Shape("id", id=text, invocation=INVOCATION))

CAUSE = Shape(client=text, number=number, verb=text, name=text, timeMs=number, undoes=number,
              user=text)
DIFF = Shape("digest", base=number, digest=digest, cause=CAUSE, ops=each(OP))
HEAD = Shape(revision=number, digest=digest, oldest=number)
PUBLICATION = Shape("table epoch", table=text, history=text, epoch=text, timeMs=number, diffs=each(DIFF),
                     welcome=HEAD, heartbeat=HEAD, dropped=anything)
BACK = Shape("digest", revision=number, digest=digest, ops=each(OP))
SLICE = Shape("section", section=text, title=text, rows=each(ROW))
CHUNK = Shape("id digest", id=text, revision=number, digest=digest, chunk=number, chunks=number, rows=number,
              kinds=each(KIND), settings=DIGESTED, slices=each(SLICE), editing=flag,
              invocations=each(INVOCATION))
LIMITS = Shape(repliesPerSession=number, batchCommands=number, requestBytes=number, reasonBytes=number,
               holderTimeoutMs=number, takenInvocations=number)
HELLO = Shape(protocol=number, opened=number, publish=each(text), limits=LIMITS, heartbeatMs=number,
              term=number)
LANDING = Shape("row", row=text, section=text, index=number, after=text, version=number, note=text)
REPLY = Shape(
    ok=flag, client=text, number=number, table=text, history=text, epoch=text, revision=number,
    unchanged=flag, rows=each(LANDING), invocations=each(INVOCATION),
    error=Shape("code", code=text, message=text, field=text, command=number, endpoints=each(text)),
    hello=HELLO, snapshot=CHUNK, standing=Shape("relation", relation=text, head=number),
    replay=Shape(publication=Shape(diffs=each(DIFF)), head=number),
    rewind=Shape(back=each(BACK)), lease=Shape("lease", lease=text, holder=text))
