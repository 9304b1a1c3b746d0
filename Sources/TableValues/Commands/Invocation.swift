/// Names an invocation in its table: the revision of the press, and the place of the press in that
/// revision. Written as `12.0`. Sorts in the order of the presses.
public struct InvocationID: Hashable, Comparable, Sendable {
    /// The revision of the press.
    public let revision: UInt64
    /// The command's place in its batch, from 0.
    public let index: Int

    /// An id as given.
    public init(revision: UInt64, index: Int) {
        self.revision = revision
        self.index = index
    }

    /// Reads what `text` writes; nil for anything else.
    public init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 2, let revision = UInt64(Substring(parts[0])),
            let index = Int(Substring(parts[1])), index >= 0
        else { return nil }
        self.init(revision: revision, index: index)
        // Only one spelling is valid: no plus sign, no leading zero.
        guard self.text == text else { return nil }
    }

    /// The form on the wire.
    public var text: String { "\(revision).\(index)" }

    /// In the order of the presses.
    public static func < (a: InvocationID, b: InvocationID) -> Bool {
        (a.revision, a.index) < (b.revision, b.index)
    }
}

/// A performed action that an outside handler is to complete (design rule A17). It waits, is held
/// by one handler, and ends as done or failed.
public struct Invocation: Sendable {
    /// Its identity in the table.
    public let id: InvocationID
    /// The row that was pressed; it may be gone by now.
    public let row: RowID
    /// The action that was pressed.
    public let action: ID
    /// The item whose action it is; nil: the row's.
    public let item: ID?
    /// The client that pressed; nil when the command gave no client id.
    public let client: ID?
    /// When it was pressed, milliseconds since 1970 (UTC).
    public let pressedMs: UInt64
    /// The attempt fails if it is not finished this long after it may begin; see `dueMs`.
    public let deadlineSeconds: Double
    /// Applied to the row when the invocation is done.
    public let then: [Effect]
    /// How often it may be tried, and what is applied when it has failed.
    public let retries: Retries
    /// The handler that runs it; nil: it is waiting.
    public package(set) var holder: ID?
    /// How often a handler took it. If more than once, it may have run before.
    public package(set) var attempts: Int
    /// How its last attempt failed, if another one follows.
    public package(set) var failure: Failure?
    /// The row at the press, for the handler. A viewer that joined later does not know it.
    public package(set) var pressed: Row?
    /// The row's section at the press; known together with `pressed`.
    public package(set) var section: SectionID?
    /// The row's index in its section, from 0; known together with `pressed`.
    public package(set) var index: Int?

    /// By default it waits for a handler.
    public init(
        id: InvocationID, row: RowID, action: ID, item: ID? = nil, client: ID? = nil,
        pressedMs: UInt64, deadlineSeconds: Double, then: [Effect] = [],
        retries: Retries = Retries(), holder: ID? = nil, attempts: Int = 0,
        failure: Failure? = nil, pressed: Row? = nil, section: SectionID? = nil, index: Int? = nil
    ) {
        self.index = index
        self.item = item
        self.id = id
        self.row = row
        self.action = action
        self.client = client
        self.pressedMs = pressedMs
        self.deadlineSeconds = deadlineSeconds
        self.then = then
        self.retries = retries
        self.holder = holder
        self.attempts = attempts
        self.failure = failure
        self.pressed = pressed
        self.section = section
    }

    /// How an invocation ends.
    public enum Outcome: Equatable, Sendable {
        case done
        /// With a sentence for people.
        case failed(String)
    }

    /// The end of an attempt after which the invocation is tried again.
    public struct Failure: Equatable, Sendable {
        /// A sentence for people.
        public var reason: String
        /// When the next attempt may begin, milliseconds since 1970 (UTC).
        public var dueMs: UInt64
        /// Whether that time has come: handlers can take the invocation.
        public var isOver: Bool

        /// By default the pause begins.
        public init(_ reason: String, dueMs: UInt64, isOver: Bool = false) {
            self.reason = reason
            self.dueMs = dueMs
            self.isOver = isOver
        }
    }

    /// When the present attempt, or the next one, may begin. Its deadline counts from then.
    public var dueMs: UInt64 { failure?.dueMs ?? pressedMs }
    /// Whether it pauses after a failure, so that no handler can take it.
    public var isResting: Bool { failure?.isOver == false }
    /// The attempts that have ended if the one that runs, or is awaited, ends now.
    package var attemptsSoFar: Int { attempts &+ (holder == nil ? 1 : 0) }

    /// The digest of all that the press has settled, from its canonical form. It travels with the invocation, so
    /// that viewers in other languages need not compute it.
    public var digest: UInt64 {
        CanonicalWriter.hash { writer in
            for text in [id.text, row.text, action.text] { writer.write(text) }
            writer.write(optional: client?.text)
            writer.write(pressedMs)
            writer.write(deadlineSeconds)
            writer.write(then)
            // This came later: written only if there is an item.
            if let item {
                writer.write("item")
                writer.write(item)
            }
            retries.write(to: &writer)
        }
    }

    /// The hash of everything that every viewer knows.
    var hash: UInt64 {
        CanonicalWriter.hash { writer in
            writer.write(digest)
            writer.write(optional: holder?.text)
            writer.write(UInt64(attempts))
            guard let failure else { return }
            writer.write(failure.reason)
            writer.write(failure.dueMs)
            writer.write(failure.isOver)
        }
    }
}

extension Invocation: Equatable {
    /// Compares what every viewer knows, hence not the row at the press.
    public static func == (a: Invocation, b: Invocation) -> Bool { a.hash == b.hash }
}

/// The invocations of a table that have not ended, in the order of their presses.
public struct Invocations: Sendable {
    private var byID: [InvocationID: Invocation] = [:]
    private var order: [InvocationID] = []
    /// Invocations without a holder that do not rest, by action, in order: handlers can take these.
    private var waiting: [ID: [InvocationID]] = [:]
    /// Sum of the hashes modulo 2^64: independent of the order, and updated in O(1).
    package private(set) var sum: UInt64 = 0

    /// The weight of the effects at their end.
    package private(set) var thenBytes = 0
    /// The bytes of their rows, as they were at their presses. Items that rows share are counted once.
    package private(set) var pressedBytes = 0
    /// How many rows have these items, by where those lie.
    private var strips: [UInt: Int] = [:]

    package init() {}

    /// How many there are.
    public var count: Int { order.count }
    /// In the order of their presses.
    public var all: [Invocation] { order.compactMap { byID[$0] } }

    /// The one with this id.
    public subscript(id: InvocationID) -> Invocation? { byID[id] }

    /// The first invocations that wait for a handler, at most `most`: of one action; nil: of any.
    public func waiting(for action: ID?, atMost most: Int) -> [InvocationID] {
        if let action { return Array(waiting[action, default: []].prefix(most)) }
        return Array(order.lazy.filter { byID[$0]?.isWaiting == true }.prefix(most))
    }

    /// Adds an invocation, or replaces the one with its id.
    package mutating func put(_ invocation: Invocation) {
        let id = invocation.id
        if byID[id] == nil {
            order.insert(id, at: Self.place(of: id, in: order))
        } else {
            forget(id)
        }
        byID[id] = invocation
        sum &+= invocation.hash
        thenBytes += invocation.thenWeight
        if let row = invocation.pressed {
            pressedBytes += bytes(ofPressed: row)
            if let items = row.itemsPlace { strips[items, default: 0] += 1 }
        }
        if invocation.isWaiting {
            let place = Self.place(of: id, in: waiting[invocation.action, default: []])
            waiting[invocation.action, default: []].insert(id, at: place)
        }
    }

    package mutating func remove(_ id: InvocationID) {
        guard byID[id] != nil else { return }
        forget(id)
        byID[id] = nil
        let place = Self.place(of: id, in: order)
        if place < order.count, order[place] == id { order.remove(at: place) }
    }

    /// The bytes of one more invocation of this row, as it is now.
    package func bytes(ofPressed row: Row) -> Int {
        guard let items = row.itemsPlace, strips[items] != nil else { return row.weight }
        return row.weight - row.weightOfItems
    }

    /// Takes an invocation out of the sum and the queue.
    private mutating func forget(_ id: InvocationID) {
        guard let old = byID[id] else { return }
        sum &-= old.hash
        thenBytes -= old.thenWeight
        if let row = old.pressed {
            if let items = row.itemsPlace {
                let left = (strips[items] ?? 1) - 1
                strips[items] = left == 0 ? nil : left
            }
            pressedBytes -= bytes(ofPressed: row)
        }
        guard old.isWaiting else { return }
        let place = Self.place(of: id, in: waiting[old.action, default: []])
        // The list is not held here: it would be copied to be changed.
        let isThere = waiting[old.action].map { place < $0.count && $0[place] == id } ?? false
        guard isThere else { return }
        waiting[old.action]?.remove(at: place)
        if waiting[old.action]?.isEmpty == true { waiting[old.action] = nil }
    }

    /// The place of the first that is not before `id`.
    private static func place(of id: InvocationID, in list: [InvocationID]) -> Int {
        var (low, high) = (0, list.count)
        while low < high {
            let middle = (low + high) / 2
            if list[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// An action of a row, or of one of its items. It is performed once on a version of the row (A18).
public struct Deed: Hashable, Sendable {
    /// The action.
    public var action: ID
    /// The item in whose menu it is; nil: an action of the row.
    public var item: ID?

    /// An action of an item, or of the row.
    public init(_ action: ID, on item: ID? = nil) {
        self.action = action
        self.item = item
    }
}

extension ID {
    /// The action of an invocation that a selection started.
    package static let tap: ID = "tap"
}

extension Invocation {
    /// The deed that was pressed.
    public var deed: Deed { Deed(action, on: item) }

    /// Whether a handler can take it.
    public var isWaiting: Bool { holder == nil && !isResting }
}

/// An action that was performed on a row as it is, and its state (design rules A17, A18).
public struct Performance: Equatable, Sendable {
    /// The action.
    public var action: ID
    /// The item in whose menu it is; nil: an action of the row.
    public var item: ID?
    /// How far it has come.
    public var state: State

    /// A performance as given.
    public init(_ action: ID, on item: ID? = nil, _ state: State) {
        self.action = action
        self.item = item
        self.state = state
    }

    /// The deed that was performed.
    public var deed: Deed { Deed(action, on: item) }

    /// A deed in a state.
    public init(_ deed: Deed, _ state: State) { self.init(deed.action, on: deed.item, state) }

    /// How far a performance has come.
    public enum State: Equatable, Sendable {
        /// A handler is to complete this invocation.
        case pending(InvocationID)
        case done
        /// With a sentence for people. The action may be performed again.
        case failed(String)

        /// Whether a handler is still to complete it.
        public var isPending: Bool {
            if case .pending = self { return true }
            return false
        }

        /// Whether it may be performed again.
        package var isFailed: Bool {
            if case .failed = self { return true }
            return false
        }

        /// The word for it.
        public var name: String {
            switch self {
            case .pending: return "pending"
            case .done: return "done"
            case .failed: return "failed"
            }
        }
    }

    /// Its part of the row's hash.
    func write(to writer: inout CanonicalWriter) {
        writer.write(action)
        writer.write(state.name)
        switch state {
        case .pending(let id): writer.write(id.text)
        case .done: break
        case .failed(let reason): writer.write(reason)
        }
    }
}
