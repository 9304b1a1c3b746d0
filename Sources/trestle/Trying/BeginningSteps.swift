import TableDecisions
import TableModel
import TableSync
import TableWire

/// The commands that make a table like one that is there, in batches: each at a time, and in a name.
struct BeginningSteps {
    struct Step {
        var commands: [Command]
        var atMs: UInt64
        var name: ID?
    }

    private(set) var steps: [Step] = []
    private var bytes = 0
    /// Bytes of a request's commands, with room for the rest of the request.
    private static let mostBytes = 512 << 10
    private static let mostCommands = 500

    init(of table: Table) {
        for command in table.beginning { add(command) }
    }

    /// Adds to the last step if that is at the same time, in the same name and has room.
    private mutating func add(_ timed: TimedCommand) {
        let command = Command(timed.verb)
        let size = Encode.request(Request(.command(command)), form: .binary).count
        let isSame = steps.last.map {
            $0.atMs == timed.atMs && $0.name == timed.name
                && $0.commands.count < Self.mostCommands
        }
        if isSame == true, bytes + size <= Self.mostBytes {
            steps[steps.count - 1].commands.append(command)
            bytes += size
        } else {
            steps.append(Step(commands: [command], atMs: timed.atMs, name: timed.name))
            bytes = size
        }
    }
}
