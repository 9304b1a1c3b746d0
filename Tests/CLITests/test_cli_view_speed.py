"""The viewer under load: 100,000 rows and 1,000 diffs a second."""

import sys
import threading
import time

from cli_daemon import HERE
from viewer import Pty

sys.path.insert(0, str(HERE.parent / "IPCTests"))
from trestle_client import Writer  # noqa: E402

ROWS, RATE, SECONDS = 100_000, 1_000, 6


class Flood(threading.Thread):
    """Sets titles of rows, so many a second, each a revision of its own."""

    def __init__(self, endpoint):
        super().__init__(daemon=True)
        self.endpoint, self.done, self.over = endpoint, 0, False

    def run(self):
        writer, begin, number = Writer(self.endpoint), time.monotonic(), 0
        while not self.over:
            due = int((time.monotonic() - begin) * RATE)
            while number < due and writer.may_send() and len(writer.under_way) < 256:
                row = f"r{number * 7919 % ROWS}" if number % 4 else f"r{number // 4 % 30}"
                writer.send("big", "command", {"set": {"row": row, "title": f"Row now {number}"}})
                number += 1
            while writer.step(0):
                self.done += 1
            time.sleep(0.002)
        writer.close()


def test_a_flood(daemon):
    daemon.ok("create", "big")
    lines = "".join('{"id":"r%d","title":"Row %d","section":"main"}\n' % (n, n) for n in range(ROWS))
    (daemon.directory / "big.ndjson").write_text(lines)
    daemon.ok("import", "big", "big.ndjson", "--timeout", "60")
    viewer = Pty(daemon, "big", "--timeout", "60")
    try:
        viewer.wait_for("● live", f"{ROWS} rows", seconds=60)
        flood = Flood(daemon.endpoint)
        flood.start()
        time.sleep(1)
        viewer.read()
        begin, cpu, done, written = time.monotonic(), viewer.cpu(), flood.done, len(viewer.written)
        waits, at = [], 1
        while time.monotonic() - begin < SECONDS:
            # The place in the first line changes with the selection.
            at += 1
            pressed = time.monotonic()
            viewer.type("j")
            wanted = f" {at}/{ROWS} "
            while not any(wanted in line for line in viewer.screen.display[:1]):
                assert time.monotonic() - pressed < 5, viewer.text()
                viewer.read(0.002)
            waits.append(time.monotonic() - pressed)
            until = time.monotonic() + 0.1
            while time.monotonic() < until:
                viewer.read(0.005)
        spent = time.monotonic() - begin
        rate, cpu = (flood.done - done) / spent, (viewer.cpu() - cpu) / spent
        redraws = viewer.written[written:].count(b"\x1b[?2026h") / spent
        flood.over = True
        flood.join(10)
    finally:
        viewer.close()
    waits.sort()
    middle, high = waits[len(waits) // 2] * 1e3, waits[int(len(waits) * 0.95)] * 1e3
    print(f"{rate:.0f} diffs/s on {ROWS} rows: a key shows after {middle:.0f} ms "
          f"(19 of 20 within {high:.0f} ms), {redraws:.0f} redraws/s, CPU {cpu * 100:.0f} %")
    assert rate > 300, "the flood itself is too slow"
    assert redraws <= 61
    # 50 ms is what it is to keep; this machine is shared with others.
    assert middle < 50 and high < 250
