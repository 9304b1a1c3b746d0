"""kill -9 of the daemon during a run: nothing lost, nothing twice, nothing invented (Must show 3)."""

import random
import time

import pytest

from harness import SWIPEABLE, full, lines, seen
from test_in_sync import (answers, check_in_step, check_once, start_viewers, start_writers)

KILLS = full(50, 6)
# Viewers that are slow on a busy machine read each diff, however late.
CONFIG = "retain: {diffs: 10000000, bytes: 268435456, total_bytes: 268435456}\n"


@pytest.mark.bound(120, 900)
def test_kill(make_daemon):
    daemon = make_daemon(config=CONFIG)
    dice = random.Random("kill")
    daemon.ask("create", {}, "board")
    daemon.ask("batch", {"commands": [
        {"define": {"kinds": [SWIPEABLE]}}, {"add": {"id": "first"}}]}, "board")
    viewers = start_viewers(daemon, "board")
    stop = daemon.directory / "stop"
    writers = start_writers(daemon, "board", "kill", 0, stop)
    epochs, recoveries = {daemon.hello["epoch"]}, []
    for kill in range(KILLS):
        time.sleep(dice.uniform(0.2, 1.5))
        assert all(w.poll() is None for w in writers), "a writer gave up"
        before = daemon.tables()["board"]["revision"]
        daemon.kill()
        time.sleep(dice.choice([0, 0, 0.3]))
        recoveries.append(daemon.start())
        epochs.add(daemon.hello["epoch"])
        assert daemon.tables()["board"]["revision"] >= before, "a revision that was read is gone"
    assert len(epochs) == KILLS + 1
    time.sleep(0.5)
    stop.touch()
    said = answers(writers)
    head = check_in_step(daemon, "board", viewers, seconds=15)

    # Once: each acknowledged change is one revision, and the viewers saw no other.
    causes = [(revision, cause) for revision, _, cause in seen(viewers[0].path)[0]]
    check_once(head, 1, said, causes)

    # None lost: what was added and not removed is there, with what was last set in it.
    there = {}
    chunk = daemon.ask("snapshot", {}, "board")["snapshot"]
    for n in range(chunk["chunks"]):
        if n:
            chunk = daemon.ask("snapshot", {"id": chunk["id"], "chunk": n}, "board")["snapshot"]
        there |= {r["id"]: r for part in chunk["slices"] for r in part.get("rows", [])}
    expected, fields = {"first"}, {}
    acked = [a for a in said if a["reply"]["ok"]]
    for a in sorted(acked, key=lambda a: (a["reply"]["revision"], bool(a["reply"].get("unchanged")))):
        asked = a["asked"]
        for command in asked.get("batch", {}).get("commands", [asked.get("command", {})]):
            if "add" in command:
                expected.add(command["add"]["id"])
            elif "remove" in command:
                expected -= set(command["remove"]["rows"])
            elif "set" in command and "fields" in command["set"]:
                fields[command["set"]["row"]] = command["set"]["fields"]["n"]
    assert set(there) == expected
    for id, n in fields.items():
        assert id not in there or there[id]["fields"]["n"] == n

    # The viewers carried on by themselves, and never had what the daemon did not.
    counts = [d["counts"] for d in lines(viewers[0].path) if "counts" in d][-1]
    assert not {"wrong", "rolledBack", "diverged"} & set(counts), counts
    refused = {a["reply"]["error"]["code"] for a in said if not a["reply"]["ok"]}
    assert refused <= {"noSuchRow", "badAnchor"}, refused
    again = sum(d["sentAgain"] for w in writers for d in lines(w.path) if "sentAgain" in d)
    print(f"{KILLS} kills, {head['revision']} revisions, {len(said)} answers, {again} sent again, "
          f"first reply after a kill: at most {max(recoveries):.2f} s; the viewer: {counts}")
    assert again > 0
    assert daemon.ask("check", timeout=60)["ok"]
