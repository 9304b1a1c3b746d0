internal import TableModel
internal import TableSync

// Entries of the journal, and the sessions that it keeps.

extension JournalEntry {
    static func read<S: Source>(from s: inout S) throws(Refusal) -> JournalEntry {
        var entry = JournalEntry(timeMs: 0, records: [])
        while try s.more() {
            try s.number(1, "timeMs", &entry.timeMs)
            try s.all(2, "records", &entry.records, Ready.Record.read(from:))
        }
        return entry
    }
}

extension Ready.Record {
    static func read<S: Source>(from s: inout S) throws(Refusal) -> Self {
        var record: Self?
        while try s.more() {
            try s.choice(3, "changed", &record) { (s) throws(Refusal) in
                var (table, diff, inverse): (ID?, [UInt8]?, [UInt8]?) = (nil, nil, nil)
                // Both are said in a checkpoint only.
                var (isRedo, isPartial) = (false, false)
                while try s.more() {
                    try s.id(1, "table", &table)
                    try s.bytes(2, "diff", &diff)
                    try s.bytes(3, "inverse", &inverse)
                    try s.flag(4, "redo", &isRedo)
                    try s.flag(5, "partial", &isPartial)
                }
                return .changed(try s.needed(table, "table"), diff: diff ?? [], inverse: inverse)
            }
            try s.choice(4, "answered", &record) { (s) throws(Refusal) in
                var (client, answered) = (ID?.none, Sessions.Answered())
                var (user, opened): (ID?, UInt64?) = (nil, nil)
                while try s.more() {
                    try s.id(1, "client", &client)
                    try answered.take(from: &s)
                    try s.id(5, "user", &user)
                    try s.number(6, "opened", &opened)
                }
                return .answered(
                    client: try s.needed(client, "client"), user: user.map { ProvenID($0) },
                    opened: opened, answered)
            }
            try s.choice(1, "created", &record) { (s) throws(Refusal) in
                let created = try Restored.read(from: &s)
                return .created(created.table, history: created.history)
            }
            try s.choice(2, "dropped", &record, id: { .dropped($0) })
            try s.choice(15, "forgot", &record, forgot(from:))
            try s.choice(5, "staged", &record) { (s) throws(Refusal) in
                var (client, user): (ID?, ID?) = (nil, nil)
                var (index, part): (Int, [UInt8]?) = (0, nil)
                while try s.more() {
                    try s.id(1, "client", &client)
                    try s.count(2, "index", &index)
                    try s.bytes(3, "content", &part)
                    try s.id(4, "user", &user)
                }
                return .staged(
                    client: try s.needed(client, "client"), user: user.map { ProvenID($0) },
                    index: index, part: part ?? [])
            }
            try s.choice(6, "restored", &record) { (s) throws(Refusal) in
                .restored(try s.only(1, "tables", Restored.read(from:)))
            }
            try s.choice(13, "promoted", &record) { (s) throws(Refusal) in
                var (term, histories): (UInt64, [Restored]) = (0, [])
                while try s.more() {
                    try s.number(1, "term", &term)
                    try s.all(2, "tables", &histories, Restored.read(from:))
                }
                return .promoted(term: term, histories)
            }
        }
        return try record.or(Refusal(.malformed, "The record is missing or unknown."))
    }

    private static func forgot<S: Source>(from s: inout S) throws(Refusal) -> Self {
        var (table, rows): (ID?, [RowID]) = (nil, [])
        while try s.more() {
            try s.id(1, "table", &table)
            try s.ids(2, "rows", &rows, most: .max)
        }
        return .forgot(table, rows)
    }
}

extension Ready.Record.Restored {
    static func read<S: Source>(from s: inout S) throws(Refusal) -> Self {
        var (table, history): (ID?, ID128?) = (nil, nil)
        while try s.more() {
            try s.id(1, "table", &table)
            try s.hex(2, "history", &history)
        }
        let id = try s.needed(table, "table")
        return Self(table: id, history: try history.or(.notHex(32, "history")))
    }
}

extension Sessions.Answered {
    /// In a checkpoint, where the client stands around it.
    func write<S: Sink>(to s: inout S) {
        s.number(2, "number", number)
        s.fixed(3, "requestHash", requestHash)
        s.bytes(4, "reply", reply[...])
    }

    init() { self.init(number: 0, requestHash: 0, reply: []) }

    mutating func take<S: Source>(from s: inout S) throws(Refusal) {
        var (hash, reply): (UInt64?, [UInt8]?) = (nil, nil)
        try s.number(2, "number", &number)
        try s.fixed(3, "requestHash", &hash)
        try s.bytes(4, "reply", &reply)
        if let hash { requestHash = hash }
        if let reply { self.reply = reply }
    }
}

extension Sessions.Owner {
    var text: String? {
        switch self {
        case .unknown: nil
        case .others: ""
        case .principal(let user): user.text
        case .otherChildren(let parent): parent.text + "/"
        }
    }

    /// As a checkpoint has it.
    init(_ user: String?) {
        guard let user else {
            self = .unknown
            return
        }
        // By bytes: to Swift a slash and a mark behind it are one character. No parent has a slash and no child has
        // no name, so a child's first slash is never its last byte; its name may end in one.
        let bytes = user.utf8
        if bytes.isEmpty {
            self = .others
        } else if let slash = bytes.firstIndex(of: UInt8(ascii: "/")), slash > bytes.startIndex,
            bytes.index(after: slash) == bytes.endIndex
        {
            self = .otherChildren(of: ID(String(decoding: bytes.dropLast(), as: UTF8.self)))
        } else {
            self = .principal(ID(user))
        }
    }
}
