import CPeerGuard
import Testing

/// A client's description of itself as libzmq sees it, by READY or encrypted: never its own routing id.
@Suite struct NameTests {
    private static let name: UInt64 = 0x0102_0304_0506_0708
    private static let given: [UInt8] = [1, 1, 2, 3, 4, 5, 6, 7, 8]
    private static let readyName = [5] + Array("READY".utf8)

    private struct Property: Equatable {
        var name: [UInt8]
        var value: [UInt8]

        init(_ name: String, _ value: [UInt8]) {
            (self.name, self.value) = (Array(name.utf8), value)
        }

        init(name: [UInt8], value: [UInt8]) { (self.name, self.value) = (name, value) }

        var bytes: [UInt8] {
            [UInt8(name.count)] + name + [0, 0, UInt8(value.count >> 8), UInt8(value.count & 255)]
                + value
        }
    }

    /// As libzmq reads properties; nil: it ends the connection.
    private static func parsed(_ bytes: ArraySlice<UInt8>) -> [Property]? {
        var (left, found) = (bytes, [Property]())
        while let count = left.popFirst() {
            guard left.count >= Int(count) + 4 else { return nil }
            let name = Array(left.prefix(Int(count)))
            left = left.dropFirst(Int(count))
            let size = left.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            left = left.dropFirst(4)
            guard left.count >= size else { return nil }
            found.append(Property(name: name, value: Array(left.prefix(size))))
            left = left.dropFirst(size)
        }
        return found
    }

    /// Reads only what is wanted and has arrived, as the guard does. Returns what libzmq sees of READY;
    /// nil: the connection is ended.
    private static func seen(_ ready: [UInt8], room: Int = 2_048, step: Int = 10_000) -> [UInt8]? {
        var reader = StreamTests.Reader()
        let bytes = StreamTests.greeting + ready
        var at = 0
        var isHeld = false
        while !reader.stream.is_said, at < bytes.count {
            let wanted = peer_guard_stream_wants(&reader.stream, &isHeld)
            #expect(isHeld == (at >= 64) && wanted > 0)
            let end = min(bytes.count, at + min(wanted, step))
            guard reader.read(Array(bytes[at..<end])) == PEER_GUARD_NONE else { return nil }
            at = end
        }
        #expect(at == bytes.count, "nothing behind READY is read with it")
        var seen = [UInt8](repeating: 0, count: room)
        let size = peer_guard_stream_handshake(&reader.stream, name, &seen, seen.count)
        return Array(seen[..<size])
    }

    @Test func whoAsksIsGivenARoutingID() {
        let given = StreamTests.property("Identity", Self.given)
        let kind = StreamTests.property("Socket-Type", Array("REQ".utf8))
        for filler in [0, 100, 170, 171, 190, 850] {
            let more = StreamTests.property("X", [UInt8](repeating: 9, count: filler))
            for identity in [nil, [], Array("mine".utf8), Self.given] as [[UInt8]?] {
                let claimed = identity.map { StreamTests.property("Identity", $0) } ?? []
                for body in [kind + more + claimed, claimed + kind + more, kind + claimed + more] {
                    let ready = StreamTests.frame(Self.readyName + body, flags: 4)
                    let seen = StreamTests.frame(Self.readyName + kind + more + given, flags: 4)
                    #expect(Self.seen(ready) == seen, "\(filler)")
                }
            }
        }
        #expect(Self.seen(StreamTests.ready("DEALER"), room: 51) == [], "no room")
        #expect(Self.seen(StreamTests.ready("SUB")) == StreamTests.ready("SUB"))
    }

    @Test func whatIsEncryptedKeepsItsSize() {
        let kinds = ["REQ", "DEALER", "ROUTER"].map { Property("Socket-Type", Array($0.utf8)) }
        for kind in kinds {
            for filler in 0..<300 {
                for identity in [nil, [], [UInt8](repeating: 7, count: filler)] as [[UInt8]?] {
                    let claimed = identity.map { Property("Identity", $0).bytes } ?? []
                    var bytes = kind.bytes + claimed
                    // Its size is any: a property without a name has five bytes.
                    if filler >= 5 {
                        bytes += Property("", [UInt8](repeating: 9, count: filler - 5)).bytes
                    }
                    let size = bytes.count
                    let reason = peer_guard_name_sealed(&bytes, UInt32(size), Self.name)
                    #expect(reason == PEER_GUARD_NONE && bytes.count == size)
                    guard let found = Self.parsed(bytes[...]), let id = found.first else {
                        Issue.record("libzmq ends it")
                        return
                    }
                    #expect(id.name == Array("Identity".utf8) && found.count <= 2)
                    #expect(found.dropFirst().allSatisfy { $0.name.isEmpty })
                    // The shortest that a client can say has room for 40 bits.
                    #expect(
                        size == 19
                            ? id.value == [1, 4, 5, 6, 7, 8] : id.value.starts(with: Self.given))
                    #expect(id.value.count <= 13)
                }
            }
        }
        for other in ["PULL", "SUB", "dealer", "XREQ", ""] {
            var bytes = Property("Socket-Type", Array(other.utf8)).bytes
            #expect(peer_guard_name_sealed(&bytes, UInt32(bytes.count), 1) == PEER_GUARD_HANDSHAKE)
        }
    }

    /// Properties of all sorts, in arbitrary parts: libzmq sees one routing id, the guard's, and nothing that the
    /// guard has taken for something else than it.
    @Test(arguments: 0..<8) func anyPropertiesInAnyParts(seed: UInt64) {
        var state = seed &* 0x9e37_79b9_7f4a_7c15 &+ 1
        func random(_ below: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % below
        }
        let names = [
            "Identity", "Socket-Type", "Identity", "identity", "IDENTITY", "socket-type", "X", "",
            "Resource",
        ]
        let values = [
            "", "DEALER", "REQ", "ROUTER", "SUB", "PULL", "mine", "\0abcd",
            "\u{1}\0\0\0\0\0\0\0\u{7}",
        ]
        var accepted = (open: 0, sealed: 0)
        for _ in 0..<500 {
            var said = [Property("Socket-Type", Array(["DEALER", "REQ", "SUB"][random(3)].utf8))]
            for _ in 0..<random(3) {
                let one = Property(
                    names[random(names.count)], Array(values[random(values.count)].utf8))
                said.insert(one, at: random(said.count + 1))
            }
            var body = said.flatMap(\.bytes)
            if random(4) == 0 { body[random(body.count)] = UInt8(random(256)) }
            if random(8) == 0 { body.removeLast(random(body.count)) }
            let ready = StreamTests.frame(Self.readyName + body, flags: 4)
            let whole = Self.seen(ready)
            #expect(whole == Self.seen(ready, step: 1 + random(9)), "in other parts")
            if let whole {
                accepted.open += 1
                let found = Self.parsed(whole.dropFirst((whole[0] & 2 == 0 ? 2 : 9) + 6))
                Self.check(found, of: Self.parsed(body[...]))
            }
            var bytes = body
            guard peer_guard_name_sealed(&bytes, UInt32(bytes.count), Self.name) == PEER_GUARD_NONE
            else { continue }
            accepted.sealed += 1
            #expect(whole != nil && bytes.count == body.count)
            let ids = Self.parsed(bytes[...])?.filter { $0.name == Array("Identity".utf8) }
            #expect(ids?.count == 1 && ids?.first?.value.first == 1)
        }
        #expect(accepted.open > 50 && accepted.sealed > 25)
    }

    private static func check(_ found: [Property]?, of said: [Property]?) {
        guard let found, let said else {
            Issue.record("libzmq would end what the guard lets in, or it was none")
            return
        }
        let identity = Array("Identity".utf8)
        let others = said.filter { $0.name != identity }
        #expect(said.count - others.count <= 1)
        let kind = others.last { $0.name == Array("Socket-Type".utf8) }?.value ?? []
        let subscribes = ["sub", "xsub"].contains(
            String(decoding: kind, as: UTF8.self).lowercased())
        #expect(found == others + (subscribes ? [] : [Property(name: identity, value: given)]))
        let lowered = found.map { String(decoding: $0.name, as: UTF8.self).lowercased() }
        #expect(lowered.filter { $0 == "identity" }.count == (subscribes ? 0 : 1))
        #expect(lowered.filter { $0 == "socket-type" }.count == 1)
    }
}
