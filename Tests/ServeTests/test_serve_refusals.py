"""What is refused, by name, with the gateway alive: foreign pages, wrong names, forged requests,
what is too large or too slow, and odd HTTP."""

import base64
import contextlib
import json
import os
import socket
import struct
import time

import pytest
import websocket

from serve_harness import HERE, Serve, eventually, full


@pytest.fixture(scope="module")
def desk(shared):
    shared.table("board", rows=4)
    return shared.pair("desk")


def upgrading(serve, device=None, **changes):
    """A request for a WebSocket, with some headers changed or left out."""
    headers = {
        "Host": f"127.0.0.1:{serve.port}", "Origin": serve.origin, "Upgrade": "websocket",
        "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Protocol": "trestle.1",
        "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
        "Cookie": device.cookie if device else None,
    } | {name.replace("_", "-"): value for name, value in changes.items()}
    lines = [f"{name}: {value}\r\n" for name, value in headers.items() if value is not None]
    return f"GET /socket HTTP/1.1\r\n{''.join(lines)}\r\n".encode()


def upgrade(serve, device=None, **changes):
    """The status of such a request."""
    return int(serve.raw(upgrading(serve, device, **changes), 0.7).split(b" ")[1])


@pytest.mark.parametrize("changes, status", [
    ({}, 101),
    ({"Origin": "https://evil.example"}, 403),
    ({"Origin": "null"}, 403),
    ({"Origin": None}, 403),
    ({"Origin": "http://127.0.0.1"}, 403),
    ({"Host": "evil.example"}, 421),
    ({"Host": "127.0.0.1"}, 421),
    ({"Host": None}, 400),
    ({"Cookie": None}, 401),
    ({"Cookie": "trestle=" + "A" * 43}, 401),
    ({"Cookie": "other=1; trestle="}, 401),
    ({"Sec_WebSocket_Protocol": None}, 426),
    ({"Sec_WebSocket_Protocol": "trestle.2"}, 426),
    ({"Sec_WebSocket_Version": "8"}, 426),
    ({"Sec_WebSocket_Key": "short"}, 426),
    ({"Upgrade": "h2c"}, 426),
    ({"Connection": "close"}, 426),
])
def test_a_socket_needs_origin_host_cookie_and_protocol(shared, desk, changes, status):
    assert upgrade(shared, desk, **changes) == status


@pytest.mark.parametrize("name, value", [
    ("Origin", "https://evil.example"), ("Sec-Fetch-Site", "cross-site"), ("sec-fetch-site", "same-origin"),
    ("Content-Type", "text/plain"), ("Sec-WebSocket-Version", "8"), ("Sec-WebSocket-Key", "short"), ("Host", "evil.example"),
])
@pytest.mark.parametrize("is_first", [True, False])
def test_what_it_decides_by_comes_once(shared, desk, name, value, is_first):
    """It went by the first of two, and another program that passes requests on may go by the second."""
    own = [("Host", f"127.0.0.1:{shared.port}"), ("Origin", shared.origin), ("Cookie", desk.cookie),
           ("Sec-Fetch-Site", "same-origin"), ("Content-Type", "application/json"), ("Sec-WebSocket-Version", "13"),
           ("Sec-WebSocket-Key", base64.b64encode(os.urandom(16)).decode()), ("Connection", "close")]

    def asked(headers):
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
        return int(shared.raw(f"GET /tables/board/snapshot HTTP/1.1\r\n{lines}\r\n".encode()).split(b" ")[1])

    assert asked(own) == 200
    assert asked([(name, value), *own] if is_first else [*own, (name, value)]) == 400


def test_few_cookies_are_looked_at(shared, desk):
    """Each costs a hash, before anybody has shown who it is."""
    def asked(*cookies):
        return shared.get("/tables/board/snapshot", Cookie="; ".join([*cookies, desk.cookie]))[0]
    assert asked(*[f"other{number}={'A' * 20}" for number in range(300)]) == 200
    assert asked("trestle=", "trestle=" + "A" * 43) == 200
    assert asked(*[f"trestle={'A' * 20}{number}" for number in range(400)]) == 401


def test_a_foreign_page_cannot_pair(shared):
    code = shared.invite("victim")
    body = json.dumps({"code": code})
    kind = {"Content-Type": "application/json"}
    for headers, status in [
        (kind | {"Origin": "https://evil.example"}, 403), (kind, 403),
        ({"Origin": shared.origin, "Content-Type": "text/plain"}, 415),
        ({"Origin": shared.origin}, 415),
        (kind | {"Origin": shared.origin, "Host": "evil.example"}, 421),
    ]:
        assert shared.ask("POST", "/pair", body, headers)[0] == status, headers
    for odd in ["", "{}", "[]", '{"code":1}', '{"code":"a\\u0062"}', "{" * 60_000, '{"code":"' + "x" * 99]:
        assert shared.ask("POST", "/pair", odd, kind | {"Origin": shared.origin})[0] in (400, 403, 429)
    eventually(lambda: shared.redeem(code)[0] == 200, 30, every=2)


def test_codes_cannot_be_tried_for_ever(serve):
    answers = [serve.redeem("A" * 22)[0] for _ in range(15)]
    assert set(answers) == {403, 429} and answers[-1] == 429 and answers.count(403) <= 11


@pytest.mark.parametrize("forged, field", [
    ({"client": "web-000000000000-x"}, "client"),
    ({"client": "pos"}, "client"),
    ({"client": None}, "client"),
    ({"name": "alice"}, "name"),
    ({"name": "desk\u0000"}, "name"),
])
def test_a_forged_sender(shared, desk, forged, field):
    page = shared.page(desk)
    request = {"client": page.client, "number": 5, "table": "board",
               "command": {"remove": {"rows": ["r0"]}}} | forged
    page.send("request", json.dumps({k: v for k, v in request.items() if v is not None}))
    reply = json.loads(page.next("reply")[1])
    assert not reply["ok"] and reply["error"]["field"] == field
    assert reply["error"]["code"] in ("notAllowed", "badID")
    assert reply["number"] == 5
    rows = shared.daemon.ask("snapshot", table="board")["snapshot"]["rows"]
    assert rows == 4


ROLES = {
    "viewer": set(), "operator": {"rows"}, "handler": {"handle"},
    "editor": {"rows", "define"}, "admin": {"rows", "handle", "define", "admin"},
}
DEEDS = [
    ("rows", {"command": {"set": {"row": "r1", "title": "x"}}}),
    ("rows", {"batch": {"commands": [{"set": {"row": "r1", "title": "y"}}]}}),
    ("rows", {"drag": {"cancel": "no"}}),
    ("handle", {"renew": {}}),
    ("handle", {"command": {"take": {"most": 1}}}),
    ("define", {"command": {"section": {"id": "new"}}}),
    ("admin", {"check": {}}),
    ("admin", {"drop": {}}),
]


@pytest.mark.parametrize("role", ROLES)
def test_a_role_does_what_it_may_and_nothing_else(shared, role):
    shared.table(f"of-{role}", rows=2)
    page = shared.page(shared.pair(f"r-{role}", role))
    assert page.ask(f"of-{role}", snapshot={})["ok"]
    for need, deed in DEEDS:
        reply = page.ask(f"of-{role}", **deed)
        refused = not reply["ok"] and reply["error"]["code"] == "notAllowed"
        assert refused == (need not in ROLES[role]), (deed, reply)


@pytest.mark.parametrize("body", [
    "", "{", "[]", "null", "{}", '{"command":{}}', '{"nonsense":{}}', "\u0000", "[" * 5000,
    '{"number":1e400}', '{"client":5,"tables":{}}'])
def test_what_is_no_request_is_refused_in_the_daemons_shape(shared, desk, body):
    page = shared.page(desk)
    page.send("request", body)
    reply = json.loads(page.next("reply")[1])
    assert reply["ok"] is False and reply["error"]["code"]


@pytest.mark.parametrize("message", [
    "", "nonsense", "follow", "follow ", "follow a/b", "follow a\x01b", "x" * 5000,
    "ping\n" + "x" * 65, "follow " + "x" * 129])
def test_what_is_no_message_ends_the_socket(shared, desk, message):
    page = shared.page(desk)
    page.socket.send(message)
    assert page.ended()["code"] == "malformed"


def raw_frame(page, first, payload=b"", mask=True, length=None):
    """One frame by hand."""
    size = len(payload) if length is None else length
    bit = 0x80 if mask else 0
    head = bytes([first])
    if size < 126:
        head += bytes([bit | size])
    elif size < 65536:
        head += bytes([bit | 126]) + struct.pack(">H", size)
    else:
        head += bytes([bit | 127]) + struct.pack(">Q", size)
    page.socket.sock.sendall(head + (b"\0\0\0\0" if mask else b"") + payload)


@pytest.mark.parametrize("send", [
    lambda p: raw_frame(p, 0x81, b"ping", mask=False),
    lambda p: raw_frame(p, 0x82, b"ping"),
    lambda p: raw_frame(p, 0x80, b"ping"),
    lambda p: raw_frame(p, 0xC1, b"ping"),
    lambda p: raw_frame(p, 0x83, b"ping"),
    lambda p: raw_frame(p, 0x09, b"ping"),
    lambda p: raw_frame(p, 0x81, length=1 << 40),
    lambda p: raw_frame(p, 0x81, length=(1 << 63) - 1),
    lambda p: raw_frame(p, 0x81, length=(1 << 64) - 1),
    lambda p: raw_frame(p, 0x81, length=(1 << 20) + 1000),
    lambda p: [raw_frame(p, 0x01, b"ping\n")] + [raw_frame(p, 0x00, b"") for _ in range(300)],
    lambda p: [raw_frame(p, 0x01, b"a"), raw_frame(p, 0x01, b"b")],
    lambda p: [raw_frame(p, 0x01, b"x" * 500_000)] + [raw_frame(p, 0x00, b"x" * 500_000)
                                                       for _ in range(2)],
], ids=range(13))
def test_frames_that_may_not_be(shared, desk, send):
    page = shared.page(desk)
    try:
        send(page)
    except (BrokenPipeError, ConnectionResetError):
        pass
    page.ended(5)
    assert shared.rss() < 100


def test_fragments_and_control_frames_between_them_are_one_message(shared, desk):
    page = shared.page(desk)
    raw_frame(page, 0x01, b"pi")
    raw_frame(page, 0x89, b"here")
    raw_frame(page, 0x00, b"ng\nab")
    raw_frame(page, 0x80, b"c")
    assert page.next("pong") == ("pong", b"abc")


@pytest.mark.bound(120)
def test_who_sends_too_much_is_ended(serve):
    serve.table("board", rows=1)
    page = serve.page(serve.pair("flood"))
    other = serve.page(serve.pair("other"))
    body = "request\n" + json.dumps({"x": "y" * 900_000})
    try:
        for _ in range(60):
            page.socket.send(body)
        assert page.ended()["code"] == "tooMuch"
    except (websocket.WebSocketException, OSError):
        pass  # it was cut before all was sent
    assert b"\ntrestle_serve_ended_total 1\n" in serve.get("/metrics")[2]
    assert other.do("board", set={"row": "r0", "title": "still"})["ok"]


def test_one_device_has_so_many_sockets(serve):
    device = serve.pair("many")
    pages = [serve.page(device) for _ in range(16)]
    assert upgrade(serve, device) == 429
    pages[0].close()
    eventually(lambda: upgrade(serve, device) == 101, 5)


@pytest.mark.parametrize("data, status", [
    (b"GET / HTTP/1.1\r\n\r\n", 400),
    (b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
    (b"GET / HTTP/1.0\r\nHost: a\r\n\r\n", 505),
    (b"GET / HTTP/9.9\r\nHost: a\r\n\r\n", None),
    (b"\x16\x03\x01\x02\x00\x01\x00", None),
    (b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", None),
    (b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", 400),
    (b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"y" * 20_000 + b"\r\n\r\n", None),
    (b"GET / HTTP/1.1\r\nHost: a\r\n" + b"X: y\r\n" * 500 + b"\r\n", None),
    (b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\nHost: a\r\n\r\n", None),
    (b"GET http://evil.example/ HTTP/1.1\r\nHost: H\r\n\r\n", 404),
    (b"CONNECT evil.example:80 HTTP/1.1\r\nHost: H\r\n\r\n", 404),
    (b"DELETE / HTTP/1.1\r\nHost: H\r\n\r\n", 405),
    (b"OPTIONS * HTTP/1.1\r\nHost: H\r\n\r\n", 404),
    (b"POST / HTTP/1.1\r\nHost: H\r\nContent-Length: 0\r\n\r\n", 405),
    (b"POST /pair HTTP/1.1\r\nHost: H\r\nContent-Length: 70000\r\n\r\n" + b"x" * 70_000, 413),
    (b"POST /pair HTTP/1.1\r\nHost: H\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", None),
    (b"GET / HTTP/1.1\r\nHost: H\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\nhello", 200),
    (b"GET / HTTP/1.1\r\nHost: H\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\nPRI * HTTP/2.0", 200),
    (b"\r\n\r\n\r\n", None), (b"\0" * 1000, None),
], ids=range(21))
def test_odd_http(shared, data, status):
    data = data.replace(b"Host: H", f"Host: 127.0.0.1:{shared.port}".encode())
    answer = shared.raw(data, seconds=1.5, half_close=True)
    if answer:
        found = int(answer.split(b" ")[1])
        assert found == status or (status is None and found >= 400), answer[:200]
    else:
        assert status is None
    assert shared.get("/healthz")[0] == 200


@pytest.mark.parametrize("pause", [0, 0.05])
def test_what_follows_an_upgrade_is_no_request(shared, desk, pause):
    """A client waits for the answer; what it sends before is not read as HTTP."""
    get = f"GET /tables/board/snapshot HTTP/1.1\r\nHost: 127.0.0.1:{shared.port}\r\nCookie: {desk.cookie}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", shared.port), timeout=5) as link:
        request = upgrading(shared, desk)
        link.sendall(request if pause else request + get.encode())
        if pause:
            time.sleep(pause)
            link.sendall(get.encode())
        answer = b""
        with contextlib.suppress(OSError):
            while more := link.recv(65536):
                answer += more
    assert answer.count(b"HTTP/1.1 ") <= 1 and b" 200 " not in answer[:16], answer[:200]
    assert shared.page(desk).ask("board", who={})["ok"]


def test_a_list_of_tables_has_those_of_the_device(shared):
    for name in ("bar-1", "b1gs3cr3t"):
        shared.daemon.ask("create", table=name)
    page = shared.page(shared.pair("bar", "operator", "bar-*"))
    reply = page.ask(tables={})
    assert [one["table"] for one in reply["tables"]["tables"]] == ["bar-1"]
    assert "b1gs3cr3t" not in json.dumps(reply)
    for verb in ({"health": {}}, {"stats": {}}, {"who": {}}):
        assert "b1gs3cr3t" not in json.dumps(page.ask(**verb))
    # What is about all tables is no less so beside the name of one.
    admin = shared.page(shared.pair("chief", "admin", "bar-*"))
    for verb in ({"health": {}}, {"stats": {}}, {"backup": {}}, {"check": {}}, {"audit": {}},
                 {"restore": {"finish": {"parts": 0}}}):
        assert admin.ask("bar-1", **verb)["error"]["code"] == "notAllowed", verb


def test_who_does_not_read_answers_gets_no_more():
    """Requests one behind the other for the largest file of the page, and not a byte of the answers is read."""
    with Serve(web=HERE.parent.parent / "web") as serve:
        get = f"GET /fonts/sans.woff2 HTTP/1.1\r\nHost: 127.0.0.1:{serve.port}\r\n\r\n".encode()
        before, links = serve.rss(), []
        for _ in range(20):
            link = socket.create_connection(("127.0.0.1", serve.port), timeout=0.5)
            link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            links.append(link)
            with contextlib.suppress(OSError):
                for _ in range(50):
                    link.sendall(get * 1_000)
        assert serve.get("/healthz")[0] == 200
        print(f"{before:.0f} -> {serve.rss():.0f} MiB")
        assert serve.rss() < before + 40
        # Who reads them gets them all.
        answer = serve.raw(get * 30 + get.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        assert answer.count(b"HTTP/1.1 200 OK") == 31
        for link in links:
            link.close()


def test_pipelined_requests_are_answered_in_order(shared):
    host = f"Host: 127.0.0.1:{shared.port}\r\n".encode()
    body = b'{"code":"no"}'
    post = (b"POST /pair HTTP/1.1\r\n" + host + b"Content-Type: application/json\r\nOrigin: "
            + shared.origin.encode() + f"\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
    get = b"GET /healthz HTTP/1.1\r\n" + host + b"\r\n"
    answer = shared.raw((get + post) * 20 + get.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
    statuses = [part.split(b" ")[0] for part in answer.split(b"HTTP/1.1 ")[1:]]
    assert len(statuses) == 41 and statuses[::2] == [b"200"] * 21
    assert set(statuses[1::2]) <= {b"403", b"429"}


@pytest.mark.bound(60)
def test_pipelined_requests_leave_others_their_turn(shared, desk):
    """A stranger's requests come in one piece. A page's answer comes before the last of theirs, not after all."""
    page, number = shared.page(desk), 1000
    with socket.create_connection(("127.0.0.1", shared.port), timeout=20) as link:
        link.sendall(f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{shared.port}\r\n\r\n".encode() * number)
        page.send("ping", "x")
        page.next("pong")
        link.setblocking(False)
        answers = b""
        try:
            while more := link.recv(1 << 20):
                answers += more
        except BlockingIOError:
            pass
        before = answers.count(b"HTTP/1.1 200")
        link.setblocking(True)
        while answers.count(b"HTTP/1.1 200") < number:
            more = link.recv(1 << 20)
            assert more, f"{answers.count(b'HTTP/1.1 200')} of {number} were answered"
            answers += more
    assert before < number
    page.close()


def test_slow_requests_are_cut_and_others_do_not_wait(shared, desk):
    slow = []
    for start in (b"", b"GET / HTTP/1.1\r\nHost: a\r\n", b"POST /pair HTTP/1.1\r\nHost: a\r\n"
                  b"Content-Length: 100\r\n\r\n"):
        for _ in range(10):
            link = socket.create_connection(("127.0.0.1", shared.port))
            link.sendall(start)
            slow.append(link)
    begin = time.monotonic()
    open_links = set(slow)
    while open_links and time.monotonic() - begin < 25:
        for link in list(open_links):
            try:
                link.sendall(b"X")
                link.setblocking(False)
                if link.recv(4096) == b"":
                    open_links.discard(link)
            except BlockingIOError:
                pass
            except OSError:
                open_links.discard(link)
            finally:
                link.setblocking(True)
        assert shared.get("/healthz")[0] == 200
        time.sleep(0.5)
    assert not open_links
    for link in slow:
        link.close()


@pytest.mark.bound(120)
@pytest.mark.parametrize("begun", [
    b"", b"GET / HTTP/1.1\r\n", b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"])
def test_one_host_does_not_keep_all_connections(serve, begun):
    """It fills them and goes on: others are served, devices keep theirs, and memory is bounded."""
    serve.table("board", rows=1)
    device = serve.pair("desk")
    page, own, links = serve.page(device), serve.connection(), []

    def asked():
        own.request("GET", "/tables/board/snapshot", headers={"Cookie": device.cookie})
        return own.getresponse().read()
    assert asked()
    used = own.sock
    for _ in range(full(3_000, 1_100)):
        link = socket.create_connection(("127.0.0.1", serve.port), timeout=10)
        links.append(link)
        link.sendall(begun)
        if begun.endswith(b"\r\n\r\n"):
            assert link.recv(4_096).startswith(b"HTTP/1.1 200")
    assert serve.get("/healthz")[0] == 200
    figures = dict(line.split(" ") for line in serve.get("/metrics")[2].decode().splitlines()
                   if not line.startswith("#"))
    assert int(figures["trestle_serve_connections"]) <= 1_024
    assert int(figures["trestle_serve_connections_left_total"]) > 0
    assert page.do("board", set={"row": "r0", "title": "still"})["ok"]
    assert asked() and own.sock is used
    assert serve.redeem(serve.invite("later"))[0] == 200
    for link in links:
        link.close()


def test_the_memory_is_that_of_before(shared):
    assert shared.rss() < 80
