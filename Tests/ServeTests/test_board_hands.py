"""A shift by one hand alone, by touch, by keys, by a bump bar, in three languages. Nothing needs another hand."""

import json

import pytest
from board_stage import FULL, Fingers, Stage, calm, full, rows, settled, still

KINDS = {"kinds": {"ticket": {"height": 60, "trailing": {"fullSwipe": True, "actions": [
    {"id": "bump", "title": "Bump", "effect": [{"move": {"section": "pass", "bottom": True}}]}]}}}}
#: So many tickets: each is bumped, each fifth one is also taken back and bumped again.
TICKETS = full(300, 10)
#: The bar has nine tiles: as many tickets wait at most.
WAITING = 6
NEXT = """async ({n, count}) => { const {follow} = trestle.board;
    for (let k = n; k < n + count; k += 1)
        await follow.send({add: {id: `t${k}`, kind: 'ticket', section: 'grill', title: `${k} × soup`, bottom: true}});
    for (const {id} of [...trestle.board.table.sections.at(-1).rows].slice(0, -3)) await follow.send({remove: {rows: [id]}}); }"""


@pytest.fixture(scope="module")
def stage():
    with Stage(boards=()) as made:
        kinds = made.daemon.directory / "kinds.json"
        kinds.write_text(json.dumps(KINDS))
        for board in ("-".join(one) for one in SHIFTS):
            made.fill(board, kinds=kinds, rows=[])
            made.trestle("section", board, "grill")
            made.trestle("section", board, "pass")
        yield made
        assert made.wrong == []


class Touch:
    def __init__(self, page):
        self.page, self.fingers = page, Fingers(page)

    def bump(self, row):
        calm(self.page)
        at = rows(self.page)[row]
        self.fingers.swipe(350, at["top"] + at["height"] / 2, -320, steps=8)

    def undo(self):
        box = self.page.locator(".news button").first.bounding_box()
        self.fingers.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


class Keys:
    def __init__(self, page):
        self.page = page

    def bump(self, row):
        """The first row, and the action that lies furthest out."""
        self.page.keyboard.press("g")
        settled(self.page, f"document.activeElement.dataset.row === '{row}'")
        self.page.keyboard.press("ArrowLeft")
        settled(self.page, f"trestle.board.viewOf('{row}').swipe.edge === 'trailing'")
        self.page.keyboard.press("1")

    def undo(self):
        self.page.keyboard.press("u")


class Bar:
    def __init__(self, page):
        self.page = page

    def bump(self, row):
        calm(self.page)
        self.page.keyboard.press("1")

    def undo(self):
        self.page.keyboard.press("0")


HANDS = {"touch": (Touch, ""), "keys": (Keys, ""), "bar": (Bar, "&kiosk=1&bump=1")}
#: Two of them are not Latin.
LANGUAGES = ["ar", "ja", "de"]
#: Each hand in each language. In a quick run each hand has one, and each language a hand.
SHIFTS = [(hand, language) for at, hand in enumerate(HANDS) for language in (LANGUAGES if FULL else [LANGUAGES[at]])]


@pytest.mark.bound(120, 1500)
@pytest.mark.parametrize("hand, language", SHIFTS)
def test_a_shift(stage, hand, language):
    make, more = HANDS[hand]
    board = f"{hand}-{language}"
    other = stage.open(f"/board/{board}", context=stage.context())
    page = stage.open(f"/board/{board}?section=grill&lang={language}{more}", context=stage.context())
    assert page.evaluate("document.documentElement.lang") == language
    worker, come = make(page), 0
    first = "trestle.board.table.sections[0].rows[0]?.id"
    for n in range(TICKETS):
        if n == come:
            count = min(WAITING, TICKETS - come)
            other.evaluate(NEXT, {"n": come, "count": count})
            come += count
            settled(page, f"trestle.board.table.sections[0].count === {count}")
        assert page.evaluate(first) == f"t{n}"
        still(page)
        worker.bump(f"t{n}")
        settled(page, f"trestle.board.table.sectionOf('t{n}') === 'pass'")
        if n % 5 == 4:
            still(page)
            worker.undo()
            settled(page, f"{first} === 't{n}'")
            still(page)
            worker.bump(f"t{n}")
            settled(page, f"trestle.board.table.sectionOf('t{n}') === 'pass'")
    assert page.evaluate("trestle.board.table.sections[0].count") == 0
    settled(other, f"trestle.board.table.row('t{TICKETS - 1}') && trestle.board.table.sections[0].count === 0")
    page.context.close()
    other.context.close()
