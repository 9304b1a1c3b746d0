public import TableModel
public import TableSync

/// What a mouse did, in cells of the screen, from 0.
public struct Mouse: Equatable, Sendable {
    /// What it did.
    public enum Action: Equatable, Sendable {
        /// The first button went down.
        case press
        /// It moved while the first button was down.
        case drag
        /// The first button went up.
        case release
        case wheelUp, wheelDown, wheelLeft, wheelRight
        /// Another button: it does nothing here.
        case other
    }

    /// What it did.
    public var action: Action
    /// Column and line.
    public var x: Int, y: Int

    /// As given.
    public init(_ action: Action, x: Int, y: Int) {
        self.action = action
        self.x = x
        self.y = y
    }
}

/// What comes in from the keyboard's side.
public enum Input: Equatable, Sendable {
    case key(Key)
    case mouse(Mouse)
    /// Pasted text: never keys, whatever stands in it.
    case paste(String)
}

/// How the table that is shown stands to the daemon's.
public enum Connection: Equatable, Sendable {
    /// The daemon has not answered yet.
    case calling
    /// Nothing was ever heard.
    case connecting
    case live
    /// Nothing was heard for so long, or it is being caught up with.
    case stale(forMs: UInt64)
    case disconnected
    /// The daemon has no such table.
    case absent
}

/// Who else looks, and what they are about to do: what no revision says.
public struct Company: Equatable, Sendable {
    /// What is in other people's hands.
    public var ghosts: [Lease]
    /// Everybody who looks, this viewer among them.
    public var viewers: [Attendant]

    /// Nobody, unless given.
    public init(ghosts: [Lease] = [], viewers: [Attendant] = []) {
        self.ghosts = ghosts
        self.viewers = viewers
    }
}

/// A row that went before a board began.
public struct Removed: Equatable, Sendable {
    /// The row.
    public var row: RowID
    /// How it went, for people.
    public var what: String
    /// When, in milliseconds since 1970.
    public var atMs: UInt64

    /// As given.
    public init(row: RowID, what: String, atMs: UInt64) {
        self.row = row
        self.what = what
        self.atMs = atMs
    }
}

/// What came of an intent.
public enum Outcome: Equatable, Sendable {
    /// Carried out; with a sentence if there is something to say.
    case done(String?)
    /// A lift succeeded: further steps name this lease.
    case lifted(lease: String)
    /// Refused, with a sentence; nothing was changed.
    case refused(String)
}

/// What happens to a board, from wherever it comes.
public enum Event {
    case input(Input)
    case resize(width: Int, height: Int)
    /// A whole table is there, in the place of what was.
    case installed(Table)
    /// The table went on by these diffs, in order, all of which it has applied.
    case changed([Diff])
    case connection(Connection)
    /// From the daemon's commit to here, in milliseconds; by two clocks.
    case lag(milliseconds: Int)
    case company(Company)
    /// What is in the hand is no longer ours, and why.
    case leaseEnded(lease: String, reason: String)
    /// What can be recalled from before the board began, newest first.
    case removedBefore([Removed])
    /// Who swiped rows open before the board began.
    case swipedBefore([RowID: ID])
    /// What came of the intent with this number.
    case answered(Int, Outcome)
    /// The time, in milliseconds since 1970 (UTC).
    case tick(nowMs: UInt64)
    /// Something to be said to the person, such as that revisions were lost.
    case note(String)
}

/// What is to be done, by whoever owns the board. Numbered: see `Event.answered`.
public struct Intent: Equatable, Sendable {
    /// In the order in which they came.
    public var number: Int
    /// What is to be done.
    public var wish: Wish

    /// One case for each thing that a board can wish for.
    public enum Wish: Equatable, Sendable {
        /// `version`: of the row, as the person saw it.
        case act(Command.Act, version: UInt64)
        case swipe(RowID, Edge?)
        /// To a state, or with nil to the next.
        case expand(RowID, Expansion?)
        case expandAll(Bool)
        case select(RowID, item: ID?)
        case scroll(RowID, Scroll)
        case add(title: String, kind: KindID, section: SectionID?, after: RowID?)
        case edit(Bool)
        /// Answered by `lifted`.
        case lift([RowID])
        case hover(lease: String, Anchor, section: SectionID)
        /// `rows` are those of the lease.
        case drop(lease: String, rows: [RowID], Anchor, section: SectionID)
        case cancel(lease: String)
        case undo, redo
        /// Take this revision back, whoever's it was.
        case takeBack(revision: UInt64)
        case recall([RowID])
        /// Say that we work on a row, or no longer do.
        case claim(RowID, Bool)
        /// Turn the mouse on or off.
        case mouse(Bool)
        case redraw
        case suspend
        case quit
    }
}
