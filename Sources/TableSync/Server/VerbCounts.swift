public import TableModel

/// The requests and refusals of a server since its start.
public struct Counts {
    /// Refusals by code.
    public internal(set) var rejections: [Rejection.Code: UInt64] = [:]
    var verbs = VerbCounts()
    /// Requests by verb.
    public var requests: [ID: UInt64] { verbs.byName }
}

/// How often each verb was asked for: each has a place of its own, and none is looked up by its word.
struct VerbCounts {
    private var requests = CaseCounts<Request.Name>()
    private var commands = CaseCounts<Command.Name>()
    private var steps = CaseCounts<Drag.Name>()

    /// Takes the request, since a verb that is handed over is copied.
    mutating func add(_ request: Request) {
        if let command = request.verb.commandName { return commands.add(command) }
        if let step = request.verb.step { return steps.add(step) }
        requests.add(request.verb.request)
    }

    /// By `Request.Verb.name`, of those that were asked for. A table is dropped and a drag too, by the same
    /// word.
    var byName: [ID: UInt64] {
        var counts: [ID: UInt64] = [:]
        for (name, count) in requests.all { counts[ID(name.rawValue), default: 0] += count }
        for (name, count) in commands.all { counts[ID(name.rawValue), default: 0] += count }
        for (name, count) in steps.all { counts[ID(name.rawValue), default: 0] += count }
        return counts.filter { $0.value > 0 }
    }
}

/// A count for each case of an enum without values.
struct CaseCounts<Case: CaseIterable> {
    private var counts = [UInt64](repeating: 0, count: Case.allCases.count)

    mutating func add(_ one: Case) { counts[one.placeInOrder] += 1 }

    /// Each case and its count.
    var all: [(Case, UInt64)] { Case.allCases.map { ($0, counts[$0.placeInOrder]) } }
}
