import EtcdJournal

// These laws must hold, whatever happens.

extension ServiceSimulation {
    mutating func acknowledge(_ index: Int) throws {
        let process = processes[index]
        let durable =
            bug == .acknowledgesEarly ? process.memory.count : Int(process.member.durable)
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
        if newest.last?.position ?? 0 < UInt64(durable) {
            newest.append((nowMs, UInt64(durable)))
        }
    }

    /// An answer of a standby is no older than a lease.
    func readOfAFollower(_ index: Int) throws {
        guard processes[index].member.isCurrent(nowMs: clock(index)) else { return }
        let old = newest.last { $0.atMs + 4_000 < nowMs }?.position ?? 0
        guard processes[index].memory.count >= old else {
            let process = processes[index]
            throw Violation(
                description: "member \(index) answers as it was before \(old), at \(nowMs):"
                    + " it has \(process.memory.count)\n\(process.member)")
        }
    }

    /// An answer of the leader is the newest state: no other daemon has written since.
    func read(_ index: Int) throws {
        let process = processes[index]
        let mayAnswer = process.member.isCurrent(nowMs: clock(index)) || bug == .readsWithoutLooking
        guard mayAnswer, let term = process.term, let kept = etcd.keys[keys.head],
            let head = EtcdHead(kept.value)
        else { return }
        guard head.term <= term else {
            throw Violation(
                description: "a stale read at term \(term), while \(head.term) has written")
        }
    }

    // MARK: Laws

    func check(_ memory: [[UInt8]], of index: Int) throws {
        for (position, entry) in acknowledged where position <= memory.count {
            guard memory[Int(position) - 1] == entry else {
                throw Violation(description: "member \(index) has another entry at \(position)")
            }
        }
        guard Set(memory).count == memory.count else {
            throw Violation(description: "an entry is there twice")
        }
    }

    /// Checks the entries that have come since.
    mutating func checkTheNew(_ index: Int) throws {
        let memory = processes[index].memory
        for place in processes[index].checked..<memory.count {
            guard acknowledged[UInt64(place + 1)] ?? memory[place] == memory[place] else {
                throw Violation(
                    description: "member \(index) has another entry at \(place + 1)")
            }
        }
        processes[index].checked = memory.count
    }

    /// A daemon that starts now finds all that was acknowledged.
    @discardableResult
    func checkTheJournal() throws -> [[UInt8]] {
        var reading = EtcdReading(keys: keys, mostBytes: 1 << 20)
        let log = try entries(&reading)
        guard (newest.last?.position ?? 0) <= log.count else {
            throw Violation(description: "an acknowledged entry is gone")
        }
        return log
    }

    func checkTheEnd() throws {
        let log = try checkTheJournal()
        try check(log, of: -1)
        let leaders = processes.indices.filter {
            processes[$0].member.term != nil
                && processes[$0].member.isCurrent(nowMs: clock($0))
        }
        guard leaders.count == 1 else {
            let all = processes.map { "\($0.member)" }.joined(separator: "\n")
            throw Violation(
                description: "at rest there are \(leaders.count) leaders:\n\(all)")
        }
        for process in processes {
            guard process.member.durable + 100 >= UInt64(log.count) else {
                throw Violation(
                    description: "at rest a member is behind \(log.count): \(process)")
            }
        }
    }
}
