import CPeerGuard
import Testing

/// The answers that libzmq gives by itself.
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
}
