// Snapshots hold rows that the table has replaced; these are counted here.

extension Table {
    /// The bytes of a replaced row besides its text: the object, and its part of a leaf, which a snapshot
    /// holds as a whole.
    private static let weightOfLeaf = 700
    /// Settings are not measured: this is what they may have.
    private static let weightOfSettings = 256 << 10

    /// Whether a snapshot may hold a row, which is to be replaced or removed: then it is not younger, and is
    /// held there too. By its version alone a row that is moved, swiped or expanded never gets younger.
    @inline(__always)
    func isCaptured(_ row: inout Row) -> Bool {
        // A trial is taken back.
        capturedAt > 0 && row.version <= capturedAt && !removed.isOnTrial && !row.isHeldOnce()
    }

    /// A row that a snapshot may hold was replaced or removed. `isWhole`: the new one does not share its items.
    func noteSuperseded(_ row: Row, isWhole: Bool) {
        supersededBytes += Self.superseded(by: row, isWhole: isWhole)
    }

    static func superseded(by row: Row, isWhole: Bool) -> Int {
        weightOfLeaf + (isWhole ? row.weight : row.ownWeight)
    }

    /// Notes a row in its leaf, if a snapshot may hold it. A caller that takes it from there first holds it too.
    func noteSuperseded(_ slot: Slot) {
        slot.lend { tree, leaf, place in
            tree.change(at: place, in: leaf) { row in
                if isCaptured(&row) { noteSuperseded(row, isWhole: false) }
                return nil
            }
        }
    }

    func noteSuperseded(by definitions: Command.Definitions) {
        guard capturedAt > 0, !removed.isOnTrial else { return }
        for id in definitions.kinds.map(\.id) + definitions.dropped {
            supersededBytes += kinds[id]?.byteCount ?? 0
        }
        if definitions.settings != nil { supersededBytes += Self.weightOfSettings }
    }
}
