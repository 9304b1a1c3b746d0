import TableModel

extension Ready.Answer {
    /// About as many bytes as it takes while it waits, and as are written when it is sent. Rows and
    /// diffs that it shares with the table are not counted.
    public var weight: Int {
        switch body {
        // Its bytes are the entry's.
        case .recorded: 64
        case .remembered(let bytes), .text(let bytes): 64 + bytes.count
        case .replay(_, let encoded): 1_024 + encoded.byteCount
        case .forDaemon: 1_024
        case .reply(let reply): 256 + reply.answer.weight
        }
    }
}

extension Reply.Answer {
    fileprivate var weight: Int {
        switch self {
        case .refused, .standing, .lease, .manyDone: 256
        case .hello, .health: 1_024
        case .stats: 16_384
        case .done(let rows, _, let invocations):
            invocations.reduce(128 * rows.count) { $0 + $1.weight }
        case .explained(let answer):
            answer.invocations.reduce(128 * answer.rows.count + answer.ops.weight) {
                $0 + $1.weight
            }
        case .tables(let summaries): 144 * summaries.count
        case .check(let result): 144 * result.tables.count
        case .kinds(let definitions, _): 1_024 + definitions.weight
        case .snapshot(let chunk):
            chunk.slices.reduce(1_024 + chunk.kinds.weight) { $0 + 128 + 16 * $1.rows.count }
        case .replay(let publication, _): 256 * (1 + publication.diffs.count)
        case .who(let viewers, let leases): 128 * (viewers.count + leases.count)
        case .history(let page): 256 * (1 + page.changes.count)
        case .rewind(let steps): 64 * steps.count
        case .found(let found):
            found.groups.reduce(1_024 + found.kinds.weight + 16 * found.rows.count) {
                if case .text(let text)? = $1.value { $0 + 64 + text.utf8.count } else { $0 + 64 }
            }
        case .audit(let entries): 512 * entries.count
        case .connections(let all): 512 * all.count
        case .promoted: 256
        case .replicated(let some):
            some.entries.reduce(1_024 + (some.copy?.content.count ?? 0)) { $0 + $1.count }
        case .backup(let chunk): chunk.parts.reduce(1_024) { $0 + $1.count }
        }
    }
}

extension [Kind] {
    /// As text they take about twice their canonical form.
    fileprivate var weight: Int { reduce(0) { $0 + 512 + 2 * $1.byteCount } }
}
