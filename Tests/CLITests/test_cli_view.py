"""`trestle view` in tmux, driven by keys and raw mouse sequences. What one viewer does, another sees."""

import json
import re
import signal
import time

import pytest
from cli_daemon import HERE, by
from viewer import DOWN, ENTER, ESC, LEFT, RIGHT, Pty, Tmux, mouse

KITCHEN = HERE.parents[1] / "examples/kitchen.yaml"
ROWS = HERE.parents[1] / "examples/kitchen.ndjson"


@pytest.fixture
def kitchen(daemon):
    daemon.ok("create", "kitchen")
    daemon.ok("define", "kitchen", KITCHEN)
    daemon.ok("import", "kitchen", ROWS)
    return daemon


@pytest.fixture
def opened(request):
    """Viewers that are closed at the end."""
    made = []

    def make(kind, *arguments, **more):
        made.append(kind(*arguments, **more))
        return made[-1]

    yield make
    for viewer in made:
        viewer.close()


def rows(daemon, table="kitchen"):
    return json.loads(daemon.ok("-o", "json", "show", table))["rows"]


def row(daemon, name):
    return next((row for row in rows(daemon) if row["id"] == name), None)


def seen_within_a_second(viewer, *texts):
    viewer.wait_for(*texts, seconds=1)


def test_keys(kitchen, opened):
    one = opened(Tmux, kitchen, "kitchen")
    two = opened(Tmux, kitchen, "kitchen")
    for viewer in (one, two):
        viewer.wait_for("● live", "12 rows", "2 × ribeye medium rare")
    one.type("j")
    one.wait_for("▌▸2 × ribeye")
    # Space unfolds: the summary, then the whole order.
    one.type("  ")
    for viewer in (one, two):
        seen_within_a_second(viewer, "server  Ana")
    assert row(kitchen, "1041-g")["expand"] == "expanded"
    # Swipe, and act by a digit: it goes to the pass.
    one.type(LEFT)
    one.wait_for("▸1 Bump", "2 Page", "3 Void")
    seen_within_a_second(two, "Bump")
    one.type("1")
    one.wait_without("2 × ribeye medium rare")
    two.wait_without("2 × ribeye medium rare", seconds=1)
    assert row(kitchen, "1041-g")["section"] == "pass"
    # The selection went on to the next row. Enter performs the marked action; Void asks first.
    one.wait_for("▌▸1 × salmon")
    one.type(LEFT + LEFT + LEFT)
    one.wait_for("▸3 Void")
    one.type(ENTER)
    one.wait_for("Void 1 × salmon, no butter?")
    one.type("n")
    one.wait_for("Not done.")
    assert row(kitchen, "1042-g")
    one.type(ENTER)
    one.wait_for("Void 1 × salmon, no butter?")
    one.type("y")
    one.wait_without("salmon, no butter")
    assert row(kitchen, "1042-g") is None
    one.type("r")
    one.wait_for("Recall", "void", "1 × salmon, no butter")
    one.type(ESC)
    # Lift, over into the next section, drop.
    one.wait_for("▌▸3 × lamb")
    one.type("mj")
    one.wait_for("──▶ 3 × lamb", "⇅ lifted")
    assert row(kitchen, "1044-g")["section"] == "grill"
    one.type("jj" + ENTER)
    one.wait_for("1044-g is now 3rd in fry")
    # Esc puts it back.
    before = rows(kitchen)
    one.type("mkk")
    one.wait_for("──▶")
    one.type(ESC)
    one.wait_for("Put back.")
    assert rows(kitchen) == before
    # Filter, as one types.
    one.type("/tempura")
    one.wait_for("1 of 11", "天ぷら")
    one.wait_without("fries")
    one.type(ENTER + ESC)
    one.wait_for("11 rows", "3 × lamb")
    two.wait_for("fries")
    one.type(":add Two colas" + ENTER)
    seen_within_a_second(two, "Two colas")
    one.type("q")
    one.wait_for("ended 0")


def test_mouse(kitchen, opened):
    one = opened(Tmux, kitchen, "kitchen")
    two = opened(Tmux, kitchen, "kitchen")
    for viewer in (one, two):
        viewer.wait_for("● live", "salmon")
    # Sideways, step by step: a little shows a little of all, more shows them.
    y = one.line_of("salmon")
    one.drag((80, y), (76, y), release=False)
    one.wait(lambda lines: "salmon" in lines[y] and "Bump" not in lines[y])
    one.drag((80, y), (56, y))
    one.wait_for("▸1 Bump", "3 Void")
    two.wait(lambda lines: any("Void" in line and "salmon" in line for line in lines), 1)
    assert row(kitchen, "1042-g")["swipe"] == "trailing"
    # A click on a button.
    x = one.lines()[y].index("2 Page")
    one.click(x + 2, y)
    one.wait_for("◌ Page")
    two.wait_for("◌ Page", seconds=1)
    # Dragged shut again.
    one.drag((10, y), (40, y))
    one.wait_without("3 Void")
    # The viewer that drags shows it shut before the daemon has it so.
    two.wait(lambda lines: not any("Void" in line and "salmon" in line for line in lines))
    assert row(kitchen, "1042-g")["swipe"] != "trailing"
    # A full swipe.
    one.drag((90, y), (12, y), release=False)
    one.wait_for("release: Bump")
    one.type(mouse(0, 12, y, release=True))
    two.wait_without("salmon, no butter", seconds=1)
    assert row(kitchen, "1042-g")["section"] == "pass"
    # Up and down: across sections, with a ghost and a line.
    one.wait_for("lamb")
    start, end = one.line_of("lamb"), one.line_of("fish & chips")
    one.drag((30, start), (30, end), release=False)
    one.wait_for("──▶ 3 × lamb", "⇅ lifted")
    one.type(mouse(0, 30, end, release=True))
    one.wait_for("1044-g is now")
    assert row(kitchen, "1044-g")["section"] == "fry"
    two.wait(lambda lines: next(n for n, line in enumerate(lines) if "lamb" in line)
             > next(n for n, line in enumerate(lines) if "── 4" in line or "fry ─" in line), 1)
    # Esc while dragging.
    before = rows(kitchen)
    one.drag((30, one.line_of("fries")), (30, one.line_of("tempura")), release=False)
    one.wait_for("──▶")
    one.type(ESC)
    one.wait_for("Put back.")
    one.type(mouse(0, 30, 5, release=True))
    assert rows(kitchen) == before
    # Letting go over nothing.
    one.drag((30, one.line_of("fries")), (30, 0))
    one.wait_for("Put back")
    assert rows(kitchen) == before
    # Off: the terminal has the mouse.
    one.type("M")
    one.wait_for("The mouse is off")
    one.drag((80, y), (40, y))
    time.sleep(0.3)
    assert rows(kitchen) == before
    one.type("q")
    one.wait_for("ended 0")


def test_daemon_that_dies_and_returns(kitchen, opened):
    viewer = opened(Tmux, kitchen, "kitchen")
    viewer.wait_for("● live", "salmon")
    kitchen.stop(signal.SIGKILL)
    viewer.wait_for("○ disconnected")
    assert "salmon" in viewer.text()
    viewer.type(" ")
    viewer.wait_for("Not connected: nothing was changed.")
    kitchen.start()
    viewer.wait_for("● live")
    viewer.type("j ")
    deadline = time.monotonic() + 5
    while row(kitchen, "1041-g")["expand"] == "collapsed":
        assert time.monotonic() < deadline
    kitchen.process.send_signal(signal.SIGSTOP)
    viewer.wait_for("◐ stale")
    kitchen.process.send_signal(signal.SIGCONT)
    viewer.wait_for("● live")
    kitchen.ok("drop", "kitchen")
    viewer.wait_for("There is no table kitchen.")
    kitchen.ok("create", "kitchen")
    viewer.wait_for("kitchen has no rows.")


def test_resize_suspend_and_ends(kitchen, opened):
    viewer = opened(Tmux, kitchen, "kitchen")
    viewer.wait_for("● live", "salmon")
    for width, height in ((20, 5), (40, 10), (15, 3), (160, 50), (100, 36)):
        viewer.resize(width, height)
        viewer.wait_for("too small" if width == 15 else "● live")
    # ^Z and back.
    viewer.type("\x1a")
    viewer.wait_for("Stopped")
    viewer.type("clear; fg\r")
    viewer.wait_for("● live", "salmon")
    viewer.type("q")
    viewer.wait_without("● live")
    viewer.type("echo it is $((40 + 2))\r")
    viewer.wait_for("it is 42")


def test_the_terminal_is_given_back(kitchen, opened):
    asked = [signal.SIGTERM, signal.SIGHUP]
    numbers = asked + [
        signal.SIGSEGV, signal.SIGABRT, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM,
        signal.SIGXCPU, signal.SIGXFSZ, signal.SIGVTALRM, signal.SIGPROF, signal.SIGPOLL, signal.SIGPWR,
        signal.SIGSTKFLT, signal.SIGRTMIN, signal.SIGRTMAX]
    for number in numbers:
        viewer = opened(Pty, kitchen, "kitchen")
        viewer.wait_for("● live")
        assert viewer.attributes() != viewer.before
        viewer.process.send_signal(number)
        viewer.process.wait(10)
        viewer.read(0.05)
        assert viewer.attributes() == viewer.before, number
        tail = viewer.written[-200:]
        for sequence in (b"\x1b[?1049l", b"\x1b[?25h", b"\x1b[?1002l", b"\x1b[?2004l"):
            assert sequence in tail, (number, sequence)
        assert viewer.process.returncode == (128 + number if number in asked else -number)


def test_no_colour(kitchen, opened):
    plain = opened(Pty, kitchen, "kitchen", NO_COLOR="1")
    plain.wait_for("● live", "salmon")
    plain.type("j" + LEFT)
    plain.wait_for("1 Bump")
    assert b"38;" not in plain.written and b"48;" not in plain.written
    assert b"\x1b[0;7m" in plain.written, "reverse"
    for variables, found in ((dict(COLORTERM="", TERM="xterm-256color"), b"48;5;"),
                             (dict(COLORTERM="", TERM="xterm"), b";100m"),
                             (dict(COLORTERM="truecolor"), b"48;2;")):
        viewer = opened(Pty, kitchen, "kitchen", **variables)
        viewer.wait_for("● live", "salmon")
        assert found in viewer.written or b";40m" in viewer.written, variables


def test_configuration(kitchen, opened):
    path = kitchen.directory / "config/trestle"
    path.mkdir(parents=True)
    (path / "client.yaml").write_text(
        "view: {mouse: false, rows: dense, keys: {down: [x], quit: [Q]}}\n")
    viewer = opened(Pty, kitchen, "kitchen")
    viewer.wait_for("● live", "salmon")
    assert b"?1002h" not in viewer.written
    viewer.type("x")
    viewer.wait_for("▌▸2 × ribeye")
    viewer.type("q")
    time.sleep(0.2)
    assert viewer.process.poll() is None
    viewer.type("Q")
    assert viewer.process.wait(5) == 0
    for text, fault in (("view: {keys: {fly: x}}", "\"fly\" is nothing that the viewer does"),
                        ("view: {keys: {down: [hyper-x]}}", "is no key"),
                        ("view: {keys: {down: x, up: x}}", "is bound to"),
                        ("view: {sound: loud}", "sound")):
        (path / "client.yaml").write_text(text)
        broken = opened(Pty, kitchen, "kitchen")
        assert broken.process.wait(5) == 78
        broken.read(0.2)
        # The terminal breaks the line; the endpoint of other verbs does not care.
        assert fault in broken.written.decode().replace("\r\n", "").replace("\n", ""), fault
    # The commented example is taken as it is.
    (path / "client.yaml").write_text((HERE.parents[1] / "config/client.yaml").read_text())
    example = opened(Pty, kitchen, "kitchen")
    example.wait_for("● live", "salmon")
    example.type("jq")
    assert example.process.wait(5) == 0


def test_refusals_at_the_start(kitchen, opened):
    done = kitchen.run("view", "kitchen")
    assert done.returncode == 64 and b"needs a terminal" in done.stderr
    # A table and a daemon that are not there are waited for, but with --timeout no longer than that.
    absent = opened(Pty, kitchen, "nothing", "--timeout", "0.5")
    assert absent.process.wait(10) == 66
    absent.read(0.2)
    assert 'There is no table "nothing".' in absent.written.decode()
    kitchen.stop()
    away = opened(Pty, kitchen, "kitchen", "--timeout", "0.5")
    assert away.process.wait(10) == 69
    kitchen.start()


def test_it_waits_for_its_daemon_and_its_table(kitchen, opened):
    kitchen.stop()
    viewer = opened(Tmux, kitchen, "later")
    viewer.wait_for("◌ waiting", "Waiting for the daemon", "later appears here when it answers.")
    time.sleep(1.5)
    kitchen.start()
    viewer.wait_for("○ no such table", "There is no table later.", "It appears here when it is made.")
    viewer.type("?")
    viewer.wait_for("Help", seconds=1)
    viewer.type(ESC)
    kitchen.ok("create", "later")
    viewer.wait_for("● live", "later has no rows.")
    kitchen.ok("add", "later", "First of all", "--id", "a")
    seen_within_a_second(viewer, "First of all")
    # And commands arrive.
    viewer.type("aSecond" + ENTER)
    viewer.wait_for("Second", "Added ")
    assert len(rows(kitchen, "later")) == 2
    viewer.type("q")
    viewer.wait_for("ended 0")


def test_an_undo_says_what_it_took_back(kitchen, opened):
    kitchen.ok("edit", "kitchen", "--on", "--as", "ada")
    kitchen.ok("edit", "kitchen", "--off", "--as", "ada")
    mine = opened(Tmux, kitchen, "kitchen", "--as", "ada")
    other = opened(Tmux, kitchen, "kitchen", "--as", "ben")
    for viewer in (mine, other):
        viewer.wait_for("● live", "salmon")
    # Her latest change was made elsewhere.
    mine.type("u")
    mine.wait_for("EDIT", f"Undone: {by('ada')} ended editing.")
    other.wait_for("EDIT", f"{by('ada')} turned edit mode on by an undo, for everybody: nothing can be swiped. E ends it.")
    mine.type("U")
    mine.wait_for(f"Done again: {by('ada')} ended editing.")
    mine.wait_without("EDIT")
    other.wait_for(f"{by('ada')} turned edit mode off by a redo.")
    # A move of her own, and what it was that moved.
    mine.type("jmjj" + ENTER)
    mine.wait_for("1041-g is now")
    mine.type("u")
    mine.wait_for(f'Undone: {by("ada")} dragged "2 × ribeye medium rare, 1 × burger" after "3 × lamb skewers".')
    # What Ben did is his: hers is older.
    kitchen.ok("remove", "kitchen", "1044-g", "--as", "ben")
    other.type("u")
    other.wait_for(f'Undone: {by("ben")} removed "3 × lamb skewers".')
    other.type("U")
    other.wait_for(f'Done again: {by("ben")} removed "3 × lamb skewers".')
    # Nothing is left to undo: that is a refusal, as before.
    for _ in range(3):
        other.type("u")
        time.sleep(0.2)
    other.wait_for("There is no change of yours to undo")


def recalls(what, title):
    """Whether the recall list has it: by how long ago it was, which no message below the board says."""
    line = re.compile(rf"\b{what} +\d+ (s|m) +{re.escape(title)}")
    return lambda lines: any(line.search(one) for one in lines)


def test_what_is_back_leaves_the_recall_list(kitchen, opened):
    nothing = "Nothing was removed or done lately."
    kitchen.ok("remove", "kitchen", "1043-f", "--as", "ben")
    viewer = opened(Tmux, kitchen, "kitchen", "--as", "ada")
    viewer.wait_for("● live", "ribeye")
    gone = {"1041-g": "2 × ribeye", "1042-g": "1 × salmon", "1041-f": "3 × fries"}
    for name in gone:
        kitchen.ok("remove", "kitchen", name, "--as", "ben")
    viewer.wait_without("fries")
    viewer.type("r")
    # What was removed before it began is told by the history.
    viewer.wait_for("Recall", *gone.values(), f"{by('ben')} removed"[:8])
    there = recalls("removed", "3 × fries")
    viewer.wait(there)
    kitchen.ok("undo", "kitchen", "--as", "ben")
    viewer.wait(lambda lines: not there(lines))
    kitchen.ok("recall", "kitchen", "1042-g", "1043-f")
    kitchen.ok("add", "kitchen", "Another ribeye", "--id", "1041-g", "--section", "grill")
    viewer.wait_for(nothing)
    viewer.type(ESC)
    # Until it is closed, a key right behind Esc would be another key.
    viewer.wait_without(nothing)
    # Acted upon, and undone by somebody else.
    kitchen.ok("act", "kitchen", "1042-g", "bump")
    viewer.type("r")
    bumped = recalls("bump", "1 × salmon")
    viewer.wait(bumped)
    kitchen.ok("undo", "kitchen")
    viewer.wait_for(nothing)
    kitchen.ok("redo", "kitchen")
    viewer.wait(bumped)
    viewer.type(ENTER)
    viewer.wait_for("Undone: Bump of 1 × salmon")
    viewer.type("r")
    viewer.wait_for(nothing)


def test_hostile_rows(daemon, opened):
    daemon.ok("create", "board")
    daemon.ok("add", "board", "evil \x1b]0;title\x07\x1b[2J \u202e over \x9b31m", "--id", "a",
              "--field", "k=\x1b[31m\r\n\x08")
    daemon.ok("add", "board", "e" + "\u0301" * 400, "--id", "marks")
    daemon.ok("add", "board", "寿司 👨‍👩‍👧 ❤️ done", "--id", "wide")
    viewer = opened(Pty, daemon, "board")
    viewer.wait_for("● live", "\\u001b]0;title\\u0007\\u001b[2J \\u202e over \\u009b31m", "done")
    viewer.type(" ")
    time.sleep(0.3)
    viewer.read(0.2)
    for bad in (b"\x1b]", b"\x07", b"\x1b[31m", "\u202e".encode(), "\x9b".encode(), b"\x08"):
        assert bad not in viewer.written, bad
    assert len(viewer.written) < 60_000
