import TableHash

/// The canonical state of one table: sections, rows, kinds, settings, edit mode and invocations.
///
/// It changes only through `apply`. Finding a row by id or index, inserting, removing, moving and
/// the digest take O(log n) in the number of rows. Not thread-safe: one thread owns a table.
public final class Table {
    /// Its name in the daemon.
    public let name: TableID
    /// The history that its revisions belong to.
    public internal(set) var history: ID128
    /// Grows by one with each diff.
    public internal(set) var revision: UInt64
    /// Registered kinds by id; `row` at first.
    public internal(set) var kinds: [KindID: Kind]
    /// Bytes of all kinds, in their canonical form.
    public internal(set) var kindsBytes = 0
    /// Settings for all rows.
    public internal(set) var settings: Settings
    /// The sections in order. They hold the rows.
    public internal(set) var sections: [Section] = []
    /// In edit mode (B2) no row is, or can be, swiped open.
    public internal(set) var isEditing = false
    /// The invocations that handlers are to complete.
    public internal(set) var invocations = Invocations()
    /// Rows that are swiped open.
    public internal(set) var openRows: Set<RowID> = []
    /// Rows that somebody works on.
    public internal(set) var claimedRows: Set<RowID> = []
    /// Rows that sleep.
    public internal(set) var asleepRows: Set<RowID> = []
    /// The rows with a selection: at most one.
    public internal(set) var selectedRows: Set<RowID> = []
    /// Rows of pinned kinds.
    public internal(set) var pinnedRows: Set<RowID> = []
    /// Where removed rows stood.
    public internal(set) var removed: RemovedPlaces
    /// The deeds of a moment ago.
    public internal(set) var recent = RecentDeeds()

    /// How often something was tried out. It is taken back, but its rows may be other objects then.
    var trials: UInt64 = 0
    /// Ops are being applied to so many rows that what the leaves come to is added up once, afterwards.
    var changesMuch = false
    /// The revision of the newest snapshot that somebody takes; 0: there is none.
    var capturedAt: UInt64 = 0
    /// Bytes of what has been replaced while a snapshot held it.
    public internal(set) var supersededBytes = 0

    /// If false, the kind of an added row need not be looked up.
    var hasPinnedKinds = false
    /// If false, the kind of a row that is to move need not be looked up.
    package var hasFixedKinds = false
    /// If false, no kind asks from which section its rows came.
    package var hasLookingBack = false
    var slots = RowIndex()
    var sectionsByID: [SectionID: Section] = [:]

    typealias Tree = OrderTree<Row>

    /// Where a row is.
    struct Slot {
        /// The leaf holds the row, and the tree the leaf. Nobody counts references to them here: a command
        /// would do so twenty times, and a row that is counted once can be changed where it lies. So who
        /// takes a row out of its leaf holds it until the index has heard of that.
        private let held: Unmanaged<RowStore>
        private let node: Unmanaged<Tree.Node>

        init(row: Row, leaf: Tree.Node) {
            held = .passUnretained(row.store)
            node = .passUnretained(leaf)
        }

        var row: Row { Row(held.takeUnretainedValue()) }
        var leaf: Tree.Node { node.takeUnretainedValue() }

        /// Whether it is the row with this id.
        @inline(__always)
        func has(_ id: borrowing RowID) -> Bool {
            if hasShort(id) { return true }
            // A long id is not in the value.
            return !id.isInValue && withRow { $0.withID { $0 == id } }
        }

        /// Whether it is of this very row, at which it does not look.
        func has(_ row: Row) -> Bool {
            held.toOpaque() == Unmanaged.passUnretained(row.store).toOpaque()
        }

        /// Whether both are of one row.
        @inline(__always)
        func isRow(of other: Slot) -> Bool { held.toOpaque() == other.held.toOpaque() }

        /// Compares an id whose bytes are in its value; false of any other. It takes no call.
        @inline(__always)
        func hasShort(_ id: borrowing RowID) -> Bool {
            held._withUnsafeGuaranteedRef {
                $0.withUnsafeMutablePointerToHeader { $0.pointee.id.isShort(as: id) }
            }
        }

        /// Lends the row.
        @inline(__always)
        func withRow<Result>(_ body: (Row) -> Result) -> Result {
            held._withUnsafeGuaranteedRef { body(Row($0)) }
        }

        /// Lends the leaf, the row's place in it, and the tree; nil: the leaf belongs to none.
        @inline(__always) @discardableResult
        func lend<Result>(_ body: (Tree, Tree.Node, _ place: Int) -> Result) -> Result? {
            node._withUnsafeGuaranteedRef { leaf in
                leaf.withTree { tree in body(tree, leaf, withRow { tree.place(of: $0, in: leaf) }) }
            }
        }

        /// Merges the leaf with its neighbour, if it has become small.
        func mend() {
            // Held: the tree may let go of it.
            let leaf = node.takeUnretainedValue()
            _ = leaf.withTree { $0.mend(leaf) }
        }

        /// Lends the owner of the tree.
        @inline(__always)
        func withOwner<Result>(_ body: (AnyObject) -> Result) -> Result? {
            node._withUnsafeGuaranteedRef { leaf in
                leaf.withTree { tree in tree.withOwner(body) } ?? nil
            }
        }
    }

    /// An empty table with the kind `row`.
    public init(name: TableID, history: ID128, removedPlaces: Int = Limits().removedPlaces) {
        self.name = name
        self.history = history
        revision = 0
        let plain = Kind(.plainKind)
        kinds = [.plainKind: plain]
        kindsBytes = plain.byteCount
        settings = Settings()
        removed = RemovedPlaces(capacity: removedPlaces)
    }

    // MARK: Reading

    /// The number of rows in all sections.
    public var count: Int { slots.count }

    /// The row with this id.
    public func row(_ id: RowID) -> Row? { slots[id]?.row }

    /// The section with this id.
    public func section(_ id: SectionID) -> Section? { sectionsByID[id] }

    /// Where a row stands: its section, its index there, and the row before it.
    public struct Position {
        /// The row itself.
        public let row: Row
        /// Its section.
        public let section: SectionID
        /// How many rows of the section stand before it.
        public let index: Int
        /// The row before it; nil at the top.
        public let after: RowID?
    }

    /// Where the row with this id stands.
    public func position(of id: RowID) -> Position? {
        var position: Position?
        _ = withPosition(of: id) { row, section, index, before in
            position = Position(row: row, section: section.id, index: index, after: before?.id)
        }
        return position
    }

    /// Lends the row with this id, its section, and the row before it; false: there is none. Each answer
    /// tells of one, and need not copy them. Not generic: another module would call it slowly.
    package func withPosition(
        of id: RowID, _ body: (Row, Section, _ index: Int, _ before: Row?) -> Void
    ) -> Bool {
        guard let slot = slots[id] else { return false }
        var isLent = false
        slot.lend { tree, leaf, place in
            let (index, before) = tree.locate(place, in: leaf)
            _ = tree.withOwner { owner in
                slot.withRow { body($0, Self.section(owner), index, before) }
                isLent = true
            }
        }
        return isLent
    }

    /// Whether there is a row with this id.
    package func has(_ id: RowID) -> Bool { slots[id] != nil }

    /// The section of a row. Its index there, which takes longer to find, is not looked for.
    package func section(of id: RowID) -> Section? { slots[id].flatMap(section) }

    /// The row before this one in its section; nil: it is the first.
    package func row(before id: RowID) -> Row? {
        slots[id]?.lend { tree, leaf, place in tree.predecessor(of: place, in: leaf) } ?? nil
    }

    /// The row at an index of a section.
    public func row(at index: Int, in section: SectionID) -> Row? {
        sectionsByID[section]?.row(at: index)
    }

    /// A snapshot holds the table as it is now: from now on it is counted what that keeps in memory.
    public func noteCaptured() { capturedAt = revision }

    /// Nobody holds a snapshot of it.
    public func noteNoneCaptured() { capturedAt = 0 }

    /// Forgets where these rows were that are removed; false: it was not remembered.
    public func forgetRemoved(_ rows: Set<RowID>) -> Bool { removed.remove(rows) }

    /// From now on the places of so many removed rows are remembered.
    public func keepRemovedPlaces(_ capacity: Int) { removed.capacity = capacity }

    /// All rows in order, section by section.
    public var rows: [Row] { sections.flatMap { $0.runs().flatMap { $0 } } }

    /// Digest of content and order, 64 bits. Different tables have different digests, except by a
    /// very rare chance.
    public var digest: UInt64 {
        var all = SequenceDigest.empty
        for index in sections.indices { all.append(sections[index].digest) }
        return digest(ofSections: all)
    }

    /// The digest with these sections instead of the table's own.
    func digest(ofSections all: SequenceDigest) -> UInt64 {
        if !isEditing, invocations.count == 0 {
            return XXH64.hash(UInt64(all.count), all.value, definitionsHash)
        }
        return CanonicalWriter.hash { writer in
            writer.write(UInt64(all.count))
            writer.write(all.value)
            writer.write(definitionsHash)
            if isEditing { writer.write("editing") }
            if invocations.count > 0 {
                writer.write("invocations")
                writer.write(UInt64(invocations.count))
                writer.write(invocations.sum)
            }
        }
    }

    /// The actions behind an edge of a row: its own, or its kind's (A1).
    public func actions(of row: Row, at edge: Edge) -> ActionGroup? {
        actions(of: row, kinds[row.content.kind], at: edge)
    }

    /// The actions of a row of this kind at an edge: where both edges are asked for, its kind is found once.
    package func actions(of row: Row, _ kind: Kind?, at edge: Edge) -> ActionGroup? {
        switch edge {
        case .leading: return row.content.actions?.leading ?? kind?.leading
        case .trailing: return row.content.actions?.trailing ?? kind?.trailing
        }
    }

    /// Whether a row has actions at an edge. If not, it cannot be swiped open there.
    public func hasActions(_ row: Row, at edge: Edge) -> Bool {
        actions(of: row, at: edge)?.actions.isEmpty == false
    }

    /// Hash of kinds and settings; kept until they change.
    private var definitionsHash: UInt64 {
        if let cachedDefinitionsHash { return cachedDefinitionsHash }
        let hash = CanonicalWriter.hash { writer in
            writer.write(settings.hash)
            writer.write(UInt64(kinds.count))
            for (id, kind) in kinds.sorted(by: { $0.key < $1.key }) {
                writer.write(id)
                writer.write(kind.hash)
            }
        }
        cachedDefinitionsHash = hash
        return hash
    }
    var cachedDefinitionsHash: UInt64?

    /// Another number for other kinds and settings.
    package var definitionsMark: UInt64 { definitionsHash }

    func section(of slot: Slot) -> Section? { slot.withOwner { Self.section($0) } }

    /// Only sections own trees.
    @inline(__always)
    private static func section(_ owner: AnyObject) -> Section {
        unsafeDowncast(owner, to: Section.self)
    }

    /// Where a row is, in the form that ops use.
    func place(of slot: Slot, in section: Section) -> Place { place(of: slot) ?? .top(section.id) }

    /// The place of a slot; nil: its leaf belongs to no section.
    func place(of slot: Slot) -> Place? {
        let place = slot.lend { tree, leaf, place in
            tree.predecessor(of: place, in: leaf).map { Place.after($0.id) }
                ?? tree.withOwner { .top(Self.section($0).id) }
        }
        return place ?? nil
    }

    /// Whether a row is at this place.
    package func stands(_ id: RowID, at place: Place) -> Bool {
        guard let slot = slots[id] else { return false }
        return slot.lend { tree, leaf, index in
            let before = tree.predecessor(of: index, in: leaf)
            switch place {
            case .after(let id): return before?.has(id) == true
            case .top(let id): return before == nil && section(of: slot)?.id == id
            }
        } ?? false
    }

    func makeSection(_ id: SectionID, title: String) -> Section {
        // The table holds its trees, and only it changes them.
        let table = Unmanaged.passUnretained(self)
        let tree = Tree { row, leaf in
            table._withUnsafeGuaranteedRef { $0.slots.put(Slot(row: row, leaf: leaf)) }
        }
        return Section(id: id, title: title, rows: tree)
    }
}
