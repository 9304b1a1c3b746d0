import TableModel
import TableSync
import Testing

@testable import TableWire

/// Requests that are read by hand, in both forms, are read as the schema reads them, on whatever bytes;
/// and nothing that the schema refuses is taken.
@Suite("Frequent requests by hand")
struct HotRequestsTests {
    /// All but the last two are frequent.
    private static let commands: [Command] = [
        .init(.move(["a"], section: nil, .after("b"), .rebase)),
        .init(.move(["a"], section: nil, .before("b"), .rebase)),
        .init(.move(["a"], section: nil, .top, .rebase)),
        .init(.move(["a", "b"], section: nil, .after("c"), .rebase)),
        .init(.move(["a"], section: "s", .bottom, .strict), ifRevision: 5),
        .init(.expand("a", nil)), .init(.expand("a", .expanded), ifVersion: 0),
        .init(.expand("a", .height(80))), .init(.expand("a", .named("half"))),
        .init(.set("a", .init(title: "t"))), .init(.set("a", .init(title: ""))),
        .init(.set("a", .init(title: "é\u{301}\"\\\n"))),
        .init(.set("a", .init(title: "t", fields: [.init("k", "v")])), ifVersion: 300),
        .init(.set("a", .init(fields: [.init("k", "v"), .init("l", "")], unset: ["m", "n"]))),
        .init(.set("a", .init(kind: "note"))), .init(.remove(["a"]), ifClaimed: true),
        .init(.remove(["a", "b"])), .init(.add(.init(id: "a", .init(title: "t")))),
        .init(.add(.init(id: "a", .init(fields: [.init("k", "v"), .init("l", "w")])))),
        .init(.add(.init(id: "a", .init(title: "t", fields: [.init("k", "v")]), at: .after("b")))),
        .init(.add(.init(id: "a", .init(title: "t"), at: .before("b")))),
        .init(.add(.init(id: "a", .init(title: "t"), at: .top))),
        .init(.add(.init(.init(kind: "k", title: "t"), section: "s"))),
        .init(.act(.init("done", on: "a")), ifVersion: 4),
        .init(.act(.init("done", on: "a", edge: .trailing, isFull: true, isConfirmed: true))),
        .init(.act(.init("done", on: "a", item: "i", isConfirmed: true)), ifVersion: 4),
    ]
    /// These go to the schema's reader.
    private static let rare: [Command] = [
        .init(.swap("a", "b")), .init(.set("a", .init(title: "t", actions: .init()))),
        .init(.remove(["a"], hint: .left)), .init(.add(.init(id: "a", .init(), hint: .fade))),
    ]

    private static var requests: [Request] {
        (commands + rare).flatMap { command in
            [
                Request(client: "w1", number: 300, opened: 7, table: "board", .command(command)),
                Request(
                    client: "w1", number: 1, opened: 0, table: "Tür", name: "Zoë Ω",
                    .command(command)), Request(table: "board", .command(command)),
            ]
        }
    }

    /// Every request, whole, cut short at each byte, and with each bit flipped.
    @Test(arguments: Form.allCases) func everywhere(form: Form) {
        for request in Self.requests {
            let bytes = Encode.request(request, form: form)
            let isFrequent = !Self.rare.contains { .command($0) == request.verb }
            #expect(agrees(bytes, form) == isFrequent, "\(request)")
            for end in bytes.indices { _ = agrees(Array(bytes[..<end]), form) }
            for place in bytes.indices {
                for bit in 0..<8 {
                    var damaged = bytes
                    damaged[place] ^= 1 << UInt8(bit)
                    _ = agrees(damaged, form)
                }
            }
        }
    }

    /// Random requests of every kind, with bytes changed, removed, doubled, or put in.
    @Test(arguments: Form.allCases) func mutations(form: Form) {
        var generator = Generator(seed: 31)
        var byHand = 0
        let frequent = Self.requests
        let pieces = [
            "\"", "\\u00e9", "\\ud83e", ",", "{}", "null", "1e2", "-", " \n", "true", ":",
        ]
        for _ in 0..<40_000 {
            let request =
                generator.below(3) == 0
                ? generator.request() : frequent[generator.below(frequent.count)]
            var bytes = Encode.request(request, form: form)
            guard bytes.count > 1, bytes.count < 2_000 else { continue }
            for _ in 0..<generator.below(3) { generator.mutate(&bytes, pieces: pieces) }
            if agrees(bytes, form) { byHand += 1 }
        }
        #expect(byHand > 5_000, "\(byHand)")
    }

    /// What people and libraries write otherwise than we do, and what is not JSON.
    @Test func otherJSON() {
        let head = #""client":"c","number":1,"opened":0,"table":"t""#
        let taken = [
            #" { "command" : {"expand" : {"toggle":true, "row" : "a"} } , \#(head) }  "#,
            "{\(head),\n\t\"command\":{\"set\":{\"title\":\"\\u00e9\\n\\/\",\"row\":\"a\"}}}\r\n",
            #"{\#(head),"command":{"ifVersion":3,"set":{"row":"a","fields":{"b":"1","a":"2"}}}}"#,
            #"{\#(head),"command":{"set":{"row":"a","fields":{},"unset":[]}}}"#,
            #"{\#(head),"command":{"move":{"rows":["a"],"top":true,"strict":false}}}"#,
        ]
        let left = [
            #"{\#(head),"command":{"expand":{"row":"a","toggle":true},}}"#,
            #"{\#(head),"command":{"expand":{"row":"a","toggle":true}}} x"#,
            #"{\#(head),"command":{"expand":{"row":"a","row":"b","toggle":true}}}"#,
            #"{\#(head),"command":{"expand":{"row":"a","to":"expanded","toggle":true}}}"#,
            #"{\#(head),"command":{"expand":{"row":"a","toggle":false}}}"#,
            #"{\#(head),"command":{"expand":{"row":"a","to":"half","to":"expanded"}}}"#,
            #"{\#(head),"command":{"expand":{"row":"a"}}}"#,
            #"{\#(head),"command":{"move":{"rows":["a"],"after":"b","before":"c"}}}"#,
            #"{\#(head),"command":{"move":{"rows":["a"],"top":true,"after":"c"}}}"#,
            #"{\#(head),"command":{"move":{"rows":["a"],"after":""}}}"#,
            #"{\#(head),"command":{"move":{"rows":["a"]}}}"#,
            #"{\#(head),"command":{"add":{"id":"a","top":true,"bottom":true}}}"#,
            #"{\#(head),"command":{"act":{"row":"a","action":"go","edge":"closed"}}}"#,
            #"{\#(head),"command":{"act":{"row":"a"}}}"#,
            #"{\#(head),"command":{"remove":{"rows":["a"]},"remove":{"rows":["b"]}}}"#,
            #"{\#(head),"client":"d","command":{"remove":{"rows":["a"]}}}"#,
            #"{\#(head),"command":{"set":{"row":"a","fields":{"k":"1","k":"2"}}}}"#,
            #"{\#(head),"command":{"set":{"row":"a","title":null}}}"#,
            #"{\#(head),"command":{"set":{"row":"a","title":"\ud83e\uddf5"}}}"#,
            #"{\#(head),"command":{"set":{"row":"a","title":"\u0000"}}}"#,
            #"{\#(head),"command":{"set":{"row":""}}}"#, #"{\#(head),"command":{"remove":{}}}"#,
            #"{\#(head),"command":{"remove":{"rows":[]}}}"#,
            #"{"number":"12","command":{"remove":{"rows":["a"]}},"table":"t"}"#,
            #"{"number":01,"command":{"remove":{"rows":["a"]}},"table":"t"}"#,
            #"{"number":1.0,"command":{"remove":{"rows":["a"]}},"table":"t"}"#,
            #"{"number":18446744073709551616,"command":{"remove":{"rows":["a"]}},"table":"t"}"#,
            #"{"table":"a/b","command":{"remove":{"rows":["a"]}}}"#,
            #"{"command":{"remove":{"rows":["a"]}}}"#, "{\(head)}", "{}", "", "[]", "{\"",
        ]
        for text in taken { #expect(agrees(Array(text.utf8), .json), "\(text)") }
        for text in left { #expect(!agrees(Array(text.utf8), .json), "\(text)") }
    }

    /// Commands about many rows are no small work.
    @Test(arguments: Form.allCases) func fewRows(form: Form) {
        for (count, isFew) in [(16, true), (17, false)] {
            let rows = (0..<count).map { ID("r\($0)") }
            for verb in [
                .remove(Few(rows)), Command.Verb.move(Few(rows), section: nil, .top, .rebase),
            ] {
                let request = Request(table: "t", .command(Command(verb)))
                #expect(agrees(Encode.request(request, form: form), form) == isFew)
            }
        }
    }

    /// A key that stands twice is refused, in whatever form it is written.
    @Test(arguments: [#""k":"v","k":"v""#, #""é":"v","e\u0301":"v""#, #""a":"","b":"","a":"""#])
    func aKeyTwice(fields: String) {
        for verb in ["add", "set"] {
            let text = #"{"table":"t","command":{"\#(verb)":{"row":"r","fields":{\#(fields)}}}}"#
            let plain = text.replacing(#""row":"r","#, with: verb == "add" ? "" : #""row":"r","#)
            #expect(!agrees(Array(plain.utf8), .json), "\(plain)")
        }
    }

    /// Bytes are tested eight at once: that comes to the same as one by one.
    @Test func eightBytesAtOnce() {
        for count in 0...20 {
            for place in 0..<count {
                for byte in UInt8.min...UInt8.max {
                    var bytes = [UInt8](repeating: UInt8(ascii: "~"), count: count)
                    bytes[place] = byte
                    // Above a byte that borrows.
                    if place > 0 { bytes[place - 1] = UInt8(ascii: " ") }
                    let isPrintable = bytes.withUnsafeBytes { $0.isPrintableASCII }
                    #expect(isPrintable == (32...126).contains(byte))
                    let isPlain = bytes.withUnsafeBytes { $0.isPlainInJSON }
                    #expect(isPlain == (isPrintable && byte != 34 && byte != 92))
                    let isHeld = bytes.withUnsafeBytes { $0.isHeldByJSON(from: 0) }
                    let isEscaped = byte < 32 || [34, 92, 127, 0xC2].contains(byte)
                    #expect(isHeld == (count >= 8 && !(place < 8 && isEscaped)))
                }
            }
        }
    }

    /// A limit holds here too.
    @Test func limits() {
        var limits = Limits()
        (limits.idBytes, limits.fields, limits.requestBytes) = (4, 1, 140)
        for request in Self.requests {
            for form in Form.allCases {
                _ = agrees(Encode.request(request, form: form), form, limits)
            }
        }
        let long = Request(table: "board", .command(Command(.remove(["a"]))))
        #expect(!agrees(Encode.request(long, form: .json), .json, limits))
    }

    /// Whether it was read by hand; if so, as the schema reads it.
    private func agrees(_ bytes: [UInt8], _ form: Form, _ limits: Limits = Limits()) -> Bool {
        let shared = SharedLimits(limits)
        // What it held before must not show.
        var fast = Request(
            client: "old", number: 1, opened: 1, table: "old", name: "old", atMs: 1, .stepDown)
        let isHot = bytes.withUnsafeBytes {
            Decode.hot($0, form: form, limits: shared, into: &fast)
        }
        guard isHot else { return false }
        let slow = bytes.withUnsafeBytes { bytes in
            Result { () throws(Rejection) in
                try RequestReader(shared: shared).request(try WireRequest.parse(bytes, form))
            }
        }
        let isSame = .success(fast) == slow
        #expect(isSame, "\(String(decoding: bytes, as: UTF8.self)): \(fast) \(slow)")
        return true
    }
}
