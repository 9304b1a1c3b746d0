/// A row in memory: one object, with the parts of variable size behind those of fixed size.
///
/// Behind the head come, packed: the row's version and times, its text from `textStart` on, and the
/// part of its expansion that the head's code does not hold. Changed only by whoever alone holds it
/// (`Row.change`), so all others see it as it was made, and many threads may read it.
final class RowStore: ManagedBuffer<RowHead, UInt8> {
    /// All of a row except its id and text.
    struct Parts {
        var stamps = Row.Stamps()
        var expansion = Expansion.collapsed
        var swipe: Edge?
        var extras: RowExtras.Box?
    }

    /// - Parameters:
    ///   - textCount: bytes that `text` writes.
    ///   - text: kind, title, and fields.
    static func make(
        id: RowID, _ parts: Parts, textCount: Int, text: (inout PackedWriter) -> Void
    ) -> RowStore {
        let stamps = parts.stamps
        let textStart = stamps.size
        let buffer = RowStore.create(
            minimumCapacity: room(for: textStart + textCount + parts.expansion.packedSize)
        ) { _ in
            RowHead(
                id: id, extras: parts.extras, textCount: UInt32(textCount),
                textStart: UInt8(textStart), expansion: parts.expansion.code,
                swipe: parts.swipe.code)
        }
        buffer.withUnsafeMutablePointerToElements { bytes in
            var writer = PackedWriter(bytes)
            stamps.put(into: &writer)
            text(&writer)
            parts.expansion.put(into: &writer)
        }
        return unsafeDowncast(buffer, to: RowStore.self)
    }

    /// What the allocator takes for so many bytes behind the head: it gives memory in steps of 16, with 8
    /// of them for itself. A row may grow by what is left over.
    private static func room(for count: Int) -> Int {
        let head = 2 * MemoryLayout<Int>.size + MemoryLayout<RowHead>.size
        return (head + count + 8 + 15) & ~15 - 8 - head
    }

    /// Changes the row from its parts to others where it lies; false: it has no room for them, and nothing
    /// was changed. Its text stays.
    func change(from old: Parts, to new: Parts) -> Bool {
        withUnsafeMutablePointers { head, bytes in
            let textStart = Int(head.pointee.textStart)
            let textCount = Int(head.pointee.textCount)
            if new.stamps != old.stamps || new.expansion != old.expansion {
                let start = new.stamps.size
                let room = Self.room(for: textStart + textCount + old.expansion.packedSize)
                if start + textCount + new.expansion.packedSize > room { return false }
                if start != textStart {
                    // The memory of both may overlap.
                    UnsafeMutableRawPointer(bytes + start).copyMemory(
                        from: bytes + textStart, byteCount: textCount)
                    head.pointee.textStart = UInt8(start)
                }
                var writer = PackedWriter(bytes)
                new.stamps.put(into: &writer)
                writer = PackedWriter(bytes + start + textCount)
                new.expansion.put(into: &writer)
                head.pointee.expansion = new.expansion.code
            }
            head.pointee.swipe = new.swipe.code
            head.pointee.extras = new.extras
            return true
        }
    }

    /// A row with the text of this one and these parts.
    func with(id: RowID, _ parts: Parts) -> RowStore {
        withText { text in
            RowStore.make(id: id, parts, textCount: text.count) { $0.put(text) }
        }
    }

    /// Lends kind, title, and fields.
    func withText<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeMutablePointers { head, bytes in
            body(
                UnsafeRawBufferPointer(
                    start: bytes + Int(head.pointee.textStart),
                    count: Int(head.pointee.textCount)))
        }
    }

    func withStamps<Result>(_ body: (inout PackedReader) -> Result) -> Result {
        withUnsafeMutablePointerToElements { bytes in
            var reader = PackedReader(bytes)
            return body(&reader)
        }
    }

    var stamps: Row.Stamps { withStamps { Row.Stamps(from: &$0) } }

    var expansion: Expansion {
        withUnsafeMutablePointers { head, bytes in
            let end = bytes + Int(head.pointee.textStart) + Int(head.pointee.textCount)
            return Expansion(code: head.pointee.expansion, packed: end)
        }
    }

    var swipe: Edge? { Edge?(code: header.swipe) }

    var parts: Parts {
        Parts(stamps: stamps, expansion: expansion, swipe: swipe, extras: header.extras)
    }
}

/// The part that has the same size in every row.
struct RowHead {
    let id: RowID
    var extras: RowExtras.Box?
    let textCount: UInt32
    var textStart: UInt8
    var expansion: UInt8
    var swipe: UInt8
}

/// The parts that few rows have.
struct RowExtras {
    var performed: [Performance] = []
    var scroll: Scroll?
    var claim: Claim?
    var actions: RowActions?
    var items: [Item] = []
    var states: [Kind.State] = []
    var selection: Row.Selection?

    final class Box: Sendable {
        let performed: [Performance]
        let scroll: Scroll?
        let claim: Claim?
        let actions: RowActions?
        let items: [Item]
        let states: [Kind.State]
        let selection: Row.Selection?

        fileprivate init(_ all: RowExtras) {
            performed = all.performed
            scroll = all.scroll
            claim = all.claim
            actions = all.actions
            items = all.items
            states = all.states
            selection = all.selection
        }
    }

    /// Nil if there is nothing to hold.
    var boxed: Box? {
        let isEmpty =
            performed.isEmpty && scroll == nil && claim == nil && actions == nil && items.isEmpty
            && states.isEmpty && selection == nil
        return isEmpty ? nil : Box(self)
    }
}

extension RowExtras {
    init(_ box: Box?) {
        self.init()
        guard let box else { return }
        self = RowExtras(
            performed: box.performed, scroll: box.scroll, claim: box.claim, actions: box.actions,
            items: box.items, states: box.states, selection: box.selection)
    }
}

extension Row {
    /// A row's version and times.
    struct Stamps: Equatable {
        var version: UInt64 = 0
        var createdMs: UInt64 = 0
        var changedMs: UInt64 = 0
        var movedMs: UInt64 = 0
    }
}

extension Row.Stamps {
    fileprivate var size: Int {
        PackedWriter.size(version) + PackedWriter.size(createdMs) + PackedWriter.size(changedMs)
            + PackedWriter.size(movedMs)
    }

    fileprivate func put(into writer: inout PackedWriter) {
        writer.put(version)
        writer.put(createdMs)
        writer.put(changedMs)
        writer.put(movedMs)
    }

    fileprivate init(from reader: inout PackedReader) {
        version = reader.number()
        createdMs = reader.number()
        changedMs = reader.number()
        movedMs = reader.number()
    }
}

extension Expansion {
    fileprivate var code: UInt8 {
        switch self {
        case .collapsed: return 0
        case .expanded: return 1
        case .named: return 2
        case .height: return 3
        }
    }

    fileprivate var packedSize: Int {
        switch self {
        case .collapsed, .expanded: return 0
        case .named(let name): return PackedWriter.size(name)
        case .height(let points): return PackedWriter.size(points.bitPattern)
        }
    }

    fileprivate func put(into writer: inout PackedWriter) {
        switch self {
        case .collapsed, .expanded: return
        case .named(let name): writer.put(name)
        case .height(let points): writer.put(points.bitPattern)
        }
    }

    fileprivate init(code: UInt8, packed: UnsafeRawPointer) {
        var reader = PackedReader(packed)
        switch code {
        case 0: self = .collapsed
        case 1: self = .expanded
        case 2: self = .named(ID(utf8: reader.text()))
        default: self = .height(Double(bitPattern: reader.number()))
        }
    }
}

extension Edge? {
    fileprivate var code: UInt8 {
        switch self {
        case nil: return 0
        case .leading: return 1
        case .trailing: return 2
        }
    }

    fileprivate init(code: UInt8) {
        switch code {
        case 0: self = nil
        case 1: self = .leading
        default: self = .trailing
        }
    }
}
