public import TableModel
import TableLayout
import TableSync

/// A table at work on a screen of cells: keys, mouse, changes and the time go in, intents and
/// screens come out. No input or output of its own, so that tests can play a whole shift to it.
///
/// The selection follows its row, wherever others move it. What is on the screen holds still: a row
/// keeps its line whatever happens above it. Not thread-safe.
public final class Board {
    /// What it is told at the start.
    public struct Setup: Sendable {
        /// The table's name.
        public var name: String
        /// Where the daemon is, for people.
        public var endpoint = ""
        /// Names us in causes: our own changes are told from those of others by it.
        public var client: ID?
        /// Which key does what.
        public var keys = Keymap.standard
        /// One line for a row, or as many as it is high.
        public var isDense = false
        /// Whether the mouse is ours.
        public var hasMouse = true

        /// Every default.
        public init(name: String) { self.name = name }
    }

    let setup: Setup
    var keys: Keymap { setup.keys }

    // What there is.
    var table: Table?
    /// Whether there ever was one.
    var hasHadTable = false
    var index: LayoutIndex?
    var connection = Connection.connecting
    var company = Company()
    /// Who swiped rows open that are so, as far as that is known; not this viewer.
    var openers: [RowID: ID] = [:]
    var lagMs: Int?
    var nowMs: UInt64 = 0
    var width = 80, height = 24
    var isDense: Bool
    var hasMouse: Bool

    // Where the person is.
    var selected: RowID?
    /// Where it was when it was last looked for.
    var selectedPlace: RowOrder.Place?
    /// The row that holds still, and the line of the view where its top is.
    var anchor: (row: RowID, line: Int)?
    /// What is seen, of the last `settle`.
    var flow: [Block] = []
    var isSettled = false
    var mode = Mode.rows
    /// A swipe that was asked for and is not in the table yet: keys that follow at once count on it.
    var expected: Expected?
    /// The action that Enter performs, in the row that is swiped open.
    var focus = 0
    /// The item of a strip that is marked.
    var item: (row: RowID, item: ID)?
    var swipes = ViewerSwipes()
    var scrolls = ViewerScrolls()
    var hand: Hand?
    var gesture = Gesture.none
    var filter: Filter?
    var matches: Set<RowID> = []
    var knownOrder: RowOrder?
    var message: Message?
    var recent = Recent()
    /// The selected row was moved by this person: the view follows.
    var wantsReveal = false

    // What is under way.
    var waiting: [Int: Waiting] = [:]
    private var nextNumber = 1
    private var intents: [Intent] = []
    /// Something may look different now.
    public internal(set) var isDirty = true
    private var drawnMs: UInt64 = 0

    /// What the keys mean.
    enum Mode: Equatable {
        case rows
        case prompt(Prompt, LineEditor)
        case help(LineEditor, scroll: Int)
        case recall(at: Int)
        /// A press that is to be confirmed.
        case confirm(Command.Act, version: UInt64, title: String)
    }

    /// What is typed.
    enum Prompt: Equatable {
        case filter(before: String)
        case command
        case add(SectionID?, after: RowID?)
    }

    /// A sentence for the person, for some seconds.
    struct Message: Equatable {
        enum Kind { case news, refusal }
        var text: String
        var kind: Kind
        var untilMs: UInt64
    }

    /// A side of a row that is about to be open, or closed with nil.
    struct Expected: Equatable {
        var row: RowID
        var edge: Edge?
        var number: Int
        var untilMs: UInt64
    }

    /// An intent that was not answered yet.
    struct Waiting {
        var what: String
        var sinceMs: UInt64
        var isLift = false
    }

    /// A board that has heard nothing yet.
    public init(_ setup: Setup) {
        self.setup = setup
        isDense = setup.isDense
        hasMouse = setup.hasMouse
    }

    // MARK: In and out

    /// Takes what happened, and says what is to be done.
    public func handle(_ event: Event) -> [Intent] {
        switch event {
        case .input(let input): handle(input)
        case .resize(let width, let height): resize(width, height)
        case .installed(let table): install(table)
        case .changed(let diffs): follow(diffs)
        case .connection(let new): connect(new)
        case .lag(let milliseconds): if lagMs != milliseconds { lagMs = milliseconds }
        case .company(let new):
            company = new
            isDirty = true
        case .swipedBefore(let all):
            openers.merge(all) { known, _ in known }
            isDirty = true
        case .leaseEnded(let lease, let reason): leaseEnded(lease, reason)
        case .removedBefore(let all):
            recent.add(all)
            isDirty = true
        case .answered(let number, let outcome): answered(number, outcome)
        case .tick(let nowMs): tick(nowMs)
        case .note(let text): say(text)
        }
        defer { intents = [] }
        return intents
    }

    /// Wishes for something; the number by which it is answered.
    @discardableResult
    func wish(_ wish: Intent.Wish, _ what: String = "", isLift: Bool = false) -> Int {
        let number = nextNumber
        nextNumber += 1
        intents.append(Intent(number: number, wish: wish))
        if !what.isEmpty {
            waiting[number] = Waiting(what: what, sinceMs: nowMs, isLift: isLift)
        }
        return number
    }

    func say(_ text: String, _ kind: Message.Kind = .news) {
        // A refusal is to be read, and takes longer; so does a long sentence.
        let span: UInt64 = kind == .refusal || text.utf8.count > 80 ? 8_000 : 4_000
        message = Message(text: text, kind: kind, untilMs: nowMs &+ span)
        isDirty = true
    }

    func refuse(_ text: String) { say(text, .refusal) }

    private func tick(_ now: UInt64) {
        nowMs = now
        if let until = message?.untilMs, now >= until {
            message = nil
            isDirty = true
        }
        if let until = expected?.untilMs, now >= until {
            expected = nil
            isDirty = true
        }
        scrollWhileDragging()
        // Ages and seconds of silence go on by themselves.
        if now &- drawnMs >= 500 { isDirty = true }
    }

    /// The screen as it is to be now.
    public func draw() -> Screen {
        settle()
        isDirty = false
        drawnMs = nowMs
        var screen = Screen(width: width, height: height)
        Drawing(board: self).draw(into: &screen)
        return screen
    }

    private func resize(_ width: Int, _ height: Int) {
        self.width = min(max(1, width), 2_000)
        self.height = min(max(1, height), 1_000)
        index?.setWidth(widthPoints)
        if case .swiping = gesture { gesture = .none }
        unsettle()
        reveal()
    }

    private func connect(_ new: Connection) {
        guard new != connection else { return }
        connection = new
        isDirty = true
        if new == .absent {
            (table, index, anchor, selected, knownOrder) = (nil, nil, nil, nil, nil)
            dropHand("The table was dropped.")
            unsettle()
        }
    }

    private func answered(_ number: Int, _ outcome: Outcome) {
        let known = waiting.removeValue(forKey: number)
        isDirty = true
        switch outcome {
        case .done(let text):
            if let text {
                say(text)
            } else if known != nil, message?.kind == .news {
                // It was of an earlier change, and may be true no longer.
                message = nil
            }
        case .lifted(let lease): lifted(number, lease)
        case .refused(let text):
            if expected?.number == number { expected = nil }
            if known?.isLift == true, hand?.number == number { hand = nil }
            refuse(text)
        }
    }
}
