import CPeerGuard
import Testing

/// What libzmq answers without asking anybody, and what it is told in place of what a client said.
@Suite struct CommandTests {
    private static func command(_ name: String, more: Int) -> [UInt8] {
        let body = [UInt8(name.utf8.count)] + Array(name.utf8)
        return StreamTests.frame(body + [UInt8](repeating: 7, count: more), flags: 4)
    }

    @Test(arguments: ["DEALER", "SUB"]) func pingsHaveTheirSize(kind: String) {
        let begin = StreamTests.greeting + StreamTests.ready(kind)
        for more in 0...20 {
            let isPing = 2...18 ~= more, isPong = more <= 16
            let ping = StreamTests.read(begin + Self.command("PING", more: more))
            #expect(ping == (isPing ? PEER_GUARD_NONE : PEER_GUARD_MESSAGE), "\(more)")
            let pong = StreamTests.read(begin + Self.command("PONG", more: more))
            #expect(pong == (isPong ? PEER_GUARD_NONE : PEER_GUARD_MESSAGE), "\(more)")
        }
        var reader = StreamTests.Reader()
        let three = (0..<3).flatMap { _ in Self.command("PING", more: 2) }
        #expect(reader.read(begin + three) == PEER_GUARD_NONE)
        #expect(reader.stream.pings == 3)
        #expect(reader.read(Self.command("PONG", more: 0)) == PEER_GUARD_NONE)
        #expect(reader.stream.pings == 0 && reader.stream.pongs == 1)
    }

    /// Reads only what is wanted, as the guard does, and returns what libzmq sees of READY.
    private static func seen(_ ready: [UInt8], name: UInt64, room: Int = 2_048) -> [UInt8] {
        var reader = StreamTests.Reader()
        let bytes = StreamTests.greeting + ready
        var at = 0
        var isHeld = false
        while !reader.stream.is_guest, at < bytes.count {
            let wanted = peer_guard_stream_wants(&reader.stream, &isHeld)
            #expect(isHeld == (at >= 64) && wanted > 0)
            let end = min(bytes.count, at + wanted)
            #expect(reader.read(Array(bytes[at..<end])) == PEER_GUARD_NONE)
            at = end
        }
        #expect(at == bytes.count, "nothing behind READY is read with it")
        var seen = [UInt8](repeating: 0, count: room)
        let size = peer_guard_stream_ready(&reader.stream, name, &seen, seen.count)
        return Array(seen[..<size])
    }

    @Test func whoHasNoRoutingIDIsGivenOne() {
        let given = StreamTests.property("Identity", [1, 1, 2, 3, 4, 5, 6, 7, 8])
        let name: UInt64 = 0x0102_0304_0506_0708
        for filler in [0, 100, 170, 171, 190, 900] {
            for identity in [[], StreamTests.property("Identity", [])] {
                let kind = StreamTests.property("Socket-Type", Array("REQ".utf8))
                let body =
                    [5] + Array("READY".utf8) + kind
                    + StreamTests.property("X", [UInt8](repeating: 9, count: filler)) + identity
                let seen = Self.seen(StreamTests.frame(body, flags: 4), name: name)
                #expect(seen == StreamTests.frame(body + given, flags: 4), "\(filler)")
            }
        }
        #expect(Self.seen(StreamTests.ready("DEALER"), name: name, room: 51).isEmpty, "no room")
    }

    @Test func otherNamesStayAsTheyAre() {
        let named = StreamTests.ready("DEALER", identity: Array("mine".utf8))
        #expect(Self.seen(named, name: 5) == named)
        #expect(Self.seen(StreamTests.ready("SUB"), name: 5) == StreamTests.ready("SUB"))
    }

    @Test func nobodyClaimsANameOfTheGuards() {
        let own = StreamTests.ready("DEALER", identity: [1, 1, 2, 3, 4, 5, 6, 7, 8])
        #expect(StreamTests.read(StreamTests.greeting + own) == PEER_GUARD_IDENTITY)
        let other = StreamTests.ready("DEALER", identity: [1, 1, 2, 3])
        #expect(StreamTests.read(StreamTests.greeting + other) == PEER_GUARD_NONE)
    }
}
