internal import TableModel
internal import TableSync

extension Drag {
    func write<S: Sink>(to s: inout S) {
        switch self {
        case .lift(let rows, let ttl):
            s.message(1, "lift") { s in
                s.ids(1, "rows", rows)
                s.double(2, "ttl", ttl)
            }
        case .hover(let lease, let section, let anchor):
            s.message(2, "hover") { s in
                s.id(1, "lease", unlessEmpty: lease)
                s.id(2, "section", section)
                s.anchor(from: 3, anchor)
            }
        case .drop(let lease, let section, let anchor, let policy):
            s.message(3, "drop") { s in
                s.id(1, "lease", unlessEmpty: lease)
                s.message(2, "to") { $0.move(.none, section, anchor, policy) }
            }
        case .cancel(let lease): s.id(4, "cancel", lease)
        case .renew(let lease): s.id(5, "renew", lease)
        }
    }

    static func read<S: Source>(from s: inout S) throws(Refusal) -> Drag {
        var drag: Drag?
        while try s.more() {
            try s.choice(1, "lift", &drag) { (s) throws(Refusal) in
                var (rows, ttl): ([ID], Double?) = ([], nil)
                while try s.more() {
                    try s.ids(1, "rows", &rows, most: .max)
                    try s.double(2, "ttl", &ttl)
                }
                if rows.isEmpty { throw .missing("rows") }
                return .lift(rows, ttlSeconds: ttl ?? Drag.defaultTTLSeconds)
            }
            try s.choice(2, "hover", &drag) { (s) throws(Refusal) in
                var (lease, section, anchor): (ID?, ID?, Anchor?) = (nil, nil, nil)
                while try s.more() {
                    try s.madeID(1, "lease", &lease)
                    try s.id(2, "section", &section)
                    try s.anchor(from: 3, &anchor)
                }
                let id = try s.needed(lease, "lease")
                return .hover(lease: id, section: section, try anchor.or(.noAnchor))
            }
            try s.choice(3, "drop", &drag, drop(from:))
            try s.choice(4, "cancel", &drag, made: { .cancel(lease: $0) })
            try s.choice(5, "renew", &drag, made: { .renew(lease: $0) })
        }
        return try drag.or(Refusal(.malformed, "One of: lift, hover, drop, cancel, renew."))
    }

    private static func drop<S: Source>(from s: inout S) throws(Refusal) -> Drag {
        var (lease, to): (ID?, Command.Movement?) = (nil, nil)
        while try s.more() {
            try s.madeID(1, "lease", &lease)
            try s.one(2, "to", &to, Command.Movement.read(from:))
        }
        let id = try s.needed(lease, "lease")
        guard let to else { throw Refusal.noAnchor.within("to") }
        return .drop(lease: id, section: to.section, to.anchor, to.policy)
    }
}

extension Source {
    fileprivate mutating func choice<T>(
        _ number: UInt32, _ name: StaticString, _ value: inout T?, made make: (ID) -> T
    ) throws(Refusal) {
        guard takes(number, .length, name) else { return }
        if Self.isJSON, value != nil { throw .twice(name) }
        value = make(try madeID(name))
        try next()
    }
}

extension Refusal {
    static var noAnchor: Refusal { Refusal(.malformed, "One of: top, bottom, before, after.") }
}
