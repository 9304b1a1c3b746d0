import Foundation
import TableModel
import TableSync
import Testing

@testable import TableWire

/// The readers, asked for the fields that they know, know those of `trestle.proto`: their numbers, their names and how
/// they are written in binary.
@Suite struct SchemaTests {
    @Test func everyReaderKnowsTheSchema() throws {
        let schema = try SchemaText()
        var seen: [String: Set<String>] = [:]
        let roots: [(String, (inout SchemaSource) throws -> Void)] = [
            (
                "Request",
                {
                    var request = Request(.hello)
                    try request.read(from: &$0)
                }
            ),
            ("Reply", { _ = try Reply.read(from: &$0) }),
            ("Publication", { _ = try Publication.read(from: &$0) }),
            ("Presence", { _ = try Presence.read(from: &$0) }),
            ("JournalEntry", { _ = try JournalEntry.read(from: &$0) }),
            ("CheckpointPart", { _ = try CheckpointPart.read(from: &$0) }),
        ]
        for (root, read) in roots {
            look(root, [], schema, &seen, read)
        }
        // The last ones are JSON only, and read from its source alone.
        let rest = ["StateDocument", "StateDocument.Section", "ChangeDocument", "SessionLine"]
        let others = ["Inverse", "Behalf"]
        for (message, fields) in schema.messages where !(rest + others).contains(message) {
            let known = seen[message] ?? []
            for field in fields where !known.contains(field.jsonName) {
                Issue.record("no reader knows \(message).\(field.name)")
            }
        }
    }

    private func look(
        _ message: String, _ way: [Int], _ schema: SchemaText,
        _ seen: inout [String: Set<String>], _ read: (inout SchemaSource) throws -> Void
    ) {
        let known = Known(way)
        var source = SchemaSource(known)
        try? read(&source)
        if !way.isEmpty, !known.isMessage { return }
        if !way.isEmpty, seen[message]?.isSuperset(of: known.asked.map(\.name)) == true { return }
        for (place, field) in known.asked.enumerated() {
            guard let there = schema.messages[message]?.first(where: { $0.number == field.number })
            else {
                Issue.record("\(message) has no field \(field.number) \(field.name)")
                continue
            }
            #expect(there.jsonName == field.name, "\(message)")
            #expect(there.wireType == field.type, "\(message).\(field.name)")
            seen[message, default: []].insert(field.name)
            guard let inner = there.message, way.count < 14 else { continue }
            look(inner, way + [place], schema, &seen, read)
        }
    }
}

/// The fields that a reader asks for, at one place.
private final class Known {
    struct Field { var number: UInt32, type: WireType, name: String }

    /// The fields to be taken, from the outermost message in, each by its place among those asked for.
    let way: [Int]
    var asked: [Field] = []
    var isMessage: Bool

    init(_ way: [Int]) {
        self.way = way
        isMessage = way.isEmpty
    }
}

/// Offers a reader one field of each message on the way, and notes the fields that it asks for at the end of the way.
private struct SchemaSource: Source {
    let known: Known
    let bounds = Bounds.none
    static var isJSON: Bool { false }
    private var (depth, place, passes) = (0, 0, 0)

    init(_ known: Known) { self.known = known }

    var isAtEnd: Bool { false }

    mutating func more() -> Bool {
        passes += 1
        place = 0
        return passes == 1
    }

    mutating func takes(_ number: UInt32, _ type: WireType, _ name: StaticString) -> Bool {
        if name.utf8CodeUnitCount == 0 { return false }
        defer { place += 1 }
        if depth < known.way.count { return place == known.way[depth] && passes == 1 }
        if depth == known.way.count {
            known.asked.append(.init(number: number, type: type, name: "\(name)"))
        }
        return false
    }

    func next() {}
    func letters() -> Letters { Letters(start: ("a" as StaticString).utf8Start, count: 1) }
    func number() -> UInt64 { 1 }
    func signed() -> Int64 { 1 }
    func flag() -> Bool { true }
    func double() -> Double { 1 }
    func fixed() -> UInt64 { 1 }
    func bytes() -> [UInt8] { [] }
    func doubles(_ number: UInt32) -> [Double] { [] }
    func skip(_ type: WireType) {}

    mutating func begin() -> (Int, Int) {
        if depth == known.way.count - 1 { known.isMessage = true }
        defer { (depth, place, passes) = (depth + 1, 0, 0) }
        return (place, passes)
    }

    mutating func end(_ outer: (Int, Int)) {
        (depth, place, passes) = (depth - 1, outer.0, outer.1)
    }

    func first(_ name: StaticString) -> Bool { true }
    func another(_ number: UInt32, _ type: WireType) -> Bool { false }
    mutating func map(
        _ number: UInt32, _ type: WireType, _ name: StaticString,
        _ read: (Letters, Bool, inout Self) throws(Refusal) -> Void
    ) {
        _ = takes(number, .length, name)
    }
}

extension SchemaText.Field {
    fileprivate var wireType: WireType {
        switch type {
        case "uint64", "uint32", "int64", "bool": .number
        case "fixed64": .fixed
        case "double": isMany ? .length : .fixed
        default: .length
        }
    }
}
