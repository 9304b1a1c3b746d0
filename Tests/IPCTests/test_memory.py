"""What a client can make the daemon hold is bounded in bytes, whatever it sends, asks for or leaves."""

import json
import os
import signal

from harness import eventually
from siege import HEADER
from zmtp import Peer, message

BINARY = b"trestle/1 proto"
MIB = 1 << 20


def varint(number):
    return bytes([number & 127 | 128]) + varint(number >> 7) if number > 127 else bytes([number])


def field(number, content):
    """A field of a binary message that has a length."""
    return varint(number << 3 | 2) + varint(len(content)) + content


def peer(daemon):
    made = Peer(daemon.endpoint.removeprefix("ipc://"), timeout=50)
    assert made.welcome()
    return made


def ask(link, body, header=HEADER):
    link.send(message(b"", header, body if isinstance(body, bytes) else json.dumps(body).encode()))
    return link.message()[-1]


def answer(link, body):
    return json.loads(ask(link, body))


class Growth:
    """The most memory that the daemon had within the block, beyond what it had before, in MiB."""

    def __init__(self, daemon):
        self.directory = f"/proc/{daemon.process.pid}"

    def of(self, what):
        with open(f"{self.directory}/status") as status:
            return int(status.read().split(what)[1].split()[0]) / 1024

    def __enter__(self):
        with open(f"{self.directory}/clear_refs", "w") as refs:
            refs.write("5")  # the peak begins anew
        self.before = self.of("VmRSS:")
        return self

    def __exit__(self, *_):
        self.mib = self.of("VmHWM:") - self.before


def objects(path, count, one="{}"):
    text = "[" + ",".join([one] * count) + "]"
    for key in reversed(path):
        text = f'{{"{key}":{text}}}'
    return b'{"table":"board",' + text[1:].encode()


REQUESTS = {
    "kinds": (BINARY, field(32, field(17, field(1, field(1, b"k")) * 199_000)), "kinds: more than 256."),
    "commands": (BINARY, field(33, field(1, field(21, b"\x08\x01")) * 145_000), "commands: more than 1000."),
    "items in a batch": (BINARY, field(33, field(1, field(10, field(11, field(1, b"i")) * 999)) * 200),
                         "elements: more than 65536."),
    "kinds in JSON": (HEADER, objects(["command", "define", "kinds"], 95_000, '{"id":"k"}'), "kinds: more than 256."),
    "fields in JSON": (HEADER, b'{"table":"board","command":{"add":{"id":"q","fields":{%s}}}}' %
                       b",".join(b'"%x":""' % n for n in range(90_000)), "fields: more than 256."),
}


def test_a_request_is_bounded_while_it_is_read(board):
    """Binary kinds cost 290 MiB once, and all of them 60 to 300 ms."""
    link = peer(board)
    with Growth(board) as growth:
        for name, (header, body, sentence) in REQUESTS.items():
            body = body if header == HEADER else field(4, b"board") + body
            assert 900_000 < len(body) <= MIB, name
            assert sentence.encode() in ask(link, body, header), name
    assert growth.mib < 24


def at_once(daemon, sent):
    """They have all arrived when the daemon looks."""
    os.kill(daemon.process.pid, signal.SIGSTOP)
    for link, bytes in sent:
        assert link.send(bytes)
    os.kill(daemon.process.pid, signal.SIGCONT)


def test_costly_requests_wait_as_they_arrived(board):
    """Each of these 5 KB became 300 KB. When no more could wait nobody was heard."""
    edits = field(4, b"board") + field(60, field(33, field(1, field(21, b"\x08\x01")) * 1_000))
    links = [peer(board) for _ in range(300)]
    one = peer(board)
    with Growth(board) as growth:
        at_once(board, [(link, message(b"", BINARY, edits) * 8) for link in links])
        for number in range(20):
            assert answer(one, {"table": "board", "command": {"set": {"row": "r1", "title": f"{number}"}}})["ok"]
        # Who is turned away hears it at once, before those whose turn comes.
        replies = [link.message()[-1] for link in links]
    assert sum(b"Too many large requests wait" in reply for reply in replies) > 200
    assert growth.mib < 60


def test_what_is_carried_out_once_is_not_refused_for_want_of_room(board):
    """A copy of it may be waiting. It is forgotten, as if it had been lost, and comes again."""
    opened = board.ask("hello")["hello"]["opened"]
    links = [peer(board) for _ in range(120)]

    def batch(n, number):
        commands = [{"add": {"id": f"{n}-{number}", "title": "t" * 5_000}}]
        return {"client": f"c{n}", "number": number, "opened": opened, "table": "board",
                "batch": {"commands": commands}}

    def sent(n, number):
        return message(b"", HEADER, json.dumps(batch(n, number)).encode())

    at_once(board, [(link, b"".join(sent(n, number) for number in range(1, 13))) for n, link in enumerate(links)])
    one = peer(board)
    eventually(lambda: answer(one, {"tables": {}})["ok"], 30)
    for n, link in enumerate(links):
        # Whatever became of it, sent again it has the one answer: a title that long is refused.
        for number in (1, 12):
            link.send(sent(n, number))
            while True:
                reply = json.loads(link.message()[-1])
                assert reply["client"] == f"c{n}" and reply["error"]["code"] == "tooLarge"
                assert "title bytes" in reply["error"]["message"]
                if reply["number"] == number:
                    break
    assert board.stats()["counters"]["messages_dropped"] > 0


def strips(daemon, rows, items=900):
    link = peer(daemon)
    assert answer(link, {"table": "strips", "create": {}})["ok"]
    define = {"kinds": [{"id": "strip", "strip": True}]}
    assert answer(link, {"table": "strips", "command": {"define": define}})["ok"]
    of = [{"id": f"i{n}", "title": "y" * 9} for n in range(items)]
    for n in range(rows):
        add = {"id": f"r{n}", "kind": "strip", "items": of}
        assert answer(link, {"table": "strips", "command": {"add": add}})["ok"]
    return link


def test_open_snapshots_are_bounded(board):
    """Each held its own rows: 64 of them were 295 MiB."""
    link = strips(board, 30)
    with Growth(board) as growth:
        for round in range(80):
            commands = [{"item": {"row": f"r{n}", "set": {"item": "i0", "title": f"{round}"}}} for n in range(30)]
            assert answer(link, {"table": "strips", "batch": {"commands": commands}})["ok"]
            assert answer(link, {"table": "strips", "snapshot": {}})["ok"]
    assert growth.mib < 48


def test_a_chunk_is_bounded_in_bytes(board):
    """It had 60 rows of 900 items: 2.6 MB, which took 70 ms."""
    link = strips(board, 60)
    first = answer(link, {"table": "strips", "snapshot": {}})["snapshot"]
    rows = []
    for chunk in range(first["chunks"]):
        reply = ask(link, {"table": "strips", "snapshot": {"id": first["id"], "chunk": chunk}})
        assert len(reply) < 400_000
        rows += [row["id"] for part in json.loads(reply)["snapshot"]["slices"] for row in part["rows"]]
    assert rows == [f"r{n}" for n in range(60)]


def test_remembered_answers_are_bounded_in_bytes(daemon):
    """Each of these is 0.25 MiB, and 100,000 might be remembered."""
    link = peer(daemon)
    assert answer(link, {"table": "board", "create": {}})["ok"]
    ids = [f"{n:04}" + "x" * 120 for n in range(1_000)]
    for n in range(0, 1_000, 250):
        batch = {"commands": [{"add": {"id": one}} for one in ids[n:n + 250]]}
        assert answer(link, {"table": "board", "batch": batch})["ok"]
    opened = daemon.ask("hello")["hello"]["opened"]

    def move(n, number=1):
        return {"client": f"c{n}", "number": number, "opened": opened, "table": "board",
                "command": {"move": {"rows": ids, "top": True}}}

    with Growth(daemon) as growth:
        answers = [ask(link, move(n)) for n in range(250)]
    assert len(answers[-1]) > 200_000 and growth.mib < 48
    for _ in range(2):
        # What is remembered is the answer itself, and of what is not nothing runs again.
        assert ask(link, move(249)) == answers[-1]
        assert answer(link, move(0))["error"]["code"] == "unknown"
        daemon.restart()
        link = peer(daemon)
    # They are known still, and what they send next is new.
    assert answer(link, move(0, 2))["ok"] and answer(link, move("other"))["ok"]


def test_rows_as_they_were_at_presses_are_only_in_answers_to_take(board):
    """Every answer had them. One `renew` made 2 GiB, and one batch of `take` ended the daemon."""
    link, edges = strips(board, 0), ("l", "t")
    acts = {edge: {"actions": [{"id": f"{edge}{n}", "effect": [{"invoke": {"deadline": 900}}]} for n in range(16)]}
            for edge in edges}
    items = [{"id": f"i{n}", "title": "t" * 2_000} for n in range(31)]
    for n in range(20):
        add = {"id": f"b{n}", "kind": "strip", "items": items,
               "actions": {"leading": acts["l"], "trailing": acts["t"]}}
        assert answer(link, {"table": "strips", "command": {"add": add}})["ok"]
    presses = [{"act": {"row": f"b{n % 20}", "action": f"{edge}{n // 20}"}} for edge in edges for n in range(320)]

    def whole(verb, **more):
        reply = ask(link, {"table": "strips"} | more | verb)
        return json.loads(reply), reply.count(b'"pressed":')

    with Growth(board) as growth:
        explained, rows = whole({"explain": {"batch": {"commands": presses[:10]}}})
        assert explained["ok"] and len(explained["invocations"]) == 10 and rows == 0
        # Each writes a strip of 64 KiB anew, and a batch 8 MiB of them at most.
        for n in range(0, 640, 80):
            pressed, rows = whole({"batch": {"commands": presses[n:n + 80]}})
            assert pressed["ok"] and len(pressed["invocations"]) == 80 and rows == 0
        hand = {"client": "hand", "number": 1, "opened": board.ask("hello")["hello"]["opened"]}
        takes = {"batch": {"commands": [{"take": {"most": 64}}] * 10}}
        refused, _ = whole(takes, **hand)
        assert "bytes of invocations that a batch takes" in refused["error"]["message"]
        taken, rows = whole({"command": {"take": {"most": 64}}}, **hand | {"number": 2})
        assert 1 < len(taken["invocations"]) == rows < 20
        held, rows = whole({"renew": {}}, client="hand")
        assert held["invocations"] == [{k: one[k] for k in one if k != "pressed"} for one in taken["invocations"]]
        assert rows == 0
    assert growth.mib < 24
