"""The daemon gives the answers that docs/PROTOCOL.md prints as examples."""

import pathlib
import re

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
