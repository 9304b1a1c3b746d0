public import StrictYAML
public import TableModel

extension PlacedRow {
    /// All rows of a table in order.
    public static func all(of table: Table) -> [PlacedRow] {
        table.sections.flatMap { section in
            section.runs().joined().enumerated().map { index, row in
                PlacedRow(row, section: section.id, index: index)
            }
        }
    }
}

/// Writes rows for `trestle export`. `ImportFile` reads the same rows back.
///
/// JSON has everything of a row: an import (`ImportPlan`) into a table without these rows makes
/// them again. CSV and Markdown have only texts and places.
public enum ExportFile {
    /// The whole file, with a newline at the end. For spreadsheets no cell of a CSV file is a formula.
    public static func write(
        _ rows: [PlacedRow], format: RowFormat, forSpreadsheets: Bool = false
    ) -> String {
        switch format {
        case .ndjson: return rows.map { draft($0).json + "\n" }.joined()
        case .json:
            return "{\"rows\":[" + rows.map { "\n" + draft($0).json }.joined(separator: ",")
                + "\n]}\n"
        case .csv: return csv(rows, forSpreadsheets)
        case .markdown: return markdown(rows)
        }
    }

    /// A table as one JSON document: its kinds and settings, as `define` reads them, its sections
    /// with their titles, also empty ones, and rows.
    public static func json(of table: Table) -> String {
        let sections = table.sections.map { section in
            Draft.mapping([
                ("id", .text(section.id.text)), ("title", .text(section.title)),
                ("rows", .integer(UInt64(section.count))),
            ])
        }
        let kinds = table.kinds.values.sorted { $0.id < $1.id }
        let definitions = KindsFile.draft(kinds: kinds, settings: table.settings)
        return "{\"definitions\":\(definitions.json),\n\"sections\":\(Draft.list(sections).json),"
            + write(PlacedRow.all(of: table), format: .json).dropFirst()
    }

    /// A table as task lists, with the titles of all its sections.
    public static func markdown(of table: Table) -> String {
        table.sections.map { section in
            MarkdownWriter.heading(section.id, title: section.title) + "\n"
                + section.runs().joined().map { MarkdownWriter.item($0) }.joined()
        }.joined(separator: "\n")
    }

    private static func markdown(_ rows: [PlacedRow]) -> String {
        var text = ""
        var section: SectionID?
        for placed in rows {
            if placed.section != section {
                let heading = MarkdownWriter.heading(placed.section, title: placed.section.text)
                text += (section == nil ? "" : "\n") + heading + "\n"
                section = placed.section
            }
            text += MarkdownWriter.item(placed.row)
        }
        return text
    }

    /// A row as every JSON output of `trestle` shows it.
    public static func draft(_ placed: PlacedRow) -> Draft {
        let row = placed.row
        var out = Keys<RowKey>()
        out[.id] = .text(row.id.text)
        out[.kind] = .text(row.content.kind.text)
        out[.section] = .text(placed.section.text)
        out[.index] = .integer(UInt64(placed.index))
        out[.title] = .text(row.content.title)
        out[.fields] = .mapping(row.content.fields.map { ($0.key.text, .text($0.value)) })
        out[.version] = .integer(row.version)
        out[.expand] = .text(row.expansion.text)
        out[.swipe] = row.swipe.map { .text($0.rawValue) } ?? .text("closed")
        out[.createdMs] = .integer(row.createdMs)
        if row.changedMs != 0 { out[.changedMs] = .integer(row.changedMs) }
        if row.movedMs != 0 { out[.movedMs] = .integer(row.movedMs) }
        out[.actions] = row.content.actions.map(KindsFile.draft)
        if !row.performed.isEmpty { out[.performed] = .list(row.performed.map(draft)) }
        out[.scroll] = row.scroll.map(draft)
        out[.claim] = row.claim.map(draft)
        out[.sleep] = row.sleep.map(draft)
        out[.selected] = row.selection.map(draft)
        out[.cameFrom] = row.cameFrom.map { .text($0.text) }
        if !row.content.states.isEmpty { out[.states] = KindsFile.draft(row.content.states) }
        if !row.content.items.isEmpty { out[.items] = .list(row.content.items.map(draft)) }
        return out.draft
    }

    private static func draft(_ item: Item) -> Draft {
        var out = Keys<ItemKey>()
        out[.id] = .text(item.id.text)
        out[.title] = .text(item.title)
        out[.kind] = item.kind.map { .text($0.text) }
        out[.fields] = .mapping(item.fields.map { ($0.key.text, .text($0.value)) })
        if !item.tap.isEmpty { out[.tap] = .list(item.tap.map(KindsFile.draft)) }
        return out.draft
    }

    private static func draft(_ performance: Performance) -> Draft {
        var out = Keys<PerformanceKey>()
        out[.action] = .text(performance.action.text)
        out[.item] = performance.item.map { .text($0.text) }
        out[.state] = .text(performance.state.name)
        switch performance.state {
        case .done: break
        case .failed(let reason): out[.reason] = .text(reason)
        case .pending(let id): out[.invocation] = .text(id.text)
        }
        return out.draft
    }

    private static func draft(_ scroll: Scroll) -> Draft {
        var out = Keys<ScrollKey>()
        out[.item] = .text(scroll.item.text)
        out[.fraction] = .number(scroll.fraction)
        return out.draft
    }

    private static func draft(_ selection: Row.Selection) -> Draft {
        var out = Keys<SelectionKey>()
        out[.item] = selection.item.map { .text($0.text) }
        return out.draft
    }

    private static func draft(_ sleep: Row.Sleep) -> Draft {
        var out = Keys<SleepKey>()
        out[.untilMs] = .integer(sleep.untilMs)
        if sleep.isToTop { out[.top] = .flag(true) }
        return out.draft
    }

    private static func draft(_ claim: Claim) -> Draft {
        var out = Keys<ClaimKey>()
        out[.holder] = .text(claim.holder.text)
        out[.note] = .text(claim.note)
        out[.ttl] = claim.ttlSeconds.map(Draft.number)
        out[.sinceMs] = .integer(claim.sinceMs)
        return out.draft
    }

    // MARK: CSV

    private static func csv(_ rows: [PlacedRow], _ forSpreadsheets: Bool) -> String {
        func line(_ cells: [String?]) -> String {
            cells.map { text in
                text.map { cell(CSVGuard.added(to: $0, always: forSpreadsheets)) } ?? ""
            }.joined(separator: ",") + "\r\n"
        }
        var keys: Set<ID> = []
        for placed in rows { keys.formUnion(placed.row.content.fields.map(\.key)) }
        let columns = keys.sorted()
        var text = line(CSVColumn.known.map(\.name) + columns.map(CSVColumn.header(forField:)))
        for placed in rows {
            let content = placed.row.content
            let values = Dictionary(
                content.fields.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
            text += line(
                [placed.row.id.text, content.kind.text, placed.section.text, content.title]
                    + columns.map { values[$0] })
        }
        return text
    }

    /// Quotes a value if it must. An empty value must be quoted: nothing at all is no value. So must
    /// blanks around a value, and what separates values in other files.
    private static func cell(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case 9, 10, 13, UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\""): return false
            default: return true
            }
        }
        let blank = UInt8(ascii: " ")
        if isPlain, !text.isEmpty, text.utf8.first != blank, text.utf8.last != blank { return text }
        var quoted = "\""
        for scalar in text.unicodeScalars {
            quoted.unicodeScalars.append(scalar)
            if scalar == "\"" { quoted.unicodeScalars.append(scalar) }
        }
        return quoted + "\""
    }
}
