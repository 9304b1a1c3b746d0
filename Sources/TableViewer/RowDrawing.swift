import TableLayout
import TableModel

/// One row, from 0 to its width and height: its content, slid aside where it is swiped open, and
/// the actions that it uncovers.
struct RowDrawing {
    let table: Table
    let row: Row
    let kind: Kind
    let width: Double
    let height: Double
    /// Nil: ages are not marked.
    var nowMs: UInt64?

    private static let markPoints = 4.0

    func draw(into canvas: inout Canvas) {
        let content = RowContent(
            row: row, kind: kind, isEditing: table.isEditing, width: width, height: height,
            titles: titles)
        guard let swipe else {
            content.draw(into: &canvas)
            return markAge(&canvas)
        }
        let pull = min(swipe.pullPoints, width)
        let all = Rect(x: 0, y: 0, width: width, height: height)
        let isLeading = swipe.edge == .leading
        canvas.rect(all, .ink(.backdrop))
        canvas.group(x: isLeading ? 0 : width - pull) { canvas in
            for (index, button) in swipe.buttons.enumerated() {
                ButtonDrawing(button: button, index: index, rowHeight: height).draw(into: &canvas)
            }
        }
        // The content keeps its width and slides; what leaves the row is cut off there.
        let seen = Rect(
            x: isLeading ? pull : 0, y: 0, width: max(0, width - pull), height: height)
        canvas.group(clip: seen) { canvas in
            canvas.group(x: isLeading ? pull : -pull) { canvas in
                content.draw(into: &canvas)
                markAge(&canvas)
            }
        }
    }

    /// A bar at the leading edge of a row that has waited for long, where its kind says so.
    private func markAge(_ canvas: inout Canvas) {
        guard let nowMs, let age = Age(of: row, kind: kind, nowMs: nowMs), age.stage != .fresh
        else { return }
        let bar = Rect(x: 0, y: 0, width: min(Self.markPoints, width), height: height)
        canvas.rect(bar, .ink(age.stage == .late ? .danger : .pending))
    }

    /// Nil: closed, or there is nothing behind that edge.
    private var swipe: SwipeGeometry? {
        guard let edge = row.swipe, let group = table.actions(of: row, at: edge) else { return nil }
        func geometry(_ pull: Double?) -> SwipeGeometry {
            SwipeGeometry(
                group, edge: edge, rowHeight: height, pullWidth: pull, containerWidth: width,
                tableLook: table.settings.look)
        }
        let rest = geometry(nil)
        // Buttons that need more than the row share what it has.
        return rest.restPoints > width ? geometry(width) : rest
    }

    /// What the row's actions are called, for those that were performed.
    private var titles: [ID: String] {
        var titles: [ID: String] = [:]
        for edge in Edge.allCases {
            for action in table.actions(of: row, at: edge)?.actions ?? []
            where !action.title.isEmpty && titles[action.id] == nil {
                titles[action.id] = action.title
            }
        }
        return titles
    }
}
