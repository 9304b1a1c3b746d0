"""A daemon that was stopped calls nobody late who is there. Leases, claims, viewers and handlers of
those who are there continue. Those of peers that are gone end as usual."""

import signal
import threading
import time

import pytest

from harness import eventually
from test_actions import board, handle, runs, state
from trestle_client import Others, Person, Writer

PAUSE = 7.0  # longer than a handler may be silent (5 s), and than connections last without a sign (3 s)


class Present(threading.Thread):
    """Somebody who drags, claims and looks, and says three times a second that they are there."""

    def __init__(self, daemon, name, row, ttl):
        super().__init__(daemon=True)
        self.person = Person(daemon.endpoint, "board", name)
        self.person.attend(0)
        self.lease = self.person.lift(row, ttl=ttl)["lease"]["lease"]
        self.stopped = threading.Event()

    def run(self):
        while not self.stopped.wait(0.3):
            self.person.post("drag", {"renew": self.lease})
            self.person.post("attend", {"revision": 0, "leaving": False})
            self.person.post("command", {"claim": {"rows": ["r7"], "ttl": 2}})
            while self.person.link.receive(0):
                pass

    def stop(self):
        self.stopped.set()
        self.join()


def claims(daemon):
    return {row["id"]: row["claim"]["holder"] for row in state(daemon)["rows"] if "claim" in row}


@pytest.mark.bound(90, 120)
def test_nobody_who_is_there_is_called_late(daemon):
    board(daemon, 10)
    pager = Writer(daemon.endpoint)
    others = Others(daemon.endpoint, "board")
    script = 'echo "$TRESTLE_ROW $TRESTLE_ATTEMPT" >> runs; sleep 9; echo done >> runs'
    handle(daemon, script, name="one")
    handle(daemon, script, name="two")
    ada = Present(daemon, "ada", "r1", ttl=1)
    ada.start()
    # Of a viewer without a time: it ends with the viewer.
    bob = Person(daemon.endpoint, "board", "bob")
    bob.attend(0)
    assert bob.command(claim={"rows": ["r8"]})["ok"]
    gone = Person(daemon.endpoint, "board", "gone")
    lost = gone.lift("r2", ttl=2)["lease"]["lease"]
    assert pager.command("board", act={"row": "r5", "action": "page"})["ok"]
    eventually(lambda: len(runs(daemon, "runs")) == 1 and "r7" in claims(daemon), 10)
    revision = state(daemon)["revision"]

    daemon.process.send_signal(signal.SIGSTOP)
    time.sleep(PAUSE)
    daemon.process.send_signal(signal.SIGCONT)
    resumed = time.monotonic()
    assert bob.attend(0, leaving=False)["ok"]

    # Who went ends, not long after the others had time to come back.
    others.until(lambda: lost in others.ended, 8)
    assert "renewed" in others.ended[lost]["reason"]
    print(f"who was gone ended {time.monotonic() - resumed:.1f} s after the pause")
    while time.monotonic() < resumed + 5:
        others.step(0.2)
        bob.attend(0)
    assert ada.lease in others.leases and ada.lease not in others.ended
    assert claims(daemon) == {"r7": "ada", "r8": "bob"}
    assert {one["name"] for one in others.viewers.values() if "name" in one} >= {"ada", "bob"}
    changes = daemon.ask("history", {}, "board")["changes"]["changes"]
    assert not [one for one in changes if one["cause"]["verb"] == "expire"], changes
    ada.stop()
    assert ada.person.drop(ada.lease, bottom=True)["ok"]
    # The program ran once, and what it did counts.
    eventually(lambda: runs(daemon, "runs") == ["r5 1", "done"], 15)
    row = eventually(lambda: next(
        (row for row in state(daemon)["rows"] if row["id"] == "r5"
         and row["performed"][0]["state"] == "done"), None), 5)
    assert row and not state(daemon).get("invocations") and state(daemon)["revision"] > revision
    for one in (ada.person, bob, gone, pager, others):
        one.close()


@pytest.mark.bound(60, 60)
def test_a_deadline_does_not_run_while_the_daemon_stands_still(daemon):
    """Pressed just before a pause of 3 s; the deadline is 1 s, and the program is done 0.3 s after the
    pause."""
    board(daemon, 3)
    writer = Writer(daemon.endpoint)
    handle(daemon, 'echo "$TRESTLE_ROW" >> runs; sleep 0.2')
    assert writer.command("board", act={"row": "r0", "action": "page"})["ok"]
    eventually(lambda: runs(daemon, "runs") == ["r0"], 10)
    handle(daemon, 'echo "$TRESTLE_ROW" >> quick; sleep 3.4', action="quick", name="second")
    time.sleep(0.5)
    writer.send("board", "command", {"act": {"row": "r1", "action": "quick"}})
    time.sleep(0.1)
    daemon.process.send_signal(signal.SIGSTOP)
    time.sleep(3)
    daemon.process.send_signal(signal.SIGCONT)

    def performed():
        row = next(row for row in state(daemon)["rows"] if row["id"] == "r1")
        return row.get("performed") and row["performed"][0]["state"] not in ("pending",) and row["performed"]

    assert eventually(performed, 10)[0]["state"] == "done"
    assert runs(daemon, "quick") == ["r1"]
    writer.close()
