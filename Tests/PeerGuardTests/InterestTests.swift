import CPeerGuard
import Testing

/// What is asked of epoll, and what the guard answers by itself.
@Suite struct InterestTests {
    /// EPOLLOUT of <sys/epoll.h>, which Glibc's module does not have.
    private static let room: UInt32 = 0x4
    /// EPOLLIN, EPOLLOUT, EPOLLRDHUP and EPOLLET.
    private static let events: [UInt32] = [0x1, room, 0x2000, 1 << 31]
    /// Each set of these.
    private static let sets = (0..<16).map { set in
        events.enumerated().reduce(0) { set >> $1.offset & 1 == 1 ? $0 | $1.element : $0 }
    }

    /// Room is promised to who wishes for it and is not known to epoll, and of nothing else; and nobody
    /// whose last send the kernel has cut short is told so without a look.
    @Test func roomIsAllThatIsSaidWithoutAsking() {
        for wanted in Self.sets {
            for told in Self.sets {
                let isNew = wanted & ~told & Self.room != 0
                let free = peer_guard_interest(wanted, told, false)
                #expect((free == PEER_GUARD_HAS_ROOM) == isNew)
                let blocked = peer_guard_interest(wanted, told, true)
                #expect(blocked == (wanted == told ? PEER_GUARD_KNOWN : PEER_GUARD_ASK))
                if !isNew { #expect(free == blocked) }
            }
        }
    }
}
