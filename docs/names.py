"""NAMES.md: one name for one thing, wherever it is met. `python3 docs/names.py --write` makes it from the sources.

Without `--write` it says which lines differ, and ends with 1 if there are any. A name that does not follow the rule of
its column has a reason in OTHERWISE; one without a reason is a mistake, and ends it too.
"""

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/NAMES.md"
MARK = "<!-- Below: written by names.py -->\n"

OTHERWISE = {
    ("verb", "command line", "removeSection"): ("section --remove", "a section has one verb"),
    ("verb", "command line", "expandAll"): ("expand --all", "a row and all rows have one verb"),
    ("verb", "command line", "take"): ("handle", "a handler takes, releases and finishes by itself"),
    ("verb", "command line", "release"): ("handle", "as `take`"),
    ("verb", "command line", "finish"): ("handle", "as `take`"),
    ("verb", "command line", "each"): ("set --where", "`--where` of each verb that it carries out"),
    ("verb", "command line", "mark"): ("", "only screens mark, while a person moves through rows"),
    ("verb", "Python", "take"): ("handle", "of the client; a handler takes, releases and finishes by itself"),
    ("verb", "Python", "release"): ("handle", "as `take`"),
    ("verb", "Python", "finish"): ("handle", "as `take`"),
    ("verb", "Python", "item"): ("add_item, set_item, remove_items, move_items", "a method for each change of a strip"),
    ("row", "Swift", "expand"): ("expansion", "what it is, and not the verb"),
    ("row", "Swift", "selected"): ("selection", "what it is"),
    ("row", "Swift", "section"): ("", "its table knows"),
    ("row", "Swift", "index"): ("", "its table knows"),
    ("row", "Python", "expand"): ("state", "what it is, and not the verb"),
    ("row", "Python", "index"): ("", "its table knows"),
    ("row", "Python", "actions"): ("", "in `wire`"),
    ("row", "Python", "states"): ("", "in `wire`"),
    ("row", "Python", "scroll"): ("", "in `wire`"),
    ("row", "Python", "selected"): ("is_selected, selected_item", "two questions"),
    ("row", "Python", "sleep"): ("wakes_ms", "what is asked of it"),
    ("row", "conditions", "expand"): ("state", "what it is, and not the verb"),
    ("row", "conditions", "fields"): ("field", "one field: `field.NAME`"),
    ("row", "conditions", "performed"): ("action", "the outcome of one: `action.NAME`"),
    ("row", "conditions", "claim"): ("claimed, holder", "two questions"),
    ("row", "conditions", "sleep"): ("asleep, wakes", "two questions"),
    **{("row", "conditions", name): ("", "no condition on it") for name in (
        "actions", "scroll", "changedMs", "states", "selected", "cameFrom")},
    ("kind", "kinds files", "id"): ("", "the key under which the kind stands"),
    ("kind", "kinds files", "digest"): ("", "computed"),
    ("kind", "kinds files", "clear"): ("", "a key without a value"),
    ("kind", "kinds files", "dropItems"): ("", "an item kind without a value"),
    ("kind", "kinds files", "tapRepeat"): ("repeat", "within `tap`"),
    ("settings", "kinds files", "look"): ("style, width, spacing, insets", "they stand beside the other keys"),
    ("settings", "kinds files", "dropFaces"): ("", "a face without a value"),
    ("settings", "kinds files", "pauses"): ("", "a matter of `pause`, and not of files"),
    ("settings", "kinds files", "noAlerts"): ("", "`alerts` without a value"),
    ("settings", "kinds files", "digest"): ("", "computed"),
}


def read(path):
    return (ROOT / path).read_text()


def snake(name):
    """camelCase as Python writes it."""
    return re.sub(r"[A-Z]", lambda found: "_" + found[0].lower(), name)


def kebab(name):
    """camelCase as options and verbs of the command line are written."""
    return snake(name).replace("_", "-")


def fields(message):
    """The fields of a message, in the page's order."""
    page = read("docs/MESSAGES.md").split("<!-- Below", 1)[1]
    part = re.split(rf"^###? {re.escape(message)}$", page, flags=re.M)[1].split("\n#", 1)[0]
    return re.findall(r"^\| \*?\d+\*? \| `(\w+)` \|", part, re.M)


def verbs():
    """The commands, in the page's order."""
    part = read("docs/VERBS.md").split("## Commands", 1)[1].split("\n## ", 1)[0]
    return re.findall(r"^\| `(\w+)` \| [A-Z]", part, re.M)


def members(path, name):
    """The methods and properties of a class in Python."""
    module = ast.parse(read(f"clients/python/src/trestle/{path}"))
    found = next(one for one in module.body if isinstance(one, ast.ClassDef) and one.name == name)
    return {one.name for one in found.body if isinstance(one, ast.FunctionDef)} | {
        one.target.id for one in found.body if isinstance(one, ast.AnnAssign)}


def keys(path, *names):
    """The cases of enumerations of keys in a file of TableFiles."""
    found = set()
    for name in names:
        body = re.search(rf"enum {name}: String, CaseIterable \{{(.*?)\n? *\}}", read(f"Sources/TableFiles/{path}"), re.S)[1]
        found |= {word.strip(" `") for line in re.findall(r"case ([^\n}]+)", body) for word in line.split(",")}
    return found


def command_line():
    """The verbs that `trestle --help` shows."""
    text = "".join(path.read_text() for path in sorted((ROOT / "Sources/trestle").rglob("*.swift")))
    return set(re.findall(r'commandName: "([\w-]+)"', text))


def swift_verbs():
    body = read("Sources/TableValues/Commands/Command.swift").split("enum Verb", 1)[1].split("\n    }\n", 1)[0]
    return set(re.findall(r"case (\w+)", body))


def swift_row():
    text = "".join((ROOT / "Sources/TableValues/Rows" / name).read_text()
                   for name in ("Row.swift", "Content.swift", "Strip.swift", "RowChanges.swift"))
    return set(re.findall(r"public (?:internal\(set\) )?(?:var|let) (\w+)", text))


def conditions():
    """The properties of a row that a condition can name."""
    part = read("docs/PREDICATES.md").split("PROPERTY", 1)[1]
    return {name for line in re.findall(r"^\| (`.*?) \|", part, re.M) for name in re.findall(r"`(\w+)", line)}


def table(sort, names, columns):
    """The lines of a table, and what is wrong. `columns`: [(title, rule, the names that there are)]."""
    rows, wrong = [], []
    for name in names:
        cells, notes = [f"`{name}`"], []
        for title, rule, there in columns:
            word, why = OTHERWISE.get((sort, title, name), (rule(name), ""))
            words = [one for one in word.split(", ") if one]
            wrong += [f"{sort} `{name}`: there is no {one} for the column {title}" for one in words
                      if one.split(" ")[0] not in there]
            if why and rule(name) in there:
                wrong.append(f"{sort} `{name}`: the column {title} has the name itself, and needs no reason")
            notes += [f"{title}: {why}"] if why else []
            cells.append(", ".join(f"`{one}`" for one in words))
        rows.append("| " + " | ".join([*cells, "; ".join(notes)]).rstrip() + " |")
    head = ["protocol", *(title for title, _, _ in columns), "why another name"]
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *rows], wrong


def tables():
    """All lines below the mark, and what is wrong."""
    def itself(name):
        return name
    kinds = keys("KindsFile.swift", "KindKey") | {"repeat", "layout"}
    settings = keys("KindsFile.swift", "SettingsKey", "TopKey")
    python = members("verbs.py", "Verbs") | {"handle"}
    row = members("row.py", "Row")
    parts = [
        ("Commands", "verb", verbs(), [("command line", kebab, command_line()), ("Python", snake, python),
                                       ("Swift", itself, swift_verbs())]),
        ("A row", "row", fields("Row"), [("conditions", itself, conditions()), ("Python", snake, row),
                                         ("Swift", itself, swift_row())]),
        ("A kind", "kind", fields("Kind"), [("kinds files", itself, kinds)]),
        ("The settings of a table", "settings", fields("Settings"), [("kinds files", itself, settings)])]
    lines, wrong = [], []
    for title, sort, names, columns in parts:
        found, mistakes = table(sort, names, columns)
        lines += ["", f"## {title}", "", *found]
        wrong += mistakes
        wrong += [f"OTHERWISE has {key}, which is no longer there" for key in OTHERWISE
                  if key[0] == sort and key[2] not in names]
    return "\n".join(lines) + "\n", wrong


def main():
    page = PAGE.read_text()
    text, wrong = tables()
    new = page[:page.index(MARK) + len(MARK)] + text
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(new)
    differs = [line for line in new.splitlines() if line not in page.splitlines()] if sys.argv[1:] != ["--write"] else []
    print("\n".join([*wrong, *differs]))
    return 1 if wrong or differs or (new != page and not sys.argv[1:]) else 0


if __name__ == "__main__":
    sys.exit(main())
