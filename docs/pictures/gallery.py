#!/usr/bin/env python3
"""Makes gallery.html beside it, with the real programs: everything that a picture can show.

`make pictures` runs it. The same programs give the same bytes. gallery_chapters.py has what is drawn;
docs/RULES.md links to the ids. With an argument: into that file.
"""

import html
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
BIN = pathlib.Path(os.environ.get("TRESTLE_BIN", HERE.parents[1] / ".build/release")).resolve()
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True

STYLE = """
*{box-sizing:border-box}
html{scroll-behavior:smooth;scroll-padding-top:64px}
body{font:15px/1.45 system-ui,sans-serif;margin:0;color:#1c1c1e;background:#e9e9ee}
header,section{max-width:1430px;margin:0 auto;padding:0 20px}
header{padding-top:28px}
h1{font-size:30px;letter-spacing:-.02em;margin:0}
h2{font-size:21px;letter-spacing:-.01em;margin:44px 0 4px}
h2 a{color:inherit;text-decoration:none}
p{margin:0 0 14px;max-width:76ch;color:#55555c}
code{font:.92em ui-monospace,monospace}
nav{position:sticky;top:0;z-index:1;background:#e9e9eeee;border-bottom:1px solid #d0d0d6}
nav div{max-width:1430px;margin:0 auto;padding:8px 20px;display:flex;gap:4px 14px;flex-wrap:wrap}
nav a{color:#0a5bc0;text-decoration:none}
nav label{margin-left:auto;cursor:pointer}
.all{display:flex;flex-wrap:wrap;gap:16px 20px;align-items:flex-start}
figure{margin:0;width:324px}
figure.film{width:366px}
.film svg{width:324px}
figcaption{font-size:13px;color:#55555c;margin:5px 2px 0}
figure:target svg,h2:target{outline:3px solid #0a66d6;outline-offset:3px}
svg{display:block;width:100%;height:auto;border-radius:10px;background:#f2f2f7;
box-shadow:0 1px 3px #0002}
.film svg{border-radius:0}
.film div{position:relative;margin-top:3px}
.film div:first-child svg{border-radius:10px 10px 0 0}
.film div:last-of-type svg{border-radius:0 0 10px 10px}
.film b{position:absolute;left:328px;top:0;bottom:0;display:flex;align-items:center;
font:500 12px system-ui,sans-serif;color:#7a7a82;white-space:nowrap}
.lifted div{margin-top:12px}
.lifted i{display:block;width:324px}
.film.lifted svg{border-radius:0;box-shadow:none}
:root:has(#dark:checked){
body{background:#000;color:#f5f5f7}
nav{background:#000d;border-color:#38383c}
nav a{color:#4c9bff}
p,figcaption{color:#a5a5ad}
svg{background:#000;box-shadow:0 0 0 1px #2c2c30}
DARK
}
"""


class Gallery:
    """A daemon of its own, and the page as far as it is written."""

    def __init__(self, directory):
        self.endpoint = f"ipc://{directory}/request.sock"
        self.parts, self.links, self.tables, self.pictures = [], [], 0, 0

    def trestle(self, *arguments, given=None):
        """Runs a command, which must end well; what it prints."""
        done = subprocess.run(
            [BIN / "trestle", "--endpoint", self.endpoint, *arguments],
            input=json.dumps(given).encode() if given is not None else b"",
            capture_output=True, timeout=60)
        if done.returncode:
            sys.exit(f"{arguments}: {done.stderr.decode()}")
        return done.stdout.decode()

    def table(self, kinds, rows, **definitions):
        """A new table with these kinds and rows, in the form of an export; its name."""
        self.tables += 1
        name = f"board {self.tables}"
        rows = [{"id": f"r{n}", "section": "main"} | row for n, row in enumerate(rows)]
        document = {"definitions": {"kinds": kinds} | definitions,
                    "sections": [{"id": "main", "title": "Orders"}], "rows": rows}
        self.trestle("import", name, "-", "--create", "--format", "json", given=document)
        return name

    # What the page is made of

    def chapter(self, anchor, title, words):
        """Begins a part of the page, with a link at its top."""
        if self.links:
            self.parts.append("</div></section>")
        self.links.append(f'<a href="#{anchor}">{html.escape(title)}</a>')
        self.parts.append(
            f'<section><h2 id="{anchor}"><a href="#{anchor}">{html.escape(title)}</a></h2>\n'
            f'<p>{words}</p><div class="all">')

    def drawing(self, table, *options, whole=False):
        """The rows of a table without the heading, or all of it, to stand in the page."""
        text = self.trestle("-o", "svg", "show", table, "--width", "320", *options)
        self.pictures += 1
        for name in sorted(set(re.findall(r' id="([^"]+)"', text)), key=len, reverse=True):
            unique = f"p{self.pictures}-{name}"
            text = text.replace(f' id="{name}"', f' id="{unique}"')
            text = text.replace(f'url(#{name})', f'url(#{unique})')
            text = text.replace(f'href="#{name}"', f'href="#{unique}"')
        if whole:
            return text.strip()
        height = float(re.search(r' height="([\d.]+)"', text)[1])
        # Above the rows are the table's heading and the section's title, below them a foot.
        top, foot = 96, 14
        old = f'height="{height:g}" viewBox="0 0 320 {height:g}"'
        assert old in text, text[:200]
        new = f'height="{height - top - foot:g}" viewBox="0 {top} 320 {height - top - foot:g}"'
        return text.replace(old, new, 1).strip()

    def figure(self, anchor, caption, inside, more=""):
        """A picture with its caption and an id that others can link to."""
        self.parts.append(
            f'<figure id="{anchor}"{more}>{inside}'
            f"<figcaption>{html.escape(caption)}</figcaption></figure>")

    def picture(self, anchor, caption, table, *options, whole=False):
        """A picture of a table as it is."""
        self.figure(anchor, caption, self.drawing(table, *options, whole=whole))

    def film(self, anchor, caption, frames, more=""):
        """Pictures of a motion, one below the other: a percentage and a drawing each."""
        inside = "".join(f"<div><b>{part} %</b>{drawing}</div>" for part, drawing in frames)
        self.figure(anchor, caption, inside, f' class="film{more}"')

    def page(self):
        """The whole page. Its colours in the dark are those of the product's own pages."""
        name = self.table({}, [{"title": "x"}])
        page = self.trestle("-o", "html", "show", name)
        dark = re.search(r"body\{[^}]*\}\n((?:\..*\n)+)\}", page)[1].rstrip()
        style = STYLE.replace("DARK", dark)
        return (
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"/>\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1"/>\n'
            f"<title>Gallery</title><style>{style}</style></head>\n<body>\n"
            "<header><h1>Everything that can be drawn</h1>\n<p>Every style, state, edge, strip and face, "
            "as <code>trestle -o svg show</code> draws it, at 320 points. Hold a phone beside it. "
            'The rules are in <a href="../RULES.md">RULES.md</a>; each has a link to its picture '
            "here. <code>make pictures</code> draws all of it again.</p></header>\n"
            f'<nav><div>{" ".join(self.links)}'
            '<label><input type="checkbox" id="dark"/> dark</label></div></nav>\n'
            + "\n".join(self.parts) + "\n</div></section>\n<p>&nbsp;</p></body></html>\n")


def main():
    """Writes the page."""
    from gallery_chapters import CHAPTERS
    target = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "gallery.html"
    with tempfile.TemporaryDirectory(prefix="trestle-gallery-") as directory:
        gallery = Gallery(directory)
        with open(f"{directory}/log", "wb") as log:
            daemon = subprocess.Popen(
                [BIN / "trestled", "--state-directory", f"{directory}/state", "--endpoint",
                 gallery.endpoint], stdout=log, stderr=log)
        try:
            deadline = time.monotonic() + 20
            while not pathlib.Path(directory, "request.sock").exists():
                if time.monotonic() > deadline or daemon.poll() is not None:
                    sys.exit("the daemon does not start")
                time.sleep(0.05)
            for chapter in CHAPTERS:
                chapter(gallery)
            text = gallery.page()
        finally:
            daemon.terminate()
            daemon.wait(20)
    target.write_text(text)


if __name__ == "__main__":
    main()
