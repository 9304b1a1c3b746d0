internal import TableModel
public import TableSync

// The parts of a checkpoint, which are binary.

extension Encode {
    /// The bytes of a checkpoint's part.
    public static func checkpoint(_ part: CheckpointPart) -> [UInt8] {
        let room =
            switch part {
            case .rows(let slices): slices.size
            case .log(let log): log.changes.reduce(32) { $0 + $1.byteCount + 16 }
            case .sessions(let clients, _, _): clients.reduce(16) { $0 + $1.session.bytes + 64 }
            default: 0
            }
        return FieldWriter.bytes(within: room) { $0.binary { part.write(to: &$0, about: room) } }
    }
}

extension CheckpointPart {
    func write<S: Sink>(to s: inout S, about room: Int) {
        switch self {
        case .table(let start): s.message(1, "table") { start.write(to: &$0) }
        case .rows(let slices):
            s.message(2, "rows", about: room) { s in s.slices(1, slices) }
        case .sessions(let clients, let evictedTo, let owner):
            s.message(3, "sessions", about: room) { s in
                s.number(1, "evictedTo", evictedTo)
                s.messages(2, "sessions", clients) { client, s in
                    s.id(1, "client", client.client)
                    s.number(2, "floor", client.session.floor)
                    s.number(3, "usedAt", client.session.usedAt)
                    s.messages(4, "answers", client.session.answers) { $0.write(to: &$1) }
                }
                s.text(3, "user", owner.text)
            }
        case .removed(let places, let recent, let lifted):
            s.message(4, "removed") { s in
                s.messages(1, "places", places) { $0.write(to: &$1) }
                s.messages(2, "recent", recent) { $0.write(to: &$1) }
                s.messages(3, "lifted", lifted) { swipe, s in
                    s.id(1, "row", unlessEmpty: swipe.row)
                    s.text(2, "edge", swipe.edge.rawValue)
                    s.id(3, "holder", unlessEmpty: swipe.holder)
                    s.id(4, "user", swipe.user?.id)
                }
            }
        case .invocations(let invocations):
            s.message(5, "invocations") { s in
                s.messages(1, "invocations", invocations) { $0.write(to: &$1, isWhole: true) }
            }
        case .log(let log): s.message(6, "log", about: room) { log.write(to: &$0) }
        case .kinds(let kinds):
            s.message(7, "kinds") { $0.messages(1, "kinds", kinds) { $0.write(to: &$1) } }
        case .owners(let owners): s.message(8, "owners") { owners.write(to: &$0) }
        case .term(let term):
            s.message(15, "term") { s in
                s.number(1, "number", unlessZero: term.number)
                s.number(2, "began", unlessZero: term.began)
            }
        }
    }

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
    func write<S: Sink>(to s: inout S) {
        s.id(1, "table", unlessEmpty: table)
        s.hex(2, "history", history)
        s.number(3, "revision", unlessZero: revision)
        s.hex(4, "digest", digest)
        s.messages(5, "kinds", kinds) { $0.write(to: &$1) }
        s.message(6, "settings") { settings.write(to: &$0) }
        s.flag(7, "editing", ifSet: isEditing)
    }

    static func read<S: Source>(from s: inout S) throws(Refusal) -> Self {
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
    func write<S: Sink>(to s: inout S) {
        var (redos, partial) = (redos[...], partial[...])
        var place = 0
        s.messages(1, "changes", changes) { change, s in
            s.bytes(2, "diff", change.diff)
            s.bytes(3, "inverse", change.inverse)
            if redos.first == place {
                redos.removeFirst()
                s.flag(4, "redo", true)
            }
            if partial.first == place {
                partial.removeFirst()
                s.flag(5, "partial", true)
            }
            place += 1
        }
        if let digest { s.fixed(2, "digest", digest) }
    }

    static func read<S: Source>(from s: inout S) throws(Refusal) -> Self {
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

extension RemovedPlaces.Entry {
    func write<S: Sink>(to s: inout S) {
        s.id(1, "row", unlessEmpty: row)
        s.id(2, "section", unlessEmpty: section)
        s.id(3, "after", after)
        s.ids(4, "performed", performed.filter { $0.item == nil }.map(\.action))
        s.number(5, "revision", unlessZero: revision)
        s.messages(70, "onItems", performed.filter { $0.item != nil }) { deed, s in
            s.id(1, "action", unlessEmpty: deed.action)
            s.id(2, "item", deed.item)
        }
    }

    static func read<S: Source>(from s: inout S) throws(Refusal) -> Self {
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
    func write<S: Sink>(to s: inout S) {
        s.id(1, "row", unlessEmpty: row)
        s.id(2, "action", unlessEmpty: deed.action)
        s.id(3, "item", deed.item)
        s.number(4, "revision", unlessZero: revision)
        s.number(5, "timeMs", unlessZero: timeMs)
        s.flag(6, "failed", ifSet: hasFailed)
    }

    static func read<S: Source>(from s: inout S) throws(Refusal) -> Self {
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
    func write<S: Sink>(to s: inout S) {
        s.owners(1, "claims", claims.map { ($0.key.text, $0.value.user) })
        s.owners(2, "invocations", invocations.map { ($0.key.text, $0.value) })
        s.messages(3, "ended", endedClaims) { claim, s in
            s.id(1, "row", unlessEmpty: claim.row)
            s.id(2, "holder", unlessEmpty: claim.mark.holder)
            s.number(3, "sinceMs", unlessZero: claim.mark.sinceMs)
            s.id(4, "user", unlessEmpty: claim.user.id)
        }
        if let editor {
            s.message(4, "editor") { s in
                s.id(1, "actor", unlessEmpty: editor.actor)
                s.id(2, "client", editor.client)
                s.id(3, "user", editor.user?.id)
            }
        }
    }

    static func read<S: Source>(from s: inout S) throws(Refusal) -> Owners {
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

extension Sink {
    fileprivate mutating func owners(
        _ number: UInt64, _ name: StaticString, _ owners: [(id: String, user: ProvenID)]
    ) {
        messages(number, name, owners) { owner, s in
            s.text(1, "id", unlessEmpty: owner.id)
            s.id(2, "user", unlessEmpty: owner.user.id)
        }
    }
}

extension Editor {
    static func read<S: Source>(from s: inout S) throws(Refusal) -> Editor {
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
