"""What others notice of an attack: p99 of round trips, in turns without and with it.

An attacker takes a processor of a small machine for itself, whatever the daemon does. So each attack is also
carried out against a second daemon that nobody else uses: what others notice of that is the machine's. Turns
alternate, and medians of several are compared, so that what else the machine does is in all of them.

`python siege.py ask PATH SECONDS` and `python siege.py attack ROW PATH PUBLISH SECONDS` are its processes.
"""

import json
import os
import random
import resource
import signal
import socket
import statistics
import subprocess
import sys
import threading
import time

from zmtp import Peer, frame, message

HEADER = b"trestle/1 json"


def percentile_99(times):
    """p99."""
    return statistics.quantiles(times, n=100)[98] if len(times) > 100 else max(times)


# ----------------------------------------------------------------------------------- the processes


def ask(path, seconds):
    """Four clients that set a title, 400 a second together; prints each time in milliseconds."""
    times = []

    def run(index):
        peer = Peer(path)
        assert peer.welcome()
        end, n = time.monotonic() + seconds, 0
        while time.monotonic() < end:
            body = {"table": "board", "command": {"set": {"row": f"r{index}", "title": f"{n}"}}}
            begin = time.monotonic()
            peer.send(message(b"", HEADER, json.dumps(body).encode()))
            assert json.loads(peer.message()[-1])["ok"]
            times.append((time.monotonic() - begin) * 1e3)
            n += 1
            time.sleep(0.01)

    in_threads([lambda i=i: run(i) for i in range(4)])
    print(json.dumps(times))


def in_threads(what):
    threads = [threading.Thread(target=one) for one in what]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def reconnect_until(path, kind, what, end):
    """Does `what` with one connection after another."""
    while time.monotonic() < end:
        try:
            peer = Peer(path, kind=kind, timeout=1)
            what(peer)
            peer.close()
        except OSError:
            pass
        time.sleep(0.01)


def ids_that_are_there(path, publish, end):
    """Row 2: clients with the id of one that libzmq still has, whose requests wait or who says another besides."""
    def run(index):
        for n in range(1_000_000):
            own, goes = b"%d-%d" % (index, n), n % 2 == 0
            try:
                first = Peer(path, identity=own, timeout=1)
                first.send(message(b"", HEADER, b'{"hello":{}}') * 6_000 * goes)
                if goes:
                    first.close()
                    time.sleep(0.03)
                else:
                    first.welcome()
                second = Peer(path, timeout=1, more=[own] if goes else [own, (b"identity", b"other")])
                while time.monotonic() < end and second.send(message(b"", HEADER, b"x" * 60_000)):
                    pass
                second.close()
                first.close()
            except OSError:
                pass
            if time.monotonic() > end:
                return
            time.sleep(0.01)

    in_threads([lambda i=i: run(i) for i in range(4)])


def many_topics(path, publish, end):
    """Row 4: topics of this protocol, as many as are taken, on 20 connections that come and go."""
    dice = random.Random("topics")

    def subscribe(peer):
        names = (b"%030x" % dice.getrandbits(120) for _ in range(400))
        peer.send(b"".join(frame(b"\1j/" + name + b"/") for name in names))
        time.sleep(0.2)

    in_threads([lambda: reconnect_until(publish, b"SUB", subscribe, end)] * 20)


def replies(path, publish, end, ask):
    def never_read(peer):
        while time.monotonic() < end and peer.send(ask * 20):
            time.sleep(0.02)

    in_threads([lambda: reconnect_until(path, b"DEALER", never_read, end)] * 8)


def large_replies(path, publish, end):
    """Row 5: `snapshot`, and no reply is read."""
    replies(path, publish, end, message(b"", HEADER, b'{"table":"large","snapshot":{}}'))


def small_replies(path, publish, end):
    """Row 5, with replies below 1 KiB."""
    replies(path, publish, end, message(b"", HEADER, b'{"tables":{}}') * 5)


def endless_message(path, publish, end):
    """Row 6: frames without a body, of a message without an end."""
    in_threads([lambda: reconnect_until(path, b"DEALER", lambda peer: peer.send(frame(b"", 1) * 100_000), end)] * 4)


def viewers_that_do_not_read(path, publish, end):
    """Row 7: eight viewers that do not read what is published to them, and four that read slowly."""
    def viewer(peer, reads):
        peer.send(frame(b"\1j/large/"))
        while time.monotonic() < end:
            time.sleep(0.1)
            if not peer.send(frame(b"\4PONG", 4)) or reads and not peer.socket.recv(reads):
                return

    in_threads([lambda: reconnect_until(publish, b"SUB", lambda peer: viewer(peer, 0), end)] * 8
             + [lambda: reconnect_until(publish, b"SUB", lambda peer: viewer(peer, 100_000), end)] * 4)


def publish_much(path, publish, end):
    """No attack: 780 KB are published at a time, and one viewer reads them. Beside row 7, always."""
    def change(peer):
        assert peer.welcome()
        rows = [{"add": {"id": f"x{i}", "title": "t" * 700}} for i in range(900)]
        batch = json.dumps({"table": "large", "batch": {"commands": rows}}).encode()
        gone = json.dumps({"table": "large", "command": {"remove": {"rows": [f"x{i}" for i in range(900)]}}}).encode()
        while time.monotonic() < end:
            for body in batch, gone:
                peer.send(message(b"", HEADER, body))
                peer.message()
            time.sleep(0.1)

    def read(peer):
        assert peer.welcome()
        peer.send(frame(b"\1j/large/"))
        while time.monotonic() < end:
            peer.message()

    in_threads([lambda: reconnect_until(path, b"DEALER", change, end), lambda: reconnect_until(publish, b"SUB", read, end)])


def silent_connections(path, publish, end):
    """Row 8: connections that say nothing, as fast as they are taken; 2,000 are held."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    held = []
    while time.monotonic() < end:
        one = socket.socket(socket.AF_UNIX)
        one.settimeout(1)
        try:
            one.connect(path if len(held) % 2 else publish)
        except OSError:
            time.sleep(0.001)
        held.append(one)
        if len(held) > 2_000:
            held.pop(0).close()


def many_prefixes(path, publish, end):
    """Row 9: as many topics as are taken, that stay, beside heartbeats of many tables."""
    dice = random.Random("prefixes")

    def subscribe(peer):
        topics = (frame(b"\1j/p%06d/" % dice.randrange(1_000_000)) for _ in range(100))
        peer.send(b"".join(topics))
        time.sleep(max(0, end - time.monotonic()))

    in_threads([lambda: reconnect_until(publish, b"SUB", subscribe, end)] * 16)


def again_and_again(path, end, bodies):
    """Eight clients that ask for what takes long, and read each answer before they ask again."""
    def run(peer, index):
        assert peer.welcome()
        n = index
        while time.monotonic() < end:
            n += 1
            # No question is that of another, so each wants an answer.
            head = {"client": f"c{index}", "number": n}
            peer.send(message(b"", HEADER, json.dumps(head | bodies[n % len(bodies)]).encode()))
            peer.message()

    in_threads([lambda i=i: reconnect_until(path, b"DEALER", lambda peer: run(peer, i), end) for i in range(8)])


def explanations(path, publish, end):
    """`explain` of batches: many rows moved to and fro, all rows opened and closed, kinds defined again and again."""
    rows = [f"b{n}" for n in range(1_000)]
    batches = [
        [{"move": {"rows": rows[:70], "top" if n % 2 else "bottom": True}} for n in range(1_000)],
        [{"move": {"rows": rows[:4], "top" if n % 2 else "bottom": True}} for n in range(1_000)],
        [{"expandAll": {"open": bool(n % 2)}} for n in range(1_000)],
        [{"define": {"kinds": [{"id": "row", "height": 30 + n % 2}]}} for n in range(1_000)],
        [{"expandAll": {"open": True}}]]
    again_and_again(
        path, end, [{"table": "large", "explain": {"batch": {"commands": one}}} for one in batches])


def the_past(path, publish, end):
    """`history`, `rewind` and `replay` of large changes."""
    link = Peer(path)
    assert link.welcome()
    link.send(message(b"", HEADER, b'{"table":"large","snapshot":{}}'))
    reply = json.loads(link.message()[-1])
    head, about = reply["snapshot"]["revision"], {"history": reply["history"]}
    verbs = [{"history": {"most": 1_000}}, {"history": {"most": 1_000, "row": "none"}},
             {"history": {"most": 1_000, "verb": "none"}}, {"rewind": about | {"since": head, "to": 0}},
             {"replay": about | {"since": head - 1}}, {"replay": about | {"since": 0}},
             {"query": {"where": 'title ~ "x"', "sort": "-title", "most": 4_096}}]
    again_and_again(path, end, [{"table": "large", **one} for one in verbs])


ATTACKS = {
    "2 ids that are there": ids_that_are_there, "4 topics": many_topics, "5 large replies": large_replies, "5 small replies": small_replies,
    "6 an endless message": endless_message, "7 viewers that do not read": viewers_that_do_not_read,
    "8 silent connections": silent_connections, "9 prefixes": many_prefixes,
}

# Reads that cost much. With the full siege only: on a machine with a load of 10 others waited more than 1.5 times as
# long as beside the same attack on another daemon.
READS = {"explanations": explanations, "the past": the_past}


def all_at_once(path, publish, end):
    """Those above, each in a process of its own."""
    for one in [process("attack", row, path, publish, end - time.monotonic()) for row in ATTACKS | READS]:
        one.wait(60)


AT_ONCE = {"all at once": all_at_once}

# What others do meanwhile that the attack needs, in every turn.
ALWAYS = {"7 viewers that do not read": publish_much, "all at once": publish_much}

# ------------------------------------------------------------------------------------ the comparison


# Attackers last longer than the questions, and are ended with them.
LONGER = 30.0


def process(*arguments, **more):
    return subprocess.Popen([sys.executable, __file__, *map(str, arguments)], stdout=subprocess.PIPE, **more)


def addresses(of):
    return of.endpoint.removeprefix("ipc://"), of.hello["publish"][0].removeprefix("ipc://")


def round_trips(daemon, seconds, row, attacked=None, is_felt=lambda: True):
    """p99 of others at `daemon` while `attacked` is, and the most memory that `daemon` had. The attack goes on until
    it `is_felt`: on a slow machine that may be later than the last answer."""
    beside = []
    try:
        if row in ALWAYS:
            beside.append(attacker("always", row, daemon, seconds))
        if attacked:
            beside.append(attacker("attack", row, attacked, seconds))
        time.sleep(0.7)
        asking = process("ask", daemon.endpoint.removeprefix("ipc://"), seconds)
        most = 0
        while asking.poll() is None:
            most = max(most, daemon.rss())
            time.sleep(0.05)
        # Who asks while nobody attacks any more would notice nothing.
        assert all(one.poll() is None for one in beside), "an attacker ended before the questions"
        end = time.monotonic() + 20
        while not is_felt() and time.monotonic() < end:
            time.sleep(0.1)
    finally:
        for one in beside:
            os.killpg(one.pid, signal.SIGKILL)
            one.wait(60)
    return percentile_99(json.loads(asking.stdout.read())), most


def attacker(kind, row, daemon, seconds):
    """In a session of its own, so that those whom it starts end with it."""
    return process(kind, row, *addresses(daemon), seconds + LONGER, start_new_session=True)


def siege(daemon, other, row, turns, seconds, is_felt, with_quiet):
    """p99 of each turn in milliseconds: in quiet, if asked for, while `other` is attacked, while `daemon` is; memory
    in KiB."""
    quiet, beside, under, most = [], [], [], 0
    for turn in range(1, turns + 1):
        if with_quiet:
            quiet.append(round_trips(daemon, seconds, row)[0])
        beside.append(round_trips(daemon, seconds, row, other)[0])
        p99, resident = round_trips(daemon, seconds, row, daemon, is_felt if turn == turns else lambda: True)
        under.append(p99)
        most = max(most, resident)
    return quiet, beside, under, most


if __name__ == "__main__":
    if sys.argv[1] == "ask":
        ask(sys.argv[2], float(sys.argv[3]))
    else:
        {"attack": ATTACKS | READS | AT_ONCE, "always": ALWAYS}[sys.argv[1]][sys.argv[2]](sys.argv[3], sys.argv[4], time.monotonic() + float(sys.argv[5]))
