/// A row in memory: one object, with the parts of variable size behind those of fixed size.
///
/// Behind the head come, packed: the row's stamps, its text from `textStart` on, and the
/// part of its expansion that the head's code does not hold. Changed only by whoever alone holds it
/// (`Row.change`), so all others see it as it was made, and many threads may read it.
@usableFromInline package final class RowStore: ManagedBuffer<RowHead, UInt8> {
    /// All of a row except its id and text.
    package struct Parts {
        var stamps = Row.Stamps()
        package var expansion = Expansion.collapsed
        package var swipe: Edge?
        var extras: RowExtras.Box?
    }

    /// - Parameters:
    ///   - textCount: bytes that `text` writes.
    ///   - text: kind, title, and fields.
    static func make(
        id: RowID, _ parts: Parts, textCount: Int, text: (inout PackedWriter) -> Void
    ) -> RowStore {
        let stamps = parts.stamps
        let sizes = stamps.sizes
        let textStart = Row.Stamps.byteCount(sizes)
        let buffer = RowStore.create(
            minimumCapacity: room(for: textStart + textCount + parts.expansion.packedSize)
        ) { _ in
            RowHead(
                id: id, extras: parts.extras, textCount: UInt32(textCount),
                textStart: UInt8(textStart), expansion: parts.expansion.code,
                swipe: parts.swipe.code)
        }
        buffer.withUnsafeMutablePointerToElements { bytes in
            stamps.put(at: bytes, sizes)
            var writer = PackedWriter(bytes + textStart)
            text(&writer)
            parts.expansion.put(into: &writer)
        }
        return unsafeDowncast(buffer, to: RowStore.self)
    }

    /// The memory that the allocator takes for so many bytes behind the head: it gives memory in steps of 16, with 8
    /// of them for itself. A row may grow by what is left over.
    private static func room(for count: Int) -> Int {
        let head = 2 * MemoryLayout<Int>.size + MemoryLayout<RowHead>.size
        return (head + count + 8 + 15) & ~15 - 8 - head
    }

    /// Changes the row's parts to others where it lies; false: it has no room for them, and nothing
    /// was changed. Its text stays.
    func change(to new: Parts) -> Bool {
        let (old, code) = (header.expansion, new.expansion.code)
        // The two frequent states have no other part than the code.
        let isShort = old <= 1 && code <= 1
        if isShort {
            guard change(to: new.stamps) else { return false }
        } else {
            let sizes = (old: expansion.packedSize, new: new.expansion.packedSize)
            guard change(to: new.stamps, restSizes: sizes) else { return false }
        }
        withUnsafeMutablePointers { head, bytes in
            head.pointee.expansion = code
            head.pointee.swipe = new.swipe.code
            if head.pointee.extras !== new.extras { head.pointee.extras = new.extras }
            if isShort { return }
            let end = bytes + Int(head.pointee.textStart) + Int(head.pointee.textCount)
            var writer = PackedWriter(end)
            new.expansion.put(into: &writer)
        }
        return true
    }

    /// Changes the row's stamps where they lie; false: there is no room for them, or what is behind the text
    /// would have to move.
    @inline(__always)
    func changeStamps(to new: Row.Stamps) -> Bool { header.expansion <= 1 && change(to: new) }

    /// Writes a version where one of as many bytes stands; false: none does, and nothing was changed. Nobody else
    /// holds the row.
    package func setVersion(_ version: UInt64) -> Bool {
        withUnsafeMutablePointerToElements { Row.Stamps.setVersion(version, at: $0) }
    }

    /// Changes the stamps. What is behind the text takes so many bytes, and is to take others; it is not moved.
    @inline(__always)
    private func change(to new: Row.Stamps, restSizes: (old: Int, new: Int) = (0, 0)) -> Bool {
        withUnsafeMutablePointers { head, bytes in
            let sizes = new.sizes
            let start = Row.Stamps.byteCount(sizes)
            let (textStart, textCount) = (Int(head.pointee.textStart), Int(head.pointee.textCount))
            if start != textStart || restSizes != (0, 0) {
                let room = Self.room(for: textStart + textCount + restSizes.old)
                if start + textCount + restSizes.new > room { return false }
                // The memory of both may overlap.
                UnsafeMutableRawPointer(bytes + start).copyMemory(
                    from: bytes + textStart, byteCount: textCount)
                head.pointee.textStart = UInt8(truncatingIfNeeded: start)
            }
            new.put(at: bytes, sizes)
            return true
        }
    }

    /// Changes text and parts where they lie; false: nothing was changed, since it takes other memory.
    func change(to new: Parts, textCount: Int, text: (inout PackedWriter) -> Void) -> Bool {
        withUnsafeMutablePointers { head, bytes in
            let (sizes, code) = (new.stamps.sizes, new.expansion.code)
            let start = Row.Stamps.byteCount(sizes)
            let old = Int(head.pointee.textStart) + Int(head.pointee.textCount)
            guard head.pointee.expansion <= 1, code <= 1,
                Self.room(for: start + textCount) == Self.room(for: old)
            else { return false }
            // The new text is made of the old one, so that it cannot be written over that at once.
            withUnsafeTemporaryAllocation(byteCount: textCount, alignment: 1) { scratch in
                guard let first = scratch.baseAddress else { return }
                var writer = PackedWriter(first)
                text(&writer)
                UnsafeMutableRawPointer(bytes + start).copyMemory(from: first, byteCount: textCount)
            }
            new.stamps.put(at: bytes, sizes)
            head.pointee.textStart = UInt8(truncatingIfNeeded: start)
            head.pointee.textCount = UInt32(truncatingIfNeeded: textCount)
            head.pointee.expansion = code
            head.pointee.swipe = new.swipe.code
            if head.pointee.extras !== new.extras { head.pointee.extras = new.extras }
            return true
        }
    }

    /// Changes how far the row is open; false: that takes more than the code.
    @inline(__always)
    func change(to new: Expansion) -> Bool {
        withUnsafeMutablePointerToHeader { head in
            let code = new.code
            if code > 1 || head.pointee.expansion > 1 { return false }
            head.pointee.expansion = code
            return true
        }
    }

    /// A row with the text of this one and these parts.
    func with(id: RowID, _ parts: Parts) -> RowStore {
        withText { text in RowStore.make(id: id, parts, textCount: text.count) { $0.put(text) } }
    }

    /// Lends kind, title, and fields.
    @inlinable func withText<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeMutablePointers { head, bytes in
            body(
                UnsafeRawBufferPointer(
                    start: bytes + Int(head.pointee.textStart), count: Int(head.pointee.textCount)))
        }
    }

    var version: UInt64 {
        withUnsafeMutablePointerToElements { Row.Stamps.version(at: $0) }
    }

    @inline(__always)
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
@usableFromInline package struct RowHead {
    @usableFromInline package let id: RowID
    var extras: RowExtras.Box?
    @usableFromInline var textCount: UInt32
    @usableFromInline var textStart: UInt8
    package var expansion: UInt8
    var swipe: UInt8
}

/// The parts that few rows have.
package struct RowExtras: Equatable, Sendable {
    var performed: [Performance] = []
    package var scroll: Scroll?
    package var claim: Claim?
    var actions: RowActions?
    package var items: [Item] = []
    var states: [Kind.State] = []
    package var selection: Row.Selection?
    package var cameFrom: SectionID?
    package var sleep: Row.Sleep?

    /// An object that has them.
    package final class Box: Sendable {
        package let all: RowExtras

        fileprivate init(_ all: RowExtras) { self.all = all }
    }

    /// Nil if there is nothing to hold.
    var boxed: Box? { self == Self.nothing ? nil : Box(self) }

    /// It is made once: each row that is added is compared with it.
    private static let nothing = RowExtras()
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

    /// The two bytes.
    @inline(__always)
    fileprivate var sizes: UInt16 {
        Self.size(version) | Self.size(createdMs) << 4 | Self.size(changedMs) << 8
            | Self.size(movedMs) << 12
    }

    @inline(__always)
    private static func size(_ number: UInt64) -> UInt16 {
        UInt16(truncatingIfNeeded: (71 &- number.leadingZeroBitCount) >> 3)
    }

    /// The bytes that all take.
    @inline(__always)
    fileprivate static func byteCount(_ sizes: UInt16) -> Int {
        // Each four bits are at most eight: in two steps they are added up.
        let pairs = sizes & 0x0f0f &+ sizes >> 4 & 0x0f0f
        return 2 &+ Int(pairs & 0xff &+ pairs >> 8)
    }

    @inline(__always)
    fileprivate func put(at start: UnsafeMutableRawPointer, _ sizes: UInt16) {
        start.storeBytes(of: sizes, as: UInt16.self)
        var end = start + 2
        Self.put(version, sizes & 15, &end)
        Self.put(createdMs, sizes >> 4 & 15, &end)
        Self.put(changedMs, sizes >> 8 & 15, &end)
        Self.put(movedMs, sizes >> 12, &end)
    }

    /// Writes eight bytes up to the number's end: those before it, which are the row's own, as they are.
    @inline(__always)
    private static func put(
        _ number: UInt64, _ size: UInt16, _ end: inout UnsafeMutableRawPointer
    ) {
        if size == 0 { return }
        end += Int(size)
        let shift = 64 &- 8 &* UInt64(size)
        let before = (end - 8).loadUnaligned(as: UInt64.self).littleEndian
        let bytes = number &<< shift | before & ~(UInt64.max &<< shift)
        (end - 8).storeBytes(of: bytes.littleEndian, as: UInt64.self)
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

    /// Writes a version over one of as many bytes; false: there is none.
    fileprivate static func setVersion(
        _ version: UInt64, at start: UnsafeMutableRawPointer
    ) -> Bool {
        let size = size(version)
        guard start.loadUnaligned(as: UInt16.self) & 15 == size else { return false }
        var end = start + 2
        put(version, size, &end)
        return true
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
