"""Two screens at random: gestures, keys and edits. Nothing hangs, nothing typed is lost, and both have the daemon's digest."""

import json
import os
import random
import time

import pytest
from board_stage import OPEN, PHONE, Fingers, Stage, full, rows, settled

STEPS = int(os.environ.get("STEPS", full(10_000, 150)))
KEYS = ["j", "k", "g", "G", "ArrowRight", "ArrowLeft", "Enter", "Escape", "1", "2", "m", "c", "v", "u", "U", "t", "+", "-", "n",
        ".", "[", "]", "Space", "r", "#", "?", "E", "Tab"]
#: What is kept of what was typed and not sent: in drafts, and in the form that is open.
KEPT = """() => (localStorage.getItem('trestle.drafts') ?? '')
    + [...document.querySelectorAll('dialog input, dialog textarea')].map((one) => one.value).join(' ')"""
DIGEST = "() => [trestle.board.table.revision, String(trestle.board.table.digest)]"


@pytest.fixture
def stage():
    with Stage() as made:
        yield made
        assert made.wrong == []


class Person:
    def __init__(self, stage, dice, name):
        self.stage, self.dice, self.name = stage, dice, name
        self.page = stage.open(context=stage.context(viewport=PHONE))
        self.fingers = Fingers(self.page)
        self.typed = 0

    def act(self):
        [self.key, self.key, self.swipe, self.tap, self.drag, self.edit][self.dice.randrange(6)]()

    def key(self):
        self.page.keyboard.press(self.dice.choice(KEYS))

    def place(self):
        """Most often on a row."""
        there = [one for one in rows(self.page).values() if 60 < one["top"] < PHONE["height"] - 60]
        if not there or self.dice.random() < 0.2:
            return self.dice.randrange(5, PHONE["width"] - 5), self.dice.randrange(5, PHONE["height"] - 5)
        row = self.dice.choice(there)
        return self.dice.randrange(60, 330), row["top"] + min(row["height"] / 2, 60)

    def swipe(self):
        self.fingers.swipe(*self.place(), self.dice.randrange(-350, 350), self.dice.randrange(-20, 20), steps=5, pause=0.003)

    def tap(self):
        self.fingers.tap(*self.place())

    def drag(self):
        self.fingers.swipe(*self.place(), self.dice.randrange(-20, 20), self.dice.randrange(-300, 300), steps=5, pause=0.003)

    def edit(self):
        """Types a title that nobody else types. Afterwards it is the row's, or it is kept here."""
        for _ in range(3):
            if self.page.evaluate(OPEN + " !== null"):
                self.page.keyboard.press("Escape")
        ids = list(rows(self.page))
        if not ids:
            return
        row = self.dice.choice(ids)
        self.page.evaluate("(id) => document.querySelector(`.row[data-row=\"${id}\"]`)?.focus()", row)
        self.page.keyboard.press("e")
        self.page.wait_for_timeout(60)
        if not self.page.evaluate("document.querySelector('dialog form [type=submit]') !== null"):
            return
        self.typed += 1
        title = f"{self.name}-{self.typed}"
        self.page.keyboard.press("Control+a")
        self.page.keyboard.type(title)
        if self.dice.random() < 0.2:
            return self.page.keyboard.press("Escape")
        before = self.page.evaluate("trestle.board.table.revision")
        self.page.keyboard.press("Enter")
        told = f"trestle.said.has({json.dumps(title)}) || ({KEPT})().includes({json.dumps(title)})"
        try:
            settled(self.page, told, 30)
        except AssertionError:
            said = self.page.evaluate("[document.activeElement.outerHTML, document.querySelector('.news')?.textContent, "
                                      "[...document.querySelectorAll('dialog')].map((d) => d.textContent), trestle.board.table.row(%s)]" % json.dumps(row))
            raise AssertionError(f"{title} of {row} is lost: {said}") from None
        assert self.page.evaluate("trestle.board.table.revision") >= before


#: Remembers each title and each field that rows have had.
LISTEN = """() => { trestle.said = new Set();
    trestle.board.follow.onDiffs((all) => { for (const {rows} of all) for (const {after} of rows)
        if (after) for (const text of [after.title, ...Object.values(after.fields ?? {})]) trestle.said.add(text); }); }"""


@pytest.mark.bound(150, 3000)
def test_two_screens(stage):
    seed = int(os.environ.get("SEED", "51"))
    dice = random.Random(seed)
    people = [Person(stage, dice, name) for name in ("ana", "kim")]
    for person in people:
        person.page.evaluate(LISTEN)
    for step in range(STEPS):
        people[step % 2].act()
        if step % 25 == 24:
            count = people[0].page.evaluate("trestle.board.table.size")
            if count < 10:
                stage.trestle("import", "kitchen", "-", stdin="".join(
                    json.dumps({"id": f"n{step}-{n}", "title": f"new {n}", "kind": "ticket", "section": "grill"}) + "\n" for n in range(10)))
    for person in people:
        settled(person.page, "document.querySelector('#freshness')?.dataset.state === 'live'", 60)
    one, other = (person.page for person in people)
    end = time.monotonic() + 60
    while one.evaluate(DIGEST) != other.evaluate(DIGEST) and time.monotonic() < end:
        time.sleep(0.2)
    assert one.evaluate(DIGEST) == other.evaluate(DIGEST), seed
    shown = json.loads(stage.trestle("-o", "json", "show", "kitchen"))
    assert int(shown["revision"]) == one.evaluate("trestle.board.table.revision")
    assert sum(person.typed for person in people) > STEPS / 40, "rows were edited"
