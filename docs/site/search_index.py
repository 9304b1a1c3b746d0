"""What the site's search looks through: a list of places, each a heading with the text beneath it."""

import html
import html.parser
import json

# Between the texts of these a word ends.
APART = {"p", "li", "dt", "dd", "td", "th", "tr", "pre", "br", "div", "h1", "h2", "h3", "h4", "h5", "h6",
         "figcaption", "summary"}
HEADINGS = {"h1", "h2", "h3"}
# Pictures are not looked through.
SKIPPED = {"svg", "style", "script"}


class Places(html.parser.HTMLParser):
    """A page's places: [anchor, heading, text]."""

    def __init__(self, body):
        super().__init__()
        self.found, self.within, self.skipping = [["", "", ""]], "", 0
        self.feed(body)

    def handle_starttag(self, tag, attributes):
        self.skipping += tag in SKIPPED
        if tag in HEADINGS:
            self.within = tag
            self.found.append([dict(attributes).get("id") or "", "", ""])
        elif tag in APART:
            self.handle_data(" ")

    def handle_endtag(self, tag):
        self.skipping -= tag in SKIPPED
        if tag == self.within:
            self.within = ""
        elif tag in APART:
            self.handle_data(" ")

    def handle_data(self, text):
        if not self.skipping:
            self.found[-1][1 if self.within else 2] += text


def places(body):
    tidy = [[anchor, " ".join(heading.split()), " ".join(text.split())]
            for anchor, heading, text in Places(body).found]
    return [one for one in tidy if one[1] or one[2]]


def script(pages):
    """A script, since a page that is read from a disk may load one, but not a file of JSON."""
    listed = [[page.address, html.unescape(page.name), html.unescape(page.group), places(page.body)]
              for page in pages]
    return f"const PAGES = {json.dumps(listed, ensure_ascii=False, separators=(',', ':'))};\n"


BODY = """<h1>Search</h1>
<form class="search" role="search" action="search.html" aria-label="Everything">
<input type="search" name="q" id="asked" aria-label="Words to look for" autocomplete="off" maxlength="200">
<button>Search</button></form>
<noscript><p>The search runs in your browser, as a script of this site. Without scripts, see the list of all
pages.</p></noscript>
<p id="count" role="status"></p>
<ol id="found" class="found"></ol>
"""
