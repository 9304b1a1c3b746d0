"""A screen on the wall: one section, nothing around it; new and late rows flash and sound; columns; sizes."""

import pytest
from board_stage import Stage, rows, settled, still


@pytest.fixture(scope="module")
def stage():
    with Stage() as made:
        yield made


def test_one_section_without_chrome(stage):
    page = stage.open("/board/kitchen?section=grill&kiosk=1", context=stage.context())
    assert set(rows(page)) == {"86", "1041-g", "1042-g", "1044-g"}
    assert not page.locator(".head").is_visible()
    assert page.evaluate("document.querySelectorAll('.section .plus:not([hidden])').length === 0 || "
                         "getComputedStyle(document.querySelector('.section .plus')).display === 'none'")


def test_a_kiosk_says_how_fresh_it_is(stage):
    """Without the head, too, and not over other words; what is yet to be fetched is grey."""
    page = stage.open("/board/kitchen?kiosk=1", context=stage.context(viewport={"width": 800, "height": 600}))
    boxes = page.evaluate("""() => ['#freshness', ...[...document.querySelectorAll('.section')].map((one) => '#' + (one.id ||= 's'
        + Math.random().toString(36).slice(2)))].map((one) => document.querySelector(one)).map((one) => {
            const last = one.id === 'freshness' ? one : [...one.querySelectorAll('span:not(:empty)')].at(-1) ?? one;
            const {left, top, right, bottom} = last.getBoundingClientRect();
            return [left, top, right, bottom]; })""")
    pill, *counts = boxes
    assert pill[2] - pill[0] > 40 and pill[3] - pill[1] > 15 and page.locator("#freshness").is_visible()
    for count in counts:
        assert count[2] <= pill[0] or count[0] >= pill[2] or count[1] >= pill[3] or count[3] <= pill[1], (pill, count)
    grey = "getComputedStyle(document.querySelector('.row .slide')).filter !== 'none'"
    assert not page.evaluate(grey)
    page.evaluate("""() => { window.state = 'catchingUp'; trestle.board.follow.freshness = () =>
        ({state: window.state, sinceMs: 0, why: ''}); }""")
    settled(page, grey)
    page.evaluate("window.state = 'live'")
    settled(page, f"!({grey})")
    # Changes that come at once do not make the rows flicker.
    flickers = page.evaluate("""grey => new Promise((done) => { window.state = 'catchingUp'; let count = 0, left = 5;
        const look = () => { count += document.querySelector('.columns').dataset.state !== 'live'; left -= 1;
            if (left === 0) { window.state = 'live'; done(count); } else setTimeout(look, 20); };
        setTimeout(look, 20); })""", grey)
    assert flickers == 0


def test_new_rows_flash_and_sound_in_their_section_only(stage):
    page = stage.open("/board/kitchen?section=grill&kiosk=1", context=stage.context())
    page.evaluate("() => { window.tones = []; trestle.board.alerts.sound = (tones) => window.tones.push(tones.length); }")
    stage.trestle("add", "kitchen", "elsewhere", "--id", "else", "--kind", "ticket", "--section", "fry")
    stage.trestle("add", "kitchen", "here", "--id", "here", "--kind", "ticket", "--section", "grill")
    settled(page, "document.querySelector('.row[data-row=\"here\"].flash')")
    assert page.evaluate("window.tones") == [2]
    # Rows become late, and are drawn so before anybody looks for it; one of them is out of sight.
    page.evaluate("""() => { window.said = []; trestle.board.say = (what) => window.said.push(what);
        trestle.board.tick(); const now = trestle.board.now.bind(trestle.board);
        trestle.board.now = () => now() + 16 * 60000; trestle.board.redraw(); trestle.board.presence(); }""")
    settled(page, "document.querySelector('.row[data-row=\"here\"] .age.late')")
    page.evaluate("() => { trestle.board.lists[0].views.delete('1041-g'); trestle.board.tick(); }")
    assert page.evaluate("said.some(one => one.includes('ribeye') && one.endsWith('is late.'))")
    assert page.evaluate("said.filter(one => one.startsWith('here')).length") == 1
    page.evaluate("trestle.board.tick()")
    assert page.evaluate("said.filter(one => one.startsWith('here')).length") == 1
    settled(page, "document.querySelector('.row[data-row=\"here\"].is-late')")
    settled(page, "document.querySelector('.row[data-row=\"here\"] .age.late')")
    assert page.evaluate("window.tones.includes(3)")


@pytest.mark.parametrize("width, columns", [(320, 1), (390, 1), (768, 2), (1280, 4), (1920, 4), (3840, 4)])
def test_columns_at_every_width(stage, width, columns):
    page = stage.open(context=stage.context(viewport={"width": width, "height": 900}))
    assert page.evaluate("document.querySelectorAll('.column').length") == columns
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert len(rows(page)) <= 80
    wide = page.evaluate("""[...document.querySelectorAll('.row:not([hidden])')].every(r => {
        const b = r.getBoundingClientRect(), c = r.closest('.column').getBoundingClientRect();
        return Math.abs(b.left - c.left) <= 1 && b.right <= c.right + 1; })""")
    assert wide
    still(page)
    assert stage.wrong == []


def test_roomy_is_larger_and_the_same(stage):
    plain, roomy = stage.open(context=stage.context()), stage.open("/board/kitchen?roomy=1", context=stage.context())
    small, large = rows(plain), rows(roomy)
    for one in set(small) & set(large):
        if not one.endswith("-c"):
            assert abs(large[one]["height"] - 1.25 * small[one]["height"]) <= 1


def test_the_switches_of_a_screen(stage):
    """Roomy and dark at a tap, kept over a reload."""
    page = stage.open(context=stage.context(color_scheme="light"))
    before = rows(page)["86"]["height"]
    page.get_by_role("button", name="More", exact=True).tap()
    page.get_by_role("switch", name="Roomy").tap()
    page.get_by_role("switch", name="Dark").tap()
    page.keyboard.press("Escape")
    settled(page, "document.documentElement.dataset.theme === 'dark'")
    page.reload()
    page.wait_for_selector(".row")
    assert abs(rows(page)["86"]["height"] - 1.25 * before) <= 1
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert stage.wrong == []
