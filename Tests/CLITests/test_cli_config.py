"""`trestled check-config` reports all faults, each with its line."""

import json
import os
import subprocess

import pytest
from cli_daemon import BIN


def check(*options, **more):
    return subprocess.run(
        [BIN / "trestled", "check-config", *options], capture_output=True, timeout=30, **more)


def test_all_faults(tmp_path):
    path = tmp_path / "trestled.yaml"
    path.write_text(
        "heartbeat_ms: 1\nlog: {level: loud}\nlimts: {}\nendpoints:\n"
        "  - {request: 'ipc:///a', publish: 'tcp://10.0.0.1:1'}\n  - {request: nonsense}\n")
    done = check("--config", path, "--endpoint", "udp://x")
    assert (done.returncode, done.stdout) == (78, b"")
    lines = done.stderr.decode().splitlines()
    assert [line.split(": ")[1].rsplit("/")[-1].split(":")[1] for line in lines[:-1]] == [
        "1", "2", "3", "5", "6", "6"]
    for line, name in zip(lines, ["heartbeat_ms", "log.level", "`limts` (did you mean `limits`?)",
                                  "endpoints[0].publish", "endpoints[1]", "endpoints[1].request",
                                  "--endpoint udp://x"]):
        assert line.startswith("trestled: ") and name in line, line
    # A daemon that starts says the first, and how many more there are.
    started = subprocess.run(
        [BIN / "trestled", "--config", path], capture_output=True, timeout=30)
    assert started.returncode == 78
    assert b"heartbeat_ms" in started.stderr and b"and 5 more" in started.stderr


def test_one_that_is_right(tmp_path):
    path = tmp_path / "trestled.yaml"
    path.write_text("log: {level: debug}\n")
    done = check("--config", path)
    assert done.returncode == 0 and b"logs debug and above" in done.stdout
    assert check("--config", tmp_path / "none").returncode == 78
    path.write_text("log: {")
    broken = check("--config", path)
    assert broken.returncode == 78 and broken.stderr.count(b"\n") == 1


@pytest.mark.parametrize("words", [
    "--version", "--help", "check-config", "keys show", "keys list", "explain-access anybody board move"])
def test_what_cannot_be_told(tmp_path, words):
    """A script that goes by the exit code must not take it for told. A reader that goes is no failure."""

    def run(words, **more):
        return subprocess.run([BIN / "trestled", *words.split()], stderr=subprocess.PIPE, timeout=30, **more)

    if words not in ("--version", "--help"):
        words += f" --state-directory {tmp_path}"
    if words.startswith("keys"):
        run(f"keys add ada {'a' * 40} --state-directory {tmp_path}", check=True)
    with open("/dev/full", "wb") as full:
        done = run(words, stdout=full)
    assert (done.returncode, done.stderr) == (
        74, b"trestled: cannot write to standard output: No space left on device\n")
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "wb") as gone:
        done = run(words, stdout=gone)
    assert (done.returncode, done.stderr) == (0, b"")


def test_words_that_lead_elsewhere(tmp_path):
    """A state directory without a name would be the working directory."""
    for words in (["--state-directory", ""], ["--state-directory="], ["--config", b"\xff"],
                  ["--state-directory", b"a\xff"]):
        for before in ([], ["check-config"]):
            done = subprocess.run(
                [BIN / "trestled", *before, *words], capture_output=True, timeout=30, cwd=tmp_path)
            assert done.returncode == 64 and done.stderr.startswith(b"trestled: "), (words, done)
    assert not list(tmp_path.iterdir())


def test_keys_that_stand_twice(tmp_path):
    """Each by the line where it stands again, and everything else that is wrong."""
    path = tmp_path / "trestled.yaml"
    path.write_text(
        "log: {level: loud}\nheartbeat_ms: 500\nlog:\n  level: quiet\n  'level': info\nlimts: {}\n"
        "retain: {diffs: 1, bytes: 2, diffs: -3}\nlog: {level: info}\n")
    done = check("--config", path)
    assert done.returncode == 78
    said = [line.removeprefix(f"trestled: {path}:") for line in done.stderr.decode().splitlines()]
    assert [text for text in said if "stands twice" in text] == [
        "3:1: key `log` stands twice", "5:3: key `level` stands twice",
        "7:30: key `diffs` stands twice", "8:1: key `log` stands twice"]
    assert [text.split(" ")[0] for text in said] == [
        "1:14:", "3:1:", "4:10:", "5:3:", "6:1:", "7:30:", "7:37:", "8:1:"], said
    for text, line in (("log: {}\nlog: {}\n", 2), ('{"log": {"level": "info"},\n "log": {}}', 2),
                       ("log: {}\n\n\n\nlog: {}", 5), ("log: {}\r\n'log': {}\r\n", 2)):
        path.write_bytes(text.encode())
        (said,) = check("--config", path).stderr.decode().splitlines()
        assert said.startswith(f"trestled: {path}:{line}:") and "key `log` stands twice" in said


def test_very_many_keys_that_stand_twice(tmp_path):
    """At least the first of them are said, and soon."""
    path = tmp_path / "trestled.yaml"
    path.write_text("log: {}\n" * 1_000)
    done = check("--config", path)
    assert done.returncode == 78 and b"key `log` stands twice" in done.stderr


def test_users_and_groups_that_the_machine_does_not_know(tmp_path):
    """They are warnings with their places; the list is right, and a daemon starts with it."""
    path = tmp_path / "trestled.yaml"
    path.write_text(
        "guests:\n"
        "  - users: [root, rooot, '*', 4294967000]\n    roles: [admin]\n"
        "  - groups:\n      - root\n      - kitchn\n      - 0\n      - 4294967000\n    roles: [viewer]\n"
        "  - {keys: [no-such-key], roles: [viewer]}\n"
        "  - {users: [rooot, \"a\\u2028b\"], roles: [viewer]}\n")
    done = check("--config", path)
    assert done.returncode == 0 and done.stdout.startswith(b"serves ")
    assert done.stderr.decode().splitlines() == [f"trestled: warning: {path}:{said}" for said in [
        "2:19: guests[0].users[1]: this machine has no user `rooot`",
        "2:31: guests[0].users[3]: this machine has no user `4294967000`",
        "6:9: guests[1].groups[1]: this machine has no group `kitchn`",
        "7:9: guests[1].groups[2]: group 0 is called `root` here, and only that name counts",
        "11:14: guests[3].users[0]: this machine has no user `rooot`",
        "11:21: guests[3].users[1]: this machine has no user `a\\u2028b`"]]
    # In JSON, and where nobody is named.
    path.write_text(json.dumps({"guests": [{"users": ["root", "rooot"], "roles": ["admin"]}]}))
    done = check("--config", path)
    assert done.returncode == 0 and done.stderr.decode().count("no user `rooot`") == 1
    # A number without an account counts, as in a container. It is written as the list reads it.
    path.write_text("guests: [{users: [0, '00', 4294967000], roles: [admin]}]\n")
    done = check("--config", path)
    assert done.returncode == 0
    assert [line.split("no user ")[1] for line in done.stderr.decode().splitlines()] == ["`00`", "`4294967000`"]
    for text in ("", "guests:\n", "guests: []\n", "log: {level: info}\n"):
        path.write_text(text)
        done = check("--config", path)
        assert (done.returncode, done.stderr) == (0, b"")
    # What is wrong comes first.
    path.write_text("guests: [{users: [rooot], roles: [king]}]\n")
    done = check("--config", path)
    assert done.returncode == 78 and b"rooot" not in done.stderr


def test_config_show_says_where_each_setting_comes_from(tmp_path):
    """Also of files of one's own beside it, each of which a fault names."""
    path, own = tmp_path / "kitchen.yaml", tmp_path / "kitchen.d"
    own.mkdir()
    path.write_text("heartbeat_ms: 200\nlog:\n  level: notice\n")
    (own / "10-site.yaml").write_text("# ours\nheartbeat_ms: 300\n")

    def show(*words):
        return subprocess.run([BIN / "trestled", "config", "show", "--config", path, *words],
                              capture_output=True, text=True, timeout=30)

    lines = {line.split()[0]: line.split()[1:] for line in show("--state-directory", tmp_path).stdout.splitlines()}
    assert lines["heartbeat_ms"] == ["300", f"{own}/10-site.yaml:2"]
    assert lines["log.level"] == ["notice", f"{path}:3"]
    assert lines["log.slow_ms"] == ["0", "default"]
    assert lines["state_directory"] == [str(tmp_path), "--state-directory"]
    settings = {one["name"]: one for one in json.loads(show("-o", "json").stdout)["settings"]}
    assert settings["heartbeat_ms"] == {
        "name": "heartbeat_ms", "value": "300", "from": f"{own}/10-site.yaml:2", "takesEffect": "reload"}
    assert settings["state_directory"]["takesEffect"] == "restart" and set(settings) == set(lines)
    (own / "20-wrong.yaml").write_text("heartbeat_ms: often\n")
    for done in (show(), check("--config", path)):
        assert done.returncode == 78
        assert "20-wrong.yaml:1" in (done.stderr if isinstance(done.stderr, str) else done.stderr.decode())


@pytest.mark.skipif(os.path.exists("/var/lib/trestle") or os.path.exists("/etc/trestle") or os.geteuid() != 0,
                    reason="a daemon is installed here, or this is a user with places of its own")
def test_what_is_not_there_is_said_with_its_place(tmp_path):
    for words in (["keys", "list"], ["salvage", "--to", tmp_path / "new"]):
        done = subprocess.run([BIN / "trestled", *words], capture_output=True, text=True, timeout=30)
        assert "/var/lib/trestle" in done.stderr, (words, done)
