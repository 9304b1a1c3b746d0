import TableModel
import TableSync
import TableWire
import Testing

@Suite("What is written is what is read")
struct RoundTripTests {
    static let seed: UInt64 = 0x7265_7374_6C65
    static let rounds = 1_000

    @Test(arguments: Form.allCases)
    func requests(form: Form) {
        var generator = Generator(seed: Self.seed)
        for round in 0..<Self.rounds {
            let request = generator.request()
            let decoded = decodeRequest(Encode.request(request, form: form), form)
            #expect(decoded.result == .success(request), "round \(round)")
            #expect(decoded.client == request.client)
            #expect(decoded.number == request.number)
        }
    }

    @Test func codec() {
        var generator = Generator(seed: Self.seed)
        let codec = WireCodec()
        for _ in 0..<100 {
            let (diff, reply) = (generator.diff(), generator.reply())
            #expect(codec.decodeDiff(codec.encode(diff)[...]) == diff)
            #expect(codec.decodeReply(codec.encode(reply)[...]) == reply)
        }
        #expect(codec.decodeDiff([1]) == nil)
        #expect(codec.decodeReply([1]) == nil)
    }

    @Test func documents() throws {
        var generator = Generator(seed: Self.seed)
        for _ in 0..<100 {
            let table = try generator.table()
            let state = SessionState(table, epoch: generator.id128(), atMs: 1)
            #expect(state.document.rows.map(\.row) == table.rows)
            #expect(try state.table().digest == table.digest)
        }
        #expect(throws: WireError.self) { try Decode.sessionLine("{\"session\":2}") }
        #expect(throws: WireError.self) { try Decode.sessionLine("{}") }
    }

    /// Ids are bytes: text that Swift's strings call equal stays apart.
    @Test(arguments: Form.allCases)
    func normalisation(form: Form) {
        let ids: Few<RowID> = ["é", "e\u{301}"]
        let bytes = Encode.request(
            Request(table: "t", .command(Command(.remove(ids)))), form: form)
        guard case .success(let request) = decodeRequest(bytes, form).result,
            case .command(let command) = request.verb, case .remove(let decoded, _) = command.verb
        else {
            Issue.record("not decoded")
            return
        }
        #expect(decoded == ids)
        #expect(decoded[0] != decoded[1])
    }

    /// A command that is sent again has the same bytes, whatever process sends it.
    @Test(arguments: Form.allCases)
    func determinism(form: Form) {
        let fields = (0..<50).map { Row.Field(ID("k\($0)"), "v") }
        let request = Request(
            table: "t", .command(Command(.set("r", Command.Changes(fields: fields)))))
        let again = Request(
            table: "t", .command(Command(.set("r", Command.Changes(fields: fields.reversed())))))
        #expect(Encode.request(request, form: form) == Encode.request(again, form: form))
    }
}
