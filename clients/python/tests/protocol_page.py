"""The vectors that docs/PROTOCOL.md prints, and the conversation with its frames."""

import json
import re
from typing import Any

from daemon import ROOT

PAGE = (ROOT / "docs" / "PROTOCOL.md").read_text()


def vectors() -> list[tuple[int, str, Any, str]]:
    """[(number, what, of what, value), …]"""
    block = PAGE.split("### Vectors", 1)[1].split("\n## ", 1)[0]
    lines = [line[4:] for line in block.split("\n") if line.startswith("    ")]
    joined = re.sub(r"\n {2,}(?=\D)(?! *\d+  \w)", "", "\n".join(lines))
    found = []
    for line in joined.split("\n"):
        if match := re.fullmatch(r" *(\d+)  (\w+) +(.*) = ([0-9a-f]{16})", line):
            found.append((int(match[1]), match[2], json.loads(match[3]), match[4]))
    return found


def conversation() -> list[tuple[str, bool, list[str]]]:
    """[(socket, whether it is sent, [frame, …]), …]"""
    part = PAGE.split("### A conversation", 1)[1].split("\n### ", 1)[0]
    found: list[tuple[str, bool, list[str]]] = []
    socket = ""
    for line in part.split("\n"):
        if not line.startswith("    ") or "subscribes" in line:
            continue
        if start := re.match(r"    (DEALER|SUB   |      ) ([→←]) (.*)", line):
            socket = start[1].strip() or socket
            sent = start[2] == "→"
            if start[1].strip():
                found.append((socket, sent, []))
            found[-1][2].append(start[3])
        else:
            found[-1][2][-1] += line.strip()
    return found


def parts(socket: str, sent: bool) -> list[Any]:
    """The bodies of what the conversation sends or receives by this socket, in order."""
    return [json.loads(frames[-1]) for where, direction, frames in conversation()
            if where == socket and direction == sent]
