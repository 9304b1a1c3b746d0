import Glibc
import TableClient
import TableModel
import TableSync
import TableTransport

/// `watch` for people: the table drawn anew at each change, with a line that says how fresh it is.
final class WatchScreen {
    private let follower: Follower
    private let painter: ScreenPainter
    private var left: Int?
    private var note: String?

    init(_ follower: Follower, isWide: Bool, count: Int?) {
        self.follower = follower
        painter = ScreenPainter(isWide: isWide)
        left = count
    }

    func run(until end: Deadline) throws {
        var wasThere = false
        while true {
            let steps = try follower.next(withinMilliseconds: 200)
            for step in steps {
                switch step {
                case .installed: wasThere = true
                case .applied: left = left.map { max(0, $0 - 1) }
                case .absent:
                    if !wasThere { throw WatchVerb.absent(follower.replica.name, wasThere: false) }
                case .compared(.rolledBack): note = "the daemon has lost revisions"
                case .compared(.diverged): note = "the daemon has another history"
                case .mismatch: note = "what was held was wrong, and was fetched anew"
                case .compared, .subscribe, .ask: break
                }
            }
            try draw()
            guard left == 0 || end.hasPassed else {
                // A stream of changes is drawn at the eye's pace.
                if !steps.isEmpty { usleep(30_000) }
                continue
            }
            try painter.end(follower.replica.table, status: status)
            if left == 0 { return }
            return try WatchVerb.timedOut(left)
        }
    }

    private func draw() throws(Failure) { try painter.draw(follower.replica.table, status: status) }

    private var status: String {
        let name = follower.replica.name.text
        let revision = follower.replica.table.map { " at revision \($0.revision)" } ?? ""
        let state: String
        switch follower.freshness {
        case .connecting: state = "connecting"
        case .live: state = "live"
        case .stale(let ms) where ms < 1_000: state = "catching up"
        case .stale(let ms): state = "stale: nothing heard for \(ms / 1_000) s"
        case .disconnected: state = "not connected"
        case .absent: state = "there is no such table any more"
        }
        return "\(name)\(revision): \(state)" + (note.map { " (\($0))" } ?? "")
    }
}

/// Draws a table on the terminal, over what was drawn before.
final class ScreenPainter {
    private let isWide: Bool
    private var shown: [String] = []
    private let output = LineOutput(1, room: .max)

    init(isWide: Bool) { self.isWide = isWide }

    func draw(_ table: Table?, status: String) throws(Failure) {
        // A terminal that was stopped, or is slow, misses this one, and gets the newest when it is ready.
        output.flush()
        guard output.isEmpty, output.code == 0 else { return try Output.met(output.code) }
        let size = Output.size ?? (24, 80)
        let room = max(1, size.rows - 3)
        var lines: [TextLine] = []
        if let table {
            // Headings take lines too; what does not fit is cut off below.
            lines = TableText.lines(of: table, isWide: isWide, limit: room, width: size.columns)
            if lines.count > room { lines = Array(lines.prefix(room)) }
        }
        lines += [TextLine(""), TextLine(status, .faint)]
        let rendered = lines.map {
            TextLine($0.text.shown.clipped(to: size.columns), $0.style).rendered
        }
        guard rendered != shown else { return }
        shown = rendered
        // Home, then each line to its end, then what is left below: nothing flickers.
        let text = rendered.map { $0 + "\u{1B}[K\r\n" }.joined()
        output.add("\u{1B}[H\(text)\u{1B}[J".utf8)
    }

    /// Draws what stays on the terminal, once that takes it; one that was stopped is waited for only a moment.
    func end(_ table: Table?, status: String) throws(Failure) {
        for _ in 0..<2 {
            try draw(table, status: status)
            let end = Deadline(inMilliseconds: 500)
            output.finish { !end.hasPassed }
        }
    }
}
