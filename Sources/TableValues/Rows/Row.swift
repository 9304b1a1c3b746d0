/// One row. A value, so that a snapshot can hold it while the table goes on.
///
/// It is a reference to one object that holds everything packed (docs/decisions/0017).
public struct Row: @unchecked Sendable {
    /// Changed only where nobody else holds it, as the memory of an array. What it holds is immutable.
    @usableFromInline package var store: RowStore

    /// Its identity in the table.
    public var id: RowID { store.header.id }
    /// Whether this is its identity. Compared where it lies, without a copy of it.
    @inlinable package func has(_ id: RowID) -> Bool {
        store.withUnsafeMutablePointerToHeader { $0.pointee.id == id }
    }
    /// Lends its identity, without a copy.
    @inlinable package func withID<Result>(_ body: (borrowing RowID) -> Result) -> Result {
        store.withUnsafeMutablePointerToHeader { body($0.pointee.id) }
    }
    /// The content that a person or a program may set.
    public var content: Content { Content(of: store) }
    /// The revision at which the content was last changed.
    public var version: UInt64 { store.version }
    /// When the row was made, in milliseconds since 1970 (UTC).
    public var createdMs: UInt64 { store.stamps.createdMs }
    /// How far the row is open.
    public var expansion: Expansion { store.expansion }
    /// The side that is swiped open, if any.
    public var swipe: Edge? { store.swipe }
    /// Actions performed on this version and pending ones, in the order of the presses.
    public var performed: [Performance] { store.header.extras?.all.performed ?? [] }
    /// A strip's scroll position, if all viewers share it; nil: none.
    public var scroll: Scroll? { store.header.extras?.all.scroll }
    /// When `version` last grew, in milliseconds since 1970 (UTC); 0: never since the row was made.
    public var changedMs: UInt64 { store.stamps.changedMs }
    /// When the row last moved, in milliseconds since 1970 (UTC); 0: never since it was made.
    public var movedMs: UInt64 { store.stamps.movedMs }
    /// The claim on the row; nil: nobody has claimed it.
    public var claim: Claim? { store.header.extras?.all.claim }
    /// Until when it sleeps; nil: it is awake.
    public var sleep: Sleep? { store.header.extras?.all.sleep }

    /// Its selection, if the table keeps selections; nil: nothing is selected.
    public var selection: Selection? { store.header.extras?.all.selection }

    /// The section that it last left, if an action of its kind asks for it; nil: it remembers none.
    public var cameFrom: SectionID? { store.header.extras?.all.cameFrom }
    /// Whether there are performed actions, a scroll position, a claim, a sleep, a selection, items, or
    /// actions or states of its own.
    package var hasRareParts: Bool { store.header.extras != nil }

    /// A row as given.
    public init(
        id: RowID, content: Content, version: UInt64 = 0, createdMs: UInt64 = 0,
        expansion: Expansion = .collapsed, swipe: Edge? = nil, performed: [Performance] = [],
        scroll: Scroll? = nil, changedMs: UInt64 = 0, movedMs: UInt64 = 0, claim: Claim? = nil,
        selection: Selection? = nil, cameFrom: SectionID? = nil, sleep: Sleep? = nil
    ) {
        let extras = RowExtras(
            performed: performed, scroll: scroll, claim: claim, actions: content.actions,
            items: content.items, states: content.states, selection: selection,
            cameFrom: cameFrom, sleep: sleep)
        let stamps = Stamps(
            version: version, createdMs: createdMs, changedMs: changedMs, movedMs: movedMs)
        store = content.store.with(
            id: id,
            .init(stamps: stamps, expansion: expansion, swipe: swipe, extras: extras.boxed))
    }

    @inlinable package init(_ store: RowStore) { self.store = store }

    /// Changes it where it lies and returns nil or, if others hold it too or it has no room for the change,
    /// returns the row that is to take its place.
    package mutating func change(_ change: (inout RowStore.Parts) -> Void) -> Row? {
        var parts = store.parts
        change(&parts)
        if isKnownUniquelyReferenced(&store), store.change(to: parts) { return nil }
        return Row(store.with(id: id, parts))
    }

    /// The performance of an action on this version of the row; nil: it was not performed.
    public func performance(of action: ID) -> Performance? { performance(of: Deed(action)) }

    /// The performance of an action of the row or of an item on this version of the row.
    public func performance(of deed: Deed) -> Performance? { performed.first { $0.deed == deed } }
}

extension Row: Equatable {
    /// By all properties.
    public static func == (a: Row, b: Row) -> Bool {
        a.store === b.store
            || a.id == b.id && a.content == b.content && a.store.stamps == b.store.stamps
                && a.expansion == b.expansion && a.swipe == b.swipe
                && a.store.header.extras?.all == b.store.header.extras?.all
    }
}

// MARK: Its hash

extension Row {
    /// The hash of everything except the version, which follows from the history of the rest.
    public var hash: UInt64 { CanonicalWriter.hash { write(to: &$0) } }

    private func write(to writer: inout CanonicalWriter) {
        let stamps = store.stamps
        let (isPlain, isSimple) = store.withUnsafeMutablePointerToHeader {
            ($0.pointee.extras == nil, $0.pointee.expansion <= 1)
        }
        // All that nearly every row has, with one question for room.
        content.withTexts { texts in
            var room = writer.room(for: mostBytes(of: texts) &+ Self.mostWords)
            put(texts, createdMs: stamps.createdMs, into: &room)
            if isSimple { putState(into: &room) }
            if isSimple, isPlain { Self.put(stamps, into: &room) }
            writer.take(room)
        }
        if !isSimple {
            expansion.write(to: &writer)
            var room = writer.room(for: Self.mostWords)
            putSwipe(into: &room)
            writer.take(room)
        }
        if !isSimple || !isPlain { writeRest(stamps, to: &writer) }
    }

    /// Writes the parts behind the row's state.
    private func writeRest(_ stamps: Stamps, to writer: inout CanonicalWriter) {
        let extras = store.header.extras
        // Parts that came later are written only if they hold something, each after its name.
        if let extras { writeFirst(extras, to: &writer) }
        var room = writer.room(for: Self.mostWords)
        Self.put(stamps, into: &room)
        writer.take(room)
        if let claim = extras?.all.claim {
            writer.write("claim")
            claim.write(to: &writer)
        }
        if let states = extras?.all.states, !states.isEmpty {
            writer.write("states")
            writer.write(states)
        }
        extras?.all.selection?.write(to: &writer)
        if let extras { writeItemParts(extras, to: &writer) }
        if let section = extras?.all.cameFrom {
            writer.write("came from")
            writer.write(section)
        }
        extras?.all.sleep?.write(to: &writer)
    }

    /// Writes the kinds of items, and the actions performed on them (F13).
    private func writeItemParts(_ extras: RowExtras.Box, to writer: inout CanonicalWriter) {
        let kinds = extras.all.items.enumerated().filter { $0.element.kind != nil }
        if !kinds.isEmpty {
            writer.write("item kinds")
            writer.write(UInt64(kinds.count))
            for (index, item) in kinds {
                writer.write(UInt64(index))
                writer.write(item.kind?.text ?? "")
            }
        }
        let performed = extras.all.performed.enumerated().filter { $0.element.item != nil }
        if performed.isEmpty { return }
        writer.write("performed on items")
        writer.write(UInt64(performed.count))
        for (index, performance) in performed {
            writer.write(UInt64(index))
            writer.write(performance.item?.text ?? "")
        }
    }

    /// More bytes than id and texts take, with the number of fields and a time.
    @inline(__always)
    private func mostBytes(of texts: RowTexts) -> Int {
        // A text in memory has its size in a byte at least, and has eight here. The plain kind has no bytes there,
        // and a short id is written as 16.
        withID { $0.byteCount } &+ Int(store.header.textCount) &+ 16 &* texts.fieldCount &+ 80
    }

    @inline(__always)
    private func put(_ texts: RowTexts, createdMs: UInt64, into room: inout CanonicalWriter.Room) {
        withID { room.put($0) }
        room.put(texts.kind)
        room.put(texts.title)
        room.put(UInt64(truncatingIfNeeded: texts.fieldCount))
        texts.forEachField { key, value in
            room.put(key)
            room.put(value)
        }
        room.put(createdMs)
    }

    /// More bytes than `putState` and the stamps take.
    private static let mostWords = 96

    /// One of the two frequent states, and whether the row is swiped open.
    @inline(__always)
    private func putState(into room: inout CanonicalWriter.Room) {
        if store.header.expansion == 0 {
            room.put(word: "collapsed")
        } else {
            room.put(word: "expanded")
        }
        putSwipe(into: &room)
    }

    @inline(__always)
    private func putSwipe(into room: inout CanonicalWriter.Room) {
        switch swipe {
        case nil: room.put(word: "closed")
        case .leading?: room.put(word: "leading")
        case .trailing?: room.put(word: "trailing")
        }
    }

    @inline(__always)
    private static func put(_ stamps: Stamps, into room: inout CanonicalWriter.Room) {
        if stamps.changedMs != 0 {
            room.put(word: "changed")
            room.put(stamps.changedMs)
        }
        if stamps.movedMs != 0 {
            room.put(word: "moved")
            room.put(stamps.movedMs)
        }
    }

    private func writeFirst(_ extras: RowExtras.Box, to writer: inout CanonicalWriter) {
        if let actions = extras.all.actions {
            writer.write("actions")
            writer.write(actions.hash)
        }
        if !extras.all.performed.isEmpty {
            writer.write("performed")
            writer.write(UInt64(extras.all.performed.count))
            for performance in extras.all.performed { performance.write(to: &writer) }
        }
        if !extras.all.items.isEmpty {
            writer.write("items")
            writer.write(UInt64(extras.all.items.count))
            for item in extras.all.items { item.write(to: &writer) }
        }
        if let scroll = extras.all.scroll {
            writer.write("scroll")
            writer.write(scroll.item)
            writer.write(scroll.fraction)
        }
    }
}
