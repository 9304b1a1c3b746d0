import TableLayout
import TableModel
import TablePredicate

/// Draws one row, from 0 to its width and height. If it is swiped open, its content is moved aside
/// and its buttons are drawn.
struct RowDrawing {
    let table: Table
    let row: Row
    let kind: Kind
    let section: SectionID
    let width: Double
    let height: Double
    let groups: Groups
    /// Its present; nil: ages are not marked.
    var clock = RowFace.Clock()
    /// The part of its rest to which an open row is revealed.
    var revealed = 1.0

    private static let markPoints = 4.0

    func draw(into canvas: inout Canvas) {
        var content = RowContent(
            row: row, kind: kind,
            face: RowFace(
                row.content, row.expansion, kind: kind, clock: clock,
                count: { groups.count($0, of: row.id) }), isEditing: table.isEditing, width: width,
            height: height, titles: titles, sleep: row.sleep?.text(clock))
        guard let swipe else {
            drawContent(content, &canvas)
            return markAge(&canvas)
        }
        let pull = min(swipe.pullPoints, width)
        let gap = gap(beside: swipe, at: min(revealed, 1))
        let all = Rect(x: 0, y: 0, width: width, height: height)
        let isLeading = swipe.edge == .leading
        canvas.rect(all, .ink(.backdrop))
        if let color = background {
            let x = isLeading ? 0 : max(0, width - pull - gap)
            canvas.rect(
                Rect(x: x, y: 0, width: min(width, pull + gap), height: height),
                Paint(color, or: .ink(.backdrop)))
        }
        canvas.group(x: isLeading ? 0 : width - pull) { canvas in
            for (index, button) in swipe.buttons.enumerated() {
                ButtonDrawing(button: button, index: index, rowHeight: height).draw(into: &canvas)
            }
        }
        // On a screen the content slides out with its title, which the person who swiped has read.
        // In a picture the content gets narrower, so that its title stays.
        content.width = max(0, width - pull - gap)
        content.isAside = true
        let left = Rect(x: 0, y: 0, width: content.width, height: height)
        canvas.group(x: isLeading ? pull + gap : 0, clip: left) { canvas in
            drawContent(content, &canvas)
            markAge(&canvas)
        }
    }

    /// A row that sleeps is dimmed, but nothing that stands out.
    private func drawContent(_ content: RowContent, _ canvas: inout Canvas) {
        if row.sleep == nil || content.face.row != nil { return content.draw(into: &canvas) }
        canvas.rect(Rect(x: 0, y: 0, width: content.width, height: height), .ink(.paper))
        canvas.pale(opacity: Self.asleepOpacity) { content.draw(into: &$0) }
    }

    private static let asleepOpacity = 0.5

    /// Gap between the content and the button beside it: the buttons' spacing, and beside a circle
    /// at least `leastGapPoints`. The buttons' own frames have no gap there (A13). On its way to rest,
    /// at a part of it from 0 to 1, it grows: a row that is closed covers all.
    private func gap(beside swipe: SwipeGeometry, at part: Double = 1) -> Double {
        guard let button = swipe.buttons.last else { return 0 }
        let isCircle = button.look.style == .circular
        let wanted = max(button.look.spacingPoints, isCircle ? Self.leastGapPoints : 0) * part
        let face = button.face
        let found = swipe.edge == .leading ? swipe.pullPoints - face.maxX : face.x
        return min(max(0, wanted - max(0, found)), Self.mostGapPoints, width / 8)
    }

    private static let leastGapPoints = 8.0
    private static let mostGapPoints = 24.0
    /// The buttons leave this width to the beginning of the title; less in a narrow row.
    private var keptPoints: Double { min(104, width * 0.35) }

    /// Draws a bar at the leading edge of a row that is older than its kind's ages.
    private func markAge(_ canvas: inout Canvas) {
        guard let nowMs = clock.nowMs,
            let age = Age(of: row, kind: kind, in: section, nowMs: nowMs), age.stage != .fresh
        else { return }
        let bar = Rect(x: 0, y: 0, width: min(Self.markPoints, width), height: height)
        canvas.rect(bar, .ink(age.stage == .late ? .danger : .pending))
    }

    /// The buttons; nil: the row is closed, or has no actions at that edge.
    private var swipe: SwipeGeometry? {
        guard let edge = row.swipe,
            let group = table.shownActions(of: row, at: edge, nowMs: clock.nowMs)
        else { return nil }
        func geometry(_ pull: Double?) -> SwipeGeometry {
            SwipeGeometry(
                group, edge: edge, rowHeight: height, pullWidth: pull, containerWidth: width,
                tableLook: table.settings.look)
        }
        let rest = geometry(nil)
        // Buttons that need more room share what there is, as in a row that is less far open.
        let room = width - keptPoints
        let most = max(0, room - gap(beside: geometry(min(rest.restPoints, room))))
        if revealed < 1 { return geometry(min(rest.restPoints, most) * revealed) }
        return rest.restPoints > most ? geometry(most) : rest
    }

    /// The colour behind the buttons (F8).
    private var background: String? {
        row.swipe.flatMap { table.actions(of: row, at: $0)?.background }
    }

    /// Titles of the row's actions, for the pills.
    private var titles: [Deed: String] {
        var titles: [Deed: String] = [:]
        for edge in Edge.allCases {
            for action in table.actions(of: row, at: edge)?.actions ?? []
            where !action.title.isEmpty && titles[Deed(action.id)] == nil {
                titles[Deed(action.id)] = action.title
            }
        }
        for performance in row.performed where performance.item != nil {
            titles[performance.deed] = table.title(of: performance.deed, on: row)
        }
        return titles
    }
}
