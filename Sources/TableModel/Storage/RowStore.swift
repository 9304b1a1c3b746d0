/// A row in memory: one object, with the parts of variable size behind those of fixed size.
///
/// Behind the head come, packed: the row's stamps, its text from `textStart` on, and the
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
            stamps.put(at: bytes)
            var writer = PackedWriter(bytes + textStart)
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

    /// Changes the row's parts to others where it lies; false: it has no room for them, and nothing
    /// was changed. Its text stays.
    func change(to new: Parts) -> Bool {
        withUnsafeMutablePointers { head, bytes in
            let textStart = Int(head.pointee.textStart)
            let textCount = Int(head.pointee.textCount)
            let start = new.stamps.size
            let code = new.expansion.code
            // The two frequent states have no other part than the code.
            let hasMore = max(code, head.pointee.expansion) > 1
            if start != textStart || hasMore {
                let (old, all) =
                    hasMore
                    ? (expansion.packedSize, new.expansion.packedSize) : (0, 0)
                let room = Self.room(for: textStart + textCount + old)
                if start + textCount + all > room { return false }
                if start != textStart {
                    // The memory of both may overlap.
                    UnsafeMutableRawPointer(bytes + start).copyMemory(
                        from: bytes + textStart, byteCount: textCount)
                    head.pointee.textStart = UInt8(truncatingIfNeeded: start)
                }
                if hasMore {
                    var writer = PackedWriter(bytes + start + textCount)
                    new.expansion.put(into: &writer)
                }
            }
            new.stamps.put(at: bytes)
            head.pointee.expansion = code
            head.pointee.swipe = new.swipe.code
            if head.pointee.extras !== new.extras { head.pointee.extras = new.extras }
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

    var version: UInt64 {
        withUnsafeMutablePointerToElements { Row.Stamps.version(at: $0) }
    }

    var stamps: Row.Stamps { withUnsafeMutablePointerToElements { Row.Stamps(at: $0) } }

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
    // In memory: two bytes with how many bytes each has, four bits for each, then their bytes without the
    // zeros at the upper end. They are read at every change and for every hash: eight bytes at once.

    fileprivate var size: Int {
        2 + Self.size(version) + Self.size(createdMs) + Self.size(changedMs) + Self.size(movedMs)
    }

    @inline(__always)
    private static func size(_ number: UInt64) -> Int { (71 &- number.leadingZeroBitCount) >> 3 }

    /// Writes the last number first, each in one go with zeros before it, where its predecessors come then.
    fileprivate func put(at start: UnsafeMutableRawPointer) {
        var end = start + size
        var sizes: UInt16 = 0
        put(movedMs, before: &end, from: start, &sizes)
        put(changedMs, before: &end, from: start, &sizes)
        put(createdMs, before: &end, from: start, &sizes)
        put(version, before: &end, from: start, &sizes)
        start.storeBytes(of: sizes, as: UInt16.self)
    }

    @inline(__always)
    private func put(
        _ number: UInt64, before end: inout UnsafeMutableRawPointer,
        from start: UnsafeMutableRawPointer, _ sizes: inout UInt16
    ) {
        let size = Self.size(number)
        sizes = sizes &<< 4 | UInt16(truncatingIfNeeded: size)
        if end - start >= 8 {
            let bytes = number &<< (64 &- 8 &* UInt64(size))
            (end - 8).storeBytes(of: bytes.littleEndian, as: UInt64.self)
            end -= size
            return
        }
        end -= size
        for place in 0..<size {
            let byte = UInt8(truncatingIfNeeded: number &>> (8 &* UInt64(place)))
            end.storeBytes(of: byte, toByteOffset: place, as: UInt8.self)
        }
    }

    @inline(__always)
    fileprivate init(at start: UnsafeRawPointer) {
        let sizes = start.loadUnaligned(as: UInt16.self)
        var end = start + 2
        version = Self.number(sizes & 15, &end)
        createdMs = Self.number(sizes >> 4 & 15, &end)
        changedMs = Self.number(sizes >> 8 & 15, &end)
        movedMs = Self.number(sizes >> 12, &end)
    }

    @inline(__always)
    fileprivate static func version(at start: UnsafeRawPointer) -> UInt64 {
        var end = start + 2
        return number(start.loadUnaligned(as: UInt16.self) & 15, &end)
    }

    /// Reads the eight bytes up to the number's end: those before it are the row's own, of its head at least.
    @inline(__always)
    private static func number(_ size: UInt16, _ end: inout UnsafeRawPointer) -> UInt64 {
        end += Int(size)
        let bytes = (end - 8).loadUnaligned(as: UInt64.self).littleEndian
        return size == 0 ? 0 : bytes &>> (64 &- 8 &* UInt64(size))
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
