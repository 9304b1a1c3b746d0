"""The daemon gives the answers that docs/PROTOCOL.md prints as examples."""

import pathlib
import re

import pytest

from trestle_client import Person

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "PROTOCOL.md"


def test_the_digests_of_an_empty_table(daemon):
    text = PAGE.read_text()
    kind, table = re.search(
        r"whose digest is `([0-9a-f]{16})`, has the digest\s+`([0-9a-f]{16})`", text).groups()
    daemon.ask("create", {}, "empty")
    assert daemon.ask("kinds", {}, "empty")["kinds"]["kinds"][0]["digest"] == kind
    listed = daemon.ask("tables")["tables"]["tables"]
    assert [t["digest"] for t in listed if t["table"] == "empty"] == [table]


def test_which_characters_an_id_has(daemon):
    daemon.ask("create", {}, "t")
    for code in [*range(0x00, 0x20), *range(0x7F, 0xA0)]:
        reply = daemon.do("t", add={"id": f"a{chr(code)}"})
        assert not reply["ok"] and reply["error"]["code"] == "badID", hex(code)
    for code in [0x20, 0x7E, 0xA0, 0xE9, 0x4E2D, 0x1F600]:
        assert daemon.do("t", add={"id": f"a{chr(code)}"})["ok"], hex(code)


REQUIRED = [
    {"edit": {}}, {"expandAll": {}}, {"expand": {"row": "a"}}, {"move": {"rows": ["a"]}}, {"move": {"top": True}},
    {"remove": {}}, {"recall": {}}, {"claim": {}}, {"finish": {"invocation": "1.0"}}, {"item": {"row": "s"}},
    {"item": {"row": "s", "move": {"items": ["i"]}}}, {"item": {"row": "s", "remove": {}}},
    {"item": {"row": "s", "move": {"anchor": {"first": True}}}},
    {"add": {"states": [{"name": "half"}]}},
    {"define": {"kinds": [{"id": "k", "tap": [{"invoke": {}}]}]}}]
"""Commands without a field that the page (§3) calls required."""


@pytest.mark.parametrize("command", REQUIRED, ids=str)
def test_a_field_without_a_default(daemon, command):
    daemon.ask("create", {}, "t")
    assert daemon.do("t", **command)["error"]["code"] == "malformed"


def test_fields_without_a_default_of_other_requests(daemon):
    daemon.ask("create", {}, "t")
    for drag in ({}, {"lift": {}}, {"hover": {"lease": "l"}}, {"drop": {"lease": "l", "to": {}}}):
        assert daemon.ask("drag", drag, "t")["error"]["code"] == "malformed", drag
    for restore in ({}, {"parts": {}}, {"finish": {}}):
        assert daemon.ask("restore", restore)["error"]["code"] == "malformed", restore


def test_where_a_row_goes_that_names_no_section(daemon):
    daemon.ask("create", {}, "t")
    for id, section in (("a", "main"), ("x", "other"), ("y", "other")):
        daemon.do("t", add={"id": id, "section": section})
    landed = {row["row"]: row["section"] for row in daemon.do("t", move={"rows": ["y", "a"], "top": True})["rows"]}
    assert landed == {"y": "other", "a": "other"}, "to the section of the first"
    person = Person(daemon.endpoint, "t", "ada")
    try:
        lease = person.lift("x")["lease"]["lease"]
        assert person.drop(lease, bottom=True)["rows"][0]["section"] == "other"
    finally:
        person.close()
    assert daemon.do("t", add={"id": "b"})["rows"][0]["section"] == "main"


def test_all_rows_are_not_opened_under_an_accordion(daemon):
    daemon.ask("create", {}, "t")
    for policy in ("accordionTable", "accordionSection"):
        daemon.do("t", define={"table": {"expandPolicy": policy}})
        assert daemon.do("t", expandAll={"open": True})["error"]["code"] == "notAllowed"
        assert daemon.do("t", expandAll={"open": False})["ok"]


def test_limits_that_hello_does_not_tell(daemon):
    daemon.ask("create", {}, "t")
    rows = [f"r{n}" for n in range(1_001)]
    assert daemon.do("t", move={"rows": rows, "top": True})["error"]["code"] == "tooLarge"
    assert daemon.do("t", move={"rows": rows[1:], "top": True})["error"]["code"] == "noSuchRow"
    for count, is_taken in ((16, True), (17, False)):
        actions = [{"id": f"a{n}"} for n in range(count)]
        reply = daemon.do("t", define={"kinds": [{"id": "k", "leading": {"actions": actions}}]})
        assert reply["ok"] == is_taken and (is_taken or reply["error"]["code"] == "tooLarge")
        effects = [{"set": {"fields": {"a": f"{n}"}}} for n in range(count)]
        reply = daemon.do("t", define={"kinds": [{"id": "k", "tap": effects}]})
        assert reply["ok"] == is_taken and (is_taken or reply["error"]["code"] == "tooLarge")
    assert daemon.do("t", take={"most": 65})["error"]["code"] == "badNumber"


def test_which_commands_take_a_version(daemon):
    """Those that the page (§10) lists are refused for the version that the row does not have; others for taking none."""
    daemon.ask("create", {}, "t")
    daemon.do("t", define={"table": {"scrollScope": "shared", "selection": "shared"},
                           "kinds": [{"id": "s", "strip": True}, {"id": "k", "leading": {"actions": [{"id": "go"}]}}]})
    daemon.do("t", add={"id": "a", "kind": "k"})
    daemon.do("t", add={"id": "b"})
    daemon.do("t", add={"id": "s", "kind": "s", "items": [{"id": "i"}]})
    taken = [
        {"set": {"row": "a", "title": "x"}}, {"swipe": {"row": "a", "edge": "leading"}},
        {"expand": {"row": "a", "toggle": True}}, {"item": {"row": "s", "remove": {"items": ["i"]}}},
        {"scroll": {"row": "s", "item": "i"}}, {"select": {"row": "a"}}, {"mark": {"row": "a"}},
        {"act": {"row": "a", "action": "go"}}, {"remove": {"rows": ["a"]}}, {"move": {"rows": ["a"], "top": True}}]
    left = [
        {"remove": {"rows": ["a", "b"]}}, {"move": {"rows": ["a", "b"], "top": True}}, {"swap": {"a": "a", "b": "b"}},
        {"claim": {"rows": ["a"]}}, {"unclaim": {"rows": ["a"]}}, {"recall": {"rows": ["z"]}}, {"add": {"id": "c"}},
        {"mark": {}}, {"edit": {"on": True}}]
    for commands, code in ((taken, "stale"), (left, "badValue")):
        for command in commands:
            assert daemon.do("t", **command, ifVersion=99)["error"]["code"] == code, command
    message = daemon.do("t", claim={"rows": ["a"]}, ifVersion=1)["error"]["message"]
    assert message == "Of this command no version can be required."


def test_what_is_explained_of_a_table(daemon):
    """`unchanged` of an explanation (§23) is that of the verb itself."""
    for verb in ("create", "drop"):
        explained = daemon.ask("explain", {verb: {}}, "t")
        done = daemon.ask(verb, {}, "t")
        assert explained["unchanged"] is done["unchanged"] is False, verb
        assert explained["explanation"] == {}
