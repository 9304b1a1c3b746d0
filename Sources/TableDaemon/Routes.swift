import TableModel
import TableSync
import TableTransport
import TableTurn
import TableWire

/// Where the answer of a request goes, and its encoding.
struct ReplyRoute {
    /// The peer of the ROUTER socket.
    var peer: RoutingID
    var hasDelimiter: Bool
    var form = Form.json
    /// The connection of a request whose answer may be large, or that may not be read.
    var connection = PeerGuard.Connection()
    /// The request's origin, for those whose message is gone when the audit is told of them.
    var origin = ""
    /// The sender.
    var visitor: Visitor
    /// The request as the log tells of it; nil: the log tells of none.
    var asked: AskedRequest?
}

/// A request as the log tells of it when it is answered.
final class AskedRequest {
    let beganNs = Clock.monotonicNs
    /// `request`: it could not be read.
    fileprivate(set) var verb = "request"
    fileprivate(set) var table: TableID?
    fileprivate(set) var client: ID?
    fileprivate(set) var name: ID?
    /// Whether it was to wait for something, which is no slowness.
    var isToWait = false
}

/// The requests that wait for an answer: in this turn, for the journal, or for a check. A route is a
/// number here, which is the request's own until it is answered or forgotten.
final class Routes {
    private var slots: [ReplyRoute] = []
    /// The slots that are not used.
    private var free: [Route] = []
    /// Whether the log tells of requests.
    var areLogged = false
    /// A request that is over keeps no visitor: a child is as large as its frame, and thousands of them may have
    /// sent something once.
    private let nobody = Visitor(.local)

    private static let most =
        2 * Turn.mostRequests + 2 * Checks.mostWaiting + CostlyRequests<Postponed>.most
        + Server.mostWaitingWorkers + StandbyFeed.mostWaiting

    func add(_ route: consuming ReplyRoute) -> Route {
        guard let index = free.popLast() else {
            precondition(slots.count < Self.most, "more requests than may wait")
            slots.append(route)
            return slots.count - 1
        }
        slots[index] = route
        return index
    }

    subscript(route: Route) -> ReplyRoute {
        _read { yield slots[route] }
        _modify { yield &slots[route] }
    }

    /// The request was answered, or its sender asks again.
    func forget(_ route: Route) {
        slots[route].visitor = nobody
        if areLogged { slots[route].asked = nil }
        free.append(route)
    }

    /// Says in a request who sent it. One on behalf of another, without a name, has that one's name.
    func sign(_ request: inout Request, _ route: Route) {
        let sender = slots[route].visitor.principal
        request.sender = sender
        request.isText = slots[route].form == .json
        if let behalf = sender.behalf, request.name == nil { request.name = behalf.name }
        guard areLogged, let asked = slots[route].asked else { return }
        (asked.verb, asked.table) = (request.verb.name, request.table)
        (asked.client, asked.name) = (request.client, request.name)
    }

    func sender(_ route: Route) -> RequestSender {
        RequestSender(
            slots[route].visitor.principal, connection: slots[route].peer.withBytes { Array($0) })
    }
}
