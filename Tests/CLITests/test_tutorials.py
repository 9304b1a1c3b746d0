"""The tutorials and the recipes are walked: each file in them is written, each command is typed into a terminal, and
what they say that it prints is what it prints. `WALK=write` writes down what it printed instead: look at it."""

import os
import re

import pytest
from test_documents import ROOT, Reader, is_like, steps

PAGES = [*sorted((ROOT / "docs/tutorials").glob("*.md")), ROOT / "docs/RECIPES.md"]
FENCE = re.compile(r"(?ms)^```([^\n]*)\n(.*?)^```$")


def parts(text):
    """The blocks of a page, each with its kind, a file's name if it is one, and the paragraph before it."""
    at = 0
    for match in FENCE.finditer(text):
        kind, _, name = match[1].partition(" ")
        words = text[at:match.start()].strip().split("\n\n")[-1]
        at = match.end()
        yield kind, name, match[2], words, match


class Walk:
    def __init__(self, page):
        self.page, self.text = page, page.read_text()
        self.reader = Reader(page.name)
        self.here = self.reader.directory / "t"
        self.here.mkdir()
        release = self.reader.directory / ".build/release"
        self.reader.environment["PATH"] = f"{release}:{self.reader.environment['PATH']}"
        self.first = self.terminal()

    def terminal(self):
        terminal = self.reader.terminal()
        terminal.command(f"stty cols 80; cd {self.here}")
        return terminal

    def walk(self):
        """The page, with what its commands printed."""
        assert not re.search(r"(?m)^    (\$ )?trestled? ", FENCE.sub("", self.text)), "fence the indented commands"
        out, at, seen = "", 0, 0
        for kind, name, block, words, match in parts(self.text):
            assert kind in ("console", "sh", "yaml", "json", "csv", "python"), f"what is {kind}?"
            out += self.text[at:match.start()]
            at = match.end()
            terminal = self.terminal() if "another terminal" in words else self.first
            if name:
                (self.here / name).write_text(block)
            elif kind == "console":
                block = self.compared(terminal, block.rstrip("\n"))
                seen += 1
            else:
                assert kind == "sh", f"nobody does anything with this {kind}"
                self.reader.run(terminal, block.rstrip("\n"))
            out += f"```{match[1]}\n{block}```"
        assert seen, f"{self.page.name} shows nothing"
        return out + self.text[at:]

    def compared(self, terminal, block):
        out = ""
        for command, expected in steps(block):
            said = self.reader.say(terminal, command)
            typed = "$ " + command.replace("\n", "\n> ") + "\n"
            if is_like(said, expected):
                said = expected
            else:
                assert os.environ.get("WALK") == "write", \
                    f"{self.page.name}: {command}\nprinted:\n{said}\nand not:\n{expected}"
            out += typed + (said + "\n" if said else "")
        return out


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_is_walked(page):
    walk = Walk(page)
    try:
        text = walk.walk()
    finally:
        walk.reader.close()
    if os.environ.get("WALK") == "write":
        page.write_text(text)
    assert text == walk.text


@pytest.mark.parametrize("expected, said, is_so", [
    ("one", "one", True), ("one", "two", False), ("a … c", "a b c", True), ("a … c", "a b", False),
    ("a\n…\nd", "a\nb\nc\nd", True), ("", "", True), ("", "words", False), ("a.c", "abc", False),
])
def test_a_difference_is_seen(expected, said, is_so):
    assert is_like(said, expected) is is_so


def test_commands_of_several_lines():
    assert list(steps("$ cat <<END\n> x\n> END\nx\n$ true")) == [("cat <<END\nx\nEND", "x"), ("true", "")]
