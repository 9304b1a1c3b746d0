/// The families whose letters the profile `point` can measure (F3).
enum FontTable {
    /// Helvetica, fonts with its widths, and the generic name that browsers have for such fonts.
    static let proportional: Set<String> = [
        "helvetica", "arial", "liberation sans", "nimbus sans", "sans-serif",
    ]
    /// Courier, fonts with its widths, and their generic name: every letter is 600 wide.
    static let monospaced: Set<String> = [
        "courier", "courier new", "liberation mono", "nimbus mono", "monospace",
    ]

    /// The first family that can be measured, and those before it, which cannot. Without one
    /// Helvetica stands in. A terminal has one font, so it measures none.
    static func chosen(
        of families: [String], _ metrics: Metrics
    ) -> (isMonospaced: Bool, substituted: [String]) {
        guard metrics.profile == .point else { return (false, families) }
        var substituted: [String] = []
        for family in families {
            let name = family.lowercased()
            if proportional.contains(name) { return (false, substituted) }
            if monospaced.contains(name) { return (true, substituted) }
            substituted.append(family)
        }
        return (false, substituted)
    }
}
