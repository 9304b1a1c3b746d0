internal import TableModel
internal import TableSync

extension Performance {
    func write<S: Sink>(to s: inout S) {
        s.id(1, "action", unlessEmpty: action)
        s.text(2, "state", state.name)
        switch state {
        case .pending(let id): s.text(4, "invocation", id.text)
        case .done: break
        case .failed(let reason): s.text(3, "reason", reason)
        }
        s.id(70, "item", item)
    }

    static func read<S: Source>(from s: inout S) throws(Refusal) -> Performance {
        var (action, item): (ID?, ID?) = (nil, nil)
        var (word, reason): (Word?, String) = (nil, "")
        var invocation: InvocationID?
        while try s.more() {
            try s.id(1, "action", &action)
            try s.word(2, "state", &word)
            try s.text(3, "reason", &reason)
            try s.invocationID(4, "invocation", &invocation)
            try s.id(70, "item", &item)
        }
        let state: State
        switch word {
        case .pending: state = .pending(try invocation.or(.notInvocation("invocation")))
        case .done: state = .done
        case .failed: state = .failed(reason)
        case nil: throw .word(Word.allCases.map(\.rawValue), "state")
        }
        return Performance(try s.needed(action, "action"), on: item, state)
    }

    private enum Word: String, CaseIterable { case pending, done, failed }
}

extension Invocation {
    /// `isWhole`: includes the row at the press.
    func write<S: Sink>(to s: inout S, isWhole: Bool) {
        s.text(1, "id", id.text)
        s.id(2, "row", unlessEmpty: row)
        s.id(3, "action", unlessEmpty: action)
        s.id(4, "client", client)
        s.number(5, "pressedMs", pressedMs)
        s.double(6, "deadline", deadlineSeconds)
        s.effects(7, "then", then)
        s.id(8, "holder", holder)
        s.count(9, "attempts", shown: attempts)
        if isWhole, let pressed {
            s.message(10, "pressed") {
                pressed.write(to: &$0, hasVersion: true, section: section, index: index)
            }
        }
        s.hex(11, "digest", digest)
        s.id(70, "item", item)
        s.retries(71, retries)
        if let failure { s.message(72, "failure") { failure.write(to: &$0) } }
    }

    static func read<S: Source>(from s: inout S) throws(Refusal) -> Invocation {
        var (id, row, action, item) = (InvocationID?.none, ID?.none, ID?.none, ID?.none)
        var (client, holder, pressed): (ID?, ID?, PlacedRow?) = (nil, nil, nil)
        var (pressedMs, deadline, attempts) = (UInt64(0), 0.0, 0)
        var (then, digest): ([Effect], UInt64?) = ([], nil)
        var (retries, failure): (Retries?, Failure?) = (nil, nil)
        while try s.more() {
            try s.invocationID(1, "id", &id)
            try s.id(2, "row", &row)
            try s.id(3, "action", &action)
            try s.id(4, "client", &client)
            try s.number(5, "pressedMs", &pressedMs)
            try s.double(6, "deadline", &deadline)
            try s.effects(7, "then", &then)
            try s.id(8, "holder", &holder)
            try s.count(9, "attempts", &attempts)
            try s.one(10, "pressed", &pressed, PlacedRow.read(from:))
            try s.hex(11, "digest", &digest)
            try s.id(70, "item", &item)
            try s.one(71, "retries", &retries, Retries.read(from:))
            try s.one(72, "failure", &failure, Invocation.Failure.read(from:))
        }
        let invocation = Invocation(
            id: try id.or(.notInvocation("id")), row: try s.needed(row, "row"),
            action: try s.needed(action, "action"),
            item: item, client: client, pressedMs: pressedMs, deadlineSeconds: deadline, then: then,
            retries: retries ?? Retries(), holder: holder, attempts: attempts, failure: failure,
            pressed: pressed?.row, section: pressed?.section, index: pressed?.index)
        if let digest { try s.check(digest, is: invocation.digest) }
        return invocation
    }
}

extension Invocation.Failure {
    func write<S: Sink>(to s: inout S) {
        s.text(1, "reason", unlessEmpty: reason)
        s.number(2, "dueMs", dueMs)
        s.flag(3, "over", ifSet: isOver)
    }

    static func read<S: Source>(from s: inout S) throws(Refusal) -> Self {
        var failure = Self("", dueMs: 0)
        while try s.more() {
            try s.text(1, "reason", &failure.reason)
            try s.number(2, "dueMs", &failure.dueMs)
            try s.flag(3, "over", &failure.isOver)
        }
        return failure
    }
}

extension Invocation.Outcome {
    /// In the command and in the op.
    func write<S: Sink>(of id: InvocationID, to s: inout S) {
        s.text(1, "invocation", id.text)
        switch self {
        case .done: s.flag(2, "done", true)
        case .failed(let reason): s.text(3, "failed", reason)
        }
    }

    static func read<S: Source>(from s: inout S) throws(Refusal) -> (InvocationID, Self) {
        var (id, outcome): (InvocationID?, Self?) = (nil, nil)
        while try s.more() {
            try s.invocationID(1, "invocation", &id)
            try s.choice(2, "done", &outcome, chosen: .done)
            try s.choice(3, "failed", &outcome, text: { .failed($0) })
        }
        return (
            try id.or(.notInvocation("invocation")),
            try outcome.or(Refusal(.malformed, "One of: done, failed."))
        )
    }
}

extension Retries {
    static func read<S: Source>(from s: inout S) throws(Refusal) -> Retries {
        var retries = Retries()
        while try s.more() {
            try s.count(1, "attempts", &retries.attempts)
            try s.double(2, "backoff", &retries.backoffSeconds)
            try s.effects(3, "else", &retries.otherwise)
        }
        return retries
    }
}
