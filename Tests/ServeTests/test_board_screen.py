"""A screen that fits where it hangs: how large, cards on a wall, and what it keeps of its own."""

import json
import time

import pytest
from board_stage import CHROMIUM, FLAGS, Fingers, Stage, calm, eventually, rows, settled, still
from test_board_access import axe

KINDS = {"kinds": {"ticket": {
    "height": 60, "states": ["collapsed", "expanded"], "ages": {"warn": 300, "late": 600},
    "show": {"line": ["table {table}", "{server}", "{note}"], "badge": "{table}"},
    "emphasis": [{"when": 'field.note ~ "ALLERGY"', "field": "note", "background": "#b00020", "icon": "warning"}],
    "trailing": {"fullSwipe": True, "actions": [
        {"id": "bump", "title": "Bump", "background": "#1f7a45", "effect": {"remove": True}}]}}}}
SECTIONS = ("grill", "fry", "cold", "pass")
HD, UHD = {"width": 1920, "height": 1080}, {"width": 3840, "height": 2160}
TABLET = {"width": 1024, "height": 768}


def tickets(count):
    """Each fifth has an allergy, which stands out. One of each section is late."""
    hour_ago = int(time.time() * 1000) - 3_600_000
    return [{"id": f"t{n}", "kind": "ticket", "section": SECTIONS[n * 4 // count], "title": f"{n % 3 + 1} × risotto",
             "fields": {"table": str(n), "server": "Ana"} | ({"note": "ALLERGY: nuts"} if n % 5 == 2 else {})}
            | ({"createdMs": hour_ago} if n * 4 % count == 0 else {})
            for n in range(count)]


@pytest.fixture(scope="module")
def stage():
    with Stage() as made:
        kinds = made.daemon.directory / "tickets.json"
        kinds.write_text(json.dumps(KINDS))
        made.fill("wall", kinds=kinds, rows=tickets(24))
        made.fill("rush", kinds=kinds, rows=tickets(60))
        yield made


#: The capitals of each text of the board in minutes of arc, from two metres, on a screen that is 952 mm wide.
ARCS = """() => {
    const pen = new OffscreenCanvas(10, 10).getContext('2d');
    pen.font = '1000px "Trestle Sans"';
    const capital = pen.measureText('H').actualBoundingBoxAscent / 1000;
    const arc = (one) => Math.atan(parseFloat(getComputedStyle(one).fontSize) * capital * (952 / innerWidth) / 2000)
        * 180 / Math.PI * 60;
    const all = [...document.querySelectorAll('.words > *, .section:not([hidden]) > h2, .section:not([hidden]) > span, .fresh')];
    return all.filter((one) => one.textContent).map((one) => [one.className, arc(one)]); }"""
#: Rows that are not whole on the screen.
CUT = """() => [...document.querySelectorAll('.row:not([hidden])')].filter((r) => { const b = r.getBoundingClientRect();
    return b.left < -1 || b.top < -1 || b.right > innerWidth + 1 || b.bottom > innerHeight + 1; }).length"""


#: Each heading's name, whether all of it is seen, and how many of its rows are said to be late.
HEADINGS = """() => [...document.querySelectorAll('.section')].filter((one) => one.offsetHeight > 0).map((one) => {
    const [name, late] = one.children;
    return [name.textContent, name.scrollWidth > 0 && name.clientWidth >= name.scrollWidth - 1 && name.offsetHeight < one.offsetHeight,
        late.textContent]; })"""


@pytest.mark.parametrize("size", [HD, UHD], ids=["1080p", "4K"])
def test_a_wall_is_read_from_two_metres(stage, size):
    """In 43 inches titles and what stands out have 20 minutes of arc, all other texts 16, and 24 tickets are seen at once."""
    page = stage.open("/board/wall?kiosk=1", context=stage.context(viewport=size, has_touch=False))
    assert page.evaluate("[trestle.board.settings.away, trestle.board.settings.hasCards]") == ["wall", True]
    arcs = page.evaluate(ARCS)
    assert {"title", "detail", "age ", "stands", "pill badge"} <= {name for name, _ in arcs}
    for name, arc in arcs:
        assert arc >= (19.9 if name in ("title", "stands") else 15.9), (name, arc)
    assert len(rows(page)) == 24 and page.evaluate(CUT) == 0
    assert not page.locator(".pager").is_visible()
    names = page.evaluate(HEADINGS)
    assert len(names) >= 4 and all(whole for _, whole, _ in names) and any(late for _, _, late in names), names
    overlaps = page.evaluate("""() => { const all = [...document.querySelectorAll('.row:not([hidden])')].map((r) => r.getBoundingClientRect());
        return all.some((a, n) => all.some((b, m) => n < m && a.left < b.right - 1 && b.left < a.right - 1
            && a.top < b.bottom - 1 && b.top < a.bottom - 1)); }""")
    assert not overlaps
    axe(page, "cards on a wall")
    assert stage.wrong == []


def test_cards_that_do_not_fit_are_beside(stage):
    """None is below the fold. It says how many are out of sight, and goes there by a tap, a wheel and keys."""
    page = stage.open("/board/rush?view=cards", context=stage.context(viewport=TABLET))
    on, back = page.get_by_role("button", name="Later rows"), page.get_by_role("button", name="Earlier rows")
    assert on.inner_text().endswith(" more") and not back.is_visible()
    seen = "[...document.querySelectorAll('.row:not([hidden])')].filter((r) => { const b = r.getBoundingClientRect(); " \
        "return b.left < innerWidth - 5 && b.right > 5; })"
    below = page.evaluate(f"{seen}.filter((r) => r.getBoundingClientRect().bottom > "
                          "document.querySelector('.pager').getBoundingClientRect().top + 1).length")
    assert below == 0
    count = page.evaluate(f"{seen}.length")
    assert count + int(on.inner_text().split()[0]) == 60
    on.tap()
    settled(page, "trestle.board.lists[0].first > 0")
    still(page)
    assert back.is_visible() and not on.is_visible()
    page.evaluate("trestle.board.keys.focusOn('t0', true)")
    settled(page, "trestle.board.lists[0].first === 0 && document.activeElement.dataset.row === 't0'")
    page.keyboard.press("End")
    settled(page, "document.activeElement.dataset.row === 't59'")
    still(page)
    box = rows(page)["t59"]
    assert 0 <= box["top"] and box["top"] + box["height"] <= TABLET["height"]
    page.mouse.move(300, 300)
    page.mouse.wheel(0, -3000)
    settled(page, "trestle.board.lists[0].first === 0")
    # A section that goes on in another column has its heading there, too.
    heads = page.evaluate("""[...document.querySelectorAll('.section:not([hidden])')]
        .filter((one) => one.getBoundingClientRect().left < innerWidth).map((one) => one.firstChild.textContent)""")
    assert len(heads) > len(set(heads)) and len(rows(page)) <= 80
    axe(page, "cards that are beside")


def test_cards_are_worked_on(stage):
    """A swipe, a drag into another column, and rows that come and go: as in lists."""
    stage.fill("work", kinds=stage.daemon.directory / "tickets.json", rows=tickets(24))
    page = stage.open("/board/work?view=cards", context=stage.context(viewport=TABLET))
    fingers = Fingers(page)
    spot = page.evaluate("(b => [b.x, b.y, b.width, b.height])(trestle.board.viewOf('t3').element.getBoundingClientRect())")
    fingers.swipe(spot[0] + spot[2] - 30, spot[1] + 30, -150, steps=14)
    settled(page, "!trestle.board.table.row('t3') || trestle.board.viewOf('t3').swipe.pull > 40")
    stage.trestle("act", "work", "t1", "bump")
    settled(page, "!trestle.board.table.row('t1')")
    still(page)
    order = page.evaluate("""[...document.querySelectorAll('.row:not([hidden])')].filter((r) => r.view.id).map((r) => [r.getBoundingClientRect(), r.view.id])
        .sort(([a], [b]) => a.left - b.left || a.top - b.top).map(([, id]) => id)""")
    assert order == page.evaluate("trestle.board.table.sections.flatMap((one) => one.rows.map((row) => row.id))")
    calm(page)
    one, other = (page.evaluate(f"(b => [b.x + 60, b.y + b.height / 2])(trestle.board.viewOf('{row}').element"
                                ".getBoundingClientRect())") for row in ("t4", "t20"))
    fingers.press(*one)
    settled(page, "trestle.board.drag")
    fingers.way(*one, other[0] - one[0], other[1] + 5 - one[1], steps=12)
    settled(page, "trestle.board.drag.place?.place.before === 't20'")
    gap = page.evaluate("document.querySelector('.landing.gap').getBoundingClientRect().x")
    assert abs(gap - (other[0] - 60)) < 2
    fingers.lift()
    settled(page, "trestle.board.table.sectionOf('t4') === 'pass'")
    still(page)
    assert page.evaluate("(rows => rows[rows.findIndex((r) => r.id === 't20') - 1].id)"
                         "(trestle.board.table.sections.find((one) => one.id === 'pass').rows)") == "t4"
    assert stage.wrong == []


@pytest.mark.parametrize("scale", [75, 150, 300])
def test_heights_are_those_of_the_layout_at_every_size(stage, scale):
    """To the unit: the points of a row are the daemon's, and only their size in pixels is another."""
    stage.trestle("expand", "kitchen", "1042-g", "--to", "expanded")
    page = stage.open(f"/board/kitchen?scale={scale}", context=stage.context(viewport=TABLET))
    width, pixels = page.evaluate("[trestle.board.lists[0].width, trestle.board.settings.pixels]")
    assert pixels == scale / 100
    said = json.loads(stage.trestle("-o", "json", "layout", "kitchen", "--width", str(width)))
    heights = {one["id"]: one["frame"][3] if "frame" in one else one["height"] for one in said["rows"]}
    own = page.evaluate("Object.fromEntries(trestle.board.lists.flatMap((l) => [...l.views.values()]).map((v) => [v.id, v.height]))")
    assert len(own) > 4 and own == {id: heights[id] for id in own}
    for id, one in rows(page).items():
        assert abs(one["height"] - heights[id] * scale / 100) < 0.6
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("colours", ["none", "active"])
def test_a_phone_at_the_largest_size(stage, colours):
    """Nothing is cut off at the side, the ways out are there, and axe finds nothing; in cards, too."""
    context = stage.context(forced_colors=colours)
    for more in ("", "&view=cards"):
        page = stage.open(f"/board/kitchen?scale=300{more}", context=context)
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        for name in ("Undo my latest change", "More"):
            box = page.get_by_role("button", name=name, exact=True).bounding_box()
            assert box["x"] >= 0 and box["x"] + box["width"] <= 390 and box["width"] >= 44
        assert all(one["top"] >= 0 for one in rows(page).values())
        axe(page, f"300 %{more}")
        page.get_by_role("button", name="More", exact=True).tap()
        page.get_by_role("button", name="This screen").tap()
        settled(page, "document.querySelector('dialog[open] select')")
        assert page.evaluate("document.querySelector('dialog[open] .inside').scrollWidth <= innerWidth")
        axe(page, "the sheet of this screen")
    assert stage.wrong == []


def test_the_letters_of_the_browser_count(stage):
    """A browser with larger letters has larger rows, and larger words around them."""
    browser = stage.play.chromium.launch(executable_path=CHROMIUM,
                                         args=[*FLAGS, "--blink-settings=defaultFontSize=24"])
    try:
        page = browser.new_page(viewport=TABLET)
        page.goto(stage.link())
        page.wait_for_url(stage.origin + "/")
        page.goto(stage.origin + "/board/kitchen")
        page.wait_for_selector(".row")
        assert page.evaluate("trestle.board.settings.pixels") == 1.5
        assert abs(rows(page)["86"]["height"] - 60) < 1
        sizes = page.evaluate("""['.head h1', '.words .title'].map((one) =>
            parseFloat(getComputedStyle(document.querySelector(one)).fontSize))""")
        assert sizes == [33, 22.5]
    finally:
        browser.close()


def sheet(page):
    page.get_by_role("button", name="More", exact=True).tap()
    page.get_by_role("button", name="This screen").tap()
    settled(page, "document.querySelector('dialog[open] select')")
    # It rises: a tap would meet what is below.
    still(page)


@pytest.mark.parametrize("at", ["first", "beside"])
def test_a_tap_while_a_sheet_rises_does_nothing(stage, at):
    """The second tap of two was meant for the row: it performs no action of the menu, and does not close it."""
    page = stage.open("/board/wall", context=stage.context())
    before = page.evaluate("trestle.board.table.revision")
    spot = page.evaluate("""(b => [b.x + b.width / 2, b.y + b.height / 2])(
        document.querySelector('.row[data-row="t0"] .more').getBoundingClientRect())""")
    # Both come in one task of the page, whatever else the machine does.
    page.evaluate("""([x, y, at]) => {
        const tap = (x, y) => { const one = document.elementFromPoint(x, y);
            one.dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true, clientX: x, clientY: y, detail: 1})); };
        tap(x, y);
        const dialog = document.querySelector('dialog[open]');
        for (const one of dialog.getAnimations()) one.finish();
        const box = dialog.querySelector('.choice').getBoundingClientRect();
        tap(box.x + 20, at === 'first' ? box.y + 20 : 5); }""", [*spot, at])
    assert page.locator("dialog[open]").count() == 1
    assert page.evaluate("trestle.board.table.revision") == before
    page.wait_for_timeout(350)
    page.get_by_role("button", name="Close", exact=True).tap()
    settled(page, "!document.querySelector('dialog[open]')")
    assert page.evaluate("trestle.board.table.revision") == before and stage.wrong == []


def test_this_screen_is_set_by_taps_and_kept(stage):
    """Sections, size, colours, kiosk: at once, over a reload, and without a query string. The page opens with its board."""
    context = stage.context(color_scheme="light")
    page = stage.open("/board/kitchen?scale=75", context=context)
    before = rows(page)["86"]["height"] / 0.75
    sheet(page)
    for name in ("fry", "cold", "pass"):
        page.get_by_role("switch", name=name, exact=True).tap()
    settled(page, "document.querySelectorAll('.section:not(.stuck)').length === 1")
    page.get_by_label("Size").fill("150")
    page.get_by_label("Colours").select_option("dark")
    page.get_by_role("switch", name="Begin with this board").tap()
    assert page.get_by_label("Its address").input_value() == \
        stage.origin + "/board/kitchen?section=grill&scale=150&theme=dark"
    page.get_by_role("switch", name="Kiosk").tap()
    page.keyboard.press("Escape")
    settled(page, "document.documentElement.dataset.theme === 'dark' && !document.querySelector('.head').offsetParent")
    # The address no longer says another size than what was chosen.
    assert page.url == stage.origin + "/board/kitchen"
    other = stage.open("/", context=context)
    other.wait_for_url(stage.origin + "/board/kitchen")
    for one in (page, other):
        one.reload()
        one.wait_for_selector(".row")
        assert set(rows(one)) == {"86", "1041-g", "1042-g", "1044-g"}
        assert abs(rows(one)["86"]["height"] - 1.5 * before) <= 1
        assert one.evaluate("document.documentElement.dataset.theme") == "dark"
        assert not one.locator(".head").is_visible()
    # A kiosk has a way out.
    page.get_by_role("button", name="This screen", exact=True).tap()
    still(page)
    page.get_by_role("button", name="Everything as on a new device").tap()
    settled(page, "document.querySelector('.head').offsetParent && document.querySelectorAll('.section:not(.stuck)').length === 4")
    assert page.locator(".head #freshness").is_visible() and page.locator(".gear").count() == 0
    assert abs(rows(page)["86"]["height"] - before) <= 1
    page.goto(stage.origin + "/")
    page.wait_for_selector(".tables a")
    assert stage.wrong == []


@pytest.mark.parametrize("kept", ["%", "scale=9e9&view=none&kiosk=constructor&section=", "x" * 500_000,
                                  "section=" + "&section=".join("y" * 200 for _ in range(2000))])
def test_what_is_kept_may_be_anything(stage, kept):
    """Another program, or another version, may have written it."""
    context = stage.context()
    context.add_init_script(f"localStorage.setItem('trestle.screen', {json.dumps(kept)})")
    page = stage.open(context=context, live=False)
    page.wait_for_selector(".row, .blank")
    settled(page, "document.querySelector('#freshness')?.dataset.state === 'live'")
    assert page.evaluate("trestle.board.settings.pixels") == 1 and page.locator(".head").is_visible()
    assert page.evaluate("trestle.board.settings.section.length") <= 64
    assert stage.wrong == []


def test_a_screen_changes_its_station(stage):
    """The one section off, another on: the board shows what the sheet says. A second window keeps its own choice besides."""
    context = stage.context()
    page, other = stage.open("/board/kitchen?section=grill", context=context), stage.open("/board/kitchen", context=context)
    sheet(page)
    page.get_by_role("switch", name="grill", exact=True).tap()
    page.get_by_role("switch", name="fry", exact=True).tap()
    settled(page, "trestle.board.lists.flatMap(l => l.sections).join() === 'fry'")
    other.evaluate("trestle.board.settings.set('theme', 'dark')")
    page.reload()
    page.wait_for_selector(".row")
    assert page.evaluate("[trestle.board.settings.section.join(), trestle.board.settings.theme]") == ["fry", "dark"]
    # A section of another board is no choice here, and does not leave the sheet without a switch.
    page.evaluate("() => { trestle.board.settings.set('section', ['elsewhere']); trestle.board.settled(); }")
    sheet(page)
    assert page.get_by_role("switch", name="grill", exact=True).count() == 1


def test_a_link_pairs_a_screen_with_what_it_is_for(stage):
    """Its board, its sections, and that it is a kiosk: nothing is typed on a tablet."""
    said = json.loads(stage.gateway.run(
        "pair", "--name", "a wall & more", "--role", "viewer", "--origin", stage.origin, "-o", "json",
        "--board", "kitchen", "--section", "grill", "--section", "cold", "--kiosk").stdout)
    assert said["link"].startswith(stage.origin + "/pair?board=kitchen&section=grill&section=cold&kiosk=1#")
    context = stage.context(paired=False)
    page = context.new_page()
    page.goto(said["link"])
    page.wait_for_url(stage.origin + "/board/kitchen")
    page.wait_for_selector(".row")
    assert not page.locator(".head").is_visible()
    assert page.evaluate("[...document.querySelectorAll('.section:not(.stuck) h2')].map((one) => one.textContent)") == ["grill", "cold"]
    # The installed page opens where its manifest says, with no query.
    page.goto(stage.origin + json.loads(stage.gateway.get("/manifest.webmanifest")[2])["start_url"])
    page.wait_for_url(stage.origin + "/board/kitchen")


def test_a_ticket_more_or_less_on_a_wall(stage):
    """A row that comes pushes no other below the fold, and a row that goes leaves no hole."""
    stage.fill("busy", kinds=stage.daemon.directory / "tickets.json", rows=tickets(20))
    page = stage.open("/board/busy?kiosk=1", context=stage.context(viewport=HD, has_touch=False))
    for n in range(4):
        stage.trestle("add", "busy", f"new {n}", "--id", f"n{n}", "--kind", "ticket", "--section", "grill", "--top")
    settled(page, "trestle.board.table.size === 24 && trestle.board.viewOf('n3')")
    still(page)
    assert len(rows(page)) == 24 and page.evaluate(CUT) == 0
    for n in range(4):
        stage.trestle("act", "busy", f"t{n}", "bump")
    settled(page, "trestle.board.table.size === 20")
    still(page)
    eventually(lambda: len(rows(page)) == 20 and page.evaluate(CUT) == 0, 10)


def test_a_screen_is_let_in_by_a_short_code(stage):
    """It shows a code, which an admin's device confirms. There devices are renamed and taken away, too."""
    screen = stage.context(paired=False).new_page()
    screen.goto(stage.origin + "/pair?board=kitchen&kiosk=1")
    screen.get_by_role("button", name="Without a link").tap()
    settled(screen, "document.querySelector('.short-code')?.textContent.length === 7")
    axe(screen, "a short code")
    code = screen.locator(".short-code").inner_text()
    admin = stage.open(context=stage.context(role="admin"))
    other = stage.open(context=stage.context())
    other.get_by_role("button", name="More", exact=True).tap()
    settled(other, "document.querySelector('dialog[open]')")
    assert other.get_by_role("button", name="Devices").count() == 0

    def devices():
        admin.get_by_role("button", name="More", exact=True).tap()
        admin.get_by_role("button", name="Devices").tap()

    devices()
    axe(admin, "the devices")
    admin.get_by_role("button", name="Let a screen in").tap()
    admin.get_by_label("The code on its screen").fill("000 000" if code != "000 000" else "111 111")
    admin.get_by_label("Its name").fill("wall ü")
    admin.get_by_label("What it may do").select_option("viewer")
    admin.get_by_role("button", name="Let it in").tap()
    settled(admin, "document.querySelector('dialog .wrong:not([hidden])')?.textContent === 'No screen shows this code now.'")
    axe(admin, "a wrong code")
    admin.get_by_label("The code on its screen").fill(code)
    admin.get_by_role("button", name="Let it in").tap()
    screen.wait_for_url(stage.origin + "/board/kitchen")
    screen.wait_for_selector(".row")
    assert screen.evaluate("trestle.session.device.role") == "viewer" and not screen.locator(".head").is_visible()
    admin.keyboard.press("Escape")
    devices()
    admin.get_by_role("button", name="wall ü").tap()
    # The name that it has is no other device's.
    admin.get_by_role("button", name="Rename it").tap()
    admin.get_by_role("button", name="wall ü").tap()
    admin.get_by_label("Its name").fill("wall two")
    admin.get_by_role("button", name="Rename it").tap()
    settled(screen, "trestle.session.device?.device === 'wall two' && trestle.session.isOpen")
    settled(admin, "document.querySelector('dialog[open]')?.textContent.includes('wall two')")
    admin.get_by_role("button", name="wall two").tap()
    admin.get_by_role("button", name="Take it away").tap()
    admin.locator("dialog[open]").last.get_by_role("button", name="Take it away").tap()
    screen.wait_for_selector("text=Pair this device")
    settled(admin, "!document.querySelector('dialog[open]')?.textContent.includes('wall two')")
    assert [one for one in stage.wrong if "403" not in one] == []


def test_a_screen_for_an_empty_section_says_so(stage):
    """It neither looks like one that is not connected, nor like a board without rows. What comes is seen at once."""
    stage.fill("stations", rows=[{"id": "a", "section": "grill", "title": "Ribeye"}, {"id": "b", "section": "fry", "title": "Fries"}])
    page = stage.open("/board/stations?section=fry", context=stage.context(role="editor"))
    stage.trestle("remove", "stations", "b")
    page.wait_for_selector(".blank")
    assert page.locator(".blank h2").inner_text() == "Nothing to do"
    assert page.locator(".blank p").inner_text() == "stations (fry) is up to date, and has no rows."
    assert page.locator(".blank button").inner_text() == "Add a row"
    stage.trestle("add", "stations", "Rings", "--id", "c", "--section", "fry")
    page.wait_for_selector(".row[data-row='c']")
    assert page.locator(".blank").count() == 0


@pytest.mark.parametrize("colours", ["none", "active"])
@pytest.mark.parametrize("view", ["list", "cards"])
def test_what_is_selected_is_seen(stage, colours, view):
    """Also of a row that is late, whose bar is where a bar of its own would be."""
    kinds = stage.daemon.directory / "chosen.json"
    kinds.write_text(json.dumps(KINDS | {"table": {"selection": "shared"}}))
    stage.fill(f"chosen-{view}-{colours}", kinds=kinds, rows=tickets(4))
    page = stage.open(f"/board/chosen-{view}-{colours}?view={view}", context=stage.context(forced_colors=colours))
    ring = """(name) => { const {element} = trestle.board.viewOf(name), ring = getComputedStyle(element.querySelector('.slide'), '::before');
        const [slide, clip] = [element.querySelector('.slide').getBoundingClientRect(), getComputedStyle(element).clipPath];
        return [element.getAttribute('aria-current'), ring.content, parseFloat(ring.borderTopWidth), parseFloat(ring.left),
            clip === 'none' ? 0 : 4]; }"""
    assert page.evaluate(ring, "t0")[:2] == [None, "none"]
    stage.trestle("select", f"chosen-{view}-{colours}", "t0")
    settled(page, "trestle.board.viewOf('t0').element.classList.contains('chosen')")
    current, content, width, left, cut = page.evaluate(ring, "t0")
    assert current == "true" and content == '""' and width >= 2 and left >= cut
    assert page.evaluate("trestle.board.viewOf('t0').element.querySelector('.bar').matches('.late:not([hidden])')")


def test_the_last_row_of_a_card_has_a_whole_ring(stage):
    kinds = stage.daemon.directory / "joined.json"
    kinds.write_text(json.dumps({"kinds": {"ticket": KINDS["kinds"]["ticket"] | {"show": {"group": "table"}}},
                                 "table": {"selection": "shared"}}))
    stage.fill("joined", kinds=kinds, rows=[one | {"fields": {"table": "7"}} for one in tickets(2)])
    page = stage.open("/board/joined?view=cards")
    stage.trestle("select", "joined", "t1")
    settled(page, "trestle.board.viewOf('t1').element.matches('.joined.end.chosen')")
    inset, clip = page.evaluate("""() => { const {element} = trestle.board.viewOf('t1');
        return [getComputedStyle(element.querySelector('.slide'), '::before').bottom, getComputedStyle(element).clipPath]; }""")
    below = clip.split()[2].removesuffix("px")
    assert clip.startswith("inset(0px") and float(inset.removesuffix("px")) >= float(below) > 0, (inset, clip)
