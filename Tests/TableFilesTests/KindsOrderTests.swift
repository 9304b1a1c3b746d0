import TableFiles
import TableDecisions
import TableModel
import TableSync
import TableWire
import Testing

@testable import StrictYAML

/// A kinds file means the same whatever the order of the keys in a map, on its way to the daemon
/// and there.
@Suite struct KindsOrderTests {
    /// JSON with the keys of every map in another order.
    private static func shuffled(_ node: Node, _ random: inout Seeded) -> String {
        switch node.content {
        case .scalar(let text, let quoted): return quoted ? Draft.text(text).json : text
        case .list(let parts):
            return "[\(parts.map { shuffled($0, &random) }.joined(separator: ","))]"
        case .mapping(let entries):
            let pairs = entries.shuffled(using: &random).map { entry in
                "\(Draft.text(entry.key).json):\(shuffled(entry.value, &random))"
            }
            return "{\(pairs.joined(separator: ","))}"
        }
    }

    /// The definitions as the daemon reads them from the request.
    private static func sent(
        _ definitions: Command.Definitions, _ form: Form
    ) -> Result<Command.Definitions, Rejection> {
        let request = Request(table: "t", .command(Command(.define(definitions))))
        let bytes = Encode.request(request, form: form)
        return bytes.withUnsafeBytes { Decode.request($0, form: form).result }.map { request in
            guard case .command(let command) = request.verb, case .define(let read) = command.verb
            else { return Command.Definitions() }
            return read
        }
    }

    @Test func anyOrderOfKeysMeansTheSame() throws {
        var (accepted, refused) = (0, [String: Int]())
        for seed in 0..<450 as Range<UInt64> {
            var random = Seeded(seed)
            let all = random.definitions()
            let json = KindsFile.json(kinds: all.kinds, settings: all.settings)
            let other = Self.shuffled(try Value(json, file: "k").node, &random)
            let found = try KindsFile.parse(other, name: "k")
            // Kinds stand in a map as well.
            let order = all.kinds.map(\.id)
            let kinds = found.kinds.sorted {
                order.firstIndex(of: $0.id) ?? 0 < order.firstIndex(of: $1.id) ?? 0
            }
            #expect(kinds == all.kinds && found.settings == all.settings, "seed \(seed)")
            for definitions in [found, found.whole] {
                for form in [Form.binary, .json] {
                    switch Self.sent(definitions, form) {
                    case .success(let read):
                        #expect(read.kinds == found.kinds, "seed \(seed)")
                        accepted += 1
                    case .failure(let rejection):
                        refused["\(rejection.code): \(rejection.field ?? "")", default: 0] += 1
                        #expect(rejection.field != nil, "seed \(seed): \(rejection)")
                        #expect(!rejection.message.contains("digest"), "seed \(seed): \(other)")
                    }
                }
            }
        }
        #expect(accepted > 600, "\(refused)")
    }

    @Test func theKeysOfASet() throws {
        let text = "kinds: {k: {tap: {set: {z: '1', a: '2', m: '3'}}}}"
        let definitions = try KindsFile.parse(text, name: "k")
        let other = text.replacing("z: '1', a: '2', m: '3'", with: "m: '3', z: '1', a: '2'")
        #expect(try KindsFile.parse(other, name: "k") == definitions)
        #expect(try Self.sent(definitions.whole, .binary).get() == definitions.whole)
        #expect(try Self.sent(definitions, .json).get() == definitions)
        // Also of a library's caller, who has them in any order.
        var kind = Kind("k")
        kind.tap = [.set([.init("z", "1"), .init("a", "2")])]
        var same = Kind("k")
        same.tap = [.set([.init("a", "2"), .init("z", "1")])]
        #expect(kind == same && kind.hash == same.hash)
        #expect(
            try Self.sent(.init(kinds: [kind]), .binary).get() == Command.Definitions(kinds: [same])
        )
    }

    /// A map on its way takes two such keys for one.
    @Test func keysThatDifferInNormalisation() {
        let text = #"{"kinds":{"k":{"tap":{"set":{"é":"a","e\u0301":"b"}}}}}"#
        #expect(
            fault(text)
                == "k.yaml:1:29: kinds.k.tap.set: two keys differ in their Unicode normalisation only"
        )
    }

    /// By name and line in a file; by name from a library's caller.
    @Test func noStates() throws {
        #expect(
            fault("kinds:\n  k:\n    states: []")
                == "k.yaml:3:13: kinds.k.states: a kind has at least one state: "
                + "leave `states` out for the default")
        var kind = Kind("k")
        kind.states = []
        let read = try Self.sent(.init(kinds: [kind]), .binary).get()
        let table = Table(name: "t", history: ID128(high: 0, low: 1))
        let result = reduce(Command(.define(read)), on: table, limits: Limits(), nowMs: 0)
        guard case .failure(let rejection) = result else {
            Issue.record("accepted")
            return
        }
        #expect(rejection.code == .badValue && rejection.field == "define.kinds.k.states")
    }
}
