/// The job of design/FIGURES.md: an ordered table of rows of 200 bytes; 50 % move, 30 % expand,
/// 15 % set (a title or a field), 5 % insert or remove.
struct Workload {
    /// One command, before it is put into anybody's words.
    enum Action {
        case move(row: Int, after: Int)
        case expand(row: Int)
        case set(row: Int, title: [UInt8])
        /// The row's field.
        case setNote(row: Int, note: [UInt8])
        case insert(id: [UInt8], after: Int)
        case remove(id: [UInt8])
    }

    static let titleBytes = 40
    static let noteBytes = 160
    static let rowBytes = titleBytes + noteBytes

    private let rows: Int
    private let name: String
    private var random: Random
    /// The row that this client inserted and has not removed yet: no other client names it.
    private var inserted: [UInt8]?
    private var insertions = 0

    /// `name` is the client's own.
    init(rows: Int, name: String, seed: UInt64) {
        self.rows = rows
        self.name = name
        random = Random(seed: seed)
    }

    mutating func next() -> Action {
        let row = random.below(rows)
        switch random.below(100) {
        case 0..<50:
            let after = random.below(rows)
            return .move(row: row, after: after == row ? (row + 1) % rows : after)
        case 50..<80: return .expand(row: row)
        case 80..<87: return .set(row: row, title: random.letters(Self.titleBytes))
        case 87..<95: return .setNote(row: row, note: random.letters(Self.noteBytes))
        default:
            if let id = inserted {
                inserted = nil
                return .remove(id: id)
            }
            insertions += 1
            let id = Array("\(name).\(insertions)".utf8)
            inserted = id
            return .insert(id: id, after: row)
        }
    }

    /// The id of a row that stands from the beginning.
    static func id(_ row: Int) -> [UInt8] {
        var id = Array("r0000000".utf8)
        var rest = row
        var place = id.count - 1
        while rest > 0, place > 0 {
            id[place] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
            place -= 1
        }
        return id
    }

    static let note = [UInt8](repeating: UInt8(ascii: "n"), count: noteBytes)
    static let title = [UInt8](repeating: UInt8(ascii: "t"), count: titleBytes)
}

/// SplitMix64: the same commands in every run with the same seed.
struct Random {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ bound: Int) -> Int {
        Int(next().multipliedFullWidth(by: UInt64(bound)).high)
    }

    mutating func letters(_ count: Int) -> [UInt8] {
        var word: UInt64 = 0
        return (0..<count).map { index in
            if index % 8 == 0 { word = next() }
            defer { word >>= 8 }
            return UInt8(ascii: "a") + UInt8(word & 0xf)
        }
    }
}
