public import TableModel
import TableLayout
import TablePredicate
import TableSync

/// The state of the viewer on a screen of cells. Keys, mouse, changes and the time go in; intents
/// and screens come out. It does no input or output, so tests can play a whole shift to it.
///
/// The selection follows its row, wherever others move it. The screen holds still: a row keeps its
/// line whatever happens above it. Not thread-safe.
public final class Board {
    /// The values that a board gets at the start.
    public struct Setup: Sendable {
        /// The table's name.
        public var name: String
        /// Where the daemon is, for people.
        public var endpoint = ""
        /// Our name in causes. It tells our own changes from those of others.
        public var client: ID?
        /// Which key does what.
        public var keys = Keymap.standard
        /// A line is 60 points high, so that most rows take one; otherwise 20.
        public var isDense = false
        /// Whether the viewer uses the mouse, so that the terminal selects no text with it.
        public var hasMouse = true
        /// Seconds that this screen's time of day is ahead of UTC.
        public var zoneSeconds = 0
        /// The part of the table that this screen shows, and its order.
        package var station = Station()
        /// The language of its reader.
        package var words = Wording.english

        /// Every default.
        public init(name: String) { self.name = name }
    }

    let setup: Setup
    var keys: Keymap { setup.keys }
    /// The part of the table that this screen shows, and its order, which the person may change.
    var station: Station
    var zoneSeconds: Int { setup.zoneSeconds }
    /// Names this viewer in causes. It is another one once the daemon has forgotten it.
    public var client: ID?

    // The table, and who else is there.
    var table: Table?
    var knownGroups: Groups?
    /// Whether there ever was one.
    var hasHadTable = false
    var index: LayoutIndex?
    var connection: Replica.Freshness? = .connecting
    var company = Company()
    /// The people who swiped the open rows open, as far as that is known, without this viewer.
    var openers: [RowID: ID] = [:]
    var lagMs: Int?
    /// The time by this screen's clock.
    var nowMs: UInt64 = 0
    /// How far that clock is ahead of the daemon's, in milliseconds.
    var clockAheadMs: Int64 = 0
    /// The time by the daemon's clock, which stamped the rows.
    var timeMs: UInt64 { UInt64(clamping: Int64(clamping: nowMs) &- clockAheadMs) }
    /// Edit mode of this screen alone.
    var isEditingHere = false
    /// The person who turned edit mode on for everybody; empty: it is not known.
    var editor = ""
    /// The row that another person has swiped open, and in which this one has begun to choose an action.
    var touched: RowID?
    var width = 80, height = 24
    var isDense: Bool
    var hasMouse: Bool

    // Where the person is.
    var selected: RowID?
    /// Where the selected row last was.
    var selectedPlace: RowOrder.Place? {
        didSet {
            if let place = selectedPlace, let order, order.sections.indices.contains(place.section)
            {
                selectedSection = order.sections[place.section].id
            }
        }
    }
    var selectedSection: SectionID?
    /// The section whose last row has gone while it was selected. Nothing is selected until a row comes to it, or the
    /// person goes elsewhere: the next key must not act on another station's row.
    var emptied: SectionID?
    /// The row that holds still, and the line of the view where its top is.
    var anchor: (row: RowID, line: Int)?
    /// The visible blocks, as the last `settle` found them.
    var flow: [Block] = []
    var isSettled = false
    var mode = Mode.rows
    /// A swipe that was asked for and is not in the table yet. Keys pressed meanwhile count on it.
    var expected: Expected?
    /// The action that Enter performs, in the row that is swiped open.
    var focus = 0
    /// The marked item of a strip.
    var item: (row: RowID, item: ID)?
    var swipes = ViewerSwipes()
    var scrolls = ViewerScrolls()
    /// How far rows are open on this screen, where that is its own.
    var expansions = ViewerExpansions()
    /// The selection of this viewer, where the table leaves that to it.
    var chosen = ViewerSelection()
    var hand: Hand?
    var gesture = Gesture.none
    /// The rows that the person has marked, to do something with all of them.
    var marked: Set<RowID> = []
    /// Texts that were typed about rows and are not sent yet.
    var forms: [Form.Target: Form] = [:]
    /// The person was told that forms would be lost if he quit.
    var hasWarned = false
    /// The line that was entered last after `:`.
    var lastCommand = ""
    var filter: Filter?
    var matches: Set<RowID> = []
    /// When `matches` may be others although the table has not changed; nil: never.
    var refilterMs: UInt64?
    var knownOrder: RowOrder?
    var message: Message?
    var bell = Bell()
    var recent = Recent()
    /// This person moved the selected row, so the view follows it.
    var wantsReveal = false

    // What is under way.
    var waiting: [Int: Waiting] = [:]
    private var nextNumber = 1
    private var intents: [Intent] = []
    /// Something may look different now.
    public internal(set) var isDirty = true
    private var drawnMs: UInt64 = 0

    /// The mode that gives the keys their meaning.
    enum Mode: Equatable {
        case rows
        case prompt(Prompt, LineEditor)
        case form(Form.Target)
        case help(LineEditor, scroll: Int)
        case recall(at: Int)
        /// How many there are of each title, or of each value of a field.
        case totals(by: ID?, at: Int)
        /// The history of a row; nil: it is asked for.
        case story(RowID, [Told]?, at: Int)
        /// The menu of a strip's item; `at`: the chosen action.
        case menu(RowID, item: ID, at: Int)
        /// A press that the person has to confirm.
        case confirm(Pressed)
    }

    /// The commands that a yes confirms, for one row or for several.
    struct Pressed: Equatable {
        /// An action's title, or what is done.
        var title: String
        var commands: [Command]
        var rows: [RowID]
        /// The rows' own swipes on this screen are closed afterwards.
        var closes = false
    }

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

    /// An edge at which a row is about to open; nil: it is about to close.
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
        /// No row is marked any more once it is done.
        var endsMarks = false
        /// The new row whose title was typed, and is kept if the daemon refuses it.
        var added: Command.Add?
    }

    /// A board without a table yet.
    public init(_ setup: Setup) {
        self.setup = setup
        station = setup.station
        client = setup.client
        isDense = setup.isDense
        hasMouse = setup.hasMouse
    }

    // MARK: In and out

    /// Takes an event; returns what the caller has to do.
    public func handle(_ event: Event) -> [Intent] {
        switch event {
        case .input(let input): handle(input)
        case .resize(let width, let height): resize(width, height)
        case .installed(let table): install(table)
        case .changed(let diffs): follow(diffs)
        case .connection(let new): connect(new)
        case .clock(let aheadMs):
            let new = min(max(aheadMs, -1 << 50), 1 << 50)
            // Milliseconds of a heartbeat's way are nothing to draw anew for.
            if (new - clockAheadMs).magnitude > 500 { (clockAheadMs, isDirty) = (new, true) }
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
        case .story(let row, let told): learn(told, of: row)
        case .editedBefore(let who):
            editor = who
            isDirty = true
        case .answered(let number, let outcome): answered(number, outcome)
        case .tick(let nowMs): tick(nowMs)
        case .note(let text): say(text)
        }
        defer { intents = [] }
        return intents
    }

    /// Says how wrong this screen's clock is; nil: right enough.
    var clockText: String? {
        let seconds = clockAheadMs.magnitude / 1_000
        guard seconds > 30 else { return nil }
        let span = setup.words.span(seconds: seconds)
        return word(clockAheadMs > 0 ? "clock.fast" : "clock.slow", ["span": span])
    }

    /// Adds an intent; returns the number that its answer will have.
    @discardableResult
    func wish(_ wish: Intent.Wish, _ what: String = "", isLift: Bool = false) -> Int {
        let number = nextNumber
        nextNumber += 1
        intents.append(Intent(number: number, wish: wish))
        if !what.isEmpty { waiting[number] = Waiting(what: what, sinceMs: nowMs, isLift: isLift) }
        return number
    }

    func say(_ text: String, _ kind: Message.Kind = .news) {
        // Refusals and long sentences stay longer, so that people can read them.
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
        refilterAtMoment()
        if let table { bell.look(at: table, station, nowMs: timeMs) }
        // Ages and seconds of silence grow by themselves.
        if now / 1_000 != drawnMs / 1_000 { isDirty = true }
    }

    /// The screen to show now.
    public func draw() -> Screen {
        // Ages grow and edit mode has controls: a title has less room then, and the row may need more lines.
        isSettled = false
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

    private func connect(_ new: Replica.Freshness?) {
        guard new != connection else { return }
        connection = new
        isDirty = true
        if new == .absent {
            (table, index, anchor, selected, knownOrder) = (nil, nil, nil, nil, nil)
            dropHand(word("dropped"))
            unsettle()
        }
    }

    private func answered(_ number: Int, _ outcome: Outcome) {
        let known = waiting.removeValue(forKey: number)
        isDirty = true
        if case .refused = outcome {
            answeredForm(number, isRefused: true)
        } else {
            answeredForm(number, isRefused: false)
        }
        switch outcome {
        case .done(let text):
            if known?.endsMarks == true { marked = [] }
            if let text {
                say(text)
            } else if known != nil, message?.kind == .news {
                // The message is about an earlier change, and may not be true any more.
                message = nil
            }
        case .told(let word, let revision, let text, let note):
            let what = press(in: revision) ?? text
            say("\(word): \(what)\(what.hasSuffix(".") ? "" : ".")\(note)")
        case .lifted(let lease): lifted(number, lease)
        case .refused(let text):
            if expected?.number == number { expected = nil }
            if known?.isLift == true, hand?.number == number { hand = nil }
            if let added = known?.added { keep(added, why: text) } else { refuse(text) }
        }
    }
}
