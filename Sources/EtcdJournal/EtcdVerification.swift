import JournalPort

/// Reads a little at a time, and waits for no answer: turns go on meanwhile.
final class EtcdVerification: Verification {
    private let begin: () -> EtcdReading
    private let link: EtcdLink
    private var reading: EtcdReading
    private var underWay: EtcdLink.Aside?
    /// The time of the first call that is not answered.
    private var silentSinceMs: UInt64?
    private var beginnings = 1

    /// Without an answer for so long it is given up, and nothing is said of the journal.
    private static let patienceMs: UInt64 = 30_000
    /// Each time two checkpoints are written faster than one is read.
    private static let mostBeginnings = 5

    init(_ link: EtcdLink, _ begin: @escaping () -> EtcdReading) {
        (self.link, self.begin) = (link, begin)
        reading = begin()
    }

    deinit {
        if let underWay { link.forgetAside(underWay) }
    }

    func work(while goesOn: () -> Bool) throws -> JournalSummary? {
        repeat {
            guard let call = reading.next else { return reading.summary }
            guard let aside = underWay else {
                underWay = link.sendAside(call)
                return nil
            }
            guard let result = link.takeAside(aside) else { return nil }
            underWay = nil
            try take(result)
        } while goesOn()
        return nil
    }

    private func take(_ result: EtcdLink.Result) throws {
        let nowMs = EtcdLink.monotonicMs
        do {
            try reading.take(try result.get())
            silentSinceMs = nil
        } catch is JournalMoved {
            try beginAnew()
        } catch EtcdFailure.compacted {
            try beginAnew()
        } catch let failure as EtcdFailure {
            // Asked again by the next slice, elsewhere.
            reading.askForLess()
            let since = silentSinceMs ?? nowMs
            silentSinceMs = since
            guard nowMs < since + Self.patienceMs else {
                throw JournalUnavailable("etcd does not answer: \(failure.text)")
            }
        }
    }

    private func beginAnew() throws {
        beginnings += 1
        guard beginnings <= Self.mostBeginnings else {
            throw JournalUnavailable("the journal is shortened faster than it is read")
        }
        reading = begin()
    }
}
