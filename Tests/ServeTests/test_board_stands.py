"""An allergy stands out in every state of its row: in the pixels, as people with other eyes see them.

`docs/pictures/browser.py allergy` makes a picture of these scenes.
"""

import base64
import json
import signal
import time

import pytest
from board_stage import ROOT, Fingers, Stage, full, no_lifts, rows, settled, still

#: As Chromium shows a page to people who see no colours, less red, less green, or less blue.
EYES = ("none", "achromatopsia", "protanopia", "deuteranopia", "tritanopia")
ROW = "1042-g"
PHONE = {"width": 390, "height": 844}
LONG = "ALLERGY: dairy, gluten, shellfish and peanuts; cook it in a clean pan, with a clean knife"

#: The box that stands out, where it is on the screen, and its letters.
BOX = """id => { const all = [...document.querySelectorAll(
        `.floating .stands, dialog[open] .stands, .row[data-row="${id}"] .stands`)];
    const one = all.find((each) => each.closest('dialog')) ?? all.find((each) => each.closest('.floating')) ?? all[0];
    if (!one) return null;
    const box = one.getBoundingClientRect(), hit = [...one.querySelectorAll('span.line')].map((each) => each.textContent);
    return {x: box.x, y: box.y, width: box.width, height: box.height, text: hit.join(' '), size:
        parseFloat(getComputedStyle(one).fontSize) * box.height / one.offsetHeight, icon: one.querySelector('svg') !== null}; }"""
WHOLE = """id => { const box = (document.querySelector('dialog[open]') ?? document.querySelector('.floating')
    ?? document.querySelector(`.row[data-row="${id}"]`)).getBoundingClientRect();
    return [box.x, box.y, box.width, box.height]; }"""
#: Of a picture, `edge` pixels of which are around the box: the ground of the box, its ink, what is around
#: it, and the contrasts.
READ = """async ([png, edge]) => {
    const image = await createImageBitmap(new Blob([Uint8Array.from(atob(png), (c) => c.charCodeAt(0))], {type: 'image/png'}));
    const {width, height} = image, pen = new OffscreenCanvas(width, height).getContext('2d');
    pen.drawImage(image, 0, 0);
    const {data} = pen.getImageData(0, 0, width, height);
    const linear = (v) => v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4;
    const light = (rgb) => 0.2126 * linear(rgb >> 16) + 0.7152 * linear(rgb >> 8 & 255) + 0.0722 * linear(rgb & 255) + 0.05;
    const ratio = (a, b) => Math.max(light(a), light(b)) / Math.min(light(a), light(b));
    const inside = new Map(), outside = new Map();
    for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) {
        const at = 4 * (y * width + x), rgb = data[at] << 16 | data[at + 1] << 8 | data[at + 2];
        const far = Math.min(x, y, width - 1 - x, height - 1 - y);
        if (far >= edge + 2) inside.set(rgb, (inside.get(rgb) ?? 0) + 1);
        else if (far < edge - 1) outside.set(rgb, (outside.get(rgb) ?? 0) + 1);
    }
    // A line within the box's edge, which may lie between two pixels.
    const rings = [new Map(), new Map(), new Map()];
    for (let y = edge; y < height - edge; y++) for (let x = edge; x < width - edge; x++) {
        const at = 4 * (y * width + x), far = Math.min(x, y, width - 1 - x, height - 1 - y) - edge;
        const rgb = data[at] << 16 | data[at + 1] << 8 | data[at + 2];
        if (far < 3) rings[far].set(rgb, (rings[far].get(rgb) ?? 0) + 1);
    }
    const most = (counts) => [...counts].sort(([, a], [, b]) => b - a)[0][0];
    const ground = most(inside), around = most(outside);
    // Edges of letters are of many colours: the ink is the one that differs most, of those that are there more than now and then.
    const ink = [...inside].filter(([, count]) => count >= 6).map(([rgb]) => rgb)
        .sort((a, b) => ratio(b, ground) - ratio(a, ground))[0];
    return {ground, ink, around, text: ratio(ink, ground),
        box: Math.max(...[ground, ...rings.map(most)].map((rgb) => ratio(rgb, around)))}; }"""


def send(page, command):
    page.evaluate("async c => { const r = await trestle.board.follow.send(c); await trestle.board.shown(r.revision); }", command)


def closed(stage, page):
    pass


def summary(stage, page):
    send(page, {"expand": {"row": ROW, "to": "summary"}})


def opened(stage, page):
    send(page, {"expand": {"row": ROW, "to": "expanded"}})


def long(stage, page):
    stage.trestle("set", "kitchen", ROW, "--field", f"note={LONG}")
    settled(page, f"document.querySelectorAll('.row[data-row=\"{ROW}\"] span.line').length > 2")


def selected(stage, page):
    page.evaluate(f"trestle.board.keys.focusOn('{ROW}', true)")


def chosen(stage, page):
    page.evaluate(f"trestle.board.viewOf('{ROW}').element.classList.add('chosen')")


def swiped_left(stage, page):
    send(page, {"swipe": {"row": ROW, "edge": "trailing"}})


def swiped_right(stage, page):
    send(page, {"swipe": {"row": ROW, "edge": "leading"}})


def armed(stage, page):
    no_lifts(page)
    box = page.locator(f'.row[data-row="{ROW}"]').bounding_box()
    fingers = Fingers(page)
    fingers.way(box["x"] + box["width"] - 30, box["y"] + 20, -box["width"] * 0.72, 0, steps=20)
    settled(page, f"trestle.board.viewOf('{ROW}').swipe.armed")
    return fingers


def confirmed(stage, page):
    swiped_left(stage, page)
    still(page)
    page.evaluate(f"void trestle.board.actions.press(trestle.board.viewOf('{ROW}'), 'void', 'trailing')")
    settled(page, "document.querySelector('dialog[open]')")


def menu(stage, page):
    page.locator(f'.row[data-row="{ROW}"] .more').tap()
    settled(page, "document.querySelector('dialog[open]')")


def dragged(stage, page):
    box = page.locator(f'.row[data-row="{ROW}"]').bounding_box()
    fingers = Fingers(page)
    fingers.press(box["x"] + 150, box["y"] + 20)
    settled(page, "document.querySelector('.floating')")
    fingers.way(box["x"] + 150, box["y"] + 20, 10, 130, steps=12)
    time.sleep(0.5)
    return fingers


def lifted(stage, page):
    selected(stage, page)
    page.keyboard.press("m")
    settled(page, "document.querySelector('.row.lifted')")
    return lambda: page.keyboard.press("Escape")


def held_by_another(stage, page):
    lease = stage.trestle("-o", "name", "drag", "kitchen", "lift", ROW, "--as", "Ana").strip()
    settled(page, "document.querySelector('.row.theirs')")
    return lambda: stage.trestle("drag", "kitchen", "cancel", lease, "--as", "Ana")


def claimed(stage, page):
    stage.trestle("claim", "kitchen", ROW, "--note", "with the other pan", "--as", "Ana")
    settled(page, f"trestle.board.table.row('{ROW}').claim")
    return lambda: stage.trestle("unclaim", "kitchen", ROW, "--as", "Ana")


def under_way(stage, page):
    page.evaluate(f"trestle.board.viewOf('{ROW}').element.classList.add('busy')")


def coloured(stage, page):
    """The row has the colour of the box as its own."""
    kinds = stage.daemon.directory / "coloured.yaml"
    kinds.write_text('kinds: {ticket: {show: {line: ["table {table}", "{note}"], color: tint}}}\n')
    stage.trestle("define", "kitchen", str(kinds))
    stage.trestle("set", "kitchen", ROW, "--field", "tint=#b00020")
    settled(page, f"trestle.board.viewOf('{ROW}').slide.style.background === 'rgb(176, 0, 32)'")

    def back():
        stage.trestle("set", "kitchen", ROW, "--unset", "tint")
        stage.trestle("define", "kitchen", str(ROOT / "examples" / "kitchen.yaml"))
    return back


def edited(stage, page):
    page.evaluate("trestle.board.edit(true)")


def stale(stage, page):
    stage.daemon.process.send_signal(signal.SIGSTOP)
    try:
        settled(page, "document.querySelector('#freshness').dataset.state === 'stale'", 40)
    except BaseException:
        stage.daemon.process.send_signal(signal.SIGCONT)
        raise
    return lambda: stage.daemon.process.send_signal(signal.SIGCONT)


#: What is done, and how the page is opened.
SCENES = {
    "closed": (closed, {}),
    "dark": (closed, {"color_scheme": "dark"}),
    "a named state": (summary, {}),
    "open": (opened, {}),
    "cut": (long, {"viewport": {"width": 320, "height": 844}}),
    "selected": (selected, {}),
    "chosen": (chosen, {}),
    "swiped left": (swiped_left, {}),
    "swiped right": (swiped_right, {}),
    "a full swipe": (armed, {}),
    "confirmed": (confirmed, {}),
    "its menu": (menu, {}),
    "dragged": (dragged, {}),
    "lifted by keys": (lifted, {}),
    "held by another": (held_by_another, {}),
    "claimed": (claimed, {}),
    "under way": (under_way, {}),
    "a colour of its own": (coloured, {}),
    "edit mode": (edited, {}),
    "stale": (stale, {}),
    "stale, dark": (stale, {"color_scheme": "dark"}),
    "forced colours": (closed, {"forced_colors": "active"}),
    "75 %": (closed, {"query": "?scale=75"}),
    "300 %": (closed, {"query": "?scale=300"}),
    "a card": (closed, {"query": "?view=cards"}),
    "a wall": (closed, {"query": "?kiosk=1&distance=wall", "viewport": {"width": 1920, "height": 1080}}),
}
#: Those in which the page draws it in ways of its own. FULL=1: all.
SOME = ["dark", "cut", "swiped left", "a colour of its own", "confirmed", "dragged", "stale, dark", "forced colours", "300 %", "a wall"]


def around(page, edge=None):
    """The box and `edge` pixels around it, or else its row or sheet as far as it is seen."""
    box = page.evaluate(BOX, ROW)
    if edge is not None:
        return {"x": round(box["x"]) - edge, "y": round(box["y"]) - edge,
                "width": round(box["width"]) + 2 * edge, "height": round(box["height"]) + 2 * edge}
    x, y, width, height = page.evaluate(WHOLE, ROW)
    return {"x": max(0, x), "y": max(0, y), "width": min(width, 390), "height": min(height, 230)}


def as_seen(page, clip, eyes):
    """Those pixels as those eyes see them."""
    wire = page.context.new_cdp_session(page)
    wire.send("Emulation.setEmulatedVisionDeficiency", {"type": eyes})
    try:
        return page.screenshot(clip=clip)
    finally:
        wire.send("Emulation.setEmulatedVisionDeficiency", {"type": "none"})
        wire.detach()


class Scene:
    """A page in a state; afterwards the board is as it was."""

    def __init__(self, stage, name):
        self.stage, (self.act, more) = stage, SCENES[name]
        more = dict(more)
        self.address = "/board/kitchen" + more.pop("query", "")
        self.context = stage.context(**{"viewport": PHONE, "color_scheme": "light"} | more)

    def __enter__(self):
        self.page = self.stage.open(self.address, context=self.context)
        still(self.page)
        self.after = self.act(self.stage, self.page)
        if self.act is not stale:
            still(self.page)
        time.sleep(0.3)
        return self.page

    def __exit__(self, *_):
        if isinstance(self.after, Fingers):
            self.page.keyboard.press("Escape")
            self.after.lift()
        elif self.after:
            self.after()
        self.context.close()
        self.stage.contexts.remove(self.context)
        self.stage.trestle("swipe", "kitchen", ROW, "--close")
        self.stage.trestle("expand", "kitchen", ROW, "--to", "collapsed")
        self.stage.trestle("set", "kitchen", ROW, "--field", "note=ALLERGY: dairy")


@pytest.fixture(scope="module")
def stage():
    with Stage() as made:
        yield made


#: Capitals of other scripts are wider than the layout takes a letter for.
WIDE = "ALLERGY, АЛЛЕРГИЯ: МОЛОКО, ОРЕХИ, ШАМПИНЬОНЫ, ЖЁЛТЫЙ ЩАВЕЛЬ — ÄÖÜ ÅÉ ΓΑΛΑΚΤΟΚΟΜΙΚΑ"
#: Parts of emphasised texts that their row cuts, in pixels.
CUT = """id => { const row = document.querySelector(`.row[data-row="${id}"]`), edge = row.getBoundingClientRect();
    return [...row.querySelectorAll('.stands, .whole')].map((one) => {
        const range = document.createRange(); range.selectNodeContents(one);
        const {left, right} = range.getBoundingClientRect();
        return Math.round(Math.max(edge.left - left, right - edge.right)); }).filter((over) => over > 0); }"""


@pytest.mark.parametrize("width", [260, 390])
def test_wide_letters_are_not_cut(stage, width):
    page = stage.open(context=stage.context(viewport={"width": width, "height": 844}))
    stage.trestle("set", "kitchen", ROW, "--field", f"note={WIDE}")
    try:
        settled(page, f"document.querySelectorAll('.row[data-row=\"{ROW}\"] span.line').length > 2")
        assert page.evaluate(CUT, ROW) == []
        # Open, too: the buttons have less room then.
        for edge in ("leading", "trailing"):
            send(page, {"swipe": {"row": ROW, "edge": edge}})
            settled(page, f"trestle.board.viewOf('{ROW}').swipe.pull > 0")
            still(page)
            assert page.evaluate(CUT, ROW) == []
    finally:
        stage.trestle("set", "kitchen", ROW, "--field", "note=ALLERGY: dairy")
        send(page, {"swipe": {"row": ROW}})


@pytest.mark.bound(120, 900)
@pytest.mark.parametrize("name", full(list(SCENES), SOME))
def test_an_allergy_stands_out(stage, name):
    """Its letters have a contrast of 4.5 with the box, and the box or its ring one of 3 with what is around it."""
    with Scene(stage, name) as page:
        box, page_size = page.evaluate(BOX, ROW), page.viewport_size
        assert box, "there is no box"
        assert box["text"] == (LONG if name == "cut" else "ALLERGY: dairy") and box["icon"]
        assert box["x"] >= 0 and box["x"] + box["width"] <= page_size["width"] + 0.5
        assert box["y"] >= 0 and box["y"] + box["height"] <= page_size["height"]
        seen = {eyes: as_seen(page, around(page, 4), eyes) for eyes in EYES}
        reader = stage.browser.new_page()
        found = {eyes: reader.evaluate(READ, [base64.b64encode(png).decode(), 4]) for eyes, png in seen.items()}
        reader.close()
    print(name, json.dumps({eyes: [round(one["text"], 1), round(one["box"], 1)] for eyes, one in found.items()}))
    for eyes, one in found.items():
        colours = {key: f"#{one[key]:06x}" for key in ("ground", "ink", "around")}
        assert one["text"] >= 4.5, (name, eyes, colours, one)
        assert one["box"] >= 3, (name, eyes, colours, one)
