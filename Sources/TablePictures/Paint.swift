import TableModel

/// The colours of the viewer's own look. A page's style sheet refers to their names.
enum Ink: String, CaseIterable {
    /// The ground of everything, and of the titles of sections.
    case page
    /// The ground of rows.
    case paper
    /// The ground behind a row that is swiped open.
    case backdrop
    /// Text that people read first.
    case title
    /// Text that people read next.
    case detail
    /// Marks that do not stand out.
    case mark
    /// Lines between rows, and around everything.
    case line
    /// Things to press.
    case accent
    /// Actions that destroy.
    case danger
    /// The colour of an action that adds something.
    case insert
    /// Text on a ground of `danger`, `insert` or `accent`.
    case onColour = "on"
    case pending
    case pendingGround = "pending-ground"
    case done
    case doneGround = "done-ground"
    case failed
    case failedGround = "failed-ground"

    /// The colour on light screens, which is also that without a style sheet, and the one on dark screens.
    var colours: (light: String, dark: String) {
        switch self {
        case .page: ("#f2f2f7", "#000000")
        case .paper: ("#ffffff", "#1c1c1e")
        case .backdrop: ("#ebebf0", "#0d0d0f")
        case .title: ("#1c1c1e", "#f5f5f7")
        case .detail: ("#62626a", "#a5a5ad")
        case .mark: ("#aeaeb4", "#636368")
        case .line: ("#d5d5da", "#38383c")
        case .accent: ("#0a66d6", "#4c9bff")
        case .danger: ("#d92d20", "#e0473b")
        case .insert: ("#1f8a4c", "#30a860")
        case .onColour: ("#ffffff", "#ffffff")
        case .pending: ("#8a4b00", "#ffd58a")
        case .pendingGround: ("#fff1d0", "#4a3410")
        case .done: ("#17663a", "#8fe0ae")
        case .doneGround: ("#def4e5", "#163b25")
        case .failed: ("#b42318", "#ffb1a8")
        case .failedGround: ("#fde4e1", "#4d1a16")
        }
    }

    /// Rules for dark screens. A rule wins over the attribute in the drawing.
    static var darkStyleSheet: String {
        allCases.map { ink in
            ".f-\(ink.rawValue){fill:\(ink.colours.dark)}.s-\(ink.rawValue){stroke:\(ink.colours.dark)}"
        }.joined(separator: "\n")
    }
}

/// The colour of something drawn.
enum Paint: Equatable {
    /// A colour of the viewer's own look.
    case ink(Ink)
    /// A colour from a definition, the same on every screen.
    case color(Color)

    /// The colour that a definition names; without a valid one, the other paint.
    init(_ text: String?, or other: Paint) {
        self = text.flatMap { Color($0) }.map(Paint.color) ?? other
    }

    /// The colour that a definition names where it can be read on this ground; otherwise what contrasts with the ground.
    /// On one of the viewer's own, which are light and dark, it is the other ink.
    init(_ text: String?, on ground: Paint, or other: Ink) {
        let asked = text.flatMap { Color($0) }
        switch ground {
        case .color(let color):
            guard case .color(let contrast) = ground.contrast else { preconditionFailure("an ink") }
            self = .color(color.alpha < 128 ? asked ?? contrast : color.ink(asked, or: contrast))
        case .ink: self = .ink(other)
        }
    }

    var fill: String { attributes("fill", "f") }
    var stroke: String { attributes("stroke", "s") }

    private func attributes(_ name: String, _ prefix: String) -> String {
        switch self {
        case .ink(let ink):
            return "class=\"\(prefix)-\(ink.rawValue)\" \(name)=\"\(ink.colours.light)\""
        case .color(let color):
            let opacity = (Double(color.alpha) / 255).inXML
            return "\(name)=\"\(color.hex)\""
                + (color.alpha == 255 ? "" : " \(name)-opacity=\"\(opacity)\"")
        }
    }

    /// The paint that is readable on this one: white, or nearly black.
    var contrast: Paint {
        guard case .color(let color) = self else { return .ink(.onColour) }
        return .color(
            color.isLight || color.alpha < 128
                ? Color(red: 28, green: 28, blue: 30) : Color(red: 255, green: 255, blue: 255))
    }
}

extension Color {
    /// `#rrggbb`, without alpha.
    fileprivate var hex: String {
        "#" + [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
