import TableLayout
import TableModel

/// Draws the results of the actions that were performed on a row: a small sign for each.
struct Pills {
    private let pills: [Pill]

    private struct Pill {
        var text: String
        var icon: String?
        var ink: Ink
        var ground: Ink
    }

    static let heightPoints = 20.0
    private static let iconPoints = 12.0
    private static let paddingPoints = 8.0
    private static let gapPoints = 6.0
    /// Factor for fonts with wider letters than the measured ones: a pill surrounds its text.
    private static let slack = 1.08
    /// Bound on the pills of a row: nobody reads more.
    private static let most = 8

    /// - Parameters:
    ///   - badge: the row's badge, which comes first.
    ///   - sleep: until when it sleeps, which comes last.
    ///   - hasReasons: pills of failures give the reason.
    init(
        _ performed: [Performance], titles: [Deed: String], badge: String? = nil,
        sleep: String? = nil, hasReasons: Bool = false
    ) {
        let last = sleep.map { Pill(text: $0, icon: "clock", ink: .detail, ground: .page) }
        let first = badge.map { Pill(text: $0, icon: nil, ink: .onColour, ground: .accent) }
        pills =
            (first.map { [$0] } ?? []) + (last.map { [$0] } ?? [])
            + performed.map { performance in
                let title = titles[performance.deed] ?? performance.action.text
                switch performance.state {
                case .pending:
                    return Pill(
                        text: title + "…", icon: "clock", ink: .pending, ground: .pendingGround)
                case .done:
                    return Pill(text: title, icon: "checkmark", ink: .done, ground: .doneGround)
                case .failed(let reason):
                    let why = hasReasons && !reason.isEmpty ? ": \(reason)" : ""
                    return Pill(
                        text: "\(title) failed\(why)", icon: "exclamationmark", ink: .failed,
                        ground: .failedGround)
                }
            }
    }

    /// Width of the pills that fit, in points.
    func width(room: Double) -> Double { Self.width(of: fitting(room: room)) }

    /// Draws as many pills as fit to the left of an edge, the first one leftmost. If some are left
    /// out, a last pill says how many. Returns the width of all.
    func draw(
        rightEdge: Double, middle: Double, room: Double, into canvas: inout Canvas
    ) -> Double {
        let placed = fitting(room: room)
        let width = Self.width(of: placed)
        draw(placed, from: rightEdge - width, middle: middle, into: &canvas)
        return width
    }

    /// Draws as many pills as fit to the right of an edge.
    func draw(leftEdge: Double, middle: Double, room: Double, into canvas: inout Canvas) -> Double {
        let placed = fitting(room: room)
        draw(placed, from: leftEdge, middle: middle, into: &canvas)
        return Self.width(of: placed)
    }

    private typealias Placed = (pill: Pill, words: Words)

    private func fitting(room: Double) -> [Placed] {
        var placed: [Placed] = []
        for (index, pill) in pills.prefix(Self.most).enumerated() {
            let rest = pills.count - index
            let reserved = rest > 1 ? 34.0 : 0
            let used = placed.isEmpty ? 0 : Self.width(of: placed) + Self.gapPoints
            let wordsRoom = (room - used - reserved - Self.extra(of: pill)) / Self.slack
            // Only a single pill may be cut off: two unreadable pills say less than "+2".
            guard let words = Words(pill.text, .pill, room: wordsRoom),
                words.isWhole || placed.isEmpty
            else { break }
            placed.append((pill, words))
        }
        let rest = pills.count - placed.count
        if rest > 0, !placed.isEmpty {
            let more = Pill(text: "+\(rest)", icon: nil, ink: .detail, ground: .page)
            if let words = Words(more.text, .pill, room: room) { placed.append((more, words)) }
        }
        return placed
    }

    private func draw(
        _ placed: [Placed], from left: Double, middle: Double, into canvas: inout Canvas
    ) {
        var x = left
        let height = Self.heightPoints
        for (pill, words) in placed {
            let width = words.width * Self.slack + Self.extra(of: pill)
            canvas.rect(
                Rect(x: x, y: middle - height / 2, width: width, height: height),
                radius: height / 2, .ink(pill.ground))
            var textX = x + Self.paddingPoints
            if let icon = pill.icon {
                canvas.icon(
                    icon,
                    in: Rect(
                        x: textX - 1, y: middle - Self.iconPoints / 2, width: Self.iconPoints,
                        height: Self.iconPoints), lineWidth: 3, .ink(pill.ink))
                textX += Self.iconPoints + 2
            }
            canvas.centred(
                words, x: (textX + x + width - Self.paddingPoints) / 2,
                baseline: middle + Typeface.pill.middlePoints, .ink(pill.ink))
            x += width + Self.gapPoints
        }
    }

    private static func extra(of pill: Pill) -> Double {
        2 * paddingPoints + (pill.icon == nil ? 0 : iconPoints + 2)
    }

    private static func width(of placed: [Placed]) -> Double {
        let gaps = gapPoints * Double(max(0, placed.count - 1))
        return placed.reduce(gaps) { $0 + $1.words.width * slack + extra(of: $1.pill) }
    }
}
