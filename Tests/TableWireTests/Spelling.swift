import Foundation
import SwiftProtobuf

/// Writes a message of protobuf's library in another way that protobuf allows: its fields in any order, the elements of
/// lists among other fields, numbers in more bytes than they need, and packed lists in pieces or unpacked.
struct Spelling: Visitor {
    /// The state that all messages of one writing share.
    final class Common {
        /// In the order of the numbers and in the shortest way.
        let isPlain: Bool
        var generator: Generator
        /// The fields that were set, such as `Row.3`. Only a plain writing notes them.
        var seen: Set<String> = []

        init(_ generator: Generator, isPlain: Bool) {
            (self.generator, self.isPlain) = (generator, isPlain)
        }

        func isOdd(_ every: Int) -> Bool { !isPlain && generator.below(every) == 0 }
    }

    /// A diff has its digest as text in JSON, and as a number in binary.
    private static let ofOneForm: Set = ["Diff.2", "Diff.5"]
    private static let defaults = ["Row.9": "collapsed".utf8, "Row.10": "closed".utf8].mapValues {
        Array($0)[...]
    }

    private let common: Common
    private let name: String
    private var fields: [(number: Int, bytes: [UInt8])] = []

    private init(_ common: Common, _ name: String) {
        (self.common, self.name) = (common, String(name.trimmingPrefix("trestle.v1.")))
    }

    static func bytes<M: Message>(of message: M, _ common: Common) throws -> [UInt8] {
        var spelling = Spelling(common, M.protoMessageName)
        try message.traverse(visitor: &spelling)
        return spelling.joined
    }

    /// The fields in any order; those of one number stay in theirs.
    private var joined: [UInt8] {
        if common.isPlain { return Array(fields.map(\.bytes).joined()) }
        let numbers = fields.map(\.number).shuffled(using: &common.generator)
        var queues = Dictionary(grouping: fields, by: \.number).mapValues { $0[...] }
        return numbers.flatMap { queues[$0]?.popFirst()?.bytes ?? [] }
    }

    private func varint(_ value: UInt64) -> [UInt8] {
        var (bytes, value) = ([UInt8](), value)
        while value > 0x7F {
            bytes.append(UInt8(value & 0x7F) | 0x80)
            value >>= 7
        }
        bytes.append(UInt8(value))
        if bytes.count < 4, common.isOdd(8) {
            bytes[bytes.count - 1] |= 0x80
            bytes += [0x80, 0]
        }
        return bytes
    }

    private mutating func add(_ number: Int, _ type: Int, _ value: [UInt8]) {
        if common.isPlain {
            let field = "\(name).\(number)"
            common.seen.insert(field)
            // JSON shows defaults that binary leaves out.
            let isDefault =
                value.allSatisfy { $0 == 0 }
                || Self.defaults[field].map { value.dropFirst() == $0 } == true
            if Self.ofOneForm.contains(field) || isDefault { return }
        }
        fields.append((number, varint(UInt64(number << 3 | type)) + value))
    }

    private func fixed(_ value: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    private mutating func add(_ number: Int, content: some Collection<UInt8>) {
        add(number, 2, varint(UInt64(content.count)) + content)
    }

    mutating func visitSingularDoubleField(value: Double, fieldNumber: Int) {
        add(fieldNumber, 1, fixed(value.bitPattern))
    }
    mutating func visitSingularInt64Field(value: Int64, fieldNumber: Int) {
        add(fieldNumber, 0, varint(UInt64(bitPattern: value)))
    }
    mutating func visitSingularUInt64Field(value: UInt64, fieldNumber: Int) {
        add(fieldNumber, 0, varint(value))
    }
    mutating func visitSingularFixed64Field(value: UInt64, fieldNumber: Int) {
        add(fieldNumber, 1, fixed(value))
    }
    mutating func visitSingularBoolField(value: Bool, fieldNumber: Int) {
        add(fieldNumber, 0, varint(!value ? 0 : common.isOdd(4) ? 300 : 1))
    }
    mutating func visitSingularStringField(value: String, fieldNumber: Int) {
        add(fieldNumber, content: value.utf8)
    }
    mutating func visitSingularBytesField(value: Data, fieldNumber: Int) {
        add(fieldNumber, content: value)
    }
    mutating func visitSingularEnumField<E: Enum>(value: E, fieldNumber: Int) throws {
        throw Difference("the schema has no enums")
    }
    mutating func visitSingularMessageField<M: Message>(value: M, fieldNumber: Int) throws {
        add(fieldNumber, content: try Self.bytes(of: value, common))
    }

    mutating func visitPackedDoubleField(value: [Double], fieldNumber: Int) {
        let isUnpacked = common.isOdd(3)
        let split = isUnpacked || common.isPlain ? 0 : common.generator.below(value.count + 1)
        for part in [value[..<split], value[split...]] where !part.isEmpty {
            if isUnpacked {
                for value in part { add(fieldNumber, 1, fixed(value.bitPattern)) }
            } else {
                add(fieldNumber, content: part.flatMap { fixed($0.bitPattern) })
            }
        }
    }

    mutating func visitMapField<Key, Value: MapValueType>(
        fieldType: _ProtobufMap<Key, Value>.Type, value: _ProtobufMap<Key, Value>.BaseType,
        fieldNumber: Int
    ) throws {
        var entries: [[UInt8]] = []
        for (key, value) in value {
            var entry = Spelling(common, "\(name).\(fieldNumber)")
            try Key.visitSingular(value: key, fieldNumber: 1, with: &entry)
            try Value.visitSingular(value: value, fieldNumber: 2, with: &entry)
            entries.append(Array(entry.fields.map(\.bytes).joined()))
        }
        if common.isPlain { entries.sort { $0.lexicographicallyPrecedes($1) } }
        for entry in entries { add(fieldNumber, content: entry) }
    }

    mutating func visitMapField<Key, Value>(
        fieldType: _ProtobufEnumMap<Key, Value>.Type, value: _ProtobufEnumMap<Key, Value>.BaseType,
        fieldNumber: Int
    ) throws where Value.RawValue == Int {
        throw Difference("the schema has no maps of enums")
    }

    mutating func visitMapField<Key, Value>(
        fieldType: _ProtobufMessageMap<Key, Value>.Type,
        value: _ProtobufMessageMap<Key, Value>.BaseType, fieldNumber: Int
    ) throws {
        throw Difference("the schema has no maps of messages")
    }

    mutating func visitUnknown(bytes: Data) throws {
        throw Difference("\(name) has a field that the schema has not: \(Array(bytes))")
    }
}

/// Writes JSON in another way: members in any order, names as in the schema, letters as escapes, numbers in quotation
/// marks or with an exponent, white space.
struct JSONSpelling {
    private static let maps: Set = [
        "fields", "counters", "gauges", "rejections", "motion", "as", "by",
    ]
    /// The library takes no escapes in base64.
    private static let bytes: Set = ["png", "parts", "contents", "part", "entries", "content"]
    private let text: [UInt8]
    private var place = 0
    private var generator: Generator

    static func bytes(of text: [UInt8], _ generator: Generator) -> [UInt8] {
        var spelling = JSONSpelling(text: text, generator: generator)
        return spelling.value()
    }

    private init(text: [UInt8], generator: Generator) {
        (self.text, self.generator) = (text, generator)
    }

    private mutating func space() -> [UInt8] {
        generator.below(8) == 0 ? [[32], [10, 9], [13]][generator.below(3)] : []
    }

    private mutating func value(of name: String = "", isMap: Bool = false) -> [UInt8] {
        switch text[place] {
        case UInt8(ascii: "{"):
            return elements(UInt8(ascii: "}"), isShuffled: true) { spelling in
                let name = spelling.string()
                spelling.place += 1
                let plain = String(decoding: name.dropFirst().dropLast(), as: UTF8.self)
                let value = spelling.value(
                    of: plain, isMap: !isMap && Self.maps.contains(plain))
                return (isMap ? name : spelling.renamed(name)) + spelling.space() + [58]
                    + spelling.space() + value
            }
        case UInt8(ascii: "["):
            return elements(UInt8(ascii: "]"), isShuffled: false) { $0.value(of: name) }
        case UInt8(ascii: "\""):
            return Self.bytes.contains(name) ? string() : escaped(string())
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return bare()
        default: return number(bare())
        }
    }

    private mutating func elements(
        _ end: UInt8, isShuffled: Bool, _ element: (inout Self) -> [UInt8]
    ) -> [UInt8] {
        let start = text[place]
        var all: [[UInt8]] = []
        repeat {
            place += 1
            if text[place] == end { break }
            all.append(space() + element(&self) + space())
        } while text[place] != end
        place += 1
        if isShuffled { all.shuffle(using: &generator) }
        return [start] + all.joined(separator: [UInt8(ascii: ",")]) + [end]
    }

    /// The string at hand, as it stands.
    private mutating func string() -> [UInt8] {
        let start = place
        place += 1
        while text[place] != UInt8(ascii: "\"") { place += text[place] == 92 ? 2 : 1 }
        place += 1
        return Array(text[start..<place])
    }

    private mutating func bare() -> [UInt8] {
        let start = place
        while place < text.count, !",}]".utf8.contains(text[place]) { place += 1 }
        return Array(text[start..<place])
    }

    private mutating func number(_ digits: [UInt8]) -> [UInt8] {
        let isWhole = digits.count < 16 && digits.allSatisfy { 48...57 ~= $0 }
        switch generator.below(isWhole ? 8 : 3) {
        case 0: return [34] + digits + [34]
        case 3: return digits + "e0".utf8
        case 4: return digits + ".0".utf8
        case 5: return digits == [48] ? digits : digits + "0E-1".utf8
        default: return digits
        }
    }

    private mutating func renamed(_ name: [UInt8]) -> [UInt8] {
        switch generator.below(4) {
        case 0:
            return name.flatMap { (65...90) ~= $0 ? [UInt8(ascii: "_"), $0 + 32] : [$0] }
        case 1: return escaped(name)
        default: return name
        }
    }

    /// Some letters as escapes. What is escaped already stays.
    private mutating func escaped(_ string: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var place = 0
        while place < string.count {
            if string[place] == 92 {
                let count = string[place + 1] == UInt8(ascii: "u") ? 6 : 2
                result += string[place..<place + count]
                place += count
                continue
            }
            if (97...122) ~= string[place], generator.below(16) == 0 {
                let hex = String(string[place], radix: 16)
                result += "\\u00\(generator.flag() ? hex : hex.uppercased())".utf8
            } else {
                result.append(string[place])
            }
            place += 1
        }
        return result
    }
}
