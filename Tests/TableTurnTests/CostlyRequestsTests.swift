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
        for work in ["a", "b", "c"] { _ = add(work, of: sender(1)) }
        #expect(waiting.hasAny(of: sender(1)) && !waiting.hasAny(of: sender(1, 1)))
        #expect(all() == ["a", "b", "c"])
        #expect(waiting.count == 0 && !waiting.hasAny(of: sender(1)))
    }

    @Test mutating func aUserWithManyConnectionsLeavesEverySecondTurnToAnother() {
        for connection in 0..<8 {
            for n in 0..<2 {
                _ = add("many\(n)", of: sender(1, UInt8(connection)))
            }
        }
        for n in 0..<3 { _ = add("few\(n)", of: sender(2)) }
        let order = all()
        #expect(order.count == 19)
        #expect(order.prefix(6).filter { $0.hasPrefix("few") } == ["few0", "few1", "few2"])
        // Each of the eight had its first before any had its second.
        let many = order.filter { $0.hasPrefix("many") }
        #expect(many.prefix(8).allSatisfy { $0 == "many0" })
    }

    @Test mutating func threeUsersAllHaveTurns() {
        for user in UInt32(1)...3 {
            for n in 0..<3 { _ = add("\(user)\(n)", of: sender(user)) }
        }
        let order = all()
        #expect(Set(order.prefix(3)) == ["10", "20", "30"])
        #expect(Set(order.suffix(3)) == ["12", "22", "32"])
    }

    @Test mutating func boundedInNumberAndInBytes() {
        for n in 0..<CostlyRequests<String>.most {
            #expect(add("\(n)", of: sender(1, UInt8(n % 7))) == [])
        }
        #expect(add("more", of: sender(1)) == ["more"])
        _ = waiting.next()
        #expect(add("fits", of: sender(1)) == [])
        #expect(waiting.count == CostlyRequests<String>.most && all().last == "fits")
        for n in 0..<16 { #expect(add("\(n)", 1 << 20, of: sender(1)) == []) }
        #expect(add("large", 1, of: sender(1)) == ["large"])
        #expect(add("small", 1, of: sender(1, 1)) == ["15"])
        #expect(all().count == 16)
    }

    @Test mutating func whoHasMostWaitingMakesRoom() {
        for n in 0..<CostlyRequests<String>.most {
            #expect(add("many\(n)", of: sender(1, UInt8(n % 2))) == [])
        }
        // The latest of the one who has most, on whose connection it is.
        #expect(add("few", of: sender(2)).first?.hasPrefix("many") == true)
        #expect(add("many", of: sender(1)).count == 1)
        // Another connection of theirs has nothing that waits: it is heard.
        #expect(add("new", of: sender(1, 9)).first?.hasPrefix("many") == true)
        #expect(waiting.count == CostlyRequests<String>.most)
        _ = all()
        // Of all, a large one has most.
        for n in 0..<15 { #expect(add("large\(n)", 1 << 20, of: sender(1)) == []) }
        #expect(add("b", 1 << 20, of: sender(2)) == [])
        #expect(add("c", 2 << 20, of: sender(3)) == ["large14", "large13"])
        #expect(add("d", 17 << 20, of: sender(4)) == ["d"])
        #expect(all().count == 15)
    }

    @Test mutating func allOfOneUserIsTakenOut() {
        let user = Principal.user(1)
        for connection in UInt8(0)..<3 { _ = add("one\(connection)", of: sender(1, connection)) }
        _ = add("two", of: sender(2))
        _ = add("one3", 16 << 10, of: sender(1))
        let removed = waiting.removeAll(of: user.proof)
        #expect(removed.sorted() == ["one0", "one1", "one2", "one3"])
        #expect(waiting.count == 1 && !waiting.hasAny(of: sender(1)))
        let again = waiting.removeAll(of: user.proof)
        #expect(again == [])
        // Their places and their bytes are free again.
        for n in 0..<15 { #expect(add("\(n)", 1 << 20, of: sender(1)) == []) }
        #expect(all().prefix(2).sorted() == ["0", "two"])
    }

    private mutating func add(
        _ work: String, _ bytes: Int = 1, of sender: CostlyRequests<String>.Sender
    ) -> [String] {
        waiting.add(work, bytes: bytes, from: sender)
    }
}
