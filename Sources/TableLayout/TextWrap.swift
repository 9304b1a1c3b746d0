/// Breaks text into lines.
public enum TextWrap {
    /// The lines of a text, wrapped to a width in points; at least one, which may be empty.
    ///
    /// Wrapping is greedy, by extended grapheme clusters:
    /// - A line break in the text always ends a line.
    /// - A line may end at blanks and tabs, which are then in neither line.
    /// - A line may end before and after a character of two columns.
    /// - A word that is wider than the line is broken where the line is full.
    /// - A line holds at least one cluster, however narrow the line is.
    ///
    /// The first line is narrower by `besidePoints`, for what stands beside it.
    public static func lines(
        _ text: String, widthPoints: Double, besidePoints: Double = 0, sizePoints: Double? = nil,
        metrics: Metrics
    ) -> [String] {
        let width = Bound.points(widthPoints, or: 0)
        var wrapper = Wrapper(
            first: max(0, width - besidePoints), width: max(0, width), size: sizePoints,
            metrics: metrics)
        for character in text { wrapper.append(character) }
        return wrapper.finish()
    }
}

private struct Wrapper {
    let first: Double, width: Double
    let size: Double?
    let metrics: Metrics
    private var done: [String] = []
    private var line = Run()
    /// Blanks after the line. They become part of it only if a word follows in it.
    private var blanks = Run()
    private var word = Run()

    init(first: Double, width: Double, size: Double?, metrics: Metrics) {
        self.first = first
        self.width = width
        self.size = size
        self.metrics = metrics
    }

    /// Text, and its width in the metrics' units.
    private struct Run {
        var text = ""
        var units = 0

        mutating func append(_ character: Character, _ units: Int) {
            text.append(character)
            self.units += units
        }

        mutating func append(_ other: Run) {
            text += other.text
            units += other.units
        }
    }

    mutating func append(_ character: Character) {
        if character.isNewline {
            endWord()
            endLine()
            return
        }
        let units = metrics.units(of: character)
        if character == " " || character == "\t" {
            endWord()
            blanks.append(character, units)
        } else if !character.isASCII, CharacterWidth.columns(of: character) == 2 {
            endWord()
            word.append(character, units)
            endWord()
        } else {
            word.append(character, units)
        }
    }

    mutating func finish() -> [String] {
        endWord()
        endLine()
        return done
    }

    private func fits(_ units: Int) -> Bool {
        metrics.points(units, sizePoints: size) <= (done.isEmpty ? first : width)
    }

    private mutating func endLine() {
        done.append(line.text)
        line = Run()
        blanks = Run()
    }

    private mutating func endWord() {
        guard !word.text.isEmpty else { return }
        defer { word = Run() }
        if fits(line.units + blanks.units + word.units) {
            line.append(blanks)
            line.append(word)
            blanks = Run()
            return
        }
        if !line.text.isEmpty { endLine() }
        blanks = Run()
        if fits(word.units) {
            line = word
            return
        }
        for character in word.text {
            let units = metrics.units(of: character)
            if !line.text.isEmpty, !fits(line.units + units) { endLine() }
            line.append(character, units)
        }
    }
}
