"""What a peer chooses so that it meets in a table: topics, and the number of its user."""

import os
import random
import time

import pytest
import zmq

import test_curve
from harness import eventually
from peer_support import RESIDENT, socket_paths
from test_guests import As, guests  # noqa: F401
from test_peer_guard import let_in
from zmtp import Peer, frame

LETTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
MANY, VIEWERS = 700, 3  # as many topics as all viewers may have


def fnv(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & (1 << 64) - 1
    return value


def topics(do_meet):
    """Those that meet had one in 128 of the places of a table of 8,192, as the guard found them once."""
    dice, found = random.Random("topics"), {}
    while len(found) < MANY * VIEWERS:
        topic = b"b/" + bytes(dice.choices(LETTERS, k=4)) + b"/"
        value = fnv(topic) if do_meet else 0
        if (value ^ value >> 32) & 8191 < 64:
            found[topic] = None
    return [*found]


def view(daemon, topics):
    viewer = Peer(socket_paths(daemon)[1], kind=b"SUB")
    assert viewer.welcome()
    viewer.send(b"".join(frame(b"\1" + topic) for topic in topics))
    return viewer


def come_and_go(daemon, topics, view):
    """Viewers that subscribe to these and go. Seconds of processor time that it takes the daemon."""
    before = daemon.processor()
    viewers = [view(topics[n * MANY:(n + 1) * MANY]) for n in range(VIEWERS)]
    # All that are taken in: of encrypted ones some may be too many.
    counts = [0]
    while counts[-1] == 0 or counts[-4:] != counts[-1:] * 4:
        time.sleep(0.03)
        counts.append(daemon.stats()["gauges"]["topics"])
    for viewer in viewers:
        viewer.close()
    eventually(lambda: daemon.stats()["gauges"]["topics"] == 0, 60, 0.05)
    return daemon.processor() - before


@pytest.mark.bound(120)
@pytest.mark.parametrize("sealed", [False, True])
def test_topics_that_meet_in_a_table(make_daemon, sealed):
    """The table had an unkeyed hash, and each topic that went had all of its run put again: others waited 31 s."""
    daemon = make_daemon(start=not sealed)
    site = Site(daemon) if sealed else None

    def once(topics):
        return come_and_go(daemon, topics, lambda some: site.viewer(some) if site else view(daemon, some))

    apart, meeting = topics(False), topics(True)
    once(apart)
    plain, worst = min(once(apart) for _ in range(3)), min(once(meeting) for _ in range(3))
    print(f"processor time: {plain:.2f} s apart, {worst:.2f} s meeting; resident: {daemon.rss()} KiB")
    # The clock counts in 10 ms, and what is encrypted takes more of them.
    assert worst <= 1.5 * plain + 0.1
    assert daemon.rss() < RESIDENT


class Site(test_curve.Site):
    def viewer(self, topics):
        link = self.link(kind=zmq.SUB)
        for topic in topics:
            link.subscribe(topic)
        return link


def user_like_root():
    """The first user who had root's place among 256, as the guard told users apart once."""
    return next(uid for uid in range(1, 65_536) if uid * 0x9E3779B97F4A7C15 % (1 << 64) >> 56 == 0)


def hold(path, directory):
    """Takes all connections that there are, and keeps them until it is told to go."""
    peers = let_in(path, 40)
    os.close(os.open(f"{directory}/held", os.O_CREAT, 0o666))
    end = time.monotonic() + 30
    while not os.path.exists(f"{directory}/over") and time.monotonic() < end:
        time.sleep(0.01)
    return len(peers)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be several users")
def test_a_user_is_counted_with_nobody_else(guests):  # noqa: F811
    """One whose number had root's hash had all connections, and root did not come in."""
    daemon = guests([{"users": ["*"], "roles": ["admin"]}], connections=16)
    directory = daemon.directory / "between"
    directory.mkdir()
    directory.chmod(0o777)
    holder = As(user_like_root(), hold, socket_paths(daemon)[0], str(directory))
    eventually(lambda: (directory / "held").exists(), 20, 0.02)
    own = let_in(socket_paths(daemon)[0], 12)
    (directory / "over").touch()
    assert holder.gave() >= 8
    assert 5 <= len(own) <= 9, "as many as the other, and no more"
    for peer in own:
        peer.close()
