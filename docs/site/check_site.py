#!/usr/bin/env python3
"""Checks a site that make-site.py made: each link leads to a file and a place that are there, nothing comes from
elsewhere, and no file is left that no link leads to.

    docs/site/check_site.py .build/site
"""

import html.parser
import pathlib
import posixpath
import re
import sys
import urllib.parse

# What a browser fetches by itself.
FETCHED = {("link", "href"), ("object", "data"), ("use", "href"), ("image", "href"), ("base", "href")}
VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}
# A foreign address in a style sheet or in a picture.
FOREIGN = re.compile(r"""(?:@import|url\(|xlink:href=|\bsrc=)\s*["'(]*\s*(?:https?:)?//[^"')\s]+""")


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.is_empty = True
        self.ids, self.links, self.fetched, self.faults, self.open = set(), [], [], [], []
        self.feed(text)
        self.faults += [f"<{tag}> is never closed" for tag in self.open]

    def handle_starttag(self, tag, attributes, closed=False):
        if tag not in VOID and not closed:
            self.open.append(tag)
        if tag == "pre":
            self.is_empty = True
        for name, value in attributes:
            if name == "id":
                if value in self.ids:
                    self.faults.append(f"two places are called {value}")
                self.ids.add(value)
            elif name in ("src", "srcset", "poster") or (tag, name) in FETCHED:
                self.fetched.append(value or "")
            elif name == "href" or (tag, name) == ("form", "action"):
                self.links.append(value or "")
            elif name.startswith("on") or (tag == "script" and name == "type"):
                self.faults.append(f"a script in <{tag}>")
        if tag == "img" and "alt" not in dict(attributes):
            self.faults.append("an image without words")

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes, closed=True)

    def handle_data(self, data):
        self.is_empty = self.is_empty and not data.strip()

    def handle_endtag(self, tag):
        if tag == "pre" and self.is_empty:
            self.faults.append("a block of code with nothing in it")
        if tag in VOID:
            return
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> closes nothing")


def check(site):
    """The faults of a site, each a sentence, and how many links were followed."""
    site = pathlib.Path(site)
    files = {path.relative_to(site).as_posix(): path for path in site.rglob("*") if path.is_file()}
    pages = {name: Page(path.read_text()) for name, path in files.items() if name.endswith(".html")}
    faults, reached, followed = [], {"index.html"}, 0
    for name, page in sorted(pages.items()):
        faults += [f"{name}: {fault}" for fault in page.faults]
        for address, fetches in [(one, False) for one in page.links] + [(one, True) for one in page.fetched]:
            parts = urllib.parse.urlsplit(address)
            if parts.scheme == "data":
                continue
            if parts.scheme or parts.netloc:
                if fetches or parts.scheme not in ("https", "mailto"):
                    faults.append(f"{name}: {address} is elsewhere")
                continue
            followed += 1
            path = urllib.parse.unquote(parts.path)
            target = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
            if target not in files:
                faults.append(f"{name}: {address} leads to no file")
                continue
            reached.add(target)
            place = urllib.parse.unquote(parts.fragment)
            if place and (target not in pages or place not in pages[target].ids):
                faults.append(f"{name}: {address} leads to no place")
    for name, path in sorted(files.items()):
        if name not in reached:
            faults.append(f"{name}: nothing leads here")
        if path.suffix in (".css", ".svg", ".html"):
            faults += [f"{name}: {found} is elsewhere" for found in FOREIGN.findall(path.read_text())]
    return faults, followed


def main():
    faults, followed = check(sys.argv[1])
    for fault in faults:
        print(fault, file=sys.stderr)
    if faults:
        sys.exit(1)
    print(f"{followed} links and places of {sys.argv[1]} are there, and nothing is fetched from elsewhere")


if __name__ == "__main__":
    main()
