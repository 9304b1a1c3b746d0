internal import TableModel
internal import TableSync

extension Diff {
    func write<S: Sink>(to s: inout S) {
        s.head(base: base, digest: digest, cause)
        s.messages(4, "ops", ops) { $0.write(to: &$1, isInverse: false) }
        if !S.isJSON { s.fixed(5, "digestWord", digest) }
    }

    static func read<S: Source>(from s: inout S) throws(Refusal) -> Diff {
        var (base, digest, cause, ops) = (UInt64(0), UInt64?.none, Cause?.none, [Op]())
        while try s.more() {
            try s.number(1, "base", &base)
            try s.hex(2, "digest", &digest)
            try s.one(3, "cause", &cause, Cause.read(from:))
            try s.all(4, "ops", &ops) { (s) throws(Refusal) in try Op.read(from: &s).inDiff }
            try s.fixed(5, "digestWord", &digest)
        }
        guard let digest else { throw .notHex(16, "digest") }
        return Diff(base: base, digest: digest, cause: cause ?? Cause(verb: ""), ops: ops)
    }
}

extension DiffOutline {
    /// Without the ops; nil: one of them is not among the frequent ones, and the log has to look at all.
    static func read(from s: inout BinarySource) throws(Refusal) -> DiffOutline? {
        var (base, digest, cause, isFrequent) = (UInt64(0), UInt64?.none, Cause?.none, true)
        while try s.more() {
            try s.number(1, "base", &base)
            try s.one(3, "cause", &cause, Cause.read(from:))
            var ops: [Void] = []
            try s.all(4, "ops", &ops) { (s) throws(Refusal) in
                let numbers: [UInt32] = [1, 6, 3, 4, 2, 5, 12]
                guard numbers.contains(where: { s.takes($0, .length, "") }) else {
                    isFrequent = false
                    return
                }
                try s.skip(.length)
                try s.next()
                if try s.more() { isFrequent = false }
            }
            try s.fixed(5, "digestWord", &digest)
        }
        guard isFrequent, let digest, let cause else { return nil }
        return DiffOutline(base: base, digest: digest, cause: cause)
    }
}

extension Cause {
    @inline(__always)
    func write<S: Sink>(to s: inout S) {
        s.id(1, "client", client)
        s.number(2, "number", number)
        s.text(3, "verb", unlessEmpty: verb)
        s.id(4, "name", name)
        s.number(5, "timeMs", unlessZero: timeMs)
        s.number(6, "undoes", undoes)
        s.id(7, "user", user?.id)
    }

    static func read<S: Source>(from s: inout S) throws(Refusal) -> Cause {
        var (client, name, user): (ID?, ID?, ID?) = (nil, nil, nil)
        var (number, undoes): (UInt64?, UInt64?) = (nil, nil)
        var (verb, timeMs) = ("", UInt64(0))
        while try s.more() {
            try s.id(1, "client", &client)
            try s.number(2, "number", &number)
            try s.text(3, "verb", &verb)
            try s.id(4, "name", &name)
            try s.number(5, "timeMs", &timeMs)
            try s.number(6, "undoes", &undoes)
            try s.id(7, "user", &user)
        }
        return Cause(
            client: client, number: number, verb: verb, name: name, timeMs: timeMs,
            undoes: undoes, user: user.map { ProvenID($0) })
    }
}

extension Sink {
    /// The fields of a diff before its ops. Binary has the digest behind them: it is known when they are applied.
    @inline(__always)
    mutating func head(base: UInt64, digest: UInt64, _ cause: borrowing Cause) {
        number(1, "base", shown: base)
        if Self.isJSON { hex(2, "digest", digest) }
        message(3, "cause") { cause.write(to: &$0) }
    }
}

extension Item.Step {
    func write<S: Sink>(on row: RowID, to s: inout S) {
        switch self {
        case .insert(let item, let after):
            s.message(19, "insertItem", of: row) { s in
                s.message(2, "item") { item.write(to: &$0, showsTitle: S.isJSON) }
                s.id(3, "after", after)
            }
        case .remove(let item):
            s.message(20, "removeItem", of: row) { $0.id(2, "item", unlessEmpty: item) }
        case .move(let items, let after):
            s.message(21, "moveItems", of: row) { s in
                s.ids(2, "items", items)
                s.id(3, "after", after)
            }
        case .set(let item, let changes):
            s.message(22, "setItem", of: row) { s in
                changes.write(of: item, from: 2, hasDigest: true, to: &s)
            }
        }
    }

    static func take<S: Source>(from s: inout S, into op: inout Op?) throws(Refusal) {
        try s.choice(19, "insertItem", &op) { (s) throws(Refusal) in
            var (row, item, after): (ID?, Item?, ID?) = (nil, nil, nil)
            while try s.more() {
                try s.id(1, "row", &row)
                try s.one(2, "item", &item, Item.read(from:))
                try s.id(3, "after", &after)
            }
            guard let item else { throw .missing("item") }
            return .item(try s.needed(row, "row"), .insert(item, after: after))
        }
        try s.choice(20, "removeItem", &op) { (s) throws(Refusal) in
            let (row, item) = try S.rowAndItem(from: &s)
            return .item(try s.needed(row, "row"), .remove(try s.needed(item, "item")))
        }
        try s.choice(21, "moveItems", &op) { (s) throws(Refusal) in
            var (row, items, after): (ID?, [ID], ID?) = (nil, [], nil)
            while try s.more() {
                try s.id(1, "row", &row)
                try s.ids(2, "items", &items, most: .max)
                try s.id(3, "after", &after)
            }
            return .item(try s.needed(row, "row"), .move(items, after: after))
        }
        try s.choice(22, "setItem", &op) { (s) throws(Refusal) in
            var (row, item, changes) = (ID?.none, ID?.none, Item.Changes())
            while try s.more() {
                try s.id(1, "row", &row)
                try Item.Changes.take(from: 2, of: &s, item: &item, into: &changes)
            }
            return .item(try s.needed(row, "row"), .set(try s.needed(item, "item"), changes))
        }
    }
}

extension FieldWriter {
    /// One op of an inverse in its journaled form.
    mutating func write(step: Op) {
        binary { $0.message(1, "ops") { step.write(to: &$0, isInverse: true) } }
    }
}

/// Takes the ops of an inverse as they are journaled.
extension FieldWriter: InverseWriter {
    mutating func remove(_ id: RowID) { write(step: .remove(id)) }
    mutating func move(_ id: RowID, to place: Place) { write(step: .move(.one(id), place)) }
    mutating func expand(_ id: RowID, _ state: Expansion) { write(step: .expand(id, state)) }
    mutating func swipe(_ id: RowID, _ edge: Edge?) { write(step: .swipe(id, edge)) }
    mutating func set(_ id: RowID, _ changes: Command.Changes) { write(step: .set(id, changes)) }
    // An op with traces is in memory of its own, and nearly each inverse has one.
    mutating func restore(_ id: RowID, _ traces: Traces) {
        binary { $0.message(1, "ops") { $0.restore(id, traces) } }
    }

    /// As `Command.Changes`, from texts that are lent.
    mutating func set(
        _ id: RowID, title: UnsafeRawBufferPointer?, field key: ID?,
        _ value: UnsafeRawBufferPointer?
    ) {
        binary { s in
            s.message(1, "ops") { s in
                s.message(4, "set") { s in
                    s.id(1, "row", unlessEmpty: id)
                    if let title { s.text(2, "title", title) }
                    guard let key else { return }
                    guard let value else { return s.id(4, "unset", key) }
                    key.withLetters { key in s.entry(3, key) { $0.text(2, "", value) } }
                }
            }
        }
    }
}
