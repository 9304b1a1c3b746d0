"""Faces of rows with titles and marks that need more room than there is, or less: nothing is cut or covered for no reason."""

import json
import random
import time

import pytest
from board_stage import Stage, settled, still

KINDS = """
kinds:
  ticket:
    height: 60
    states: [collapsed, expanded]
    show: {wrap: 2, line: ["{a b}", "{مفتاح}", "{nobody}"], group: "a b"}
    emphasis:
      - {when: 'field.مفتاح != none', row: true, background: "#b00020", icon: warning}
    ages: {warn: 1, late: 2}
  plain: {ages: {late: 1}, states: [collapsed, expanded]}
"""
LONG = "2 × ribeye medium rare with the other sauce, 1 × burger"
ARABIC = "مرحبا بالعالم طلب رقم 12 بدون فول سوداني"
WORD = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
ROWS = [
    {"id": "open", "kind": "ticket", "title": LONG, "fields": {"a b": "7"}, "expand": "expanded"},
    {"id": "plain", "kind": "plain", "title": LONG[:41], "fields": {"constructor": "1"}, "expand": "expanded"},
    {"id": "arabic", "kind": "ticket", "title": ARABIC, "fields": {"مفتاح": "x"}},
    {"id": "arabic-open", "kind": "ticket", "title": ARABIC, "fields": {"مفتاح": "x"}, "expand": "expanded"},
    {"id": "word", "kind": "ticket", "title": WORD, "fields": {"مفتاح": "x", "__proto__": "2"}},
    {"id": "pill", "kind": "ticket", "title": "fries", "fields": {}},
    {"id": "bare", "kind": "plain", "title": "", "fields": {}},
    {"id": "narrow", "kind": "plain", "title": "till illicit fillets fit, tilt till fit " * 3, "fields": {}, "expand": "expanded"},
    {"id": "held", "kind": "plain", "title": "Child with high fever and a rash that does not pale", "fields": {"where": "Flat 12"},
     "expand": "expanded"},
    {"id": "urgent", "kind": "ticket", "title": "Child with high fever and a rash that does not pale", "fields": {"مفتاح": "x"}},
    {"id": "one-line", "kind": "plain", "title": "Nobody answers at door", "fields": {}, "expand": "expanded"},
]
#: Rows that somebody works on: an opened one says who beside its title, or above it.
CLAIMED = dict.fromkeys(("pill", "held", "one-line"), "with the other pan, at table seven") | {"urgent": "calling back"}
#: What is cut of a row's texts, and where the letters of its title lie under its marks.
FAULTS = """id => { const row = document.querySelector(`.row[data-row="${id}"]`);
    const letters = (one) => { const range = document.createRange(); range.selectNodeContents(one); return [...range.getClientRects()]; };
    const titles = [...row.querySelectorAll('.title')], marks = [...row.querySelectorAll('.age, .pill')];
    const cut = [...titles, ...row.querySelectorAll('.value, .pill')].filter((one) =>
        getComputedStyle(one).overflow !== 'visible' && one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent);
    const over = titles.filter((one) => letters(one).some((a) => marks.flatMap(letters).some((b) =>
        a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom))).map((one) => one.textContent);
    const box = row.getBoundingClientRect();
    const out = titles.filter((one) => letters(one).some(({left, right}) => right > box.right || left < box.left)).map((one) => one.textContent);
    return {cut, over, out, titles: titles.map((one) => one.textContent).join(' '), marks: marks.length}; }"""


@pytest.fixture(scope="module")
def stage():
    with Stage(boards=()) as stage:
        lines = [json.dumps(row | {"section": "s"}, ensure_ascii=False) for row in ROWS]
        stage.trestle("create", "odd")
        kinds = stage.daemon.directory / "odd.yaml"
        kinds.write_text(KINDS)
        stage.trestle("define", "odd", str(kinds))
        stage.trestle("import", "odd", "-", "--format", "ndjson", stdin="\n".join(lines))
        for row, note in CLAIMED.items():
            stage.trestle("--as", "Ana", "claim", "odd", row, "--note", note)
        yield stage


@pytest.mark.parametrize("size, query", [((390, 844), ""), ((1920, 1080), "?kiosk=1&distance=wall&view=lists&columns=4")])
def test_titles_are_read_beside_their_marks(stage, size, query):
    page = stage.open("/board/odd" + query, viewport={"width": size[0], "height": size[1]})
    still(page)
    for row in ROWS:
        found = page.evaluate(FAULTS, row["id"])
        assert found["marks"] == (2 if row["id"] in CLAIMED else 1), "its age is there, and who works on it"
        assert found["over"] == [] and found["cut"] == [] and found["out"] == [], (row["id"], found)
        if row["title"]:
            assert found["titles"].replace(" ", "") == row["title"].replace(" ", ""), "every letter is there"
    assert stage.wrong == []


SEVERAL = """
kinds:
  order:
    height: 64
    states: [collapsed, expanded]
    ages: {warn: 1, late: 2}
    show: {title: "{qty} × {title}", line: ["table {table}", "{server}"], badge: "{qty}", wrap: 2}
    emphasis:
      - {when: 'field.allergy != none', field: allergy, background: "#b00020", icon: warning}
      - {when: 'field.rush == "yes"', row: true, icon: flame}
    trailing: {actions: [{id: void, title: Void, confirm: true, effect: {remove: true}}]}
"""
HOUR = 3_900_000
ORDERS = [
    {"id": "arabic", "title": "شوربة العدس بدون كمون", "fields": {"qty": "2", "table": "3", "rush": "yes", "allergy": "حساسية"}},
    {"id": "word", "title": WORD, "fields": {"qty": "12", "table": "1", "allergy": "nuts"}},
    {"id": "two", "title": "Ribeye, medium rare, without the pepper sauce, with peas instead of beans",
     "fields": {"qty": "2", "table": "12", "server": "Ana", "allergy": "dairy"}},
    {"id": "short", "title": "Burger", "fields": {"qty": "1", "table": "12", "server": "Ana"}},
]
#: A name that is longer than the room beside a title, and one that is shorter than any.
HOLDERS = {"arabic": "Екатерина Вознесенская", "two": "bo", "short": "Екатерина Вознесенская", "word": "bo"}


@pytest.fixture(scope="module")
def orders(stage):
    now = int(time.time() * 1000)
    kinds = stage.daemon.directory / "several.yaml"
    kinds.write_text(SEVERAL)
    stage.fill("several", kinds, [one | {"kind": "order", "section": "s", "createdMs": now - HOUR} for one in ORDERS])
    for row, who in HOLDERS.items():
        stage.trestle("--as", who, "claim", "several", row, "--note", "", "--ttl", "3000")
    return "/board/several"


@pytest.mark.parametrize("query, size", [
    ("", (390, 844)), ("?lang=ar", (390, 844)), ("?view=cards&distance=wall&kiosk=1", (390, 844)),
    ("?lang=ar&view=cards&distance=counter&scale=140&bump=1", (1024, 768))])
def test_whoever_works_on_a_row_covers_none_of_its_title(stage, orders, query, size):
    """A name stands where there is room for it, below the title if not beside it; and an hour is read in Arabic, too."""
    page = stage.open(orders + query, viewport={"width": size[0], "height": size[1]})
    still(page)
    for row in ORDERS:
        found = page.evaluate(FAULTS, row["id"])
        assert found["over"] == [] and found["out"] == [], (row["id"], found)
        assert [one for one in found["cut"] if HOLDERS[row["id"]][:3] not in one] == [], (row["id"], found)
        seen = page.evaluate("""id => [...document.querySelectorAll(`.row[data-row="${id}"] :is(.pill, .age)`)].map((one) =>
            [one.className, one.textContent, one.scrollWidth <= one.clientWidth + 1])""", row["id"])
        assert any("badge" in name and text == row["fields"]["qty"] and whole for name, text, whole in seen), seen
        assert any("who" in name for name, _, _ in seen), (row["id"], seen)
        assert all(whole for name, _, whole in seen if "age" in name), seen
    assert stage.wrong == []


@pytest.mark.parametrize("query", ["", "&view=cards&distance=counter&scale=140"])
def test_the_number_of_a_row_is_beside_the_bar_of_its_age(stage, orders, query):
    page = stage.open(f"{orders}?bump=1{query}", viewport={"width": 1024, "height": 768})
    still(page)
    found = page.evaluate("""() => [...document.querySelectorAll('.row:not([hidden])')].map(({view}) => {
        const range = document.createRange(); range.selectNodeContents(view.tile);
        const [digit] = range.getClientRects(), bar = view.bar.getBoundingClientRect(), tile = view.tile.getBoundingClientRect();
        return [view.tile.textContent, bar.width, digit.left - bar.right, tile.right - digit.right]; })""")
    assert [one[0] for one in found] == ["1", "2", "3", "4"]
    assert all(wide > 0 and before >= -0.5 and behind >= -0.5 for _, wide, before, behind in found), found


def test_what_is_asked_and_offered_has_the_title_that_the_row_shows(stage, orders):
    page = stage.open(orders)
    still(page)
    page.locator('.row[data-row="short"] .more').tap()
    settled(page, "document.querySelector('dialog[open] h2')?.textContent === '1 × Burger'")
    page.locator("dialog[open]").get_by_text("Void").tap()
    settled(page, "[...document.querySelectorAll('dialog[open] p')].some((one) => one.textContent === '1 × Burger')")


def test_the_list_of_keys_has_keys_on_a_tablet(stage, orders):
    """A keyboard or a bump bar can be at it. Its menus have none: a finger needs none there."""
    page = stage.open(orders)
    assert page.evaluate("matchMedia('(hover: none) and (pointer: coarse)').matches")
    page.keyboard.press("?")
    settled(page, "document.querySelectorAll('dialog[open] kbd').length > 10")
    assert page.evaluate("[...document.querySelectorAll('dialog[open] kbd')].every((one) => one.getBoundingClientRect().width > 0)")
    page.keyboard.press("Escape")
    page.locator('.row[data-row="short"] .more').tap()
    settled(page, "document.querySelectorAll('dialog[open] .choice kbd').length > 0")
    assert page.evaluate("[...document.querySelectorAll('dialog[open] kbd')].every((one) => one.getBoundingClientRect().width === 0)")


TIGHT = """kinds:
  ticket:
    height: 60
    ages: {late: 100000}
    show: {wrap: 2, line: []}
    emphasis: [{when: 'field.rush == "yes"', row: true, background: "#b00020"}]
    trailing: {actions: [{id: call, title: Call, effect: {invoke: {deadline: 600}}}]}
"""
UNTITLED = """kinds:
  two:
    layout: manual
    height: 76
    states: [collapsed, expanded]
    ages: {late: 100000}
    show: {line: []}
    emphasis: [{when: "field.note != none", field: note, background: "#b00020", color: "#a00018"}, {when: 'field.rush == "yes"', field: rush}]
  low:
    layout: manual
    height: 44
    states: [collapsed, expanded]
    show: {line: []}
    emphasis: [{when: "field.note != none", field: note, background: "#b00020"}]
  whole: {layout: manual, height: 44, states: [collapsed, expanded], emphasis: [{when: 'field.rush == "yes"', row: true}]}
"""
NAMED = """kinds:
  field:
    height: 44
    states: [collapsed, expanded]
    show: {line: []}
    emphasis: [{when: "field.note != none", field: note, background: "#b00020"}]
  whole: {height: 44, states: [collapsed, expanded], emphasis: [{when: "field.note != none", row: true, icon: warning}]}
  hand:
    height: 44
    layout: manual
    states: [collapsed, expanded]
    emphasis: [{when: "field.note != none", row: true, icon: warning}]
"""
#: The pills of a row, and the lines of its title: [left, right, text], whether a letter is cut or beside its box.
LINES = """(name) => { const row = document.querySelector(`.row[data-row="${name}"]`);
    const box = (one) => { const range = document.createRange(); range.selectNodeContents(one);
        const {left, right, top} = range.getBoundingClientRect(), around = one.getBoundingClientRect();
        return {left, right, line: Math.round(around.top), box: [around.left, around.right], text: one.textContent}; };
    return {pills: [...row.querySelectorAll('.pill')].map(box), titles: [...row.querySelectorAll('.title')].map(box)}; }"""


def test_who_works_on_a_row_is_said_beside_a_title_of_two_lines(stage):
    """Also where both lines are full, and nothing is below them: the title gives way. No letter of it is cut."""
    kinds = stage.daemon.directory / "claimed.yaml"
    kinds.write_text(TIGHT)
    dice, words = random.Random(51), "2 x ribeye with green pepper sauce, sea bass without butter no onions fries soup".split()
    rows = [{"id": f"c{n}", "kind": "ticket", "section": "grill", "createdMs": int(time.time() * 1000) - 720_000,
             "title": " ".join(dice.choice(words) for _ in range(dice.randint(9, 17)))} for n in range(40)]
    wrapped = 0
    for table, change in (("claimed", {}), ("called", {}), ("urgent", {"fields": {"rush": "yes"}})):
        stage.fill(table, kinds, [one | change for one in rows])
        if table == "called":
            stage.trestle("act", table, "call", "--where", 'kind == "ticket"', "--limit", "40")
        stage.trestle("claim", table, *[one["id"] for one in rows], "--as", "Ana")
        for width in (320, 390):
            page = stage.open(f"/board/{table}", context=stage.context(viewport={"width": width, "height": 4000}))
            still(page)
            for one in rows:
                wrapped += check_lines(page.evaluate(LINES, one["id"]), 2 if table == "called" else 1) > 1
            page.context.close()
    assert wrapped > 200


def check_lines(found, pills):
    """As many pills, each of which says something, beside titles that are whole. Gives how many lines these have."""
    assert [pill["box"][1] - pill["box"][0] >= 23.9 for pill in found["pills"]] == [True] * pills, found
    for title in found["titles"]:
        assert title["right"] <= title["box"][1] + 1, found
        for pill in found["pills"]:
            assert pill["line"] != title["line"] or title["box"][1] <= pill["box"][0] + 1, found
    return len(found["titles"])


def test_a_row_without_a_title_has_its_pills(stage):
    """What stands out is in the place of the title: pills are beside it, and the rows below are drawn too."""
    kinds = stage.daemon.directory / "untitled.yaml"
    kinds.write_text(UNTITLED)
    rows = [{"id": f"u{n}", "kind": kind, "section": "grill", "title": "", "fields": {"note": note, "rush": rush}, "expand": state}
            for n, (kind, note, rush, state) in enumerate([
                ("two", "NO NUTS " * 9, "yes", "collapsed"), ("two", "NO NUTS", "yes", "collapsed"), ("whole", "x", "yes", "collapsed"),
                ("two", "one line", "no", "collapsed"), ("low", "NUTS", "no", "expanded"), ("low", "x", "no", "collapsed"),
                ("low", "NO NUTS " * 9, "no", "expanded"), ("two", "NO NUTS " * 5, "yes", "expanded"), ("two", "end", "no", "expanded")])]
    stage.fill("untitled", kinds, rows)
    stage.trestle("claim", "untitled", *[one["id"] for one in rows], "--as", "Ana")
    page = stage.open("/board/untitled", context=stage.context(viewport={"width": 390, "height": 900}))
    still(page)
    for one in rows:
        found = page.evaluate("""(name) => { const row = document.querySelector(`.row[data-row="${name}"]`);
            const boxes = (names) => [...row.querySelectorAll(names)].map((one) => one.getBoundingClientRect().toJSON());
            return {row: row.getBoundingClientRect().toJSON(), marks: boxes('.pill, .age'), stands: boxes('.stands'), names: boxes('.title')}; }""", one["id"])
        count = 0 if one["kind"] == "whole" else 1 if one["fields"]["rush"] == "no" else 2
        assert len(found["marks"]) >= 1 and len(found["stands"]) == count and len(found["names"]) == (count == 0), (one, found)
        if count:
            assert page.evaluate("(name) => getComputedStyle(document.querySelector(`.row[data-row='${name}'] .stands`)).color",
                                 one["id"]) == "rgb(255, 255, 255)"
        for name in found["names"]:
            assert name["top"] >= found["row"]["top"] and name["bottom"] <= found["row"]["bottom"], (one, found)
        for mark in found["marks"]:
            for box in found["stands"] + found["names"]:
                assert mark["left"] >= box["right"] or mark["top"] >= box["bottom"] - 1 or mark["bottom"] <= box["top"] + 1, (one, found)
    page.context.close()


def test_an_id_in_place_of_a_title_is_read_beside_a_claim(stage):
    """It has the room of a title that says the same, and no mark lies over the first field of a row without either."""
    kinds = stage.daemon.directory / "named.yaml"
    kinds.write_text(NAMED)
    rows = [{"id": f"order-20261201-004{n}", "kind": kind, "section": "grill", "title": "", "fields": fields, "expand": state}
            for n, (kind, fields, state) in enumerate([
                ("field", {"note": "NUTS"}, "collapsed"), ("whole", {"note": "x"}, "collapsed"), ("hand", {"note": "x"}, "collapsed"),
                ("field", {"note": "NUTS"}, "expanded"), ("whole", {"note": "x"}, "expanded"), ("hand", {"note": "x"}, "expanded"),
                ("hand", {"where": "Flat 12, third floor, the door on the left side of it"}, "expanded")])]
    stage.fill("named", kinds, rows)
    stage.trestle("claim", "named", *[one["id"] for one in rows], "--as", "Ekaterina Voznesenskaya",
                  "--note", "with the other pan, at table seven")
    page = stage.open("/board/named", context=stage.context(viewport={"width": 390, "height": 900}))
    still(page)
    for one in rows:
        found = page.evaluate("""(name) => { const row = document.querySelector(`.row[data-row="${name}"]`);
            const letters = (one) => { const range = document.createRange(); range.selectNodeContents(one);
                const {left, right, top, bottom} = range.getBoundingClientRect();
                return {left, right, top, bottom, size: parseFloat(getComputedStyle(one).fontSize),
                    isCut: getComputedStyle(one).overflow !== 'visible' && one.scrollWidth > one.clientWidth + 1}; };
            const icon = row.querySelector('.words > .mark')?.getBoundingClientRect();
            return {ids: [...row.querySelectorAll('.title')].map(letters), texts: [...row.querySelectorAll('.key, .value')].map(letters),
                icons: icon ? [icon.toJSON()] : [], pills: [...row.querySelectorAll('.pill')].map((one) => one.getBoundingClientRect().toJSON())};
        }""", one["id"])
        assert len(found["ids"]) == (one["kind"] != "hand" or one["expand"] == "collapsed"), (one, found)
        for text in found["ids"]:
            assert text["size"] >= 9 and not text["isCut"], (one, found)
        for mark in found["pills"] + found["icons"]:
            for text in found["ids"] + found["texts"]:
                apart = mark["left"] >= text["right"] - 1 or mark["right"] <= text["left"] + 1
                assert apart or mark["top"] >= text["bottom"] - 1 or mark["bottom"] <= text["top"] + 1, (one, found)
    page.context.close()
