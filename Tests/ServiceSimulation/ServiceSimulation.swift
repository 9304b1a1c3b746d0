import EtcdJournal
import JournalPort

/// Some members over one modelled etcd, in one thread, from one seed. Answers are late, get lost, or belong
/// to a request that is carried out long after nobody waits for it; processes stop, go on, die, step down, and
/// are cut off; checkpoints are written, and what they cover is removed.
package struct ServiceSimulation {
    package struct Violation: Error, CustomStringConvertible {
        package var description: String
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
    struct Process {
        var life = 0
        var member: EtcdMember
        /// The entries that it holds in memory: perhaps ahead of the journal.
        var memory: [[UInt8]] = []
        /// So much of that was held against what was acknowledged.
        var checked = 0
        var term: UInt64?
        var stoppedUntilMs: UInt64 = 0
        /// etcd is not to be reached before.
        var cutUntilMs: UInt64 = 0
        /// Nothing is submitted until all is durable, and it begins.
        var wantsCheckpoint = false
        var isWritingCheckpoint = false
        /// So many of its entries were acknowledged, or seen to be.
        var told = 0

        // Only a planted bug looks at these.
        var oldRead: EtcdAnswer?
        /// It was stopped for so long in all.
        var lostMs: UInt64 = 0
        var again: [[UInt8]] = []
    }

    let bug: ServiceBug?
    var random: SeededGenerator
    var etcd = ModelEtcd()
    var processes: [Process] = []
    private var messages: [Message] = []
    private var answers: [Answer] = []
    var nowMs: UInt64 = 1_000
    var isCalm = false
    private var made = 0
    /// The entries of which a client was told, by position.
    package internal(set) var acknowledged: [UInt64: [UInt8]] = [:]
    /// The newest position that was told to somebody, and when it became that.
    var newest: [(atMs: UInt64, position: UInt64)] = []
    package private(set) var takeovers = 0
    package private(set) var checkpoints = 0
    let keys = EtcdKeys(name: "s")

    package init(seed: UInt64, members: Int = 2, bug: ServiceBug? = nil) {
        random = SeededGenerator(seed)
        self.bug = bug
        for index in 0..<members { processes.append(Process(member: Self.member(index, 0))) }
    }

    private static func member(_ index: Int, _ life: Int) -> EtcdMember {
        var service = EtcdSettings()
        (service.name, service.leaseSeconds) = ("s", 4)
        var settings = EtcdMember.Settings(service, id: "m\(index)-\(life)")
        settings.endpoints = ["tcp://127.0.0.1:\(7_000 + index)"]
        return EtcdMember(settings)
    }

    // MARK: The run

    package mutating func run() throws {
        // A daemon that has stepped down is no candidate for twelve seconds, and at rest there is a leader.
        while nowMs < 47_000 {
            isCalm = nowMs > 31_000
            nowMs += 10
            etcd.tick(nowMs)
            if !isCalm { disturb() }
            deliver()
            for index in processes.indices where isRunning(index) { try turn(index) }
            if nowMs.isMultiple(of: 200) { try checkTheJournal() }
        }
        try checkTheEnd()
    }

    private func isRunning(_ index: Int) -> Bool {
        processes[index].stoppedUntilMs <= nowMs
    }

    private mutating func disturb() {
        guard random.chance(1) else { return }
        let index = Int.random(in: processes.indices, using: &random)
        switch Int.random(in: 0..<7, using: &random) {
        case 0, 1: stop(index, for: UInt64.random(in: 500...9_000, using: &random))
        case 2: die(index)
        case 3: etcd.extendLeases(nowMs)
        case 4: processes[index].cutUntilMs = nowMs + UInt64.random(in: 500...9_000, using: &random)
        case 5: processes[index].member.stepDown()
        default: etcd.isFull.toggle()
        }
    }

    private mutating func die(_ index: Int) {
        let life = processes[index].life + 1
        processes[index] = Process(life: life, member: Self.member(index, life))
        stop(index, for: UInt64.random(in: 100...3_000, using: &random))
    }

    private mutating func stop(_ index: Int, for ms: UInt64) {
        let until = max(processes[index].stoppedUntilMs, nowMs + ms)
        processes[index].lostMs += until - max(processes[index].stoppedUntilMs, nowMs)
        processes[index].stoppedUntilMs = until
    }

    /// By the clock of this process.
    func clock(_ index: Int) -> UInt64 {
        nowMs - (bug == .clockStandsStill ? processes[index].lostMs : 0)
    }

    /// Requests reach etcd, and answers reach their members.
    private mutating func deliver() {
        if isCalm { etcd.isFull = false }
        let due = messages.filter { $0.atMs <= nowMs }
        messages.removeAll { [nowMs] in $0.atMs <= nowMs }
        for message in due {
            let result = etcd.answer(
                bug?.changed(message.call, keys) ?? message.call, nowMs)
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
        let index = answer.member
        guard let result = heard(answer.result, answer.slot, by: index) else { return }
        let nowMs = clock(index)
        switch result {
        case .success(let good):
            processes[index].member.answered(answer.slot, good, nowMs: nowMs)
        case .failure(let bad): processes[index].member.failed(answer.slot, bad, nowMs: nowMs)
        }
    }

    /// The answer as a faulty member hears it; nil: not at all.
    private mutating func heard(
        _ result: Result<EtcdAnswer, EtcdFailure>, _ slot: EtcdMember.Slot, by index: Int
    ) -> Result<EtcdAnswer, EtcdFailure>? {
        switch (bug, slot, result) {
        case (.takesSilenceForSuccess, .append, .failure(.noAnswer)):
            return .success(EtcdAnswer(revision: 0, .txn(succeeded: true, [])))
        case (.takesSilenceForRefusal, .append, .failure(.noAnswer)):
            return .failure(.full("silence"))
        case (.waitsForEver, .read, .failure(.noAnswer)): return nil
        case (.trustsOldReads, .read, .success(let read)):
            guard processes[index].member.isLeading else { return result }
            let old = processes[index].oldRead ?? read
            processes[index].oldRead = old
            return .success(old)
        case (.believesTwiceTheLease, .lease, .success(let good)):
            guard case .lease(let id, let seconds) = good.body else { return result }
            return .success(EtcdAnswer(revision: good.revision, .lease(id, seconds: 2 * seconds)))
        default: return result
        }
    }

    private mutating func late(_ most: UInt64) -> UInt64 {
        UInt64.random(in: 0...most, using: &random)
    }

    private mutating func send(_ call: EtcdCall, _ slot: EtcdMember.Slot, of index: Int) {
        let life = processes[index].life
        var message = Message(
            atMs: nowMs + late(20), member: index, life: life, slot: slot, call: call)
        let isCut = processes[index].cutUntilMs > nowMs
        guard !isCalm, isCut || random.chance(6) else { return messages.append(message) }
        // No answer. It may have been carried out, now or long after.
        if !isCut, random.chance(70) {
            message.isGhost = true
            message.atMs = nowMs + (random.chance(30) ? late(6_000) : late(20))
            messages.append(message)
        }
        answers.append(
            Answer(
                atMs: nowMs + 800, member: index, life: life, slot: slot,
                result: .failure(.noAnswer("the model is silent"))))
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
            try readOfAFollower(index)
        } else {
            try acknowledge(index)
            submit(index)
            try read(index)
            writeCheckpoint(index)
        }
        for (slot, call) in processes[index].member.calls(nowMs: clock(index)) {
            send(call, slot, of: index)
        }
    }

    /// All that is there; it takes no time. Of larger answers none arrives.
    func entries(_ reading: inout EtcdReading) throws -> [[UInt8]] {
        var found: [[UInt8]] = []
        var model = etcd
        var silences = 0
        _ = try reading.recover { one in
            switch one {
            case .checkpoint: break
            case .part(let bytes):
                found += bytes.split(separator: UInt8(ascii: " ")).map { Array($0) }
            case .entry(_, let bytes): found.append(Array(bytes))
            }
        } asking: {
            let answer = try model.answer($0, nowMs, atMost: 1_000)
            silences = answer == nil ? silences + 1 : 0
            guard silences < 10 else { throw Violation(description: "it asks for too much") }
            return answer
        }
        return found
    }

    private mutating func recover(_ index: Int) throws {
        var reading = EtcdReading(keys: keys, mostBytes: 1 << 20)
        var memory = try entries(&reading)
        try check(memory, of: index)
        let undone = Array(processes[index].memory.dropFirst(memory.count))
        if bug == .keepsWhatWasFenced { memory += undone }
        if bug == .resubmitsWhatWasFenced {
            processes[index].again = Array(
                processes[index].memory.dropFirst(Int(processes[index].member.durable)))
        }
        processes[index].memory = memory
        processes[index].checked = memory.count
        processes[index].told = 0
        processes[index].isWritingCheckpoint = false
        processes[index].wantsCheckpoint = false
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
        try checkTheNew(index)
    }

    /// Where all that is in memory is durable, as a turn does it.
    private mutating func writeCheckpoint(_ index: Int) {
        let process = processes[index]
        if process.isWritingCheckpoint {
            if processes[index].member.finishCheckpoint() {
                processes[index].isWritingCheckpoint = false
                checkpoints += 1
            }
        } else if !process.wantsCheckpoint {
            processes[index].wantsCheckpoint = random.chance(2)
        } else if UInt64(process.memory.count) == process.member.durable {
            processes[index].wantsCheckpoint = false
            processes[index].isWritingCheckpoint = true
            processes[index].member.beginCheckpoint()
            var rest = process.memory[...]
            while !rest.isEmpty {
                let part = Array(rest.prefix(100).joined(separator: [UInt8(ascii: " ")]))
                processes[index].member.appendToCheckpoint(part)
                rest = rest.dropFirst(100)
            }
        }
    }

    private mutating func submit(_ index: Int) {
        let process = processes[index]
        guard let term = process.member.term, process.member.isCurrent(nowMs: clock(index)),
            UInt64(process.memory.count) < process.member.durable + 20, !process.wantsCheckpoint,
            !isCalm || random.chance(20)
        else { return }
        made += 1
        let entry =
            processes[index].again.popLast() ?? Array("\(index)-\(process.life)-\(made)".utf8)
        processes[index].memory.append(entry)
        processes[index].member.submit(
            entry, position: UInt64(processes[index].memory.count), term: term)
    }
}
