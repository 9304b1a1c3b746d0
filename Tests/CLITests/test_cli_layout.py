"""`trestle layout` against what nobody here wrote: the widths of wcwidth, through intrinsic buttons."""

import json
import random
import unicodedata

import wcwidth

# A title's columns show in the width of its button: padding, and 10 points for each.
PADDING, CELL = 30, 10

CLUSTERS = [
    "👨‍👩‍👧", "❤️", "❤", "☺️", "🇩🇪", "🇩🇪🇫🇷", "🇩", "1️⃣", "🏳️‍🌈", "👍🏽", "👩🏽‍🚒", "e\u0301", "é", "\u1112\u1161\u11ab", "한",
    "ก็", "บิ๊ก", "क्ष", "ﾊﾝｶｸ", "全角", "a\u20dd", "①", "★", "—", "…", "½", "ﬁ", "אב", "مرحبا",
    "z\u0335\u0321\u0322\u0347", "🫠", "🧑‍🤝‍🧑", "⚠️", "⚠", "〰️", "㊙", "\u2060x", "x\u200by", "\u00adx",
]


def is_plain(character):
    """Spacing marks change what stands before them: they are measured in texts, not alone."""
    return unicodedata.category(character) not in ("Cc", "Cs", "Cn", "Co", "Mc")


def samples():
    chosen = random.Random(20260101)
    everything = [chr(c) for c in range(0x20, 0x20000) if not 0xD800 <= c < 0xE000]
    single = chosen.sample([c for c in everything if is_plain(c)], 1200)
    # Between letters, so that nothing joins what it should not.
    return CLUSTERS + [f"a{c}b" for c in single]


def test_widths_are_those_of_wcwidth(daemon):
    texts = samples()
    kinds = {}
    commands = []
    for at in range(0, len(texts), 16):
        actions = [{"id": f"a{i}", "title": text} for i, text in enumerate(texts[at:at + 16])]
        kinds[f"k{at}"] = {"trailing": {"width": "intrinsic", "actions": actions}}
        commands.append(f"r{at}")
    (daemon.directory / "kinds.json").write_text(
        json.dumps({"kinds": kinds, "table": {"swipePolicy": "multiple"}}))
    daemon.ok("create", "t")
    daemon.ok("define", "t", "kinds.json")
    for row in commands:
        daemon.ok("add", "t", "row", "--id", row, "--kind", "k" + row[1:])
        daemon.ok("swipe", "t", row, "--trailing")
    document = json.loads(daemon.ok("-o", "json", "layout", "t", "--width", "800", "--profile", "cell"))
    found = {}
    for row in document["rows"]:
        at = int(row["id"][1:])
        for i, action in enumerate(row["swipe"]["actions"]):
            found[texts[at + i]] = (action["hit"][2] - PADDING) / CELL
    assert len(found) == len(set(texts)) > 1200
    wrong = {text: (columns, wcwidth.wcswidth(text)) for text, columns in found.items()
             if columns != wcwidth.wcswidth(text)}
    assert not wrong


def test_buttons_fill_the_pull_view(daemon):
    daemon.ok("create", "t")
    (daemon.directory / "kinds.json").write_text(json.dumps({"kinds": {"k": {
        "leading": {"width": 50, "spacing": 5, "actions": [{"id": c, "title": c} for c in "abc"]},
        "trailing": {"width": 50, "spacing": 5, "actions": [{"id": c, "title": c} for c in "abc"]},
    }}, "table": {"swipePolicy": "multiple"}}))
    daemon.ok("define", "t", "kinds.json")
    for edge in ("leading", "trailing"):
        daemon.ok("add", "t", edge, "--id", edge, "--kind", "k")
        daemon.ok("swipe", "t", edge, f"--{edge}")
    for pull in ("0", "1", "33.3", "100", "165", "166", "319.6", "1000000"):
        document = json.loads(daemon.ok(
            "-o", "json", "layout", "t", "--width", "320", "--pull", pull))
        leading, trailing = (row["swipe"] for row in document["rows"])
        assert leading["pull"] == trailing["pull"] == float(pull)
        assert leading["revealed"] == (abs(float(pull) - 320) < 0.5)
        for one, other in zip(leading["actions"], trailing["actions"]):
            for name in ("hit", "face"):
                x, y, width, height = one[name]
                assert abs(float(pull) - x - width - other[name][0]) < 1e-6
                assert [y, width, height] == other[name][1:]
        assert abs(sum(a["hit"][2] for a in leading["actions"]) - float(pull)) < 1e-6
