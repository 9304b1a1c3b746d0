"""A daemon for tests of single peers: its paths, its counters, a large table."""

import socket

from harness import BIN

RESIDENT = 128 * 1024  # KiB


def socket_paths(daemon):
    return (daemon.endpoint.removeprefix("ipc://"), daemon.hello["publish"][0].removeprefix("ipc://"))


def connections_dropped(daemon, reason):
    return daemon.stats()["counters"].get(f"connections_dropped_{reason}", 0)


def daemon_with_tcp(make_daemon):
    """A daemon that listens on tcp as well, and its two ports."""
    with socket.socket() as one, socket.socket() as two:
        one.bind(("127.0.0.1", 0))
        two.bind(("127.0.0.1", 0))
        ports = [one.getsockname()[1], two.getsockname()[1]]
    daemon = make_daemon(start=False)
    daemon.config = daemon.directory / "trestled.yaml"
    daemon.config.write_text(
        f"endpoints:\n  - request: {daemon.endpoint}\n    publish: ipc://{daemon.directory}/publish.sock\n"
        f"  - request: tcp://127.0.0.1:{ports[0]}\n    publish: tcp://127.0.0.1:{ports[1]}\n")
    daemon.command = lambda: [str(BIN / "trestled"), "--config", str(daemon.config), "--state-directory", str(daemon.state)]
    daemon.start()
    return daemon, ports


def fill_big_table(daemon, rows, size=200, table="big"):
    """A table with so many rows, and titles of so many letters."""
    daemon.ask("create", {}, table)
    for start in range(0, rows, 500):
        commands = [{"add": {"id": f"b{n}", "title": "t" * size}} for n in range(start, min(rows, start + 500))]
        assert daemon.ask("batch", {"commands": commands}, table)["ok"]
