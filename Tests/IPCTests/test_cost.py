"""A command costs the same, however many diffs are kept for replay."""

import time

import pytest

from trestle_client import Writer

DIFFS, PART = 24_000, 4_000  # fewer than are kept


@pytest.mark.bound(90, 90)
def test_cost_does_not_grow_with_the_diffs_that_are_kept(daemon):
    def cpu():
        fields = open(f"/proc/{daemon.process.pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / 100

    daemon.ask("create", {}, "board")
    daemon.do("board", add={"id": "a"})
    writer, sent, answered, costs, before, begin = Writer(daemon.endpoint), 0, 0, [], cpu(), time.monotonic()
    while answered < DIFFS:
        while sent < DIFFS and writer.may_send() and len(writer.under_way) < 32:
            writer.send("board", "command", {"set": {"row": "a", "title": f"{sent:06}" + "y" * 200}})
            sent += 1
        if writer.step(1):
            answered += 1
            if answered % PART == 0:
                costs.append((cpu() - before) / PART * 1e6)
                before = cpu()
    writer.close()
    print(f"CPU for a command, µs: {[round(c) for c in costs]}; "
          f"{DIFFS / (time.monotonic() - begin):.0f} commands a second")
    assert max(costs[-2:]) <= 2 * max(costs[0], 100)  # 100 µs: the clock counts in 10 ms
