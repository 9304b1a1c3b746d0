#!/usr/bin/env python3
"""Makes the documentation a site: pages of HTML, one style sheet, pictures, nothing from elsewhere. Only the
page of the search has a script. The same files give the same bytes. site_pages.py has what is in it and in which order.

    docs/site/make-site.py --man .build/man --out .build/site
"""

import argparse
import html
import os
import pathlib
import posixpath
import re
import shutil
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from page import Document, code_block, plain  # noqa: E402
from roff import Reader, title as manual_title  # noqa: E402
import search_index  # noqa: E402
from site_pages import COPIED, GROUPS, MANUAL, ROOT, decisions, places  # noqa: E402

IGNORED = {".build", ".venv", "__pycache__", "Package.resolved"}


class Page:
    """A page before it is put into its frame."""

    def __init__(self, address, name, body, headings=(), group="", about="", wide=False, note="", scripts=()):
        self.address, self.name, self.body, self.scripts = address, name, body, scripts
        self.headings, self.group, self.about, self.wide, self.note = list(headings), group, about, wide, note


class Site:
    def __init__(self, manual, out):
        self.out = out
        self.pages = {}
        self.order = []
        self.places = places()
        self.wanted = []
        self.copied = {}
        self.manual = sorted(manual.glob("trestle*.[0-9]"))
        if not self.manual:
            sys.exit(f"There are no man pages in {manual}: run make man first.")

    # ------------------------------------------------------------ links

    def link(self, source, page, target):
        """The address on `page` of what `target` is in the file `source`."""
        if re.match(r"[a-z]+:", target):
            return target
        path, mark, place = target.partition("#")
        return self.relative(page, self.target(source, target)) + mark + place if path else target

    def target(self, source, link):
        """The page that a link in a file leads to."""
        path = link.partition("#")[0]
        return self.place(posixpath.normpath(posixpath.join(posixpath.dirname(source), path)), source)

    def place(self, path, source):
        for folder, place, endings in COPIED:
            if path.startswith(folder + "/") and path.endswith(endings):
                self.copied[path] = place + path[len(folder):]
                return self.copied[path]
        if path not in self.places:
            full = ROOT / path
            if not full.exists():
                sys.exit(f"{source}: {path} is not there")
            end = "/index.html" if full.is_dir() else ".html"
            self.places[path] = f"files/{path}{end}"
            self.wanted.append(path)
        return self.places[path]

    @staticmethod
    def relative(page, target):
        return posixpath.relpath(target, posixpath.dirname(page) or ".")

    # ------------------------------------------------------------ pages

    def add(self, page, listed=True):
        self.pages[page.address] = page
        if listed:
            self.order.append(page)

    def read(self, source, address):
        names = {page: name for _, pages in GROUPS for _, page, name in pages}
        return Document((ROOT / source).read_text(), lambda target: self.link(source, address, target),
                        lambda target: names.get(self.target(source, target)) if target[0] != "#" else None)

    def document(self, source, address, name=None, group="", listed=True):
        document = self.read(source, address)
        self.add(Page(address, name or document.title, document.body, document.headings, group,
                      document.about), listed)

    def everything(self):
        for group, pages in GROUPS:
            for source, address, name in pages:
                if source == "(manual)":
                    self.manual_pages(address, name, group)
                elif source == "(decisions)":
                    self.decision_pages(address, name, group)
                else:
                    self.document(source, address, name, group)
        while self.wanted:
            self.file_page(self.wanted.pop(0))
        self.add(Page("search.html", "Search", search_index.BODY, about="Search Trestle’s documentation.",
                      scripts=("search-index.js", "search.js")), listed=False)

    def manual_pages(self, address, name, group):
        links = {path.name: f"{path.name}.html" for path in self.manual}
        read = []
        for path in self.manual:
            text = path.read_text()
            read.append((*manual_title(text), path.name, text))
        body = f"<h1>{name}</h1>\n<p>The same pages are on a system with Trestle installed: " \
            "<code>man trestle-wait</code>. They are made from the programs’ own help.</p>\n"
        headings = []
        for title, section in MANUAL:
            anchor = f"section-{section}"
            headings.append((2, anchor, title))
            body += f'<h2 id="{anchor}">{title}</h2>\n<dl class="index">\n'
            for one, its, about, file, _ in read:
                if its == section:
                    body += f'<dt><a href="{file}.html">{one}</a></dt><dd>{about}</dd>\n'
            body += "</dl>\n"
        self.add(Page(address, name, body, headings, group, "The man pages of Trestle’s programs."))
        for _, wanted in MANUAL:
            for one, section, about, file, text in read:
                if section != wanted:
                    continue
                reader = Reader(links)
                inner = reader.read(re.sub(r"(?m)^\.SH NAME\n.*\n", "", text))
                body = f"<h1>{one}<small>({section})</small></h1>\n<p class=\"lead\">{about}</p>\n{inner}"
                self.add(Page(f"man/{file}.html", f"{one}({section})", body, reader.headings, group,
                              plain(about), note=f'<a href="index.html">{name}</a>'))

    def decision_pages(self, address, name, group):
        body = f"<h1>{name}</h1>\n<p>Why things are as they are. Each page has the context, the choice, the " \
            "alternatives and the consequences.</p>\n<ol class=\"decisions\">\n"
        made = []
        for path in decisions():
            source = f"docs/decisions/{path.name}"
            place = self.places[source]
            document = self.read(source, place)
            number, words = re.fullmatch(r"(\d+)\. (.*)", document.title).groups()
            short = re.sub(r"^<h1([^>]*)>\d+\. ",
                           rf'<h1\1><small class="number">Decision {number}</small> ', document.body)
            made.append(Page(place, words, short, document.headings, group, document.about,
                             note=f'<a href="index.html">{name}</a>'))
            body += f'<li value="{number}"><a href="{path.stem}.html">{html.escape(words, quote=False)}</a></li>\n'
        self.add(Page(address, name, body + "</ol>\n", (), group, "Why things are as they are."))
        for page in made:
            self.add(page)

    def file_page(self, path):
        """A file that some page links to and that is no page: shown as it is. Or a folder: what is in it."""
        address, full = self.places[path], ROOT / path
        if full.is_dir():
            return self.folder_page(path, address, full)
        if path.endswith(".md"):
            return self.document(path, address, listed=False)
        text = full.read_text()
        self.add(Page(address, path, f"<h1 class=\"file\">{html.escape(path)}</h1>\n" + code_block(text, "file"),
                      about=f"The file {path}.", wide=True), listed=False)

    def folder_page(self, path, address, full):
        pictures, files = [], []
        for root, folders, names in os.walk(full):
            folders[:] = sorted(set(folders) - IGNORED)
            for name in sorted(set(names) - IGNORED):
                file = (pathlib.Path(root) / name).relative_to(ROOT).as_posix()
                target = self.relative(address, self.place(file, path))
                shown = html.escape(file[len(path) + 1:])
                if name.endswith(".png"):
                    pictures.append(f'<figure><a href="{target}"><img src="{target}" alt="{shown}" loading="lazy">'
                                    f"</a><figcaption>{shown}</figcaption></figure>\n")
                else:
                    files.append(f'<li><a href="{target}">{shown}</a></li>\n')
        body = f"<h1 class=\"file\">{html.escape(path)}</h1>\n"
        body += "<ul>\n" + "".join(files) + "</ul>\n" if files else ""
        body += '<div class="pictures">\n' + "".join(pictures) + "</div>\n" if pictures else ""
        self.add(Page(address, path, body, about=f"The folder {path}.", wide=True), listed=False)

    # ------------------------------------------------------------ the frame

    def lists(self, page):
        """What the site has, with the page's own group open and the page marked."""
        out = ""
        if page.address != "search.html":
            out = f'<form class="search" role="search" action="{self.relative(page.address, "search.html")}">\n' \
                '<input type="search" name="q" aria-label="Search the documentation" placeholder="Search" ' \
                'maxlength="200"></form>\n'
        for group, pages in GROUPS:
            items = ""
            for _, address, name in pages:
                here = address == page.address
                within = page.note and posixpath.dirname(address) == posixpath.dirname(page.address)
                mark = ' aria-current="page"' if here else ' class="within"' if within else ""
                items += f'<li><a href="{self.relative(page.address, address)}"{mark}>{name}</a></li>\n'
            out += f'<p class="group">{group}</p>\n<ul aria-label="{group}">\n{items}</ul>\n'
        return out

    @staticmethod
    def contents(page):
        """Headings of a page that are worth a list."""
        few = [one for one in page.headings if one[0] == 2]
        deep = [one for one in page.headings if one[0] in (2, 3)]
        chosen = deep if few and len(deep) <= 24 else few
        if len(chosen) < 3:
            return ""
        items = "".join(f'<li class="level{level}"><a href="#{anchor}">{words}</a></li>\n'
                        for level, anchor, words in chosen)
        return f"<ul>\n{items}</ul>\n"

    def turning(self, page):
        if page not in self.order:
            return ""
        at = self.order.index(page)
        out = '<nav class="turn" aria-label="Next and previous page">\n'
        for step, rel, word in ((-1, "prev", "Previous"), (1, "next", "Next")):
            if 0 <= at + step < len(self.order):
                other = self.order[at + step]
                out += f'<a rel="{rel}" href="{self.relative(page.address, other.address)}">' \
                    f"<span>{word}</span>{html.escape(other.name, quote=False)}</a>\n"
        return out + "</nav>\n"

    def framed(self, page):
        to = self.relative
        front = page.address == "index.html"
        lists, contents = self.lists(page), self.contents(page)
        title = "Trestle" if front else f"{page.name} · Trestle"
        small = f'<details class="on-page"><summary>On this page</summary>\n{contents}</details>\n' if contents else ""
        beside = f'<aside class="on-page" aria-label="On this page"><p class="group">On this page</p>\n{contents}</aside>\n' \
            if contents else ""
        crumb = "" if front or not page.group else \
            f'<p class="crumb">{page.group}{" · " + page.note if page.note else ""}</p>\n'
        scripts = "".join(f'<script src="{one}" defer></script>\n' for one in page.scripts)
        kind = "front" if front else "wide" if page.wide else "page"
        return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="{html.escape(page.about)}">
<title>{html.escape(title, quote=False)}</title>
<link rel="icon" href="{to(page.address, 'icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="{to(page.address, 'style.css')}">
{scripts}</head>
<body class="{kind}">
<a class="skip" href="#the-text">To the text</a>
<header>
<a class="home" href="{to(page.address, 'index.html')}" aria-label="Trestle"><img
src="{to(page.address, 'icon.svg')}" alt="" width="26" height="26">Trestle</a>
<nav class="top" aria-label="Parts">
<a href="{to(page.address, 'start.html')}">Start</a>
<a href="{to(page.address, 'tutorials/kitchen.html')}">Tutorials</a>
<a href="{to(page.address, 'recipes.html')}">Recipes</a>
<a href="{to(page.address, 'man/index.html')}">Reference</a>
<a href="{to(page.address, 'protocol.html')}">Protocol</a>
</nav>
</header>
<div class="frame">
<nav class="lists" aria-label="All pages">
{lists}</nav>
<main id="the-text">
<details class="lists"><summary>All pages</summary>
<nav aria-label="All pages, in short">
{lists}</nav></details>
{small}{crumb}<article>
{page.body}
</article>
{self.turning(page)}</main>
{beside}</div>
</body>
</html>
"""

    def write(self):
        shutil.rmtree(self.out, ignore_errors=True)
        for path, address in list(self.copied.items()):
            target = self.out / address
            target.parent.mkdir(parents=True, exist_ok=True)
            if path.endswith(".html"):
                target.write_text(self.led(path, address))
            else:
                shutil.copyfile(ROOT / path, target)
        for name in ("style.css", "search.js"):
            shutil.copyfile(HERE / name, self.out / name)
        (self.out / "search-index.js").write_text(search_index.script(
            # Pages of section 7 say what pages of the guide say.
            [page for page in self.order if not page.address.endswith(".7.html")]))
        shutil.copyfile(ROOT / "web/icons/icon.svg", self.out / "icon.svg")
        for address, page in self.pages.items():
            target = self.out / address
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(self.framed(page))

    def led(self, path, address):
        """A page that is one already: its links to files of the repository lead to their pages."""
        return re.sub(r'(<a href=")([^"#][^"]*)(")', lambda match: match[1] + html.escape(
            self.link(path, address, html.unescape(match[2]))) + match[3], (ROOT / path).read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--man", type=pathlib.Path, default=ROOT / ".build/man")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / ".build/site")
    options = parser.parse_args()
    site = Site(options.man, options.out)
    site.everything()
    site.write()


if __name__ == "__main__":
    main()
