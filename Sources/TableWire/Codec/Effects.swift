internal import TableModel

extension Effect {
    func write<S: Sink>(to s: inout S) {
        switch self {
        case .remove: s.flag(1, "remove", true)
        case .move(let section, let anchor):
            s.message(2, "move") { s in
                s.id(1, "section", section)
                s.anchor(from: 2, anchor)
            }
        case .set(let fields): s.message(3, "set") { $0.map(1, "fields", fields) }
        case .toggle: s.text(4, "expand", "toggle")
        case .expand(let state): s.text(4, "expand", state.text)
        case .invoke(let deadline, let then, let retries):
            s.message(5, "invoke") { s in
                s.double(1, "deadline", deadline)
                s.effects(2, "then", then)
                s.retries(3, retries)
            }
        case .fill(let fields): s.message(40, "fill") { $0.map(1, "fields", fields) }
        case .increment(let increments):
            let by = increments.map { ($0.key.text, $0.by) }
            s.message(41, "increment") { s in
                s.map(1, "by", Dictionary(by, uniquingKeysWith: { $1 })) { $1.signed(2, "", $0) }
            }
        case .removeItem: s.flag(70, "removeItem", true)
        case .unset(let keys): s.message(77, "unset") { $0.ids(1, "keys", keys) }
        case .kind(let kind): s.id(78, "kind", kind)
        case .moveBack: s.flag(79, "moveBack", true)
        case .group(let effects): s.message(80, "group") { $0.effects(1, "effects", effects) }
        case .setItem(let fields): s.message(71, "setItem") { $0.map(1, "fields", fields) }
        case .snooze(let milliseconds, let isToTop):
            s.message(74, "snooze") { s in
                s.number(1, "forMs", shown: milliseconds)
                s.flag(2, "top", ifSet: isToTop)
            }
        }
    }

    static func read<S: Source>(from s: inout S) throws(Refusal) -> Effect {
        var effect: Effect?
        while try s.more() {
            try s.choice(1, "remove", &effect, chosen: .remove)
            try s.choice(2, "move", &effect, move(from:))
            try s.choice(3, "set", &effect) { (s) throws(Refusal) in .set(try fields(from: &s)) }
            if s.takes(4, .length, "expand") {
                if S.isJSON, effect != nil { throw .twice("expand") }
                let state = try s.takeState("expand")
                effect = state.text == "toggle" ? .toggle : .expand(state)
            }
            try s.choice(5, "invoke", &effect, invoke(from:))
            try s.choice(40, "fill", &effect, fields(from:)) { .fill($0) }
            try s.choice(41, "increment", &effect, increment(from:))
            try s.choice(70, "removeItem", &effect, chosen: .removeItem)
            try s.choice(71, "setItem", &effect, fields(from:)) { .setItem($0) }
            try s.choice(77, "unset", &effect, unset(from:))
            try s.choice(78, "kind", &effect, id: { .kind($0) })
            try s.choice(79, "moveBack", &effect, chosen: .moveBack)
            try s.choice(80, "group", &effect) { (s) throws(Refusal) in
                var effects: [Effect] = []
                while try s.more() { try s.effects(1, "effects", &effects) }
                return .group(effects)
            }
            try s.choice(74, "snooze", &effect) { (s) throws(Refusal) in
                var (forMs, isToTop) = (UInt64(0), false)
                while try s.more() {
                    try s.number(1, "forMs", &forMs)
                    try s.flag(2, "top", &isToTop)
                }
                return .snooze(milliseconds: forMs, isToTop: isToTop)
            }
        }
        return try effect.or(Refusal(.malformed, "The effect is missing or unknown."))
    }

    private static func move<S: Source>(from s: inout S) throws(Refusal) -> Effect {
        var (section, anchor): (ID?, Anchor?) = (nil, nil)
        while try s.more() {
            try s.id(1, "section", &section)
            try s.anchor(from: 2, &anchor)
        }
        return .move(section: section, anchor ?? .bottom)
    }

    private static func unset<S: Source>(from s: inout S) throws(Refusal) -> Effect {
        var keys: [ID] = []
        let most = s.bounds.fields
        while try s.more() { try s.ids(1, "keys", &keys, most: most) }
        return .unset(keys)
    }

    private static func fields<S: Source>(from s: inout S) throws(Refusal) -> [Row.Field] {
        var fields: [Row.Field] = []
        while try s.more() { try s.map(1, "fields", &fields) }
        return fields
    }

    private static func invoke<S: Source>(from s: inout S) throws(Refusal) -> Effect {
        var (deadline, then, retries): (Double?, [Effect], Retries?) = (nil, [], nil)
        while try s.more() {
            try s.double(1, "deadline", &deadline)
            try s.effects(2, "then", &then)
            try s.one(3, "retries", &retries, Retries.read(from:))
        }
        return .invoke(
            deadlineSeconds: try deadline.or(.missing("deadline")), then: then,
            retries: retries ?? Retries())
    }

    private static func increment<S: Source>(from s: inout S) throws(Refusal) -> Effect {
        var by: [ID: Int64] = [:]
        while try s.more() {
            try s.map(1, .number, "by") { (key, hasValue, s) throws(Refusal) in
                by[try s.key(key, "")] = hasValue ? try s.signed() : 0
            }
        }
        let sorted = by.sorted { $0.key < $1.key }
        return .increment(sorted.map { Increment($0.key, by: $0.value) })
    }
}

extension Sink {
    mutating func effects(_ number: UInt64, _ name: StaticString, _ effects: [Effect]) {
        messages(number, name, effects) { $0.write(to: &$1) }
    }

    /// Nothing, if one failure is the end and nothing follows.
    mutating func retries(_ number: UInt64, _ retries: Retries) {
        if retries == Retries() { return }
        message(number, "retries") { s in
            s.count(1, "attempts", retries.attempts)
            s.double(2, "backoff", retries.backoffSeconds)
            s.effects(3, "else", retries.otherwise)
        }
    }

    mutating func states(_ number: UInt64, _ states: [Kind.State]) {
        messages(number, "states", states) { state, s in
            s.text(1, "name", unlessEmpty: state.expansion.text)
            if case .named(_, let points) = state { s.double(2, "height", points) }
        }
    }

    @inline(__always)
    mutating func anchor(from number: UInt64, _ anchor: Anchor) {
        switch anchor {
        case .top: flag(number, "top", true)
        case .bottom: flag(number + 1, "bottom", true)
        case .before(let row): id(number + 2, "before", row)
        case .after(let row): id(number + 3, "after", row)
        }
    }
}
