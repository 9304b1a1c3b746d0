"""A program of its own: a writer."""

import json
import sys
import time
from pathlib import Path

from harness import Mix
from trestle_client import Writer


def main(endpoint, table, seed, index, writers, commands, stop):
    """Writes `commands` mixed commands, or (0) until the file `stop` is there.

    A line for each answer: what was asked, and what was said.
    """
    mix = Mix(seed, int(index), int(writers))
    writer = Writer(endpoint, patience=0.5)
    left, stop, asked = int(commands) or 10**9, Path(stop), {}
    while left > 0 or writer.under_way:
        if left > 0 and stop.exists():
            left = 0
        while left > 0 and writer.may_send() and len(writer.under_way) < 16:
            verb, body = mix.next()
            sent = time.monotonic()  # of the system: comparable between processes
            asked[writer.send(table, verb, body)] = {"asked": {verb: body}, "sent": sent}
            left -= 1
        reply = writer.step(0.05)
        if reply:
            print(json.dumps({"client": writer.client, "at": time.time(), "reply": reply,
                              "replied": time.monotonic()} | asked.pop(reply["number"])))
    print(json.dumps({"sentAgain": writer.sent_again}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
