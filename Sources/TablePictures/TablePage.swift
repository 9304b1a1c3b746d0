import TableLayout
import TableModel

/// The drawing as a page, with as many sections beside each other as fit the window.
///
/// The columns of a style sheet do that, without a script. Each section is a picture of its own. A
/// long section is several pictures, so that it can continue in the next column.
struct TablePage {
    private let drawing: TableDrawing
    private let pictures: [String]

    /// A section with more rows continues in another card.
    static let mostRowsOfCard = 20
    private static let gapPoints = 16.0
    /// The least and the greatest scale of a picture's width.
    private static let (leastScale, mostScale) = (0.87, 1.2)

    init(_ drawing: TableDrawing) {
        self.drawing = drawing
        pictures = Self.pictures(from: drawing)
    }

    private static func cards(of block: TableDrawing.Block) -> [TableDrawing.Block] {
        guard block.rows.count > mostRowsOfCard else { return [block] }
        return stride(from: 0, to: block.rows.count, by: mostRowsOfCard).map { first in
            let past = min(first + mostRowsOfCard, block.rows.count)
            var card = block
            card.rows = block.rows[first..<past]
            card.heights = block.heights[first..<past]
            card.count = "\(first + 1)–\(past) of \(block.section.count)"
            return card
        }
    }

    var html: String {
        """
        <!DOCTYPE html>
        <html lang="en" xmlns="http://www.w3.org/1999/xhtml">
        <head>
        <meta charset="utf-8"/>
        <meta name="viewport" content="width=device-width, initial-scale=1"/>
        <meta name="color-scheme" content="light dark"/>
        <meta http-equiv="Content-Security-Policy" \
        content="default-src 'none'; style-src 'unsafe-inline'"/>
        <title>\(drawing.table.name.text.shown.inXML)</title>
        <style>
        \(styles)
        @media (prefers-color-scheme:dark){
        body{background:#101012}
        \(Ink.darkStyleSheet)
        }
        </style>
        </head>
        <body>
        <header>
        \(heading)</header>
        <main>
        \(pictures.joined())</main>
        </body>
        </html>

        """
    }

    /// As many columns as fit, and no more than there are pictures. The heading has columns too, so
    /// it is above the first one.
    private var styles: String {
        let count = Double(max(1, pictures.count))
        let most = drawing.width * Self.mostScale
        let page = count * most + (count - 1) * Self.gapPoints
        let least = drawing.width * Self.leastScale
        return """
            body{margin:0;padding:20px 16px 4px;background:#e3e3e9}
            header,main{max-width:\(page.inXML)px;margin:0 auto;\
            columns:\(least.inXML)px \(count.inXML);column-gap:\(Self.gapPoints.inXML)px}
            header{margin-bottom:10px}
            svg{display:block;width:100%;max-width:\(most.inXML)px;height:auto;\
            margin:0 auto 16px;break-inside:avoid}
            header svg{margin-bottom:0}
            """
    }

    private var heading: String {
        let rows = TableDrawing.count(drawing.table.count, "row")
        var canvas = Canvas(prefix: "h-")
        canvas.begin(
            width: drawing.width, height: TableDrawing.headingPoints,
            label: "\(drawing.table.name.text): \(rows)")
        drawing.heading(&canvas)
        canvas.end()
        return canvas.svg
    }

    /// A picture of each section or part of one, and one for the rows left out.
    private static func pictures(from drawing: TableDrawing) -> [String] {
        let cards = drawing.blocks.flatMap { Self.cards(of: $0) }
        var pictures = cards.enumerated().map { index, card in
            picture(
                index, width: drawing.width, height: card.height, label: card.section.shownTitle
            ) { _ = drawing.draw(card, from: 0, &$0) }
        }
        if drawing.hasRest {
            pictures.append(
                picture(
                    pictures.count, width: drawing.width, height: TableDrawing.restPoints,
                    label: "rows that are not here"
                ) { drawing.rest(&$0) })
        }
        return pictures
    }

    private static func picture(
        _ index: Int, width: Double, height: Double, label: String, _ draw: (inout Canvas) -> Void
    ) -> String {
        let all = Rect(x: 0, y: 0, width: width, height: height)
        var canvas = Canvas(prefix: "p\(index)-")
        canvas.begin(width: all.width, height: all.height, label: label)
        canvas.group(clip: all, radius: TableDrawing.cornerPoints) { canvas in
            canvas.rect(all, .ink(.page))
            draw(&canvas)
        }
        canvas.border(all, radius: TableDrawing.cornerPoints - 0.5, .ink(.line))
        canvas.end()
        return canvas.svg
    }
}
