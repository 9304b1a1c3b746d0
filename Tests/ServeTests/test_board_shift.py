"""A shift, compressed: orders come, are swiped, bumped and voided, and the page stays as large as it was."""

import pytest
from board_stage import Stage, full, settled

#: What comes and goes in one round, by another client than the page's own.
ROUND = """async (n) => { const board = trestle.board.follow;
    for (let k = 0; k < 20; k++) { const id = `s${n}-${k}`;
        await board.send({add: {id, kind: 'ticket', section: ['grill', 'fry', 'cold'][k % 3], title: 'Order ' + id, top: k % 2 === 0,
                                bottom: k % 2 === 1, fields: {table: String(k)}}});
        if (k % 3 === 0) await board.send({swipe: {row: id, edge: 'trailing'}});
        if (k % 4 === 0) await board.send({expand: {row: id, toggle: true}}); }
    for (let k = 0; k < 20; k++) { const id = `s${n}-${k}`;
        if (k % 2) await board.send({act: {row: id, action: 'bump', edge: 'trailing'}});
        await board.send({remove: {rows: [id]}}); } }"""


@pytest.fixture(scope="module")
def stage():
    with Stage() as made:
        yield made


def size(page, wire):
    """Heap in MiB after the garbage is collected, and elements of the document."""
    for _ in range(3):
        wire.send("HeapProfiler.collectGarbage")
    heap = wire.send("Runtime.getHeapUsage")["usedSize"] / 2**20
    return heap, page.evaluate("document.querySelectorAll('*').length")


@pytest.mark.bound(240, 1500)
def test_it_does_not_grow(stage):
    page = stage.open(context=stage.context())
    wire = page.context.new_cdp_session(page)
    wire.send("HeapProfiler.enable")
    for turn in range(3):
        page.evaluate(ROUND, turn)
    settled(page, "trestle.board.table.size === 12", 60)
    heap, elements = size(page, wire)
    for turn in range(3, full(200, 10)):
        page.evaluate(ROUND, turn)
    settled(page, "trestle.board.table.size === 12", 60)
    page.evaluate("trestle.board.newsBar.hide()")
    later, then = size(page, wire)
    assert later - heap <= 10, f"{heap:.1f} -> {later:.1f} MiB"
    assert then <= elements + 150, f"{elements} -> {then} elements"
    assert stage.wrong == []
