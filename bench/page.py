"""Writes the figures of a run into docs/BENCHMARKS.md, between its markers, and draws the plot.

    bench/page.py .build/bench.json docs/BENCHMARKS.md docs/pictures/benchmark.svg

Nothing on the page is typed by hand: what `bench --json` left, and the instructions beside this file, are all
that is known here.
"""

import json
import pathlib
import sys
import textwrap

BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"
CONTESTANTS = ["trestle", "redis", "libzmq", "libzmq-preallocated", "libzmq-each", "etcd"]

# What is no matter of more or less.
WITHOUT_RATIOS = ["diffs/message", "delivered %", "load µs/command", "viewers µs/diff", "extra MiB"]


class Run:
    """The JSON, looked up by part, setting, measure and contestant."""

    def __init__(self, document):
        self.document = document
        self.found = {
            (s["part"], s["setting"], s["measure"], s["contestant"]): s
            for s in document["summaries"]
        }

    def settings(self, part, measure):
        keys = [k for k in self.found if k[0] == part and k[2] == measure]
        return list(dict.fromkeys(k[1] for k in keys))

    def contestants(self, part, measure):
        there = {k[3] for k in self.found if k[0] == part and k[2] == measure}
        return [c for c in CONTESTANTS if c in there]

    def spread(self, *key):
        summary = self.found.get(key)
        return summary and summary["spread"]

    def ratio(self, *key):
        summary = self.found.get(key)
        return summary and summary.get("trestleRatio")


def number(value):
    """With as many digits as say something."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 20 else f"{value:.2f}"


def cell(spread):
    if not spread:
        return "–"
    if spread["lowest"] == spread["highest"]:
        return number(spread["median"])
    return f'{number(spread["median"])} ({number(spread["lowest"])}–{number(spread["highest"])})'


def table(run, part, measure, title):
    """Rows are settings; each contestant has its figures, and Trestle's ratio to each."""
    contestants = run.contestants(part, measure)
    others = [c for c in contestants if c not in ("trestle", "etcd")]
    if measure in WITHOUT_RATIOS:
        others = []
    lines = [
        f"| {title} | " + " | ".join(contestants + [f"trestle / {c}" for c in others]) + " |",
        "|---" * (1 + len(contestants) + len(others)) + "|",
    ]
    for setting in run.settings(part, measure):
        cells = [cell(run.spread(part, setting, measure, c)) for c in contestants]
        cells += [cell(run.ratio(part, setting, measure, c)) for c in others]
        lines.append(f"| {setting} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


TABLES = [
    ("Commands and deliveries", [
        ("rates", "commands/s", "commands/s"),
        ("rates", "deliveries/s", "diffs delivered/s, to all viewers together"),
        ("rates", "reply p50 µs", "request to reply, p50, µs"),
        ("rates", "reply p99 µs", "request to reply, p99, µs"),
    ]),
    ("What they cost", [
        ("rates", "server µs/command", "processor time of the server, µs a command"),
        ("processor", "server µs/command", "the same in memory, over tcp and unix sockets"),
        ("rates", "load µs/command", "processor time of the load generator, µs a command"),
        ("rates", "viewers µs/diff", "processor time of a viewer, µs a diff"),
        ("rates", "diffs/message", "diffs a message"),
        ("rates", "delivered %", "of the diffs, delivered, %"),
    ]),
    ("From a command to its diff applied at the last viewer", [
        ("latency", "p50 µs", "p50, µs"),
        ("latency", "p99 µs", "p99, µs"),
    ]),
    ("A large table", [
        ("joiner", "ready ms", "late joiner, until its replica is ready, ms"),
        ("memory", "bytes/row", "memory of the server once filled, bytes a row"),
        ("memory", "bytes/row restarted", "the same after a restart"),
        ("restart", "first reply ms", "from kill -9 to the first reply, ms"),
    ]),
    ("As the table grows", [
        ("sizes", "commands/s", "C64 V10, commands/s"),
        ("sizes", "server µs/command", "processor time of the server, µs a command"),
        ("sizes", "diff bytes", "bytes of a diff in binary, with its digest and cause"),
        ("sizes", "of these ops bytes", "of these, its ops"),
    ]),
    ("A viewer that is stopped", [
        ("stalled", "extra MiB", "memory that the server grew by, MiB"),
        ("stalled", "p99 µs without", "p99 at the last viewer without it, at 200/s, µs"),
        ("stalled", "p99 µs with", "the same with it, µs"),
    ]),
    ("The programs", [
        ("programs", "MB stripped", "MB, as they are installed"),
        ("programs", "whole command ms", "`trestle tables` and `redis-cli ping`, started to ended, ms"),
    ]),
]


PARTS = ["rates", "processor", "latency", "joiner", "memory", "restart", "sizes", "stalled", "programs"]


def wrapped(text):
    return textwrap.fill(text, 110, break_on_hyphens=False) + "\n"


# What `make bench-instructions` counted, and at most how much each is to be.
INSTRUCTIONS = {"mix, binary": 15_000, "mix, binary, 64 writers": 12_000}


def instruction_goals():
    with open(pathlib.Path(__file__).with_name("instructions.json"), encoding="utf-8") as file:
        counted = json.load(file)["figures"]
    for case, bound in INSTRUCTIONS.items():
        state = counted[case]["state"]
        verdict = "met" if state <= bound else f"{state / bound:.2f} times too much"
        yield 10, f"instructions a command on the state thread: {case}", f"≤ {bound:,}", f"{state:,}", verdict


def goals(document):
    rows = [
        (judged["goal"]["number"], judged["goal"]["what"], judged["boundText"],
         cell(judged["goal"].get("measured")), judged["verdict"])
        for judged in document["goals"]
    ]
    rows = sorted([*rows, *instruction_goals()], key=lambda row: row[0])
    lines = ["| goal | at least, at most | measured | |", "|---|---|---|---|"]
    lines += [f"| {row[0]}. {' | '.join(row[1:])} |" for row in rows]
    return "\n".join(lines) + "\n"


def figures(run):
    d = run.document
    took = d["partSeconds"]
    parts = ", ".join(f"{part} {took[part]:.0f} s" for part in PARTS if part in took)
    stolen = d["partStolenPercent"]
    lost = ", ".join(f"{part} {stolen[part]:.1f} %" for part in PARTS if part in stolen)
    text = [
        wrapped(
            f'{d["date"]}: {d["processor"]}, {d["processors"]} processors, {d["system"]}, Redis '
            f'{d["redis"]}, libzmq {d["libzmq"]}; load {d["loadAverageBefore"]} before the run; one '
            f'fdatasync of 4 KiB {d["fdatasyncMicroseconds"]:,.0f} µs. **Rounds: {d["rounds"]}**, of '
            f'{d["seconds"]:g} s. Each figure is the median of the rounds (lowest–highest), and each '
            f"ratio the median of the rounds' own. The parts took: {parts}. Of the processors' time the "
            f"host gave to others, while a part ran: {lost}."
        ),
        *[wrapped(f"**Not measured, because it failed:** {one}") for one in d["failures"]],
        "### The goals\n", goals(d),
    ]
    for heading, tables in TABLES:
        some = [t for t in tables if run.settings(t[0], t[1])]
        if some:
            text.append(f"### {heading}\n")
            text += [table(run, *one) for one in some]
    return "\n".join(text)


# ---------------------------------------------------------------- the plot

PANELS = [
    ("rates", "C1 V1", "commands/s", "commands/s, C1 V1", True),
    ("rates", "C8 V10", "commands/s", "commands/s, C8 V10", True),
    ("rates", "C64 V10", "commands/s", "commands/s, C64 V10", True),
    ("rates", "C64 V100", "deliveries/s", "deliveries/s, C64 V100", True),
    ("latency", "C8 V10 at 200/s", "p99 µs", "p99 µs to the last viewer, C8 V10 at 200/s", False),
    ("latency", "C64 V10 saturated", "p99 µs", "p99 µs to the last viewer, C64 V10", False),
    ("joiner", None, "ready ms", "late joiner, ms", False),
    ("memory", None, "bytes/row", "bytes of memory a row", False),
    ("restart", None, "first reply ms", "kill -9 to first reply, ms", False),
]
WIDTH, COLUMNS, BAR, HEAD, GAP = 320, 3, 20, 44, 18
LABEL, VALUE = 124, 64

STYLE = """
text { font: 12px system-ui, sans-serif; fill: #24292f }
.title { font-weight: 600 }
.better { fill: #656d76; font-size: 11px }
.trestle { fill: #0969da } .redis { fill: #b35900 } .libzmq { fill: #8c959f }
.libzmq-each { fill: #afb8c1 } .libzmq-preallocated { fill: #6e7781 }
.spread { stroke: #24292f; stroke-width: 1.5 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .better { fill: #9198a1 } .spread { stroke: #e6edf3 }
  .trestle { fill: #4493f8 } .redis { fill: #db8b3b } .libzmq { fill: #656c76 }
  .libzmq-each { fill: #4d545d } .libzmq-preallocated { fill: #7d8590 }
}
"""


def panel(run, part, setting, measure, title, more_is_better, x, y):
    setting = setting or (run.settings(part, measure) or [""])[0]
    if part in ("joiner", "memory", "restart") and setting:
        title += f", {setting}"
    bars = [(c, run.spread(part, setting, measure, c)) for c in run.contestants(part, measure)]
    # etcd is so much slower that beside its bars the others' could not be read.
    bars = [(c, s) for c, s in bars if s and c != "etcd"]
    most = max((s["highest"] for _, s in bars), default=1)
    scale = (WIDTH - LABEL - VALUE - 24) / most
    better = "more is better" if more_is_better else "less is better"
    out = [
        f'<text class="title" x="{x}" y="{y + 14}">{title}</text>',
        f'<text class="better" x="{x}" y="{y + 30}">{better}</text>',
    ]
    for index, (contestant, spread) in enumerate(bars):
        top = y + HEAD + index * (BAR + 4)
        middle = top + BAR / 2
        left = x + LABEL
        low, mid, high = (spread[k] * scale for k in ("lowest", "median", "highest"))
        out += [
            f'<text x="{x}" y="{middle + 4}">{contestant}</text>',
            f'<rect class="{contestant}" x="{left}" y="{top}" width="{mid:.1f}" height="{BAR}" rx="2"/>',
            f'<line class="spread" x1="{left + low:.1f}" y1="{middle}" x2="{left + high:.1f}" y2="{middle}"/>',
            f'<text x="{left + high + 6:.1f}" y="{middle + 4}">{number(spread["median"])}</text>',
        ]
    return out, HEAD + len(bars) * (BAR + 4) + GAP


def plot(run):
    out, y = [], 8
    for first in range(0, len(PANELS), COLUMNS):
        height = 0
        for column, one in enumerate(PANELS[first:first + COLUMNS]):
            drawn, used = panel(run, *one, 8 + column * WIDTH, y)
            out += drawn
            height = max(height, used)
        y += height
    width = COLUMNS * WIDTH + 8
    rounds = run.document["rounds"]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {y}" width="{width}" '
            f'height="{y}" role="img">',
            "<title>Trestle beside Redis and raw libzmq: medians, and lines from the lowest to the "
            f"highest; rounds: {rounds}</title>",
            f"<style>{STYLE}</style>",
            *out,
            "</svg>",
        ]
    ) + "\n"


def main(source, page, picture):
    with open(source, encoding="utf-8") as file:
        run = Run(json.load(file))
    with open(page, encoding="utf-8") as file:
        text = file.read()
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    with open(page, "w", encoding="utf-8") as file:
        file.write(f"{before}{BEGIN}\n{figures(run)}{END}{after}")
    with open(picture, "w", encoding="utf-8") as file:
        file.write(plot(run))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
