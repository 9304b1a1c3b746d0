/// Requests to trestled, in binary, as docs/PROTOCOL.md has them.
enum TrestleWords {
    static let table = Array("bench".utf8)
    static let topic = Array("b/bench/".utf8)
    static let header = Array("trestle/1 proto".utf8)

    /// A numbered command of a writer.
    static func request(
        _ action: Workload.Action, client: [UInt8], number: UInt64, opened: UInt64
    ) -> [UInt8] {
        var writer = Writer()
        writer.bytes.reserveCapacity(128)
        writer.content(1, client)
        writer.number(2, number)
        writer.number(3, opened)
        writer.content(4, table)
        writer.message(32) { command(action, &$0) }
        return writer.bytes
    }

    private static func command(_ action: Workload.Action, _ writer: inout Writer) {
        switch action {
        case .move(let row, let after):
            writer.message(13) {
                $0.content(1, Workload.id(row))
                $0.content(6, Workload.id(after))
            }
        case .expand(let row):
            writer.message(16) {
                $0.content(1, Workload.id(row))
                $0.number(2, 1)
            }
        case .set(let row, let title):
            writer.message(11) {
                $0.content(1, Workload.id(row))
                $0.content(2, title)
            }
        case .setNote(let row, let note):
            writer.message(11) {
                $0.content(1, Workload.id(row))
                $0.message(3) { Self.note(note, &$0) }
            }
        case .insert(let id, let after):
            add(id, &writer) { $0.content(9, Workload.id(after)) }
        case .remove(let id): writer.message(12) { $0.content(1, id) }
        }
    }

    private static func add(
        _ id: [UInt8], _ writer: inout Writer, anchor: (inout Writer) -> Void
    ) {
        writer.message(10) {
            $0.content(1, id)
            $0.content(3, Workload.title)
            $0.message(4) { note(Workload.note, &$0) }
            anchor(&$0)
        }
    }

    /// The only field of these rows.
    private static func note(_ note: [UInt8], _ field: inout Writer) {
        field.text(1, "note")
        field.content(2, note)
    }

    static var hello: [UInt8] { ask { $0.content(10, []) } }

    static var create: [UInt8] {
        ask {
            $0.content(4, table)
            $0.content(30, [])
        }
    }

    /// Rows in order, at the bottom, in one batch.
    static func fill(_ rows: Range<Int>) -> [UInt8] {
        ask {
            $0.content(4, table)
            $0.message(33) { batch in
                for row in rows {
                    batch.message(1) { command in
                        add(Workload.id(row), &command) { $0.number(7, 1) }
                    }
                }
            }
        }
    }

    /// Many rows with long titles, whose titles are then changed, and which are removed: the first two
    /// are large publications.
    static func largeBatches(_ index: Int) -> [[UInt8]] {
        let ids = (0..<Stall.rows).map { Array("large.\(index).\($0)".utf8) }
        let title = [UInt8](repeating: UInt8(ascii: "t"), count: Stall.textBytes)
        let other = [UInt8](repeating: UInt8(ascii: "u"), count: Stall.textBytes)
        let batch = { (each: @escaping ([UInt8], inout Writer) -> Void) in
            ask {
                $0.content(4, table)
                $0.message(33) { batch in
                    for id in ids { batch.message(1) { each(id, &$0) } }
                }
            }
        }
        return [
            batch { id, writer in
                writer.message(10) {
                    $0.content(1, id)
                    $0.content(3, title)
                    $0.number(7, 1)
                }
            },
            batch { id, writer in
                writer.message(11) {
                    $0.content(1, id)
                    $0.content(2, other)
                }
            },
            batch { id, writer in writer.message(12) { $0.content(1, id) } },
        ]
    }

    private static func ask(_ fill: (inout Writer) -> Void) -> [UInt8] {
        var writer = Writer()
        fill(&writer)
        return writer.bytes
    }

    /// Whether a reply says that it was done.
    static func isOk(_ reply: UnsafeRawBufferPointer) -> Bool {
        for field in Fields(reply) where field.number == 1 { return field.value == 1 }
        return false
    }

    /// The journal's position in the reply to `hello`.
    static func opened(_ reply: UnsafeRawBufferPointer) -> UInt64 {
        for field in Fields(reply) where field.number == 20 {
            for inner in Fields(field.content) where inner.number == 5 { return inner.value }
        }
        return 0
    }

    /// A chunk of the table as it is; without `id`, the first of a new snapshot.
    static func snapshot(id: [UInt8]?, chunk: Int) -> [UInt8] {
        ask {
            $0.content(4, table)
            $0.message(13) { snapshot in
                if let id { snapshot.content(1, id) }
                snapshot.number(2, UInt64(chunk))
            }
        }
    }

    /// Which chunk a request is for.
    static func chunkAsked(_ request: UnsafeRawBufferPointer) -> Int {
        for field in Fields(request) where field.number == 13 {
            for part in Fields(field.content) where part.number == 2 { return Int(part.value) }
        }
        return 0
    }

    static var tables: [UInt8] { ask { $0.content(11, []) } }

    /// How many rows the first table has, in the reply to `tables`.
    static func rows(_ reply: UnsafeRawBufferPointer) -> Int {
        for field in Fields(reply) where field.number == 21 {
            for table in Fields(field.content) where table.number == 1 {
                for part in Fields(table.content) where part.number == 4 { return Int(part.value) }
            }
        }
        return 0
    }

    /// The bytes of each diff in a publication, and of its ops alone.
    static func diffBytes(_ publication: UnsafeRawBufferPointer) -> [(whole: Int, ops: Int)] {
        Fields(publication).compactMap { field in
            guard field.number == 5 else { return nil }
            let ops = Fields(field.content).reduce(0) {
                $0 + ($1.number == 4 ? $1.content.count : 0)
            }
            return (field.content.count, ops)
        }
    }
}
