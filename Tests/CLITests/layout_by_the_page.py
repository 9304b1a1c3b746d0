"""docs/LAYOUT.md in Python, for titles in ASCII. It is written from the page alone, to test that the
page says enough."""

import math
import pathlib
import re

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/LAYOUT.md"
ADVANCES = {}
for line in PAGE.read_text().splitlines():
    if line.startswith("| U+00"):
        first, *cells = [cell.strip() for cell in line.strip("|").split("|")]
        for column, cell in enumerate(cells):
            if cell != "–":
                ADVANCES[chr(int(first[2:], 16) + column)] = int(cell)
LINE = 20


def text_width(text, profile):
    if profile == "cell":
        return len(text) * 10.0
    return sum(ADVANCES[c] for c in text) * 15 / 1000


def wrap(text, width, profile):
    lines, line, blanks = [], "", ""
    for word in re.findall(r" +|[^ ]+", text):
        if word.startswith(" "):
            blanks = word
            continue
        if text_width(line + blanks + word, profile) <= width:
            line += blanks + word
        else:
            if line:
                lines.append(line)
            line = ""
            if text_width(word, profile) <= width:
                line = word
            else:
                for c in word:
                    if line and text_width(line + c, profile) > width:
                        lines.append(line)
                        line = ""
                    line += c
        blanks = ""
    return lines + [line]


def height(row, kind, width, profile):
    """In whole units of 1/1024 point."""
    points = raw_height(row, kind, width, profile)
    points = min(points, 1_000_000) if points > 0 else 1
    return max(1, math.floor(points * 1024 + 0.5)) / 1024


def raw_height(row, kind, width, profile):
    state = row["expand"]
    if state == "collapsed":
        return kind["height"]
    if state != "expanded":
        return next((s["height"] for s in kind["states"] if isinstance(s, dict) and s["name"] == state),
                    None) or float(state)
    margins = kind["margins"]
    room = max(0, width - 2 * margins["text"])
    lines = sum(len(wrap(f"{key}: {value}", room, profile)) for key, value in row["fields"].items())
    if row["title"] or kind["layout"] == "auto":
        lines += len(wrap(row["title"], room, profile))
    bottom = max(0, (kind["height"] - LINE) / 2) + lines * LINE if lines else 0
    return bottom + margins["bottom"]


def look(action, group, profile):
    def first(key, built_in):
        return action.get(key, group.get(key, built_in))
    width = first("width", 74)
    if width == "intrinsic":
        width = 30 + text_width(action["title"], profile)
    elif width <= 0:
        width = 74
    return first("style", "default"), width, max(first("spacing", 0), 0), first("insets", [0, 0, 0, 0])


def face(action, group, edge, hit, scale, way, profile):
    style, w, s, (top, left, bottom, right) = look(action, group, profile)
    x, _, wide, H = hit
    named = []
    pull, rest, container = way

    def moved(points):
        end = container - 0.5
        start = min(rest, end - points)
        return min(max((pull - start) / (end - start), 0), 1) if start < end else 1

    def place(room, spacing):
        return x + (room * (1 - moved(room)) if edge == "leading" else spacing * moved(spacing))
    compatible = group.get("compatible", False) and style != "default"
    if compatible:
        scale = 1
    if style == "default":
        return [place(s * scale, s * scale), 0, max(0, wide - s * scale), H], 0, named
    if style == "circular":
        if compatible:
            return [place(s, s), H / 2 - (w + s) / 2 + s / 2, w, w], w / 2, named
        if H < w:
            named.append("diameter")
        d = min(w * scale, H)
        return [place((w + s) * scale - d, s * scale), (H - d) / 2, d, d], d / 2, named
    if w - left - right < 0:
        named.append("width")
    if H - top - bottom <= 0:
        named.append("height")
    start = x + left if compatible else place(s * scale, s * scale) + min(left, w) * scale
    fits = H - top - bottom > 0
    return [start, top if fits or compatible else 0,
            max(0, w - left - right) * scale, H - top - bottom if fits else H], 0, named


def swipe(group, edge, H, pull, container, profile):
    actions = group["actions"]
    buttons = [sum(look(action, group, profile)[1:3]) for action in actions]
    rest = sum(buttons)
    pull = rest if pull is None else pull
    revealed = abs(pull - container) < 0.5
    scale = pull / rest if pull < rest else 1
    found, before = [], 0
    for action, button in zip(actions, buttons):
        from_edge, to_edge = pull * (before / rest), pull * ((before + button) / rest)
        before += button
        hit = [from_edge if edge == "leading" else pull - to_edge, 0, to_edge - from_edge, H]
        frame, radius, named = face(action, group, edge, hit, scale, (pull, rest, container), profile)
        found.append({"id": action["id"], "hit": hit, "face": frame, "radius": radius,
                      "clamped": named})
    return {"edge": edge, "pull": pull, "revealed": revealed, "actions": found}


def layout(rows, kinds, width, pull, profile):
    y, found = 0, []
    for row in rows:
        kind = kinds[row["kind"]]
        H = height(row, kind, width, profile)
        frame = {"id": row["id"], "y": y, "height": H, "state": row["expand"]}
        if row["swipe"] != "closed":
            frame["swipe"] = swipe(kind[row["swipe"]], row["swipe"], H, pull, width, profile)
        found.append(frame)
        y += H
    return {"contentHeight": y, "rows": found}
