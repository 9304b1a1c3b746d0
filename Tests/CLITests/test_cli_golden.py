"""Transcripts of the command line. The shell runs each `$ ` line, against one daemon per file. The
lines below it are its output: `! ` is standard error, `= ` an exit code other than 0.

REWRITE=1 writes the transcripts again: read the difference before you commit.
"""

import json
import os
import pwd
import re
import subprocess

import pytest
from cli_daemon import HERE

# The name that `--as ada` says stands before the user that runs the tests: ada (root).
ME = pwd.getpwuid(os.geteuid()).pw_name
GOLDEN = sorted((HERE / "golden").glob("*.txt"))


def normalised(text, names):
    """What differs from run to run, by a name for each thing."""

    def named(kind):
        def replace(match):
            known = names.setdefault((kind, match.group(2)), f"<{kind}>")
            return match.group(1) + known
        return replace

    def lease(match):
        """They are random, and have the numbers in which they come here."""
        leases = sum(1 for kind, _ in names if kind == "lease")
        return names.setdefault(("lease", match.group()), f"<lease {leases + 1}>")

    for kind in ("history", "epoch", "digest"):
        text = re.sub(rf'("{kind}":")([0-9a-f]{{16,32}})', named(kind), text)
    text = re.sub(r'("client":")([a-z2-7]{12})(?=")', r"\1<client>", text)
    text = re.sub(r'("user":")[^"]*(?=")', r"\1<user>", text)
    text = text.replace(f" ({ME}) ", " (<user>) ")
    text = re.sub(r'("(?:created|changed|moved|time|since)Ms":)\d+', r"\g<1>0", text)
    text = re.sub(r"\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\b", "<time>", text)
    text = re.sub(r"\b[0-9a-f]{8}-[0-9a-f]{32}\b", lease, text)
    text = re.sub(r"(sleeps until \d\d:\d\d) tomorrow", r"\1", text)
    text = re.sub(r"\b\d+(\.\d)? s ago by", "<time> ago by", text)
    text = re.sub(r'("(?:uptimeMs|position|entries|checkpointParts)":)\d+', r"\g<1>0", text)
    text = re.sub(r'("version":")\d+\.\d+\.\d+', r"\1<version>", text)
    text = re.sub(r"trestled \d+\.\d+\.\d+, up [^,]+,", "trestled <version>, up <time>,", text)
    text = re.sub(r"journal at \d+", "journal at <n>", text)
    text = re.sub(r"journal entries: \d+", "journal entries: <n>", text)
    text = re.sub(r"\b[0-9a-f]{32}\b", "<hex32>", text)
    text = re.sub(r"\b[0-9a-f]{16}\b", "<hex16>", text)
    return text


def check_forms(command, done):
    """-o json is one valid document, always; -o ndjson is one object per line."""
    last = command.split("|")[-1]
    if " trestle " not in f" {last.strip()} " or any(word in last for word in (">", "--help", "rpc")):
        return
    text = done.stdout.decode()
    if re.search(r"-o ?json|--output[= ]json", last) and "watch" not in last:
        document = json.loads(text)
        assert text.count("\n") == 1 or "export" in last, f"{command}: one line"
        assert done.stderr == b"", f"{command}: nothing on standard error"
        assert isinstance(document, dict)
    elif re.search(r"-o ?ndjson", last):
        for line in text.splitlines():
            assert isinstance(json.loads(line), dict), f"{command}: {line}"


# Such a command only reads, and prints what it has learnt in this time. On a busy machine that may be little.
BRIEF = re.compile(r"\$ (?:trestle watch|.*/nowhere\.sock).* --timeout (0\.[23])\b")
LONGER = ("1", "3", "10")


def commands(path):
    """[line, what stands below it]: a comment and an empty line have nothing."""
    found = []
    for line in path.read_text().splitlines():
        if line.startswith("#") or line == "" or line.startswith("$ "):
            found.append((line, []))
        else:
            found[-1][1].append(line)
    return found


def output(daemon, command, names):
    """What stands below the command."""
    environment = dict(daemon.environment, ENDPOINT=daemon.endpoint)
    done = subprocess.run(
        ["sh", "-c", command], capture_output=True, timeout=60, cwd=daemon.directory, env=environment)
    check_forms(command, done)
    lines = []
    for stream, mark in ((done.stdout, "  "), (done.stderr, "! ")):
        text = stream.decode().replace(str(daemon.directory), "<directory>")
        parts = normalised(text, names).splitlines()
        # An empty line stands for itself only between commands.
        lines += [mark + (part.rstrip() or "|") for part in parts]
    if done.returncode:
        lines.append(f"= {done.returncode}")
    return lines


def transcript(daemon, path):
    names = {}
    lines = []
    for line, expected in commands(path):
        lines.append(line)
        if not line.startswith("$ "):
            continue
        known = dict(names)
        found = output(daemon, line[2:], names)
        brief = BRIEF.match(line)
        for seconds in LONGER if brief else ():
            if found == expected:
                break
            names = dict(known)
            found = output(daemon, line[2:brief.start(1)] + seconds + line[brief.end(1):], names)
        lines += found
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_golden(daemon, path):
    found = transcript(daemon, path)
    if os.environ.get("REWRITE") == "1":
        path.write_text(found)
    assert found == path.read_text()
