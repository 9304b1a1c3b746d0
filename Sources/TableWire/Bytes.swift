internal import SwiftProtobuf
internal import TableModel

/// Writes messages.
public enum Encode {}

/// Reads messages. Nothing here traps, whatever the bytes.
public enum Decode {}

/// The deepest nesting of messages. A replayed definition with a face of 32 levels is 72 deep: each
/// level is a face and its stack. Far more could exhaust a thread's stack.
let depthLimit = 80

/// Bytes that belong to someone else, read in place.
struct Borrowed: SwiftProtobufContiguousBytes {
    let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    init(repeating: UInt8, count: Int) {
        preconditionFailure("messages are read from borrowed bytes, never written to them")
    }

    init<S: Sequence>(_ sequence: S) where S.Element == UInt8 {
        preconditionFailure("messages are read from borrowed bytes, never written to them")
    }

    var count: Int { bytes.count }

    func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try body(bytes)
    }

    mutating func withUnsafeMutableBytes<R>(
        _ body: (UnsafeMutableRawBufferPointer) throws -> R
    ) rethrows -> R {
        preconditionFailure("messages are read from borrowed bytes, never written to them")
    }
}

extension Message {
    /// A received message; refused as `malformed` if it does not decode. `level` is how many
    /// messages enclose it.
    static func parse(
        _ bytes: UnsafeRawBufferPointer, _ form: Form, level: Int = 0
    ) throws(Rejection) -> Self {
        do {
            switch form {
            case .binary:
                var options = BinaryDecodingOptions()
                options.messageDepthLimit = depthLimit - level
                options.discardUnknownFields = true
                return try Self(serializedBytes: Borrowed(bytes), options: options)
            case .json:
                var options = JSONDecodingOptions()
                options.messageDepthLimit = depthLimit - level
                options.ignoreUnknownFields = true
                return try Self(jsonUTF8Bytes: Borrowed(bytes), options: options)
            }
        } catch {
            if form == .json, !isOfStructure(error), let rejection = refusal(of: bytes) {
                throw rejection
            }
            throw Rejection(.malformed, "The message \(fault(in: error, form)).")
        }
    }

    /// The refusal of a JSON text that says where it is wrong; nil: nobody can tell.
    private static func refusal(of bytes: UnsafeRawBufferPointer) -> Rejection? {
        // A larger text would take longer to look through than it is worth: each place is a try.
        let (mostBytes, mostPlaces) = (4_096, 64)
        guard bytes.count <= mostBytes, String(validating: bytes, as: UTF8.self) != nil else {
            return nil
        }
        let found = JSONPlaces(bytes)
        if let at = found.wrongAt {
            let what = at < bytes.count ? "is no JSON from byte \(at + 1) on" : "ends too early"
            return Rejection(.malformed, "The message \(what).")
        }
        guard found.places.count <= mostPlaces else { return nil }
        // A missing value is never wrong: without the wrong one the rest can be read.
        guard let wrong = found.places.first(where: { isRead(bytes, "null", at: $0.range) }),
            !wrong.path.isEmpty
        else { return nil }
        let sorts = [
            ("\"\"", "text"), ("0", "a number"), ("true", "true or false"), ("[]", "a list"),
            ("{}", "an object"),
        ]
        let wanted = sorts.first { isRead(bytes, $0.0, at: wrong.range) }?.1
        let what =
            wanted.map {
                $0 == wrong.what
                    ? "is \($0) that it cannot hold" : "must be \($0), and is \(wrong.what)"
            } ?? "cannot be \(wrong.what)"
        return Rejection(
            .malformed, "The value of \(wrong.path) \(what).", field: wrong.path)
    }

    /// Whether the text can be read with other text in that place.
    private static func isRead(
        _ bytes: UnsafeRawBufferPointer, _ text: String, at range: Range<Int>
    ) -> Bool {
        var options = JSONDecodingOptions()
        options.messageDepthLimit = depthLimit
        options.ignoreUnknownFields = true
        let other =
            Array(bytes[..<range.lowerBound]) + Array(text.utf8) + Array(bytes[range.upperBound...])
        return (try? Self(jsonUTF8Bytes: other, options: options)) != nil
    }

    /// Reads a message from JSON text.
    static func parse(_ json: String) throws(Rejection) -> Self {
        let bytes = Array(json.utf8)
        let parsed = bytes.withUnsafeBytes { bytes in
            Result { () throws(Rejection) in try parse(bytes, .json) }
        }
        return try parsed.get()
    }

    /// The message's bytes. Equal messages have equal bytes in every process, so that a command
    /// that is sent again is recognised.
    func bytes(_ form: Form) -> [UInt8] {
        do {
            switch form {
            case .binary:
                var options = BinaryEncodingOptions()
                options.useDeterministicOrdering = true
                return try serializedBytes(options: options)
            case .json:
                var options = JSONEncodingOptions()
                options.useDeterministicOrdering = true
                options.alwaysPrintInt64sAsNumbers = true
                return try jsonUTF8Bytes(options: options)
            }
        } catch {
            preconditionFailure("a message beyond 2 GiB was built: \(error)")
        }
    }

    /// The message as JSON text, without a line break.
    var json: String { String(decoding: bytes(.json), as: UTF8.self) }
}

/// Whether it is about how values stand together, and not about one of them.
private func isOfStructure(_ error: any Error) -> Bool {
    switch error {
    case JSONDecodingError.messageDepthLimit, JSONDecodingError.conflictingOneOf: true
    default: false
    }
}

/// A sentence about the fault of the bytes, in our words: the library's names are not part of the protocol.
private func fault(in error: any Error, _ form: Form) -> String {
    switch error {
    case BinaryDecodingError.truncated, JSONDecodingError.truncated:
        return "ends too early"
    case BinaryDecodingError.invalidUTF8:
        return "has text that is not UTF-8"
    case JSONDecodingError.invalidUTF8:
        return "has text that is not UTF-8, or a number out of range"
    case BinaryDecodingError.messageDepthLimit, JSONDecodingError.messageDepthLimit:
        return "is nested too deeply"
    case JSONDecodingError.conflictingOneOf:
        return "has two values where only one is allowed"
    case JSONDecodingError.malformedNumber, JSONDecodingError.numberRange,
        JSONDecodingError.leadingZero:
        return "has a number that its field cannot take"
    case JSONDecodingError.malformedString:
        return "has text that is badly quoted, not UTF-8, or missing"
    case JSONDecodingError.trailingGarbage:
        return "continues after its end"
    default:
        return form == .binary ? "is not protobuf of this schema" : "is not JSON of this schema"
    }
}
