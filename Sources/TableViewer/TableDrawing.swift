import TableLayout
import TableModel

/// The whole picture: a heading, then sections, then what is left out.
struct TableDrawing {
    private let table: Table
    private let width: Double
    private let mostRows: Int
    private let nowMs: UInt64?
    private let blocks: [Block]

    /// A section, with those of its rows that are drawn.
    private struct Block {
        let section: Table.Section
        let rows: [Row]
        let heights: [Double]
    }

    private static let headingPoints = 62.0
    private static let sectionPoints = 34.0
    private static let footPoints = 14.0
    private static let restPoints = 40.0
    private static let marginPoints = 16.0
    private static let cornerPoints = 12.0

    init(_ table: Table, widthPoints: Double, mostRows: Int, nowMs: UInt64? = nil) {
        self.nowMs = nowMs
        self.table = table
        self.mostRows = mostRows
        width = widthPoints
        var blocks: [Block] = []
        var left = mostRows
        for section in table.sections {
            let rows = Array(section.runs().joined().prefix(left))
            // The sections behind the last row that is drawn belong to what is left out.
            if rows.isEmpty, left == 0 { break }
            left -= rows.count
            let heights = rows.map { row in
                RowHeights.height(
                    of: row.content, kind: Self.kind(of: row, in: table),
                    expansion: row.expansion, widthPoints: widthPoints, metrics: .point)
            }
            blocks.append(Block(section: section, rows: rows, heights: heights))
        }
        self.blocks = blocks
    }

    private static func kind(of row: Row, in table: Table) -> Kind {
        table.kinds[row.content.kind] ?? Kind(row.content.kind)
    }

    private var hasRest: Bool { table.count > mostRows || table.count == 0 }

    private var height: Double {
        blocks.reduce(Self.headingPoints + (hasRest ? Self.restPoints : Self.footPoints)) {
            $0 + Self.sectionPoints + $1.heights.reduce(0, +)
        }
    }

    func draw(into canvas: inout Canvas) {
        let all = Rect(x: 0, y: 0, width: width, height: height)
        let rows = Self.count(table.count, "row")
        canvas.begin(
            width: width, height: height, label: "\(table.name.text): \(rows)")
        canvas.group(clip: all, radius: Self.cornerPoints) { canvas in
            canvas.rect(all, .ink(.page))
            heading(&canvas)
            var y = Self.headingPoints
            for block in blocks {
                canvas.group(y: y) { title(of: block, &$0) }
                y += Self.sectionPoints
                y = draw(block, from: y, &canvas)
            }
            if hasRest { canvas.group(y: y) { rest(&$0) } }
        }
        canvas.border(all, radius: Self.cornerPoints - 0.5, .ink(.line))
        canvas.end()
    }

    private func heading(_ canvas: inout Canvas) {
        let type = Typeface(sizePoints: 22, weight: 700)
        let room = width - 2 * Self.marginPoints
        let button = Words(table.isEditing ? "Done" : "Edit", .body, room: room / 3)
        if let button {
            canvas.words(
                button, x: width - Self.marginPoints - button.width, baseline: 32, .ink(.accent))
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
        let count = Words(String(block.section.count), .detail, room: room / 3)
        if let count {
            canvas.words(
                count, x: width - Self.marginPoints - count.width, baseline: baseline,
                .ink(.detail))
        }
        let text = block.section.title.isEmpty ? block.section.id.text : block.section.title
        if let title = Words(text, .section, room: room - (count?.width ?? 0) - 12) {
            canvas.words(title, x: Self.marginPoints, baseline: baseline, .ink(.detail))
        }
    }

    /// Draws the rows of a block, and says where they end.
    private func draw(_ block: Block, from top: Double, _ canvas: inout Canvas) -> Double {
        var y = top
        for (row, height) in zip(block.rows, block.heights) {
            let drawing = RowDrawing(
                table: table, row: row, kind: Self.kind(of: row, in: table), width: width,
                height: height, nowMs: nowMs)
            let frame = Rect(x: 0, y: 0, width: width, height: height)
            canvas.group(y: y, clip: frame) { drawing.draw(into: &$0) }
            y += height
        }
        // Between the rows, and where they begin and end: above what they have drawn.
        var line = top
        for (index, height) in ([0] + block.heights).enumerated() {
            line += height
            // Only between two rows of paper does it begin where the text does.
            let isInner = index > 0 && index < block.rows.count
            let isClosed = isInner && block.rows[index - 1...index].allSatisfy { $0.swipe == nil }
            let x = isClosed ? margin(of: block.rows[index]) : 0
            canvas.rect(
                Rect(x: x, y: line - 0.5, width: max(0, width - x), height: 1), .ink(.line))
        }
        return y
    }

    /// Where the text of a row begins.
    private func margin(of row: Row) -> Double {
        min(max(0, Self.kind(of: row, in: table).margins.text), width / 2)
    }

    /// What is not drawn.
    private func rest(_ canvas: inout Canvas) {
        let more = Self.count(table.count - mostRows, "more row")
        let text = table.count == 0 ? "No rows" : "… and \(more)"
        let room = width - 2 * Self.marginPoints
        if let words = Words(text, .detail, room: room) {
            canvas.centred(words, x: width / 2, baseline: 25, .ink(.detail))
        }
    }

    private static func count(_ count: Int, _ thing: String) -> String {
        count == 1 ? "1 \(thing)" : "\(count) \(thing)s"
    }
}
