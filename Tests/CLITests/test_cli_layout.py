"""`trestle layout`, compared with wcwidth's widths by way of intrinsic buttons."""

import json
import random
import unicodedata

import layout_by_the_page
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


def random_group(chosen):
    def some(given, key, value, often=0.5):
        if chosen.random() < often:
            given[key] = value

    def look(given):
        some(given, "style", chosen.choice(["default", "circular", "custom"]), 0.7)
        some(given, "width", chosen.choice([0, -3, 20, 60, 74.5, 120, "intrinsic"]))
        some(given, "spacing", chosen.choice([0, 8, 12.5]))
        some(given, "insets", [chosen.randrange(0, 50) for _ in range(4)])
        return given
    group = look({"compatible": chosen.random() < 0.3, "actions": []})
    for i in range(chosen.randrange(1, 5)):
        action = look({"id": f"a{i}", "title": "".join(chosen.choices("Wil lm~,", k=chosen.randrange(9)))})
        some(action, "face", {"text": "face"})
        group["actions"].append(action)
    return group


def is_near(one, other):
    """Equal, but for the last digits of numbers."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(is_near(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(is_near, one, other))
    if isinstance(one, (int, float)) and not isinstance(one, bool):
        return abs(one - other) < 1e-9
    return one == other


def test_the_page_says_enough(daemon):
    chosen = random.Random(7)
    kinds, commands = {}, []
    for i in range(60):
        kinds[f"k{i}"] = {
            "height": chosen.choice([10, 44, 60, 80, 33.3]), "layout": chosen.choice(["auto", "manual"]),
            "margins": {"text": chosen.choice([0, 20, 200]), "bottom": chosen.choice([1, 40, 7.7])},
            "states": ["collapsed", {"name": "half", "height": 90}, "expanded"],
            "leading": random_group(chosen), "trailing": random_group(chosen)}
        title = " ".join("".join(chosen.choices("abcWil.", k=chosen.randrange(1, 30)))
                         for _ in range(chosen.randrange(6)))
        fields = [x for j in range(chosen.randrange(3)) for x in ("--field", f"f{j}=v")]
        commands.append(("add", "t", title, "--id", f"r{i}", "--kind", f"k{i}", *fields))
        commands.append(
            ("expand", "t", f"r{i}", "--to", chosen.choice(["collapsed", "half", "expanded", "33.5", "75.55"])))
        commands.append(("swipe", "t", f"r{i}", chosen.choice(["--leading", "--trailing"])))
    (daemon.directory / "kinds.json").write_text(
        json.dumps({"kinds": kinds, "table": {"swipePolicy": "multiple"}}))
    daemon.ok("create", "t")
    daemon.ok("define", "t", "kinds.json")
    for command in commands:
        daemon.ok(*command)
    rows = json.loads(daemon.ok("-o", "json", "show", "t"))["rows"]
    for width in (1, 68, 320, 1000.5):
        for pull in (None, 0, 40.5, 319.6, 500):
            for profile in ("cell", "point"):
                more = [] if pull is None else ["--pull", str(pull)]
                found = json.loads(daemon.ok(
                    "-o", "json", "layout", "t", "--width", str(width), "--profile", profile, *more))
                expected = layout_by_the_page.layout(rows, kinds, width, pull, profile)
                # Whole units add up exactly.
                assert found["contentHeight"] == expected["contentHeight"]
                for one, other in zip(found["rows"], expected["rows"], strict=True):
                    assert is_near(one, other), (width, pull, profile, one, other)
