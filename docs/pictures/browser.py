#!/usr/bin/env python3
"""Makes docs/pictures/browser/*.png: nine states of a board at three sizes, cards on a wall, a board in Arabic, and an
allergy in every state of its row, and the history of a row in each language, by the real programs.

    .venv/bin/python docs/pictures/browser.py [STATE…]

It needs Playwright and chromium, and the gateway (`make serve`). Ages depend on when a row was made, so
rows are imported with the ages that they are to have; fonts and chromium may differ by a pixel.
"""

import base64
import json
import signal
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "Tests" / "ServeTests"))

from board_stage import Fingers, Stage, eventually, rows, settled, still  # noqa: E402
from test_board_stands import EYES, SCENES, Scene, as_seen, around  # noqa: E402

SIZES = {"phone": (390, 844), "tablet": (1024, 768), "wall": (1920, 1080)}
OUT = Path(__file__).resolve().parent / "browser"
AGES = [0, 3, 11, 17, 6, 9, 2, 13, 4, 1, 19, 7]


def fill(stage):
    """The kitchen of the examples, with tickets that wait for different times."""
    now = int(time.time() * 1000)
    lines = (ROOT / "examples" / "kitchen.ndjson").read_text().splitlines()
    made = []
    for line, minutes in zip(lines, AGES):
        row = json.loads(line)
        row["title"] = row["title"].replace(" 天ぷら", "")
        row["createdMs"] = now - minutes * 60_000 - 20_000
        made.append(row)
    stage.fill("kitchen", rows=made)
    stage.trestle("create", "menu")
    stage.trestle("define", "menu", str(ROOT / "examples" / "menu.yaml"))
    stage.trestle("import", "menu", str(ROOT / "examples" / "menu.ndjson"))


def send(page, command):
    page.evaluate("async c => { const r = await trestle.board.follow.send(c); "
                  "await trestle.board.shown(r.revision); }", command)


def plain(stage, page):
    return page


def actions(stage, page):
    send(page, {"swipe": {"row": "1041-g", "edge": "trailing"}})


def full_swipe(stage, page):
    one = rows(page)["1042-g"]
    box = page.locator('.row[data-row="1042-g"]').bounding_box()
    fingers = Fingers(page)
    right = box["x"] + box["width"] - 30
    fingers.way(right, one["top"] + 40, -box["width"] * 0.72, 0, steps=20)
    settled(page, "trestle.board.viewOf('1042-g').swipe.armed")
    return fingers


def drag(stage, page):
    one = rows(page)["1041-g"]
    box = page.locator('.row[data-row="1041-g"]').bounding_box()
    fingers = Fingers(page)
    x, y = box["x"] + 150, one["top"] + 38
    fingers.press(x, y)
    settled(page, "document.querySelector('.floating')")
    fingers.way(x, y, 26, 210, steps=12)
    time.sleep(0.5)
    return fingers


def opened(stage, page):
    send(page, {"expand": {"row": "1044-g", "to": "expanded"}})


def edit(stage, page):
    page.evaluate("trestle.board.edit(true)")


def menu(stage, page):
    page.locator('.row[data-row="1041-g"] .more').tap()
    settled(page, "document.querySelector('dialog[open]')")


def form(stage, page):
    page.locator('.row[data-row="1042-g"]').focus()
    page.keyboard.press("e")
    page.locator("dialog textarea").fill("ALLERGY: dairy and nuts")
    stage.trestle("set", "kitchen", "1042-g", "--field", "note=ALLERGY: dairy, fish", "--as", "Ana")
    settled(page, "document.querySelector('dialog .other:not([hidden])')")


def stale(stage, page):
    stage.daemon.process.send_signal(signal.SIGSTOP)
    settled(page, "document.querySelector('#freshness').dataset.state === 'stale'", 30)


def screen(stage, page):
    page.get_by_role("button", name="More", exact=True).tap()
    page.get_by_role("button", name="This screen").tap()
    settled(page, "document.querySelector('dialog[open] select')")


def cards(stage, contexts):
    """24 tickets of twelve orders at a wall of 1080p. One ticket of each first order is at another station."""
    now = int(time.time() * 1000)
    dishes = ("ribeye", "fries", "Caesar", "burger", "salmon", "risotto", "soup", "pork ribs")
    kinds = stage.daemon.directory / "evening.json"
    kinds.write_text(json.dumps({"kinds": {"ticket": {
        "height": 60, "states": ["collapsed", "expanded"], "ages": {"warn": 600, "late": 900},
        "show": {"line": ["table {table}", '{count(group where section == "pass")} of {count(group)} ready', "order {order}"],
                 "group": "order"}}}}))
    stations = ("grill", "fry", "cold", "pass")
    tickets = []
    for n in range(24):
        station, at = n // 6, n % 6
        # The last ticket of a station belongs to the first order of the next one.
        order = 1040 + (station + 1) % 4 * 3 if at == 5 else 1040 + station * 3 + (0, 0, 1, 2, 2)[at]
        tickets.append({
            "id": f"t{n}", "kind": "ticket", "section": stations[station], "title": f"{n % 3 + 1} × {dishes[n * 5 % 8]}",
            "fields": {"table": str(order * 7 % 30 + 1), "order": str(order)}, "createdMs": now - AGES[order % 12] * 60_000 - 20_000})
    stage.fill("evening", kinds=kinds, rows=tickets)
    page = stage.open("/board/evening?kiosk=1&distance=wall", context=contexts["wall", False])
    still(page)
    page.screenshot(path=OUT / "cards-wall.png")
    shrink(OUT / "cards-wall.png")
    page.close()


def arabic(stage, contexts):
    """The kitchen as a screen shows it whose browser is set to Arabic."""
    page = stage.open("/board/kitchen?lang=ar", context=contexts["tablet", False])
    page.evaluate("trestle.board.actions.undoable('Bump', '2 × fries')")
    still(page)
    page.screenshot(path=OUT / "arabic-tablet.png")
    shrink(OUT / "arabic-tablet.png")
    page.close()


def languages(stage, contexts):
    """The history of a row on a phone, in each language: names, plurals, times and sentences."""
    for change in ({"claim": {"rows": ["1041-g"]}}, {"unclaim": {"rows": ["1041-g"]}},
                   {"set": {"row": "1041-g", "fields": {"table": "21"}}}, {"move": {"rows": ["1041-g"], "section": "grill", "top": True}}):
        page = stage.open(context=contexts["phone", False])
        send(page, change)
        page.close()
    for language in sorted(one.stem for one in (ROOT / "web" / "languages").glob("*.json")):
        page = stage.open(f"/board/kitchen?lang={language}", context=contexts["phone", False])
        page.evaluate("void trestle.board.actions.history(trestle.board.table.row('1041-g'))")
        settled(page, "document.querySelectorAll('dialog:not(.rising) .choice').length >= 4")
        still(page)
        page.screenshot(path=OUT / f"language-{language}.png")
        shrink(OUT / f"language-{language}.png")
        page.close()


def allergy():
    """A line for each state, a column for each kind of eyes."""
    with Stage() as stage:
        lines = []
        for name in SCENES:
            with Scene(stage, name) as page:
                clip = around(page)
                seen = [base64.b64encode(as_seen(page, clip, eyes)).decode() for eyes in EYES]
            lines.append(f"<tr><th>{name}</th>" + "".join(
                f'<td><img src="data:image/png;base64,{one}"></td>' for one in seen) + "</tr>")
        page = stage.browser.new_page(viewport={"width": 1240, "height": 800})
        page.set_content("<style>body { margin: 4px; font: 12px sans-serif; } th { text-align: left; width: 100px; }"
                         "td { background: #888; padding: 1px; } img { display: block; width: 216px; }</style><table><tr>"
                         f"<th></th>{''.join(f'<th>{one}</th>' for one in EYES)}</tr>{''.join(lines)}</table>")
        page.screenshot(path=OUT / "allergy.png", full_page=True)
    shrink(OUT / "allergy.png")


STATES = {"board": plain, "actions": actions, "full-swipe": full_swipe, "drag": drag, "open": opened,
          "edit": edit, "menu": menu, "screen": screen, "form": form, "stale": stale}
#: States that are shown at some sizes only.
SHOWN = {"form": ["phone"]}


def shrink(path):
    """Few colours are enough: a quarter of the bytes."""
    try:
        from PIL import Image
    except ImportError:
        return
    Image.open(path).convert("RGB").quantize(128, dither=Image.Dither.NONE).save(path, optimize=True)


def picture(stage, contexts, state, size):
    dark = state in ("actions", "open") and size != "phone" or state == "drag" and size == "phone"
    page = stage.open(context=contexts[size, dark])
    still(page)
    fingers = STATES[state](stage, page)
    if state != "stale":
        still(page)
    time.sleep(0.3)
    path = OUT / f"{state}-{size}.png"
    page.screenshot(path=path)
    shrink(path)
    if state == "stale":
        stage.daemon.process.send_signal(signal.SIGCONT)
        settled(page, "document.querySelector('#freshness').dataset.state === 'live'", 60)
    if isinstance(fingers, Fingers):
        page.keyboard.press("Escape")
        fingers.lift()
    if state in ("menu", "screen", "form"):
        page.keyboard.press("Escape")
    page.evaluate("trestle.board.edit(false)")
    send(page, {"expand": {"row": "1044-g", "to": "collapsed"}})
    send(page, {"swipe": {"row": "1041-g", "edge": "closed"}})
    eventually(lambda: page.evaluate("!document.querySelector('.floating')"), 10)
    page.close()


def main(names):
    OUT.mkdir(exist_ok=True)
    if not names or "allergy" in names:
        allergy()
    if names == ["allergy"]:
        return
    with Stage(boards=()) as stage:
        fill(stage)
        contexts = {}
        for size, (width, height) in SIZES.items():
            for dark in (False, True):
                contexts[size, dark] = stage.context(
                    viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light")
        if not names or "cards" in names:
            cards(stage, contexts)
        if not names or "arabic" in names:
            arabic(stage, contexts)
        if not names or "languages" in names:
            languages(stage, contexts)
        for state in [one for one in names or STATES if one not in ("cards", "arabic", "allergy", "languages")]:
            for size in SHOWN.get(state, SIZES):
                picture(stage, contexts, state, size)
                print(state, size, (OUT / f"{state}-{size}.png").stat().st_size)


if __name__ == "__main__":
    main(sys.argv[1:])
