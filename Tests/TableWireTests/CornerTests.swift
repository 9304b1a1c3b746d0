import Foundation
import SwiftProtobuf
import TableModel
import TableSync
import TableWire
import Testing

/// Requests that are written in unusual ways, beside protobuf's library. docs/CORNERS.md shows the lines.
@Suite struct CornerTests {
    /// The outcome of a request here, beside the library's.
    enum Here: String {
        case same = "read, the same"
        case other = "read otherwise"
        case refused = "refused"
        case alsoRefused = "refused, by the library too"
        case readAlone = "read, and refused by the library"
    }

    struct Corner {
        let form: Form
        /// How it is written: the text itself in JSON.
        let what: String
        let bytes: [UInt8]
        let here: Here
        var why = ""
    }

    private static func json(_ text: String, _ here: Here, _ why: String = "") -> Corner {
        Corner(form: .json, what: "`\(text)`", bytes: Array(text.utf8), here: here, why: why)
    }

    private static func binary(
        _ what: String, _ parts: [[UInt8]], _ here: Here, _ why: String = ""
    ) -> Corner {
        Corner(form: .binary, what: what, bytes: Array(parts.joined()), here: here, why: why)
    }

    private static func field(_ number: Int, _ content: [UInt8]...) -> [UInt8] {
        let content = Array(content.joined())
        let tag = number << 3 | 2
        return (tag < 128 ? [UInt8(tag)] : [UInt8(tag & 127) | 128, UInt8(tag >> 7)])
            + [UInt8(content.count)] + content
    }

    private static func text(_ number: Int, _ text: String) -> [UInt8] {
        field(number, Array(text.utf8))
    }

    private static func command(_ content: [UInt8]...) -> [UInt8] {
        field(32, Array(content.joined()))
    }

    /// A command `set` with these fields of its message, besides the row.
    private static func set(_ content: [UInt8]...) -> [[UInt8]] {
        [table, command(field(11, text(1, "r"), Array(content.joined())))]
    }

    private static let hello: [UInt8] = [82, 0]
    private static let table = text(4, "t")
    private static let one: [UInt8] = [0, 0, 0, 0, 0, 0, 0xF0, 0x3F]

    private static func insets(_ content: [UInt8]...) -> [[UInt8]] {
        let look = field(1, Array(content.joined()))
        return [table, command(field(17, field(1, text(1, "k"), field(13, look))))]
    }

    private static func move(_ members: String) -> String {
        #"{"table":"t","command":{"move":{\#(members)}}}"#
    }

    static let all: [Corner] = names + numbers + texts + structure + inBinary

    private static let names = [
        json(#"{"hello":{},"at_ms":7}"#, .same, "the schema's name"),
        json(#"{"h\u0065llo":{}}"#, .same),
        json(#"{"hello":{},"AtMs":7}"#, .alsoRefused, "an unknown field"),
        json(#"{"hello":{},"more":7}"#, .alsoRefused, "an unknown field"),
        json(#"{"hello":{},"number":null}"#, .same, "null is absent"),
        json(#"{"hello":{},"tables":null}"#, .same),
        json(#"{"hello":{},"more":null}"#, .readAlone, "null is absent"),
        json(#"{"hello":{},"number":1,"number":2}"#, .same, "the last one counts"),
        json(#"{"hello":{},"tables":{}}"#, .alsoRefused, "two verbs"),
        json(#"{"hello":{},"hello":{}}"#, .alsoRefused, "two verbs"),
    ]

    private static let numbers: [Corner] =
        ["\"7\"", "7.0", "7e0", "70e-1", "\"7e0\"", "18446744073709551615"].map {
            json(#"{"hello":{},"number":\#($0)}"#, .same)
        }
        + [
            "7.5", "-1", "07", "+7", "7.", ".7", "0x7", "\"\"", "\" 7\"", "true",
            "18446744073709551616", "1e20",
        ].map { json(#"{"hello":{},"number":\#($0)}"#, .alsoRefused) }
        + [
            json(#"{"hello":{},"number":-0}"#, .readAlone),
            json(#"{"audit":{"most":4294967296}}"#, .alsoRefused),
            json(#"{"table":"t","drag":{"lift":{"rows":["r"],"ttl":"5"}}}"#, .same),
            json(
                #"{"table":"t","drag":{"lift":{"rows":["r"],"ttl":"NaN"}}}"#, .refused,
                "a number must be finite"),
            json(
                #"{"table":"t","drag":{"lift":{"rows":["r"],"ttl":"-Infinity"}}}"#, .refused,
                "a number must be finite"),
            json(#"{"table":"t","drag":{"lift":{"rows":["r"],"ttl":1e999}}}"#, .alsoRefused),
            json(#"{"table":"t","command":{"edit":{"on":1}}}"#, .alsoRefused),
            json(#"{"table":"t","command":{"edit":{"on":"true"}}}"#, .alsoRefused),
        ]

    private static let texts = [
        json(#"{"hello":{},"name":"\ud83e\uddf5"}"#, .same, "a pair of surrogates"),
        json(#"{"hello":{},"name":"\ud83e"}"#, .alsoRefused, "half a pair"),
        json(#"{"hello":{},"name":"\uddf5\ud83e"}"#, .alsoRefused, "half a pair"),
        json(#"{"hello":{},"name":"a\x"}"#, .alsoRefused),
        json(#"{"hello":{},"name":7}"#, .alsoRefused),
        json(#"{"restore":{"parts":{"index":0,"contents":["-_8="]}}}"#, .same, "base64 of URLs"),
        json(#"{"restore":{"parts":{"index":0,"contents":["+/8"]}}}"#, .same, "no padding"),
        json(#"{"restore":{"parts":{"index":0,"contents":["+/8?"]}}}"#, .alsoRefused),
        json(#"{"restore":{"parts":{"index":0,"contents":["+/8=="]}}}"#, .alsoRefused),
        json(#"{"restore":{"parts":{"index":0,"contents":["+=/8"]}}}"#, .alsoRefused),
        json(#"{"restore":{"parts":{"index":0,"contents":["a"]}}}"#, .alsoRefused),
    ]

    private static let structure = [
        json(" { \"hello\" : { } } ", .same, "white space"),
        json(#"{"hello":{}} x"#, .alsoRefused, "more behind the end"),
        json(#"{"hello":{}"#, .alsoRefused),
        json(#"{"hello":{},}"#, .alsoRefused),
        json(#"[{"hello":{}}]"#, .alsoRefused),
        json(#"{"hello":[]}"#, .alsoRefused),
        json(#"{}"#, .refused, "no verb"),
        json(move(#""rows":"r","top":true"#), .alsoRefused),
        json(move(#""rows":["r",null],"top":true"#), .alsoRefused),
        json(move(#""rows":["r",],"top":true"#), .alsoRefused),
        json(move(#""rows":["a"],"rows":["b"],"top":true"#), .same, "a list goes on"),
        json(
            #"{"table":"t","command":{"set":{"row":"r","fields":{"a":"1","a":"2"}}}}"#, .readAlone,
            "the last one counts"),
        Corner(
            form: .json, what: "an object in an object, 200 deep",
            bytes: Array(String(repeating: #"{"hello":"#, count: 200).utf8), here: .alsoRefused),
    ]

    private static let inBinary = [
        binary("the fields in another order", [hello, [16, 7]], .same),
        binary("a number in more bytes than it needs", [hello, [16, 0x87, 0x80, 0]], .same),
        binary("a tag in more bytes than it needs", [hello, [0x90, 0x80, 0, 7]], .same),
        binary(
            "a number of 11 bytes", [hello, [16] + .init(repeating: 0x80, count: 10) + [0]],
            .alsoRefused),
        binary(
            "the bits of a number beyond 64",
            [hello, [16] + .init(repeating: 0xFF, count: 9) + [0x7F]], .same),
        binary("true as 300", [table, command([0xAA, 1, 3, 8, 0xAC, 2])], .same),
        binary("a number twice", [hello, [16, 1, 16, 2]], .same, "the last one counts"),
        binary("two verbs", [hello, [90, 0]], .same, "the last one counts"),
        binary(
            "an `audit` whose `most` has 33 bits", [[0xAA, 1, 6, 8, 0x81, 0x80, 0x80, 0x80, 0x10]],
            .refused),
        binary(
            "a message in two pieces", set(text(2, "a")) + set(text(5, "k"))[1...], .other,
            "the last piece counts: pieces are not merged"),
        binary("an unknown number", [hello, [0xF8, 0x7F, 1]], .refused, "an unknown field"),
        binary(
            "an unknown field of four bytes", [hello, [0xFD, 0x7F, 1, 2, 3, 4]], .refused,
            "an unknown field"),
        binary(
            "a group", [hello, [0xFB, 0x7F, 0xFC, 0x7F]], .refused, "no program writes groups"),
        binary("a text as a number", [hello, [8, 7]], .refused, "an unknown field"),
        binary("a field 0", [hello, [0, 1]], .alsoRefused),
        binary("a text beyond the end", [hello, [10, 9, 97]], .alsoRefused),
        binary("half a number", [hello, [16, 0x80]], .alsoRefused),
        binary("a text that is not UTF-8", [hello, field(5, [0xFF])], .alsoRefused),
        binary("nothing", [], .refused, "no verb"),
        binary("a list of doubles, packed", insets(field(5, one, one, one, one)), .same),
        binary("packed in two pieces", insets(field(5, one, one), field(5, one, one)), .same),
        binary("unpacked", insets([41] + one, [41] + one, [41] + one, [41] + one), .same),
        binary("packed, of seven bytes", insets(field(5, .init(one.dropLast()))), .alsoRefused),
        binary(
            "a map with a key twice",
            set(field(3, text(1, "a"), text(2, "1")), field(3, text(1, "a"), text(2, "2"))), .same,
            "the last one counts"),
        binary("a map's entry without its value", set(field(3, text(1, "a"))), .same),
        binary(
            "a map's entry without its key", set(field(3, text(2, "1"))), .refused, "a key is an id"
        ),
        binary(
            "a map's entry with the value first", set(field(3, text(2, "1"), text(1, "a"))),
            .refused, "each library writes the key first"),
        binary(
            "a map's entry with a field 3", set(field(3, text(1, "a"), text(2, "1"), text(3, "x"))),
            .refused, "an unknown field"),
    ]

    private static func outcome(_ corner: Corner) -> Here {
        let message = try? Oracle.message(corner.bytes, corner.form, WireRequest.self)
        let found = decodeRequest(corner.bytes, corner.form).result
        guard let message else {
            return (try? found.get()) == nil ? .alsoRefused : .readAlone
        }
        guard case .success(let request) = found else { return .refused }
        let library = (try? Oracle.bytes(message, corner.form)) ?? []
        return decodeRequest(library, corner.form).result == .success(request) ? .same : .other
    }

    @Test func eachIsReadOrRefusedAsItSays() {
        for corner in Self.all {
            #expect(Self.outcome(corner) == corner.here, "\(corner.form) \(corner.what)")
        }
    }

    /// Writes the tables of the page anew if `TRESTLE_WRITE` is set.
    @Test func thePageHasTheLines() throws {
        let url = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../docs/CORNERS.md")
        let page = try String(contentsOf: url, encoding: .utf8)
        var wanted: [String] = []
        var form: Form?
        for line in page.components(separatedBy: "\n") where !line.hasPrefix("| ") {
            wanted.append(line)
            if line.hasPrefix("## ") { form = line.contains("JSON") ? .json : .binary }
            if line.hasPrefix("|---") {
                wanted.insert("| written | here | why |", at: wanted.count - 1)
                wanted += Self.all.filter { $0.form == form }.map {
                    "| \($0.what) | \($0.here.rawValue) | \($0.why.isEmpty ? "" : $0.why + " ")|"
                }
            }
        }
        let text = wanted.joined(separator: "\n")
        if ProcessInfo.processInfo.environment["TRESTLE_WRITE"] != nil {
            try text.write(to: url, atomically: true, encoding: .utf8)
        } else {
            #expect(page == text)
        }
    }
}
