import Simulation
import TableModel
import Testing

@testable import TableSync

/// A server, and a journal that keeps its records in memory.
final class RestoreBench {
    let codec: RegistryCodec
    private(set) var server: Server
    private(set) var journal: [[Ready.Record]] = []
    /// Of the last turn.
    private(set) var published: [Publication] = []
    var nowMs: UInt64 = 1_000_000
    private let histories: Dice

    init(codec: RegistryCodec = RegistryCodec(), seed: UInt64 = 7) {
        self.codec = codec
        histories = Dice(seed)
        server = Self.fresh(epoch: 1, codec, histories)
    }

    private static func fresh(
        epoch: UInt64, _ codec: RegistryCodec, _ histories: Dice
    ) -> Server {
        Server(
            epoch: ID128(high: epoch, low: epoch), limits: Limits(), codec: codec,
            makeID: { histories.id128() })
    }

    /// A server that has read the journal.
    func start(epoch: UInt64) {
        server = Self.fresh(epoch: epoch, codec, histories)
        for (index, records) in journal.enumerated() {
            for record in records {
                do {
                    try server.replay(record, position: UInt64(index + 1))
                } catch { Issue.record("\(error)") }
            }
        }
    }

    /// Replays a journal up to its end.
    func adopt(_ records: [[Ready.Record]], upTo count: Int) {
        journal = Array(records.prefix(count))
        // Beyond those that are answered in it.
        number = 1_000
        start(epoch: 9)
    }

    /// An entry as an older daemon left it.
    func append(_ records: [Ready.Record]) { journal.append(records) }

    @discardableResult
    func ask(_ request: Request, hash: UInt64 = 1) -> Reply.Answer {
        server.begin(nowMs: nowMs)
        server.receive(request, requestHash: hash, from: 0)
        let ready = server.finish()
        if ready.entry != nil { journal.append(codec.records(of: ready.entry)) }
        published = ready.publications.map(\.publication)
        if let reply = codec.lastReply(of: ready) { return reply.answer }
        Issue.record("no reply to \(request)")
        return .done(rows: [], unchanged: true)
    }

    /// A turn in which nobody asks for anything.
    func turn(_ body: (Server) -> Void) {
        server.begin(nowMs: nowMs)
        body(server)
        if let entry = server.finish().entry { journal.append(codec.records(of: entry)) }
    }

    @discardableResult
    func command(_ verb: Command.Verb, on table: TableID) -> Reply.Answer {
        ask(Request(table: table, .command(Command(verb))))
    }

    func make(_ table: TableID, rows: Int) {
        ask(Request(table: table, .create))
        for row in 0..<rows { command(.add(.init(id: ID("r\(row)"), .init())), on: table) }
    }

    /// The parts of a backup of everything.
    func backup() -> [[UInt8]] {
        guard case .backup(let first) = ask(Request(.backup(id: nil, chunk: 0))) else {
            Issue.record("no backup")
            return []
        }
        var parts = first.parts
        for chunk in 1..<max(1, first.chunks) {
            guard
                case .backup(let more) = ask(Request(.backup(id: first.id, chunk: chunk)))
            else {
                Issue.record("no chunk \(chunk)")
                return []
            }
            parts += more.parts
        }
        return parts
    }

    private var number: UInt64 = 0
    @discardableResult
    func step(
        _ step: RestoreStep, from client: ID = "c", of sender: Principal = .local
    ) -> Reply.Answer {
        number += 1
        var request = Request(client: client, number: number, .restore(step))
        request.sender = sender
        return ask(request)
    }

    /// Restores all parts; returns the answer to the last step.
    @discardableResult
    func restore(
        _ parts: [[UInt8]], from client: ID = "c", replaces: Bool = false
    ) -> Reply.Answer {
        for (index, part) in parts.enumerated() {
            let answer = step(.parts([part], index: index), from: client)
            guard case .done = answer else { return answer }
        }
        return step(.finish(parts: parts.count, replaces: replaces), from: client)
    }

    var states: [TableID: TableSummary] {
        Dictionary(uniqueKeysWithValues: server.tables.summaries.map { ($0.table, $0) })
    }
}
