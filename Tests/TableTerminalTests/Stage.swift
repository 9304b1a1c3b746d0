import Foundation
import TableFiles
import TableDecisions
import TableModel
import TableTerminal
import Testing

/// A board under test: keys and mouse go in, screens and intents come out. Intents are carried out
/// as a daemon would, by `reduce`, unless a test says otherwise.
final class Stage {
    let board: Board
    let table: Table
    private(set) var wishes: [Intent.Wish] = []
    var answers = true
    private var reader = InputReader()
    var nowMs: UInt64 = 1_000_000_000
    static let client: ID = "me"

    init(
        _ table: Table, width: Int = 60, height: Int = 18, isDense: Bool = false,
        station: Station = Station(), words: Wording = .english, zoneSeconds: Int = 0
    ) {
        self.table = table
        var setup = Board.Setup(name: "board")
        setup.zoneSeconds = zoneSeconds
        setup.client = Self.client
        setup.endpoint = "ipc:///run/trestle/request.sock"
        setup.isDense = isDense
        setup.station = station
        setup.words = words
        board = Board(setup)
        send(.tick(nowMs: nowMs))
        send(.resize(width: width, height: height))
        send(.installed(table))
        send(.connection(.live))
    }

    func send(_ event: Event) {
        for intent in board.handle(event) {
            wishes.append(intent.wish)
            if answers { answer(intent) }
        }
    }

    /// Sends bytes as a terminal does.
    func type(_ text: String) {
        for input in reader.feed(Array(text.utf8)) { send(.input(input)) }
        for input in reader.flush() { send(.input(input)) }
    }

    func mouse(_ action: Mouse.Action, _ x: Int, _ y: Int) {
        send(.input(.mouse(Mouse(action, x: x, y: y))))
    }

    func drag(_ from: (Int, Int), _ to: (Int, Int), release: Bool = true) {
        var (x, y) = from
        mouse(.press, x, y)
        while x != to.0 || y != to.1 {
            x += (to.0 - x).signum()
            y += (to.1 - y).signum()
            mouse(.drag, x, y)
        }
        if release { mouse(.release, x, y) }
    }

    var screen: String { board.draw().text }
    func line(_ text: String) -> Int {
        screen.split(separator: "\n", omittingEmptySubsequences: false)
            .firstIndex { $0.contains(text) } ?? -1
    }

    // MARK: The daemon

    /// `undoes`: makes it an undo of that revision, or a redo of that undo.
    func perform(
        _ verb: Command.Verb, by client: ID? = nil, undoes: UInt64? = nil, as name: String? = nil,
        ifVersion version: UInt64? = nil
    ) throws {
        let command = Command(verb, ifVersion: version)
        let plan = try reduce(
            command, on: table, limits: Limits(), nowMs: nowMs, client: client
        ).get()
        let cause = Cause(
            client: client, number: 1, verb: name ?? command.name, undoes: undoes)
        if let diff = table.apply(plan, cause: cause) { send(.changed([diff])) }
    }

    private func perform(batch: [Command]) throws {
        let plan = try reduce(
            batch: batch, on: table, limits: Limits(), nowMs: nowMs, client: Self.client
        ).get()
        let cause = Cause(client: Self.client, number: 1, verb: "batch")
        if let diff = table.apply(plan, cause: cause) { send(.changed([diff])) }
    }

    private func answer(_ intent: Intent) {
        if case .lift = intent.wish {
            return send(.answered(intent.number, .lifted(lease: "l1")))
        }
        if case .batch(let commands) = intent.wish {
            do {
                try perform(batch: commands)
                send(.answered(intent.number, .done(nil)))
            } catch let rejection as Rejection {
                send(.answered(intent.number, .refused(rejection.message)))
            } catch { Issue.record("\(error)") }
            return
        }
        guard let (verb, version) = command(for: intent.wish) else {
            return send(.answered(intent.number, .done(nil)))
        }
        do {
            try perform(verb, by: Self.client, ifVersion: version)
            send(.answered(intent.number, .done(nil)))
        } catch let rejection as Rejection {
            send(.answered(intent.number, .refused(rejection.message)))
        } catch { Issue.record("\(error)") }
    }

    /// The command that the stage carries out for a wish; nil: it only says that it is done.
    private func command(for wish: Intent.Wish) -> (Command.Verb, ifVersion: UInt64?)? {
        switch wish {
        case .drop(_, let rows, let anchor, let section):
            return (.move(Few(rows), section: section, anchor, .rebase), nil)
        case .batch, .lift, .hover, .cancel, .mouse, .redraw, .suspend, .quit, .table, .story:
            return nil
        case .command(let verb, let version):
            if [.undo, .redo, .recall, .claim, .unclaim].contains(verb.name) { return nil }
            guard case .add(var add) = verb else {
                return (verb, verb.name == .act ? nil : version)
            }
            add.id = "new"
            return (.add(add), nil)
        }
    }
}

extension Screen {
    /// The screen as text, line by line, without blanks at the ends.
    var text: String {
        (0..<height).map { line in
            var text = self[line].map(\.text).joined()
            while text.last == " " { text.removeLast() }
            return text + "\n"
        }.joined()
    }
}
