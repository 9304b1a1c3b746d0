import SeededNumbers
import Simulation
import TableModel
import TableSync
import Testing

/// Remembered answers are bounded in bytes.
extension SessionsTests {
    private func answer(_ number: UInt64, bytes: Int) -> Sessions.Answered {
        .init(
            number: number, requestHash: number * 7,
            reply: Array(repeating: UInt8(number % 256), count: bytes))
    }

    @Test func answersAreBoundedInBytes() {
        var limits = limits(perSession: 8)
        limits.replyBytes = 1_000
        var sessions = Sessions()
        for client in 0..<20 {
            sessions.remember(
                answer(1, bytes: 300), client: ID("c\(client)"), opened: nil,
                position: UInt64(client + 1), within: limits)
            #expect(sessions.replyBytes <= 1_000)
        }
        // The latest three are answered. Of the others it is known that it was carried out.
        for client in 17..<20 {
            #expect(
                verdict(sessions, ID("c\(client)"), 1)
                    == .answered(Array(repeating: 1, count: 300)))
        }
        #expect(isUnknown(verdict(sessions, "c16", 1)))
        // They are known still, and their next command is new.
        #expect(verdict(sessions, "c16", 2) == .fresh && verdict(sessions, "c0", 2) == .fresh)
        #expect(verdict(sessions, "other", 1) == .fresh)
        #expect(sessions.evictedTo == 0 && sessions.byClient.count == 20)
        #expect(sessions.replyCount == 3 && sessions.replyBytes == 900)
    }

    @Test func oneClientLosesItsOldest() {
        var limits = limits(perSession: 8)
        limits.replyBytes = 1_000
        var sessions = Sessions()
        for number in 1...20 as ClosedRange<UInt64> {
            sessions.remember(
                answer(number, bytes: 300), client: "a", opened: nil, position: number,
                within: limits)
        }
        #expect(sessions.byClient["a"]?.answers.map(\.number) == [18, 19, 20])
        #expect(isUnknown(verdict(sessions, "a", 17)) && verdict(sessions, "a", 21) == .fresh)
        // What is larger than all that may be remembered is remembered alone.
        sessions.remember(
            answer(21, bytes: 5_000), client: "a", opened: nil, position: 21, within: limits)
        #expect(sessions.byClient["a"]?.answers.map(\.number) == [21])
        sessions.remember(
            answer(1, bytes: 10), client: "b", opened: nil, position: 22, within: limits)
        #expect(sessions.replyBytes == 10 && sessions.replyCount == 1)
        #expect(isUnknown(verdict(sessions, "a", 21)) && verdict(sessions, "a", 22) == .fresh)
    }

    /// The bound holds also for a client that counts down.
    @Test func numbersThatDescendAreBounded() {
        var limits = limits(perSession: 8)
        limits.replyBytes = 1_000
        var sessions = Sessions()
        func remember(_ number: UInt64, at position: UInt64) {
            sessions.remember(
                answer(number, bytes: 300), client: "a", opened: nil, position: position,
                within: limits)
            #expect(sessions.replyBytes <= 1_000)
        }
        for number in [20, 19, 18] as [UInt64] { remember(number, at: 21 - number) }
        #expect(sessions.byClient["a"]?.answers.map(\.number) == [18, 19, 20])
        remember(17, at: 4)
        // What was just answered stays, and nothing runs again.
        #expect(sessions.byClient["a"]?.answers.map(\.number) == [17, 19, 20])
        #expect(sessions.replyCount == 3 && sessions.replyBytes == 900)
        #expect(verdict(sessions, "a", 17) == .answered(Array(repeating: 17, count: 300)))
        for number in [1, 16, 18] as [UInt64] { #expect(isUnknown(verdict(sessions, "a", number))) }
        #expect(verdict(sessions, "a", 21) == .fresh)
    }

    /// A daemon that was started anew, from a checkpoint on, remembers the same.
    @Test(arguments: 1...20)
    func aRestartRemembersTheSame(seed: UInt64) {
        var limits = limits(sessions: 10, perSession: 4, replies: 30)
        limits.replyBytes = 2_000
        var random = SplitMix64(seed: seed)
        var (one, other) = (Sessions(), Sessions())
        var numbers: [Int: UInt64] = [:]
        for position in 1...2_000 as ClosedRange<UInt64> {
            let client = Int(random.next() % 14)
            numbers[client, default: 0] += 1
            let answer = answer(
                numbers[client] ?? 0, bytes: Int(random.next() % (position % 5 == 0 ? 900 : 60)))
            one.remember(
                answer, client: ID("c\(client)"), opened: nil, position: position, within: limits)
            other.remember(
                answer, client: ID("c\(client)"), opened: nil, position: position, within: limits)
            if random.next() % 50 == 0 {
                // The other one starts anew.
                var anew = Sessions()
                for (client, session) in other.byClient {
                    let copy = Sessions.Session(
                        answers: session.answers, floor: session.floor, usedAt: session.usedAt)
                    anew.restore(copy, client: client)
                }
                anew.restored(evictedTo: other.evictedTo)
                other = anew
            }
            #expect(one.byClient == other.byClient && one.evictedTo == other.evictedTo)
            let bytes = one.byClient.values.flatMap(\.answers).reduce(0) { $0 + $1.reply.count }
            #expect(one.replyBytes == bytes && bytes <= 2_000)
            #expect(
                one.replyCount == one.byClient.values.reduce(0) { $0 + $1.answers.count })
        }
    }
}
