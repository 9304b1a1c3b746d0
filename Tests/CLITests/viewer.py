"""`trestle view` on a terminal: in tmux, as people use it, or on a pseudo terminal that pyte reads."""

import fcntl
import glob
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
import uuid

import pyte
from cli_daemon import BIN

LEFT, RIGHT, UP, DOWN, ESC, ENTER = "\x1b[D", "\x1b[C", "\x1b[A", "\x1b[B", "\x1b", "\r"


def mouse(code, x, y, release=False):
    """An SGR mouse sequence, columns and lines counted from 0."""
    return f"\x1b[<{code};{x + 1};{y + 1}{'m' if release else 'M'}"


class Stopwatch:
    """Seconds, but for those that these processes, or this one, waited for a processor: on a busy machine others had
    it. Of all seconds `most` count at the latest."""

    def __init__(self, *processes, most=60):
        self.processes = [*processes, os.getpid()]
        self.most = most
        self.waited = {}  # of each thread, as it was seen last
        self.begun = time.monotonic()
        self.before = self.delays()

    def delays(self):
        for process in self.processes:
            for path in glob.glob(f"/proc/{process}/task/*/schedstat"):
                try:
                    with open(path) as file:
                        self.waited[path] = int(file.read().split()[1]) / 1e9
                except (OSError, IndexError):
                    pass  # it has ended
        return sum(self.waited.values())

    def spent(self):
        seconds = time.monotonic() - self.begun
        return seconds if seconds > self.most else seconds - (self.delays() - self.before)


class Screen:
    """What both kinds have: keys and mouse in, lines out."""

    def stopwatch(self):
        return Stopwatch()

    def type(self, text):
        raise NotImplementedError

    def lines(self):
        raise NotImplementedError

    def text(self):
        return "\n".join(self.lines())

    def wait(self, condition, seconds=10, what=""):
        """Until the condition holds for the lines; returns them."""
        watch = self.stopwatch()
        while True:
            lines = self.lines()
            if condition(lines):
                return lines
            assert watch.spent() < seconds, f"{what or 'it'} did not come:\n" + "\n".join(lines)
            time.sleep(0.02)

    def wait_for(self, *texts, seconds=10):
        return self.wait(
            lambda lines: all(text in "\n".join(lines) for text in texts), seconds, repr(texts))

    def wait_without(self, text, seconds=10):
        return self.wait(lambda lines: text not in "\n".join(lines), seconds, f"no {text!r}")

    def line_of(self, text):
        """The number of the first line that has it, below the first line."""
        lines = self.wait(
            lambda lines: any(text in line for line in lines[1:]), what=repr(text))
        return next(n for n, line in enumerate(lines) if n > 0 and text in line)

    def drag(self, *points, release=True, pause=0.01):
        """Along points, as a hand does it: cell by cell."""
        x, y = points[0]
        self.type(mouse(0, x, y))
        for to_x, to_y in points[1:]:
            while (x, y) != (to_x, to_y):
                x += (to_x > x) - (to_x < x)
                y += (to_y > y) - (to_y < y)
                self.type(mouse(32, x, y))
                time.sleep(pause)
        if release:
            self.type(mouse(0, x, y, release=True))

    def click(self, x, y):
        self.type(mouse(0, x, y) + mouse(0, x, y, release=True))


class Tmux(Screen):
    """In a tmux server of its own."""

    def __init__(self, daemon, *arguments, width=100, height=36, **environment):
        self.name = f"trestle-{uuid.uuid4().hex[:12]}"
        self.daemon = daemon
        variables = dict(daemon.environment, COLORTERM="truecolor", **environment)
        words = ["env", *[f"{key}={value}" for key, value in variables.items()],
                 str(BIN / "trestle"), "view", *arguments]
        self.run("-f", "/dev/null", "new-session", "-d", "-x", str(width), "-y", str(height),
                 "sh", env=dict(variables, TERM="xterm-256color"))
        self.run("send-keys", "PS1=; clear; " + subprocess.list2cmdline(words) + "; echo ended $?",
                 "Enter")

    def run(self, *arguments, **more):
        done = subprocess.run(
            ["tmux", "-L", self.name, *arguments], capture_output=True, timeout=20, **more)
        assert done.returncode == 0, (arguments, done.stderr)
        return done.stdout.decode()

    def type(self, text):
        self.run("send-keys", "-H", *[f"{byte:02x}" for byte in text.encode()])

    def lines(self):
        return self.run("capture-pane", "-p").split("\n")[:-1]

    def resize(self, width, height):
        self.run("resize-window", "-x", str(width), "-y", str(height))

    def close(self):
        subprocess.run(["tmux", "-L", self.name, "kill-server"], capture_output=True)


class Pty(Screen):
    """On a pseudo terminal; every byte that was written is kept."""

    def __init__(self, daemon, *arguments, width=100, height=36, **environment):
        self.master, slave = pty.openpty()
        self.size = (width, height)
        self.set_size(width, height)
        self.screen = pyte.Screen(width, height)
        self.stream = pyte.ByteStream(self.screen)
        self.written = b""
        self.before = termios.tcgetattr(slave)
        variables = dict(daemon.environment, TERM="xterm-256color", COLORTERM="truecolor")
        variables.update(environment)
        self.process = subprocess.Popen(
            [BIN / "trestle", "view", *arguments], stdin=slave, stdout=slave, stderr=slave,
            env=variables, start_new_session=True)
        self.slave = slave

    def stopwatch(self):
        return Stopwatch(self.process.pid)

    def ended(self, seconds):
        """The code that it ends with by itself. What it writes has to be taken, or it waits for that."""
        watch = self.stopwatch()
        while self.process.poll() is None:
            self.read(0.01)
            assert watch.spent() < seconds, f"it does not end in {seconds} s:\n{self.text()}"
        self.read(0.05)
        return self.process.returncode

    def set_size(self, width, height):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))

    def resize(self, width, height):
        self.lines()
        self.screen.resize(height, width)
        self.set_size(width, height)
        self.process.send_signal(signal.SIGWINCH)

    def type(self, text):
        os.write(self.master, text.encode())

    def read(self, seconds=0.0):
        """What has come; the number of bytes."""
        count = 0
        while select.select([self.master], [], [], seconds)[0]:
            part = os.read(self.master, 1 << 16)
            if not part:
                break
            self.written += part
            self.stream.feed(part)
            count += len(part)
            seconds = 0
        return count

    def lines(self):
        self.read(0.02)
        return [line.rstrip() for line in self.screen.display]

    def attributes(self):
        return termios.tcgetattr(self.slave)

    def cpu(self):
        """Seconds of CPU so far."""
        fields = open(f"/proc/{self.process.pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(10)
        self.read()
        os.close(self.slave)
        os.close(self.master)
