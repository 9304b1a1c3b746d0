"""The examples for nginx and Caddy, as they are but for paths, names and ports."""

import http.client
import json
import shutil
import socket
import ssl
import subprocess
import time

import pytest
import websocket

from serve_harness import ROOT, Serve, eventually

EXAMPLES = ROOT / "examples" / "serve"


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def nginx(folder, path, port):
    config = (EXAMPLES / "nginx.conf").read_text()
    config = (config.replace("/run/trestle-serve/http.sock", str(path))
              .replace("listen 443 ssl", f"listen 127.0.0.1:{port} ssl")
              .replace("/etc/ssl/board.example/fullchain.pem", f"{folder}/cert.pem")
              .replace("/etc/ssl/board.example/privkey.pem", f"{folder}/key.pem"))
    (folder / "site.conf").write_text(config)
    (folder / "nginx.conf").write_text(
        f"daemon off; user root; pid {folder}/pid; error_log {folder}/error.log;\n"
        f"events {{}}\nhttp {{ access_log off; include {folder}/site.conf; }}\n")
    return ["nginx", "-c", str(folder / "nginx.conf"), "-e", str(folder / "error.log")]


def caddy(folder, path, port):
    config = (EXAMPLES / "Caddyfile").read_text()
    config = config.replace("/run/trestle-serve/http.sock", str(path)).replace(
        "board.example {", f"https://board.example:{port} {{\n\tbind 127.0.0.1\n"
        f"\ttls {folder}/cert.pem {folder}/key.pem")
    (folder / "Caddyfile").write_text(
        "{\n\tadmin off\n\tauto_https disable_redirects\n\tstorage file_system " + f"{folder}/c\n}}\n"
        + config)
    return ["caddy", "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]


@pytest.mark.bound(90)
@pytest.mark.parametrize("proxy", [nginx, caddy])
def test_behind_a_proxy(proxy, tmp_path):
    assert shutil.which(proxy.__name__), f"there is no {proxy.__name__}: make deps"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
         "-days", "2", "-subj", "/CN=board.example", "-addext", "subjectAltName=DNS:board.example",
         "-keyout", tmp_path / "key.pem", "-out", tmp_path / "cert.pem"],
        check=True, capture_output=True)
    port = free_port()
    origin = f"https://board.example:{port}"
    with Serve("--origin", origin, start=False) as own:
        path = own.daemon.directory / "http.sock"
        own.listen = f"unix:{path}"
        own.daemon.start()
        own.start(until_up=False)
        with (tmp_path / "out").open("wb") as out:
            running = subprocess.Popen(proxy(tmp_path, path, port), stdout=out, stderr=out)
        context = ssl.create_default_context(cafile=tmp_path / "cert.pem")

        class Link(http.client.HTTPSConnection):
            def connect(self):
                plain = socket.create_connection(("127.0.0.1", port), timeout=10)
                self.sock = context.wrap_socket(plain, server_hostname="board.example")

        try:
            own.connection = lambda timeout=20: Link("board.example", port)

            def up():
                try:
                    return own.get("/readyz")[0] == 200
                except OSError:
                    return False
            eventually(up, 20)
            assert own.get("/")[0] == 200 and own.get("/metrics")[0] in (403, 404)
            own.table("board")
            status, headers, body = own.redeem(own.invite("wall"), origin)
            assert status == 200, body
            cookie = headers["Set-Cookie"].split(";")[0]
            assert cookie.startswith("__Host-trestle=")
            assert own.get("/tables/board/snapshot", Cookie=cookie)[0] == 200
            # Again and again, so that the proxy uses its connections again for sockets.
            for _ in range(3):
                assert own.get("/src/stub.js")[0] == 200
                link = websocket.create_connection(
                    f"wss://board.example:{port}/socket", subprotocols=["trestle.1"], origin=origin,
                    cookie=cookie, host=f"board.example:{port}", timeout=10,
                    socket=context.wrap_socket(socket.create_connection(("127.0.0.1", port)),
                                               server_hostname="board.example"))
                assert link.recv().startswith("device\n")
                link.send("follow board")
                seen = time.monotonic()
                while not link.recv().startswith("pub j/board/\n"):
                    assert time.monotonic() - seen < 5
                link.close()
            # Each browser has its own count of wrong codes, though all come through one proxy.
            wrong = [own.redeem("A" * 22, origin)[0] for _ in range(12)]
            assert wrong[-1] == 429
            assert json.loads(own.redeem("A" * 22, "https://evil.example")[2])["error"]["code"] == "badOrigin"
        finally:
            running.terminate()
            running.wait(10)
