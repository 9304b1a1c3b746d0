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
        var content = RowContent(
            row: row, kind: kind, isEditing: table.isEditing, width: width, height: height,
            titles: titles)
        guard let swipe else {
            content.draw(into: &canvas)
            return markAge(&canvas)
        }
        let pull = min(swipe.pullPoints, width)
        let gap = gap(beside: swipe)
        let all = Rect(x: 0, y: 0, width: width, height: height)
        let isLeading = swipe.edge == .leading
        canvas.rect(all, .ink(.backdrop))
        canvas.group(x: isLeading ? 0 : width - pull) { canvas in
            for (index, button) in swipe.buttons.enumerated() {
                ButtonDrawing(button: button, index: index, rowHeight: height).draw(into: &canvas)
            }
        }
        // On a screen the content slides, and its title leaves at the edge: whoever swiped it
        // knows what it says. In a picture it makes room, and its title still begins where it did.
        content.width = max(0, width - pull - gap)
        content.isAside = true
        let left = Rect(x: 0, y: 0, width: content.width, height: height)
        canvas.group(x: isLeading ? pull + gap : 0, clip: left) { canvas in
            content.draw(into: &canvas)
            markAge(&canvas)
        }
    }

    /// Between the content and the button beside it: as much as between two buttons, and between
    /// a circle and the content always something. The buttons' own frames have none there (A13).
    private func gap(beside swipe: SwipeGeometry) -> Double {
        guard let button = swipe.buttons.last else { return 0 }
        let isCircle = button.look.style == .circular
        let wanted = max(button.look.spacingPoints, isCircle ? Self.leastGapPoints : 0)
        let face = button.face
        let found = swipe.edge == .leading ? swipe.pullPoints - face.maxX : face.x
        return min(max(0, wanted - max(0, found)), Self.mostGapPoints, width / 8)
    }

    private static let leastGapPoints = 8.0
    private static let mostGapPoints = 24.0
    /// Buttons leave so much to the content, for its title's beginning: in a narrow row a part.
    private var keptPoints: Double { min(104, width * 0.35) }

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
        // Buttons that need more than there is share it, as in a row that is less far open.
        let most = max(0, width - keptPoints - gap(beside: rest))
        return rest.restPoints > most ? geometry(most) : rest
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
