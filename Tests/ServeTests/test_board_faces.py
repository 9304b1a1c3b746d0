"""Faces of rows with titles and marks that need more room than there is, or less: nothing is cut or covered for no reason."""

import json

import pytest
from board_stage import Stage, still

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
    const end = row.getBoundingClientRect().right;
    const out = titles.filter((one) => letters(one).some(({right}) => right > end)).map((one) => one.textContent);
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
