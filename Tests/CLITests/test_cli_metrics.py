"""`stats -o prom` by the book, and what is in examples/monitoring: rules and a dashboard that name only
metrics which are there. With promtool (in Debian's package `prometheus`) its word counts too."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

import pytest
from cli_daemon import HERE, Daemon

MONITORING = HERE.parents[1] / "examples/monitoring"
PROMTOOL = os.environ.get("PROMTOOL") or shutil.which("promtool")
NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
LABELS = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(,|$)')
SAMPLE = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)")
HISTOGRAMS = ["turn", "turn_processor", "commit", "reply", "delivery"]
# Of the exporter that reads the file.
OF_OTHERS = {"node_textfile_mtime_seconds", "trestle_backup_timestamp_seconds"}
# Figures of the gateway (Tests/ServeTests), and of a daemon of a service (test_cluster.py).
ELSEWHERE = re.compile(r"trestle_(serve|cluster)_[a-z_]+")


def parse(text):
    """The metrics by name: type and samples. Every deviation from the format fails."""
    assert text.endswith("\n") and "\r" not in text
    found, current = {}, None
    for line in text[:-1].split("\n"):
        if line.startswith("# HELP "):
            name, text = line[len("# HELP "):].split(" ", 1)
            assert NAME.fullmatch(name) and text.strip(), line
            assert name not in found, f"{name} stands twice"
            current = found[name] = {"type": None, "samples": []}
            continue
        if line.startswith("# TYPE "):
            declared, kind = line[len("# TYPE "):].split(" ")
            assert current is not None and declared == name and current["type"] is None, line
            assert kind in ("counter", "gauge", "histogram"), line
            assert kind != "counter" or name.endswith("_total"), line
            assert kind == "counter" or not name.endswith("_total"), line
            current["type"] = kind
            continue
        match = SAMPLE.fullmatch(line)
        assert match, line
        sample, rest, value = match[1], match[2], float(match[3])
        assert current["type"], f"a sample before its type: {line}"
        suffixes = ("_bucket", "_sum", "_count") if current["type"] == "histogram" else ("",)
        assert sample in [name + suffix for suffix in suffixes], f"{line} stands below {name}"
        labels, at = {}, 0
        while rest is not None and at < len(rest):
            one = LABELS.match(rest, at)
            assert one and one[1] not in labels, line
            labels[one[1]] = re.sub(
                r"\\(.)", lambda m: {"n": "\n"}.get(m[1], m[1]), one[2])
            at = one.end()
        assert value >= 0, line
        current["samples"].append((sample, labels, value))
    for name, metric in found.items():
        assert metric["type"] and metric["samples"], f"{name} has no samples"
        series = [(sample, tuple(sorted(labels.items()))) for sample, labels, _ in metric["samples"]]
        assert len(set(series)) == len(series), f"{name} has a series twice"
        if metric["type"] == "histogram":
            check_histogram(name, metric["samples"])
    return found


def check_histogram(name, samples):
    buckets = [(float(labels["le"]), value) for sample, labels, value in samples
               if sample.endswith("_bucket")]
    values = {sample: value for sample, labels, value in samples if labels.keys() <= {"daemon"}}
    assert [bound for bound, _ in buckets] == sorted({bound for bound, _ in buckets})
    assert [count for _, count in buckets] == sorted(count for _, count in buckets)
    assert buckets[-1] == (float("inf"), values[f"{name}_count"])
    assert f"{name}_sum" in values


def figures(daemon):
    return parse(daemon.ok("stats", "-o", "prom"))


def test_the_format_by_the_book(daemon):
    daemon.ok("create", "board")
    for number in range(5):
        daemon.ok("add", "board", f"Order {number}")
    daemon.run("remove", "board", "nobody")
    found = figures(daemon)
    for name in HISTOGRAMS:
        metric = found[f"trestle_{name}_seconds"]
        assert metric["type"] == "histogram" and metric["samples"][-1][2] >= 5, name
    requests = {labels["verb"]: value for _, labels, value in
                found["trestle_requests_total"]["samples"]}
    assert requests["add"] == 5
    assert found["trestle_rejections_total"]["samples"] == [
        ("trestle_rejections_total", {"code": "noSuchRow"}, 1)]
    assert found["trestle_read_only"]["samples"][0][2] == 0
    assert set(found["trestle_build_info"]["samples"][0][1]) == {"version"}
    rows = {labels["table"]: value for _, labels, value in found["trestle_table_rows"]["samples"]}
    assert rows == {"board": 5}
    revisions = found["trestle_table_revisions_total"]["samples"]
    assert revisions == [("trestle_table_revisions_total", {"table": "board"}, 5)]


def test_a_daemon_without_tables(daemon):
    found = figures(daemon)
    assert "trestle_table_rows" not in found and found["trestle_tables"]["samples"][0][2] == 0


@pytest.mark.parametrize("name", ['say "hi"', r"back\slash", "naïve — 表", "\u202eevil", "a\tb"])
def test_names_of_tables_as_labels(daemon, name):
    """Whatever a table is called, the page can be read, and nothing that turns text around is in it."""
    if daemon.run("create", name).returncode != 0:
        return  # The daemon refuses the name itself.
    text = daemon.ok("stats", "-o", "prom")
    sample, = parse(text)["trestle_table_rows"]["samples"]
    assert "\u202e" not in text and "\t" not in text
    if "\u202e" not in name and "\t" not in name:
        assert sample[1] == {"table": name}


def test_series_have_a_bound(daemon):
    for number in range(103):
        daemon.ok("create", f"t{number:03}")
    found = figures(daemon)
    named = [labels["table"] for _, labels, _ in found["trestle_table_rows"]["samples"]]
    assert named == [f"t{number:03}" for number in range(100)]
    assert found["trestle_tables_without_series"]["samples"][0][2] == 3


@pytest.mark.parametrize("text, why", [
    ("# TYPE a gauge\na 1\n", "no help"),
    ("# HELP a b\n# TYPE a counter\na 1\n", "a counter without _total"),
    ('# HELP a b\n# TYPE a gauge\na{x="\\u{1}"} 1\n', "an escape that is none"),
    ("# HELP a b\n# TYPE a gauge\na 1\na 1\n", "a series twice"),
    ("# HELP a b\n# TYPE a gauge\nb 1\n", "another metric"),
    ("# HELP a b\n# TYPE a gauge\n", "no samples"),
])
def test_the_parser_is_strict(text, why):
    with pytest.raises(AssertionError):
        parse(text)


def names_in(expression):
    return set(re.findall(r"\b(?:trestle|node)_[a-z_]+\b", expression))


def known(daemon):
    daemon.ok("create", "board")
    daemon.ok("add", "board", "Soup")
    daemon.run("remove", "board", "nobody")
    found = figures(daemon)
    names = set(found) | OF_OTHERS
    for name, metric in found.items():
        if metric["type"] == "histogram":
            names |= {f"{name}_bucket", f"{name}_sum", f"{name}_count"}
    return names


def test_the_dashboard_names_what_is_there(daemon):
    page = json.loads((MONITORING / "grafana-dashboard.json").read_text())
    expressions = [target["expr"] for panel in page["panels"] for target in panel["targets"]]
    named = set().union(*map(names_in, expressions))
    assert named - known(daemon) == set()
    assert {f"trestle_{name}_seconds_bucket" for name in HISTOGRAMS} <= named
    ids = [panel["id"] for panel in page["panels"]]
    assert len(set(ids)) == len(ids) >= 10


def test_the_rules_name_what_is_there(daemon):
    text = (MONITORING / "trestle.rules.yml").read_text()
    expressions = re.findall(r"(?m)^ +expr: (.*)$", text)
    alerts = re.findall(r"(?m)^ +- alert: (\w+)$", text)
    assert len(expressions) == len(alerts) == len(set(alerts)) >= 10
    assert {name for name in set().union(*map(names_in, expressions)) - known(daemon)
            if not ELSEWHERE.fullmatch(name)} == set()
    page = (HERE.parents[1] / "docs/OPERATION.md").read_text()
    for alert in alerts:
        assert f"| `{alert}` |" in page, "an alert that the page does not explain"


def test_questions_are_no_changes_to_the_alarm_for_refusals():
    """Each verb that only reads, and what a standby asks all the time. Else refusals vanish among them."""
    verbs = (HERE.parents[1] / "docs/VERBS.md").read_text()
    reads = set(re.findall(r"(?m)^\| `(\w+)` \|.*\breads\b", verbs))
    excluded, = re.findall(r'verb!~"([^"]*)"', (MONITORING / "trestle.rules.yml").read_text())
    assert {"snapshot", "explain"} <= reads and reads | {"replicate"} <= set(excluded.split("|"))
    assert set(excluded.split("|")) <= set(re.findall(r"(?m)^\| `(\w+)` \|", verbs))


@pytest.mark.skipif(not PROMTOOL, reason="promtool is in Debian's package prometheus")
def test_promtool_agrees(daemon):
    known(daemon)
    text = daemon.ok("stats", "-o", "prom")
    done = subprocess.run([PROMTOOL, "check", "metrics"], input=text, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr + done.stdout
    rules = MONITORING / "trestle.rules.yml"
    done = subprocess.run([PROMTOOL, "check", "rules", rules], capture_output=True, text=True)
    assert done.returncode == 0 and "SUCCESS" in done.stdout, done.stderr + done.stdout


@pytest.mark.skipif(not PROMTOOL, reason="promtool is in Debian's package prometheus")
def test_each_alarm_fires(tmp_path):
    """Each by figures that it is about, and by none where all is well."""
    text = (MONITORING / "trestle.rules.yml").read_text()
    alerts = re.findall(r"(?m)^ +- alert: (\w+)$", text)
    done = subprocess.run(
        [PROMTOOL, "test", "rules", HERE / "trestle.rules.test.yml"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    tested = set(re.findall(r"alertname: (\w+)", (HERE / "trestle.rules.test.yml").read_text()))
    assert tested == set(alerts)


def test_the_figures_for_the_node_exporter(daemon):
    """As the timer writes them: whole, for others to read, and without a word."""
    folder, backups = daemon.directory / "exporter", daemon.directory / "backups"
    for one in (folder, backups):
        one.mkdir()
    daemon.ok("create", "board")

    def write(*instance):
        done = subprocess.run([MONITORING / "trestle-metrics", folder, backups, *instance], capture_output=True,
                              env=daemon.environment, timeout=30)
        return done.returncode, done.stdout + done.stderr

    def newest():
        return parse((folder / "trestle.prom").read_text())["trestle_backup_timestamp_seconds"]["samples"][0][2]

    assert write() == (0, b"") and newest() == 0
    daemon.ok("backup", backups / "trestle-2026-01-01T000000Z.backup")
    assert write() == (0, b"")
    assert newest() == int((backups / "trestle-2026-01-01T000000Z.backup").stat().st_mtime)
    assert [path.name for path in folder.iterdir()] == ["trestle.prom"]
    # One of several daemons has a file of its own, and a label at each figure: else the exporter meets figures twice.
    assert write("kitchen") == (0, b"")
    one, other = (parse((folder / f"{name}trestle.prom").read_text()) for name in ("", "kitchen."))
    assert one.keys() == other.keys() and sorted(path.name for path in folder.iterdir()) == ["kitchen.trestle.prom", "trestle.prom"]
    assert all(labels.pop("daemon") == "kitchen" for metric in other.values() for _, labels, _ in metric["samples"])
    for metric in one:
        assert {(name, *labels.items()) for name, labels, _ in one[metric]["samples"]} <= {
            (name, *labels.items()) for name, labels, _ in other[metric]["samples"]}
    # A daemon that is away leaves the file as it was.
    before = (folder / "trestle.prom").read_text()
    daemon.stop()
    code, said = write()
    assert code != 0 and b"trestle" in said and (folder / "trestle.prom").read_text() == before


def test_a_refused_reload_is_a_figure(tmp_path):
    """The alarm TrestleReloadRefused, fired for real: the figure it goes by is there, and goes again."""
    daemon = Daemon(tmp_path, config="log: {level: info}\n")
    try:
        def refused(text):
            (tmp_path / "trestled.yaml").write_text(text)
            daemon.process.send_signal(signal.SIGHUP)
            time.sleep(0.5)
            return figures(daemon)["trestle_reload_refused"]["samples"][0][2]

        assert refused("log: [\n") == 1
        assert refused("log: {level: info}\n") == 0
    finally:
        daemon.stop()
