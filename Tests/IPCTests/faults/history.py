"""Checks whether the answers to clients are possible in one order, which is that of the revisions."""

from collections import namedtuple

STATES = ["collapsed", "expanded"]  # of the kind `row`, in which toggling goes round

# A client's request and its answer. `sent` and `replied`: seconds of the monotonic clock;
# `revision`: the table's revision that it made (`changed`) or saw.
Event = namedtuple("Event", "sent replied revision changed")


def check_real_time(events):
    """A request that was answered before another was sent comes before it in the order."""
    ended, newest, at = sorted(events, key=lambda event: event.replied), None, 0
    for event in sorted(events, key=lambda event: event.sent):
        while at < len(ended) and ended[at].replied < event.sent:
            if newest is None or ended[at].revision > newest.revision:
                newest = ended[at]
            at += 1
        if newest:
            least = newest.revision + event.changed
            assert event.revision >= least, f"{newest} was answered before {event} was sent"


class Model:
    """A table as docs/PROTOCOL.md describes the commands, done as plainly as can be.

    Knows what `harness.Mix` asks for. Where a move aims at a row that has gone, and the daemon says
    so in a note, the order is taken from the daemon's diff: only it knows where that row stood.
    """

    def __init__(self):
        self.sections, self.rows = {}, {}  # section: [id]; id: what is in the row

    def place(self, id):
        """The section and index of a row."""
        return next((name, ids.index(id)) for name, ids in self.sections.items() if id in ids)

    def do(self, verb, body):
        if verb == "batch":
            for command in body["commands"]:
                self.do("command", command)
        else:
            (name, what), = body.items()
            getattr(self, name)(what)

    def add(self, what):
        assert what["id"] not in self.rows
        ids = self.sections.setdefault(what.get("section", "main"), [])
        ids.insert(0 if what.get("top") else len(ids), what["id"])
        self.rows[what["id"]] = {"title": what.get("title", ""), "fields": what.get("fields", {}),
                                 "expand": "collapsed", "swipe": "closed"}

    def remove(self, what):
        for id in what["rows"]:
            section, index = self.place(id)
            del self.sections[section][index], self.rows[id]

    def set(self, what):
        row = self.rows[what["row"]]
        row["title"] = what.get("title", row["title"])
        row["fields"] = row["fields"] | what.get("fields", {})

    def move(self, what):
        rows = what["rows"]
        anchor = what.get("before") or what.get("after")
        section = self.place(anchor or rows[0])[0]
        for id in rows:
            self.sections[self.place(id)[0]].remove(id)
        ids = self.sections[section]
        at = 0 if what.get("top") else len(ids)
        if anchor:
            at = ids.index(anchor) + ("after" in what)
        ids[at:at] = rows

    def swap(self, what):
        (one, i), (other, k) = self.place(what["a"]), self.place(what["b"])
        self.sections[one][i], self.sections[other][k] = what["b"], what["a"]

    def swipe(self, what):
        if what["edge"] != "closed":  # the default policy is `exclusive`
            for row in self.rows.values():
                row["swipe"] = "closed"
        self.rows[what["row"]]["swipe"] = what["edge"]

    def expand(self, what):
        row, to = self.rows[what["row"]], what.get("to")
        if what.get("toggle"):
            now = STATES.index(row["expand"]) if row["expand"] in STATES else -1
            to = STATES[(now + 1) % len(STATES)]
        row["expand"] = to

    # What it is held against.

    def check_landings(self, landings):
        """The reply says where the rows stand now."""
        for landing in landings:
            if landing["row"] not in self.rows:
                assert "section" not in landing, landing
                continue
            section, index = self.place(landing["row"])
            after = self.sections[section][index - 1] if index else None
            found = landing["section"], landing.get("index", 0), landing.get("after")
            assert found == (section, index, after), (landing, (section, index, after))

    def check_table(self, table):
        """A replica that has had the same revisions has the same rows, in the same order."""
        order = {name: ids for name, ids in table.order() if ids}
        assert order == {name: ids for name, ids in self.sections.items() if ids}
        for id, row in self.rows.items():
            found = table.rows[id]
            assert {"title": found.get("title", ""), "fields": found.get("fields", {}),
                    "expand": found.get("expand", "collapsed"),
                    "swipe": found.get("swipe", "closed")} == row, id

    def take_order(self, table):
        self.sections = {name: list(ids) for name, ids in table.order()}


def check_effects(table, diffs, answers, every=25):
    """Each revision is one answered command and did what the page says, seen from the one before.

    `table` is a replica of the beginning; `answers` are [(asked, reply)] of those that changed it.
    """
    by_revision = {reply["revision"]: (asked, reply) for asked, reply in answers}
    assert len(by_revision) == len(answers), "two commands were told the same revision"
    model = Model()
    for diff in diffs:
        revision = diff["base"] + 1
        table.apply(diff["ops"], revision, diff["cause"].get("timeMs", 0))
        assert table.digest() == diff["digest"], revision
        asked, reply = by_revision.pop(revision)
        assert (diff["cause"]["client"], diff["cause"]["number"]) == (
            reply["client"], reply["number"])
        if any(landing.get("note") for landing in reply.get("rows", ())):
            model.take_order(table)
        else:
            (verb, body), = asked.items()
            model.do(verb, body)
        model.check_landings(reply.get("rows", ()))
        if revision % every == 0:
            model.check_table(table)
    model.check_table(table)
    assert not by_revision, f"answered, and no revision: {sorted(by_revision)[:5]}"
