import Foundation
import Testing

@Suite struct SimulationTests {
    /// `SEEDS=n` for more than the 150 of every day; `SEED=n` for one alone.
    @Test func everySeedKeepsTheLaws() {
        let environment = ProcessInfo.processInfo.environment
        var seeds = 1...(environment["SEEDS"].flatMap { UInt64($0) } ?? 150)
        if let one = environment["SEED"].flatMap({ UInt64($0) }) { seeds = one...one }
        for seed in seeds {
            let simulation = Simulation(seed: seed)
            if let violation = simulation.run() {
                Issue.record("\(violation)\n\(simulation.report)")
                return
            }
        }
    }

    @Test func oneSeedGivesOneTrace() {
        for seed in [3, 77, 1_234] as [UInt64] {
            let first = Simulation(seed: seed)
            let second = Simulation(seed: seed)
            _ = first.run()
            _ = second.run()
            #expect(first.laws.trace == second.laws.trace)
            #expect(first.laws.trace.count > 100)
        }
    }
}
