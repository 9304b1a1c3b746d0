import StrictYAML
import TableFiles
import TableModel
import Testing

func rows(_ text: String, _ format: RowFormat) throws -> [ImportedRow] {
    try ImportFile.parse(Array(text.utf8), format: format, name: "f")
}

func fault(_ text: String, _ format: RowFormat) -> String {
    fault(Array(text.utf8), format)
}

func fault(_ bytes: [UInt8], _ format: RowFormat) -> String {
    do {
        _ = try ImportFile.parse(bytes, format: format, name: "f")
        return "none"
    } catch {
        return error.description
    }
}

@Suite struct ImportExportTests {
    @Test func oneRowInEachFormat() throws {
        let row = ImportedRow(
            id: "a", kind: "k", section: "s", title: "T", fields: [Row.Field("x", "1")])
        let json = #"{"id":"a","kind":"k","section":"s","title":"T","fields":{"x":1}}"#
        #expect(try rows(json + "\n", .ndjson) == [row])
        #expect(try rows("[\(json)]", .json) == [row])
        #expect(try rows("{\"table\":\"t\",\"revision\":3,\"rows\":[\(json)]}", .json) == [row])
        var second = row
        second.line = 2
        #expect(try rows("x,title,id,kind,section\n1,T,a,k,s", .csv) == [second])
        #expect(try rows("\u{FEFF}title\r\nT\r\n", .csv) == [ImportedRow(title: "T", line: 2)])
        #expect(try rows("", .ndjson).isEmpty)
        #expect(RowFormat(fileName: "a.b/c.NDJSON") == .ndjson)
        #expect(RowFormat(fileName: "csv") == .csv)
        #expect(RowFormat(fileName: "a.md") == .markdown)
        #expect(RowFormat(fileName: "a.txt") == nil)
    }

    @Test func csvCorners() throws {
        var one = ImportedRow(
            title: "one\r\ntwo", fields: [Row.Field("a,\"b\"", "")], line: 2)
        one.unset = ["id"]
        var other = ImportedRow(title: "\"q\"", fields: [Row.Field("id", "x")], line: 5)
        other.unset = ["a,\"b\""]
        let text = "title,field:id,\"a,\"\"b\"\"\"\r\n\"one\r\ntwo\",,\"\"\n\n\"\"\"q\"\"\",x,\n"
        #expect(
            try rows(text, .csv) == [
                one,
                other,
            ])
    }

    @Test(arguments: [
        (
            "{\"title\":\"a\"}\n{\"titel\":\"b\"}", RowFormat.ndjson,
            "f:2:2: unknown key `titel` (did you mean `title`?)"
        ),
        ("{\"title\":\"a\"}\n\n{\"id\":\"b\"}", .ndjson, "f:3:1: `title` is missing"),
        ("{\"title\":\"a\",\"title\":\"b\"}", .ndjson, "f:1:14: key `title` stands twice"),
        (
            "{\"title\":\"a\",\"fields\":{\"x\":\"1\",\n\"\\u0078\":\"2\"}}", .json,
            "f:2:1: key `x` stands twice"
        ),
        ("{\"title\":\"a\"} {}", .ndjson, "f:1:15: expected nothing after the value"),
        ("{\"title\":\"\\u0000\"}", .ndjson, "f:1:10: title: text cannot hold a NUL"),
        ("{\"title\":\"\\ud800\"}", .ndjson, "f:1:11: no such escape"),
        ("{\"title\":\"a\tb\"}", .ndjson, "f:1:12: a control character stands in a text"),
        ("{\"title\":null}", .ndjson, "f:1:1: `title` is missing"),
        (
            "{\"title\":\"a\",\"swipe\":\"up\"}", .ndjson,
            "f:1:22: swipe: expected leading or trailing, found the text `up`"
        ),
        ("{\"title\":\"a\",\"version\":01}", .ndjson, "f:1:24: expected a value"),
        ("[{\"title\":\"a\"},]", .json, "f:1:16: expected a value"),
        ("{\"rows\":7}", .json, "f:1:9: rows: expected a list, found `7`"),
        (
            "[{\"id\":\"a\",\"title\":\"\"},\n{\"id\":\"a\",\"title\":\"\"}]", .json,
            "f:2: the id `a` stands in line 1 already"
        ),
        ("[" + String(repeating: "[", count: 500_000), .json, "f:1:97: more than 96 levels"),
    ])
    func faults(_ text: String, _ format: RowFormat, _ said: String) {
        #expect(fault(text, format) == said)
    }

    @Test func bytesAndBounds() {
        #expect(
            fault([0x61, 10, 0x62, 0xC3, 10], .csv)
                == "f:2:2: the byte 0xC3 is no UTF-8: save the file as UTF-8")
        #expect(
            fault([0xED, 0xA0, 0x80], .json)
                == "f:1:1: the byte 0xED is no UTF-8: save the file as UTF-8")
        #expect(fault(Array(repeating: 32, count: (64 << 20) + 1), .json).contains("67108864"))
        let long = String(repeating: "x", count: 1 << 20)
        #expect(fault("\n{\"title\":\"\(long)\"}", .ndjson).hasPrefix("f:2: more than 1048576"))
        #expect(fault("title\n\(long)x", .csv).hasPrefix("f:2: more than 1048576"))
        #expect(fault("title\n\"\(long)\"", .csv).hasPrefix("f:2: more than 1048576"))
    }

    @Test func goldenExport() {
        let row = Row(
            id: "a", content: Row.Content(title: "x\u{202E}", fields: [Row.Field("k", "v")]),
            version: 3, createdMs: 1_700_000_000_000, expansion: .height(80), swipe: .leading)
        let json =
            #"{"id":"a","kind":"row","section":"main","index":0,"title":"x\u202e","#
            + #""fields":{"k":"v"},"version":3,"expand":"80","swipe":"leading","#
            + #""createdMs":1700000000000}"#
        let placed = [PlacedRow(row, section: "main", index: 0)]
        #expect(ExportFile.write(placed, format: .ndjson) == json + "\n")
        #expect(ExportFile.write(placed, format: .json) == "{\"rows\":[\n\(json)\n]}\n")
        #expect(
            ExportFile.write(placed, format: .csv)
                == "id,kind,section,title,k\r\na,row,main,x\u{202E},v\r\n")
    }

    /// An export comes back whole: ids, order, texts; from JSON all that a row has.
    @Test(arguments: RowFormat.allCases) func roundTrips(_ format: RowFormat) throws {
        for seed in 0..<300 as Range<UInt64> {
            var random = Seeded(seed)
            var seen: Set<ID> = []
            let placed = random.many(8) { random in
                let content = Row.Content(
                    kind: random.id(), title: random.text(), fields: random.fields())
                let row = Row(
                    id: random.id(), content: content, version: random.next(),
                    createdMs: random.next(), expansion: random.expansion(),
                    swipe: random.pick([nil, .leading, .trailing]),
                    performed: random.many(3) { random in
                        Performance(
                            random.id(), random.pick([.done, .failed(random.text())]))
                    },
                    scroll: random.some(30) { Scroll($0.id(), fraction: 0.25) },
                    changedMs: random.pick([0, random.next()]),
                    movedMs: random.pick([0, random.next()]),
                    claim: random.some(30) {
                        Claim(
                            holder: $0.id(), note: $0.text(), ttlSeconds: $0.some(50) { _ in 1.5 },
                            sinceMs: $0.next())
                    })
                return PlacedRow(row, section: random.id(), index: 0)
            }.filter { seen.insert($0.row.id).inserted }
            let text = ExportFile.write(placed, format: format)
            var back = try rows(text, format)
            for place in back.indices {
                back[place].line = 1
                back[place].unset = []
                back[place].isTask = false
            }
            let saysOpen = format == .ndjson || format == .json
            let expected = placed.map { placed in
                let row = placed.row
                var expected = ImportedRow(
                    id: row.id, kind: row.content.kind, section: placed.section,
                    title: row.content.title, fields: row.content.fields,
                    expand: saysOpen ? row.expansion : nil,
                    swipe: saysOpen ? row.swipe : nil)
                if !saysOpen { return expected }
                (expected.createdMs, expected.changedMs) = (row.createdMs, row.changedMs)
                (expected.movedMs, expected.performed) = (row.movedMs, row.performed)
                (expected.claim, expected.scroll) = (row.claim, row.scroll)
                return expected
            }
            // Field by field, since `String` takes some different bytes for the same.
            #expect(back == expected, "seed \(seed)\n\(text)")
            #expect(back.map { Array($0.title.utf8) } == expected.map { Array($0.title.utf8) })
        }
    }
}
