import JournalFormat
package import JournalPort

/// Reads the whole journal from etcd: the newest complete checkpoint, then the entries behind it. It does no
/// input or output: it says what to ask, and takes the answer, so that a check waits for none.
///
/// The checkpoint is read as of one revision, so that nothing of it goes away meanwhile, and held until
/// it is known to be whole.
package struct EtcdReading {
    private enum Stage {
        case beginning
        case pieces(next: UInt64, chain: UInt64)
        case entries
        /// Something does not fit. Where there is a newer checkpoint by now, what was read was only removed.
        case confirming(EtcdJournalError)
        case done
    }

    /// Keys of one answer: pieces, and entries with their parts.
    package typealias Portion = (pieces: Int, entries: Int)

    package static let usual: Portion = (16, 1_000)

    let keys: EtcdKeys
    let mostBytes: Int
    let most: Portion

    package private(set) var found = EtcdRecovered()
    private var stage = Stage.beginning
    private var bytes: [UInt8] = []
    private var entries: UInt64 = 0
    /// So much is asked for at present. How many bytes that is nobody knows before the answer.
    private var portion: Portion
    /// Keys of an entry whose other parts are still to come.
    private var held: [EtcdPair] = []

    package init(keys: EtcdKeys, mostBytes: Int, most: Portion = Self.usual) {
        (self.keys, self.mostBytes, self.most) = (keys, mostBytes, most)
        portion = (most.pieces, max(1, most.entries / 16))
    }

    /// The next call; nil: all is read.
    var next: EtcdCall? {
        switch stage {
        case .beginning, .confirming:
            return .txn(
                EtcdTxn(success: [
                    .range(key: keys.manifest, end: [], limit: 1),
                    .range(key: keys.head, end: [], limit: 1),
                ]))
        case .pieces(let next, _):
            let name = found.manifest?.name ?? ""
            return .range(
                key: keys.piece(name, Int(next)), end: keys.piecesEnd(name), limit: portion.pieces,
                revision: found.revision)
        case .entries:
            // An entry that has begun is there to its end: its last key was written after its parts.
            let first = held.last.map { $0.key + [0] } ?? keys.entry(found.known.position + 1)
            return .txn(
                EtcdTxn(success: [
                    .range(key: keys.head, end: [], limit: 1),
                    .range(key: first, end: keys.logEnd, limit: portion.entries),
                ]))
        case .done: return nil
        }
    }

    /// Takes an answer to that, and hands over what is known to be whole.
    ///
    /// - Throws: `EtcdJournalError`; `JournalMoved` where it is to be read anew.
    mutating func take(_ answer: EtcdAnswer, _ body: (Recovered) throws -> Void = { _ in }) throws {
        switch stage {
        case .beginning: try takeManifest(answer, body)
        case .pieces(let next, let chain): try takePieces(answer, next, chain, body)
        case .entries:
            do {
                try takeEntries(answer, body)
            } catch let error as EtcdJournalError {
                stage = .confirming(error)
            }
        case .confirming(let error):
            let manifest = answer.txn?.found.first??.first.flatMap { EtcdManifest($0.value) }
            guard let manifest, manifest.covered.position > found.known.position else {
                throw error
            }
            throw JournalMoved()
        case .done: break
        }
    }

    /// All of it, where the caller has the time to wait. Nil of `ask`: no answer came, and another is worth
    /// a try.
    package mutating func recover(
        _ body: (Recovered) throws -> Void = { _ in }, asking ask: (EtcdCall) throws -> EtcdAnswer?
    ) throws -> JournalSummary {
        while let call = next {
            if let answer = try ask(call) { try take(answer, body) } else { askForLess() }
        }
        return summary
    }

    // MARK: How much is asked for

    /// No answer came: it may have been too large, or too long under way.
    mutating func askForLess() { portion = halved(portion) }

    /// The bounds of the next reading where this one is given up.
    var less: Portion { halved(most) }

    private func halved(_ some: Portion) -> Portion {
        switch stage {
        case .beginning, .confirming, .done: some
        case .pieces: (max(1, some.pieces / 2), some.entries)
        case .entries: (some.pieces, max(1, some.entries / 2))
        }
    }

    /// How many keys come next, after so many with so many bytes. It grows slowly: one answer that is too
    /// large takes longer than many that are too small.
    private func adapted(_ count: Int, most: Int, bytes: Int) -> Int {
        let isLarge = bytes > self.most.pieces * EtcdPieces.pieceBytes
        return isLarge ? max(1, count / 2) : min(most, count + max(1, count / 8))
    }

    // MARK: The checkpoint

    private mutating func takeManifest(
        _ answer: EtcdAnswer, _ body: (Recovered) throws -> Void
    ) throws {
        guard let txn = answer.txn, txn.found.count == 2, let manifests = txn.found[0],
            let heads = txn.found[1]
        else { throw Self.strange }
        if let pair = heads.first {
            guard let head = EtcdHead(pair.value) else {
                throw EtcdJournalError.damaged(
                    "the key \(keys.prefix)head holds something that this version does not know")
            }
            found.head = head
        }
        found.revision = answer.revision
        stage = .entries
        guard let pair = manifests.first else { return }
        guard let manifest = EtcdManifest(pair.value),
            manifest.covered.position <= found.head?.position ?? 0
        else {
            throw EtcdJournalError.damaged(
                "the checkpoint is of a form that this version does not know")
        }
        found.manifest = manifest
        found.known = manifest.covered
        stage = .pieces(next: 0, chain: Chain.start)
        if manifest.pieces == 0 { try handOver(manifest, chain: Chain.start, body) }
    }

    private mutating func takePieces(
        _ answer: EtcdAnswer, _ from: UInt64, _ link: UInt64, _ body: (Recovered) throws -> Void
    ) throws {
        guard let manifest = found.manifest, case .range(let pairs, _) = answer.body else {
            throw Self.strange
        }
        var (next, chain) = (from, link)
        guard !pairs.isEmpty else {
            throw EtcdJournalError.damaged("piece \(next) of the checkpoint is missing")
        }
        for pair in pairs where next < manifest.pieces {
            guard pair.key == keys.piece(manifest.name, Int(next)) else {
                throw EtcdJournalError.damaged("piece \(next) of the checkpoint is missing")
            }
            chain = pair.value.withUnsafeBytes {
                Chain.link(after: chain, number: next, payload: $0)
            }
            bytes += pair.value
            next += 1
            guard bytes.count <= mostBytes else {
                throw EtcdJournalError.fault(
                    "the checkpoint has more than \(mostBytes) bytes:"
                        + " raise journal.etcd.max_state_bytes")
            }
        }
        stage = .pieces(next: next, chain: chain)
        portion.pieces = adapted(portion.pieces, most: most.pieces, bytes: 0)
        if next == manifest.pieces { try handOver(manifest, chain: chain, body) }
    }

    private mutating func handOver(
        _ manifest: EtcdManifest, chain: UInt64, _ body: (Recovered) throws -> Void
    ) throws {
        guard chain == manifest.chain else {
            throw EtcdJournalError.damaged("the checkpoint is not what was written")
        }
        try body(.checkpoint(position: manifest.covered.position, parts: manifest.parts))
        var reader = ByteReader(bytes)
        for _ in 0..<manifest.parts {
            guard let count = reader.word(), count <= UInt64(bytes.count),
                let part = reader.take(Int(count))
            else { throw EtcdJournalError.damaged("a part of the checkpoint is cut off") }
            try part.withUnsafeBytes { try body(.part($0)) }
        }
        bytes = []
        stage = .entries
    }

    // MARK: Entries

    /// Some entries behind what was read.
    private mutating func takeEntries(
        _ answer: EtcdAnswer, _ body: (Recovered) throws -> Void
    ) throws {
        guard let txn = answer.txn, txn.found.count == 2, let heads = txn.found[0],
            let pairs = txn.found[1]
        else { throw Self.strange }
        if let pair = heads.first {
            guard let head = EtcdHead(pair.value), head.position >= found.known.position else {
                throw EtcdJournalError.damaged("the head is not what it was")
            }
            found.head = head
        }
        found.revision = answer.revision
        let bytes = pairs.reduce(0) { $0 + $1.value.count }
        portion.entries = adapted(portion.entries, most: most.entries, bytes: bytes)
        let (all, wereHeld) = (held + pairs, held.count)
        var reader = EtcdLogReader(keys: keys, known: found.known)
        let end = found.head?.position ?? 0
        let used = try reader.read(all, upTo: end) { position, payload in
            found.bytesSinceCheckpoint += UInt64(payload.count)
            entries += 1
            try payload.withUnsafeBytes { try body(.entry(position: position, $0)) }
        }
        held = Array(all[used...])
        let hasMoved = reader.known != found.known || held.count > wereHeld
        found.known = reader.known
        if found.known.position >= end {
            stage = .done
        } else if !hasMoved {
            throw EtcdJournalError.damaged("entry \(found.known.position + 1) is missing")
        }
    }

    private static let strange = EtcdJournalError.damaged(
        "etcd gave another answer than was asked for")

    /// A summary of the entries that were read.
    var summary: JournalSummary {
        var summary = JournalSummary()
        summary.checkpoint = found.manifest?.covered.position
        summary.parts = found.manifest?.parts ?? 0
        summary.entries = entries
        summary.entryBytes = found.bytesSinceCheckpoint
        summary.position = found.known.position
        return summary
    }
}
