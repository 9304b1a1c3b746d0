// What things weigh: about the bytes that they take on the wire. Of what a request brings it is bounded
// already; of what it leads to it is not, since an action is short to name and may have 64 KiB of effects.

extension Invocation {
    private static let ownWeight = 128

    /// About the bytes that it takes on the wire, with its row if it has one.
    public var weight: Int { Self.ownWeight + thenWeight + (pressed?.weight ?? 0) }

    /// The weight of the effects at its end.
    package var thenWeight: Int {
        (then + retries.otherwise).reduce(failure?.reason.utf8.count ?? 0) { $0 + $1.weight }
    }

    /// Without its row, for those who do not run it.
    public var withoutRow: Invocation {
        var invocation = self
        invocation.pressed = nil
        return invocation
    }
}

extension Effect {
    private static let ownWeight = 16

    /// About the bytes that it takes on the wire.
    var weight: Int {
        switch self {
        case .remove, .toggle, .removeItem, .moveBack, .snooze: return Self.ownWeight
        case .move(let section, let anchor):
            return Self.ownWeight + (section?.byteCount ?? 0) + (anchor.row?.byteCount ?? 0)
        case .set(let fields), .fill(let fields), .setItem(let fields):
            return Self.ownWeight + fields.weight
        case .increment(let increments):
            return increments.reduce(Self.ownWeight) { $0 + Self.ownWeight + $1.key.byteCount }
        case .expand(let state): return Self.ownWeight + state.weight
        case .unset(let keys):
            return keys.reduce(Self.ownWeight) { $0 + Self.ownWeight + $1.byteCount }
        case .kind(let kind): return Self.ownWeight + kind.byteCount
        case .group(let effects): return effects.reduce(Self.ownWeight) { $0 + $1.weight }
        case .invoke(_, let then, let retries):
            return (then + retries.otherwise).reduce(Self.ownWeight) { $0 + $1.weight }
        }
    }
}

extension [Row.Field] {
    fileprivate var weight: Int { reduce(0) { $0 + 8 + $1.key.byteCount + $1.value.utf8.count } }
}

extension Expansion {
    fileprivate var weight: Int {
        if case .named(let id) = self { id.byteCount } else { 8 }
    }
}

extension Op {
    private static let ownWeight = 24

    /// About the bytes that it takes on the wire.
    public var weight: Int {
        switch self {
        case .insert(let row, _, _): return Self.ownWeight + row.weight
        case .remove(let id, _), .swipe(let id, _), .select(let id, _): return Self.weight(of: id)
        case .scroll(let id, _), .mark(let id, _), .sleep(let id, _), .removeSection(let id):
            return 2 * Self.weight(of: id)
        case .perform(let id, let performance):
            if case .failed(let reason) = performance.state {
                return 2 * Self.weight(of: id) + reason.utf8.count
            }
            return 2 * Self.weight(of: id)
        case .move(let ids, _): return ids.reduce(Self.ownWeight) { $0 + 4 + $1.byteCount }
        case .set(let id, let changes):
            return Self.weight(of: id) + changes.fields.weight + (changes.title?.utf8.count ?? 0)
                + (changes.actions?.byteCount ?? 0) + 64 * (changes.states?.count ?? 0)
                + changes.unset.reduce(0) { $0 + 4 + $1.byteCount }
        case .expand(let id, let state): return Self.weight(of: id) + state.weight
        case .swap(let a, let b): return Self.weight(of: a) + b.byteCount
        case .insertSection(let id, let title, _), .setSection(let id, let title):
            return 2 * Self.weight(of: id) + title.utf8.count
        case .define(let definitions):
            return definitions.kinds.reduce(Self.ownWeight) { $0 + $1.byteCount }
        case .invoke(let invocation): return Self.ownWeight + invocation.withoutRow.weight
        case .take, .release, .edit, .expandAll: return 2 * Self.ownWeight
        case .rest(_, let failure):
            return 2 * Self.ownWeight + (failure?.reason.utf8.count ?? 0)
        case .finish(_, let outcome):
            if case .failed(let reason) = outcome { return 2 * Self.ownWeight + reason.utf8.count }
            return 2 * Self.ownWeight
        case .item(let id, let step): return Self.weight(of: id) + step.weight
        case .claim(let id, let claim):
            guard let claim else { return Self.weight(of: id) }
            return Self.weight(of: id) + claim.holder.byteCount + claim.note.utf8.count
        case .came(let id, let from): return Self.weight(of: id) + (from?.byteCount ?? 0)
        case .restore(let id, let traces): return Self.weight(of: id) + 64 * traces.performed.count
        case .invocation(_, let old): return 2 * Self.ownWeight + (old?.weight ?? 0)
        }
    }

    private static func weight(of id: ID) -> Int { ownWeight + id.byteCount }
}

extension Item.Step {
    fileprivate var weight: Int {
        switch self {
        case .insert(let item, _): return 16 + item.byteCount
        case .remove(let id): return 8 + id.byteCount
        case .move(let ids, _): return ids.reduce(8) { $0 + 4 + $1.byteCount }
        case .set(let id, let changes):
            return 8 + id.byteCount + changes.fields.weight + (changes.title?.utf8.count ?? 0)
        }
    }
}

extension Sequence<Op> {
    /// About the bytes that they take on the wire.
    public var weight: Int { reduce(0) { $0 + $1.weight } }
}

extension Row {
    /// The bytes of each row beside its text.
    private static let ownWeight = 64
    /// The bytes of each item beside its text.
    private static let weightOfItem = 96

    /// About the bytes that it takes in memory and on the wire.
    public var weight: Int {
        let own = Self.ownWeight + Int(store.header.textCount)
        guard let extras = store.header.extras else { return own }
        let parts = (extras.all.performed.count + extras.all.states.count + 2) * Self.ownWeight
        return own + parts + (extras.all.actions?.byteCount ?? 0) + weightOfItems
    }

    /// The weight of its strip alone.
    var weightOfItems: Int {
        guard let extras = store.header.extras else { return 0 }
        return extras.all.items.reduce(0) { $0 + Self.weightOfItem + $1.byteCount }
    }

    /// The weight of a row without strips and actions of its own; else nil.
    public var quickWeight: Int? { store.header.extras == nil ? ownWeight : nil }

    /// Where its items lie; nil: it has none. Versions of a row that differ in other things share them.
    var itemsPlace: UInt? {
        guard let items = store.header.extras?.all.items, !items.isEmpty else { return nil }
        return items.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
    }

    /// Without what another version of it shares.
    package var ownWeight: Int { Self.ownWeight + Int(store.header.textCount) }
}
