import TableModel

/// Where the rows stood that a revision removed or moved, found from its inverse: each behind the row next above
/// it, which the revision may have removed or moved as well.
///
/// An inverse puts a row behind the one that was above it when it went. What had stood between them and went
/// before comes back later, behind the same row. Rows that were exchanged are not followed: nothing says what was
/// above them.
struct OldPlaces {
    private var places: [RowID: Place] = [:]
    /// The row behind each of them, and behind each place that one of them has.
    private var next: [Place: RowID] = [:]
    /// Those that it removed: others it only moved.
    private(set) var removed: Set<RowID> = []
    /// By row: the place of the first one above it that neither was removed nor moved.
    private var tops: [RowID: Place] = [:]

    var count: Int { places.count }

    init(before inverse: [Op], of ops: [Op]) {
        var moves: [(ids: Few<RowID>, place: Place)] = []
        for case .moves(let ids, let place) in ops.lazy.map(\.effect) { moves.append((ids, place)) }
        // Several ops may lead one move back: so many rows of it are still to come.
        var left = 0
        for op in inverse {
            switch op.effect {
            case .inserts(let row, let place):
                removed.insert(row.id)
                put(row.id, place)
            case .moves(let ids, let place):
                // A row behind one that goes comes to stand behind the one above that.
                if left == 0, let move = moves.popLast() {
                    put(move.ids, move.place, ifUnknown: true)
                    left = move.ids.count
                }
                left -= ids.count
                put(ids, place)
            case .removes, .swaps, .changes, .claims, .changesAll, .news: continue
            case .ofSection, .ofTable, .begins, .changesInvocation, .ends: continue
            }
        }
        findTops(inverse)
    }

    private mutating func put(_ ids: Few<RowID>, _ place: Place, ifUnknown: Bool = false) {
        var place = place
        for id in ids {
            if !ifUnknown || places[id] == nil { put(id, place) }
            place = .after(id)
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

    private mutating func findTops(_ inverse: [Op]) {
        for id in inverse.lazy.flatMap(\.rows) {
            guard tops[id] == nil, let place = places[id] else { continue }
            var (path, top) = ([id], place)
            // Bounded: a row that came and went in one revision may be above itself.
            while let row = top.row, let higher = places[row], path.count <= places.count {
                if let known = tops[row] {
                    top = known
                    break
                }
                path.append(row)
                top = higher
            }
            for row in path { tops[row] = top }
        }
    }

    /// The place of a row; nil: the revision neither removed nor moved it.
    subscript(_ row: RowID) -> Place? { places[row] }

    /// The place above all rows above a row that the revision removed or moved: it tells the section.
    func top(of row: RowID) -> Place? { tops[row] }
}

extension Place {
    var row: RowID? {
        if case .after(let row) = self { return row }
        return nil
    }

    /// Says to people where something landed, and why there.
    func note(_ why: Astray) -> Note {
        let (place, key, id) =
            switch self {
            case .after(let id): ("after \(id.text)", "row", id)
            case .top(let id): ("top of \(id.text)", "section", id)
            }
        var values = [Row.Field(ID(key), id.text)]
        if let gone = why.gone { values.append(Row.Field("gone", gone.text)) }
        let spot = key == "row" ? "after" : "top"
        return Note("\(place): \(why.text)", Saying("\(spot).\(why.key)", values: values))
    }
}

/// Why something landed at another place than the one that was meant.
enum Astray {
    case removed(RowID), moved(RowID), pinned

    fileprivate var key: String {
        switch self {
        case .removed: "removed"
        case .moved: "moved"
        case .pinned: "pinned"
        }
    }

    fileprivate var gone: RowID? {
        switch self {
        case .removed(let row), .moved(let row): row
        case .pinned: nil
        }
    }

    fileprivate var text: String {
        switch self {
        case .removed(let row): "\(row.text) was removed"
        case .moved(let row): "\(row.text) was moved"
        case .pinned: "no row passes pinned ones"
        }
    }
}
