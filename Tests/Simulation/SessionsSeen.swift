package import TableModel
package import TableSync

extension Sessions {
    /// The sessions by client id.
    package var byClient: [ID: Session] {
        Dictionary(uniqueKeysWithValues: list.elements.map { ($0.client, $0.session) })
    }

    /// Remembers an answer.
    package mutating func remember(
        _ answer: Answered, client: ID, opened: UInt64?, position: UInt64, within bounds: Bounds
    ) {
        _ = answer.reply.withUnsafeBytes {
            remember(
                answer.number, answer.requestHash, $0, client: client, opened: opened,
                position: position, within: bounds)
        }
    }
}

extension SessionBook {
    /// The newest position at which a forgotten session was used.
    package var evictedTo: UInt64 { all.reduce(0) { max($0, $1.sessions.evictedTo) } }

    /// Everybody's who has any.
    package var byOwner: [Sessions.Owner: [ID: Sessions.Session]] {
        var found: [Sessions.Owner: [ID: Sessions.Session]] = [:]
        for (owner, sessions) in all where sessions.list.count > 0 {
            found[owner] = sessions.byClient
        }
        return found
    }
}
