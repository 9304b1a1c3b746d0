"""Completions, tested by driving bash, and zsh and fish if they are installed."""

import fcntl
import os
import pty
import select
import shutil
import subprocess
import termios
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


def test_recall_offers_what_is_gone(daemon, script):
    def offers(*words):
        return completed(daemon, script, "trestle", *words)

    assert offers("recall", "board", "") == []
    daemon.ok("add", "board", "Three", "--id", "t43")
    daemon.ok("remove", "board", "t41", "t42")
    assert offers("recall", "board", "") == ["t41", "t42"]
    assert offers("recall", "board", "t41", "t") == ["t42"]
    daemon.ok("recall", "board", "t42")
    assert offers("recall", "board", "t") == ["t41"]
    assert offers("remove", "board", "t") == ["t42", "t43"]


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


class Terminal:
    """A shell, and a person who types."""

    def __init__(self, daemon, *shell):
        self.master, slave = pty.openpty()
        self.shell = subprocess.Popen(
            shell, stdin=slave, stdout=slave, stderr=slave,
            env=dict(daemon.environment, PS1="$ ", TERM="dumb"), cwd=daemon.directory,
            start_new_session=True,
            # fish wants a terminal of its own, not only one to read from.
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(slave)
        self.text = ""

    def type(self, text):
        os.write(self.master, text.encode())

    def wait_for(self, part):
        end = time.monotonic() + 15
        while part not in self.text:
            assert time.monotonic() < end, self.text
            if select.select([self.master], [], [], 0.2)[0]:
                self.text += os.read(self.master, 65536).decode()
        self.text = self.text.split(part, 1)[1]

    def close(self):
        self.type("exit\n")
        self.shell.wait(10)
        os.close(self.master)


def test_a_person_at_bash(daemon, script):
    bash = Terminal(daemon, "bash", "--norc", "--noprofile", "-i")
    bash.type(f"source {script}; echo rea''dy\n")
    bash.wait_for("ready")
    bash.type("trestle show bo\t")
    bash.wait_for("trestle show board ")
    bash.type("-o name\n")
    bash.wait_for("t41")
    # bash breaks words at these signs.
    daemon.ok("add", "board", "Three", "--id", "order:12@bar")
    for typed in "or", "order:", "order:1", "order:12@", "order:12@b", "t42 order:12":
        bash.type(f"trestle remove board {typed}\t")
        bash.wait_for("order:12@bar ")
        bash.type("\x15")
    bash.close()


def tree():
    """The source tree that the programs were built in."""
    top = BIN.parents[1] if (BIN.parents[1] / "Makefile").exists() else BIN.parents[2]
    if not (top / "Makefile").exists():
        pytest.skip("the programs stand outside of their tree")
    return top


def made(daemon, shell, name):
    """The script that `make completions` makes, for a shell that is here."""
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not here")
    folder = daemon.directory / "completions"
    subprocess.run(["make", "-s", "-C", tree(), "completions", f"BIN={BIN}", f"COMPLETIONS={folder}"],
                   check=True, timeout=60)
    return folder / name


def test_a_person_at_zsh(daemon, script):
    path = made(daemon, "zsh", "_trestle")
    zsh = Terminal(daemon, "zsh", "-f", "-i")
    zsh.type(f"fpath=({path.parent} $fpath); autoload -U compinit; compinit -u -D; "
             "zstyle ':completion:*' list-prompt ''; echo rea''dy\n")
    zsh.wait_for("ready")
    zsh.type("trestle show boa\t")
    zsh.wait_for("trestle show board")
    zsh.type("-o name\n")
    zsh.wait_for("t41")
    for typed, whole in (("trestle move board t4\t2 --to\t", "--top"),
                         ("trestle act board t41 bu\t", "bump"),
                         ("trestle add board New --section gr\t", "grill"),
                         ("trestle backu\t", "backup")):
        zsh.type("\x15" + typed)
        zsh.wait_for(whole)
    zsh.type("\x15")
    zsh.close()
    assert not (daemon.directory / "hurt").exists()


def test_a_person_at_fish(daemon, script):
    path = made(daemon, "fish", "trestle.fish")
    fish = Terminal(daemon, "fish", "--no-config", "-i")
    fish.type(f"source {path}; echo rea''dy\n")
    fish.wait_for("ready\r\n")
    for line, offers in (("show bo", "board"), ("move board t4", "t41,t42"),
                         ("move board t41 --before t", "t41,t42"), ("act board t41 ", "bump,page"),
                         ("add board New --section ", "fry,grill"), ("backu", "backup"),
                         ("remove board ", "t41,t42")):
        # Interactive: elsewhere fish 3.6 has no command line to complete.
        fish.type(f"string join , '<<' (complete -C 'trestle {line}' | string split -f 1 \\t) '>>'\n")
        fish.wait_for(f"<<,{offers},>>")
    fish.close()
    assert not (daemon.directory / "hurt").exists()


def test_install_without_programs(daemon):
    """It says what to do, and installs nothing."""
    root, empty = daemon.directory / "root", daemon.directory / "empty"
    for goal in ("install", "man", "completions"):
        done = subprocess.run(
            ["make", "-s", "-C", tree(), goal, f"DESTDIR={root}", f"BIN={empty}",
             f"COMPLETIONS={daemon.directory}/made"], capture_output=True, timeout=60)
        text = done.stderr.decode()
        assert done.returncode != 0, goal
        assert f"There is no trestle in {empty}: run make build first." in text
        assert "Traceback" not in text and not root.exists()


def test_install(daemon):
    """What `make install` puts where; from the programs as they are, without building."""
    root = daemon.directory / "root"
    subprocess.run(
        ["make", "-s", "-C", tree(), "install", f"DESTDIR={root}", f"BIN={BIN}"], check=True,
        capture_output=True, timeout=120)
    share = root / "usr/share"
    for path in ("man/man1/trestle-wait.1", "man/man8/trestled.8", "man/man5/trestled.yaml.5",
                 "man/man7/trestle-protocol.7", "bash-completion/completions/trestle",
                 "zsh/site-functions/_trestle", "fish/vendor_completions.d/trestle.fish"):
        assert (share / path).stat().st_size > 500, path
