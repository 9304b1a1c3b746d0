"""A class for each code of a refusal: `except trestle.refusals.Stale`.

Written by tests/write_types.py from docs/PROTOCOL.md; `TRESTLE_WRITE=1` with tests/test_types.py writes it anew.
"""

from .errors import Refused


class UnsupportedProtocol(Refused, code="unsupportedProtocol"):
    """The header frame is missing, or names another version or form."""


class TooManyFrames(Refused, code="tooManyFrames"):
    """More than 8 frames."""


class TooLarge(Refused, code="tooLarge"):
    """A request, batch, id, title, row, table or list beyond what `hello` allows."""


class Malformed(Refused, code="malformed"):
    """The body does not decode, holds invalid UTF-8 in a field of the schema, or lacks something required."""


class UnknownVerb(Refused, code="unknownVerb"):
    """No verb that this daemon knows."""


class BadName(Refused, code="badName"):
    """A table name that is missing, empty, or has control characters or a slash."""


class BadID(Refused, code="badID"):
    """An id that is empty or has control characters."""


class BadNumber(Refused, code="badNumber"):
    """A number that is not finite or out of its range (heights."""


class BadValue(Refused, code="badValue"):
    """`ifVersion` or `ifClaimed` on a command that does not take it (Commands)."""


class NoOtherDaemon(Refused, code="noOtherDaemon"):
    """`stepDown`."""


class NotStandby(Refused, code="notStandby"):
    """`promote`."""


class NotLeader(Refused, code="notLeader"):
    """Another daemon of the same service writes."""


class DiskFull(Refused, code="diskFull"):
    """The daemon's disk has no room."""


class Unknown(Refused, code="unknown"):
    """It cannot be told any more whether this command was carried out."""


class NumberReused(Refused, code="numberReused"):
    """The number came with another command."""


class NoSuchTable(Refused, code="noSuchTable"):
    """`noSuchTable`."""


class Exists(Refused, code="exists"):
    """The table or row is there already."""


class Duplicate(Refused, code="duplicate"):
    """An id twice where each may stand once."""


class BadAnchor(Refused, code="badAnchor"):
    """An anchor among the moved rows, or in another section than the one named."""


class Stale(Refused, code="stale"):
    """`if`, `ifRevision` or `ifVersion` does not hold."""


class NoSuchSection(Refused, code="noSuchSection"):
    """`noSuchSection`."""


class NoSuchKind(Refused, code="noSuchKind"):
    """`noSuchKind`."""


class NoSuchRow(Refused, code="noSuchRow"):
    """`noSuchRow`."""


class NoSuchState(Refused, code="noSuchState"):
    """`noSuchState`."""


class NoSuchItem(Refused, code="noSuchItem"):
    """The strip has no such item."""


class NotStrip(Refused, code="notStrip"):
    """Items of a row whose kind is no strip."""


class StripBlank(Refused, code="stripBlank"):
    """On a strip an item is selected, not the blank."""


class NoSuchAction(Refused, code="noSuchAction"):
    """The row has no action of that name, or none at the edge where it is to be opened."""


class WrongEdge(Refused, code="wrongEdge"):
    """The action is at the other edge."""


class NoFullSwipe(Refused, code="noFullSwipe"):
    """The group has no full swipe, or the action is not its first."""


class Guarded(Refused, code="guarded"):
    """The action's `when` does not hold for the row."""


class NeedsConfirmation(Refused, code="needsConfirmation"):
    """A person is to be asked first."""


class AlreadyDone(Refused, code="alreadyDone"):
    """The action was performed a moment ago, was performed and the row is as it was since, is under way, or has removed the row."""


class NotFailed(Refused, code="notFailed"):
    """Nothing of the row has failed that could be performed again."""


class Editing(Refused, code="editing"):
    """The table is in edit mode."""


class Paused(Refused, code="paused"):
    """New work of this section or action is not taken at present."""


class NoSuchInvocation(Refused, code="noSuchInvocation"):
    """It has ended, or there never was one."""


class NotHeld(Refused, code="notHeld"):
    """The invocation is held by another client, or by none."""


class NotAllowed(Refused, code="notAllowed"):
    """The row's kind forbids moving or removing."""


class Pinned(Refused, code="pinned"):
    """A row would pass a pinned row."""


class Leased(Refused, code="leased"):
    """The row is being dragged."""


class NoSuchLease(Refused, code="noSuchLease"):
    """It has ended (the message says why), or there never was one."""


class Claimed(Refused, code="claimed"):
    """Somebody else has claimed the row."""


class NotClaimed(Refused, code="notClaimed"):
    """`ifClaimed`, and the actor has not claimed the row."""


class NothingToUndo(Refused, code="nothingToUndo"):
    """No change that stands, or no undo, is kept."""


class AlreadyUndone(Refused, code="alreadyUndone"):
    """The revision was taken back."""


class NotUndoable(Refused, code="notUndoable"):
    """It cannot be taken back, whatever came later."""


class Conflict(Refused, code="conflict"):
    """A later revision is in the way, and named."""


class KindInUse(Refused, code="kindInUse"):
    """Rows have the kind that is to be dropped, an effect of another kind or of a row names it, or it is `row`."""


class SectionNotEmpty(Refused, code="sectionNotEmpty"):
    """`sectionNotEmpty`."""


class ViewerScope(Refused, code="viewerScope"):
    """The table's `swipeScope` (or `scrollScope`) is `viewer`."""


class Compacted(Refused, code="compacted"):
    """The diffs asked for, or the revision to go back to or to take back, are no longer kept."""


class NoSuchSnapshot(Refused, code="noSuchSnapshot"):
    """The snapshot was let go, or has no such chunk."""


class OtherHistory(Refused, code="otherHistory"):
    """The history named is not the table's."""


class NoSuchRestore(Refused, code="noSuchRestore"):
    """The restore was let go, another one began, or a part is missing."""


class BadBackup(Refused, code="badBackup"):
    """The parts of a restore do not make the tables that they say."""


class Damaged(Refused, code="damaged"):
    """`check` found that the journal or a table does not add up."""


class Interrupted(Refused, code="interrupted"):
    """`check` was not finished."""
