import TableHash
import TableModel
import TableSync

/// One table's state, named.
struct Point: Hashable {
    var history: ID128
    var revision: UInt64
}

/// One command of one client.
struct Numbered: Hashable, CustomStringConvertible {
    var client: ID
    var number: UInt64
    var description: String { "\(client)#\(number)" }
}

/// What must hold whatever the weather. It knows what is on disk, and nothing of the server.
final class Laws {
    private(set) var violation: String?
    private(set) var trace: [String] = []
    private let codec: RegistryCodec
    private let emptyDigest = Table(name: "t", history: ID128(high: 0, low: 0)).digest

    /// Digests of committed states.
    private var committed: [Point: UInt64] = [:]
    private var diffsOnDisk: Set<[UInt8]> = []
    private var repliesOnDisk: [Numbered: [UInt8]] = [:]
    private var current: [TableID: Point] = [:]
    private var droppedHistories: Set<ID128> = []
    private var changes: [Numbered: Int] = [:]
    private var answeredCount: [Numbered: Int] = [:]
    private var issued: [Numbered: Request] = [:]
    private var heard: [Numbered: Reply] = [:]

    init(codec: RegistryCodec) {
        self.codec = codec
    }

    func note(_ line: @autoclosure () -> String) { trace.append(line()) }

    func demand(_ holds: Bool, _ law: @autoclosure () -> String) {
        if holds || violation != nil { return }
        violation = law()
        trace.append("VIOLATED: \(law())")
    }

    func digest(at point: Point) -> UInt64? { committed[point] }

    // MARK: The journal

    func committed(_ records: [Ready.Record]) {
        for record in records {
            switch record {
            case .created(let table, let history):
                demand(current[table] == nil, "\(table) is created while it is there")
                let point = Point(history: history, revision: 0)
                demand(committed[point] == nil, "history \(history) begins twice")
                current[table] = point
                committed[point] = emptyDigest
            case .dropped(let table):
                demand(current[table] != nil, "\(table) is dropped, but not there")
                if let point = current.removeValue(forKey: table) {
                    droppedHistories.insert(point.history)
                }
            case .changed(let table, let bytes, _): changed(table, bytes)
            case .staged, .restored: demand(false, "nobody restores in a simulation")
            case .answered(let client, let answered):
                let id = Numbered(client: client, number: answered.number)
                answeredCount[id, default: 0] += 1
                demand(answeredCount[id] == 1, "\(id) is answered twice in the journal")
                demand(issued[id] != nil, "\(id) is in the journal, and was never issued")
                repliesOnDisk[id] = answered.reply
            }
        }
    }

    private func changed(_ table: TableID, _ bytes: [UInt8]) {
        guard let diff = codec.decodeDiff(bytes), var point = current[table] else {
            return demand(false, "a diff in the journal that fits no table")
        }
        demand(diff.base == point.revision, "\(diff.base) follows \(point.revision) on disk")
        point.revision = diff.revision
        demand(committed[point] == nil, "revision \(point.revision) is committed twice")
        current[table] = point
        committed[point] = diff.digest
        diffsOnDisk.insert(bytes)
        // What became late, or was lost, while nobody sent anything.
        if diff.cause.verb == "expire" { return }
        guard let client = diff.cause.client, let number = diff.cause.number else {
            return demand(false, "a diff without a cause")
        }
        let id = Numbered(client: client, number: number)
        changes[id, default: 0] += 1
        demand(changes[id] == 1, "\(id) changed the table twice")
        demand(issued[id] != nil, "\(id) changed the table, and was never issued")
    }

    // MARK: What the daemon says

    private func onDisk(_ history: ID128?, _ head: Head, _ what: String) {
        guard let history else { return }
        let known = committed[Point(history: history, revision: head.revision)]
        demand(
            known == head.digest,
            "\(what) of revision \(head.revision), which is not on disk like that")
    }

    func published(_ publication: Publication, encoded: [[UInt8]]) {
        demand(publication.diffs.count == encoded.count, "encoded diffs are missing")
        for (diff, bytes) in zip(publication.diffs, encoded) {
            demand(
                diffsOnDisk.contains(bytes), "revision \(diff.revision) published before commit")
            demand(codec.decodeDiff(bytes) == diff, "other bytes than those journaled")
        }
        if publication.isDropped, let history = publication.history {
            demand(droppedHistories.contains(history), "a drop published before its commit")
        }
        if let head = publication.welcome { onDisk(publication.history, head, "welcome") }
        if let head = publication.heartbeat { onDisk(publication.history, head, "heartbeat") }
    }

    func replied(_ reply: Reply, encoded: [[UInt8]] = []) {
        switch reply.answer {
        case .snapshot(let chunk):
            let head = Head(revision: chunk.revision, digest: chunk.digest, oldest: 0)
            onDisk(reply.history, head, "snapshot")
        case .standing(let standing): onDisk(reply.history, standing.head, "standing")
        case .replay:
            demand(encoded.allSatisfy(diffsOnDisk.contains), "a replay of what is not on disk")
        case .done:
            guard let client = reply.client, let number = reply.number else {
                return demand(false, "a reply that names no command")
            }
            let id = Numbered(client: client, number: number)
            let stored = repliesOnDisk[id].flatMap { codec.decodeReply($0) }
            demand(stored == reply, "\(id) is acknowledged, and not like that on disk")
        default: break
        }
    }

    // MARK: Writers

    func issues(_ request: Request) {
        guard let client = request.client, let number = request.number else {
            return demand(false, "a writer's request without a number")
        }
        let id = Numbered(client: client, number: number)
        demand(issued[id].map { $0 == request } ?? true, "\(id) is sent again with other content")
        issued[id] = request
    }

    func heard(_ reply: Reply, isAwaited: Bool) {
        guard let client = reply.client, let number = reply.number else { return }
        let id = Numbered(client: client, number: number)
        if case .refused(let rejection) = reply.answer,
            rejection.code == .unknown || rejection.code == .numberReused
        {
            // A late duplicate may meet an answer that was let go, once the writer has heard it.
            let isForgotten = rejection.code == .unknown && !isAwaited
            return demand(isForgotten, "\(id), still awaited, is \(rejection.code)")
        }
        if let first = heard[id] {
            demand(first == reply, "\(id) is answered once so, once otherwise")
        }
        heard[id] = reply
    }

    /// At the end: every command that was acknowledged is on disk, once.
    func everyAcknowledgedIsOnDisk() {
        for (id, reply) in heard.sorted(by: { "\($0.key)" < "\($1.key)" }) {
            demand(answeredCount[id] == 1, "\(id) is acknowledged, and not on disk once")
            guard case .done(_, let unchanged, _) = reply.answer else {
                demand(changes[id] == nil, "\(id) was refused, and changed the table")
                continue
            }
            var isOfTable = true
            switch issued[id]?.verb {
            case .create, .drop: isOfTable = false
            default: break
            }
            let wanted = isOfTable && !unchanged ? 1 : 0
            demand(changes[id, default: 0] == wanted, "\(id) changed the table not \(wanted) times")
        }
    }
}
