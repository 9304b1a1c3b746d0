import SeededNumbers
import TableFiles
import TableModel
import TableSync
import TableTerminal

/// A person who does anything, anywhere: keys, the mouse, resizes. Meanwhile others change the
/// table, and the daemon comes and goes.
final class RandomHand {
    /// What the person can do.
    enum Kind: String, CaseIterable {
        case key, type, drag, click, wheel, bytes, resize, others, connection, time, paste
    }

    struct Gesture: CustomStringConvertible {
        var kind: Kind
        var text = ""
        var points: [(x: Int, y: Int)] = []
        var number = 0
        var isReleased = true
        var description: String {
            "\(kind) \(text.prefix(40).debugDescription) \(points) \(number)"
        }
    }

    let stage: Stage
    private(set) var counts: [String: Int] = [:]
    /// Gestures of the mouse that lifted or swiped something.
    private(set) var drags = 0
    /// Which screens were seen, by a word that only they have.
    private(set) var reached: Set<String> = []
    private var random: SplitMix64
    private var width = 60, height = 18

    init(seed: UInt64) throws {
        random = SplitMix64(seed: seed)
        stage = Stage(try Tables.ofLines(nil))
    }

    private func any(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    private func any<T>(_ list: [T]) -> T { list[any(0...list.count - 1)] }

    // MARK: What to do

    func gesture() -> Gesture {
        var gesture = Gesture(kind: any(Self.weighted))
        gesture.number = any(0...1_000_000)
        switch gesture.kind {
        case .key: gesture.text = any(Self.keys)
        case .type: gesture.text = any(Self.words)
        case .paste:
            gesture.text = String(
                repeating: any(["x", " ", "天", "\u{1B}[2J"]), count: any(0...5_000))
        case .drag:
            gesture.points = (0...any(1...4)).map { _ in (somewhere(width), somewhere(height)) }
            gesture.isReleased = any(0...5) > 0
        case .click, .wheel: gesture.points = [(somewhere(width), somewhere(height))]
        case .bytes:
            gesture.text =
                "\u{1B}[<\(any(Self.codes));\(any(Self.numbers));\(any(Self.numbers))\(any(["M", "m"]))"
        case .resize:
            gesture.points = [any(Self.sizes)]
            // Large screens take long to draw, and few are.
            if any(0...3) == 0 { gesture.points = [(any(16...200), any(4...60))] }
        case .others, .connection, .time: break
        }
        return gesture
    }

    private static let weighted: [Kind] =
        Array(repeating: .key, count: 12) + Array(repeating: .drag, count: 8)
        + Array(repeating: .others, count: 4)
        + [
            .type, .type, .click, .click, .wheel, .bytes, .bytes, .resize, .connection, .time,
            .paste,
        ]

    /// On the screen, at its edges, or beyond them.
    private func somewhere(_ size: Int) -> Int {
        switch any(0...9) {
        case 0: return 0
        case 1: return size - 1
        case 2: return size - 2
        case 3: return any([size, size + 1, -1, -2])
        case 4: return any([999_998, -999_999, .max, .min, .max - 1, 1 << 40])
        default: return any(0...max(1, size - 1))
        }
    }

    /// Every key of every operation except quit and suspend, and some keys of none.
    private static let keys: [String] =
        Array("jkgG[]lht+-mcuUraevExi/:?nzMjkjkmmlh ").map { String($0) }
        + [
            "\u{1B}", "\r", "\t", "\u{7F}", "\u{1}", "\u{5}", "\u{15}", "\u{17}", "\u{C}", "\u{2}",
            "\u{6}", "\u{1B}[A", "\u{1B}[B", "\u{1B}[C", "\u{1B}[D", "\u{1B}[5~", "\u{1B}[6~",
            "\u{1B}[Z", "\u{1B}[H", "\u{1B}[F", "\u{1B}[3~", "\u{1B}[2~", "\u{1B}OP", "1", "2", "3",
            "9", "y",
            "n", "\u{1B}", "\r", "é", "羊",
        ]

    private static let words = [
        "/row\r", "/nothing has it\r", "/\r", ":goto r7\r", ":section b\r", ":expand all\r",
        ":edit on\r", ":edit off\r", ":mouse on\r", ":dense\r", ":add Some more\r", ":filter x\r",
        "aA new row\r", "rj\r", "?lift\u{1B}", "m\t\t\r", "lll1y", "hhh3n", "mjjjjjjjj\r",
        "mG\u{1B}", "eTyped\u{1B}", "e and more\t7\r", "e\u{18}", ":set note=no salt\r",
        ":mark all\r", "vv\u{1B}[D1",
        "vjvm\r", ":sort -title\r", ":sort\r", "aNew\t\r",
    ]

    private static let sizes = [
        (16, 4), (17, 4), (16, 5), (20, 9), (24, 16), (30, 6), (40, 24), (60, 18), (80, 24),
        (100, 5), (200, 60), (15, 4), (16, 3), (1, 1), (-1, 0), (5, 5),
    ]

    private static let codes = [0, 32, 64, 65, 66, 67, 1, 2, 35, 36, 128, -1, 999_999_999]
    private static let numbers = [
        "0", "1", "2", "17", "200", "65535", "999999", "-1", "-5", "", "99999999999999999999", "+3",
    ]

    // MARK: Doing it

    func play(_ gesture: Gesture) {
        counts[gesture.kind.rawValue, default: 0] += 1
        switch gesture.kind {
        case .key, .type, .bytes: stage.type(gesture.text)
        case .paste: stage.type("\u{1B}[200~\(gesture.text)\u{1B}[201~")
        case .drag: drag(gesture)
        case .click:
            for action in [Mouse.Action.press, .release] {
                stage.mouse(action, gesture.points[0].x, gesture.points[0].y)
            }
        case .wheel:
            let action = [Mouse.Action.wheelUp, .wheelDown, .wheelLeft, .wheelRight, .other][
                gesture.number % 5]
            stage.mouse(action, gesture.points[0].x, gesture.points[0].y)
        case .resize:
            (width, height) = gesture.points[0]
            stage.send(.resize(width: width, height: height))
        case .others: others(gesture.number)
        case .connection: connection(gesture.number)
        case .time:
            stage.nowMs += UInt64(gesture.number % 20_000)
            stage.send(.tick(nowMs: stage.nowMs))
        }
        look()
    }

    private func drag(_ gesture: Gesture) {
        let wishes = stage.wishes.count
        // From a row, as a rule, step by step, as a hand does it; or in one leap.
        var at = gesture.points[0]
        stage.mouse(.press, at.x, at.y)
        for point in gesture.points.dropFirst() {
            // Which way it goes is settled by its first two cells.
            let isSideways = gesture.number % 2 == 0
            stage.mouse(.drag, at.x &+ (isSideways ? 2 : 0), at.y &+ (isSideways ? 0 : 2))
            stage.mouse(.drag, point.x, point.y)
            look()
            // At the edges the view is taken along.
            for _ in 0..<gesture.number % 4 {
                stage.nowMs += 17
                stage.send(.tick(nowMs: stage.nowMs))
                look()
            }
            at = point
        }
        if gesture.number % 7 == 0 { stage.type("\u{1B}") }
        if gesture.isReleased { stage.mouse(.release, at.x, at.y) }
        if stage.wishes.count > wishes { drags += 1 }
    }

    /// Draws, as the viewer does after each event.
    private func look() {
        let screen = stage.board.draw()
        let size = (min(max(1, width), 2_000), min(max(1, height), 1_000))
        precondition(screen.width == size.0 && screen.height == size.1)
        guard counts.values.reduce(0, +) % 4 == 0 else { return }
        let text = screen.text
        for word in Self.marks where text.contains(word) { reached.insert(word) }
    }

    private static let marks = [
        "──▶", "too small", "Help", "Recall", "EDIT", "new row in", "release:", " of ", "?  y yes",
        "disconnected", "no such table", "Put back", "‹",
    ]

    /// Leaves everything that is over the rows, and then the viewer.
    func leave() {
        connection(0)
        stage.type("\u{1B}\u{1B}\u{1B}\u{1B}:mouse on\rqq")
    }

    // MARK: Others

    private func others(_ number: Int) {
        let rows = stage.table.sections.flatMap { section in
            (0..<section.count).compactMap { stage.table.row(at: $0, in: section.id)?.id }
        }
        let row = rows.isEmpty ? "none" : rows[number % rows.count]
        let kind = KindID("lines\(number % 12 + 1)")
        let section: SectionID = ["a", "b", "c", "empty"][number / 7 % 4]
        let verb: Command.Verb
        switch number / 13 % 9 {
        case 0 where rows.count > 12: verb = .remove([row])
        case 1: verb = .move([row], section: section, .top, .rebase)
        case 2: verb = .edit(!stage.table.isEditing)
        case 3: verb = .swipe(row, number % 2 == 0 ? .trailing : nil)
        case 4: verb = .expand(row, nil)
        case 5: verb = .set(row, .init(title: String(repeating: "long 長い ", count: number % 60)))
        case 6: verb = .claim([row], note: "mine", ttlSeconds: nil)
        case 7:
            var lease = Lease(id: "x", holder: "Ana", rows: [row], ttlSeconds: 10)
            lease.hover = .init(section: section, number % 2 == 0 ? .top : .bottom)
            return stage.send(.company(Company(ghosts: number % 3 == 0 ? [] : [lease])))
        default:
            guard rows.count < 60 else { return }
            verb = .add(
                .init(id: ID("n\(number)"), .init(kind: kind, title: "New"), section: section))
        }
        // What is refused changes nothing.
        try? stage.perform(verb, by: "Ana")
    }

    private func connection(_ number: Int) {
        let all: [Replica.Freshness] = [
            .live, .stale(forMs: 3_000), .disconnected, .connecting, .absent,
        ]
        let new = number % 3 == 0 ? .live : all[number / 3 % all.count]
        stage.send(.leaseEnded(lease: "l1", reason: "it was not renewed in time"))
        stage.send(.connection(new))
        look()
        // What is gone comes again, or nothing would be left to play with.
        if new == .absent {
            stage.send(.connection(.live))
            stage.send(.installed(stage.table))
        }
        if number % 2 == 0 { stage.send(.connection(.live)) }
    }
}
