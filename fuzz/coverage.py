"""How many lines of the decoders were run: coverage.py EXPORT, what `llvm-cov export` wrote.

A decoder is what turns bytes from outside into values. Files that write besides they read are counted
without the functions that write, whose names are below. A line counts as llvm-cov counts it.
"""

import json
import re
import subprocess
import sys

FILES = re.compile(
    r"/Sources/(TableWire/(?:\w+/)?(?!Write|Encode|Sink|FieldWriter|JSONWriter)\w+|StrictYAML/(?!Draft)\w+"
    r"|TableFiles/(?!ExportFile|KindsWriter)\w+|DaemonConfiguration/\w+"
    r"|TableValues/Predicates/\w+|Fuzz/Topics)\.swift$"
)
WRITERS = re.compile(
    r"TableWire\.Encode\.|FieldWriter|MarkdownWriter|BackupWriter|\.endsLine in"
    r"|WireCodec\.(encode|mayMention)|\.\(?contains in"
    r"|(Document|SessionState)\.init\(_: TableModel\.Table|ChangeDocument\.init\(table:"
    r"|CSVColumn\.header\(forField|CSVGuard\.added|KindsFile\.draft"
    # The defaults of a daemon come from its environment; the keys are for a test.
    r"|Configuration\.defaults\(|\.\(path in|\.allKeys\."
)


def lines_of(segments):
    """Each line that has code, and how often it ran, by llvm-cov's rules."""
    lines, wrapped, at = {}, None, 0
    for line in range(segments[0][0], segments[-1][0] + 1):
        here = []
        while at < len(segments) and segments[at][0] == line:
            here.append(segments[at])
            at += 1
        entries = [s[2] for s in here if s[3] and s[4] and not s[5]]
        skipped = here and not here[0][3] and here[0][4]
        if not skipped and (entries or (wrapped and wrapped[3])):
            lines[line] = max(entries + ([wrapped[2]] if wrapped and wrapped[3] else []))
        if here:
            wrapped = here[-1]
    return lines


def main(path, missed):
    data = json.load(open(path))["data"][0]
    names = [function["name"].rsplit(":", 1)[-1] for function in data["functions"]]
    demangled = subprocess.run(
        ["swift", "demangle", "--compact"], input="\n".join(names), text=True, capture_output=True
    ).stdout.split("\n")
    written = {}
    for function, name in zip(data["functions"], demangled):
        if WRITERS.search(name):
            first, _, last, *_ = function["regions"][0]
            written.setdefault(function["filenames"][0], set()).update(range(first, last + 1))
        elif missed and FILES.search(function["filenames"][0]) and not function["count"]:
            print("not called:", function["filenames"][0].split("/Sources/")[1], name)
    all_run = all_lines = 0
    for file in sorted(data["files"], key=lambda file: file["filename"]):
        name = file["filename"]
        if not FILES.search(name) or not file["segments"]:
            continue
        counts = {
            line: count
            for line, count in lines_of(file["segments"]).items()
            if line not in written.get(name, ())
        }
        if not counts:
            continue
        run = sum(count > 0 for count in counts.values())
        short = name.split("/Sources/")[1]
        print(f"{run:6} of {len(counts):5}  {100 * run / len(counts):6.2f} %  {short}")
        if missed and run < len(counts):
            print("      ", *(line for line, count in counts.items() if not count))
        all_run, all_lines = all_run + run, all_lines + len(counts)
    print(f"{all_run:6} of {all_lines:5}  {100 * all_run / all_lines:6.2f} %  all decoders")


main(sys.argv[1], "--missed" in sys.argv)
