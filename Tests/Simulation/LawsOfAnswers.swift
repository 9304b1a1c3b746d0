import TableModel
import TableSync

// What writers send, and what they are told.

extension Laws {
    func issues(_ request: Request) {
        guard let client = request.client, let number = request.number else {
            return demand(false, .carriedOutOnce, "a writer's request without a number")
        }
        let id = Numbered(client: client, number: number)
        demand(issued[id].map { $0 == request } ?? true, .carriedOutOnce, "\(id) in other words")
        issued[id] = request
    }

    /// Whose all clients are, and somebody else.
    static let owner = Principal.user(4_001)
    static let intruder = Principal.user(4_002)

    /// A command of somebody else with this one's client and number; nil: it has none.
    func forge(_ request: Request) -> Request? {
        guard let client = request.client, let number = request.number,
            request.verb.description.isRemembered
        else { return nil }
        forged.insert(Numbered(client: client, number: number))
        var forged = Request(
            client: client, number: number, opened: request.opened, table: request.table, .create)
        forged.sender = Self.intruder
        return forged
    }

    func heard(_ reply: Reply, isAwaited: Bool) {
        guard let client = reply.client, let number = reply.number else { return }
        let id = Numbered(client: client, number: number)
        note("\(id) hears \(Self.words(for: reply))")
        if case .refused(let rejection) = reply.answer {
            switch rejection.code {
            // Not remembered: the number may be used again, by a copy under way for one.
            case .diskFull: return
            case .unknown:
                // A late copy may meet an answer that was let go once the writer had heard it.
                return demand(
                    hasForgotten || !isAwaited, .unknownOnlyIfForgotten,
                    "\(id) is unknown, and nobody was forgotten")
            case .numberReused:
                return demand(false, .sameAnswer, "\(id) was used for something else")
            default: break
            }
        }
        // Of a line of time that a restore has ended.
        guard let stored = ledger.answers[id] else { return }
        if let first = heard[id] {
            demand(first == reply, .sameAnswer, "\(id) is answered once so, once otherwise")
        }
        heard[id] = codec.decodeReply(stored[...]) == reply ? reply : heard[id]
    }

    private static func words(for reply: Reply) -> String {
        switch reply.answer {
        case .done(let rows, let unchanged, _):
            return "done, \(rows.count) rows\(unchanged ? ", unchanged" : "")"
        case .refused(let rejection): return "\(rejection.code): \(rejection.message)"
        default: return "something else"
        }
    }

    /// At the end: every command that was acknowledged is on disk, once, and did what was said.
    func everyAcknowledgedIsOnDisk() {
        for (id, reply) in heard.sorted(by: { "\($0.key)" < "\($1.key)" }) {
            demand(
                ledger.answers[id] != nil, .acknowledgedIsKept, "\(id) is acknowledged, and lost")
            guard case .done(_, let unchanged, _) = reply.answer else {
                demand(
                    ledger.changes[id] == nil, .refusedChangesNothing,
                    "\(id) was refused, and changed a table")
                continue
            }
            let request = issued[id]?.verb.request
            let isOfTable = request != .create && request != .drop && request != .forget
            let wanted = isOfTable && !unchanged ? 1 : 0
            demand(
                ledger.changes[id, default: 0] == wanted, .carriedOutOnce,
                "\(id) changed a table not \(wanted) times")
        }
    }

    // MARK: What viewers are told

    /// Where a viewer that held this is said to stand.
    func told(_ standing: Standing, of point: Point, in reply: Reply) {
        let head = standing.head.revision
        let allowed: [Standing.Relation]
        if point.history != reply.history {
            allowed = [.diverged]
        } else if point.revision == head {
            allowed = [.same]
        } else {
            // Nothing that a viewer saw is ever lost in one history.
            allowed = point.revision < head ? [.extend, .compacted] : []
        }
        demand(
            allowed.contains(standing.relation), .standingIsRight,
            "\(point.revision) and \(head) are said to be \(standing.relation)")
    }
}
