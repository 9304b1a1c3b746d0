"""The site in a browser: no page is wider than its window, what is wide scrolls in its place, headings are in order,
nothing is asked of anybody, and axe finds nothing to complain of, in light and in dark. What is beautiful, a person has
to say."""

import os
import subprocess
import sys

import pytest
from axe_playwright_python.sync_playwright import Axe
from cli_daemon import BIN, HERE
from playwright.sync_api import sync_playwright

ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "docs/site"))

from site_pages import GROUPS  # noqa: E402

# What a server may allow at the least.
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; form-action 'self'; " \
    "base-uri 'none'; require-trusted-types-for 'script'"
KINDS = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
# Those of each sort. They are looked at in each width, all others in that of a phone.
PAGES = ["search.html?q=claim"] + [address for _, pages in GROUPS for _, address, _ in pages] + [
    "man/trestle-watch.1.html", "man/trestled.yaml.5.html", "man/trestle-protocol.7.html",
    "decisions/0007-dependencies.html", "files/examples/kitchen.yaml.html", "files/docs/pictures/browser/index.html"]
# What stands out to the right, where nothing scrolls it.
WIDE = """() => [...document.querySelectorAll('body *')].filter((one) => {
    const box = one.getBoundingClientRect();
    return box.width > 0 && box.right > document.documentElement.clientWidth + 1
        && !one.closest('pre, .table, svg, .top');
}).map((one) => one.outerHTML.slice(0, 80))"""


# What a reader stumbles over: headings out of order, pictures that do not come, text that is cut off at the right.
ODD = """() => {
    const found = [], seen = [...document.querySelectorAll('h1, h2, h3, h4, h5, h6')];
    const level = (one) => one ? Number(one.tagName[1]) : 0;
    if (seen.filter((one) => level(one) === 1).length !== 1) found.push('not one heading of the page');
    seen.forEach((one, at) => {
        if (level(one) > level(seen[at - 1]) + 1) found.push('a level is left out before ' + one.textContent);
    });
    for (const one of document.images) if (!one.naturalWidth) found.push('no picture: ' + one.src);
    for (const one of document.querySelectorAll('main, pre, .table')) {
        if (one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX !== 'auto')
            found.push('cut off: ' + one.outerHTML.slice(0, 80));
    }
    return found;
}"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    for script, options in (("man/make-man.py", ["--bin", BIN, "--out", folder / "man"]),
                            ("site/make-site.py", ["--man", folder / "man", "--out", folder / "site"])):
        subprocess.run([sys.executable, ROOT / "docs" / script, *options], check=True)
    return folder / "site"


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as play:
        found = play.chromium.launch(executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium-headless-shell"),
                                     args=["--no-sandbox", "--disable-gpu"])
        yield found
        found.close()


def test_no_page_is_wider_than_its_window(site, browser):
    page = browser.new_context().new_page()
    asked, said = [], []
    page.on("request", lambda request: asked.append(request.url))
    # Its icon is asked for late, and is let go when the next page is opened.
    page.on("requestfailed", lambda request: request.failure == "net::ERR_ABORTED"
            or said.append(f"{request.url} did not come: {request.failure}"))
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda fault: said.append(str(fault)))
    others = {path.relative_to(site).as_posix() for path in site.rglob("*.html")} - set(PAGES)
    for address in [*PAGES, *sorted(others)]:
        page.goto(f"file://{site}/{address}")
        for width in (320, 768, 1280, 2000) if address in PAGES else (390,):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate(WIDE) == [], (address, width)
            assert page.evaluate(ODD) == [], (address, width)
        assert said == [], address
    assert len(others) > 100 and len(asked) >= len(PAGES) + len(others)
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []


@pytest.mark.parametrize("width, scheme", [(390, "dark"), (1280, "light")])
def test_axe_has_nothing_to_complain_of(site, browser, width, scheme):
    page = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme).new_page()
    for address in ("index.html", "search.html?q=claim", "tutorials/kitchen.html", "guide/view.html", "man/trestle-watch.1.html",
                    "decisions/0007-dependencies.html"):
        page.goto(f"file://{site}/{address}")
        found = Axe().run(page).response["violations"]
        assert not found, (address, [(one["id"], one["nodes"][0]["html"]) for one in found])


def first(page):
    link = page.locator("#found a").first
    return link.inner_text(), link.get_attribute("href")


def test_the_search_finds_as_a_file(site, browser):
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    faults = []
    page.on("pageerror", lambda fault: faults.append(fault))
    page.goto(f"file://{site}/guide/view.html")
    page.fill("nav.lists input[name=q]", "digest")
    page.press("nav.lists input[name=q]", "Enter")
    page.wait_for_selector("#found li")
    assert page.url == f"file://{site}/search.html?q=digest"
    for asked, name, address in (
            ("trestle wait", "trestle-wait(1)", "man/trestle-wait.1.html"),
            ("Trestle-WAIT", "trestle-wait(1)", "man/trestle-wait.1.html"),
            ("wait until bänch", None, None), ("", None, None), ("-- ..", None, None),
            ("a" * 10_000, None, None), ("<img src=x onerror=alert(1)>", None, None)):
        page.fill("#asked", asked)
        if name:
            assert first(page) == (name, address)
        else:
            assert page.locator("#found li").count() == 0, asked
    page.fill("#asked", "drags")
    assert page.locator("#found li").count() >= 3 and page.locator("#found mark").first.inner_text().lower() == "drags"
    link = page.locator("#found a[href*='#']").first
    name = link.inner_text()
    link.click()
    assert page.evaluate("document.querySelector(':target').textContent").strip() == name
    assert faults == []


def test_the_search_runs_under_a_strict_policy(site, browser):
    """Nothing is inline, nothing is asked of anybody, and what was asked stays text."""
    page = browser.new_context().new_page()
    said, asked = [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda fault: said.append(str(fault)))

    def serve(route):
        path = route.request.url.removeprefix("http://site.test/").partition("?")[0]
        asked.append(path)
        route.fulfill(path=site / path, content_type=KINDS[path[path.rindex("."):]],
                      headers={"Content-Security-Policy": POLICY})
    page.route("**/*", serve)
    page.goto("http://site.test/search.html?q=%3Cb%3Eclaim%3C%2Fb%3E")
    assert page.input_value("#asked") == "<b>claim</b>"
    page.fill("#asked", "claim")
    assert page.locator("#found li").count() > 5
    page.press("#asked", "Enter")
    assert page.url == "http://site.test/search.html?q=claim"
    assert said == [] and sorted(set(asked)) == \
        ["icon.svg", "search-index.js", "search.html", "search.js", "style.css"]


def test_what_is_too_wide_is_found(site, browser):
    page = browser.new_context(viewport={"width": 390, "height": 900}).new_page()
    page.goto(f"file://{site}/index.html")
    page.evaluate("document.querySelector('h1').style.width = '500px'")
    assert page.evaluate(WIDE) != []
    for harm in ("document.querySelector('h1').outerHTML = '<h3>x</h3>'", "document.querySelector('main img').src = 'none.svg'",
                 "document.querySelector('pre').style.overflow = 'hidden'"):
        page.goto(f"file://{site}/start.html")
        assert page.evaluate(ODD) == []
        page.evaluate(harm)
        page.wait_for_function(f"({ODD})().length > 0")
