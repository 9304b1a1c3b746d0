"""Sixteen writers that retry, in the Debian that test_debian.py boots: `debian_load.py TABLE`.

Each adds rows until standard input ends. Then one line of JSON: what was acknowledged and is
there, what is lost, which errors a program saw, and the longest time without an answer.
"""

import json
import sys
import threading
import time

import trestle

WRITERS = 16
done = threading.Event()
acknowledged, errors, pauses = [], [], []
lock = threading.Lock()


def write(number, table):
    longest = 0.0
    with trestle.connect(timeout=60.0) as client:
        board = client.board(table)
        count = 0
        while not done.is_set():
            row, begin = f"w{number}-{count}", time.monotonic()
            try:
                board.add(f"Order {count}", id=row)
            except trestle.TrestleError as error:
                with lock:
                    errors.append(repr(error))
            else:
                with lock:
                    acknowledged.append(row)
            longest = max(longest, time.monotonic() - begin)
            count += 1
            if count % 20 == 0:
                print(f"{number} {count}", flush=True)
            time.sleep(0.02)
    with lock:
        pauses.append(longest)


def main():
    table = sys.argv[1]
    with trestle.connect(timeout=30.0) as client:
        client.board(table).create()
        writers = [threading.Thread(target=write, args=(n, table)) for n in range(WRITERS)]
        for writer in writers:
            writer.start()
        sys.stdin.read()
        done.set()
        for writer in writers:
            writer.join()
        there = [row.id for row in client.read(table)]
    print(json.dumps({
        "acknowledged": len(acknowledged), "lost": len(set(acknowledged) - set(there)),
        "double": len(there) - len(set(there)), "unasked": len(set(there) - set(acknowledged)),
        "errors": errors, "pause": round(max(pauses), 2)}))


main()
