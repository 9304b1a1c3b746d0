import TableModel
import TableSync
import Testing

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
}
