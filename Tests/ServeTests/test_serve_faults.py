"""The daemon is killed, stopped and back; the gateway is killed: no command lost, none doubled."""

import json
import signal
import time

import pytest
import websocket

from serve_harness import eventually, full


def why(serve):
    status, _, body = serve.get("/readyz")
    return status, json.loads(body).get("why")


@pytest.mark.bound(90)
def test_the_daemon_is_killed_and_back(serve):
    serve.table("board")
    page = serve.page(serve.pair("desk"))
    page.follow("board")
    page.next("pub")
    opened = page.device["hello"]["opened"]
    body = json.dumps({"client": page.client, "number": 1, "opened": opened, "table": "board",
                       "command": {"add": {"id": "new", "title": "once"}}})
    serve.daemon.kill()
    page.next("daemon", where=lambda _: True)
    assert why(serve) == (503, "silent")
    page.send("request", body)
    serve.daemon.start()
    device = json.loads(page.next("device")[1])
    assert device["hello"]["epoch"] != page.device["hello"]["epoch"]
    # The subscription lives again by itself, and the same bytes are carried out once.
    page.next("pub", where=lambda rest: b"heartbeat" in rest or b"welcome" in rest)
    for _ in range(3):
        page.send("request", body)
        assert json.loads(page.next("reply")[1])["ok"]
    rows = serve.daemon.ask("snapshot", table="board")["snapshot"]["rows"]
    assert rows == 4
    assert why(serve) == (200, None)


@pytest.mark.bound(60)
def test_the_daemon_is_stopped(serve):
    serve.table("board")
    page = serve.page(serve.pair("desk"))
    page.follow("board")
    page.next("pub")
    serve.daemon.process.send_signal(signal.SIGSTOP)
    begin = time.monotonic()
    assert page.next("daemon", 15)[0] == "daemon down"
    assert time.monotonic() - begin < 8
    # New files of the page are told, and that the daemon is away.
    serve.process.send_signal(signal.SIGHUP)
    page.next("device")
    assert page.next("daemon", 5)[0] == "daemon down"
    # Nothing new comes, and nothing old is shown as new: a page that joins now hears nothing.
    page.held.clear()
    later = serve.page(serve.pair("later"))
    later.follow("board")
    with pytest.raises((TimeoutError, websocket.WebSocketTimeoutException)):
        later.next("pub", 2)
    assert later.next("daemon")[0] == "daemon down"
    status, _, body = serve.get("/tables/board/snapshot", serve.pair("third"))
    assert (status, json.loads(body)["error"]["code"]) == (503, "noDaemon")
    serve.daemon.process.send_signal(signal.SIGCONT)
    assert page.next("daemon", 15)[0] == "daemon up"
    later.next("pub", 15)


@pytest.mark.bound(120, 900)
def test_the_gateway_is_killed_again_and_again(serve):
    """Commands that are sent until they are answered are carried out once each."""
    serve.table("board", rows=1)
    device = serve.pair("desk")
    page = serve.page(device, tab="first")
    opened = page.device["hello"]["opened"]
    client, done = page.client, 0
    commands = full(60, 12)
    for number in range(1, commands + 1):
        body = json.dumps({"client": client, "number": number, "opened": opened, "table": "board",
                           "command": {"add": {"id": f"n{number}", "title": "x"}}})
        page.send("request", body)
        if number % 3 == 0:
            serve.kill()
            serve.start()
            page = serve.page(device)
            page.send("request", body)
        reply = json.loads(page.next("reply")[1])
        assert reply["ok"] and reply["number"] == number, reply
        done += 1
    assert serve.daemon.ask("snapshot", table="board")["snapshot"]["rows"] == 1 + commands


@pytest.mark.bound(60)
def test_a_gateway_without_a_daemon_serves_the_page(serve):
    serve.daemon.kill()
    serve.kill()
    serve.start(until_up=False)
    assert serve.get("/")[0] == 200 and why(serve) == (503, "silent")
    page = serve.page(serve.pair("early"))
    assert page.device["hello"] is None
    serve.daemon.start()
    assert json.loads(page.next("device", 15)[1])["hello"]["protocol"] == 1
    eventually(lambda: why(serve) == (200, None), 10)


def test_the_gateway_stops_and_goes_on(serve):
    serve.table("board")
    page = serve.page(serve.pair("desk"))
    page.follow("board")
    page.next("pub")
    serve.process.send_signal(signal.SIGSTOP)
    time.sleep(2)
    serve.process.send_signal(signal.SIGCONT)
    assert page.do("board", set={"row": "r0", "title": "after"})["ok"]
    page.next("pub", where=lambda rest: b"after" in rest)
