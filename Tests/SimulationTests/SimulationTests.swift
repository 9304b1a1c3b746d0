import Foundation
import Simulation
import Testing

@Suite struct SimulationTests {
    /// Few, for exclusive access, which only this build checks. `Tests/IPCTests/test_simulation.py` runs
    /// hundreds, and `make simulate` thousands.
    @Test(arguments: [false, true])
    func everySeedKeepsTheLaws(isLate: Bool) {
        for seed in 1...UInt64(10) {
            let simulation = Simulation(seed: seed, isLate: isLate)
            if simulation.run() != nil {
                Issue.record("\(simulation.report)")
                return
            }
        }
    }

    /// Dictionaries have another order in each process: wherever it leaks into what is decided or
    /// said, the traces differ.
    @Test func oneSeedGivesOneTraceInTwoProcesses() throws {
        let (first, second) = (try output(of: ["30"]), try output(of: ["30"]))
        #expect(first.contains("30 seeds, all laws hold"))
        #expect(trace(first) != nil && trace(first) == trace(second))
        let (one, again) = (try output(of: ["--seed", "8"]), try output(of: ["--seed", "8"]))
        #expect(one == again && one.split(separator: "\n").count > 100)
    }

    private func trace(_ output: String) -> Substring? {
        output.firstMatch(of: /trace ([0-9a-f]+)/)?.1
    }

    /// The program beside the tests.
    private func output(of arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appending(path: "simulate")
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}
