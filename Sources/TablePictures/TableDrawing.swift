import TableLayout
import TableModel
import TablePredicate

/// Draws the whole picture: a heading, the sections, and a line about the rows left out.
struct TableDrawing {
    let table: Table
    let width: Double
    private let mostRows: Int
    private let groups: Groups
    private let clock: RowFace.Clock
    private let revealed: Double
    let blocks: [Block]

    /// A section, with the rows that are drawn.
    struct Block {
        let section: Table.Section
        var rows: ArraySlice<Row>
        var heights: ArraySlice<Double>
        /// The text at the right of the title.
        var count: String

        var height: Double { sectionPoints + heights.reduce(0, +) }
    }

    static let headingPoints = 62.0
    static let sectionPoints = 34.0
    static let footPoints = 14.0
    static let restPoints = 40.0
    static let marginPoints = 16.0
    static let cornerPoints = 12.0

    init(
        _ table: Table, widthPoints: Double, mostRows: Int, clock: RowFace.Clock,
        revealed: Double = 1
    ) {
        self.revealed = revealed
        self.clock = clock
        self.table = table
        groups = Groups(table)
        self.mostRows = mostRows
        width = widthPoints
        var blocks: [Block] = []
        var left = mostRows
        for section in table.sections {
            let rows = Array(section.runs().joined().prefix(left))
            // Sections after the last row that is drawn are left out.
            if rows.isEmpty, left == 0 { break }
            left -= rows.count
            let heights = rows.map { row in
                RowHeights.height(
                    of: row.content, kind: Self.kind(of: row, in: table),
                    expansion: row.expansion, widthPoints: widthPoints, metrics: .point)
            }
            blocks.append(
                Block(
                    section: section, rows: rows[...], heights: heights[...],
                    count: String(section.count)))
        }
        self.blocks = blocks
    }

    private static func kind(of row: Row, in table: Table) -> Kind {
        table.kind(of: row) ?? Kind(row.content.kind)
    }

    var hasRest: Bool { table.count > mostRows || table.count == 0 }

    private var height: Double {
        blocks.reduce(Self.headingPoints + (hasRest ? Self.restPoints : Self.footPoints)) {
            $0 + $1.height
        }
    }

    func draw(into canvas: inout Canvas) {
        let all = Rect(x: 0, y: 0, width: width, height: height)
        let rows = Self.count(table.count, "row")
        canvas.begin(width: width, height: height, label: "\(table.name.text): \(rows)")
        canvas.group(clip: all, radius: Self.cornerPoints) { canvas in
            canvas.rect(all, .ink(.page))
            heading(&canvas)
            var y = Self.headingPoints
            for block in blocks { y = draw(block, from: y, &canvas) }
            if hasRest { canvas.group(y: y) { rest(&$0) } }
        }
        canvas.border(all, radius: Self.cornerPoints - 0.5, .ink(.line))
        canvas.end()
    }

    func heading(_ canvas: inout Canvas) {
        let type = Typeface(sizePoints: 22, weight: 700)
        let room = width - 2 * Self.marginPoints
        let button = Words(table.isEditing ? "Done" : "Edit", .body, room: room / 3)
        if let button {
            canvas.words(
                button, x: width - Self.marginPoints, baseline: 32, anchor: .end, .ink(.accent))
        }
        let nameRoom = room - (button?.width ?? 0) - 12
        if let name = Words(table.name.text, type, room: nameRoom) {
            canvas.words(name, x: Self.marginPoints, baseline: 33, .ink(.title))
        }
        let sections = Self.count(table.sections.count, "section")
        let summary =
            "\(Self.count(table.count, "row")) in \(sections) · revision \(table.revision)"
        if let summary = Words(summary, .detail, room: room) {
            canvas.words(summary, x: Self.marginPoints, baseline: 53, .ink(.detail))
        }
    }

    private func title(of block: Block, _ canvas: inout Canvas) {
        let baseline = Self.sectionPoints - 10
        let room = width - 2 * Self.marginPoints
        let count = Words(block.count, .detail, room: room / 3)
        if let count {
            canvas.words(
                count, x: width - Self.marginPoints, baseline: baseline, anchor: .end,
                .ink(.detail))
        }
        if let title = Words(
            block.section.shownTitle, .section, room: room - (count?.width ?? 0) - 12)
        {
            canvas.words(title, x: Self.marginPoints, baseline: baseline, .ink(.detail))
        }
    }

    /// Draws a section's title and rows; returns their bottom.
    func draw(_ block: Block, from start: Double, _ canvas: inout Canvas) -> Double {
        canvas.group(y: start) { title(of: block, &$0) }
        let top = start + Self.sectionPoints
        var y = top
        // A ground behind all rows: in a scaled picture, nothing shines through between two.
        let rows = Rect(x: 0, y: top, width: width, height: block.height - Self.sectionPoints)
        if !block.rows.isEmpty { canvas.rect(rows, .ink(.paper)) }
        for (row, height) in zip(block.rows, block.heights) {
            let drawing = RowDrawing(
                table: table, row: row, kind: Self.kind(of: row, in: table),
                section: block.section.id, width: width, height: height, groups: groups,
                clock: clock, revealed: revealed)
            let frame = Rect(x: 0, y: 0, width: width, height: height)
            canvas.group(y: y, clip: frame) { drawing.draw(into: &$0) }
            y += height
        }
        // The lines between the rows, above the first and below the last, over the rows.
        var line = top
        for (index, height) in ([0] + block.heights).enumerated() {
            line += height
            // A line between two closed rows begins at the text, any other at the edge.
            let isInner = index > 0 && index < block.rows.count
            let next = block.rows.startIndex + index
            let isClosed = isInner && block.rows[next - 1...next].allSatisfy { $0.swipe == nil }
            let x = isClosed ? margin(of: block.rows[next]) : 0
            canvas.rect(Rect(x: x, y: line - 0.5, width: max(0, width - x), height: 1), .ink(.line))
        }
        return y
    }

    /// Left edge of a row's text, in points.
    private func margin(of row: Row) -> Double {
        min(max(0, Self.kind(of: row, in: table).margins.text), width / 2)
    }

    /// Says how many rows are left out, or that there are none.
    func rest(_ canvas: inout Canvas) {
        let more = Self.count(table.count - mostRows, "more row")
        let text = table.count == 0 ? "No rows" : "… and \(more)"
        let room = width - 2 * Self.marginPoints
        if let words = Words(text, .detail, room: room) {
            canvas.centred(words, x: width / 2, baseline: 25, .ink(.detail))
        }
    }

    static func count(_ count: Int, _ thing: String) -> String {
        count == 1 ? "1 \(thing)" : "\(count) \(thing)s"
    }
}

extension Table.Section {
    /// The title, or the id if there is none.
    var shownTitle: String { title.isEmpty ? id.text : title }
}
