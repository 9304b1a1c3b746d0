"""Room to write: libzmq asks epoll for it before each message, and the daemon answers by itself where it
can (CPeerGuard/room.c). So nobody waits for ever, and the daemon does not turn in circles."""

import json
import random
import threading
import time

import pytest

from harness import HEADER, full
from peer_support import daemon_with_tcp, fill_big_table, socket_paths
from zmtp import Peer, frame, message

ASK = message(b"", HEADER, b'{"table":"big","snapshot":{}}')


class InPieces(Peer):
    """Takes as many bytes at once as chance says, and rests in between."""

    def __init__(self, address, kind, seed):
        super().__init__(address, kind, timeout=30.0)
        self.chance = random.Random(seed)
        self.rests = self.chance.choice([0.0, 0.0005, 0.004])
        self.came = bytearray()

    def exactly(self, count):
        while len(self.came) < count:
            part = self.socket.recv(self.chance.choice([1, 1_000, 60_000, 1 << 20]))
            if not part:
                raise ConnectionError("the other end hung up")
            self.came += part
            if self.rests and self.chance.random() < 0.3:
                time.sleep(self.chance.uniform(0, self.rests))
        part = bytes(self.came[:count])
        del self.came[:count]
        return part


def ask_and_read(peer, rounds):
    """Asks for some snapshots at once, reads them, and asks again."""
    for _ in range(rounds):
        asked = peer.chance.randint(1, 8)
        peer.send(ASK * asked)
        for _ in range(asked):
            reply = json.loads(peer.message()[-1])
            assert reply["ok"], reply


def watch(peer, revision):
    """Reads publications up to a revision: each of them, in order."""
    seen = 0
    while seen < revision:
        for diff in json.loads(peer.message()[-1]).get("diffs", []):
            assert diff["base"] == seen or seen == 0
            seen = diff["base"] + 1


@pytest.mark.bound(120, 600)
@pytest.mark.parametrize("seed", range(full(20, 1)))
def test_who_reads_in_pieces_gets_all(make_daemon, seed):
    daemon, ports = daemon_with_tcp(make_daemon)
    fill_big_table(daemon, rows=2_000)
    begun = daemon.ask("tables", {})["tables"]["tables"][0]["revision"]
    changes = full(400, 100)
    request, publish = socket_paths(daemon)
    askers = [InPieces(address, b"DEALER", seed * 100 + n)
              for n, address in enumerate([request] * 6 + [("127.0.0.1", ports[0])] * 2)]
    viewers = [InPieces(address, b"SUB", seed * 100 + 50 + n)
               for n, address in enumerate([publish] * 6 + [("127.0.0.1", ports[1])] * 2)]
    for viewer in viewers:
        assert viewer.welcome()
        viewer.send(frame(b"\1j/big/"))
        assert "welcome" in json.loads(viewer.message()[-1])
    faults = []

    def run(what, *arguments):
        try:
            what(*arguments)
        except Exception as fault:
            faults.append(repr(fault))

    threads = [threading.Thread(target=run, args=(watch, viewer, begun + changes)) for viewer in viewers]
    for asker in askers:
        assert asker.welcome()
        threads.append(threading.Thread(target=run, args=(ask_and_read, asker, full(20, 4))))
    for thread in threads:
        thread.start()
    for n in range(changes):
        daemon.do("big", set={"row": f"b{n}", "title": str(n) * 500})
    for thread in threads:
        thread.join(60)
    assert not faults and not any(thread.is_alive() for thread in threads), faults
    # Nothing is left to say: heartbeats take less than this by far.
    before = daemon.processor()
    time.sleep(1)
    assert daemon.processor() - before < 0.3
    for peer in askers + viewers:
        peer.close()
