import ArgumentParser
import StrictYAML
import TableClient
import TableModel
import TablePredicate
import TableSync

struct CountVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "count", abstract: "Count rows, and add up their numbers.",
        discussion: """
            With --by it counts the rows of each value apart, most rows first. With --sum it also \
            adds up a property; a row where that is missing or no number adds nothing. Properties \
            are named as in predicates: section, state, field.NAME.

              trestle count board --where 'field.qty > 2'
              trestle count board --by field.item --sum field.qty
            """)

    static var forms: [OutputForm] { [.table, .json, .ndjson] }

    @Argument(help: "The table.", completion: Live.tables) var table: String
    @OptionGroup var choice: RowChoiceOptions
    @Option(
        help: .value("property", "Count the rows of each value apart."),
        completion: Live.properties)
    var by: String?
    @Option(
        help: .value("property", "Add up the numbers of this property."),
        completion: Live.properties)
    var sum: String?
    @OptionGroup var options: Options

    func carryOut(_ connection: Connection) throws {
        let by = try by.map { try RowChoiceOptions.parsed($0, "--by", RowColumn.init) }
        let sum = try sum.map { try RowChoiceOptions.parsed($0, "--sum", RowColumn.init) }
        let (table, epoch) = try connection.table(table)
        let clock = PredicateClock.here
        let rows = try choice.query(of: table).rows(of: table, at: clock)
        var total = Count(value: nil)
        var groups: [ID?: Count] = [:]
        for row in rows {
            let number = sum?.value(of: row, in: table, at: clock).number
            total.add(number)
            guard let by else { continue }
            let value = by.value(of: row, in: table, at: clock)
            groups[value.text.map { ID($0) }, default: Count(value: value.draft)].add(number)
        }
        // Groups of the same size are in the order of their values; that without a value is the last of them.
        let ordered = groups.sorted { a, b in
            if a.value.rows != b.value.rows { return a.value.rows > b.value.rows }
            guard let left = a.key, let right = b.key else { return a.key != nil }
            return left < right
        }
        let isSummed = sum != nil
        let parts = ordered.map { $0.value.pairs(isSummed) }
        try connection.show(
            Report(
                json: { [total] in
                    var pairs = total.pairs(isSummed)
                    if by != nil { pairs.append(("groups", .list(parts.map(Draft.mapping)))) }
                    return Documents.reply(Reply(about: table, epoch: epoch), adding: pairs)
                },
                ndjson: { [total] in
                    (by == nil ? [total.pairs(isSummed)] : parts).map { Draft.mapping($0).json }
                },
                names: { [] },
                lines: { [total] _ in
                    let headings = ["rows"] + (sum.map { ["sum of \($0.name)"] } ?? [])
                    guard let by else {
                        // A script takes the number as it is.
                        var columns = Columns(isSummed ? headings : [], numbers: [0, 1])
                        columns.append(total.cells(isSummed))
                        return columns.lines
                    }
                    var columns = Columns([by.name] + headings, numbers: [1, 2])
                    for (value, count) in ordered {
                        columns.append([value?.text ?? "(none)"] + count.cells(isSummed))
                    }
                    columns.append(["all"] + total.cells(isSummed))
                    return columns.lines
                }))
    }
}

/// How many rows there are, and the sum of their numbers.
private struct Count {
    /// The value that these rows have in common.
    let value: Draft?
    private(set) var rows = 0
    private var sum = 0.0

    init(value: Draft?) { self.value = value }

    mutating func add(_ number: Double?) {
        rows += 1
        sum += number ?? 0
    }

    /// Prices are decimal, and their sum is to be as well: 0.3 and not 0.30000000000000004.
    private var rounded: Double {
        abs(sum) < 1_000_000 ? (sum * 1_000_000_000).rounded() / 1_000_000_000 : sum
    }

    func pairs(_ isSummed: Bool) -> Documents.Pairs {
        (value.map { [("value", $0)] } ?? []) + [("rows", .integer(UInt64(rows)))]
            + (isSummed ? [("sum", .number(rounded))] : [])
    }

    func cells(_ isSummed: Bool) -> [String] {
        ["\(rows)"] + (isSummed ? [Draft.number(rounded).json] : [])
    }
}
