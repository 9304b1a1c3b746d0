"""A gateway before a service of several daemons: it goes to the one that writes, and its pages see a pause."""

import json
import shutil
import signal
import tempfile
import time
from pathlib import Path

import pytest
import websocket
from board_stage import Stage, full, settled
from serve_harness import Serve, eventually

from cluster_work import rows
from etcd_service import Etcd, Service


class Several:
    """The daemons of a service, in the place of one daemon."""

    def __init__(self, daemons=2):
        self.etcd = Etcd()
        self.service = Service(self.etcd, daemons)
        self.process = self.service
        self.directory = Path(tempfile.mkdtemp(prefix="t", dir="/tmp"))

    @property
    def endpoint(self):
        return ",".join(self.service.endpoints)

    def ask(self, verb, body=None, table=None):
        return self.service.leader().ask(verb, {} if body is None else body, table)

    def do(self, table, **command):
        return self.service.leader().do(table, **command)

    def die(self, how=signal.SIGKILL):
        """The daemon that writes is killed."""
        leader = self.service.leader()
        leader.kill(how)
        return leader

    def close(self):
        self.service.close()
        self.etcd.close()
        shutil.rmtree(self.directory, ignore_errors=True)


class Beyond:
    """A daemon, or several, as a gateway elsewhere sees it."""

    def __init__(self, endpoint, close=lambda: None, ask=None, do=None):
        self.endpoint, self.close, self.ask, self.do = endpoint, close, ask, do
        self.process = self
        self.directory = Path(tempfile.mkdtemp(prefix="t", dir="/tmp"))


#: Commands one after the other, each of which changes the board: what each was answered, and when.
WORK = """window.said = []; window.stop = false; void (async () => {
    for (let n = 0; !window.stop; n++) {
        const command = n % 2 ? {add: {title: `row ${n}`, section: 'pass', bottom: true}}
            : {swipe: {row: '1041-g', edge: n % 4 ? 'closed' : 'trailing'}};
        const begin = performance.now();
        const {ok, error} = await trestle.board.follow.send(command);
        window.said.push({n, ok, code: error?.code, took: performance.now() - begin});
        await new Promise(done => setTimeout(done, 40));
    } window.said.push(null); })(); 0"""


@pytest.mark.bound(120, 900)
def test_the_leader_dies_while_a_page_swipes():
    """A pause: never an error, and nothing twice."""
    several = Several()
    with Stage(daemon=several) as stage:
        page = stage.open()
        before = page.evaluate("trestle.board.table.revision")
        page.evaluate(WORK)
        settled(page, "said.length > 5")
        for _ in range(full(30, 2)):
            count = page.evaluate("said.length")
            dead = several.die()
            settled(page, f"said.length > {count + 10}", 30)
            dead.start()
            eventually(lambda: len(several.service.standbys()) == 1, 20)
        page.evaluate("window.stop = true")
        settled(page, "said.at(-1) === null", 30)
        said = page.evaluate("said")[:-1]
        assert [one for one in said if not one["ok"]] == []
        longest = max(one["took"] for one in said)
        print(f"{len(said)} commands, the longest took {longest / 1000:.1f} s")
        assert longest < 20_000  # a lease of 2 s; an idle machine needs 4
        # Each of them is one revision.
        assert page.evaluate("trestle.board.table.revision") == before + len(said)
        titles = [row for row in rows(several.service.leader(), "kitchen")]
        assert len(titles) == len(set(titles))
        assert page.evaluate("trestle.session.outcomes") == []
        assert page.evaluate("trestle.board.follow.pending") == []
        # The death is seen by the page only as what it is: nothing in the console but connections.
        assert stage.wrong == []


def test_a_daemon_that_stops_and_one_that_steps_down_are_left():
    several = Several()
    with Serve(daemon=several) as serve:
        serve.table("t")
        page = serve.page(serve.pair("grill"))
        leader = several.service.leader()
        # Silent, not gone.
        leader.process.send_signal(signal.SIGSTOP)
        try:
            number, end, reply = page.number + 1, time.monotonic() + 30, None
            body = {"client": page.client, "number": number, "table": "t", "opened": 0,
                    "command": {"add": {"id": "new", "title": "once"}}}
            while time.monotonic() < end and not (reply and reply.get("ok")):
                page.send("request", json.dumps(body))
                try:
                    reply = json.loads(page.next(
                        "reply", 1.0, lambda rest: json.loads(rest).get("number") == number)[1])
                except (TimeoutError, websocket.WebSocketTimeoutException):
                    continue
                if not reply.get("ok"):
                    assert reply["error"]["code"] == "notLeader", reply
                    time.sleep(0.2)
            assert reply and reply["ok"], reply
        finally:
            leader.process.send_signal(signal.SIGCONT)
        other = several.service.leader()
        assert other is not leader and rows(other).count("new") == 1
        eventually(lambda: serve.get("/readyz")[0] == 200, 2)
        # The one that wakes follows, and the gateway goes where it is told when the other steps down.
        eventually(lambda: len(several.service.standbys()) == 1, 20)
        eventually(lambda: len(other.health()["members"]) == 2, 20, 0.1)
        assert other.ask("stepDown").get("ok")
        eventually(lambda: several.service.find() is leader, 20, 0.1)
        said = eventually(lambda: page.ask("t", command={"remove": {"rows": ["new"]}}, opened=0).get("ok"), 20)
        assert said


def test_the_list_is_checked():
    serve = Serve(start=False)
    done = serve.run("run", "-e", "tcp://127.0.0.1:1,nonsense", check=False)
    assert done.returncode == 64 and "nonsense" in done.stderr
