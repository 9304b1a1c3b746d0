internal import TableModel

/// Takes a message in one of the two forms: its fields, each by its number and by its name in JSON.
///
/// A message has one writer, which is generic over its sink. The compiler makes one of each form out of it.
/// Fields are written in the order of their numbers.
protocol Sink: SendableMetatype {
    /// JSON also shows what is zero, empty or false, where the schema says `optional`.
    static var isJSON: Bool { get }

    mutating func text(_ number: UInt64, _ name: StaticString, _ text: UnsafeRawBufferPointer)
    mutating func id(_ number: UInt64, _ name: StaticString, _ id: ID)
    mutating func number(_ number: UInt64, _ name: StaticString, _ value: UInt64)
    /// An `int64`.
    mutating func signed(_ number: UInt64, _ name: StaticString, _ value: Int64)
    mutating func flag(_ number: UInt64, _ name: StaticString, _ value: Bool)
    mutating func double(_ number: UInt64, _ name: StaticString, _ value: Double)
    /// A list of doubles that is not empty. Binary packs it.
    mutating func doubles(_ number: UInt64, _ name: StaticString, packed values: [Double])
    mutating func fixed(_ number: UInt64, _ name: StaticString, _ value: UInt64)
    /// A text of 16 hexadecimal digits.
    mutating func hex(_ number: UInt64, _ name: StaticString, _ value: UInt64)
    /// A text of 32 hexadecimal digits.
    mutating func hex(_ number: UInt64, _ name: StaticString, _ value: FieldWriter.HexDigits)
    mutating func bytes(_ number: UInt64, _ name: StaticString, _ bytes: UnsafeRawBufferPointer)
    /// A message. `about`: its size, if that is likely to be more than 127 bytes.
    mutating func message(
        _ number: UInt64, _ name: StaticString, about: Int, _ fields: (inout Self) -> Void)
    /// A list, of which `elements` writes each with the same number and an empty name.
    mutating func list(_ name: StaticString, _ elements: (inout Self) -> Void)
    /// A map, of which `entries` writes each with `entry`.
    mutating func map(_ name: StaticString, _ entries: (inout Self) -> Void)
    /// An entry of a map, whose value has the number 2 and an empty name.
    mutating func entry(
        _ number: UInt64, _ key: UnsafeRawBufferPointer, _ value: (inout Self) -> Void)
}

// Values that may be absent, and values that are left out if they are nothing.
extension Sink {
    @inline(__always)
    mutating func message(
        _ number: UInt64, _ name: StaticString, _ fields: (inout Self) -> Void
    ) { message(number, name, about: 0, fields) }

    /// A message about a row, which it names before these fields.
    @inline(__always)
    mutating func message(
        _ number: UInt64, _ name: StaticString, of row: RowID, _ fields: (inout Self) -> Void
    ) {
        message(number, name) { s in
            s.id(1, "row", unlessEmpty: row)
            fields(&s)
        }
    }

    mutating func text(_ number: UInt64, _ name: StaticString, _ text: String?) {
        text?.withLetters { self.text(number, name, $0) }
    }

    mutating func text(_ number: UInt64, _ name: StaticString, unlessEmpty text: String) {
        if !text.isEmpty { self.text(number, name, text) }
    }

    mutating func text(_ number: UInt64, _ name: StaticString, shown text: String) {
        if Self.isJSON || !text.isEmpty { self.text(number, name, text) }
    }

    @inline(__always)
    mutating func id(_ number: UInt64, _ name: StaticString, _ id: ID?) {
        if let id { self.id(number, name, id) }
    }

    @inline(__always)
    mutating func id(_ number: UInt64, _ name: StaticString, unlessEmpty id: ID) {
        if id.byteCount > 0 { self.id(number, name, id) }
    }

    @inline(__always)
    mutating func number(_ number: UInt64, _ name: StaticString, _ value: UInt64?) {
        if let value { self.number(number, name, value) }
    }

    @inline(__always)
    mutating func number(_ number: UInt64, _ name: StaticString, unlessZero value: UInt64) {
        if value != 0 { self.number(number, name, value) }
    }

    @inline(__always)
    mutating func number(_ number: UInt64, _ name: StaticString, shown value: UInt64) {
        if Self.isJSON || value != 0 { self.number(number, name, value) }
    }

    mutating func count(_ number: UInt64, _ name: StaticString, _ value: Int?) {
        if let value { self.number(number, name, UInt64(clamping: value)) }
    }

    mutating func count(_ number: UInt64, _ name: StaticString, unlessZero value: Int) {
        self.number(number, name, unlessZero: UInt64(clamping: value))
    }

    mutating func count(_ number: UInt64, _ name: StaticString, shown value: Int) {
        self.number(number, name, shown: UInt64(clamping: value))
    }

    mutating func flag(_ number: UInt64, _ name: StaticString, _ value: Bool?) {
        if let value { flag(number, name, value) }
    }

    @inline(__always)
    mutating func flag(_ number: UInt64, _ name: StaticString, ifSet value: Bool) {
        if value { flag(number, name, true) }
    }

    @inline(__always)
    mutating func flag(_ number: UInt64, _ name: StaticString, shown value: Bool) {
        if Self.isJSON || value { flag(number, name, value) }
    }

    mutating func double(_ number: UInt64, _ name: StaticString, _ value: Double?) {
        if let value { double(number, name, value) }
    }

    mutating func doubles(_ number: UInt64, _ name: StaticString, _ values: [Double]) {
        if !values.isEmpty { doubles(number, name, packed: values) }
    }

    mutating func hex(_ number: UInt64, _ name: StaticString, _ value: ID128?) {
        if let value { hex(number, name, FieldWriter.HexDigits(value)) }
    }

    mutating func bytes(_ number: UInt64, _ name: StaticString, _ bytes: ArraySlice<UInt8>?) {
        bytes?.withUnsafeBytes { self.bytes(number, name, $0) }
    }
}

// Lists and maps, which are left out if they are empty.
extension Sink {
    @inline(__always)
    mutating func ids(_ number: UInt64, _ name: StaticString, _ ids: Few<ID>) {
        if ids.isEmpty { return }
        list(name) { list in ids.forEach { list.id(number, "", $0) } }
    }

    @inline(__always)
    mutating func ids(_ number: UInt64, _ name: StaticString, _ ids: [ID]) {
        if ids.isEmpty { return }
        list(name) { list in for id in ids { list.id(number, "", id) } }
    }

    mutating func texts(_ number: UInt64, _ name: StaticString, _ texts: [String]) {
        if texts.isEmpty { return }
        list(name) { list in for text in texts { list.text(number, "", text) } }
    }

    mutating func bytes(_ number: UInt64, _ name: StaticString, all: [[UInt8]]) {
        if all.isEmpty { return }
        list(name) { list in for bytes in all { list.bytes(number, "", bytes[...]) } }
    }

    @inline(__always)
    mutating func messages<Element>(
        _ number: UInt64, _ name: StaticString, about: Int = 0, _ elements: [Element],
        _ write: (Element, inout Self) -> Void
    ) {
        if elements.isEmpty { return }
        list(name) { list in
            for element in elements {
                list.message(number, "", about: about) { write(element, &$0) }
            }
        }
    }

    /// In the order of the keys, since a map has none. Of two fields with one key, the last counts.
    mutating func map(_ number: UInt64, _ name: StaticString, _ fields: [Row.Field]) {
        if fields.isEmpty { return }
        map(name) { map in
            for field in fields.inOrder {
                field.key.withLetters { key in
                    map.entry(number, key) { $0.text(2, "", field.value) }
                }
            }
        }
    }

    /// The fields where they lie in a row.
    @inline(__always)
    mutating func map(_ number: UInt64, _ name: StaticString, fieldsOf texts: RowTexts) {
        if texts.fieldCount == 0 { return }
        map(name) { map in
            texts.forEachField { key, value in map.entry(number, key) { $0.text(2, "", value) } }
        }
    }

    /// A map from texts, in their order.
    mutating func map<Value>(
        _ number: UInt64, _ name: StaticString, _ values: [String: Value],
        _ write: (Value, inout Self) -> Void
    ) {
        if values.isEmpty { return }
        map(name) { map in
            for (key, value) in values.sorted(by: { $0.key < $1.key }) {
                key.withLetters { key in map.entry(number, key) { write(value, &$0) } }
            }
        }
    }
}

extension [Row.Field] {
    fileprivate var inOrder: [Row.Field] {
        if zip(self, dropFirst()).allSatisfy({ $0.key < $1.key }) { return self }
        let last = Dictionary(map { ($0.key, $0) }, uniquingKeysWith: { $1 })
        return last.values.sorted { $0.key < $1.key }
    }
}

/// Writes a message in a form.
enum Written {
    @inline(__always)
    static func binary(_ write: (inout BinarySink) -> Void) -> [UInt8] {
        FieldWriter.bytes { $0.binary(write) }
    }

    @inline(__always)
    static func json(within room: Int = 0, _ write: (inout JSONSink) -> Void) -> [UInt8] {
        FieldWriter.bytes(within: room) { writer in
            writer.json { $0.message(0, "", write) }
            writer.removeAll(from: writer.count - 1)
        }
    }

    /// JSON text, without a line break.
    static func text(_ write: (inout JSONSink) -> Void) -> String {
        String(decoding: json(write), as: UTF8.self)
    }
}

extension FieldWriter {
    /// Fields in binary.
    @inline(__always)
    mutating func binary<Result>(_ write: (inout BinarySink) -> Result) -> Result {
        withUnsafeMutablePointer(to: &self) {
            var sink = BinarySink(out: $0)
            return write(&sink)
        }
    }

    /// Members in JSON, each with a comma behind it.
    @inline(__always)
    mutating func json(_ write: (inout JSONSink) -> Void) {
        withUnsafeMutablePointer(to: &self) {
            var sink = JSONSink(out: $0)
            write(&sink)
        }
    }
}
