import TableModel
import TableSync
import Testing

/// What a writer does when the daemon has forgotten it, or has no room.
@Suite struct WriterTests {
    private func refused(_ number: UInt64?, _ client: ID?, _ code: Rejection.Code) -> Reply {
        Reply(
            client: client, number: number, epoch: ID128(high: 0, low: 0),
            .refused(Rejection(code, "no")))
    }

    @Test func itGoesOnUnderAnotherID() {
        var made = 0
        let writer = Writer(client: "w", retryMs: 100) {
            made += 1
            return ID("w.\(made)")
        }
        writer.opened(at: 3)
        for _ in 1...3 { _ = writer.request(.create, table: "t", nowMs: 0) }
        #expect(!writer.answered(refused(1, "w", .unknown)) && writer.client == "w.1")
        // Of the same id the others are forgotten too.
        #expect(!writer.answered(refused(2, "w", .unknown)) && made == 1)
        #expect(!writer.answered(refused(2, "w", .unknown)), "an old copy")
        // Not before `hello`; what may have been carried out is asked for under its own id.
        #expect(writer.needsHello && !writer.hasRoom())
        #expect(writer.due(nowMs: 100).map(\.client) == ["w"])
        #expect(writer.request(.create, table: "t", nowMs: 100).number == 4)
        writer.opened(at: 9)
        let sent = writer.due(nowMs: 150)
        #expect(sent.map(\.number) == [1, 2, 4])
        #expect(sent.allSatisfy { $0.client == "w.1" && $0.opened == 9 })
        // The third was sent before: its end is not known.
        #expect(writer.answered(refused(3, "w", .unknown)) && writer.waitingCount == 3)
        #expect(writer.isWaiting(for: refused(1, "w.1", .noSuchRow)))
        #expect(!writer.isWaiting(for: refused(1, "w", .noSuchRow)))
        #expect(writer.answered(refused(1, "w.1", .noSuchRow)))
    }

    /// A copy that another daemon was to carry out was not carried out.
    @Test func aCopyThatWentElsewhereDoesNotCount() {
        let writer = Writer(client: "w") { "w.1" }
        for _ in 1...2 { _ = writer.request(.create, table: "t", nowMs: 0) }
        writer.copyRefused(1)
        writer.again(nowMs: 0)
        #expect(writer.due(nowMs: 0).map(\.client) == ["w", "w"])
        #expect(!writer.answered(refused(1, "w", .unknown)) && writer.client == "w.1")
        #expect(writer.answered(refused(2, "w", .unknown)), "a copy may have been carried out")
    }

    @Test func withoutAnotherIDItEnds() {
        let writer = Writer(client: "w")
        _ = writer.request(.create, table: "t", nowMs: 0)
        #expect(writer.answered(refused(1, "w", .unknown)) && writer.client == "w")
    }

    @Test func aFullDiskIsAnEndOfWhatWasSentOnce() {
        let writer = Writer(client: "w", retryMs: 100)
        for _ in 1...2 { _ = writer.request(.create, table: "t", nowMs: 0) }
        #expect(writer.answered(refused(1, "w", .diskFull)))
        // Whoever was to answer is another one: this is sent again at once.
        writer.again(nowMs: 0)
        #expect(writer.due(nowMs: 0).map(\.number) == [2])
        #expect(!writer.answered(refused(2, "w", .diskFull)) && writer.waitingCount == 1)
        #expect(writer.due(nowMs: 100).map(\.number) == [2])
    }
}
