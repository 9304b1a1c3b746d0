import EtcdJournal

/// A mistake that the laws must find.
package enum ServiceBug: String, CaseIterable, Sendable {
    /// An append does not compare the term.
    case appendsUnfenced
    /// An append does not compare the head.
    case appendsAnywhere
    /// No answer to an append counts as a good one.
    case takesSilenceForSuccess
    /// No answer to an append counts as proof that it was not carried out.
    case takesSilenceForRefusal
    /// The key of the leader has no lease, so that it is not gone when the leader is: nobody takes over.
    case leadsForEver
    /// A campaign does not look whether there is a leader.
    case campaignsBlindly
    /// A leader answers reads whether or not it may still be the leader.
    case readsWithoutLooking
    /// A renewal alone counts as proof: the read that follows it is answered from memory.
    case trustsOldReads
    /// A lease lasts twice as long as etcd has said.
    case believesTwiceTheLease
    /// Time does not go on while the process is stopped.
    case clockStandsStill
    /// A look without an answer is waited for.
    case waitsForEver
    /// A command is acknowledged when it is submitted.
    case acknowledgesEarly
    /// Changes that were not durable when another daemon took over stay in memory.
    case keepsWhatWasFenced
    /// It is submitted again, without a look whether it is there.
    case resubmitsWhatWasFenced
    /// More entries are removed than the checkpoint covers.
    case trimsTooFar
    /// The checkpoint is said to be complete before all of it is there.
    case losesAPiece
    /// A checkpoint comes into force whichever was in force before: also a copy of the one before, which arrives late.
    case replacesAnyCheckpoint
    /// All pieces but those of one checkpoint are removed, also by a copy that arrives late.
    case sweepsAllOthers

    // MARK: What etcd is told

    /// The request that a faulty member sends instead of this one.
    func changed(_ call: EtcdCall, _ keys: EtcdKeys) -> EtcdCall {
        guard case .txn(var txn) = call else { return call }
        switch self {
        case .appendsUnfenced where txn.puts(keys.head):
            txn.compares.removeAll {
                if case .created(let key, _) = $0 { key == keys.leader } else { false }
            }
        case .appendsAnywhere where txn.puts(keys.head):
            txn.compares.removeAll {
                switch $0 {
                case .value: true
                case .created(let key, _): key == keys.head
                }
            }
        case .campaignsBlindly where txn.puts(keys.leader): txn.compares = []
        case .leadsForEver where txn.puts(keys.leader):
            txn.success = txn.success.map {
                if case .put(let key, let value, _) = $0 {
                    .put(key: key, value: value, lease: 0)
                } else {
                    $0
                }
            }
        case .trimsTooFar:
            txn.success = txn.success.map {
                if case .delete(let key, let end) = $0, key == keys.log {
                    .delete(key: key, end: Self.farther(end, keys))
                } else {
                    $0
                }
            }
        case .replacesAnyCheckpoint where txn.puts(keys.manifest):
            txn.compares.removeLast()
        case .sweepsAllOthers where txn.success.first?.isDelete(of: keys.pieces) == true:
            txn.compares.removeLast()
            if case .delete(let key, _) = txn.success[txn.success.count - 1] {
                txn.success[txn.success.count - 1] = .delete(key: key, end: keys.piecesEnd)
            }
        case .losesAPiece:
            txn.success.removeAll {
                if case .put(let key, _, _) = $0 {
                    key.starts(with: keys.pieces) && key.last == UInt8(ascii: "0")
                } else {
                    false
                }
            }
        case .appendsUnfenced, .appendsAnywhere, .campaignsBlindly, .leadsForEver,
            .replacesAnyCheckpoint, .sweepsAllOthers,
            .takesSilenceForSuccess, .takesSilenceForRefusal, .readsWithoutLooking,
            .trustsOldReads, .believesTwiceTheLease, .clockStandsStill, .waitsForEver,
            .acknowledgesEarly, .keepsWhatWasFenced, .resubmitsWhatWasFenced:
            break
        }
        return .txn(txn)
    }

    private static func farther(_ end: [UInt8], _ keys: EtcdKeys) -> [UInt8] {
        keys.place(of: end).map { keys.entry($0.position + 400) } ?? end
    }
}

extension EtcdTxn.Op {
    func isDelete(of name: [UInt8]) -> Bool {
        if case .delete(let key, _) = self { key == name } else { false }
    }
}

extension EtcdTxn {
    func puts(_ name: [UInt8]) -> Bool {
        success.contains { if case .put(let key, _, _) = $0 { key == name } else { false } }
    }
}
