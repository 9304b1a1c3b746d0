"""Reads the man pages that docs/man/make-man.py writes. It knows what they use of roff, and stops at anything else."""

import html
import re

SIGNS = {
    r"\-": "-", r"\e": "\\", r"\(aq": "'", r"\(ga": "`", r"\(ha": "^", r"\(ti": "~", r"\(bu": "•",
    r"\(em": "—", r"\&": "", r"\:": "",
}
PIECE = re.compile(r"\\f[BIR]|\\\(..|\\.|[^\\]+")
REFERENCE = re.compile(r"<b>([a-z.-]+)</b>\((\d)\)|(?<![\w.>-])(trestle[a-z.-]*)\((\d)\)")


def inline(text, links):
    """A line of text. `links` has the address of each page that can be referred to."""
    out, open_tag = "", None
    for piece in PIECE.findall(text):
        if piece in (r"\fB", r"\fI", r"\fR"):
            out += f"</{open_tag}>" if open_tag else ""
            open_tag = {r"\fB": "b", r"\fI": "i", r"\fR": None}[piece]
            out += f"<{open_tag}>" if open_tag else ""
        elif piece.startswith("\\"):
            out += html.escape(SIGNS[piece], quote=False)
        else:
            out += html.escape(piece, quote=False)
    if open_tag:
        out += f"</{open_tag}>"
    # A browser breaks lines behind hyphens.
    out = re.sub(r"<b>(-[^<\s]+)</b>", r'<b class="option">\1</b>', out)

    def reference(match):
        name, section = match[1] or match[3], match[2] or match[4]
        address = links.get(f"{name}.{section}")
        shown = f"<b>{name}</b>({section})"
        return f'<a href="{address}">{shown}</a>' if address else shown
    return re.sub(r"`([^`<>]+)`", r"<code>\1</code>", REFERENCE.sub(reference, out))


def plain(text):
    """A line of text without its fonts."""
    return "".join("" if piece.startswith("\\f") else SIGNS[piece] if piece.startswith("\\") else piece
                   for piece in PIECE.findall(text))


def title(text):
    """Name, section and what stands behind the dash in NAME."""
    name = re.search(r'(?m)^\.TH "([^"]+)" "(\d)"', text)
    about = re.search(r"(?m)^\.SH NAME\n.*? \\- (.*)$", text)
    return name[1].lower(), name[2], inline(about[1], {})


class Reader:
    def __init__(self, links):
        self.links = links
        self.out = []
        self.open = []
        self.headings = []
        self.used = set()

    def close(self, down_to=0):
        while len(self.open) > down_to:
            self.out.append(f"</{self.open.pop()}>")

    def heading(self, text, level):
        self.close()
        words = inline(text, {})
        if level == 2:
            # make-man.py writes these in capitals. The first letter may stand behind a number. A command has none.
            if words.isupper():
                words = words.lower()
                if not words.startswith("trestle"):
                    words = re.sub("[a-z]", lambda letter: letter[0].upper(), words, count=1)
        anchor = base = re.sub(r"[^\w]+", "-", re.sub(r"<[^>]+>", "", words).lower()).strip("-")
        count = 1
        while anchor in self.used:
            anchor, count = f"{base}-{count}", count + 1
        self.used.add(anchor)
        self.headings.append((level, anchor, words))
        self.out.append(f'<h{level} id="{anchor}">{words}</h{level}>')

    def item(self, tag):
        if self.open != ["dl", "dd"]:
            self.close()
            self.out.append("<dl>")
            self.open.append("dl")
        self.close(1)
        self.out.append(f"<dt>{inline(tag, self.links)}</dt>\n<dd>")
        self.open.append("dd")

    def point(self, mark):
        kind = "ul" if mark == r"\(bu" else "ol"
        if self.open != [kind, "li"]:
            self.close()
            self.out.append(f"<{kind}>")
            self.open.append(kind)
        self.close(1)
        self.out.append("<li>")
        self.open.append("li")

    def read(self, text):
        """The page's body. What stands before its first heading is its title."""
        lines = iter(text.split("\n"))
        paragraph = False
        for line in lines:
            name, _, rest = line.partition(" ")
            if line.startswith('.\\"') or name in (".TH", ".nh", ".ad", ".in") or not line:
                continue
            if name in (".SH", ".SS"):
                self.heading(rest, 2 if name == ".SH" else 3)
            elif name == ".PP":
                paragraph = True
            elif name == ".TP":
                self.item(next(lines))
            elif name == ".IP":
                self.point(rest.split()[0])
            elif name == ".nf":
                self.code(lines)
                paragraph = False
            elif re.match(r"\.[A-Za-z]", line):
                raise ValueError(f"nobody told this reader about {line}")
            else:
                if paragraph:
                    # Indented text that follows an item belongs to what is around the list.
                    self.close()
                words = inline(line, self.links)
                self.out.append(words if self.open else f"<p>{words}</p>")
                paragraph = False
        self.close()
        return "\n".join(self.out)

    def code(self, lines):
        block = []
        for line in lines:
            if line == ".fi":
                break
            block.append(html.escape(plain(line), quote=False))
        if self.open and self.open[-1] not in ("dd", "li"):
            self.close()
        self.out.append('<pre tabindex="0"><code>' + "\n".join(block) + "</code></pre>")
