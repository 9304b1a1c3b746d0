import StrictYAML
import TableModel

/// The icons that a definition may name (F4).
enum IconList {
    static var report: Report {
        Report(
            json: {
                Draft.mapping([
                    ("icons", .list(IconName.all.map(draft))),
                    ("suffixes", .list(IconName.suffixes.map(Draft.text))),
                ]).json
            },
            ndjson: { IconName.all.map { draft($0).json } },
            names: { IconName.all },
            lines: { _ in lines })
    }

    private static func draft(_ icon: String) -> Draft {
        .mapping([
            ("name", .text(icon)), ("also", .list(IconName.others(of: icon).map(Draft.text))),
        ])
    }

    private static var lines: [TextLine] {
        var columns = Columns(["ICON", "ALSO"])
        for icon in IconName.all {
            columns.append([icon, IconName.others(of: icon).joined(separator: ", ")])
        }
        columns.append(
            line: "each also with \(IconName.suffixes.map { ".\($0)" }.joined(separator: ", "))",
            .faint)
        return columns.lines
    }
}
