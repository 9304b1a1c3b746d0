import SwiftProtobuf
import TableModel
import TableSync
import TableWire

/// A message on which we and protobuf's library do not agree.
struct Difference: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Compares our codec with protobuf's library on random messages. In both forms the library knows each field that we
/// write, writes the same bytes, and we read them as the same value, also if the message is written in another way that
/// protobuf allows. Both forms hold the same fields.
struct Oracle {
    /// The sorts of messages that travel, are kept, or are printed.
    enum Sort: String, CaseIterable {
        case request, reply, publication, diff, presence, behalf, entry, checkpoint, inverse
        case state, change, line
    }

    private var generator: Generator
    /// The fields of the schema that were set in a message, such as `Row.3`.
    private(set) var seen: Set<String> = []

    init(seed: UInt64) { generator = Generator(seed: seed) }

    mutating func check(_ sort: Sort) throws {
        switch sort {
        case .request:
            try check(
                generator.request(), WireRequest.self, Encode.request,
                { try decodeRequest($0, $1).result.get() })
        case .reply:
            let reply = generator.reply()
            try check(
                reply, WireReply.self, { Encode.reply($0, form: $1) },
                { try decodeReply($0, $1).get() })
            let binary = Encode.reply(reply, form: .binary)
            if Encode.reply(encoded: binary[...], form: .json) != Encode.reply(reply, form: .json) {
                throw Difference("transcribed otherwise: \(reply)")
            }
        case .publication:
            try check(
                generator.publication(), WirePublication.self,
                { Encode.publication($0, form: $1) }, { try decodePublication($0, $1).get() })
        case .diff:
            try check(
                generator.diff(), WireDiff.self, Encode.diff, { try decodeDiff($0, $1).get() })
        case .presence:
            try check(
                generator.presence(), WirePresence.self, Encode.presence,
                { try decodePresence($0, $1).get() })
        case .behalf:
            try check(
                try generator.behalf(), WireBehalf.self, Encode.behalf,
                { bytes, form in
                    try bytes.withUnsafeBytes { try Decode.behalf($0, form: form) }
                })
        case .entry:
            // A number that is 0 is written in the journal, though the schema leaves it out.
            try check(
                generator.entry(), WireJournalEntry.self, { value, _ in Encode.entry(value) },
                { bytes, _ in try decodeEntry(bytes).get() }, [.binary], isExact: false)
        case .checkpoint:
            try check(
                generator.checkpointPart(), WireCheckpointPart.self,
                { value, _ in Encode.checkpoint(value) },
                { bytes, _ in try decodeCheckpoint(bytes).get() }, [.binary], isExact: false)
        case .inverse:
            let codec = WireCodec()
            try check(
                generator.list { $0.backOp() }, WireInverse.self,
                { value, _ in codec.encode(value) }, { bytes, _ in codec.decodeSteps(bytes[...]) },
                [.binary])
        case .state:
            // A row without fields shows that it has none.
            try check(
                try generator.stateDocument(), WireStateDocument.self,
                { value, _ in Array(Encode.document(value).utf8) },
                { bytes, _ in try Decode.state(String(decoding: bytes, as: UTF8.self)) }, [.json],
                isExact: false)
        case .change:
            try check(
                generator.changeDocument(), WireChangeDocument.self,
                { value, _ in Array(Encode.document(value).utf8) },
                { bytes, _ in try Decode.change(String(decoding: bytes, as: UTF8.self)) }, [.json])
        case .line:
            try check(
                try generator.sessionLine(), WireSessionLine.self,
                { value, _ in Array(Encode.sessionLine(value).utf8) },
                { bytes, _ in try Decode.sessionLine(String(decoding: bytes, as: UTF8.self)) },
                [.json], isExact: false)
        }
    }

    private mutating func check<Value: Equatable, M: Message & Equatable>(
        _ value: Value, _: M.Type, _ write: (Value, Form) -> [UInt8],
        _ read: ([UInt8], Form) throws -> Value?, _ forms: [Form] = Form.allCases,
        isExact: Bool = true
    ) throws {
        var plain: [[UInt8]] = []
        for form in forms {
            let bytes = write(value, form)
            let message = try Self.message(bytes, form, M.self)
            let again = try Self.bytes(message, form)
            // The library has an order of its own for keys that are not ASCII.
            if isExact, bytes != again, bytes.sorted() != again.sorted() {
                let place = zip(bytes, again).prefix { $0 == $1 }.count
                let there = String(decoding: again.dropFirst(place).prefix(40), as: UTF8.self)
                throw Self.difference(
                    "the library writes other bytes from \(place) on: \(there)", bytes, form)
            }
            let common = Spelling.Common(Generator(seed: generator.next()), isPlain: true)
            plain.append(try Spelling.bytes(of: message, common))
            seen.formUnion(common.seen)
            let odd: [UInt8]
            switch form {
            case .binary:
                odd = try Spelling.bytes(
                    of: message, .init(Generator(seed: generator.next()), isPlain: false))
            case .json: odd = JSONSpelling.bytes(of: bytes, Generator(seed: generator.next()))
            }
            if try Self.message(odd, form, M.self) != message {
                throw Self.difference("not another way to write it", odd, form)
            }
            for (bytes, what) in [(bytes, "our"), (again, "the library's"), (odd, "other")] {
                let found: Value?
                do { found = try read(bytes, form) } catch {
                    throw Self.difference("\(what) bytes are refused: \(error)", bytes, form)
                }
                if found != value {
                    throw Self.difference("\(what) bytes are another value", bytes, form)
                }
            }
        }
        if plain.count == 2, plain[0] != plain[1] {
            throw Self.difference("the forms hold different fields", write(value, .json), .json)
        }
    }

    static func message<M: Message>(_ bytes: [UInt8], _ form: Form, _: M.Type) throws -> M {
        do {
            switch form {
            case .binary: return try M(serializedBytes: bytes)
            case .json: return try M(jsonUTF8Bytes: bytes)
            }
        } catch { throw difference("the library refuses it: \(error)", bytes, form) }
    }

    static func bytes(_ message: some Message, _ form: Form) throws -> [UInt8] {
        switch form {
        case .binary:
            var options = BinaryEncodingOptions()
            options.useDeterministicOrdering = true
            return try message.serializedBytes(options: options)
        case .json:
            var options = JSONEncodingOptions()
            options.useDeterministicOrdering = true
            options.alwaysPrintInt64sAsNumbers = true
            return try message.jsonUTF8Bytes(options: options)
        }
    }

    private static func difference(_ what: String, _ bytes: [UInt8], _ form: Form) -> Difference {
        Difference(
            "\(what): \(form == .json ? String(decoding: bytes, as: UTF8.self) : "\(bytes)")")
    }
}
