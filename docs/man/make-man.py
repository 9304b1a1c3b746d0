#!/usr/bin/env python3
"""Makes the man pages: of each verb from the programs' own help, of the configuration from the
commented one, of the protocol and the predicates from their pages. Nothing is written twice.

    docs/man/make-man.py --bin .build/release --out .build/man
"""

import argparse
import json
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXITS = [
    ("0", "done"), ("1", "refused by the daemon"), ("64", "usage"), ("65", "bad data"),
    ("66", "no such table or row"), ("69", "daemon unreachable"), ("73", "cannot create a file"),
    ("74", "input or output failed"), ("75", "timeout"), ("76", "protocol mismatch"),
    ("77", "not permitted to connect"), ("78", "bad configuration"),
    ("130", "interrupted from the keyboard"),
]
DAEMON_EXITS = [
    ("0", "stopped by a signal, or done"), ("64", "usage"), ("65", "the journal is damaged"),
    ("73", "a socket, a lock or a directory cannot be made"), ("74", "input or output failed"),
    ("78", "bad configuration"),
]
PAGES = [
    ("docs/PROTOCOL.md", "trestle-protocol", 7, "the protocol between trestled and its clients"),
    ("docs/PREDICATES.md", "trestle-predicates", 7, "conditions on a table, for wait and watch"),
    ("docs/SESSIONS.md", "trestle-session", 7, "the file that trestle record writes"),
]


# ---------------------------------------------------------------- roff

def escaped(text):
    """Text that roff prints as it is."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    text = text.replace("`", "\\(ga").replace("^", "\\(ha").replace("~", "\\(ti")
    return re.sub(r"(?m)^\.", r"\\&.", text)


def bold(text):
    return f"\\fB{escaped(text)}\\fR"


def italic(text):
    return f"\\fI{escaped(text)}\\fR"


def inline(text):
    """Marks of Markdown: code and strong in bold, emphasis in italics, links by their text."""
    text = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", text)
    parts = re.split(r"(`[^`]+`|\*\*[^*]+\*\*|(?<![\w*])\*[^*\s][^*]*\*(?!\w))", text)
    out = ""
    for part in parts:
        if len(part) > 2 and part[0] == part[-1] == "`":
            out += bold(part[1:-1])
        elif part.startswith("**") and part.endswith("**") and len(part) > 4:
            out += bold(part[2:-2])
        elif len(part) > 2 and part[0] == part[-1] == "*":
            out += italic(part[1:-1])
        else:
            out += escaped(part)
    return out


class Page:
    def __init__(self, name, section, abstract, version):
        self.name = name
        self.section = section
        self.lines = [
            '.\\" Made by docs/man/make-man.py: change what it is made from.',
            f'.TH "{name.upper()}" "{section}" "" "trestle {version}" "Trestle"',
            ".nh", ".ad l", ".SH NAME",
            f"{escaped(name)} \\- {escaped(abstract.rstrip('.'))}",
        ]

    def heading(self, text, level=1):
        name = text.upper() if level == 1 else text
        self.lines.append((".SH " if level == 1 else ".SS ") + escaped(name))

    def paragraph(self, text):
        # Where a long example may be broken.
        text = re.sub(r"\S{40,}", lambda match: match[0].replace(",", ",\\:"), text)
        self.lines += [".PP", text]

    def item(self, tag, text):
        self.lines += [".TP", tag, text or "\\&"]

    def code(self, lines):
        self.lines += [".PP", ".in +4n", ".nf"]
        self.lines += [escaped(line) if line else "\\&" for line in lines]
        self.lines += [".fi", ".in"]

    def discussion(self, text):
        """What stands below the abstract in the help: paragraphs, and indented examples."""
        for block in re.split(r"\n\s*\n", text or ""):
            lines = block.strip("\n").split("\n")
            if not block.strip():
                continue
            if all(line.startswith("  ") for line in lines if line):
                self.code([line[2:] for line in lines])
                continue
            plain = [line for line in lines if not line.startswith("  ")]
            self.paragraph(escaped(" ".join(plain)))
            if len(plain) < len(lines):
                self.code([line[2:] for line in lines if line.startswith("  ")])

    def write(self, folder):
        path = folder / f"{self.name}.{self.section}"
        path.write_text("\n".join(self.lines) + "\n")


# ---------------------------------------------------------------- from the programs' help

def names_of(argument):
    marks = {"long": "--", "short": "-", "longWithSingleDash": "-"}
    return [marks[name["kind"]] + name["name"] for name in argument.get("names", [])]


def shown(command):
    return [
        argument for argument in command.get("arguments", [])
        if argument.get("shouldDisplay", True)
    ]


def synopsis(name, arguments):
    parts = [bold(name)]
    for argument in arguments:
        if argument["kind"] == "positional":
            part = italic(argument["valueName"])
        elif argument["kind"] == "flag":
            part = bold(names_of(argument)[-1])
        else:
            part = f"{bold(names_of(argument)[-1])} {italic(argument['valueName'])}"
        if argument.get("isRepeating"):
            part += " ..."
        parts.append(f"[{part}]" if argument.get("isOptional") else part)
    return " ".join(parts)


def help_text(program, *words):
    return subprocess.run(
        [program, *words, "--help"], check=True, capture_output=True, text=True, timeout=60).stdout


def usages(text):
    """The lines that the help has behind USAGE: alternatives stand there as such."""
    block = re.search(r"(?m)^USAGE: ((?:.+\n)+)", text)[1]
    return [line.strip() for line in block.split("\n") if line.strip()]


def with_own_forms(verb, text):
    """The verb with the forms that its own help names: the option is one for all verbs."""
    own = re.search(r"How to print the result\.\s+\(values:\s+([^;]+);", text)
    for argument in verb.get("arguments", []):
        if own and argument.get("valueName") == "form":
            argument["allValues"] = re.split(r",\s+", own[1])
    return verb


def usage_markup(line):
    """`<row>` is to be replaced, brackets and bars are signs, the rest is typed as it stands."""
    parts = re.split(r"(<[^>]+>|[][()|]|\.\.\.|\s+)", line)
    out = ""
    for part in parts:
        if part.startswith("<"):
            out += italic(part[1:-1])
        elif not part.strip() or part in "[]()|...":
            out += escaped(part)
        else:
            out += bold(part)
    return out


def describe(page, argument):
    names = names_of(argument)
    if argument["kind"] == "positional":
        tag = italic(argument["valueName"])
    else:
        tag = ", ".join(bold(name) for name in names)
        if argument["kind"] == "option":
            tag += " " + italic(argument["valueName"])
    text = argument.get("abstract", "")
    if argument.get("allValues"):
        text += f" One of: {', '.join(argument['allValues'])}."
    if argument.get("defaultValue"):
        text += f" Default: {argument['defaultValue']}."
    page.item(tag, escaped(text.strip()))


def command_parts(page, lines, command, heading=True):
    arguments = shown(command)
    if heading:
        page.heading("Synopsis")
    for line in lines:
        page.paragraph(usage_markup(line))
    if heading and command.get("discussion"):
        page.heading("Description")
    page.discussion(command.get("discussion"))
    for title, kinds in (("Arguments", ["positional"]), ("Options", ["flag", "option"])):
        some = [argument for argument in arguments if argument["kind"] in kinds]
        if some and heading:
            page.heading(title)
        for argument in some:
            describe(page, argument)


def exit_status(page, codes=EXITS):
    page.heading("Exit status")
    for code, meaning in codes:
        page.item(bold(code), escaped(meaning))


def see_also(page, *names):
    page.heading("See also")
    page.paragraph(", ".join(f"{bold(name)}({section})" for name, section in names))


def verb_page(program, verb, version):
    name = verb["commandName"]
    page = Page(f"trestle-{name}", 1, verb.get("abstract", ""), version)
    text = help_text(program, name)
    command_parts(page, usages(text), with_own_forms(verb, text))
    exit_status(page)
    see_also(page, ("trestle", 1), ("trestled", 8), ("trestle-protocol", 7))
    return page


def root_page(program, root, verbs, version):
    page = Page("trestle", 1, root["abstract"], version)
    command_parts(page, usages(help_text(program)), root)
    page.heading("Verbs")
    for verb in verbs:
        page.item(f"{bold('trestle-' + verb['commandName'])}(1)", escaped(verb["abstract"]))
    exit_status(page)
    page.heading("Environment")
    page.item(bold("TRESTLE_ENDPOINT"), "The daemon, where \\fB\\-\\-endpoint\\fR does not name it.")
    page.item(
        bold("TRESTLE_NAME") + ", " + bold("USER"),
        "Who you are, where \\fB\\-\\-as\\fR does not say; without them the system\\(aqs name of the user.")
    page.item(
        bold("NO_COLOR") + ", " + bold("CLICOLOR") + ", " + bold("CLICOLOR_FORCE"),
        "Whether there are colours on a terminal.")
    page.heading("Files")
    page.item(
        italic("$XDG_CONFIG_HOME/trestle/client.yaml") + ", " + italic("/etc/trestle/client.yaml"),
        "The key \\fBendpoint\\fR: the daemon, where neither the option nor the environment names it; "
        "\\fBkey\\fR: which pair of keys to use for daemons on other machines.")
    page.item(
        italic("$XDG_CONFIG_HOME/trestle/NAME.key") + ", " + italic("servers"),
        "Keys: trestle\\-keygen(1) and trestle\\-trust(1).")
    see_also(page, ("trestled", 8), ("trestle-protocol", 7), ("trestle-predicates", 7))
    return page


def daemon_page(root, version):
    page = Page("trestled", 8, root["abstract"], version)
    commands = {command["commandName"]: command for command in root["subcommands"]}
    page.heading("Synopsis")
    for name, command in commands.items():
        if name != "help":
            full = "trestled" if name == "serve" else f"trestled {name}"
            page.paragraph(synopsis(full, shown(command)))
    page.heading("Description")
    page.discussion(root.get("discussion"))
    page.heading("Options")
    for argument in shown(commands["serve"]):
        describe(page, argument)
    page.heading("Commands")
    for name, command in commands.items():
        if name not in ("serve", "help"):
            page.item(bold(name), escaped(command["abstract"]))
            page.discussion(command.get("discussion"))
            for inner in command.get("subcommands", []):
                if inner["commandName"] != "help":
                    full = f"trestled {name} {inner['commandName']}"
                    page.item(bold(full), escaped(inner["abstract"]))
    page.heading("Signals")
    page.item(
        bold("SIGHUP"),
        "Reads the configuration again. The log names each key that has changed, from what to what, "
        "and each that needs a restart; trestled.yaml(5) says which is which. A file that cannot be "
        "used changes nothing.")
    page.item(bold("SIGTERM") + ", " + bold("SIGINT"), "Answers what has arrived, and ends.")
    exit_status(page, DAEMON_EXITS)
    see_also(page, ("trestled.yaml", 5), ("trestle", 1), ("trestle-protocol", 7))
    return page


def gateway_page(root, version):
    """Each of its commands is a section, as the daemon's page has them."""
    page = Page("trestle-serve", 8, root["abstract"], version)
    commands = [one for one in root["subcommands"] if one["commandName"] != "help"]
    page.heading("Synopsis")
    for command in commands:
        page.paragraph(synopsis(f"trestle-serve {command['commandName']}", shown(command)))
    page.heading("Description")
    page.discussion(root.get("discussion"))
    for command in commands:
        page.heading(f"trestle-serve {command['commandName']}")
        page.paragraph(escaped(command["abstract"]))
        page.discussion(command.get("discussion"))
        for argument in shown(command):
            describe(page, argument)
    page.heading("Environment")
    page.item(bold("TRESTLE_ENDPOINT"), "The daemon, where \\fB\\-e\\fR does not name it.")
    page.item(bold("STATE_DIRECTORY"), "Where the list of devices is; systemd sets it.")
    see_also(page, ("trestle-serve", 1), ("trestled", 8), ("trestle", 1))
    return page


# ---------------------------------------------------------------- from texts

def configuration_page(version):
    """The commented configuration: comments are what is said, keys are what it is about."""
    page = Page("trestled.yaml", 5, "the configuration of trestled", version)
    page.heading("Description")
    for block in (ROOT / "config/trestled.yaml").read_text().strip().split("\n\n"):
        comments = []
        keys = []
        for line in block.split("\n"):
            text = line[2:] if line.startswith("# ") else ""
            is_key = re.match(r"( *- )?[a-z_]+:( |$)|  +(- |[a-z])", text) is not None
            if line.startswith("#") and not is_key:
                if keys:
                    emit_setting(page, comments, keys)
                    comments, keys = [], []
                comments.append(text)
            else:
                keys.append(text if line.startswith("#") else line)
        emit_setting(page, comments, keys)
    page.heading("Files")
    page.item(italic("/etc/trestle/trestled.yaml"), "Read by the service.")
    page.item(italic("/etc/trestle/trestled.d/*.yaml"), "Read after it, in the order of their names.")
    page.item(italic("/etc/trestle/NAME.yaml") + ", " + italic("NAME.d/*.yaml"), "The same of trestled@NAME.service.")
    see_also(page, ("trestled", 8))
    return page


def emit_setting(page, comments, keys):
    if comments:
        page.paragraph(escaped(" ".join(comments)))
    if keys:
        page.code(keys)


def cells(line):
    parts = re.split(r"(?<!\\)\|", line.strip().strip("|"))
    return [part.strip().replace("\\|", "|") for part in parts]


def markdown_page(path, name, section, abstract, version):
    page = Page(name, section, abstract, version)
    lines = (ROOT / path).read_text().split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        if re.match(r"#+ ", line):
            level = len(line) - len(line.lstrip("#"))
            if level == 1:
                page.heading("Description")
            else:
                page.heading(line.lstrip("# "), 1 if level == 2 else 2)
            at += 1
        elif line.startswith("    "):
            block = []
            while at < len(lines) and (lines[at].startswith("    ") or not lines[at].strip()):
                block.append(lines[at][4:])
                at += 1
            while block and not block[-1].strip():
                block.pop()
            page.code(block)
        elif line.startswith("|"):
            while at < len(lines) and lines[at].startswith("|"):
                parts = cells(lines[at])
                # What a table's columns are called says the heading above it.
                is_head = at + 1 < len(lines) and re.fullmatch(r"[|\-: ]+", lines[at + 1])
                if not is_head and not all(set(part) <= set("-: ") for part in parts):
                    rest = [inline(part) for part in parts[1:] if part]
                    page.item(inline(parts[0]) or "\\&", " \\(em ".join(rest))
                at += 1
        elif re.match(r"[-*] |\d+\. ", line):
            tag, text = line.split(" ", 1)
            at += 1
            while at < len(lines) and re.match(r" +\S", lines[at]):
                text += " " + lines[at].strip()
                at += 1
            mark = "\\(bu" if tag in "-*" else tag
            page.lines += [f".IP {mark} 4", inline(text)]
        elif line.strip():
            text = line
            at += 1
            while at < len(lines) and re.match(r"[^#|\s]", lines[at]) and not re.match(
                    r"[-*] |\d+\. ", lines[at]):
                text += " " + lines[at]
                at += 1
            page.paragraph(inline(text))
        else:
            at += 1
    return page


# ---------------------------------------------------------------- all of them

def help_of(program):
    done = subprocess.run(
        [program, "--experimental-dump-help"], check=True, capture_output=True, timeout=60)
    return json.loads(done.stdout)["command"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / ".build/release")
    parser.add_argument("--serve", type=pathlib.Path, help="the gateway's program, where it was built")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / ".build/man")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for old in options.out.glob("trestle*"):
        old.unlink()
    version = subprocess.run(
        [options.bin / "trestle", "--version"], check=True, capture_output=True, text=True,
        timeout=60).stdout.strip()
    root = help_of(options.bin / "trestle")
    verbs = [verb for verb in root["subcommands"] if verb["commandName"] != "help"]
    program = options.bin / "trestle"
    pages = [root_page(program, root, verbs, version)]
    pages += [verb_page(program, verb, version) for verb in verbs]
    pages += [daemon_page(help_of(options.bin / "trestled"), version), configuration_page(version)]
    if options.serve and options.serve.exists():
        pages.append(gateway_page(help_of(options.serve), version))
    pages += [markdown_page(*page, version) for page in PAGES if (ROOT / page[0]).exists()]
    for page in pages:
        page.write(options.out)


if __name__ == "__main__":
    main()
