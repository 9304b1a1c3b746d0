public import TableModel
public import TableSync

/// An event of the mouse, in cells of the screen, from 0.
public struct Mouse: Equatable, Sendable {
    /// The action of the mouse.
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

    /// The action of the mouse.
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

/// An input of a person at the terminal.
public enum Input: Equatable, Sendable {
    case key(Key)
    case mouse(Mouse)
    /// Pasted text: never keys, whatever it contains.
    case paste(String)
}

/// The others who look, and their leases and presses. No revision holds this.
public struct Company: Equatable, Sendable {
    /// The rows that other people have lifted.
    public var ghosts: [Lease]
    /// Everybody who looks, with this viewer.
    public var viewers: [Attendant]

    /// Nobody, unless given.
    public init(ghosts: [Lease] = [], viewers: [Attendant] = []) {
        self.ghosts = ghosts
        self.viewers = viewers
    }
}

/// A row that was removed before the board started.
public struct Removed: Equatable, Sendable {
    /// The row.
    public var row: RowID
    /// The cause of its removal, for people.
    public var what: String
    /// When it was removed, in milliseconds since 1970 (UTC).
    public var atMs: UInt64

    /// As given.
    public init(row: RowID, what: String, atMs: UInt64) {
        self.row = row
        self.what = what
        self.atMs = atMs
    }
}

/// One change in the history of a row.
public struct Told: Equatable, Sendable {
    /// The change, in a sentence.
    public var text: String
    /// The person who did it; empty: it is not known.
    public var who: String
    /// When, in milliseconds since 1970 (UTC).
    public var atMs: UInt64
    /// Whether it was taken back.
    public var isUndone: Bool

    /// As given.
    public init(text: String, who: String, atMs: UInt64, isUndone: Bool = false) {
        self.text = text
        self.who = who
        self.atMs = atMs
        self.isUndone = isUndone
    }
}

/// The result of an intent.
public enum Outcome: Equatable, Sendable {
    /// It was carried out; a sentence if there is something to say.
    case done(String?)
    /// An undo or a redo, `word`, of this revision; `text`: what the history tells of it.
    case told(word: String, revision: UInt64, text: String, note: String)
    /// A lift succeeded: what follows names this lease.
    case lifted(lease: String)
    /// It was refused, with a sentence; nothing was changed.
    case refused(String)
}

/// Everything that can happen to a board.
public enum Event {
    case input(Input)
    case resize(width: Int, height: Int)
    /// A whole table came, in place of the one before.
    case installed(Table)
    /// The table has applied these diffs, in order.
    case changed([Diff])
    /// How the shown table relates to the daemon's; nil: the daemon has not answered yet.
    case connection(Replica.Freshness?)
    /// Time from the daemon's commit to here, in milliseconds. It compares two clocks.
    case lag(milliseconds: Int)
    /// How far this screen's clock is ahead of the daemon's, in milliseconds. Ages go by the daemon's.
    case clock(aheadMs: Int64)
    case company(Company)
    /// The daemon ended our lease, and why.
    case leaseEnded(lease: String, reason: String)
    /// Rows that were removed before the board started and can be recalled, newest first.
    case removedBefore([Removed])
    /// The people who swiped rows open before the board started.
    case swipedBefore([RowID: ID])
    /// The history of a row, newest first.
    case story(RowID, [Told])
    /// The person who turned edit mode on for everybody, before the board started.
    case editedBefore(String)
    /// The result of the intent with this number.
    case answered(Int, Outcome)
    /// The time, in milliseconds since 1970 (UTC).
    case tick(nowMs: UInt64)
    /// A message for the person, such as that revisions were lost.
    case note(String)
}

/// Something that the board's owner has to do. `Event.answered` names its number.
public struct Intent: Equatable, Sendable {
    /// Counts up, in the order of the intents.
    public var number: Int
    /// An effect that the caller carries out.
    public var wish: Wish

    /// One case for each thing that a board can ask for.
    public enum Wish: Equatable, Sendable {
        /// `ifVersion`: the version of the row that the person saw.
        case command(Command.Verb, ifVersion: UInt64? = nil)
        /// All of them or none, as one revision.
        case batch([Command])
        /// Answered by `lifted`.
        case lift([RowID])
        case hover(lease: String, Anchor, section: SectionID)
        /// `rows`: the lease's rows.
        case drop(lease: String, rows: [RowID], Anchor, section: SectionID)
        case cancel(lease: String)
        /// Turn the mouse on or off.
        case mouse(Bool)
        case redraw, suspend, quit
        /// Show another table in this one's place.
        case table(TableID)
        /// Ask what happened to a row. `Event.story` answers.
        case story(RowID)
    }
}
