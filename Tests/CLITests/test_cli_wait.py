"""`wait` and the filters of `watch`, while the table changes and the daemon comes and goes."""

import json
import signal
import time

import pytest
import zmq
from test_cli_watch import lines_until


def waiting(daemon, predicate, *more):
    """A `wait` that is at it: the daemon has been asked for the table."""
    process = daemon.open("wait", "board", "--until", predicate, *more)
    time.sleep(0.3)
    assert process.poll() is None
    return process


def finish(process):
    out, err = process.communicate(timeout=10)
    return process.returncode, out.decode(), err.decode()


def test_it_ends_when_it_is_so(daemon):
    daemon.ok("create", "board")
    process = waiting(daemon, 'count(rows where section == "done") >= 2')
    for section in ("done", "grill", "done"):
        daemon.ok("add", "board", "Row", "--section", section)
    began = time.monotonic()
    assert finish(process) == (0, "true at revision 3\n", "")
    assert time.monotonic() - began < 1


def test_it_goes_on_over_a_restart(daemon):
    daemon.ok("create", "board")
    process = waiting(daemon, 'exists row("x")', "--timeout", "30")
    daemon.stop(signal.SIGKILL)
    daemon.start()
    daemon.ok("add", "board", "Row", "--id", "x")
    assert finish(process)[0] == 0


def test_what_is_so_for_one_revision_is_seen(daemon):
    """Both revisions come in one publication: the state after it is not the only one looked at."""
    daemon.ok("create", "board")
    process = waiting(daemon, "count(rows) == 7")
    # One client, several commands under way: they are committed and published together.
    with zmq.Context() as context, context.socket(zmq.DEALER) as socket:
        socket.connect(daemon.endpoint)
        for number in range(20):
            body = json.dumps({"table": "board", "command": {"add": {"title": str(number)}}})
            socket.send_multipart([b"", b"trestle/1 json", body.encode()])
        for _ in range(20):
            assert socket.poll(5000)
            assert json.loads(socket.recv_multipart()[-1])["ok"]
    assert finish(process) == (0, "true at revision 7\n", "")


def test_drop_ends_it(daemon):
    daemon.ok("create", "board")
    process = waiting(daemon, "false")
    daemon.ok("drop", "board")
    assert finish(process) == (66, "", 'trestle: The table "board" was dropped.\n')


@pytest.mark.parametrize("filters, wanted", [
    (["--row", "a"], [3, 5, 7]),
    (["--section", "grill"], [3, 5, 6, 7]),
    (["--section", "fry"], [4, 6, 7]),
    (["--verb", "move"], [6]),
    (["--where", 'field.late == "yes"'], [5, 7]),
    (["--row", "b", "--verb", "remove"], []),
])
def test_filters_know_where_rows_were_and_are(daemon, filters, wanted):
    daemon.ok("create", "board")
    daemon.ok("section", "board", "grill")
    daemon.ok("section", "board", "fry")
    watch = daemon.open("watch", "board", *filters, bufsize=0)
    lines_until(watch, lambda line: "rows" in line)
    daemon.ok("add", "board", "A", "--id", "a", "--section", "grill")
    daemon.ok("add", "board", "B", "--id", "b", "--section", "fry")
    daemon.ok("set", "board", "a", "--field", "late=yes")
    daemon.ok("move", "board", "b", "--top", "--section", "grill")
    daemon.ok("edit", "board", "--on")
    # Edit mode is about the whole table: so it is about each row and section.
    time.sleep(0.3)
    watch.terminate()
    out, _ = watch.communicate(timeout=10)
    assert [json.loads(line)["revision"] for line in out.splitlines()] == wanted


@pytest.mark.parametrize("text, column", [('"e\u0301e\u0301" = 1', 5), ('row("1").field.a\u0301 = 1', 17)])
def test_the_caret_stands_below_the_place(daemon, text, column):
    """Places are counted in scalars, and columns as they are seen: an accent takes none."""
    done = daemon.run("wait", "board", "--until", text)
    assert done.returncode == 64
    lines = done.stderr.decode().splitlines()
    assert lines[-1].index("^") - 2 == column, done.stderr


def made(daemon, *more):
    """Adds a row; gives its id, and by the daemon's clock the moment of its making in seconds."""
    reply = json.loads(daemon.ok("-o", "json", "add", "board", "Row", *more))
    row = json.loads(daemon.ok("-o", "ndjson", "get", "board", reply["rows"][0]["row"]))
    return row["id"], row["createdMs"] / 1000


def test_it_ends_at_the_moment(daemon):
    """The time alone makes it true: nothing is published, and the daemon is asked nothing."""
    daemon.ok("create", "board")
    _, began = made(daemon)
    process = waiting(daemon, "any(rows where age >= 3s)")
    assert finish(process)[0] == 0
    assert 3.0 <= time.time() - began < 3.3, "100 ms, and the end of a process on a busy machine"


def test_it_ends_at_a_clock_time(daemon):
    daemon.ok("create", "board")
    at = time.localtime(time.time() + 2)
    process = waiting(daemon, f'now >= "{time.strftime("%H:%M:%S", at)}"')
    assert finish(process)[0] == 0
    assert 0 <= time.time() - time.mktime(at) < 1.3


def test_watch_tells_of_rows_at_the_moment(daemon):
    daemon.ok("create", "board")
    daemon.ok("define", "board", "-", stdin=b"kinds:\n  order:\n    ages: {late: 3}\n")
    id, began = made(daemon, "--kind", "order")
    made(daemon)
    process = daemon.open("watch", "board", "--where", "late", "--count", "1", "--timeout", "20")
    code, out, err = finish(process)
    assert (code, err) == (0, "")
    state, fits = map(json.loads, out.splitlines())
    assert state["revision"] == 3 and fits["fits"] == [id] and fits["revision"] == 3
    assert 0 <= fits["timeMs"] / 1000 - (began + 3) < 0.1
