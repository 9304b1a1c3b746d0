/// Finds the rows of a table by their ids. It takes 20 bytes for each place, and two thirds of the
/// places are taken on average. The index holds no ids, since rows do. It does not keep the rows: each
/// must live until it is removed, or another is put with the same id.
///
/// Open addressing with linear probing: a row is at its hash's place or, if that was taken, at the
/// next free one. After a removal, the rows behind the hole move up.
struct RowIndex {
    /// Nil: the place is free.
    private var slots: ContiguousArray<Table.Slot?> = []
    /// The hash of each slot; 0: the place is free. Rows lie all over memory, so a search looks at
    /// a row only if its hash matches.
    private var hashes: ContiguousArray<UInt32> = []
    private(set) var count = 0
    /// Where the two rows are that were found last. A command looks for its row and its anchor about eight
    /// times: to decide, for the inverse, to change them, and for the answer. Only a hint: whoever
    /// uses it looks which row is there.
    private var latest = 0
    private var earlier = 0
    /// The result of `fetch`, kept so that the compiler keeps the read.
    private var fetched: UInt32 = 0

    /// Notes where the row is, so that the next look is quick.
    subscript(id: RowID) -> Table.Slot? {
        mutating get {
            guard let place = recent(id) else { return look(for: id) }
            if place != latest { (latest, earlier) = (place, latest) }
            return slots[place]
        }
    }

    @inline(never)
    private mutating func look(for id: RowID) -> Table.Slot? {
        guard let place = find(id) else { return nil }
        (latest, earlier) = (place, latest)
        return slots[place]
    }

    /// Whether the row with this short id is at one of the two latest places; nil: at neither.
    @inline(__always)
    private func recent(_ id: borrowing RowID) -> Int? {
        if latest < slots.count, slots[latest]?.hasShort(id) == true { return latest }
        if earlier < slots.count, slots[earlier]?.hasShort(id) == true { return earlier }
        return nil
    }

    /// The place of this very row.
    @inline(__always)
    private func recent(_ slot: Table.Slot) -> Int? {
        if latest < slots.count, slots[latest]?.isRow(of: slot) == true { return latest }
        if earlier < slots.count, slots[earlier]?.isRow(of: slot) == true { return earlier }
        return nil
    }

    /// Adds a row, or replaces the one with the same id.
    mutating func put(_ slot: Table.Slot) {
        if let place = recent(slot) ?? slot.withRow({ $0.withID { recent($0) } }) {
            slots[place] = slot
            return
        }
        let hash = Self.hash(slot.row.id)
        // One search finds the row or the free place behind it.
        if !hashes.isEmpty {
            let place = search(slot.row.id, hash)
            if hashes[place] != 0 || count < Self.mostRows(hashes.count) {
                if hashes[place] == 0 { count += 1 }
                slots[place] = slot
                hashes[place] = hash
                return
            }
        }
        resize(Self.capacity(above: hashes.count))
        place(slot, hash)
        count += 1
    }

    /// The place of a row; nil: it is not there. It stays until rows come or go.
    func place(of id: RowID) -> Int? { find(id) }

    /// Puts a row in the place of the one with the same id, which was at that place when somebody looked.
    mutating func exchange(at place: Int, _ old: Row, for slot: Table.Slot) {
        if place < slots.count, slots[place]?.has(old) == true {
            slots[place] = slot
        } else {
            put(slot)
        }
    }

    mutating func remove(_ id: RowID) {
        guard var hole = recent(id) ?? find(id) else { return }
        count -= 1
        var next = hole
        while true {
            next = follower(next)
            if hashes[next] == 0 { break }
            // The row moves up unless its home lies behind the hole.
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

    /// Makes room for this many rows at once.
    mutating func reserve(_ rows: Int) {
        var capacity = hashes.count
        while Self.mostRows(capacity) < rows { capacity = Self.capacity(above: capacity) }
        if capacity > hashes.count { resize(capacity) }
    }

    /// Looks at the places of rows that are put next, some hundred of them. In a large table each is
    /// somewhere else in memory, and these reads need not wait for each other, as searches do.
    mutating func fetch(_ rows: [Row]) {
        if hashes.isEmpty { return }
        var seen: UInt32 = 0
        for row in rows {
            let place = home(Self.hash(row.id))
            seen |= hashes[place]
            if slots[place] == nil { seen |= 1 }
        }
        fetched = seen
    }

    // MARK: Places

    /// From the id's own hash. That is seeded, so nobody outside can choose ids that collide.
    @inline(__always)
    private static func hash(_ id: borrowing RowID) -> UInt32 {
        UInt32(truncatingIfNeeded: id.key >> 32) | 1
    }

    /// Seven eighths: then the places that a search looks at fit into a cache line.
    private static func mostRows(_ capacity: Int) -> Int { capacity - capacity / 8 - 1 }

    /// 16, 24, 32, 48, …: alternately half and a third more.
    private static func capacity(above capacity: Int) -> Int {
        if capacity < 16 { return 16 }
        return capacity.nonzeroBitCount == 1 ? capacity / 2 * 3 : capacity / 3 * 4
    }

    /// Keeps the order of the hashes, whatever the capacity.
    private func home(_ hash: UInt32) -> Int {
        Int(truncatingIfNeeded: (UInt64(hash) &* UInt64(hashes.count)) >> 32)
    }

    @inline(__always)
    private func follower(_ place: Int) -> Int { place &+ 1 == hashes.count ? 0 : place &+ 1 }

    @inline(__always)
    private func find(_ id: borrowing RowID) -> Int? {
        if count == 0 { return nil }
        let place = search(id, Self.hash(id))
        return hashes[place] == 0 ? nil : place
    }

    /// The place of a row or, if it is not there, the free one where its search ends. The index must
    /// have places.
    @inline(__always)
    private func search(_ id: borrowing RowID, _ hash: UInt32) -> Int {
        var place = home(hash)
        while hashes[place] != 0 {
            if hashes[place] == hash, slots[place]?.has(id) == true { return place }
            place = follower(place)
        }
        return place
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
    /// For tests and `trestle check`; nil if all is well.
    func fault() -> String? {
        var seen = 0
        if let fault = fault(at: hashes.indices, &seen) { return fault }
        return seen == count ? nil : "\(count) rows are counted, \(seen) are there"
    }

    /// The number of places, taken or free.
    var capacity: Int { hashes.count }

    /// Checks some places as `fault` does, and adds the rows there to `seen`.
    func fault(at places: Range<Int>, _ seen: inout Int) -> String? {
        for place in places.clamped(to: hashes.indices) {
            guard let slot = slots[place] else {
                if hashes[place] != 0 { return "a hash without a row" }
                continue
            }
            seen += 1
            if hashes[place] != Self.hash(slot.row.id) { return "row \(slot.row.id): wrong hash" }
            if search(slot.row.id, Self.hash(slot.row.id)) != place {
                return "row \(slot.row.id): is not found"
            }
        }
        return nil
    }
}
