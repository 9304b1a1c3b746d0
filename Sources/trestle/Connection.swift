import Glibc
import TableClient
import TableModel
import TableSync

/// A verb's connection to the daemon, and the form of its result.
final class Connection {
    private let options: Options
    /// Nothing is done: `perform` asks what would come of it, and throws the answer.
    let isExplaining: Bool
    private var connected: Client?
    /// The table that was asked about last.
    var tableAskedFor: TableID?

    /// With a daemon that is not there, unless --timeout says how long to wait for it.
    private let patience: Client.Patience

    init(_ options: Options, isExplaining: Bool = false, patience: Client.Patience = .none) {
        self.options = options
        self.patience = patience
        self.isExplaining = isExplaining
    }

    /// How the result is to be printed.
    var form: OutputForm { options.output }
    /// `--endpoint`, if given.
    var endpoint: String? { options.endpoint }
    /// `--timeout`, if given.
    var timeoutMs: UInt64? { options.timeoutMs }

    /// How long the daemon may take to answer, from now on.
    var deadline: Deadline { Deadline(inMilliseconds: options.timeoutMs ?? 5_000) }

    /// How long a whole table may take from now on, once the daemon has answered at all.
    var longDeadline: Deadline { Deadline(inMilliseconds: options.timeoutMs ?? 60_000) }

    /// Whether all that was sent has its answer. A verb that takes a client sends more than this knows of.
    private(set) var isAnswered = true

    /// Keeps the connection until the process ends: libzmq's threads need not end before it. Only where `isAnswered`.
    func stayToTheEnd() { _ = Unmanaged.passRetained(self) }

    /// The client, for verbs that send and wait by themselves.
    func client() throws -> Client {
        isAnswered = false
        return try ownClient()
    }

    /// The client, for a question about this table.
    func client(asking table: String) throws -> Client {
        tableAskedFor = ID(table)
        return try ownClient()
    }

    /// The client, made when it is first needed.
    private func ownClient() throws -> Client {
        if let connected { return connected }
        let client = try newClient(at: try Endpoint.find(flag: options.endpoint))
        // Who names a time means to wait for a daemon that is about to come.
        client.patience = options.timeoutMs != nil ? .always : patience
        connected = client
        return client
    }

    /// One more client, with the same name and rights.
    func client(at endpoint: String) throws -> Client {
        isAnswered = false
        return try newClient(at: endpoint)
    }

    private func newClient(at endpoint: String) throws -> Client {
        let client = try KeyStore.client(endpoint)
        client.name = name
        client.behalf = try options.onBehalf
        return client
    }

    /// Has something done, and gives the answer unless it is a refusal. The daemon may wait so long with its answer.
    func perform(
        _ verb: Request.Verb, on table: String, waiting seconds: Double = 0
    ) throws -> Reply {
        if isExplaining { throw try explanation(of: verb, on: table) }
        tableAskedFor = ID(table)
        let client = try ownClient()
        if seconds == 0 { return try accepted(client.perform(verb, on: ID(table), by: deadline)) }
        _ = try client.hello(by: deadline)
        let end = Deadline(inMilliseconds: UInt64(seconds * 1_000) + 5_000)
        return try accepted(client.perform(verb, on: ID(table), by: end))
    }

    /// A step of what passes: asked again like a question, but with who asks.
    func pass(_ verb: Request.Verb, on table: String) throws -> Reply {
        tableAskedFor = ID(table)
        return try accepted(
            try ownClient().ask(verb, about: ID(table), by: deadline, withName: true))
    }

    /// The name of the person who runs this, or on whose behalf it is run.
    var name: ID? {
        if options.name == nil, let behalf = try? options.onBehalf { return behalf.name }
        return Person.name(flag: options.name)
    }

    /// Refuses what only the same person can go on with, where nobody is named.
    func needName() throws(Failure) {
        if name == nil { throw Person.missing }
    }

    private func explanation(of verb: Request.Verb, on table: String) throws -> Explained {
        guard let change = Request.Change(verb) else {
            preconditionFailure("\(verb.name) has nothing to be explained")
        }
        do {
            let reply = try pass(.explain(change), on: table)
            guard case .explained(let explanation) = reply.answer else { throw surprise }
            return Explained(change: change, reply: reply, explanation: explanation)
        } catch var failure as Failure {
            // As the command itself would be refused.
            let prefix = "explain."
            failure.field = failure.field.map {
                $0.hasPrefix(prefix) ? String($0.dropFirst(prefix.count)) : $0
            }
            throw failure
        }
    }

    /// Has a refusal of what stood in a file say, to people too, which part of it is meant.
    func naming(_ verb: String, _ body: () throws -> Reply) throws -> Reply {
        do {
            return try body()
        } catch var failure as Failure {
            let prefix = "command.\(verb)."
            let isOfFile = ["kinds", "table.", "faces", "actions."].contains { part in
                failure.field?.hasPrefix(prefix + part) == true
            }
            if isOfFile, form != .json, let field = failure.field {
                failure.message = "\(field.dropFirst(prefix.count)): \(failure.message)"
            }
            throw failure
        }
    }

    /// Asks for something, and gives the answer unless it is a refusal.
    func ask(_ verb: Request.Verb, about table: String? = nil) throws -> Reply {
        tableAskedFor = table.map { ID($0) }
        return try accepted(try ownClient().ask(verb, about: table.map { ID($0) }, by: deadline))
    }

    /// The tables that the daemon holds.
    func tables() throws -> (reply: Reply, tables: [TableSummary]) {
        let reply = try ask(.tables)
        guard case .tables(let tables) = reply.answer else { throw surprise }
        return (reply, tables)
    }

    /// How the daemon is.
    func health() throws -> (reply: Reply, health: Health) {
        let reply = try ask(.health)
        guard case .health(let health) = reply.answer else { throw surprise }
        return (reply, health)
    }

    /// The whole table as it is now.
    func table(_ name: String) throws -> (table: Table, epoch: ID128) {
        let client = try ownClient()
        tableAskedFor = ID(name)
        _ = try client.hello(by: deadline)
        let progress = Progress("reading \(name)")
        defer { progress.clear() }
        return try client.snapshot(
            of: ID(name), by: longDeadline, progress: { progress.show($0, of: $1) })
    }

    func accepted(_ reply: Reply) throws -> Reply {
        if case .refused(let rejection) = reply.answer { throw Failure(rejection) }
        return reply
    }

    /// An answer of another kind than the question has.
    var surprise: ClientError { .protocolMismatch("the answer is to another question") }

    func show(_ report: Report) throws { try report.print(as: form) }

    /// The result of a question. As one document it is the reply with `more`.
    func show(
        _ reply: Reply, adding more: @autoclosure @escaping () -> Documents.Pairs,
        ndjson: (() -> [String])? = nil, names: @autoclosure @escaping () -> [String],
        lines: @escaping (_ isWide: Bool) -> [TextLine]
    ) throws {
        try show(
            Report(
                json: { Documents.reply(reply, adding: more()) }, ndjson: ndjson, names: names,
                lines: lines))
    }

    /// The result of a question about several things. As one document it is the reply with lists of their documents.
    func show(
        _ reply: Reply, adding more: Documents.Pairs = [],
        lists: @autoclosure @escaping () -> KeyValuePairs<String, [String]>,
        names: @autoclosure @escaping () -> [String],
        lines: @escaping (_ isWide: Bool) -> [TextLine]
    ) throws {
        try show(
            Report(
                json: {
                    lists().reduce(Documents.reply(reply, adding: more).dropLast()) {
                        $0 + ",\"\($1.key)\":[" + $1.value.joined(separator: ",") + "]"
                    } + "}"
                },
                ndjson: { lists().flatMap(\.value) }, names: names, lines: lines))
    }

    /// The result of a command: a sentence for people, and the ids it was about.
    func show(
        _ reply: Reply, names: [String]? = nil,
        _ sentences: @autoclosure @escaping () -> [String]
    ) throws {
        try show(
            Report(
                json: { Documents.reply(reply) }, ndjson: nil,
                names: { names ?? reply.landings.map(\.row.text) },
                lines: { isWide in
                    let revision = isWide ? reply.revision.map { ["revision \($0)"] } : nil
                    return (sentences() + (revision ?? [])).map { TextLine($0) }
                }))
    }
}

extension Reply {
    /// Where the rows stand that a command was about.
    var landings: [Landing] {
        if case .done(let rows, _, _) = answer { return rows }
        return []
    }

    /// There was nothing to do.
    var isUnchanged: Bool {
        if case .done(_, let unchanged, _) = answer { return unchanged }
        if case .manyDone(_, let unchanged) = answer { return unchanged }
        return false
    }

    /// Invocations that began with the command.
    var invocations: [Invocation] {
        if case .done(_, _, let invocations) = answer { return invocations }
        return []
    }

    /// " (unchanged)" where there was nothing to do.
    var suffix: String { isUnchanged ? " (unchanged)" : "" }
}
