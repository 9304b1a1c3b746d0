"""Completions, by driving bash; zsh and fish as far as they are here."""

import os
import pty
import select
import shutil
import subprocess
import time

import pytest
from cli_daemon import BIN

KINDS = "kinds: {ticket: {trailing: {actions: [{id: bump, effect: {remove: true}}, {id: page}]}}}"


@pytest.fixture
def script(daemon):
    path = daemon.directory / "completion.bash"
    path.write_text(daemon.ok("--generate-completion-script", "bash"))
    daemon.ok("create", "board")
    daemon.ok("create", "bar")
    daemon.ok("define", "board", "-", stdin=KINDS.encode())
    daemon.ok("add", "board", "One", "--id", "t41", "--section", "grill", "--kind", "ticket")
    daemon.ok("add", "board", "Two", "--id", "t42", "--section", "fry")
    daemon.ok("add", "board", "Odd", "--id", "x y'z$(touch hurt)", "--section", "fry")
    daemon.ok("add", "board", "Evil", "--id", "evil\u202etxt", "--section", "fry")
    return path


def completed(daemon, script, *words, **environment):
    """What bash offers for the last word, asked for as bash asks."""
    quoted = " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)
    code = f"""
        source {script}
        COMP_WORDS=({quoted}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
        COMP_LINE="${{COMP_WORDS[*]}}"; COMP_POINT=${{#COMP_LINE}}
        _trestle trestle "${{COMP_WORDS[COMP_CWORD]}}" "${{COMP_WORDS[COMP_CWORD - 1]}}"
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(
        ["bash", "--norc", "--noprofile", "-c", code], capture_output=True, timeout=30,
        env=dict(daemon.environment, **environment), cwd=daemon.directory)
    assert done.stderr == b"", done.stderr
    return [line.strip() for line in done.stdout.decode().splitlines() if line.strip()]


def test_live_names(daemon, script):
    def offers(*words):
        return completed(daemon, script, "trestle", *words)

    assert {"board", "bar"} <= set(offers("show", ""))
    assert offers("show", "bo") == ["board"]
    assert offers("move", "board", "t") == ["t41", "t42"]
    assert "t42" in offers("remove", "board", "t41", "t")
    assert offers("move", "board", "t41", "--before", "t") == ["t41", "t42"]
    assert offers("act", "board", "t41", "") == ["bump", "page"]
    assert offers("act", "board", "t42", "") == []
    assert offers("handle", "board", "b") == ["bump"]
    assert offers("add", "board", "New", "--section", "") == ["fry", "grill"]
    assert offers("add", "board", "New", "--kind", "t") == ["ticket"]
    assert "explain" in offers("exp") and "export" in offers("exp")
    assert offers("-o", "js") == ["json"]
    assert {"move", "batch"} <= set(offers("explain", ""))


def test_strange_ids_do_nothing(daemon, script):
    """Row ids are other people's: bash would put them into the line as they are."""
    assert completed(daemon, script, "trestle", "remove", "board", "") == ["t41", "t42"]
    assert not (daemon.directory / "hurt").exists()


def test_silence_without_a_daemon(daemon, script):
    daemon.stop()
    began = time.monotonic()
    assert completed(daemon, script, "trestle", "show", "") == []
    assert completed(daemon, script, "trestle", "move", "board", "") == []
    assert completed(daemon, script, "trestle", "show", "", TRESTLE_ENDPOINT="nonsense") == []
    assert time.monotonic() - began < 5
    daemon.start()


def test_a_person_at_bash(daemon, script):
    master, slave = pty.openpty()
    bash = subprocess.Popen(
        ["bash", "--norc", "--noprofile", "-i"], stdin=slave, stdout=slave, stderr=slave,
        env=dict(daemon.environment, PS1="$ ", TERM="dumb"), cwd=daemon.directory,
        start_new_session=True)
    os.close(slave)
    text = ""

    def wait_for(part):
        nonlocal text
        end = time.monotonic() + 15
        while part not in text:
            assert time.monotonic() < end, text
            if select.select([master], [], [], 0.2)[0]:
                text += os.read(master, 65536).decode()
        text = text.split(part, 1)[1]

    os.write(master, f"source {script}; echo rea''dy\n".encode())
    wait_for("ready")
    os.write(master, b"trestle show bo\t")
    wait_for("trestle show board ")
    os.write(master, b"-o name\n")
    wait_for("t41")
    os.write(master, b"exit\n")
    bash.wait(10)
    os.close(master)


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_take_the_script(daemon, shell):
    text = daemon.ok("--generate-completion-script", shell)
    assert "---completion" in text
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not here")
    path = daemon.directory / "script"
    path.write_text(text)
    subprocess.run([shell, "-n", path], check=True, timeout=30)


def test_install(daemon):
    """What `make install` puts where; from the programs as they are, without building."""
    root = daemon.directory / "root"
    top = BIN.parents[1] if (BIN.parents[1] / "Makefile").exists() else BIN.parents[2]
    if not (top / "Makefile").exists():
        pytest.skip("the programs stand outside of their tree")
    subprocess.run(
        ["make", "-s", "-C", top, "install", f"DESTDIR={root}", f"BIN={BIN}"], check=True,
        capture_output=True, timeout=120)
    share = root / "usr/share"
    for path in ("man/man1/trestle-wait.1", "man/man8/trestled.8", "man/man5/trestled.yaml.5",
                 "man/man7/trestle-protocol.7", "bash-completion/completions/trestle",
                 "zsh/site-functions/_trestle", "fish/vendor_completions.d/trestle.fish"):
        assert (share / path).stat().st_size > 500, path
