public import ArgumentParser
import StrictYAML
import TableClient
import TableFiles
public import TableLayout
import TableModel

/// The widths with which text is measured.
enum ProfileName: String, ExpressibleByArgument, CaseIterable {
    /// A terminal's cells.
    case cell
    /// The table of advances.
    case point

    var metrics: Metrics { self == .cell ? .cell : .point }
}

extension Capability: ExpressibleByArgument {}

struct LayoutVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "layout", abstract: "Print where rows and swipe actions are, for one width.",
        discussion: """
            All lengths are in points. With -o json: {"table","revision","width","profile",\
            "contentHeight","rows":[{"id","y","height","state"}]}. A row that is swiped open also \
            has "swipe":{"edge","pull","revealed","actions":[{"id","hit","face","radius",\
            "clamped"}]}: its frames [x,y,width,height] are relative to the area that the swipe \
            uncovers. With -o ndjson one row per line. docs/LAYOUT.md has the formulas.

            --capability names what a viewer can show of an action. Each action then also says \
            what such a viewer shows, and what is lost: "shown":{"title","hairSpaces","image",\
            "imageSize","background","degraded"}. For contextualAction the document has "limits": \
            what the systems allow of the image. A font that the profile cannot measure is named \
            in an action's "substituted".

              trestle -o json layout board --width 320
              trestle layout board --width 800 --profile cell
            """)

    @Argument(help: "The table.", completion: Live.tables) var table: String
    @Option(help: .value("points", "Width of the rows.")) var width: Double
    @Option(help: .value("profile", "What text is measured with: cell (a terminal's) or point."))
    var profile: ProfileName = .point
    @Option(
        help: .value("points", "How far open rows are open (default: the sum of their buttons)."))
    var pull: Double?
    @Option(
        help: .value(
            "capability",
            "What a viewer can show of actions: text, rowAction, contextualAction or full."))
    var capability: Capability?
    @Option(
        help: .value("points", "Width of a hair space in the title of a rowAction (default: 1.5)."))
    var hair: Double?
    @OptionGroup var options: Options

    private var metrics: Metrics {
        var metrics = profile.metrics
        if let hair { metrics.hairWidthPoints = hair }
        return metrics
    }

    func validate() throws {
        if let hair, !(hair > 0 && hair <= 1_000) {
            throw ValidationError("--hair takes points above 0, up to 1000.")
        }
        guard width.isFinite, width > 0, width <= Limits().heightPoints else {
            throw ValidationError("--width takes points above 0, up to 1000000.")
        }
        guard let pull else { return }
        guard pull.isFinite, pull >= 0, pull <= Limits().heightPoints else {
            throw ValidationError("--pull takes points from 0 to 1000000.")
        }
    }

    func carryOut(_ connection: Connection) throws {
        let table = try connection.table(table).table
        let frames = TableFrames(
            table, widthPoints: width, pullPoints: pull, metrics: metrics, nowMs: wallClockMs())
        let report = Report(
            json: { document(of: frames, table).json },
            ndjson: { frames.rows.map { row($0, metrics, table.row($0.id), table).json } },
            names: { frames.rows.map(\.id.text) }, lines: { lines(of: frames, table, isWide: $0) })
        try connection.show(report)
    }

    private func document(of frames: TableFrames, _ table: Table) -> Draft {
        var pairs: Documents.Pairs = [
            ("table", .text(table.name.text)), ("revision", .integer(table.revision)),
            ("width", .number(frames.widthPoints)), ("profile", .text(profile.rawValue)),
            ("contentHeight", .number(frames.contentHeightPoints)),
        ]
        if let limits = capability.flatMap({ Projection.limits(of: $0) }) {
            pairs.append(("limits", Self.limits(limits)))
        }
        let rows = frames.rows.map { row($0, metrics, table.row($0.id), table) }
        pairs.append(("rows", .list(rows)))
        return .mapping(pairs)
    }

    private func row(
        _ row: TableFrames.RowFrame, _ metrics: Metrics, _ content: Row?, _ table: Table
    ) -> Draft {
        var pairs: Documents.Pairs = [
            ("id", .text(row.id.text)), ("y", .number(row.y)), ("height", .number(row.height)),
            ("state", .text(row.expansion.text)),
        ]
        let kind = content.flatMap { table.kinds[$0.content.kind] }
        if let content, var appearance = kind?.appearance(of: content), !appearance.isEmpty {
            // A viewer need not know the default.
            appearance.alpha = appearance.alpha(in: row.expansion)
            pairs.append(("appearance", KindsFile.draft(appearance)))
        }
        if let swipe = row.swipe { pairs.append(("swipe", self.swipe(swipe))) }
        if let content, !content.content.items.isEmpty {
            let strip = StripGeometry(
                content.content, kind: kind, rowHeightPoints: row.height, scroll: content.scroll,
                metrics: metrics)
            let visible = StripGeometry.visibleWidthPoints(
                ofRow: width, kind: kind ?? Kind(content.content.kind))
            pairs.append(("strip", Self.strip(strip, visible)))
        }
        return .mapping(pairs)
    }

    private static func strip(_ strip: StripGeometry, _ visible: Double) -> Draft {
        let items = strip.items.map { item in
            var pairs: Documents.Pairs = [
                ("id", .text(item.id.text)), ("x", .number(item.x)), ("y", .number(item.y)),
                ("width", .number(item.widthPoints)), ("height", .number(item.heightPoints)),
            ]
            if let badge = item.badge { pairs.append(("badge", frame(badge))) }
            pairs.append(("clamped", .list(item.clamped.map { .text($0.rawValue) })))
            return Draft.mapping(pairs)
        }
        let rest = strip.restPoints(at: strip.offsetPoints, visibleWidthPoints: visible)
        return .mapping([
            ("offset", .number(strip.offsetPoints)),
            ("contentWidth", .number(strip.contentWidthPoints)),
            ("visibleWidth", .number(visible)), ("spacing", .number(strip.spacingPoints)),
            ("page", .text(strip.page.rawValue)), ("rest", .number(rest)),
            ("items", .list(items)),
        ])
    }

    private func swipe(_ swipe: SwipeGeometry) -> Draft {
        let actions = swipe.buttons.map { button in
            var pairs: Documents.Pairs = [
                ("id", .text(button.action.id.text)), ("hit", Self.frame(button.hit)),
                ("face", Self.frame(button.face)), ("radius", .number(button.radius)),
                ("clamped", .list(button.clamped.map { .text($0.rawValue) })),
            ]
            let substituted = button.substituted
            if !substituted.isEmpty {
                pairs.append(("substituted", .list(substituted.map(Draft.text))))
            }
            if let capability {
                let shown = Projection(button, for: capability, metrics: metrics)
                pairs.append(("shown", Self.shown(shown)))
            }
            return Draft.mapping(pairs)
        }
        var pairs: Documents.Pairs = [
            ("edge", .text(swipe.edge.rawValue)), ("pull", .number(swipe.pullPoints)),
            ("revealed", .flag(swipe.isRevealed)),
        ]
        if swipe.gapPoints > 0 { pairs.append(("gap", .number(swipe.gapPoints))) }
        if let background = swipe.background { pairs.append(("background", .text(background))) }
        pairs.append(("actions", .list(actions)))
        return .mapping(pairs)
    }

    private static func limits(_ limits: Projection.ImageLimits) -> Draft {
        .mapping([
            ("images", .integer(UInt64(clamping: limits.images))),
            ("textBeside", .flag(limits.hasTextBeside)), ("template", .flag(limits.isTemplate)),
            ("largestImage", .number(limits.largestPoints)),
        ])
    }

    private static func shown(_ projection: Projection) -> Draft {
        var pairs: Documents.Pairs = [("title", .text(projection.title))]
        if let count = projection.hairSpaceCount {
            pairs.append(("hairSpaces", .integer(UInt64(clamping: count))))
        }
        switch projection.image {
        case .icon(let name): pairs.append(("image", .text(name)))
        case .face: pairs.append(("image", .text("face")))
        case nil: break
        }
        if let size = projection.imageSize {
            pairs.append(("imageSize", .list([.number(size.width), .number(size.height)])))
        }
        pairs.append(("background", .text(projection.hasFaceBackground ? "face" : "plain")))
        pairs.append(("degraded", .list(projection.degraded.map { .text($0.rawValue) })))
        return .mapping(pairs)
    }

    private static func frame(_ rect: Rect) -> Draft {
        .list([rect.x, rect.y, rect.width, rect.height].map(Draft.number))
    }

    private func lines(of frames: TableFrames, _ table: Table, isWide: Bool) -> [TextLine] {
        var headings = ["y", "height", "state", "id"]
        if isWide { headings += ["swipe", "pull", "revealed"] }
        var columns = Columns(headings, numbers: isWide ? [0, 1, 5] : [0, 1])
        for row in frames.rows {
            var cells = [
                Draft.number(row.y).json, Draft.number(row.height).json, row.expansion.text,
                row.id.text,
            ]
            if isWide {
                cells.append(row.swipe?.edge.rawValue ?? "closed")
                if let swipe = row.swipe {
                    cells += [Draft.number(swipe.pullPoints).json, String(swipe.isRevealed)]
                }
            }
            columns.append(cells)
        }
        let height = Draft.number(frames.contentHeightPoints).json
        let width = Draft.number(frames.widthPoints).json
        let end = "\(table.name.text)  revision \(table.revision)  \(width) × \(height) points"
        columns.append(line: end, .faint)
        return columns.lines
    }
}
