package import TableModel

/// The sessions of a principal's clients: a list, and where in it each client's is.
///
/// A command asks twice for its client's, so the place that was found last is kept. That is a hint, and is
/// checked.
package struct SessionList: Sendable {
    /// All of them, in any order. A session is changed where it lies: a copy would be one of all its answers.
    package internal(set) var elements: [(client: ID, session: Sessions.Session)] = []
    private var places: [ID: Int] = [:]
    private var latest = 0

    /// How many there are.
    package var count: Int { elements.count }

    /// Where this client's is; nil: it has none.
    mutating func place(of client: ID) -> Int? {
        if latest < elements.count, elements[latest].client == client { return latest }
        guard let place = places[client] else { return nil }
        latest = place
        return place
    }

    /// This client's.
    subscript(client: ID) -> Sessions.Session? { places[client].map { elements[$0].session } }

    /// Adds a client's, which has none yet; returns where it is.
    mutating func add(_ session: Sessions.Session, of client: ID) -> Int {
        latest = elements.count
        places[client] = latest
        elements.append((client, session))
        return latest
    }

    /// Takes a client's away, if it has one. The last one takes its place.
    mutating func remove(_ client: ID) {
        guard let place = places.removeValue(forKey: client) else { return }
        let last = elements.removeLast()
        if place == elements.count { return }
        elements[place] = last
        places[last.client] = place
    }
}
