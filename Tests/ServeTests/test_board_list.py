"""Only what is seen is in the document, it stands still while rows come above it, and it scrolls far."""

import json
import random

import pytest
from board_stage import Fingers, Stage, full, no_lifts, rows, settled, still

COUNT = full(100_000, 3_000)


@pytest.fixture(scope="module")
def stage():
    with Stage(boards=()) as made:
        made.fill("kitchen", rows=[
            {"id": f"t{n}", "kind": "ticket", "section": "grill", "title": f"Ticket {n}",
             "expand": "expanded" if n % 7 == 3 else "collapsed"} for n in range(COUNT)])
        yield made


@pytest.fixture(scope="module")
def page(stage):
    page = stage.open()
    no_lifts(page)
    return page


MOST = "document.querySelectorAll('.row').length"


@pytest.mark.bound(120, 900)
def test_flicks(page):
    """However fast it is thrown: at most 80 rows, never a gap, and they are in the table's order."""
    fingers = Fingers(page)
    for turn in range(full(60, 8)):
        fingers.swipe(200, 700, 0, -550, steps=6, pause=0.006)
        assert page.evaluate(MOST) <= 80
        if turn % 4 == 3:
            still(page)
            seen = [one for one in rows(page).values() if one["top"] < 844 and one["top"] + one["height"] > 100]
            for above, below in zip(seen, seen[1:]):
                assert abs(above["top"] + above["height"] - below["top"]) <= 1
            order = [int(one["id"][1:]) for one in seen]
            assert order == list(range(order[0], order[0] + len(order)))


def test_positions_are_said_rightly(page):
    """Each row says its place among all, not among those in the document."""
    wrong = page.evaluate("""() => [...document.querySelectorAll('.row:not([hidden])')].filter(r =>
        Number(r.ariaPosInSet) !== trestle.board.table.indexOf(r.view.id) + 1
        || Number(r.ariaSetSize) !== trestle.board.table.size).length""")
    assert wrong == 0
    # At one moment: the list may still be on its way.
    owned, shown = page.evaluate("""[document.querySelector('[role=list]').getAttribute('aria-owns').split(' ').length,
        document.querySelectorAll('.row:not([hidden])').length]""")
    assert owned == shown


def test_the_end_and_back(page):
    page.evaluate("trestle.board.keys.focusOn('t5', true)")
    page.keyboard.press("End")
    settled(page, f"document.activeElement.dataset.row === 't{COUNT - 1}'")
    still(page)
    last = rows(page)[f"t{COUNT - 1}"]
    assert last["top"] + last["height"] <= 844
    page.keyboard.press("Home")
    settled(page, "document.activeElement.dataset.row === 't0'")
    assert page.evaluate(MOST) <= 80


def test_what_is_read_stands_still(stage, page):
    """Rows that come, go and open above leave what is seen where it is, to the pixel."""
    page.evaluate("trestle.board.lists[0].scrollTo(9000)")
    still(page)
    view = next(one for one in rows(page).values() if 200 < one["top"] < 600)
    for turn in range(full(30, 3)):
        for command in (["add", "kitchen", "new", "--id", f"new{turn}", "--kind", "ticket", "--section", "grill", "--top"],
                        ["expand", "kitchen", f"t{turn}", "--toggle"], ["remove", "kitchen", f"new{turn}"]):
            stage.trestle(*command)
        revision = int(stage.daemon.ask("tables")["tables"]["tables"][0]["revision"])
        settled(page, f"trestle.board.table.revision >= {revision}")
        still(page)
        assert abs(rows(page)[view["id"]]["top"] - view["top"]) <= 1


def test_what_is_read_stands_still_before_a_diff_is_told(stage, page):
    """A diff is applied in several tasks on a slow machine, and a frame between two of them draws the table as it is."""
    page.evaluate("trestle.board.lists[0].scrollTo(9000)")
    still(page)
    view = next(one for one in rows(page).values() if 200 < one["top"] < 600)
    page.evaluate("(trestle.untold = [], trestle.board.changed = (changes) => trestle.untold.push(...changes), 0)")
    before = page.evaluate("trestle.board.lists[0].layout.offsetOf('t90')")
    stage.trestle("expand", "kitchen", "t31", "--to", "200")
    settled(page, "trestle.untold.length > 0")
    assert page.evaluate("trestle.board.lists[0].layout.offsetOf('t90')") >= before + 50
    # A person scrolls in the same moment.
    page.evaluate("(trestle.board.lists[0].element.scrollTop += 30, trestle.board.lists[0].renderSoon())")
    still(page)
    assert abs(rows(page)[view["id"]]["top"] + 30 - view["top"]) <= 1
    page.evaluate("(delete trestle.board.changed, trestle.board.changed(trestle.untold))")
    still(page)
    assert abs(rows(page)[view["id"]]["top"] + 30 - view["top"]) <= 1


def test_what_is_read_far_down_stands_still_at_another_width(stage):
    """Nothing above it is measured yet, and it is at the beginning of what is measured at once."""
    page = stage.open(context=stage.context())
    still(page)
    [row, top] = page.evaluate("""() => { const list = trestle.board.lists[0], {layout} = list;
        const block = layout.table.sections[0].blocks[20], {id} = block.entries[0].row;
        list.scrollTo(layout.offsetOf(id) + 3);
        list.render(false);
        return [id, list.box(id).top]; }""")
    for width in (700, 390):
        page.set_viewport_size({"width": width, "height": 844})
        settled(page, f"innerWidth === {width} && Math.abs(trestle.board.lists[0].width - innerWidth) < 40")
        assert abs(page.evaluate("id => trestle.board.lists[0].box(id).top", row) - top) <= 1
        settled(page, "trestle.board.lists[0].layout.measure(0) === 0 && !trestle.board.lists[0].isOutdated")
        still(page)
        assert abs(rows(page)[row]["top"] - top) <= 1
    page.context.close()


def test_a_section_that_is_made_moves_nobody(stage, page):
    """The columns are made anew, and who reads in the midst of one stays there."""
    page.evaluate("trestle.board.lists[0].scrollTo(9000)")
    still(page)
    view = next(one for one in rows(page).values() if 200 < one["top"] < 600)
    stage.daemon.ask("command", {"section": {"id": "later", "title": "Later"}}, "kitchen")
    settled(page, "trestle.board.lists[0].sections.includes('later')")
    still(page)
    assert abs(rows(page)[view["id"]]["top"] - view["top"]) <= 1


def test_the_focus_follows_its_row(stage, page):
    page.evaluate("trestle.board.keys.focusOn('t40', true)")
    stage.trestle("move", "kitchen", "t40", "--after", "t44")
    settled(page, "trestle.board.table.indexOf('t40') >= 44")
    assert page.evaluate("document.activeElement.dataset.row") == "t40"
    stage.trestle("remove", "kitchen", "t40")
    settled(page, "!trestle.board.table.row('t40')")
    settled(page, "document.activeElement.dataset.row === 't45'")
    assert stage.wrong == []


def test_an_engine_that_does_not_say_when_a_scroll_ends(stage):
    """The window of offsets goes along all the same, once nothing was scrolled for a moment."""
    context = stage.context()
    context.add_init_script("""for (const one of [HTMLElement, Element]) delete one.prototype.onscrollend;
        addEventListener('scrollend', (event) => event.stopImmediatePropagation(), true);""")
    page = stage.open("/board/kitchen", context=context)
    assert not page.evaluate("'onscrollend' in document.documentElement")
    page.evaluate("""() => { const [list] = trestle.board.lists, was = list.recentre.bind(list);
        window.ends = 0; list.recentre = () => { window.ends += 1; was(); };
        list.element.scrollTop = 200; }""")
    settled(page, "window.ends === 1")


#: Heights of its opened rows depend on each title, on what stands out, and on each field.
OPEN_KINDS = """
kinds:
  ticket:
    height: 60
    states: [collapsed, expanded]
    ages: {warn: 300, late: 600}
    show: {wrap: 2, line: ["{table}", "{note}"], detail: [note]}
    emphasis: [{when: 'field.note ~ "ALLERGY"', field: note, icon: warning}]
table: {expandPolicy: independent}
"""
WORDS = ["ribeye", "medium", "rare", "sin cebolla", "寿司", "👩‍👩‍👧", "ALLERGY", "Donaudampfschifffahrt", "12", "and", "—"]


@pytest.mark.bound(120, 600)
def test_opened_rows_have_exact_heights(stage):
    """When thousands of rows have been opened at once, nothing stays estimated: all stand where `trestle layout` says."""
    count, dice = full(10_000, 1_000), random.Random(50)

    def text(most):
        return " ".join(dice.choice(WORDS) for _ in range(dice.randint(1, most)))

    kinds = stage.daemon.directory / "open.yaml"
    kinds.write_text(OPEN_KINDS)
    stage.fill("open", kinds, [
        {"id": f"o{n}", "kind": "ticket", "section": "grill", "title": text(12),
         "fields": {"note": text(20), "table": str(n), **({"more": text(30)} if n % 3 == 0 else {})}} for n in range(count)])
    page = stage.open("/board/open")
    opened = json.loads(stage.trestle("-o", "json", "expand", "open", "--all"))
    settled(page, f"trestle.board.table.revision >= {opened['revision']}", 60)
    settled(page, "trestle.board.lists.every((one) => !one.isBehind && one.layout.measure(0) === 0)", 60)
    width, head, whole, frames = page.evaluate("""() => { const [{width, head, layout}] = trestle.board.lists;
        const frames = trestle.board.table.sections[0].rows.map(({id}) => [id, layout.offsetOf(id), layout.heightOf(id)]);
        return [width, head, layout.contentHeight, frames]; }""")
    said = json.loads(stage.trestle("-o", "json", "layout", "open", "--width", str(width)))
    assert len(frames) == count and whole == said["contentHeight"] + head
    assert [(name, y, height) for name, y, height in frames] == [
        (one["id"], one["y"] + head, one["height"]) for one in said["rows"]]
    assert len({one["height"] for one in said["rows"]}) > 5
    assert stage.wrong == []
