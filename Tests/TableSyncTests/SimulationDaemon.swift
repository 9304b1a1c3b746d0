import TableHash
import TableModel
import TableSync

/// A daemon around a `Server`: does what `Ready` says in its order, with a journal that survives
/// crashes, which come between any two stages and in the midst of the last two.
final class SimulatedDaemon {
    /// Who is to be told, and what.
    struct Outputs {
        var publish: (Publication) -> Void
        var reply: (Route, Reply) -> Void
    }

    private(set) var server: Server
    private(set) var isUp = true
    private var journal: [[Ready.Record]] = []
    private let laws: Laws
    private let codec: RegistryCodec
    private let dice: Dice
    private let bug: PlantedBug?
    private let limits: Limits
    private let retention: Retention

    init(laws: Laws, codec: RegistryCodec, dice: Dice, bug: PlantedBug?) {
        self.laws = laws
        self.codec = codec
        self.dice = dice
        self.bug = bug
        var limits = Limits()
        limits.repliesPerSession = dice.pick([64, 4])
        self.limits = limits
        retention = Retention(diffs: dice.pick([1_000, 12, 3]))
        server = Self.server(dice.id128(), limits, codec, retention, dice)
    }

    private static func server(
        _ epoch: ID128, _ limits: Limits, _ codec: RegistryCodec, _ retention: Retention,
        _ dice: Dice
    ) -> Server {
        Server(
            epoch: epoch, limits: limits, codec: codec, retention: retention,
            makeID: { dice.id128() })
    }

    // MARK: One turn

    private enum Stage: Int {
        case drained, decided, committed, published, replied
    }

    /// One turn of the loop; it may end in a crash.
    func turn(
        _ requests: [(route: Route, request: Request)], nowMs: UInt64, crashes: Bool,
        _ outputs: Outputs
    ) {
        let crashAfter = crashes ? Stage(rawValue: dice.below(5)) : nil
        if crashAfter == .drained { return crash() }
        if bug == .noDeduplication { server.restore(Sessions(limits: limits)) }
        server.begin(nowMs: nowMs)
        for (route, request) in requests {
            server.receive(request, requestHash: Self.hash(request), from: route)
        }
        server.watchHandlers(monotonicMs: nowMs)
        let ready = server.finish()
        if crashAfter == .decided, bug == nil { return crash() }
        if bug == .publishBeforeCommit { publish(ready, outputs) }
        if bug == .replyBeforeCommit { reply(ready, requests, outputs) }
        if crashAfter == .decided { return crash() }
        commit(ready)
        if crashAfter == .committed { return crash() }
        let isCut = crashAfter == .published && dice.chance(500)
        publish(ready, outputs, most: isCut ? dice.below(ready.publications.count + 1) : nil)
        if crashAfter == .published { return crash() }
        let most = crashAfter == .replied ? dice.below(ready.replies.count + 1) : nil
        reply(ready, requests, outputs, most: most)
        if crashAfter == .replied { crash() }
    }

    /// A writer sends the same bytes under the same number: the laws hold it to that.
    private static func hash(_ request: Request) -> UInt64 {
        XXH64.hash(Array("\(request.client?.text ?? "")#\(request.number ?? 0)".utf8))
    }

    private func commit(_ ready: Ready) {
        if ready.records.isEmpty { return }
        var records = ready.records
        if bug == .answersNotJournaled {
            records.removeAll { if case .answered = $0 { true } else { false } }
        }
        journal.append(records)
        laws.committed(records)
        laws.note("commit \(journal.count): \(records.count) records")
    }

    private func publish(_ ready: Ready, _ outputs: Outputs, most: Int? = nil) {
        for outgoing in ready.publications.prefix(most ?? ready.publications.count) {
            laws.published(outgoing.publication, encoded: outgoing.encoded)
            outputs.publish(outgoing.publication)
        }
    }

    private func reply(
        _ ready: Ready, _ requests: [(route: Route, request: Request)], _ outputs: Outputs,
        most: Int? = nil
    ) {
        for answer in ready.replies.prefix(most ?? ready.replies.count) {
            guard let reply = reply(for: answer) else {
                laws.demand(false, "a remembered reply cannot be read")
                continue
            }
            outputs.reply(answer.route, reply)
        }
    }

    private func reply(for answer: Ready.Answer) -> Reply? {
        switch answer.body {
        case .reply(let reply):
            laws.replied(reply)
            return spoiled(reply)
        case .remembered(let bytes):
            guard var reply = codec.decodeReply(bytes) else { return nil }
            laws.replied(reply)
            if bug == .rememberedAnswerDiffers { reply.epoch = server.epoch }
            return reply
        case .replay(let reply, let encoded):
            laws.replied(reply, encoded: encoded)
            guard case .replay(var publication, let head) = reply.answer else { return nil }
            publication.diffs = encoded.compactMap { codec.decodeDiff($0) }
            laws.demand(publication.diffs.count == encoded.count, "a replay cannot be read")
            if bug == .replayTooLate, publication.diffs.count > 1 {
                publication.diffs.removeFirst()
            }
            var whole = reply
            whole.answer = .replay(publication, head: head)
            return whole
        case .forDaemon(let request):
            var hello = Hello()
            hello.opened = server.position
            return server.makeReply(request, .hello(hello))
        }
    }

    private func spoiled(_ reply: Reply) -> Reply {
        guard bug == .snapshotLacksRow, case .snapshot(var chunk) = reply.answer,
            let place = chunk.slices.firstIndex(where: { !$0.rows.isEmpty })
        else { return reply }
        chunk.slices[place].rows.removeLast()
        var reply = reply
        reply.answer = .snapshot(chunk)
        return reply
    }

    // MARK: Publications that no command caused

    func welcome(to table: TableID) -> Publication {
        let welcome = server.welcome(to: table)
        laws.published(welcome, encoded: [])
        return welcome
    }

    func heartbeats(nowMs: UInt64) -> [Publication] {
        let all = server.heartbeats(nowMs: nowMs)
        for one in all { laws.published(one, encoded: []) }
        return all
    }

    // MARK: Crash and recovery

    private func crash() {
        isUp = false
        laws.note("crash at position \(journal.count)")
        if bug == .lostTailInOneEpoch, !journal.isEmpty { journal.removeLast() }
    }

    /// Another process, with what is on disk.
    func restart() {
        let epoch = bug == .lostTailInOneEpoch ? server.epoch : dice.id128()
        server = recovered(epoch: epoch)
        isUp = true
        laws.note("start at position \(server.position)")
    }

    private func recovered(epoch: ID128) -> Server {
        let server = Self.server(epoch, limits, codec, retention, dice)
        for (index, records) in journal.enumerated() {
            for record in records {
                if bug == .answersNotRecovered, case .answered = record { continue }
                do throws(RecoveryError) {
                    try server.replay(record, position: UInt64(index + 1))
                } catch {
                    laws.demand(false, "recovery: \(error)")
                    return server
                }
            }
            server.restored(position: UInt64(index + 1))
        }
        return server
    }

    /// What is on disk leads to what is in memory.
    func compareWithJournal() {
        let other = recovered(epoch: server.epoch)
        laws.demand(other.summaries == server.summaries, "the journal leads to another state")
        laws.demand(other.position == server.position, "the journal has another position")
        laws.demand(other.sessions.byClient == server.sessions.byClient, "other sessions")
        for held in server.tables.values {
            let fault = held.table.fault()
            laws.demand(fault == nil, "the table is broken: \(fault ?? "")")
            laws.demand(
                held.table.recomputedDigest() == held.table.digest, "a digest is out of step")
        }
    }
}
