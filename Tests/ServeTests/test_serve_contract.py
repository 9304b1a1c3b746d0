"""docs/gateway.schema.json and docs/GATEWAY.md against the traffic of a real gateway."""

import json
import re
import signal

import pytest
import websocket

from json_schema import faults
from serve_harness import ROOT, eventually
from test_serve_use import Program, bearer

SCHEMA = json.loads((ROOT / "docs" / "gateway.schema.json").read_text())
PAGE = (ROOT / "docs" / "GATEWAY.md").read_text()
POST = {"Content-Type": "application/json"}


def check(value, name):
    assert faults(value, SCHEMA["$defs"][name], SCHEMA) == [], name


def frame(head, rest):
    """As the schema has it: bodies of JSON are read, but for those that are any text."""
    made = {"head": head}
    if rest is not None:
        made["body"] = rest if head in ("ping", "pong") else json.loads(rest)
    return made


class Recorder:
    """Each frame of a page, checked as it passes."""

    def __init__(self, page):
        self.page, self.heads = page, set()
        receive, send = page.receive, page.send

        def receiving(*most):
            head, rest = receive(*most)
            self.heads.add(head.split(" ")[0])
            check(frame(head, rest.decode() or (None if head != "pong" else "")), "fromGateway")
            return head, rest

        def sending(head, rest=None):
            if rest != "{nonsense":
                check(frame(head, rest), "toGateway")
            send(head, rest)

        page.receive, page.send = receiving, sending


def test_each_frame_is_as_the_schema_says(serve):
    for table in ("kitchen", "office"):
        serve.table(table)
    pages = [serve.page(serve.pair("chef", "admin")), serve.page(serve.pair("cook", "operator", "kitchen"))]
    program = Program(serve, serve.run("pair", "--name", "till", "--role", "editor", "--token").stdout.strip())
    heard = set()
    for page in [*pages, program]:
        check({"head": "device", "body": page.device}, "fromGateway")
        recorder = Recorder(page)
        for table in ("kitchen", "office"):
            page.follow(table)
        page.next("pub")
        assert page.do("kitchen", add={"id": f"new-{page.device['device']}", "title": "x"})["ok"]
        page.do("kitchen", remove={"rows": ["none"]})
        page.do("office", undo={})
        for verb in ("tables", "hello", "health", "who", "snapshot", "history", "stats"):
            page.ask("kitchen" if verb in ("who", "snapshot", "history") else None, **{verb: {}})
        page.request({"table": "kitchen"}, attend={"revision": 1})
        page.next("pub", where=lambda rest: b"viewers" in rest)
        page.send("request", "{nonsense")
        page.next("reply", where=lambda rest: b"malformed" in rest)
        page.send("ping", "x")
        page.next("pong")
        page.send("leave kitchen")
        heard |= recorder.heads
    serve.daemon.kill()
    for page in [*pages, program]:
        page.next("daemon")
    serve.daemon.start()
    for page in [*pages, program]:
        page.next("device")
        page.next("daemon")
    serve.run("revoke", "cook")
    assert pages[1].ended()["code"] == "revoked"
    pages[0].socket.send("nonsense")
    assert pages[0].ended()["code"] == "malformed"
    serve.process.send_signal(signal.SIGTERM)
    assert program.ended()["code"] == "shutdown"
    assert heard == {"pub", "reply", "pong", "forbidden"}


def test_a_slow_page_is_told_what_was_left_out(serve):
    serve.table("board")
    page = serve.page(serve.pair("slow"))
    Recorder(page)
    page.follow("board")
    page.next("pub")
    for turn in range(2_000):
        said = serve.daemon.do("board", set={"row": "r0", "fields": {f"f{n}": f"{turn} " + "x" * 1_000 for n in range(8)}})
        assert said["ok"], said
        if turn % 50:
            continue
        if re.search(r"^trestle_serve_publications_dropped_total [1-9]", serve.get("/metrics")[2].decode(), re.M):
            break
    assert page.next("dropped", 30) == ("dropped board", b"")


def answered(serve, method, path, body=None, **headers):
    status, _, said = serve.ask(method, path, None if body is None else json.dumps(body), POST | headers)
    return status, json.loads(said)


def test_each_answer_is_as_the_schema_says(serve):
    admin = bearer(serve.run("pair", "--name", "boss", "--role", "admin", "--token").stdout.strip())
    status, asked = answered(serve, "POST", "/ask", {})
    check(asked, "askAnswer")
    wanted = {"code": asked["secret"], "token": True}
    check(wanted, "pairRequest")
    status, said = answered(serve, "POST", "/pair", wanted)
    assert status == 202
    check(said, "pairAnswer")
    confirm = {"confirm": asked["code"], "name": "wall", "role": "viewer"}
    assert answered(serve, "POST", "/devices", confirm, **admin) == (200, {})
    status, said = answered(serve, "POST", "/pair", wanted)
    check(said, "pairAnswer")
    browser = json.loads(serve.redeem(serve.invite("desk"))[2])
    check(browser, "pairAnswer")
    status, said = answered(serve, "GET", "/devices", **admin)
    check(said, "devicesAnswer")
    assert {one["form"] for one in said["devices"]} == {"cookie", "token"}
    check(answered(serve, "GET", "/readyz")[1], "readyAnswer")
    for method, path, body, headers, want in [
            ("POST", "/pair", {"code": "x" * 22, "token": True}, {}, 403), ("GET", "/tables/none/snapshot", None, admin, 404),
            ("GET", "/tables/none/snapshot", None, {}, 401), ("POST", "/devices", {}, admin, 400), ("GET", "/socket", None, admin, 426),
            ("GET", "/nothing", None, {}, 404), ("DELETE", "/", None, {}, 405), ("GET", "/", None, {"Host": "evil.example"}, 421)]:
        status, said = answered(serve, method, path, body, **headers)
        assert status == want, (path, status, said)
        check(said, "httpRefusal")
    serve.daemon.kill()
    eventually(lambda: serve.get("/readyz")[0] == 503, 10)
    check(answered(serve, "GET", "/readyz")[1], "readyAnswer")


def test_the_page_names_what_the_schema_has():
    """Each head, each code of an end, and each member of an answer of the gateway."""
    definitions = SCHEMA["$defs"]
    for side in ("fromGateway", "toGateway"):
        for one in definitions[side]["oneOf"]:
            head = definitions[one["$ref"].split("/")[-1]]["properties"]["head"]
            word = head.get("const") or head["pattern"].strip("^$").split(" ")[0]
            assert re.search(rf"`{word}[` ]", PAGE), word
    for code in definitions["end"]["properties"]["body"]["properties"]["code"]["enum"]:
        assert f"`{code}`" in PAGE, code
    for name in definitions["devicesAnswer"]["properties"]["devices"]["items"]["required"]:
        assert name in PAGE, name
    for name in definitions["device"]["properties"]["body"]["required"]:
        assert name in PAGE, name


def test_another_version_is_refused(shared):
    device = shared.pair("newer")
    for offered in (["trestle.2"], ["x"]):
        with pytest.raises(websocket.WebSocketBadStatusException) as refusal:
            websocket.create_connection(f"ws://127.0.0.1:{shared.port}/socket", subprotocols=offered, cookie=device.cookie,
                                        origin=shared.origin)
        assert refusal.value.status_code == 426
