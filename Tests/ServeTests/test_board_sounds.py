"""Exactly one sound for each rule that holds, and none for a row that was there: counted where tones are made."""

import json

import pytest
from board_stage import Stage, settled

KINDS = {"kinds": {"ticket": {"height": 60, "states": ["collapsed", "expanded"], "ages": {"warn": 300, "late": 600}}}}
#: An audio sink that only notes the first tone of each melody: 880 is that of new rows, 660 that of late ones.
SINK = """window.heard = [];
    class Gain { constructor() { this.gain = {setValueAtTime() {}, exponentialRampToValueAtTime() {}}; } connect(to) { return to; } }
    class Tone { constructor() { this.frequency = {value: 0}; } connect(to) { return to; } stop() {}
        start(at) { window.heard.push([this.frequency.value, at]); } }
    window.AudioContext = class { constructor() { this.currentTime = 0; this.state = 'running'; this.destination = new Gain(); }
        createOscillator() { return new Tone(); } createGain() { return new Gain(); } resume() {} };"""
MELODIES = """(() => { const all = window.heard.map(([f]) => f);
    return {new: all.filter(f => f === 880).length, late: all.filter(f => f === 495).length}; })()"""


@pytest.fixture(scope="module")
def stage():
    with Stage(boards=()) as made:
        kinds = made.daemon.directory / "kinds.json"
        kinds.write_text(json.dumps(KINDS))
        made.fill("board", kinds=kinds, rows=[
            {"id": "old", "kind": "ticket", "section": "grill", "title": "old", "createdMs": 1},
            {"id": "there", "kind": "ticket", "section": "grill", "title": "there"}])
        made.trestle("add", "board", "away", "--id", "away", "--kind", "ticket", "--section", "fry")
        yield made
        # While the gateway is away the browser complains of it.
        assert [one for one in made.wrong if 'ERR_CONNECTION_RE' not in one] == []  # refused or reset


def opened(stage, query="?section=grill&sound=on"):
    context = stage.context()
    context.add_init_script(SINK)
    return stage.open(f"/board/board{query}", context=context)


def heard(page, **melodies):
    """So many of each since the last look, and no more within a second."""
    want = {"new": 0, "late": 0} | melodies
    settled(page, f"(h => h.new >= {want['new']} && h.late >= {want['late']})({MELODIES})")
    page.wait_for_timeout(1100)
    assert page.evaluate(MELODIES) == want
    page.evaluate("window.heard = []")


def add(stage, name, section="grill"):
    stage.trestle("add", "board", name, "--id", name, "--kind", "ticket", "--section", section)


def test_what_this_screen_did_is_no_news_also_under_an_earlier_client_id(stage):
    """The daemon had forgotten the one that it had, so it has another one by now."""
    page = opened(stage)
    page.evaluate("""() => { const {writer} = trestle.session;
        trestle.board.follow.send({add: {id: 'own', title: 'own', section: 'grill', kind: 'ticket'}});
        writer.begin(writer.prefix, writer.identity.window); }""")
    settled(page, "trestle.board.table.row('own')")
    heard(page)
    assert "own" not in page.locator("[aria-live=polite]").inner_text()
    stage.trestle("remove", "board", "own")


def test_one_sound_for_what_is_new_here(stage):
    page = opened(stage)
    heard(page)
    add(stage, "first")
    heard(page, new=1)
    add(stage, "elsewhere", "fry")
    heard(page)
    stage.trestle("move", "board", "elsewhere", "--section", "grill", "--bottom")
    heard(page, new=1)
    stage.trestle("move", "board", "elsewhere", "--top")
    stage.trestle("set", "board", "first", "--field", "note=x")
    heard(page)
    # This page's own, and several at once.
    page.evaluate("trestle.board.follow.send({add: {section: 'grill', title: 'mine', kind: 'ticket'}})")
    settled(page, "document.querySelector('[aria-label^=mine]')")
    heard(page)
    lines = "".join(json.dumps({"id": f"many{n}", "title": "many", "kind": "ticket", "section": "grill"}) + "\n" for n in range(9))
    stage.trestle("import", "board", "-", "--format", "ndjson", stdin=lines)
    heard(page, new=1)
    # It goes, and an undo of others brings it back: it is new again, once.
    stage.trestle("--as", "ana", "remove", "board", "many1")
    heard(page)
    stage.trestle("--as", "ana", "undo", "board")
    heard(page, new=1)
    page.reload()
    page.wait_for_selector(".row")
    settled(page, "document.querySelector('#freshness')?.dataset.state === 'live'")
    heard(page)
    page.close()


def test_over_a_reconnection_only_what_is_new(stage):
    page = opened(stage)
    stage.gateway.kill()
    settled(page, "document.querySelector('#freshness').dataset.state === 'disconnected'", 30)
    stage.gateway.start()
    settled(page, "document.querySelector('#freshness').dataset.state === 'live'", 40)
    heard(page)
    stage.gateway.kill()
    settled(page, "document.querySelector('#freshness').dataset.state === 'disconnected'", 30)
    add(stage, "meanwhile")
    stage.gateway.start()
    settled(page, "document.querySelector('#freshness').dataset.state === 'live' && trestle.board.table.row('meanwhile')", 40)
    heard(page, new=1)
    # The whole table, as after a long gap, with a row that the page has not heard of.
    unheard(page, lambda: add(stage, "unheard"))
    settled(page, "trestle.board.table.row('unheard')", 40)
    heard(page, new=1)
    page.close()


def unheard(page, change):
    """A snapshot brings what the change makes, as after a long gap."""
    page.evaluate("() => { const one = trestle.board.follow.follower; one.take = async () => {}; }")
    change()
    page.evaluate("() => { const one = trestle.board.follow.follower; delete one.take; one.step('snapshot'); one.work(); }")


def test_what_stands_out_or_has_failed_after_a_gap(stage):
    """It is news once, and what stood out or had failed before is none."""
    stage.trestle("create", "gaps")
    kinds = stage.daemon.directory / "gaps.json"
    kinds.write_text(json.dumps({
        "kinds": {"ticket": {
            "height": 60, "emphasis": [{"when": "field.note ~ 'ALLERGY'", "field": "note"}],
            "trailing": {"actions": [{"id": "print", "title": "Print", "effect": {"invoke": {"deadline": 60}}}]}}},
        "table": {"alerts": [{"on": "emphasised"}, {"on": "failed", "sound": "alarm"}]}}))
    stage.trestle("define", "gaps", str(kinds))
    for name in ("was", "comes", "fails"):
        stage.trestle("add", "gaps", name, "--id", name, "--kind", "ticket", "--section", "main")
    stage.trestle("set", "gaps", "was", "--field", "note=ALLERGY: nuts")
    context = stage.context()
    context.add_init_script(SINK)
    page = stage.open("/board/gaps?sound=on", context=context)

    def counted():
        page.wait_for_timeout(1100)
        said = page.evaluate("window.heard.map(([f]) => f)")
        page.evaluate("window.heard = []")
        return said.count(880), said.count(988)

    def fails():
        stage.trestle("act", "gaps", "fails", "print")
        stage.trestle("handle", "gaps", "print", "--count", "1", "--", "sh", "-c", "exit 3", check=False)

    assert counted() == (0, 0)
    unheard(page, lambda: stage.trestle("set", "gaps", "comes", "--field", "note=ALLERGY: milk"))
    settled(page, "JSON.stringify(trestle.board.table.row('comes')).includes('milk')", 40)
    assert counted() == (1, 0)
    unheard(page, fails)
    settled(page, "trestle.board.table.row('fails').performed?.some((one) => one.state === 'failed')", 40)
    assert counted() == (0, 3)
    unheard(page, lambda: stage.trestle("set", "gaps", "comes", "--field", "seat=4"))
    settled(page, "JSON.stringify(trestle.board.table.row('comes')).includes('seat')", 40)
    assert counted() == (0, 0)
    page.close()


def test_one_sound_for_what_becomes_late_and_headings_count(stage):
    page = opened(stage)
    settled(page, "document.querySelector('.section .late-count').textContent === '1 late'")
    heard(page)
    page.evaluate("() => { const now = trestle.board.now.bind(trestle.board); trestle.board.now = () => now() + 700000;"
                  " trestle.board.tick(); }")
    heard(page, late=1)
    count = page.evaluate("trestle.board.table.sections.find(s => s.id === 'grill').count")
    assert page.evaluate("document.querySelector('.section .late-count').textContent") == f"{count} late"
    page.evaluate("trestle.board.tick()")
    heard(page)
    # A row that comes late is new, and not late by the clock.
    stage.trestle("move", "board", "away", "--section", "grill", "--bottom")
    heard(page, new=1)
    assert page.evaluate("document.querySelector('.section .late-count').textContent") == f"{count + 1} late"
    page.close()
    stage.trestle("move", "board", "away", "--section", "fry", "--bottom")


def test_a_section_that_is_switched_on_was_late_before(stage):
    page = opened(stage, "?section=fry&sound=on")
    settled(page, "trestle.board.alerts.looked.has('fry')")
    page.evaluate("() => { trestle.board.settings.set('section', []); trestle.board.settled(); }")
    settled(page, "trestle.board.alerts.looked.has('grill') && trestle.board.alerts.late.has('old')")
    heard(page)


def test_each_rule_has_a_switch(stage):
    page = opened(stage, "?section=grill&sound=late")
    add(stage, "silent")
    settled(page, "trestle.board.table.row('silent')")
    heard(page)
    page.get_by_role("button", name="More", exact=True).tap()
    page.get_by_role("button", name="This screen").tap()
    settled(page, "document.querySelector('dialog:not(.rising) .switch')")
    assert page.get_by_role("switch", name="Sound of late rows").get_attribute("aria-checked") == "true"
    page.get_by_role("switch", name="Sound of new rows").tap()
    settled(page, "trestle.board.settings.sound === 'on'")
    page.get_by_role("switch", name="Sound of late rows").tap()
    settled(page, "trestle.board.settings.sound === 'new'")
    add(stage, "loud")
    heard(page, new=1)
    page.close()


def test_the_alerts_of_a_board(stage):
    """They say which rows sound, and the screen's sheet has a switch for each sort of news that they name."""
    kinds = stage.daemon.directory / "alerts.json"
    kinds.write_text(json.dumps({"table": {"alerts": [
        {"on": "new", "in": ["fry"], "repeat": 3}, {"on": "failed", "sound": "alarm"}]}}))
    stage.trestle("define", "board", str(kinds))
    try:
        page = opened(stage, "?sound=on")
        add(stage, "hushed", "grill")
        heard(page)
        add(stage, "rung", "fry")
        heard(page, new=1)
        settled(page, f"({MELODIES}).new === 1")
        # A reload ends no reminder, and finds what came meanwhile; a touch ends both.
        page.goto("about:blank")
        add(stage, "meanwhile too", "fry")
        page.goto(f"{stage.origin}/board/board?sound=on")
        settled(page, f"({MELODIES}).new === 1", 40)
        settled(page, f"({MELODIES}).new === 2")
        page.keyboard.press("Shift")
        page.evaluate("window.heard = []")
        page.wait_for_timeout(3500)
        assert page.evaluate(MELODIES) == {"new": 0, "late": 0}
        # Where the rule does not hold, nobody is reminded: the row has gone on to another station.
        add(stage, "goes on", "fry")
        heard(page, new=1)
        stage.trestle("move", "board", "goes on", "--section", "grill", "--bottom")
        page.evaluate("window.heard = []")
        page.wait_for_timeout(3500)
        assert page.evaluate(MELODIES) == {"new": 0, "late": 0}
    finally:
        kinds.write_text(json.dumps({"table": {"alerts": None}}))
        stage.trestle("define", "board", str(kinds))
    add(stage, "later", "grill")
    heard(page, new=1)


def test_each_rule_sounds_for_itself(stage):
    """One change brings two rows, each with a rule of its own, and then one row for which two rules hold."""
    kinds = stage.daemon.directory / "two.json"
    kinds.write_text(json.dumps({"table": {"alerts": [
        {"on": "new", "in": ["fry"]}, {"on": "new", "in": ["grill"], "sound": "bell"}, {"on": "new", "kinds": ["ticket"], "sound": "alarm"}]}}))
    stage.trestle("define", "board", str(kinds))
    try:
        page = opened(stage, "?sound=on")
        lines = "".join(json.dumps({"id": f"two {one}", "title": one, "kind": "ticket", "section": one}) + "\n" for one in ("fry", "grill"))
        stage.trestle("import", "board", "-", "--format", "ndjson", stdin=lines)
        settled(page, "window.heard.length >= 2 + 3 + 5")
        page.wait_for_timeout(1100)
        tones = page.evaluate("window.heard.sort((a, b) => a[1] - b[1]).map(([f]) => f)")
        # One after the other, none over another.
        assert tones == [880, 1174, 988, 740, 988, 740, 988, 660, 495, 660] or tones == [660, 495, 660, 988, 740, 988, 740, 988, 880, 1174], tones
        assert page.evaluate("window.heard.every(([, at], n, all) => n === 0 || at - all[n - 1][1] > 0.15)")
    finally:
        kinds.write_text(json.dumps({"table": {"alerts": None}}))
        stage.trestle("define", "board", str(kinds))


#: The system's notifications, noted; and a page that the test says is out of sight.
SYSTEM = """window.told = []; window.away = false; window.answer = 'denied';
    window.Notification = class { static permission = 'default';
        static async requestPermission() { return Notification.permission = window.answer; } };
    Object.defineProperty(document, 'hidden', {get: () => window.away});
    ServiceWorkerRegistration.prototype.showNotification = async function (title, {body, tag}) { told.push([title, body, tag]); };
    window.go = (away) => { window.away = away; document.dispatchEvent(new Event('visibilitychange', {bubbles: true})); };"""


def test_the_system_tells_of_news_while_nobody_sees_the_page(stage):
    context = stage.context()
    context.add_init_script(SINK)
    context.add_init_script(SYSTEM)
    page = stage.open("/board/board?section=grill&sound=off", context=context)
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.evaluate("trestle.board.head.gear.click()")
    switch = page.locator("dialog:not(.rising)").get_by_role("switch", name="Notifications")
    # A browser that refuses turns it off again, and that is said.
    switch.tap()
    page.get_by_text("The browser does not let this page notify.").wait_for()
    settled(page, "trestle.board.settings.notify === false")
    assert switch.get_attribute("aria-checked") == "false"
    page.evaluate("window.answer = 'granted'")
    switch.tap()
    settled(page, "trestle.board.settings.notify === true")
    page.keyboard.press("Escape")
    add(stage, "seen")
    settled(page, "trestle.board.table.row('seen')")
    page.evaluate("go(true)")
    for name in ("told-1", "told-2"):
        add(stage, name)
    add(stage, "not here", "fry")
    settled(page, "told.length > 0")
    page.wait_for_timeout(2_500)
    told = page.evaluate("told")
    assert told[-1] == ["board", "New: told-1, told-2", "board new"] and len(told) <= 2, told
    for name in ("told-3", "told-4"):
        add(stage, name)
    settled(page, "told.at(-1)[1] === 'New: told-3, told-4, told-1 and 1 more'")
    # Seen once, it is not told again.
    page.evaluate("go(false)")
    page.evaluate("told.length = 0")
    add(stage, "at work")
    settled(page, "trestle.board.table.row('at work')")
    page.evaluate("go(true)")
    add(stage, "another")
    settled(page, "told.length > 0")
    assert page.evaluate("told") == [["board", "New: another", "board new"]]
    heard(page)
    page.close()
