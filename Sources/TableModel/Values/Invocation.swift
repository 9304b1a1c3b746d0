/// Names an invocation in its table: the revision of the press, and its place among the presses
/// of that revision. Written as `12.0`; in the order of the presses.
public struct InvocationID: Hashable, Comparable, Sendable {
    /// At which the action was performed.
    public let revision: UInt64
    /// The command's place in its batch, from 0.
    public let index: Int

    /// The id of the press that makes this revision.
    public init(revision: UInt64, index: Int) {
        self.revision = revision
        self.index = index
    }

    /// The reverse of `text`; nil for anything else.
    public init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 2, let revision = UInt64(Substring(parts[0])),
            let index = Int(Substring(parts[1])), index >= 0
        else { return nil }
        self.init(revision: revision, index: index)
        // One spelling only: no plus sign, no leading zero.
        guard self.text == text else { return nil }
    }

    /// As it travels.
    public var text: String { "\(revision).\(index)" }

    /// In the order of the presses.
    public static func < (a: InvocationID, b: InvocationID) -> Bool {
        (a.revision, a.index) < (b.revision, b.index)
    }
}

/// An action that was performed and that an outside handler is to complete (design rule A17): it
/// waits, is held by one handler, and ends as done or failed.
public struct Invocation: Sendable {
    /// Its identity in the table.
    public let id: InvocationID
    /// The row that was pressed; it may be gone by now.
    public let row: RowID
    /// The action that was pressed.
    public let action: ID
    /// Who pressed; nil when the command gave no client id.
    public let client: ID?
    /// When it was pressed, milliseconds since 1970 (UTC).
    public let pressedMs: UInt64
    /// It fails when it is not finished so long after the press.
    public let deadlineSeconds: Double
    /// What happens to the row when it is done.
    public let then: [Effect]
    /// The handler that runs it; nil: it waits for one.
    public internal(set) var holder: ID?
    /// How often a handler took it. From the second time on, it may have run before.
    public internal(set) var attempts: Int
    /// The row as it was pressed, for the handler. Not known to a viewer that joined later.
    public internal(set) var pressed: Row?
    /// Where the row stood when it was pressed; known together with `pressed`.
    public internal(set) var section: SectionID?
    /// In its section, from 0; known together with `pressed`.
    public internal(set) var index: Int?

    /// An invocation; waiting by default.
    public init(
        id: InvocationID, row: RowID, action: ID, client: ID? = nil, pressedMs: UInt64,
        deadlineSeconds: Double, then: [Effect] = [], holder: ID? = nil, attempts: Int = 0,
        pressed: Row? = nil, section: SectionID? = nil, index: Int? = nil
    ) {
        self.index = index
        self.id = id
        self.row = row
        self.action = action
        self.client = client
        self.pressedMs = pressedMs
        self.deadlineSeconds = deadlineSeconds
        self.then = then
        self.holder = holder
        self.attempts = attempts
        self.pressed = pressed
        self.section = section
    }

    /// How it ends.
    public enum Outcome: Equatable, Sendable {
        case done
        /// With a sentence for people.
        case failed(String)
    }

    /// Of what the press has settled, in its canonical form: it travels with the invocation, so
    /// that viewers in other languages need not repeat it.
    public var digest: UInt64 {
        CanonicalWriter.hash { writer in
            for text in [id.text, row.text, action.text] { writer.write(text) }
            writer.write(optional: client?.text)
            writer.write(pressedMs)
            writer.write(deadlineSeconds)
            writer.write(UInt64(then.count))
            for effect in then { effect.write(to: &writer) }
        }
    }

    /// Of all that every viewer knows.
    var hash: UInt64 {
        CanonicalWriter.hash { writer in
            writer.write(digest)
            writer.write(optional: holder?.text)
            writer.write(UInt64(attempts))
        }
    }
}

extension Invocation: Equatable {
    /// By what every viewer knows: without the row as it was pressed.
    public static func == (a: Invocation, b: Invocation) -> Bool {
        a.hash == b.hash
    }
}

/// The invocations of a table that have not ended, in the order of their presses.
public struct Invocations: Sendable {
    private var byID: [InvocationID: Invocation] = [:]
    private var order: [InvocationID] = []
    /// By action, in order: what handlers can take.
    private var waiting: [ID: [InvocationID]] = [:]
    /// The sum, modulo 2^64, of their hashes: whatever their order, kept up to date in O(1).
    private(set) var sum: UInt64 = 0

    init() {}

    /// How many there are.
    public var count: Int { order.count }
    /// In the order of their presses.
    public var all: [Invocation] { order.compactMap { byID[$0] } }

    /// The one with this id.
    public subscript(id: InvocationID) -> Invocation? { byID[id] }

    /// The first that wait for a handler, at most so many; of one action, or of any with nil.
    public func waiting(for action: ID?, atMost most: Int) -> [InvocationID] {
        if let action { return Array(waiting[action, default: []].prefix(most)) }
        return Array(order.lazy.filter { byID[$0]?.holder == nil }.prefix(most))
    }

    /// Puts one in the place of the one with its id, or adds it.
    mutating func put(_ invocation: Invocation) {
        let id = invocation.id
        if byID[id] == nil {
            order.insert(id, at: Self.place(of: id, in: order))
        } else {
            forget(id)
        }
        byID[id] = invocation
        sum &+= invocation.hash
        if invocation.holder == nil {
            let queue = waiting[invocation.action, default: []]
            waiting[invocation.action, default: []]
                .insert(id, at: Self.place(of: id, in: queue))
        }
    }

    mutating func remove(_ id: InvocationID) {
        guard byID[id] != nil else { return }
        forget(id)
        byID[id] = nil
        let place = Self.place(of: id, in: order)
        if place < order.count, order[place] == id { order.remove(at: place) }
    }

    /// Takes it out of the sum and the queue.
    private mutating func forget(_ id: InvocationID) {
        guard let old = byID[id] else { return }
        sum &-= old.hash
        guard old.holder == nil, let queue = waiting[old.action] else { return }
        let place = Self.place(of: id, in: queue)
        guard place < queue.count, queue[place] == id else { return }
        if queue.count == 1 {
            waiting[old.action] = nil
        } else {
            waiting[old.action]?.remove(at: place)
        }
    }

    /// Of the first that is not before `id`.
    private static func place(of id: InvocationID, in list: [InvocationID]) -> Int {
        var (low, high) = (0, list.count)
        while low < high {
            let middle = (low + high) / 2
            if list[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// That an action was performed on a row as it is, and what came of it (design rules A17, A18).
public struct Performance: Equatable, Sendable {
    /// The action.
    public var action: ID
    /// What came of it.
    public var state: State

    /// A performance as given.
    public init(_ action: ID, _ state: State) {
        self.action = action
        self.state = state
    }

    /// How far it is.
    public enum State: Equatable, Sendable {
        /// A handler is to complete it: this invocation.
        case pending(InvocationID)
        case done
        /// With a sentence for people. It may be performed again.
        case failed(String)

        /// Whether a handler is to complete it.
        public var isPending: Bool {
            if case .pending = self { return true }
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

    /// As it stands in the row's hash.
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
