"""A program of its own: peers that ask what only the daemon can answer."""

import json
import sys
from collections import Counter

import zmq

VERBS = ["check", "health", "hello", "stats"]
UNDER_WAY = 100  # of each peer


def main(endpoint, peers, each):
    context, poller, left, waiting, counts = zmq.Context.instance(), zmq.Poller(), {}, {}, Counter()
    for peer in range(int(peers)):
        socket = context.socket(zmq.DEALER)
        socket.linger = 0
        socket.connect(endpoint)
        poller.register(socket, zmq.POLLIN)
        left[socket] = [verb for _ in range(int(each)) for verb in VERBS]
        waiting[socket] = 0
    print(json.dumps({"ready": True}), flush=True)
    sys.stdin.readline()
    while any(left.values()) or any(waiting.values()):
        for socket, verbs in left.items():
            while verbs and waiting[socket] < UNDER_WAY:
                request = {"client": "asker", "number": len(verbs), verbs.pop(): {}}
                socket.send_multipart([b"trestle/1 json", json.dumps(request).encode()])
                waiting[socket] += 1
        for socket, _ in poller.poll(60_000):
            while socket.poll(0):
                reply = json.loads(socket.recv_multipart()[-1])
                waiting[socket] -= 1
                what = next((verb for verb in VERBS if verb in reply), None)
                counts[what if reply["ok"] else reply["error"]["code"]] += 1
    print(json.dumps(counts), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
