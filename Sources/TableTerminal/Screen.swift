import TableLayout
public import TableModel

/// How a cell is drawn. Nil colours are the terminal's own.
public struct Style: Equatable, Sendable {
    /// Colour of the text.
    public var ink: Color?
    /// Colour behind the text.
    public var ground: Color?
    /// How the text is set.
    public var marks: Marks = []

    /// How text is set.
    public struct Marks: OptionSet, Sendable {
        /// One bit for each mark.
        public let rawValue: UInt8
        /// Marks from their bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Bold.
        public static let bold = Marks(rawValue: 1)
        /// Fainter than other text.
        public static let faint = Marks(rawValue: 2)
        /// Underlined.
        public static let underlined = Marks(rawValue: 4)
        /// A coloured block: without colours, ink and ground are exchanged.
        public static let block = Marks(rawValue: 8)
        /// Slanted, where the terminal can.
        public static let slanted = Marks(rawValue: 16)
    }

    /// A style; by default the terminal's own.
    public init(_ ink: Color? = nil, on ground: Color? = nil, _ marks: Marks = []) {
        self.ink = ink
        self.ground = ground
        self.marks = marks
    }
}

/// One place of a screen.
public struct Cell: Equatable, Sendable {
    /// One cluster, safe to send to a terminal; empty in the right half of a wide cell.
    public var text: String
    /// 1 or 2; 0: the right half of the cell to the left.
    public var width: UInt8
    /// How the cell is drawn.
    public var style: Style

    /// A blank.
    public static let blank = Cell(text: " ", width: 1, style: Style())
}

/// A grid of cells: everything on the screen. Nothing in it is dangerous to a terminal: text comes
/// in through `put` alone, which spells out what a terminal would act upon.
public struct Screen: Equatable, Sendable {
    /// Width in columns.
    public let width: Int
    /// Height in lines.
    public let height: Int
    /// The cells line by line, each from the left.
    public private(set) var cells: [Cell]

    /// A blank screen; sizes are cut to 0…2000 columns and 0…1000 lines.
    public init(width: Int, height: Int) {
        self.width = min(max(width, 0), 2_000)
        self.height = min(max(height, 0), 1_000)
        cells = Array(repeating: .blank, count: self.width * self.height)
    }

    /// The cells of one line; empty outside the screen.
    public subscript(line: Int) -> ArraySlice<Cell> {
        line >= 0 && line < height ? cells[line * width..<(line + 1) * width] : []
    }

    // MARK: Drawing

    /// Puts untrusted text on one line, up to column `end`. Text that does not fit ends with an
    /// ellipsis. Nothing is drawn outside the screen. Returns the column after the text.
    @discardableResult
    public mutating func put(
        _ text: String, x: Int, y: Int, to end: Int? = nil, _ style: Style = Style()
    ) -> Int {
        let end = min(end ?? width, width)
        guard y >= 0, y < height, x < end else { return x }
        var at = x
        // The last column where an ellipsis still fits.
        var last = x
        for source in text {
            if let byte = source.asciiValue, 0x20..<0x7F ~= byte {
                guard at < end else { return ellipsis(from: last, to: end, y, style) }
                set(Cell(text: String(source), width: 1, style: style), x: at, y: y)
                at += 1
                if at < end { last = at }
                continue
            }
            for character in String(source).shown {
                let columns = CharacterWidth.columns(of: character)
                // A character without width cannot be seen, and could come by the thousand.
                if columns == 0 { continue }
                guard at + columns <= end else { return ellipsis(from: last, to: end, y, style) }
                set(Cell(text: character.modest, width: UInt8(columns), style: style), x: at, y: y)
                at += columns
                if at < end { last = at }
            }
        }
        return at
    }

    private mutating func ellipsis(from x: Int, to end: Int, _ y: Int, _ style: Style) -> Int {
        set(Cell(text: "…", width: 1, style: style), x: x, y: y)
        fill(x: x + 1, y: y, to: end, style)
        return end
    }

    /// Fills part of a line with blanks, or with another character that is one column wide. Nothing
    /// is drawn outside the screen: at most the cells of a line are touched, whatever is given.
    public mutating func fill(
        x: Int, y: Int, to end: Int, with character: Character = " ", _ style: Style
    ) {
        guard y >= 0, y < height else { return }
        let isOne = CharacterWidth.columns(of: character) == 1
        let cell = Cell(text: isOne ? String(character) : " ", width: 1, style: style)
        for column in stride(from: max(0, x), to: min(end, width), by: 1) {
            set(cell, x: column, y: y)
        }
    }

    private mutating func set(_ cell: Cell, x: Int, y: Int) {
        guard x >= 0, x + Int(cell.width) <= width else { return }
        let at = y * width + x
        // A wide character that loses one half becomes a blank.
        if cells[at].width == 0, x > 0 { blank(at - 1) }
        let after = at + Int(cell.width)
        if x + Int(cell.width) < width, cells[after].width == 0 { blank(after) }
        cells[at] = cell
        if cell.width == 2 { cells[at + 1] = Cell(text: "", width: 0, style: cell.style) }
    }

    private mutating func blank(_ at: Int) {
        cells[at] = Cell(text: " ", width: 1, style: cells[at].style)
    }
}

extension String {
    /// Columns that `Screen.put` needs for the text.
    var shownColumns: Int {
        if utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) { return utf8.count }
        return CharacterWidth.columns(of: shown)
    }
}
