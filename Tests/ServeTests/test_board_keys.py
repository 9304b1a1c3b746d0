"""By keys: what has the focus is seen, what is lifted is seen, and what is not shown is not done."""

import base64
import itertools

import pytest
from board_stage import OPEN, Stage, rows, settled, still, upheaval

#: Kinds whose rows have colours of their own; one has the same id at both edges, with another effect.
KINDS = """
kinds:
  plain: {height: 60}
  dark: {height: 60, appearance: {collapsed: {background: "#8a1c14"}}}
  pale: {height: 60, appearance: {collapsed: {background: "#fff3cd"}}}
  both:
    height: 60
    ages: {warn: 3600, late: 7200}
    leading:
      actions:
        - {id: bump, title: BumpL, repeat: true, effect: {set: {by: leading}}}
        - {id: assign, title: Assign, effect: {set: {by: assign}}}
        - {id: third, title: Third, effect: {set: {by: third}}}
    trailing:
      actions:
        - {id: bump, title: BumpT, repeat: true, effect: {set: {by: trailing}}}
        - {id: kill, title: Kill, effect: {set: {by: kill}}}
  adds: {height: 60, editingStyle: insert}
"""
ROWS = [{"id": id, "title": id, "kind": kind, "section": section} for id, kind, section in [
    ("plain", "plain", "one"), ("dark", "dark", "one"), ("pale", "pale", "one"), ("both", "both", "two"),
    ("adds", "adds", "two"), ("last", "plain", "three")]]

#: Of a picture: how wide it is, and the bytes of its pixels as a text, which is handed over at once.
PIXELS = """async (picture) => {
    const bytes = Uint8Array.from(atob(picture), (one) => one.charCodeAt(0));
    const drawn = await createImageBitmap(new Blob([bytes], {type: 'image/png'}));
    const context = new OffscreenCanvas(drawn.width, drawn.height).getContext('2d');
    context.drawImage(drawn, 0, 0);
    const {data} = context.getImageData(0, 0, drawn.width, drawn.height);
    const parts = [];
    for (let at = 0; at < data.length; at += 8192) parts.push(String.fromCharCode(...data.subarray(at, at + 8192)));
    return [drawn.width, parts.join('')]; }"""
FOCUSED = "document.activeElement.dataset.row"
#: Of kinds that are defined anew, so that each is another.
TURNS = itertools.count()


@pytest.fixture(scope="module")
def stage():
    with Stage(boards=("kitchen",)) as made:
        kinds = made.daemon.directory / "kinds.yaml"
        kinds.write_text(KINDS)
        made.fill("keys", kinds, ROWS)
        own = made.daemon.directory / "own.yaml"
        own.write_text(KINDS + "table: {swipeScope: viewer}\n")
        made.fill("own", own, ROWS)
        made.fill("long", kinds, [{"id": f"r{n}", "title": f"row {n}", "kind": "plain"} for n in range(1000)])
        yield made


def opened(stage, **more):
    """The board. Its clock stands still: an age that passes is drawn, too."""
    page = stage.open("/board/keys", context=stage.context(viewport={"width": 600, "height": 600}, **more))
    page.evaluate("() => { const at = trestle.board.now(); trestle.board.now = () => at; }")
    return page


@pytest.fixture
def page(stage):
    """The board, with nothing of the test before."""
    for words in (("edit", "keys", "--off"), ("swipe", "keys", "both", "--close")):
        stage.trestle(*words)
    page = opened(stage)
    yield page
    assert stage.wrong == []
    page.context.close()


def picture(page, element):
    """What is drawn where an element is: a list of lines of pixels, each a number with red in its lowest byte."""
    still(page)
    shot = page.screenshot(clip=element.bounding_box())
    width, bytes = page.evaluate(PIXELS, base64.b64encode(shot).decode())
    all = memoryview(bytes.encode("latin-1")).cast("I")
    return [all[at:at + width] for at in range(0, len(all), width)]


def contrast(one, other):
    def light(color):
        parts = [(color >> shift & 255) / 255 for shift in (0, 8, 16)]
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05

    return max(light(one), light(other)) / min(light(one), light(other))


def differences(one, other):
    """How many pixels are others. The same icon, drawn again, is so in some."""
    return sum(a != b for before, after in zip(one, other, strict=True) for a, b in zip(before, after, strict=True))


def has_ring(blurred, focused):
    """At each of the four sides something stands out from what is drawn there without the focus."""
    high, wide = len(blurred), len(blurred[0])
    down, right = high // 2, wide // 2
    sides = [[(down, x) for x in range(6)], [(down, wide - 1 - x) for x in range(6)],
             [(y, right) for y in range(6)], [(high - 1 - y, right) for y in range(6)]]
    return all(max(contrast(blurred[y][x], focused[y][x]) for y, x in side) >= 3 for side in sides)


def focus_on(page, row):
    """With `g` and `j`, as a person."""
    page.keyboard.press("g")
    for _ in range(10):
        if page.evaluate(FOCUSED) == row:
            return
        page.keyboard.press("j")
    assert page.evaluate(FOCUSED) == row


def shaken(stage, page, what):
    """The board is drawn anew as a whole, for one of the reasons that there are."""
    if what == "snapshot":
        upheaval(stage, page, what)
        return
    before = page.evaluate("trestle.board.table.revision")
    if what == "section":
        stage.trestle("section", "keys", "three", "--title", f"Three {next(TURNS)}")
    else:
        kinds = stage.daemon.directory / "more.yaml"
        kinds.write_text(f"{KINDS}  more{next(TURNS)}: {{height: 60}}\n")
        stage.trestle("define", "keys", str(kinds))
    settled(page, f"trestle.board.table.revision > {before}")


def blur(page):
    page.evaluate("document.activeElement.blur()")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_has_the_focus_looks_so(stage, scheme):
    page = opened(stage, color_scheme=scheme)
    for name in ("plain", "dark", "pale", "both"):
        focus_on(page, name)
        row = page.query_selector(f'.row[data-row="{name}"]')
        focused = picture(page, row)
        blur(page)
        blurred = picture(page, row)
        assert has_ring(blurred, focused), name
    # The same where the row is swiped open, and for the actions that it shows.
    focus_on(page, "both")
    page.keyboard.press("ArrowRight")
    settled(page, "trestle.board.viewOf('both').swipe.pull > 100")
    still(page)
    assert page.evaluate(FOCUSED) == "both"
    page.keyboard.press("ArrowRight")
    action = page.evaluate_handle("document.activeElement").as_element()
    assert "action" in action.get_attribute("class")
    focused = picture(page, action)
    blur(page)
    assert has_ring(picture(page, action), focused)
    # What goes away leaves the focus at its row.
    page.evaluate("e => e.focus()", action)
    stage.trestle("swipe", "keys", "both", "--close")
    settled(page, "!trestle.board.viewOf('both').swipe.isOpen")
    assert page.evaluate(FOCUSED) == "both"
    page.context.close()


def test_digits_do_what_is_shown(stage, page):
    focus_on(page, "both")
    page.keyboard.press("3")
    settled(page, "document.querySelector('.news')?.textContent.includes('Swipe it open first')")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("1")
    settled(page, "trestle.board.table.row('both').fields?.by === 'leading'")
    # In the row's menu the numbers are those of its lines, and it has the actions of both edges.
    for key, done in (("5", "third"), ("3", "leading"), ("1", "trailing"), ("2", "kill")):
        page.keyboard.press(".")
        settled(page, "document.querySelector('dialog[open]')")
        shown = page.locator("dialog .choice kbd").all_inner_texts()
        assert shown == ["1", "2", "3", "4", "5", "s"]
        page.keyboard.press(key)
        settled(page, f"trestle.board.table.row('both').fields.by === '{done}'")
        settled(page, "!document.querySelector('dialog')")
        assert page.evaluate(FOCUSED) == "both"


def hold(page, key, times=6):
    """As a keyboard does it: the key goes down again and again, and comes up once."""
    for _ in range(times):
        page.keyboard.down(key)
        page.wait_for_timeout(40)
    page.keyboard.up(key)


def test_a_key_that_is_held_down_is_pressed_once_unless_it_moves(stage, page):
    before = page.evaluate("trestle.board.table.revision")
    for by in ("first", "second"):
        assert page.evaluate("by => trestle.board.follow.send({set: {row: 'both', fields: {by}}}).then((reply) => reply.ok)", by)
    focus_on(page, "both")
    hold(page, "u")
    settled(page, f"trestle.board.table.revision > {before + 2} && trestle.board.follow.pending.length === 0")
    assert page.evaluate("[trestle.board.table.revision, trestle.board.table.row('both').fields.by]") == [before + 3, "first"]
    hold(page, "m")
    settled(page, "trestle.board.keys.lifted?.drag")
    hold(page, "k", 3)
    assert page.evaluate("trestle.board.keys.lifted.section") == "one"
    page.keyboard.press("Escape")
    settled(page, "!trestle.board.keys.lifted")
    assert page.evaluate(FOCUSED) == "both"
    hold(page, "k", 3)
    assert page.evaluate(FOCUSED) == "plain"


@pytest.mark.parametrize("kiosk", [False, True])
def test_tab_comes_to_the_rows_of_a_fresh_board(stage, kiosk):
    page = stage.open("/board/keys" + ("?kiosk=1" if kiosk else ""), context=stage.context(has_touch=False))
    for _ in range(1 if kiosk else 20):
        page.keyboard.press("Tab")
        if page.evaluate(FOCUSED):
            break
    assert page.evaluate(FOCUSED) == "plain"
    if not kiosk:
        page.evaluate("document.querySelector('.head button:not([hidden])').focus()")
        page.keyboard.press("j")
        assert page.evaluate(FOCUSED) == "dark"
    page.context.close()


def test_tab_comes_to_a_row_that_is_in_sight(stage):
    page = stage.open("/board/long", context=stage.context(has_touch=False, viewport={"width": 600, "height": 600}))
    stops = """[...document.querySelectorAll('.row:not([hidden])[tabindex="0"]')].map((row) => row.dataset.row)"""
    page.keyboard.press("j")
    assert page.evaluate(FOCUSED) == "r0"
    page.evaluate("document.querySelector('.head button:not([hidden])').focus()")
    page.mouse.move(300, 400)
    for _ in range(5):
        page.mouse.wheel(0, 3000)
        settled(page, "!trestle.board.lists[0].frame")
    settled(page, "trestle.board.lists[0].drawnTop > 5000 && trestle.board.lists.every(list => !list.isBehind)")
    still(page)
    [row] = page.evaluate(stops)
    box = rows(page)[row]
    assert 56 <= box["top"] and box["top"] + box["height"] <= 600, box
    # It is the one stop, also after a diff.
    stage.trestle("set", "long", "r999", "--field", "a=1")
    settled(page, "trestle.board.table.row('r999').fields?.a")
    assert page.evaluate(stops) == [row]
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate(FOCUSED):
            break
    assert page.evaluate(FOCUSED) == row
    assert abs(rows(page)[row]["top"] - box["top"]) <= 1, "it did not have to be scrolled to"
    page.context.close()


def test_a_row_that_keys_lift_looks_so(stage, page):
    other = stage.open("/board/keys", context=stage.context())
    focus_on(page, "both")
    board = page.query_selector("main")
    before = picture(page, board)
    page.keyboard.press("m")
    settled(page, "trestle.board.keys.lifted?.drag")
    lifted = picture(page, board)
    assert differences(before, lifted) > 500
    row = page.locator('.row[data-row="both"]')
    assert row.locator(".pill").inner_text() == "lifted"
    line, top = page.locator(".landing").bounding_box(), row.bounding_box()["y"]
    assert abs(line["y"] - top) <= 3
    settled(other, "document.querySelector('.row[data-row=\"both\"].theirs')")
    # To the next section and back, and then down to its first place.
    page.keyboard.press("Tab")
    assert page.evaluate("trestle.board.keys.lifted.target") == {"before": "last"}
    assert page.evaluate(FOCUSED) == "both"
    assert differences(lifted, picture(page, board)) > 500
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("?")
    settled(page, "document.querySelector('.news').textContent.startsWith('Put it down first')")
    assert page.evaluate("Boolean(trestle.board.keys.lifted)")
    page.keyboard.press("]")
    page.keyboard.press("Enter")
    settled(page, "trestle.board.table.sectionOf('both') === 'three'")
    settled(page, "!document.querySelector('.row.lifted, .pill.up')")
    assert not page.locator(".landing").is_visible()
    page.keyboard.press("u")
    settled(page, "trestle.board.table.sectionOf('both') === 'two'")
    # Put back, it looks as before.
    settled(page, "document.querySelector('.news')?.textContent.startsWith('Undone')")
    page.evaluate("trestle.board.newsBar.hide()")
    focus_on(page, "both")
    before = picture(page, board)
    page.keyboard.press("m")
    settled(page, "trestle.board.keys.lifted?.drag")
    page.keyboard.press("Escape")
    settled(page, "!trestle.board.follow.presence.leases.length")
    assert differences(picture(page, board), before) < 20


def test_a_lifted_row_makes_no_section_anew(stage, page):
    """Somebody removes the section over which it is: it is put down where it was."""
    stage.trestle("section", "keys", "four", "--title", "Four")
    settled(page, "trestle.board.table.sections.length === 4")
    focus_on(page, "last")
    page.keyboard.press("m")
    settled(page, "trestle.board.keys.lifted?.drag")
    page.keyboard.press("Tab")
    assert page.evaluate("trestle.board.keys.lifted.target") == {"section": "four", "top": True}
    stage.trestle("section", "keys", "four", "--remove")
    settled(page, "document.querySelector('.news')?.textContent.includes('That section is gone.')")
    line, top = page.locator(".landing").bounding_box(), rows(page)["last"]["top"]
    assert abs(line["y"] - top) <= 3
    page.keyboard.press("Enter")
    settled(page, "!trestle.board.keys.lifted && !trestle.board.follow.drags.size")
    assert page.evaluate("trestle.board.table.sections.map((one) => one.id)") == ["one", "two", "three"]
    assert page.evaluate("trestle.board.table.sectionOf('last')") == "three"


def test_controls_by_keys_are_those_that_are_shown(page):
    focus_on(page, "both")
    page.keyboard.press("E")
    settled(page, "trestle.board.isEditing")
    page.keyboard.press("i")
    settled(page, "document.querySelector('.news')?.textContent.includes('Nothing can be inserted')")
    assert not page.query_selector("dialog")
    focus_on(page, "adds")
    page.keyboard.press("x")
    settled(page, "document.querySelector('.news')?.textContent.includes('It cannot be deleted')")
    assert not page.query_selector("dialog")
    page.keyboard.press("i")
    settled(page, "document.querySelector('dialog h2')?.textContent === 'Insert a row'")
    page.keyboard.press("Escape")
    settled(page, "!document.querySelector('dialog')")


def test_rows_that_wait_for_long_are_found(page):
    page.keyboard.press("n")
    settled(page, "document.querySelector('.news')?.textContent.includes('No row is late.')")
    page.evaluate("() => { const at = trestle.board.now(); trestle.board.now = () => at + 3700 * 1000; }")
    page.keyboard.press("n")
    assert page.evaluate(FOCUSED) == "both"


def test_a_dialog_that_esc_ends_gives_the_focus_back_at_once(page):
    """The browser says later that it is closed. The next key comes before that, and is the row's."""
    focus_on(page, "dark")
    page.keyboard.press(".")
    settled(page, OPEN)
    left = page.evaluate("""() => { const one = document.querySelector('dialog[open]');
        one.dispatchEvent(new Event('cancel', {cancelable: true}));
        return [one.open, document.activeElement.dataset.row]; }""")
    assert left == [False, "dark"]
    settled(page, "!document.querySelector('dialog')")


@pytest.mark.parametrize("what", ["section", "define", "snapshot"])
def test_a_dialog_gives_the_focus_back_to_the_row_that_had_it(stage, page, what):
    def closed(row):
        shaken(stage, page, what)
        page.keyboard.press("Escape")
        settled(page, "!document.querySelector('dialog')")
        assert page.evaluate(FOCUSED) == row
        assert page.evaluate("trestle.board.keys.id") == row
        assert not page.evaluate("document.activeElement.hidden")

    focus_on(page, "dark")
    page.keyboard.press(".")
    settled(page, OPEN)
    closed("dark")
    # From the menu to another dialog.
    page.keyboard.press(".")
    settled(page, OPEN)
    shaken(stage, page, what)
    page.get_by_text("What happened to it").click()
    settled(page, "document.querySelector('dialog[open] h2').textContent === 'History of dark'")
    closed("dark")
    # A confirmation.
    page.keyboard.press("E")
    settled(page, "trestle.board.isEditing")
    focus_on(page, "pale")
    page.keyboard.press("x")
    settled(page, OPEN)
    shaken(stage, page, what)
    page.get_by_role("button", name="Cancel").click()
    settled(page, "!document.querySelector('dialog')")
    assert page.evaluate(FOCUSED) == "pale"
    page.keyboard.press("x")
    settled(page, f"{OPEN}?.textContent.includes('pale')")
    page.keyboard.press("Escape")


def test_a_dialog_of_a_row_that_has_gone_leaves_the_focus_at_no_other(stage, page):
    stage.trestle("add", "keys", "gone", "--id", "gone", "--kind", "plain", "--section", "one")
    settled(page, "trestle.board.table.row('gone')")
    focus_on(page, "gone")
    page.keyboard.press(".")
    settled(page, OPEN)
    shaken(stage, page, "define")
    stage.trestle("remove", "keys", "gone")
    settled(page, "!trestle.board.table.row('gone')")
    page.keyboard.press("Escape")
    settled(page, "!document.querySelector('dialog')")
    assert page.evaluate("document.activeElement === document.body")


@pytest.mark.parametrize("what", ["section", "define", "snapshot"])
def test_the_focus_stays_on_its_row_when_the_board_is_drawn_anew(stage, page, what):
    focus_on(page, "dark")
    # Which row has which element afterwards is chance: here the row never has the one of before.
    page.evaluate("""() => { const {view} = window.was = document.activeElement, {pool} = view.list;
        pool.push = (one) => one === view ? pool.length : Array.prototype.push.call(pool, one); }""")
    shaken(stage, page, what)
    assert page.evaluate("document.activeElement !== window.was"), "its row has another element"
    assert page.evaluate(FOCUSED) == "dark"
    page.keyboard.press("c")
    settled(page, "trestle.board.table.row('dark').claim")
    page.keyboard.press("c")
    settled(page, "!trestle.board.table.row('dark').claim")
    # The same from an action.
    stage.trestle("set", "keys", "both", "--field", "by=nobody")
    settled(page, "trestle.board.table.row('both').fields?.by === 'nobody'")
    focus_on(page, "both")
    page.keyboard.press("ArrowRight")
    settled(page, "trestle.board.viewOf('both').swipe.pull > 100")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.matches('.action')")
    shaken(stage, page, what)
    assert page.evaluate(FOCUSED) == "both"
    page.keyboard.press("1")
    settled(page, "trestle.board.table.row('both').fields.by === 'leading'")


def test_the_focus_stays_on_its_row_when_columns_go(stage):
    page = stage.open("/board/keys", context=stage.context(viewport={"width": 1300, "height": 700}))
    assert page.evaluate("trestle.board.lists.length") == 3
    for row, width, columns in (("adds", 390, 1), ("adds", 1300, 3), ("last", 700, 2)):
        focus_on(page, row)
        page.set_viewport_size({"width": width, "height": 700})
        settled(page, f"trestle.board.lists.length === {columns}")
        assert page.evaluate(FOCUSED) == row
    page.context.close()


def test_keys_do_nothing_to_a_row_that_is_out_of_sight(stage):
    page = stage.open("/board/long", context=stage.context(has_touch=False, viewport={"width": 600, "height": 600}))
    focus_on(page, "r0")
    page.mouse.move(300, 400)
    away = "trestle.board.viewOf('r0') && !trestle.board.lists[0].isSeen(trestle.board.viewOf('r0'))"
    for key in ("c", "m", "c"):
        page.mouse.wheel(0, 260)
        settled(page, away)
        assert page.evaluate(FOCUSED) == "r0", "it is still in the document, and has the focus"
        page.keyboard.press(key)
        settled(page, "trestle.board.lists[0].isSeen(trestle.board.viewOf('r0'))")
        assert page.evaluate(FOCUSED) == "r0"
        assert not page.evaluate("trestle.board.keys.lifted")
    page.keyboard.press("c")
    # Four such keys that were done would have left it unclaimed.
    settled(page, "trestle.board.table.row('r0').claim")
    page.context.close()


@pytest.mark.parametrize("board", ["keys", "own"])
def test_a_row_that_keys_lift_is_not_swiped_open_meanwhile(stage, page, board):
    """Of swipes that are each screen's own the table knows nothing, and does not close them."""
    if board == "own":
        page.goto(f"{stage.origin}/board/own")
        page.wait_for_selector(".row")
    focus_on(page, "both")
    page.keyboard.press("ArrowRight")
    settled(page, "trestle.board.viewOf('both').swipe.pull > 100")
    page.keyboard.press("m")
    settled(page, "trestle.board.keys.lifted?.drag && trestle.board.viewOf('both').swipe.pull === 0")
    pill = page.locator('.row[data-row="both"] .pill.up').bounding_box()
    assert pill["x"] + pill["width"] <= 600
    # Also when it gets another element.
    if board == "keys":
        shaken(stage, page, "define")
    else:
        upheaval(stage, page, "snapshot")
    assert page.evaluate("trestle.board.viewOf('both').swipe.pull") == 0
    assert page.evaluate(FOCUSED) == "both"
    page.keyboard.press("Escape")
    settled(page, "trestle.board.viewOf('both').swipe.pull > 100")
    assert page.evaluate("trestle.board.actions.openEdge(trestle.board.table.row('both'))") == "leading"


def test_a_lifted_row_can_be_put_down_wherever_it_comes(stage):
    """The section grill begins with a row that is pinned."""
    page = stage.open("/board/kitchen", context=stage.context(viewport={"width": 600, "height": 600}))
    grill, fry = (page.evaluate(f"trestle.board.table.sections.find(s => s.id === '{name}').rows.map(r => r.id)")
                  for name in ("grill", "fry"))
    focus_on(page, "86")
    page.keyboard.press("]")
    assert page.evaluate(FOCUSED) == fry[0]
    page.keyboard.press("m")
    settled(page, "trestle.board.keys.lifted?.drag")
    for key in "[[g":
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    settled(page, f"trestle.board.table.sectionOf('{fry[0]}') === 'grill'")
    assert page.evaluate(f"trestle.board.table.indexOf('{fry[0]}')") == 1
    assert grill[0] == "86"
    page.keyboard.press("u")
    settled(page, f"trestle.board.table.sectionOf('{fry[0]}') === 'fry'")
    page.context.close()
