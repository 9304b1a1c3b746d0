"""A second daemon on the same state, or the same sockets, says so and ends (Must show 5)."""

import subprocess
import time

import pytest


def leaves(daemon, command):
    """It exits within 1 s, with a clear sentence and a code; the first is unharmed."""
    before = daemon.tables()
    begin = time.monotonic()
    second = subprocess.run(command, capture_output=True, text=True, timeout=10)
    took = time.monotonic() - begin
    print(f"{took:.2f} s, exit status {second.returncode}: {second.stderr.strip()}")
    assert second.returncode > 0 and took < 1.0
    assert daemon.alive() and daemon.tables() == before
    assert daemon.do("board", set={"row": "a", "title": f"still here {begin}"})["ok"]
    return second.stderr


@pytest.fixture
def first(daemon):
    daemon.ask("create", {}, "board")
    daemon.do("board", add={"id": "a"})
    return daemon


def test_the_same_state_directory(first):
    other = first.directory / "other"
    other.mkdir()
    text = leaves(first, first.command(endpoint=f"ipc://{other}/request.sock"))
    assert str(first.state) in text and len(text.strip().splitlines()[-1]) > 20
    # The directory itself is locked: without the file a second one began, and wrote into the same journal.
    (first.state / "lock").unlink()
    text = leaves(first, first.command(endpoint=f"ipc://{other}/request.sock"))
    assert str(first.state) in text and not (first.state / "lock").exists()


def test_the_same_socket_path(first):
    text = leaves(first, first.command(state=first.directory / "state2"))
    assert "request.sock" in text


def test_both_the_same(first):
    leaves(first, first.command())


def test_only_the_publish_socket_is_the_same(first):
    """request.sock in another directory, beside which publish.sock is a link to the first's."""
    other = first.directory / "other"
    other.mkdir()
    (other / "publish.sock").symlink_to(first.directory / "publish.sock")
    second = subprocess.Popen(first.command(first.directory / "state2", f"ipc://{other}/request.sock"),
                              stderr=subprocess.PIPE, text=True)
    try:
        second.wait(2)
    except subprocess.TimeoutExpired:
        pass  # replacing the link is as good as refusing
    second.kill()
    second.wait()
    assert (first.directory / "publish.sock").is_socket()
    from trestle_client import Viewer
    viewer = Viewer(first.endpoint, "board")
    end = time.monotonic() + 5
    while viewer.state != "following" and time.monotonic() < end:
        viewer.step()
    assert viewer.state == "following", "the first daemon's publish socket was taken away"
    viewer.close()


def test_after_a_kill_the_sockets_are_taken_over(first):
    first.kill()
    assert (first.directory / "request.sock").exists()  # left behind
    assert first.start() < 5
    assert first.tables()["board"]["rows"] == 1
