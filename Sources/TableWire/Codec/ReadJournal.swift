internal import TableModel
internal import TableSync

// Entries of the journal and parts of checkpoints.

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
    fileprivate static func read<S: Source>(from s: inout S) throws(Refusal) -> Self {
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
}

extension Ready.Record {
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
    fileprivate static func read<S: Source>(from s: inout S) throws(Refusal) -> Self {
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
    fileprivate init() { self.init(number: 0, requestHash: 0, reply: []) }

    fileprivate mutating func take<S: Source>(from s: inout S) throws(Refusal) {
        var (hash, reply): (UInt64?, [UInt8]?) = (nil, nil)
        try s.number(2, "number", &number)
        try s.fixed(3, "requestHash", &hash)
        try s.bytes(4, "reply", &reply)
        if let hash { requestHash = hash }
        if let reply { self.reply = reply }
    }
}

// MARK: Checkpoints

extension CheckpointPart {
    static func read<S: Source>(from s: inout S) throws(Refusal) -> CheckpointPart {
        var part: CheckpointPart?
        while try s.more() {
            try s.choice(1, "table", &part, Start.read(from:)) { .table($0) }
            try s.choice(2, "rows", &part) { (s) throws(Refusal) in
                .rows(try s.only(1, "slices", SnapshotChunk.Slice.read(from:)))
            }
            try s.choice(3, "sessions", &part, sessions(from:))
            try s.choice(4, "removed", &part, removed(from:))
            try s.choice(5, "invocations", &part) { (s) throws(Refusal) in
                .invocations(try s.only(1, "invocations", Invocation.read(from:)))
            }
            try s.choice(6, "log", &part) { (s) throws(Refusal) in .log(try Log.read(from: &s)) }
            try s.choice(7, "kinds", &part) { (s) throws(Refusal) in
                .kinds(try s.only(1, "kinds", Kind.read(from:)))
            }
            try s.choice(8, "owners", &part, Owners.read(from:)) { .owners($0) }
            try s.choice(15, "term", &part) { (s) throws(Refusal) in
                var term = Server.Term()
                while try s.more() {
                    try s.number(1, "number", &term.number)
                    try s.number(2, "began", &term.began)
                }
                return .term(term)
            }
        }
        return try part.or(Refusal(.malformed, "The part is missing or unknown."))
    }

    private static func sessions<S: Source>(from s: inout S) throws(Refusal) -> Self {
        var (clients, evictedTo, user): ([Client], UInt64, String?) = ([], 0, nil)
        while try s.more() {
            try s.number(1, "evictedTo", &evictedTo)
            try s.all(2, "sessions", &clients) { (s) throws(Refusal) in
                var (client, floor, usedAt) = (ID?.none, UInt64(0), UInt64(0))
                var answers: [Sessions.Answered] = []
                while try s.more() {
                    try s.id(1, "client", &client)
                    try s.number(2, "floor", &floor)
                    try s.number(3, "usedAt", &usedAt)
                    try s.all(4, "answers", &answers) { (s) throws(Refusal) in
                        var answered = Sessions.Answered()
                        while try s.more() { try answered.take(from: &s) }
                        return answered
                    }
                }
                return Client(
                    try s.needed(client, "client"),
                    Sessions.Session(answers: answers, floor: floor, usedAt: usedAt))
            }
            try s.text(3, "user", &user)
        }
        return .sessions(clients, evictedTo: evictedTo, of: Sessions.Owner(user))
    }

    private static func removed<S: Source>(from s: inout S) throws(Refusal) -> Self {
        var places: [RemovedPlaces.Entry] = []
        var (recent, lifted): ([RecentDeeds.Entry], [ClosedSwipe]) = ([], [])
        while try s.more() {
            try s.all(1, "places", &places, RemovedPlaces.Entry.read(from:))
            try s.all(2, "recent", &recent, RecentDeeds.Entry.read(from:))
            try s.all(3, "lifted", &lifted) { (s) throws(Refusal) in
                var (row, holder, user, edge): (ID?, ID?, ID?, Edge?) = (nil, nil, nil, nil)
                while try s.more() {
                    try s.id(1, "row", &row)
                    try s.word(2, "edge", &edge)
                    try s.id(3, "holder", &holder)
                    try s.id(4, "user", &user)
                }
                return ClosedSwipe(
                    row: try s.needed(row, "row"),
                    edge: try edge.or(.word(Edge.allCases.map(\.rawValue), "edge")),
                    holder: try s.needed(holder, "holder"), user: user.map { ProvenID($0) })
            }
        }
        return .removed(places, recent: recent, lifted: lifted)
    }
}

extension CheckpointPart.Start {
    fileprivate static func read<S: Source>(from s: inout S) throws(Refusal) -> Self {
        var (table, history, digest) = (ID?.none, ID128?.none, UInt64?.none)
        var (revision, isEditing) = (UInt64(0), false)
        var (kinds, settings): ([Kind], Settings?) = ([], nil)
        while try s.more() {
            try s.id(1, "table", &table)
            try s.hex(2, "history", &history)
            try s.number(3, "revision", &revision)
            try s.hex(4, "digest", &digest)
            try s.all(5, "kinds", &kinds, Kind.read(from:))
            try s.one(6, "settings", &settings, Settings.read(from:))
            try s.flag(7, "editing", &isEditing)
        }
        return Self(
            table: try s.needed(table, "table"), history: try history.or(.notHex(32, "history")),
            revision: revision, digest: try digest.or(.notHex(16, "digest")), kinds: kinds,
            settings: settings ?? Settings(), isEditing: isEditing)
    }
}

extension CheckpointPart.Log {
    fileprivate static func read<S: Source>(from s: inout S) throws(Refusal) -> Self {
        var log = Self()
        var count = 0
        while try s.more() {
            var (redos, partial): ([Int], [Int]) = ([], [])
            try s.all(1, "changes", &log.changes) { (s) throws(Refusal) in
                var (diff, inverse) = (Letters.nothing, Letters?.none)
                var (isRedo, isPartial) = (false, false)
                while try s.more() {
                    if s.takes(2, .length, "diff") {
                        diff = try s.letters()
                        try s.next()
                    }
                    try s.letters(3, "inverse", &inverse)
                    try s.flag(4, "redo", &isRedo)
                    try s.flag(5, "partial", &isPartial)
                }
                if isPartial { partial.append(count) }
                if isRedo { redos.append(count) }
                count += 1
                return EncodedChange(diff: diff, inverse: inverse)
            }
            log.redos += redos
            log.partial += partial
            try s.fixed(2, "digest", &log.digest)
        }
        return log
    }
}

extension Sessions.Owner {
    /// As a checkpoint has it.
    fileprivate init(_ user: String?) {
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

extension RemovedPlaces.Entry {
    fileprivate static func read<S: Source>(from s: inout S) throws(Refusal) -> Self {
        var (row, section, after): (ID?, ID?, ID?) = (nil, nil, nil)
        var (performed, onItems): ([ID], [Deed]) = ([], [])
        var revision = UInt64(0)
        while try s.more() {
            try s.id(1, "row", &row)
            try s.id(2, "section", &section)
            try s.id(3, "after", &after)
            try s.ids(4, "performed", &performed, most: .max)
            try s.number(5, "revision", &revision)
            try s.all(70, "onItems", &onItems) { (s) throws(Refusal) in
                var (action, item): (ID?, ID?) = (nil, nil)
                while try s.more() {
                    try s.id(1, "action", &action)
                    try s.id(2, "item", &item)
                }
                return Deed(try s.needed(action, "action"), on: try s.needed(item, "item"))
            }
        }
        return Self(
            row: try s.needed(row, "row"), section: try s.needed(section, "section"), after: after,
            performed: performed.map { Deed($0) } + onItems, revision: revision)
    }
}

extension RecentDeeds.Entry {
    fileprivate static func read<S: Source>(from s: inout S) throws(Refusal) -> Self {
        var (row, action, item): (ID?, ID?, ID?) = (nil, nil, nil)
        var (revision, timeMs, hasFailed) = (UInt64(0), UInt64(0), false)
        while try s.more() {
            try s.id(1, "row", &row)
            try s.id(2, "action", &action)
            try s.id(3, "item", &item)
            try s.number(4, "revision", &revision)
            try s.number(5, "timeMs", &timeMs)
            try s.flag(6, "failed", &hasFailed)
        }
        return Self(
            row: try s.needed(row, "row"), deed: Deed(try s.needed(action, "action"), on: item),
            revision: revision, timeMs: timeMs, hasFailed: hasFailed)
    }
}

extension Owners {
    fileprivate static func read<S: Source>(from s: inout S) throws(Refusal) -> Owners {
        var (claims, invocations) = ([RowID: ProvenID](), [InvocationID: ProvenID]())
        var ended: [EndedClaim] = []
        var editor: Editor?
        while try s.more() {
            var (ofRows, ofInvocations): ([Owner], [Owner]) = ([], [])
            try s.all(1, "claims", &ofRows, Owner.read(from:))
            for one in ofRows { claims[ID(one.id)] = one.user }
            try s.all(2, "invocations", &ofInvocations, Owner.read(from:))
            for one in ofInvocations {
                guard let id = InvocationID(one.id) else { throw .notInvocation("invocations") }
                invocations[id] = one.user
            }
            try s.all(3, "ended", &ended) { (s) throws(Refusal) in
                var (row, holder, user) = (ID?.none, ID?.none, ID?.none)
                var sinceMs = UInt64(0)
                while try s.more() {
                    try s.id(1, "row", &row)
                    try s.id(2, "holder", &holder)
                    try s.number(3, "sinceMs", &sinceMs)
                    try s.id(4, "user", &user)
                }
                let id = try s.needed(row, "row")
                let mark = ClaimMark(holder: try s.needed(holder, "holder"), sinceMs: sinceMs)
                return EndedClaim(row: id, mark, user: ProvenID(try s.needed(user, "user")))
            }
            try s.one(4, "editor", &editor, Editor.read(from:))
        }
        return Owners(claims: claims, invocations: invocations, ended: ended, editor: editor)
    }
}

extension Editor {
    fileprivate static func read<S: Source>(from s: inout S) throws(Refusal) -> Editor {
        var (actor, client, user): (ID?, ID?, ID?) = (nil, nil, nil)
        while try s.more() {
            try s.id(1, "actor", &actor)
            try s.id(2, "client", &client)
            try s.id(3, "user", &user)
        }
        return Editor(
            actor: try s.needed(actor, "actor"), client: client, user: user.map { ProvenID($0) })
    }
}

/// Whose a row's claim or an invocation is.
private struct Owner {
    var id: String
    var user: ProvenID

    static func read<S: Source>(from s: inout S) throws(Refusal) -> Owner {
        var (id, user): (ID?, ID?) = (nil, nil)
        while try s.more() {
            try s.id(1, "id", &id)
            try s.id(2, "user", &user)
        }
        return Owner(id: try s.needed(id, "id").text, user: ProvenID(try s.needed(user, "user")))
    }
}
