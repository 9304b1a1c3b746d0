"""`serve` hands its words over to the gateway, with the options before it. The gateway is a script here."""

import json
import shutil
import subprocess

import pytest
from cli_daemon import BIN

GATEWAY = """#!/bin/sh
printf '%s\\n' "endpoint $TRESTLE_ENDPOINT" "$@"
"""


@pytest.fixture(scope="module")
def trestle(tmp_path_factory):
    """One that has this gateway beside it, before any that was built."""
    folder = tmp_path_factory.mktemp("bin")
    shutil.copy2((BIN / "trestle").resolve(), folder / "trestle")
    (folder / "trestle-serve").write_text(GATEWAY)
    (folder / "trestle-serve").chmod(0o755)

    def run(*words):
        return subprocess.run(
            [folder / "trestle", *words], capture_output=True, text=True, timeout=20,
            env={"PATH": "/usr/bin:/bin", "TRESTLE_ENDPOINT": "ipc:///known"})

    return run


@pytest.mark.parametrize("words, heard", [
    ("serve run --listen A", "ipc:///known run --listen A"),
    ("-e ipc:///other serve run --listen A -e x", "ipc:///other run --listen A -e x"),
    ("--endpoint=ipc:///other serve devices --timeout 3", "ipc:///other devices --timeout 3"),
    ("-o json serve pair --name x", "ipc:///known pair --output json --name x"),
    ("--output=json serve devices -o table", "ipc:///known devices --output json -o table"),
    ("-o table serve devices -o json", "ipc:///known devices -o json"),
    ("-e ipc:///other serve pair --help", "ipc:///other pair --help"),
    ("serve", "ipc:///known"),
    ("serve --version", "ipc:///known --version"),
])
def test_options_before_serve_are_handed_over(trestle, words, heard):
    done = trestle(*words.split())
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split("\n")[:-1] == [f"endpoint {heard.split()[0]}", *heard.split()[1:]]


@pytest.mark.parametrize("words, said", [
    ("--timeout 3 serve devices", "serve takes no --timeout."),
    ("--as ada serve devices", "serve takes no --as."),
    ("--behalf ada serve run", "serve takes no --behalf."),
    ("-o json serve run", "Of serve only pair and devices print json."),
    ("-o json serve revoke grill", "Of serve only pair and devices print json."),
    ("-o ndjson serve devices", "serve prints table and json, not ndjson."),
])
def test_what_it_does_not_have_is_refused(trestle, words, said):
    done = trestle(*words.split())
    assert done.returncode == 64
    if "json serve" in words and "ndjson" not in words:
        assert (json.loads(done.stdout)["error"]["message"], done.stderr) == (said, "")
    else:
        assert (done.stdout, done.stderr) == ("", f"trestle: {said}\n")


def test_its_help_is_ours(trestle):
    for words in ["serve --help", "-o json serve -h", "help serve"]:
        assert "trestle -o json serve devices" in trestle(*words.split()).stdout
