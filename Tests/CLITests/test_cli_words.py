"""Which words are options and which are values, and the messages about a word that names nothing."""

import json
import os
import pty
import re
import select
import subprocess
import time

import pytest
from cli_daemon import BIN, HERE

KINDS = """
kinds:
  ticket:
    states: [collapsed, {name: one-line, height: 100}, expanded]
    trailing: {actions: [{id: bump, effect: {remove: true}}, {id: page, effect: {invoke: {deadline: 30}}}]}
"""


@pytest.fixture
def kitchen(daemon):
    daemon.ok("create", "kitchen")
    daemon.ok("define", "kitchen", "-", stdin=KINDS.encode())
    daemon.ok("add", "kitchen", "Sole", "--id", "1042-g", "--kind", "ticket", "--section", "fry")
    return daemon


def rows(daemon, table="kitchen"):
    return json.loads(daemon.ok("-o", "json", "show", table))["rows"]


def refused(daemon, *arguments, status=1):
    done = daemon.run(*arguments)
    assert done.returncode == status, (arguments, done)
    return done.stderr.decode()


# ---------------------------------------------------------------- values with a dash

@pytest.mark.parametrize("title", [
    "- no butter", "-", "-5", "-hold", "---", "-x=1", "--no butter", "-e ggs", "-é"])
def test_titles_with_a_dash(daemon, title):
    daemon.ok("create", "kitchen")
    for words in (["add", "kitchen", title], ["add", "--top", "kitchen", title],
                  ["--as", "ada", "add", "kitchen", title, "--section", "main"]):
        daemon.ok(*words)
    assert [row["title"] for row in rows(daemon)] == [title] * 3


def test_values_of_options_with_a_dash(kitchen):
    kitchen.ok("claim", "kitchen", "1042-g", "--note", "- hold")
    kitchen.ok("claim", "kitchen", "1042-g", "--note", "-hold")
    kitchen.ok("set", "kitchen", "1042-g", "--title", "-1 sole", "--field", "-k=-v")
    row = rows(kitchen)[0]
    assert row["title"] == "-1 sole" and row["fields"] == {"-k": "-v"}
    assert row["claim"]["note"] == "-hold"
    # A height that no row can have is the daemon's to refuse, not a word that is not understood.
    assert "Missing value" not in refused(kitchen, "expand", "kitchen", "1042-g", "--to", "-5")
    assert refused(kitchen, "tables", "--timeout", "-1", status=64).startswith(
        "trestle: --timeout takes seconds")
    assert kitchen.ok("explain", "add", "kitchen", "- no butter", "--top").startswith("would be")
    assert kitchen.ok("--timeout", "5", "explain", "set", "kitchen", "1042-g", "--title", "-").startswith(
        "would be")


def test_options_before_the_verb_have_values_with_a_dash(kitchen):
    assert kitchen.ok("--as", "-bob", "tables") == kitchen.ok("tables", "--as", "-bob")
    for words in (["--as=-x", "explain", "add"], ["--as", "-x", "explain", "add"],
                  ["explain", "--as", "-x", "add"], ["explain", "add", "--as", "-x"]):
        assert kitchen.ok(*words, "kitchen", "q").startswith("would be"), words
    kitchen.ok("--as", "-x", "--timeout", "5", "claim", "kitchen", "1042-g")
    assert rows(kitchen)[0]["claim"]["holder"] == "-x"
    # An option is no value, and what is no endpoint is none.
    assert "Missing value for '--as <name>'" in refused(kitchen, "--as", "-e", "tables", status=64)
    assert "found \"-x\"" in refused(kitchen, "-e", "-x", "tables", status=64)


def test_words_that_are_no_text(kitchen):
    """Mended they would name another row."""
    kitchen.ok("add", "kitchen", "x", "--id", "\ufffd")
    for words in ([b"remove", b"kitchen", b"\xfe"], [b"add", b"kitchen", b"q\xff"],
                  [b"add", b"kitchen", b"t", b"--id", b"\xc3("], [b"show", b"kitchen\xe2\x82"],
                  [b"serve", b"\xff"], [b"tables", b"--", b"\xed\xa0\x80"]):
        assert "is not valid UTF-8" in refused(kitchen, *words, status=64), words
    done = kitchen.run("-o", "json", b"tables", b"\xff")
    assert done.returncode == 64 and json.loads(done.stdout)["error"]["code"] == "usage"
    assert [row["id"] for row in rows(kitchen)] == ["1042-g", "\ufffd"]
    kitchen.ok("remove", "kitchen", "\ufffd")


def test_what_looks_like_an_option_is_one(kitchen):
    text = refused(kitchen, "set", "kitchen", "1042-g", "--title", "--section", status=64)
    assert "Missing value for '--title <title>'" in text
    assert "Unknown option '--nothing'" in refused(
        kitchen, "remove", "kitchen", "1042-g", "--nothing", status=64)
    kitchen.ok("set", "kitchen", "1042-g", "--title=--section")
    kitchen.ok("add", "kitchen", "--", "--nothing")
    kitchen.ok("add", "--top", "kitchen", "--", "--help")
    assert [row["title"] for row in rows(kitchen)] == ["--section", "--help", "--nothing"]


def test_an_endpoint_is_understood_wherever_it_stands(kitchen, tmp_path):
    """Nothing but an endpoint is not left to ArgumentParser, which takes long."""
    nobody = f"ipc://{tmp_path}/none.sock"
    for verb, said in ("tables", b"kitchen"), ("health", b"ok: trestled"):
        for words in (["-e", "{}", verb], [verb, "-e", "{}"], ["--endpoint={}", verb], [verb, "--endpoint", "{}"],
                      ["-e", nobody, verb, "--endpoint", "{}"], [verb, "--endpoint={}", "-o", "table"]):
            there = kitchen.run(*(word.format(kitchen.endpoint) for word in words))
            assert there.returncode == 0 and said in there.stdout, (words, there)
            elsewhere = kitchen.run(*(word.format(nobody) for word in words), "--timeout", "0.2")
            assert elsewhere.returncode == 69, (words, elsewhere)
        for words in ([verb, "-e"], [verb, "--endpoint"], [verb, "-e", "-o"]):
            assert kitchen.run(*words).returncode == 64, words


def test_double_dash_everywhere(kitchen):
    assert kitchen.ok("-o", "name", "show", "--", "kitchen") == "1042-g\n"
    assert "\"-e\"" in refused(kitchen, "remove", "kitchen", "--", "-e", status=66)
    assert kitchen.ok("explain", "add", "kitchen", "--", "--help").startswith("would be")
    kitchen.ok("add", "--id", "dashes", "--", "kitchen", "--")
    assert rows(kitchen)[-1]["title"] == "--"


def test_a_verb_has_no_version_of_its_own(kitchen):
    version = rows(kitchen)[0]["version"]
    stale = refused(kitchen, "set", "kitchen", "1042-g", "--title", "q", "--if-version", "1")
    assert rows(kitchen)[0]["title"] == "Sole" and "version" in stale
    kitchen.ok("set", "kitchen", "1042-g", "--title", "q", "--if-version", str(version))
    assert rows(kitchen)[0]["title"] == "q"
    # Of a verb that has none, and of one whose other words are missing.
    assert "Unknown option '--version'" in refused(kitchen, "tables", "--version", status=64)
    refused(kitchen, "act", "kitchen", "1042-g", "--if-version", "1", status=64)
    assert re.fullmatch(r"\d+\.\d+\.\d+\n", kitchen.ok("--version"))
    assert re.fullmatch(r"\d+\.\d+\.\d+\n", kitchen.ok("-o", "json", "--version"))


def test_the_tables_of_options():
    """`Words.takingValues` is what the verbs declare, and no verb's option is the root's but for
    those that all have."""
    dump = subprocess.run(
        [BIN / "trestle", "--experimental-dump-help"], check=True, capture_output=True).stdout
    root = json.loads(dump)["command"]

    def names(command, kind):
        return {name["name"] for argument in command.get("arguments", [])
                if argument["kind"] == kind for name in argument.get("names", [])}

    verbs = [verb for verb in root["subcommands"] if verb["commandName"] != "help"]
    options = set().union(*(names(verb, "option") for verb in verbs))
    flags = set().union(*(names(verb, "flag") for verb in verbs)) - {"version"}
    assert not options & flags, "a name with a value here and without one there"
    source = (HERE.parents[1] / "Sources/trestle/Words.swift").read_text()
    listed = re.search(r"let names = \[(.*?)\]", source, re.S)[1]
    assert set(re.findall(r'"([^"]+)"', listed)) | {"e", "o"} == options
    common = names(root, "option")
    for verb in verbs:
        every = [name["name"] for argument in verb["arguments"]
                 for name in argument.get("names", []) if argument["kind"] == "option"]
        assert len(every) == len(set(every)), verb["commandName"]
        assert common <= set(every)


def test_usage_lines_show_alternatives():
    """Each option of a verb stands in its usage line, and none that is one of several stands alone."""
    dump = subprocess.run(
        [BIN / "trestle", "--experimental-dump-help"], check=True, capture_output=True).stdout
    root = json.loads(dump)["command"]
    common = {"endpoint", "output", "timeout", "as", "behalf", "help", "version"}
    for verb in root["subcommands"]:
        name = verb["commandName"]
        if name == "help":
            continue
        text = subprocess.run(
            [BIN / "trestle", name, "--help"], check=True, capture_output=True).stdout.decode()
        usage = re.search(r"(?m)^USAGE: ((?:.+\n)+)", text)[1]
        assert all(line.strip().startswith("trestle ") for line in usage.splitlines())
        bare = re.sub(r"\[[^\[\]]*(\[[^\[\]]*\][^\[\]]*)*\]|\([^()]*\)", "", usage)
        for argument in verb["arguments"]:
            long = [item["name"] for item in argument.get("names", []) if item["kind"] == "long"]
            if not long or long[0] in common - {"version"}:
                continue
            if long[0] == "version" and argument["kind"] == "flag":
                continue
            assert f"--{long[0]}" in usage, (name, long)
            if argument["kind"] == "flag":
                assert f"--{long[0]}" not in bare or \
                    (name, long[0]) in {("restore", "check"), ("select", "none")}, name
    swipe = subprocess.run([BIN / "trestle", "swipe", "--help"], capture_output=True).stdout.decode()
    assert "USAGE: trestle swipe <table> <row> (--leading | --trailing | --close) " in swipe


def usage_fault(daemon, *arguments):
    """What is said, and that it is followed by how the verb is used."""
    first, usage, *_, last = refused(daemon, *arguments, status=64).splitlines()
    verb = [word for word in arguments if word != "explain"][0]
    assert usage.startswith(f"Usage: trestle {verb} "), usage
    assert last == f"  See 'trestle {verb} --help' for more information."
    return first.removeprefix("trestle: ")


@pytest.mark.parametrize("words, said", [
    ("set kitchen 1042-g --titel q", "Unknown option '--titel'. Did you mean '--title'?"),
    ("set kitchen --titel=q", "Unknown option '--titel'. Did you mean '--title'?"),
    ("explain set kitchen 1042-g --titel q", "Unknown option '--titel'. Did you mean '--title'?"),
    ("wait kitchen --untli x", "Unknown option '--untli'. Did you mean '--until'?"),
    ("swipe kitchen 1042-g --leadin", "Unknown option '--leadin'. Did you mean '--leading'?"),
    ("edit kitchen --offf", "Unknown option '--offf'. Did you mean '--off'?"),
    ("move kitchen 1042-g --topp", "Unknown option '--topp'. Did you mean '--top'?"),
    ("drag kitchen drop x --befor y", "Unknown option '--befor'. Did you mean '--before'?"),
    ("layout kitchen --widht 3", "Unknown option '--widht'. Did you mean '--width'?"),
    ("handle kitchen page --job 3", "Unknown option '--job'. Did you mean '--jobs'?"),
    ("act --yess", "Unknown option '--yess'. Did you mean '--yes'?"),
    ("tables --nothing-like-it", "Unknown option '--nothing-like-it'"),
])
def test_unknown_options_come_first(kitchen, words, said):
    assert usage_fault(kitchen, *words.split()) == said
    done = kitchen.run("-o", "json", *words.split())
    error = json.loads(done.stdout)["error"]
    assert (done.returncode, error) == (64, {"code": "usage", "message": said})


EXCLUDED = "exclude each other."
PLACES = "One of --top, --bottom, --before and --after is needed."


@pytest.mark.parametrize("words, said", [
    ("expand kitchen 1042-g --toggle --to X", f"--toggle and --to {EXCLUDED}"),
    ("expand kitchen --all --none", f"--all and --none {EXCLUDED}"),
    ("expand kitchen 1042-g --toggle --to X --all", f"--toggle, --to and --all {EXCLUDED}"),
    ("expand kitchen 1042-g", "One of --toggle, --to, --all and --none is needed."),
    ("expand kitchen --toggle", "Name the row."),
    ("expand kitchen 1042-g --all", "--all is for all rows: name none."),
    ("swipe kitchen 1042-g", "One of --leading, --trailing and --close is needed."),
    ("swipe kitchen 1042-g --close --leading", f"--leading and --close {EXCLUDED}"),
    ("edit kitchen", "One of --on and --off is needed."),
    ("edit kitchen --on --off", f"--on and --off {EXCLUDED}"),
    ("move kitchen 1042-g", PLACES),
    ("move kitchen 1042-g --top --bottom", f"--top and --bottom {EXCLUDED}"),
    ("add kitchen x --top --after y", f"--top and --after {EXCLUDED}"),
    ("drag kitchen drop x", PLACES),
    ("drag kitchen hover x --top --before y", f"--top and --before {EXCLUDED}"),
    ("item kitchen t move a", "One of --first, --last, --before and --after is needed."),
    ("item kitchen t add a --first --last", f"--first and --last {EXCLUDED}"),
    ("act kitchen t a --leading --trailing", f"--leading and --trailing {EXCLUDED}"),
    ("undo kitchen --revision 3 --anyone", f"--revision and --anyone {EXCLUDED}"),
    ("set kitchen t --actions f --kind-actions", f"--actions and --kind-actions {EXCLUDED}"),
    ("section kitchen s --title x --remove", f"--title and --remove {EXCLUDED}"),
])
def test_alternatives(kitchen, words, said):
    assert usage_fault(kitchen, *words.split()) == said


# ---------------------------------------------------------------- did you mean

def test_did_you_mean(kitchen):
    def hint(*words, status):
        return re.search(r"[Dd]id you mean \W?([\w-]+)", refused(kitchen, *words, status=status))[1]

    assert hint("shwo", status=64) == "show"
    assert hint("help", "swpie", status=64) == "swipe"
    assert hint("explain", "moev", "kitchen", status=64) == "move"
    assert hint("show", "kitchne", status=66) == "kitchen"
    assert hint("watch", "kitchne", status=66) == "kitchen"
    assert hint("remove", "kitchen", "1042g", status=66) == "1042-g"
    assert hint("explain", "remove", "kitchen", "1042g", status=66) == "1042-g"
    assert hint("section", "kitchen", "fyr", "--remove", status=1) == "fry"
    assert hint("act", "kitchen", "1042-g", "bmup", status=1) == "bump"
    assert hint("add", "kitchen", "x", "--kind", "tikcet", status=1) == "ticket"
    assert hint("handle", "kitchen", "pgae", "--", "true", status=1) == "page"
    # Names that are counted up are no misspellings of each other, and programs are told nothing.
    assert "mean" not in refused(kitchen, "remove", "kitchen", "1043-g", status=66)
    done = kitchen.run("-o", "json", "show", "kitchne")
    assert "mean" not in done.stdout.decode() and done.returncode == 66


def test_handle_refuses_what_nobody_defines(kitchen):
    began = time.monotonic()
    text = refused(kitchen, "handle", "kitchen", "typo", "--", "true")
    assert text == "trestle: No kind and no row of kitchen has an action \"typo\".\n"
    text = refused(kitchen, "handle", "kitchen", "bump", "--", "true")
    assert "waits for a handler" in text
    assert time.monotonic() - began < 5
    # A row's own action counts, and so does one that was pressed before its kind forgot it.
    own = b"trailing: {actions: [{id: own, effect: {invoke: {deadline: 30}}}]}"
    kitchen.ok("set", "kitchen", "1042-g", "--actions", "-", stdin=own)
    kitchen.ok("act", "kitchen", "1042-g", "own")
    kitchen.ok("set", "kitchen", "1042-g", "--kind-actions")
    assert "own on 1042-g done" in kitchen.ok(
        "handle", "kitchen", "own", "--count", "1", "--timeout", "10", "--", "true")
    refused(kitchen, "handle", "kitchen", "own", "--", "true")


def test_an_action_of_no_kind_is_said(kitchen):
    """A row may have one of its own: so it is no refusal."""
    done = kitchen.run("pause", "kitchen", "--action", "pgae")
    assert (done.returncode, done.stdout) == (0, b"pgae of kitchen is paused\n")
    assert done.stderr.decode() == 'trestle: no kind has an action "pgae" (did you mean "page"?)\n'
    assert kitchen.run("pause", "kitchen", "--action", "page").stderr == b""
    kitchen.ok("resume", "kitchen")
    done = kitchen.run("next", "kitchen", "--act", "bmup")
    assert done.returncode == 66 and done.stdout == b""
    assert done.stderr.decode() == ('trestle: no kind has an action "bmup" (did you mean "bump"?)\n'
                                    'trestle: No row of kitchen is free that fits.\n')
    done = kitchen.run("next", "kitchen", "--act", "nothing", "--wait", "--timeout", "0.2")
    assert done.returncode == 75 and done.stderr.startswith(b'trestle: no kind has an action "nothing"\n')


def test_a_text_without_quotes_is_told_apart_from_a_field(kitchen):
    def hint(condition, verb="count"):
        return refused(kitchen, verb, "kitchen", "--where", condition, status=64).split("\n")[0].rpartition("; ")[2]

    assert hint("title ~ fries") == 'a text is written "fries"'
    assert hint("section==pass") == 'a text is written "pass"'
    assert hint("field.table > seven", "next") == 'a text is written "seven"'
    assert hint("driver == 7") == "a field is written field.driver"
    assert hint("driver = x") == "a field is written field.driver"
    assert hint('not rush and title ~ "x"') == "a field is written field.rush"


def test_a_verb_lists_the_forms_that_it_prints(kitchen):
    def forms(*words):
        text = " ".join(kitchen.ok(*words).split())
        return re.search(r"How to print the result\. \(values: (.*?); default: table\)", text)[1].split(", ")

    assert forms("count", "--help") == ["table", "json", "ndjson"] == forms("help", "count")
    assert forms("set", "--help") == ["table", "wide", "json", "ndjson", "name"]
    assert forms("show", "--help")[-2:] == ["svg", "html"]
    # These are the ones that it takes.
    for verb in ("count", "stats", "show"):
        for form in forms("--help"):
            words = [verb] if verb == "stats" else [verb, "kitchen"]
            assert (kitchen.run("-o", form, *words).returncode == 64) == (form not in forms(verb, "--help")), form


# ---------------------------------------------------------------- batch, sections, states

@pytest.mark.parametrize("line, said", [
    ('{"add":{"idd":"a","title":"x"}}', "standard input:2: unknown key `idd` (did you mean `id`?)"),
    ('{"remoev":{"rows":["a"]}}', "standard input:2: unknown key `remoev` (did you mean `remove`?)"),
    ('{"swap":{"a":"x","too":"y"}}', "standard input:2: unknown key `too`\n"),
    ('{"set":{"row":"a","title":"x","version":4}}',
     "standard input:2: unknown key `version` (did you mean `ifVersion`, beside `set`?)\n"),
    ('{"set":{"row":"a","title":"x"},"version":4}',
     "standard input:2: unknown key `version` (did you mean `ifVersion`?)\n"),
    ('{"add":{"id":"z","title":"x"},"remove":{"rows":["z"]}}',
     "standard input:2: `add` and `remove` stand in one command: write a line for each\n"),
    ('{"ifVersion":4}', 'standard input:2: no command stands here: write one such as {"add":{…}}\n'),
])
def test_batch_refuses_unknown_keys(kitchen, line, said):
    before = kitchen.ok("-o", "json", "show", "kitchen")
    commands = '{"add":{"id":"one","title":"x"}}\n' + line + "\n"
    done = kitchen.run("batch", "kitchen", stdin=commands.encode())
    assert (done.returncode, done.stdout) == (65, b"") and said in done.stderr.decode()
    assert json.loads(before)["revision"] == json.loads(
        kitchen.ok("-o", "json", "show", "kitchen"))["revision"]
    # The daemon refuses it, too.
    if "idd" in line:
        done = kitchen.run("rpc", '{"table":"kitchen","command":' + line + "}")
        error = json.loads(done.stdout)["error"]
        assert error["field"] == "command.add.idd" and error["message"].endswith('Did you mean "id"?')


def test_a_new_section_is_said(kitchen):
    done = kitchen.run("move", "kitchen", "1042-g", "--section", "frry", "--top")
    assert done.stdout.startswith(b"1042-g is now 1st in frry")
    assert done.stderr.decode() == 'trestle: made section "frry" (did you mean "fry"?)\n'
    done = kitchen.run("add", "kitchen", "New", "--section", "grill", "--id", "n")
    assert (done.stdout, done.stderr) == (b"n\n", b'trestle: made section "grill"\n')
    for words in (["add", "kitchen", "x", "--section", "grill", "--top"],
                  ["move", "kitchen", "n", "--section", "fry", "--top"],
                  ["-o", "name", "add", "kitchen", "x", "--section", "other"],
                  ["-o", "json", "add", "kitchen", "x", "--section", "another"]):
        assert kitchen.run(*words).stderr == b""


def test_toggle_says_the_state(kitchen):
    said = [kitchen.ok("expand", "kitchen", "1042-g", "--toggle") for _ in range(3)]
    assert said == ["1042-g is one-line\n", "1042-g is expanded\n", "1042-g is collapsed\n"]
    one = b"kinds: {single: {states: [collapsed]}}"
    kitchen.ok("define", "kitchen", "-", stdin=one)
    kitchen.ok("add", "kitchen", "x", "--id", "s", "--kind", "single")
    assert kitchen.ok("expand", "kitchen", "s", "--toggle") == "s is collapsed (unchanged)\n"


@pytest.mark.parametrize("word, meant", [
    ("total", "count"), ("rm", "remove"), ("ls", "tables, or show"), ("list", "tables, or show"),
    ("find", "show"), ("delete", "remove"), ("describe", "kinds, or get"), ("cat", "show"),
    ("filter", "show"), ("update", "set"), ("take", "next"), ("stop", "pause"), ("worker", "handle, or next"),
    ("shwo", "show"), ("moev", "move"), ("hadd", None), ("jet", "get"), ("nonsense", None),
])
def test_whoever_looks_is_not_offered_to_write(kitchen, word, meant):
    text = refused(kitchen, word, status=64)
    hint = f": did you mean {meant}?" if meant else "."
    assert text == f'trestle: There is no verb "{word}"{hint} `trestle --help` lists them.\n'


@pytest.mark.parametrize("verb", ["add kitchen x", "set kitchen 1042-g", "item kitchen t add a"])
def test_a_key_has_no_blanks_around_it(kitchen, verb):
    for field in "driver = 9", " driver=9":
        text = refused(kitchen, *verb.split(), "--field", field, status=64)
        assert "begins or ends with a blank" in text, text
    assert "Write KEY=VALUE." in refused(kitchen, *verb.split(), "--field", "driver", status=64)


# ---------------------------------------------------------------- drop asks

def at_a_terminal(daemon, *arguments, answer, stdin=None):
    """The exit code, and what stood on the terminal."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [BIN / "trestle", *arguments], stdin=slave if stdin is None else stdin, stdout=slave, stderr=slave,
        env=dict(daemon.environment, TERM="xterm"), cwd=daemon.directory, start_new_session=True)
    os.close(slave)
    text, has_answered, end = "", False, time.monotonic() + 20
    while time.monotonic() < end:
        if select.select([master], [], [], 0.1)[0]:
            try:
                text += os.read(master, 65536).decode()
            except OSError:
                break
        elif process.poll() is not None:
            break
        if "[y/N]" in text and not has_answered:
            os.write(master, answer)
            has_answered = True
    code = process.wait(10)
    os.close(master)
    return code, text


def test_drop_asks_on_a_terminal(kitchen):
    code, text = at_a_terminal(kitchen, "drop", "kitchen", answer=b"n\n")
    assert code == 1 and "kitchen was not dropped" in text
    assert "Drop kitchen, with 1 row in 1 section and its history? [y/N]" in text
    assert kitchen.ok("-o", "name", "tables") == "kitchen\n"
    code, text = at_a_terminal(kitchen, "drop", "kitchen", answer=b"y\n")
    assert code == 0 and "dropped kitchen" in text
    kitchen.ok("create", "other")
    code, text = at_a_terminal(kitchen, "drop", "other", "--yes", answer=b"n\n")
    assert code == 0 and "[y/N]" not in text
    code, text = at_a_terminal(kitchen, "drop", "none", answer=b"n\n")
    assert code == 66 and "[y/N]" not in text
    # Somebody is there, and cannot be asked.
    kitchen.ok("create", "other")
    code, text = at_a_terminal(kitchen, "drop", "other", answer=b"", stdin=subprocess.DEVNULL)
    assert code == 64 and "say --yes" in text
    assert at_a_terminal(kitchen, "explain", "drop", "other", answer=b"", stdin=subprocess.DEVNULL)[0] == 0
    code, text = at_a_terminal(kitchen, "drop", "other", "--yes", answer=b"", stdin=subprocess.DEVNULL)
    assert code == 0 and "dropped other" in text
    # A script is not asked.
    kitchen.ok("create", "last")
    kitchen.ok("drop", "last")


# ---------------------------------------------------------------- what is named

def test_a_row_is_no_lease(kitchen):
    lease = kitchen.ok("-o", "name", "drag", "kitchen", "lift", "1042-g").strip()
    text = refused(kitchen, "drag", "kitchen", "drop", "1042-g", "--top")
    assert text == ('trestle: There is no lease "1042-g": that is the id of a row; the lease has the '
                    "id that the lift gave.\n")
    text = refused(kitchen, "drag", "kitchen", "cancel", "xyz")
    assert text == 'trestle: There is no lease "xyz": no lift gave that id.\n'
    old = "0" * 8 + "-1"
    assert "the daemon was restarted since" in refused(kitchen, "drag", "kitchen", "renew", old)
    kitchen.ok("drag", "kitchen", "drop", lease, "--top")
    assert "tester dropped it" in refused(kitchen, "drag", "kitchen", "drop", lease, "--top")


def test_the_history_of_a_row_that_never_was(kitchen):
    text = refused(kitchen, "history", "kitchen", "--row", "nope", status=66)
    assert text == 'trestle: There is no row "nope", and there never was one.\n'
    done = kitchen.run("-o", "json", "history", "kitchen", "--row", "nope")
    assert (done.returncode, json.loads(done.stdout)["error"]["code"]) == (66, "noSuchRow")
    assert 'mean "1042-g"?' in refused(kitchen, "history", "kitchen", "--row", "1042g", status=66)
    # A row that is there, or was; what other filters leave out does not count.
    assert "(nothing)" in kitchen.ok("history", "kitchen", "--row", "1042-g", "--verb", "move")
    kitchen.ok("remove", "kitchen", "1042-g")
    assert "removed" in kitchen.ok("history", "kitchen", "--row", "1042-g")
    assert "(nothing)" in kitchen.ok("history", "kitchen", "--row", "1042-g", "--verb", "move")


@pytest.mark.parametrize("daemon", ["retain: {diffs: 1}"], indirect=True)
def test_the_history_does_not_say_what_it_cannot_know(kitchen):
    for _ in range(2):
        kitchen.ok("add", "kitchen", "x")
    assert "(nothing)" in kitchen.ok("history", "kitchen", "--row", "1042-g")
    text = refused(kitchen, "history", "kitchen", "--row", "nope", status=66)
    assert re.fullmatch(
        r'trestle: There is no row "nope", and no change after revision \d+ is about one.\n', text)
