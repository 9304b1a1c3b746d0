"""Clients of a service of several daemons, who go on whatever happens to it, and what must hold for them."""

import random
import threading
import time

import zmq

from harness import eventually
from linearizability import Seen, violations
from trestle_client import Link, encode


class Writing(threading.Thread):
    """A client that adds rows, one command after the other, each until it is answered: at any daemon, with
    the same number and the same bytes. So each row is there once, or the service has done it twice.

    `keep`: of so many rows it removes the older half, so that a table stays small for hours. `pause`: seconds
    at most before its next command."""

    def __init__(self, endpoints, name, table="t", keep=None, pause=0):
        super().__init__(daemon=True)
        self.endpoints, self.name, self.table = list(endpoints), name, table
        self.keep, self.pause = keep, pause
        self.place = hash(name) % len(self.endpoints)
        self.acknowledged, self.refused = [], []  # rows that were added, and not removed
        self.maybe = set()  # rows that the last command was to add or to remove
        self.history = []  # of each: its name, when it was first sent and when answered, its revision
        self.stopping = False
        self.elsewhere = 0
        self.context = zmq.Context()

    @property
    def gaps(self):
        """Seconds between an answer and the next."""
        times = [answered for _, _, answered, _ in self.history]
        return [after - before for before, after in zip(times, times[1:])]

    def run(self):
        number = 0
        link = Link(self.endpoints[self.place], self.context)
        while not self.stopping:
            number += 1
            row, old = f"{self.name}-{number}", None
            if self.keep and len(self.acknowledged) >= self.keep:
                old = self.acknowledged[:self.keep // 2]
            verb = {"remove": {"rows": old}} if old else {"add": {"id": row, "title": row}}
            body = encode({"client": self.name, "number": number, "opened": 0, "table": self.table,
                           "command": verb})
            self.maybe = set(old or [row])
            sent = time.monotonic()
            while not self.stopping:
                link.send(body)
                reply = link.receive(1.0)
                while reply and reply.get("number") != number:
                    reply = link.receive(1.0)
                if reply is None or reply.get("error", {}).get("code") == "notLeader":
                    link = self.go_elsewhere(link, reply)
                    continue
                if reply.get("ok"):
                    self.acknowledged = self.acknowledged[len(old):] if old else [*self.acknowledged, row]
                    self.history.append((row, sent, time.monotonic(), int(reply["revision"])))
                else:
                    self.refused.append((row, reply["error"]))
                self.maybe = set()
                break
            if self.pause:
                time.sleep(random.uniform(0, self.pause))
        link.close()
        self.context.destroy(0)

    def go_elsewhere(self, link, reply):
        known = [e for e in (reply or {}).get("error", {}).get("endpoints", []) if e in self.endpoints]
        link.close()
        self.elsewhere += 1
        if known:
            self.place = self.endpoints.index(known[0])
        else:
            self.place = (self.place + 1) % len(self.endpoints)
            time.sleep(0.05)
        return Link(self.endpoints[self.place], self.context)


def rows(daemon, table="t"):
    """The ids of all rows, in order."""
    snapshot = daemon.ask("snapshot", {}, table)["snapshot"]
    found = []
    for chunk in range(snapshot["chunks"]):
        part = daemon.ask("snapshot", {"id": snapshot["id"], "chunk": chunk}, table)["snapshot"]
        found += [row["id"] for one in part["slices"] for row in one.get("rows", [])]
    return found


class Looking(threading.Thread):
    """Looks at the table's revision, at one daemon after the other."""

    def __init__(self, endpoints, table="t"):
        super().__init__(daemon=True)
        self.endpoints, self.table, self.seen, self.stopping = endpoints, table, [], False

    def run(self):
        while not self.stopping:
            for endpoint in self.endpoints:
                link, sent = Link(endpoint), time.monotonic()
                try:
                    tables = link.ask("tables", timeout=0.5)["tables"].get("tables", [])
                except TimeoutError:
                    continue
                finally:
                    link.close()
                for table in tables:
                    if table["table"] == self.table:
                        self.seen.append((sent, int(table.get("revision", 0))))
            time.sleep(0.05)


class Work:
    """Writers and somebody who looks, and what must hold of what they saw."""

    def __init__(self, service, lease, writers=8, pause=0.05):
        self.service, self.lease, tag = service, lease, time.time_ns()
        if "t" not in service.leader().tables():
            assert service.leader().ask("create", {}, "t")["ok"]
        self.threads = [Writing(service.endpoints, f"w{n}-{tag}", keep=200, pause=pause) for n in range(writers)]
        self.look = Looking(service.endpoints)
        for thread in [*self.threads, self.look]:
            thread.start()

    def answered(self):
        return sum(len(thread.history) for thread in self.threads)

    def stop(self):
        for thread in [*self.threads, self.look]:
            thread.stopping = True
        for thread in [*self.threads, self.look]:
            thread.join(60)
            assert not thread.is_alive()
        self.seen = [Seen(*one) for thread in self.threads for one in thread.history]
        gaps = sorted(gap for thread in self.threads for gap in thread.gaps)
        print(f"{len(self.seen)} acknowledged, {len(self.look.seen)} looks, "
              f"the longest gap of a client {gaps[-1]:.1f} s")

    def check(self):
        service, threads = self.service, self.threads
        there = rows(service.leader(40))
        # A command that was done twice would be refused the second time: the row exists, or it does not.
        assert [thread.refused for thread in threads if thread.refused] == []
        acknowledged = {row for thread in threads for row in thread.acknowledged}
        # One command of a writer at most was under way in the end.
        maybe = {row for thread in threads for row in thread.maybe}
        assert acknowledged - maybe <= set(there) <= acknowledged | maybe and len(there) == len(set(there))
        # A lease, and what a loaded machine adds.
        assert violations(self.seen, self.look.seen, stale=self.lease + 1.0) == []
        eventually(lambda: len({str(one) for one in service.digests()}) == 1, 30, 0.2)

    def end(self):
        self.stop()
        self.check()
