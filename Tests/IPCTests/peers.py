"""What tests of single peers ask of a daemon."""

RESIDENT = 128 * 1024  # KiB


def paths(daemon):
    return (daemon.endpoint.removeprefix("ipc://"), daemon.hello["publish"][0].removeprefix("ipc://"))


def ended(daemon, reason):
    return daemon.stats()["counters"].get(f"connections_dropped_{reason}", 0)
