import Foundation
import TableFiles
import TableModel
import TableTerminal
import Testing

/// Tables for the tests.
enum Tables {
    static let nowMs: UInt64 = 1_000_000_000

    static func kitchen(more: String = "", table: String = "") throws -> Table {
        let kinds = try KindsFile.parse(
            """
            kinds:
              ticket:
                height: 60
                states: [collapsed, {name: summary, height: 100}, expanded]
                ages: {warn: 300, late: 600}
                leading: {actions: [{id: recall, title: Recall, effect: {set: {state: open}}}]}
                trailing:
                  fullSwipe: true
                  actions:
                    - id: bump
                      title: Bump
                      background: "#237a4b"
                      effect: [{set: {state: done}}, {move: {section: pass, bottom: true}}]
                    - {id: page, title: Page, effect: {invoke: {deadline: 30}}}
                    - {id: void, title: Void, role: destructive, confirm: true, effect: {remove: true}}
              notice: {height: 40, states: [collapsed], canMove: false, canDelete: false, pinned: true}
              courses: {height: 60, states: [collapsed], strip: true, tap: {set: {fired: "yes"}}}
            \(more)
            \(table.isEmpty ? "" : "table: \(table)")
            """, name: "kinds.yaml")
        var settings = Settings()
        if let given = kinds.settings { settings = given }
        let table = Table(
            restoring: "board", history: ID128(high: 1, low: 2), revision: 7,
            kinds: [Kind(.plainKind)] + kinds.kinds, settings: settings)
        func add(_ section: SectionID, _ title: String, _ rows: [Row]) throws {
            try table.appendSection(section, title: title)
            for row in rows { try table.appendRow(row, to: section) }
        }
        try add(
            "grill", "Grill",
            [
                row("t1", "2 × ribeye, 1 × burger", age: 60),
                row("t2", "1 × salmon, no butter", age: 400),
                row("t3", "3 × lamb skewers 羊肉串", age: 4_000),
            ])
        try add("fry", "", [row("t4", "3 × fries 🍟, 1 × onion rings", age: 0)])
        try add("pass", "The pass", [])
        return table
    }

    static func row(
        _ id: RowID, _ title: String, kind: KindID = "ticket", age: UInt64 = 0,
        fields: [Row.Field] = [Row.Field("order", "1041"), Row.Field("table", "12")],
        items: [Item] = [], expansion: Expansion = .collapsed
    ) -> Row {
        Row(
            id: id, content: .init(kind: kind, title: title, fields: fields, items: items),
            createdMs: nowMs - age * 1_000, expansion: expansion)
    }

    /// Rows of this many lines each, or with nil of 1 to 12, in three sections and an empty one.
    /// They have swipe actions, and one is a strip.
    static func ofLines(_ lines: Int?) throws -> Table {
        let actions =
            "{id: bump, title: Bump}, {id: void, title: Void, confirm: true, effect: {remove: true}}"
        let kinds = try KindsFile.parse(
            "kinds:\n"
                + (1...12).map {
                    """
                      lines\($0):
                        height: \($0 * 20)
                        editingStyle: \($0 % 3 == 0 ? "insert" : "delete")
                        states: [collapsed, {name: more, height: \($0 * 20 + 40)}, expanded]
                        leading: {actions: [\(actions)]}
                        trailing: {fullSwipe: true, actions: [\(actions)]}

                    """
                }.joined() + "  items: {height: 60, strip: true, states: [collapsed]}\n",
            name: "kinds.yaml")
        let table = Table(
            restoring: "board", history: ID128(high: 1, low: 2), revision: 7,
            kinds: [Kind(.plainKind)] + kinds.kinds, settings: Settings())
        for (at, section) in ["a", "b", "c", "empty"].enumerated() {
            try table.appendSection(ID(section), title: "")
            if section == "empty" { continue }
            for number in 0..<8 {
                let kind = KindID("lines\(lines ?? (at * 8 + number) % 12 + 1)")
                try table.appendRow(
                    row(ID("r\(at * 8 + number)"), "Row \(number) of \(section)", kind: kind),
                    to: ID(section))
            }
            let items = (1...12).map { Item(ID("c\($0)"), title: "Course \($0)") }
            try table.appendRow(
                row(ID("s\(at)"), "Strip", kind: "items", items: items), to: ID(section))
        }
        return table
    }

    static func many(_ count: Int) throws -> Table {
        let table = Table(
            restoring: "board", history: ID128(high: 1, low: 2), revision: 7,
            kinds: [Kind(.plainKind)], settings: Settings())
        try table.appendSection("main", title: "")
        for number in 0..<count {
            try table.appendRow(
                Row(id: ID("r\(number)"), content: .init(title: "Row \(number)")), to: "main")
        }
        return table
    }
}

/// Compares the screen with a file of `Golden`. `REWRITE=1` writes the file: look at it before you
/// commit.
func expectScreen(_ stage: Stage, _ name: String) throws {
    let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Golden/\(name).txt")
    let found = stage.screen
    if ProcessInfo.processInfo.environment["REWRITE"] == "1" {
        try found.write(to: url, atomically: true, encoding: .utf8)
        return
    }
    let expected = try String(contentsOf: url, encoding: .utf8)
    #expect(expected == found, "\(name): expected\n\(expected)found\n\(found)")
}
