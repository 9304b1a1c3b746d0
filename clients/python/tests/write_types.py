"""Writes what the package has of the protocol's pages: a class for each refusal, a typed dictionary for each message."""

import keyword
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
HEAD = '"""{}\n\nWritten by tests/write_types.py from {}; `TRESTLE_WRITE=1` with tests/test_types.py writes it anew.\n"""\n'
WORDS = {"text": "str", "whole number": "int", "whole number, also negative": "int", "number": "float",
         "true or false": "bool", "bytes": "str", "64 bits": "str", "texts by name": "dict[str, str]",
         "whole numbers by name": "dict[str, int]", "numbers by name": "dict[str, float]"}
ALWAYS = {"Row": "id kind", "Performance": "action state", "StripItem": "id", "Row.Claim": "holder", "Kind": "id digest",
          "Invocation": "id row action digest", "Kind.State": "name"}
"""What is never absent: shapes.py refuses messages without it."""
WANTED = ("Row", "Kind", "Settings", "Invocation", "Cause", "Op")
"""The messages that programs read. Those that they consist of come with them."""


def refusals() -> Iterator[tuple[str, str]]:
    """Each code, and when it comes."""
    page = (ROOT / "docs" / "PROTOCOL.md").read_text().split("### Refusals", 1)[1].split("\n### ", 1)[0]
    for codes, when in re.findall(r"^\| (`\w+`(?:, `\w+`)*) \| (.*?) ?\|$", page, re.M):
        for code in re.findall(r"\w+", codes):
            yield code, re.sub(r"\[(.+?)\]\(.*?\)", r"\1", when)


def class_of(code: str) -> str:
    """The name of its class."""
    return code[0].upper() + code[1:]


def write_refusals() -> str:
    """The text of refusals.py."""
    found = list(refusals())
    text = HEAD.format("A class for each code of a refusal: `except trestle.refusals.Stale`.", "docs/PROTOCOL.md")
    text += "\nfrom .errors import Refused\n"
    for code, when in found:
        says = re.split(r"(?<=[a-z`)])[.;:] ", when)[0].strip().rstrip(".") or f"`{code}`"
        says = says[0].upper() + says[1:]
        text += f'\n\nclass {class_of(code)}(Refused, code="{code}"):\n    """{says}."""\n'
    return text


def messages() -> dict[str, list[tuple[str, str]]]:
    """The fields of each message, with their Python types."""
    page = (ROOT / "docs" / "MESSAGES.md").read_text().split("<!-- Below", 1)[1]
    found: dict[str, list[tuple[str, str]]] = {}
    for section in re.split(r"^###? ", page, flags=re.M)[1:]:
        name = section.split("\n", 1)[0].strip()
        found[name] = []
        for field, value in re.findall(r"^\| \*?\d+\*? \| `(\w+)` \| (.*?) \|", section, re.M):
            item = value.removeprefix("list: ")
            link = re.match(r"\[(.+?)\]", item)
            kind = f'"{link[1].replace(".", "")}"' if link else WORDS.get(item, "str")
            kind = f"list[{kind}]" if item != value else kind
            found[name].append((field, f"Required[{kind}]" if field in ALWAYS.get(name, "").split() else kind))
    return found


def needed(found: dict[str, list[tuple[str, str]]]) -> list[str]:
    """The messages that are wanted, and those inside them, in the order of the page."""
    whole, left = set[str](), list(WANTED)
    by_class = {name.replace(".", ""): name for name in found}
    while left:
        if (name := left.pop()) not in whole:
            whole.add(name)
            left += [by_class[kind] for _, value in found[name] for kind in re.findall(r'"(\w+)"', value)]
    return [name for name in found if name in whole]


def write_messages() -> str:
    """The text of messages.py."""
    found = messages()
    text = HEAD.format("Typed dictionaries of what a row, a kind, a change has in `wire`, `ops` and `cause`. What is not\n"
                       "`Required` may be absent.", "docs/MESSAGES.md")
    text += "\nfrom typing import Required, TypedDict\n"
    for name in needed(found):
        fields, title = found[name], name.replace(".", "")
        if any(keyword.iskeyword(field) for field, _ in fields) or not fields:
            inside = ", ".join(f'"{field}": {value}' for field, value in fields)
            text += f'\n\n{title} = TypedDict("{title}", {{{inside}}}, total=False)\n'
        else:
            text += f"\n\nclass {title}(TypedDict, total=False):\n"
            text += "".join(f"    {field}: {value}\n" for field, value in fields)
    return text
