"""Devices stay in while they are used: cookies are renewed, uses are noted, tokens are for programs without a browser."""

import json
import time

import pytest
import websocket

from serve_harness import Device, Page, Serve, eventually

YEAR = 365 * 86_400


def device_line(serve, name):
    """The line of a device, and that of its latest use."""
    lines = (serve.state / "devices").read_text().splitlines()
    at = next(index for index, line in enumerate(lines) if line.split("\t")[1:2] == [name])
    used = lines[at + 1] if len(lines) > at + 1 and lines[at + 1].startswith("used\t") else None
    return lines[at].split("\t"), used.split("\t") if used else None


def listed(serve, name):
    devices = json.loads(serve.run("devices", "-o", "json").stdout)["devices"]
    return next(one for one in devices if one["name"] == name)


def used_at(serve, name, seconds):
    """Writes down when the device was last used."""
    path = serve.state / "devices"
    line, used = device_line(serve, name)
    text = path.read_text()
    line, used = "\t".join(line), "\t".join(used)
    new = "\t".join(["used", line.split("\t")[3], str(seconds), "192.0.2.7"])
    path.with_name("devices.other").write_text(text.replace(used, new))
    path.with_name("devices.other").rename(path)


def test_a_socket_and_a_snapshot_renew_the_cookie(shared):
    shared.table("board")
    device = shared.pair("keeps")
    want = f"{device.cookie}; Path=/; Max-Age={YEAR}; HttpOnly; SameSite=Strict"
    for method in ("GET", "HEAD"):
        for path in ("/tables/board/snapshot", "/tables/-/snapshot"):
            _, headers, _ = shared.ask(method, path, device=device)
            assert headers.get_all("Set-Cookie") == [want], path
    page = shared.page(device)
    assert page.socket.headers["set-cookie"] == want
    # Nothing that others could keep has it, nor the next answer on the same connection.
    link = shared.connection()
    said = []
    for path, headers in [("/tables/-/snapshot", {"Cookie": device.cookie}), ("/healthz", {}), ("/", {"Cookie": device.cookie}),
                          ("/tables/-/snapshot", {}), ("/devices", {"Cookie": device.cookie})]:
        link.request("GET", path, headers=headers)
        answer = link.getresponse()
        answer.read()
        said.append(answer.headers["Set-Cookie"])
    assert said == [want, None, None, None, None]


def test_uses_are_listed_and_one_of_a_year_ago_lets_nobody_in(serve):
    device = serve.pair("tablet")
    first = listed(serve, "tablet")
    assert abs(first["usedAt"] - time.time()) < 60 and first["endsAt"] == first["usedAt"] + YEAR
    assert (first["form"], first["address"]) == ("cookie", "127.0.0.1")
    assert "in 365 days" in serve.run("devices").stdout
    used_at(serve, "tablet", int(time.time()) - YEAR + 60)
    assert "in 1 days" in serve.run("devices").stdout
    assert serve.get("/tables/-/snapshot", device)[0] == 404
    used_at(serve, "tablet", int(time.time()) - YEAR)
    eventually(lambda: serve.get("/tables/-/snapshot", device)[0] == 401, 5)
    assert "ended" in serve.run("devices").stdout
    # Its name is free again.
    assert serve.get("/tables/-/snapshot", serve.pair("tablet"))[0] == 404


@pytest.mark.bound(180)
def test_a_use_is_noted_once_a_day(serve):
    """Of a page that is open, too. The list of an admin's page has each use at once."""
    admin, device = serve.pair("boss", "admin"), serve.pair("open")
    page = serve.page(device)
    before = int(time.time()) - 3 * 86_400
    used_at(serve, "open", before)
    written = device_line(serve, "boss")[1]
    shown = json.loads(serve.get("/devices", admin)[2])["devices"]
    assert abs(next(one for one in shown if one["name"] == "open")["usedAt"] - time.time()) < 60
    eventually(lambda: listed(serve, "open")["usedAt"] > before, 90)
    assert listed(serve, "open")["address"] == "127.0.0.1"
    assert device_line(serve, "boss")[1] == written
    page.send("ping", "still here")
    assert page.next("pong")[1] == b"still here"


# Tokens.

def bearer(token):
    return {"Authorization": f"Bearer {token}"}


class Program(Page):
    """A program that is no browser: a token, and no Origin."""

    def __init__(self, serve, token):
        self.serve, self.held, self.number = serve, [], 0
        self.socket = websocket.create_connection(
            f"ws://127.0.0.1:{serve.port}/socket", timeout=20, subprotocols=["trestle.1"],
            header=bearer(token), suppress_origin=True)
        self.device = json.loads(self.next("device")[1])
        self.client = self.device["prefix"] + "app"


def test_a_token_has_the_rights_of_a_device(serve):
    serve.table("kitchen-1")
    serve.table("office")
    said = json.loads(serve.run(
        "pair", "--name", "till", "--role", "operator", "--table", "kitchen-*", "--token", "-o", "json").stdout)
    token = said["token"]
    assert said == {"name": "till", "role": "operator", "token": token} and len(token) == 43
    assert token not in (serve.state / "devices").read_text()
    program = Program(serve, token)
    assert (program.device["device"], program.device["tables"]) == ("till", ["kitchen-*"])
    program.follow("kitchen-1")
    program.next("pub")
    assert program.do("kitchen-1", add={"id": "new", "title": "x"})["ok"]
    assert program.do("office", add={"id": "new"})["error"]["code"] == "notAllowed"
    assert program.do("kitchen-1", section={"id": "s", "title": "S"})["error"]["code"] == "notAllowed"
    status, headers, _ = serve.get("/tables/kitchen-1/snapshot", **bearer(token))
    assert status == 200 and headers["Set-Cookie"] is None
    assert serve.get("/tables/office/snapshot", **bearer(token))[0] == 403
    assert listed(serve, "till")["form"] == "token"
    assert "operator, token" in serve.run("devices").stdout
    serve.run("revoke", "till")
    assert program.ended()["code"] == "revoked"
    assert serve.get("/tables/kitchen-1/snapshot", **bearer(token))[0] == 401


def test_a_program_pairs_by_a_code_and_shows_one(serve):
    post = {"Content-Type": "application/json"}
    code = serve.invite("app", "viewer")
    # A page does not do that: it says where it comes from, and without "token" it gets a cookie.
    for body, headers in [({"code": code}, {}), ({"code": code, "token": True}, {"Origin": "https://evil.example"}),
                          ({"code": code, "token": "true"}, {})]:
        assert serve.ask("POST", "/pair", json.dumps(body), post | headers)[0] == 403, body
    assert serve.ask("POST", "/pair", json.dumps({"code": code, "token": True}))[0] == 415
    status, headers, body = serve.ask("POST", "/pair", json.dumps({"code": code, "token": True}), post)
    said = json.loads(body)
    assert (status, headers["Set-Cookie"]) == (200, None) and said["device"] == "app"
    assert serve.get("/tables/-/snapshot", **bearer(said["token"]))[0] == 404
    # It may also show six digits until an admin has confirmed them.
    asked = json.loads(serve.ask("POST", "/ask", "{}", post)[2])
    again = {"code": asked["secret"], "token": True}
    assert serve.ask("POST", "/pair", json.dumps(again), post)[0] == 202
    admin = serve.run("pair", "--name", "boss", "--role", "admin", "--token").stdout.strip()
    confirm = {"confirm": asked["code"], "name": "wall", "role": "viewer"}
    assert serve.ask("POST", "/devices", json.dumps(confirm), post | bearer(admin))[0] == 200
    status, _, body = serve.ask("POST", "/pair", json.dumps(again), post)
    assert status == 200 and "token" in json.loads(body)
    # It takes itself off the list.
    assert serve.ask("POST", "/unpair", "{}", post | bearer(said["token"]))[0] == 200
    assert serve.get("/tables/-/snapshot", **bearer(said["token"]))[0] == 401


def test_a_token_is_no_cookie_and_counts_alone(shared):
    token = shared.run("pair", "--name", "alone", "--token").stdout.strip()
    assert shared.get("/tables/-/snapshot", Cookie=f"trestle={token}")[0] == 401
    browser = shared.pair("browser")
    secret = browser.cookie.split("=", 1)[1]
    assert shared.get("/tables/-/snapshot", **bearer(secret))[0] == 401
    for wrong in ("x", "y" * 43, "z" * 200):
        assert shared.get("/tables/-/snapshot", browser, **bearer(wrong))[0] == 401
    # Another scheme is the proxy's.
    assert shared.get("/tables/-/snapshot", browser, Authorization="Basic eDp5")[0] == 404
    two = (b"GET /tables/-/snapshot HTTP/1.1\r\nHost: " + f"127.0.0.1:{shared.port}".encode() + b"\r\n"
           + b"".join(f"Authorization: Bearer {one}\r\n".encode() for one in (token, "w" * 43)) + b"Connection: close\r\n\r\n")
    assert shared.raw(two).startswith(b"HTTP/1.1 400")
    # A foreign page cannot send one: its browser asks first, and is not answered.
    status, headers, _ = shared.ask("OPTIONS", "/pair", headers={
        "Origin": "https://evil.example", "Access-Control-Request-Headers": "authorization"})
    assert status == 405 and headers["Access-Control-Allow-Origin"] is None
    for words in (["--kiosk"], ["--board", "x"], ["--origin", "https://x"]):
        assert shared.run("pair", "--name", "no", "--token", *words, check=False).returncode == 64
