import JournalFormat

/// Where the entries of all segments are, by their positions. A seal says that a header is one of this
/// log and of this life of the file; what the payload says is checked with the chain.
struct EntryIndex {
    struct Place {
        var birth: UInt64
        var offset: Int
        var header: EntryHeader
        /// Where the next entry would begin.
        var end: Int { offset + EntryHeader.room(for: header.bytes) }
    }

    let log: UInt64
    private(set) var places: [UInt64: [Place]] = [:]
    /// The bases of the segments whose header is whole, by birth.
    private(set) var bases: [UInt64: ChainPoint] = [:]
    /// Segments in which something looks written and the header is not whole.
    private(set) var headless: Set<UInt64> = []
    /// The newest entry that is known to have been durable: what was written after it says so. A start
    /// goes by the same.
    private(set) var newest: UInt64 = 0
    /// The newest entry that was begun: it has a header. Nobody need have been told of it.
    private(set) var begun: UInt64 = 0
    private let files: SalvageFiles
    private var held: (birth: UInt64, bytes: [UInt8])?

    init(_ files: SalvageFiles, log: UInt64) throws {
        (self.files, self.log) = (files, log)
        for birth in files.births { try add(birth) }
    }

    private mutating func add(_ birth: UInt64) throws {
        let bytes = try files.bytes(of: FileName.segment(birth: birth).text)
        let identity = SegmentIdentity(log: log, birth: birth)
        var hasEntries = false
        try bytes.withUnsafeBytes { bytes in
            if let header = SegmentHeader(bytes, of: identity) {
                try LogReader.check(
                    form: header.form, files.disk.path(of: FileName.segment(birth: birth).text))
                bases[birth] = header.base
                newest = max(newest, header.base.position)
            }
            // Entries begin at multiples of 8.
            for offset in stride(from: SegmentHeader.size, to: bytes.count, by: 8) {
                guard let header = EntryHeader(bytes, at: offset, of: identity) else { continue }
                hasEntries = true
                newest = max(newest, header.durable)
                begun = max(begun, header.position)
                places[header.position, default: []].append(
                    Place(birth: birth, offset: offset, header: header))
            }
        }
        if bases[birth] == nil, hasEntries { headless.insert(birth) }
    }

    /// The payload at a place, which may be anything, lent to `body`; false where the file ends before.
    mutating func with(
        _ place: Place, _ body: (UnsafeRawBufferPointer) throws -> Bool
    ) throws -> Bool {
        if held?.birth != place.birth {
            held = nil
            held = (place.birth, try files.bytes(of: FileName.segment(birth: place.birth).text))
        }
        guard let bytes = held?.bytes else { return false }
        let start = place.offset + EntryHeader.size
        guard bytes.count - start >= place.header.bytes else { return false }
        return try bytes.withUnsafeBytes {
            try body(.init(rebasing: $0[start..<start + place.header.bytes]))
        }
    }

    /// The entry behind a point of the chain, if it is whole somewhere; its payload is lent to `body`.
    mutating func next(
        after last: ChainPoint, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> Place? {
        let (position, isMore) = last.position.addingReportingOverflow(1)
        guard !isMore else { return nil }
        for place in places[position] ?? [] {
            let isWhole = try with(place) { payload in
                let chain = Chain.link(after: last.chain, number: position, payload: payload)
                guard chain == place.header.chain else { return false }
                try body(payload)
                return true
            }
            if isWhole { return place }
        }
        return nil
    }

    /// The newest entry behind a position that is whole by itself: its header is sealed, and so is the one
    /// before it, whose chain leads to it.
    mutating func newestLegible(
        after position: UInt64, _ body: (UInt64, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        for candidate in places.keys.sorted(by: >) where candidate > position {
            for before in places[candidate - 1] ?? [] {
                let last = ChainPoint(position: candidate - 1, chain: before.header.chain)
                if try next(after: last, { try body(candidate, $0) }) != nil { return }
            }
        }
    }
}
