internal import TableModel

// States of a row's own.

extension WireOwnStates {
    init(_ own: [Kind.State]) {
        states = own.map { WireKind.State($0) }
    }

    func read() throws(Rejection) -> [Kind.State] { try states.readStates() }
}

extension [WireKind.State] {
    func readStates() throws(Rejection) -> [Kind.State] {
        try readAll("states") { state throws(Rejection) in try state.read() }
    }
}

extension RequestReader {
    /// Counted before they are built.
    func ownStates(_ wire: [WireKind.State]) throws(Rejection) -> [Kind.State] {
        guard wire.count <= limits.ownStates else {
            throw .tooMuch("states", wire.count, limit: limits.ownStates, "states")
        }
        return try wire.readStates()
    }

    /// The state that a command names; absent: none.
    func state(_ text: String, _ isThere: Bool, _ field: String) throws(Rejection) -> Expansion? {
        guard isThere else { return nil }
        let state = try Expansion(read: text, field)
        if case .named(let name) = state { try name.check(limits: limits, field: field) }
        return state
    }
}
