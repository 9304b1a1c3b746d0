public import TableSync
import TableWire

/// Which of several daemons, that are one service, the gateway speaks to. It sits at the one that writes,
/// since pages write. It leaves one that is silent, gone or out of touch.
public struct DaemonChoice: Sendable {
    /// All that were named, in that order.
    public let endpoints: [String]
    private var place = 0
    /// When the present one was turned to, or last heard.
    private var heardAtMs = 0
    /// Turns since a leader was found: after a round of them there is a rest.
    private var turns = 0
    private var notBeforeMs = 0
    /// When one was left because it was silent, gone or out of touch. Others believe for the time of a lease
    /// that it still writes.
    private var leftAtMs: [String: Int] = [:]

    /// One that answers nothing for so long is left. Its answers come twice a second.
    static let patienceMs = 1_500
    /// Between two rounds.
    static let restMs = 500
    /// Where all of a round answer and none writes, or the one that does goes by a name that is not in the
    /// list, going on and on would cost each page an offer.
    static let longRestMs = 5_000
    /// For so long nobody's word leads back to one that was left.
    static let leftMs = 2_000

    /// The endpoints, with commas between them.
    public init(_ list: String) {
        endpoints = list.split(separator: ",").map { String($0.drop { $0 == " " }) }
    }

    /// The one that is spoken to.
    public var present: String { endpoints[place] }
    /// Whether there is another one to go to.
    public var areSeveral: Bool { endpoints.count > 1 }

    /// It has answered.
    public mutating func heard(nowMs: Int) { heardAtMs = max(heardAtMs, nowMs) }

    /// Its `health`. True: another one is spoken to now.
    public mutating func heard(_ health: Health, nowMs: Int) -> Bool {
        heard(nowMs: nowMs)
        guard let cluster = health.cluster else { return false }
        if cluster.isOutOfTouch { return leave(nowMs) }
        guard cluster.role != "leader" else {
            turns = 0
            return false
        }
        return isStandby(of: cluster.leader, nowMs: nowMs)
    }

    /// It follows the daemon with these endpoints; none: nobody writes yet, and it may be the next one to.
    public mutating func isStandby(of leader: [String], nowMs: Int) -> Bool {
        if leader.isEmpty || leader.contains(present) { return false }
        guard let named = endpoints.first(where: { leader.contains($0) }) else {
            return turn(to: nil, restMs: Self.longRestMs, nowMs)
        }
        if let leftMs = leftAtMs[named], nowMs - leftMs < Self.leftMs { return false }
        return turn(to: named, restMs: Self.restMs, nowMs)
    }

    /// It has said that its term is older than another one's.
    public mutating func isOutdated(nowMs: Int) -> Bool { leave(nowMs) }

    /// The connection to this endpoint has ended, or could not be made.
    public mutating func failed(_ endpoint: String, nowMs: Int) -> Bool {
        endpoint == present && leave(nowMs)
    }

    /// Looks at the clock.
    public mutating func tick(nowMs: Int) -> Bool {
        nowMs - heardAtMs > Self.patienceMs && leave(nowMs)
    }

    private mutating func leave(_ nowMs: Int) -> Bool {
        leftAtMs[present] = nowMs
        return turn(to: nil, restMs: Self.restMs, nowMs)
    }

    private mutating func turn(to name: String?, restMs: Int, _ nowMs: Int) -> Bool {
        guard areSeveral, nowMs >= notBeforeMs else { return false }
        let named = name.flatMap { endpoints.firstIndex(of: $0) }
        place = named ?? (place + 1) % endpoints.count
        heardAtMs = nowMs
        turns += 1
        if turns >= endpoints.count {
            turns = 0
            notBeforeMs = nowMs + restMs
        }
        return true
    }
}

extension DaemonChoice {
    /// The endpoints of the leader, out of a reply of a standby.
    public static func leader(in reply: [UInt8]) -> [String]? {
        guard let error = JSONMembers.find("error", in: reply, before: ["rows", "snapshot"]),
            let code = JSONMembers.find("code", in: reply, error),
            JSONMembers.text(reply, code) == "notLeader",
            case .refused(let rejection) = answer(reply)
        else { return nil }
        return rejection.endpoints
    }

    /// The daemon's health, out of a reply.
    public static func health(in reply: [UInt8]) -> Health? {
        guard case .health(let health) = answer(reply) else { return nil }
        return health
    }

    private static func answer(_ reply: [UInt8]) -> Reply.Answer? {
        reply.withUnsafeBytes { try? Decode.reply($0, form: .json) }?.answer
    }
}
