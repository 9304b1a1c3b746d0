"""Personal data: what `forget` and `retain` leave of it, in answers and in files."""

import time

import pytest

SECRET = "Kim Sundgren, nut allergy"


def code(answer):
    return answer.get("error", {}).get("code")


def holders(daemon):
    """The files of the state directory that hold the secret."""
    found = []
    for path in sorted(daemon.state.rglob("*")):
        try:
            if path.is_file() and SECRET.encode() in path.read_bytes():
                found.append(path.name)
        except FileNotFoundError:
            pass
    return found


def eventually(check, seconds=10.0):
    end = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.05)


def board(daemon):
    daemon.ask("create", {}, "board")
    daemon.do("board", add={"id": "a", "title": "A"})
    daemon.do("board", add={"id": "kim", "title": "Kim", "fields": {"note": SECRET}})
    daemon.do("board", set={"row": "kim", "fields": {"note": SECRET + "!"}})
    assert code(daemon.ask("forget", {"rows": ["kim"]}, "board")) == "exists"
    daemon.do("board", remove={"rows": ["kim", "a"]})


@pytest.mark.parametrize("stop", ["no", "kill", "kill at once"])
def test_nothing_is_left_in_memory_or_on_disk(make_daemon, stop):
    daemon = make_daemon()
    board(daemon)
    assert holders(daemon)
    answer = daemon.ask("forget", {"rows": ["kim"]}, "board")
    assert answer["ok"], answer
    if stop == "kill":
        eventually(lambda: not holders(daemon))
    if stop != "no":
        daemon.kill()
        daemon.start()
    eventually(lambda: not holders(daemon))
    changes = daemon.ask("history", {"most": 100}, "board")["changes"]["changes"]
    assert SECRET not in str(changes) and [one["text"] for one in changes].count("forgotten") == 2
    assert code(daemon.do("board", recall={"rows": ["kim"]})) == "noSuchRow"
    assert daemon.do("board", undo={})["ok"]
    rows = daemon.ask("snapshot", {}, "board")["snapshot"]["slices"][0]["rows"]
    assert [row["id"] for row in rows] == ["a"]
    head = daemon.tables()["board"]
    replay = {"history": head["history"], "since": 0}
    assert code(daemon.ask("replay", replay, "board")) == "compacted"
    assert daemon.ask("check", {})["ok"]


def test_what_is_too_old_goes_from_the_disk_too(make_daemon):
    """Also where nothing happens meanwhile."""
    daemon = make_daemon(config="retain:\n  seconds: 1\n")
    board(daemon)
    assert holders(daemon)
    eventually(lambda: not holders(daemon), 15)
    position = daemon.ask("check", {})["check"]["position"]
    time.sleep(2.5)
    assert daemon.ask("check", {})["check"]["position"] == position, "an idle daemon writes nothing"


@pytest.mark.parametrize("rows, wanted", [
    ([], "malformed"), (["x"] * 1_001, "tooLarge"), ([""], "badID"), (["a\u0000"], "badID")])
def test_what_cannot_be_forgotten_is_refused(daemon, rows, wanted):
    daemon.ask("create", {}, "board")
    answer = daemon.ask("forget", {"rows": rows}, "board")
    assert code(answer) == wanted and answer["error"]["field"].startswith("forget.rows")
    assert code(daemon.ask("forget", {"rows": ["x"]}, "nobody")) == "noSuchTable"
    assert code(daemon.ask("forget", {"row": "x"}, "board")) == "malformed"
