/// A bucket that fills by itself: so much at once, and so much each second.
public struct Bucket: Sendable {
    private let perSecond: Double
    private let most: Double
    private var level: Double
    private var at: Int

    /// A full bucket.
    public init(most: Double, perSecond: Double, nowMs: Int) {
        self.most = most
        self.perSecond = perSecond
        level = most
        at = nowMs
    }

    /// Takes so much out of it. False: there was not as much, and nothing is taken.
    public mutating func take(_ amount: Double, nowMs: Int) -> Bool {
        fill(nowMs: nowMs)
        guard level >= amount else { return false }
        level -= amount
        return true
    }

    /// Takes so much out of it, more than there was if need be: then it first fills up again. False: there was nothing.
    public mutating func overdraw(_ amount: Double, nowMs: Int) -> Bool {
        fill(nowMs: nowMs)
        guard level > 0 else { return false }
        level -= amount
        return true
    }

    private mutating func fill(nowMs: Int) {
        level = min(most, level + Double(max(0, nowMs - at)) / 1_000 * perSecond)
        at = max(at, nowMs)
    }

    /// Whether it is full again by now: then it may be forgotten.
    public func isFull(nowMs: Int) -> Bool {
        level + Double(max(0, nowMs - at)) / 1_000 * perSecond >= most
    }
}

/// How often somebody may fail to pair: ten times at once from one address, then once in six
/// seconds. A code has 128 bits, so this only keeps the log and the processor quiet.
public struct PairingAttempts: Sendable {
    private var byPlace: [String: Bucket] = [:]
    private var all: Bucket

    /// Nobody has tried yet.
    public init(nowMs: Int) { all = Bucket(most: 200, perSecond: 5, nowMs: nowMs) }

    /// Counts an attempt before its outcome is known. False: too many.
    public mutating func admits(_ address: String, nowMs: Int) -> Bool {
        let place = NetworkPlace.of(address)
        if byPlace.count >= 1_024 { byPlace = byPlace.filter { !$0.value.isFull(nowMs: nowMs) } }
        // With so many addresses at once each of them shares what all together may do.
        guard byPlace.count < 4_096 || byPlace[place] != nil else {
            return all.take(1, nowMs: nowMs)
        }
        return byPlace[place, default: Bucket(most: 10, perSecond: 1 / 6, nowMs: nowMs)]
            .take(1, nowMs: nowMs)
    }

    /// A good code: the address starts again.
    public mutating func succeeded(_ address: String) { byPlace[NetworkPlace.of(address)] = nil }
}
