"""Actions that are tried again: the daemon counts the attempts and ends the pauses, over restarts (rule A21)."""

import json
import time

from harness import BIN, cli, eventually

from test_actions import runs

INVOKE = {"deadline": 60, "then": [{"set": {"fields": {"state": "done"}}}],
          "retries": {"attempts": 3, "backoff": 0.4, "else": [{"set": {"fields": {"state": "failed"}}}]}}


def jobs(daemon, invoke=INVOKE, rows=1):
    daemon.ask("create", {}, "jobs")
    kind = {"id": "job", "trailing": {"actions": [{"id": "run", "effect": [{"invoke": invoke}]}]}}
    assert daemon.do("jobs", define={"kinds": [kind]})["ok"]
    for n in range(rows):
        assert daemon.do("jobs", add={"id": f"j{n}", "kind": "job"})["ok"]


def handler(daemon, script, name="handler", *flags):
    return daemon.beside_it(
        [BIN / "trestle", "-e", daemon.endpoint, "-o", "ndjson", "handle", "jobs", "run", *flags,
         "--", "sh", "-c", script], name, cwd=daemon.directory)


def state(daemon):
    return json.loads(cli(daemon, "-o", "json", "show", "jobs").stdout)


def row(daemon, id="j0"):
    return next(row for row in state(daemon)["rows"] if row["id"] == id)


def test_a_job_is_tried_three_times(daemon):
    jobs(daemon)
    handler(daemon, 'echo "$TRESTLE_ATTEMPT $(date +%s%N)" >> runs; echo "no paper" >&2; exit 1')
    assert daemon.do("jobs", act={"row": "j0", "action": "run"})["ok"]

    def failed():
        """it has failed"""
        return row(daemon)["performed"][0]["state"] == "failed"

    eventually(failed, 15)
    attempts, times = zip(*(map(int, line.split()) for line in runs(daemon, "runs")))
    assert attempts == (1, 2, 3)
    pauses = [(b - a) / 1e9 for a, b in zip(times, times[1:])]
    assert pauses[0] >= 0.4 and pauses[1] >= 0.8, pauses
    assert row(daemon)["fields"] == {"state": "failed"}
    assert row(daemon)["performed"][0]["reason"] == "no paper"
    # By hand it has three attempts again. Nobody is told that it failed before.
    assert cli(daemon, "retry", "jobs", "j0").returncode == 0
    eventually(lambda: len(runs(daemon, "runs")) >= 4, 10)
    assert runs(daemon, "runs")[3].split()[0] == "1"


def test_a_pause_goes_on_over_a_restart(daemon):
    jobs(daemon, INVOKE | {"retries": {"attempts": 2, "backoff": 2}})
    handler(daemon, 'echo "$TRESTLE_ATTEMPT" >> runs; test $TRESTLE_ATTEMPT = 2')
    assert daemon.do("jobs", act={"row": "j0", "action": "run"})["ok"]
    eventually(lambda: state(daemon).get("invocations", [{}])[0].get("failure"), 10)
    due = state(daemon)["invocations"][0]["failure"]["dueMs"] / 1_000
    daemon.kill()
    daemon.start()
    failure = state(daemon)["invocations"][0]["failure"]
    assert not failure.get("over") and failure["dueMs"] / 1_000 == due

    def done():
        """it is done"""
        return row(daemon)["performed"][0]["state"] == "done"

    eventually(done, 15)
    assert time.time() >= due
    assert runs(daemon, "runs") == ["1", "2"]


def test_a_lost_handler_has_used_the_only_attempt(daemon):
    jobs(daemon, INVOKE | {"retries": {"attempts": 1}})
    one = handler(daemon, 'echo run >> runs; exec sleep 60')
    assert daemon.do("jobs", act={"row": "j0", "action": "run"})["ok"]
    eventually(lambda: runs(daemon, "runs") == ["run"], 10)
    handler(daemon, "echo run >> runs", "other")
    one.kill()
    one.wait(10)

    def failed():
        """it has failed"""
        return row(daemon)["performed"][0]["state"] == "failed"

    eventually(failed, 20)
    assert row(daemon)["performed"][0]["reason"].endswith(" was lost")
    assert runs(daemon, "runs") == ["run"]
