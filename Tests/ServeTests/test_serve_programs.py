"""The commands of the gateway, TLS, and the unix socket."""

import http.client
import itertools
import json
import os
import re
import resource
import signal
import socket
import ssl
import subprocess
import threading
import time

import pytest
import websocket

from serve_harness import BIN, ROOT, SERVE, STUB, Serve, eventually


def test_pair_prints_a_link_and_a_code_for_cameras(serve):
    done = serve.run("pair", "--name", "grill")
    link = done.stdout.split("\n")[0]
    assert link.startswith(serve.origin + "/pair#") and len(link.split("#")[1]) == 22
    os.environ["TRESTLE_QR"] = "1"
    try:
        drawn = serve.run("pair", "--name", "grill").stdout
    finally:
        del os.environ["TRESTLE_QR"]
    assert "\x1b[30;107m" in drawn and "▀" in drawn
    # The newer invitation of a name takes the place of the older.
    assert serve.redeem(link.split("#")[1])[0] == 403


def test_pair_waits_for_a_gateway_that_is_starting(tmp_path):
    """So both lines may be pasted at once. Where there is none it says so in the end."""
    state = tmp_path / "serve"
    words = [str(SERVE), "pair", "--name", "desk", "--state-directory", str(state)]

    def begin():
        return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with begin() as pairing:
        said = pairing.communicate(timeout=30)
        assert pairing.returncode == 69 and "no gateway has run here yet" in said[1]
    with begin() as pairing:
        time.sleep(0.3)
        assert pairing.poll() is None
        # As a gateway says where it serves.
        (tmp_path / "new").write_text("http://127.0.0.1:7580\n")
        (tmp_path / "new").rename(state / "origin")
        said = pairing.communicate(timeout=30)
        assert pairing.returncode == 0 and said[0].startswith("http://127.0.0.1:7580/pair#"), said


@pytest.mark.parametrize("words, status", [
    (["pair"], 64), (["pair", "--name", ""], 64), (["pair", "--name", "a\tb"], 64),
    (["pair", "--name", "x" * 65], 64), (["pair", "--name", "a", "--role", "god"], 64),
    (["pair", "--name", "a", "--table", "a/b"], 64), (["revoke", "nobody"], 66),
    (["run", "--listen", "nonsense"], 64), (["run", "--listen", "0.0.0.0:0"], 64),
    (["run", "--listen", "unix:relative"], 64), (["run", "--tls-cert", "a"], 64),
    (["run", "--origin", "ftp://x"], 64), (["run", "--web", "/nowhere"], 66),
    (["run", "-e", "nonsense"], 64), (["frobnicate"], 64)])
def test_wrong_words_are_told(shared, words, status):
    done = shared.run(*words, check=False)
    assert (done.returncode, bool(done.stderr)) == (status, True), done.stderr
    assert "Fatal" not in done.stderr


def test_nothing_is_open(serve):
    """What is told goes nowhere, and not into a file or a socket that gets its number."""
    serve.kill()
    serve.process = subprocess.Popen(
        ["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh",
         *serve.command("run", "--listen", serve.listen, "--web", serve.web, "-e", serve.daemon.endpoint,
                        "--state-directory", serve.state)])

    def serves():
        try:
            return serve.get("/readyz")[0] == 200
        except OSError:
            return False

    eventually(serves, 20)
    for number in range(3):
        assert os.readlink(f"/proc/{serve.process.pid}/fd/{number}") == "/dev/null"


def test_devices_and_revoke(serve):
    device = serve.pair("bar", "viewer", "bar", "cellar-*")
    serve.invite("later")
    said = json.loads(serve.run("devices", "-o", "json").stdout)
    assert said["devices"][0]["name"] == "bar" and said["devices"][0]["role"] == "viewer"
    assert said["devices"][0]["tables"] == ["bar", "cellar-*"]
    assert said["invitations"][0]["name"] == "later"
    assert "cellar-*" in serve.run("devices").stdout
    assert serve.run("pair", "--name", "bar", check=False).returncode == 1
    pages = [serve.page(device) for _ in range(3)]
    begin = time.monotonic()
    serve.run("revoke", "bar")
    assert [page.ended()["code"] for page in pages] == ["revoked"] * 3
    # A second is promised; a loaded machine may take one more to start the program.
    assert time.monotonic() - begin < 3
    assert serve.get("/tables/x/snapshot", device)[0] == 401


def test_who_is_revoked_while_the_snapshot_comes_is_not_given_it(serve):
    serve.table("late", rows=1)
    device = serve.pair("bar")
    page, said = serve.page(device), []
    asking = threading.Thread(target=lambda: said.append(serve.get("/tables/late/snapshot", device)[0]))
    serve.daemon.process.send_signal(signal.SIGSTOP)
    try:
        asking.start()
        time.sleep(0.1)
        serve.run("revoke", "bar")
        assert page.ended()["code"] == "revoked" and said == []
    finally:
        serve.daemon.process.send_signal(signal.SIGCONT)
    asking.join(10)
    assert said == [401]


def test_failures_in_json_are_one_document(serve):
    serve.pair("bar")

    def fails(*words):
        done = serve.run(*words, "-o", "json", check=False)
        said = json.loads(done.stdout)
        assert said["ok"] is False and said["error"]["message"] and done.stderr == ""
        return done.returncode, said["error"]["code"]

    assert fails("pair", "--name", "bar") == (1, "nameTaken")
    assert fails("pair", "--name", "wall", "--role", "king") == (64, "usage")
    assert fails("pair") == (64, "usage")
    nowhere = serve.state / "file"
    nowhere.write_text("")
    for asks in ("--output=json", "-o=json"):
        done = subprocess.run([SERVE, "devices", asks, "--state-directory", nowhere],
                              capture_output=True, text=True, timeout=20)
        assert done.returncode in (73, 74) and json.loads(done.stdout)["ok"] is False, done
    # A form that is none is no table.
    done = serve.run("devices", "-o", "yaml", check=False)
    assert done.returncode == 64 and "json" in done.stderr and done.stdout == ""
    assert serve.run("--help").returncode == 0


def test_a_device_outlives_the_gateway(serve):
    serve.table("board")
    device = serve.pair("stays")
    page = serve.page(device)
    assert serve.kill(signal.SIGTERM) == 0
    assert page.ended()["code"] == "shutdown"
    serve.start()
    assert serve.page(device).do("board", set={"row": "r0", "title": "again"})["ok"]


def test_many_programs_change_the_list_at_once(serve):
    running = [subprocess.Popen(
        serve.command("pair", "--name", f"n{index}", "--state-directory", serve.state),
        stdout=subprocess.DEVNULL) for index in range(20)]
    assert [one.wait(30) for one in running] == [0] * 20
    assert len(json.loads(serve.run("devices", "-o", "json").stdout)["invitations"]) == 20


def test_a_broken_list_of_devices_locks_nobody_out(serve):
    device = serve.pair("in")
    page = serve.page(device)
    (serve.state / "devices").write_text("nonsense\n")
    time.sleep(0.6)
    page.send("ping", "x")
    assert page.next("pong")[1] == b"x"
    assert serve.run("devices", check=False).returncode == 65


def test_a_revocation_is_not_lost_where_the_list_cannot_be_read_at_once(serve):
    """The gateway has no descriptor to open the list with, just when somebody is revoked."""
    device = serve.pair("gone")
    page = serve.page(device)
    before = resource.prlimit(serve.process.pid, resource.RLIMIT_NOFILE)
    # What it has and no more. With less than it polls, poll itself would be refused.
    least = next(number for number in itertools.count()
                 if not os.path.lexists(f"/proc/{serve.process.pid}/fd/{number}"))
    resource.prlimit(serve.process.pid, resource.RLIMIT_NOFILE, (least, before[1]))
    serve.run("revoke", "gone")
    eventually(lambda: "cannot read the devices" in serve.log.read_text(), 5)
    time.sleep(1)  # It is tried again each 200 ms, and said once.
    assert serve.log.read_text().count("cannot read the devices") == 1
    resource.prlimit(serve.process.pid, resource.RLIMIT_NOFILE, before)
    assert page.ended(5)["code"] == "revoked"
    assert serve.get("/tables/x/snapshot", device)[0] == 401


def test_a_directory_that_others_may_change_is_refused(tmp_path):
    directory = tmp_path / "state"
    directory.mkdir(mode=0o777)
    directory.chmod(0o777)
    done = subprocess.run(
        [SERVE, "run", "--listen", "127.0.0.1:0", "--web", str(STUB),
         "--state-directory", str(directory)], capture_output=True, text=True, timeout=20)
    assert done.returncode == 77, done.stderr


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tls")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
         "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", folder / "key.pem",
         "-out", folder / "cert.pem"], check=True, capture_output=True)
    return folder


def test_tls_of_its_own(certificate):
    with Serve("--tls-cert", certificate / "cert.pem", "--tls-key", certificate / "key.pem",
               start=False) as own:
        own.daemon.start()
        own.start(until_up=False)
        context = ssl.create_default_context(cafile=certificate / "cert.pem")
        own.connection = lambda timeout=20: http.client.HTTPSConnection(
            "127.0.0.1", own.port, timeout=timeout, context=context)
        eventually(lambda: own.get("/readyz")[0] == 200, 10)
        assert own.scheme == "https"
        own.table("board")
        status, headers, body = own.redeem(own.invite("safe"))
        assert status == 200
        cookie = headers["Set-Cookie"]
        assert cookie.startswith("__Host-trestle=") and cookie.endswith("; Secure")
        link = websocket.create_connection(
            f"wss://127.0.0.1:{own.port}/socket", subprotocols=["trestle.1"],
            cookie=cookie.split(";")[0], origin=own.origin,
            sslopt={"ca_certs": str(certificate / "cert.pem")})
        assert link.recv().startswith("device\n")
        # Neither plain text nor a wrong hello harms it.
        for junk in (b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\xff\xff" + os.urandom(3000), b""):
            own.raw(junk, 1.0, half_close=True)
        old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
        old.maximum_version = ssl.TLSVersion.TLSv1_1
        with pytest.raises((ssl.SSLError, OSError)):
            old.wrap_socket(socket.create_connection(("127.0.0.1", own.port)))
        link.send("ping\nx")
        assert link.recv() == "pong\nx"


def test_a_bad_certificate_is_told(certificate, tmp_path):
    (tmp_path / "bad.pem").write_text("nonsense")
    done = subprocess.run(
        [SERVE, "run", "--listen", "127.0.0.1:0", "--web",
         str(STUB), "--state-directory", tmp_path / "s",
         "--tls-cert", tmp_path / "bad.pem", "--tls-key", tmp_path / "bad.pem"],
        capture_output=True, text=True, timeout=20)
    assert done.returncode == 78, done.stderr


def test_behind_a_proxy_on_a_unix_socket():
    with Serve("--origin", "https://board.example", start=False) as own:
        path = own.daemon.directory / "http.sock"
        own.listen = f"unix:{path}"
        own.daemon.start()
        own.start(until_up=False)

        class Link(http.client.HTTPConnection):
            def connect(self):
                self.sock = socket.socket(socket.AF_UNIX)
                self.sock.connect(str(path))

        own.connection = lambda timeout=20: Link("board.example")
        eventually(lambda: own.get("/readyz")[0] == 200, 10)
        assert path.stat().st_mode & 0o777 == 0o660
        assert own.get("/")[0] == 200
        assert own.get("/", Host="other.example")[0] == 421
        link = own.run("pair", "--name", "wall").stdout
        assert link.startswith("https://board.example/pair#")
        status, headers, _ = own.redeem(link.split("#")[1].split("\n")[0], "https://board.example")
        assert status == 200 and headers["Set-Cookie"].startswith("__Host-trestle=")
        # The plain name counts on a plain page of this machine only.
        token = headers["Set-Cookie"].split(";")[0].split("=", 1)[1]
        assert own.get("/tables/x/snapshot", Cookie=f"trestle={token}")[0] == 401
        assert own.get("/tables/x/snapshot", Cookie=f"__Host-trestle={token}")[0] == 404


def test_trestle_serve_is_the_same_program():
    for words in (["--version"], ["pair", "--help"]):
        own = subprocess.run([SERVE, *words], capture_output=True, text=True, timeout=20)
        ours = subprocess.run(
            [BIN / "trestle", "serve", *words], capture_output=True, text=True, timeout=20,
            env=os.environ | {"PATH": f"{SERVE.parent}:{os.environ['PATH']}"})
        assert (ours.returncode, ours.stdout) == (0, own.stdout), ours.stderr


def test_no_data_of_foundation():
    """As of the other programs: see Tests/CLITests/test_cli_size.py."""
    assert b"icudt" not in SERVE.read_bytes()


def test_a_man_page(tmp_path):
    subprocess.run(["python3", ROOT / "docs/man/make-man.py", "--bin", BIN, "--serve", SERVE,
                    "--out", tmp_path], check=True)
    done = subprocess.run(
        ["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", tmp_path / "trestle-serve.8"],
        capture_output=True, text=True, env=os.environ | {"LC_ALL": "C.UTF-8", "MANPAGER": "cat"})
    assert (done.returncode, done.stderr) == (0, "")
    text = re.sub(r".\x08", "", done.stdout)
    for word in ("--tls-cert", "--allow-host", "revoke", "SIGHUP"):
        assert word in text, word
