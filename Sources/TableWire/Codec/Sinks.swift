internal import TableModel

/// Protobuf's binary form.
struct BinarySink: Sink {
    let out: UnsafeMutablePointer<FieldWriter>
    static var isJSON: Bool { false }

    @inline(never)
    func text(_ number: UInt64, _ name: StaticString, _ text: UnsafeRawBufferPointer) {
        out.pointee.write(number, text)
    }

    @inline(__always)
    func id(_ number: UInt64, _ name: StaticString, _ id: ID) { out.pointee.write(number, id) }

    @inline(__always)
    func number(_ number: UInt64, _ name: StaticString, _ value: UInt64) {
        out.pointee.write(number, value)
    }

    func signed(_ number: UInt64, _ name: StaticString, _ value: Int64) {
        out.pointee.write(number, UInt64(bitPattern: value))
    }

    @inline(__always)
    func flag(_ number: UInt64, _ name: StaticString, _ value: Bool) {
        out.pointee.write(number, value ? 1 : 0)
    }

    func double(_ number: UInt64, _ name: StaticString, _ value: Double) {
        out.pointee.write(number, fixed: value.bitPattern)
    }

    func doubles(_ number: UInt64, _ name: StaticString, packed values: [Double]) {
        out.pointee.writeHead(number, count: 8 * values.count)
        for value in values { out.pointee.put(word: value.bitPattern, count: 8) }
    }

    @inline(__always)
    func fixed(_ number: UInt64, _ name: StaticString, _ value: UInt64) {
        out.pointee.write(number, fixed: value)
    }

    func hex(_ number: UInt64, _ name: StaticString, _ value: UInt64) {
        out.pointee.writeHead(number, count: 16)
        out.pointee.put(digitsOf: value)
    }

    @inline(__always)
    func hex(_ number: UInt64, _ name: StaticString, _ value: FieldWriter.HexDigits) {
        value.write(number, to: &out.pointee)
    }

    func bytes(_ number: UInt64, _ name: StaticString, _ bytes: UnsafeRawBufferPointer) {
        out.pointee.write(number, bytes)
    }

    @inline(__always)
    mutating func message(
        _ number: UInt64, _ name: StaticString, about: Int, _ fields: (inout Self) -> Void
    ) {
        let opened = out.pointee.open(number, about: about)
        fields(&self)
        out.pointee.close(opened)
    }

    @inline(__always)
    mutating func list(_ name: StaticString, _ elements: (inout Self) -> Void) { elements(&self) }

    @inline(__always)
    mutating func map(_ name: StaticString, _ entries: (inout Self) -> Void) { entries(&self) }

    @inline(__always)
    mutating func entry(
        _ number: UInt64, _ key: UnsafeRawBufferPointer, _ value: (inout Self) -> Void
    ) {
        let opened = out.pointee.open(number)
        out.pointee.write(1, key)
        value(&self)
        out.pointee.close(opened)
    }
}

/// Protobuf's JSON form, with 64-bit integers as numbers and without white space. Each value has a comma
/// behind it, in whose place the end of its object or list is put.
struct JSONSink: Sink {
    let out: UnsafeMutablePointer<FieldWriter>
    static var isJSON: Bool { true }

    @inline(__always)
    private func member(_ name: StaticString) {
        if name.utf8CodeUnitCount > 0 { out.pointee.put(member: name) }
    }

    @inline(__always)
    func text(_ number: UInt64, _ name: StaticString, _ text: UnsafeRawBufferPointer) {
        member(name)
        out.pointee.put(quoted: text, comma: true)
    }

    @inline(__always)
    func id(_ number: UInt64, _ name: StaticString, _ id: ID) {
        id.withLetters { text(number, name, $0) }
    }

    @inline(__always)
    func number(_ number: UInt64, _ name: StaticString, _ value: UInt64) {
        member(name)
        out.pointee.put(decimal: value)
        out.pointee.put(",")
    }

    func signed(_ number: UInt64, _ name: StaticString, _ value: Int64) {
        member(name)
        if value < 0 { out.pointee.put("-") }
        self.number(number, "", value.magnitude)
    }

    @inline(__always)
    func flag(_ number: UInt64, _ name: StaticString, _ value: Bool) {
        member(name)
        out.pointee.put(value ? "true," : "false,")
    }

    func double(_ number: UInt64, _ name: StaticString, _ value: Double) {
        member(name)
        let text: String
        if value.isFinite {
            text = "\(value)"
        } else {
            text = value.isNaN ? "\"NaN\"" : value < 0 ? "\"-Infinity\"" : "\"Infinity\""
        }
        text.withLetters { out.pointee.append($0) }
        out.pointee.put(",")
    }

    mutating func doubles(_ number: UInt64, _ name: StaticString, packed values: [Double]) {
        list(name) { list in for value in values { list.double(number, "", value) } }
    }

    func fixed(_ number: UInt64, _ name: StaticString, _ value: UInt64) {
        self.number(number, name, value)
    }

    @inline(__always)
    func hex(_ number: UInt64, _ name: StaticString, _ value: UInt64) {
        member(name)
        out.pointee.put(hex: value)
        out.pointee.put(",")
    }

    @inline(__always)
    func hex(_ number: UInt64, _ name: StaticString, _ value: FieldWriter.HexDigits) {
        member(name)
        out.pointee.put("\"")
        value.put(to: &out.pointee)
        out.pointee.put("\",")
    }

    func bytes(_ number: UInt64, _ name: StaticString, _ bytes: UnsafeRawBufferPointer) {
        member(name)
        out.pointee.put("\"")
        Base64.text(Array(bytes)).withLetters { out.pointee.append($0) }
        out.pointee.put("\",")
    }

    @inline(__always)
    mutating func message(
        _ number: UInt64, _ name: StaticString, about: Int, _ fields: (inout Self) -> Void
    ) {
        member(name)
        out.pointee.put("{")
        fields(&self)
        out.pointee.putEnd("}")
    }

    @inline(__always)
    mutating func list(_ name: StaticString, _ elements: (inout Self) -> Void) {
        member(name)
        out.pointee.put("[")
        elements(&self)
        out.pointee.putEnd("]")
    }

    @inline(__always)
    mutating func map(_ name: StaticString, _ entries: (inout Self) -> Void) {
        message(0, name, entries)
    }

    @inline(__always)
    mutating func entry(
        _ number: UInt64, _ key: UnsafeRawBufferPointer, _ value: (inout Self) -> Void
    ) {
        out.pointee.put(quoted: key)
        out.pointee.put(":")
        value(&self)
    }
}

extension FieldWriter {
    /// The end of an object or a list, in place of the comma behind its last value; and a comma.
    @inline(__always)
    mutating func putEnd(_ end: StaticString) {
        if written[count - 1] == UInt8(ascii: ",") { removeAll(from: count - 1) }
        put(end)
        put(",")
    }
}
