"""No device and no stranger takes from the gateway what others need: memory, the list of screens that ask, the event loop."""

import base64
import contextlib
import fcntl
import gzip
import http.client
import json
import os
import socket
import ssl
import time

import pytest
from serve_harness import Serve, eventually
from test_serve_ready import certify

from harness import Daemon

LARGE = 1_400


def large(serve, name):
    """A table whose snapshot has about 4 MiB, packed: texts that nothing makes shorter."""
    serve.daemon.ask("create", table=name)
    for start in range(0, LARGE, 100):
        commands = [{"add": {"id": f"r{n}", "title": base64.b64encode(os.urandom(3_000)).decode()}}
                    for n in range(start, start + 100)]
        assert serve.daemon.ask("batch", {"commands": commands}, name)["ok"]


def rows(chunks):
    return [row for chunk in chunks for part in chunk["snapshot"]["slices"] for row in part["rows"]]


@contextlib.contextmanager
def served(folder):
    """A gateway, with a certificate of its own where there is a folder for it."""
    if folder is None:
        with Serve() as own:
            yield own
        return
    certify(folder)
    with Serve("--tls-cert", folder / "cert.pem", "--tls-key", folder / "cert.key", start=False) as own:
        context = ssl.create_default_context(cafile=folder / "cert.pem")
        own.connection = lambda timeout=20: http.client.HTTPSConnection(
            "127.0.0.1", own.port, timeout=timeout, context=context)
        own.daemon.start()
        own.start()
        yield own


def asking(serve, table, device):
    """A connection that asks for a snapshot and has read no more than the status of the answer."""
    link = serve.connection()
    link.connect()
    link.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16_384)
    link.sock.sendall(f"GET /tables/{table}/snapshot HTTP/1.1\r\nHost: 127.0.0.1:{serve.port}\r\n"
                      f"Cookie: {device.cookie}\r\nConnection: close\r\n\r\n".encode())
    status = b""
    while len(status) < 12:
        more = link.sock.recv(12 - len(status))
        assert more
        status += more
    return link, int(status[9:])


@pytest.mark.bound(180)
@pytest.mark.parametrize("tls", [False, True], ids=["plain", "tls"])
def test_snapshots_that_nobody_reads_cost_little(tmp_path, tls):
    """One device asks for two tables in turn, and reads nothing: it is refused by name, and others are not."""
    with served(tmp_path if tls else None) as own:
        for table in ("bar", "pass"):
            large(own, table)
        greedy, other = own.pair("greedy"), own.pair("other")
        whole = rows(own.snapshot("bar", other))
        assert len(whole) == LARGE
        before = own.rss()
        links, statuses = [], []
        for number in range(40):
            link, status = asking(own, ("bar", "pass")[number % 2], greedy)
            links.append(link)
            statuses.append(status)
        after = own.rss()
        print(f"{before:.0f} -> {after:.0f} MiB, {statuses.count(200)} of {len(statuses)} were answered")
        # On a busy machine these were up to eight different snapshots, each of which was packed two seconds after another.
        assert after < before + 80
        assert statuses[:10] == [200] * 10 and set(statuses) == {200, 429}
        status, _, body = own.get("/tables/bar/snapshot", greedy)
        assert (status, json.loads(body)["error"]["code"]) == (429, "tooMuch")
        assert rows(own.snapshot("bar", other)) == whole
        # A late reader gets all of it.
        links[0].sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)  # by few bytes at a time it takes minutes
        answer = b""
        while more := links[0].sock.recv(1 << 20):
            answer += more
        head, _, body = answer.partition(b"\r\n\r\n")
        assert f"Content-Length: {len(body)}".encode() in head
        assert rows([json.loads(line) for line in gzip.decompress(body).splitlines()]) == whole
        for link in links:
            link.close()


@pytest.mark.skipif(os.geteuid() != 0, reason="the guest list calls users by their numbers")
def test_what_the_daemon_does_not_show_is_forbidden():
    """The gateway's own user may see one table, and the device of all tables asks for another."""
    daemon = Daemon(json.dumps({"guests": [{"users": [0], "roles": ["admin"], "tables": ["board"]}]}))
    with Serve(daemon=daemon) as own:
        own.daemon.ask("create", table="board")
        desk = own.pair("desk")
        assert own.snapshot("board", desk)
        status, _, body = own.get("/tables/office/snapshot", desk)
        assert (status, json.loads(body)["error"]["code"]) == (403, "notAllowed")


def ask(serve, address):
    status, _, body = serve.ask(
        "POST", "/ask", "{}", {"Content-Type": "application/json", "X-Forwarded-For": address})
    return status, json.loads(body).get("secret")


def waits(serve, secret):
    """Whether the screen with this secret still waits. It asks from an address that has guessed nothing."""
    body = json.dumps({"code": secret, "token": True})
    status = serve.ask("POST", "/pair", body, {"Content-Type": "application/json", "X-Forwarded-For": secret[:16]})[0]
    assert status in (202, 403)
    return status == 202


def test_one_address_does_not_keep_others_from_asking(serve):
    """A network of IPv6 has 2^64 addresses, and they count as one."""
    for number in range(60):
        ask(serve, f"2001:db8:0:1::{number:x}")
    assert ask(serve, "192.0.2.1")[0] == 200
    # A screen that asks again and again is let in by its latest code.
    secrets = [ask(serve, "198.51.100.7")[1] for _ in range(10)]
    assert [waits(serve, secret) for secret in secrets] == [False] * 2 + [True] * 8


def test_a_guess_waits_for_nobody(serve):
    """An unknown code opens, locks and reads no file. A known one does."""
    code = serve.invite("till")
    lock = os.open(serve.state, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    begin = time.monotonic()
    assert serve.redeem("A" * 22)[0] == 403
    print(f"{1_000 * (time.monotonic() - begin):.0f} ms")
    assert serve.redeem(code)[0] == 503
    os.close(lock)
    assert serve.redeem(code)[0] == 200
    # An invitation of just now is known at once.
    assert serve.redeem(serve.invite("bar"))[0] == 200


def test_guesses_of_one_network_are_counted_together(serve):
    def guess(address):
        headers = {"Content-Type": "application/json", "X-Forwarded-For": address}
        return serve.ask("POST", "/pair", json.dumps({"code": "A" * 22, "token": True}), headers)[0]
    answers = [guess(f"2001:db8:0:1:{number:x}::1") for number in range(15)]
    assert answers[0] == 403 and answers[-1] == 429
    assert guess("2001:db8:0:2::1") == 403
    eventually(lambda: serve.get("/healthz")[0] == 200, 5)
