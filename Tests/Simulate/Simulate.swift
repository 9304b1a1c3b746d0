import Foundation
import Simulation

/// Runs the simulation's seeds, up to the first that breaks a law.
@main struct Simulate {
    static let usage = """
        usage: simulate [--late] [--bug NAME] SEEDS          seeds 1 to SEEDS
               simulate [--late] [--bug NAME] --seed SEED    one seed, and all that happens in it
               simulate --planted SEEDS                      each planted bug, until a seed finds it
               simulate --service SEEDS|FIRST LAST|--seed SEED|--planted SEEDS   likewise several daemons on etcd

        With --late the journal answers late, in bursts, not at all, or refuses.
        """

    static func main() {
        var words = Array(CommandLine.arguments.dropFirst())
        var bug: PlantedBug?
        if words.first == "--service" { return ServiceRuns.run(Array(words.dropFirst())) }
        let isLate = words.first == "--late"
        if isLate { words.removeFirst() }
        if words.first == "--bug", words.count > 1 {
            bug = PlantedBug(rawValue: words[1])
            if bug == nil { fail("no planted bug is called \(words[1])", 2) }
            words.removeFirst(2)
        }
        if words.count == 2, words[0] == "--planted", let seeds = UInt64(words[1]), seeds > 0 {
            planted(seeds)
        } else if words.count == 2, words[0] == "--seed", let seed = UInt64(words[1]) {
            one(seed, isLate, bug)
        } else if words.count == 1, let seeds = UInt64(words[0]), seeds > 0 {
            all(seeds, isLate, bug)
        } else {
            fail(usage, 2)
        }
    }

    private static func one(_ seed: UInt64, _ isLate: Bool, _ bug: PlantedBug?) {
        let simulation = Simulation(seed: seed, isLate: isLate, bug: bug) { print($0) }
        let violation = simulation.run()
        print("seed \(seed): trace \(String(simulation.traceHash, radix: 16))")
        if violation != nil { exit(1) }
    }

    private static func all(_ seeds: UInt64, _ isLate: Bool, _ bug: PlantedBug?) {
        let begun = Date()
        // The hash of all seeds' traces: two runs of the same code print the same.
        var trace: UInt64 = 0
        for seed in 1...seeds {
            let simulation = Simulation(seed: seed, isLate: isLate, bug: bug)
            if simulation.run() != nil {
                let late = isLate ? " LATE=--late" : ""
                fail("\(simulation.report)\nall of it: make simulate SEED=\(seed)\(late)", 1)
            }
            trace = trace &* 31 &+ simulation.traceHash
            if seed % 1_000 == 0, seed < seeds { say("\(seed) seeds") }
        }
        let seconds = Date().timeIntervalSince(begun)
        let pace = String(format: "%.1f", Double(seeds) / seconds)
        let journal = isLate ? " with a late journal" : ""
        let hash = String(trace, radix: 16)
        say("\(seeds) seeds\(journal), all laws hold: \(pace) seeds/s, trace \(hash)")
    }

    /// A law that finds nothing is worth nothing.
    private static func planted(_ seeds: UInt64) {
        var isAllFound = true
        for bug in PlantedBug.allCases {
            if let (seed, law) = found(bug, seeds) {
                say("\(bug.rawValue): seed \(seed), \(law)")
            } else {
                say("\(bug.rawValue): NOT FOUND in \(seeds) seeds")
                isAllFound = false
            }
        }
        if !isAllFound { exit(1) }
    }

    private static func found(_ bug: PlantedBug, _ seeds: UInt64) -> (seed: UInt64, law: String)? {
        for seed in 1...seeds {
            let simulation = Simulation(seed: seed, isLate: bug.needsLateJournal, bug: bug)
            if let violation = simulation.run() { return (seed, violation.law.rawValue) }
        }
        return nil
    }

    /// At once, also where the output is a pipe.
    static func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    static func fail(_ text: String, _ code: Int32) -> Never {
        say(text)
        exit(code)
    }
}
