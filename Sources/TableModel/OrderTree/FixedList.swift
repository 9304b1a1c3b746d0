/// A list with room for a fixed number of elements, in memory of its own.
///
/// It cannot be copied. So who reads or changes it need not ask who else holds it, and counts no
/// references to it, as with an array. Nodes of a tree keep in it what nobody captures.
struct FixedList<Element>: ~Copyable {
    // Unsafe, since there is no list in the library whose memory cannot be shared. The first `count` places
    // hold an element each, the others nothing; every place that is asked for is checked.
    private let start: UnsafeMutablePointer<Element>
    private let capacity: UInt32
    private var size: UInt32 = 0

    init(capacity: Int) {
        // A list without room has no memory: the allocator would give 32 bytes for none.
        start = capacity > 0 ? .allocate(capacity: capacity) : Self.nowhere
        self.capacity = UInt32(capacity)
    }

    deinit {
        if capacity == 0 { return }
        start.deinitialize(count: count)
        start.deallocate()
    }

    private static var nowhere: UnsafeMutablePointer<Element> {
        guard let place = UnsafeMutablePointer<Element>(bitPattern: MemoryLayout<Element>.alignment)
        else { preconditionFailure("an address that is not nil") }
        return place
    }

    private(set) var count: Int {
        @inline(__always) get { Int(truncatingIfNeeded: size) }
        @inline(__always) set { size = UInt32(truncatingIfNeeded: newValue) }
    }
    var indices: Range<Int> { 0..<count }

    /// All elements where they lie: until the list is changed.
    @inline(__always)
    var all: UnsafeBufferPointer<Element> { UnsafeBufferPointer(start: start, count: count) }

    subscript(place: Int) -> Element {
        @inline(__always) _read {
            check(place, below: count)
            yield start[place]
        }
        @inline(__always) _modify {
            check(place, below: count)
            yield &start[place]
        }
    }

    var last: Element? { count > 0 ? start[count - 1] : nil }

    mutating func append(_ element: consuming Element) { insert(element, at: count) }

    /// Those behind the place move in one go.
    @inline(__always)
    mutating func insert(_ element: consuming Element, at place: Int) {
        check(place, below: count + 1)
        precondition(size < capacity, "a full list")
        let hole = start + place
        (hole + 1).moveInitialize(from: hole, count: count - place)
        hole.initialize(to: element)
        count += 1
    }

    @inline(__always)
    mutating func remove(at place: Int) -> Element {
        check(place, below: count)
        let hole = start + place
        let element = hole.move()
        count -= 1
        hole.moveInitialize(from: hole + 1, count: count - place)
        return element
    }

    mutating func removeAll() {
        start.deinitialize(count: count)
        count = 0
    }

    /// Takes the first elements of another list behind its own.
    mutating func take(first number: Int, of other: inout FixedList) {
        check(number, below: other.count + 1)
        precondition(count + number <= Int(capacity), "a full list")
        (start + count).moveInitialize(from: other.start, count: number)
        other.start.moveInitialize(from: other.start + number, count: other.count - number)
        count += number
        other.count -= number
    }

    /// Takes the last elements of another list before its own.
    mutating func take(last number: Int, of other: inout FixedList) {
        check(number, below: other.count + 1)
        precondition(count + number <= Int(capacity), "a full list")
        (start + number).moveInitialize(from: start, count: count)
        start.moveInitialize(from: other.start + (other.count - number), count: number)
        count += number
        other.count -= number
    }

    @inline(__always)
    private func check(_ place: Int, below end: Int) {
        precondition(UInt(bitPattern: place) < UInt(bitPattern: end), "no such place in the list")
    }
}

extension ContiguousArray {
    /// As `insert(_:at:)`. Those behind the place move in one go, where the library replaces a range.
    @inline(__always)
    mutating func put(_ element: consuming Element, at place: Int) {
        let last = count
        append(element)
        if place == last { return }
        precondition(place >= 0 && place < last, "no such place in the array")
        withUnsafeMutableBufferPointer { all in
            // Unsafe, since the library's own way takes 240 instructions more. The element at the end comes to the
            // place, and those between move up: each place holds one element again.
            guard let start = all.baseAddress else { return }
            let hole = start + place
            let element = (start + last).move()
            (hole + 1).moveInitialize(from: hole, count: last - place)
            hole.initialize(to: element)
        }
    }

    /// As `remove(at:)`, in the same way.
    @inline(__always)
    mutating func takeOut(at place: Int) -> Element {
        let last = count - 1
        precondition(place >= 0 && place <= last, "no such place in the array")
        withUnsafeMutableBufferPointer { all in
            // Unsafe for the same reason. The element comes to the end, and those behind its place move down.
            guard let start = all.baseAddress else { return }
            let hole = start + place
            let element = hole.move()
            hole.moveInitialize(from: hole + 1, count: last - place)
            (start + last).initialize(to: element)
        }
        return removeLast()
    }
}
