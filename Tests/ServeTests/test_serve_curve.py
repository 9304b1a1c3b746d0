"""A gateway on another machine than the daemons: CURVE, as the command line has it, and several endpoints."""

import json
import random
import shutil
import subprocess
import tempfile
import time
import uuid
from pathlib import Path

import pytest
import websocket
from serve_harness import BIN, SERVE, STUB, Serve, eventually, full
from test_serve_cluster import Beyond
from test_serve_ready import ready

from etcd_service import Etcd, Member, Service, free_ports
from harness import Daemon

GUESTS = 'guests: [{keys: ["*"], roles: [admin]}, {users: ["*"], roles: [admin]}]\n'


def keys(state, *words):
    return subprocess.run([BIN / "trestled", "keys", words[0], "--state-directory", state, *words[1:]],
                          capture_output=True, text=True, timeout=30, check=True).stdout.strip()


def trestle(*words):
    return subprocess.run([BIN / "trestle", *words], capture_output=True, text=True, timeout=30, check=True).stdout.strip()


def seal(daemon):
    """It serves at a port with CURVE, too: its endpoint there."""
    request, publish = (f"tcp://127.0.0.1:{port}" for port in free_ports(2))
    return request, f'{{request: "{request}", publish: "{publish}", curve: true}}'


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Where this user keeps keys: the public one of a pair."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("TRESTLE_KEY", raising=False)
    return trestle("keygen")


@pytest.fixture
def far(home):
    daemon = Daemon("{}")
    request, pair = seal(daemon)
    daemon.config.write_text(
        f'endpoints: [{{request: "{daemon.endpoint}", publish: "ipc://{daemon.directory}/publish.sock"}}, {pair}]\n{GUESTS}')
    command = daemon.command
    daemon.command = lambda *_: [word for word in command() if word not in ("--endpoint", daemon.endpoint)]
    daemon.state.mkdir(mode=0o700)
    daemon.key = keys(daemon.state, "show")
    daemon.sealed = request
    daemon.start()
    yield daemon
    daemon.close()


def gateway(daemon, endpoint=None):
    return Serve(daemon=Beyond(endpoint or daemon.sealed, ask=daemon.ask, do=daemon.do), start=False)


def is_told(page):
    """Whether a page is told of a change. What is published before the gateway's second socket is back is lost: a viewer notices
    by the next heartbeat and asks."""
    title = uuid.uuid4().hex
    assert page.do("kitchen", set={"row": "r0", "title": title})["ok"]
    try:
        return page.next("pub", timeout=3, where=lambda rest: title.encode() in rest)
    except (TimeoutError, websocket.WebSocketTimeoutException):
        return False


@pytest.mark.bound(180)
def test_over_curve(far, home):
    trestle("trust", far.sealed.removeprefix("tcp://"), f"--key={far.key}")
    with gateway(far) as own:
        # The daemon does not know the key: it is said, once, and over by itself when it does.
        own.start(until_up=False)
        eventually(lambda: ready(own) == (503, "keyNotKnown"), 10)
        time.sleep(2.5)
        assert own.log.read_text().count("does not know this key (who runs it adds it: trestled keys add)") == 1
        keys(far.state, "add", "gate", home)
        eventually(lambda: ready(own) == (200, None), 10)
        own.table("kitchen")
        page = own.page(own.pair("grill"))
        page.follow("kitchen")
        page.next("pub")
        assert page.do("kitchen", set={"row": "r0", "title": "sealed"})["ok"]
        page.next("pub", where=lambda rest: b"sealed" in rest)
        cause = far.ask("history", {"most": 1}, "kitchen")["changes"]["changes"][0]["cause"]
        assert cause["user"] == "key:gate/grill", cause
        assert own.snapshot("kitchen", own.pair("bar"))
        # The key is taken off the list, and is put on it again.
        keys(far.state, "revoke", "gate")
        eventually(lambda: ready(own)[0] == 503, 10)
        keys(far.state, "add", "gate", home)
        eventually(lambda: ready(own) == (200, None), 10)
        eventually(lambda: is_told(page), 30)
        far.restart()
        eventually(lambda: ready(own) == (200, None), 10)


@pytest.mark.bound(120)
def test_a_daemon_with_another_key_is_not_spoken_to(far, home):
    keys(far.state, "add", "gate", home)
    other = keys(tempfile.mkdtemp(prefix="t", dir="/tmp"), "show")
    trestle("trust", far.sealed.removeprefix("tcp://"), f"--key={other}")
    with gateway(far) as own:
        own.start(until_up=False)
        eventually(lambda: ready(own) == (503, "otherKey"), 20)
        assert "is not the one that is trusted, or it serves without keys there" in own.log.read_text()
        assert "connections refused" not in far.log.read_text()


def refused(*words):
    done = subprocess.run([SERVE, "run", "--listen", "127.0.0.1:0", "--web", STUB, "--state-directory",
                           tempfile.mkdtemp(prefix="t", dir="/tmp"), *words], capture_output=True, text=True, timeout=20)
    return done.returncode, done.stderr


def test_missing_keys_are_told_at_the_start(home, tmp_path):
    status, said = refused("-e", "tcp://192.0.2.1:7571")
    assert status == 77 and "the key of 192.0.2.1:7571 is not known" in said and "trestle trust" in said
    trestle("trust", "192.0.2.1:7571", f"--key={home}")
    # Each endpoint of a list has to be known.
    status, said = refused("-e", "tcp://192.0.2.1:7571,tcp://192.0.2.2:7571")
    assert status == 77 and "192.0.2.2:7571 is not known" in said
    status, said = refused("-e", "tcp://192.0.2.1:7571", "--key", "none")
    assert status == 77 and f"there is no {tmp_path}/trestle/none.key: `trestle keygen` makes it" in said
    (tmp_path / "trestle" / "client.key").chmod(0o644)
    status, said = refused("-e", "tcp://192.0.2.1:7571")
    assert status == 77 and "is open to others" in said
    (tmp_path / "trestle" / "servers").write_text("nonsense\n")
    status, said = refused("-e", "tcp://192.0.2.1:7571")
    assert status == 78 and "expected an address and a key" in said


def test_an_endpoint_that_is_dead_and_a_socket_beside_keys(far, home):
    """Of a list some are sealed, and some are sockets of this machine."""
    keys(far.state, "add", "gate", home)
    trestle("trust", far.sealed.removeprefix("tcp://"), f"--key={far.key}")
    for endpoint in (f"tcp://127.0.0.1:9,{far.sealed}", f"{far.sealed},{far.endpoint}", f"{far.endpoint},{far.sealed}"):
        with gateway(far, endpoint) as own:
            own.start()
            eventually(lambda: ready(own) == (200, None), 10)  # noqa: B023
            own.daemon.ask("create", table="t") if endpoint.startswith("tcp://127.0.0.1:9,") else None
            page = own.page(own.pair("grill"))
            page.follow("t")
            page.next("pub")


class SealedMember(Member):
    """One whose clients are on other machines."""

    secret = None

    def __init__(self, etcd, name, **more):
        super().__init__(etcd, name, **more)
        self.sealed, pair = seal(self)
        self.endpoint = f"ipc://{self.directory}/request.sock"
        lines = self.config.read_text().splitlines()
        at = next(index for index, line in enumerate(lines) if line.startswith("endpoints:"))
        lines[at] = f'endpoints: [{{request: "{self.endpoint}", publish: "ipc://{self.directory}/publish.sock"}}, {pair}]'
        self.config.write_text("\n".join(lines) + "\n" + GUESTS)
        self.state.mkdir(mode=0o700)
        if SealedMember.secret:
            shutil.copytree(SealedMember.secret, self.state / "curve")
        self.key = keys(self.state, "show")
        SealedMember.secret = SealedMember.secret or self.state / "curve"


@pytest.mark.bound(300, 3_600)
def test_three_machines(home):
    """A daemon and a gateway on each. Whichever is killed, pages go on, and each gateway says within two seconds
    whether changes can be made."""
    SealedMember.secret = None
    etcd = Etcd()
    service = Service(etcd, 3, kind=SealedMember)
    gateways = []
    try:
        endpoints = [member.sealed for member in service.members]
        for member in service.members:
            keys(member.state, "add", "gate", home)
            trestle("trust", member.sealed.removeprefix("tcp://"), f"--key={member.key}")
        service.leader().ask("create", table="kitchen")
        service.leader().do("kitchen", add={"id": "first"})
        for index in range(3):
            own = Serve(daemon=Beyond(",".join(endpoints[index:] + endpoints[:index])), start=False)
            gateways.append(own)
            own.start()
        devices = [(own, own.pair(f"d{number}")) for number in range(full(7, 3)) for own in gateways]
        pages = [own.page(device) for own, device in devices]
        gone, back = [], []
        for turn in range(full(60, 4)):
            begin = time.monotonic()
            if turn % 2 == 0:
                dead = service.leader()
                dead.kill()
                for own in gateways:
                    eventually(lambda: ready(own)[0] == 503, 10, 0.02)  # noqa: B023
                gone.append(time.monotonic() - begin)
                dead.start(wait=None)
            else:
                own = random.choice(gateways)
                own.kill()
                own.start(until_up=False)
            for own in gateways:
                eventually(lambda: ready(own) == (200, None), 30, 0.02)  # noqa: B023
            back.append(time.monotonic() - begin)
            for index, (own, device) in enumerate(devices):
                row = f"row-{turn}-{index}"
                body = {"table": "kitchen", "opened": 0, "command": {"add": {"id": row, "title": row}}}
                for attempt in range(20):
                    try:
                        if attempt:
                            pages[index].send("ping", "there?")
                        number = pages[index].request(body)
                        _, rest = pages[index].next(
                            "reply", 3, lambda rest: json.loads(rest).get("number") == number)  # noqa: B023
                        said = json.loads(rest)
                        if said.get("ok") or said["error"]["code"] == "rowExists":
                            break
                        assert said["error"]["code"] in ("notLeader", "unknown"), said["error"]
                    except (TimeoutError, websocket.WebSocketException, OSError):
                        if not own.alive():
                            raise
                        try:
                            pages[index] = own.page(device, tab=uuid.uuid4().hex[:8])
                        except (websocket.WebSocketException, OSError):
                            time.sleep(0.2)
                else:
                    raise AssertionError(f"{row} stays read-only")
        print(f"{len(pages)} pages; not ready {max(gone):.2f} s after the kill of the daemon that writes, "
              f"ready again after {max(back):.2f} s at most")
        assert sorted(gone)[len(gone) // 2] < 2
        rows = service.leader().ask("tables")["tables"]["tables"][0]["rows"]
        assert rows == 1 + len(pages) * full(60, 4)
        eventually(lambda: len(service.standbys()) == 2, 30, 0.1)
        eventually(lambda: len({json.dumps(one, sort_keys=True) for one in service.digests()}) == 1, 20, 0.2)
    finally:
        for own in gateways:
            own.close()
        service.close()
        etcd.close()
