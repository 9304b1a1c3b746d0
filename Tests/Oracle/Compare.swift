import Foundation

/// Compares random messages of each sort with protobuf's library, up to the sort's first difference.
@main struct Compare {
    static func main() throws {
        let words = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
        guard let rounds = words.first, words.count == CommandLine.arguments.count - 1 else {
            fail("usage: oracle COUNT [SEED]    so many random messages of each sort", 2)
        }
        let seed = words.count > 1 ? words[1] : 1
        var unseen = Set(
            try SchemaText().messages.flatMap { message, fields in
                fields.map { "\(message).\($0.number) \($0.name)" }
            })
        var differ: [Oracle.Sort] = []
        sorts: for sort in Oracle.Sort.allCases {
            var oracle = Oracle(seed: seed)
            let begun = Date()
            for round in 0..<rounds {
                do { try oracle.check(sort) } catch {
                    print("\(sort), seed \(seed), message \(round): \(error)")
                    differ.append(sort)
                    continue sorts
                }
            }
            let seconds = String(format: "%.1f", Date().timeIntervalSince(begun))
            print("\(rounds) of \(sort): all equal, \(oracle.seen.count) fields, \(seconds) s")
            fflush(nil)
            unseen = unseen.filter { !oracle.seen.contains(String($0.prefix { $0 != " " })) }
        }
        let names = differ.map(\.rawValue).joined(separator: ", ")
        if !names.isEmpty { fail("Different: \(names).", 1) }
        // Fewer messages do not have all fields.
        if rounds >= 20_000, !unseen.isEmpty { fail("never made: \(unseen.sorted())", 1) }
    }

    private static func fail(_ message: String, _ code: Int32) -> Never {
        FileHandle.standardError.write(Data("\(message)\n".utf8))
        exit(code)
    }
}
