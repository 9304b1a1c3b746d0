public import TableModel
public import TableSync

/// Writes messages. Equal messages have equal bytes in every process, so that a command that is sent again is
/// recognised.
public enum Encode {
    @inline(__always)
    private static func bytes(
        _ form: Form, _ binary: (inout BinarySink) -> Void, _ json: (inout JSONSink) -> Void
    ) -> [UInt8] {
        switch form {
        case .binary: Written.binary(binary)
        case .json: Written.json(json)
        }
    }

    /// A request in the form that a client sends.
    public static func request(_ request: Request, form: Form) -> [UInt8] {
        bytes(form, { request.write(to: &$0) }, { request.write(to: &$0) })
    }

    /// The frame before a request.
    public static func behalf(_ behalf: Behalf, form: Form) -> [UInt8] {
        bytes(form, { behalf.write(to: &$0) }, { behalf.write(to: &$0) })
    }

    /// The presence of viewers and leases.
    public static func presence(_ presence: Presence, form: Form) -> [UInt8] {
        bytes(form, { presence.write(to: &$0) }, { presence.write(to: &$0) })
    }

    /// A reply in full.
    public static func reply(_ reply: Reply, form: Form) -> [UInt8] {
        guard case .snapshot(let chunk) = reply.answer else {
            return bytes(form, { reply.write(to: &$0) }, { reply.write(to: &$0) })
        }
        let room = chunk.slices.size
        switch form {
        case .binary: return FieldWriter.bytes(within: room) { $0.binary { reply.write(to: &$0) } }
        case .json: return Written.json(within: 2 * room) { reply.write(to: &$0) }
        }
    }

    /// A binary reply in this form; nil: the bytes are no reply.
    public static func reply(encoded bytes: ArraySlice<UInt8>, form: Form) -> [UInt8]? {
        switch form {
        case .binary: Array(bytes)
        case .json: WireCodec().decodeReply(bytes).map { Encode.reply($0, form: .json) }
        }
    }

    /// A binary reply to `replay` around encoded diffs. The diffs in `reply` itself are ignored.
    public static func reply(_ reply: Reply, encodedDiffs: EncodedDiffs) -> [UInt8] {
        guard case .replay(let publication, let head) = reply.answer else {
            preconditionFailure("only a replay is made of encoded diffs")
        }
        var outer = reply
        outer.answer = .done(rows: [], unchanged: false)
        let published = Encode.publication(publication, encodedDiffs: encodedDiffs)
        var writer = FieldWriter(Encode.reply(outer, form: .binary), adding: published.count + 32)
        writer.write(24, about: published.count) { replay in
            replay.write(1, published)
            if head != 0 { replay.write(2, head) }
        }
        return writer.bytes
    }

    // MARK: Publications

    /// A publication in full.
    public static func publication(_ publication: Publication, form: Form) -> [UInt8] {
        bytes(form, { publication.write(to: &$0) }, { publication.write(to: &$0) })
    }

    /// A publication whose diffs are encoded already, in binary. Those in `publication` itself are ignored.
    public static func publication(
        _ publication: Publication, encodedDiffs: EncodedDiffs, form: Form
    ) -> [UInt8] {
        if form == .binary { return Encode.publication(publication, encodedDiffs: encodedDiffs) }
        if encodedDiffs.texts.count == encodedDiffs.count {
            return Encode.publication(publication, texts: encodedDiffs.texts)
        }
        var whole = publication
        whole.diffs = encodedDiffs.map { bytes in
            guard let diff = WireCodec().decodeDiff(bytes) else {
                preconditionFailure("a diff in the journal's form cannot be read")
            }
            return diff
        }
        return Encode.publication(whole, form: .json)
    }

    /// A publication in JSON around diffs that were written in that form.
    private static func publication(_ publication: Publication, texts: [[UInt8]]) -> [UInt8] {
        let size = texts.reduce(0) { $0 + $1.count + 1 }
        return Written.json(within: size + publication.table.byteCount + 128) { sink in
            sink.head(of: publication)
            if !texts.isEmpty {
                sink.list("diffs") { list in
                    for text in texts {
                        list.out.pointee.write(encoded: text)
                        list.out.pointee.put(",")
                    }
                }
            }
            sink.tail(of: publication)
        }
    }

    /// A binary publication around encoded diffs. The diffs in `publication` itself are ignored.
    public static func publication(
        _ publication: Publication, encodedDiffs: EncodedDiffs
    ) -> [UInt8] {
        withPublication(publication, encodedDiffs: encodedDiffs) { Array($0) }
    }

    /// Lends its bytes, as they are for whoever copies them anyway.
    public static func withPublication<Result>(
        _ publication: Publication, encodedDiffs: EncodedDiffs,
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        let size = encodedDiffs.byteCount + 6 * encodedDiffs.count
        let room = size + publication.table.byteCount + 96
        return try FieldWriter.lend(within: room) { writer in
            writer.binary { $0.head(of: publication) }
            encodedDiffs.bytes.withUnsafeBytes { bytes in
                for index in encodedDiffs.indices {
                    writer.write(5, .init(rebasing: bytes[encodedDiffs.place(index)]))
                }
            }
            writer.binary { $0.tail(of: publication) }
        } to: {
            try body($0)
        }
    }

    /// A single diff. Its binary form is journaled, published and replayed.
    public static func diff(_ diff: Diff, form: Form) -> [UInt8] {
        bytes(form, { diff.write(to: &$0) }, { diff.write(to: &$0) })
    }

    /// The ops of an inverse in its journaled form.
    static func inverse(_ steps: [Op]) -> [UInt8] {
        FieldWriter.bytes { writer in for step in steps { writer.write(step: step) } }
    }
}

extension Behalf {
    fileprivate func write<S: Sink>(to s: inout S) {
        s.id(1, "name", unlessEmpty: name)
        s.text(2, "role", role?.rawValue)
        s.texts(3, "tables", tables.map(\.text))
    }
}
