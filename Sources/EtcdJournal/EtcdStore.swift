import JournalFormat
package import JournalPort

/// A journal on etcd that no daemon uses: it is read as a whole, or begun with a checkpoint. For moving it.
package final class EtcdStore {
    private let link: EtcdLink
    private let keys: EtcdKeys
    private let settings: EtcdSettings
    /// The result of the newest reading.
    private var found = EtcdRecovered()

    /// For each request, over all members of etcd.
    private static let patienceMs: UInt64 = 20_000

    /// Nothing is asked of etcd yet.
    ///
    /// - Throws: `EtcdJournalError`.
    package init(_ settings: EtcdSettings) throws {
        self.settings = settings
        keys = EtcdKeys(name: settings.name)
        link = try EtcdLink(settings)
    }

    /// Where the keys are.
    package var place: String { keys.prefix }

    /// Refuses to go on while a daemon of the service is there.
    ///
    /// - Throws: `EtcdJournalError`, by name.
    package func refuseIfInUse() throws {
        let answer = try ask(
            .txn(
                EtcdTxn(success: [
                    .range(key: keys.leader, end: [], limit: 1),
                    .range(key: keys.members, end: keys.membersEnd, limit: 64),
                ])))
        guard let found = answer.txn?.found, found.count == 2 else { throw Self.strange }
        let notes = ((found[1] ?? []) + (found[0] ?? [])).compactMap { EtcdMemberNote($0.value) }
        guard let note = notes.first else { return }
        let place = note.endpoints.joined(separator: " ")
        throw EtcdJournalError.fault(
            "a daemon of the service runs (\(place)): stop all of them. One that was killed is"
                + " forgotten after lease_seconds")
    }

    /// Refuses to go on where there is a journal.
    ///
    /// - Throws: `EtcdJournalError`, by name.
    package func refuseIfNotEmpty() throws {
        let answer = try ask(
            .txn(
                EtcdTxn(success: [
                    .range(key: keys.head, end: [], limit: 1),
                    .range(key: keys.manifest, end: [], limit: 1),
                    .range(key: keys.log, end: keys.logEnd, limit: 1),
                ])))
        guard let found = answer.txn?.found, found.count == 3 else { throw Self.strange }
        guard found.allSatisfy({ $0?.isEmpty ?? true }) else {
            throw EtcdJournalError.fault(
                "there is a journal below \(keys.prefix), and nothing is written over: take another"
                    + " name, or remove it (etcdctl del --prefix \(keys.prefix))")
        }
    }

    /// Hands over everything, as `Journal.recover` does.
    package func read(_ body: (Recovered) throws -> Void) throws -> JournalSummary {
        var reading = EtcdReading(keys: keys, mostBytes: settings.mostReadBytes)
        do {
            let summary = try link.readAll(&reading, patienceMs: Self.patienceMs, body)
            found = reading.found
            return summary
        } catch let failure as EtcdFailure {
            throw Self.error(failure)
        }
    }

    /// Refuses to go on if a daemon has written since the journal was read, or is about to.
    ///
    /// - Throws: `EtcdJournalError`, by name.
    package func refuseIfChanged() throws {
        let answer = try ask(
            .txn(EtcdTxn(compares: [.created(key: keys.leader, 0), isHeadAsRead], success: [])))
        guard answer.txn?.succeeded == true else {
            throw EtcdJournalError.fault("a daemon was started meanwhile: stop all of them")
        }
    }

    private var isHeadAsRead: EtcdTxn.Compare {
        found.head.map { .value(key: keys.head, $0.bytes) } ?? .created(key: keys.head, 0)
    }

    // MARK: Beginning one

    /// Begins the journal with a checkpoint: the next entry is the one behind `position`. It is there with
    /// its last step, or nothing of it counts.
    ///
    /// - Throws: `EtcdJournalError`, by name. Nothing is left then but what another try removes.
    package func begin(covering position: UInt64, parts: [[UInt8]]) throws {
        let bytes = parts.reduce(0) { $0 + $1.count }
        guard bytes <= settings.mostStateBytes else {
            throw EtcdJournalError.fault(
                "the tables take \(bytes) bytes, and a checkpoint may have"
                    + " \(settings.mostStateBytes): raise journal.etcd.max_state_bytes")
        }
        try refuseIfSmall(bytes)
        // This removes the pieces that an earlier try left.
        try step([.delete(key: keys.pieces, end: keys.piecesEnd)])
        let name = EtcdKeys.hex(position) + "-" + EtcdKeys.hex(0) + "-moved"
        var pieces = EtcdPieces()
        var sent = 0
        for part in parts {
            pieces.add(part)
            try put(&pieces, name, &sent)
        }
        pieces.close()
        try put(&pieces, name, &sent)
        let manifest = pieces.manifest(
            named: name, covering: ChainPoint(position: position, chain: Chain.start), previous: 0)
        // No term has this number: a head that a daemon writes differs from it.
        let head = EtcdHead(position: position, chain: Chain.start, term: 0)
        try step([
            .put(key: keys.manifest, value: manifest.bytes, lease: 0),
            .put(key: keys.head, value: head.bytes, lease: 0),
        ])
    }

    private func put(_ pieces: inout EtcdPieces, _ name: String, _ sent: inout Int) throws {
        for piece in pieces.waiting {
            try step([.put(key: keys.piece(name, sent), value: piece, lease: 0)])
            sent += 1
        }
        pieces.waiting = []
    }

    /// Carried out as long as there is neither a journal nor a daemon. Without an answer the same bytes are
    /// sent again: then the last step may be found done.
    private func step(_ steps: [EtcdTxn.Op]) throws {
        let txn = EtcdTxn(
            compares: [.created(key: keys.leader, 0), .created(key: keys.head, 0)],
            success: steps, failure: [.range(key: keys.head, end: [], limit: 1)])
        let answer = try ask(.txn(txn))
        guard let (succeeded, found) = answer.txn else { throw Self.strange }
        if succeeded { return }
        let head = found.first.flatMap { $0?.first?.value }
        let isOurs = steps.contains { step in
            if case .put(keys.head, let value, _) = step { value == head } else { false }
        }
        guard isOurs else {
            throw EtcdJournalError.fault("a daemon was started meanwhile: stop all of them")
        }
    }

    /// A checkpoint is written beside the one before, so twice its size has to find room.
    private func refuseIfSmall(_ bytes: Int) throws {
        let answer = try ask(.status)
        guard case .status(let used, _) = answer.body else { throw Self.strange }
        let most = UInt64(settings.quotaBytes) / 5 * 4
        guard used + 2 * UInt64(bytes) < most else {
            throw EtcdJournalError.fault(
                "etcd holds \(used) bytes, and twice the \(bytes) of the tables would be more than"
                    + " four fifths of its quota (\(settings.quotaBytes)): raise both quotas")
        }
    }

    private func ask(_ call: EtcdCall) throws -> EtcdAnswer {
        do throws(EtcdFailure) {
            return try link.ask(call, untilMs: EtcdLink.monotonicMs + Self.patienceMs)
        } catch {
            throw Self.error(error)
        }
    }

    private static func error(_ failure: EtcdFailure) -> EtcdJournalError {
        if case .noAnswer(let why) = failure { return .unreachable(why) }
        return .fault("etcd refuses: \(failure.text)")
    }

    private static let strange = EtcdJournalError.damaged(
        "etcd gave another answer than was asked for")
}
