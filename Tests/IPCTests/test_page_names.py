"""Every name in docs/PROTOCOL.md is in the schema, at the place that the page says. The daemon's
messages have these names."""

import json
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]
PAGE = (ROOT / "docs/PROTOCOL.md").read_text()
# Words among the names of fields that are values of the field before.
VALUES = {"leading", "trailing", "closed", "shared", "collapsed", "expanded", "done: true"}


class Schema:
    """The messages of trestle.proto: each field's name in JSON, and the message that it holds."""

    def __init__(self, text):
        self.messages = {"": {}}
        stack = [""]
        for line in text.split("\n"):
            line = line.split("//")[0].strip()
            if found := re.match(r"message (\w+) \{(\})?", line):
                name = f"{stack[-1]}.{found[1]}".strip(".")
                self.messages[name] = {}
                if not found[2]:
                    stack.append(name)
            elif line.startswith("oneof "):
                stack.append(stack[-1])
            elif line == "}":
                stack.pop()
            elif found := re.match(r"(?:optional |repeated )?(map<.*>|[\w.]+) (\w+) = \d+;", line):
                name = re.sub(r"_(\w)", lambda part: part[1].upper(), found[2])
                self.messages[stack[-1]][name] = found[1]

    def message(self, inside, kind):
        """A type by its name, as it is seen from within a message; None: no message."""
        while True:
            name = f"{inside}.{kind}".strip(".")
            if name in self.messages:
                return name
            if not inside:
                return None
            inside = inside.rpartition(".")[0]

    def step(self, message, name):
        assert name in self.messages[message], f"{message} has no {name}"
        return self.message(message, self.messages[message][name])

    def walk(self, message, value):
        """All keys of a value of this message are its fields, and so on inside."""
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, dict):
                for name, inner in part.items():
                    kind = self.messages[message].get(name)
                    assert kind, f"{message} has no {name}: {part}"
                    if not kind.startswith("map<"):
                        self.walk(self.message(message, kind), inner)


SCHEMA = Schema((ROOT / "Sources/TableWire/Schema/trestle.proto").read_text())


def examples():
    """The page's examples of JSON, with nothing in the place of what it leaves out."""
    for block in re.findall(r"(?:^    .+\n)+", PAGE, re.M):
        text = ""
        for line in block.split("\n"):
            text += line.strip()
            if text.startswith("{") and text.count("{") == text.count("}"):
                text = re.sub(r",…,", ",", re.sub(r":(…|[A-Z])(?=[,}])", ":null", text))
                yield json.loads(text)
                text = ""


def table_rows(heading):
    """The rows of the table below a heading, as cells."""
    text = PAGE.split(heading, 1)[1]
    lines = text[text.index("\n|"):].lstrip("\n").split("\n")
    for line in lines[2:]:
        if not line.startswith("|"):
            return
        yield [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|"))]


def names(cell):
    return re.findall(r"`([^`]+)`", cell)


def test_the_examples():
    found = list(examples())
    assert len(found) >= 11
    for example in found:
        root = ("Reply" if "ok" in example else "Diff" if "base" in example
                else "Presence" if "leases" in example else "Request")
        SCHEMA.walk(root, example)


@pytest.mark.parametrize("heading, message, least", [
    ("or an element of a batch's `commands`:", "Command", 24), ("\n### Ops", "Op", 27),
    ("\n## 17. Drags", "Request.Drag", 5)])
def test_the_fields_of(heading, message, least):
    rows = list(table_rows(heading))
    assert len(rows) >= least
    for verb, fields, *_ in rows:
        inside = SCHEMA.step(message, *names(verb))
        for name in names(fields):
            name = name.split(":")[0] if name not in VALUES else name
            if inside is None or name in VALUES:
                continue
            # Of a part: `item`, `title` … of the step above it.
            known = {inside, *(SCHEMA.step(inside, part) for part in SCHEMA.messages[inside])}
            assert any(name in SCHEMA.messages[part] for part in known if part), \
                f"{message}.{verb} has no {name}"


def replies():
    """Of each reply in the table of requests: its verb, and the names it is said to have."""
    for verb, _, reply in table_rows("A `Request` has exactly one verb"):
        # Steps of a drag have a table of their own.
        if (match := re.match(r"`([\w.]+)`: (.*)", reply)) and names(verb) != ["drag"]:
            yield names(verb)[0], match[1], names(re.sub(r"\([^)]*\)", "", match[2]))


def test_replies_are_in_the_schema():
    found = list(replies())
    assert [verb for verb, *_ in found] == [
        "hello", "tables", "kinds", "who", "health", "stats", "check"]
    for _, path, fields in found:
        message = "Reply"
        for part in path.split("."):
            message = SCHEMA.step(message, part)
        for name in fields:
            assert name in SCHEMA.messages[message], f"{path}.{name}"


def test_the_daemon_says_these_names(daemon):
    daemon.ask("create", {}, "board")
    for verb, path, fields in replies():
        reply = daemon.ask(verb, {}, "board" if verb in ("kinds", "who") else None)
        for part in path.split("."):
            reply = reply[part]
        reply = reply[0] if isinstance(reply, list) else reply
        # What has no entries is left out.
        missing = set(fields) - set(reply) - {"rejections", "viewers", "leases"}
        assert not missing, f"{verb}: the daemon says no {missing}, but {sorted(reply)}"
