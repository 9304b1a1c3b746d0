public import TableModel

// How much all kinds of a table may have together. Whoever asks for them gets them whole, and many may
// ask.

extension Table {
    /// Refuses definitions that make the kinds larger than all may be together. A table that has more from
    /// former times may keep it, and become smaller.
    ///
    /// - Parameters:
    ///   - definitions: what would be defined and dropped.
    ///   - limits: the limits that hold.
    public func checkKindsBytes(
        after definitions: Command.Definitions, _ limits: Limits
    ) throws(Rejection) {
        let growth = growth(by: definitions)
        let most = max(limits.kindsBytes, limits.kindBytes)
        guard growth > 0 else { return }
        try bound("bytes of all kinds", kindsBytes + growth, by: most, field: "kinds")
    }
}
