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
            are named as in predicates: section, state, field.NAME. `trestle help wait` explains \
            predicates.

              trestle count board --where 'title ~ "fries"'
              trestle count board --where 'field.qty > 2 and section != "pass"'
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
        var query = try choice.query()
        (query.by, query.sum) = (self.by, self.sum)
        let finding = try connection.find(query, in: table)
        let (table, epoch, found) = (finding.table, finding.epoch, finding.found)
        let total = Found.Group(nil, rows: found.count, sum: found.sum)
        // Groups of the same size are in the order of their values; that without a value is the last of them.
        let ordered = found.groups.map { (key: $0.value?.key, count: $0) }.sorted { a, b in
            if a.count.rows != b.count.rows { return a.count.rows > b.count.rows }
            guard let left = a.key, let right = b.key else { return a.key != nil }
            return left < right
        }
        let isSummed = sum != nil
        let parts = ordered.map { $0.count.pairs }
        try connection.show(
            Report(
                json: {
                    var pairs = total.pairs
                    if by != nil { pairs.append(("groups", .list(parts.map(Draft.mapping)))) }
                    return Documents.reply(Reply(about: table, epoch: epoch), adding: pairs)
                },
                ndjson: {
                    (by == nil ? [total.pairs] : parts).map { Draft.mapping($0).json }
                },
                names: { [] },
                lines: { _ in
                    let headings = ["rows"] + (sum.map { ["sum of \($0.name)"] } ?? [])
                    guard let by else {
                        // A script takes the number as it is.
                        var columns = Columns(isSummed ? headings : [], numbers: [0, 1])
                        columns.append(total.cells)
                        return columns.lines
                    }
                    var columns = Columns([by.name] + headings, numbers: [1, 2])
                    for (value, count) in ordered {
                        columns.append([value?.text ?? "(none)"] + count.cells)
                    }
                    columns.append(["all"] + total.cells)
                    return columns.lines
                }))
    }
}

extension Found.Group {
    /// Prices are decimal, and their sum is to be as well: 0.3 and not 0.30000000000000004.
    private var rounded: Double? {
        sum.map { abs($0) < 1_000_000 ? ($0 * 1_000_000_000).rounded() / 1_000_000_000 : $0 }
    }

    fileprivate var pairs: Documents.Pairs {
        (value.map { [("value", $0.draft)] } ?? []) + [("rows", .integer(UInt64(rows)))]
            + (rounded.map { [("sum", .number($0))] } ?? [])
    }

    fileprivate var cells: [String] {
        ["\(rows)"] + (rounded.map { [Draft.number($0).json] } ?? [])
    }
}

extension Found.Group.Value {
    fileprivate var draft: Draft {
        switch self {
        case .text(let text): return .text(text)
        case .number(let number): return .number(number)
        case .flag(let flag): return .flag(flag)
        }
    }

    /// By its words.
    fileprivate var key: ID {
        if case .text(let text) = self { ID(text) } else { ID(draft.json) }
    }
}
