import TableHash

/// Writes the canonical form of a value. The value's hash is the hash of this form.
///
/// A number is 8 bytes, little-endian. A text is its length in bytes as a number, then its UTF-8.
/// There is nothing else, so any language can write it (docs/PROTOCOL.md, "Digest").
package struct CanonicalWriter: ~Copyable {
    private var start: UnsafeMutableRawPointer
    /// Where the next byte goes.
    private var place: UnsafeMutableRawPointer
    private var end: UnsafeMutableRawPointer
    /// Nil while the bytes are in borrowed memory.
    private var own: UnsafeMutableRawPointer?

    package init(capacity: Int = 120) {
        let capacity = max(capacity, 16)
        start = .allocate(byteCount: capacity, alignment: 8)
        (place, end, own) = (start, start + capacity, start)
    }

    /// Writes into borrowed memory, as long as it suffices. It must outlive the writer.
    private init(in scratch: UnsafeMutableRawBufferPointer) {
        guard let start = scratch.baseAddress else { preconditionFailure("nothing was lent") }
        self.start = start
        (place, end) = (start, start + scratch.count)
    }

    deinit { own?.deallocate() }

    /// The hash of what `body` writes. Usually on the stack, since every change needs a hash.
    package static func hash(_ body: (inout CanonicalWriter) -> Void) -> UInt64 {
        bytes(body) { XXH64.hash($0) }
    }

    /// Lends what `body` writes.
    @inline(__always)
    static func bytes<Result>(
        _ body: (inout CanonicalWriter) -> Void, lend: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        withUnsafeTemporaryAllocation(byteCount: 1_024, alignment: 8) { scratch in
            var writer = CanonicalWriter(in: scratch)
            body(&writer)
            return lend(writer.written)
        }
    }

    private var written: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start, count: place - start)
    }

    /// The bytes written so far.
    package var bytes: [UInt8] { Array(written) }

    @inline(__always)
    private mutating func reserve(_ more: Int) {
        if end - place < more { grow(more) }
    }

    @inline(never)
    private mutating func grow(_ more: Int) {
        let count = place - start
        let capacity = max(2 * (end - start), count + more)
        let room = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
        room.copyMemory(from: start, byteCount: count)
        own?.deallocate()
        start = room
        (place, end, own) = (start + count, start + capacity, room)
    }

    @inline(__always)
    package mutating func write(_ number: UInt64) {
        reserve(8)
        put(number)
    }

    /// Where there is room for it.
    @inline(__always)
    private mutating func put(_ number: UInt64) {
        place.storeBytes(of: number.littleEndian, as: UInt64.self)
        place += 8
    }

    package mutating func write(_ text: String) { text.withLetters { write($0) } }

    /// A word of the program's own.
    @inline(__always)
    mutating func write(word: StaticString) {
        write(UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    }

    /// Room for so many bytes: one question for all of them. Whoever has written there hands it back.
    @inline(__always)
    mutating func room(for count: Int) -> Room {
        reserve(count)
        return Room(place: place)
    }

    @inline(__always)
    mutating func take(_ room: Room) { place = room.place }

    /// Writes without asking for room.
    struct Room {
        fileprivate var place: UnsafeMutableRawPointer

        @inline(__always)
        mutating func put(_ number: UInt64) {
            place.storeBytes(of: number.littleEndian, as: UInt64.self)
            place += 8
        }

        /// Text that is given as UTF-8.
        @inline(__always)
        mutating func put(_ letters: UnsafeRawBufferPointer) {
            put(UInt64(truncatingIfNeeded: letters.count))
            guard let first = letters.baseAddress else { return }
            copy(first, letters.count)
            place += letters.count
        }

        /// A word of the program's own.
        @inline(__always)
        mutating func put(word: StaticString) {
            put(UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
        }

        /// Up to 16 bytes in two stores that may overlap: a call for them takes as long as ten instructions more.
        @inline(__always)
        private func copy(_ first: UnsafeRawPointer, _ count: Int) {
            if count > 16 {
                place.copyMemory(from: first, byteCount: count)
            } else if count >= 8 {
                let last = (first + (count - 8)).loadUnaligned(as: UInt64.self)
                place.storeBytes(of: first.loadUnaligned(as: UInt64.self), as: UInt64.self)
                place.storeBytes(of: last, toByteOffset: count - 8, as: UInt64.self)
            } else if count >= 4 {
                let last = (first + (count - 4)).loadUnaligned(as: UInt32.self)
                place.storeBytes(of: first.loadUnaligned(as: UInt32.self), as: UInt32.self)
                place.storeBytes(of: last, toByteOffset: count - 4, as: UInt32.self)
            } else if count >= 2 {
                let last = (first + (count - 2)).loadUnaligned(as: UInt16.self)
                place.storeBytes(of: first.loadUnaligned(as: UInt16.self), as: UInt16.self)
                place.storeBytes(of: last, toByteOffset: count - 2, as: UInt16.self)
            } else if count == 1 {
                place.storeBytes(of: first.load(as: UInt8.self), as: UInt8.self)
            }
        }

        /// An id of up to 15 bytes takes 24, of which those behind it are free again.
        @inline(__always)
        mutating func put(_ id: borrowing ID) {
            guard let (low, high, count) = id.shortLetters else {
                return id.withLetters { put($0) }
            }
            put(UInt64(truncatingIfNeeded: count))
            place.storeBytes(of: low.littleEndian, as: UInt64.self)
            place.storeBytes(of: high.littleEndian, toByteOffset: 8, as: UInt64.self)
            place += count
        }
    }

    /// Text that is given as UTF-8.
    @inline(__always)
    mutating func write(_ letters: UnsafeRawBufferPointer) {
        reserve(8 + letters.count)
        put(UInt64(letters.count))
        if let first = letters.baseAddress {
            place.copyMemory(from: first, byteCount: letters.count)
        }
        place += letters.count
    }

    package mutating func write(_ id: borrowing ID) { id.withLetters { write($0) } }

    /// Bytes that were written before, as they are.
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        reserve(bytes.count)
        if let first = bytes.baseAddress { place.copyMemory(from: first, byteCount: bytes.count) }
        place += bytes.count
    }

    mutating func write(_ flag: Bool) { write(flag ? 1 as UInt64 : 0) }

    mutating func write(_ number: Double?) {
        guard let number else { return write(0 as UInt64) }
        write(1 as UInt64)
        // Zero has two bit patterns: both are written as one.
        write(number == 0 ? 0 : number.bitPattern)
    }

    mutating func write(optional number: UInt64?) {
        guard let number else { return write(0 as UInt64) }
        write(1 as UInt64)
        write(number)
    }

    mutating func write(optional text: String?) {
        guard let text else { return write(0 as UInt64) }
        write(1 as UInt64)
        write(text)
    }

    var hash: UInt64 { XXH64.hash(written) }
}

// A list is how many it has, then each.
extension CanonicalWriter {
    mutating func write(_ fields: [Row.Field]) {
        write(UInt64(fields.count))
        for field in fields {
            write(field.key)
            write(field.value)
        }
    }

    mutating func write(_ ids: [ID]) {
        write(UInt64(ids.count))
        for id in ids { write(id) }
    }

    mutating func write(_ parts: [some Canonical]) {
        write(UInt64(parts.count))
        for part in parts { part.write(to: &self) }
    }

    /// Nothing where there are none, so that what came later changes no older digest.
    mutating func write(_ name: String, ifAny parts: [some Canonical]) {
        if parts.isEmpty { return }
        write(name)
        write(parts)
    }
}

/// A value that has a canonical form.
protocol Canonical {
    func write(to writer: inout CanonicalWriter)
}
