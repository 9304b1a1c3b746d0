import Foundation
import TableDecisions
import TableModel
import Testing

/// Text scenarios: commands with their expected results. `REWRITE=1 swift test` writes the present
/// results into the files: read them before you commit.
struct ScenarioTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Scenarios")

    static var names: [String] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return all.filter { $0.hasSuffix(".txt") && $0 != "README.txt" }.sorted()
    }

    @Test func thereAreScenarios() {
        #expect(Self.names.count >= 8)
    }

    @Test(arguments: names)
    func scenario(_ name: String) throws {
        let url = Self.folder.appendingPathComponent(name)
        let text = try String(contentsOf: url, encoding: .utf8)
        var run = ScenarioRun()
        let actual = try run.play(text)
        if ProcessInfo.processInfo.environment["REWRITE"] == "1" {
            try actual.write(to: url, atomically: true, encoding: .utf8)
            return
        }
        let expected = text.split(separator: "\n", omittingEmptySubsequences: false)
        let found = actual.split(separator: "\n", omittingEmptySubsequences: false)
        for (number, (line, other)) in zip(expected, found).enumerated() where line != other {
            Issue.record("\(name):\(number + 1): expected \"\(line)\", found \"\(other)\"")
            return
        }
        #expect(expected.count == found.count, "\(name): the number of lines differs")
    }
}

/// One scenario on one table. Blank lines and comments stay; the lines between commands are
/// checked.
struct ScenarioRun {
    private var table = Table(name: "t", history: ID128(high: 1, low: 2))
    private var limits = Limits()
    /// As a command says; 0: no change has a time.
    private var nowMs: UInt64 = 0

    /// The scenario with the results as they are.
    mutating func play(_ text: String) throws -> String {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
        var output: [String] = []
        var index = 0
        while index < lines.count {
            let line = lines[index]
            index += 1
            if line.isEmpty || line.hasPrefix("#") { output.append(line) }
            guard line.hasPrefix("> ") else { continue }
            output.append(line)
            var inner: [String] = []
            while index < lines.count, lines[index].hasPrefix(">> ") {
                inner.append(lines[index])
                index += 1
            }
            output += inner
            output += try step(String(line.dropFirst(2)), inner.map { String($0.dropFirst(3)) })
        }
        return output.joined(separator: "\n") + "\n"
    }

    private mutating func step(_ line: String, _ inner: [String]) throws -> [String] {
        var parser = ScenarioParser(line)
        if try parser.limits(&limits) { return [] }
        if let lost = parser.lost() { return report(.success(lost(table)), old: table.copy()) }
        let client = parser.client()
        nowMs = parser.time() ?? nowMs
        let decidedMs = nowMs == 0 ? 7 : nowMs
        let result: Result<Plan, Rejection>
        let old = table.copy()
        if let batch = parser.batch() {
            let commands = try inner.map { line in
                var parser = ScenarioParser(line)
                return try parser.command()
            }
            result = reduce(
                batch: commands, ifRevision: batch.ifRevision, on: table, limits: limits,
                nowMs: decidedMs, client: client)
        } else {
            result = reduce(
                try parser.command(), on: table, limits: limits, nowMs: decidedMs,
                client: client)
        }
        #expect(table.digest == old.digest && table.revision == old.revision, "\(line)")
        return report(result, old: old)
    }

    private func report(_ result: Result<Plan, Rejection>, old: Table) -> [String] {
        switch result {
        case .failure(let rejection):
            return ["! \(rejection.scenarioText)", table.scenarioText]
        case .success(let plan):
            var lines = plan.ops.map { "  \($0.scenarioText)" }
            if plan.ops.isEmpty { lines.append("  nothing to do") }
            if let note = plan.note { lines.append("~ \(note)") }
            if let diff = table.apply(plan, cause: Cause(verb: "scenario", timeMs: nowMs)) {
                expectDiffLaw(diff, old: old, new: table)
            }
            return lines + [table.scenarioText]
        }
    }
}

/// The law of diffs: applied to the old state, they give the new one.
func expectDiffLaw(_ diff: Diff, old: Table, new: Table) {
    do throws(Mismatch) {
        try old.apply(diff)
    } catch {
        Issue.record("a diff does not fit the table it was made for: \(error)")
        return
    }
    #expect(old.digest == new.digest)
    #expect(old.revision == new.revision)
    #expect(old.rows == new.rows)
    #expect(old.openRows == new.openRows)
    #expect(old.fault() == nil && new.fault() == nil)
}
