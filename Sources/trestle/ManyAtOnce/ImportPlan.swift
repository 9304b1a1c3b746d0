import TableFiles
import TableModel
import TableSync
import TableWire

// How the commands of an import are sent.
extension ImportPlan {
    /// Bytes of a batch, where one is not enough: the daemon shall not be held up for long.
    private static let batchBytes = 700 << 10
    /// What a request has besides its commands, generously.
    private static let requestOverhead = 1 << 10

    /// The commands in as few batches as the daemon's limits allow.
    func batches(
        for table: Table, limits: Limits, after first: Command.Verb? = nil
    ) -> [[Step]] {
        let all = (first.map { [Step(command: Command($0), line: 1)] } ?? []) + all
        let sizes = all.map { Self.bytes(of: $0.command, table.name) }
        let most = limits.requestBytes - Self.requestOverhead
        if all.count <= limits.batchCommands, sizes.reduce(0, +) <= most {
            return all.isEmpty ? [] : [all]
        }
        var batches: [[Step]] = []
        var bytes = 0
        for (step, size) in zip(all, sizes) {
            let isFull = (batches.last?.count ?? 0) >= min(1_000, limits.batchCommands)
            if batches.isEmpty || isFull || bytes + size > min(most, Self.batchBytes) {
                batches.append([])
                bytes = 0
            }
            batches[batches.count - 1].append(step)
            bytes += size
        }
        return batches
    }

    private static func bytes(of command: Command, _ table: TableID) -> Int {
        Encode.request(Request(table: table, .command(command)), form: .binary).count
    }

    /// What the daemon would refuse, found out on `table`, which is changed by it.
    static func fault(in batches: [[Step]], on table: Table, limits: Limits) -> Failure? {
        for batch in batches {
            let result = reduce(
                batch: batch.map(\.command), on: table, limits: limits, nowMs: 0)
            switch result {
            case .success(let plan): _ = table.apply(plan, cause: Cause(verb: "import"))
            case .failure(let rejection):
                var failure = Failure(rejection)
                failure.line = rejection.command.map { batch[$0].line }
                failure.command = nil
                return failure
            }
        }
        return nil
    }
}
