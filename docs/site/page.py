"""A page of Markdown as HTML: anchors as GitHub makes them, links led to other pages, blocks of commands marked."""

import html
import re

from markdown_it import MarkdownIt

COMMENT = re.compile(r"(?m)(^|  )(#(?: [^\n]*)?$)")
ADDRESS = re.compile(r'(<(?:img|a)\b[^>]*?\b(?:src|href)=")([^"]+)(")')


def anchor(heading):
    """As GitHub makes it of a heading."""
    letters = (letter for letter in heading.lower() if letter.isalnum() or letter in " -_")
    return "".join(letters).replace(" ", "-")


def plain(text):
    """HTML without its tags."""
    return html.unescape(re.sub(r"<[^>]+>", "", text)).strip()


def code_block(text, kind=""):
    """Commands and files: what is typed stands out, what is printed and what is remarked steps back."""
    text = text.rstrip("\n")
    if kind == "console":
        lines = []
        for line in text.split("\n"):
            words = html.escape(line, quote=False)
            if line.startswith(("$ ", "> ")):
                lines.append(f'<span class="sign">{words[:words.index(" ")]} </span><b>{words.split(" ", 1)[1]}</b>')
            else:
                lines.append(words)
        return f'<pre class="console" tabindex="0"><code>{chr(10).join(lines)}</code></pre>\n'
    words = html.escape(text, quote=False)
    if kind != "file" or re.search(r"(?m)^# ", text):
        words = COMMENT.sub(r"\1<i>\2</i>", words)
    mark = f' class="{kind}"' if kind else ""
    return f"<pre{mark} tabindex=\"0\"><code>{words}</code></pre>\n"


class Document:
    """`link` gets an address as it stands in the text and gives what it is on the page; `name` gives what the page
    there is called, or nothing."""

    def __init__(self, text, link, name):
        self.link, self.name = link, name
        self.headings = []
        self.used = {}
        parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
        for name in ("heading_open", "code_inline", "fence", "code_block", "table_open", "table_close", "th_open",
                     "th_close", "image", "link_open", "html_block", "html_inline"):
            parser.renderer.rules[name] = getattr(self, name)
        tokens = parser.parse(text)
        self.title = self.words(tokens[1])
        self.about = next((self.words(tokens[at + 1]) for at, token in enumerate(tokens)
                           if token.type == "paragraph_open" and self.words(tokens[at + 1])), "")
        self.body = parser.renderer.render(tokens, parser.options, {}).strip()

    @staticmethod
    def words(token):
        """The text of a heading or a paragraph, without marks."""
        found = "".join(child.content if child.type in ("text", "code_inline") else
                        " " if child.type == "softbreak" else "" for child in token.children or [])
        return re.sub(r"\s+", " ", found).strip()

    def heading_open(self, tokens, at, options, env):
        token, inner = tokens[at], tokens[at + 1]
        level = int(token.tag[1])
        name = anchor(inner.content)
        count = self.used.get(name, 0)
        self.used[name] = count + 1
        name = f"{name}-{count}" if count else name
        self.headings.append((level, name, html.escape(self.words(inner), quote=False)))
        return f'<{token.tag} id="{name}">'

    def code_inline(self, tokens, at, options, env):
        words = tokens[at].content
        short = ' class="short"' if len(words) <= 22 else ""
        # A path that is too long for its place is broken between its parts.
        shown = re.sub(r"(?<=[\w.])/(?=\w)", "/<wbr>", html.escape(words, quote=False))
        return f"<code{short}>{shown}</code>"

    def fence(self, tokens, at, options, env):
        kind, _, name = tokens[at].info.strip().partition(" ")
        block = code_block(tokens[at].content, kind if kind == "console" else "")
        if not name:
            return block
        return f'<figure class="named"><figcaption>{html.escape(name)}</figcaption>\n{block}</figure>\n'

    def code_block(self, tokens, at, options, env):
        text = tokens[at].content
        return code_block(text, "console" if text.startswith("$ ") else "")

    def table_open(self, tokens, at, options, env):
        columns = 0
        while tokens[at].type != "thead_close":
            columns += tokens[at].type == "th_open"
            at += 1
        many = ' class="many"' if columns > 3 else ' class="some"' if columns == 3 else ""
        return f'<div class="table" tabindex="0"><table{many}>\n'

    def th_open(self, tokens, at, options, env):
        return "<th>" if tokens[at + 1].content else "<td>"

    def th_close(self, tokens, at, options, env):
        return "</th>\n" if tokens[at - 1].content else "</td>\n"

    def table_close(self, tokens, at, options, env):
        return "</table></div>\n"

    def image(self, tokens, at, options, env):
        token = tokens[at]
        source = html.escape(self.link(token.attrs["src"]))
        return f'<img src="{source}" alt="{html.escape(token.content)}">'

    def link_open(self, tokens, at, options, env):
        target, words = tokens[at].attrs["href"], tokens[at + 1]
        # Where a file's path stands for the page, the page has a name.
        if words.type == "text" and re.fullmatch(r"(?:[\w./-]+/)?(?:\w+\.md|[A-Z]{4,}|decisions)", words.content):
            words.content = self.name(target) or words.content
        return f'<a href="{html.escape(self.link(target))}">'

    def html_block(self, tokens, at, options, env):
        return self.rewritten(tokens[at].content)

    def html_inline(self, tokens, at, options, env):
        return self.rewritten(tokens[at].content)

    def rewritten(self, text):
        """HTML within Markdown: its links are led too, comments are left out."""
        text = re.sub(r"<!--.*?-->\n?", "", text, flags=re.DOTALL)
        return ADDRESS.sub(lambda match: match[1] + html.escape(self.link(html.unescape(match[2]))) + match[3], text)
