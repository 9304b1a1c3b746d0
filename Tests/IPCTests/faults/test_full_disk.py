"""A disk that fills up: the daemon answers reads and refuses changes until there is room again.

The last test needs no small disk: the shim says that nothing is free, from each call on.
"""

import os
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from faults import CONFIG as SMALL
from faults import ENOSPC, Commands, check_again, check_state, start, with_shim
from harness import Daemon, ask_raw, cli, eventually, full
from trestle_client import Link, encode

MIB = 1 << 20
RESERVE = 4 * MIB
CONFIG = f"disk:\n  reserve_bytes: {RESERVE}\ncheckpoint:\n  after_bytes: 65536\n"


@pytest.fixture
def small_disk():
    """A daemon whose state directory is a disk of 16 MiB."""
    yield from on_a_disk("size=16m")


@pytest.fixture
def disk_of_few_files():
    """A daemon whose state directory is on a disk that takes few files."""
    yield from on_a_disk("size=64m,nr_inodes=60")


def on_a_disk(options):
    if os.geteuid() != 0:
        pytest.skip("only root may mount a small disk")
    mount = Path(tempfile.mkdtemp(prefix="small", dir="/tmp"))
    if subprocess.run(["mount", "-t", "tmpfs", "-o", options, "small", mount],
                      capture_output=True).returncode != 0:
        mount.rmdir()
        pytest.skip("this system does not let root mount a tmpfs")
    daemon = Daemon(CONFIG)
    daemon.state = mount / "state"
    try:
        yield daemon
    finally:
        print(daemon.close())
        subprocess.run(["umount", "-l", mount], check=True)
        mount.rmdir()


def fill(daemon, leave):
    """Leaves so many bytes free on the daemon's disk."""
    status = os.statvfs(daemon.state)
    with (daemon.state.parent / "filler").open("ab") as file:
        file.write(bytes(max(0, status.f_bavail * status.f_frsize - leave)))


def status(daemon):
    return daemon.ask("health")["health"]["status"]


def refused(daemon, commands):
    """Whether the next command is refused; that takes up no number."""
    number = len(commands.sent) + 1
    body = commands.body(number)
    reply = ask_raw(daemon, body)
    if reply["ok"]:
        commands.sent[number], commands.replies[number] = body, reply
        return False
    assert reply["error"]["code"] == "diskFull", reply
    return True


def check_read_only(daemon, commands):
    """Everything is there and can be read, by people too; nothing is changed."""
    acknowledged = set(commands.replies)
    # The daemon looks at the disk again only after a pause.
    eventually(lambda: status(daemon) == "readOnly", 3)
    assert refused(daemon, commands)
    assert check_state(daemon, commands, acknowledged, acknowledged) == acknowledged
    assert daemon.ask("check")["ok"]
    last = max(acknowledged)
    assert ask_raw(daemon, commands.sent[last]) == commands.replies[last]
    assert cli(daemon, "show", "board").returncode == 0
    added = cli(daemon, "add", "board", "never")
    assert added.returncode == 1 and "full" in added.stderr, added
    health = cli(daemon, "health")
    assert health.returncode == 1 and health.stdout.startswith("readOnly"), health


def goes_on(daemon, commands):
    """It takes changes again within a heartbeat or two, without a restart."""
    eventually(lambda: status(daemon) == "ok", 3)
    assert commands.run(20)
    check_again(daemon, commands, set(commands.replies), set(commands.sent))


def test_a_full_disk(small_disk):
    assert start(small_disk)
    commands = Commands(small_disk)
    assert commands.run(40)
    fill(small_disk, RESERVE - MIB)
    check_read_only(small_disk, commands)
    (small_disk.state.parent / "filler").unlink()
    goes_on(small_disk, commands)
    assert small_disk.tail().count("read-only until there is room") == 1
    assert small_disk.kill(signal.SIGTERM) == 0


def test_a_start_on_a_full_disk(small_disk):
    """Not a byte is free: what is there can be read all the same."""
    assert start(small_disk)
    commands = Commands(small_disk)
    assert commands.run(40)
    small_disk.kill()
    fill(small_disk, 0)
    assert start(small_disk), small_disk.tail()
    check_read_only(small_disk, commands)
    (small_disk.state.parent / "filler").unlink()
    goes_on(small_disk, commands)
    assert small_disk.kill(signal.SIGTERM) == 0


def test_commands_fill_the_disk(small_disk):
    """Until nothing more is taken: by then nothing has failed, and nothing is lost."""
    assert start(small_disk)
    fill(small_disk, RESERVE + 3 * MIB)
    commands = Commands(small_disk)
    assert commands.run(10)
    while not refused(small_disk, commands):
        pass
    check_read_only(small_disk, commands)
    free = os.statvfs(small_disk.state)
    assert free.f_bavail * free.f_frsize > RESERVE - MIB
    (small_disk.state.parent / "filler").unlink()
    goes_on(small_disk, commands)


def test_a_checkpoint_that_does_not_fit(small_disk):
    """It makes way for commits, is not begun again at once, and comes when there is room."""
    small_disk.config.write_text(CONFIG.replace("65536", str(1 << 30)))
    assert start(small_disk)
    assert small_disk.ask("create", {}, "large")["ok"]
    fill(small_disk, RESERVE * 9 // 8 + MIB)
    for n in range(220):  # 3.3 MB, for which the first segment has its room already
        reply = small_disk.do("large", add={"id": f"r{n}", "fields": {"x": f"{n:03}" * 5000}})
        assert reply["ok"], reply
    assert status(small_disk) == "ok"
    small_disk.config.write_text(CONFIG)
    small_disk.process.send_signal(signal.SIGHUP)

    def gave_up():
        """the checkpoint was given up"""
        return "a checkpoint did not fit" in small_disk.tail()

    eventually(gave_up, 20)
    commands = Commands(small_disk)
    assert commands.run(40), "commits go on"
    assert status(small_disk) == "ok"
    time.sleep(1)
    assert small_disk.tail().count("did not fit") == 1 and "read-only" not in small_disk.tail()
    assert not (small_disk.state / "checkpoint.new").exists()
    (small_disk.state.parent / "filler").unlink()
    eventually(lambda: list(small_disk.state.glob("checkpoint-*")), 20)
    goes_on(small_disk, commands)
    assert small_disk.kill(signal.SIGTERM) == 0


def test_a_disk_that_takes_no_more_files(disk_of_few_files):
    """Bytes are free, and a commit may need a file: it is refused before, and says why."""
    daemon = disk_of_few_files
    assert start(daemon)
    commands = Commands(daemon)
    assert commands.run(10)
    files = [daemon.state.parent / f"f{n}" for n in range(60)]
    for file in files:
        try:
            file.touch()
        except OSError:
            break
    for _ in range(2):  # a start does not mind either
        eventually(lambda: status(daemon) == "readOnly", 5)
        assert refused(daemon, commands)
        added = cli(daemon, "add", "board", "never")
        assert added.returncode == 1 and "no more files" in added.stderr, added
        assert "no more files (inodes): read-only until there is room" in daemon.tail()
        assert cli(daemon, "show", "board").returncode == 0
        daemon.kill()
        assert start(daemon), daemon.tail()
    for file in files:
        file.unlink(missing_ok=True)
    goes_on(daemon, commands)
    assert daemon.kill(signal.SIGTERM) == 0


def until_refused(daemon, commands, most):
    """Sends commands until one is refused; False if the daemon ends before."""
    link = Link(daemon.endpoint)
    try:
        if commands.opened is None:
            link.send(encode({"client": "x", "number": 0, "hello": {}}))
            commands.opened = commands.receive(link, 0)["hello"]["opened"]
        for number in range(len(commands.replies) + 1, most):
            commands.sent[number] = commands.body(number)
            link.send(commands.sent[number])
            reply = commands.receive(link, number)
            if reply is None:
                return False
            if not reply["ok"]:
                assert reply["error"]["code"] == "diskFull", reply
                del commands.sent[number]
                return True
            commands.replies[number] = reply
    finally:
        link.close()
    raise AssertionError(f"{most} commands, and the disk was not full")


def full_from(at):
    """The disk is full from this call on, also for the next start; then there is room.

    Gives whether the daemon met it in a call, and not by looking.
    """
    daemon = Daemon(SMALL)
    try:
        flag = daemon.directory / "full"
        flag.touch()
        with_shim(daemon, at, ENOSPC, full=flag)
        commands = Commands(daemon)
        served = start(daemon)
        ended = not (served and until_refused(daemon, commands, 1_500))
        if ended:
            assert daemon.process.wait(10) == 74, daemon.tail()
            assert "No space left on device" in daemon.tail(), daemon.tail()
        else:
            daemon.kill()
        acknowledged, sent = set(commands.replies), set(commands.sent)
        with_shim(daemon, 1, ENOSPC, full=flag)
        if start(daemon):
            check_state(daemon, commands, acknowledged, sent)
            assert status(daemon) == "readOnly"
            flag.unlink()
            eventually(lambda: status(daemon) == "ok", 3)
        else:
            # Nothing had begun that could be read.
            assert not acknowledged and "No space left on device" in daemon.tail(), daemon.tail()
            flag.unlink()
            assert start(daemon), daemon.tail()
        assert commands.run(20)
        check_again(daemon, commands, set(commands.replies), set(commands.sent))
        assert daemon.kill(signal.SIGTERM) == 0, daemon.tail()
        return ended
    except BaseException as error:
        error.add_note(f"full from call {at} on\n{daemon.tail()}")
        raise
    finally:
        daemon.close()


@pytest.mark.bound(60, 1800)
def test_full_from_each_call_on():
    """Whatever it was doing: nothing is lost, it says why, and goes on when there is room."""
    numbers = full(range(1, 501), [*range(1, 20, 3), 40, 150, 400])
    ended = sum(full_from(at) for at in numbers)
    print(f"{len(numbers)} runs, {ended} ended by it, the others refused")
    assert 0 < ended < len(numbers)
