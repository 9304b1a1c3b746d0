"""Devices behind the gateway are held apart by the daemon, each as a principal of its own."""

import json
import uuid

import pytest
import websocket

from serve_harness import Serve, eventually, full

TIMES = full(1_000, 50)


@pytest.fixture(scope="module")
def kitchen():
    with Serve() as serve:
        serve.table("kitchen")
        devices = {name: serve.pair(name, role) for name, role in [
            ("chief", "editor"), ("grill", "operator"), ("bar", "operator"), ("wall", "viewer")]}
        yield serve, devices


@pytest.fixture
def pages(kitchen):
    serve, devices = kitchen
    # A tab of its own for each test: the numbers of its commands begin anew.
    pages = {name: serve.page(device, tab=uuid.uuid4().hex[:8]) for name, device in devices.items()}
    yield pages
    for page in pages.values():
        page.close()


def code(reply):
    return reply.get("error", {}).get("code", "ok")


def cause(serve):
    """The daemon's latest change of the table."""
    return serve.daemon.ask("history", {"most": 1}, "kitchen")["changes"]["changes"][0]["cause"]


def test_an_operator_undoes_no_definition(kitchen, pages):
    serve, _ = kitchen
    defined = pages["chief"].do("kitchen", section={"id": "pass", "title": "Pass"})
    assert defined["ok"], defined
    undo = {"revision": defined["revision"]}
    refused = pages["grill"].do("kitchen", undo=undo)
    assert code(refused) == "notAllowed" and refused["error"]["field"] == "user", refused
    assert "/grill may not define" in refused["error"]["message"]
    assert code(pages["grill"].do("kitchen", undo={})) == "notAllowed"
    assert pages["chief"].do("kitchen", undo=undo)["ok"]


def test_the_history_and_the_audit_name_the_device(kitchen, pages):
    serve, _ = kitchen
    for name in ("grill", "bar"):
        page = pages[name]
        # The page leaves its device's name out, and says it.
        for more in ({}, {"name": name}):
            reply = page.ask("kitchen", command={"set": {"row": "r0", "title": f"{name} {more}"}}, **more)
            assert reply["ok"], reply
            said = cause(serve)
            assert said["user"].endswith(f"/{name}") and said["name"] == name, said
        # No other name, nor one that only looks the same.
        forged = page.ask("kitchen", command={"remove": {"rows": ["r0"]}}, name="chief")
        assert code(forged) == "notAllowed"
    assert pages["chief"].do("kitchen", section={"id": "s1", "title": "S"})["ok"]
    undone = pages["bar"].do("kitchen", undo={})
    assert code(undone) == "notAllowed"
    entries = serve.daemon.ask("audit", {"most": 2})["audit"]["entries"]
    said = [(one["user"].split("/")[1], one["verb"], one["outcome"]) for one in entries]
    assert said == [("bar", "undo", "refused"), ("chief", "section", "allowed")]
    counters = serve.daemon.ask("stats")["stats"]["counters"]
    assert [name for name in counters
            if name.startswith("user_requests_") and name.endswith("/bar")]


@pytest.mark.bound(120, 900)
def test_devices_are_held_apart(kitchen, pages):
    """Each attack by another device, with the first one's name where the gateway lets it through."""
    serve, _ = kitchen
    grill, bar = pages["grill"], pages["bar"]
    assert grill.do("kitchen", claim={"rows": ["r1"]})["ok"]
    lease = grill.ask("kitchen", drag={"lift": {"rows": ["r2"], "ttl": 60}})["lease"]["lease"]
    for turn in range(TIMES):
        assert code(bar.do("kitchen", unclaim={"rows": ["r1"], "holder": "grill"})) == "claimed"
        assert code(bar.do("kitchen", unclaim={"rows": ["r1"]})) == "claimed"
        assert code(bar.do("kitchen", claim={"rows": ["r1"]})) == "claimed"
        assert code(bar.ask("kitchen", drag={"cancel": lease})) == "notHeld"
        assert code(bar.ask("kitchen", drag={"renew": lease})) == "notHeld"
        if turn % 10 == 0:
            # A viewer that is not heard of ends the lease.
            assert grill.ask("kitchen", attend={"revision": 0})["ok"]
            assert grill.ask("kitchen", drag={"renew": lease})["ok"]
        assert code(bar.ask("kitchen", name="grill", drag={"cancel": lease})) == "notAllowed"
    who = serve.daemon.ask("who", {}, "kitchen")["who"]
    assert [one["lease"] for one in who["leases"]] == [lease]
    assert grill.ask("kitchen", drag={"cancel": lease})["ok"]
    assert grill.do("kitchen", unclaim={"rows": ["r1"]})["ok"]


@pytest.mark.bound(120, 900)
def test_made_up_clients_of_one_device_push_out_its_own_answers_only():
    with Serve() as serve:
        config = serve.daemon.directory / "limits.yaml"
        config.write_text(json.dumps({"limits": {"sessions": 64, "replies": 1_000}}))
        serve.daemon.kill()
        serve.daemon.config = config
        serve.daemon.start()
        eventually(lambda: serve.get("/readyz")[0] == 200, 20)
        serve.table("kitchen")
        grill, bar = serve.page(serve.pair("grill")), serve.page(serve.pair("bar"))
        opened = serve.daemon.ask("hello")["hello"]["opened"]

        def send(page, client, row):
            """One numbered command of a client of this page, and its reply."""
            body = {"client": page.device["prefix"] + client, "number": 1, "opened": opened,
                    "table": "kitchen", "command": {"add": {"id": row}}}
            for _ in range(10):  # what is sent while the daemon restarts may be lost: the same bytes again
                page.send("request", json.dumps(body))
                try:
                    return json.loads(page.next(
                        "reply", 3, lambda rest: json.loads(rest).get("client") == body["client"])[1])
                except (TimeoutError, websocket.WebSocketTimeoutException):
                    continue
            raise TimeoutError(client)

        first = send(grill, "pos", "a")
        assert first["ok"]
        for number in range(full(10_001, 300)):
            # Once its own are forgotten, one that said hello before is not new.
            assert code(send(bar, f"made-up-{number}", f"b{number}")) in ("ok", "unknown")
        assert send(grill, "pos", "a") == first
        assert code(send(bar, "made-up-0", "b0")) == "unknown"
        serve.daemon.restart()
        eventually(lambda: serve.get("/readyz")[0] == 200, 20)
        assert send(grill, "pos", "a") == first


def test_two_names_that_look_alike_are_not_paired(kitchen):
    serve, _ = kitchen
    serve.pair("caf\u00e9")
    done = serve.run("pair", "--name", "cafe\u0301", "--role", "operator", check=False)
    assert done.returncode != 0 and "link" not in done.stdout
    page = serve.page(next(
        device for device in [serve.pair("th\u00e9", "operator")]))
    forged = page.ask("kitchen", name="the\u0301", command={"remove": {"rows": ["r0"]}})
    assert code(forged) == "notAllowed"
    page.close()


def test_what_the_daemon_would_refuse_is_not_paired(kitchen):
    serve, _ = kitchen
    words = [word for number in range(65) for word in ("--table", f"t{number}")]
    done = serve.run("pair", "--name", "many", *words, check=False)
    assert done.returncode != 0 and "at most 64" in done.stderr


def sent(serve, path, body, device=None, **headers):
    status, _, said = serve.ask("POST", path, json.dumps(body), {
        "Origin": serve.origin, "Content-Type": "application/json"} | headers, device)
    return status, json.loads(said)


def test_only_admins_see_and_change_devices(kitchen):
    """Nobody else: not by any method, from any page, nor those whose tables are few."""
    serve, _ = kitchen
    few = serve.pair("admin of few", "admin", "kitchen")
    for device in (None, serve.pair("looks", "viewer"), serve.pair("edits", "editor"), few):
        refused = 401 if device is None else 403
        assert serve.get("/devices", device)[0] == refused
        for body in ({"revoke": "looks"}, {"rename": "looks", "to": "x"},
                     {"confirm": "123456", "name": "x", "role": "admin"}):
            assert sent(serve, "/devices", body, device)[0] == refused
    admin = serve.pair("boss", "admin")
    assert sent(serve, "/devices", {"revoke": "looks"}, admin, Origin="http://evil.example")[0] == 403
    assert sent(serve, "/devices", {"revoke": "looks"}, admin, **{"Content-Type": "text/plain"})[0] == 415
    listed = {one["name"]: one for one in json.loads(serve.get("/devices", admin)[2])["devices"]}
    assert listed["looks"]["role"] == "viewer" and listed["boss"]["isThis"] and not listed["looks"]["isThis"]
    assert "tokenHash" not in listed["looks"] and len(listed) >= 4
    for body in ({}, [], {"revoke": 1}, {"rename": "looks"}, {"rename": "looks", "to": " x"}, {"confirm": "1", "name": "x"},
                 {"confirm": "1", "name": "x", "role": "king"}):
        assert sent(serve, "/devices", body, admin)[0] == 400, body
    status, said = sent(serve, "/devices", {"rename": "looks", "to": "edits"}, admin)
    assert (status, said["error"]["code"]) == (409, "nameTaken")
    assert sent(serve, "/devices", {"revoke": "nobody"}, admin)[0] == 404
    assert sent(serve, "/devices", {"rename": "looks", "to": "looks on"}, admin)[0] == 200
    assert sent(serve, "/devices", {"revoke": "looks on"}, admin)[0] == 200
    assert "looks" not in serve.run("devices").stdout


def test_a_short_code_lets_in_the_screen_that_shows_it(kitchen):
    """Only it, once, and only after an admin's device has confirmed it."""
    serve, _ = kitchen
    admin = serve.pair("chef", "admin")
    status, asked = sent(serve, "/ask", {})
    assert status == 200 and len(asked["code"]) == 6 and asked["code"].isdigit()
    # It may ask as often as it likes. The short code itself lets nobody in.
    for _ in range(30):
        assert sent(serve, "/pair", {"code": asked["secret"]})[0] == 202
    assert sent(serve, "/pair", {"code": asked["code"]})[0] == 403
    confirm = {"confirm": asked["code"], "name": "new wall", "role": "viewer"}
    assert sent(serve, "/devices", confirm | {"name": "chef"}, admin)[0] == 409
    assert sent(serve, "/devices", confirm, admin)[0] == 200
    assert sent(serve, "/devices", confirm, admin)[1]["error"]["code"] == "badCode"
    assert sent(serve, "/pair", {"code": asked["code"]})[0] == 403
    status, headers, said = serve.redeem(asked["secret"])
    assert status == 200 and json.loads(said) == {"device": "new wall", "role": "viewer"}
    assert serve.redeem(asked["secret"])[0] == 403
    # Asking is bounded: a stranger cannot fill the list.
    assert 429 in [sent(serve, "/ask", {})[0] for _ in range(20)]
