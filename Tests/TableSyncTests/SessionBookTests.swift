import Simulation
import TableModel
import Testing

@testable import TableSync

/// Remembered answers belong to a principal.
struct SessionBookTests {
    private var limits: Limits {
        var limits = Limits()
        (limits.sessions, limits.repliesPerSession, limits.replies) = (4, 4, 100)
        return limits
    }

    private func answer(_ number: UInt64, _ text: UInt8) -> Sessions.Answered {
        .init(number: number, requestHash: number, reply: [text])
    }

    private func verdict(
        _ book: SessionBook, _ who: UInt32, _ client: ID, _ number: UInt64, opened: UInt64 = 0
    ) -> Sessions.Verdict {
        var book = book
        return book.verdict(
            of: .user(who), client: client, number: number, opened: opened, requestHash: number)
    }

    @Test func oneClientIdIsTwoSessions() {
        var book = SessionBook()
        for (owner, text) in [(ID("uid:1"), UInt8(1)), ("uid:2", 2)] {
            book.remember(
                answer(1, text), of: .principal(owner), client: "c", opened: 0, position: 1,
                within: limits)
        }
        #expect(verdict(book, 1, "c", 1) == .answered([1]))
        #expect(verdict(book, 2, "c", 1) == .answered([2]))
        #expect(verdict(book, 3, "c", 1) == .fresh)
        #expect(book.count == 2)
    }

    @Test func aPrincipalEvictsItsOwnOnly() {
        var book = SessionBook()
        book.remember(
            answer(1, 7), of: .principal("uid:1"), client: "hers", opened: 0, position: 1,
            within: limits)
        for position in UInt64(2)...5_000 {
            book.remember(
                answer(1, 0), of: .principal("uid:2"), client: ID("c\(position)"), opened: 0,
                position: position, within: limits)
        }
        #expect(verdict(book, 1, "hers", 1) == .answered([7]))
        #expect(verdict(book, 1, "new", 1) == .fresh)
        #expect(book[.principal("uid:2")].byClient.count == 4)
        guard case .refused(let rejection) = verdict(book, 2, "c2", 1) else {
            Issue.record("what was let go is run again")
            return
        }
        #expect(rejection.code == .unknown)
    }

    /// Of a state directory from before there were principals: whoever sent it is answered, and
    /// nobody runs it again.
    @Test func whatIsFromBefore() {
        var book = SessionBook()
        book.remember(
            answer(1, 9), of: .unknown, client: "c", opened: nil, position: 1, within: limits)
        #expect(verdict(book, 1, "c", 1) == .answered([9]))
        #expect(verdict(book, 1, "c", 2) == .fresh)
        book.remember(
            answer(2, 2), of: .principal("uid:1"), client: "c", opened: 0, position: 2,
            within: limits)
        #expect(verdict(book, 1, "c", 1) == .answered([9]))
        #expect(verdict(book, 1, "c", 2) == .answered([2]))
        // Who was forgotten then is not new to a principal now.
        book.restore([], evictedTo: 50, of: .unknown)
        guard case .refused = verdict(book, 1, "other", 1, opened: 49) else {
            Issue.record("what may have been carried out is run again")
            return
        }
        #expect(verdict(book, 1, "other", 1, opened: 50) == .fresh)
    }

    @Test func allTogetherAreBounded() {
        var book = SessionBook()
        for user in 0..<3_000 {
            book.remember(
                answer(1, 1), of: .principal(ID("uid:\(user)")), client: "c", opened: 0,
                position: UInt64(user + 1), within: limits)
            #expect(book.count <= 16 + 1)
        }
        #expect(book.all.count <= 1_026)
        // A principal that was forgotten as a whole is not new either.
        guard case .refused = verdict(book, 0, "c", 1, opened: 0) else {
            Issue.record("a forgotten command is run again")
            return
        }
    }

    @Test func checkpoint() {
        var book = SessionBook()
        for position in UInt64(1)...40 {
            let owner: Sessions.Owner =
                position % 5 == 0 ? .unknown : .principal(ID("uid:\(position % 3)"))
            book.remember(
                answer(position, 1), of: owner, client: ID("c\(position % 7)"), opened: 0,
                position: position, within: limits)
        }
        var other = SessionBook()
        for (owner, sessions) in book.all.reversed() {
            other.restore(
                sessions.byClient.map { .init($0.key, $0.value) }, evictedTo: sessions.evictedTo,
                of: owner)
        }
        #expect(other.byOwner == book.byOwner && other.evictedTo == book.evictedTo)
    }

    /// Bytes are bounded of one, of a family and of all; nobody loses what is known of it.
    @Test func allTogetherAreBoundedInBytes() {
        var limits = limits
        limits.sessions = 100
        limits.replyBytes = 8_000
        var book = SessionBook()
        func bytes() -> Int {
            book.byOwner.values.flatMap(\.values).flatMap(\.answers).reduce(0) {
                $0 + $1.reply.count
            }
        }
        for position in UInt64(1)...400 {
            let large = Sessions.Answered(
                number: 1, requestHash: 1, reply: Array(repeating: 7, count: 900))
            book.remember(
                large, of: .principal(ID("uid:\(position % 10)")), client: ID("c\(position)"),
                opened: 0, position: position, within: limits)
            #expect(bytes() <= 4 * 8_000 && book.total.bytes == bytes())
            #expect(book[.principal("uid:3")].replyBytes <= 8_000)
        }
        #expect(verdict(book, 0, "c400", 1) == .answered(Array(repeating: 7, count: 900)))
        #expect(verdict(book, 1, "c1", 2) == .fresh && verdict(book, 1, "new", 1) == .fresh)
    }
}

/// A principal's children: each has its own answers, and what one makes up takes no place of another's.
struct SessionFamilyTests {
    private var limits: Limits {
        var limits = Limits()
        (limits.sessions, limits.repliesPerSession, limits.replies) = (64, 4, 1_000)
        return limits
    }

    private func answer(_ text: UInt8) -> Sessions.Answered {
        .init(number: 1, requestHash: 1, reply: [text])
    }

    private func principal(_ name: String, of uid: UInt32 = 1) throws -> Principal {
        Principal.user(uid).child(try Behalf(name: name))
    }

    private func verdict(
        _ book: SessionBook, _ who: Principal, _ client: ID, opened: UInt64 = 0
    ) -> Sessions.Verdict {
        var book = book
        return book.verdict(of: who, client: client, number: 1, opened: opened, requestHash: 1)
    }

    private func isUnknown(_ verdict: Sessions.Verdict) -> Bool {
        if case .refused(let rejection) = verdict { return rejection.code == .unknown }
        return false
    }

    @Test func madeUpClientsOfOneChildPushOutItsOwnOnly() throws {
        var book = SessionBook()
        let names = ["grill", "bar", "desk"]
        for (place, name) in names.enumerated() {
            book.remember(
                answer(UInt8(place)), of: try principal(name), client: "pos", opened: 0,
                position: UInt64(place + 1), within: limits)
        }
        book.remember(
            answer(9), of: .user(2), client: "pos", opened: 0, position: 9, within: limits)
        let flooder = try principal("bad")
        for position in UInt64(10)...5_000 {
            book.remember(
                answer(0), of: flooder, client: ID("c\(position)"), opened: 0, position: position,
                within: limits)
        }
        for (place, name) in names.enumerated() {
            #expect(
                verdict(book, try principal(name), "pos") == .answered([UInt8(place)]), "\(name)")
        }
        #expect(verdict(book, .user(2), "pos") == .answered([9]))
        #expect(isUnknown(verdict(book, flooder, "c10")))
        // A child may have an eighth of what its parent may.
        #expect(book[.principal(flooder.identity)].byClient.count == 8)
    }

    /// Each sibling fills its own share: together they have twice what one may, and who has least keeps all.
    @Test func siblingsTogetherAreBoundedAndFair() throws {
        var book = SessionBook()
        let quiet = try principal("quiet")
        for number in 0..<3 {
            book.remember(
                answer(1), of: quiet, client: ID("q\(number)"), opened: 0,
                position: UInt64(number + 1), within: limits)
        }
        var position: UInt64 = 10
        for round in 0..<50 {
            for child in 0..<30 {
                position += 1
                book.remember(
                    answer(0), of: try principal("child \(child)"), client: ID("c\(round)"),
                    opened: 0, position: position, within: limits)
            }
        }
        #expect(book.count <= 2 * limits.sessions && book.count > limits.sessions)
        for number in 0..<3 {
            #expect(verdict(book, quiet, ID("q\(number)")) == .answered([1]))
        }
    }

    /// 3,000 children of one: others, and their children, are as they were.
    @Test func madeUpChildrenPushOutTheirOwnFamilyOnly() throws {
        var book = SessionBook()
        var wide = limits
        (wide.sessions, wide.replies) = (100_000, 100_000)
        let victims = [Principal.user(2), try principal("a", of: 2)]
        for victim in victims {
            book.remember(
                answer(5), of: victim, client: "c", opened: 0, position: 1, within: wide)
        }
        for number in 0..<3_000 {
            book.remember(
                answer(0), of: try principal("n\(number)"), client: "c", opened: 0,
                position: UInt64(number + 2), within: wide)
        }
        for victim in victims { #expect(verdict(book, victim, "c") == .answered([5])) }
        #expect(book.all.count < SessionBook.mostChildren + 10)
        // Of the family whoever was forgotten is not new; of others everybody is.
        #expect(isUnknown(verdict(book, try principal("n0"), "c")))
        #expect(isUnknown(verdict(book, try principal("never seen"), "c", opened: 50)))
        #expect(verdict(book, try principal("new", of: 2), "d") == .fresh)
        #expect(verdict(book, .user(3), "c") == .fresh)
        #expect(verdict(book, try principal("new"), "c", opened: 3_002) == .fresh)
    }

    @Test func whoWasQuietForADayIsForgotten() throws {
        var book = SessionBook()
        for (place, name) in ["gone", "there"].enumerated() {
            book.remember(
                answer(1), of: try principal(name), client: "c", opened: 0,
                position: UInt64(place + 1), within: limits)
        }
        book.remember(answer(1), of: .user(1), client: "c", opened: 0, position: 3, within: limits)
        for hour in 0..<(SessionBook.mostSweeps + 1) {
            #expect(verdict(book, try principal("gone"), "c") == .answered([1]), "\(hour)")
            book.remember(
                answer(1), of: try principal("there"), client: "c", opened: 0,
                position: UInt64(hour + 10), within: limits)
            book.sweep(nowMs: UInt64(hour + 1) * SessionBook.sweepMs)
        }
        #expect(book[.principal("uid:1/gone")].byClient.isEmpty)
        #expect(verdict(book, try principal("there"), "c") == .answered([1]))
        // What it had sent is not run again, and what its parent has stays.
        #expect(isUnknown(verdict(book, try principal("gone"), "d")))
        #expect(book.count == 2)
    }

    @Test func checkpointOfFamilies() throws {
        var book = SessionBook()
        for position in UInt64(1)...3_000 {
            book.remember(
                answer(1), of: try principal("n\(position)", of: UInt32(position % 2)),
                client: ID("c\(position % 7)"), opened: 0, position: position, within: limits)
        }
        for all in [book.all, book.all.reversed()] {
            var other = SessionBook()
            for (owner, sessions) in all {
                other.restore(
                    sessions.byClient.map { .init($0.key, $0.value) },
                    evictedTo: sessions.evictedTo, of: owner)
            }
            #expect(other.byOwner == book.byOwner && other.count == book.count)
            #expect(other.evictedTo == book.evictedTo)
            #expect(
                other[.principal("uid:1/x")].evictedTo == book[.principal("uid:1/x")].evictedTo)
        }
    }
}
