import StrictYAML
import TableFiles
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

/// The keys of a kinds file, with their values.
enum KeyList {
    static var report: Report {
        Report(
            json: { Draft.mapping([("keys", .list(KindsFile.keys.map(draft)))]).json },
            ndjson: { KindsFile.keys.map { draft($0).json } }, names: { KindsFile.keys.map(\.key) },
            lines: { _ in
                var columns = Columns(["KEY", "VALUES"])
                for (key, values) in KindsFile.keys { columns.append([key, values]) }
                return columns.lines
            })
    }

    private static func draft(_ key: (key: String, values: String)) -> Draft {
        .mapping([("key", .text(key.key)), ("values", .text(key.values))])
    }
}
