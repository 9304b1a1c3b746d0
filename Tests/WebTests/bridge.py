"""A daemon of its own, and the gateway's frames over standard input and output.

Each line is a frame as the gateway has them (a string of JSON: head line, newline, bytes), so that the
page's core is tested with a real daemon and without a browser. Heads of its own: `kill` and `start` (the
daemon), `trestle` (runs the program: a list of its arguments; answered by `ran`), `quit`.
"""

import json
import os
import sys
from pathlib import Path

import zmq

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "IPCTests"))

from harness import Daemon, cli  # noqa: E402

HEADER = b"trestle/1 json"
DEVICE = {"device": "bench", "role": "operator", "tables": ["*"], "prefix": "web-test-", "program": "bridge",
          "version": "0", "assets": ""}


class Bridge:
    def __init__(self):
        self.daemon = Daemon(os.environ.get("TRESTLED_YAML"))
        self.context = zmq.Context()
        self.dealer = self.sub = None
        self.topics = []
        self.poller = zmq.Poller()
        self.poller.register(sys.stdin.fileno(), zmq.POLLIN)
        self.rest = b""
        self.start()

    def start(self):
        self.daemon.start()
        for socket in filter(None, (self.dealer, self.sub)):
            self.poller.unregister(socket)
            socket.close(0)
        self.dealer = self.context.socket(zmq.DEALER)
        self.dealer.connect(self.daemon.endpoint)
        self.sub = self.context.socket(zmq.SUB)
        self.sub.rcvhwm = 0
        self.sub.connect(self.daemon.hello["publish"][0])
        for topic in self.topics:
            self.sub.subscribe(topic)
        self.poller.register(self.dealer, zmq.POLLIN)
        self.poller.register(self.sub, zmq.POLLIN)
        self.say("device", json.dumps(DEVICE | {"hello": self.daemon.hello}))

    def say(self, head, rest=""):
        sys.stdout.write(json.dumps(f"{head}\n{rest}") + "\n")

    def heard(self, frame):
        head, _, rest = frame.partition("\n")
        verb, _, name = head.partition(" ")
        if verb == "request":
            self.dealer.send_multipart([HEADER, rest.encode()])
        elif verb == "follow":
            self.topics += [f"j/{name}/", f"pj/{name}/"]
            for topic in self.topics[-2:]:
                self.sub.subscribe(topic)
        elif verb == "leave":
            for topic in (f"j/{name}/", f"pj/{name}/"):
                if topic in self.topics:
                    self.topics.remove(topic)
                    self.sub.unsubscribe(topic)
        elif verb == "ping":
            self.say("pong", rest)
        elif verb == "kill":
            self.daemon.kill()
            self.say("daemon down")
        elif verb == "start":
            self.start()
            self.say("daemon up")
        elif verb == "trestle":
            done = cli(self.daemon, *json.loads(rest), timeout=60)
            self.say("ran", json.dumps([done.returncode, done.stdout, done.stderr]))

    def run(self):
        while True:
            ready = dict(self.poller.poll())
            for socket in (self.dealer, self.sub):
                while socket in ready and socket.poll(0):
                    frames = socket.recv_multipart()
                    topic = "" if socket is self.dealer else " " + frames[0].decode()
                    self.say("reply" if socket is self.dealer else "pub" + topic, frames[-1].decode())
            if sys.stdin.fileno() in ready:
                data = os.read(sys.stdin.fileno(), 1 << 20)
                if not data:
                    return
                *lines, self.rest = (self.rest + data).split(b"\n")
                for line in lines:
                    frame = json.loads(line)
                    if frame.startswith("quit"):
                        return
                    self.heard(frame)
            sys.stdout.flush()


if __name__ == "__main__":
    bridge = None
    try:
        bridge = Bridge()
        sys.stdout.flush()
        bridge.run()
    finally:
        if bridge:
            bridge.daemon.close()
