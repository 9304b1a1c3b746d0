import Foundation
import TableModel
import TableSync
import Testing

@testable import TableWire

/// What a request holds is counted before anything of it is built, the same in both forms.
@Suite struct ElementTests {
    private func refusal(_ bytes: [UInt8], _ form: Form) -> Rejection? {
        guard case .failure(let rejection) = decodeRequest(bytes, form).result else { return nil }
        return rejection
    }

    private func elements(_ bytes: [UInt8], _ form: Form) throws -> Int {
        try bytes.withUnsafeBytes { try Decode.elements(in: $0, form: form) }
    }

    // MARK: Bounds

    /// A field with a length, of messages within messages.
    private func field(_ path: [UInt64], _ content: [UInt8], times: Int = 1) -> [UInt8] {
        guard let number = path.first else {
            return Array(repeatElement(content, count: times).joined())
        }
        let inner =
            path.count == 1 ? content : field(Array(path.dropFirst()), content, times: times)
        let one = varint(number << 3 | 2) + varint(UInt64(inner.count)) + inner
        return path.count == 1 ? Array(repeatElement(one, count: times).joined()) : one
    }

    private func varint(_ value: UInt64) -> [UInt8] {
        value < 128 ? [UInt8(value)] : [UInt8(value & 127) | 128] + varint(value >> 7)
    }

    /// An object of this path, with a list of empty objects at its end.
    private func json(_ path: [String], times: Int) -> [UInt8] {
        let list = "[" + Array(repeating: "{}", count: times).joined(separator: ",") + "]"
        return Array(path.reversed().reduce(list) { "{\"\($1)\":\($0)}" }.utf8)
    }

    @Test(arguments: [
        ([33, 1] as [UInt64], ["batch", "commands"], "commands", 1_000, "batch.commands"),
        (
            [60, 33, 1], ["explain", "batch", "commands"], "commands", 1_000,
            "explain.batch.commands"
        ),
        ([32, 17, 1], ["command", "define", "kinds"], "kinds", 256, "command.define.kinds"),
        ([32, 10, 11], ["command", "add", "items"], "items", 1_000, "command.add.items"),
        ([32, 10, 40], ["command", "add", "states"], "states", 64, "command.add.states"),
        (
            [32, 10, 10, 1, 4], ["command", "add", "actions", "leading", "actions"], "actions", 16,
            "command.add.actions.leading.actions"
        ),
        (
            [32, 17, 3, 30], ["command", "define", "table", "faces"], "faces", 256,
            "command.define.table.faces"
        ),
    ])
    func listsHaveTheirLimits(
        path: [UInt64], names: [String], word: String, limit: Int, at place: String
    ) throws {
        for count in [3_000, 300_000] {
            let message = "\(word): \(count), at most \(limit)."
            let wanted = Rejection(.tooLarge, message, field: place)
            #expect(refusal(field(path, [], times: count), .binary) == wanted)
            #expect(refusal(json(names, times: count), .json) == wanted)
        }
    }

    @Test func ofListsInListsTheRefusalNamesThePlace() {
        let kind = field([12], [], times: 3_000)
        let two = field([32, 17, 1], [], times: 2) + field([32, 17, 1], kind)
        #expect(
            refusal(two, .binary)
                == Rejection(
                    .tooLarge, "effects: 3000, at most 16.", field: "command.define.kinds[2].tap"))
        let fields = (0..<3_000).map { "\"\($0)\":\"\"" }.joined(separator: ",")
        let batch = "{\"batch\":{\"commands\":[{},{\"set\":{\"fields\":{\(fields)}}}]}}"
        var wanted = Rejection(
            .tooLarge, "fields: 3000, at most 256.", field: "batch.commands.set.fields")
        wanted.command = 1
        #expect(refusal(Array(batch.utf8), .json) == wanted)
    }

    /// Else whoever waits for the answer would not know that it is it.
    @Test func theRefusalIsTheSenders() {
        let long = field([33, 1], [], times: 3_000) + field([1], [99]) + [2 << 3, 7]
        let many =
            "{\"batch\":{\"commands\":[{}" + String(repeating: ",{}", count: 3_000)
            + "]},\"client\":\"c\",\"number\":7}"
        for decoded in [decodeRequest(long, .binary), decodeRequest(Array(many.utf8), .json)] {
            #expect(decoded.client == "c" && decoded.number == 7)
            #expect(throws: Rejection.self) { try decoded.result.get() }
        }
    }

    /// Lists that are small, but so many of them.
    @Test func allTogetherHaveALimit() throws {
        let items = field([11], [], times: 1_000)
        let adds = field([33, 1], field([10], items), times: 100)
        #expect(try elements(adds, .binary) == 100_201)
        #expect(
            refusal(adds, .binary) == Rejection(.tooLarge, "elements: 100201, at most 65536."))
        let half = field([33, 1], field([10], items), times: 50)
        #expect(refusal(half, .binary)?.message != "elements: 50101, at most 65536.")
    }

    /// Also of what is read by hand: a field that the schema does not know makes no difference.
    @Test(arguments: Form.allCases) func frequentRequestsHaveTheLimitToo(form: Form) {
        var limits = Limits()
        limits.elements = 3_000
        func refusals(_ fields: Int) -> [Rejection?] {
            let fields = (0..<fields).map { Row.Field(ID("k\($0)"), "v") }
            let batch = (0..<20).map { Command(.set(ID("r\($0)"), .init(fields: fields))) }
            let verbs: [Request.Verb] = [
                .batch(batch, ifRevision: nil), .explain(.batch(batch, ifRevision: nil)),
            ]
            return verbs.map { verb in
                let bytes = Encode.request(Request(table: "t", verb), form: form)
                let result = decodeRequest(bytes, form, limits: limits).result
                guard case .failure(let rejection) = result else { return nil }
                return rejection
            }
        }
        #expect(
            refusals(163).map { $0?.message } == [
                "elements: 3301, at most 3000.", "elements: 3302, at most 3000.",
            ])
        #expect(refusals(147) == [nil, nil])
    }

    /// Whatever is too short to be counted cannot hold too much: the shortest commands there are.
    @Test(arguments: Form.allCases) func whatIsNotCountedIsAllowed(form: Form) throws {
        var limits = Limits()
        (limits.elements, limits.batchCommands) = (2_060, 2_000)
        for command in [Command(.add(.init(.init()))), Command(.remove(["a"]))] {
            for count in [1_029, 1_030] {
                let batch = Request.Verb.batch(
                    Array(repeating: command, count: count), ifRevision: nil)
                let bytes = Encode.request(Request(table: "t", batch), form: form)
                var request = Request(.hello)
                let isHot = bytes.withUnsafeBytes {
                    Decode.hot($0, form: form, limits: SharedLimits(limits), into: &request)
                }
                #expect(isHot == (count == 1_029), "\(count) times \(command)")
            }
        }
    }

    /// A message that a field holds once may come in pieces. Its lists are one list.
    @Test func piecesAreOne() {
        let piece = field([32, 17, 1], [], times: 200)
        let long = piece + field([32, 17, 2], Array(repeating: 97, count: 4_096)) + piece
        #expect(refusal(long, .binary)?.message == "kinds: 400, at most 256.")
    }

    @Test func namesMayBeWrittenInOtherWays() {
        let list = Array(repeating: "{}", count: 3_000).joined(separator: ",")
        for (kinds, define) in [("k\\u0069nds", "define"), ("kinds", "\\u0064efine")] {
            let text = "{ \"command\" :\n{\"\(define)\":{\"\(kinds)\" : [\(list)]}}}"
            #expect(refusal(Array(text.utf8), .json)?.message == "kinds: 3000, at most 256.")
        }
        let effects =
            "{\"set_item\":{\"fields\":{"
            + (0..<3_000).map { "\"\($0)\":\"\"" }.joined(separator: ",") + "}}}"
        let tap = "{\"command\":{\"define\":{\"kinds\":[{\"tap\":[\(effects)]}]}}}"
        #expect(refusal(Array(tap.utf8), .json)?.message == "fields: 3000, at most 256.")
    }

    /// What the schema does not know is ignored, however much it is.
    @Test func unknownElementsDoNotCount() throws {
        let list = Array(repeating: "{\"a\":[{}]}", count: 60_000).joined(separator: ",")
        let text =
            "{\"table\":\"t\",\"zz\":[\(list)],\"command\":{\"zz\":{\"kinds\":[\(list)]},"
            + "\"remove\":{\"rows\":[\"a\"]}}}"
        #expect(try elements(Array(text.utf8), .json) == 2)
        var limits = Limits()
        limits.requestBytes = 10 << 20
        let decoded = decodeRequest(Array(text.utf8), .json, limits: limits)
        #expect(try decoded.result.get().verb == .command(Command(.remove(["a"]))))
        let binary =
            field([32, 12, 1], [97]) + field([4], [116]) + field([120], [], times: 100_000)
        #expect(try elements(binary, .binary) == 2)
        #expect(refusal(binary, .binary) == nil)
    }

    // MARK: Against the parser

    @Test func bothFormsCountTheSame() throws {
        var generator = Generator(seed: 7)
        for _ in 0..<2_000 {
            let request = generator.request()
            #expect(
                try elements(Encode.request(request, form: .binary), .binary)
                    == elements(Encode.request(request, form: .json), .json))
        }
    }

    /// Whatever the bytes: of what the parser builds nothing is left out.
    @Test(arguments: Form.allCases)
    func nothingIsBuiltThatIsNotCounted(form: Form) throws {
        var generator = Generator(seed: 8)
        var read = 0
        for _ in 0..<20_000 {
            var bytes = Encode.request(generator.request(), form: form)
            for _ in 0..<generator.below(3) where !bytes.isEmpty {
                let (from, to) = (generator.below(bytes.count), generator.below(bytes.count))
                switch generator.below(3) {
                case 0: bytes[from] = UInt8(truncatingIfNeeded: generator.next())
                case 1: bytes.insert(contentsOf: bytes[min(from, to)..<max(from, to)], at: to)
                default: bytes[from] = bytes[to]
                }
            }
            let wire = bytes.withUnsafeBytes { bytes in
                Result { () throws(Rejection) in try WireRequest.parse(bytes, form) }
            }
            guard let wire = try? wire.get() else { continue }
            read += 1
            let counted = (try? elements(bytes, form)) ?? .max
            let built = try elements(wire.bytes(.binary), .binary)
            #expect(counted >= built, "\(bytes)")
        }
        #expect(read > 5_000)
    }

    // MARK: Against the schema

    @Test func everyFieldOfTheSchemaIsThere() throws {
        let schema = try Schema()
        var seen: Set<String> = []
        func compare(_ holder: Holder, _ message: String) {
            guard seen.insert("\(holder) \(message)").inserted else { return }
            let wanted = schema.messages[message]?.filter { $0.isMap || $0.message != nil } ?? []
            let found = holder.fields.sorted { $0.number < $1.number }
            #expect(
                found.map { "\($0.number) \($0.name)" }
                    == wanted.map { "\($0.number) \($0.name)" }, "\(message)")
            for (field, other) in zip(found, wanted) {
                switch field.count {
                case .entries: #expect(other.isMap, "\(message) \(field.name)")
                case .one(let child), .many(let child, _):
                    if case .many = field.count {
                        #expect(other.isMany, "\(message) \(field.name)")
                    } else {
                        #expect(!other.isMany && !other.isMap, "\(message) \(field.name)")
                    }
                    if let name = other.message { compare(child, name) }
                }
            }
        }
        compare(.request, "Request")
        #expect(seen.count > 60)
    }

    // MARK: Outlines

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

/// The messages of the schema and their fields, read from its text.
private struct Schema {
    struct Field {
        let number: UInt64
        let name: String
        let type: String
        let isMany: Bool
        let isMap: Bool
        var message: String?
    }

    var messages: [String: [Field]] = [:]

    init() throws {
        let root = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(
            contentsOf: root.appending(path: "Sources/TableWire/Schema/trestle.proto"),
            encoding: .utf8)
        var scopes: [String?] = []
        for line in text.split(separator: "\n") {
            var line = line.prefix { $0 != "/" }.trimmingCharacters(in: .whitespaces)
            if let block = line.firstMatch(of: /^(message|oneof|enum) (\w+) \{/) {
                scopes.append(block.1 == "message" ? String(block.2) : nil)
                if block.1 == "message" { messages[Self.name(scopes)] = [] }
                line = String(line[block.range.upperBound...])
            }
            let pattern = /(repeated )?(?:optional )?(map<[^>]*>|[\w.]+) (\w+) = (\d+)/
            if let field = line.firstMatch(of: pattern), !line.hasPrefix("reserved"),
                let number = UInt64(field.4)
            {
                messages[Self.name(scopes), default: []].append(
                    Field(
                        number: number, name: String(field.3), type: String(field.2),
                        isMany: field.1 != nil, isMap: field.2.hasPrefix("map<")))
            }
            if line.hasSuffix("}") { _ = scopes.popLast() }
        }
        for (name, fields) in messages {
            messages[name] = fields.map {
                var field = $0
                field.message = resolved(field.type, in: name)
                return field
            }.sorted { $0.number < $1.number }
        }
    }

    private static func name(_ scopes: [String?]) -> String {
        scopes.compactMap { $0 }.joined(separator: ".")
    }

    private func resolved(_ type: String, in scope: String) -> String? {
        var scope = scope.split(separator: ".").map(String.init)
        while true {
            let name = (scope + [type]).joined(separator: ".")
            if messages[name] != nil { return name }
            if scope.popLast() == nil { return nil }
        }
    }
}
