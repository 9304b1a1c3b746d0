"""The typed methods say which argument is no text: the daemon can only say that something is none."""

from collections.abc import Callable
from typing import Any

import pytest

import trestle

CALLS: list[tuple[str, Callable[[Any], Any]]] = [
    (r"fields\['n'\]: 5 ", lambda to: to.add("Soup", fields={"n": 5})),
    (r"fields\[5\]: 'n' ", lambda to: to.set("t41", fields={5: "n"})),
    (r"fields\['n'\]: None ", lambda to: to.set_item("t41", "a", fields={"n": None})),
    (r"fields\['n'\]: 5 ", lambda to: to.add_item("t41", "a", fields={"n": 5})),
    (r"rows: \(\['a'\],\) ", lambda to: to.remove(["a"])),
    (r"rows: \(7,\) ", lambda to: to.move(7, top=True)),
    (r"rows: \(7,\) ", lambda to: to.claim(7)),
    (r"rows: \(7,\) ", lambda to: to.snooze(7)),
    (r"rows: \(7,\) ", lambda to: to.recall(7)),
    (r"items: \(7,\) ", lambda to: to.remove_items("t41", 7)),
    (r"unset: 'late' ", lambda to: to.set("t41", unset="late")),
    ("title: 5 ", lambda to: to.add(5)),
    ("row: 41 ", lambda to: to.set(41, title="Soup")),
    ("row: 41 ", lambda to: to.expand(41)),
    ("before: 41 ", lambda to: to.add(before=41)),
    ("section: 1 ", lambda to: to.move("a", top=True, section=1)),
    ("item: 1 ", lambda to: to.act("t41", "page", item=1))]


@pytest.mark.parametrize(("text", "call"), CALLS)
def test_what_is_no_text_is_named(text: str, call: Callable[[Any], Any]) -> None:
    batch = trestle.Batch()
    with pytest.raises(TypeError, match=f"^{text}is no (text|list of texts)$"):
        call(batch)
    assert batch.commands == []


def test_what_is_text_stays_as_it_is() -> None:
    batch = trestle.Batch()
    batch.add("Soup", fields={"n": "5"}, before="t40")
    batch.set("t41", fields={}, unset=[])
    batch.expand("t41")
    batch.expand("t41", "low")
    batch.add_item("strip", "a", first=True)
    assert batch.commands == [
        {"add": {"title": "Soup", "fields": {"n": "5"}, "before": "t40"}},
        {"set": {"row": "t41", "fields": {}, "unset": []}},
        {"expand": {"row": "t41", "toggle": True}}, {"expand": {"row": "t41", "to": "low"}},
        {"item": {"row": "strip", "add": {"item": {"id": "a", "title": ""}, "anchor": {"first": True}}}}]
