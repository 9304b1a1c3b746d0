import TableModel
import TableSync

/// The sender of a question that is answered between turns, perhaps many turns later.
struct Asker {
    var route: Route
    let request: Request

    /// Whether the same client asks what it has asked before: it wants one answer.
    func repeats(_ other: Asker) -> Bool {
        request.client != nil && request.client == other.request.client
            && request.sender == other.request.sender && request.table == other.request.table
            && request.verb == other.request.verb
    }
}

/// Questions that wait to be answered one at a time.
struct WaitingQuestions {
    let most: Int
    /// One principal and its children leave room for others.
    let mostOfOne: Int
    var askers: [Asker] = []
    /// Whose turn it was last: others come first.
    private var last: Principal.Proof?

    init(most: Int, mostOfOne: Int) { (self.most, self.mostOfOne) = (most, mostOfOne) }

    /// The place of a new question.
    enum Place {
        case taken
        case full
        /// It takes the place of an equal question of the same client, which is not answered.
        case instead(of: Route)
    }

    mutating func ask(_ asker: Asker) -> Place {
        if let same = askers.firstIndex(where: asker.repeats) {
            let old = askers[same].route
            askers[same] = asker
            return .instead(of: old)
        }
        // A principal that invents children has no more places than another.
        let own = askers.count { $0.request.sender.proof == asker.request.sender.proof }
        guard askers.count < most, own < mostOfOne else { return .full }
        askers.append(asker)
        return .taken
    }

    mutating func takeNext() -> Asker? {
        let other = askers.firstIndex { $0.request.sender.proof != last }
        guard let place = other ?? askers.indices.first else { return nil }
        last = askers[place].request.sender.proof
        return askers.remove(at: place)
    }
}
