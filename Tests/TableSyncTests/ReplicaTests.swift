import TableModel
import TableSync
import Testing

/// The transitions of a viewer's replica, one by one.
struct ReplicaTests {
    @Test func joinsBySnapshotAndGoesOnByDiffs() {
        let exchange = Exchange()
        exchange.commit(.create)
        exchange.add("a", "b")
        exchange.start()
        #expect(exchange.heard() == ["subscribe"] && exchange.freshness == .connecting)
        #expect(exchange.replica.table == nil)
        exchange.hear(exchange.welcome)
        #expect(exchange.asked.count == 1 && exchange.freshness == .stale(forMs: 0))
        exchange.answerAll()
        #expect(exchange.heard() == ["installed"] && exchange.isInStep)
        exchange.hear(exchange.add("c", "d"))
        #expect(exchange.heard() == ["applied 3", "applied 4"] && exchange.isInStep)
    }

    @Test func diffsWaitForTheSnapshot() {
        let exchange = Exchange()
        exchange.commit(.create)
        exchange.add("a")
        exchange.start()
        exchange.hear(exchange.welcome)
        let before = exchange.add("b")
        let (verb, tag) = exchange.asked.removeFirst()
        let snapshot = exchange.reply(to: verb)
        let after = exchange.add("c")
        exchange.hear(before + after)
        exchange.answer(snapshot, tag: tag)
        // Of those that waited the snapshot has one already.
        #expect(exchange.heard() == ["subscribe", "installed", "applied 3"])
        #expect(exchange.isInStep)
    }

    @Test func duplicatesAndOldDiffsArePassedOver() {
        let exchange = Exchange.live("a")
        let publications = exchange.add("b", "c")
        exchange.hear(publications + publications + publications)
        #expect(exchange.heard() == ["applied 2", "applied 3"] && exchange.isInStep)
    }

    /// Revisions that were heard of during a snapshot are not forgotten.
    @Test func isNotLiveBelowWhatItWasToldOf() {
        let exchange = Exchange()
        exchange.commit(.create)
        exchange.add("a")
        exchange.start()
        exchange.hear(exchange.welcome)
        let (verb, tag) = exchange.asked.removeFirst()
        let snapshot = exchange.reply(to: verb)
        exchange.add("b")
        // The diff was lost; the welcome of a second subscription says that there was one.
        exchange.hear(exchange.welcome)
        exchange.answer(snapshot, tag: tag)
        #expect(exchange.freshness == .stale(forMs: 0))
        exchange.answerAll()
        #expect(exchange.heard() == ["subscribe", "installed", "applied 2"] && exchange.isInStep)
    }

    @Test func anotherTablesPublicationsAreNotHeard() {
        let exchange = Exchange.live("a")
        var publication = exchange.welcome
        publication.table = "t2"
        publication.history = nil
        exchange.wait(5_000)
        exchange.hear(publication)
        #expect(exchange.freshness == .stale(forMs: 5_000))
    }

    @Test func aGapIsSeenByTheNextDiffAndReplayed() {
        let exchange = Exchange.live("a")
        exchange.add("b", "c")
        exchange.hear(exchange.add("d"))
        #expect(exchange.heard() == [] && exchange.replica.table?.revision == 1)
        #expect(exchange.freshness == .stale(forMs: 0))
        let more = exchange.add("e")
        exchange.answerAll()
        exchange.hear(more)
        #expect(exchange.heard() == ["applied 2", "applied 3", "applied 4", "applied 5"])
        #expect(exchange.isInStep && exchange.replica.mismatches == 0)
    }

    @Test func aHeartbeatProvesAGapAndNeverAdvances() {
        let exchange = Exchange.live("a")
        exchange.add("b")
        let digest = exchange.replica.table?.digest
        exchange.hear(exchange.heartbeat)
        #expect(exchange.replica.table?.revision == 1 && exchange.replica.table?.digest == digest)
        #expect(exchange.asked.count == 1)
        exchange.hear(exchange.heartbeat)
        #expect(exchange.asked.count == 1, "one question at a time")
        exchange.answerAll()
        #expect(exchange.heard() == ["applied 2"] && exchange.isInStep)
        exchange.hear(exchange.heartbeat)
        #expect(exchange.asked.isEmpty)
    }

    @Test func replayComesInPages() {
        let exchange = Exchange.live("a")
        let text = String(repeating: "x", count: 4_000)
        for number in 0..<200 {
            exchange.commit(.command(Command(.set("a", .init(title: "\(number) \(text)")))))
        }
        // The codec's bytes are short: pages are made by hand.
        exchange.hear(exchange.heartbeat)
        var pages = 0
        while !exchange.asked.isEmpty, pages < 100 {
            let (verb, tag) = exchange.asked.removeFirst()
            var reply = exchange.reply(to: verb)
            guard case .replay(var publication, let head) = reply.answer else {
                Issue.record("no replay: \(reply)")
                return
            }
            publication.diffs = Array(publication.diffs.prefix(30))
            reply.answer = .replay(publication, head: head)
            exchange.answer(reply, tag: tag)
            pages += 1
        }
        #expect(pages == 7 && exchange.isInStep)
    }

    @Test func whatIsCompactedComesAsASnapshot() {
        let exchange = Exchange.live("a", retention: Retention(diffs: 2))
        exchange.add("b", "c", "d", "e")
        exchange.hear(exchange.heartbeat)
        exchange.answerAll()
        #expect(exchange.heard() == ["installed"] && exchange.isInStep)
    }

    @Test func anEmptyReplayBehindTheHeadLeadsToASnapshot() {
        let exchange = Exchange.live("a")
        exchange.add("b")
        exchange.hear(exchange.heartbeat)
        let (verb, tag) = exchange.asked.removeFirst()
        var reply = exchange.reply(to: verb)
        reply.answer = .replay(
            Publication(table: "t", history: reply.history, epoch: reply.epoch), head: 2)
        exchange.answer(reply, tag: tag)
        exchange.answerAll()
        #expect(exchange.heard() == ["installed"] && exchange.isInStep)
    }

    // MARK: Another epoch

    @Test func sameAfterARestart() {
        let exchange = Exchange.live("a")
        exchange.restart(epoch: 2)
        exchange.hear(exchange.heartbeat)
        exchange.answerAll()
        #expect(exchange.heard() == ["same"] && exchange.isInStep)
        exchange.hear(exchange.add("b"))
        #expect(exchange.heard() == ["applied 2"] && exchange.isInStep)
    }

    /// A checkpoint tells the daemon its digest. So viewers that were at that head need no
    /// snapshot, although the table has later revisions.
    @Test func extendAfterARestart() {
        let exchange = Exchange.live("a")
        exchange.restart(epoch: 2)
        exchange.hear(exchange.add("b", "c"))
        exchange.answerAll()
        #expect(exchange.heard() == ["extend", "applied 2", "applied 3"] && exchange.isInStep)
    }

    @Test func rolledBackAfterARestart() throws {
        let exchange = Exchange.live("a")
        let old = try #require(exchange.table?.copy())
        exchange.hear(exchange.add("b"))
        exchange.restart(epoch: 2, with: old)
        exchange.hear(exchange.heartbeat)
        exchange.answerAll()
        #expect(exchange.heard() == ["applied 2", "rolledBack", "installed"])
        #expect(exchange.isInStep && exchange.replica.mismatches == 0)
    }

    @Test func divergedAfterARestart() throws {
        let exchange = Exchange.live("a")
        let old = try #require(exchange.table?.copy())
        exchange.hear(exchange.add("b"))
        exchange.restart(epoch: 2, with: old)
        exchange.add("other")
        exchange.hear(exchange.heartbeat)
        exchange.answerAll()
        #expect(exchange.heard() == ["applied 2", "diverged", "installed"])
        exchange.hear(exchange.add("c"))
        #expect(exchange.isInStep && exchange.replica.mismatches == 0)
    }

    @Test func tooOldToTellAfterARestart() {
        let exchange = Exchange.live("a", retention: Retention(diffs: 1))
        exchange.add("b", "c", "d")
        exchange.restart(epoch: 2)
        exchange.hear(exchange.heartbeat)
        exchange.answerAll()
        #expect(exchange.heard() == ["compacted", "installed"] && exchange.isInStep)
    }

    @Test func aSecondRestartWhileAsking() {
        let exchange = Exchange.live("a")
        exchange.restart(epoch: 2)
        exchange.hear(exchange.heartbeat)
        exchange.restart(epoch: 3)
        exchange.hear(exchange.add("b"))
        #expect(exchange.asked.count == 2)
        exchange.answerAll()
        #expect(exchange.heard() == ["extend", "applied 2"] && exchange.isInStep)
    }

    @Test func aRestartWhilePulling() {
        let exchange = Exchange()
        exchange.commit(.create)
        exchange.add("a")
        exchange.start()
        exchange.hear(exchange.welcome)
        let (verb, tag) = exchange.asked.removeFirst()
        let old = exchange.reply(to: verb)
        exchange.restart(epoch: 2)
        exchange.hear(exchange.welcome)
        exchange.answer(old, tag: tag)
        #expect(exchange.heard() == ["subscribe"])
        exchange.answerAll()
        #expect(exchange.isInStep)
    }

    /// Who may not read a table is told nothing by publications.
    @Test func whoHearsNothingAsks() {
        let exchange = Exchange()
        exchange.start()
        for _ in 0..<2 {
            exchange.wait(1_500)
            #expect(exchange.heard().contains("subscribe"))
        }
        #expect(exchange.asked.map(\.0) == [.kinds])
        // The answer changes nothing, and a welcome after it begins as ever.
        exchange.commit(.create)
        exchange.answerAll()
        #expect(exchange.replica.table == nil)
        exchange.hear(exchange.welcome)
        exchange.answerAll()
        #expect(exchange.isInStep)
    }

    // MARK: Tables that come and go

    @Test func absentThenMadeThenDroppedThenMadeAgain() {
        let exchange = Exchange()
        exchange.start()
        exchange.hear(exchange.welcome)
        #expect(exchange.heard() == ["subscribe", "absent"] && exchange.freshness == .absent)
        #expect(exchange.replica.table == nil)
        exchange.hear(exchange.commit(.create))
        exchange.answerAll()
        #expect(exchange.heard() == ["installed"] && exchange.isInStep)
        #expect(exchange.replica.table?.count == 0 && exchange.freshness == .live)
        exchange.hear(exchange.add("a"))
        exchange.hear(exchange.commit(.drop))
        #expect(exchange.heard() == ["applied 1", "absent"])
        #expect(exchange.replica.table == nil && exchange.freshness == .absent)
        exchange.hear(exchange.commit(.create))
        exchange.hear(exchange.add("b"))
        exchange.answerAll()
        #expect(exchange.isInStep && exchange.replica.table?.rows.map(\.id) == ["b"])
    }

    @Test func dropAndCreateInOneTurn() {
        let exchange = Exchange.live("a")
        let add = Command(.add(.init(id: "b", .init())))
        exchange.hear(exchange.commit(.drop, .create, .command(add)))
        exchange.answerAll()
        #expect(exchange.isInStep && exchange.replica.mismatches == 0)
        #expect(exchange.replica.table?.rows.map(\.id) == ["b"])
    }

    @Test func anotherHistoryWithoutAWordOfTheDrop() {
        let exchange = Exchange.live("a", "b")
        exchange.commit(.drop)
        exchange.commit(.create)
        exchange.add("c", "d")
        exchange.hear(exchange.heartbeat)
        exchange.hear(exchange.add("e"))
        exchange.answerAll()
        #expect(exchange.isInStep && exchange.replica.mismatches == 0)
        #expect(exchange.replica.table?.count == 3)
    }

    /// A dropped table has no heartbeats, so the viewer asks by subscribing again.
    @Test func aLostDropIsNoticed() {
        let exchange = Exchange.live("a")
        exchange.commit(.drop)
        #expect(exchange.heartbeat == nil)
        exchange.wait(1_500)
        #expect(exchange.heard() == [] && exchange.freshness == .live)
        exchange.wait(1_000)
        #expect(exchange.heard() == ["subscribe"])
        exchange.hear(exchange.welcome)
        #expect(exchange.heard() == ["absent"] && exchange.freshness == .absent)
        // It goes on asking, and so stays sure that there is none.
        exchange.wait(2_500)
        #expect(exchange.heard() == ["subscribe"])
    }

    @Test func droppedWhileAsked() {
        let exchange = Exchange.live("a")
        exchange.add("b")
        exchange.hear(exchange.heartbeat)
        exchange.commit(.drop)
        exchange.answerAll()
        #expect(exchange.heard() == ["absent"] && exchange.freshness == .absent)
    }
}
