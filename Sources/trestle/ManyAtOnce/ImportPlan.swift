import TableFiles
import TableDecisions
import TableModel
import TableSync
import TableWire

// How the commands of an import are sent.
extension ImportPlan {
    /// Bytes of a batch, where one is not enough: the daemon shall not be held up for long.
    private static let batchBytes = 700 << 10
    /// The bytes of a request besides its commands, generously.
    private static let requestOverhead = 1 << 10

    /// The commands in as few batches as the daemon's limits allow.
    func batches(for table: Table, limits: Limits, after first: Command.Verb? = nil) -> [[Step]] {
        let all = (first.map { [Step(command: Command($0), line: 1)] } ?? []) + all
        let sizes = all.map { Self.size(of: $0.command, table.name) }
        let most = limits.requestBytes - Self.requestOverhead
        let whole = sizes.reduce(Size()) { $0 + $1 }
        if all.count <= limits.batchCommands, whole.bytes <= most, whole.elements <= limits.elements
        {
            return all.isEmpty ? [] : [all]
        }
        var batches: [[Step]] = []
        var sum = Size()
        for (step, size) in zip(all, sizes) {
            let isFull = (batches.last?.count ?? 0) >= min(1_000, limits.batchCommands)
            sum = sum + size
            if batches.isEmpty || isFull || sum.bytes > min(most, Self.batchBytes)
                || sum.elements > limits.elements
            {
                batches.append([])
                sum = size
            }
            batches[batches.count - 1].append(step)
        }
        return batches
    }

    /// The amounts that count towards the limits of a request.
    private struct Size {
        var bytes = 0
        var elements = 1

        static func + (a: Size, b: Size) -> Size {
            Size(bytes: a.bytes + b.bytes, elements: a.elements + b.elements)
        }
    }

    private static func size(of command: Command, _ table: TableID) -> Size {
        let bytes = Encode.request(Request(table: table, .command(command)), form: .binary)
        let elements = bytes.withUnsafeBytes { bytes in
            Result { () throws(Rejection) in try Decode.elements(in: bytes, form: .binary) }
        }
        // What is refused for one of its lists is refused by the daemon too, with its reason.
        return Size(bytes: bytes.count, elements: (try? elements.get()) ?? 1)
    }

    /// The step that the daemon would refuse, found out on `table`, which is changed by it.
    static func fault(in batches: [[Step]], on table: Table, limits: Limits) -> Failure? {
        for batch in batches {
            let result = reduce(batch: batch.map(\.command), on: table, limits: limits, nowMs: 0)
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
