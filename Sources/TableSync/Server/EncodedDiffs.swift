/// Diffs as they are journaled, and thus published and replayed: where each lies in some bytes, which may
/// hold other things too.
public struct EncodedDiffs: RandomAccessCollection, Sendable {
    /// The bytes that hold them.
    public private(set) var bytes: [UInt8] = []
    /// Where the first lies, which nearly always is the only one, and where the others do.
    private var first = 0..<0
    private var others: [Range<Int>] = []
    /// These diffs as JSON, if viewers read the table in that form; else none.
    public private(set) var texts: [[UInt8]] = []

    /// None.
    public init() {}

    /// Copies of these.
    public init(_ diffs: some Sequence<ArraySlice<UInt8>>) {
        for diff in diffs { append(diff) }
    }

    /// The first one's index.
    public var startIndex: Int { 0 }
    /// How many they are.
    public private(set) var endIndex = 0
    /// One of them.
    public subscript(index: Int) -> ArraySlice<UInt8> { bytes[place(index)] }
    /// Where one of them lies.
    public func place(_ index: Int) -> Range<Int> { index == 0 ? first : others[index - 1] }

    /// Bytes of all of them.
    public var byteCount: Int { others.reduce(first.count) { $0 + $1.count } }

    mutating func append(_ diff: ArraySlice<UInt8>) {
        add(bytes.count..<bytes.count + diff.count)
        bytes += diff
    }

    /// Adds one that will lie in the turn's entry.
    mutating func append(at place: Range<Int>, _ text: [UInt8]) {
        if !text.isEmpty { texts.append(text) }
        add(place)
    }

    private mutating func add(_ place: Range<Int>) {
        endIndex += 1
        if endIndex == 1 { return first = place }
        // About as many come in a turn under load; a list that grows from one moves five times.
        if others.isEmpty { others.reserveCapacity(31) }
        others.append(place)
    }

    /// Moves every recorded range by `shift` bytes, because the entry's header grew.
    mutating func rebase(onto entry: [UInt8], by shift: Int) {
        bytes = entry
        if shift == 0 { return }
        first = first.shifted(by: shift)
        others = others.map { $0.shifted(by: shift) }
    }
}

extension Range<Int> {
    func shifted(by shift: Int) -> Range { lowerBound + shift..<upperBound + shift }
}
