"""The audit: who did what to tables as a whole and to the daemon, and who was refused. Needs root, to be several
users."""

import json
import os
import pwd
import signal
import socket
import subprocess
from pathlib import Path

import pytest
import zmq

import test_guests
from runnable_by_all import runnable_by_all
from harness import BIN, ask_all, eventually
from test_curve import Site, ask
from background_load import reply_codes
from test_guests import ALICE, BOB, CAROL, SOON, Guests, as_user, asked
from trestle_client import HEADER, encode

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be several users")

guests = test_guests.guests
ROOT = pwd.getpwuid(0).pw_name
LIST = [{"users": [ROOT, str(ALICE)], "roles": ["admin"]},
        {"users": [str(BOB)], "tables": ["board"], "roles": ["operator"]}]
DEFINE = {"define": {"kinds": [{"id": "ticket", "height": 60}]}}


def entries(daemon, **more):
    """Newest first."""
    reply = daemon.ask("audit", {"most": 1024, **more})
    assert reply["ok"], reply
    return reply["audit"].get("entries", [])


def told(entry):
    """What an entry says, without what differs from run to run."""
    return tuple(entry.get(key) for key in ("uid", "verb", "table", "outcome", "code"))


def pid_and_ask(endpoint, *requests):
    return os.getpid(), ask_all(endpoint, *requests)


def numbered(*verbs):
    return [{"table": "board", "client": "c", "number": n + 1, **verb} for n, verb in enumerate(verbs)]


def restore(daemon):
    """The steps of a restore of what is there now, without the table's name."""
    chunk = daemon.ask("backup")["backup"]
    assert chunk["chunks"] == 1
    return [{"restore": {"parts": {"index": 0, "contents": chunk["parts"]}}},
            {"restore": {"finish": {"parts": len(chunk["parts"]), "replace": True}}}]


ADMIN = [{"create": {}}, {"command": DEFINE}, {"command": {"section": {"id": "s", "title": "S"}}},
         {"batch": {"commands": [DEFINE]}}, {"command": {"removeSection": {"id": "s"}}}, {"drop": {}}]
NAMES = ["create", "define", "section", "batch", "removeSection", "drop"]


def test_what_an_admin_does_is_there_with_who_and_from_where(guests):
    daemon = guests(LIST)
    pid, replies = as_user(ALICE, pid_and_ask, daemon.endpoint, *numbered(*ADMIN))
    assert all(reply["ok"] for reply in replies), replies
    # A command that is answered from memory was not carried out again.
    asked(daemon, ALICE, numbered(*ADMIN)[0])
    found = entries(daemon)[::-1]
    assert [told(one) for one in found] == [(ALICE, verb, "board", "allowed", None) for verb in NAMES]
    assert {one["from"] for one in found} == {f"pid:{pid}"}
    assert {one["user"] for one in found} == {str(ALICE)}
    assert [one["number"] for one in found] == list(range(1, 7))
    for one in found:
        line = next(line for line in daemon.log.read_text().splitlines()
                    if line.startswith("notice: audit ") and f" verb={one['verb']}" in line)
        assert f" from=pid:{pid} outcome=allowed table=board uid={ALICE} user={ALICE} " in line


def test_what_was_refused_is_there_with_the_reason(guests):
    daemon = guests(LIST)
    daemon.ask("create", {}, "board")
    steps = [{key: value for key, value in step.items() if key != "table"}
             for step in ({"backup": {}}, {"check": {}}, {"audit": {}}, *restore(daemon))]
    pid, replies = as_user(BOB, pid_and_ask, daemon.endpoint, *numbered(*ADMIN[1:]), *steps)
    assert set(reply_codes(replies)) == {"notAllowed"}
    found = [one for one in entries(daemon)[::-1] if one.get("uid") == BOB]
    assert [told(one) for one in found] == (
        [(BOB, verb, "board", "refused", "notAllowed") for verb in NAMES[1:]]
        + [(BOB, verb, None, "refused", "notAllowed")
           for verb in ("backup", "check", "audit", "restore", "restore")])
    assert {one["from"] for one in found} == {f"pid:{pid}"}
    # An admin is refused for other reasons: that is there too.
    asked(daemon, ALICE, {"table": "board", "create": {}}, {"table": "none", "drop": {}})
    assert [told(one) for one in entries(daemon)[:2]] == [
        (ALICE, "drop", "none", "refused", "noSuchTable"), (ALICE, "create", "board", "refused", "exists")]


def test_backup_and_restore_are_one_entry_each_at_their_ends(guests):
    daemon = guests(LIST)
    daemon.ask("create", {}, "board")
    steps = restore(daemon)
    replies = asked(daemon, ALICE, *[{"client": "r", "number": n + 1, **step} for n, step in enumerate(steps)])
    assert all(reply["ok"] for reply in replies), replies
    assert [told(one)[:4] for one in entries(daemon)[::-1]] == [
        (0, "create", "board", "allowed"), (0, "backup", None, "allowed"),
        (ALICE, "restore", None, "allowed"), (ALICE, "restore", None, "allowed")]


def test_ordinary_commands_leave_nothing(guests):
    daemon = guests(LIST)
    daemon.ask("create", {}, "board")
    daemon.do("board", add={"id": "first"})  # it makes the section
    before = entries(daemon)
    replies = asked(
        daemon, BOB, test_guests.add("a"), test_guests.add("b"),
        {"table": "board", "command": {"move": {"rows": ["a"], "bottom": True}}},
        {"table": "board", "command": {"undo": {}}}, {"table": "board", "snapshot": {}}, {"health": {}},
        {"table": "board", "batch": {"commands": [{"remove": {"rows": ["a"]}}]}})
    assert set(reply_codes(replies)) == {"ok"}
    daemon.ask("check")
    assert entries(daemon) == before


def test_an_undo_of_a_definition_is_one(guests):
    daemon = guests(LIST)
    daemon.ask("create", {}, "board")
    daemon.do("board", **DEFINE)
    assert reply_codes(asked(daemon, BOB, {"table": "board", "command": {"undo": {}}})) == ["notAllowed"]
    daemon.do("board", undo={})
    assert [told(one)[:4] for one in entries(daemon)[:2]] == [
        (0, "undo", "board", "allowed"), (BOB, "undo", "board", "refused")]


def flood(endpoint, count):
    """So many refused requests, as fast as they are answered."""
    context = zmq.Context()
    link, codes = context.socket(zmq.DEALER), set()
    link.connect(endpoint)
    body = encode({"table": "secret", "drop": {}})
    for begin in range(0, count, 100):
        for _ in range(100):
            link.send_multipart([b"", HEADER, body])
        for _ in range(100):
            codes.add(json.loads(link.recv_multipart()[-1])["error"]["code"])
    context.destroy(0)
    return sorted(codes)


def test_a_flood_is_bounded_and_counted_and_hides_nobody(guests):
    daemon = guests(LIST)
    asked(daemon, CAROL, {"table": "secret", "drop": {}})
    asked(daemon, ALICE, {"table": "board", "create": {}})
    size = daemon.log.stat().st_size
    assert as_user(BOB, flood, daemon.endpoint, 10_000) == ["notAllowed"]
    asked(daemon, CAROL, {"table": "after", "drop": {}})

    def counted():
        mine = [one for one in entries(daemon) if one.get("uid") == BOB]
        return sum(one.get("suppressed", 1) for one in mine), len(mine)

    eventually(lambda: counted()[0] == 10_000, 12)
    assert counted()[1] < 40
    assert daemon.log.stat().st_size - size < 10_000
    assert [told(one)[:3] for one in entries(daemon)[::-1] if one.get("uid") in (ALICE, CAROL)] == [
        (CAROL, "drop", "secret"), (ALICE, "create", "board"), (CAROL, "drop", "after")]
    assert "suppressed=" in daemon.log.read_text()


def test_hostile_names_steer_nothing(guests):
    daemon = guests(LIST)
    names = ["x outcome=allowed user=root", "a\u202eb", 'q"q', "b\\b", "é" * 60]
    refused = asked(daemon, CAROL, *[{"table": name, "drop": {}} for name in names])
    assert set(reply_codes(refused)) == {"notAllowed"}
    assert [one["table"] for one in entries(daemon)[::-1]] == [
        "x outcome=allowed user=root", "a\\u{202e}b", 'q"q', "b\\b", "é" * 60]
    lines = [line for line in daemon.log.read_text().splitlines() if " audit " in line]
    assert len(lines) == len(names)
    for line in lines:
        assert line.startswith("warning: audit code=notAllowed from=pid:") and line.isprintable()
    for part in ('table="x outcome=allowed user=root"', 'table="a\\\\u{202e}b"', 'table="q\\"q"',
                 'table="b\\\\b"'):
        assert sum(part in line for line in lines) == 1, part
    shown = subprocess.run([BIN / "trestle", "-e", daemon.endpoint, "audit"], capture_output=True, text=True,
                           check=True).stdout
    assert "\u202e" not in shown and "\\u{202e}" in shown


def test_who_is_no_admin_sees_nothing(guests):
    daemon = guests(LIST + [{"users": [str(CAROL)], "tables": ["board", "b*"], "roles": ["admin"]}])
    daemon.ask("create", {}, "board")
    for uid in (BOB, CAROL):  # an admin of some tables is none of all
        done = subprocess.run(
            [runnable_by_all(BIN / "trestle"), "-e", daemon.endpoint, "audit"], capture_output=True, text=True,
            user=uid, group=uid, extra_groups=[], check=False)
        assert done.returncode == 77 and done.stdout == ""
        assert "takes the role admin" in done.stderr and "create" not in done.stderr
        reply = asked(daemon, uid, {"audit": {}})[0]
        assert reply["error"]["code"] == "notAllowed" and "audit" not in reply


def test_the_command(guests):
    daemon = guests(LIST)
    for n in range(3):
        daemon.ask("create", {}, f"t{n}")

    def run(*words):
        return subprocess.run([BIN / "trestle", "-e", daemon.endpoint, "audit", *words], capture_output=True,
                              text=True, check=False)

    lines = run().stdout.splitlines()
    assert lines[0].split() == ["TIME", "USER", "FROM", "VERB", "TABLE", "OUTCOME"]
    assert [line.split()[4:] for line in lines[1:]] == [["create", f"t{n}", "allowed"] for n in (2, 1, 0)]
    document = json.loads(run("-o", "json", "--limit", "2").stdout)
    assert [one["table"] for one in document["entries"]] == ["t2", "t1"]
    assert [json.loads(line)["number"] for line in run("-o", "ndjson").stdout.splitlines()] == [3, 2, 1]
    assert run("--limit", "0").returncode == 64 and run("--limit", "1025").returncode == 64
    assert daemon.ask("audit", {"most": 1025})["error"]["code"] == "badNumber"


# ------------------------------------------------------------------------- what no request does


def test_a_reload_says_who_sent_the_signal_and_what_changed(guests):
    daemon = guests(LIST)
    daemon.settings["heartbeat_ms"] = 500
    daemon.invite([{"users": [ROOT], "roles": ["admin"]}])
    one = entries(daemon)[0]
    assert told(one) == (0, "reload", None, "allowed", None)
    assert one["user"] == ROOT and one["from"] == f"pid:{os.getpid()}"
    assert sorted(one["detail"].split()) == ["guests", "heartbeat_ms"]
    daemon.config.write_text("nonsense: [")
    daemon.process.send_signal(signal.SIGHUP)
    eventually(lambda: told(entries(daemon)[0]) == (0, "reload", None, "refused", "badConfiguration"), SOON)


def test_who_may_read_less_than_before_is_there(guests):
    daemon = guests(LIST)
    daemon.ask("create", {}, "board")
    asked(daemon, BOB, {"table": "board", "snapshot": {}})
    daemon.invite(LIST[:1])
    reload, revoked = entries(daemon)[:2]
    assert reload["verb"] == "reload"
    assert told(revoked) == (BOB, "subscribe", None, "refused", "revoked")


def test_keys(make_daemon):
    site = Site(make_daemon(start=False))
    assert ask(site.link(), "drop", table="none")["error"]["code"] == "noSuchTable"
    one = entries(site.daemon)[0]
    assert (one["user"], one["from"], "uid" in one) == ("key:anna", "tcp:127.0.0.1", False)
    assert site.keys("revoke", "anna").returncode == 0
    eventually(lambda: entries(site.daemon)[0]["verb"] == "revokeKey", SOON)
    assert entries(site.daemon)[0]["detail"] == "anna"
    gone, (public, secret) = site.link(), zmq.curve_keypair()
    stranger = site.link(public, secret)

    def refused():
        return {(one["code"], one.get("user"), one["from"], one["detail"]) for one in entries(site.daemon)
                if one["verb"] == "connect"}

    eventually(lambda: refused() == {
        ("revokedKey", "key:anna", "tcp:127.0.0.1", site.public.decode()),
        ("unknownKey", None, "tcp:127.0.0.1", public.decode())}, SOON)
    assert site.keys("add", "new", public.decode()).returncode == 0
    eventually(lambda: any(one["verb"] == "addKey" and one["detail"] == "new" for one in entries(site.daemon)), SOON)
    for link in (gone, stranger):
        link.close()


# ------------------------------------------------------------------------------------- journald


@pytest.fixture
def journal():
    """A journal of systemd's, as far as its socket goes."""
    path = Path("/run/systemd/journal/socket")
    if path.exists():
        pytest.skip("this machine has a journal")
    made = [folder for folder in (path.parent, path.parent.parent) if not folder.exists()]
    path.parent.mkdir(parents=True, exist_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(path))
        listener.settimeout(10)
        yield listener
    path.unlink()
    for folder in made:
        folder.rmdir()


def test_the_journal_gets_fields(journal):
    daemon = Guests(LIST)
    daemon.log.touch()
    status = daemon.log.stat()
    daemon.environment = {"JOURNAL_STREAM": f"{status.st_dev}:{status.st_ino}"}
    daemon.start()
    try:
        asked(daemon, BOB, {"table": "a b", "drop": {}})
        fields = dict(line.split("=", 1) for line in journal.recv(65_536).decode().splitlines())
        assert fields.pop("TRESTLE_FROM").startswith("pid:")
        assert fields.pop("MESSAGE").startswith(f"audit user={BOB} uid={BOB} from=pid:")
        assert fields == {
            "PRIORITY": "4", "SYSLOG_IDENTIFIER": "trestled", "TRESTLE_USER": str(BOB), "TRESTLE_UID": str(BOB),
            "TRESTLE_VERB": "drop", "TRESTLE_TABLE": "a b", "TRESTLE_OUTCOME": "refused",
            "TRESTLE_CODE": "notAllowed"}
        assert "audit" not in daemon.log.read_text()
        journal.close()  # nobody takes it: then it stands in the log
        asked(daemon, ALICE, {"table": "board", "create": {}})
        assert "<5>audit " in daemon.log.read_text()
    finally:
        daemon.close()
