import TableModel
import TableSync

/// What nearly all diffs are made of, and bytes that were changed on their way.
enum Frequent {
    static let row = Row(
        id: "r1", content: .init(title: "Milk", fields: [.init("note", "n"), .init("x", "")]),
        version: 7, createdMs: 1_700_000_000_000, expansion: .expanded, swipe: .leading,
        changedMs: 3, movedMs: 4)

    static let ops: [Op] = [
        .insert(row, .after("a")), .insert(Row(id: "b", content: .init()), .top("main")),
        .remove("a"), .move(["a", "b"], .after("c")), .move(["a"], .top("s")),
        .set("a", .init(title: "", kind: "k", fields: [.init("x", "y")], unset: ["z"])),
        .set("a", .init(title: "\u{1}\"\\é\u{9F}\u{7F}\n日🧵")), .swipe("a", nil),
        .swipe("a", .trailing), .expand("a", .collapsed), .expand("a", .height(80)),
        .expand("a", .named("half")),
    ]
    static let cause = Cause(
        client: "w1", number: 4, verb: "batch", name: "Ada", timeMs: 9, undoes: 2,
        user: "ada-1")
}

extension Generator {
    /// Changes, removes or doubles bytes, or puts one of the pieces in.
    mutating func mutate(_ bytes: inout [UInt8], pieces: [String] = []) {
        guard bytes.count > 1 else { return }
        let place = below(bytes.count)
        let end = place + below(min(12, bytes.count - place)) + 1
        switch below(4) {
        case 0: bytes[place] = UInt8(truncatingIfNeeded: next())
        case 1: bytes.removeSubrange(place..<end)
        case 2: bytes.insert(contentsOf: Array(bytes[place..<end]), at: place)
        default:
            if pieces.isEmpty {
                bytes[place] ^= 0x80
            } else {
                bytes.insert(contentsOf: pieces[below(pieces.count)].utf8, at: place)
            }
        }
    }
}
