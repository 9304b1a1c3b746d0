import TableHash

/// How far a row is open, vertically (design rule C1).
public enum Expansion: Hashable, Sendable {
    case collapsed
    case expanded
    /// A state that the row's kind names and gives a height to.
    case named(ID)
    /// A height of its own, in points.
    case height(Double)

    /// `collapsed`, `expanded`, a name, or the height as a number.
    public var text: String {
        switch self {
        case .collapsed: return "collapsed"
        case .expanded: return "expanded"
        case .named(let name): return name.text
        case .height(let points): return Self.plain(points)
        }
    }

    /// The reverse of `text`. A text that reads as a number is a height, whatever its value.
    public init(_ text: String) {
        switch text {
        case "collapsed": self = .collapsed
        case "expanded": self = .expanded
        default: self = Self.number(text).map(Expansion.height) ?? .named(ID(text))
        }
    }

    /// Decimal only: `Double` would also take "0x50" for 80.
    private static func number(_ text: String) -> Double? {
        text.utf8.contains { $0 | 0x20 == UInt8(ascii: "x") } ? nil : Double(text)
    }

    /// 80 rather than 80.0, as people write it.
    private static func plain(_ points: Double) -> String {
        if let whole = Int64(exactly: points) { return String(whole) }
        return String(points)
    }
}

/// A side of a row that can be swiped open.
public enum Edge: String, Hashable, Sendable, CaseIterable {
    case leading, trailing
}

/// One row: immutable, so that a snapshot can hold it while the table goes on.
public final class Row: Sendable {
    /// Its identity in the table.
    public let id: RowID
    /// What a person or program may set.
    public let content: Content
    /// The revision at which the content was last changed.
    public let version: UInt64
    /// When it was made, in milliseconds since 1970 (UTC).
    public let createdMs: UInt64
    /// How far it is open.
    public let expansion: Expansion
    /// Which side is swiped open, if any.
    public let swipe: Edge?
    /// Actions that were performed on this version, or are under way, in the order of the presses.
    public let performed: [Performance]
    /// Where a strip is scrolled to, on all screens; nil: nowhere, or each by itself.
    public let scroll: Scroll?
    /// When `version` last grew, in milliseconds since 1970 (UTC); 0: not since it was made.
    public let changedMs: UInt64
    /// When it last came to stand elsewhere, likewise; 0: not since it was made.
    public let movedMs: UInt64
    /// Who works on it; nil: nobody has said so.
    public let claim: Claim?
    /// Of everything above except the version (which follows from the history of the rest).
    public let hash: UInt64

    /// Kind, title and fields of a row.
    public struct Content: Hashable, Sendable {
        /// Registered in the table.
        public var kind: KindID
        /// What people read first; may be empty.
        public var title: String
        /// In the order of their keys' bytes, each key once.
        public private(set) var fields: [Field]
        /// Swipe actions of its own; nil: its kind's.
        public var actions: RowActions?
        /// Of a strip, in order.
        public var items: [Item] = []

        /// Fields may come in any order; of two with one key the last is kept.
        public init(
            kind: KindID = .plainKind, title: String = "", fields: [Field] = [],
            actions: RowActions? = nil, items: [Item] = []
        ) {
            self.items = items
            self.actions = actions?.isEmpty == true ? nil : actions
            self.kind = kind
            self.title = title
            self.fields = Self.sorted(fields)
        }

        /// In order of their keys, of two with one key the last: never one by one, which would
        /// take a second for the fields that fit into one request.
        private static func sorted(_ fields: [Field]) -> [Field] {
            if fields.count < 2 { return fields }
            let order = fields.indices.sorted {
                fields[$0].key == fields[$1].key ? $0 < $1 : fields[$0].key < fields[$1].key
            }
            var result: [Field] = []
            result.reserveCapacity(fields.count)
            for index in order {
                if result.last?.key == fields[index].key { result.removeLast() }
                result.append(fields[index])
            }
            return result
        }

        /// Sets one field.
        public mutating func set(_ field: Field) {
            let place = fields.firstIndex { !($0.key < field.key) } ?? fields.endIndex
            if place < fields.endIndex, fields[place].key == field.key {
                fields[place] = field
            } else {
                fields.insert(field, at: place)
            }
        }

        /// Removes the field with this key, if there is one.
        public mutating func unset(_ key: ID) {
            fields.removeAll { $0.key == key }
        }

        /// Bytes of all text, as the row limit counts them.
        public var byteCount: Int {
            fields.reduce(kind.byteCount + title.utf8.count + (actions?.byteCount ?? 0)) {
                $0 + $1.key.byteCount + $1.value.utf8.count
            }
        }

        /// Titles and values compare by bytes too: a change of normalisation is a change.
        public static func == (a: Content, b: Content) -> Bool {
            a.kind == b.kind && a.title.hasSameBytes(as: b.title) && a.fields == b.fields
                && a.actions == b.actions && a.items == b.items
        }

        /// As `==`, without the fields.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(kind)
            hasher.combine(ID(title))
        }
    }

    /// A named text of a row.
    public struct Field: Hashable, Sendable {
        /// Its name, unique in the row.
        public var key: ID
        /// Its text; may be empty.
        public var value: String

        /// A field as given.
        public init(_ key: ID, _ value: String) {
            self.key = key
            self.value = value
        }

        /// By bytes.
        public static func == (a: Field, b: Field) -> Bool {
            a.key == b.key && a.value.hasSameBytes(as: b.value)
        }

        /// As `==`, by the key alone.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(key)
        }
    }

    /// A row as given; its hash is computed here.
    public init(
        id: RowID, content: Content, version: UInt64 = 0, createdMs: UInt64 = 0,
        expansion: Expansion = .collapsed, swipe: Edge? = nil, performed: [Performance] = [],
        scroll: Scroll? = nil, changedMs: UInt64 = 0, movedMs: UInt64 = 0, claim: Claim? = nil
    ) {
        self.id = id
        self.content = content
        self.version = version
        self.createdMs = createdMs
        self.expansion = expansion
        self.swipe = swipe
        self.performed = performed
        self.scroll = scroll
        self.changedMs = changedMs
        self.movedMs = movedMs
        self.claim = claim
        var writer = CanonicalWriter(capacity: 128 + content.byteCount)
        writer.write(id)
        writer.write(content.kind)
        writer.write(content.title)
        writer.write(UInt64(content.fields.count))
        for field in content.fields {
            writer.write(field.key)
            writer.write(field.value)
        }
        writer.write(createdMs)
        writer.write(expansion.text)
        writer.write(swipe?.rawValue ?? "closed")
        hash = Self.hash(
            writer, content, performed: performed, scroll: scroll, changedMs: changedMs,
            movedMs: movedMs, claim: claim)
    }

    /// The same row at another version, which is no part of the hash.
    init(_ row: Row, version: UInt64) {
        id = row.id
        content = row.content
        self.version = version
        createdMs = row.createdMs
        expansion = row.expansion
        swipe = row.swipe
        performed = row.performed
        scroll = row.scroll
        changedMs = row.changedMs
        movedMs = row.movedMs
        claim = row.claim
        hash = row.hash
    }

    /// The rest is written only where there is something, each behind its name.
    private static func hash(
        _ begun: consuming CanonicalWriter, _ content: Content, performed: [Performance],
        scroll: Scroll?,
        changedMs: UInt64, movedMs: UInt64, claim: Claim?
    ) -> UInt64 {
        var writer = begun
        if let actions = content.actions {
            writer.write("actions")
            writer.write(actions.hash)
        }
        if !performed.isEmpty {
            writer.write("performed")
            writer.write(UInt64(performed.count))
            for performance in performed { performance.write(to: &writer) }
        }
        if !content.items.isEmpty {
            writer.write("items")
            writer.write(UInt64(content.items.count))
            for item in content.items { item.write(to: &writer) }
        }
        if let scroll {
            writer.write("scroll")
            writer.write(scroll.item)
            writer.write(scroll.fraction)
        }
        if changedMs != 0 {
            writer.write("changed")
            writer.write(changedMs)
        }
        if movedMs != 0 {
            writer.write("moved")
            writer.write(movedMs)
        }
        if let claim {
            writer.write("claim")
            claim.write(to: &writer)
        }
        return writer.hash
    }

    /// The same row with other content: what was performed on the old content may be performed
    /// again, unless it is under way.
    func with(content: Content, at moment: Moment) -> Row {
        Row(
            id: id, content: content, version: moment.revision, createdMs: createdMs,
            expansion: expansion, swipe: swipe,
            performed: performed.isEmpty ? [] : performed.filter { $0.state.isPending },
            scroll: scroll, changedMs: moment.stamp(over: changedMs), movedMs: movedMs,
            claim: claim)
    }

    /// The same row, opened that far.
    public func with(expansion: Expansion) -> Row {
        Row(
            id: id, content: content, version: version, createdMs: createdMs,
            expansion: expansion, swipe: swipe, performed: performed, scroll: scroll,
            changedMs: changedMs, movedMs: movedMs, claim: claim)
    }

    /// The same row with that side swiped open, or closed.
    public func with(swipe: Edge?) -> Row {
        Row(
            id: id, content: content, version: version, createdMs: createdMs,
            expansion: expansion, swipe: swipe, performed: performed, scroll: scroll,
            changedMs: changedMs, movedMs: movedMs, claim: claim)
    }

    /// The same row, scrolled there.
    public func with(scroll: Scroll?) -> Row {
        Row(
            id: id, content: content, version: version, createdMs: createdMs,
            expansion: expansion, swipe: swipe, performed: performed, scroll: scroll,
            changedMs: changedMs, movedMs: movedMs, claim: claim)
    }

    /// The same row, claimed or free.
    func with(claim: Claim?) -> Row {
        Row(
            id: id, content: content, version: version, createdMs: createdMs,
            expansion: expansion, swipe: swipe, performed: performed, scroll: scroll,
            changedMs: changedMs, movedMs: movedMs, claim: claim)
    }

    /// The same row with another version.
    public func with(version: UInt64) -> Row {
        Row(
            id: id, content: content, version: version, createdMs: createdMs,
            expansion: expansion, swipe: swipe, performed: performed, scroll: scroll,
            changedMs: changedMs, movedMs: movedMs, claim: claim)
    }

    /// The same row at another place: it has a time only if the moment has.
    func moved(at moment: Moment) -> Row {
        if moment.timeMs == 0 { return self }
        return Row(
            id: id, content: content, version: version, createdMs: createdMs,
            expansion: expansion, swipe: swipe, performed: performed, scroll: scroll,
            changedMs: changedMs, movedMs: moment.timeMs, claim: claim)
    }

    /// The same row with these traces of what happened to it.
    func with(_ traces: Traces, version: UInt64) -> Row {
        Row(
            id: id, content: content, version: version, createdMs: createdMs,
            expansion: expansion, swipe: swipe, performed: traces.performed, scroll: scroll,
            changedMs: traces.changedMs, movedMs: traces.movedMs, claim: claim)
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
        return Row(
            id: id, content: content, version: moment?.revision ?? version, createdMs: createdMs,
            expansion: expansion, swipe: swipe, performed: performed, scroll: scroll,
            changedMs: moment?.stamp(over: changedMs) ?? changedMs, movedMs: movedMs,
            claim: claim)
    }

    /// As many as stand in two groups of actions.
    static let mostPerformed = 32

    /// What came of an action on this version of the row; nil: it was not performed.
    public func performance(of action: ID) -> Performance? {
        performed.first { $0.action == action }
    }
}

extension Row: Equatable {
    /// By everything but the hash, which follows from it.
    public static func == (a: Row, b: Row) -> Bool {
        a.id == b.id && a.content == b.content && a.version == b.version
            && a.createdMs == b.createdMs && a.expansion == b.expansion && a.swipe == b.swipe
            && a.performed == b.performed && a.scroll == b.scroll
            && a.changedMs == b.changedMs && a.movedMs == b.movedMs && a.claim == b.claim
    }
}
