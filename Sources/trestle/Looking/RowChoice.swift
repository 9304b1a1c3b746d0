import ArgumentParser
import StrictYAML
import TableClient
import TableModel
import TablePredicate
import TableSync

/// The rows of a table that a verb is about.
struct RowChoiceOptions: ParsableArguments {
    @Option(
        name: .customLong("where"), help: .value("predicate", "Only rows for which this is true."))
    var condition: String?
    @Option(
        help: .value("section", "Only rows in this section; may be repeated."),
        completion: Live.sections)
    var section: [String] = []

    var isEmpty: Bool { condition == nil && section.isEmpty }

    func query() throws -> Query {
        var query = Query()
        if let condition { _ = try Self.parsed(condition, "--where", RowPredicate.init) }
        query.condition = condition
        query.sections = section.map { ID($0) }
        return query
    }

    /// Has a fault shown with its place.
    static func parsed<Value>(
        _ text: String, _ option: String, _ parse: (String) throws(PredicateFault) -> Value
    ) throws(Failure) -> Value {
        do throws(PredicateFault) {
            return try parse(text)
        } catch { throw Failure(error, in: text, of: option) }
    }
}

/// The rows that `show` prints, and what it prints of them.
struct RowListOptions: ParsableArguments {
    @OptionGroup var choice: RowChoiceOptions
    @Option(
        help: .value(
            "keys", "Order by these properties, as in section,-field.qty; - turns one round."),
        completion: Live.properties)
    var sort: String?
    @Option(
        help: .value("names", "Print these properties, as in id,title,field.qty."),
        completion: Live.properties)
    var columns: String?
    @Option(help: .value("rows", "Print at most this many rows."))
    var limit: Int?

    var isEmpty: Bool { choice.isEmpty && sort == nil && columns == nil && limit == nil }

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit takes a number from 1.") }
    }

    /// The question, and the rows that an answer to it comes to.
    func list() throws -> (query: Query, list: (Finding) -> RowList) {
        var query = try choice.query()
        if let sort { _ = try RowChoiceOptions.parsed(sort, "--sort", RowKey.list) }
        (query.sort, query.most) = (sort, limit ?? .max)
        let columns = try columns.map { columns in
            try RowChoiceOptions.parsed(columns, "--columns", RowColumn.list)
        }
        return (
            query,
            { finding in
                RowList(
                    table: finding.table, found: finding.found.count, rows: finding.rows,
                    columns: columns, clock: .here)
            }
        )
    }
}

/// Rows that were asked for, in their order.
struct RowList {
    let table: Table
    /// How many rows fit.
    let found: Int
    /// The first of them.
    let rows: [PlacedRow]
    /// Nil: all of each row.
    let columns: [RowColumn]?
    let clock: PredicateClock

    /// Each row as a JSON object. A property that a row does not have is left out.
    var documents: [String] {
        guard let columns else { return rows.map(Documents.row) }
        return rows.map { row in
            Draft.mapping(
                columns.compactMap { column in
                    column.value(of: row, in: table, at: clock).draft.map { (column.name, $0) }
                }
            ).json
        }
    }

    func lines(isWide: Bool) -> [TextLine] {
        let heading =
            "\(table.name.text)  revision \(table.revision)  "
            + (rows.count < found ? "\(rows.count) of " : "") + found.of("row")
        let width = isWide ? nil : Output.size?.columns
        guard let columns else {
            return TableText.lines(
                of: rows, in: table, heading: heading, isWide: isWide, width: width)
        }
        var lines = Columns(columns.map(\.name))
        for row in rows {
            lines.append(
                columns.map { column in
                    let value = column.value(of: row, in: table, at: clock)
                    return column.isAge ? value.age : value.text ?? ""
                })
        }
        return lines.lines(in: width, yielding: Array(columns.indices.reversed()))
    }
}

extension PredicateClock {
    /// This machine's clock: a snapshot does not say the daemon's time.
    static var here: PredicateClock {
        PredicateClock(nowMs: wallClockMs(), zoneSeconds: TableClient.zoneSeconds())
    }
}

extension Follower {
    /// The daemon's time, and the time zone of this machine.
    var clock: PredicateClock {
        PredicateClock(nowMs: daemonMs, zoneSeconds: TableClient.zoneSeconds())
    }
}

extension PredicateValue {
    /// Nil: the value is missing.
    var draft: Draft? {
        switch self {
        case .none: return nil
        case .text(let text): return .text(text)
        case .number(let number), .time(let number, _): return .number(number)
        case .flag(let flag): return .flag(flag)
        }
    }

    /// A number of seconds, in the words that rows have for ages.
    fileprivate var age: String {
        number.flatMap { UInt64(exactly: $0) }.map { Age.text(seconds: $0) } ?? ""
    }
}

extension Documents {
    /// A row, with its section and index.
    static func row(_ placed: PlacedRow) -> String { row(placed.row, placed.section, placed.index) }
}

extension Reply {
    /// The answer to a question that was asked of a snapshot.
    init(about table: Table, epoch: ID128) {
        self.init(
            table: table.name, history: table.history, epoch: epoch, revision: table.revision,
            .done(rows: [], unchanged: true))
    }
}
