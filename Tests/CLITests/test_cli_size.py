"""What the programs weigh, and how soon a command from a shell is done."""

import os
import shutil
import statistics
import subprocess
import time

import pytest

from cli_daemon import BIN

# Stripped, as they are installed. On 2026-11-27: trestled 19.7 MB, trestle 20.9 MB.
MOST_BYTES = 22_000_000
ROUNDS = 80
# `trestle tables` beside `redis-cli ping`. The goal is 1.2, which FULL=1 asks for on a machine that does nothing else; it
# is missed since one parser reads the command line (1.65, docs/decisions/0030). Under a load several threads suffer more.
MOST_TIMES = 1.2 if os.environ.get("FULL", "") not in ("", "0") else 2.2


@pytest.mark.parametrize("program", ["trestle", "trestled"])
def test_no_data_of_foundation(program):
    """Foundation brings 34 MB of ICU's data. One call of it is enough, such as `contains` of a text in a
    text, which looks like the standard library's: `firstRange(of:)` is."""
    assert b"icudt" not in (BIN / program).read_bytes()


@pytest.mark.parametrize("program", ["trestle", "trestled"])
def test_size(program, tmp_path):
    stripped = tmp_path / program
    subprocess.run(["strip", "-o", stripped, BIN / program], check=True, timeout=60)
    size = stripped.stat().st_size
    print(f"{program}: {size / 1e6:.1f} MB stripped")
    assert size <= MOST_BYTES


def test_libraries_are_the_systems():
    """Without a path of its own the loader asks each library for in one place less."""
    for program in ("trestle", "trestled"):
        said = subprocess.run(["readelf", "-ldW", BIN / program], check=True, capture_output=True,
                              text=True, timeout=60).stdout
        assert "RUNPATH" not in said and "RPATH" not in said
        assert "GNU_RELRO" in said, "what the loader has filled in can be written"


def seconds(command, environment):
    """Waits without a timeout: with one, Python looks after 0.5, 1.5, 3.5 and 7.5 ms, and measures only those."""
    begin = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    return time.perf_counter() - begin


@pytest.mark.skipif(not shutil.which("redis-server"), reason="redis-server is not installed")
@pytest.mark.parametrize("words", [["tables"], ["tables", "--endpoint", "{}"]], ids=["bare", "endpoint"])
def test_start_time_beside_redis(daemon, words, tmp_path):
    """Interleaved runs, so that what else the machine does hits both; the quicker half of each counts."""
    stripped = tmp_path / "trestle"
    subprocess.run(["strip", "-o", stripped, BIN / "trestle"], check=True, timeout=60)
    socket = daemon.directory / "redis.sock"
    server = subprocess.Popen(
        ["redis-server", "--port", "0", "--unixsocket", str(socket), "--save", "", "--dir", tmp_path],
        stdout=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 10
        while not socket.exists():
            assert time.monotonic() < end and server.poll() is None
            time.sleep(0.05)
        ours, theirs = [], []
        for _ in range(ROUNDS):
            theirs.append(seconds(["redis-cli", "-s", str(socket), "ping"], daemon.environment))
            ours.append(seconds([stripped, *(word.format(daemon.endpoint) for word in words)], daemon.environment))
    finally:
        server.terminate()
        server.wait(10)
    one, other = (statistics.median(sorted(some)[:ROUNDS // 2]) for some in (ours, theirs))
    print(f"trestle tables {one * 1e3:.2f} ms, redis-cli ping {other * 1e3:.2f} ms: {one / other:.2f}")
    assert one <= MOST_TIMES * other
