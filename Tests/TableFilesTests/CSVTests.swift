import StrictYAML
import TableFiles
import TableDecisions
import TableModel
import Testing

/// CSV as spreadsheets and people write it: it is read as they mean it, or refused with line, column and
/// what to do.
@Suite struct CSVTests {
    private static let row = ImportedRow(
        id: "7", section: "grill", title: "Soup", fields: [Row.Field("qty", "2")], line: 2)

    private static func utf16(_ text: String, isBig: Bool) -> [UInt8] {
        (isBig ? [0xFE, 0xFF] : [0xFF, 0xFE])
            + text.utf16.flatMap { unit in
                let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
                return isBig ? [high, low] : [low, high]
            }
    }

    /// One row, as often as people write it in another way.
    @Test(arguments: [
        "id,section,title,qty\n7,grill,Soup,2\n",
        "ID,Section,Title,qty\r\n7,grill,Soup,2\r\n",
        "id, section , TITLE,\tqty\r7 , grill,Soup,  2\r",
        "\"ID\" , \" Section\",\"title\",qty\n\"7\", \"grill\" ,\"Soup\",2",
        "\u{FEFF}Id;SECTION;title;qty\n7;grill;Soup;2",
        "id\tsection\ttitle\tqty\n7\t grill \tSoup\t\"2\"\n",
        "id,section,title,qty,,\n7,grill,Soup,2,,\n,,,,,\n , ,\t, \n",
        "id,section,title,qty\n7,grill,Soup,2,,,\n",
        "id,,section,title,qty\n7,,grill,Soup,2\n",
        "id,section,title, Field:qty \n7,grill,Soup,2\n",
    ])
    func oneRow(_ text: String) throws {
        #expect(try rows(text, .csv) == [Self.row])
    }

    @Test func separatorsThatTheFileNames() throws {
        var expected = Self.row
        expected.line = 3
        for text in [
            "sep=;\nid;section;title;qty\n7;grill;Soup;2",
            "SEP=|\r\nid|section|title|qty\r\n7|grill|Soup|2",
            "\"sep=,\"\nid,section,title,qty\n7,grill,Soup,2",
            "sep=\t\nid\tsection\ttitle\tqty\n7\tgrill\tSoup\t2",
        ] {
            #expect(try rows(text, .csv) == [expected], "\(text)")
        }
        // Lines of separators alone count too.
        #expect(
            try rows(",,,\n\nid,section,title,qty\n,,,\n7,grill,Soup,2", .csv).map(\.line) == [5])
    }

    /// Only the header says what separates, and quotes in it count.
    @Test func otherSeparatorsBelongToTheValues() throws {
        let decimal = try rows("title;price\nSoup;3,50\n\"a;b\";\"1\t2\"", .csv)
        #expect(decimal.map(\.title) == ["Soup", "a;b"])
        #expect(decimal.flatMap(\.fields).map(\.value) == ["3,50", "1\t2"])
        #expect(try rows("title,\"a;title\"\nx,1", .csv)[0].fields == [Row.Field("a;title", "1")])
        #expect(
            try rows("title\nOne; two\nThree\tfour", .csv).map(\.title) == [
                "One; two", "Three\tfour",
            ])
        // Names differ by their case, but for the four that are no fields.
        let fields = try rows("title,Qty,qty,field:ID\nx,1,2,3", .csv)[0].fields
        #expect(fields == [Row.Field("ID", "3"), Row.Field("Qty", "1"), Row.Field("qty", "2")])
    }

    @Test func otherEncodings() throws {
        let text = "id\tsection\ttitle\tqty\r\n7\tgrill\tSoup\t2\r\n8\tgrill\tCrêpe 😀\t\r\n"
        for isBig in [false, true] {
            let bytes = Self.utf16(text, isBig: isBig)
            let found = try ImportFile.parse(bytes, format: .csv, name: "f")
            #expect(found.count == 2 && found[0] == Self.row && found[1].title == "Crêpe 😀")
            let lines = Self.utf16("{\"title\":\"é\"}\n", isBig: isBig)
            #expect(try ImportFile.parse(lines, format: .ndjson, name: "f")[0].title == "é")
            let half =
                "f:1:7: half a character stands here, and UTF-16 has none: save the file as UTF-8"
            let isLow: [UInt8] = isBig ? [0xD8, 0x3D] : [0x3D, 0xD8]
            #expect(fault(Self.utf16("title\t", isBig: isBig) + isLow, .csv) == half)
            #expect(fault(Self.utf16("title\t", isBig: isBig) + [0], .csv) == half)
        }
    }

    @Test(arguments: [
        ("", "f:1: the header line is missing"),
        (
            "\n,,\n",
            "f:2:1: there is no column `title`: the first line names the columns, such as "
                + "`id,section,title`, with commas, semicolons or tabs between them"
        ),
        (
            "\"ID\";\"Name\"\n",
            "f:1:1: there is no column `title`: the first line names the columns, such as "
                + "`id,section,title`, with commas, semicolons or tabs between them"
        ),
        (
            "1042;Burger;2",
            "f:1:1: there is no column `title`: the first line names the columns, such as "
                + "`id,section,title`, with commas, semicolons or tabs between them"
        ),
        ("id;Title; title\n", "f:1:11: column `title` stands twice: rename one of the two"),
        ("ID,title,id\n", "f:1:10: column `id` stands twice: rename one of the two"),
        ("title,x,field:x\n", "f:1:9: column `field:x` stands twice: rename one of the two"),
        (
            "title,a;title\n",
            "f:1:1: `,` or `;` may separate the columns: put a name that holds one of them in quotes, "
                + "or name the separator in a line `sep=;` before this one"
        ),
        (
            "title,a\n1,2\né\n",
            "f:3:2: expected 2 values, found 1: each line has as many as the first one, and `,` stands "
                + "between them also where a value is empty"
        ),
        (
            "title;a\nSoup;1;50\n",
            "f:2:8: expected 2 values, found more: put a value that holds `;` in quotes"
        ),
        (
            "title,,a\nSoup,1,\n",
            "f:2:6: this column has no name in the first line: give it one, or leave it empty"
        ),
        (
            "section,title\ngrill,\n",
            "f:2:7: the row has neither an id nor a title: write a title, or \"\" for an empty one"
        ),
        ("title\n\"a\nb", "f:2:1: the quotes opened here do not close"),
        (
            "title\tb\r\"a\"b\t",
            "f:2:4: expected a tab or the end of the line behind the quotes: within quotes a quote "
                + "stands twice"
        ),
        (
            "title\na\"b\"",
            "f:2:2: a quote stands inside a value without quotes: put the value in quotes, and each "
                + "quote in it twice"
        ),
        ("id,title\na,1\nb,2\na,3", "f:4: the id `a` stands in line 2 already"),
        ("title\n1\né2\u{0}", "f:3:3: a NUL stands here: save the file as UTF-8"),
    ])
    func faults(_ text: String, _ said: String) {
        #expect(fault(text, .csv) == said)
    }

    /// An empty cell clears a field, also one that a spreadsheet has emptied. It keeps the rest.
    @Test func emptyCells() throws {
        let table = Table(name: "t", history: ID128(high: 0, low: 1))
        func perform(_ commands: [Command]) throws {
            let plan = try reduce(batch: commands, on: table, limits: Limits(), nowMs: 1).get()
            _ = table.apply(plan, cause: Cause(verb: "test"))
        }
        let fields = [Row.Field("note", "x"), Row.Field("other", "y"), Row.Field("qty", "2")]
        let content = Row.Content(title: "Soup", fields: fields)
        try perform([Command(.add(.init(id: "a", content, section: "s")))])
        let file = "id,kind,section,title,qty,note\na,,,,3,\nb,,,,,\n"
        try perform(ImportPlan(rows(file, .csv), sections: [], for: table).all.map(\.command))
        let row = try #require(table.row("a")?.content)
        #expect(row.title == "Soup" && table.position(of: "a")?.section == "s")
        #expect(row.fields == [Row.Field("other", "y"), Row.Field("qty", "3")])
        #expect(table.row("b")?.content.title == "")
        #expect(ImportPlan(try rows(file, .csv), sections: [], for: table).all.isEmpty)
        // `""` is a value: an empty one.
        let empty = "id,title,qty\na,\"\",\"\"\n"
        try perform(ImportPlan(rows(empty, .csv), sections: [], for: table).all.map(\.command))
        let cleared = try #require(table.row("a")?.content)
        #expect(cleared.title == "" && cleared.fields.contains(Row.Field("qty", "")))
    }

    /// No cell that a spreadsheet reads is a formula, and all of it comes back.
    @Test func noFormulas() throws {
        let texts = [
            "=1+1", "+1", "-1", "@x", "\t=1", "\r=1", "\n=1", "＝1", "'=1", "''=1", "'", "it's",
            "' =", "-",
            "a=b", "",
        ]
        let placed = texts.enumerated().map { index, text in
            let content = Row.Content(
                title: text, fields: [Row.Field("'=k", text), Row.Field("=k", text)])
            let row = Row(id: ID("-\(index)"), content: content)
            return PlacedRow(row, section: "@s", index: index)
        }
        for forSpreadsheets in [false, true] {
            let text = ExportFile.write(placed, format: .csv, forSpreadsheets: forSpreadsheets)
            let back = try rows(text, .csv)
            #expect(back.map(\.title) == texts, "\(text)")
            #expect(back.map(\.fields) == placed.map(\.row.content.fields))
            #expect(back.map(\.id) == placed.map(\.row.id))
            let first = text.split(separator: "\r\n")[1]
            #expect(
                first
                    == (forSpreadsheets
                        ? "'-0,row,'@s,'=1+1,'=1+1,'=1+1" : "-0,row,@s,=1+1,=1+1,=1+1"))
            let header = text.prefix { $0 != "\r\n" }
            #expect(
                header
                    == (forSpreadsheets
                        ? "id,kind,section,title,''=k,'=k" : "id,kind,section,title,''=k,=k"))
        }
    }
}
