// A row with one change. What changes a table's row is said of its parts: they are changed where the row
// lies, or in a copy.

/// The revision and time of an op.
package struct Moment {
    /// The revision that the ops lead to.
    package let revision: UInt64
    /// The time of the diff, in milliseconds since 1970 (UTC); 0: unknown, and no row is stamped.
    package let timeMs: UInt64
    /// The ops are an inverse and lead to an older revision: rows come with versions of their own.
    package let isInverse: Bool
    /// The ops take an earlier revision back.
    package let takesBack: Bool

    /// By default of ops that lead forward.
    package init(
        revision: UInt64, timeMs: UInt64, isInverse: Bool = false, takesBack: Bool = false
    ) {
        self.revision = revision
        self.timeMs = timeMs
        self.isInverse = isInverse
        self.takesBack = takesBack
    }

    /// The time for a row's stamp.
    package func stamp(over old: UInt64) -> UInt64 { timeMs == 0 ? old : timeMs }
}

extension RowStore.Parts {
    /// Changes the parts that few rows have.
    package mutating func changeExtras(_ change: (inout RowExtras) -> Void) {
        var all = extras?.all ?? RowExtras()
        change(&all)
        extras = all.boxed
    }

    /// Other content. What was performed on the old content may be performed again, unless it is pending.
    package mutating func changeContent(at moment: Moment) {
        stamps.version = moment.revision
        stamps.changedMs = moment.stamp(over: stamps.changedMs)
        if extras?.all.performed.isEmpty ?? true { return }
        changeExtras { $0.performed = $0.performed.filter { $0.state.isPending } }
    }

    /// Another place. `movedMs` changes only if the moment has a time.
    package mutating func move(at moment: Moment) {
        if moment.timeMs != 0 { stamps.movedMs = moment.timeMs }
    }

    /// These traces.
    package mutating func take(_ traces: Traces, version: UInt64) {
        stamps.version = version
        stamps.changedMs = traces.changedMs
        stamps.movedMs = traces.movedMs
        if extras == nil, traces.performed.isEmpty { return }
        changeExtras { $0.performed = traces.performed }
    }

    /// A performance, which replaces an earlier one of the same action. The version grows if the moment
    /// is given: that is a press.
    package mutating func perform(_ performance: Performance, at moment: Moment?) {
        if let moment {
            stamps.version = moment.revision
            stamps.changedMs = moment.stamp(over: stamps.changedMs)
        }
        changeExtras { extras in
            if let index = extras.performed.firstIndex(where: { $0.deed == performance.deed }) {
                extras.performed[index] = performance
            } else {
                extras.performed.append(performance)
            }
            Row.trim(&extras.performed)
        }
    }
}

// Where the row lies, if nobody else holds it and it has room; else they return the row that is to take
// its place. These are what most commands do: they do not take the row's parts apart.
extension Row {
    /// As `change`: another place. The time of the last move changes only if the moment has a time.
    @inline(__always)
    package mutating func move(at moment: Moment) -> Row? {
        if moment.timeMs == 0 { return nil }
        if isKnownUniquelyReferenced(&store) {
            var stamps = store.stamps
            stamps.movedMs = moment.timeMs
            if store.changeStamps(to: stamps) { return nil }
        }
        return change { $0.move(at: moment) }
    }

    /// Changes its expansion in place.
    @inline(__always)
    package mutating func expand(to state: Expansion) -> Row? {
        if isKnownUniquelyReferenced(&store), store.change(to: state) { return nil }
        return change { $0.expansion = state }
    }

    /// Changes its content in place.
    package mutating func set(_ changes: Command.Changes, at moment: Moment) -> Row? {
        guard changes.changesTexts, changes.actions == nil, changes.states == nil else {
            return with(content: changes.applied(to: content), at: moment)
        }
        let isOwn = isKnownUniquelyReferenced(&store)
        let own = store
        var changed = own.parts
        changed.changeContent(at: moment)
        let parts = changed
        return content.withText(after: changes) { count, text -> Row? in
            if isOwn, own.change(to: parts, textCount: count, text: text) { return nil }
            return Row(RowStore.make(id: own.header.id, parts, textCount: count, text: text))
        }
    }

    /// Whether nobody else holds it.
    @inline(__always)
    package mutating func isHeldOnce() -> Bool { isKnownUniquelyReferenced(&store) }

    /// Whether nothing of it is kept in lists of the table: no swiped side, and none of the parts that few have.
    package var isPlain: Bool {
        store.withUnsafeMutablePointerToHeader { $0.pointee.extras == nil && $0.pointee.swipe == 0 }
    }
}

extension Row {
    /// This row with other parts.
    package func with(_ change: (inout RowStore.Parts) -> Void) -> Row {
        var parts = store.parts
        change(&parts)
        return Row(store.with(id: id, parts))
    }

    /// This row with other content.
    package func with(content: Content, at moment: Moment) -> Row {
        var parts = store.parts
        parts.changeContent(at: moment)
        if parts.extras != nil || content.store.header.extras != nil {
            parts.changeExtras { extras in
                extras.actions = content.actions
                extras.items = content.items
                extras.states = content.states
            }
        }
        return Row(content.store.with(id: id, parts))
    }

    /// This row with that side swiped open, or closed.
    public func with(swipe: Edge?) -> Row { with { $0.swipe = swipe } }

    /// This row, selected or not.
    public func with(selection: Selection?) -> Row {
        with { $0.changeExtras { $0.selection = selection } }
    }

    /// This row, claimed or free.
    package func with(claim: Claim?) -> Row { with { $0.changeExtras { $0.claim = claim } } }

    /// This row, asleep or awake.
    package func with(sleep: Sleep?) -> Row { with { $0.changeExtras { $0.sleep = sleep } } }

    /// This row with another version.
    public func with(version: UInt64) -> Row { with { $0.stamps.version = version } }

    /// As many as two groups of actions hold.
    package static let mostPerformed = 32
    /// Performances on items that a row keeps: they travel with it.
    package static let mostPerformedOnItems = 256

    /// Drops what is too much: of the row's own actions the oldest that is not pending, of the
    /// items' the oldest that failed, which may be performed again anyway. Where there is none, a press is
    /// refused (`checkRoom`).
    fileprivate static func trim(_ performed: inout [Performance]) {
        let onItems = performed.count { $0.item != nil }
        // More than a row can have actions: some belong to definitions that have changed.
        if performed.count - onItems > mostPerformed,
            let oldest = performed.firstIndex(where: { $0.item == nil && !$0.state.isPending })
        {
            performed.remove(at: oldest)
        }
        if onItems > mostPerformedOnItems,
            let oldest = performed.firstIndex(where: { $0.item != nil && $0.state.isFailed })
        {
            performed.remove(at: oldest)
        }
    }
}
