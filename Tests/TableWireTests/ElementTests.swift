import TableModel
import TableSync
import Testing

@testable import TableWire

/// The contents of a request are bounded while they are read, in both forms alike.
@Suite struct ElementTests {
    private func refusal(
        _ verb: Command.Verb, _ form: Form, limits: Limits = Limits()
    ) -> Rejection? {
        refusal(Request(table: "t", .command(Command(verb))), form, limits: limits)
    }

    private func refusal(
        _ request: Request, _ form: Form, limits: Limits = Limits()
    ) -> Rejection? {
        let bytes = Encode.request(request, form: form)
        guard case .failure(let rejection) = decodeRequest(bytes, form, limits: limits).result
        else { return nil }
        return rejection
    }

    @Test(arguments: Form.allCases) func listsHaveTheirLimits(form: Form) {
        func names(_ count: Int) -> [ID] { (0..<count).map { ID("n\($0)") } }
        func effects(_ count: Int) -> [Effect] { Array(repeating: .remove, count: count) }
        var (tapped, full) = (Kind("k"), Kind("k"))
        tapped.tap = effects(17)
        full.itemKinds = Dictionary(names(65).map { ($0, ItemKind()) }) { $1 }
        var settings = Settings()
        settings.faces = Dictionary(names(257).map { ($0, Face(.text("x"))) }) { $1 }
        let group = ActionGroup(actions: names(17).map { Action($0) })
        let own = RowActions(leading: group)
        let many: [(Command.Verb, String, String)] = [
            (.define(.init(kinds: names(257).map { Kind($0) })), "kinds: more than 256.", "kinds"),
            (.define(.init(kinds: [tapped])), "effects: more than 16.", "kinds[0].tap"),
            (.define(.init(kinds: [full])), "item kinds: more than 64.", "kinds[0].items"),
            (
                .define(.init(kinds: [], settings: settings)), "faces: more than 256.",
                "table.faces"
            ),
            (
                .add(.init(.init(items: names(1_001).map { Item($0) }))),
                "items: more than 1000.", "items"
            ),
            (
                .add(.init(.init(states: names(65).map { .named($0, heightPoints: 1) }))),
                "states: more than 64.", "states"
            ),
            (.add(.init(.init(actions: own))), "actions: more than 16.", "actions.leading.actions"),
        ]
        for (verb, message, field) in many {
            let wanted = Rejection(.tooLarge, message, field: "command.\(verb.name).\(field)")
            #expect(refusal(verb, form) == wanted)
        }
    }

    /// Lists that are small, but so many of them.
    @Test(arguments: Form.allCases) func allTogetherHaveALimit(form: Form) throws {
        var limits = Limits()
        limits.elements = 3_000
        func refusals(_ fields: Int) -> [String?] {
            let fields = (0..<fields).map { Row.Field(ID("k\($0)"), "v") }
            let batch = (0..<20).map { Command(.set(ID("r\($0)"), .init(fields: fields))) }
            let verbs: [Request.Verb] = [
                .batch(batch, ifRevision: nil), .explain(.batch(batch, ifRevision: nil)),
            ]
            return verbs.map { refusal(Request(table: "t", $0), form, limits: limits)?.message }
        }
        let message = "elements: more than 3000."
        #expect(refusals(163) == [message, message])
        #expect(refusals(147) == [nil, nil])
    }

    @Test func bothFormsCountTheSame() throws {
        var generator = Generator(seed: 7)
        for _ in 0..<2_000 {
            let request = generator.request()
            let counts = try Form.allCases.map { form in
                try Encode.request(request, form: form).withUnsafeBytes {
                    try Decode.elements(in: $0, form: form)
                }
            }
            #expect(counts[0] == counts[1])
        }
    }

    /// A client that waits for the answer would else not know that it is its own.
    @Test(arguments: Form.allCases) func theRefusalIsTheSenders(form: Form) {
        let batch = Array(repeating: Command(.remove(["a"])), count: 1_001)
        let request = Request(
            client: "c", number: 7, table: "t", .batch(batch, ifRevision: nil))
        let decoded = decodeRequest(Encode.request(request, form: form), form)
        #expect(decoded.client == "c" && decoded.number == 7)
        #expect(throws: Rejection.self) { try decoded.result.get() }
        let behind =
            #"{"batch":{"commands":[{}]},"number":7,"client":"c"}"#
        let other = decodeRequest(behind.utf8, .json)
        #expect(other.client == "c" && other.number == 7)
    }

    @Test func namesMayBeWrittenInOtherWays() {
        let list = (0..<300).map { #"{"id":"k\#($0)"}"# }.joined(separator: ",")
        for (kinds, define) in [("k\\u0069nds", "define"), ("kinds", "\\u0064efine")] {
            let command = "{\"\(define)\":{\"\(kinds)\" : [\(list)]}}"
            let text = "{ \"table\":\"t\",\"command\" :\n\(command)}"
            let wanted = Rejection(
                .tooLarge, "kinds: more than 256.", field: "command.define.kinds")
            #expect(decodeRequest(text.utf8, .json).result == .failure(wanted))
        }
    }

    @Test(arguments: Form.allCases)
    func anOutlineSaysWhoSendsWhat(form: Form) {
        var generator = Generator(seed: 9)
        for _ in 0..<1_000 {
            let request = generator.request()
            let bytes = Encode.request(request, form: form)
            let outline = bytes.withUnsafeBytes { Decode.outline($0, form: form) }
            #expect(
                outline
                    == Outline(
                        client: request.client, number: request.number, name: request.verb.request))
        }
        let nothing = Array("[1".utf8).withUnsafeBytes { Decode.outline($0, form: form) }
        #expect(nothing == Outline())
    }
}
