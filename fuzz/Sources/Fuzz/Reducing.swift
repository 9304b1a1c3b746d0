import TableDecisions
import TableFiles
import TableModel
import TableSync
import TableWire

/// In place of the tests' random numbers: the fuzzer's bytes, and zeros behind them.
struct SplitMix64 {
    private let bytes: [UInt8]
    private var place = 0

    init(seed: UInt64) { bytes = [] }
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { place >= bytes.count }

    mutating func below(_ bound: Int) -> Int {
        guard place < bytes.count, bound > 0 else { return 0 }
        defer { place += 1 }
        return Int(bytes[place]) % bound
    }

    mutating func once(in number: Int) -> Bool { below(number) == 0 }

    mutating func pick<Element>(_ choices: [Element]) -> Element { choices[below(choices.count)] }
}

/// A table, and a replica that is told of each revision in bytes.
private struct Pair {
    let table: Table
    let replica: Table
    let codec = WireCodec()

    init(_ table: Table) {
        self.table = table
        replica = table.copy()
    }

    func run(_ commands: [Command], client: ID?, inBatch: Bool) {
        let before = table.digest
        let decided =
            inBatch
            ? reduce(
                batch: commands, ifRevision: nil, on: table, limits: Limits(), nowMs: 7,
                client: client)
            : reduce(commands[0], on: table, limits: Limits(), nowMs: 7, client: client)
        precondition(table.digest == before, "deciding changed the table")
        guard case .success(let plan) = decided,
            let diff = table.apply(plan, cause: Cause(verb: "fuzz"))
        else { return }
        guard let received = codec.decodeDiff(codec.encode(diff)[...]) else {
            preconditionFailure("a diff that cannot be read: \(diff)")
        }
        do {
            try replica.apply(received)
        } catch { preconditionFailure("the replica: \(error), after \(diff)") }
    }

    func check() {
        for one in [table, replica] {
            precondition(one.fault() == nil, one.fault() ?? "")
            precondition(one.recomputedDigest() == one.digest, "the digest kept is another")
        }
    }
}

/// Bytes choose among the commands that the tests make up.
func commands(_ bytes: UnsafeRawBufferPointer) {
    var generator = RandomCommands(seed: 0, rows: 12)
    generator.random = SplitMix64(Array(bytes))
    let pair = Pair(Table(name: "t", history: ID128(high: 1, low: 2)))
    var count = 0
    while !generator.random.isAtEnd, count < 100 {
        generator.look(at: pair.table)
        let isBatch = generator.random.once(in: 8)
        let commands = isBatch ? generator.batch() : [Command(generator.verb())]
        pair.run(commands, client: generator.client, inBatch: isBatch)
        count += 1
    }
    pair.check()
}

/// The bytes are requests in JSON, one in each line: whatever can be said in a command.
func requests(_ bytes: UnsafeRawBufferPointer) {
    let pair = Pair(furnished.copy())
    for line in bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 20) {
        let decoded = Decode.request(UnsafeRawBufferPointer(rebasing: line), form: .json)
        guard case .success(let request) = decoded.result else { continue }
        switch Request.Change(request.verb) {
        case .command(let command): pair.run([command], client: request.client, inBatch: false)
        case .batch(let commands, _):
            if !commands.isEmpty { pair.run(commands, client: request.client, inBatch: true) }
        case .create, .drop, nil: break
        }
    }
    pair.check()
}

/// A table with some of everything.
nonisolated(unsafe) let furnished: Table = {
    let table = Table(name: "t", history: ID128(high: 1, low: 2))
    func run(_ verb: Command.Verb) {
        guard
            case .success(let plan) = reduce(
                Command(verb), on: table, limits: Limits(), nowMs: 1, client: "c")
        else { preconditionFailure("refused: \(verb)") }
        _ = table.apply(plan, cause: Cause(verb: "make"))
    }
    do {
        run(.define(try KindsFile.parse(Seeds.kinds, name: "kinds")))
    } catch { preconditionFailure("\(error)") }
    for id in ["a", "b", "c"] as [RowID] { run(.add(.init(id: id, .init(title: id.text)))) }
    run(.add(.init(id: "w", .init(kind: "ticket", title: "w"), section: "s")))
    run(.add(.init(id: "q", .init(kind: "courses", title: "q"))))
    for id in ["i", "j"] as [ID] { run(.item("q", .add(Item(id, title: id.text), .bottom))) }
    return table
}()
