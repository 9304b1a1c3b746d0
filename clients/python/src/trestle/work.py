"""A handler's end of the protocol: takes presses, says that it is there, says how they ended.

No sockets and no clock (docs/PROTOCOL.md, "Handlers"). The owner runs what `step` gives, then calls
`finish`. A press whose handler dies is given to another one, with `attempt` 2.
"""

from .errors import OutcomeUnknown, Refused
from .row import Invocation, Row
from .session import Session
from .table import Table
from .ticket import Ticket
from .verbs import given
from .wire import Json

RENEW = 1.0
"""Seconds between two signs of life."""
PAUSE = 0.1
"""Seconds after a `take` that found nothing: others were quicker."""


class Job:
    """A press that this handler holds."""

    def __init__(self, invocation: Invocation, taken: float) -> None:
        self.invocation, self.taken = invocation, taken
        self.lost = False
        """Somebody else has it by now, or it has ended: stop."""
        self.end: Json | None = None
        """The command that says how it ended."""
        self.ending: Ticket | None = None
        self.say_at = 0.0

    @property
    def row(self) -> Row:
        """The row as it was pressed."""
        row = self.invocation.row
        if row is None:
            raise LookupError("the daemon did not say which row it was")
        return row

    @property
    def attempt(self) -> int:
        """1 the first time; from 2 on it may have run before, in part or to the end."""
        return self.invocation.attempt


def reason_of(error: BaseException, most: int) -> str:
    """An exception as the reason of a failure, of at most so many bytes."""
    text = " ".join(str(error).split()) or type(error).__name__
    text = "".join(one for one in text if one.isprintable()).encode("utf-8", "replace")[:most].decode("utf-8", "ignore")
    return text or type(error).__name__


class Work:
    """Presses of one action (None: of any) in one table, at most `jobs` at a time, `count` in all."""

    def __init__(self, table: str, session: Session, action: str | None, jobs: int,
                 count: int | None = None) -> None:
        self.table, self.action, self.jobs, self.count = table, action, jobs, count
        self.stopping = False  # takes nothing more
        self.running: dict[str, Job] = {}
        self.ended = self.lost = 0
        self._session = session
        self._take: Ticket | None = None
        self._renew: Ticket | None = None
        self._renewed = 0.0  # when it said last that it is there
        self._not_before = 0.0

    @property
    def over(self) -> bool:
        """It is to take nothing more, and nothing runs, is being taken or reported."""
        enough = self.count is not None and self.ended >= self.count
        return (self.stopping or enough) and not self.running and self._take is None

    def _room(self) -> int:
        """How many more it may hold."""
        most = self.jobs if self.count is None else min(self.jobs, self.count - self.ended)
        return 0 if self.stopping else most - len(self.running)

    def step(self, table: Table | None, now: float) -> list[Job]:
        """Jobs that are to begin now. Jobs that were lost have their `lost` set."""
        begun = self._taken(now)
        self._told(now)
        self._ends(now)
        if self._take is None and now >= self._not_before and self._room() > 0 and table and self._waits(table):
            take = {"take": given(action=self.action, most=self._room())}
            self._take = self._session.submit("command", take, self.table)
        if self.running and self._renew is None and now >= self._renewed + RENEW:
            self._renewed = now
            self._renew = self._session.ask("renew", {}, self.table)
        return begun

    def finish(self, job: Job, failed: str | None = None) -> None:
        """It has ended: done, or failed with this reason."""
        outcome = {"done": True} if failed is None else {"failed": failed}
        self._end(job, {"finish": {"invocation": job.invocation.id, **outcome}})

    def release(self, job: Job) -> None:
        """It was not run to its end: somebody else may take it."""
        self._end(job, {"release": {"invocation": job.invocation.id}})

    def _end(self, job: Job, command: Json) -> None:
        if job.lost:
            self.running.pop(job.invocation.id, None)
        else:
            job.end = command
            job.ending = self._session.submit("command", command, self.table)

    def _waits(self, table: Table) -> bool:
        return any("holder" not in one and one.get("failure", {"over": True}).get("over")
                   and self.action in (None, one["action"]) for one in table.waiting.values())

    def _taken(self, now: float) -> list[Job]:
        if self._take is None or not self._take.done:
            return []
        ticket, self._take = self._take, None
        try:
            taken = [Job(one, now) for one in ticket.result().invocations]
        except (Refused, OutcomeUnknown) as why:
            if isinstance(why, Refused) and why.code not in ("noSuchTable", "diskFull"):
                raise
            taken = []
        if not taken:
            self._not_before = now + PAUSE
        self.running.update((job.invocation.id, job) for job in taken)
        return taken

    def _told(self, now: float) -> None:
        """A press that the daemon no longer counts as held is lost."""
        if self._renew is None or not self._renew.done:
            return
        ticket, self._renew = self._renew, None
        try:
            held: set[str] = {one.id for one in ticket.result().invocations}
        except Refused as why:
            if why.code != "noSuchTable":
                return
            held = set()
        for job in self.running.values():
            if job.invocation.id not in held and job.taken < self._renewed and job.end is None:
                job.lost = True

    def _ends(self, now: float) -> None:
        for id, job in list(self.running.items()):
            if job.end and job.ending is None and now >= job.say_at:
                job.ending = self._session.submit("command", job.end, self.table)
            if job.ending is None or not job.ending.done:
                continue
            ticket, job.ending = job.ending, None
            try:
                ticket.result()
                self.ended += 1
            except (Refused, OutcomeUnknown) as why:
                if isinstance(why, Refused) and why.code == "diskFull":
                    job.say_at = now + RENEW  # it is still held: said again when there is room
                    continue
                job.lost = True  # somebody else has it, or its time was over
                self.lost += 1
            del self.running[id]
