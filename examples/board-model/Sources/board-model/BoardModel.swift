import Observation
import TableLayout
import TableModel
import TableSync
import TableWire

/// A board as a view shows it. The connection is the app's: what the gateway's socket says goes in by `heard`, what is to be
/// said to it comes out by `say`, and `tick` is called about four times a second.
@MainActor @Observable
final class BoardModel {
    /// A row with its place.
    struct Shown: Identifiable, Equatable {
        let id: RowID
        let title: String
        let y: Double
        let height: Double
    }

    private(set) var rows: [Shown] = []
    /// Show it beside the rows: a table without rows must never look like one that is not connected.
    private(set) var freshness = Replica.Freshness.connecting
    /// The latest refusal, for people.
    private(set) var refusal: String?
    /// The width of the view, in points.
    var width = 320.0 { didSet { show() } }

    @ObservationIgnored private let replica: Replica
    @ObservationIgnored private let say: (String) -> Void
    @ObservationIgnored private var writer: Writer?
    /// The replica's questions by their numbers, which no command has.
    @ObservationIgnored private var questions: [UInt64: UInt64] = [:]
    @ObservationIgnored private var nextQuestion: UInt64 = 1 << 40
    @ObservationIgnored private var nowMs: UInt64 = 0

    init(_ table: TableID, say: @escaping (String) -> Void) {
        self.say = say
        replica = Replica(table) { Double.random(in: 0..<1) }
    }

    /// The gateway has let us in: `client` begins with the prefix that its `device` gave, `position` is that of `hello`.
    func opened(as client: ID, at position: UInt64, nowMs: UInt64) {
        self.nowMs = nowMs
        if writer == nil { writer = Writer(client: client) }
        writer?.opened(at: position)
        carryOut(replica.connection(isUp: true, nowMs: nowMs) + replica.start(nowMs: nowMs))
    }

    func closed(nowMs: UInt64) {
        self.nowMs = nowMs
        carryOut(replica.connection(isUp: false, nowMs: nowMs))
    }

    /// A text of the gateway. What cannot be read is as good as lost.
    func heard(_ text: String, nowMs: UInt64) {
        self.nowMs = nowMs
        guard let end = text.firstIndex(of: "\n") else { return }
        let body = Array(text[text.index(after: end)...].utf8)
        if text.hasPrefix("pub j/") {
            let publication = body.withUnsafeBytes { try? Decode.publication($0, form: .json) }
            if let publication { carryOut(replica.received(publication, nowMs: nowMs)) }
        } else if text.hasPrefix("reply\n") {
            let reply = body.withUnsafeBytes { try? Decode.reply($0, form: .json) }
            if let reply { answered(reply) }
        }
    }

    /// Time has passed.
    func tick(nowMs: UInt64) {
        self.nowMs = nowMs
        for request in writer?.due(nowMs: nowMs) ?? [] { send(request) }
        carryOut(replica.tick(nowMs: nowMs))
    }

    /// Has a command carried out, once: it is sent again until it is answered.
    func perform(_ command: Command) {
        guard let writer else { return }
        let request = writer.request(.command(command), table: replica.name, nowMs: nowMs)
        if writer.hasRoom(for: request.number) { send(request) }
    }

    private func answered(_ reply: Reply) {
        if let number = reply.number, let tag = questions.removeValue(forKey: number) {
            carryOut(replica.answered(reply, tag: tag, nowMs: nowMs))
        } else if writer?.answered(reply) == true {
            if case .refused(let rejection) = reply.answer { refusal = rejection.message }
        }
    }

    private func carryOut(_ steps: [Replica.Step]) {
        for step in steps {
            switch step {
            case .subscribe: say("follow \(replica.name.text)")
            case .ask(let verb, let tag):
                nextQuestion += 1
                questions[nextQuestion] = tag
                send(
                    Request(client: writer?.client, number: nextQuestion, table: replica.name, verb)
                )
            default: break
            }
        }
        show()
    }

    private func send(_ request: Request) {
        say("request\n" + String(decoding: Encode.request(request, form: .json), as: UTF8.self))
    }

    /// The view sees this. Only values that differ are set, so that only they are drawn again.
    private func show() {
        let freshness = replica.freshness(nowMs: nowMs)
        if freshness != self.freshness { self.freshness = freshness }
        var shown: [Shown] = []
        if let table = replica.table {
            let frames = TableFrames(table, widthPoints: width, nowMs: nowMs)
            shown = zip(table.rows, frames.rows).map { row, frame in
                Shown(id: row.id, title: row.content.title, y: frame.y, height: frame.height)
            }
        }
        if shown != rows { rows = shown }
    }
}
