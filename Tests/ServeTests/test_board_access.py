"""Everybody can work with it: axe finds nothing, keys alone and single taps alone do everything."""

import json

import pytest
from axe_playwright_python.sync_playwright import Axe
from board_stage import LANGUAGES, PHONE, Stage, calm, full, rows, settled, still, words

RULES = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]},
         "resultTypes": ["violations"]}


@pytest.fixture(scope="module")
def stage():
    with Stage(boards=("kitchen",)) as made:
        made.trestle("create", "menu")
        made.trestle("define", "menu", "examples/menu.yaml")
        made.trestle("import", "menu", "examples/menu.ndjson")
        made.trestle("create", "empty")
        yield made


#: What is read or told, without what the page does not show.
READ = """() => [document.body.textContent, ...[...document.querySelectorAll('[aria-label]')].map((one) => one.ariaLabel)].join(' ')"""


def axe(page, state):
    still(page)
    assert "\\u" not in page.evaluate(READ), f"{state}: a mark of direction is spelled out"
    found = Axe().run(page, options=RULES).response["violations"]
    assert found == [], state + ": " + json.dumps(
        [{"id": one["id"], "nodes": [node["html"][:200] + " " + node["failureSummary"] for node in one["nodes"][:3]]}
         for one in found], indent=1)


#: Of each text and mark of a row: what it is, and how well it is read on what the row is drawn on.
CONTRASTS = """id => { const slide = document.querySelector(`.row[data-row="${id}"] .slide`);
    const light = (css) => { const c = new OffscreenCanvas(1, 1).getContext('2d'); c.fillStyle = css; c.fillRect(0, 0, 1, 1);
        const [r, g, b] = [...c.getImageData(0, 0, 1, 1).data].map((v) => v / 255)
            .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05; };
    const paper = light(getComputedStyle(slide).backgroundColor);
    const own = [...slide.querySelectorAll('.words > :not(.pill)'), ...slide.querySelectorAll('.more, .chevron')];
    return own.filter((one) => !one.hidden).map((one) => { const ink = light(getComputedStyle(one).color);
        return [one.className, Math.max(ink, paper) / Math.min(ink, paper)]; }); }"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_row_with_a_colour_is_read_in_every_state(stage, scheme):
    """Late, failed, held by others, its marks: on a dark ground and on a light one."""
    grounds, board = ("#8a1c14", "#fff3cd", "#ffffff", "#000000"), f"colours-{scheme}"
    kinds = {f"k{n}": {"height": 76, "states": ["collapsed", "expanded"], "ages": {"warn": 0, "late": late},
                       "appearance": {"collapsed": {"background": one}},
                       "trailing": {"actions": [{"id": "page", "title": "Page", "effect": {"invoke": {"deadline": 1}}}]}}
             for n, (one, late) in enumerate((one, late) for one in grounds for late in (0, 9000))}
    file = stage.daemon.directory / f"{board}.json"
    file.write_text(json.dumps({"kinds": kinds}))
    stage.fill(board, kinds=file, rows=[{"id": one, "kind": one, "title": one, "section": "x"} for one in kinds])
    page = stage.open(f"/board/{board}", context=stage.context(color_scheme=scheme))
    for one in kinds:
        stage.trestle("act", board, one, "page")
    settled(page, "document.querySelectorAll('.detail.failed').length === 8")
    lease = stage.trestle("-o", "name", "drag", board, "lift", "k0", "--as", "Ana").strip()
    settled(page, "document.querySelector('.row.theirs')")
    names = set()
    for one in kinds:
        for name, ratio in page.evaluate(CONTRASTS, one):
            names |= set(name.split())
            assert ratio >= (3 if name in ("more", "chevron") else 4.5), (one, kinds[one]["appearance"], name, ratio)
    assert {"late", "warn", "failed", "title", "more", "chevron"} <= names
    stage.trestle("drag", board, "cancel", lease, "--as", "Ana")
    settled(page, "!document.querySelector('.row.theirs')")
    # The system's colours become others while the page is open.
    page.emulate_media(color_scheme="dark" if scheme == "light" else "light")
    settled(page, f"""{json.dumps(list(kinds))}.every(id => ({CONTRASTS})(id).every(([name, ratio]) =>
        ratio >= (['more', 'chevron'].includes(name) ? 3 : 4.5)))""")


def test_a_phone_has_room_for_the_name_of_the_board(stage):
    """Also where many look at the board, and in edit mode."""
    page = stage.open(context=stage.context())
    for _ in range(4):
        stage.open(context=stage.context())
    settled(page, "document.querySelector('.viewer.count')?.textContent === '4'")
    for width in (390, 360, 320):
        page.set_viewport_size({"width": width, "height": 800})
        for editing in (False, True):
            page.evaluate(f"trestle.board.edit({str(editing).lower()})")
            room = page.evaluate("(h => [h.clientWidth, h.scrollWidth])(document.querySelector('.head h1'))")
            assert room[0] >= room[1] > 40, (width, editing, room)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.evaluate("trestle.board.edit(false)")


def send(page, command):
    page.evaluate("async c => { const r = await trestle.board.follow.send(c); await trestle.board.shown(r.revision); }", command)


@pytest.mark.bound(240, 600)
@pytest.mark.bound(120, 400)
@pytest.mark.parametrize("scheme, language", full([(scheme, language) for scheme in ("light", "dark") for language in LANGUAGES],
                                                  [("light", "en"), ("dark", "ar")]))
def test_axe_in_every_state(stage, scheme, language):
    context = stage.context(color_scheme=scheme, locale=language)
    page = stage.open(context=context)
    said = words(language)
    assert page.evaluate("document.documentElement.lang") == language
    page.keyboard.press("Tab")
    axe(page, "as it is")
    send(page, {"swipe": {"row": "1041-g", "edge": "trailing"}})
    axe(page, "trailing open")
    send(page, {"swipe": {"row": "1039-p", "edge": "leading"}})
    send(page, {"expand": {"row": "1042-g", "to": "expanded"}})
    axe(page, "leading open, a row expanded")
    page.locator(".more:visible").nth(1).tap()
    settled(page, "document.querySelector('dialog[open]')")
    axe(page, "a row's menu")
    page.keyboard.press("Escape")
    page.get_by_role("button", name=said["more"], exact=True).tap()
    axe(page, "the board's menu")
    page.keyboard.press("Escape")
    page.evaluate("trestle.board.news('Something was refused.', {kind: 'refused'})")
    axe(page, "a refusal")
    page.evaluate("trestle.board.actions.undoable('bumped', 'a row')")
    axe(page, "the undo bar")
    page.evaluate("trestle.board.edit(true)")
    axe(page, "edit mode")
    page.evaluate("trestle.board.edit(false)")
    send(page, {"edit": {"on": True}})
    axe(page, "edit mode of everybody")
    send(page, {"edit": {"on": False}})
    page.evaluate("trestle.board.actions.recallList()")
    settled(page, "document.querySelector('dialog[open]')")
    axe(page, "bring back")
    page.keyboard.press("Escape")
    send(page, {"pause": {"section": "grill", "note": "no gas"}})
    send(page, {"snooze": {"rows": ["1041-g"], "forMs": 600_000}})
    axe(page, "paused, and a row that sleeps")
    send(page, {"pause": {"resume": True}})
    send(page, {"snooze": {"rows": ["1041-g"]}})
    page.evaluate("document.querySelector('.row[data-row=\"1041-g\"]')?.focus()")
    page.keyboard.press("v")
    settled(page, "trestle.board.marks.size === 1")
    axe(page, "a row that is marked")
    page.keyboard.press("Escape")
    page.evaluate("void trestle.board.totals.open()")
    settled(page, "document.querySelector('dialog[open], .totals')")
    axe(page, "totals")
    page.keyboard.press("Escape")
    for address in ("/board/menu", "/board/empty", "/board/nowhere", "/"):
        page.goto(stage.gateway.origin + address)
        page.wait_for_selector(".row, .blank h2, .tables a")
        axe(page, address)
    stranger = stage.context(paired=False, color_scheme=scheme).new_page()
    stranger.goto(stage.gateway.origin + "/pair")
    stranger.wait_for_selector("input")
    assert Axe().run(stranger, options=RULES).response["violations"] == []


def test_targets_are_large(stage):
    """What is tapped is at least 44 points in both directions; in lower rows as high as the row."""
    page = stage.open(context=stage.context(viewport={"width": 320, "height": 640}))
    send(page, {"swipe": {"row": "1041-g", "edge": "trailing"}})
    still(page)
    small = page.evaluate("""() => [...document.querySelectorAll('button, a, input')]
        .map(e => [e, e.getBoundingClientRect()]).filter(([e, b]) => b.width > 0 && b.bottom > 0 && b.top < innerHeight)
        .map(([e, b]) => [e.className + ' ' + (e.ariaLabel ?? e.textContent), b.width, b.height,
                          e.closest('.row')?.getBoundingClientRect().height ?? 44])
        .filter(([, width, height, row]) => width < 44 || height < Math.min(44, row))""")
    assert small == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    send(page, {"swipe": {"row": "1041-g", "edge": "closed"}})


def test_a_shift_by_keys(stage):
    """Go, open, act, undo, expand, menu, edit, add: without a finger."""
    page = stage.open(context=stage.context(has_touch=False))
    press = page.keyboard.press
    send(page, {"edit": {"on": False}})
    send(page, {"expand": {"row": "1042-g", "to": "collapsed"}})
    page.evaluate("document.body.focus()")
    press("j")
    settled(page, "document.activeElement.classList.contains('row')")
    for _ in range(20):
        if page.evaluate("document.activeElement.dataset.row") == "1042-g":
            break
        press("j")
    press(" ")
    settled(page, "trestle.board.table.row('1042-g').expand === 'summary'")
    press("ArrowLeft")
    settled(page, "trestle.board.table.row('1042-g').swipe === 'trailing'")
    still(page)
    press("ArrowLeft")
    settled(page, "document.activeElement.classList.contains('action')")
    settled(page, "document.activeElement.ariaLabel === 'Bump'")
    press("Enter")
    settled(page, "trestle.board.table.sectionOf('1042-g') === 'pass'")
    settled(page, "document.querySelector('[role=status].unseen').textContent.length > 0")
    press("u")
    settled(page, "trestle.board.table.sectionOf('1042-g') === 'grill'")
    press("E")
    settled(page, "trestle.board.isEditing && document.querySelector('.control')")
    press("E")
    settled(page, "!trestle.board.isEditing && !document.querySelector('.control')")
    press("a")
    settled(page, "document.querySelector('dialog input')")
    page.keyboard.type("By keys")
    press("Enter")
    settled(page, "[...trestle.board.table.entries.values()].some(e => e.row.title === 'By keys')")
    settled(page, "document.activeElement.view?.row.title === 'By keys'")
    press(".")
    settled(page, "document.querySelector('dialog[open]')")
    press("Escape")
    settled(page, "!document.querySelector('dialog')")
    press("r")
    settled(page, "document.querySelector('dialog[open] .inside')")
    press("Escape")


def test_single_taps_do_everything(stage):
    """No swipe and no drag: act, confirm, expand, claim, bring back, edit and delete by taps."""
    page = stage.open(context=stage.context(viewport=PHONE))
    send(page, {"edit": {"on": False}})
    more = '.row[data-row="1043-f"] .more'
    page.locator(more).tap()
    page.locator("dialog").get_by_role("button", name="Void").tap()
    page.locator("dialog").get_by_role("button", name="Cancel").tap()
    assert page.evaluate("Boolean(trestle.board.table.row('1043-f'))")
    page.locator(more).tap()
    page.locator("dialog").get_by_role("button", name="Void").tap()
    page.locator("dialog .answer.destructive").tap()
    settled(page, "!trestle.board.table.row('1043-f')")
    page.get_by_role("button", name="More", exact=True).tap()
    page.locator("dialog").get_by_role("button", name="Bring back").tap()
    page.locator("dialog .choice").first.tap()
    settled(page, "trestle.board.table.row('1043-f')")
    calm(page)
    page.locator(more).tap()
    page.locator("dialog").get_by_role("button", name="I work on it").tap()
    settled(page, "trestle.board.table.row('1043-f').claim")
    page.get_by_role("button", name="Edit", exact=True).tap()
    settled(page, "document.querySelector('.control')")
    calm(page)
    page.locator('.row[data-row="1043-f"] .control').tap()
    page.locator("dialog .answer.destructive").tap()
    settled(page, "!trestle.board.table.row('1043-f')")
    page.get_by_role("button", name="Done", exact=True).tap()
    settled(page, "!trestle.board.isEditing")


def test_wet_hands(stage):
    """A tap opens a row's actions; a second one performs."""
    page = stage.open("/board/kitchen?wet=1", context=stage.context())
    send(page, {"edit": {"on": False}})
    page.locator('.row[data-row="1041-f"] .slide').tap(position={"x": 100, "y": 30})
    settled(page, "trestle.board.table.row('1041-f').swipe === 'trailing'")
    still(page)
    page.locator('.row[data-row="1041-f"]').get_by_role("button", name="Bump").tap()
    settled(page, "trestle.board.table.sectionOf('1041-f') === 'pass'")


def test_the_tree_is_a_list(stage):
    """To a screen reader each section is a list with its name, and its rows are items of it."""
    page = stage.open(context=stage.context())
    tree = page.locator("main").aria_snapshot()
    assert '- list "grill"' in tree and '- listitem "' in tree, tree
    assert rows(page)


def test_less_motion(stage):
    page = stage.open(context=stage.context(reduced_motion="reduce"))
    send(page, {"edit": {"on": False}})
    send(page, {"swipe": {"row": "1044-g", "edge": "trailing"}})
    settled(page, "trestle.board.viewOf('1044-g').swipe.pull > 100")
    send(page, {"swipe": {"row": "1044-g", "edge": "closed"}})
