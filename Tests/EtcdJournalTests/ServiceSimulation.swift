import JournalFormat

@testable import EtcdJournal

/// Some members over one modelled etcd, in one thread, from one seed. Answers are late, get lost, or belong
/// to a request that is carried out long after nobody waits for it; processes stop, go on, and die.
struct ServiceSimulation {
    /// A mistake that the laws must find.
    enum Bug: CaseIterable {
        /// An append does not compare the term.
        case appendsUnfenced
        /// An append does not compare the head.
        case appendsAnywhere
        /// No answer to an append counts as a good one.
        case takesSilenceForSuccess
        /// The key of the writer has no lease, so that it is not gone when the writer is: nobody takes over.
        case leadsForEver
        /// A campaign does not look whether there is a writer.
        case campaignsBlindly
        /// A writer answers reads whether or not it may still be the writer.
        case readsWithoutLooking
        /// A renewal alone counts as proof: the read that follows it is answered from memory.
        case trustsOldReads
    }

    struct Violation: Error, CustomStringConvertible {
        var description: String
    }

    /// A request on its way, or its answer.
    private struct Message {
        var atMs: UInt64
        var member: Int
        var life: Int
        var slot: EtcdMember.Slot
        var call: EtcdCall
        /// It is carried out then, and nobody hears of it.
        var isGhost = false
    }

    private struct Answer {
        var atMs: UInt64
        var member: Int
        var life: Int
        var slot: EtcdMember.Slot
        var result: Result<EtcdAnswer, EtcdFailure>
    }

    /// A process: a member, and as much of a turn as there must be.
    private struct Process {
        var life = 0
        var member: EtcdMember
        /// What it holds in memory: perhaps ahead of the journal.
        var memory: [[UInt8]] = []
        var term: UInt64?
        var stoppedUntilMs: UInt64 = 0
        var isDead = false
        var oldRead: EtcdAnswer?
        /// So many of its entries were acknowledged, or seen to be.
        var told = 0
    }

    private let bug: Bug?
    private var random: SeededGenerator
    private var etcd = ModelEtcd()
    private var processes: [Process] = []
    private var messages: [Message] = []
    private var answers: [Answer] = []
    private var nowMs: UInt64 = 1_000
    private var isCalm = false
    private var made = 0
    /// What was told to somebody: by position.
    private(set) var acknowledged: [UInt64: [UInt8]] = [:]
    private(set) var takeovers = 0
    private let keys = EtcdKeys(name: "s")

    init(seed: UInt64, members: Int = 2, bug: Bug? = nil) {
        random = SeededGenerator(seed)
        self.bug = bug
        for index in 0..<members { processes.append(Process(member: Self.member(index, 0))) }
    }

    private static func member(_ index: Int, _ life: Int) -> EtcdMember {
        var settings = EtcdMember.Settings(name: "s", id: "m\(index)-\(life)")
        settings.endpoints = ["tcp://127.0.0.1:\(7_000 + index)"]
        settings.leaseSeconds = 4
        return EtcdMember(settings)
    }

    // MARK: The run

    mutating func run() throws {
        while nowMs < 41_000 {
            isCalm = nowMs > 31_000
            nowMs += 10
            etcd.tick(nowMs)
            if !isCalm { disturb() }
            deliver()
            for index in processes.indices where isRunning(index) { try turn(index) }
        }
        try checkTheEnd()
    }

    private func isRunning(_ index: Int) -> Bool {
        !processes[index].isDead && processes[index].stoppedUntilMs <= nowMs
    }

    private mutating func disturb() {
        guard random.chance(1) else { return }
        let index = Int.random(in: processes.indices, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0, 1:
            processes[index].stoppedUntilMs = nowMs + UInt64.random(in: 500...9_000, using: &random)
        case 2: die(index)
        case 3: etcd.extendLeases(nowMs)
        default: etcd.isFull.toggle()
        }
    }

    private mutating func die(_ index: Int) {
        let life = processes[index].life + 1
        processes[index] = Process(life: life, member: Self.member(index, life))
        processes[index].stoppedUntilMs = nowMs + UInt64.random(in: 100...3_000, using: &random)
    }

    /// Requests reach etcd, and answers reach their members.
    private mutating func deliver() {
        if isCalm { etcd.isFull = false }
        let due = messages.filter { $0.atMs <= nowMs }
        messages.removeAll { [nowMs] in $0.atMs <= nowMs }
        for message in due {
            let result = etcd.answer(changed(message.call), nowMs)
            if message.isGhost { continue }
            answers.append(
                Answer(
                    atMs: nowMs + late(30), member: message.member, life: message.life,
                    slot: message.slot, result: result))
        }
        // A process that is stopped hears of its answers when it goes on.
        let running = Set(processes.indices.filter(isRunning))
        let heard = answers.filter { $0.atMs <= nowMs && running.contains($0.member) }
        answers.removeAll { [nowMs] in $0.atMs <= nowMs && running.contains($0.member) }
        for answer in heard where processes[answer.member].life == answer.life {
            tell(answer)
        }
    }

    private mutating func tell(_ answer: Answer) {
        var result = answer.result
        let member = processes[answer.member].member
        if bug == .takesSilenceForSuccess, answer.slot == .append, case .failure(.noAnswer) = result
        {
            result = .success(EtcdAnswer(revision: 0, .txn(succeeded: true, [])))
        }
        if bug == .trustsOldReads, answer.slot == .read, member.isLeading,
            case .success(let read) = result
        {
            let old = processes[answer.member].oldRead ?? read
            processes[answer.member].oldRead = old
            result = .success(old)
        }
        switch result {
        case .success(let good):
            processes[answer.member].member.answered(answer.slot, good, nowMs: nowMs)
        case .failure(let bad):
            processes[answer.member].member.failed(answer.slot, bad, nowMs: nowMs)
        }
    }

    private mutating func late(_ most: UInt64) -> UInt64 {
        UInt64.random(in: 0...most, using: &random)
    }

    private mutating func send(_ call: EtcdCall, _ slot: EtcdMember.Slot, of index: Int) {
        let life = processes[index].life
        var message = Message(
            atMs: nowMs + late(20), member: index, life: life, slot: slot, call: call)
        guard !isCalm, random.chance(6) else { return messages.append(message) }
        // No answer. It may have been carried out, now or long after.
        if random.chance(70) {
            message.isGhost = true
            message.atMs = nowMs + (random.chance(30) ? late(6_000) : late(20))
            messages.append(message)
        }
        answers.append(
            Answer(
                atMs: nowMs + 800, member: index, life: life, slot: slot,
                result: .failure(.noAnswer("the model is silent"))))
    }

    /// The request that a faulty member sends.
    private func changed(_ call: EtcdCall) -> EtcdCall {
        guard let bug, case .txn(var txn) = call else { return call }
        let isAppend = txn.success.contains {
            if case .put(let key, _, _) = $0 { key == keys.head } else { false }
        }
        let isCampaign = txn.success.contains {
            if case .put(let key, _, _) = $0 { key == keys.leader } else { false }
        }
        switch bug {
        case .appendsUnfenced where isAppend:
            txn.compares.removeAll {
                if case .created(let key, _) = $0 { key == keys.leader } else { false }
            }
        case .appendsAnywhere where isAppend:
            txn.compares.removeAll {
                switch $0 {
                case .value: true
                case .created(let key, _): key == keys.head
                }
            }
        case .campaignsBlindly where isCampaign: txn.compares = []
        case .leadsForEver where isCampaign:
            txn.success = txn.success.map {
                if case .put(let key, let value, _) = $0 {
                    .put(key: key, value: value, lease: 0)
                } else {
                    $0
                }
            }
        default: break
        }
        return .txn(txn)
    }

    // MARK: A turn, as `Turn` has it

    private mutating func turn(_ index: Int) throws {
        if !processes[index].member.isJoined || processes[index].member.isLost {
            try recover(index)
        }
        if let fault = processes[index].member.fault { throw Violation(description: fault) }
        let member = processes[index].member
        if member.term != processes[index].term {
            // All that is in memory must be durable, or it is thrown away.
            if UInt64(processes[index].memory.count) != member.durable { try recover(index) }
            if member.term != nil { takeovers += 1 }
            processes[index].term = processes[index].member.term
        }
        if processes[index].term == nil {
            // A watch that loses most of what it sees.
            if random.chance(5) { processes[index].member.wake() }
            try follow(index)
        } else {
            try acknowledge(index)
            submit(index)
            try read(index)
        }
        let calls = processes[index].member.calls(nowMs: nowMs)
        for (slot, call) in calls { send(call, slot, of: index) }
    }

    /// All that is there; it takes no time.
    private func entries(_ reading: inout EtcdReading) throws -> [[UInt8]] {
        var found: [[UInt8]] = []
        var model = etcd
        _ = try reading.recover { one in
            if case .entry(_, let bytes) = one { found.append(Array(bytes)) }
        } asking: {
            try model.answer($0, nowMs).get()
        }
        return found
    }

    private mutating func recover(_ index: Int) throws {
        var reading = EtcdReading(keys: keys, mostBytes: 1 << 20)
        let memory = try entries(&reading)
        try check(memory, of: index)
        processes[index].memory = memory
        processes[index].told = 0
        processes[index].member.recovered(reading.found)
        processes[index].term = processes[index].member.term
    }

    private mutating func follow(_ index: Int) throws {
        let known = UInt64(processes[index].memory.count)
        if processes[index].member.durable == known { return }
        for (position, payload) in processes[index].member.takeEntries(after: known) {
            guard position == UInt64(processes[index].memory.count) + 1 else {
                throw Violation(description: "entry \(position) comes out of turn")
            }
            processes[index].memory.append(payload)
        }
        try check(processes[index].memory, of: index)
    }

    private mutating func submit(_ index: Int) {
        let process = processes[index]
        guard let term = process.member.term, process.member.isCurrent(nowMs: nowMs),
            UInt64(process.memory.count) < process.member.durable + 20, !isCalm || random.chance(20)
        else { return }
        made += 1
        let entry = Array("\(index)-\(process.life)-\(made)".utf8)
        processes[index].memory.append(entry)
        processes[index].member.submit(
            entry, position: UInt64(processes[index].memory.count), term: term)
    }

    private mutating func acknowledge(_ index: Int) throws {
        let process = processes[index]
        let durable = Int(process.member.durable)
        guard durable <= process.memory.count else {
            throw Violation(description: "more is durable than there is")
        }
        for place in min(process.told, durable)..<durable {
            let position = UInt64(place + 1)
            if let told = acknowledged[position], told != process.memory[place] {
                throw Violation(
                    description: "position \(position) was acknowledged with other bytes")
            }
            acknowledged[position] = process.memory[place]
        }
        processes[index].told = durable
    }

    /// What a writer answers is the newest state: nobody else has written since.
    private func read(_ index: Int) throws {
        let process = processes[index]
        let mayAnswer = process.member.isCurrent(nowMs: nowMs) || bug == .readsWithoutLooking
        guard mayAnswer, let term = process.term, let kept = etcd.keys[keys.head],
            let head = EtcdHead(kept.value)
        else { return }
        guard head.term <= term else {
            throw Violation(
                description: "a stale read at term \(term), while \(head.term) has written")
        }
    }

    // MARK: Laws

    private func check(_ memory: [[UInt8]], of index: Int) throws {
        for (position, entry) in acknowledged where position <= memory.count {
            guard memory[Int(position) - 1] == entry else {
                throw Violation(description: "member \(index) has another entry at \(position)")
            }
        }
        guard Set(memory).count == memory.count else {
            throw Violation(description: "an entry is there twice")
        }
    }

    private mutating func checkTheEnd() throws {
        var reading = EtcdReading(keys: keys, mostBytes: 1 << 20)
        let log = try entries(&reading)
        try check(log, of: -1)
        guard acknowledged.keys.allSatisfy({ $0 <= log.count }) else {
            throw Violation(description: "an acknowledged entry is gone")
        }
        let writers = processes.filter {
            $0.member.term != nil && $0.member.isCurrent(nowMs: nowMs)
        }
        guard writers.count == 1 else {
            let all = processes.map { "\($0.member)" }.joined(separator: "\n")
            throw Violation(
                description: "at rest there are \(writers.count) writers:\n\(all)")
        }
        for process in processes {
            guard process.member.durable + 100 >= UInt64(log.count) else {
                throw Violation(
                    description: "at rest a member is behind \(log.count): \(process)")
            }
        }
    }
}
