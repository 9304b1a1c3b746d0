import TableSync
import Testing

@testable import TableTurn

/// Whose requests let others by because they took long.
@Suite struct SlowSendersTests {
    private static let ms: UInt64 = 1_000_000

    private func sender(_ user: UInt32, _ connection: UInt8 = 1) -> RequestSender {
        RequestSender(.user(user), connection: [connection])
    }

    @Test func aConnectionWaitsForASecondAfterEachSlowRequest() {
        var slow = SlowSenders()
        #expect(slow.isQuiet(atNs: 0) && !slow.mustWait(sender(1), nowNs: 0))
        slow.note(tookNs: 4 * Self.ms, of: sender(1), nowNs: 0, hasWaited: false)
        #expect(!slow.isQuiet(atNs: 999 * Self.ms) && slow.isQuiet(atNs: 1_000 * Self.ms))
        #expect(slow.mustWait(sender(1), nowNs: 999 * Self.ms))
        // Not others, and not another connection of the same user.
        for other in [sender(2), sender(1, 2)] { #expect(!slow.mustWait(other, nowNs: 1)) }
        slow.note(tookNs: 4 * Self.ms, of: sender(1), nowNs: 900 * Self.ms, hasWaited: true)
        #expect(slow.mustWait(sender(1), nowNs: 1_800 * Self.ms))
        #expect(!slow.mustWait(sender(1), nowNs: 1_900 * Self.ms))
    }

    @Test func littleIsNothingIfItIsSeldom() {
        var slow = SlowSenders()
        for second in UInt64(0)..<9 {
            let now = second * 1_000 * Self.ms
            slow.note(tookNs: Self.ms, of: sender(1), nowNs: now, hasWaited: false)
            #expect(!slow.mustWait(sender(1), nowNs: now))
        }
        for _ in 0..<3 {
            slow.note(tookNs: Self.ms, of: sender(1), nowNs: 9_000 * Self.ms, hasWaited: false)
        }
        #expect(slow.mustWait(sender(1), nowNs: 9_000 * Self.ms))
    }

    @Test func aUserWithManyConnectionsWaitsAsAWhole() {
        var slow = SlowSenders()
        for connection in 0..<10 {
            slow.note(
                tookNs: 4 * Self.ms, of: sender(1, UInt8(connection)), nowNs: 0,
                hasWaited: false)
        }
        // 40 ms, of which 25 may be owed: the others are forgiven in 16 times as long.
        #expect(slow.mustWait(sender(1, 99), nowNs: 239 * Self.ms))
        #expect(!slow.mustWait(sender(1, 99), nowNs: 241 * Self.ms))
        #expect(!slow.mustWait(sender(2), nowNs: 1))
        // What has let others by is owed to nobody.
        for _ in 0..<100 {
            slow.note(
                tookNs: 4 * Self.ms, of: sender(3, 7), nowNs: 300 * Self.ms, hasWaited: true)
        }
        #expect(!slow.mustWait(sender(3, 8), nowNs: 300 * Self.ms))
    }

    /// Requests that are quick, but not light, from many connections: the user owes for them, and no connection.
    @Test func manyThatAreNotLightAreOwedByTheUser() {
        var slow = SlowSenders()
        let took = SlowSenders.lightNs * 2
        #expect(took < SlowSenders.quickNs)
        for number in 1...125 {
            #expect(!slow.mustWait(sender(1), nowNs: 0))
            slow.note(
                tookNs: took, of: sender(1, UInt8(number)), nowNs: 0, hasWaited: false)
        }
        // 25 ms may be owed.
        #expect(!slow.mustWait(sender(1), nowNs: 0))
        slow.note(tookNs: took, of: sender(1), nowNs: 0, hasWaited: false)
        #expect(slow.mustWait(sender(1, 200), nowNs: 0) && !slow.mustWait(sender(2), nowNs: 0))
        // What exceeds that is forgiven in 16 times as long.
        #expect(slow.mustWait(sender(1), nowNs: took * 16 - 1))
        #expect(slow.isQuiet(atNs: took * 16))
        // A single connection that sends them does not wait for a second.
        for _ in 0..<100 {
            slow.note(tookNs: took, of: sender(3), nowNs: 5_000 * Self.ms, hasWaited: true)
        }
        #expect(!slow.mustWait(sender(3), nowNs: 5_000 * Self.ms))
    }

    @Test func howeverManyAreSlowFewAreKept() {
        var slow = SlowSenders()
        for user in 0..<5_000 {
            let sender = sender(UInt32(user))
            slow.note(tookNs: 90 * Self.ms, of: sender, nowNs: 5, hasWaited: false)
            #expect(slow.mustWait(sender, nowNs: 6))
        }
        #expect((0..<5_000).count { slow.mustWait(sender(UInt32($0)), nowNs: 6) } <= 1_024)
        #expect(!slow.isQuiet(atNs: 6) && slow.isQuiet(atNs: 2_000 * Self.ms))
    }
}

extension SlowSenders {
    /// Whether nobody has to wait.
    fileprivate func isQuiet(atNs now: UInt64) -> Bool { now >= quietFromNs }
}
