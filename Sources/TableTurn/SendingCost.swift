/// The cost for libzmq's thread of sending a turn's publications to all viewers. No clock tells that
/// alone: of what the thread takes, viewers have the part that their messages are of all messages.
package struct SendingCost {
    /// The counts since the process began.
    package struct Sample {
        /// Processor time of all threads but the state thread.
        package var elsewhereNs: UInt64
        package var toViewers: UInt64
        package var toAskers: UInt64

        package init(elsewhereNs: UInt64, toViewers: UInt64, toAskers: UInt64) {
            (self.elsewhereNs, self.toViewers, self.toAskers) = (elsewhereNs, toViewers, toAskers)
        }
    }

    /// For one turn, of late.
    package private(set) var ns: UInt64 = 0
    private var turns: UInt64 = 0
    private var last = Sample(elsewhereNs: 0, toViewers: 0, toAskers: 0)

    /// The clocks of threads are asked for by system calls: not in each turn.
    private static let turnsPerLook: UInt64 = 64

    /// Nothing is known yet.
    package init() {}

    /// A turn has published. `now` is called where it is time to look again.
    package mutating func published(_ now: () -> Sample) {
        turns += 1
        guard turns == Self.turnsPerLook else { return }
        turns = 0
        let sample = now()
        let toViewers = Self.more(sample.toViewers, than: last.toViewers)
        // Each answer had its request.
        let messages = toViewers + 2 * Self.more(sample.toAskers, than: last.toAskers)
        let took = Self.more(sample.elsewhereNs, than: last.elsewhereNs)
        last = sample
        let ofViewers = UInt64(took * toViewers / max(1, messages))
        ns = (ns + ofViewers / Self.turnsPerLook) / 2
    }

    private static func more(_ new: UInt64, than old: UInt64) -> Double {
        Double(new - min(new, old))
    }
}
