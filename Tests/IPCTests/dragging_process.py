"""A program of its own: people who drag rows, in random order."""

import json
import random
import sys
import time
from pathlib import Path

from trestle_client import Person


def say(**what):
    print(json.dumps(what), flush=True)


class Dragger:
    """Lifts, hovers, and drops; or cancels, forgets, goes away without a word."""

    def __init__(self, endpoint, rows, dice):
        self.endpoint, self.rows, self.dice, self.person = endpoint, rows, dice, None
        self.seen = 0.0

    def turn(self):
        if self.person is None:
            self.person = Person(self.endpoint, "board", f"p{self.dice.randrange(10**9)}", patience=0.5)
        if time.monotonic() - self.seen > 2:
            self.person.attend(0)
            self.seen = time.monotonic()
        dice = self.dice
        if dice.random() < 0.06:
            return self.removal()
        rows = [f"r{n}" for n in dice.sample(range(self.rows), dice.choice([1, 1, 1, 2, 5]))]
        reply = self.person.lift(*rows, ttl=dice.choice([1, 2, 3]))
        if not reply["ok"]:
            return say(code=reply["error"]["code"])
        lease = reply["lease"]["lease"]
        for _ in range(dice.randrange(6)):
            self.person.post("drag", {"hover": {"lease": lease} | self.place()})
        what = dice.random()
        if what < 0.75:
            self.say(self.person.drop(lease, **self.place(), strict=dice.random() < 0.3))
        elif what < 0.85:
            self.person.cancel(lease)
        elif what < 0.95:
            self.person.close()  # a disconnect: the lease runs out
            self.person, self.seen = None, 0.0

    def place(self):
        other = f"r{self.dice.randrange(self.rows)}"
        return self.dice.choice([{"top": True}, {"bottom": True}, {"before": other}, {"after": other},
                                 {"top": True, "section": f"s{self.dice.randrange(3)}"}])

    def removal(self):
        """A row goes, or one that went comes back."""
        row = f"r{self.dice.randrange(self.rows)}"
        self.say(self.person.command(remove={"rows": [row]}))
        if self.dice.random() < 0.97:
            self.say(self.person.command(recall={"rows": [row]}))

    def say(self, reply):
        say(reply={key: reply[key] for key in ("ok", "client", "number", "revision", "unchanged", "error")
                   if key in reply})


def main(endpoint, rows, seed, count, stop):
    dice, stop = random.Random(seed), Path(stop)
    draggers = [Dragger(endpoint, int(rows), random.Random(f"{seed}/{n}")) for n in range(int(count))]
    say(ready=True)
    while not stop.exists():
        dice.choice(draggers).turn()


if __name__ == "__main__":
    if sys.argv[1] == "hold":  # endpoint, row: lifts it for 2 seconds, hovers, and waits to be killed
        person = Person(sys.argv[2], "board", "holder")
        lease = person.lift(sys.argv[3], ttl=2)["lease"]["lease"]
        person.hover(lease, top=True)
        say(lease=lease)
        time.sleep(60)
    else:
        main(*sys.argv[1:])
