"""`trestled check-config` reports all faults, each with its line."""

import subprocess

from cli_daemon import BIN


def check(*options, **more):
    return subprocess.run(
        [BIN / "trestled", "check-config", *options], capture_output=True, timeout=30, **more)


def test_all_faults(tmp_path):
    path = tmp_path / "trestled.yaml"
    path.write_text(
        "heartbeat_ms: 1\nlog: {level: loud}\nlimts: {}\nendpoints:\n"
        "  - {request: 'ipc:///a', publish: 'tcp://10.0.0.1:1'}\n  - {request: nonsense}\n")
    done = check("--config", path, "--endpoint", "udp://x")
    assert (done.returncode, done.stdout) == (78, b"")
    lines = done.stderr.decode().splitlines()
    assert [line.split(": ")[1].rsplit("/")[-1].split(":")[1] for line in lines[:-1]] == [
        "1", "2", "3", "5", "6", "6"]
    for line, name in zip(lines, ["heartbeat_ms", "log.level", "`limts` (did you mean `limits`?)",
                                  "endpoints[0].publish", "endpoints[1]", "endpoints[1].request",
                                  "--endpoint udp://x"]):
        assert line.startswith("trestled: ") and name in line, line
    # A daemon that starts says the first, and how many more there are.
    started = subprocess.run(
        [BIN / "trestled", "--config", path], capture_output=True, timeout=30)
    assert started.returncode == 78
    assert b"heartbeat_ms" in started.stderr and b"and 5 more" in started.stderr


def test_one_that_is_right(tmp_path):
    path = tmp_path / "trestled.yaml"
    path.write_text("log: {level: debug}\n")
    done = check("--config", path)
    assert done.returncode == 0 and b"logs debug and above" in done.stdout
    assert check("--config", tmp_path / "none").returncode == 78
    path.write_text("log: {")
    broken = check("--config", path)
    assert broken.returncode == 78 and broken.stderr.count(b"\n") == 1
