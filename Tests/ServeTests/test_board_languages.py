"""The page in each of its languages: the browser's, or the chosen one. Nothing is cut, axe finds nothing, Arabic is mirrored."""

import json
import re

import pytest
from board_stage import LANGUAGES, PHONE, Stage, calm, settled, still, words
from test_board_access import axe

SMALL = {"width": 320, "height": 700}
#: Elements with words of the page that have less room than their words need.
CUT = """() => [...document.querySelectorAll('.tool, .answer, .fresh, .choice, .notice, .banner, .news p, h2, h3, .late-count')]
    .filter((one) => one.checkVisibility() && one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1)
    .map((one) => one.className + ': ' + one.textContent)"""


@pytest.fixture(scope="module")
def stage():
    with Stage() as made:
        yield made
        assert made.wrong == []


def said_of(text):
    """A text without the marks that keep a name's direction."""
    return re.sub("[\u2068\u2069]", "", text)


def overlays(page):
    """Opens what lies over a board, one after the other, and says what is open."""
    said = words(page.evaluate("document.documentElement.lang"))

    def choose(key):
        page.locator("dialog[open] .choice", has_text=said[key]).first.tap()
        settled(page, f"document.querySelector('dialog[open]:not(.rising) h2')?.textContent.includes({json.dumps(said[key])})")

    page.get_by_role("button", name=said["more"], exact=True).tap()
    settled(page, "document.querySelector('dialog[open]:not(.rising)')")
    yield "the board's menu"
    choose("pause.title")
    yield "pausing"
    page.keyboard.press("Escape")
    page.locator(".row .more:visible").nth(1).tap()
    settled(page, "document.querySelector('dialog[open]:not(.rising)')")
    yield "a row's menu"
    choose("menu.snooze")
    yield "putting a row off"
    page.keyboard.press("Escape")
    page.evaluate("void trestle.board.actions.history()")
    settled(page, "document.querySelector('dialog[open]:not(.rising) .choice')")
    yield "the history"
    page.keyboard.press("Escape")
    for key, what in (("?", "the keys"), ("a", "the form"), ("/", "finding")):
        page.keyboard.press(key)
        page.wait_for_timeout(350)
        yield what
        page.keyboard.press("Escape")
    page.evaluate("trestle.board.head.gear.click()")
    settled(page, "document.querySelector('dialog[open]:not(.rising)')")
    yield "this screen"
    page.keyboard.press("Escape")
    page.evaluate("trestle.board.edit(true); trestle.board.actions.refused({code: 'editing'})")
    yield "edit mode, and a refusal"
    page.evaluate("trestle.board.edit(false); trestle.board.newsBar.hide()")


@pytest.mark.bound(150, 300)
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_browser_says_which_language(stage, language):
    page = stage.open(context=stage.context(locale=language, viewport=SMALL))
    assert page.evaluate("[document.documentElement.lang, document.documentElement.dir]") == [
        language, "rtl" if language == "ar" else "ltr"]
    assert page.locator(".says-live").text_content() == words(language)["fresh.live"]
    axe(page, f"{language}: the board")
    for what in overlays(page):
        axe(page, f"{language}: {what}")
        assert page.evaluate(CUT) == [], what
        assert "\\u" not in page.evaluate("document.body.textContent"), what
        assert page.evaluate("document.documentElement.scrollWidth") <= SMALL["width"], what
    stranger = stage.context(paired=False, locale=language, viewport=SMALL).new_page()
    stranger.goto(stage.origin + "/pair")
    stranger.wait_for_selector("input")
    assert stranger.locator("h1").text_content() == words(language)["pair"]
    assert stranger.evaluate(CUT) == []


def test_another_language_is_chosen(stage):
    """By the address, for that page; on "This screen", for this device."""
    context = stage.context(locale="pt-BR", viewport=PHONE)
    page = stage.open(context=context)
    assert page.evaluate("document.documentElement.lang") == "en"
    page = stage.open("/board/kitchen?lang=fr", context=context)
    assert page.evaluate("document.documentElement.lang") == "fr"
    page.evaluate("trestle.board.head.gear.click()")
    select = page.locator("select", has=page.locator("option[value=ja]"))
    assert [one.strip() for one in select.locator("option").all_text_contents()] == [
        words("fr")["screen.lang.auto"], "English", "Deutsch", "español", "français", "日本語", "العربية"]
    with page.expect_event("load"):
        select.select_option("de")
    settled(page, "document.querySelector('#freshness')?.dataset.state === 'live'")
    assert page.evaluate("[document.documentElement.lang, location.search]") == ["de", ""]
    assert stage.open(context=context).evaluate("document.documentElement.lang") == "de"


def test_a_refusal_is_said_by_its_code(stage):
    """And by the server's own sentence where the language has no words for the code."""
    page = stage.open("/board/kitchen?lang=de", context=stage.context())
    german = words("de")
    page.evaluate("trestle.board.actions.send({act: {row: 'nobody', action: 'bump'}})")
    settled(page, f"document.querySelector('.news p')?.textContent === {json.dumps(german['refusal.noSuchRow'])}")
    page.evaluate("trestle.board.actions.refused({code: 'sectionNotEmpty', message: 'Section \"x\" has rows.'})")
    assert page.locator(".news p").text_content() == 'Das wurde abgelehnt: Section "x" has rows.'


def test_where_a_row_landed_and_why_is_said(stage):
    """With the titles of rows, also of one that has gone: the daemon tells ids, as data."""
    stage.trestle("create", "landed")
    for row in "ABC":
        stage.trestle("add", "landed", f"Title {row}", "--id", row.lower(), "--bottom")
    page = stage.open("/board/landed?lang=de", context=stage.context())
    page.evaluate("trestle.board.actions.send({remove: {rows: ['c']}})")
    settled(page, "!trestle.board.table.row('c')")
    stage.trestle("remove", "landed", "b")
    settled(page, "!trestle.board.table.row('b')")
    page.evaluate("trestle.board.actions.undo()")
    said = words("de")["landed.after.removed"].format(row="Title A", gone="Title B")
    settled(page, f"document.querySelector('.unseen[aria-live]').textContent.includes({json.dumps(said)})")


def test_the_history_is_told(stage):
    """News of a daemon are said in the language of the page, from data."""
    stage.trestle("create", "told")
    for command in (["add", "told", "A", "--id", "a", "--section", "one"], ["add", "told", "B", "--id", "b", "--section", "one"],
                    ["set", "told", "a", "--field", "qty=2"], ["set", "told", "a", "--field", "qty=3"],
                    ["set", "told", "a", "--title", "C"], ["set", "told", "a", "--unset", "qty"],
                    ["move", "told", "b", "--before", "a"], ["move", "told", "a", "--top", "--section", "two"],
                    ["claim", "told", "a"], ["unclaim", "told", "a"], ["remove", "told", "b"], ["undo", "told"],
                    ["edit", "told", "--on"], ["edit", "told", "--off"],
                    ["set", "told", "--where", 'title != ""', "--field", "driver=9", "--yes"], ["snooze", "told", "a", "--for", "10m"],
                    ["snooze", "told", "a", "--end"],
                    ["pause", "told", "--section", "one"], ["resume", "told"], ["section", "told", "three"], ["swap", "told", "a", "b"],
                    ["swap", "told", "b", "a"]):
        stage.trestle(*command)
    page = stage.open("/board/told?lang=de", context=stage.context())
    page.evaluate("void trestle.board.actions.history()")
    page.wait_for_selector("dialog .choice")
    told = page.locator("dialog .choice > span > span:first-child").all_text_contents()
    english = re.compile(r"""\b(added|set|moved|claimed|removed|brought|cleared|renamed|ended|began|undid|from|after|top
                             |woke|paused|resumed|made|exchanged|expanded|the)\b""", re.I | re.X)
    assert [one for one in told if english.search(one)] == [] and len(told) == 22, told
    page.keyboard.press("Escape")
    stage.trestle("drop", "told", "--yes")


def test_a_board_in_arabic_is_mirrored(stage):
    """Sections go from the right, and rows begin there. What a swipe uncovers is at its edge, as on every screen."""
    context = stage.context(locale="ar", viewport={"width": 1000, "height": 700})
    page = stage.open(context=context)
    box = """(at) => (b => [b.left, b.right])(document.querySelector(at).getBoundingClientRect())"""
    lists = page.evaluate("trestle.board.lists.map((list) => list.element.getBoundingClientRect().left)")
    assert lists == sorted(lists, reverse=True) and len(lists) == 3
    row, more = page.evaluate(box, '.row[data-row="1041-g"]'), page.evaluate(box, '.row[data-row="1041-g"] .more')
    assert more[0] - row[0] < 2
    assert page.evaluate("getComputedStyle(document.querySelector('.row[data-row=\"1041-g\"] .title')).textAlign") == "right"
    page.evaluate("trestle.board.opened(trestle.board.viewOf('1041-g'), 'trailing')")
    still(page)
    pull = page.evaluate(box, '.row[data-row="1041-g"] .pull')
    assert row[1] - pull[1] < 1 and pull[0] > row[0]
    page.evaluate("trestle.board.opened(trestle.board.viewOf('1041-g'), null)")
    # Cards begin at the right, too, and are dragged to where the finger is.
    page = stage.open("/board/kitchen?view=cards&columns=2", context=context)
    page.set_viewport_size({"width": 1000, "height": 360})
    still(page)
    first = page.evaluate(box, '.row[data-row="1041-g"]')
    assert 1000 - first[1] < 8
    page.evaluate("trestle.board.lists[0].goTo(1)")
    still(page)
    assert page.evaluate("trestle.board.lists[0].first") == 1
    place = page.evaluate("""() => { const [list] = trestle.board.lists, id = [...list.views.keys()].find((one) =>
        list.isSeen(list.views.get(one)));
        const b = list.views.get(id).element.getBoundingClientRect();
        return [id, list.placeAt(b.left + b.width / 2, b.top + 2, id)]; }""")
    assert place[1] is not None
    # A name keeps its direction within a sentence, and turns nothing around it.
    page.evaluate("trestle.board.actions.undoable('x', 'Table 7 (Ana)')")
    said = page.locator(".news p").text_content()
    assert "\u2068Table 7 (Ana)\u2069" in said


#: Texts that are seen or told, each with the element that it is of.
TEXTS = """() => { const all = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode())
        if (node.textContent.trim() && node.parentElement.checkVisibility()) all.push(node.textContent.trim());
    for (const one of document.querySelectorAll('[aria-label], [title], [placeholder]'))
        for (const name of ['aria-label', 'title', 'placeholder'])
            if (one.getAttribute(name) && one.checkVisibility()) all.push(one.getAttribute(name));
    return all; }"""


def test_an_arabic_keyboard_needs_no_other(stage):
    """Its letters lie where Latin ones do: rows are gone through, marked, bumped and found by it, and in a text they are letters."""
    page = stage.open(context=stage.context(locale="ar"))
    wire = page.context.new_cdp_session(page)

    def press(key, code):
        for kind in ("keyDown", "keyUp"):
            wire.send("Input.dispatchKeyEvent", {"type": kind, "key": key, "code": code, "text": key if kind == "keyDown" else ""})

    press("ل", "KeyG")
    settled(page, "document.activeElement.dataset.row === '86'")
    press("ت", "KeyJ")
    settled(page, "document.activeElement.dataset.row === '1041-g'")
    press("ر", "KeyV")
    settled(page, "trestle.board.marks.has('1041-g')")
    press("ز", "Period")
    settled(page, "document.querySelector('dialog[open]')")
    # The line of the sheet that has this key.
    press("١", "Digit1")
    settled(page, "trestle.board.table.sectionOf('1041-g') === 'pass'")
    press("ع", "KeyU")
    settled(page, "trestle.board.table.sectionOf('1041-g') === 'grill'")
    press("ظ", "Slash")
    settled(page, "document.activeElement.type === 'search'")
    press("ت", "KeyJ")
    assert page.evaluate("document.activeElement.value") == "ت"


def test_everything_goes_through_the_catalogue(stage):
    """In a language whose every message stands in brackets, what is outside of brackets is the board's own."""
    context = stage.context(viewport=PHONE, service_workers="block", role="admin")
    marked = {key: re.sub(r"(?s)^(.*)$", r"⟦\1⟧", text) for key, text in words("en").items()}
    context.route("**/languages*/en.json", lambda route: route.fulfill(json=marked))
    page = stage.open(context=context)
    board = set(page.evaluate("""() => { const {table} = trestle.board; const own = new Set([trestle.board.name]);
        for (const {id, title, rows} of table.sections) { own.add(title || id); for (const row of rows)
            for (const text of [row.title, row.id, ...Object.entries(row.fields ?? {}).flat()]) own.add(text); }
        for (const kind of table.kinds.values()) { own.add(kind.id);
            for (const group of [kind.leading, kind.trailing]) for (const one of group?.actions ?? []) own.add(one.title);
            for (const one of kind.states ?? []) own.add(one.name); }
        return [...own]; }"""))
    #: Keys, ages, counts, initials, names of languages in themselves; and rows, whose texts are the kind's.
    free = re.compile(r"[\d\s:%.,·⋮−–+]*|[A-Z]?[0-9]|\S(\s\S)*|screen \d+|Home End, g G|[\S ]{1,12}, [\S ]{1,8}|Enter|Space|Esc|"
                      r"1 … 9|[uUxivV+] [\S]|.{0,3}↓.*|→ ←|\d+ ?%|English|Deutsch|español|français|日本語|العربية")
    page.evaluate("document.querySelectorAll('.row').forEach((row) => row.dataset.own = '')")
    found = {}
    def look(what):
        for text in page.evaluate(TEXTS):
            rest = re.sub("⟦[^⟦⟧]*⟧", "", re.sub("⟦[^⟦⟧]*⟧", "", re.sub("⟦[^⟦⟧]*⟧", "", text)))
            own = any(part and part in rest for part in board)
            # Dishes are parts of titles.
            own = own or what == "totals.open()" and any(rest in part for part in board)
            if not free.fullmatch(rest) and not own:
                found.setdefault(what, set()).add(text)
    look("the board")
    page.get_by_role("button", name="⟦More⟧", exact=True).tap()
    page.wait_for_timeout(350)
    look("the board's menu")
    page.keyboard.press("Escape")
    page.locator(".row .more:visible").nth(1).tap()
    page.wait_for_timeout(350)
    look("a row's menu")
    page.keyboard.press("Escape")
    for run in ("head.gear.click()", "actions.history()", "actions.recallList()", "actions.add('grill')", "find.open()", "totals.open()"):
        page.evaluate(f"void trestle.board.{run}")
        page.wait_for_timeout(400)
        look(run)
        page.evaluate("document.querySelectorAll('dialog').forEach((one) => one.close())")
    calm(page)
    page.evaluate("trestle.board.find.close(); trestle.board.edit(true); trestle.board.actions.refused({code: 'pinned'})")
    look("edit mode")
    page.evaluate("trestle.board.edit(false)")
    assert found == {}


def test_pausing_and_putting_off(stage):
    """By touch alone: a row sleeps for as long as is said, and a section is paused with its reason until the notice ends that."""
    page = stage.open(context=stage.context())
    page.locator('.row[data-row="1043-f"] .more').tap()
    page.locator("dialog .choice", has_text="Put it off").tap()
    page.locator("dialog:not(.rising) .choice", has_text="30 min").tap()
    settled(page, "trestle.board.table.row('1043-f').sleep")
    left = page.evaluate("trestle.board.table.row('1043-f').sleep.untilMs - trestle.board.now()")
    assert 29 * 60_000 < left <= 30 * 60_000
    page.locator('.row[data-row="1043-f"] .more').tap()
    page.locator("dialog:not(.rising) .choice", has_text="Wake it").tap()
    settled(page, "!trestle.board.table.row('1043-f').sleep")
    page.locator('.row[data-row="1043-f"] .more').tap()
    page.locator("dialog:not(.rising) .choice", has_text="Put it off").tap()
    page.locator("dialog:not(.rising) input[type=time]").fill("14:30")
    page.locator("dialog [type=submit]").tap()
    settled(page, "trestle.board.table.row('1043-f').sleep")
    assert page.evaluate("new Date(trestle.board.table.row('1043-f').sleep.untilMs).toTimeString().slice(0, 5)") == "14:30"
    stage.trestle("snooze", "kitchen", "1043-f", "--end")
    page.get_by_role("button", name="More", exact=True).tap()
    page.locator("dialog:not(.rising) .choice", has_text="Pause new work").tap()
    page.locator("dialog:not(.rising) input[name=why]").fill("no gas")
    page.locator("dialog .choice", has_text="in grill").tap()
    settled(page, "document.querySelector('.notice:not([hidden])')?.textContent.includes('no gas')")
    assert page.evaluate("trestle.board.table.settings.pauses.map(({section, note}) => [section, note])") == [["grill", "no gas"]]
    page.get_by_role("button", name="Go on").tap()
    settled(page, "!trestle.board.table.settings.pauses?.length")


def test_pauses_end_one_by_one(stage):
    """By touch: where several hold, the notice's button asks which ends. By keys: `p` pauses, and `s` puts a row off and wakes it."""
    page = stage.open(context=stage.context())
    pauses = "trestle.board.table.settings.pauses?.map(({section, note}) => `${section ?? 'all'} ${note}`).join() ?? ''"
    for section, why in (("grill", "no gas"), ("fry", "no oil")):
        stage.trestle("pause", "kitchen", "--section", section, "--note", why)
    settled(page, f"({pauses}) === 'grill no gas,fry no oil'")
    page.get_by_role("button", name="Go on").tap()
    lines = page.locator("dialog:not(.rising) .choice")
    lines.first.wait_for()
    # A section that is paused cannot be paused again.
    assert [text for text in lines.all_inner_texts() if text.startswith(("Go on", "in "))] == [
        "Go on: in grill", "Go on: in fry", "Go on: Everything", "in cold", "in pass"]
    lines.filter(has_text="Go on: in grill").tap()
    settled(page, f"({pauses}) === 'fry no oil'")
    page.locator(".notice:not([hidden])", has_text="no oil").wait_for()
    page.get_by_role("button", name="Go on").tap()
    settled(page, f"({pauses}) === ''")
    page.keyboard.press("p")
    page.locator("dialog:not(.rising) input[name=why]").fill("fire")
    page.locator("dialog .choice", has_text="Everything").press("Enter")
    settled(page, f"({pauses}) === 'all fire'")
    page.keyboard.press("p")
    page.locator("dialog .choice", has_text="Go on: Everything").press("Enter")
    settled(page, f"({pauses}) === ''")
    sleep = "trestle.board.table.row('1043-f').sleep"
    page.evaluate("document.querySelector('.row[data-row=\"1043-f\"]').focus()")
    page.keyboard.press("s")
    page.locator("dialog .choice", has_text="10 min").press("Enter")
    settled(page, sleep)
    page.keyboard.press("s")
    settled(page, f"!{sleep}")
    # Marked rows are put off together, with one undo.
    page.keyboard.press("v")
    page.keyboard.press("v")
    marked = page.evaluate("[...trestle.board.marks.ids]")
    assert len(marked) == 2
    page.keyboard.press("s")
    page.locator("dialog h2", has_text="2 rows").wait_for()
    page.keyboard.press("s")
    page.locator("dialog input[type=time]").fill("14:00")
    page.keyboard.press("Enter")
    asleep = "trestle.board.table.sections.flatMap((one) => [...one.rows]).filter((row) => row.sleep).length"
    settled(page, f"({asleep}) === 2")
    until = page.evaluate(f"new Date(trestle.board.table.row('{marked[0]}').sleep.untilMs).toTimeString().slice(0, 5)")
    assert until == "14:00"
    page.get_by_role("button", name="Undo", exact=True).first.tap()
    settled(page, f"({asleep}) === 0")
