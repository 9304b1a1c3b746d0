import TableModel

/// How many colours a terminal has.
public enum ColorDepth: String, CaseIterable, Sendable {
    case none
    case sixteen = "16"
    case many = "256"
    case all = "true"
}

/// Turns screens into bytes for a terminal: only what has changed since the last screen.
public struct Painter {
    /// How many colours the terminal has.
    public let depth: ColorDepth
    private var last: Screen?
    private var style: Style?

    /// A painter for a terminal; it draws the first screen whole.
    public init(depth: ColorDepth) { self.depth = depth }

    /// Forgets what the terminal shows, after a resize or after something else wrote on it.
    public mutating func forget() { last = nil }

    /// The bytes that bring the terminal to this screen; none if it shows the screen already.
    public mutating func bytes(for screen: Screen) -> [UInt8] {
        var out: [UInt8] = []
        style = nil
        var old = last
        if old?.width != screen.width || old?.height != screen.height {
            old = nil
            out += Array("\u{1B}[0m\u{1B}[2J".utf8)
        }
        for line in 0..<screen.height {
            paint(screen[line], old: old?[line], line, screen.width, &out)
        }
        last = screen
        if out.isEmpty { return out }
        // Synchronized output: terminals that know it show all changes at once; others ignore it.
        return Array("\u{1B}[?2026h".utf8) + out + Array("\u{1B}[0m\u{1B}[?2026l".utf8)
    }

    private mutating func paint(
        _ cells: ArraySlice<Cell>, old: ArraySlice<Cell>?, _ line: Int, _ width: Int,
        _ out: inout [UInt8]
    ) {
        if let old, old == cells { return }
        // The terminal's cursor, if its place is certain; nil: it has to be set.
        var cursor: Int?
        let start = cells.startIndex
        for column in 0..<width {
            let cell = cells[start + column]
            // The right half is drawn with the left one.
            if cell.width == 0 { continue }
            if let old, old[old.startIndex + column] == cell, !isHalved(old, cells, column) {
                continue
            }
            if cursor != column { out += Array("\u{1B}[\(line + 1);\(column + 1)H".utf8) }
            if style != cell.style {
                out += Array("\u{1B}[0\(codes(cell.style))m".utf8)
                style = cell.style
            }
            out += Array(cell.text.utf8)
            // Terminals disagree on the width of some characters: set the cursor after those.
            let isASCII = cell.text.utf8.count == 1
            cursor = isASCII && column + 1 < width ? column + 1 : nil
        }
    }

    /// True: a wide cell is the same, but the cell to its right was not its right half before.
    private func isHalved(_ old: ArraySlice<Cell>, _ new: ArraySlice<Cell>, _ column: Int) -> Bool {
        guard new[new.startIndex + column].width == 2 else { return false }
        return old[old.startIndex + column + 1].width != 0
    }

    // MARK: Styles

    private func codes(_ style: Style) -> String {
        var codes = ""
        if style.marks.contains(.bold) { codes += ";1" }
        if style.marks.contains(.faint) { codes += ";2" }
        if style.marks.contains(.slanted) { codes += ";3" }
        if style.marks.contains(.underlined) { codes += ";4" }
        if depth == .none {
            if style.marks.contains(.block) { codes += ";7" }
            return codes
        }
        if let ink = style.ink { codes += code(ink, isGround: false) }
        if let ground = style.ground { codes += code(ground, isGround: true) }
        return codes
    }

    private func code(_ color: Color, isGround: Bool) -> String {
        switch depth {
        case .none: return ""
        case .all:
            return ";\(isGround ? 48 : 38);2;\(color.red);\(color.green);\(color.blue)"
        case .many: return ";\(isGround ? 48 : 38);5;\(Self.index256(of: color))"
        case .sixteen:
            let index = Self.index16(of: color)
            let base = index < 8 ? (isGround ? 40 : 30) : (isGround ? 100 : 90) - 8
            return ";\(base + index)"
        }
    }

    /// The index of the nearest colour in the cube of 6 × 6 × 6 or among the greys.
    static func index256(of color: Color) -> Int {
        let steps = [0, 95, 135, 175, 215, 255]
        func nearest(_ value: UInt8) -> Int {
            steps.indices.min { abs(steps[$0] - Int(value)) < abs(steps[$1] - Int(value)) } ?? 0
        }
        let (r, g, b) = (nearest(color.red), nearest(color.green), nearest(color.blue))
        let mean = (Int(color.red) + Int(color.green) + Int(color.blue)) / 3
        let grey = min(max((mean - 3) / 10, 0), 23)
        let level = UInt8(8 + 10 * grey)
        let cube = Color(red: UInt8(steps[r]), green: UInt8(steps[g]), blue: UInt8(steps[b]))
        let ramp = Color(red: level, green: level, blue: level)
        return distance(ramp, color) < distance(cube, color) ? 232 + grey : 16 + 36 * r + 6 * g + b
    }

    /// The index of the nearest of xterm's sixteen colours.
    static func index16(of color: Color) -> Int {
        let table: [UInt32] = [
            0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD, 0x00CDCD, 0xE5E5E5,
            0x7F7F7F, 0xFF0000, 0x00FF00, 0xFFFF00, 0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF,
        ]
        return table.indices.min {
            distance(Theme.color(table[$0]), color) < distance(Theme.color(table[$1]), color)
        } ?? 7
    }

    private static func distance(_ a: Color, _ b: Color) -> Int {
        let (r, g, b) = (
            Int(a.red) - Int(b.red), Int(a.green) - Int(b.green), Int(a.blue) - Int(b.blue)
        )
        return r * r + g * g + b * b
    }
}
