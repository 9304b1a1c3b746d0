import Simulation
import TableModel
import Testing

@testable import TableSync

/// The daemon ends the pauses of invocations that are tried again, by its monotonic clock (rule A21).
struct RetryTests {
    private let jobs = Jobs(rows: 1)

    @Test func aPauseEndsByTheMonotonicClock() throws {
        jobs.fail("r0", atMs: 10_000)
        #expect(jobs.invocation?.isResting == true)
        // The date jumps ahead ten years, and back: nobody is called earlier or later for it.
        jobs.watch(nowMs: 400_000_000_000, monotonicMs: 10_100)
        jobs.watch(nowMs: 0, monotonicMs: 11_999)
        #expect(jobs.invocation?.isResting == true)
        jobs.watch(nowMs: 5_000, monotonicMs: 12_000)
        #expect(jobs.invocation?.failure == .init("no", dueMs: 12_000, isOver: true))
        #expect(jobs.invocation?.attempts == 1 && jobs.invocation?.holder == nil)
    }

    @Test func eachAttemptHasItsDeadline() throws {
        jobs.fail("r0", atMs: 10_000)
        jobs.watch(nowMs: 12_000, monotonicMs: 12_000)
        // The deadline of 5 s counts from when it was due, and then the pause is twice as long.
        jobs.watch(nowMs: 16_900, monotonicMs: 16_900)
        #expect(jobs.invocation?.attempts == 1)
        jobs.watch(nowMs: 17_000, monotonicMs: 17_000)
        #expect(jobs.invocation?.attempts == 2 && jobs.invocation?.dueMs == 21_000)
        jobs.watch(nowMs: 17_100, monotonicMs: 17_100)
        jobs.watch(nowMs: 21_100, monotonicMs: 21_100)
        #expect(jobs.invocation?.isResting == false)
        jobs.watch(nowMs: 26_200, monotonicMs: 26_200)
        #expect(jobs.invocation == nil)
        let row = try #require(jobs.table?.row("r0"))
        #expect(row.content.value(of: "state") == "failed")
        #expect(
            row.performance(of: Deed("run"))?.state == .failed("deadline: not finished within 5 s"))
    }

    @Test func aLostHandlerHasUsedAnAttempt() throws {
        jobs.command(.act(.init("run", on: "r0")), atMs: 1_000)
        for attempt in 1...3 {
            let nowMs = UInt64(attempt) * 4_000
            jobs.command(.take(action: nil, atMost: 1), as: "h", atMs: nowMs)
            #expect(jobs.invocation?.holder == "h" && jobs.invocation?.attempts == attempt)
            jobs.watch(nowMs: nowMs, monotonicMs: nowMs)
            jobs.watch(nowMs: nowMs + 1_100, monotonicMs: nowMs + 1_100)
        }
        #expect(jobs.invocation == nil)
        let row = try #require(jobs.table?.row("r0"))
        #expect(row.performance(of: Deed("run"))?.state == .failed("handler h was lost"))
    }

    @Test func manyThatPauseAreDueTogether() throws {
        let jobs = Jobs(rows: 300)
        for row in 0..<300 { jobs.command(.act(.init("run", on: ID("r\(row)"))), atMs: 1_000) }
        jobs.watch(nowMs: 1_000, monotonicMs: 1_000)
        jobs.watch(nowMs: 6_000, monotonicMs: 6_000)
        #expect(jobs.table?.invocations.all.filter(\.isResting).count == 300)
        #expect(jobs.table?.invocations.waiting(for: "run", atMost: 500).isEmpty == true)
        jobs.watch(nowMs: 6_000, monotonicMs: 6_050)
        let revision = try #require(jobs.table?.revision)
        jobs.watch(nowMs: 8_100, monotonicMs: 8_100)
        #expect(jobs.table?.revision == revision + 5)
        #expect(jobs.table?.invocations.waiting(for: "run", atMost: 500).count == 300)
    }
}

/// A server with rows whose action may be tried three times.
private final class Jobs {
    private let server: Server
    private var number: UInt64 = 0

    init(rows: Int) {
        var limits = Limits()
        limits.holderTimeoutMs = 1_000
        limits.batchCommands = 100
        let dice = Dice(2)
        server = Server(
            epoch: ID128(high: 1, low: 1), limits: limits, codec: RegistryCodec(),
            makeID: { dice.id128() })
        var kind = Kind("job")
        var run = Action("run")
        let retries = Retries(
            attempts: 3, backoffSeconds: 2, otherwise: [.set([.init("state", "failed")])])
        run.effects = [.invoke(deadlineSeconds: 5, then: [], retries: retries)]
        kind.trailing = ActionGroup(actions: [run])
        send(.create, as: nil, atMs: 1)
        command(.define(.init(kinds: [kind])), atMs: 1)
        for row in 0..<rows {
            command(.add(.init(id: ID("r\(row)"), .init(kind: "job"))), atMs: 1)
        }
    }

    /// A first attempt fails at this time.
    func fail(_ row: RowID, atMs nowMs: UInt64) {
        command(.act(.init("run", on: row)), atMs: nowMs)
        command(.take(action: nil, atMost: 1), as: "h", atMs: nowMs)
        watch(nowMs: nowMs, monotonicMs: nowMs)
        guard let id = invocation?.id else { return }
        command(.finish(id, .failed("no")), as: "h", atMs: nowMs)
        watch(nowMs: nowMs, monotonicMs: nowMs)
    }

    func command(_ verb: Command.Verb, as client: ID? = nil, atMs nowMs: UInt64) {
        send(.command(Command(verb)), as: client, atMs: nowMs)
    }

    private func send(_ verb: Request.Verb, as client: ID?, atMs nowMs: UInt64) {
        server.begin(nowMs: nowMs, monotonicMs: nowMs)
        number += 1
        server.receive(
            Request(client: client, number: client.map { _ in number }, table: "t", verb),
            requestHash: number, from: 0)
        _ = server.finish()
    }

    func watch(nowMs: UInt64, monotonicMs: UInt64) {
        server.begin(nowMs: nowMs, monotonicMs: monotonicMs)
        server.watchHandlers(monotonicMs: monotonicMs)
        _ = server.finish()
    }

    var table: Table? { server.tables["t"]?.table }
    var invocation: Invocation? { table?.invocations.all.first }
}
