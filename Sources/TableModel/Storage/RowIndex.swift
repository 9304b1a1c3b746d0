/// Where the rows of a table are, by their ids: 20 bytes for each place, of which two thirds are
/// taken on average. Rows hold their ids, so that the index need not.
///
/// Open addressing with linear probing: a row stands in its hash's place or, where that is taken, in
/// the next that was free; where one is removed, those behind it move up.
struct RowIndex {
    /// Nil: nobody stands there.
    private var slots: ContiguousArray<Table.Slot?> = []
    /// Of each slot, 0 where it is empty: rows lie all over memory, and are looked at only where
    /// their hash is right.
    private var hashes: ContiguousArray<UInt32> = []
    private(set) var count = 0

    subscript(id: RowID) -> Table.Slot? { find(id).flatMap { slots[$0] } }

    /// The row takes the place of one with the same id.
    mutating func put(_ slot: Table.Slot) {
        let hash = Self.hash(slot.row.id)
        if let place = find(slot.row.id, hash) {
            slots[place] = slot
            return
        }
        if count >= Self.mostRows(hashes.count) { resize(Self.capacity(above: hashes.count)) }
        place(slot, hash)
        count += 1
    }

    mutating func remove(_ id: RowID) {
        guard var hole = find(id) else { return }
        count -= 1
        var next = hole
        while true {
            next = follower(next)
            if hashes[next] == 0 { break }
            // It may move up unless its own place lies behind the hole.
            let home = home(hashes[next])
            let isBehind = hole <= next ? hole < home && home <= next : hole < home || home <= next
            if isBehind { continue }
            slots[hole] = slots[next]
            hashes[hole] = hashes[next]
            hole = next
        }
        slots[hole] = nil
        hashes[hole] = 0
    }

    /// Room for so many rows, without growing on the way.
    mutating func reserve(_ rows: Int) {
        var capacity = hashes.count
        while Self.mostRows(capacity) < rows { capacity = Self.capacity(above: capacity) }
        if capacity > hashes.count { resize(capacity) }
    }

    // MARK: Places

    /// By the id's own hash, which has a seed: nobody outside can choose ids that meet.
    private static func hash(_ id: RowID) -> UInt32 {
        UInt32(truncatingIfNeeded: id.key >> 32) | 1
    }

    /// Seven eighths: the places behind each other that a search looks at fit into a cache line.
    private static func mostRows(_ capacity: Int) -> Int { capacity - capacity / 8 - 1 }

    /// 16, 24, 32, 48, …: half as much again, or a third.
    private static func capacity(above capacity: Int) -> Int {
        if capacity < 16 { return 16 }
        return capacity.nonzeroBitCount == 1 ? capacity / 2 * 3 : capacity / 3 * 4
    }

    /// In the order of the hashes, whatever the capacity.
    private func home(_ hash: UInt32) -> Int {
        Int(truncatingIfNeeded: (UInt64(hash) &* UInt64(hashes.count)) >> 32)
    }

    private func follower(_ place: Int) -> Int { place + 1 == hashes.count ? 0 : place + 1 }

    private func find(_ id: RowID) -> Int? { find(id, Self.hash(id)) }

    private func find(_ id: RowID, _ hash: UInt32) -> Int? {
        if count == 0 { return nil }
        var place = home(hash)
        while hashes[place] != 0 {
            if hashes[place] == hash, slots[place]?.row.id == id { return place }
            place = follower(place)
        }
        return nil
    }

    private mutating func place(_ slot: Table.Slot?, _ hash: UInt32) {
        var place = home(hash)
        while hashes[place] != 0 { place = follower(place) }
        slots[place] = slot
        hashes[place] = hash
    }

    private mutating func resize(_ capacity: Int) {
        let old = (slots: slots, hashes: hashes)
        slots = ContiguousArray(repeating: nil, count: capacity)
        hashes = ContiguousArray(repeating: 0, count: capacity)
        for (slot, hash) in zip(old.slots, old.hashes) where hash != 0 { place(slot, hash) }
    }
}

extension RowIndex {
    /// For tests and `trestle check`; nil when all is well.
    func fault() -> String? {
        var seen = 0
        if let fault = fault(at: hashes.indices, &seen) { return fault }
        return seen == count ? nil : "\(count) rows are counted, \(seen) are there"
    }

    /// How many places there are, taken or not.
    var capacity: Int { hashes.count }

    /// As `fault`, of some places; adds up the rows there.
    func fault(at places: Range<Int>, _ seen: inout Int) -> String? {
        for place in places.clamped(to: hashes.indices) {
            guard let slot = slots[place] else {
                if hashes[place] != 0 { return "a hash without a row" }
                continue
            }
            seen += 1
            if hashes[place] != Self.hash(slot.row.id) { return "row \(slot.row.id): wrong hash" }
            if find(slot.row.id) != place { return "row \(slot.row.id): is not found" }
        }
        return nil
    }
}
