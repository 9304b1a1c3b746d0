/// Where the rows stood that a revision removed, found from its inverse: each behind the row next above it,
/// which the revision may have removed as well.
///
/// An inverse puts a row behind the one that was above it when it went. What had stood between them and went
/// before comes back later, behind the same row.
struct OldPlaces {
    private var places: [RowID: Place] = [:]
    /// The row behind each of them, and behind each place that one of them has.
    private var next: [Place: RowID] = [:]

    var count: Int { places.count }

    init(before inverse: [Op]) {
        for op in inverse {
            switch op.effect {
            case .inserts(let row, let place): put(row.id, place)
            case .moves(let ids, var place):
                // A row that was not removed is found where it stands by now.
                for id in ids {
                    if places[id] != nil { put(id, place) }
                    place = .after(id)
                }
            case .removes, .swaps, .changes, .changesAll, .news, .defines, .edits: continue
            case .insertsSection, .removesSection, .renamesSection: continue
            case .begins, .changesInvocation, .ends: continue
            }
        }
    }

    private mutating func put(_ id: RowID, _ place: Place) {
        if let old = places[id] {
            let below = next.removeValue(forKey: .after(id))
            next[old] = below
            if let below { places[below] = old }
        }
        if let below = next[place] {
            places[below] = .after(id)
            next[.after(id)] = below
        }
        places[id] = place
        next[place] = id
    }

    /// The place of a row; nil: the revision did not remove it.
    subscript(_ row: RowID) -> Place? { places[row] }
}

extension Place {
    var row: RowID? {
        if case .after(let row) = self { return row }
        return nil
    }

    /// Says to people where something landed, and why there.
    func note(_ why: String) -> String {
        switch self {
        case .after(let id): return "after \(id.text): \(why)"
        case .top(let id): return "top of \(id.text): \(why)"
        }
    }
}
