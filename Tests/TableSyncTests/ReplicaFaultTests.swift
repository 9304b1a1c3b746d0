import TableModel
import TableSync
import Testing

/// Losses, and peers that are wrong or hostile. Nothing traps, everything heals.
struct ReplicaFaultTests {
    @Test func aLostWelcomeIsAskedForAgain() {
        let exchange = Exchange()
        exchange.commit(.create)
        exchange.start()
        for _ in 0..<5 { exchange.wait(20_000) }
        #expect(exchange.heard() == Array(repeating: "subscribe", count: 6))
        // A heartbeat is as good as a welcome.
        exchange.hear(exchange.heartbeat)
        exchange.answerAll()
        #expect(exchange.isInStep)
    }

    @Test func retriesBackOffToEightSecondsWithJitter() {
        for (jitter, most) in [(0.0, 8_000), (1.0, 16_000), (-3.0, 8_000), (9.0, 16_000)] {
            let exchange = Exchange(jitter: jitter)
            exchange.start()
            var last = exchange.nowMs
            var pauses: [UInt64] = []
            _ = exchange.heard()
            while pauses.count < 9 {
                exchange.wait(50)
                if exchange.heard().isEmpty { continue }
                pauses.append(exchange.nowMs - last)
                last = exchange.nowMs
            }
            #expect(pauses == pauses.sorted())
            #expect(pauses.last == UInt64(most))
        }
    }

    @Test func lostAnswersAreAskedForAgain() {
        let exchange = Exchange.live("a")
        exchange.add("b")
        exchange.hear(exchange.heartbeat)
        let lost = exchange.asked.removeFirst()
        exchange.hear(exchange.heartbeat)
        #expect(exchange.asked.isEmpty)
        exchange.wait(1_000)
        #expect(exchange.asked.count == 1)
        // The answer to what was given up is passed over.
        exchange.answer(exchange.reply(to: lost.verb), tag: lost.tag)
        #expect(exchange.heard() == [])
        exchange.answerAll()
        #expect(exchange.heard() == ["applied 2"] && exchange.isInStep)
    }

    @Test func aWrongDigestIsCountedShownAndHealed() {
        let exchange = Exchange.live("a")
        guard var heartbeat = exchange.heartbeat else { return }
        heartbeat.heartbeat?.digest ^= 1
        exchange.hear(heartbeat)
        #expect(exchange.heard() == ["mismatch"] && exchange.replica.mismatches == 1)
        exchange.answerAll()
        #expect(exchange.heard() == ["installed"] && exchange.isInStep)
    }

    @Test func aDiffThatDoesNotFitIsHealed() {
        let exchange = Exchange.live("a")
        for op in [Op.remove("nobody"), .swipe("a", .leading)] {
            var publication = exchange.welcome
            publication.welcome = nil
            let base = exchange.replica.table?.revision ?? 0
            publication.diffs = [
                Diff(base: base, digest: 1, cause: Cause(verb: "x"), ops: [op])
            ]
            exchange.hear(publication)
            #expect(exchange.heard() == ["mismatch"])
            exchange.answerAll()
            #expect(exchange.heard() == ["installed"] && exchange.isInStep)
        }
        #expect(exchange.replica.mismatches == 2)
    }

    @Test func freshness() {
        let exchange = Exchange()
        exchange.commit(.create)
        exchange.start()
        #expect(exchange.freshness == .connecting)
        exchange.take(exchange.replica.connection(isUp: false, nowMs: exchange.nowMs))
        #expect(exchange.freshness == .disconnected)
        exchange.hear(exchange.welcome)
        #expect(exchange.freshness == .stale(forMs: 0))
        exchange.answerAll()
        #expect(exchange.freshness == .live)
        exchange.nowMs += 3_000
        #expect(exchange.freshness == .live)
        exchange.nowMs += 1
        #expect(exchange.freshness == .stale(forMs: 3_001))
        exchange.hear(exchange.heartbeat)
        #expect(exchange.freshness == .live)
        exchange.take(exchange.replica.connection(isUp: false, nowMs: exchange.nowMs))
        #expect(exchange.freshness == .disconnected)
        // A clock that went back does no harm.
        #expect(exchange.replica.freshness(nowMs: 0) == .disconnected)
        exchange.hear(exchange.heartbeat)
        #expect(exchange.replica.freshness(nowMs: 0) == .live)
        exchange.take(exchange.replica.tick(nowMs: 0))
    }

    // MARK: Snapshots in chunks

    private func large() -> Exchange {
        let exchange = Exchange()
        exchange.commit(.create)
        // A section is a run of its own at least: 16 runs make a chunk.
        for part in 0..<6 {
            let commands = (0..<16).map { number in
                let id = ID("\(part)-\(number)")
                return Command(.add(.init(id: id, .init(), section: id)))
            }
            exchange.commit(.batch(commands, ifRevision: nil))
        }
        exchange.commit(.command(Command(.section("empty", title: "Empty"))))
        exchange.start()
        exchange.hear(exchange.welcome)
        return exchange
    }

    private func chunk(_ reply: Reply) -> SnapshotChunk? {
        if case .snapshot(let chunk) = reply.answer { return chunk }
        return nil
    }

    @Test func chunksMayComeInAnyOrderAndTheTableMayGoOn() {
        let exchange = large()
        let (verb, tag) = exchange.asked.removeFirst()
        exchange.answer(exchange.reply(to: verb), tag: tag)
        #expect(exchange.asked.count == 4, "no more than the credit is under way")
        let late = exchange.add("late")
        while !exchange.asked.isEmpty {
            #expect(exchange.asked.count <= 4)
            let (verb, tag) = exchange.asked.removeLast()
            exchange.answer(exchange.reply(to: verb), tag: tag)
        }
        #expect(exchange.heard() == ["subscribe", "installed"])
        #expect(exchange.replica.table?.revision == 7)
        exchange.hear(late)
        #expect(exchange.isInStep && exchange.replica.table?.section("empty")?.count == 0)
    }

    /// Each answer takes longer than the first pauses. What has come is kept, and what is late counts.
    @Test func aSlowLinkIsNoReasonToBeginAnew() {
        let exchange = large()
        var begun = 0
        for _ in 0..<40 where exchange.replica.table == nil {
            for _ in 0..<6 { exchange.wait(500) }
            guard !exchange.asked.isEmpty else { continue }
            let (verb, tag) = exchange.asked.removeFirst()
            if case .snapshot(nil, _) = verb { begun += 1 }
            exchange.answer(exchange.reply(to: verb), tag: tag)
        }
        #expect(exchange.replica.table?.digest == exchange.table?.digest)
        #expect(begun < 5 && exchange.replica.mismatches == 0)
    }

    @Test func aLostChunkIsAskedForAgain() {
        let exchange = large()
        let (verb, tag) = exchange.asked.removeFirst()
        exchange.answer(exchange.reply(to: verb), tag: tag)
        exchange.asked.remove(at: 1)
        exchange.answerAll()
        #expect(exchange.heard() == ["subscribe"])
        exchange.wait(20_000)
        #expect(exchange.asked.count == 1, "the others have come")
        exchange.answerAll()
        #expect(exchange.heard() == ["installed"])
        exchange.hear(exchange.heartbeat)
        #expect(exchange.isInStep)
    }

    /// Nobody keeps a snapshot for ever.
    @Test func afterALongSilenceItBeginsAnew() {
        let exchange = large()
        let (verb, tag) = exchange.asked.removeFirst()
        exchange.answer(exchange.reply(to: verb), tag: tag)
        exchange.asked = []
        exchange.wait(60_000)
        #expect(exchange.asked.map(\.verb) == [.snapshot(id: nil, chunk: 0)])
        exchange.answerAll()
        exchange.hear(exchange.heartbeat)
        #expect(exchange.isInStep)
    }

    @Test func aSnapshotThatWasLetGoBeginsAnew() {
        let exchange = large()
        let (verb, tag) = exchange.asked.removeFirst()
        exchange.answer(exchange.reply(to: verb), tag: tag)
        exchange.restart(epoch: 1)
        exchange.answerAll()
        #expect(exchange.heard() == ["subscribe"] && exchange.replica.mismatches == 0)
        exchange.wait(20_000)
        exchange.answerAll()
        #expect(exchange.heard() == ["installed"])
    }

    /// A peer that answers as it likes. The replica heals or waits, and never traps.
    @Test func hostileChunks() throws {
        let changes: [(inout SnapshotChunk) -> Void] = [
            { $0.chunk = 9 }, { $0.chunk = -1 }, { $0.chunk = .max }, { $0.chunks = 4_000_000_000 },
            { $0.chunks = 0 }, { $0.chunks = -5 }, { $0.chunks = .max }, { $0.rows = -1 },
            { $0.rows = .max }, { $0.digest ^= 1 }, { $0.revision = .max }, { $0.kinds = [] },
            { $0.settings = nil }, { $0.slices = [] }, { $0.slices += $0.slices },
            { $0.slices.reverse() }, { $0.id = "" },
        ]
        for change in changes {
            let exchange = large()
            for _ in 0..<12 where !exchange.asked.isEmpty {
                let (verb, tag) = exchange.asked.removeFirst()
                var reply = exchange.reply(to: verb)
                if var part = chunk(reply) {
                    change(&part)
                    reply.answer = .snapshot(part)
                }
                exchange.answer(reply, tag: tag)
                #expect(exchange.asked.count <= 4)
            }
            exchange.hear(exchange.heartbeat)
            exchange.asked = []
            for _ in 0..<4 {
                exchange.wait(40_000)
                exchange.hear(exchange.heartbeat)
                exchange.answerAll()
            }
            #expect(exchange.isInStep)
        }
    }

    @Test func aSnapshotThatNeverFitsIsNotAskedForInALoop() {
        let exchange = Exchange.live("a")
        exchange.add("b")
        exchange.commit(.drop)
        exchange.commit(.create)
        exchange.hear(exchange.heartbeat)
        var questions = 0
        for _ in 0..<100 {
            while !exchange.asked.isEmpty, questions < 10_000 {
                questions += 1
                let (verb, tag) = exchange.asked.removeFirst()
                var reply = exchange.reply(to: verb)
                guard var part = chunk(reply) else { continue }
                part.digest ^= 1
                reply.answer = .snapshot(part)
                exchange.answer(reply, tag: tag)
            }
            exchange.wait(100)
        }
        #expect((2...20).contains(questions), "\(questions) in ten seconds")
    }

    @Test func hostilePublicationsAndAnswers() {
        let exchange = Exchange.live("a")
        let heads = [
            Head(revision: .max, digest: 0, oldest: .max), Head(revision: 0, digest: 0, oldest: 9),
        ]
        for head in heads {
            for base in [.max, .max - 1, 0, 1, 77] as [UInt64] {
                var publication = exchange.welcome
                publication.heartbeat = head
                publication.welcome = nil
                publication.diffs = [
                    Diff(base: base, digest: 0, cause: Cause(verb: ""), ops: [.remove("a")])
                ]
                exchange.hear(publication)
                for tag in exchange.asked.map(\.tag) {
                    let answer: Reply.Answer = .standing(Standing(.same, head: head))
                    exchange.answer(Reply(epoch: ID128(high: 9, low: 9), answer), tag: tag)
                }
                for tag in [0, 1, .max] as [UInt64] {
                    let answer: Reply.Answer = .done(rows: [], unchanged: true)
                    exchange.answer(Reply(epoch: ID128(high: 1, low: 1), answer), tag: tag)
                }
            }
        }
        exchange.asked = []
        for _ in 0..<3 {
            exchange.wait(20_000)
            exchange.hear(exchange.heartbeat)
            exchange.answerAll()
        }
        #expect(exchange.isInStep)
    }

    @Test func diffsThatWaitAreBounded() {
        let exchange = Exchange.live("a")
        exchange.add("b")
        exchange.hear(exchange.heartbeat)
        var publication = exchange.welcome
        publication.welcome = nil
        publication.diffs = (0..<25_000).map {
            Diff(base: 100 + $0, digest: 0, cause: Cause(verb: ""), ops: [])
        }
        exchange.hear(publication)
        for _ in 0..<4 {
            exchange.answerAll()
            exchange.wait(20_000)
            exchange.hear(exchange.heartbeat)
        }
        exchange.answerAll()
        #expect(exchange.isInStep)
    }
}
