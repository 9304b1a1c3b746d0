import SwiftProtobuf
import TableModel
import TableSync
import TableWire
import Testing

/// Protobuf's library reads our bytes and writes them again: they are the same bytes, and we read them as the same
/// value.
@Suite("Against protobuf's library")
struct OracleTests {
    /// The library has an order of its own for keys that are not ASCII.
    private static func again<M: Message>(
        _ bytes: [UInt8], _ form: Form, as _: M.Type
    ) throws -> [UInt8] {
        switch form {
        case .binary:
            var options = BinaryEncodingOptions()
            options.useDeterministicOrdering = true
            return try M(serializedBytes: bytes).serializedBytes(options: options)
        case .json:
            var options = JSONEncodingOptions()
            options.useDeterministicOrdering = true
            options.alwaysPrintInt64sAsNumbers = true
            return try M(jsonUTF8Bytes: bytes).jsonUTF8Bytes(options: options)
        }
    }

    private static func compare<M: Message, Value: Equatable>(
        _ bytes: [UInt8], _ form: Form, as type: M.Type, _ value: Value, isExact: Bool = true,
        _ read: ([UInt8]) throws -> Value
    ) throws {
        let library = try again(bytes, form, as: type)
        if isExact, library != bytes {
            #expect(library.sorted() == bytes.sorted(), "\(String(decoding: bytes, as: UTF8.self))")
        }
        #expect(try read(bytes) == value)
        #expect(try read(library) == value)
    }

    static let rounds = 2_000

    @Test(arguments: Form.allCases) func requests(form: Form) throws {
        var generator = Generator(seed: 101)
        for _ in 0..<Self.rounds {
            let request = generator.request()
            try Self.compare(
                Encode.request(request, form: form), form, as: WireRequest.self, request
            ) { try decodeRequest($0, form).result.get() }
        }
    }

    @Test(arguments: Form.allCases) func replies(form: Form) throws {
        var generator = Generator(seed: 102)
        for _ in 0..<Self.rounds {
            let reply = generator.reply()
            try Self.compare(
                Encode.reply(reply, form: form), form, as: WireReply.self, reply
            ) { try decodeReply($0, form).get() }
            guard form == .json else { continue }
            let binary = Encode.reply(reply, form: .binary)
            #expect(
                Encode.reply(encoded: binary[...], form: .json) == Encode.reply(reply, form: .json))
        }
        #expect(Encode.reply(encoded: [1, 2, 3], form: .json) == nil)
    }

    @Test(arguments: Form.allCases) func publications(form: Form) throws {
        var generator = Generator(seed: 103)
        for _ in 0..<Self.rounds {
            let publication = generator.publication()
            try Self.compare(
                Encode.publication(publication, form: form), form, as: WirePublication.self,
                publication
            ) { try decodePublication($0, form).get() }
            let diff = generator.diff()
            try Self.compare(
                Encode.diff(diff, form: form), form, as: WireDiff.self, diff
            ) { try decodeDiff($0, form).get() }
        }
    }

    // A number that is 0 is written there, though the schema leaves it out.
    @Test func journal() throws {
        var generator = Generator(seed: 104)
        for _ in 0..<Self.rounds {
            let entry = generator.entry()
            try Self.compare(
                Encode.entry(entry), .binary, as: WireJournalEntry.self, entry, isExact: false
            ) { try decodeEntry($0).get() }
            let part = generator.checkpointPart()
            try Self.compare(
                Encode.checkpoint(part), .binary, as: WireCheckpointPart.self, part, isExact: false
            ) { try decodeCheckpoint($0).get() }
        }
    }

    /// Changed bytes are never read as another value than the library's bytes of the same message are.
    @Test(arguments: Form.allCases) func changedBytes(form: Form) throws {
        var generator = Generator(seed: 105)
        var read = 0
        for _ in 0..<10 * Self.rounds {
            var bytes = Encode.request(generator.request(), form: form)
            generator.mutate(&bytes)
            // A message in pieces is one to the library, and here its last piece counts.
            guard let library = try? Self.again(bytes, form, as: WireRequest.self),
                form == .json,
                case .success(let request) = decodeRequest(bytes, form).result,
                case .success(let other) = decodeRequest(library, form).result
            else { continue }
            read += 1
            #expect(request == other, "\(String(decoding: bytes, as: UTF8.self))")
        }
        #expect(form == .binary || read > 500)
    }
}
