import JournalFormat
import JournalPort

/// Reads the whole journal from etcd: the newest complete checkpoint, then the entries behind it.
///
/// The checkpoint is read as of one revision, so that nothing of it goes away meanwhile, and held until
/// it is known to be whole.
struct EtcdReading {
    let keys: EtcdKeys
    let mostBytes: Int
    private let ask: (EtcdCall) throws -> EtcdAnswer

    private(set) var found = EtcdRecovered()
    private var entries: UInt64 = 0
    private(set) var parts: [ArraySlice<UInt8>] = []

    init(
        keys: EtcdKeys, mostBytes: Int, ask: @escaping (EtcdCall) throws -> EtcdAnswer
    ) {
        (self.keys, self.mostBytes, self.ask) = (keys, mostBytes, ask)
    }

    /// Reads the checkpoint, if there is one.
    mutating func readCheckpoint() throws {
        let answer = try ask(
            .txn(
                EtcdTxn(success: [
                    .range(key: keys.manifest, end: [], limit: 1),
                    .range(key: keys.head, end: [], limit: 1),
                ])))
        guard let txn = answer.txn, txn.found.count == 2, let manifests = txn.found[0],
            let heads = txn.found[1]
        else { throw EtcdJournalError.damaged("etcd gave another answer than was asked for") }
        if let pair = heads.first {
            guard let head = EtcdHead(pair.value) else {
                throw EtcdJournalError.damaged(
                    "the key \(keys.prefix)head holds something that this version does not know")
            }
            found.head = head
        }
        found.revision = answer.revision
        guard let pair = manifests.first else { return }
        guard let manifest = EtcdManifest(pair.value),
            manifest.covered.position <= found.head?.position ?? 0
        else {
            throw EtcdJournalError.damaged(
                "the checkpoint is of a form that this version does not know")
        }
        found.manifest = manifest
        found.known = manifest.covered
        try readPieces(manifest, revision: answer.revision)
    }

    private mutating func readPieces(_ manifest: EtcdManifest, revision: Int64) throws {
        var bytes: [UInt8] = []
        var chain = Chain.start
        var next: UInt64 = 0
        while next < manifest.pieces {
            let answer = try ask(
                .range(
                    key: keys.piece(manifest.name, Int(next)), end: keys.piecesEnd(manifest.name),
                    limit: 16, revision: revision))
            guard case .range(let pairs, _) = answer.body, !pairs.isEmpty else {
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
        }
        guard chain == manifest.chain else {
            throw EtcdJournalError.damaged("the checkpoint is not what was written")
        }
        var reader = ByteReader(bytes)
        for _ in 0..<manifest.parts {
            guard let count = reader.word(), count <= UInt64(bytes.count),
                let part = reader.take(Int(count))
            else { throw EtcdJournalError.damaged("a part of the checkpoint is cut off") }
            parts.append(part)
        }
    }

    /// Hands over some entries behind what was read; false: there are no more.
    mutating func readEntries(
        _ body: (UInt64, UnsafeRawBufferPointer) throws -> Void
    ) throws -> Bool {
        let answer = try ask(
            .txn(
                EtcdTxn(success: [
                    .range(key: keys.head, end: [], limit: 1),
                    .range(
                        key: keys.entry(found.known.position + 1), end: keys.logEnd, limit: 1_000),
                ])))
        guard let txn = answer.txn, txn.found.count == 2, let heads = txn.found[0],
            let pairs = txn.found[1]
        else { throw EtcdJournalError.damaged("etcd gave another answer than was asked for") }
        if let pair = heads.first {
            guard let head = EtcdHead(pair.value), head.position >= found.known.position else {
                throw EtcdJournalError.damaged("the head is not what it was")
            }
            found.head = head
        }
        found.revision = answer.revision
        var reader = EtcdLogReader(keys: keys, known: found.known)
        let end = found.head?.position ?? 0
        try reader.read(pairs, upTo: end) { position, payload in
            found.bytesSinceCheckpoint += UInt64(payload.count)
            entries += 1
            try payload.withUnsafeBytes { try body(position, $0) }
        }
        let hasMoved = reader.known != found.known
        found.known = reader.known
        if found.known.position >= end { return false }
        guard hasMoved else {
            throw EtcdJournalError.damaged("entry \(found.known.position + 1) is missing")
        }
        return true
    }

    /// What was read.
    var summary: JournalSummary {
        var summary = JournalSummary()
        summary.checkpoint = found.manifest?.covered.position
        summary.parts = found.manifest?.parts ?? 0
        summary.partBytes = found.manifest?.partBytes ?? 0
        summary.entries = entries
        summary.entryBytes = found.bytesSinceCheckpoint
        summary.position = found.known.position
        return summary
    }
}
