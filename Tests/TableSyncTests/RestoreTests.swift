import Simulation
import TableModel
import Testing

@testable import TableSync

/// Backups, and restores in steps, in a server without sockets or disk.
struct RestoreTests {
    private typealias Bench = RestoreBench

    private static func code(_ answer: Reply.Answer) -> Rejection.Code? {
        if case .refused(let rejection) = answer { return rejection.code }
        return nil
    }

    // MARK: Backups

    @Test func aBackupIsOfOneMoment() throws {
        let bench = Bench()
        for table in ["a", "b"] as [TableID] { bench.make(table, rows: 3_000) }
        let then = bench.states
        guard case .backup(let first) = bench.ask(Request(.backup(id: nil, chunk: 0))) else {
            throw RecoveryError("no backup")
        }
        #expect(first.tables == Array(then.values).sorted { $0.table < $1.table })
        var parts = first.parts
        for chunk in 1..<first.chunks {
            bench.command(.remove([ID("r\(chunk)")]), on: "b")
            if chunk == 3 { bench.ask(Request(table: "a", .drop)) }
            guard case .backup(let more) = bench.ask(Request(.backup(id: first.id, chunk: chunk)))
            else { throw RecoveryError("no chunk \(chunk)") }
            parts += more.parts
        }
        bench.restore(parts, replaces: true)
        #expect(bench.states.mapValues(\.digest) == then.mapValues(\.digest))
        #expect(bench.states.mapValues(\.revision) == then.mapValues(\.revision))
    }

    /// The date says nothing of how long a viewer has not asked.
    @Test func aSnapshotOutlivesADateThatIsSetBack() {
        let bench = Bench()
        bench.make("a", rows: 1)
        bench.server.begin(nowMs: 500_000, monotonicMs: bench.nowMs)
        let begun = Request(table: "a", .snapshot(id: nil, chunk: 0))
        bench.server.receive(begun, requestHash: 1, from: 0)
        guard case .reply(let reply)? = bench.server.finish().replies.first?.body,
            case .snapshot(let first) = reply.answer
        else { return #expect(Bool(false), "no snapshot") }
        bench.server.begin(nowMs: 400_000, monotonicMs: bench.nowMs + 1_000)
        bench.server.tidy(nowMs: 400_000, elapsedMs: bench.nowMs)
        let again = Request(table: "a", .snapshot(id: first.id, chunk: 0))
        #expect(Self.code(bench.ask(again)) == nil)
    }

    @Test func aBackupIsLetGo() {
        let bench = Bench()
        bench.make("a", rows: 1)
        guard case .backup(let first) = bench.ask(Request(.backup(id: nil, chunk: 0))) else {
            return
        }
        let again = Request(.backup(id: first.id, chunk: 0))
        #expect(Self.code(bench.ask(again)) == nil)
        #expect(Self.code(bench.ask(Request(.backup(id: first.id, chunk: 99)))) == .noSuchSnapshot)
        #expect(Self.code(bench.ask(Request(.backup(id: "x", chunk: 0)))) == .noSuchSnapshot)
        bench.nowMs += 29_000
        bench.server.tidy(nowMs: bench.nowMs, elapsedMs: bench.nowMs)
        #expect(Self.code(bench.ask(again)) == nil)
        bench.nowMs += 31_000
        bench.server.begin(nowMs: bench.nowMs)
        bench.server.tidy(nowMs: bench.nowMs, elapsedMs: bench.nowMs)
        #expect(Self.code(bench.ask(again)) == .noSuchSnapshot)
        // Beyond four the one that was not asked for the longest goes.
        guard case .backup(let old) = bench.ask(Request(.backup(id: nil, chunk: 0))) else { return }
        for _ in 0..<4 {
            bench.nowMs += 1
            bench.ask(Request(.backup(id: nil, chunk: 0)))
        }
        #expect(Self.code(bench.ask(Request(.backup(id: old.id, chunk: 0)))) == .noSuchSnapshot)
    }

    @Test func largePartsAreDivided() throws {
        let kinds = (0..<5).map { Kind(ID("k\($0)")) }
        let start = CheckpointPart.Start(
            table: "t", history: ID128(high: 0, low: 0), revision: 1, digest: 0, kinds: kinds,
            settings: Settings())
        let row = { (number: Int) in Row(id: ID("r\(number)"), content: Row.Content()) }
        let slice = { (section: SectionID, numbers: Range<Int>) in
            SnapshotChunk.Slice(section: section, title: "", rows: numbers.map(row))
        }
        func pieces(_ part: CheckpointPart) -> [CheckpointPart] {
            part.halves.isEmpty ? [part] : part.halves.flatMap(pieces)
        }
        var empty = start
        empty.kinds = []
        #expect(pieces(.table(start)) == [.table(empty)] + kinds.map { .kinds([$0]) })
        let all = pieces(.rows([slice("s", 0..<3), slice("t", 0..<0), slice("u", 3..<4)]))
        #expect(
            all == [
                .rows([slice("s", 0..<1)]), .rows([slice("s", 1..<2)]), .rows([slice("s", 2..<3)]),
                .rows([slice("t", 0..<0)]), .rows([slice("u", 3..<4)]),
            ])
    }

    // MARK: Restores

    @Test func aRestoreIsThereAtOnceAndBeginsANewHistory() throws {
        let bench = Bench()
        bench.make("a", rows: 70)
        bench.make("b", rows: 2)
        let before = bench.states
        let parts = bench.backup()
        for table in ["a", "b"] as [TableID] { bench.ask(Request(table: table, .drop)) }
        for (index, part) in parts.enumerated() {
            #expect(Self.code(bench.step(.parts([part], index: index))) == nil)
            #expect(
                bench.states.isEmpty && bench.published.isEmpty && bench.server.copies.isRestoring)
        }
        let answer = bench.step(.finish(parts: parts.count, replaces: false))
        guard case .tables(let tables) = answer else { throw RecoveryError("\(answer)") }
        #expect(tables.map(\.table) == ["a", "b"] && !bench.server.copies.isRestoring)
        #expect(bench.published.map(\.isWelcome) == [true, true])
        for (name, state) in before {
            #expect(bench.states[name]?.digest == state.digest)
            #expect(bench.states[name]?.history != state.history)
            #expect(bench.states[name]?.oldest == state.revision)
        }
        #expect(
            Self.code(bench.command(.undo(revision: nil, mine: false), on: "a")) == .nothingToUndo)
        #expect(Self.code(bench.command(.add(.init(id: "new", .init())), on: "a")) == nil)
        #expect(bench.states["a"]?.revision == (before["a"]?.revision ?? 0) + 1)
    }

    @Test func tablesThatAreThereAreNotTouched() {
        let bench = Bench()
        bench.make("a", rows: 2)
        bench.make("b", rows: 2)
        let parts = bench.backup()
        bench.ask(Request(table: "b", .drop))
        bench.command(.remove(["r0"]), on: "a")
        let before = bench.states
        #expect(Self.code(bench.restore(parts)) == .exists)
        #expect(bench.states == before)
        // The same parts, and now they may go.
        #expect(Self.code(bench.step(.finish(parts: parts.count, replaces: true))) == nil)
        #expect(bench.states.mapValues(\.rows) == ["a": 2, "b": 2])
    }

    /// It ended the process, and the next start went on to the same end.
    @Test func whatTakesMoreMemoryThanThereIsIsRefused() {
        let bench = Bench()
        bench.make("a", rows: 70)
        let parts = bench.backup()
        bench.command(.remove(["r0"]), on: "a")
        let before = bench.states
        let (little, much) = (33 << 20, 64 << 20)
        for refusing in 0...parts.count {
            var asked = 0
            bench.server.copies.memoryLeft = {
                asked += 1
                return asked > refusing ? 31 << 20 : little
            }
            #expect(Self.code(bench.restore(parts, replaces: true)) == .tooLarge)
            #expect(
                asked == refusing + 1 && bench.states == before && !bench.server.copies.isRestoring)
        }
        // An incoming message counts eight times, before it is read.
        bench.server.copies.memoryLeft = { little }
        let large = RestoreStep.parts([[UInt8](repeating: 255, count: 200_000)], index: 0)
        #expect(Self.code(bench.step(large)) == .tooLarge)
        bench.server.copies.memoryLeft = { much }
        #expect(Self.code(bench.step(large)) == .malformed)
        #expect(Self.code(bench.restore(parts, replaces: true)) == nil)
        #expect(bench.states.mapValues(\.rows) == ["a": 70])
    }

    @Test func whatDoesNotGoOnIsRefused() {
        let bench = Bench()
        bench.make("a", rows: 70)
        let parts = bench.backup()
        #expect(parts.count > 1)
        let part = { (index: Int) in RestoreStep.parts([parts[index]], index: index) }
        #expect(Self.code(bench.step(part(1))) == .noSuchRestore)
        #expect(Self.code(bench.step(.finish(parts: 0, replaces: true))) == .noSuchRestore)
        #expect(Self.code(bench.step(part(0))) == nil)
        #expect(Self.code(bench.step(part(1), from: "d")) == .noSuchRestore)
        #expect(Self.code(bench.step(.finish(parts: 2, replaces: true))) == .noSuchRestore)
        #expect(Self.code(bench.step(.finish(parts: 1, replaces: true))) == .badBackup)
        // That was its end.
        #expect(Self.code(bench.step(part(1))) == .noSuchRestore)
        #expect(Self.code(bench.step(part(0))) == nil)
        #expect(Self.code(bench.step(.parts([[1]], index: 1))) == .malformed)
        #expect(Self.code(bench.step(part(1))) == .noSuchRestore)
        // Who begins last goes on.
        #expect(Self.code(bench.step(part(0))) == nil)
        #expect(Self.code(bench.restore(parts, from: "d", replaces: true)) == nil)
        #expect(Self.code(bench.step(part(1))) == .noSuchRestore)
        #expect(Self.code(bench.ask(Request(.restore(part(0))))) == .malformed)
    }

    @Test func oneThatDoesNotGoOnIsGivenUp() {
        let bench = Bench()
        bench.make("a", rows: 70)
        let parts = bench.backup()
        func wait(_ ms: UInt64) {
            bench.nowMs += ms
            bench.turn { $0.giveUpRestoring(journalGrewBy: 0) }
        }
        _ = bench.step(.parts([parts[0]], index: 0))
        wait(30_000)
        #expect(bench.server.copies.isRestoring)
        wait(1)
        #expect(!bench.server.copies.isRestoring)
        // A recovered one has its time from the first turn on.
        _ = bench.step(.parts([parts[0]], index: 0))
        bench.start(epoch: 2)
        #expect(bench.server.copies.isRestoring)
        wait(29_000)
        #expect(bench.server.copies.isRestoring)
        // Without room nothing is journaled, and nothing goes on either.
        bench.server.room.isReadOnly = true
        wait(31_000)
        #expect(bench.server.copies.isRestoring)
        bench.server.room.isReadOnly = false
        wait(1)
        #expect(!bench.server.copies.isRestoring)
        // Whoever reads the journal does not go on with it.
        bench.start(epoch: 3)
        #expect(!bench.server.copies.isRestoring && bench.server.copies.hasStaleParts)
        #expect(Self.code(bench.step(.parts([parts[1]], index: 1))) == .noSuchRestore)
    }

    @Test func theSameStepAgainIsOneStep() {
        let bench = Bench()
        bench.make("a", rows: 70)
        let parts = bench.backup()
        bench.ask(Request(table: "a", .drop))
        var last: Request?
        for index in 0...parts.count {
            let step =
                index < parts.count
                ? RestoreStep.parts([parts[index]], index: index)
                : .finish(parts: parts.count, replaces: true)
            let request = Request(client: "w", number: UInt64(index + 1), .restore(step))
            let first = bench.ask(request, hash: UInt64(index))
            #expect(Self.code(first) == nil)
            #expect(bench.ask(request, hash: UInt64(index)) == first)
            last = request
        }
        let history = bench.states["a"]?.history
        bench.command(.remove(["r0"]), on: "a")
        if let last { bench.ask(last, hash: UInt64(parts.count)) }
        #expect(bench.states["a"]?.history == history && bench.states["a"]?.rows == 69)
    }

    /// Wherever the journal ends: what was there before, or all of the restore.
    @Test func afterACrashItIsThereOrNot() {
        let bench = Bench()
        bench.make("a", rows: 70)
        bench.make("b", rows: 1)
        let parts = bench.backup()
        bench.command(.remove(["r0"]), on: "a")
        let before = bench.states
        let begun = bench.journal.count
        bench.restore(parts, replaces: true)
        bench.command(.add(.init(id: "later", .init())), on: "b")
        let records = bench.journal
        let after = bench.states
        #expect(records.count == begun + parts.count + 2)
        for entries in begun..<records.count {
            let other = Bench(codec: bench.codec, seed: 8)
            other.adopt(records, upTo: entries)
            if entries < begun + parts.count + 1 {
                #expect(other.states == before, "\(entries) entries")
                // And it goes on where it was.
                for index in (entries - begun)..<parts.count {
                    let answer = other.step(.parts([parts[index]], index: index))
                    #expect(Self.code(answer) == nil)
                }
                let end = RestoreStep.finish(parts: parts.count, replaces: true)
                #expect(Self.code(other.step(end)) == nil)
            }
            #expect(other.states["a"]?.digest == after["a"]?.digest)
            #expect(other.states["a"]?.history != before["a"]?.history)
        }
        let whole = Bench(codec: bench.codec)
        whole.adopt(records, upTo: records.count)
        #expect(whole.states == after)
    }

    // MARK: Restores that lead to nothing

    /// Whatever was answered, the journal can be read again.
    @Test func aStepWithoutAPartIsRefused() {
        let bench = Bench()
        bench.make("precious", rows: 3)
        let before = bench.states
        #expect(Self.code(bench.step(.parts([], index: 0))) == .badValue)
        #expect(Self.code(bench.step(.finish(parts: 0, replaces: false))) == .noSuchRestore)
        bench.start(epoch: 2)
        #expect(bench.states.mapValues(\.digest) == before.mapValues(\.digest))
    }

    /// Daemons before this one took that: nothing was staged, and nothing restored.
    @Test func whatOlderDaemonsJournaledIsRead() {
        let bench = Bench()
        bench.make("precious", rows: 3)
        let parts = bench.backup()
        bench.step(.parts([parts[0]], index: 0))
        bench.append([.restored([])])
        bench.start(epoch: 2)
        #expect(bench.states["precious"] != nil)
        #expect(!bench.server.copies.isRestoring)
    }

    /// A refused part ends a restore, and a restart brings nothing of it back.
    @Test(arguments: [false, true]) func whatWasLetGoStaysSo(byAnother: Bool) {
        let bench = Bench()
        bench.make("a", rows: 3)
        let parts = bench.backup()
        for (index, part) in parts.enumerated() { bench.step(.parts([part], index: index)) }
        let refused =
            byAnother
            ? bench.step(.parts([[1, 2, 3]], index: 0), from: "d")
            : bench.step(.parts([[1, 2, 3]], index: parts.count))
        #expect(Self.code(refused) != nil)
        bench.start(epoch: 2)
        #expect(!bench.server.copies.isRestoring)
        let late = bench.step(.finish(parts: parts.count, replaces: true))
        #expect(Self.code(late) == .noSuchRestore)
    }

    /// No checkpoint shortens the journal meanwhile.
    @Test func itIsGivenUpWhereTheJournalGrowsTooMuch() {
        let bench = Bench()
        bench.make("a", rows: 3)
        let parts = bench.backup()
        bench.step(.parts([parts[0]], index: 0))
        bench.turn { $0.giveUpRestoring(journalGrewBy: 512 << 20) }
        #expect(bench.server.copies.isRestoring && !bench.server.copies.hasStaleParts)
        bench.turn { $0.giveUpRestoring(journalGrewBy: (512 << 20) + 1 << 20) }
        #expect(bench.journal.last == [.restored([])])
        #expect(!bench.server.copies.isRestoring && bench.server.copies.hasStaleParts)
        #expect(Self.code(bench.step(.parts([parts[1]], index: 1))) == .noSuchRestore)
    }

    // MARK: Viewers

    @Test func aViewerComesToTheTableThatTookItsPlace() throws {
        let exchange = Exchange.live("a", "b")
        let parts = exchange.table?.captured().map { exchange.codec.encode($0.part) } ?? []
        exchange.hear(exchange.add("c"))
        #expect(exchange.heard() == ["applied 3"])
        exchange.server.begin(nowMs: exchange.nowMs)
        let steps = parts.enumerated().map {
            RestoreStep.parts([$0.element], index: $0.offset)
        }
        for (number, step) in (steps + [.finish(parts: parts.count, replaces: true)]).enumerated() {
            exchange.server.receive(
                Request(client: "c", number: UInt64(number + 1), .restore(step)), requestHash: 0,
                from: number)
        }
        exchange.hear(exchange.server.finish().publications.map(\.publication))
        exchange.answerAll()
        #expect(exchange.heard() == ["installed"])
        #expect(exchange.isInStep && exchange.replica.table?.revision == 2)
        #expect(exchange.replica.mismatches == 0)
        // One that did not hear of it finds out by a heartbeat.
        let deaf = Exchange.live("a")
        deaf.commit(.drop)
        deaf.commit(.create)
        deaf.hear(deaf.heartbeat)
        deaf.answerAll()
        #expect(deaf.heard() == ["installed"] && deaf.isInStep)
    }
}
