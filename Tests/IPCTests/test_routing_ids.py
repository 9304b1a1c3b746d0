"""What a client says in `Identity` means nothing: each connection gets a routing id of the guard's, which no other
ever had. libzmq neither reads nor frees a second connection of an id, and aborts where one claims an id of its own."""

import json
import struct
import subprocess
import time

import pytest

from harness import HEADER
from peer_support import RESIDENT, connections_dropped, daemon_with_tcp, socket_paths
from curve_peer import CurvePeer
from siege import percentile_99
from test_curve import Site, ask
from test_peer_guard import Others
from zmtp import GREETING, Peer, frame, message, properties

HELLO = b'{"hello":{}}'


class Open(Peer):
    """Without keys, with these properties."""

    def __init__(self, path, said):
        super().__init__(path, kind=None)
        self.socket.sendall(GREETING + frame(b"\5READY" + said, 4))

    @staticmethod
    def request(*frames):
        return message(*frames)


class Place:
    """A daemon, and how to come to it by unix socket, by tcp, or by tcp with CURVE."""

    def __init__(self, make_daemon, way, **more):
        self.is_open = way != "curve"
        if way == "curve":
            site = Site(make_daemon(start=False, **more))
            self.daemon, self.come = site.daemon, lambda said: CurvePeer(site, said)
        else:
            self.daemon, ports = daemon_with_tcp(make_daemon)
            address = socket_paths(self.daemon)[0] if way == "ipc" else ("127.0.0.1", ports[0])
            self.daemon.ask("create", {}, "board")
            self.come = lambda said: Open(address, said)


@pytest.fixture(params=["ipc", "tcp", "curve"])
def place(request, make_daemon):
    place = Place(make_daemon, request.param)
    for n in range(20):
        place.daemon.do("board", add={"id": f"r{n}", "title": f"Row {n}"})
    yield place
    assert place.daemon.alive(), place.daemon.tail()


def test_each_connection_has_an_id_of_its_own(place):
    """However often an id is said, and of whatever form: each gets the replies to what it has asked, and no others."""
    guard_s = b"\1" + bytes(8)
    ids = [(), (b"",), (b"twin",), (b"twin",), (guard_s,), (guard_s,), (b"x" * 255,), (b"y" * 600,)]
    peers = [place.come(properties(kind, *one)) for one in ids for kind in (b"DEALER", b"REQ", b"ROUTER")]
    assert all(peer.welcome() for peer in peers)
    for again in range(3):
        for n, peer in enumerate(peers):
            asks = {"client": "c", "number": again * 100 + n, "hello": {}}
            assert peer.send(peer.request(b"", HEADER, json.dumps(asks).encode()))
        for n, peer in enumerate(peers):
            assert json.loads(peer.message()[-1])["number"] == again * 100 + n
    # Some go, and others say what those had said.
    for peer in peers[::2]:
        peer.close()
    later = [place.come(properties(b"DEALER", b"twin")) for _ in range(4)]
    for peer in later + peers[1::2]:
        assert peer in peers or peer.welcome()
        assert peer.send(peer.request(b"", HEADER, HELLO)) and json.loads(peer.message()[-1])["ok"]
        peer.close()


def test_other_spellings_and_repetitions_are_refused(place):
    """libzmq tells letters apart, and takes the last of several."""
    faults = [(b"A", (b"identity", b"B")), ((b"identity", b"B"), b""), ((b"IDENTITY", b""),), (b"A", b"B"), (b"", b""),
              (b"\0",), (b"\0\0\0\0\1",), (b"\0" * 200,)]
    for said in faults:
        peer = place.come(properties(b"DEALER", *said))
        assert peer.is_ended(5), said
        peer.close()
    assert connections_dropped(place.daemon, "identity") == len(faults)
    others = [properties(b"PULL"), properties(b"SUB"), properties(b"DEALER", (b"Socket-Type", b"REQ")),
              properties(None, (b"socket-type", b"DEALER")), properties(b"DEALER")[:-1], b"", properties(b"REQ", b"z" * 1_000)]
    for said in others:
        peer = place.come(said)
        assert peer.is_ended(5), said
        peer.close()


def claim_again(place, own, stays):
    """An id that libzmq still has: of one whose requests wait, or that the guard took for another."""
    first = place.come(properties(b"DEALER", own))
    assert first.welcome()
    if not stays:
        # Nobody reads the replies.
        hello = [first.request(b"", HEADER, HELLO) for _ in range(600)]
        for _ in range(10):
            first.send(b"".join(hello))
        first.close()
        time.sleep(0.03)
    second = place.come(properties(b"DEALER", own, *[(b"identity", b"other")] * stays * place.is_open))
    if second.welcome():
        second.socket.settimeout(1)
        for _ in range(30):
            if not second.send(second.request(b"", HEADER, b"x" * 1_000_000)):
                break
            # All that others send is taken in meanwhile, so that nothing seems to wait.
            time.sleep(0.01)
    second.close()
    first.close()


def test_the_id_of_one_that_is_there(place):
    """800 MB of one connection in a second, for ever; under CURVE 12 MiB of each."""
    most, begun = [0], place.daemon.rss()
    with Others(place.daemon) as others:
        looking = others.beside(lambda: most.append(max(most.pop(), place.daemon.rss())))
        for n in range(12):
            claim_again(place, b"X%d" % n, n % 2 == 0 or not place.is_open)
    looking.join()
    print(f"resident: {begun} KiB, {most[0]} at most, {place.daemon.rss()} after it; others' p99 {percentile_99(others.times) * 1e3:.1f} ms")
    assert most[0] < RESIDENT


FIXED = "int rand(void) { return 0; }"


def test_the_counter_of_libzmq_comes_to_no_claimed_id(make_daemon, tmp_path):
    """`Assertion failed: ok`: the holder of a key claimed ids that libzmq gives, and a client without a role moved its
    counter there by an id that only the guard took for one."""
    shim = tmp_path / "shim.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", shim, "-x", "c", "-"], input=FIXED, text=True, check=True)
    daemon = make_daemon(start=False)
    daemon.environment = {"LD_PRELOAD": str(shim)}
    site = Site(daemon)
    path = socket_paths(daemon)[0]
    claims = [CurvePeer(site, properties(b"DEALER", b"\0" + struct.pack(">I", n))) for n in range(4, 40)]
    refused = [peer for peer in claims if not peer.welcome()]
    for said in ((b"identity", b"x"),), (b"",), (), (b"", (b"identity", b"x")), (b"x",):
        for _ in range(60):
            peer = Open(path, properties(b"DEALER", *said))
            peer.welcome()
            peer.close()
            assert daemon.alive(), daemon.tail()
    assert len(refused) == len(claims)
    assert daemon.ask("hello")["ok"]
    # libzmq's own clients are served, also two that say the same.
    links = [site.link(), site.link(identity=b"twin"), site.link(identity=b"twin")]
    for link in links:
        assert ask(link)
    for link in links:
        link.close()
