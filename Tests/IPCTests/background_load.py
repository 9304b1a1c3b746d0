"""Load on a daemon while a test looks at something else: one secret table in use, many writers at full speed."""

import time
import uuid

import zmq

from trestle_client import Link, encode

SECRET = "b1gs3cr3t"


def reply_codes(replies):
    return [reply.get("error", {}).get("code", "ok") for reply in replies]


def all_topics(table):
    """All topics that there are of a table, and of `board`."""
    return ["", "j/", "b/", "pj/", "pb/"] + [
        f"{form}/{name}/" for form in ("j", "b", "pj", "pb") for name in (table, "board")]


def use_secret_table(daemon, table, seconds):
    """Changes, leases, viewers and refusals of a table."""
    me = {"client": uuid.uuid4().hex, "name": SECRET, "table": table}
    link, end, n = Link(daemon.endpoint), time.monotonic() + seconds, 0
    while time.monotonic() < end:
        n += 1
        for body in ({"command": {"add": {"id": f"{me['client']}{n}", "title": SECRET}}},
                     {"attend": {"revision": n}}, {"command": {"remove": {"rows": [SECRET]}}},
                     {"drag": {"lift": {"rows": [f"{me['client']}{n}"], "ttl": 1}}}):
            link.send(encode(me | {"number": 4 * n} | body))
            link.receive(5)
        time.sleep(0.02)
    link.close()


def commands_per_second(daemon, clients, seconds):
    """Commands a second on the table `t` of so many clients, each with one command under way."""
    name = f"c{time.time_ns()}"
    assert daemon.ask("batch", {"commands": [
        {"add": {"id": f"{name}-{n}", "title": "T"}} for n in range(clients)]}, "t")["ok"]
    poller, links = zmq.Poller(), {}

    def send(entry):
        entry[2] += 1
        entry[0].send(encode({
            "client": f"{name}-{entry[1]}", "number": entry[2], "opened": 0, "table": "t",
            "command": {"set": {"row": f"{name}-{entry[1]}", "title": f"t{entry[2]}"}}}))

    for index in range(clients):
        link = Link(daemon.endpoint)
        links[link.socket] = [link, index, 0]
        poller.register(link.socket, zmq.POLLIN)
        send(links[link.socket])
    done, begin = 0, time.monotonic()
    while time.monotonic() < begin + seconds:
        for socket, _ in poller.poll(100):
            assert b'"ok":true' in socket.recv_multipart()[-1]
            done += 1
            send(links[socket])
    took = time.monotonic() - begin
    for entry in links.values():
        entry[0].close()
    return done / took
