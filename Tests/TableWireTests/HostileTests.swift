import TableModel
import TableSync
import TableWire
import Testing

/// Whatever the bytes: a named refusal or a valid value, and never a trap. `make fuzz` goes on from here.
@Suite("Hostile bytes")
struct HostileTests {
    static let seed: UInt64 = 0x6861_636B

    /// Everything that reads bytes, on these bytes. What is accepted must survive a second trip.
    static func read(_ bytes: [UInt8], _ form: Form) {
        let decoded = decodeRequest(bytes, form)
        switch decoded.result {
        case .success(let request):
            let again = decodeRequest(Encode.request(request, form: form), form)
            #expect(again.result == .success(request), "\(bytes)")
        case .failure(let rejection):
            #expect(!rejection.message.isEmpty)
            #expect(namedByDecoding.contains(rejection.code), "\(rejection)")
        }
        if case .success(let reply) = decodeReply(bytes, form) {
            #expect(decodeReply(Encode.reply(reply, form: form), form) == .success(reply))
        }
        if case .success(let publication) = decodePublication(bytes, form) {
            let again = decodePublication(Encode.publication(publication, form: form), form)
            #expect(again == .success(publication))
        }
        if case .success(let diff) = decodeDiff(bytes, form) {
            #expect(decodeDiff(Encode.diff(diff, form: form), form) == .success(diff))
        }
        if form == .binary {
            _ = decodeEntry(bytes)
            _ = decodeCheckpoint(bytes)
        } else {
            let text = String(decoding: bytes, as: UTF8.self)
            _ = try? Decode.state(text)
            _ = try? Decode.change(text)
        }
        _ = bytes.withUnsafeBytes { Header.form($0) }
    }

    static let namedByDecoding: Set<Rejection.Code> = [
        .tooLarge, .malformed, .unknownVerb, .badName, .badID, .badNumber, .badValue,
    ]

    /// Small valid messages of every sort.
    static func messages(_ count: Int, _ form: Form) -> [[UInt8]] {
        var generator = Generator(seed: seed)
        var messages: [[UInt8]] = []
        while messages.count < count {
            let message =
                switch generator.below(form == .binary ? 6 : 4) {
                case 0: Encode.request(generator.request(), form: form)
                case 1: Encode.reply(generator.reply(), form: form)
                case 2: Encode.publication(generator.publication(), form: form)
                case 3: Encode.diff(generator.diff(), form: form)
                case 4: Encode.entry(generator.entry())
                default: Encode.checkpoint(generator.checkpointPart())
                }
            if message.count <= 2_000 { messages.append(message) }
        }
        return messages
    }

    @Test(arguments: Form.allCases)
    func truncations(form: Form) {
        for message in Self.messages(15, form) {
            for length in 0..<message.count { Self.read(Array(message[..<length]), form) }
        }
    }

    @Test(arguments: Form.allCases)
    func corruptions(form: Form) {
        let messages = Self.messages(200, form)
        var generator = Generator(seed: Self.seed)
        for _ in 0..<3_000 {
            var message = messages[generator.below(messages.count)]
            guard !message.isEmpty else { continue }
            message[generator.below(message.count)] = UInt8(truncatingIfNeeded: generator.next())
            Self.read(message, form)
        }
    }

    @Test(arguments: Form.allCases)
    func randomBytes(form: Form) {
        var generator = Generator(seed: Self.seed)
        for _ in 0..<2_000 { Self.read(generator.bytes(), form) }
    }

    /// Valid JSON tokens in no sensible order get further than random bytes do.
    @Test func randomJSON() {
        let tokens = [
            "{", "}", "[", "]", ":", ",", "null", "true", "false", "0", "-1", "1e999", "1e3",
            "\"\"", "\"NaN\"", "\"table\"", "\"command\"", "\"move\"", "\"rows\"", "\"define\"",
            "\"kinds\"", "\"height\"", "\"fields\"", "\"ops\"", "\"digest\"", "\"diffs\"",
        ].map { Array($0.utf8) }
        var generator = Generator(seed: Self.seed)
        for _ in 0..<2_000 {
            let some = generator.list(1...30) { tokens[$0.below(tokens.count)] }
            Self.read([UInt8(ascii: "{")] + some.flatMap { $0 }, .json)
        }
    }

    @Test func deepNesting() throws {
        let depth = 200_000
        let openings = [
            "[", "{\"a\":", "{\"a\":[", "{\"command\":", "{\"a\":[{\"a\":",
        ]
        for opening in openings {
            let deep = String(repeating: opening, count: depth / opening.utf8.count)
            Self.read(Array(deep.utf8), .json)
            Self.read(Array("{\"x\":\(deep)".utf8), .json)
        }
        // Groups, known only to be skipped, and messages in messages.
        Self.read(Array(repeating: 0x0B, count: depth), .binary)
        Self.read(Array(repeating: 0x0A, count: depth), .binary)
    }

    /// The deepest face that a kind may have passes wherever a kind can stand; a far deeper one
    /// is refused before it is built.
    @Test(arguments: Form.allCases)
    func faces(form: Form) throws {
        for (depth, passes) in [(32, true), (33, true), (40, false), (100, false)] {
            let definitions = Command.Definitions(kinds: [Self.kind(faceDepth: depth)])
            let request = Request(
                table: "t", .batch([Command(.define(definitions))], ifRevision: nil))
            let decoded = decodeRequest(Encode.request(request, form: form), form)
            if passes {
                #expect(decoded.result == .success(request))
            } else {
                let rejection = try #require(throws: Rejection.self) { try decoded.result.get() }
                #expect(rejection.code == .malformed)
                #expect(rejection.message == "The message is nested too deeply.")
            }
            let diff = Diff(
                base: 0, digest: 0, cause: Cause(verb: "define"), ops: [.define(definitions)])
            let (history, epoch) = (GoldenTests.history, GoldenTests.epoch)
            let replay = Reply(
                epoch: epoch,
                .replay(
                    Publication(table: "t", history: history, epoch: epoch, diffs: [diff]),
                    head: 1))
            let reply = decodeReply(Encode.reply(replay, form: form), form)
            #expect((reply == .success(replay)) == passes)
        }
    }

    static func kind(faceDepth: Int) -> Kind {
        var face = Face(.text("x"))
        for _ in 1..<faceDepth { face = Face(.vertical([face])) }
        var action = Action("a")
        action.face = face
        var kind = Kind("k")
        kind.trailing = ActionGroup(actions: [action])
        return kind
    }

    /// A prefix that promises more than there is must not make room for it.
    @Test func hugeLengths() {
        for field in 1..<40 {
            for length in [UInt64.max, 1 << 62, 1 << 40, 1 << 31, 1 << 20] {
                var bytes: [UInt8] = []
                for value in [UInt64(field) << 3 | 2, length] {
                    var rest = value
                    while rest >= 0x80 {
                        bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
                        rest >>= 7
                    }
                    bytes.append(UInt8(rest))
                }
                Self.read(bytes, .binary)
                Self.read(bytes + [0, 0, 0], .binary)
            }
        }
    }

    @Test func invalidUTF8() throws {
        for bad: [UInt8] in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80]] {
            let json = Array(#"{"table":"a"#.utf8) + bad + Array(#"","create":{}}"#.utf8)
            let binary = [0x22, UInt8(bad.count)] + bad + [0xF2, 0x01, 0x00]
            for (bytes, form) in [(json, Form.json), (binary, .binary)] {
                let rejection = try #require(throws: Rejection.self) {
                    try decodeRequest(bytes, form).result.get()
                }
                #expect(rejection.code == .malformed)
                #expect(rejection.message.contains("not UTF-8"))
            }
        }
    }

    /// What the JSON form allows beyond what is written here.
    @Test func lenientJSON() throws {
        let same = [
            #"{"number":7,"table":"t","create":{}}"#,
            #"{"number":"7","table":"t","create":{}}"#,
            #"{"number":7.0,"table":"t","create":{}}"#,
            #"{"number":70e-1,"table":"t","create":{}}"#,
            #"{"number":1,"number":7,"table":"t","create":{}}"#,
            #" { "\u0074able" : "t" , "number" : 7 , "create" : {} , "client" : null } "#,
        ]
        for json in same {
            let decoded = decodeRequest(json.utf8, .json)
            #expect(decoded.result == .success(Request(number: 7, table: "t", .create)), "\(json)")
        }
    }
}
