"""The arrows between the parts in ARCHITECTURE.md, made from Package.swift: `python3 docs/parts.py --write`.

Without `--write` it says which lines differ, and ends with 1 if there are any. The sentence of each part is written
by hand; a target without one, and a part that is no target, are differences too.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/ARCHITECTURE.md"
HEAD = "| part | what it is | | uses |\n|---|---|---|---|\n"
LINE = re.compile(r"\| `(\w+)` \| (.*?) \| (.*?) ?\| (.*?) ?\|")


def calls(text):
    """Each target's declaration, by its name: the words of its call, up to the parenthesis that ends it."""
    for match in re.finditer(r'(?<!\w)(pure|\.target|\.executableTarget|\.systemLibrary)\(\s*(?:name: )?"(\w+)"', text):
        depth, end = 1, match.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        yield match[1], match[2], text[match.end():end]


def targets(text):
    """(is pure, names of the targets that it uses) by name, of what stands in Sources."""
    text = re.sub(r"//.*", "", text)
    found = {}
    for kind, name, call in calls(text):
        if "path:" in call:
            continue
        listed = re.search(r"\[(.*?)\]", call.split("swiftSettings")[0], re.S)
        uses = re.findall(r'"(\w+)"', listed[1]) if listed and "apt(" not in call else []
        found[name] = (kind == "pure", uses)
    return found


def made(page, package):
    """The page with its arrows as the package has them."""
    begin = page.index(HEAD) + len(HEAD)
    end = page.index("\n\n", begin) + 1
    known = targets(package)
    lines = []
    for line in page[begin:end].splitlines():
        name, what = LINE.fullmatch(line).groups()[:2]
        if name not in known:
            sys.exit(f"{name} is no target of Package.swift")
        pure, uses = known.pop(name)
        lines.append(f"| `{name}` | {what} | {'pure' if pure else ''} | {', '.join(sorted(uses))} |\n")
    if known:
        sys.exit(f"ARCHITECTURE.md has no sentence of {', '.join(known)}")
    return page[:begin] + "".join(lines) + page[end:]


def main():
    page = PAGE.read_text()
    new = made(page, (ROOT / "Package.swift").read_text())
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(new)
        return 0
    differs = [line for line in new.splitlines() if line not in page.splitlines()]
    print("\n".join(differs))
    return 1 if differs else 0


if __name__ == "__main__":
    sys.exit(main())
