import CPeerGuard
import Testing

/// The guard's reading of one connection's bytes, against frames written here by the book
/// (rfc.zeromq.org/spec/37).
struct StreamTests {
    /// Small bounds, so that a test can meet them.
    static let limits: peer_guard_limits = {
        var limits = peer_guard_limits()
        limits.frames = 10
        limits.message_bytes = 10_000
        limits.topic_bytes = 100
        limits.topics = 20
        limits.topics_bytes = 500
        return limits
    }()

    static let greeting: [UInt8] =
        [0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 3, 1] + Array("NULL".utf8)
        + [UInt8](repeating: 0, count: 48)

    static func frame(_ body: [UInt8], flags: UInt8 = 0) -> [UInt8] {
        if body.count < 256 { return [flags, UInt8(body.count)] + body }
        let length = (0..<8).map { UInt8(truncatingIfNeeded: body.count >> (56 - 8 * $0)) }
        return [flags | 2] + length + body
    }

    static func property(_ name: String, _ value: [UInt8]) -> [UInt8] {
        [UInt8(name.utf8.count)] + Array(name.utf8)
            + [0, 0, UInt8(value.count >> 8), UInt8(value.count & 255)] + value
    }

    static func ready(_ kind: String, identity: [UInt8]? = nil) -> [UInt8] {
        let kind = property("Socket-Type", Array(kind.utf8))
        let identity = identity.map { property("Identity", $0) } ?? []
        return frame([5] + Array("READY".utf8) + kind + identity, flags: 4)
    }

    /// A stream that is let go at the end.
    struct Reader: ~Copyable {
        var stream = peer_guard_stream()

        mutating func read(_ bytes: [UInt8]) -> peer_guard_reason {
            var limits = StreamTests.limits
            return peer_guard_stream_read(&stream, &limits, bytes, bytes.count)
        }

        deinit {
            var stream = stream
            peer_guard_stream_end(&stream)
        }
    }

    /// The same whether the bytes come at once, one by one, or in any two parts.
    static func read(_ bytes: [UInt8]) -> peer_guard_reason {
        var whole = Reader()
        let answer = whole.read(bytes)
        var single = Reader()
        var answerToSingles = PEER_GUARD_NONE
        for byte in bytes where answerToSingles == PEER_GUARD_NONE {
            answerToSingles = single.read([byte])
        }
        #expect(answerToSingles == answer, "byte by byte")
        for cut in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 200)) {
            var halves = Reader()
            var answerToHalves = halves.read(Array(bytes[..<cut]))
            if answerToHalves == PEER_GUARD_NONE {
                answerToHalves = halves.read(Array(bytes[cut...]))
            }
            #expect(answerToHalves == answer, "cut at \(cut)")
        }
        return answer
    }

    static let message =
        frame([], flags: 1) + frame(Array("trestle/1 json".utf8), flags: 1)
        + frame([UInt8](repeating: 7, count: 1_000))

    @Test func whatClientsSendPasses() {
        for kind in ["DEALER", "REQ", "ROUTER", "SUB", "XSUB"] {
            let ping = Self.frame([4] + Array("PING".utf8) + [0, 10], flags: 4)
            let begin = Self.greeting + Self.ready(kind) + ping
            #expect(Self.read(begin) == PEER_GUARD_NONE)
        }
        let dealer = Self.greeting + Self.ready("DEALER", identity: Array("mine".utf8))
        #expect(Self.read(dealer + Self.message + Self.message) == PEER_GUARD_NONE)
        #expect(Self.read(Self.greeting + Self.ready("DEALER", identity: [])) == PEER_GUARD_NONE)
    }

    @Test func anIdThatBeginsWithZeroIsRefused() {
        for identity in [[0], [0, 0x6b, 0x8b, 0x45, 0x67], [0, 1]] as [[UInt8]] {
            #expect(
                Self.read(Self.greeting + Self.ready("DEALER", identity: identity))
                    == PEER_GUARD_IDENTITY)
        }
        // Named in another case, or named twice: libzmq could take it for another than the guard does.
        let zero = [UInt8](arrayLiteral: 0, 1, 2, 3, 4)
        for names in [["IDENTITY"], ["Identity", "Identity"], ["x", "identity"]] {
            for at in names.indices {
                let properties = names.enumerated().flatMap {
                    Self.property($1, $0 == at ? zero : [65])
                }
                let body = [5] + Array("READY".utf8) + properties
                let answer = Self.read(Self.greeting + Self.frame(body, flags: 4))
                #expect(answer == PEER_GUARD_IDENTITY)
            }
        }
    }

    @Test func otherHandshakesAreRefused() {
        let old: [UInt8] = [0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f]
        #expect(Self.read([1, 0]) == PEER_GUARD_HANDSHAKE, "ZMTP 1.0 without a signature")
        #expect(Self.read(Array("POST / HTTP/1.1\r\n".utf8)) == PEER_GUARD_HANDSHAKE)
        #expect(Self.read(old + [0, 5]) == PEER_GUARD_HANDSHAKE, "ZMTP 1.0")
        #expect(Self.read(old + [1, 5]) == PEER_GUARD_HANDSHAKE, "ZMTP 2.0")
        #expect(Self.read(old + [3, 0] + Array("PLAIN".utf8)) == PEER_GUARD_HANDSHAKE)
        #expect(Self.read(Self.greeting + Self.message) == PEER_GUARD_HANDSHAKE, "no READY")
        let error = Self.frame([5] + Array("ERROR".utf8) + [1, 65], flags: 4)
        #expect(Self.read(Self.greeting + error) == PEER_GUARD_HANDSHAKE)
        let cut = Self.frame([5] + Array("READY".utf8) + [11] + Array("Socket".utf8), flags: 4)
        #expect(Self.read(Self.greeting + cut) == PEER_GUARD_HANDSHAKE)
        let long = Self.frame([UInt8](repeating: 5, count: 1_025), flags: 4)
        #expect(Self.read(Self.greeting + long) == PEER_GUARD_HANDSHAKE)
        let beyond: [UInt8] = [5] + Array("READY".utf8) + [1, 65, 0xff, 0xff, 0xff, 0xff]
        #expect(Self.read(Self.greeting + Self.frame(beyond, flags: 4)) == PEER_GUARD_HANDSHAKE)
    }

    @Test func whatLibzmqWouldHandOnIsRefused() {
        let dealer = Self.greeting + Self.ready("DEALER")
        for command in ["SUBSCRIBE", "CANCEL", "JOIN", "READY", "ERROR", ""] {
            let body = [UInt8(command.utf8.count)] + Array(command.utf8) + Array("b/x/".utf8)
            #expect(Self.read(dealer + Self.frame(body, flags: 4)) == PEER_GUARD_MESSAGE)
        }
        let ping = [4] + Array("PING".utf8) + [0, 10]
        #expect(Self.read(dealer + Self.frame(ping, flags: 5)) == PEER_GUARD_MESSAGE)
        // No kind, two kinds, or one in other letters.
        let sub = Self.property("Socket-Type", Array("SUB".utf8))
        let other = Self.property("socket-type", Array("DEALER".utf8))
        for properties in [[], sub + other, sub + sub, other] {
            let body = [5] + Array("READY".utf8) + properties
            let answer = Self.read(Self.greeting + Self.frame(body, flags: 4))
            #expect(answer == PEER_GUARD_HANDSHAKE)
        }
    }

    @Test func aMessageIsBounded() {
        let begin = Self.greeting + Self.ready("DEALER")
        let part = Self.frame([], flags: 1)
        let nine = (0..<9).flatMap { _ in part }
        #expect(Self.read(begin + nine + Self.frame([])) == PEER_GUARD_NONE)
        #expect(Self.read(begin + nine + part + part) == PEER_GUARD_MESSAGE)
        let endless: [UInt8] = [2, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]
        #expect(Self.read(begin + endless) == PEER_GUARD_MESSAGE)
        let most: [UInt8] = [2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]
        #expect(Self.read(begin + most) == PEER_GUARD_MESSAGE)
        let large = Self.frame([UInt8](repeating: 0, count: 6_000), flags: 1)
        #expect(Self.read(begin + large + large) == PEER_GUARD_MESSAGE)
        // Each message counts by itself.
        let single = Self.frame([UInt8](repeating: 0, count: 6_000))
        #expect(Self.read(begin + single + single + single) == PEER_GUARD_NONE)
    }

    @Test func finishedBytesAreThoseOfTheFramesAndTheirCost() {
        var reader = Reader()
        #expect(reader.read(Self.greeting + Self.ready("DEALER")) == PEER_GUARD_NONE)
        #expect(reader.read(Self.message + Self.message) == PEER_GUARD_NONE)
        let cost = 3 * UInt64(PEER_GUARD_FRAME_COST)
        #expect(reader.stream.finished_bytes == 2 * (1_014 + cost))
        #expect(reader.stream.bytes == 0)
        #expect(reader.read(Array(Self.message[..<50])) == PEER_GUARD_NONE)
        #expect(reader.stream.finished_bytes == 0)
        #expect(reader.stream.bytes > 0)
    }

    static func subscribe(_ topic: [UInt8], asCommand: Bool) -> [UInt8] {
        asCommand
            ? frame([9] + Array("SUBSCRIBE".utf8) + topic, flags: 4) : frame([1] + topic)
    }

    static func cancel(_ topic: [UInt8], asCommand: Bool) -> [UInt8] {
        asCommand ? frame([6] + Array("CANCEL".utf8) + topic, flags: 4) : frame([0] + topic)
    }

    @Test(arguments: [false, true]) func topicsAreBounded(asCommand: Bool) {
        let begin = Self.greeting + Self.ready("SUB")
        func topics(_ count: Int) -> [[UInt8]] { (0..<count).map { Array("b/\($0)/".utf8) } }
        func all(_ topics: [[UInt8]]) -> [UInt8] {
            topics.flatMap { Self.subscribe($0, asCommand: asCommand) }
        }
        #expect(Self.read(begin + all(topics(20))) == PEER_GUARD_NONE)
        #expect(Self.read(begin + all(topics(21))) == PEER_GUARD_TOPICS)
        #expect(Self.read(begin + all(topics(20) + topics(20))) == PEER_GUARD_NONE, "repeated")
        // Cancelled topics make room; those that were never there do not.
        let cancelled = topics(20).flatMap { Self.cancel($0, asCommand: asCommand) }
        #expect(Self.read(begin + all(topics(20)) + cancelled + all(topics(20))) == PEER_GUARD_NONE)
        let strange = (0..<20).flatMap { Self.cancel(Array("x\($0)".utf8), asCommand: asCommand) }
        #expect(
            Self.read(begin + all(topics(20)) + strange + all(topics(21))) == PEER_GUARD_TOPICS)
        let long = [UInt8](repeating: 65, count: 101)
        #expect(Self.read(begin + Self.subscribe(long, asCommand: asCommand)) == PEER_GUARD_TOPICS)
        let six = (0..<6).map { [UInt8](repeating: UInt8($0), count: 100) }
        #expect(Self.read(begin + all(six)) == PEER_GUARD_TOPICS, "bytes of all")
    }

    @Test func topicsAreThoseOfTheProtocol() {
        let begin = Self.greeting + Self.ready("SUB")
        let good = ["", "j/", "b/", "pj/", "pb/", "j/board/", "pb/board/", "j/Bon für drei/"]
        for topic in good {
            let bytes = begin + Self.subscribe(Array(topic.utf8), asCommand: false)
            #expect(Self.read(bytes) == PEER_GUARD_NONE, "\(topic)")
        }
        let bad = [
            "j", "p", "pp", "x", "/", "//", "j/board", "j//", "j/a/b/", "k/board/", "pj", "ppj/a/",
            "j/a\n/", "J/board/",
        ]
        for topic in bad {
            for asCommand in [false, true] {
                let bytes = begin + Self.subscribe(Array(topic.utf8), asCommand: asCommand)
                #expect(Self.read(bytes) == PEER_GUARD_TOPICS, "\(topic)")
            }
        }
    }

    /// What two connections have together: each different topic once.
    @Test func topicsOfAllAreCounted() {
        var all = peer_guard_topics()
        var limits = Self.limits
        withUnsafeMutablePointer(to: &all) { all in
            var one = peer_guard_stream()
            var two = peer_guard_stream()
            one.all_topics = all
            two.all_topics = all
            func read(_ stream: inout peer_guard_stream, _ bytes: [UInt8]) {
                let answer = peer_guard_stream_read(&stream, &limits, bytes, bytes.count)
                #expect(answer == PEER_GUARD_NONE)
            }
            func topic(_ text: String, begins: Bool = true) -> [UInt8] {
                let topic = Array(text.utf8)
                return begins
                    ? Self.subscribe(topic, asCommand: false) : Self.cancel(topic, asCommand: false)
            }
            let begin = Self.greeting + Self.ready("SUB")
            read(&one, begin + topic("j/a/") + topic("j/a/") + topic("j/long/"))
            read(&two, begin + topic("j/a/") + topic("b/a/"))
            #expect(two.subscriptions == 2)
            #expect(all.pointee.count == 3 && all.pointee.bytes == 15)
            #expect(all.pointee.subscriptions == 4)
            read(&one, topic("j/a/", begins: false) + topic("j/none/", begins: false))
            #expect(all.pointee.count == 3 && all.pointee.subscriptions == 3)
            peer_guard_stream_end(&two)
            #expect(all.pointee.count == 1 && all.pointee.bytes == 7)
            #expect(peer_guard_topics_bytes(&one.topics) == 7 + UInt32(PEER_GUARD_TOPIC_COST))
            peer_guard_stream_end(&one)
            #expect(all.pointee.count == 0 && all.pointee.subscriptions == 0)
        }
    }

    /// What a user has: each different topic of his connections once, and nothing of others.
    @Test func topicsOfAUserAreCounted() {
        let sets = UnsafeMutablePointer<peer_guard_topics>.allocate(capacity: 2)
        defer { sets.deallocate() }
        sets.initialize(repeating: peer_guard_topics(), count: 2)
        let (all, user) = (sets, sets + 1)
        var limits = Self.limits
        var streams = [peer_guard_stream](repeating: peer_guard_stream(), count: 3)
        func read(_ index: Int, _ bytes: [UInt8]) {
            let answer = peer_guard_stream_read(&streams[index], &limits, bytes, bytes.count)
            #expect(answer == PEER_GUARD_NONE)
        }
        for index in 0..<3 {
            streams[index].all_topics = all
            if index < 2 { streams[index].user_topics = user }
            read(index, Self.greeting + Self.ready("SUB"))
            for topic in ["j/a/", "j/\(index)/"] {
                read(index, Self.subscribe(Array(topic.utf8), asCommand: false))
            }
        }
        #expect(all.pointee.count == 4 && all.pointee.subscriptions == 6)
        #expect(user.pointee.count == 3 && user.pointee.subscriptions == 4)
        #expect(user.pointee.bytes == 12)
        read(0, Self.cancel(Array("j/0/".utf8), asCommand: false))
        #expect(user.pointee.count == 2 && user.pointee.subscriptions == 3)
        for index in 0..<3 { peer_guard_stream_end(&streams[index]) }
        #expect(all.pointee.count == 0 && all.pointee.subscriptions == 0)
        #expect(user.pointee.count == 0 && user.pointee.subscriptions == 0)
        #expect(user.pointee.tree == nil, "nothing stays of a user who has gone")
    }

    @Test func aSubscriberOnlySubscribes() {
        let begin = Self.greeting + Self.ready("SUB")
        #expect(Self.read(begin + Self.frame([7, 1, 2])) == PEER_GUARD_TOPICS)
        #expect(Self.read(begin + Self.frame([])) == PEER_GUARD_TOPICS)
        #expect(Self.read(begin + Self.frame([1, 65], flags: 1)) == PEER_GUARD_TOPICS)
    }
}

/// The set of topics against Swift's own, with topics that come and go.
struct TopicSetTests {
    @Test(arguments: 0..<20) func asASetOfSwift(seed: UInt64) {
        var state = seed &* 0x9e37_79b9_7f4a_7c15 &+ 1
        func random(_ below: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % below
        }
        var reader = StreamTests.Reader()
        _ = reader.read(StreamTests.greeting + StreamTests.ready("SUB"))
        var model: Set<[UInt8]> = []
        for _ in 0..<2_000 {
            let topic = Array("j/t\(random(40))/".utf8)
            let begins = random(2) == 0
            let bytes =
                begins
                ? StreamTests.subscribe(topic, asCommand: false)
                : StreamTests.cancel(topic, asCommand: false)
            if begins { model.insert(topic) } else { model.remove(topic) }
            let answer = reader.read(bytes)
            guard model.count <= 20 else {
                #expect(answer == PEER_GUARD_TOPICS)
                return
            }
            #expect(answer == PEER_GUARD_NONE)
        }
    }
}

/// Bytes that mean nothing, and messages with some bytes changed: an answer each time, and under
/// the address sanitizer no read or write out of place.
struct HostileTests {
    @Test func anyBytesHaveAnAnswer() {
        var state: UInt64 = 0x1234_5678
        func random(_ below: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % below
        }
        var answers: Set<UInt32> = []
        for round in 0..<20_000 {
            let kind = round % 2 == 0 ? "SUB" : "DEALER"
            var bytes = StreamTests.greeting + StreamTests.ready(kind)
            if round % 4 < 2 { bytes += StreamTests.message }
            for _ in 0..<random(6) { bytes[random(bytes.count)] = UInt8(random(256)) }
            if round % 3 == 0 { bytes += (0..<random(300)).map { _ in UInt8(random(256)) } }
            var reader = StreamTests.Reader()
            var answer = PEER_GUARD_NONE
            var at = 0
            while at < bytes.count, answer == PEER_GUARD_NONE {
                let end = min(bytes.count, at + 1 + random(60))
                answer = reader.read(Array(bytes[at..<end]))
                at = end
            }
            answers.insert(answer.rawValue)
        }
        #expect(answers.count >= 4)
    }
}
