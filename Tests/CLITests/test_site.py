"""The documentation as a site: each link leads somewhere, nothing comes from elsewhere, the same input gives the same
bytes, and what is put into it is found if it is wrong."""

import hashlib
import json
import shutil
import subprocess
import sys

import pytest
from cli_daemon import BIN, HERE

ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "docs/site"))

from check_site import check  # noqa: E402
from page import Document  # noqa: E402
from roff import Reader  # noqa: E402
from search_index import places  # noqa: E402
from site_pages import GROUPS  # noqa: E402


def made(man, out):
    subprocess.run([sys.executable, ROOT / "docs/site/make-site.py", "--man", man, "--out", out], check=True)
    return out


@pytest.fixture(scope="module")
def man(tmp_path_factory):
    folder = tmp_path_factory.mktemp("man")
    subprocess.run([sys.executable, ROOT / "docs/man/make-man.py", "--bin", BIN, "--out", folder], check=True)
    return folder


@pytest.fixture(scope="module")
def site(man, tmp_path_factory):
    return made(man, tmp_path_factory.mktemp("site") / "site")


def test_links_lead_somewhere_and_nothing_comes_from_elsewhere(site):
    faults, followed = check(site)
    assert not faults, "\n".join(faults)
    assert followed > 5000


def test_the_same_input_gives_the_same_bytes(man, site, tmp_path):
    def digests(folder):
        return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
                for path in folder.rglob("*") if path.is_file()}
    assert digests(made(man, tmp_path / "again")) == digests(site)


def test_every_page_of_the_documentation_is_in_a_list():
    listed = {source for _, pages in GROUPS for source, _, _ in pages}
    pages = {path.relative_to(ROOT).as_posix()
             for folder in ("docs", "docs/tutorials") for path in (ROOT / folder).glob("*.md")}
    assert pages <= listed, f"give them a place in docs/site/site_pages.py: {sorted(pages - listed)}"


def test_every_decision_and_every_man_page_has_a_page(man, site):
    assert len(list((ROOT / "docs/decisions").glob("*.md"))) == len(list((site / "decisions").glob("0*.html")))
    assert {f"{path.name}.html" for path in man.iterdir()} | {"index.html"} == \
        {path.name for path in (site / "man").iterdir()}


def test_the_search_knows_every_page_and_its_places_are_there(site):
    """A page of section 7 says what a page of the guide says, and is left out."""
    text = (site / "search-index.js").read_text()
    pages = json.loads(text.removeprefix("const PAGES = ").removesuffix(";\n"))
    known = {address for address, *_ in pages}
    for folder in ("man", "decisions"):
        assert {f"{folder}/{path.name}" for path in (site / folder).iterdir() if ".7." not in path.name} <= known
    assert {address for _, listed in GROUPS for _, address, _ in listed} <= known
    for address, name, _, found in pages:
        page = (site / address).read_text()
        assert name and found
        for anchor, heading, _ in found:
            assert not anchor or f'id="{anchor}"' in page, (address, anchor)
    # A page loads a script only where it has one.
    assert [path.relative_to(site).as_posix() for path in site.rglob("*.html")
            if "<script" in path.read_text()] == ["search.html"]


@pytest.mark.skipif(not shutil.which("node"), reason="the search is JavaScript")
@pytest.mark.parametrize("asked, anchor", [
    ("move to a new machine", "move-to-a-new-machine"), ("new machine", "move-to-a-new-machine"), ("sizing", "sizing"),
    ("TLS renewal", "tls-renewal"), ("rolling upgrade", "rolling-upgrade-of-a-cluster"),
    ("read-only tablets", "read-only-tablets"), ("disk full", "disk-full"),
])
def test_an_administrators_questions_are_answered_at_the_first_place(site, asked, anchor):
    search = (site / "search.js").read_text().split("// The part of the text around")[0]
    script = (site / "search-index.js").read_text() + search + f"""
        const [first] = look({json.dumps(asked)}).all;
        console.log(first.address, first.anchor);"""
    said = subprocess.run(["node", "-"], input=script, capture_output=True, text=True, check=True, timeout=60).stdout
    assert said.split() == ["guide/care.html", anchor]


def test_the_places_of_a_page():
    body = '<h1>A &amp; b</h1><p>one <b>two</b></p><h2 id="x">C</h2><svg><text>not</text></svg><ul><li>d</li><li>e</li></ul>'
    assert places(body) == [["", "A & b", "one two"], ["x", "C", "d e"]]


@pytest.mark.parametrize("body, fault", [
    ('<a href="nobody.html">x</a>', "leads to no file"),
    ('<a href="#nowhere">x</a>', "leads to no place"),
    ('<form action="nobody.html"></form>', "leads to no file"),
    ('<form action="https://example.org/"></form><script src="https://example.org/a.js"></script>', "is elsewhere"),
    ('<img src="https://example.org/a.png" alt="">', "is elsewhere"),
    ('<link rel="stylesheet" href="//example.org/a.css">', "is elsewhere"),
    ('<style>@import "https://example.org/a.css";</style>', "is elsewhere"),
    ('<a href="http://example.org/">x</a>', "is elsewhere"),
    ('<p onclick="x()">x</p>', "a script"),
    ('<p id="a">x</p><p id="a">x</p>', "two places"),
    ('<img src="index.html">', "without words"),
    ("<div><p>x</div>", "closes nothing"),
    ("<pre><code>\n</code></pre>", "nothing in it"),
])
def test_a_fault_is_found(tmp_path, body, fault):
    (tmp_path / "index.html").write_text(f"<!DOCTYPE html>\n{body}")
    faults, _ = check(tmp_path)
    assert any(fault in one for one in faults), faults


def test_a_file_that_nothing_leads_to_is_found(tmp_path):
    (tmp_path / "index.html").write_text('<a href="https://example.org/">outside is allowed</a>')
    (tmp_path / "left.svg").write_text("<svg/>")
    assert check(tmp_path)[0] == ["left.svg: nothing leads here"]


def test_a_page_of_markdown():
    page = Document("# One\n\n## Two: `a` and b\n\n## Two: `a` and b\n\n[VIEW.md](VIEW.md) <!-- not seen -->\n\n"
                    "```console\n$ a <b\nout\n```\n", lambda target: f"to/{target}", lambda target: "The viewer")
    assert [name for _, name, _ in page.headings] == ["one", "two-a-and-b", "two-a-and-b-1"]
    assert '<a href="to/VIEW.md">The viewer</a>' in page.body and "not seen" not in page.body
    assert '<b>a &lt;b</b>\nout</code>' in page.body


def test_a_man_page():
    text = ".SH Options\n.TP\n\\fB\\-\\-at\\fR \\fIn\\fR\nA <place>; see \\fBtrestle\\fR(1).\n.PP\n.in +4n\n.nf\na\n.fi\n.in\n"
    read = Reader({"trestle.1": "trestle.1.html"}).read(text)
    assert '<dt><b class="option">--at</b> <i>n</i></dt>' in read and "A &lt;place&gt;" in read
    assert '<a href="trestle.1.html"><b>trestle</b>(1)</a>' in read and "<code>a</code></pre>" in read
    assert '<h2 id="a-heading">A heading</h2>\n<h2 id="trestled-run">trestled run</h2>' == \
        Reader({}).read(".SH A HEADING\n.SH TRESTLED RUN\n")
    with pytest.raises(ValueError, match="nobody told"):
        Reader({}).read(".XX y")
