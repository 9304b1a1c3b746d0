"""A shell on a pseudo terminal. Commands are typed into it as a reader of a document types them."""

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import subprocess
import termios
import time

# The prompt, with the exit status of the command before it.
PROMPT = re.compile(rb"@@(\d+)@@ ")
MORE = b"@@more@@ "
COLOURS = re.compile(r"\x1b\[[\d;]*m")


class Terminal:
    """An interactive bash. It shows how each command ended; what is typed is not echoed."""

    def __init__(self, directory, environment):
        self.master, slave = pty.openpty()
        self.said = b""
        self.process = subprocess.Popen(
            ["bash", "--norc", "--noprofile", "--noediting", "-i"], cwd=directory,
            stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
            # Its controlling terminal, so that Ctrl-C reaches what runs in it.
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
            env=dict(environment, PS1="@@$?@@ ", PS2=MORE.decode(), HISTFILE="", TERM="xterm-256color"))
        os.close(slave)
        self.prompt()
        self.command("stty -echo cols 100 rows 36; set -o pipefail")

    def read(self, seconds):
        if select.select([self.master], [], [], seconds)[0]:
            self.said += os.read(self.master, 1 << 16)

    def until(self, condition, seconds, what):
        end = time.monotonic() + seconds
        while not (found := condition(self.said)):
            assert time.monotonic() < end, f"{what} took too long:\n{self.text()}"
            self.read(0.1)
        return found

    def text(self):
        return self.said.decode(errors="replace")

    def prompt(self, what="the shell", seconds=60):
        """The exit status that the next prompt shows; None: the command is not at its end."""
        def found(said):
            return PROMPT.search(said) or MORE in said
        match = self.until(found, seconds, what)
        return None if match is True else int(match.group(1))

    def type(self, text):
        self.said = b""
        os.write(self.master, text.encode())

    def command(self, line, seconds=60):
        """Types a line; its exit status (None: more lines belong to it) and what it printed."""
        self.type(line + "\n")
        status = self.prompt(line, seconds)
        return status, COLOURS.sub("", PROMPT.sub(b"", self.said).decode(errors="replace")) \
            .replace("\r\n", "\n")

    def close(self):
        """Ends the shell and what runs in it."""
        if self.process.poll() is None:
            for child in self.children():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
            self.process.kill()
        self.process.wait(10)
        os.close(self.master)

    def children(self):
        """Processes of this shell's session, each of which may end at any time."""
        found = []
        for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
            try:
                if os.getsid(pid) == self.process.pid != pid:
                    found.append(pid)
            except ProcessLookupError:
                pass
        return found
