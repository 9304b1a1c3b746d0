/// When things are over: which of them are is found without a look at all of them.
///
/// It is a heap by time. An entry of a thing that is gone, or that is over later by now, is corrected
/// when it comes to the top.
struct Deadlines<Key: Hashable> {
    private var ends: [Key: UInt64] = [:]
    /// Each thing has an entry of its time, or of an earlier one.
    private var heap: [Entry] = []

    private struct Entry {
        let end: UInt64
        let key: Key
    }

    /// When this one is over; nil: it is not here.
    subscript(key: Key) -> UInt64? { ends[key] }

    /// Whether none is here.
    var isEmpty: Bool { ends.isEmpty }

    /// All that are here.
    var keys: some Collection<Key> { ends.keys }

    /// This one is over at this time.
    mutating func set(_ key: Key, to end: UInt64) {
        let old = ends.updateValue(end, forKey: key)
        if let old, old <= end { return }
        push(Entry(end: end, key: key))
        dropStale()
    }

    /// This one is not here any more.
    mutating func remove(_ key: Key) {
        if ends.removeValue(forKey: key) != nil { dropStale() }
    }

    /// When the first is over; nil: none is here.
    mutating func nextEnd() -> UInt64? {
        while let first = heap.first {
            let end = ends[first.key]
            if end == first.end { return end }
            removeFirst()
            if let end, end > first.end { push(Entry(end: end, key: first.key)) }
        }
        return nil
    }

    /// The keys that are over at this time, at most so many, the first to end first. They stay here.
    mutating func over(at time: UInt64, atMost most: Int = .max) -> Set<Key> {
        var over: Set<Key> = []
        while over.count < most, let first = heap.first, first.end <= time {
            removeFirst()
            guard let end = ends[first.key] else { continue }
            if end <= time {
                over.insert(first.key)
            } else {
                push(Entry(end: end, key: first.key))
            }
        }
        for key in over { push(Entry(end: ends[key] ?? time, key: key)) }
        return over
    }

    /// The stale entries are never more than the others.
    private mutating func dropStale() {
        guard heap.count > 2 * ends.count + 64 else { return }
        // In order, they are a heap.
        heap = ends.map { Entry(end: $0.value, key: $0.key) }.sorted { $0.end < $1.end }
    }

    private mutating func push(_ entry: Entry) {
        heap.append(entry)
        var place = heap.count - 1
        while place > 0, heap[place].end < heap[(place - 1) / 2].end {
            heap.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    private mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var place = 0
        while 2 * place + 1 < heap.count {
            var least = 2 * place + 1
            if least + 1 < heap.count, heap[least + 1].end < heap[least].end { least += 1 }
            if heap[place].end <= heap[least].end { return }
            heap.swapAt(place, least)
            place = least
        }
    }
}
