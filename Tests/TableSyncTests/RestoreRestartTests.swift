import TableModel
import Testing

@testable import TableSync

/// Restores that go on where a journal was read.
struct RestoreRestartTests {
    private typealias Bench = RestoreBench

    private static func code(_ answer: Reply.Answer) -> Rejection.Code? {
        if case .refused(let rejection) = answer { return rejection.code }
        return nil
    }

    /// Daemons before this one gave up without a word in the journal, and another one went on.
    @Test func partsOfWhatWasGivenUpAreSeenByNobody() throws {
        let bench = Bench()
        bench.make("a", rows: 70)
        let before = bench.states
        let parts = bench.backup()
        let late = Ready.Record.staged(client: "c", user: nil, index: 1, part: parts[1])
        for begun in [nil, ("c", 2), ("d", 1)] as [(client: ID, parts: Int)?] {
            let other = Bench(codec: bench.codec, seed: 8)
            other.adopt(bench.journal, upTo: bench.journal.count)
            if let begun {
                let step = RestoreStep.parts(Array(parts[..<begun.parts]), index: 0)
                #expect(Self.code(other.step(step, from: begun.client)) == nil)
            }
            other.append([late])
            other.start(epoch: 3)
            #expect(other.states == before && other.server.copies.hasStaleParts)
            #expect(!other.server.copies.isRestoring)
            // What such parts lead to is not there.
            let history = ID128(high: 1, low: 1)
            let restored = Ready.Record.restored([.init(table: "a", history: history)])
            let position = UInt64(other.journal.count + 1)
            #expect(throws: RecoveryError.self) {
                try other.server.replay(restored, position: position)
            }
            // The next restore is like any other.
            #expect(Self.code(other.restore(parts, replaces: true)) == nil)
            other.start(epoch: 4)
            #expect(other.states["a"]?.digest == before["a"]?.digest)
        }
    }

    /// What comes after a start is held against the limits as what came before it was.
    @Test func whatComesAfterAStartIsChecked() throws {
        let bench = Bench()
        bench.make("a", rows: 70)
        let parts = bench.backup()
        let last = parts.count - 1
        func goOn() {
            let step = RestoreStep.parts(Array(parts[..<last]), index: 0)
            #expect(Self.code(bench.step(step)) == nil)
            bench.start(epoch: 2)
            #expect(bench.server.copies.isRestoring)
        }
        goOn()
        let start = CheckpointPart.Start(
            table: "b", history: ID128(high: 1, low: 2), revision: .max, digest: 0, kinds: [],
            settings: Settings())
        let fine = bench.step(.parts([parts[last]], index: last))
        #expect(Self.code(fine) == nil)
        let large = bench.step(.parts([bench.codec.encode(.table(start))], index: parts.count))
        #expect(Self.code(large) == .badNumber)
        // Rows too, and all of it together.
        for (limit, code) in [
            (\Limits.rows, Rejection.Code.tooLarge), (\.restoreBytes, .tooLarge),
        ] as [(WritableKeyPath<Limits, Int>, Rejection.Code)] {
            goOn()
            var limits = Limits()
            limits[keyPath: limit] = 1
            bench.server.change(limits: limits, retention: Retention())
            let part = bench.step(.parts([parts[last]], index: last))
            #expect(Self.code(part) == code)
        }
        // What is whole then is checked as a whole.
        bench.start(epoch: 3)
        let bare = Table(
            restoring: "b", history: ID128(high: 1, low: 2), revision: 5, kinds: [],
            settings: Settings())
        let begun = bench.codec.encode(bare.captured()[0].part)
        #expect(Self.code(bench.step(.parts([begun], index: 0))) == nil)
        bench.start(epoch: 4)
        let finish = RestoreStep.finish(parts: 1, replaces: false)
        #expect(Self.code(bench.step(finish)) == .badBackup)
    }

    /// The client's name is not enough: whose it is is in the journal.
    @Test(arguments: [true, false]) func whoGoesOnAfterAStartIsWhoBegan(isJournaled: Bool) {
        let bench = Bench()
        bench.make("a", rows: 70)
        let parts = bench.backup()
        let (one, other) = (Principal.user(1), Principal.user(2))
        let first = RestoreStep.parts([parts[0]], index: 0)
        if isJournaled {
            #expect(Self.code(bench.step(first, of: one)) == nil)
        } else {
            bench.append([.staged(client: "c", user: nil, index: 0, part: parts[0])])
        }
        bench.start(epoch: 2)
        let second = RestoreStep.parts(Array(parts[1...]), index: 1)
        if isJournaled {
            #expect(Self.code(bench.step(second, of: other)) == .noSuchRestore)
        }
        // From before that was written it is whoever goes on first.
        #expect(Self.code(bench.step(second, of: one)) == nil)
        let end = RestoreStep.finish(parts: parts.count, replaces: true)
        #expect(Self.code(bench.step(end, of: other)) == .noSuchRestore)
        #expect(Self.code(bench.step(end, of: one)) == nil)
    }
}
