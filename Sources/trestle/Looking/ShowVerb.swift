import ArgumentParser
import TableClient
import TableLayout
import TableModel
import TablePictures
import TablePredicate
import TableSync

struct ShowVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print a table as it is now.",
        usage: """
            trestle show <table> [--where <predicate>] [--section <section> ...] \
            [--sort <keys>] [--columns <names>] [--limit <rows>] [--at <revision>] \
            [--width <points>] [--reveal <percent>] [<options>]
            """,
        discussion: """
            A mark stands before a row: v means expanded, = a state that its kind defines, [ and ] \
            swiped open at the leading or trailing side. On a terminal, fields and then titles are \
            cut with … where lines would be too long; -o wide cuts nothing. With -o json: \
            {"table","history","epoch","revision","digest","sections","rows"}. With -o ndjson one row \
            per line.

            --where, --section, --sort, --columns and --limit choose rows and what is printed of \
            them, as one list. --where takes a condition on a row (see `trestle help wait`); --sort \
            and --columns take the names of properties in it, and age. By age the youngest come \
            first, by -age the oldest. A row without the property comes last. With -o json such a \
            list is {"ok","table","history","epoch","revision","found","rows"}, where found says \
            how many rows fit, with no regard to --limit.

              trestle show board --where 'section == "pass"' --sort -age --limit 5
              trestle show board --columns id,title,field.qty

            -o svg draws a picture of at most 1000 rows. -o html makes a page whose sections stand \
            side by side, as many as fit into the window. Rows are as wide as --width says, and as \
            high as `layout` says for that width. Actions of rows that are swiped open are drawn \
            in their styles.

              trestle -o svg show board --width 390 > board.svg
              trestle -o svg show board --reveal 50 > half-open.svg
            """)

    static var forms: [OutputForm] { [.table, .wide, .json, .ndjson, .name, .svg, .html] }

    @Argument(help: "The table.", completion: Live.tables) var table: String
    @Option(
        help: .value("points", "Width of the rows (default: 390); only with -o svg and -o html."))
    var width: Double?
    @Option(
        help: .value(
            "revision", "Print the table as it was at this revision, if that is still kept."))
    var at: UInt64?
    @Option(
        help: .value(
            "percent",
            "How far open rows are revealed (default: 100); only with -o svg and -o html."))
    var reveal: Double?
    @OptionGroup var list: RowListOptions
    @OptionGroup var options: Options

    func validate() throws {
        if let reveal, !(reveal >= 0 && reveal <= 100) {
            throw ValidationError("--reveal takes percent from 0 to 100.")
        }
        guard let width else { return }
        guard width.isFinite, width > 0, width <= TablePicture.mostWidthPoints else {
            throw ValidationError("--width takes points above 0, up to 100000.")
        }
    }

    func carryOut(_ connection: Connection) throws {
        // The form may stand before the verb, so it is not known any earlier.
        if width != nil || reveal != nil, connection.form != .svg, connection.form != .html {
            let option = width != nil ? "--width" : "--reveal"
            throw ValidationError("\(option) is for the forms svg and html.")
        }
        if !list.isEmpty, connection.form == .svg || connection.form == .html {
            throw ValidationError(
                "--where, --section, --sort, --columns and --limit choose lines, not pictures.")
        }
        guard list.isEmpty else {
            let (query, listing) = try list.list()
            let finding: Finding
            if let at {
                let (table, epoch) = try connection.table(table, at: at)
                finding = try Finding(query, in: table, epoch: epoch)
            } else {
                finding = try connection.find(query, in: table)
            }
            let list = listing(finding)
            return try connection.show(
                Reply(about: finding.table, epoch: finding.epoch),
                adding: [("found", .integer(UInt64(list.found)))], lists: ["rows": list.documents],
                names: list.rows.map(\.row.id.text), lines: list.lines)
        }
        let (table, epoch) =
            if let at { try connection.table(table, at: at) } else { try connection.table(table) }
        var picture = width.map { TablePicture(widthPoints: $0) } ?? TablePicture()
        picture.nowMs = wallClockMs()
        picture.zoneSeconds = zoneSeconds()
        if let reveal { picture.revealed = reveal / 100 }
        let drawn = picture
        let report = Report(
            json: { Documents.state(table, epoch: epoch) }, ndjson: { Documents.rows(of: table) },
            names: { table.rows.map(\.id.text) },
            lines: {
                TableText.lines(of: table, isWide: $0, width: $0 ? nil : Output.size?.columns)
            },
            picture: { $0 == .svg ? drawn.svg(of: table) : drawn.html(of: table) })
        try connection.show(report)
    }
}

/// A table for people: one aligned block per section.
enum TableText {
    /// At most `limit` rows; a last line says how many more there are. No line is wider than `width`.
    static func lines(
        of table: Table, isWide: Bool, limit: Int = .max, width: Int? = nil
    ) -> [TextLine] {
        let sections = table.sections
        let clock = RowFace.Clock(nowMs: wallClockMs(), zoneSeconds: zoneSeconds())
        var columns = Columns()
        columns.append(
            line: "\(table.name.text)  revision \(table.revision)  "
                + "\(table.count.of("row")) in \(sections.count.of("section"))"
                + (table.isEditing ? "  editing" : ""), .heading)
        for pause in table.settings.pauses {
            columns.append(line: "paused: \(pause.subject), by \(pause.reason)", .heading)
        }
        var left = limit
        let groups = Groups(table)
        for section in sections {
            guard left > 0 else { break }
            columns.append(line: "")
            columns.append(line: heading(of: section), .heading)
            for row in section.runs().joined().prefix(left) {
                let (cells, end) = cells(of: row, section.id, table, groups, clock, isWide)
                columns.append(cells, keeping: end)
            }
            left -= min(left, section.count)
        }
        if table.count == 0 {
            columns.append(line: "")
            columns.append(line: "(no rows)", .faint)
        }
        if table.count > limit {
            columns.append(line: "")
            columns.append(line: "… and \((table.count - limit).of("more row"))", .faint)
        }
        // The fields yield first, then the title.
        return columns.lines(in: width, yielding: isWide ? [7, 6] : [3, 2])
    }

    /// Rows in the order in which they are given, each with its section.
    static func lines(
        of rows: [PlacedRow], in table: Table, heading: String, isWide: Bool, width: Int?
    ) -> [TextLine] {
        let clock = RowFace.Clock(nowMs: wallClockMs(), zoneSeconds: zoneSeconds())
        var columns = Columns()
        let groups = Groups(table)
        columns.append(line: heading, .heading)
        for placed in rows {
            let (cells, end) = cells(of: placed.row, placed.section, table, groups, clock, isWide)
            var shown = cells
            shown.insert(placed.section.text, at: min(2, cells.count))
            columns.append(shown, keeping: end)
        }
        return columns.lines(in: width, yielding: isWide ? [8, 7] : [4, 3])
    }

    /// The cells of a row's line, and the end of them that stays where they are cut.
    private static func cells(
        of row: Row, _ section: SectionID, _ table: Table, _ groups: Groups, _ clock: RowFace.Clock,
        _ isWide: Bool
    ) -> (cells: [String], end: String) {
        let kind = table.kind(of: row) ?? Kind(row.content.kind)
        let face = RowFace(
            row.content, row.expansion, kind: kind, clock: clock,
            count: { groups.count($0, of: row.id) })
        let performed = row.performed.compactMap { $0.remark(in: table) }
        let remarks = face.remarks + remarks(of: row, performed)
        let cells =
            cells(of: row, isWide ? nil : face, kind, performed, remarks, isWide: isWide)
            + age(of: row, kind: kind, in: section)
        return (cells, remarks.map { " " + $0 }.joined())
    }

    private static func heading(of section: Table.Section) -> String {
        let title = ID(section.title) == section.id ? "" : "  \(section.title)"
        return "\(section.id.text)\(title)  (\(section.count))"
    }

    /// `face`: what the kind shows of the row; nil: all of it is shown as it is.
    private static func cells(
        of row: Row, _ face: RowFace?, _ kind: Kind, _ performed: [String], _ remarks: [String],
        isWide: Bool
    ) -> [String] {
        var cells = [mark(of: row), row.id.text]
        if isWide {
            cells += [
                row.content.kind.text, "v\(row.version)", row.expansion.text,
                row.swipe?.rawValue ?? "closed",
            ]
        }
        let fields = fields(of: row, kind.show == Kind.Show() ? nil : face, performed)
        return cells + [
            face?.title ?? row.content.title, (fields + remarks).joined(separator: " "),
        ]
    }

    private static func fields(of row: Row, _ face: RowFace?, _ performed: [String]) -> [String] {
        (face.map { $0.line.isEmpty ? [] : [$0.line.joined(separator: " · ")] }
            ?? row.content.fields.map { "\($0.key.text)=\($0.value)" })
            + (row.content.items.isEmpty ? [] : performed + row.strip)
    }

    /// The part that must be seen, however narrow the terminal is.
    private static func remarks(of row: Row, _ performed: [String]) -> [String] {
        (row.content.items.isEmpty ? performed : []) + row.chosen + row.claimed + row.asleep
    }

    /// How long it has waited, where that is too long.
    private static func age(of row: Row, kind: Kind?, in section: SectionID) -> [String] {
        guard let age = Age(of: row, kind: kind, in: section, nowMs: wallClockMs())
        else { return [] }
        switch age.stage {
        case .fresh: return []
        case .warned: return ["\(age.text)!"]
        case .late: return ["\(age.text)!!"]
        }
    }

    private static func mark(of row: Row) -> String {
        let expansion: String
        switch row.expansion {
        case .collapsed: expansion = " "
        case .expanded: expansion = "v"
        case .named, .height: expansion = "="
        }
        switch row.swipe {
        case nil: return expansion + " "
        case .leading: return expansion + "["
        case .trailing: return expansion + "]"
        }
    }
}

extension Performance {
    /// A remark for people about it; nil where it went well.
    fileprivate func remark(in table: Table) -> String? {
        let what = (item.map { "\($0.text): " } ?? "") + action.text
        switch state {
        case .done: return nil
        case .pending:
            let tried = table.triedText(self, zoneSeconds: zoneSeconds())
            return "[\(what) \(tried ?? "…")]"
        case .failed(let reason): return "[\(what) failed: \(reason)]"
        }
    }
}

extension RowFace {
    /// The badge, and what stands out.
    fileprivate var remarks: [String] {
        (badge.map { ["(\($0))"] } ?? []) + emphasised.map { "[! \($0.text)]" }
            + (row == nil ? [] : ["[!]"])
    }
}

extension Row {
    /// The selected parts of it.
    fileprivate var chosen: [String] {
        guard let selection else { return [] }
        return ["[selected\(selection.item.map { " \($0.text)" } ?? "")]"]
    }

    /// The claim on it, in words.
    fileprivate var claimed: [String] {
        guard let claim else { return [] }
        return ["[\(claim.holder.text)\(claim.note.isEmpty ? "" : ": \(claim.note)")]"]
    }

    /// Until when it sleeps, in words.
    fileprivate var asleep: [String] {
        let clock = RowFace.Clock(nowMs: wallClockMs(), zoneSeconds: zoneSeconds())
        return sleep.map { ["[\($0.text(clock))]"] } ?? []
    }

    /// The items of a strip, from the one that it is scrolled to; what is scrolled out is counted.
    fileprivate var strip: [String] {
        let items = content.items
        if items.isEmpty { return [] }
        let first = scroll.flatMap { content.index(of: $0.item) } ?? 0
        let shown = items[first...].map { $0.title.isEmpty ? $0.id.text : $0.title }
        return [(first > 0 ? "‹\(first) " : "") + "| " + shown.joined(separator: " | ") + " |"]
    }
}
