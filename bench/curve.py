#!/usr/bin/env python3
"""What CURVE costs: commands a second over tcp with keys beside tcp without, on the same daemon, in
alternation, with clients and viewers in processes of their own. Prints the ratio of each pair and their median.

    bench/curve.py --bin .build/release [--rounds 8] [--seconds 3] [--clients 64] [--viewers 10]
"""

import argparse
import json
import multiprocessing
import pathlib
import socket
import statistics
import subprocess
import tempfile
import time

import zmq

PROCESSES = 4


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
                "command": {"set": {"row": f"r{index}", "fields": {"n": number}}}}
        link.send_multipart([b"", b"trestle/1 json", json.dumps(body).encode()])

    for i in range(clients):
        link = connect(zmq.DEALER, url, keys)
        links[link] = f"bench-{time.monotonic_ns()}-{index}-{i}", 0
        poller.register(link, zmq.POLLIN)
        send(link)
    begin = end = time.monotonic() + 1
    while end - begin < seconds:
        for link, _ in poller.poll(100):
            reply = json.loads(link.recv_multipart()[-1])
            assert reply.get("ok"), reply
            done += end >= begin + 0.001
            send(link)
        end = max(time.monotonic(), begin)
    counts.put(done / (end - begin))


def watch(url, keys, viewers, stop):
    poller = zmq.Poller()
    for _ in range(viewers):
        viewer = connect(zmq.SUB, url, keys)
        viewer.subscribe("j/board/")
        poller.register(viewer, zmq.POLLIN)
    while not stop.is_set():
        for viewer, _ in poller.poll(100):
            viewer.recv_multipart()


def rate(request, publish, keys, options):
    stop, counts = multiprocessing.Event(), multiprocessing.Queue()
    watcher = multiprocessing.Process(target=watch, args=(publish, keys, options.viewers, stop))
    watcher.start()
    workers = [multiprocessing.Process(
        target=work, args=(request, keys, options.clients // PROCESSES, options.seconds, i, counts))
        for i in range(PROCESSES)]
    for worker in workers:
        worker.start()
    total = sum(counts.get(timeout=120) for _ in workers)
    stop.set()
    for process in [*workers, watcher]:
        process.join()
    return total


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
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="curve", dir="/dev/shm"))
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
        link = connect(zmq.DEALER, f"tcp://127.0.0.1:{plain}", None)
        bodies = [{"table": "board", "create": {}}]
        bodies += [{"table": "board", "command": {"add": {"id": f"r{i}"}}} for i in range(PROCESSES)]
        for body in bodies:
            link.send_multipart([b"", b"trestle/1 json", json.dumps(body).encode()])
            assert json.loads(link.recv_multipart()[-1])["ok"]
        ratios = []
        for turn in range(options.rounds):
            pair = {}
            for kind in ("plain", "sealed") if turn % 2 else ("sealed", "plain"):
                request, publish = (plain, plain_publish) if kind == "plain" else (sealed, sealed_publish)
                pair[kind] = rate(f"tcp://127.0.0.1:{request}", f"tcp://127.0.0.1:{publish}",
                                  keys if kind == "sealed" else None, options)
            ratios.append(pair["sealed"] / pair["plain"])
            print(f"plain {pair['plain']:.0f}/s  curve {pair['sealed']:.0f}/s  ratio {ratios[-1]:.3f}",
                  flush=True)
        print(f"median ratio {statistics.median(ratios):.3f}")
        daemon.terminate()


if __name__ == "__main__":
    main()
