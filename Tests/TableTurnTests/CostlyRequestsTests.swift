import TableSync
import TableTurn
import Testing

/// Requests that let others by: in the order of each sender, users and their connections by turns.
@Suite struct CostlyRequestsTests {
    private var waiting = CostlyRequests<String>()

    private func sender(_ user: UInt32, _ connection: UInt8 = 0) -> CostlyRequests<String>.Sender {
        .init(.user(user), connection: [connection])
    }

    private mutating func all() -> [String] {
        var all: [String] = []
        while let next = waiting.next() { all.append(next.work) }
        return all
    }

    @Test mutating func ofOneSenderInTheOrderOfArrival() {
        for work in ["a", "b", "c"] { waiting.add(work, bytes: 1, from: sender(1)) }
        #expect(waiting.hasAny(of: sender(1)) && !waiting.hasAny(of: sender(1, 1)))
        #expect(all() == ["a", "b", "c"])
        #expect(waiting.count == 0 && !waiting.hasAny(of: sender(1)))
    }

    @Test mutating func aUserWithManyConnectionsLeavesEverySecondTurnToAnother() {
        for connection in 0..<8 {
            for n in 0..<2 {
                waiting.add("many\(n)", bytes: 1, from: sender(1, UInt8(connection)))
            }
        }
        for n in 0..<3 { waiting.add("few\(n)", bytes: 1, from: sender(2)) }
        let order = all()
        #expect(order.count == 19)
        #expect(order.prefix(6).filter { $0.hasPrefix("few") } == ["few0", "few1", "few2"])
        // Each of the eight had its first before any had its second.
        let many = order.filter { $0.hasPrefix("many") }
        #expect(many.prefix(8).allSatisfy { $0 == "many0" })
    }

    @Test mutating func threeUsersAllHaveTurns() {
        for user in UInt32(1)...3 {
            for n in 0..<3 { waiting.add("\(user)\(n)", bytes: 1, from: sender(user)) }
        }
        let order = all()
        #expect(Set(order.prefix(3)) == ["10", "20", "30"])
        #expect(Set(order.suffix(3)) == ["12", "22", "32"])
    }

    @Test mutating func boundedInNumberAndInBytes() {
        for n in 0..<CostlyRequests<String>.most {
            #expect(!waiting.isFull)
            waiting.add("\(n)", bytes: 1, from: sender(1, UInt8(n % 7)))
        }
        #expect(waiting.isFull)
        _ = waiting.next()
        #expect(!waiting.isFull)
        _ = all()
        for _ in 0..<16 { waiting.add("large", bytes: 1 << 20, from: sender(1)) }
        #expect(waiting.isFull)
        _ = waiting.next()
        #expect(!waiting.isFull)
    }
}
