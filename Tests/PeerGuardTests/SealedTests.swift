import CPeerGuard
import Testing

/// Encrypted streams: the guard lets CURVE's handshake through in its order, and counts frames.
@Suite struct SealedTests {
    private static let greeting =
        [0xFF] + [UInt8](repeating: 0, count: 8) + [0x7F, 3, 1] + Array("CURVE".utf8)
        + [UInt8](repeating: 0, count: 15 + 32)
    private static let hello = command("\u{5}HELLO", bytes: 200)
    private static let initiate = command("\u{8}INITIATE", bytes: 300)

    private static func command(_ name: String, bytes: Int) -> [UInt8] {
        let body = Array(name.utf8)
        return StreamTests.frame(
            body + [UInt8](repeating: 0, count: bytes - body.count), flags: 4)
    }

    private static func message(_ content: Int) -> [UInt8] {
        let count = content + Int(PEER_GUARD_SEAL_BYTES)
        return StreamTests.frame([UInt8](repeating: 7, count: count))
    }

    private struct Reader: ~Copyable {
        var stream = peer_guard_stream()

        init(subscribes: Bool = false) {
            stream.is_sealed = true
            stream.subscribes = subscribes
            stream.is_named = true
        }

        mutating func read(_ bytes: [UInt8]) -> peer_guard_reason {
            var limits = StreamTests.limits
            return peer_guard_stream_read(&stream, &limits, bytes, bytes.count)
        }

        deinit {
            var stream = stream
            peer_guard_stream_end(&stream)
        }
    }

    @Test func handshakePassesInItsOrder() {
        var reader = Reader()
        #expect(reader.read(Self.greeting + Self.hello) == PEER_GUARD_NONE)
        #expect(!reader.stream.is_guest)
        for byte in Self.initiate { #expect(reader.read([byte]) == PEER_GUARD_NONE) }
        #expect(reader.stream.is_guest)
        #expect(reader.read(Self.message(100) + Self.message(0)) == PEER_GUARD_NONE)
        let cost = UInt64(PEER_GUARD_FRAME_COST)
        #expect(reader.stream.finished_bytes == 100 + 2 * cost)
    }

    @Test func otherHandshakesAreRefused() {
        let long = Self.command("\u{5}HELLO", bytes: 201)
        let others = [
            StreamTests.ready("DEALER"), Self.initiate, Self.hello + Self.hello, long,
            Self.hello + Self.message(4), Self.hello + Self.command("\u{8}INITIATE", bytes: 100),
        ]
        for bytes in others {
            var reader = Reader()
            #expect(reader.read(Self.greeting + bytes) == PEER_GUARD_HANDSHAKE)
        }
        var plain = Reader()
        let null = Self.greeting[..<12] + Array("NULL".utf8) + Self.greeting[16...]
        #expect(plain.read(Array(null)) == PEER_GUARD_HANDSHAKE)
        // And CURVE at an endpoint without keys.
        #expect(StreamTests.read(Self.greeting) == PEER_GUARD_HANDSHAKE)
    }

    /// libzmq sees HELLO and INITIATE as they came, each by itself.
    @Test func commandsAreHeldUntilTheyAreWhole() {
        for subscribes in [false, true] {
            var reader = Reader(subscribes: subscribes)
            #expect(reader.read(Self.greeting) == PEER_GUARD_NONE)
            for command in [Self.hello, Self.initiate] {
                for byte in command {
                    #expect(!reader.stream.is_said)
                    #expect(reader.read([byte]) == PEER_GUARD_NONE)
                }
                #expect(reader.stream.is_said)
                var seen = [UInt8](repeating: 0, count: 400)
                let size = peer_guard_stream_handshake(&reader.stream, 1, &seen, seen.count)
                #expect(Array(seen[..<size]) == command)
            }
            #expect(reader.stream.is_guest && reader.stream.kept == nil)
            #expect(reader.read(Self.message(20)) == PEER_GUARD_NONE)
        }
    }

    /// Where libzmq does not open INITIATE by the guard nobody is served.
    @Test func aConnectionWithoutTheGuardsNameEnds() {
        var reader = Reader()
        reader.stream.is_named = false
        #expect(reader.read(Self.greeting + Self.hello + Self.initiate) == PEER_GUARD_NONE)
        #expect(reader.read(Self.message(20)) == PEER_GUARD_HANDSHAKE)
    }

    @Test func framesAreBounded() {
        let begun = Self.greeting + Self.hello + Self.initiate
        var short = Reader()
        #expect(short.read(begun + StreamTests.frame([1, 2, 3])) == PEER_GUARD_MESSAGE)
        var large = Reader()
        let size = Int(StreamTests.limits.message_bytes) + 1
        #expect(large.read(begun + Self.message(size)) == PEER_GUARD_MESSAGE)
        var viewer = Reader(subscribes: true)
        #expect(viewer.read(begun + Self.message(40)) == PEER_GUARD_NONE)
        #expect(viewer.stream.subscriptions == 1)
    }

    /// Nothing longer than the longest topic and the name of SUBSCRIBE; each may be a topic.
    @Test func aViewerSFramesAreTakenForTopics() {
        let begun = Self.greeting + Self.hello + Self.initiate
        let longest = 10 + Int(StreamTests.limits.topic_bytes)
        let cost = UInt32(PEER_GUARD_TOPIC_COST)
        var viewer = Reader(subscribes: true)
        let pong = Self.message(5)
        #expect(viewer.read(begun + Self.message(longest) + pong) == PEER_GUARD_NONE)
        #expect(viewer.stream.coming_bytes == StreamTests.limits.topic_bytes + 2 * cost)
        #expect(viewer.read(Array(pong.dropLast())) == PEER_GUARD_NONE)
        #expect(viewer.stream.coming_bytes == 0)
        #expect(viewer.read(Self.message(longest + 1)) != PEER_GUARD_NONE)
        var other = Reader(subscribes: true)
        #expect(other.read(begun + Self.message(longest + 1)) == PEER_GUARD_TOPICS)
    }
}
