import Foundation
import TableHash
import TableModel
import TableSync
import TableWire
import Testing

/// The ten vectors of docs/PROTOCOL.md, "Vectors": what is printed there for other languages is what
/// the model computes.
struct PageVectorTests {
    /// One of the page's lines: `4  row  {…} = ba89…`.
    private struct Vector {
        var number: Int
        var what: Substring
        var of: Any
        var value: Substring
    }

    private static func vectors() throws -> [Vector] {
        let part = try RepositoryPage.part(
            of: "docs/PROTOCOL.md", from: "### Vectors", to: "\n## 10")
        var joined = ""
        for line in part.split(separator: "\n") where line.hasPrefix("    ") {
            let words = line.drop { $0 == " " }
            joined += (words.first?.isNumber == true && line.count - words.count < 8 ? "\n" : "")
            joined += words
        }
        return try joined.split(separator: "\n").map { line in
            let match = try #require(line.wholeMatch(of: /(\d+) +(\w+) +(.*) = ([0-9a-f]{16})/))
            let of = try JSONSerialization.jsonObject(with: Data(match.3.utf8))
            let number = try #require(Int(match.1))
            return Vector(number: number, what: match.2, of: of, value: match.4)
        }
    }

    @Test func theModelComputesThem() throws {
        let vectors = try Self.vectors()
        #expect(vectors.map(\.number) == Array(1...10))
        for vector in vectors {
            let value = try Self.hash(vector)
            let text = String(repeating: "0", count: 16) + String(value, radix: 16)
            #expect(text.suffix(16) == vector.value, "vector \(vector.number)")
        }
    }

    private static func hash(_ vector: Vector) throws -> UInt64 {
        switch vector.what {
        case "hash": return hash(try list(vector.of))
        case "sequence": return sequence(try list(vector.of).map { try #require($0 as? UInt64) })
        case "row":
            let row = try row(vector.of)
            return row.hash
        case "section":
            let of = try fields(vector.of)
            let rows = try hashes(of["rows"])
            return hash([try text(of["id"]), try text(of["title"]), rows.count, sequence(rows)])
        case "definitions":
            let of = try fields(vector.of)
            let kinds = try fields(of["kinds"]).sorted { $0.key < $1.key }
            let parts = try kinds.flatMap { [$0.key, try number($0.value)] as [Any] }
            return hash([try number(of["settings"]), kinds.count] + parts)
        case "table":
            let of = try fields(vector.of)
            let sections = try hashes(of["sections"])
            let invocations = try list(of["invocations"]).map { try fields($0) }
            let sum = try invocations.reduce(UInt64(0)) {
                let held = [try number($1["digest"]), 1, try text($1["holder"])] as [Any]
                return $0 &+ hash(held + [try #require($1["attempts"])])
            }
            #expect(of["editing"] as? Bool == true)
            return hash([
                sections.count, sequence(sections), try number(of["definitions"]), "editing",
                "invocations", invocations.count, sum,
            ])
        default:
            Issue.record("the page has vectors of \(vector.what)")
            return 0
        }
    }

    /// As a viewer reads it: from a snapshot.
    private static func row(_ of: Any) throws -> Row {
        let row = String(decoding: try JSONSerialization.data(withJSONObject: of), as: UTF8.self)
        let reply = """
            {"ok":true,"table":"t","epoch":"\(GoldenTests.e)","history":"\(GoldenTests.h)",\
            "revision":1,"snapshot":{"id":"s","revision":1,"digest":"\(GoldenTests.zero)",\
            "chunk":0,"chunks":1,"rows":1,"slices":[{"section":"main","rows":[\(row)]}]}}
            """
        let answer = try Array(reply.utf8).withUnsafeBytes {
            try Decode.reply($0, form: .json).answer
        }
        guard case .snapshot(let chunk) = answer else {
            throw Unread(text: reply)
        }
        return try #require(chunk.slices.first?.rows.first)
    }

    private struct Unread: Error {
        var text: String
    }

    // MARK: As the page says, with nothing of the model

    /// Numbers are 8 bytes, little-endian; a text is its length as such a number, then its UTF-8.
    private static func hash(_ parts: [Any]) -> UInt64 {
        var bytes: [UInt8] = []
        func write(_ number: UInt64) {
            withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
        }
        for part in parts {
            if let text = part as? String {
                write(UInt64(text.utf8.count))
                bytes += text.utf8
            } else if let number = part as? UInt64 {
                write(number)
            } else if let number = part as? Int {
                write(UInt64(number))
            } else {
                Issue.record("neither a text nor a number: \(part)")
            }
        }
        return XXH64.hash(bytes)
    }

    private static func sequence(_ hashes: [UInt64]) -> UInt64 {
        var value = SequenceDigest.empty
        for hash in hashes { value.append(SequenceDigest(hash: hash)) }
        return value.value
    }

    private static func list(_ value: Any?) throws -> [Any] { try #require(value as? [Any]) }

    private static func fields(_ value: Any?) throws -> [String: Any] {
        try #require(value as? [String: Any])
    }

    private static func text(_ value: Any?) throws -> String { try #require(value as? String) }

    private static func number(_ value: Any?) throws -> UInt64 {
        try #require(UInt64(try text(value), radix: 16))
    }

    private static func hashes(_ value: Any?) throws -> [UInt64] {
        try list(value).map { try number($0) }
    }
}
