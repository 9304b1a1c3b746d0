"""Requests that cost much let others by, and keep the order in which their sender sent them."""

import json
import os
import signal

from siege import HEADER
from zmtp import Peer, message


def batch(of, count=400):
    return {"batch": {"commands": [{"add": {"id": f"{of}-{n}", "title": "t" * 100}} for n in range(count)]}}


def peer(daemon):
    made = Peer(daemon.endpoint.removeprefix("ipc://"), timeout=30)
    assert made.welcome()
    return made


def send(link, client, number, verb):
    body = {"table": "board", "client": client, "number": number} | verb
    link.send(message(b"", HEADER, json.dumps(body).encode()))


def reply(link):
    return json.loads(link.message()[-1])


def prepare(daemon):
    daemon.ask("create", {}, "board")
    daemon.do("board", add={"id": "a"})


def test_one_sender_is_heard_in_its_order(daemon):
    prepare(daemon)
    link, title = peer(daemon), {"command": {"set": {"row": "a", "title": "x"}}}
    verbs = [batch("b"), title, {"history": {"most": 10}}, {"tables": {}}, batch("c"), {"hello": {}},
             {"command": {"set": {"row": "b-399", "title": "y"}}}, batch("d", 2), {"snapshot": {}}]
    for number, verb in enumerate(verbs, 1):
        send(link, "c", number, verb)
    replies = [reply(link) for _ in verbs]
    assert [one["number"] for one in replies] == list(range(1, len(verbs) + 1))
    assert all(one["ok"] for one in replies)
    assert [one["revision"] for one in replies if one["number"] in (1, 2, 5, 7, 8)] == [2, 3, 4, 5, 6]
    # Each counts once, whether it waited or not. The last one is `stats` itself.
    counters = daemon.stats()["counters"]
    assert counters["request_us_count"] == counters["requests"] - 1


def test_others_pass_by(daemon):
    """However many large batches were there before it, a title is set at once."""
    prepare(daemon)
    many, one = [peer(daemon) for _ in range(16)], peer(daemon)
    for number in range(1, 5):
        before = daemon.tables()["board"]["revision"]
        os.kill(daemon.process.pid, signal.SIGSTOP)
        for n, link in enumerate(many):
            send(link, f"many{n}", number, batch(f"m{n}-{number}"))
        send(one, "one", number, {"command": {"set": {"row": "a", "title": f"{number}"}}})
        os.kill(daemon.process.pid, signal.SIGCONT)
        mine = reply(one)["revision"] - before
        theirs = sorted(reply(link)["revision"] - before for link in many)
        assert sorted([mine, *theirs]) == list(range(1, 18))
        # Some may have been read before it had arrived.
        assert mine <= 8, (mine, theirs)


def test_a_small_batch_costs_no_order_between_its_neighbours(daemon):
    prepare(daemon)
    link = peer(daemon)
    for number in range(1, 201):
        verb = batch(f"n{number}", 2) if number % 3 == 0 else {"command": {"set": {"row": "a", "title": f"{number}"}}}
        send(link, "c", number, verb)
    revisions = [reply(link)["revision"] for _ in range(200)]
    assert revisions == list(range(2, 202))
