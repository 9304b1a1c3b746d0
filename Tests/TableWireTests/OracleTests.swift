import Foundation
import TableModel
import TableSync
import TableWire
import Testing

/// Protobuf's library reads our bytes and writes them again: they are the same bytes, and we read them as the same
/// value. `make oracle` compares a million messages of each sort.
@Suite("Against protobuf's library")
struct OracleTests {
    @Test func random() throws {
        let rounds = ProcessInfo.processInfo.environment["TRESTLE_ORACLE"].flatMap { Int($0) }
        var oracle = Oracle(seed: 101)
        for sort in Oracle.Sort.allCases {
            for round in 0..<(rounds ?? 100) {
                do { try oracle.check(sort) } catch {
                    Issue.record("\(sort) \(round): \(error)")
                    break
                }
            }
        }
    }

    /// The schema leaves out a text that is empty. Few random requests have one.
    @Test(arguments: Form.allCases) func emptyTexts(form: Form) throws {
        let request = Request(table: "inbox", .endConnection(""))
        let bytes = Encode.request(request, form: form)
        let message = try Oracle.message(bytes, form, WireRequest.self)
        #expect(try Oracle.bytes(message, form) == bytes)
        #expect(try decodeRequest(bytes, form).result.get() == request)
    }

    /// Changed bytes are never read as another value than the library's bytes of the same message are.
    @Test func changedBytes() throws {
        var generator = Generator(seed: 105)
        var read = 0
        for _ in 0..<20_000 {
            var bytes = Encode.request(generator.request(), form: .json)
            generator.mutate(&bytes)
            guard let message = try? Oracle.message(bytes, .json, WireRequest.self),
                case .success(let request) = decodeRequest(bytes, .json).result,
                case .success(let other) = decodeRequest(
                    try Oracle.bytes(message, .json), .json
                ).result
            else { continue }
            read += 1
            #expect(request == other, "\(String(decoding: bytes, as: UTF8.self))")
        }
        #expect(read > 500)
    }
}
