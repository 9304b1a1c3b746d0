import TableModel

/// An index of a table's invocations, so that nothing looks at all of them: which holder has which, and
/// which have changed since they were looked at.
struct UnderWay {
    /// A client that holds invocations, of a principal.
    struct Holder: Hashable {
        var client: ID
        /// Nil: nobody has proven to be it.
        var user: ProvenID?
    }

    /// Those that are held.
    private(set) var holders: [InvocationID: Holder] = [:]
    /// The invocations by holder.
    private(set) var held: [Holder: Set<InvocationID>] = [:]
    /// Begun, ended, taken or released since the last look; nil: each may be.
    private(set) var changed: Set<InvocationID>?
    /// The holders that have let go of one since the last look.
    private(set) var released: Set<Holder> = []

    /// Where nobody looks, as in a daemon that follows, no more than these are remembered.
    private static let mostChanged = 16_384

    /// Those of a table as it is.
    init(_ table: Table, _ owners: Owners) {
        for invocation in table.invocations.all where invocation.holder != nil {
            note(invocation.id, table, owners)
        }
    }

    /// This one has begun, ended, or has another holder.
    mutating func note(_ id: InvocationID, _ table: Table, _ owners: Owners) {
        changed?.insert(id)
        if changed.map({ $0.count > Self.mostChanged }) == true { changed = nil }
        if let old = holders.removeValue(forKey: id) {
            held[old]?.remove(id)
            if held[old]?.isEmpty == true { held[old] = nil }
            released.insert(old)
            // A holder that is not remembered here is forgotten after a while.
            if released.count > Self.mostChanged { released = [] }
        }
        guard let client = table.invocations[id]?.holder else { return }
        let holder = Holder(client: client, user: owners.invocations[id])
        holders[id] = holder
        held[holder, default: []].insert(id)
    }

    /// They have been looked at.
    mutating func noteLook() { changed = [] }

    /// Takes the holders that have let go of one since the last call.
    mutating func takeReleased() -> Set<Holder> {
        defer { released = [] }
        return released
    }
}

extension Server.LiveTable {
    /// Takes in what a diff of this table, which was applied, has changed of claims, invocations and edit mode.
    ///
    /// - Parameter nowMs: the monotonic time of the change; nil: it is of the past, or of another daemon.
    func note(_ ops: [Op], of cause: borrowing Cause, nowMs: UInt64?) {
        // Nearly no op is about any of that.
        if !ops.contains(where: { $0.mayChangeHolders(of: self) }) { return }
        let cause = copy cause
        owners.note(ops, of: cause)
        for op in ops {
            switch op.effect {
            case .begins(let begun): underWay.note(begun.id, table, owners)
            case .changesInvocation(let id), .ends(let id): underWay.note(id, table, owners)
            case .claims(let row, let claim): ephemeral.note(claim, of: row, nowMs: nowMs)
            case .inserts(let row, _):
                if let claim = row.claim { ephemeral.note(claim, of: row.id, nowMs: nowMs) }
                if let sleep = row.sleep { note(sleep, of: row.id) }
            case .removes(let row):
                ephemeral.note(nil, of: row, nowMs: nowMs)
                note(nil, of: row)
            case .changes(let row):
                if case .sleep(_, let sleep) = op { note(sleep, of: row) }
            case .ofTable(.edits(let isOn)): ephemeral.edit = EditTime(sinceMs: isOn ? nowMs : nil)
            case .moves, .swaps, .changesAll, .news, .ofSection, .ofTable(.defines): break
            }
        }
    }

    /// Takes over whose the claims, the held invocations and the edit mode are.
    func restore(_ owners: Owners) {
        self.owners = owners
        self.owners.complete(from: table)
        underWay = UnderWay(table, owners)
    }

    /// The invocations that a client of this user holds, in the order of their presses.
    func held(by client: ID, of user: ProvenID?) -> [Invocation] {
        // An invocation without a proven holder belongs to the client whose id it names.
        var ids = underWay.held[.init(client: client, user: nil)] ?? []
        if let user { ids.formUnion(underWay.held[.init(client: client, user: user)] ?? []) }
        return ids.sorted().compactMap { table.invocations[$0] }
    }
}

extension Op {
    @inline(__always)
    private var removesRow: Bool { if case .remove = self { true } else { false } }

    /// Whether a claim, a sleep, a held invocation of the table or its edit mode may begin or end with it.
    @inline(__always)  // Else the op is copied for the call.
    fileprivate func mayChangeHolders(of live: Server.LiveTable) -> Bool {
        // Nearly every row comes without a claim, and awake.
        if case .insert(let row, _, _) = self {
            return row.hasRareParts && (row.claim != nil || row.sleep != nil)
        }
        // An invocation of the row ends by an op of its own.
        if removesRow, live.owners.claims.isEmpty, !live.ephemeral.timesClaims, live.wakes.isEmpty {
            return false
        }
        return facts.contains(.changesHolders)
    }
}
