#!/usr/bin/env python3
"""What CURVE costs: commands a second over tcp with keys beside tcp without, on the same daemon, in
alternation, with clients and viewers in processes of their own. Prints of each pair the rates, the processor time of
the daemon for a command, and the ratios; then their medians. Rates are of the whole machine: clients that share
its processors with the daemon have to encrypt too. Requests have two frames, as those of our own clients; each frame is
sealed by itself.

    bench/curve.py --bin .build/release [--media disk,memory] [--rounds 8] [--seconds 3] [--clients 64] [--viewers 10]

The disk is that of the working directory; in memory a commit costs nothing, so what sealing costs weighs most there.
"""

import argparse
import json
import multiprocessing
import os
import pathlib
import shutil
import socket
import statistics
import subprocess
import tempfile
import time

import zmq

PROCESSES = 4
MEDIA = {"disk": ".", "memory": "/dev/shm"}
WARM_UP = 1.0  # seconds: until all have shaken hands


def connect(kind, url, keys):
    made = zmq.Context.instance().socket(kind)
    made.linger = 0
    made.rcvhwm = 0
    if keys:
        made.curve_serverkey, made.curve_publickey, made.curve_secretkey = keys
    made.connect(url)
    return made


def work(url, keys, clients, seconds, index, counts):
    """Clients with one command under way each; counts the answers."""
    links, done = {}, 0
    poller = zmq.Poller()

    def send(link):
        name, number = links[link]
        links[link] = name, number + 1
        body = {"client": name, "number": number + 1, "table": "board",
                "command": {"set": {"row": f"r{index}", "title": f"Two espresso, {number}"}}}
        link.send_multipart([b"trestle/1 json", json.dumps(body).encode()])

    for i in range(clients):
        link = connect(zmq.DEALER, url, keys)
        links[link] = f"bench-{time.monotonic_ns()}-{index}-{i}", 0
        poller.register(link, zmq.POLLIN)
        send(link)
    begin = time.monotonic() + WARM_UP
    while (now := time.monotonic()) - begin < seconds:
        for link, _ in poller.poll(100):
            reply = json.loads(link.recv_multipart()[-1])
            if not reply.get("ok"):
                return counts.put(str(reply))
            done += now >= begin
            send(link)
    counts.put(done)


def watch(url, keys, viewers, stop):
    poller = zmq.Poller()
    for _ in range(viewers):
        viewer = connect(zmq.SUB, url, keys)
        viewer.subscribe("j/board/")
        poller.register(viewer, zmq.POLLIN)
    while not stop.is_set():
        for viewer, _ in poller.poll(100):
            viewer.recv_multipart()


def cpu(process):
    fields = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(daemon, request, publish, keys, options):
    """Commands a second, and microseconds of the daemon's for each."""
    # Each its own libzmq: the parent's is not for a fork.
    processes = multiprocessing.get_context("spawn")
    stop, counts = processes.Event(), processes.Queue()
    watcher = processes.Process(target=watch, args=(publish, keys, options.viewers, stop))
    workers = [processes.Process(
        target=work, args=(request, keys, options.clients // PROCESSES, options.seconds, i, counts))
        for i in range(PROCESSES)]
    for process in (watcher, *workers):
        process.start()
    counts_before, cpu_before = handled(daemon), cpu(daemon.pid)
    found = [counts.get(timeout=120) for _ in workers]
    used, commands = cpu(daemon.pid) - cpu_before, handled(daemon) - counts_before
    stop.set()
    for process in (*workers, watcher):
        process.join()
    if faults := [one for one in found if isinstance(one, str)]:
        raise SystemExit(faults[0])
    return sum(found) / options.seconds, used / commands * 1e6


def handled(daemon):
    return ask(daemon.link, {"stats": {}})["stats"]["counters"]["requests"]


def ask(link, body):
    link.send_multipart([b"trestle/1 json", json.dumps(body).encode()])
    reply = json.loads(link.recv_multipart()[-1])
    assert reply["ok"], reply
    return reply


def ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    found = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    for name, value in (("rounds", 8), ("seconds", 3), ("clients", 64), ("viewers", 10)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--media", default="disk,memory")
    options = parser.parse_args()
    for medium in options.media.split(","):
        print(medium)
        run(pathlib.Path(tempfile.mkdtemp(prefix="curve", dir=MEDIA[medium])), options)


def run(folder, options):
    (folder / "state").mkdir(mode=0o700)
    plain, plain_publish, sealed, sealed_publish = ports(4)
    config = folder / "trestled.yaml"
    config.write_text(f"""
endpoints:
  - {{request: 'tcp://127.0.0.1:{plain}', publish: 'tcp://127.0.0.1:{plain_publish}'}}
  - {{request: 'tcp://127.0.0.1:{sealed}', publish: 'tcp://127.0.0.1:{sealed_publish}', curve: true}}
guests: [{{anybody: true, roles: [admin]}}]
""")
    trestled = [options.bin / "trestled"]
    state = ["--state-directory", folder / "state"]
    public, secret = zmq.curve_keypair()
    subprocess.run([*trestled, "keys", "add", *state, "bench", public.decode()], check=True)
    server = subprocess.run([*trestled, "keys", "show", *state], check=True, capture_output=True)
    keys = server.stdout.strip(), public, secret
    with subprocess.Popen([*trestled, "--config", config, *state], stderr=subprocess.DEVNULL) as daemon:
        try:
            compare(daemon, {"plain": (plain, plain_publish), "sealed": (sealed, sealed_publish)}, keys, options)
        finally:
            daemon.terminate()
    shutil.rmtree(folder)


def compare(daemon, endpoints, keys, options):
    daemon.link = connect(zmq.DEALER, f"tcp://127.0.0.1:{endpoints['plain'][0]}", None)
    ask(daemon.link, {"table": "board", "create": {}})
    for i in range(PROCESSES):
        ask(daemon.link, {"table": "board", "command": {"add": {"id": f"r{i}"}}})
    rates, costs = [], []
    for turn in range(options.rounds):
        pair = {}
        for kind in ("plain", "sealed") if turn % 2 else ("sealed", "plain"):
            request, publish = (f"tcp://127.0.0.1:{port}" for port in endpoints[kind])
            pair[kind] = measure(daemon, request, publish, keys if kind == "sealed" else None, options)
        (plain, plain_us), (sealed, sealed_us) = pair["plain"], pair["sealed"]
        rates.append(sealed / plain)
        costs.append(sealed_us / plain_us)
        print(f"plain {plain:6.0f}/s {plain_us:5.0f} us  curve {sealed:6.0f}/s {sealed_us:5.0f} us  "
              f"rate {rates[-1]:.3f}  processor {costs[-1]:.3f}", flush=True)
    print(f"median: rate {statistics.median(rates):.3f}, processor {statistics.median(costs):.3f}")


if __name__ == "__main__":
    main()
