internal import SwiftProtobuf
internal import TableModel

/// Writes messages.
public enum Encode {}

/// Reads messages. Nothing here traps, whatever the bytes.
public enum Decode {}

/// Levels of messages in messages. A face of 32 levels within a definition that is replayed is 72
/// deep (each level is a face and its stack); far more could exhaust a thread's stack.
let depthLimit = 80

/// Bytes that belong to someone else, read where they are.
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
    /// A message as it was sent; refused as `malformed` where it does not decode.
    /// `level` is how many messages it stands in.
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
            throw Rejection(.malformed, "The message \(fault(in: error, form)).")
        }
    }

    /// A message as JSON text.
    static func parse(_ json: String) throws(Rejection) -> Self {
        let bytes = Array(json.utf8)
        let parsed = bytes.withUnsafeBytes { bytes in
            Result { () throws(Rejection) in try parse(bytes, .json) }
        }
        return try parsed.get()
    }

    /// The message's bytes. The same message gives the same bytes in every process, so that a
    /// command that is sent again is known again.
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

/// What is wrong with the bytes, in our words: the library's names are no part of the protocol.
private func fault(in error: any Error, _ form: Form) -> String {
    switch error {
    case BinaryDecodingError.truncated, JSONDecodingError.truncated:
        return "ends too early"
    case BinaryDecodingError.invalidUTF8:
        return "has text that is not UTF-8"
    case JSONDecodingError.invalidUTF8:
        return "has text that is not UTF-8, or a number beyond all that are read"
    case BinaryDecodingError.messageDepthLimit, JSONDecodingError.messageDepthLimit:
        return "is nested too deeply"
    case JSONDecodingError.conflictingOneOf:
        return "has two keys where only one may stand"
    case JSONDecodingError.malformedNumber, JSONDecodingError.numberRange,
        JSONDecodingError.leadingZero:
        return "has a number that its field cannot take"
    case JSONDecodingError.malformedString:
        return "has text that is badly quoted or not UTF-8, or none where some must be"
    case JSONDecodingError.trailingGarbage:
        return "goes on after its end"
    default:
        return form == .binary ? "is not protobuf of this schema" : "is not JSON of this schema"
    }
}
