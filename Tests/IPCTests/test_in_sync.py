"""Three viewers, eight writers, mixed commands: one revision, one digest (Must show 2)."""

import sys

import pytest

from harness import HERE, SWIPEABLE, eventually, full, has_cli, last_revision, lines, seen

COMMANDS = full(20_000, 3_000)
WRITERS = 8


def start_writers(daemon, table, seed, commands, stop):
    return [daemon.beside_it([sys.executable, HERE / "writing_process.py", daemon.endpoint, table, seed, i,
                              WRITERS, commands, stop], f"writer{i}") for i in range(WRITERS)]


# Each revision is to be seen: a viewer that is slow on a busy machine takes no snapshot instead.
READS_ALL = "1000000"


def start_viewers(daemon, table):
    """The Python viewer, `trestle watch`, and a second one of that in NDJSON (or of Python)."""
    viewers = [daemon.viewer(table, "viewer-python", READS_ALL)]
    if has_cli():
        viewers += [daemon.watch(table, "viewer-watch"),
                    daemon.watch(table, "viewer-ndjson", "-o", "ndjson")]
    else:
        viewers += [daemon.viewer(table, "viewer-python-2", READS_ALL)]

    def joined():
        """every viewer has shown its first state"""
        assert all(v.poll() is None for v in viewers), "a viewer ended"
        return all(last_revision(v.path)[0] is not None for v in viewers)

    eventually(joined, 10)
    return viewers


def answers(writers):
    """Every answer of every writer."""
    found = []
    for writer in writers:
        assert writer.wait() == 0, (writer.path.parent / (writer.path.name + ".err")).read_text()
        found += [d for d in lines(writer.path) if "reply" in d]
    return found


def check_in_step(daemon, table, viewers, seconds=10):
    """All are at the daemon's head with its digest, and saw each revision once, in order."""
    head = daemon.tables()[table]

    def there():
        """every viewer is at the head"""
        return all(last_revision(v.path)[0] == head["revision"] for v in viewers)

    eventually(there, seconds)
    digests = {}
    for viewer in viewers:
        diffs, state = seen(viewer.path)
        revisions = [revision for revision, _, _ in diffs]
        assert revisions == list(range(state["revision"] + 1, head["revision"] + 1)), viewer.path
        for revision, digest, _ in diffs:
            assert digests.setdefault(revision, digest) == digest, (viewer.path, revision)
    assert digests[head["revision"]] == head["digest"]
    return head


def check_once(head, first, answers, causes):
    """Each acknowledged change is one revision, each revision one acknowledged change."""
    acked = {}
    for a in answers:
        reply = a["reply"]
        if reply["ok"] and not reply.get("unchanged"):
            assert reply["revision"] not in acked, (acked[reply["revision"]], a)
            acked[reply["revision"]] = (reply["client"], reply["number"])
    assert sorted(acked) == list(range(first + 1, head["revision"] + 1))
    for revision, cause in causes:
        assert acked[revision] == (cause["client"], cause["number"]), revision


@pytest.mark.bound(120, 600)
def test_in_sync(daemon):
    daemon.ask("create", {}, "board")
    daemon.ask("batch", {"commands": [
        {"define": {"kinds": [SWIPEABLE]}}, {"add": {"id": "first"}}]}, "board")
    viewers = start_viewers(daemon, "board")
    writers = start_writers(daemon, "board", "in-sync", COMMANDS // WRITERS, daemon.directory / "no")
    said = answers(writers)
    assert len(said) == COMMANDS // WRITERS * WRITERS
    head = check_in_step(daemon, "board", viewers)
    diffs, _ = seen(viewers[0].path)
    check_once(head, 1, said, [(revision, cause) for revision, _, cause in diffs])
    codes = {}
    for a in said:
        code = a["reply"].get("error", {}).get("code", "ok")
        codes[code] = codes.get(code, 0) + 1
    print(f"{head['revision']} revisions, {head['rows']} rows, answers: {codes}")
    assert set(codes) <= {"ok", "noSuchRow", "badAnchor"} and codes["ok"] > COMMANDS * 0.6
    counts = [d["counts"] for d in lines(viewers[0].path) if "counts" in d][-1]
    assert not {"wrong", "rolledBack", "diverged"} & set(counts), counts
    assert daemon.ask("check", timeout=60)["ok"]
