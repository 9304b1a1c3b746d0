/// The remembered answers to one client, ascending by number. A ring: the newest takes the place of one
/// that went, and so do its bytes. So none has memory of its own, and none is moved for another.
struct AnswerRing: Sendable {
    private struct Slot {
        var number: UInt64 = 0
        var requestHash: UInt64 = 0
        /// Where its bytes lie.
        var start: UInt32 = 0
        var byteCount: UInt32 = 0

        var bytes: Range<Int> { Int(start)..<Int(start) + Int(byteCount) }
    }

    private var slots: [Slot] = []
    /// The slot of the oldest answer.
    private var oldest = 0
    /// How many there are.
    private(set) var count = 0
    /// Bytes of all.
    private(set) var byteCount = 0
    /// Each answer's bytes lie behind those of the one before it, or at the beginning, and before those of
    /// the oldest.
    private(set) var memory: [UInt8] = []

    /// Memory of up to so many bytes grows by four, and is not made smaller.
    private static let usualBytes = 16 << 10

    init(_ answers: [Sessions.Answered] = []) {
        for answer in answers {
            answer.reply.withUnsafeBytes { append(answer.number, answer.requestHash, $0) }
        }
    }

    /// All of them.
    var answers: [Sessions.Answered] { (0..<count).map { answer(at: $0) } }

    /// The lowest number; nil: there is no answer.
    @inline(__always)  // Else the ring is copied for the call.
    var lowest: UInt64? { count == 0 ? nil : slots[oldest].number }
    /// The highest.
    @inline(__always)  // The same.
    var highest: UInt64? { count == 0 ? nil : slots[place(count - 1)].number }

    /// The answer of a number; nil: there is none.
    func answer(to number: UInt64) -> Sessions.Answered? {
        (0..<count).last { slots[place($0)].number == number }.map { answer(at: $0) }
    }

    /// Adds an answer, whose number is higher than all.
    mutating func append(_ number: UInt64, _ requestHash: UInt64, _ reply: UnsafeRawBufferPointer) {
        if count == slots.count { widen() }
        let start = room(for: reply.count)
        memory.withUnsafeMutableBytes {
            UnsafeMutableRawBufferPointer(rebasing: $0[start...]).copyMemory(from: reply)
        }
        slots[place(count)] = Slot(
            number: number, requestHash: requestHash, start: UInt32(start),
            byteCount: UInt32(reply.count))
        count += 1
        byteCount += reply.count
    }

    /// Adds an answer in the order of the numbers. One of the same number stays, and is not found any more.
    mutating func insert(_ number: UInt64, _ requestHash: UInt64, _ reply: UnsafeRawBufferPointer) {
        if count == slots.count { widen() }
        var index = count
        while index > 0, slots[place(index - 1)].number > number {
            slots[place(index)] = slots[place(index - 1)]
            index -= 1
        }
        slots[place(index)] = Slot(
            number: number, requestHash: requestHash, byteCount: UInt32(reply.count))
        count += 1
        byteCount += reply.count
        lay(in: byteCount, reply, as: index)
    }

    /// Lets the oldest go. There has to be one.
    mutating func removeOldest() {
        byteCount -= Int(slots[oldest].byteCount)
        oldest = place(1)
        count -= 1
    }

    /// Lets the one behind the oldest go, and returns its number. There have to be two.
    mutating func removeNextToOldest() -> UInt64 {
        let gone = slots[place(1)]
        byteCount -= Int(gone.byteCount)
        slots[place(1)] = slots[oldest]
        oldest = place(1)
        count -= 1
        return gone.number
    }

    /// The slot of the answer that is so many behind the oldest.
    @inline(__always)  // The same.
    private func place(_ index: Int) -> Int {
        let place = oldest + index
        return place < slots.count ? place : place - slots.count
    }

    private func answer(at index: Int) -> Sessions.Answered {
        let slot = slots[place(index)]
        return Sessions.Answered(
            number: slot.number, requestHash: slot.requestHash, reply: Array(memory[slot.bytes]))
    }

    /// Where so many bytes may be written.
    private mutating func room(for size: Int) -> Int {
        if memory.count > max(Self.usualBytes, 2 * (byteCount + size)) { lay(in: byteCount + size) }
        if count == 0 {
            if size > memory.count { lay(in: size) }
            return 0
        }
        let first = Int(slots[oldest].start)
        let end = slots[place(count - 1)].bytes.upperBound
        // Behind the newest, or at the beginning; there, some byte stays free before the oldest.
        if end >= first {
            if memory.count - end >= size { return end }
            if size < first { return 0 }
        } else if size < first - end {
            return end
        }
        // As the list of slots: most clients send one command, or many. What is large grows by a half, so that
        // it holds no more than twice its answers.
        let wider = max(Self.usualBytes, memory.count + memory.count / 2)
        lay(in: max(min(4 * memory.count, wider), byteCount + size))
        return byteCount
    }

    /// Puts all bytes one behind the other, in memory of this size, which has room for them. Those of one answer
    /// are not there yet, but here.
    private mutating func lay(
        in size: Int, _ reply: UnsafeRawBufferPointer? = nil, as new: Int = -1
    ) {
        var start = 0
        memory = [UInt8](unsafeUninitializedCapacity: size) { laid, initialized in
            memory.withUnsafeBytes { old in
                for index in 0..<count {
                    let slot = place(index)
                    let known = index == new ? reply : nil
                    let bytes = known ?? UnsafeRawBufferPointer(rebasing: old[slots[slot].bytes])
                    UnsafeMutableRawBufferPointer(
                        rebasing: UnsafeMutableRawBufferPointer(laid)[start...]
                    )
                    .copyMemory(from: bytes)
                    slots[slot].start = UInt32(start)
                    start += bytes.count
                }
            }
            // The rest of the memory holds old bytes, and is written before it is read.
            initialized = size
        }
    }

    private mutating func widen() {
        var wider = [Slot](repeating: Slot(), count: max(1, 4 * count))
        for index in 0..<count { wider[index] = slots[place(index)] }
        (slots, oldest) = (wider, 0)
    }
}
