"""What is seen after the finger has gone: places of rows and headings, frame by frame. No test measures time."""

import json
import time

import pytest
from board_stage import Fingers, Stage, eventually, no_lifts, rows, settled, still
from harness import Link

KINDS = """
kinds:
  ticket:
    height: 76
    margins: {text: 16, bottom: 28}
    states: [collapsed, expanded]
    leading: {style: circular, width: 52, spacing: 12, actions: [{id: recall, title: Recall, effect: {set: {state: cooking}}}]}
    trailing:
      fullSwipe: true
      actions:
        - {id: bump, title: Bump, background: "#237a4b", effect: [{set: {state: ready}}, {move: {section: pass, bottom: true}}]}
        - {id: page, title: Page, background: "#b45f06", effect: {set: {paged: "yes"}}}
  courses: {height: 92, strip: true}
"""
TICKETS = [{"id": f"t{n}", "kind": "ticket", "section": ("grill", "fry", "pass")[n // 3], "title": f"Ticket {n}",
            "fields": {"table": str(n)}} for n in range(9)]

#: Notes each frame until it is told to end: where rows, headings, what leaves and what is lifted are.
RECORD = """() => { window.seen = []; window.recording = true;
    const box = (e) => { const b = e.getBoundingClientRect(); return {top: b.top, height: b.height, left: b.left, width: b.width}; };
    const look = () => { if (!window.recording) return;
        const frame = {rows: {}, heads: {}, goes: [], lifted: null};
        for (const r of document.querySelectorAll('.row:not([hidden])')) {
            const slide = box(r.view.slide).left - box(r).left;
            // An announced size covers all others.
            const all = r.view.buttons.element.hidden ? [] : r.view.buttons.kept.map(k => k.button).filter(e => !e.hidden);
            const over = all.filter(e => e.style.zIndex === '2');
            const faces = (over.length ? over : all).map(e => e.getAttribute('aria-label'));
            const one = {...box(r), slide, faces};
            if (r.classList.contains('goes')) frame.goes.push(one); else frame.rows[r.view.id] = one; }
        for (const list of trestle.board.lists) for (const [id, head] of list.heads) frame.heads[id] = box(head.element).top;
        const up = document.querySelector('.floating');
        if (up) { const s = getComputedStyle(up);
            frame.lifted = {...box(up), scale: Number(s.scale === 'none' ? 1 : s.scale), opacity: Number(s.opacity),
                            shadow: s.boxShadow, radius: s.borderRadius}; }
        seen.push(frame); requestAnimationFrame(look); };
    requestAnimationFrame(look); }"""


@pytest.fixture(scope="module")
def stage():
    with Stage(boards=()) as made:
        kinds = made.daemon.directory / "motion.yaml"
        kinds.write_text(KINDS)
        made.fill("kitchen", kinds, TICKETS)
        yield made


@pytest.fixture(scope="module")
def page(stage):
    page = stage.open(viewport={"width": 390, "height": 1200})
    return page


def recorded(page, during, until=None):
    still(page)
    page.evaluate(RECORD)
    during()
    if until:
        settled(page, until)
    still(page)
    page.evaluate("window.recording = false")
    return page.evaluate("window.seen")


def middle(page, row):
    one = rows(page)[row]
    return one["top"] + one["height"] / 2


def falls(values, by=0.6):
    return all(later <= before + by for before, later in zip(values, values[1:]))


def test_a_full_swipe_goes_on_out_and_then_the_gap_closes(stage, page):
    fingers = Fingers(page)
    no_lifts(page)
    fingers.way(350, middle(page, "t0"), -300, 0)
    eventually(lambda: rows(page)["t0"]["armed"], 5)
    seen = recorded(page, fingers.lift, "trestle.board.table.sectionOf('t0') === 'pass'")
    left = [one for frame in seen for one in frame["goes"]]
    assert len(left) > 3 and left[-1]["height"] < 60
    before = [frame["rows"]["t0"] for frame in seen if not frame["goes"] and frame["rows"]["t0"]["slide"] < -1]
    way = [one["slide"] for one in before + left]
    assert falls(way) and way[-1] <= -389, "it goes on out in the direction of the finger"
    assert {tuple(one["faces"]) for one in before + left if one["height"] > 60} == {("Bump",)}, "no other button is seen"
    for frame in seen:
        for one in frame["goes"]:
            if one["slide"] > -340:
                assert frame["rows"]["t1"]["top"] >= seen[0]["rows"]["t1"]["top"] - 1, "the gap closes afterwards"
    tops = [frame["rows"]["t1"]["top"] for frame in seen]
    assert falls(tops) and tops[0] - tops[-1] == pytest.approx(76, abs=1)
    stage.trestle("move", "kitchen", "t0", "--section", "grill", "--top")
    settled(page, "trestle.board.table.indexOf('t0') === 0")


def test_headings_go_with_their_rows(stage, page):
    """At each frame a heading stands right above its first row, and never on a row of another section."""
    for command in (["remove", "kitchen", "t1"], ["add", "kitchen", "Ticket 1", "--id", "t1", "--kind", "ticket",
                                                  "--section", "grill", "--top"], ["expand", "kitchen", "t2", "--toggle"],
                    ["expand", "kitchen", "t2", "--toggle"]):
        revision = page.evaluate("trestle.board.table.revision")
        seen = recorded(page, lambda: stage.trestle(*command), f"trestle.board.table.revision > {revision}")
        assert len({round(frame["heads"]["fry"]) for frame in seen}) > 3, "it glides"
        for frame in seen:
            assert frame["rows"]["t3"]["top"] - frame["heads"]["fry"] == pytest.approx(44, abs=1), command


def test_what_is_refused_comes_back_and_says_why(page):
    fingers = Fingers(page)
    page.evaluate("""() => { const one = trestle.board.follow; window.send = one.send; one.send = async () => {
        await new Promise(done => setTimeout(done, 400));
        return {ok: false, error: {code: 'noSuchAction', message: 'no'}}; }; }""")
    fingers.way(350, middle(page, "t3"), -300, 0)
    eventually(lambda: rows(page)["t3"]["armed"], 5)
    seen = recorded(page, fingers.lift, "document.querySelector('.news[data-kind=refused]')")
    page.evaluate("() => { trestle.board.follow.send = window.send; trestle.board.newsBar.hide(); }")
    way = [frame["rows"]["t3"]["slide"] for frame in seen]
    out = way.index(min(way))
    assert falls(way[:out + 1]) and min(way) <= -389
    assert falls(way[out:][::-1]) and way[-1] == 0
    open_ = {tuple(frame["rows"]["t3"]["faces"]) for frame in seen if frame["rows"]["t3"]["slide"] < -20}
    assert open_ == {("Bump",)}


def lift(page, fingers, row, dx=0):
    page.evaluate("trestle.board.gestures.hold = () => 300")
    y = middle(page, row)
    fingers.press(150 + dx, y - 20)
    settled(page, "document.querySelectorAll('.floating').length === 1 && trestle.board.follow.drags.size === 1")
    return y - 20


def holes(page, height=76):
    """Where something as high as a row is missing between rows and headings, as drawn."""
    return page.evaluate("""(height) => { const box = (e) => e.getBoundingClientRect();
        const list = trestle.board.lists[0];
        const all = [...[...list.views.values()].filter(v => !v.element.classList.contains('away')
                && !v.element.classList.contains('theirs')).map(v => box(v.element)),
            ...[...list.heads.values()].map(h => box(h.element))].sort((a, b) => a.top - b.top);
        const found = [];
        all.forEach((one, n) => { if (n && Math.abs(one.top - all[n - 1].bottom - height) < 2) found.push(all[n - 1].bottom);
            if (n && one.top < all[n - 1].bottom - 1) found.push('overlap'); });
        return found; }""", height)


def test_a_gap_opens_where_a_dragged_row_would_land(stage, page):
    """Here and on other screens; the old place closes, and there is no other gap."""
    other = stage.open(context=stage.context(), viewport={"width": 390, "height": 1200})
    fingers = Fingers(page)
    y = lift(page, fingers, "t0")
    places = set()
    for step in range(1, 11):
        fingers.move(150, y + step * 34)
        still(page)
        place = page.evaluate("trestle.board.drag.place.place")
        places.add(json.dumps(place))
        gap = page.evaluate("(b => b.top)(document.querySelector('.landing.gap').getBoundingClientRect())")
        found = holes(page)
        # At the bottom of all there is no row behind it.
        assert found == ([] if place == {"after": "t8"} else [pytest.approx(gap, abs=1)]), (place, found)
        up = page.evaluate("(b => b.top + b.height / 2)(document.querySelector('.floating').getBoundingClientRect())")
        assert abs(gap + 38 - up) <= 76, "it is where the finger is"
        if step % 5 == 3:
            settled(other, "trestle.board.lists[0].gaps.length === 1")
            want = json.dumps(place)
            settled(other, f"(l => JSON.stringify(l) === JSON.stringify({want}))((({{before, after, section, top, bottom}}) =>"
                           " ({before, after, section, top, bottom}))(trestle.board.follow.presence.leases[0] ?? {}))")
            still(other)
            assert holes(other) == found
            assert rows(other)["t0"]["top"] == pytest.approx(gap, abs=1), "the row itself stands in it, pale"
    assert len(places) > 4
    before = {one["id"]: one["top"] for one in rows(page).values() if one["id"] != "t0"}
    seen = recorded(page, fingers.lift, "!document.querySelector('.floating') && !trestle.board.drag")
    for frame in seen:
        for row, top in before.items():
            assert frame["rows"][row]["top"] == pytest.approx(top, abs=1), "nothing moves at the drop: the gap was the place"
    settled(other, "!document.querySelector('.ghost')")
    other.close()
    stage.trestle("move", "kitchen", "t0", "--section", "grill", "--top")
    settled(page, "trestle.board.table.indexOf('t0') === 0")


def test_a_row_is_lifted_and_put_down_as_the_kind_says(page):
    """Shown from nothing and by its whole shadow at once, centred on the finger, no wider than the screen (H7)."""
    fingers = Fingers(page)
    still(page)
    page.evaluate(RECORD)
    y = lift(page, fingers, "t4")
    settled(page, "document.querySelector('.floating').getAnimations().length === 0")
    fingers.lift()
    settled(page, "!document.querySelector('.floating')")
    page.evaluate("window.recording = false")
    up = [frame["lifted"] for frame in page.evaluate("window.seen") if frame["lifted"]]
    top = max(range(len(up)), key=lambda n: up[n]["opacity"] if up[n]["scale"] > 1.0499 else 0)
    assert up[0]["opacity"] < 0.3 and up[0]["scale"] < 1.02
    assert up[top]["opacity"] == pytest.approx(0.98) and up[top]["scale"] == pytest.approx(1.05)
    rises = [one["opacity"] for one in up[:top + 1]]
    assert falls(rises[::-1], 0.001) and len(rises) > 3
    assert {one["shadow"] for one in up[:top + 1]} == {"rgba(0, 0, 0, 0.4) -5px 0px 10px 0px"}
    assert {one["radius"] for one in up} == {"0px"}
    assert up[top]["top"] + up[top]["height"] / 2 == pytest.approx(y, abs=1.5)
    assert up[top]["left"] >= -0.5 and up[top]["width"] <= 390.5
    assert up[-1]["opacity"] >= 0.98 and up[-1]["scale"] < 1.03, "on its way to 1 and 1"
    assert page.evaluate("[...document.querySelectorAll('.away')].length") == 0


ANIMATED = """row => { const one = trestle.board.viewOf(row)?.element ?? document.querySelector('.row.goes');
    return one ? one.getAnimations().filter(a => !(a instanceof CSSTransition)).map(a => [a.effect.getTiming().duration,
        a.effect.getKeyframes().map(k => [k.translate ?? '', k.opacity ?? ''])]) : null; }"""


def test_rows_come_and_go_as_hints_and_the_table_say(stage, page):
    """`motion.expand` is the table's; `left`, `right`, `top`, `bottom`, `fade`, `none` and `automatic` are the op's."""
    stage.trestle("define", "kitchen", "-", stdin="table: {motion: {expand: 0.4}}\n")
    settled(page, "trestle.board.table.settings.motion?.expand === 0.4")
    ways = {"left": "-100%", "right": "100%", "top": "0px -100%", "bottom": "0px 100%"}
    page.evaluate("""() => { window.told = []; trestle.board.follow.onDiffs((changes) => {
        for (const {rows} of changes) for (const one of rows) window.told.push([one.before !== null, look(one.id)]); }); }"""
                  .replace("look(", f"({ANIMATED})("))
    for hint in (*ways, "fade", "automatic", "none"):
        for verb in ("add", "remove"):
            still(page)
            page.evaluate("window.told = []")
            words = ["Hint", "--id", "hint", "--kind", "ticket", "--section", "grill", "--top"] if verb == "add" else ["hint"]
            stage.trestle(verb, "kitchen", *words, "--hint", hint)
            settled(page, "window.told.length === 1")
            (_, found), = page.evaluate("window.told")
            settled(page, "!document.querySelector('.row.goes')")
            if hint == "none":
                assert not found
                continue
            (took, frames), = found
            assert took == 400
            translate, opacity = frames[0 if verb == "add" else -1]
            assert (translate, opacity) == ((ways[hint], "") if hint in ways else ("", "0")), (verb, hint)
    # Rows and headings go on for as long.
    page.evaluate("""() => trestle.board.follow.onDiffs(() => { document.body.offsetTop; window.moves = document.getAnimations()
        .filter(a => a instanceof CSSTransition && ['transform', 'height'].includes(a.transitionProperty)
            && a.effect.target.closest('.stage > *') === a.effect.target)
        .map(a => [a.effect.target.className.split(' ')[0], a.effect.getTiming().duration]); })""")
    stage.trestle("expand", "kitchen", "t0", "--toggle")
    settled(page, "window.moves?.length")
    moves = page.evaluate("window.moves")
    assert {what for what, _ in moves} >= {"row", "section"} and {took for _, took in moves} == {400}
    stage.trestle("expand", "kitchen", "t0", "--toggle")
    stage.trestle("define", "kitchen", "-", stdin="table: {motion: ~}\n")
    settled(page, "(trestle.board.table.settings.motion?.expand ?? 0.3) === 0.3")


def test_circles_go_to_a_new_place_in_the_time_of_their_kind(stage, page):
    """With the finger they are where the layout has them; when the row becomes higher they glide."""
    still(page)
    stage.trestle("swipe", "kitchen", "t0", "--leading")
    settled(page, "trestle.board.viewOf('t0').swipe.pull > 60")
    still(page)
    page.evaluate("""() => { window.face = trestle.board.viewOf('t0').buttons.kept[0].face; window.went = null;
        trestle.board.follow.onDiffs(() => { document.body.offsetTop;
            window.went ??= face.getAnimations().map(a => [a.transitionProperty, a.effect.getTiming().duration]); }); }""")
    stage.trestle("expand", "kitchen", "t0", "--toggle")
    settled(page, "window.went !== null")
    assert page.evaluate("window.went") == [["top", 500]]
    stage.trestle("expand", "kitchen", "t0", "--toggle")
    stage.trestle("swipe", "kitchen", "t0", "--close")
    settled(page, "!trestle.board.viewOf('t0').swipe.pull")


def test_who_asks_for_less_motion_sees_none(stage):
    page = stage.open(context=stage.context(reduced_motion="reduce"), viewport={"width": 390, "height": 1200})
    fingers = Fingers(page)
    seen = recorded(page, lambda: stage.trestle("move", "kitchen", "t1", "--section", "fry", "--bottom"),
                    "trestle.board.table.sectionOf('t1') === 'fry'")
    assert len({round(frame["rows"]["t3"]["top"]) for frame in seen}) <= 2 and not any(frame["goes"] for frame in seen)
    assert len({round(frame["heads"]["fry"]) for frame in seen}) <= 2
    seen = recorded(page, lambda: lift(page, fingers, "t4"))
    assert {(one["opacity"], one["scale"]) for one in (frame["lifted"] for frame in seen) if one} == {(0.98, 1.05)}
    fingers.lift()
    settled(page, "!document.querySelector('.floating')")
    stage.trestle("move", "kitchen", "t1", "--after", "t0")
    page.close()


def test_many_changes_are_drawn_once_in_a_frame(stage, page):
    """Two hundred moves among a thousand rows, as fast as they come: the board never says that it hears nothing."""
    stage.fill("rush", stage.daemon.directory / "motion.yaml", [
        {"id": f"r{n}", "kind": "ticket", "section": "grill", "title": f"Row {n}"} for n in range(1000)])
    other = stage.open("/board/rush", context=stage.context())
    other.evaluate("""() => { window.frames = 0; window.drawn = []; window.states = new Set(); window.diffs = 0;
        const board = trestle.board, draw = board.drawChanges.bind(board), loop = () => { frames += 1;
            states.add(board.follow.freshness().state); requestAnimationFrame(loop); };
        requestAnimationFrame(loop);
        board.follow.onDiffs((all) => { diffs += all.length; });
        board.drawChanges = (changes) => { drawn.push([frames, changes.length]); draw(changes); }; }""")
    link = Link(stage.daemon.endpoint)
    due = time.monotonic()
    for n in range(200):
        link.ask("command", {"move": {"rows": [f"r{n * 7 % 1000}"], "after": f"r{(n * 13 + 1) % 1000}"}}, "rush", 20)
        due += 0.005
        time.sleep(max(0, due - time.monotonic()))
    link.close()
    settled(other, "window.diffs == 200")
    settled(other, "trestle.board.follow.freshness().state === 'live'")
    drawn = other.evaluate("window.drawn")
    assert sum(count for _, count in drawn) == 200
    per_frame = {frame: sum(1 for one, _ in drawn if one == frame) for frame, _ in drawn}
    assert max(per_frame.values()) <= 2, "one that came first, and all others together"
    assert set(other.evaluate("[...window.states]")) <= {"live", "catchingUp"}
    # A backlog is called so, and is not silence.
    other.evaluate("""() => { const one = trestle.board.follow.follower; window.take = one.take; one.take = async (news) => {
        await new Promise(done => { window.go = done; }); one.take = window.take; return window.take.call(one, news); }; }""")
    for n in range(3):
        stage.trestle("set", "rush", "r1", "--title", f"Late {n}")
    settled(other, "/changes? ha(s|ve) come that/.test(document.querySelector('.banner:not([hidden])')?.textContent ?? '')")
    assert other.evaluate("document.querySelector('#freshness').dataset.state") == "catchingUp"
    other.evaluate("window.go()")
    settled(other, "trestle.board.follow.freshness().state === 'live'")
    other.close()


def test_all_heights_are_those_of_the_daemon(stage):
    """Four hundred opened rows, most of them never seen (rule C5)."""
    words = "one two three four five six seven eight nine ten "
    stage.fill("high", stage.daemon.directory / "motion.yaml", [
        {"id": f"h{n}", "kind": "ticket", "section": "grill", "title": words * (n % 7) + "W" * (n % 30), "expand": "expanded",
         "fields": {"n": str(n)}} for n in range(400)])
    page = stage.open("/board/high")
    laid = json.loads(stage.trestle("-o", "json", "layout", "high", "--width", "390"))
    settled(page, f"Math.abs(trestle.board.lists[0].layout.contentHeight - 44 - {laid['contentHeight']}) < 0.01")
    settled(page, f"Math.abs(trestle.board.lists[0].spacer.offsetHeight - 44 - 96 - {laid['contentHeight']}) < 1")
    page.close()


def test_titles_of_items_have_their_whole_width(stage):
    stage.fill("strips", stage.daemon.directory / "motion.yaml", [
        {"id": "s", "kind": "courses", "section": "grill", "title": "Table 4",
         "items": [{"id": f"i{n}", "title": title, "fields": {"qty": "2"}} for n, title in
                   enumerate(("Burrata", "Whole sea bass", "WWWW iiii", "2 × fries"))]}])
    page = stage.open("/board/strips")
    cut = page.evaluate("""() => [...document.querySelectorAll('.item > span')].filter(s => { const r = document.createRange();
        r.selectNodeContents(s); return r.getBoundingClientRect().width > s.getBoundingClientRect().width + 0.02
            || s.scrollWidth > s.clientWidth; }).map(s => s.textContent)""")
    assert page.locator(".item").count() == 4
    assert cut == []
    assert stage.wrong == []
    page.close()
