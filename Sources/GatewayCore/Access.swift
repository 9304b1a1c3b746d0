public import TableModel
import TableSync
import TableWire

/// The decision on a page's request: it goes on, or the gateway answers it.
public enum Access {
    /// Reads a request by the daemon's own reader, so that both read the same. One that goes on has a client, to
    /// whose page the reply goes. The refusal is a reply of the daemon's shape.
    public static func check(
        _ body: [UInt8], of device: Device, limits: Limits, epoch: ID128
    ) -> Result<String, Refusal> {
        let decoded = body.withUnsafeBytes { Decode.request($0, form: .json, limits: limits) }
        let rejection: Rejection
        switch decoded.result {
        case .failure(let failure): rejection = failure
        case .success(let request):
            guard let why = fault(of: request, device) else {
                return .success(request.client?.text ?? "")
            }
            rejection = why
        }
        let sender = sender(of: body)
        let reply = Reply(
            client: decoded.client ?? sender.client.map { ID($0) },
            number: decoded.number ?? sender.number, epoch: epoch, .refused(rejection))
        return .failure(Refusal(reply: Encode.reply(reply, form: .json), code: rejection.code))
    }

    /// The sender of a request that cannot be read as a whole, so that the page knows which of its requests it was.
    private static func sender(of body: [UInt8]) -> (client: String?, number: UInt64?) {
        guard body.count <= 1 << 20 else { return (nil, nil) }
        let client = JSONMembers.find("client", in: body).flatMap { JSONMembers.text(body, $0) }
        let number = JSONMembers.find("number", in: body).flatMap { JSONMembers.number(body, $0) }
        guard let client, client.utf8.count <= 128 else { return (nil, number) }
        return (client, number)
    }

    /// Why this device may not send it.
    static func fault(of request: Request, _ device: Device) -> Rejection? {
        guard let client = request.client, client.text.utf8.starts(with: device.prefix.utf8),
            request.number != nil
        else {
            return Rejection(
                .notAllowed, "A client of this device begins with \(device.prefix).",
                field: "client")
        }
        // By bytes, as names are: what only looks the same is somebody else.
        if let name = request.name, name != ID(device.name) {
            return Rejection(
                .notAllowed, "This device acts as \(device.name) and nobody else.", field: "name")
        }
        if let table = request.table, !device.mayKnow(table.text) {
            return Rejection(.notAllowed, "This device may not see that table.", field: "table")
        }
        // What concerns all tables is for those who may see all.
        let verb = request.verb.request
        let isAboutAll = request.table == nil || !verb.description.needsTable
        if isAboutAll, ![.tables, .hello].contains(verb), !device.knowsAllTables {
            return Rejection(
                .notAllowed, "This device may see some tables only.", field: verb.rawValue)
        }
        let needed = request.verb.rights
        guard device.role.rights.isSuperset(of: needed) else {
            return Rejection(
                .notAllowed,
                "This device has the role \(device.role.rawValue). "
                    + "That needs the role \(Role.least(for: needed).rawValue).",
                field: request.verb.name, saying: Saying("role"))
        }
        return nil
    }

    /// A reply without the tables that the device may not know of; nil: it lists tables in a way that is not
    /// known here.
    ///
    /// By what the reply is, not by what was asked: who asks may mix up the order.
    public static func filtered(_ reply: [UInt8], for device: Device) -> [UInt8]? {
        if device.knowsAllTables || JSONMembers.find("tables", in: reply) == nil { return reply }
        guard
            var decoded = reply.withUnsafeBytes({ bytes in try? Decode.reply(bytes, form: .json) }),
            case .tables(let all) = decoded.answer
        else { return nil }
        decoded.answer = .tables(all.filter { device.mayKnow($0.table.text) })
        return Encode.reply(decoded, form: .json)
    }
}

/// A request that does not go on.
public struct Refusal: Error, Sendable {
    /// The reply that its page gets.
    public var reply: [UInt8]
    /// For the counters.
    public var code: Rejection.Code
}
