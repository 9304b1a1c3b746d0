package import TableModel

/// The sessions of a principal's clients: a list, and where in it each client's is.
///
/// A command asks twice for its client's, and few clients are at work at a time. So places that were found
/// lately are kept by some of their clients' bits. These are hints, and are checked.
package struct SessionList: Sendable {
    /// All of them, in any order. A session is changed where it lies: a copy would be one of all its answers.
    package internal(set) var elements: [(client: ID, session: Sessions.Session)] = []
    private var places: [ID: Int] = [:]
    private var hints = [UInt32](repeating: 0, count: mostHints)
    private static let mostHints = 256

    private static func hint(of client: borrowing ID) -> Int {
        let letters = client.shortLetters
        let mixed = ((letters?.low ?? 0) ^ (letters?.high ?? 0) &<< 5) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: mixed &>> 56)
    }

    /// How many there are.
    package var count: Int { elements.count }

    /// Where this client's is; nil: it has none.
    mutating func place(of client: ID) -> Int? {
        let hint = Self.hint(of: client)
        let known = Int(hints[hint])
        if known < elements.count, elements[known].client == client { return known }
        guard let place = places[client] else { return nil }
        hints[hint] = UInt32(truncatingIfNeeded: place)
        return place
    }

    /// This client's.
    subscript(client: ID) -> Sessions.Session? { places[client].map { elements[$0].session } }

    /// Adds a client's, which has none yet; returns where it is.
    mutating func add(_ session: Sessions.Session, of client: ID) -> Int {
        let place = elements.count
        places[client] = place
        elements.append((client, session))
        return place
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
