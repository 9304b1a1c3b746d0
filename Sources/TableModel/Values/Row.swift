import TableHash

/// One row: immutable, so that a snapshot can hold it while the table goes on.
///
/// It is a reference to one object in memory, where everything is packed (docs/decisions/0017).
public struct Row: @unchecked Sendable {
    /// Immutable, and so are the objects that it holds.
    let store: RowStore

    /// Its identity in the table.
    public var id: RowID { store.header.id }
    /// What a person or program may set.
    public var content: Content { Content(of: store) }
    /// The revision at which the content was last changed.
    public var version: UInt64 { store.withStamps { $0.number() } }
    /// When it was made, in milliseconds since 1970 (UTC).
    public var createdMs: UInt64 { store.stamps.createdMs }
    /// How far it is open.
    public var expansion: Expansion { store.expansion }
    /// Which side is swiped open, if any.
    public var swipe: Edge? { store.swipe }
    /// Actions that were performed on this version, or are under way, in the order of the presses.
    public var performed: [Performance] { store.header.extras?.performed ?? [] }
    /// Where a strip is scrolled to, on all screens; nil: nowhere, or each by itself.
    public var scroll: Scroll? { store.header.extras?.scroll }
    /// When `version` last grew, in milliseconds since 1970 (UTC); 0: not since it was made.
    public var changedMs: UInt64 { store.stamps.changedMs }
    /// When it last came to stand elsewhere, likewise; 0: not since it was made.
    public var movedMs: UInt64 { store.stamps.movedMs }
    /// Who works on it; nil: nobody has said so.
    public var claim: Claim? { store.header.extras?.claim }

    /// A row as given.
    public init(
        id: RowID, content: Content, version: UInt64 = 0, createdMs: UInt64 = 0,
        expansion: Expansion = .collapsed, swipe: Edge? = nil, performed: [Performance] = [],
        scroll: Scroll? = nil, changedMs: UInt64 = 0, movedMs: UInt64 = 0, claim: Claim? = nil
    ) {
        let extras = RowExtras(
            performed: performed, scroll: scroll, claim: claim, actions: content.actions,
            items: content.items)
        let stamps = Stamps(
            version: version, createdMs: createdMs, changedMs: changedMs, movedMs: movedMs)
        store = content.store.with(
            id: id,
            .init(stamps: stamps, expansion: expansion, swipe: swipe, extras: extras.boxed))
    }

    private init(_ store: RowStore) { self.store = store }

    // MARK: The same row, but for something

    private func with(_ change: (inout RowStore.Parts) -> Void) -> Row {
        var parts = store.parts
        change(&parts)
        return Row(store.with(id: id, parts))
    }

    private func withExtras(_ change: (inout RowExtras) -> Void) -> Row {
        with { parts in
            var extras = RowExtras(parts.extras)
            change(&extras)
            parts.extras = extras.boxed
        }
    }

    /// The same row with other content: what was performed on the old content may be performed
    /// again, unless it is under way.
    func with(content: Content, at moment: Moment) -> Row {
        var parts = store.parts
        parts.stamps.version = moment.revision
        parts.stamps.changedMs = moment.stamp(over: parts.stamps.changedMs)
        if parts.extras != nil || content.store.header.extras != nil {
            var extras = RowExtras(parts.extras)
            extras.performed = extras.performed.filter { $0.state.isPending }
            extras.actions = content.actions
            extras.items = content.items
            parts.extras = extras.boxed
        }
        return Row(content.store.with(id: id, parts))
    }

    /// The same row, opened that far.
    public func with(expansion: Expansion) -> Row { with { $0.expansion = expansion } }

    /// The same row with that side swiped open, or closed.
    public func with(swipe: Edge?) -> Row { with { $0.swipe = swipe } }

    /// The same row, scrolled there.
    public func with(scroll: Scroll?) -> Row { withExtras { $0.scroll = scroll } }

    /// The same row, claimed or free.
    func with(claim: Claim?) -> Row { withExtras { $0.claim = claim } }

    /// The same row with another version.
    public func with(version: UInt64) -> Row { with { $0.stamps.version = version } }

    /// The same row at another place: it has a time only if the moment has.
    func moved(at moment: Moment) -> Row {
        moment.timeMs == 0 ? self : with { $0.stamps.movedMs = moment.timeMs }
    }

    /// The same row with these traces of what happened to it.
    func with(_ traces: Traces, version: UInt64) -> Row {
        with { parts in
            parts.stamps.version = version
            parts.stamps.changedMs = traces.changedMs
            parts.stamps.movedMs = traces.movedMs
            if parts.extras == nil, traces.performed.isEmpty { return }
            var extras = RowExtras(parts.extras)
            extras.performed = traces.performed
            parts.extras = extras.boxed
        }
    }

    /// The same row after a performance, which takes the place of an earlier one of its action;
    /// of another version when it is a press.
    func with(_ performance: Performance, at moment: Moment?) -> Row {
        var performed = performed
        if let index = performed.firstIndex(where: { $0.action == performance.action }) {
            performed[index] = performance
        } else {
            performed.append(performance)
        }
        // More than a row can have actions: some are of definitions that have changed.
        if performed.count > Self.mostPerformed,
            let oldest = performed.firstIndex(where: { !$0.state.isPending })
        {
            performed.remove(at: oldest)
        }
        return with { parts in
            if let moment {
                parts.stamps.version = moment.revision
                parts.stamps.changedMs = moment.stamp(over: parts.stamps.changedMs)
            }
            var extras = RowExtras(parts.extras)
            extras.performed = performed
            parts.extras = extras.boxed
        }
    }

    /// As many as stand in two groups of actions.
    static let mostPerformed = 32

    /// What came of an action on this version of the row; nil: it was not performed.
    public func performance(of action: ID) -> Performance? {
        performed.first { $0.action == action }
    }
}

extension Row: Equatable {
    /// By everything.
    public static func == (a: Row, b: Row) -> Bool {
        a.store === b.store
            || a.id == b.id && a.content == b.content && a.store.stamps == b.store.stamps
                && a.expansion == b.expansion && a.swipe == b.swipe
                && a.performed == b.performed && a.scroll == b.scroll && a.claim == b.claim
    }
}

// MARK: Its hash

extension Row {
    /// Of everything except the version (which follows from the history of the rest).
    public var hash: UInt64 {
        CanonicalWriter.hash { write(to: &$0) }
    }

    private func write(to writer: inout CanonicalWriter) {
        let stamps = store.stamps
        writer.write(id)
        writeTexts(to: &writer)
        writer.write(stamps.createdMs)
        writer.write(expansion.text)
        writer.write(swipe?.rawValue ?? "closed")
        // The rest is written only where there is something, each behind its name.
        let extras = store.header.extras
        if let extras { writeFirst(extras, to: &writer) }
        if stamps.changedMs != 0 {
            writer.write("changed")
            writer.write(stamps.changedMs)
        }
        if stamps.movedMs != 0 {
            writer.write("moved")
            writer.write(stamps.movedMs)
        }
        if let claim = extras?.claim {
            writer.write("claim")
            claim.write(to: &writer)
        }
    }

    private func writeTexts(to writer: inout CanonicalWriter) {
        content.withTexts { texts in
            writer.write(texts.kind)
            writer.write(texts.title)
            writer.write(UInt64(texts.fieldCount))
            texts.forEachField { key, value in
                writer.write(key)
                writer.write(value)
            }
        }
    }

    private func writeFirst(_ extras: RowExtras.Box, to writer: inout CanonicalWriter) {
        if let actions = extras.actions {
            writer.write("actions")
            writer.write(actions.hash)
        }
        if !extras.performed.isEmpty {
            writer.write("performed")
            writer.write(UInt64(extras.performed.count))
            for performance in extras.performed { performance.write(to: &writer) }
        }
        if !extras.items.isEmpty {
            writer.write("items")
            writer.write(UInt64(extras.items.count))
            for item in extras.items { item.write(to: &writer) }
        }
        if let scroll = extras.scroll {
            writer.write("scroll")
            writer.write(scroll.item)
            writer.write(scroll.fraction)
        }
    }
}

// MARK: In the tree

extension Row: TreeElement {
    /// Eight bytes of each row: its hash as digests take it, and whether it is open.
    public struct Mark: Sendable {
        private let bits: UInt64

        private static let open: UInt64 = 1 << 63

        fileprivate init(_ hash: UInt64, isOpen: Bool) {
            bits = SequenceDigest.element(hash) | (isOpen ? Self.open : 0)
        }

        fileprivate var element: UInt64 { bits & ~Self.open }
        fileprivate var openCount: Int { bits >= Self.open ? 1 : 0 }
    }

    /// Computed from all of it.
    public var mark: Mark { Mark(hash, isOpen: store.header.expansion != 0) }

    /// Its digest, and 1 if it is not collapsed.
    public var summary: RowSummary { Self.sum(of: mark) }

    /// Of one row.
    public static func sum(of mark: Mark) -> RowSummary {
        RowSummary(digest: SequenceDigest(element: mark.element), openCount: mark.openCount)
    }

    /// The digest in one go.
    public static func total(of marks: ContiguousArray<Mark>) -> RowSummary {
        var digests = ElementDigests(count: marks.count)
        var openCount = 0
        for mark in marks {
            digests.append(mark.element)
            openCount += mark.openCount
        }
        return RowSummary(digest: digests.all, openCount: openCount)
    }

    /// Whether it is the same object.
    public func isSame(as other: Row) -> Bool { store === other.store }
}

/// What a run of rows amounts to.
public struct RowSummary: Summary {
    /// Of the rows' hashes, in order.
    public private(set) var digest: SequenceDigest
    /// How many are not collapsed: an accordion closes them.
    public private(set) var openCount: Int

    fileprivate init(digest: SequenceDigest, openCount: Int) {
        self.digest = digest
        self.openCount = openCount
    }

    /// Of no rows.
    public static var empty: RowSummary { RowSummary(digest: .empty, openCount: 0) }

    /// Adds the run that follows.
    public mutating func append(_ next: RowSummary) {
        digest.append(next.digest)
        openCount += next.openCount
    }
}
