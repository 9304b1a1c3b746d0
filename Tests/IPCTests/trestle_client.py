"""A viewer and a writer for Trestle, written from docs/PROTOCOL.md alone (JSON form).

A model for clients in other languages; the section numbers (§) are those of that page.

    Link     one DEALER socket: requests out, replies in
    Viewer   holds a Table (trestle_table.py) and keeps it in sync (§6–§8)
    Writer   sends commands so that each is carried out exactly once (§5)
    Person   a writer with a name, who attends, lifts, hovers and drops (§17–§19)
    Others   who is there: leases and viewers, as they are published (§19)

Nothing here starts a thread. Call `step()` in a loop, or put the sockets into your own poller.
"""

import json
import random
import sys
import time
import uuid
from collections import Counter, deque

import zmq

from trestle_table import Table, Wrong

HEADER = b"trestle/1 json"
BEHALF_HEADER = b"trestle/1 json behalf"
CREDIT = 4  # snapshot chunks under way (§6)
PATIENCE = 2.0  # seconds without a reply, after which a request is sent again


def encode(message):
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()


class Link:
    """Requests and replies over one DEALER socket; libzmq connects again by itself.

    `behalf`: on whose behalf all of them are, as {"name": …, "role": …, "tables": […]} (§4).
    """

    def __init__(self, endpoint, context=None, behalf=None):
        self.start = [b"", HEADER] if behalf is None else [b"", BEHALF_HEADER, encode(behalf)]
        self.socket = (context or zmq.Context.instance()).socket(zmq.DEALER)
        self.socket.linger = 0
        self.socket.connect(endpoint)

    def send(self, body):
        try:
            self.socket.send_multipart([*self.start, body], zmq.DONTWAIT)
        except zmq.Again:
            pass  # the daemon is away: as good as lost, so it will be sent again

    def receive(self, timeout=0.0):
        """The next reply, or None."""
        if not self.socket.poll(max(0, int(timeout * 1000))):
            return None
        return json.loads(self.socket.recv_multipart()[-1])

    def ask(self, verb, body=None, table=None, timeout=10.0):
        """One request that only reads, sent until it is answered."""
        client, number = uuid.uuid4().hex[:12], 0
        end = time.monotonic() + timeout
        while (left := end - time.monotonic()) > 0:
            number += 1
            request = {"client": client, "number": number, verb: body or {}}
            self.send(encode(request | ({"table": table} if table else {})))
            again = time.monotonic() + min(left, PATIENCE)
            while time.monotonic() < again:
                reply = self.receive(again - time.monotonic())
                if reply and reply.get("client") == client:
                    return reply
        raise TimeoutError(f"{verb}: no reply within {timeout} s")

    def close(self):
        self.socket.close()


# -------------------------------------------------------------------------------------- the viewer


class Viewer:
    """Keeps `self.table` in sync with the daemon's (§6–§8).

    `state` is what it is doing: "joining" (waiting for proof that the subscription is live),
    "snapshot", "following", "replay", "offer", or "absent" (there is no such table).
    `on_diff(publication, diff)` is called after each diff that moved the revision by one;
    `counts` counts snapshots, replays, offers, gaps, wrong, rolledBack and diverged.
    """

    most_behind = 10_000  # revisions, beyond which a snapshot is less

    def __init__(self, endpoint, name, context=None, on_diff=None):
        context = context or zmq.Context.instance()
        self.name, self.on_diff = name, on_diff
        self.endpoint, self.link = endpoint, Link(endpoint, context)
        hello = self.link.ask("hello", timeout=60)["hello"]
        self.heartbeat = hello["heartbeatMs"] / 1000
        self.topic = b"j/" + name.encode() + b"/"  # with the slash: prefixes match (§3)
        self.sub = context.socket(zmq.SUB)
        self.sub.linger = 0
        self.sub.connect(min(hello["publish"], key=lambda one: one[:3] != endpoint[:3]))
        self.poller = zmq.Poller()
        self.poller.register(self.sub, zmq.POLLIN)
        self.poller.register(self.link.socket, zmq.POLLIN)

        self.table, self.history, self.revision, self.epoch = None, "", 0, ""
        self.left = set()  # histories that were left: what still arrives of them is old
        self.held = deque(maxlen=4096)  # publications that arrive before they can be applied
        self.asked, self.number = {}, 0  # requests under way, by number
        self.heard = None  # when the last publication came
        self.wrong_in_a_row = 0
        self.counts = Counter()
        self.client = "viewer-" + uuid.uuid4().hex[:8]
        self._enter("joining")
        self.sub.subscribe(self.topic)

    # What to show.

    def freshness(self):
        """"live", or why not. "No rows" may be shown as such only with "live"."""
        if self.heard is None:
            return "disconnected"
        silence = time.monotonic() - self.heard
        if silence > 3 * self.heartbeat:
            return f"stale for {silence:.0f} s"
        return "live" if self.state == "following" else self.state

    def digest(self):
        return None if self.table is None else self.table.digest()

    def at(self, revision):
        """The table as it was at an older revision (§20), without touching what is shown."""
        table, here = self.table.copy(), self.revision
        link = Link(self.endpoint)  # its own: what the viewer's link asks may be under way
        try:
            while here > revision:
                ask = {"history": self.history, "since": here, "to": revision}
                reply = link.ask("rewind", ask, self.name)
                if not reply["ok"]:
                    raise LookupError(reply["error"]["code"])
                for step in reply["rewind"]["back"]:
                    table.rewind(step)
                    here = step["revision"]
        finally:
            link.close()
        return table

    # What to call.

    def step(self, timeout=0.1):
        """Takes what has arrived, waiting up to `timeout` seconds for it."""
        timeout = min(timeout, max(0.0, self.deadline - time.monotonic()))
        ready = dict(self.poller.poll(timeout * 1000))
        if self.sub in ready:
            for _ in range(256):
                try:
                    _, body = self.sub.recv_multipart(zmq.DONTWAIT)
                except zmq.Again:
                    break
                self._publication(json.loads(body))
        if self.link.socket in ready:
            while reply := self.link.receive():
                self._reply(reply)
        if time.monotonic() >= self.deadline:
            self._late()

    def close(self):
        self.sub.close()
        self.link.close()

    # Where it is in joining and following.

    def _enter(self, state, deadline=PATIENCE):
        """Replies to what an earlier state asked no longer count."""
        self.state = state
        self.asked.clear()
        self.deadline = time.monotonic() + deadline

    def _ask(self, verb, body):
        self.number += 1
        self.asked[self.number] = body
        self.deadline = time.monotonic() + PATIENCE
        self.link.send(encode({"client": self.client, "number": self.number,
                               "table": self.name, verb: body}))

    def _late(self):
        """Nothing came in time."""
        if self.state == "joining":
            self.sub.unsubscribe(self.topic)
            self.sub.subscribe(self.topic)
            self._enter("joining")
        elif ask := {"snapshot": self._snapshot, "replay": self._replay,
                     "offer": self._offer}.get(self.state):
            ask()
        else:
            self.deadline = time.monotonic() + PATIENCE

    def _snapshot(self):
        self._enter("snapshot")
        self.counts["snapshots"] += 1
        self.chunks, self.next, self.first = {}, 1, None
        self._ask("snapshot", {})

    def _replay(self):
        self._enter("replay")
        self.counts["replays"] += 1
        self._ask("replay", {"history": self.history, "since": self.revision})

    def _offer(self):
        self._enter("offer")
        self.counts["offers"] += 1
        self._ask("offer", {"history": self.history, "revision": self.revision,
                            "digest": self.table.digest()})

    def _absent(self):
        if self.history:
            self.left.add(self.history)
        self.table, self.history, self.revision = None, "", 0
        self._enter("absent")

    def _wrong(self, why):
        """The replica is wrong: say so, count it, join again; ever more slowly, not in step."""
        self.counts["wrong"] += 1
        self.wrong_in_a_row += 1
        print(f"{self.name}: wrong at revision {self.revision}: {why}", file=sys.stderr)
        self.table = None  # an op may have been carried out by halves
        pause = random.uniform(0.5, 1.0) * min(5.0, 0.02 * 2**self.wrong_in_a_row)
        self._enter("snapshot", deadline=pause)

    def _follow(self):
        """Up to date as far as is known: go on with what arrived meanwhile."""
        self._enter("following")
        while self.held and self.state == "following":
            self._apply(self.held.popleft())

    # What arrives.

    def _publication(self, p):
        if p["table"] != self.name or p.get("history") in self.left:
            return
        self.heard = time.monotonic()
        if p["epoch"] != self.epoch:  # the first publication, or the daemon was restarted
            self.epoch = p["epoch"]
            self.held.clear()
            if self.table is not None:
                self._offer()
            elif self.state == "snapshot":
                self._snapshot()
        if p.get("dropped") is not None or not p.get("history"):
            self._absent()
        elif self.state == "following":
            self._apply(p)
        else:
            self.held.append(p)
            if self.state in ("joining", "absent"):  # the proof that we are subscribed (§6)
                self._snapshot()

    def _apply(self, p):
        if p["history"] != self.history:
            return self._snapshot()
        if not self._diffs(p):
            return
        head = p.get("heartbeat") or p.get("welcome")
        if head and head["revision"] > self.revision:  # it proves a gap, and never closes one
            self._gap(head["revision"])
        elif head and head["revision"] == self.revision and head["digest"] != self.table.digest():
            self._wrong("another digest in a heartbeat")

    def _diffs(self, p):
        """Applies the diffs that lead on from here; False if it had to stop."""
        for diff in p.get("diffs", ()):
            base = diff["base"]
            if base > self.revision:
                self._gap(base)
                return False
            if base < self.revision:
                continue
            try:
                self.table.apply(diff["ops"], base + 1, diff["cause"].get("timeMs", 0))
                if self.table.digest() != diff["digest"]:
                    raise Wrong(f"another digest after {diff['ops']}")
            except Wrong as why:
                self._wrong(why)
                return False
            self.revision = base + 1
            self.wrong_in_a_row = 0
            if self.on_diff:
                self.on_diff(p, diff)
        return True

    def _gap(self, head):
        """Diffs are missing, up to `head`. Where they are more than the rows, a snapshot is less."""
        self.counts["gaps"] += 1
        if head - self.revision > max(self.most_behind, len(self.table)):
            self._snapshot()
        else:
            self._replay()

    def _reply(self, reply):
        if self.asked.pop(reply.get("number"), None) is None:
            return  # to what an earlier state asked
        if not reply["ok"]:
            if reply["error"]["code"] == "noSuchTable":
                self._absent()
            else:  # compacted, otherHistory, noSuchSnapshot: begin again
                self._snapshot()
        elif self.state == "snapshot":
            self._chunk(reply)
        elif self.state == "replay":
            before, head = self.revision, reply["replay"]["head"]
            if self._diffs(reply["replay"].get("publication") or {}):
                if self.revision >= head:
                    self._follow()
                elif self.revision > before:
                    self._replay()
                else:
                    self._snapshot()
        elif self.state == "offer":
            relation = reply["standing"]["relation"]
            self.counts[relation] += 1
            if relation == "same":
                self._follow()
            elif relation == "extend":
                self._gap(reply["standing"]["head"])
            else:
                self._snapshot()

    def _chunk(self, reply):
        chunk = reply["snapshot"]
        self.chunks[chunk["chunk"]] = chunk
        if chunk["chunk"] == 0:
            self.first = chunk
        while self.next < self.first["chunks"] and len(self.asked) < CREDIT:
            self._ask("snapshot", {"id": self.first["id"], "chunk": self.next})
            self.next += 1
        if len(self.chunks) < self.first["chunks"]:
            return
        table = Table([self.chunks[i] for i in range(len(self.chunks))])
        if table.digest() != self.first["digest"]:
            return self._wrong("another digest of the snapshot")
        if self.history and self.history != reply["history"]:
            self.left.add(self.history)
        self.table, self.history, self.revision = table, reply["history"], self.first["revision"]
        self._follow()


# -------------------------------------------------------------------------------------- the writer


class Writer:
    """Numbers its commands and sends each until it is answered, so that each is done once (§5)."""

    def __init__(self, endpoint, context=None, patience=PATIENCE, name=None):
        self.link = Link(endpoint, context)
        self.patience, self.name = patience, name
        self.client = "writer-" + uuid.uuid4().hex
        self._meet(self.link.ask("hello", timeout=60))
        self.opened = self.met["opened"]
        self.number = 0
        self.under_way = {}  # number: [bytes, when to send it again]
        self.sent_again = 0

    def _meet(self, reply):
        self.met, self.epoch, self.asked = reply["hello"], reply["epoch"], 0.0
        # Commands under way: the daemon remembers as many answers (§4).
        self.window = self.met["limits"]["repliesPerSession"]

    def may_send(self):
        """Whether the oldest number without an answer is near enough."""
        return not self.under_way or self.number + 1 - min(self.under_way) < self.window

    def send(self, table, verb, body):
        """Sends {verb: body}, where verb is "command", "batch", "create" or "drop"."""
        self.number += 1
        data = encode({"client": self.client, "number": self.number, "opened": self.opened,
                       "table": table, verb: body} | ({"name": self.name} if self.name else {}))
        self.under_way[self.number] = [data, time.monotonic() + self.patience]
        self.link.send(data)
        return self.number

    def step(self, timeout=0.1):
        """The next answer, or None. Sends again what is overdue, oldest first."""
        now = time.monotonic()
        for entry in self.under_way.values():
            if entry[1] <= now:
                entry[1] = now + self.patience * random.uniform(1, 1.5)
                self.sent_again += 1
                self.link.send(entry[0])
        reply = self.link.receive(timeout)
        if reply and "hello" in reply:
            self._meet(reply)
        elif reply and reply["epoch"] != self.epoch and now > self.asked + self.patience:
            self.asked = now  # started anew, perhaps with other limits
            self.link.send(encode({"hello": {}}))
        if reply and reply.get("client") == self.client:
            if self.under_way.pop(reply["number"], None):
                return reply
        return None  # also for the second answer to what was sent twice

    def do(self, table, verb, body, timeout=30.0):
        """Sends one and waits for its answer."""
        number, end = self.send(table, verb, body), time.monotonic() + timeout
        while time.monotonic() < end:
            reply = self.step(min(0.1, self.patience))
            if reply and reply["number"] == number:
                return reply
        raise TimeoutError(f"no reply to {number} within {timeout} s")

    def command(self, table, **command):
        """do("board", move={"rows": ["a"], "top": True})"""
        return self.do(table, "command", command)

    def close(self):
        self.link.close()


# ------------------------------------------------------------------------------------- who is there


class Person:
    """Somebody at one table (§17–§19): drags, claims, is seen. Only the drop is a command."""

    def __init__(self, endpoint, table, name=None, context=None, patience=PATIENCE):
        self.table, self.name, self.patience = table, name, patience
        self.writer = Writer(endpoint, context, patience, name)
        self.link, self.number = Link(endpoint, context), 0

    def post(self, verb, body):
        """Sends what is not remembered, without waiting; gives its number."""
        self.number += 1
        request = {"client": self.writer.client, "number": self.number, "table": self.table,
                   verb: body}
        self.link.send(encode(request | ({"name": self.name} if self.name else {})))
        return self.number

    def ask(self, verb, body, timeout=30.0):
        """As `post`, and waits: again and again, since none of it does harm twice."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            number, again = self.post(verb, body), time.monotonic() + self.patience
            while (left := again - time.monotonic()) > 0:
                reply = self.link.receive(left)
                if reply and reply.get("number") == number:
                    return reply
        raise TimeoutError(f"{verb}: no reply within {timeout} s")

    def lift(self, *rows, ttl=None):
        return self.ask("drag", {"lift": {"rows": list(rows)} | ({} if ttl is None else {"ttl": ttl})})

    def hover(self, lease, **place):
        return self.ask("drag", {"hover": {"lease": lease} | place})

    def drop(self, lease, **place):
        return self.writer.do(self.table, "drag", {"drop": {"lease": lease, "to": place}})

    def cancel(self, lease):
        return self.ask("drag", {"cancel": lease})

    def renew(self, lease):
        return self.ask("drag", {"renew": lease})

    def attend(self, revision=0, leaving=False):
        return self.ask("attend", {"revision": revision, "leaving": leaving})

    def command(self, **command):
        return self.writer.command(self.table, **command)

    def close(self):
        self.writer.close()
        self.link.close()


class Others:
    """Leases, viewers and ends of leases of one table, as presence tells them."""

    def __init__(self, endpoint, table, context=None):
        link = Link(endpoint, context)
        publish = link.ask("hello", timeout=60)["hello"]["publish"][0]
        link.close()
        self.sub = (context or zmq.Context.instance()).socket(zmq.SUB)
        self.sub.linger = 0
        self.sub.connect(publish)
        self.sub.subscribe(b"pj/" + table.encode() + b"/")
        self.epoch, self.leases, self.viewers, self.ended, self.count = None, {}, {}, {}, 0

    def step(self, timeout=0.1):
        """Takes one presence; whether there was one."""
        if not self.sub.poll(max(0, int(timeout * 1000))):
            return False
        presence = json.loads(self.sub.recv_multipart()[-1])
        self.count += 1
        if presence["epoch"] != self.epoch:  # all leases of before have ended
            self.epoch, self.leases, self.viewers = presence["epoch"], {}, {}
        if "leases" in presence:
            self.leases = {one["lease"]: one for one in presence["leases"].get("leases", ())}
        if "viewers" in presence:
            self.viewers = {one["client"]: one for one in presence["viewers"].get("viewers", ())}
        self.ended.update({one["lease"]: one for one in presence.get("ended", ())})
        return True

    def until(self, what, seconds):
        """Steps until `what()`; gives the seconds that it took."""
        begin = time.monotonic()
        while not what():
            left = begin + seconds - time.monotonic()
            assert left > 0, f"not within {seconds} s: {self.leases} {self.viewers} {self.ended}"
            self.step(left)
        return time.monotonic() - begin

    def close(self):
        self.sub.close()


def main(endpoint, name, most_behind=Viewer.most_behind):
    """trestle_client.py ENDPOINT TABLE [REVISIONS]: a line for each diff and each change of freshness or counts.
    So many revisions behind, it still reads them one by one."""
    def show(**line):
        print(json.dumps(line), flush=True)

    viewer = Viewer(endpoint, name, on_diff=lambda p, d: show(
        revision=d["base"] + 1, digest=d["digest"], cause=d.get("cause"), epoch=p["epoch"]))
    viewer.most_behind = int(most_behind)
    before = None
    while True:
        viewer.step(0.2)
        now = viewer.freshness().split(" for ")[0], dict(viewer.counts)
        if now != before:
            table = viewer.table
            show(freshness=now[0], revision=None if table is None else viewer.revision,
                 digest=viewer.digest(), rows=None if table is None else len(table), counts=viewer.counts)
            before = now


if __name__ == "__main__":
    main(*sys.argv[1:])
