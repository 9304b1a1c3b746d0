"""The commands of the README and of the documents do what they say. Each block is typed into a
terminal unchanged, in order. Where a reader would open another terminal, the test opens one."""

import os
import pwd
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
from cli_daemon import BIN, HERE
from terminal import Terminal

ROOT = HERE.parents[1]

# Blocks that are not run, by their first line; and why not.
NOT_RUN = {
    "README.md": {
        "kitchen  revision 5  12 rows in 4 sections": "a picture of two terminals",
        "trestle serve run &": "a gateway of its own; Tests/ServeTests try it",
        "make demo      # a daemon with real tables": "CI runs both",
        "make build": "has been done: it made the programs that are tried here",
        "cd .build/deb": "changes the system; `make test-deb` does it",
        "trestled salvage /var/lib/trestle": "the system's own state; test_salvage.py tries it",
        "make install": "changes the system; Tests/SystemdTests try the units",
        "trestle add …      ┌──": "a drawing",
    },
    "docs/ACTIONS.md": {
        'test "$TRESTLE_ATTEMPT" = 1 ||': "a line of somebody's program",
    },
    "docs/ACCESS.md": dict.fromkeys([
        "guests:", "trestled explain-access --config /etc",
    ], "the system's own configuration; test_guests.py tries it"),
    "docs/BROWSER.md": dict.fromkeys([
        "trestle serve run &", "runuser -u trestle-serve", "runuser -u trestle-serve -- trestle keygen",
        "trestle serve run --listen unix:",
        "trestle serve run --listen 0.0.0.0:7580", "guests:\n  - users: [trestle-serve]",
    ], "a gateway of its own; Tests/ServeTests try it"),
    "docs/OPERATION.md": dict.fromkeys([
        "apt install ./trestle_*.deb", "apt install ./trestle-serve_*.deb", "usermod -aG trestle kim",
        "systemctl disable --now",
        "trestle backup before-upgrade", 'echo "trestled trestled/purge-state', "systemctl enable --now",
        "[Service]", "backup=$(ls -d", 'trestle restore "$backup" --table', 'trestle restore "$backup" --rep',
        "systemctl stop trestled-activated", "apt install ./trestle-doc",
        "systemctl stop trestled-request.socket trestled-publish.socket trestled-activated.service\nmv",
        "systemctl stop trestled-request.socket trestled-publish.socket trestled-activated.service\ntrestled salvage",
        "journalctl -u trestled-activated -n 20", "cp /etc/trestle/trestled.yaml",
        "systemctl enable --now trestle-backup@", "cp trestle-metrics@", "log:", "debug: request", "journalctl -u trestled-activated TRESTLE", "warning: audit code=",
    ], "administers a system: `make test-deb` has one of its own"),
    "docs/PERSONAL-DATA.md": dict.fromkeys([
        "retain:", "trestle forget board kim-4711", "trestle show board --where 'title",
    ], "test_forget.py and the transcripts try it"),
    "docs/CARE.md": dict.fromkeys([
        "systemctl stop trestled-request.socket trestled-publish.socket trestled-activated.service\ntar -C / -cz",
        "systemctl stop trestled-request.socket trestled-publish.socket trestled-activated.service\ntar -C / -xz",
        "trestle backup move.backup", "systemctl set-property", "systemctl reload trestle-serve",
        "trestle cluster status", "trestle cluster step-down", "runuser -u trestle-serve",
        "trestle health\ndf -h", "#!/bin/sh -e", "RENEWED_LINEAGE=",
    ], "administers a system: `make test-deb` has one of its own"),
    "docs/CLUSTER.md": dict.fromkeys([
        "      clients", "   endpoints:", "ok: trestled", "systemctl stop trestled\nrunuser",
        "systemctl stop trestled\ntrestled move-journal",
    ], "three machines; test_cluster.py and test_move_journal.py try it"),
    "docs/REMOTE.md": dict.fromkeys([
        "endpoints:", "[Service]", "runuser -u trestle -- trestled keys show", "trestle keygen",
        "trestle trust board.example.org", "trestled keys add anna",
    ], "two machines; test_curve.py tries it"),
    "docs/SESSIONS.md": {'{"session":1,"table":"board"': "lines of a file"},
    "docs/PREDICATES.md": {"condition   conditions joined": "a grammar"},
    "docs/VIEW.md": {"view:": "a configuration; test_cli_view.py tries it"},
}

# What a document takes for granted.
BEFORE = {
    "README.md": [],
    "docs/ACTIONS.md": [
        "trestle create board", "echo '{kinds: {ticket: {}}}' > first.yaml",
        "trestle define board first.yaml",
        *[f"trestle add board 'Order {n}' --id t{n} --kind ticket" for n in (41, 42, 43)],
        r"printf '#!/bin/sh\ncat >/dev/null\n' > page-waiter; chmod +x page-waiter",
    ],
    **dict.fromkeys(
        [f"docs/{name}.md" for name in ("ACCESS", "BROWSER", "CARE", "CLUSTER", "OPERATION", "PERSONAL-DATA",
                                    "REMOTE")], []),
    "docs/SESSIONS.md": [],
    "docs/PREDICATES.md": [
        "trestle create board", "trestle add board Soup --id t1 --section grill",
        "trestle add board Fries --id t41 --section grill --field driver=7 --field qty=3"],
    "docs/VIEW.md": ["trestle create board", "trestle add board Soup --id t1"],
}

# What has to be so before a block, by its first line.
BEFORE_BLOCK = {
    # Somebody handles what the block waits for; the document comes to handlers later.
    "trestle swipe board t41 --trailing  ":
        "trestle handle board page --count 1 -- ./page-waiter >handled 2>&1 </dev/null &",
}

# Commands that go on until they are ended: what to wait for, what is typed then, how they end.
GO_ON = {
    "trestle view kitchen --section": ("", "\x03", 0),  # A kiosk.
    "trestle view ": ("live", "q", 0),
    "trestle handle board page --jobs 4": ("", "\x03", 0),
    "trestle watch board --where 'section ==": ('"revision"', "\x03", 130),
    "trestle watch board --where late": ('"revision"', "\x03", 130),
    "trestle wait board --until 'any(rows where age": ("", "\x03", 130),
    "trestle wait board --until 'now >=": ("", "\x03", 130),
    "trestle set board --where 'field.driver": ("[y/N]", "y\n", 0),
}


def blocks(text):
    """The indented and the fenced blocks of a document, each with the paragraph before it."""
    found, lines, words, fenced = [], [], "", None
    for line in text.split("\n") + ["end"]:
        if fenced is not None:
            if line.startswith("```"):
                found.append((words, "\n".join(fenced)))
                fenced = None
            else:
                fenced.append(line)
        elif line.startswith("```"):
            fenced = []
        elif line.startswith("    ") and not re.match(r" *[-*\d]", words.split("\n")[-1]):
            lines.append(line[4:])
        elif lines and not line:
            lines.append("")
        else:
            if lines:
                found.append((words, "\n".join(lines).rstrip("\n")))
                lines, words = [], ""
            words = f"{words}\n{line}" if line and words else line
    return found


def steps(transcript):
    """Commands and what each prints. A command goes on in lines that begin with `> `."""
    for part in f"\n{transcript}".split("\n$ ")[1:]:
        lines = part.split("\n")
        more = next((at for at, line in enumerate(lines[1:], 1) if not line.startswith("> ")), len(lines))
        yield "\n".join([lines[0], *(line[2:] for line in lines[1:more])]), "\n".join(lines[more:])


def is_like(said, expected):
    """`…` stands for whatever differs from run to run in a line; alone in a line, for any lines."""
    form = "\n".join(".*(?:\n.*)*" if line.strip() == "…" else re.escape(line).replace("…", ".*")
                     for line in expected.split("\n"))
    return re.fullmatch(form, said) is not None


class Reader:
    """Somebody who types what a document says."""

    def __init__(self, name):
        self.name = name
        self.directory = Path(tempfile.mkdtemp(prefix="tr", dir="/tmp"))
        # As a checkout looks after `make build`.
        for part in ("examples", "config", "docs", "Makefile"):
            (self.directory / part).symlink_to(ROOT / part)
        (self.directory / ".build").mkdir()
        (self.directory / ".build/release").symlink_to(BIN)
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": str(self.directory), "USER": "ada",
            "LC_ALL": "C.UTF-8"}
        self.terminals = []

    def terminal(self):
        self.terminals.append(Terminal(self.directory, self.environment))
        return self.terminals[-1]

    def here(self, text):
        """Other people and other tests have /tmp/trestle."""
        return text.replace("/tmp/trestle", f"{self.directory}/t")

    def run(self, terminal, block):
        """Types a block; everything in it has to end well."""
        if block.startswith("$ "):
            return self.check(terminal, block)
        first = block.split("\n")[0]
        if re.fullmatch(r"# [\w.-]+\.(yaml|json)", first):
            return (self.directory / first[2:]).write_text(block + "\n")
        command = ""
        for line in self.here(block).split("\n"):
            command = f"{command}\n{line}".lstrip("\n")
            status, said = self.type(terminal, line)
            if status is None:
                continue
            assert status == 0, f"{self.name}: {command}\nended with {status}: {said}"
            assert "\nnull\n" not in f"\n{said}", f"{self.name}: {command}\nprints null"
            command = ""
        assert not command, f"{self.name}: this has no end:\n{command}"

    def type(self, terminal, line):
        for start, (shown, keys, expected) in GO_ON.items():
            if line.startswith(start):
                terminal.type(line + "\n")
                terminal.until(lambda said: shown.encode() in said, 20, line)
                time.sleep(0.5 if shown else 2)
                terminal.type(keys)
                status = terminal.prompt(line)
                return (0 if status == expected else status or -1), terminal.text()
        status, said = terminal.command(line)
        if status == 0 and re.search(r"\btrestled .*&\s*$", line):
            self.wait_for_the_daemon()  # a reader types no faster
        return status, said

    def wait_for_the_daemon(self):
        end = time.monotonic() + 30
        while subprocess.run([BIN / "trestle", "health", "--timeout", "0.5", "--endpoint",
                              self.here("ipc:///tmp/trestle/request.sock")],
                             env=self.environment, capture_output=True).returncode != 0:
            assert time.monotonic() < end, "the daemon does not answer"
            time.sleep(0.1)

    def check(self, terminal, transcript):
        """A block of `$ command` and what it prints: that is what it prints."""
        for command, expected in steps(transcript):
            said = self.say(terminal, command)
            assert is_like(said, expected), f"{self.name}: {command}\nprinted:\n{said}\nand not:\n{expected}"

    def say(self, terminal, command):
        """Types a command of one line or more; what it prints."""
        for line in command.split("\n"):
            status, said = self.type(terminal, self.here(line))
        assert status is not None, f"{self.name}: this has no end:\n{command}"
        # The shell says when it finds it that a job has ended.
        said = re.sub(r"(?m)^\[\d+\][+-]? +(Killed|Done|Terminated|Exit).*\n", "", said)
        # The reader is ada, whatever the user of the machine is called: so it is on the reader's own.
        said = said.replace(f" ({pwd.getpwuid(os.geteuid()).pw_name}) ", " ")
        return said.rstrip("\n").replace(f"{self.directory}/t", "/tmp/trestle")

    def close(self):
        for terminal in self.terminals:
            terminal.close()
        shutil.rmtree(self.directory, ignore_errors=True)  # what was ended may still write


@pytest.fixture
def reader(request):
    reader = Reader(request.param)
    yield reader
    reader.close()


@pytest.mark.parametrize("reader", NOT_RUN, indirect=True)
def test_the_commands_of_a_document(reader):
    first = reader.terminal()
    if reader.name != "README.md":
        # Everything but the README begins with a daemon and a table.
        reader.run(first, "export PATH=$PWD/.build/release:$PATH\n"
                   "export TRESTLE_ENDPOINT=ipc:///tmp/trestle/request.sock\n"
                   "trestled --endpoint $TRESTLE_ENDPOINT --state-directory /tmp/trestle/state &")
        reader.run(first, "\n".join(BEFORE[reader.name]))
    left = dict(NOT_RUN[reader.name])
    for words, block in blocks((ROOT / reader.name).read_text()):
        reason = next((start for start in left if block.startswith(start)), None)
        if reason is not None:
            del left[reason]
            continue
        for start, line in BEFORE_BLOCK.items():
            if block.startswith(start):
                reader.run(first, line)
        # Another terminal is one that has nothing of the first.
        reader.run(reader.terminal() if "another terminal" in words else first, block)
    assert not left, f"{reader.name} has no such blocks: {list(left)}"


def test_every_document_with_commands_is_tried():
    def has_commands(path):
        return any(re.match(r"(\$ )?trestled? [^ ]", line)
                   for _, block in blocks(path.read_text()) for line in block.split("\n"))
    found = {str(path.relative_to(ROOT)) for path in [ROOT / "README.md", *ROOT.glob("docs/*.md")]
             if has_commands(path)}
    found -= {"docs/RECIPES.md"}  # test_tutorials.py walks it
    assert found <= set(NOT_RUN), f"not tried: {found - set(NOT_RUN)}"


@pytest.mark.parametrize("line, fault", [
    ("trestle tables", "ended with"),
    ("false | true", "ended with 1"),
    ("echo '{\"a\":1}' | jq .b", "prints null"),
    ("cat <<'END'", "has no end"),
])
def test_a_fault_is_found(line, fault):
    reader = Reader("a document")
    try:
        with pytest.raises(AssertionError, match=fault):
            reader.run(reader.terminal(), line)
    finally:
        reader.close()
