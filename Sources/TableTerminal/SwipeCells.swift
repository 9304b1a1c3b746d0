import TableLayout
import TableModel

/// The actions at an edge of a row, in columns. Order and widths are those of `SwipeGeometry`. But
/// a terminal shows text only (A5), so a button gets up to 18 columns if its title needs them.
struct SwipeCells: Equatable {
    struct Button: Equatable {
        let action: Action
        let title: String
        /// Column in the row.
        let x: Int
        let width: Int
    }

    let edge: Edge
    /// Columns that the buttons take at rest.
    let rest: Int
    /// Columns by which the row is open.
    let pull: Int
    let buttons: [Button]
    /// The pull from which on a full swipe performs the first action; nil: it is not allowed.
    let fullAt: Int?
    /// The parts of the actions that this screen does not show (A5).
    let lost: [String]

    /// Room for a title, a digit before it and a blank at each side.
    private static let mostButtonColumns = 18
    /// Columns of the row that stay visible at rest.
    private static let leastRowColumns = 6

    /// Nil: there are no actions at this edge. `pull` nil: the row is at rest.
    init?(
        _ row: Row, _ table: Table, _ edge: Edge, pull: Int? = nil, width: Int, nowMs: UInt64? = nil
    ) {
        guard let group = table.shownActions(of: row, at: edge, nowMs: nowMs),
            !group.actions.isEmpty
        else { return nil }
        let geometry = SwipeGeometry(
            group, edge: edge, rowHeight: 60, containerWidth: Double(width) * 10,
            tableLook: table.settings.look, metrics: .cell)
        let shown = geometry.buttons.map { Projection($0, for: .text, metrics: .cell) }
        let titles = shown.map(\.title)
        let all = Set(shown.flatMap(\.degraded))
        // Widths and spacings are not lost: they are cells here.
        lost =
            [Projection.Loss.icon, .face].filter(all.contains).map(\.rawValue)
            + (geometry.gapPoints > 0 ? ["gap"] : [])
        var widths = zip(geometry.buttons, titles).map { button, title in
            let fitting = min(title.shownColumns + 4, Self.mostButtonColumns)
            return max(Int((button.hit.width / 10).rounded()), fitting)
        }
        let room = max(1, width - Self.leastRowColumns)
        let sum = widths.reduce(0, +)
        if sum > room { widths = widths.map { max(1, $0 * room / sum) } }
        let rest = min(widths.reduce(0, +), room)
        let pull = min(max(0, pull ?? rest), width)
        let full = max(rest + 8, width * 6 / 10)
        let isFull = group.hasFullSwipe && pull >= full && full < width
        var buttons: [Button] = []
        var (sum2, from) = (0, 0)
        for (index, button) in geometry.buttons.enumerated() {
            sum2 += widths[index]
            // Shares of the pull, from the running sum. In a full swipe the first button has all.
            let share = pull == rest ? sum2 : pull * sum2 / max(1, widths.reduce(0, +))
            let to = isFull ? pull : min(share, pull)
            let x = edge == .leading ? from : width - to
            buttons.append(
                Button(action: button.action, title: titles[index], x: x, width: to - from))
            from = to
        }
        self.edge = edge
        self.rest = rest
        self.pull = pull
        self.buttons = buttons
        fullAt = group.hasFullSwipe && full < width ? full : nil
    }

    var isFull: Bool { fullAt.map { pull >= $0 } ?? false }
}

/// The items of a strip, in columns.
struct StripCells: Equatable {
    struct Item: Equatable {
        let id: ID
        let text: ItemText
        /// Column in the row; may be outside the window.
        let x: Int
        let width: Int

        var title: String { text.title }
    }

    let items: [Item]
    /// Columns of the row where the strip is visible.
    let window: Range<Int>
    let offset: Int
    let mostOffset: Int
    private let geometry: StripGeometry

    init(_ row: Row, _ kind: Kind?, scroll: Scroll?, offset: Int? = nil, margin: Int, width: Int) {
        geometry = StripGeometry(row.content, kind: kind, scroll: scroll, metrics: .cell)
        window = min(margin, width)..<max(min(margin, width), width - margin)
        let content = Int((geometry.contentWidthPoints / 10).rounded(.up))
        mostOffset = max(0, content - window.count)
        let wanted = offset ?? Int((geometry.offsetPoints / 10).rounded())
        let shown = min(max(0, wanted), mostOffset)
        self.offset = shown
        let left = window.lowerBound - shown
        items = zip(row.content.items, geometry.items).map { item, frame in
            let x = Int((frame.x / 10).rounded())
            let end = Int(((frame.x + frame.widthPoints) / 10).rounded())
            return Item(
                id: item.id, text: ItemText(item, kind: kind?.itemKind(of: item)), x: left + x,
                width: max(1, end - x))
        }
    }

    private var visiblePoints: Double { Double(window.count) * 10 }

    /// Where the strip comes to rest that was let go at an offset, both in columns.
    func rest(at offset: Int) -> Int {
        columns(geometry.restPoints(at: Double(offset) * 10, visibleWidthPoints: visiblePoints))
    }

    /// The offset a page further, or back, in columns.
    func turned(isForward: Bool) -> Int {
        // A strip stands at whole columns: up to half of one beside the item that it rests at.
        let slack = geometry.page == .item ? 5.0 : 0
        return columns(
            geometry.turnedPoints(
                from: Double(offset) * 10 + (isForward ? slack : -slack), isForward: isForward,
                visibleWidthPoints: visiblePoints))
    }

    private func columns(_ points: Double) -> Int {
        min(max(0, Int((points / 10).rounded())), mostOffset)
    }

    /// The scroll position for an offset in columns; nil: the strip has no items.
    func scroll(at offset: Int) -> Scroll? {
        geometry.scroll(at: Double(min(max(0, offset), mostOffset)) * 10)
    }
}
