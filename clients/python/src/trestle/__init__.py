"""A client of Trestle: live tables that many people work at.

    import trestle

    with trestle.connect("ipc:///run/trestle/request.sock") as client:
        board = client.board("board")
        board.add("Soup", section="grill")

`trestle.aio` is the same for asyncio. What is below needs no sockets, and is for other front ends:
`session` (commands, each once), `follower` (a table in sync), `work` (a handler).
"""

from . import messages, refusals
from .board import Board
from .client import Client, Pending, connect
from .errors import Closed, Forked, Malformed, NoAnswer, NoTable, OutcomeUnknown, Refused, TrestleError, Wrong
from .events import Absent, Change, Compared, Event, Freshness, Joined, Mismatch
from .predicate import BadPredicate, Predicate, RowPredicate
from .reply import Landing, Reply
from .row import Claim, Invocation, Item, Performance, Row, RowDict
from .table import Table
from .transport import Curve
from .verbs import Batch
from .viewer import Viewer
from .wire import Behalf
from .work import Job

__version__ = "1.0.0"
__all__ = [
    "Absent", "BadPredicate", "Batch", "Behalf", "Board", "Change", "Claim", "Client", "Closed", "Compared",
    "Curve", "Event", "Forked", "Freshness", "Invocation", "Item", "Job", "Joined", "Landing", "Malformed",
    "Mismatch", "NoAnswer", "NoTable", "OutcomeUnknown", "Pending", "Performance", "Predicate", "Refused", "Reply",
    "Row", "RowDict", "RowPredicate", "Table", "TrestleError", "Viewer", "Wrong", "connect", "messages", "refusals"]
