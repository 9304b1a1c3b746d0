import TableModel

/// The colours of the viewer's own look. In a page, style sheets know them by their names.
enum Ink: String, CaseIterable {
    /// Behind everything, and behind the titles of sections.
    case page
    /// Of rows.
    case paper
    /// Behind a row that is swiped open.
    case backdrop
    /// What is read first.
    case title
    /// What is read next.
    case detail
    /// Marks that stay in the background.
    case mark
    /// Between rows, and around everything.
    case line
    /// What can be pressed.
    case accent
    /// What destroys.
    case danger
    /// On a ground of `danger` or `accent`.
    case onColour = "on"
    case pending
    case pendingGround = "pending-ground"
    case done
    case doneGround = "done-ground"
    case failed
    case failedGround = "failed-ground"

    /// On light screens, and where no style sheet is.
    var light: String {
        switch self {
        case .page: return "#f2f2f7"
        case .paper: return "#ffffff"
        case .backdrop: return "#ebebf0"
        case .title: return "#1c1c1e"
        case .detail: return "#62626a"
        case .mark: return "#aeaeb4"
        case .line: return "#d5d5da"
        case .accent: return "#0a66d6"
        case .danger: return "#d92d20"
        case .onColour: return "#ffffff"
        case .pending: return "#8a4b00"
        case .pendingGround: return "#fff1d0"
        case .done: return "#17663a"
        case .doneGround: return "#def4e5"
        case .failed: return "#b42318"
        case .failedGround: return "#fde4e1"
        }
    }

    /// On dark screens.
    var dark: String {
        switch self {
        case .page: return "#000000"
        case .paper: return "#1c1c1e"
        case .backdrop: return "#0d0d0f"
        case .title: return "#f5f5f7"
        case .detail: return "#a5a5ad"
        case .mark: return "#636368"
        case .line: return "#38383c"
        case .accent: return "#4c9bff"
        case .danger: return "#e0473b"
        case .onColour: return "#ffffff"
        case .pending: return "#ffd58a"
        case .pendingGround: return "#4a3410"
        case .done: return "#8fe0ae"
        case .doneGround: return "#163b25"
        case .failed: return "#ffb1a8"
        case .failedGround: return "#4d1a16"
        }
    }

    /// Rules for dark screens; a rule wins over the attribute that the drawing has.
    static var darkStyleSheet: String {
        allCases.map { ink in
            ".f-\(ink.rawValue){fill:\(ink.dark)}.s-\(ink.rawValue){stroke:\(ink.dark)}"
        }.joined(separator: "\n")
    }
}

/// What something is drawn with.
enum Paint: Equatable {
    /// One of the viewer's own.
    case ink(Ink)
    /// As a definition says, on every screen.
    case color(Color)

    /// A colour of a definition, or else another paint.
    init(_ text: String?, or other: Paint) {
        self = text.flatMap { Color($0) }.map(Paint.color) ?? other
    }

    var fill: String { attributes("fill", "f") }
    var stroke: String { attributes("stroke", "s") }

    private func attributes(_ name: String, _ prefix: String) -> String {
        switch self {
        case .ink(let ink): return "class=\"\(prefix)-\(ink.rawValue)\" \(name)=\"\(ink.light)\""
        case .color(let color):
            let opacity = (Double(color.alpha) / 255).inXML
            return "\(name)=\"\(color.hex)\""
                + (color.alpha == 255 ? "" : " \(name)-opacity=\"\(opacity)\"")
        }
    }

    /// What can be read on it: white, or nearly black.
    var contrast: Paint {
        guard case .color(let color) = self else { return .ink(.onColour) }
        let red = Int(color.red), green = Int(color.green), blue = Int(color.blue)
        // The brightness of YIQ: no powers, and the same everywhere. Orange still takes white.
        let brightness = (299 * red + 587 * green + 114 * blue) / 1_000
        let isLight = brightness > 165 || color.alpha < 128
        return .color(
            isLight
                ? Color(red: 28, green: 28, blue: 30) : Color(red: 255, green: 255, blue: 255))
    }
}

extension Color {
    /// `#rrggbb`, without alpha.
    fileprivate var hex: String {
        "#"
            + [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
