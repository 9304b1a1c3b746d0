import Glibc
import ServiceSimulation
import Testing

@Suite struct ServiceSimulationTests {
    /// `make simulate-cluster` runs 10,000 of them, and finds each planted mistake.
    static var seeds: UInt64 {
        getenv("TRESTLE_SEEDS").flatMap { UInt64(String(cString: $0)) } ?? 20
    }

    @Test func nothingIsLostOrTwice() throws {
        var (acknowledged, takeovers, checkpoints) = (0, 0, 0)
        let first = getenv("TRESTLE_SEED").flatMap { UInt64(String(cString: $0)) }
        for seed in first.map({ $0...$0 }) ?? 1...Self.seeds {
            var simulation = ServiceSimulation(seed: seed, members: seed % 3 == 0 ? 3 : 2)
            do {
                try simulation.run()
            } catch {
                Issue.record("seed \(seed): \(error)")
            }
            acknowledged += simulation.acknowledged.count
            takeovers += simulation.takeovers
            checkpoints += simulation.checkpoints
        }
        // It did something: leaders wrote, and others took over from them.
        #expect(acknowledged > 100 * Int(Self.seeds))
        #expect(takeovers > Int(Self.seeds))
        #expect(checkpoints > Int(Self.seeds))
    }
}
