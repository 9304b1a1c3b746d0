/// The replica that every viewer and every late joiner builds, for each contestant: the rows in order, with their
/// text, found by id. One and the same code for all contestants.
struct Replica {
    private var slots: [ID: Int32]
    /// The order is a ring through slot 0, which is no row: moving costs the same at any size.
    private var next: [Int32] = [0]
    private var previous: [Int32] = [0]
    private var ids: [ID] = [ID.none]
    private var texts: [Text] = [Text()]
    private var bytes: [UInt8] = []
    /// Changes that named a row which is not there, or one that already is.
    private(set) var misfits = 0

    private struct Text {
        /// Where the title begins; the note comes behind it.
        var start = 0
        var title: Int32 = 0
        var note: Int32 = 0
        var isExpanded = false
    }

    var count: Int { slots.count }
    /// The bytes of all titles and notes.
    var textBytes: Int {
        slots.values.reduce(0) { $0 + Int(texts[Int($1)].title) + Int(texts[Int($1)].note) }
    }

    init(capacity: Int) {
        slots = Dictionary(minimumCapacity: capacity)
        next.reserveCapacity(capacity + 1)
        previous.reserveCapacity(capacity + 1)
        ids.reserveCapacity(capacity + 1)
        texts.reserveCapacity(capacity + 1)
        bytes.reserveCapacity(capacity * Workload.rowBytes)
    }

    /// The table as it is filled to begin with.
    static func filled(rows: Int) -> Replica {
        var replica = Replica(capacity: rows)
        Workload.title.withUnsafeBytes { title in
            Workload.note.withUnsafeBytes { note in
                for row in 0..<rows {
                    Workload.id(row).withUnsafeBytes {
                        replica.append(ID($0), title: title, note: note)
                    }
                }
            }
        }
        return replica
    }

    /// The next row of a snapshot.
    mutating func append(_ id: ID, title: UnsafeRawBufferPointer, note: UnsafeRawBufferPointer) {
        insert(id, behind: previous[0], title, note)
    }

    mutating func apply(_ change: Change) {
        switch change {
        case .move(let id, let after):
            guard let slot = slots[id], let place = slots[after], slot != place else {
                misfits += 1
                return
            }
            unlink(slot)
            link(slot, behind: place)
        case .expand(let id):
            guard let slot = slots[id] else {
                misfits += 1
                return
            }
            texts[Int(slot)].isExpanded.toggle()
        case .set(let id, let title):
            guard let slot = slots[id] else {
                misfits += 1
                return
            }
            set(slot, title: title)
        case .setNote(let id, let note):
            guard let slot = slots[id] else {
                misfits += 1
                return
            }
            set(slot, note: note)
        case .insert(let id, let after, let title, let note):
            guard let place = slots[after], slots[id] == nil else {
                misfits += 1
                return
            }
            insert(id, behind: place, title, note)
        case .remove(let id):
            guard let slot = slots.removeValue(forKey: id) else {
                misfits += 1
                return
            }
            unlink(slot)
        }
    }

    private mutating func insert(
        _ id: ID, behind place: Int32, _ title: UnsafeRawBufferPointer,
        _ note: UnsafeRawBufferPointer
    ) {
        let slot = Int32(texts.count)
        texts.append(
            Text(start: bytes.count, title: Int32(title.count), note: Int32(note.count)))
        bytes.append(contentsOf: title)
        bytes.append(contentsOf: note)
        ids.append(id)
        next.append(0)
        previous.append(0)
        if slots.updateValue(slot, forKey: id) != nil { misfits += 1 }
        link(slot, behind: place)
    }

    // All titles of this job are equally long, and all notes.
    private mutating func set(_ slot: Int32, title: UnsafeRawBufferPointer) {
        let text = texts[Int(slot)]
        write(title, at: text.start, count: Int(text.title))
    }

    private mutating func set(_ slot: Int32, note: UnsafeRawBufferPointer) {
        let text = texts[Int(slot)]
        write(note, at: text.start + Int(text.title), count: Int(text.note))
    }

    private mutating func write(_ text: UnsafeRawBufferPointer, at start: Int, count: Int) {
        guard text.count == count else {
            misfits += 1
            return
        }
        for offset in 0..<count { bytes[start + offset] = text[offset] }
    }

    private mutating func link(_ slot: Int32, behind place: Int32) {
        let follower = next[Int(place)]
        next[Int(place)] = slot
        previous[Int(slot)] = place
        next[Int(slot)] = follower
        previous[Int(follower)] = slot
    }

    private mutating func unlink(_ slot: Int32) {
        next[Int(previous[Int(slot)])] = next[Int(slot)]
        previous[Int(next[Int(slot)])] = previous[Int(slot)]
    }

    /// The hash of the ids in order.
    var orderHash: UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        var slot = next[0]
        while slot != 0 {
            hash = ids[Int(slot)].mixed(into: hash)
            slot = next[Int(slot)]
        }
        return hash
    }
}

/// A row's id, at most 16 bytes: compared and hashed without going to memory.
struct ID: Hashable {
    private let low: UInt64
    private let high: UInt64

    static let none = ID(UnsafeRawBufferPointer(start: nil, count: 0))

    func hash(into hasher: inout Hasher) { hasher.combine(low &* 0x9E37_79B9_7F4A_7C15 ^ high) }

    /// FNV-1a, a word at a time.
    func mixed(into hash: UInt64) -> UInt64 {
        let prime: UInt64 = 0x100_0000_01B3
        return ((hash ^ low) &* prime ^ high) &* prime
    }

    init(_ bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count <= 16, "the bench's own ids are short")
        var low: UInt64 = 0
        var high: UInt64 = 0
        if bytes.count >= 8 {
            low = bytes.loadUnaligned(as: UInt64.self)
            for index in 8..<bytes.count { high = high << 8 | UInt64(bytes[index]) }
        } else {
            for byte in bytes { low = low << 8 | UInt64(byte) }
            // Or a short id would equal one that begins with zeros.
            high = UInt64(bytes.count) << 56
        }
        (self.low, self.high) = (low, high)
    }
}

/// The change that one diff makes, whichever server sent it.
enum Change {
    case move(ID, after: ID)
    case expand(ID)
    case set(ID, title: UnsafeRawBufferPointer)
    case setNote(ID, note: UnsafeRawBufferPointer)
    case insert(
        ID, after: ID, title: UnsafeRawBufferPointer, note: UnsafeRawBufferPointer)
    case remove(ID)
}

/// One diff: which command it came from, and what it does.
struct Diff {
    /// The client's index in the load generator.
    var client: Int
    var number: Int
    /// Nil: one that the bench does not know.
    var change: Change?

    init(name: UnsafeRawBufferPointer, number: Int, change: Change?) {
        client = Self.client(name)
        self.number = number
        self.change = change
    }

    /// The digits behind the last x of a client's name; -1 for others.
    private static func client(_ name: UnsafeRawBufferPointer) -> Int {
        guard let mark = name.lastIndex(of: UInt8(ascii: "x")) else { return -1 }
        var value = 0
        for byte in name[(mark + 1)...] {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return -1 }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return value
    }
}
