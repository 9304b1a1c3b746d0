"""`trestle view` hears every key and signal, whatever the daemon or the terminal does."""

import json
import os
import signal
import socket
import sys
import time
from pathlib import Path

import pytest
from cli_daemon import HERE
from viewer import ESC, Pty, Tmux, mouse

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "IPCTests"))
from trestle_client import Person  # noqa: E402

KITCHEN = HERE.parents[1] / "examples/kitchen.yaml"
ROWS = HERE.parents[1] / "examples/kitchen.ndjson"

# What ends a viewer, and the code that it ends with.
ENDS = {
    "q": ("q", 0), "ctrl-c": ("\x03", 0), "TERM": (signal.SIGTERM, 128 + 15),
    "INT": (signal.SIGINT, 128 + 2), "HUP": (signal.SIGHUP, 128 + 1),
}


@pytest.fixture
def kitchen(daemon):
    daemon.ok("create", "kitchen")
    daemon.ok("define", "kitchen", KITCHEN)
    daemon.ok("import", "kitchen", ROWS)
    yield daemon
    if daemon.process.poll() is None:
        daemon.process.send_signal(signal.SIGCONT)


@pytest.fixture
def opened():
    """Viewers that are closed at the end."""
    made = []

    def make(*arguments, **more):
        made.append(Pty(*arguments, **more))
        return made[-1]

    yield make
    for viewer in made:
        viewer.close()


def ends(viewer, what, seconds=1.0, code=None):
    """It does, and gives the terminal back."""
    end, expected = ENDS[what]
    if isinstance(end, str):
        viewer.type(end)
    else:
        viewer.process.send_signal(end)
    assert viewer.ended(seconds) == (expected if code is None else code), what
    assert b"\x1b[?1049l" in viewer.written[-200:], "the terminal is not given back"


@pytest.mark.parametrize("width, height", [(100, 36), (100, 30), (80, 24), (60, 18), (40, 12), (20, 9)])
def test_a_row_is_dragged_to_the_bottom(kitchen, opened, width, height):
    viewer = opened(kitchen, "kitchen", width=width, height=height)
    viewer.wait_for("● live")
    for bottom in (height - 2, height - 1, height + 3):
        start = viewer.line_of("2 × rib")
        viewer.drag((10, start), (10, bottom), release=False, pause=0.002)
        # There the view goes on under the pointer.
        until = time.monotonic() + 0.3
        while time.monotonic() < until:
            viewer.read(0.01)
        if bottom == height - 2:
            viewer.wait_for("──▶", seconds=2)
        viewer.type(ESC)
        viewer.wait_for("Put back.", seconds=2)
        viewer.type(mouse(0, 10, bottom, release=True) + "g")
        viewer.wait_for("▌•86", seconds=2)
    viewer.drag((10, viewer.line_of("2 × rib")), (10, height - 2), release=False, pause=0.002)
    ends(viewer, "q")


def test_a_row_is_dragged_to_the_bottom_in_tmux(kitchen):
    viewer = Tmux(kitchen, "kitchen", width=100, height=30)
    try:
        viewer.wait_for("● live", "ribeye")
        viewer.drag((30, viewer.line_of("2 × rib")), (30, 28), release=False)
        viewer.wait_for("──▶ 2 × ribeye", seconds=2)
        time.sleep(0.5)
        viewer.type("q")
        viewer.wait_for("ended 0", seconds=1)
    finally:
        viewer.close()


@pytest.mark.parametrize("what", ENDS)
def test_the_daemon_is_stopped_while_it_is_viewed(kitchen, opened, what):
    viewer = opened(kitchen, "kitchen")
    viewer.wait_for("● live", "ribeye")
    kitchen.process.send_signal(signal.SIGSTOP)
    viewer.type("ju m")
    viewer.wait_for("◐ stale")
    ends(viewer, what)


@pytest.mark.parametrize("what", ENDS)
def test_the_daemon_is_stopped_before_it_is_viewed(kitchen, opened, what):
    kitchen.process.send_signal(signal.SIGSTOP)
    viewer = opened(kitchen, "kitchen")
    viewer.wait_for("Waiting for the daemon", "request.sock", "kitchen appears here")
    viewer.type("?")
    viewer.wait_for("Help", seconds=1)
    viewer.type(ESC)
    ends(viewer, what)


@pytest.mark.parametrize("what", ENDS)
def test_there_is_no_daemon(kitchen, opened, what):
    kitchen.stop()
    viewer = opened(kitchen, "kitchen")
    viewer.wait_for("◌ waiting", "Waiting for the daemon")
    ends(viewer, what)
    # Esc gets out as well, as long as there is nothing else that it could cancel.
    viewer = opened(kitchen, "kitchen")
    viewer.wait_for("Waiting for the daemon")
    viewer.type("a")
    viewer.wait_for("No daemon has answered yet", seconds=1)
    viewer.type(ESC)
    assert viewer.ended(1) == 0


def test_somebody_listens_who_says_nothing(kitchen, opened):
    kitchen.stop()
    path = kitchen.endpoint.removeprefix("ipc://")
    os.unlink(path) if os.path.exists(path) else None
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(8)
        for what in ENDS:
            viewer = opened(kitchen, "kitchen")
            viewer.wait_for("Waiting for the daemon")
            ends(viewer, what)
    os.unlink(path)


def test_the_terminal_goes(kitchen, opened):
    """Whatever the daemon does meanwhile."""
    def gone(viewer):
        os.close(viewer.slave)
        os.close(viewer.master)
        viewer.process.wait(2)
        assert viewer.process.returncode == 128 + 1
        viewer.master, viewer.slave = os.openpty()

    viewer = opened(kitchen, "kitchen")
    viewer.wait_for("● live")
    gone(viewer)
    viewer = opened(kitchen, "kitchen")
    viewer.wait_for("● live")
    kitchen.process.send_signal(signal.SIGSTOP)
    gone(viewer)
    viewer = opened(kitchen, "kitchen")
    viewer.wait_for("Waiting for the daemon")
    gone(viewer)


@pytest.mark.parametrize("what", ENDS)
def test_the_terminal_takes_nothing(kitchen, opened, what):
    """A line that was stopped: what is drawn waits, and keys and signals do not."""
    viewer = opened(kitchen, "kitchen", width=200, height=60)
    viewer.wait_for("● live")
    for _ in range(400):
        viewer.type("\x0cj")
        time.sleep(0.005)
    end, code = ENDS[what]
    watch = viewer.stopwatch()
    if isinstance(end, str):
        viewer.type(end)
    else:
        viewer.process.send_signal(end)
    # Nothing that it writes is taken.
    while viewer.process.poll() is None:
        assert watch.spent() < 3, f"{what} is not heard"
        time.sleep(0.01)
    assert viewer.process.returncode == code
    # The settings are those of before, at least.
    assert viewer.attributes() == viewer.before


# ---------------------------------------------------------------- what is lifted

def leases(kitchen):
    return json.loads(kitchen.ok("-o", "json", "who", "kitchen"))["leases"]


def lifted(kitchen, opened):
    """A viewer with a row in its hand."""
    viewer = opened(kitchen, "kitchen")
    viewer.wait_for("● live", "ribeye")
    # The first row is pinned.
    viewer.type("jm")
    end = time.monotonic() + 5
    while not leases(kitchen):
        viewer.read(0.02)
        assert time.monotonic() < end, f"nothing is lifted:\n{viewer.text()}"
    # The viewer has heard of it too: else it has nothing that it could put back.
    viewer.wait_for("⇅ lifted")
    return viewer


def has_gone_back(kitchen, lease):
    """Somebody put it back. A lease that nobody speaks of ends as well, but only after seconds."""
    end = time.monotonic() + 10
    while leases(kitchen):
        assert time.monotonic() < end, "it is still lifted"
    ask = {"client": "asker", "number": 1, "table": "kitchen", "drag": {"cancel": lease}}
    said = json.loads(kitchen.run("rpc", json.dumps(ask)).stdout)["error"]
    assert said["code"] == "noSuchLease"
    assert said["message"].endswith((" let go.", " left.")), said


@pytest.mark.parametrize("what", ENDS)
def test_what_is_lifted_goes_back_when_its_viewer_ends(kitchen, opened, what):
    """Others can take the row at once, not only when ten seconds are over."""
    viewer = lifted(kitchen, opened)
    lease = leases(kitchen)[0]["lease"]
    ends(viewer, what)
    has_gone_back(kitchen, lease)


@pytest.mark.parametrize("keys", ["jmq", "jm\x1b[Bq", "jm\x03"])
def test_what_is_just_being_lifted_goes_back_too(kitchen, opened, keys):
    """The viewer ends before it has heard that it may lift the row."""
    viewer = opened(kitchen, "kitchen")
    viewer.wait_for("● live", "ribeye")
    viewer.type(keys)
    assert viewer.ended(2) == 0
    until = time.monotonic() + 0.3
    while time.monotonic() < until:
        assert leases(kitchen) == []


def test_escape_puts_back_and_the_end_follows_at_once(kitchen, opened):
    viewer = lifted(kitchen, opened)
    lease = leases(kitchen)[0]["lease"]
    viewer.type(ESC)
    # Only what nothing follows for a moment is the key.
    viewer.wait_without("⇅ lifted")
    ends(viewer, "q")
    has_gone_back(kitchen, lease)


@pytest.mark.parametrize("what", ENDS)
def test_a_daemon_that_says_nothing_does_not_hold_the_end_up(kitchen, opened, what):
    viewer = lifted(kitchen, opened)
    kitchen.process.send_signal(signal.SIGSTOP)
    ends(viewer, what)


# ---------------------------------------------------------------- what ends with the screen

def test_a_row_in_its_hand_goes_back_when_its_viewer_is_killed(kitchen, opened):
    """Nothing is put back by a viewer that cannot: the daemon knows by the screen that is gone whose hand it was."""
    viewer = lifted(kitchen, opened)
    lease = leases(kitchen)[0]["lease"]
    viewer.process.kill()
    viewer.ended(2)
    end = time.monotonic() + 15
    while leases(kitchen):
        assert time.monotonic() < end, "it is still lifted"
        time.sleep(0.05)
    ask = {"client": "asker", "number": 1, "table": "kitchen", "drag": {"cancel": lease}}
    said = json.loads(kitchen.run("rpc", json.dumps(ask)).stdout)["error"]
    assert said["code"] == "noSuchLease" and said["message"].endswith(" is gone."), said


@pytest.mark.parametrize("what", ["q", "TERM"])
def test_edit_mode_that_it_has_turned_on_ends_with_it(kitchen, opened, what):
    """An undo of its own has, under the client id of its commands, and by that id it is known to be there."""
    kitchen.ok("edit", "kitchen", "--on", "--as", "ada")
    kitchen.ok("edit", "kitchen", "--off", "--as", "ada")
    viewer = opened(kitchen, "kitchen", "--as", "ada")
    viewer.wait_for("● live", "ribeye")
    viewer.type("u")
    viewer.wait_for("EDIT", "ended editing.")
    # Longer than a screen may be silent.
    until = time.monotonic() + 6
    while time.monotonic() < until:
        viewer.read(0.1)
    assert json.loads(kitchen.ok("-o", "json", "show", "kitchen"))["editing"]
    ends(viewer, what)
    end = time.monotonic() + 10
    while json.loads(kitchen.ok("-o", "json", "show", "kitchen")).get("editing"):
        assert time.monotonic() < end, "nobody is there who holds it"
        time.sleep(0.05)
    latest, = json.loads(kitchen.ok("-o", "json", "history", "kitchen", "--count", "1"))["changes"]
    assert latest["cause"]["verb"] == "expire"


def test_a_viewer_names_nobody_whose_edit_mode_has_ended(kitchen, opened):
    """Kim's has ended by itself, and an undo has turned it on again: the history of `edit` still ends with Kim."""
    screen = Person(kitchen.endpoint, "kitchen", "kim")
    screen.attend(0)
    assert screen.command(edit={"on": True})["ok"]
    first = opened(kitchen, "kitchen")
    first.wait_for("● live", "kim")
    screen.attend(0, leaving=True)
    first.wait_without("EDIT")
    head = json.loads(kitchen.ok("-o", "json", "show", "kitchen"))["revision"]
    kitchen.ok("undo", "kitchen", "--revision", str(head), "--as", "ben")
    late = opened(kitchen, "kitchen")
    late.wait_for("● live", "EDIT")
    until = time.monotonic() + 1
    while time.monotonic() < until:
        late.read(0.1)
    assert "kim" not in "\n".join(late.lines())
