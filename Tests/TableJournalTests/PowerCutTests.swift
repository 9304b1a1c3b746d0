import Glibc
import JournalFormat
import Testing

@testable import TableJournal

/// Lost power with torn and reordered writes, kills, and failing calls, in any order and again and again.
/// `TRESTLE_CUTS=20000` tries so many ends.
@Suite struct PowerCutTests {
    private static let each = 40
    private static let count =
        (getenv("TRESTLE_CUTS").flatMap { Int(String(cString: $0)) } ?? 200) / each

    @Test func nothingAcknowledgedIsLost() throws {
        var (cuts, kills, failures) = (0, 0, 0)
        for seed in 0..<Self.count {
            var lives = Lives(seed: UInt64(seed))
            do {
                try lives.live(Self.each)
            } catch {
                Issue.record("seed \(seed): \(error)")
                return
            }
            cuts += lives.ends.cuts
            kills += lives.ends.kills
            failures += lives.ends.failures
        }
        print("\(cuts) power cuts, \(kills) kills, \(failures) failed calls")
        #expect(cuts > Self.count * 10 && kills > Self.count && failures > Self.count)
    }

    /// Left out on purpose, each is noticed. The seed that noticed it last is tried first, and then the others.
    static let planted: [(name: String, seed: Int, plant: @Sendable (inout Limits) -> Void)] = [
        ("names are not synced", 0, { $0.syncsNames = false }),
        ("names are synced behind the promise", 98, { $0.syncsNamesFirst = false }),
        ("birth numbers are ignored", 25, { $0.checks.remove(.births) }),
        ("the chain is ignored", 1, { $0.checks.remove(.chain) }),
        ("the newest entry is not written again", 2, { $0.rewritesNewest = false }),
    ]

    @Test(arguments: planted.indices) func aPlantedBugIsFound(index: Int) throws {
        let bug = Self.planted[index]
        var limits = Lives.limits
        bug.plant(&limits)
        let found = try #require(finds(limits: limits, from: bug.seed), "not found: \(bug.name)")
        print("\(bug.name): \(found)")
    }

    @Test func aDiskThatOnlySaysThatItSyncsIsFound() throws {
        #expect(finds(limits: Lives.limits, from: 0, liesAboutSyncs: true) != nil)
    }

    private func finds(limits: Limits, from first: Int, liesAboutSyncs: Bool = false) -> String? {
        for seed in (0..<300).map({ (first + $0) % 300 }) {
            var lives = Lives(
                seed: UInt64(seed), limits: limits, liesAboutSyncs: liesAboutSyncs)
            do {
                try lives.live(Self.each)
            } catch {
                return "seed \(seed), \(error)"
            }
        }
        return nil
    }
}
