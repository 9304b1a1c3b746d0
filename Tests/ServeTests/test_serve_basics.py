"""What a page gets: files, a cookie, a socket, publications and replies byte for byte."""

import gzip
import json

import pytest
import zmq

from serve_harness import ROOT, Serve, eventually

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; font-src 'self'; manifest-src 'self'; worker-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types trestle")


def test_the_page_is_served_at_each_of_its_addresses(shared):
    for path in ["/", "/pair", "/board/kitchen", "/board/a%20b?section=grill", "/?x"]:
        status, headers, body = shared.get(path)
        assert (status, b"A stub" in body) == (200, True), path
        assert headers["Content-Security-Policy"] == CSP
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["Cache-Control"] == "no-cache"


def test_a_file_has_a_tag_and_is_packed_where_that_is_asked_for(shared):
    status, plain, body = shared.get("/src/stub.js")
    assert (status, plain["Content-Encoding"]) == (200, None)
    assert plain["Content-Type"] == "text/javascript; charset=utf-8"
    status, packed, small = shared.get("/src/stub.js", **{"Accept-Encoding": "br, gzip;q=0.5"})
    assert packed["Content-Encoding"] == "gzip" and gzip.decompress(small) == body
    status, _, none = shared.get("/src/stub.js", **{"If-None-Match": plain["ETag"]})
    assert (status, none) == (304, b"")
    status, headers, none = shared.ask("HEAD", "/src/stub.js")
    assert (status, headers["Content-Length"], none) == (200, str(len(body)), b"")


@pytest.mark.parametrize("path", [
    "/../../etc/passwd", "/src/../index.html", "/src/%2e%2e/index.html", "/src", "/src/",
    "//index.html", "/board/", "/board/a%2Fb", "/board/%zz", "/board/%00", "/.git/config",
    "/src/stub.js/", "/tables//snapshot", "/SRC/stub.js"])
def test_what_is_not_in_the_list_is_not_there(shared, path):
    status, headers, body = shared.get(path)
    assert status == 404 and json.loads(body)["error"]["code"] == "notFound"


def test_a_code_makes_one_device_once(serve):
    code = serve.invite("grill", "viewer")
    status, headers, body = serve.redeem(code)
    assert (status, json.loads(body)) == (200, {"device": "grill", "role": "viewer"})
    words = headers["Set-Cookie"].split("; ")
    assert words[0].startswith("trestle=") and {"HttpOnly", "SameSite=Strict", "Path=/"} < set(words)
    assert "Secure" not in words
    status, headers, body = serve.redeem(code)
    assert (status, json.loads(body)["error"]["code"]) == (403, "badCode")
    assert headers["Set-Cookie"] is None


def test_the_secrets_are_not_on_disk(serve):
    code = serve.invite("a")
    device = serve.pair("b")
    token = device.cookie.split("=", 1)[1]
    text = (serve.state / "devices").read_text()
    assert code not in text and token not in text
    assert (serve.state / "devices").stat().st_mode & 0o777 == 0o600


def test_a_page_reads_writes_and_follows(shared):
    shared.table("board")
    page = shared.page(shared.pair("desk"))
    said = page.device
    assert (said["device"], said["role"], said["tables"]) == ("desk", "operator", ["*"])
    assert said["hello"]["protocol"] == 1 and said["prefix"].startswith("web-")
    page.follow("board")
    head, rest = page.next("pub", where=lambda rest: b"welcome" in rest)
    assert head == "pub j/board/" and "welcome" in json.loads(rest)
    reply = page.do("board", move={"rows": ["r2"], "top": True})
    assert reply["ok"] and reply["client"] == page.client
    head, rest = page.next("pub", where=lambda rest: b"diffs" in rest)
    assert json.loads(rest)["diffs"][0]["cause"]["client"] == page.client
    chunks = shared.snapshot("board", shared.pair("desk2"))
    rows = [row["id"] for part in chunks[0]["snapshot"]["slices"] for row in part["rows"]]
    assert rows == ["r2", "r0", "r1"]


def test_publications_and_replies_keep_their_bytes(serve):
    serve.table("board")
    page = serve.page(serve.pair("desk"))
    context = zmq.Context.instance()
    with context.socket(zmq.SUB) as beside:
        beside.linger = 0
        beside.connect(serve.daemon.hello["publish"][0])
        beside.subscribe(b"j/board/")
        assert beside.poll(5000)
        page.follow("board")
        page.next("pub")
        title = "Käse \u2028 <b>\U0001f9c0</b> \\ \" \u202e"
        assert page.do("board", set={"row": "r1", "title": title})["ok"]
        _, through = page.next("pub", where=lambda rest: b"diffs" in rest)
        while b"diffs" not in (direct := beside.recv_multipart()[1]):
            pass
        assert through == direct
    # The same command again gives the remembered reply, so its bytes went through as they were.
    body = json.dumps({"client": page.client, "number": 77, "table": "board",
                       "opened": page.device["hello"]["opened"],
                       "command": {"remove": {"rows": ["r0"]}}}, indent=1)
    replies = []
    for _ in range(2):
        page.send("request", body)
        replies.append(page.next("reply")[1])
    assert replies[0] == replies[1] and json.loads(replies[0])["ok"]


def test_a_later_follower_hears_at_once_where_it_is(shared):
    shared.table("second")
    first, later = (shared.page(shared.pair(name)) for name in ("f1", "f2"))
    first.follow("second")
    first.next("pub")
    later.follow("second")
    _, rest = later.next("pub", timeout=0.9)
    said = json.loads(rest)
    assert said.get("welcome") or said.get("heartbeat")


def test_who_leaves_hears_no_more(shared):
    shared.table("left")
    page = shared.page(shared.pair("goes"))
    page.follow("left")
    page.next("pub")
    page.send("leave left")
    page.send("ping", "so far")
    assert page.next("pong") == ("pong", b"so far")
    page.held.clear()
    with pytest.raises(Exception):
        page.next("pub", timeout=2.5)


def test_presence_passes(shared):
    shared.table("seen")
    page = shared.page(shared.pair("eyes"))
    page.follow("seen")
    page.next("pub")
    page.request({"table": "seen"}, attend={"revision": 3})
    head, rest = page.next("pub", where=lambda rest: b"presence" in rest and b"eyes" in rest
                           or page.client.encode() in rest)
    assert head == "pub pj/seen/"


def test_one_snapshot_of_the_daemon_for_all_who_join(serve):
    serve.table("big", rows=50)
    device = serve.pair("many")
    first = serve.snapshot("big", device)
    assert all(serve.snapshot("big", device) == first for _ in range(5))
    figures = serve.get("/metrics")[2].decode()
    assert "\ntrestle_serve_snapshots_total 1\n" in figures
    assert "\ntrestle_serve_snapshots_shared_total 5\n" in figures
    status, _, body = serve.get("/tables/none/snapshot", device)
    assert (status, json.loads(body)["error"]["code"]) == (404, "noSuchTable")


def test_some_tables_only(serve):
    for name in ("kitchen-1", "kitchen-2", "office"):
        serve.table(name, rows=1)
    device = serve.pair("cook", "operator", "kitchen-*")
    page = serve.page(device)
    listed = page.ask(tables={})["tables"]["tables"]
    assert [one["table"] for one in listed] == ["kitchen-1", "kitchen-2"]
    assert page.ask("office", snapshot={})["error"]["code"] == "notAllowed"
    assert page.ask(stats={})["error"]["code"] == "notAllowed"
    assert serve.get("/tables/office/snapshot", device)[0] == 403
    page.follow("office")
    page.follow("kitchen-1")
    topics = {page.next("pub")[0] for _ in range(4)}
    assert topics <= {"pub j/kitchen-1/", "pub pj/kitchen-1/"}


def test_unpair_forgets_the_device_and_closes_its_pages(serve):
    device = serve.pair("gone")
    page = serve.page(device)
    bare = {"Origin": serve.origin}
    for headers in (bare, bare | {"Content-Type": "text/plain"}, bare | {"Content-Type": "application/x-www-form-urlencoded"}):
        assert serve.ask("POST", "/unpair", headers=headers, device=device)[0] == 415
    assert serve.get("/tables/x/snapshot", device)[0] != 401, "it is still paired"
    asked = bare | {"Content-Type": "application/json"}
    status, headers, _ = serve.ask("POST", "/unpair", headers=asked, device=device)
    assert status == 200 and "Max-Age=0" in headers["Set-Cookie"]
    assert page.ended(2)["code"] == "revoked"
    assert serve.get("/tables/x/snapshot", device)[0] == 401


def test_health_and_figures(serve):
    for path in ("/healthz", "/readyz"):
        assert json.loads(serve.get(path)[2]) == {"status": "ok"}
    status, headers, body = serve.get("/metrics")
    assert status == 200 and b"trestle_serve_up 1" in body
    assert serve.get("/metrics", **{"X-Forwarded-For": "10.0.0.9"})[0] == 403


def test_new_files_after_a_hangup(serve, tmp_path):
    import shutil
    import signal
    shutil.copytree(serve.web, tmp_path / "web")
    with Serve(web=tmp_path / "web") as own:
        device = own.pair("fresh")
        before = own.page(device).device["assets"]
        (tmp_path / "web" / "src" / "stub.js").write_text("// newer\n")
        own.process.send_signal(signal.SIGHUP)
        eventually(lambda: own.get("/src/stub.js")[2] == b"// newer\n", 5)
        assert own.page(device).device["assets"] != before


def test_the_real_page_is_found_without_being_named():
    if not (ROOT / "web" / "index.html").exists():
        pytest.skip("there is no web/ yet")
    with Serve(web=ROOT / "web") as own:
        assert own.get("/")[0] == 200
