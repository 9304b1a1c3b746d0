internal import TableModel

// What frequent requests consist of, in both forms: read only if it is plainly valid, and nil otherwise.
// A value that may be absent comes in a tuple: (nil, ()) is absent, nil is not plain.

extension RequestReader {
    /// Commands about more rows than that are no small work: the daemon first looks whether their
    /// sender reads, if somebody does not.
    static let mostRows = 16

    /// An id that the limits allow.
    @inline(__always)
    func hotID(_ bytes: UnsafeRawBufferPointer?) -> ID? {
        guard let bytes, bytes.count > 0, bytes.count <= limits.idBytes else { return nil }
        if bytes.isPrintableASCII { return ID(utf8: bytes) }
        return checkedID(bytes)
    }

    // By itself, so that the limits are copied only where something has to be checked.
    @inline(never)
    private func checkedID(_ bytes: UnsafeRawBufferPointer) -> ID? {
        guard let text = bytes.text else { return nil }
        let id = ID(text)
        do throws(Rejection) {
            try id.check(limits: limits, field: "")
            return id
        } catch { return nil }
    }

    /// An id, or none.
    @inline(__always)
    func hotID(ifAny bytes: UnsafeRawBufferPointer?) -> (id: ID?, Void)? {
        guard let bytes else { return (nil, ()) }
        return hotID(bytes).map { ($0, ()) }
    }

    /// A field's key. The schema's map of fields takes keys as equal that differ only in their
    /// Unicode normalisation, so only ASCII is plain.
    func hotKey(_ bytes: UnsafeRawBufferPointer?) -> ID? {
        guard let bytes, bytes.isPrintableASCII else { return nil }
        return hotID(bytes)
    }

    /// A table's name.
    func hotTable(_ bytes: UnsafeRawBufferPointer?) -> TableID? {
        guard let bytes, !bytes.contains(UInt8(ascii: "/")) else { return nil }
        return hotID(bytes)
    }

    /// A state or a height.
    func hotState(_ bytes: UnsafeRawBufferPointer) -> Expansion? {
        guard let state = Decode.hotState(bytes) else { return nil }
        guard case .named(let name) = state else { return state }
        do throws(Rejection) {
            try name.check(limits: limits, field: "")
            return state
        } catch { return nil }
    }

    /// An edge, or none.
    func hotEdge(ifAny bytes: UnsafeRawBufferPointer?) -> (edge: Edge?, Void)? {
        guard let bytes else { return (nil, ()) }
        return bytes.text.flatMap { Edge(rawValue: $0) }.map { ($0, ()) }
    }

    /// Changes whose fields are in the order of their keys, as the schema's reader has them. Not of
    /// keys that stand twice.
    func hotSet(
        _ row: RowID, title: String?, kind: KindID?, _ fields: [Row.Field], unset: [ID]
    ) -> Command.Verb? {
        var sorted = fields
        if sorted.count > 1 {
            sorted.sort { $0.key < $1.key }
            for (one, next) in zip(sorted, sorted.dropFirst()) where one.key == next.key {
                return nil
            }
        }
        return .set(
            row, Command.Changes(title: title, kind: kind, fields: sorted, unset: unset))
    }
}

extension UnsafeRawBufferPointer {
    /// Whether all bytes are letters, digits, signs or spaces of ASCII: 32 to 126.
    @inline(__always)
    var isPrintableASCII: Bool { has(nothing: Self.strange) }

    /// Whether all bytes are printable ASCII, and none is a quotation mark or a backslash: JSON holds the
    /// text as it is. It may do so too if this is false.
    @inline(__always)
    var isPlainInJSON: Bool { has(nothing: Self.quoting) }

    /// Whether JSON holds eight bytes from this place on as they are; false if there are fewer.
    @inline(__always)
    func isHeldByJSON(from place: Int) -> Bool {
        place + 8 <= count
            && Self.escaped(loadUnaligned(fromByteOffset: place, as: UInt64.self)) == 0
    }

    /// Whether `marked` is 0 of all bytes. Eight at once: most ids have about as many, and every
    /// message has several. The last ones may be among those before too.
    @inline(__always)
    private func has(nothing marked: (UInt64) -> UInt64) -> Bool {
        if count >= 8 {
            var found = marked(loadUnaligned(fromByteOffset: count - 8, as: UInt64.self))
            for place in stride(from: 0, to: count - 8, by: 8) {
                found |= marked(loadUnaligned(fromByteOffset: place, as: UInt64.self))
            }
            return found == 0
        }
        if count >= 4 {
            let first = loadUnaligned(as: UInt32.self)
            let last = loadUnaligned(fromByteOffset: count - 4, as: UInt32.self)
            return marked(UInt64(first) << 32 | UInt64(last)) == 0
        }
        // Spaces, of which nobody says anything.
        var word: UInt64 = 0x2020_2020_2020_2020
        for byte in self { word = word << 8 | UInt64(byte) }
        return marked(word) == 0
    }

    /// Nothing if each of the eight bytes is printable. A byte below 32 borrows, so that the first of
    /// them gets its highest bit; 127 gets it with one more; the others have it.
    @inline(__always)
    private static func strange(_ word: UInt64) -> UInt64 {
        let tooLow = word &- 0x2020_2020_2020_2020
        let tooHigh = word &+ 0x0101_0101_0101_0101
        return (tooLow | tooHigh | word) & 0x8080_8080_8080_8080
    }

    /// As `strange`, and a quotation mark or a backslash borrows too, once it is made a zero.
    @inline(__always)
    private static func quoting(_ word: UInt64) -> UInt64 {
        let quotes = (word ^ 0x2222_2222_2222_2222) &- 0x0101_0101_0101_0101
        let slashes = (word ^ 0x5C5C_5C5C_5C5C_5C5C) &- 0x0101_0101_0101_0101
        return strange(word) | (quotes | slashes) & 0x8080_8080_8080_8080
    }

    /// Nothing if none of the eight bytes begins what has to be escaped: a quotation mark, a backslash
    /// or a control character, of which the last ones begin with 0xC2 in UTF-8.
    @inline(__always)
    private static func escaped(_ word: UInt64) -> UInt64 {
        let quotes = zeros(in: word ^ 0x2222_2222_2222_2222)
        let marks = quotes | zeros(in: word ^ 0x5C5C_5C5C_5C5C_5C5C)
        let low = (word &- 0x2020_2020_2020_2020) & ~word
        let deletes = zeros(in: word ^ 0x7F7F_7F7F_7F7F_7F7F)
        let high = deletes | zeros(in: word ^ 0xC2C2_C2C2_C2C2_C2C2)
        return (marks | low | high) & 0x8080_8080_8080_8080
    }

    /// The highest bit of some byte, if one of them is 0; it says no more than that.
    @inline(__always)
    private static func zeros(in word: UInt64) -> UInt64 {
        (word &- 0x0101_0101_0101_0101) & ~word
    }
}
