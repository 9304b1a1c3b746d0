#!/usr/bin/env python3
"""Writes into index.html which modules the page begins with, so that a browser asks for all of them at once: without it, it
asks for those that a module imports only when it has read that module. `--check` only compares."""

import re
import sys
from pathlib import Path

WEB = Path(__file__).resolve().parent
BEGIN, END = "<!-- modules -->\n", "<!-- /modules -->\n"
IMPORT = re.compile(r"""^(?:import|export)\b[^'"]*?from '(\.[^']+)'|^import '(\.[^']+)'|\bimport\('(\.[^']+)'\)""", re.M)


def modules(first="src/screen/main.js"):
    """The modules that the first one reaches, nearest first."""
    found = [WEB / first]
    for file in found:
        for names in IMPORT.findall(file.read_text()):
            path = (file.parent / next(filter(None, names))).resolve()
            if path not in found:
                found.append(path)
    return ["/" + str(file.relative_to(WEB)) for file in found]


def page():
    """The page, with a link for each of its modules."""
    text = (WEB / "index.html").read_text()
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    links = "".join(f'<link rel="modulepreload" href="{one}">\n' for one in modules())
    return before + BEGIN + links + END + after


if __name__ == "__main__":
    made = page()
    if "--check" not in sys.argv:
        (WEB / "index.html").write_text(made)
    elif made != (WEB / "index.html").read_text():
        sys.exit("web/index.html names other modules than there are: web/preload.py writes them")
