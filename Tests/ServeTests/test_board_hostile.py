"""Titles, fields and faces that would be code: shown as text, and nothing else happens."""

import json

import pytest
from board_stage import Stage, calm, full, settled, still

NASTY = [
    "<img src=x onerror=alert(1)>", "<script>document.title='no'</script>", "\"><svg onload=alert(1)>",
    "javascript:alert(1)", "{{constructor.constructor('alert(1)')()}}", "</div></main><h1>mine</h1>",
    "\u202egnp.exe", "\u2066left\u2069 \u200f right", "a\u0007b\u001b[31mred\u0085\u2028next", "<style>*{display:none}</style>",
    "&lt;b&gt; &amp; &#60;", "x" * 3000, "👩‍👩‍👧‍👦" * 100, "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢", "<a href='//evil.example'>tap</a>", "`${alert(1)}`", "__proto__", "constructor",
]
KINDS = """
kinds:
  ticket:
    height: 76
    states: [collapsed, expanded]
    trailing:
      style: custom
      width: 90
      actions:
        - {id: run, title: "<img src=x onerror=alert(1)>", background: "#112233",
           face: {vertical: [{text: "{title}", size: 12}, {image: {path: "M0 0L24 24"}, size: 16}, {text: "<b>{note}</b>"}]},
           effect: {set: {done: "yes"}}}
        - {id: two, title: "\\u202eevil", icon: star, effect: {set: {two: "yes"}}}
"""

#: Whether all files that the page is made of are kept for the time without a server.
KEPT = """caches.open('trestle-shell').then(cache => cache.keys()).then(kept => {
    const paths = new Set(kept.map(one => new URL(one.url).pathname));
    const used = performance.getEntriesByType('resource').map(one => new URL(one.name).pathname)
        .filter(path => /^[/](built|fonts|icons)[/]/.test(path));
    return used.length > 4 && used.every(path => paths.has(path)); })"""


@pytest.fixture(scope="module")
def stage():
    with Stage(boards=()) as made:
        kinds = made.daemon.directory / "kinds.yaml"
        kinds.write_text(KINDS)
        made.fill("kitchen", kinds, [
            {"id": f"n{index}", "kind": "ticket", "section": f"<i>{index % 3}", "title": NASTY[index % len(NASTY)],
             "fields": {"note": NASTY[(index + 5) % len(NASTY)], f"<u>{index}": "1", "__proto__": "x"},
             "expand": "expanded" if index % 4 == 0 else "collapsed"}
            for index in range(full(1000, 40))])
        yield made


def test_it_is_all_text(stage):
    page = stage.context().new_page()
    reports, dialogs, foreign = [], [], []
    page.on("console", lambda said: "Content Security Policy" in said.text and reports.append(said.text))
    page.on("pageerror", lambda error: reports.append(str(error)))
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda asked: asked.url.startswith((stage.gateway.origin, "data:")) or foreign.append(asked.url))
    page.add_init_script("document.addEventListener('securitypolicyviolation', e => { "
                         "(window.violations ??= []).push(e.violatedDirective + ' ' + e.blockedURI); })")
    page.goto(stage.gateway.origin + "/board/kitchen")
    page.wait_for_selector(".row")
    settled(page, "document.querySelector('#freshness')?.dataset.state === 'live'")
    tags = "[...new Set([...document.querySelectorAll('#app *')].map(e => e.localName))].sort().join(' ')"
    for _ in range(full(40, 4)):
        assert set(page.evaluate(tags).split()) <= {
            "button", "circle", "div", "h1", "h2", "header", "i", "input", "main", "p", "path", "rect", "search", "select",
            "span", "svg", "text"}
        assert page.evaluate("document.querySelectorAll('#app i').length") == 0
        # A row that is scrolled away would show no actions.
        still(page)
        reply = page.evaluate("""() => {
            // An opened row shows every letter, and may be higher than the window.
            const inSight = row => row.getBoundingClientRect().bottom > 160 && row.getBoundingClientRect().top < 600;
            const row = [...document.querySelectorAll('.row:not([hidden])')].find(inSight);
            return trestle.board.follow.send({swipe: {row: row.view.id, edge: 'trailing'}}); }""")
        assert reply["ok"], reply
        settled(page, "[...document.querySelectorAll('.action')].length > 0")
        page.evaluate("trestle.board.lists[0].element.scrollTop += 700")
    still(page)
    calm(page)
    page.locator(".more:visible").first.tap()
    settled(page, "document.querySelector('dialog[open]')")
    assert page.evaluate("document.querySelectorAll('dialog img, dialog script, dialog a').length") == 0
    page.keyboard.press("Escape")
    # Marks that change the direction of text are spelled out, wherever text is shown.
    marks = "/[\\u202a-\\u202e\\u2066-\\u2069\\u200e\\u200f\\u0000-\\u0008\\u001b]/"
    assert not page.evaluate(f"{marks}.test(document.body.textContent)")
    assert not page.evaluate(f"[...document.querySelectorAll('[aria-label]')].some(e => {marks}.test(e.ariaLabel))")
    assert page.evaluate("document.title") == "kitchen · Trestle"
    assert page.evaluate("window.violations ?? []") == []
    assert (reports, dialogs, foreign) == ([], [], [])


def test_hostile_names(stage):
    """A board's and a section's name in the address are text as well."""
    page = stage.context().new_page()
    wrong = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(stage.gateway.origin + "/board/%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E?section=%3Cscript%3E")
    page.wait_for_selector(".blank h2")
    assert page.evaluate("document.querySelectorAll('#app img').length") == 0
    assert wrong == []


#: All that a table may be called, and that means something in an address.
NAMES = [".", "..", " ", "%2e%2e", "#x", "a?b&c=d", "a\\b"]
NAMES += full(["...", "a b", "%", "%2F", "__proto__", "+", "<b>", "Küche", "pair"], [])


@pytest.mark.bound(180, 400)
def test_a_board_of_any_name(stage):
    """From the list of boards, and by its own address after a reload."""
    for name in NAMES:
        stage.trestle("create", "--", name)
        stage.trestle("add", "--", name, f"In {name}")
    page = stage.open("/", context=stage.context(), live=False)
    for name in NAMES:
        link = "n => [...document.querySelectorAll('.tables a')].find(a => a.querySelector('span span').textContent === n)"
        settled(page, f"({link})({json.dumps(name)})")
        page.goto(page.evaluate(f"n => ({link})(n).href", name))
        for isAgain in [False, True] if name in (".", "..") else [False]:
            if isAgain:
                page.reload()
            settled(page, f"window.trestle?.board?.table?.name === {json.dumps(name)}")
            settled(page, "document.querySelector('#freshness').dataset.state === 'live'")
            assert page.evaluate("[...trestle.board.table.entries.values()].map(e => e.row.title)") == [f"In {name}"]
        page.goto(stage.origin + "/")


def test_installable(stage):
    """The browser offers to install it: manifest, icons and worker are in order."""
    import shutil
    import tempfile
    from board_stage import CHROMIUM, FLAGS
    folder = tempfile.mkdtemp(prefix="c", dir="/tmp")
    context = stage.play.chromium.launch_persistent_context(
        folder, executable_path=CHROMIUM, args=FLAGS)
    try:
        page = context.new_page()
        page.goto(stage.link())
        page.wait_for_url(stage.gateway.origin + "/")
        page.goto(stage.gateway.origin + "/board/kitchen")
        page.wait_for_selector(".row")
        settled(page, "navigator.serviceWorker.ready.then(() => true)", 30)
        wire = context.new_cdp_session(page)
        said = wire.send("Page.getInstallabilityErrors")["installabilityErrors"]
        assert [one["errorId"] for one in said if one["errorId"] != "in-incognito"] == [], json.dumps(said)
        settled(page, KEPT, 60)
        # Without a server the page opens all the same, and says that it is not connected.
        stage.gateway.kill()
        page.reload()
        settled(page, "document.querySelector('#freshness')?.dataset.state === 'disconnected'"
                      " && trestle.board.known && document.querySelectorAll('.row').length > 3", 60)
        page.evaluate("localStorage.removeItem('trestle.known')")
        page.reload()
        settled(page, "document.querySelector('.blank h2')?.textContent === 'Not connected'", 60)
        stage.gateway.start()
        settled(page, "document.querySelectorAll('.row').length > 3", 60)
    finally:
        context.close()
        shutil.rmtree(folder, ignore_errors=True)
