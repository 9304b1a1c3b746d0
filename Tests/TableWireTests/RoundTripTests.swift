import TableModel
import TableSync
import TableWire
import Testing

/// Decodes from an array.
func decodeRequest(
    _ bytes: some Collection<UInt8>, _ form: Form, limits: Limits = Limits()
) -> DecodedRequest {
    Array(bytes).withUnsafeBytes { Decode.request($0, form: form, limits: limits) }
}

func decodeReply(_ bytes: [UInt8], _ form: Form) -> Result<Reply, WireError> {
    bytes.withUnsafeBytes { bytes in
        Result { () throws(WireError) in try Decode.reply(bytes, form: form) }
    }
}

func decodePublication(_ bytes: [UInt8], _ form: Form) -> Result<Publication, WireError> {
    bytes.withUnsafeBytes { bytes in
        Result { () throws(WireError) in try Decode.publication(bytes, form: form) }
    }
}

func decodeDiff(_ bytes: [UInt8], _ form: Form) -> Result<Diff, WireError> {
    bytes.withUnsafeBytes { bytes in
        Result { () throws(WireError) in try Decode.diff(bytes, form: form) }
    }
}

func decodeEntry(_ bytes: [UInt8]) -> Result<JournalEntry, WireError> {
    bytes.withUnsafeBytes { bytes in
        Result { () throws(WireError) in try Decode.entry(bytes) }
    }
}

func decodeCheckpoint(_ bytes: [UInt8]) -> Result<CheckpointPart, WireError> {
    bytes.withUnsafeBytes { bytes in
        Result { () throws(WireError) in try Decode.checkpoint(bytes) }
    }
}

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

    @Test(arguments: Form.allCases)
    func replies(form: Form) {
        var generator = Generator(seed: Self.seed)
        for round in 0..<Self.rounds {
            let reply = generator.reply()
            let decoded = decodeReply(Encode.reply(reply, form: form), form)
            #expect(decoded == .success(reply), "round \(round)")
        }
    }

    @Test(arguments: Form.allCases)
    func publications(form: Form) {
        var generator = Generator(seed: Self.seed)
        for round in 0..<Self.rounds {
            let publication = generator.publication()
            let decoded = decodePublication(Encode.publication(publication, form: form), form)
            #expect(decoded == .success(publication), "round \(round)")
        }
    }

    @Test(arguments: Form.allCases)
    func diffs(form: Form) {
        var generator = Generator(seed: Self.seed)
        for round in 0..<Self.rounds {
            let diff = generator.diff()
            let decoded = decodeDiff(Encode.diff(diff, form: form), form)
            #expect(decoded == .success(diff), "round \(round)")
        }
    }

    @Test(arguments: Form.allCases)
    func presences(form: Form) {
        var generator = Generator(seed: Self.seed)
        for round in 0..<Self.rounds {
            let presence = generator.presence()
            let bytes = Encode.presence(presence, form: form)
            let decoded = bytes.withUnsafeBytes { try? Decode.presence($0, form: form) }
            #expect(decoded == presence, "round \(round)")
        }
    }

    /// Rows of an inverse keep their versions; those of a diff have none.
    @Test func inverses() {
        var generator = Generator(seed: Self.seed)
        let codec = WireCodec()
        for round in 0..<Self.rounds {
            let steps = generator.list { $0.backOp() }
            #expect(codec.decodeSteps(codec.encode(steps)) == steps, "round \(round)")
        }
        #expect(codec.decodeSteps([1]) == nil)
    }

    @Test func journal() {
        var generator = Generator(seed: Self.seed)
        for round in 0..<Self.rounds {
            let entry = generator.entry()
            #expect(decodeEntry(Encode.entry(entry)) == .success(entry), "round \(round)")
            let part = generator.checkpointPart()
            #expect(decodeCheckpoint(Encode.checkpoint(part)) == .success(part), "round \(round)")
        }
    }

    @Test func codec() {
        var generator = Generator(seed: Self.seed)
        let codec = WireCodec()
        for _ in 0..<100 {
            let (diff, reply) = (generator.diff(), generator.reply())
            #expect(codec.decodeDiff(codec.encode(diff)) == diff)
            #expect(codec.decodeReply(codec.encode(reply)) == reply)
        }
        #expect(codec.decodeDiff([1]) == nil)
        #expect(codec.decodeReply([1]) == nil)
    }

    @Test func changeDocuments() throws {
        var generator = Generator(seed: Self.seed)
        for _ in 0..<Self.rounds {
            let document = ChangeDocument(
                table: generator.id(), epoch: generator.id128(), diff: generator.diff())
            #expect(try Decode.change(Encode.document(document)) == document)
        }
    }

    @Test func stateDocuments() throws {
        var generator = Generator(seed: Self.seed)
        for round in 0..<100 {
            let table = Table(
                restoring: generator.id(), history: generator.id128(),
                revision: generator.number(), kinds: [], settings: Settings())
            for index in 0..<generator.below(4) {
                let section = ID("section\(index)")
                try table.appendSection(section, title: generator.text())
                for number in 0..<generator.below(9) {
                    let row = generator.row()
                    let named = Row(
                        id: ID("\(index).\(number)"), content: row.content, version: row.version,
                        createdMs: row.createdMs, expansion: row.expansion, swipe: row.swipe)
                    try table.appendRow(named, to: section)
                }
            }
            let document = StateDocument(table, epoch: generator.id128())
            #expect(document.rows.map(\.row) == table.rows)
            #expect(try Decode.state(Encode.document(document)) == document, "round \(round)")
        }
    }

    @Test func sessionLines() throws {
        var generator = Generator(seed: Self.seed)
        for _ in 0..<100 {
            let atMs = generator.number()
            let change = ChangeDocument(
                table: generator.id(), epoch: generator.id128(), diff: generator.diff())
            let table = Table(
                restoring: generator.id(), history: generator.id128(),
                revision: generator.number(), kinds: generator.list { $0.kind() },
                settings: generator.settings())
            try table.appendSection("s", title: generator.text())
            try table.appendRow(generator.row(), to: "s")
            let state = SessionState(table, epoch: generator.id128(), atMs: atMs)
            #expect(try state.table().digest == table.digest)
            let lines: [SessionLine] = [
                .header(SessionHeader(table: generator.id(), atMs: atMs)), .state(state),
                .change(change, atMs: atMs),
            ]
            for line in lines {
                #expect(try Decode.sessionLine(Encode.sessionLine(line)) == line)
            }
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
