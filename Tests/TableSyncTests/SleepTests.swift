import TableModel
import Testing

@testable import TableSync

/// The daemon wakes rows at their time, by a clock that the tests set.
struct SleepTests {
    private let talk: Talk
    private var exchange: Exchange { talk.exchange }
    private var table: Table? { exchange.table }

    init() throws { talk = try Talk() }

    private func snooze(_ rows: [RowID], after ms: UInt64, top: Bool = false) throws {
        let verb = Command.Verb.snooze(Few(rows), .init(.after(ms), isToTop: top))
        #expect(try talk.code(.user(1), .command(Command(verb))) == nil)
    }

    /// The daemon looks what is over, so much later. Returns how long until it has to look again.
    private func watch(after ms: UInt64) -> UInt64? {
        exchange.nowMs += ms
        let server = exchange.server
        server.begin(nowMs: exchange.nowMs)
        server.watchEphemeral(judges: false)
        let next = server.untilWake
        let ready = server.finish()
        talk.journal += exchange.codec.records(of: ready.entry).map { ($0, ready.position) }
        return next
    }

    @Test func aRowWakesAtItsTimeAndNotBefore() throws {
        try snooze(["b"], after: 5_000, top: true)
        try snooze(["a"], after: 9_000)
        #expect(exchange.server.hasEphemeral)
        #expect(watch(after: 4_999) == 1)
        #expect(table?.asleepRows == ["a", "b"])
        #expect(watch(after: 1) == 4_000)
        #expect(table?.asleepRows == ["a"] && table?.rows.map(\.id) == ["b", "a"])
        #expect(watch(after: 4_000) == nil)
        #expect(table?.asleepRows == [] && table?.rows.map(\.id) == ["b", "a"])
        #expect(!exchange.server.hasEphemeral)
    }

    /// A new process knows from the journal which rows sleep, and until when.
    @Test func aRestartForgetsNoSleep() throws {
        try snooze(["a"], after: 5_000)
        try snooze(["b"], after: 5_000)
        #expect(try talk.code(.user(1), .command(Command(.snooze(["b"], nil)))) == nil)
        try talk.recover()
        #expect(table?.asleepRows == ["a"])
        #expect(watch(after: 4_999) == 1)
        #expect(watch(after: 1) == nil && table?.asleepRows == [])
        // The wake is in the journal.
        try talk.recover()
        #expect(table?.asleepRows == [] && !exchange.server.hasEphemeral)
    }

    /// Rows that are due at once are woken in slices: no turn gets long.
    @Test func manyWakeInSlices() throws {
        let most = Limits().batchCommands
        let rows = (0..<(2 * most + 5)).map { RowID("s\($0)") }
        for start in stride(from: 0, to: rows.count, by: most) {
            let part = rows[start..<min(start + most, rows.count)]
            let adds = part.map { Command(.add(.init(id: $0, .init()))) }
            #expect(try talk.code(.user(1), .batch(adds, ifRevision: nil)) == nil)
            try snooze(Array(part), after: 5_000)
        }
        for left in [most + 5, 5, 0] {
            let next = watch(after: left == most + 5 ? 5_000 : 0)
            #expect(table?.asleepRows.count == left && next == (left == 0 ? nil : 0))
        }
    }
}
