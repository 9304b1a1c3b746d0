"""Random commands of every verb, mostly such as make sense for the table as it is."""

import random
from typing import Any

from trestle import Table

INVOKE: Any = {"invoke": {"deadline": 3600, "then": [{"set": {"fields": {"paged": "yes"}}}]}}
AGAIN: Any = {"invoke": INVOKE["invoke"] | {"retries": {"attempts": 2, "backoff": 0.1, "else": [{"remove": True}]}}}
KINDS: list[Any] = [
    {"id": "row", "leading": {"actions": [{"id": "bump", "effect": [{"set": {"fields": {"state": "done"}}}]}]},
     "trailing": {"actions": [{"id": "page", "effect": [AGAIN]}, {"id": "gone", "effect": [{"remove": True}]}]}},
    {"id": "ticket", "height": 60.5, "states": [{"name": "collapsed"}, {"name": "low", "height": 100},
                                                {"name": "expanded"}],
     "tap": [{"set": {"fields": {"seen": "yes"}}}], "show": {"group": "state"},
     "leading": {"actions": [{"id": "back", "effect": [{"moveBack": True}]}]},
     "trailing": {"actions": [{"id": "page", "effect": [INVOKE]},
                              {"id": "all", "when": "age >= 0", "effect": [{"group": {"effects": [{"unset": {"keys": ["seen"]}}]}}]}]}},
    {"id": "strip", "strip": True, "tap": [AGAIN], "items": [{"name": "dish", "menu": [
        {"id": "serve", "effect": [{"setItem": {"fields": {"state": "served"}}}]}, {"id": "page", "effect": [INVOKE]}]}]}]
SETTINGS = {"swipePolicy": "multiple", "scrollScope": "shared", "selection": "shared"}
SECTIONS = ["main", "grill", "bär", "été"]


class Wishes:
    """A stream of commands. `next` gives a verb of a request, and its body."""

    def __init__(self, seed: str) -> None:
        self.dice = random.Random(seed)
        self.made = 0
        self.removed: list[str] = []

    def next(self, table: Table, client: str) -> tuple[str, Any]:
        """The next, for this table."""
        if self.dice.random() < 0.05:
            return "batch", {"commands": [self._alone(table) for _ in range(self.dice.randint(1, 4))]}
        names = sorted(name for name in dir(self) if name.startswith("one_"))
        rare = ["one_act"] * 3 + ["one_ends"] * 3 + ["one_swipe"] * 2
        many = ["one_item"] * 3 + ["one_add"] * 6 + ["one_move"] * 4 + ["one_set"] * 3 if len(table) < 150 else ["one_remove"] * 6
        for _ in range(20):
            name = self.dice.choice(names + rare + many) if len(table) > 5 else "one_add"
            if command := getattr(self, name)(table, client):
                return "command", command
        return "command", self.one_add(table, client)

    def _alone(self, table: Table) -> Any:
        return self.dice.choice([self.one_add, self.one_move, self.one_set, self.one_expand])(table, "") \
            or self.one_add(table, "")

    def row(self, table: Table, kind: str | None = None) -> str:
        """A row, of this kind if there is one."""
        rows = [id for id, wire in table.wires.items() if kind in (None, wire["kind"])]
        return self.dice.choice(rows) if rows else "nobody"

    def text(self) -> str:
        """A title."""
        return self.dice.choice(["", "Soup", "Тарелка", "天ぷら ☕", "x" * 100, f"n{self.dice.random()}"])

    def place(self, table: Table) -> Any:
        """An anchor."""
        return self.dice.choice([{"top": True}, {"bottom": True}, {"before": self.row(table)},
                                 {"after": self.row(table)}, {"bottom": True, "section": self.dice.choice(SECTIONS)}])

    def one_add(self, table: Table, client: str) -> Any:
        self.made += 1
        more: Any = self.dice.choice([{}, {"states": [{"name": "collapsed"}, {"name": "own", "height": 33.25}]},
                                 {"actions": {"leading": {"actions": [{"id": "page", "effect": [AGAIN]}]}}}])
        kind = self.dice.choice(["row", "ticket", "strip"])
        place = {"section": self.dice.choice(SECTIONS)} if not table.wires else self.place(table)
        if kind == "strip":
            more = {"items": [{"id": f"i{n}", "title": self.text()} for n in range(self.dice.randrange(5))]}
        return {"add": {"id": f"r{self.made}", "title": self.text(), "kind": kind, **place, **more,
                        "fields": {self.dice.choice("äbc"): self.text()}}}

    def one_set(self, table: Table, client: str) -> Any:
        new: Any = self.dice.choice([{"title": self.text()}, {"fields": {self.dice.choice("äbcd"): self.text()}},
                                {"unset": ["b"]}, {"kind": "ticket"}, {"kind": "row"}, {"states": {}},
                                {"states": {"states": [{"name": "expanded"}, {"name": "h", "height": 7}]}},
                                {"actions": {}}, {"actions": {"trailing": {"actions": [{"id": "x"}]}}}])
        return {"set": {"row": self.row(table), **new}}

    def one_remove(self, table: Table, client: str) -> Any:
        rows = list(dict.fromkeys(self.row(table) for _ in range(self.dice.randint(1, 3))))
        self.removed = [*self.removed[-20:], *rows]
        return {"remove": {"rows": rows, **self.dice.choice([{}, {"hint": "fade"}])}}

    def one_move(self, table: Table, client: str) -> Any:
        rows = list(dict.fromkeys(self.row(table) for _ in range(self.dice.randint(1, 4))))
        return {"move": {"rows": rows, **self.place(table)}}

    def one_swap(self, table: Table, client: str) -> Any:
        return {"swap": {"a": self.row(table), "b": self.row(table)}}

    def one_swipe(self, table: Table, client: str) -> Any:
        return {"swipe": {"row": self.row(table), "edge": self.dice.choice(["leading", "trailing", "closed"])}}

    def one_expand(self, table: Table, client: str) -> Any:
        return {"expand": {"row": self.row(table), **self.dice.choice([{"toggle": True}, {"to": "80"}, {"to": "0.5"}])}}

    def one_expand_all(self, table: Table, client: str) -> Any:
        return {"expandAll": {"open": self.dice.random() < 0.5}} if self.dice.random() < 0.3 else None

    def one_edit(self, table: Table, client: str) -> Any:
        return {"edit": {"on": not table.editing}} if table.editing or self.dice.random() < 0.6 else None

    def one_section(self, table: Table, client: str) -> Any:
        id = self.dice.choice([*SECTIONS, "none", "nada"])
        return self.dice.choice([{"section": {"id": id, "title": self.text()}}, {"removeSection": {"id": id}}])

    def one_define(self, table: Table, client: str) -> Any:
        kind = {"id": self.dice.choice(["row", "ticket"]), "height": self.dice.choice([40, 60, 77.5])}
        spare = f"k{self.dice.randrange(3)}"
        return {"define": self.dice.choice([
            {"kinds": [kind]}, {"kinds": [{"id": spare}]}, {"drop": [spare]},
            {"table": {"expandPolicy": self.dice.choice(["independent", "accordionSection"])}},
            {"table": {"motion": {"lift": self.dice.choice([0.1, 0.2])}}}])}

    def one_act(self, table: Table, client: str) -> Any:
        return {"act": {"row": self.row(table), "action": self.dice.choice(["bump", "page", "page", "gone", "back", "all"])}}

    def one_act_on_an_item(self, table: Table, client: str) -> Any:
        row = self.row(table, "strip")
        items = [item.id for item in table[row].items if item.kind] if row in table else []
        action = self.dice.choice(["serve", "page"])
        return {"act": {"row": row, "action": action, "item": self.dice.choice(items)}} if items else None

    def one_mark(self, table: Table, client: str) -> Any:
        return {"mark": self.dice.choice([{}, {"row": self.row(table, "ticket")}])}

    def one_select(self, table: Table, client: str) -> Any:
        row = self.row(table, self.dice.choice(["ticket", "strip"]))
        items = table[row].items if row in table else ()
        return {"select": {"row": row, **({"item": items[0].id} if items else {})}}

    def one_take(self, table: Table, client: str) -> Any:
        return {"take": {"most": self.dice.randint(1, 2)}} if table.waiting else None

    def one_retry(self, table: Table, client: str) -> Any:
        failed = [id for id, wire in table.wires.items()
                  if any(one["state"] != "done" for one in wire.get("performed", ()))]
        return {"retry": {"row": self.dice.choice(failed)}} if failed else None

    def one_ends(self, table: Table, client: str) -> Any:
        held = [id for id, one in table.waiting.items() if one.get("holder") == client]
        if not held:
            return None
        id = self.dice.choice(held)
        return self.dice.choice([{"finish": {"invocation": id, "done": True}}, {"release": {"invocation": id}},
                                 {"finish": {"invocation": id, "failed": "no paper"}}])

    def one_item(self, table: Table, client: str) -> Any:
        row = self.row(table, "strip")
        items = [item.id for item in table[row].items] if row in table else []
        if not items or self.dice.random() < 0.4:
            self.made += 1
            change: Any = {"add": {"item": {"id": f"i{self.made}", "title": self.text(), "fields": {"ä": "1"},
                                            **self.dice.choice([{}, {"tap": {"effects": [INVOKE]}},
                                                                {"kind": "dish"}])},
                                   "anchor": self.dice.choice([{"first": True}, {"last": True}])}}
        else:
            item = self.dice.choice(items)
            change = self.dice.choice([
                {"remove": {"items": [item]}}, {"move": {"items": [item], "anchor": {"first": True}}},
                {"move": {"items": [item], "anchor": {"last": True}}},
                {"set": {"item": item, "kind": self.dice.choice(["dish", ""])}},
                {"set": {"item": item, "title": self.text(), "fields": {"z": "1"}, "unset": ["ä"]}},
                {"set": {"item": item, "tap": self.dice.choice([{}, {"effects": [{"remove": True}]}])}}])
        return {"item": {"row": row, **change}}

    def one_scroll(self, table: Table, client: str) -> Any:
        row = self.row(table, "strip")
        items = table[row].items if row in table else ()
        if not items:
            return None
        return {"scroll": {"row": row, "item": self.dice.choice(items).id, "fraction": self.dice.choice([0, 0.25, 0.9])}}

    def one_claim(self, table: Table, client: str) -> Any:
        claim = {"note": self.text(), **self.dice.choice([{}, {"ttl": 1234.5}])}
        return self.dice.choice([{"claim": {"rows": [self.row(table)], **claim}},
                                 {"unclaim": {"rows": [self.row(table)]}},
                                 {"snooze": {"rows": [self.row(table)],
                                             **self.dice.choice([{}, {"forMs": 200, "top": True}, {"forMs": 90000}])}}])

    def one_next(self, table: Table, client: str) -> Any:
        where: Any = self.dice.choice([{}, {"section": self.dice.choice(SECTIONS)}, {"where": "title != ''"}])
        what: Any = self.dice.choice([{"action": "page"}, {"ttl": 1234.5}])
        return {"next": {**where, **what, "most": self.dice.randint(1, 2)}}

    def one_past(self, table: Table, client: str) -> Any:
        past: list[Any] = [{"undo": {}}, {"undo": {}}, {"redo": {}}]
        if self.removed:
            past.append({"recall": {"rows": [self.dice.choice(self.removed)]}})
        if table.revision > 3:
            past.append({"undo": {"revision": self.dice.randint(max(1, table.revision - 30), table.revision)}})
        return self.dice.choice(past)
