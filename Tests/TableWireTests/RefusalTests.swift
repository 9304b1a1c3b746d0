import TableModel
import TableSync
import TableWire
import Testing

/// Every refusal that decoding can make, with its code and the field that it names.
@Suite("Refusals of decoding")
struct RefusalTests {
    static func command(_ json: String) -> String { #"{"table":"t","command":{\#(json)}}"# }

    static func define(_ kind: String) -> String {
        command(#""define":{"kinds":[{"id":"k",\#(kind)}]}"#)
    }

    static let rows: [(json: String, code: Rejection.Code, field: String?)] = [
        // The message itself.
        ("", .malformed, nil),
        ("[]", .malformed, nil),
        ("{", .malformed, nil),
        (#"{"table":"t","create":{}}x"#, .malformed, nil),
        (#"{"number":-1}"#, .malformed, "number"),
        (#"{"number":1.5}"#, .malformed, "number"),
        (#"{"number":18446744073709551616}"#, .malformed, "number"),
        (#"{"number":"NaN"}"#, .malformed, "number"),
        (#"{"number":01}"#, .malformed, "number"),
        (#"{"table":7}"#, .malformed, "table"),
        (#"{"table":"\ud800"}"#, .malformed, "table"),
        (#"{"hello":{},"tables":{}}"#, .malformed, "tables"),
        (
            command(#""move":{"rows":["a"],"before":"b","after":"c"}"#), .malformed,
            "command.move.after"
        ),
        (command(#""swap":{"a":null,"b":{}}"#), .malformed, "command.swap.b"),
        (command(#""define":{"kinds":{"k":{}}}"#), .malformed, "command.define.kinds"),
        (command(#""remove":{"rows":"a"}"#), .malformed, "command.remove.rows"),
        (command(#""remove":{"rows":["a",7]}"#), .malformed, "command.remove.rows"),
        (#"{"table":"t","batch":{"commands":{}}}"#, .malformed, "batch.commands"),
        (define(#""appearance":7"#), .malformed, "command.define.kinds[0].appearance"),
        // The verb.
        ("{}", .unknownVerb, nil),
        (#"{"table":"t","fly":{}}"#, .unknownVerb, nil),
        (#"{"command":null}"#, .unknownVerb, nil),
        (command(""), .unknownVerb, "command"),
        (command(#""fly":{}"#), .unknownVerb, "command"),
        // Fields that are unknown, or stand in the wrong place.
        (#"{"table":"t","colour":{"a":[1]},"create":{}}"#, .malformed, "colour"),
        (command(#""set":{"row":"a","ifVersion":3}"#), .malformed, "command.set.ifVersion"),
        (command(#""ghost":1,"set":{"row":"a","title":"T"}"#), .malformed, "command.ghost"),
        (command(#""fly":{},"ifVersion":1"#), .unknownVerb, "command"),
        (
            command(
                #""define":{"kinds":[{"id":"k","leading":{"actions":[{"id":"a","titel":"A"}]}}]}"#),
            .malformed, "command.define.kinds[0].leading.actions[0].titel"
        ),
        // The table.
        (#"{"kinds":{}}"#, .badName, "table"),
        (#"{"create":{}}"#, .badName, "table"),
        (#"{"table":"","hello":{}}"#, .badName, "table"),
        (#"{"table":"a/b","create":{}}"#, .badName, "table"),
        (#"{"table":"a\n","create":{}}"#, .badName, "table"),
        (#"{"client":"","table":"","hello":{}}"#, .badName, "table"),
        // Ids.
        (#"{"client":"","hello":{}}"#, .badID, "client"),
        (#"{"client":"\u0000","hello":{}}"#, .badID, "client"),
        (#"{"table":"t","snapshot":{"id":""}}"#, .badID, "snapshot.id"),
        (command(#""add":{"id":""}"#), .badID, "command.add.id"),
        (command(#""add":{"kind":""}"#), .badID, "command.add.kind"),
        (command(#""add":{"section":""}"#), .badID, "command.add.section"),
        (command(#""add":{"before":""}"#), .badID, "command.add.before"),
        (command(#""add":{"fields":{"":"v"}}"#), .badID, "command.add.fields"),
        (command(#""set":{}"#), .badID, "command.set.row"),
        (command(#""set":{"row":"r","kind":""}"#), .badID, "command.set.kind"),
        (command(#""set":{"row":"r","unset":[""]}"#), .badID, "command.set.unset"),
        (command(#""remove":{}"#), .malformed, "command.remove.rows"),
        (command(#""remove":{"rows":["a",""]}"#), .badID, "command.remove.rows"),
        (command(#""move":{"top":true}"#), .malformed, "command.move.rows"),
        (command(#""move":{"rows":["a"]}"#), .malformed, "command.move"),
        (command(#""move":{"rows":["a"],"after":""}"#), .badID, "command.move.after"),
        (command(#""move":{"rows":["a"],"before":""}"#), .badID, "command.move.before"),
        (
            command(#""move":{"rows":["a"],"section":"","top":true}"#), .badID,
            "command.move.section"
        ),
        (command(#""swap":{"a":"a"}"#), .badID, "command.swap.b"),
        (command(#""swipe":{"edge":"leading"}"#), .badID, "command.swipe.row"),
        (command(#""expand":{"toggle":true}"#), .badID, "command.expand.row"),
        (command(#""section":{}"#), .badID, "command.section.id"),
        (command(#""removeSection":{}"#), .badID, "command.removeSection.id"),
        (command(#""define":{"drop":[""]}"#), .badID, "command.define.drop"),
        // Drags, claims, the past.
        (#"{"drag":{"cancel":"l"}}"#, .badName, "table"),
        (#"{"who":{}}"#, .badName, "table"),
        (#"{"name":"","hello":{}}"#, .badID, "name"),
        (#"{"table":"t","drag":{}}"#, .malformed, "drag"),
        (#"{"table":"t","drag":{"fly":{}}}"#, .malformed, "drag.fly"),
        (#"{"table":"t","drag":{"lift":{}}}"#, .malformed, "drag.lift.rows"),
        (#"{"table":"t","drag":{"lift":{"rows":[""]}}}"#, .badID, "drag.lift.rows"),
        (#"{"table":"t","drag":{"lift":{"rows":["a"],"ttl":"x"}}}"#, .malformed, "drag.lift.ttl"),
        (#"{"table":"t","drag":{"hover":{"top":true}}}"#, .badID, "drag.hover.lease"),
        (#"{"table":"t","drag":{"hover":{"lease":"l"}}}"#, .malformed, "drag.hover"),
        (#"{"table":"t","drag":{"hover":{"lease":"l","top":false}}}"#, .badValue, "drag.hover.top"),
        (#"{"table":"t","drag":{"hover":{"lease":"l","after":""}}}"#, .badID, "drag.hover.after"),
        (
            #"{"table":"t","drag":{"hover":{"lease":"l","section":"","top":true}}}"#, .badID,
            "drag.hover.section"
        ),
        (#"{"table":"t","drag":{"drop":{"to":{"top":true}}}}"#, .badID, "drag.drop.lease"),
        (#"{"table":"t","drag":{"drop":{"lease":"l"}}}"#, .malformed, "drag.drop.to"),
        (
            #"{"table":"t","drag":{"drop":{"lease":"l","to":{"before":""}}}}"#, .badID,
            "drag.drop.to.before"
        ),
        (#"{"table":"t","drag":{"cancel":""}}"#, .badID, "drag.cancel"),
        (#"{"table":"t","drag":{"renew":""}}"#, .badID, "drag.renew"),
        (#"{"table":"t","attend":{"revision":-1}}"#, .malformed, "attend.revision"),
        (#"{"table":"t","history":{"row":""}}"#, .badID, "history.row"),
        (#"{"table":"t","history":{"actor":"\u0000"}}"#, .badID, "history.actor"),
        (#"{"table":"t","rewind":{"since":2,"to":1}}"#, .badValue, "rewind.history"),
        (#"{"table":"t","query":{"most":4097}}"#, .badNumber, "query.most"),
        (#"{"table":"t","zoneSeconds":86401,"query":{}}"#, .badNumber, "zoneSeconds"),
        (#"{"audit":{"most":0}}"#, .badNumber, "audit.most"),
        (#"{"audit":{"most":1025}}"#, .badNumber, "audit.most"),
        (command(#""claim":{}"#), .malformed, "command.claim.rows"),
        (command(#""claim":{"rows":[""]}"#), .badID, "command.claim.rows"),
        (command(#""unclaim":{"rows":[""]}"#), .badID, "command.unclaim.rows"),
        (command(#""unclaim":{"holder":""}"#), .badID, "command.unclaim.holder"),
        (command(#""undo":{"revision":-1}"#), .malformed, "command.undo.revision"),
        (command(#""recall":{}"#), .malformed, "command.recall.rows"),
        (command(#""recall":{"rows":["a",""]}"#), .badID, "command.recall.rows"),
        // Numbers.
        (#"{"table":"t","snapshot":{"chunk":4000000000}}"#, .badNumber, "snapshot.chunk"),
        (command(#""expand":{"row":"r","to":"nan"}"#), .badNumber, "command.expand.to"),
        (command(#""expand":{"row":"r","to":"-inf"}"#), .badNumber, "command.expand.to"),
        (define(#""height":"NaN""#), .badNumber, "command.define.kinds[0].height"),
        (define(#""height":"Infinity""#), .badNumber, "command.define.kinds[0].height"),
        (
            define(#""trailing":{"look":{"insets":[0,0,"-Infinity",0]}}"#), .badNumber,
            "command.define.kinds[0].trailing.look.insets[2]"
        ),
        (command(#""claim":{"rows":["r"],"ttl":"NaN"}"#), .badNumber, "command.claim.ttl"),
        (
            #"{"table":"t","drag":{"lift":{"rows":["r"],"ttl":"NaN"}}}"#, .badNumber,
            "drag.lift.ttl"
        ),
        // Words.
        (#"{"table":"t","replay":{}}"#, .badValue, "replay.history"),
        (#"{"table":"t","offer":{"history":"XY"}}"#, .badValue, "offer.history"),
        (
            #"{"table":"t","offer":{"history":"\#(GoldenTests.h)","digest":"FFFFFFFFFFFFFFFF"}}"#,
            .badValue, "offer.digest"
        ),
        (command(#""add":{"top":false}"#), .badValue, "command.add.top"),
        (command(#""add":{"hint":"slide"}"#), .badValue, "command.add.hint"),
        (command(#""add":{"hint":""}"#), .badValue, "command.add.hint"),
        (command(#""remove":{"rows":["a"],"hint":"Fade"}"#), .badValue, "command.remove.hint"),
        (command(#""move":{"rows":["a"],"bottom":false}"#), .badValue, "command.move.bottom"),
        (command(#""mark":{"row":""}"#), .badID, "command.mark.row"),
        (
            command(#""define":{"table":{"selection":"all"}}"#), .badValue,
            "command.define.table.selection"
        ),
        (command(#""swipe":{"row":"r"}"#), .badValue, "command.swipe.edge"),
        (command(#""swipe":{"row":"r","edge":"left"}"#), .badValue, "command.swipe.edge"),
        (command(#""expand":{"row":"r"}"#), .malformed, "command.expand"),
        (command(#""expand":{"row":"r","to":""}"#), .malformed, "command.expand.to"),
        (command(#""expand":{"row":"r","toggle":false}"#), .badValue, "command.expand.toggle"),
        (
            command(#""define":{"table":{"swipePolicy":"all"}}"#), .badValue,
            "command.define.table.swipePolicy"
        ),
        (define(#""layout":"x""#), .badValue, "command.define.kinds[0].layout"),
        (define(#""editingStyle":"x""#), .badValue, "command.define.kinds[0].editingStyle"),
        (define(#""digest":"0""#), .badValue, "command.define.kinds[0].digest"),
        (
            define(#""digest":"\#(GoldenTests.zero)""#), .badValue,
            "command.define.kinds[0].digest"
        ),
        (
            define(#""states":[{"name":"collapsed","height":1}]"#), .badValue,
            "command.define.kinds[0].states[0].height"
        ),
        (
            define(#""states":[{"name":"tall"}]"#), .malformed,
            "command.define.kinds[0].states[0].height"
        ),
        (define(#""tap":[{}]"#), .malformed, "command.define.kinds[0].tap[0]"),
        (define(#""tap":[{"remove":false}]"#), .badValue, "command.define.kinds[0].tap[0].remove"),
        (
            define(#""tap":[{"invoke":{}}]"#), .malformed,
            "command.define.kinds[0].tap[0].invoke.deadline"
        ),
        (
            define(#""leading":{"actions":[{"id":"a","role":"evil"}]}"#), .badValue,
            "command.define.kinds[0].leading.actions[0].role"
        ),
        (
            define(#""leading":{"actions":[{"id":"a","face":{"vertical":{"parts":[{}]}}}]}"#),
            .malformed, "command.define.kinds[0].leading.actions[0].face.vertical.parts[0]"
        ),
        (
            define(#""leading":{"look":{"style":"round"}}"#), .badValue,
            "command.define.kinds[0].leading.look.style"
        ),
        (
            define(#""leading":{"look":{"width":1,"intrinsic":true}}"#), .badValue,
            "command.define.kinds[0].leading.look.intrinsic"
        ),
        (
            define(#""leading":{"look":{"insets":[1]}}"#), .badValue,
            "command.define.kinds[0].leading.look.insets"
        ),
    ]

    @Test(arguments: rows)
    func refusal(json: String, code: Rejection.Code, field: String?) throws {
        let rejection = try #require(throws: Rejection.self) {
            try decodeRequest(json.utf8, .json).result.get()
        }
        #expect(rejection.code == code)
        #expect(rejection.field == field)
        #expect(rejection.message.hasSuffix(".") || rejection.message.hasSuffix("?"))
    }

    /// A refusal says what was expected, what is there, and at which byte.
    @Test func whereItIs() throws {
        let found = try #require(throws: Rejection.self) {
            try decodeRequest(#"{"table": 7}"#.utf8, .json).result.get()
        }
        #expect(found.message == "The value at byte 11 must be text, and is a number.")
        // A field 4, text of one letter; then a field 0, which no message has.
        let none = try #require(throws: Rejection.self) {
            try decodeRequest([0x22, 1, 0x61, 0] as [UInt8], .binary).result.get()
        }
        #expect(none.message == "The message is not protobuf of this schema at byte 4.")
    }

    /// A code that decoding can give and that no row shows would be untested.
    @Test func everyCode() {
        let shown = Set(Self.rows.map(\.code)).union([.tooLarge])
        #expect(shown == HostileTests.namedByDecoding)
    }

    @Test func header() {
        for text in ["", "trestle/2 proto", "trestle/1 xml", "trestle/1 json ", "GET / HTTP/1.1"] {
            let parsed = Array(text.utf8).withUnsafeBytes { Header.form($0) }
            #expect(parsed == nil, "\(text)")
        }
        #expect(Header.unsupported.code == .unsupportedProtocol)
        #expect(
            Header.unsupported.message
                == #"This program speaks "trestle/1 proto" and "trestle/1 json"."#)
    }

    /// Each thing that can be too large, in both forms.
    @Test(arguments: Form.allCases)
    func tooLarge(form: Form) throws {
        let long = ID(String(repeating: "x", count: 129))
        let fields = (0..<257).map { Row.Field(ID("k\($0)"), "") }
        var kind = Kind("k")
        kind.tap = [.set([Row.Field("k", String(repeating: "x", count: 64 << 10))])]
        let commands: [(Command.Verb, String)] = [
            (.remove([long]), "command.remove.rows"),
            (.add(Command.Add(Row.Content(fields: fields))), "command.add.fields"),
            (.set("r", Command.Changes(fields: fields)), "command.set.fields"),
            (
                .set("r", Command.Changes(unset: fields.map(\.key))), "command.set.unset"
            ),
            (.define(Command.Definitions(kinds: [kind])), "command.define.kinds[0]"),
            (.define(Command.Definitions(kinds: [Kind(long)])), "command.define.kinds[0].id"),
            (.expand("r", .named(long)), "command.expand.to"),
        ]
        let many = Array(repeating: Command(.remove(["r"])), count: 1_001)
        let requests: [(Request, String?)] =
            commands.map { (Request(table: "t", .command(Command($0.0))), $0.1) } + [
                (Request(client: long, .hello), "client"),
                (Request(table: long, .create), "table"),
                (Request(table: "t", .batch(many, ifRevision: nil)), "batch.commands"),
                (
                    Request(table: "t", .section(String(repeating: "x", count: 1 << 20))), nil
                ),
            ]
        for (request, field) in requests {
            let decoded = decodeRequest(Encode.request(request, form: form), form)
            let rejection = try #require(throws: Rejection.self) { try decoded.result.get() }
            #expect(rejection.code == .tooLarge)
            #expect(rejection.field == field)
        }
    }

    @Test(arguments: Form.allCases)
    func inABatch(form: Form) throws {
        let request = Request(
            client: "c", number: 9, table: "t",
            .batch([Command(.remove(["a"])), Command(.remove([""]))], ifRevision: nil))
        let decoded = decodeRequest(Encode.request(request, form: form), form)
        let rejection = try #require(throws: Rejection.self) { try decoded.result.get() }
        #expect(rejection.code == .badID)
        #expect(rejection.field == "batch.commands.remove.rows")
        #expect(rejection.command == 1)
        // Whom to tell.
        #expect(decoded.client == "c")
        #expect(decoded.number == 9)
    }

    /// A lease's id has 41 bytes, a snapshot's 32 and a backup's 34, also where rows may have only 16.
    @Test(arguments: Form.allCases) func idsThatTheDaemonMadeAreTaken(form: Form) throws {
        var limits = Limits()
        limits.idBytes = 16
        func refusal(_ letters: Int) -> [Rejection.Code?] {
            let id = String(repeating: "a", count: letters)
            let verbs: [Request.Verb] = [
                .drag(.hover(lease: ID(id), section: nil, .top)), .drag(.cancel(lease: ID(id))),
                .drag(.drop(lease: ID(id), section: nil, .top, .rebase)),
                .drag(.renew(lease: ID(id))), .snapshot(id: id, chunk: 1),
                .backup(id: id, chunk: 1), .drag(.lift([ID(id)], ttlSeconds: 9)),
            ]
            return verbs.map { verb -> Rejection.Code? in
                let bytes = Encode.request(Request(table: "t", verb), form: form)
                switch decodeRequest(bytes, form, limits: limits).result {
                case .success: return nil
                case .failure(let rejection): return rejection.code
                }
            }
        }
        #expect(refusal(16) == Array(repeating: nil, count: 7))
        // A row's is held against the limit.
        #expect(refusal(64) == Array(repeating: nil, count: 6) + [.tooLarge])
        #expect(refusal(65) == Array(repeating: .tooLarge, count: 7))
    }

    @Test func binary() throws {
        let cases: [([UInt8], Rejection.Code)] = [
            ([], .unknownVerb),
            ([0x80], .malformed),
            ([0x0A, 5, 65], .malformed),
            ([0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01], .malformed),
            ([0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0x07], .malformed),
            ([0x22, 1, 0xFF, 0xF2, 0x01, 0x00], .malformed),
            ([0x00], .malformed),
        ]
        for (bytes, code) in cases {
            let rejection = try #require(throws: Rejection.self) {
                try decodeRequest(bytes, .binary).result.get()
            }
            #expect(rejection.code == code)
            #expect(!rejection.message.contains("Error"))
        }
    }

    /// The refusal tells the place of field 999 in `create` though binary has no name for it.
    @Test func anUnknownFieldInBinary() throws {
        let bytes: [UInt8] = [0x22, 1, 65, 0xF2, 0x01, 3, 0xB8, 0x3E, 0]
        let rejection = try #require(throws: Rejection.self) {
            try decodeRequest(bytes, .binary).result.get()
        }
        let message = #"There is no field "999" here; its value is at byte 9."#
        #expect(rejection == Rejection(.malformed, message, field: "create.999"))
    }
}

@Suite("Hints at fields")
struct FieldHintTests {
    @Test(arguments: [
        (#""set":{"rwo":"a","title":"T"}"#, #"Did you mean "row"?"#),
        (#""set":{"row":"a","ifVersion":3}"#, "It stands beside the command's verb."),
        (#""set":{"row":"a","title":"T"},"ifversion":3"#, #"Did you mean "ifVersion"?"#),
        (#""move":{"rows":["a"],"befor":"b"}"#, #"Did you mean "before"?"#),
        (
            #""define":{"kinds":[{"id":"k","trailing":{"actions":[{"id":"a","titel":"A"}]}}]}"#,
            #"Did you mean "title"?"#
        ),
        (
            #""set":{"row":"a","xyzzy": 3}"#,
            #"There is no field "xyzzy" here; its value is at byte 51."#
        ),
    ]) func isGiven(command: String, hint: String) throws {
        let bytes = Array(#"{"table":"t","command":{\#(command)}}"#.utf8)
        let rejection = try #require(throws: Rejection.self) {
            try decodeRequest(bytes, .json).result.get()
        }
        #expect(rejection.message.hasSuffix(hint), "\(rejection.message)")
    }

    @Test func aBatchNamesItsCommand() throws {
        let text =
            #"{"table":"t","batch":{"commands":["#
            + #"{"remove":{"rows":["a"]}},{"remove":{"row":["a"]}}]}}"#
        let rejection = try #require(throws: Rejection.self) {
            try decodeRequest(Array(text.utf8), .json).result.get()
        }
        #expect(rejection.command == 1)
        #expect(rejection.message.hasSuffix(#"Did you mean "rows"?"#))
    }
}

extension Request.Verb {
    fileprivate static func section(_ title: String) -> Request.Verb {
        .command(Command(.section("s", title: title)))
    }
}
