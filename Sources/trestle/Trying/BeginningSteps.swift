import TableDecisions
import TableModel
import TableSync
import TableWire

/// The commands that make a table like one that is there, in batches that a request has room for.
struct BeginningSteps {
    private(set) var batches: [[Command]] = []
    /// The bytes of the last batch.
    private var bytes = 0
    /// Bytes of a request's commands, with room for the rest of the request.
    private static let mostBytes = 512 << 10
    private static let mostCommands = 500

    init(of table: Table) {
        for verb in table.beginning { add(Command(verb)) }
    }

    private mutating func add(_ command: Command) {
        let size = Encode.request(Request(.command(command)), form: .binary).count
        if let last = batches.indices.last, batches[last].count < Self.mostCommands,
            bytes + size <= Self.mostBytes
        {
            batches[last].append(command)
            bytes += size
        } else {
            batches.append([command])
            bytes = size
        }
    }
}
