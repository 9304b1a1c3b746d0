import Foundation
import ServiceSimulation

/// Runs the seeds of several daemons over a modelled etcd: two of them, or three.
enum ServiceRuns {
    static func run(_ words: [String]) {
        if words.count == 2, words[0] == "--planted", let seeds = UInt64(words[1]), seeds > 0 {
            planted(seeds)
        } else if words.count == 2, words[0] == "--seed", let seed = UInt64(words[1]) {
            _ = one(seed)
        } else if words.count == 1, let seeds = UInt64(words[0]), seeds > 0 {
            all(1...seeds)
        } else if words.count == 2, let first = UInt64(words[0]), let last = UInt64(words[1]),
            first <= last
        {
            all(first...last)
        } else {
            Simulate.fail(Simulate.usage, 2)
        }
    }

    private static func one(_ seed: UInt64) -> ServiceSimulation {
        var simulation = ServiceSimulation(seed: seed, members: seed % 3 == 0 ? 3 : 2)
        do {
            try simulation.run()
        } catch {
            Simulate.fail("service seed \(seed): \(error)", 1)
        }
        return simulation
    }

    private static func all(_ seeds: ClosedRange<UInt64>) {
        let begun = Date()
        var (acknowledged, takeovers, checkpoints) = (0, 0, 0)
        for seed in seeds {
            let simulation = one(seed)
            acknowledged += simulation.acknowledged.count
            takeovers += simulation.takeovers
            checkpoints += simulation.checkpoints
            if seed % 1_000 == 0, seed < seeds.upperBound { Simulate.say("up to seed \(seed)") }
        }
        let pace = Double(seeds.count) / Date().timeIntervalSince(begun)
        Simulate.say(
            "\(seeds.count) seeds of several daemons on etcd, all laws hold: \(acknowledged) acknowledged,"
                + " \(takeovers) takeovers, \(checkpoints) checkpoints,"
                + " \(String(format: "%.1f", pace)) seeds/s")
    }

    private static func planted(_ seeds: UInt64) {
        var isAllFound = true
        for bug in ServiceBug.allCases {
            let found = (1...seeds).lazy.compactMap { seed -> String? in
                var simulation = ServiceSimulation(seed: seed, bug: bug)
                do { try simulation.run() } catch {
                    let law = "\(error)".split(separator: "\n").first ?? ""
                    return "seed \(seed), \(law.prefix(90))"
                }
                return nil
            }.first
            Simulate.say("\(bug.rawValue): \(found ?? "NOT FOUND in \(seeds) seeds")")
            isAllFound = isAllFound && found != nil
        }
        if !isAllFound { exit(1) }
    }
}
