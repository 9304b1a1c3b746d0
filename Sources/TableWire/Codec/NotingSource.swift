internal import TableModel
internal import TableSync

/// Gives JSON, and notes which fields a message may have. It is slow, and only tells what a field of a refused request
/// may have meant.
struct NotingSource: Source {
    private var source: JSONSource
    private let noted: Noted

    /// The fields that the reader of the present message has asked for since it began a pass.
    private final class Noted {
        var names: [StaticString] = []
    }

    static var isJSON: Bool { true }
    var bounds: Bounds { source.bounds }

    /// To read a message a second time would take too long beyond it.
    private static let mostBytes = 16 << 10

    /// A sentence about the field that the request's unknown one most likely means; or none.
    static func hint(
        at rejection: Rejection, in bytes: UnsafeRawBufferPointer, _ limits: SharedLimits
    ) -> String {
        guard bytes.count <= mostBytes, let path = rejection.field?.split(separator: "."),
            let name = path.last
        else { return "" }
        // Condition and verb stand side by side, and people put the one into the other.
        if path.count > 2, CommandKeys.conditions.contains(String(name)) {
            return " It stands beside the command's verb."
        }
        let noted = Noted()
        var source: any Source = NotingSource(
            source: JSONSource(bytes, .request(limits)), noted: noted)
        var request = Request(.hello)
        read(&request, from: &source)
        let meant = nearest(to: String(name), among: noted.names.map { "\($0)" })
        return meant.map { " Did you mean \"\($0)\"?" } ?? ""
    }

    // Specialised, the readers of all requests would be in the program a third time.
    @_optimize(none)
    private static func read(_ request: inout Request, from source: inout any Source) {
        func read<S: Source>(_ source: inout S) {
            do throws(Refusal) {
                _ = try source.begin()
                try request.read(from: &source)
            } catch {}
        }
        read(&source)
    }

    /// False, so that a message is asked for all its fields.
    var isAtEnd: Bool { false }

    mutating func more() throws(Refusal) -> Bool {
        let isThere = try source.more()
        noted.names.removeAll(keepingCapacity: true)
        return isThere
    }

    mutating func takes(_ number: UInt32, _ type: WireType, _ name: StaticString) -> Bool {
        if name.utf8CodeUnitCount > 0 { noted.names.append(name) }
        return source.takes(number, type, name)
    }

    mutating func next() throws(Refusal) { try source.next() }
    mutating func letters() throws(Refusal) -> Letters { try source.letters() }
    mutating func number() throws(Refusal) -> UInt64 { try source.number() }
    mutating func signed() throws(Refusal) -> Int64 { try source.signed() }
    mutating func flag() throws(Refusal) -> Bool { try source.flag() }
    mutating func double() throws(Refusal) -> Double { try source.double() }
    mutating func fixed() throws(Refusal) -> UInt64 { try source.fixed() }
    mutating func bytes() throws(Refusal) -> [UInt8] { try source.bytes() }
    mutating func skip(_ type: WireType) throws(Refusal) { try source.skip(type) }
    mutating func begin() throws(Refusal) { try source.begin() }
    mutating func end(_ outer: Void) { source.end(outer) }
    mutating func first(_ name: StaticString) throws(Refusal) -> Bool { try source.first(name) }

    mutating func another(_ number: UInt32, _ type: WireType) throws(Refusal) -> Bool {
        try source.another(number, type)
    }

    mutating func doubles(_ number: UInt32) throws(Refusal) -> [Double] {
        try source.doubles(number)
    }

    mutating func map(
        _ number: UInt32, _ type: WireType, _ name: StaticString,
        _ read: (Letters, Bool, inout Self) throws(Refusal) -> Void
    ) throws(Refusal) {
        noted.names.append(name)
        try source.map(number, type, name) { (key, hasValue, source) throws(Refusal) in
            var inner = Self(source: source, noted: noted)
            defer { source = inner.source }
            try read(key, hasValue, &inner)
        }
    }
}
