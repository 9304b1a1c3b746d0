import JournalFormat
import JournalPort
import ServiceSimulation
import Testing

@testable import EtcdJournal

/// Reading the whole journal, over a modelled etcd.
@Suite struct EtcdReadingTests {
    /// One member that writes, and its etcd.
    private struct World {
        var etcd = ModelEtcd()
        var member: EtcdMember
        var nowMs: UInt64 = 1_000

        init(mostStateBytes: Int = 64 << 20) {
            member = Self.member("a", mostStateBytes: mostStateBytes)
            member.recovered(EtcdRecovered())
            run(until: { $0.term != nil })
        }

        static func member(_ id: String, mostStateBytes: Int = 64 << 20) -> EtcdMember {
            var service = EtcdSettings()
            (service.name, service.mostStateBytes) = ("n", mostStateBytes)
            return EtcdMember(EtcdMember.Settings(service, id: id))
        }

        mutating func run(until isDone: (EtcdMember) -> Bool) {
            for _ in 0..<2_000 where !isDone(member) {
                nowMs += 50
                etcd.tick(nowMs)
                for (slot, call) in member.calls(nowMs: nowMs) {
                    switch etcd.answer(call, nowMs) {
                    case .success(let answer): member.answered(slot, answer, nowMs: nowMs)
                    case .failure(let failure): member.failed(slot, failure, nowMs: nowMs)
                    }
                }
                _ = member.takeEntries(after: member.taken)
            }
            #expect(isDone(member))
        }

        /// Entries of so many bytes.
        mutating func write(_ count: Int, bytes: Int = 20) {
            for _ in 0..<count {
                let position = member.durable + 1
                member.submit(
                    Array(repeating: UInt8(truncatingIfNeeded: position), count: bytes),
                    position: position, term: member.term ?? 0)
                run(until: { $0.durable == position })
            }
        }

        mutating func checkpoint(_ parts: Int, bytes: Int = 1_000) {
            member.beginCheckpoint()
            for part in 0..<parts {
                member.appendToCheckpoint(
                    Array(repeating: UInt8(truncatingIfNeeded: part), count: bytes))
            }
            for _ in 0..<100 where !member.finishCheckpoint() {
                run(until: { _ in true })
                nowMs += 50
                for (slot, call) in member.calls(nowMs: nowMs) {
                    if case .success(let answer) = etcd.answer(call, nowMs) {
                        member.answered(slot, answer, nowMs: nowMs)
                    }
                }
            }
        }

        func reading(_ pieces: Int = 16, _ entries: Int = 1_000) -> EtcdReading {
            EtcdReading(keys: member.keys, mostBytes: 1 << 30, most: (pieces, entries))
        }
    }

    /// The records that were handed over, in their order.
    private func read(
        _ reading: inout EtcdReading, _ world: inout World,
        meanwhile: (inout World) -> Void = { _ in }
    ) throws -> (words: [String], asked: Int) {
        var words: [String] = []
        var asked = 0
        while let call = reading.next {
            asked += 1
            let answer = try world.etcd.answer(call, world.nowMs).get()
            meanwhile(&world)
            try reading.take(answer) { found in
                switch found {
                case .checkpoint(let position, let parts): words.append("at \(position): \(parts)")
                case .part(let bytes): words.append("part \(bytes.count)")
                case .entry(let position, let bytes): words.append("\(position): \(bytes.count)")
                }
            }
        }
        return (words, asked)
    }

    @Test func allOfItComesInSmallAnswers() throws {
        var world = World()
        world.write(5)
        world.checkpoint(3, bytes: 400_000)
        world.write(1, bytes: 3 << 20)
        world.write(4)
        var reading = world.reading(1, 8)
        let (words, asked) = try read(&reading, &world)
        #expect(
            words == [
                "at 5: 3", "part 400000", "part 400000", "part 400000", "6: 3145728", "7: 20",
                "8: 20", "9: 20", "10: 20",
            ])
        #expect(asked >= 1 + 3 + 1)
        #expect(reading.summary.position == 10 && reading.summary.entries == 5)
        #expect(reading.summary.parts == 3)
    }

    @Test func anEmptyOneIsNothing() throws {
        var world = World()
        var reading = world.reading()
        #expect(try read(&reading, &world).words.isEmpty)
    }

    @Test func whatWasShortenedMeanwhileIsNoDamage() throws {
        var world = World()
        world.write(3)
        world.checkpoint(1)
        world.write(3)
        var reading = world.reading()
        var count = 0
        #expect(throws: JournalMoved.self) {
            // Two checkpoints later the entries behind the first are removed.
            _ = try read(&reading, &world) { world in
                count += 1
                guard count == 2 else { return }
                for _ in 0..<2 {
                    world.write(3)
                    world.checkpoint(1)
                    world.run(until: { !$0.upkeep.mustTrim && !$0.upkeep.mustSweep })
                }
            }
        }
        var again = world.reading()
        #expect(try read(&again, &world).words.first == "at 12: 1")
    }

    @Test func whoTakesOverKnowsTheCheckpointsOfOthers() throws {
        var world = World()
        world.write(3)
        world.checkpoint(1)
        // It has read the journal by now, and sees entries alone from here on.
        var other = World.member("b")
        var reading = world.reading()
        _ = try read(&reading, &world)
        other.recovered(reading.found)
        world.write(3)
        world.checkpoint(1)
        world.run(until: { !$0.upkeep.mustTrim && !$0.upkeep.mustSweep })
        // The leader is gone, and its lease with it.
        world.nowMs += 20_000
        world.member = other
        world.run(until: { $0.term != nil && !$0.upkeep.mustSweep && !$0.upkeep.mustTrim })
        #expect(world.member.upkeep.manifest?.covered.position == 6)
        var again = world.reading()
        #expect(try read(&again, &world).words == ["at 6: 1", "part 1000"])
    }

    @Test func whoIsBehindAllThatIsKeptReadsAnew() throws {
        var world = World()
        world.write(3)
        var other = World.member("b")
        var reading = world.reading()
        _ = try read(&reading, &world)
        other.recovered(reading.found)
        world.write(3)
        // Two of the same state: no entry is kept.
        for _ in 0..<2 {
            world.checkpoint(1)
            world.run(until: { !$0.upkeep.mustTrim && !$0.upkeep.mustSweep })
        }
        for _ in 0..<20 where !other.isLost {
            world.nowMs += 100
            for (slot, call) in other.calls(nowMs: world.nowMs) {
                let answer = try world.etcd.answer(call, world.nowMs).get()
                other.answered(slot, answer, nowMs: world.nowMs)
            }
        }
        #expect(other.isLost)
    }

    @Test func whatIsMissingIsDamage() throws {
        var world = World()
        world.write(6)
        let key = world.member.keys.entry(3)
        _ = world.etcd.answer(.txn(EtcdTxn(success: [.delete(key: key, end: [])])), world.nowMs)
        var reading = world.reading()
        #expect(throws: EtcdJournalError.damaged("entry 3 is missing, 4 is there")) {
            _ = try read(&reading, &world)
        }
    }

    // MARK: More than a checkpoint may hold

    @Test func tooLargeIsNoEndOfCheckpoints() {
        var world = World(mostStateBytes: 10_000)
        world.write(3)
        world.checkpoint(20)
        #expect(world.member.refusesMore != nil && world.member.refusesChanges == nil)
        #expect(world.member.upkeep.manifest == nil)
        // While another is written it is still too large: nobody is let in by mistake.
        world.member.beginCheckpoint()
        world.member.appendToCheckpoint([1, 2, 3])
        #expect(world.member.refusesMore != nil)
        world.member.abandonCheckpoint()
        // Nothing has changed: the next would be as large.
        #expect(!world.member.isWorthACheckpoint)
        world.write(1)
        #expect(world.member.isWorthACheckpoint)
        world.checkpoint(5)
        #expect(world.member.refusesMore == nil && world.member.upkeep.manifest?.parts == 5)
    }

    /// Many small entries make one due, and are no more bytes for it: a restore is given up by those.
    @Test func whenACheckpointIsDue() {
        var world = World(mostStateBytes: 10_000)
        world.write(3)
        #expect(world.member.isCheckpointDue(mayTry: true) == nil)
        world.member.upkeep.grew(by: 20 * 9_997, entries: 9_997)
        #expect(world.member.isCheckpointDue(mayTry: false) == true)
        #expect(world.member.upkeep.bytesSince == 200_000)
        world.checkpoint(20)
        #expect(world.member.isCheckpointDue(mayTry: true) == false, "nothing has changed")
        world.write(1)
        #expect(world.member.isCheckpointDue(mayTry: true) == true)
        #expect(world.member.isCheckpointDue(mayTry: false) == false)
        #expect(world.member.upkeep.bytesSince > 0)
    }

    // MARK: A slow line

    /// The large entries come after many that are so small that much is asked for at once.
    @Test(arguments: [1, 16, 1_000])
    func whatIsTooMuchForOneAnswerIsReadToItsEnd(entries: Int) throws {
        var world = World()
        world.write(20)
        world.checkpoint(5, bytes: 400_000)
        world.write(100)
        world.write(20, bytes: 100_000)
        world.write(1, bytes: 3 << 20)
        world.write(5)
        var reading = world.reading()
        let all = try read(&reading, &world).words
        var (some, silent): ([String], Int) = ([], 0)
        var careful = world.reading(16, entries)
        _ = try careful.recover {
            switch $0 {
            case .checkpoint(let position, let parts): some.append("at \(position): \(parts)")
            case .part(let bytes): some.append("part \(bytes.count)")
            case .entry(let position, let bytes): some.append("\(position): \(bytes.count)")
            }
        } asking: { call in
            let answer = try world.etcd.answer(call, world.nowMs, atMost: 250_000)
            silent += answer == nil ? 1 : 0
            try #require(silent < 40)
            return answer
        }
        #expect(some == all && silent > 0 && careful.summary == reading.summary)
    }

    /// Nothing that is not there is waited for.
    @Test func aPartThatIsMissingIsDamage() throws {
        var world = World()
        world.write(1, bytes: 3 << 20)
        let key = world.member.keys.part(1, 2)
        _ = world.etcd.answer(.txn(EtcdTxn(success: [.delete(key: key, end: [])])), world.nowMs)
        var reading = world.reading(1, 1)
        #expect(throws: EtcdJournalError.damaged("entry 1 is missing")) {
            _ = try read(&reading, &world)
        }
    }

    /// Only answers of few bytes get through.
    @Test func aFollowerOnASlowLineAsksForLess() {
        var world = World()
        world.write(40, bytes: 20_000)
        world.write(1, bytes: 1_200_000)
        var standby = World.member("b")
        standby.recovered(EtcdRecovered())
        var nowMs = world.nowMs
        for _ in 0..<400 where standby.durable < 41 {
            nowMs += 100
            for (slot, call) in standby.calls(nowMs: nowMs) {
                guard case .success(let answer) = world.etcd.answer(call, nowMs) else { continue }
                let bytes = answer.txn?.found.reduce(0) {
                    $0 + ($1 ?? []).reduce(0) { $0 + $1.value.count }
                }
                // A line on which 120 kB pass in 3 s.
                let passes = (bytes ?? 0) <= Int(standby.readPatienceMs) * 40
                if slot == .read, !passes {
                    standby.failed(slot, .noAnswer("too slow"), nowMs: nowMs)
                } else {
                    standby.answered(slot, answer, nowMs: nowMs)
                }
            }
            _ = standby.takeEntries(after: standby.taken)
        }
        #expect(standby.durable == 41)
    }
}
