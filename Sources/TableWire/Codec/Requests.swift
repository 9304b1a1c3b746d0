internal import TableModel
internal import TableSync

// Requests of clients, who are told what is wrong.

extension Request {
    func write<S: Sink>(to s: inout S) {
        s.id(1, "client", client)
        s.number(2, "number", number)
        s.number(3, "opened", opened)
        s.id(4, "table", table)
        s.id(5, "name", name)
        verb.write(to: &s)
        s.number(61, "atMs", atMs)
        if zoneSeconds != 0 { s.signed(62, "zoneSeconds", Int64(zoneSeconds)) }
    }

    /// Into itself, since it is large: one that is returned would be moved from caller to caller. After a refusal
    /// it means nothing.
    ///
    /// If several fields are wrong, the verb's is refused first, then the table, then the others.
    mutating func read<S: Source>(from s: inout S) throws(Refusal) {
        var (clientText, tableText, nameText): (Letters?, Letters?, Letters?) = (nil, nil, nil)
        (client, table, name, number, opened, atMs) = (nil, nil, nil, nil, nil, nil)
        zoneSeconds = 0
        var verb: Verb?
        while try s.more() {
            try s.letters(1, "client", &clientText)
            try s.number(2, "number", &number)
            try s.number(3, "opened", &opened)
            try s.letters(4, "table", &tableText)
            try s.letters(5, "name", &nameText)
            try s.choice(32, "command", &verb, Verb.command(from:))
            try s.number(61, "atMs", &atMs)
            if s.takes(62, .number, "zoneSeconds") { zoneSeconds = try s.takenZone() }
            // Most have a command, and nothing behind it.
            if !s.isAtEnd, verb == nil || S.isJSON { try Verb.takeRare(from: &s, into: &verb) }
        }
        // Copied, each part of it would be counted again.
        guard let found = consume verb else {
            throw Refusal(.unknownVerb, "The verb is missing or unknown.")
        }
        self.verb = found
        if let tableText { table = try s.tableName(tableText) }
        if table == nil, self.verb.request.description.needsTable {
            throw Refusal(.badName, "This verb needs a table.", "table")
        }
        if let clientText { client = try s.id(clientText, "client") }
        if let nameText { name = try s.id(nameText, "name") }
    }
}

extension Request.Verb {
    func write<S: Sink>(to s: inout S) {
        switch self {
        case .hello: s.message(10, "hello") { _ in }
        case .tables: s.message(11, "tables") { _ in }
        case .kinds: s.message(12, "kinds") { _ in }
        case .snapshot(let id, let chunk): s.message(13, "snapshot") { $0.chunk(id, chunk) }
        case .replay(let history, let since):
            s.message(14, "replay") { s in
                s.hex(1, "history", history)
                s.number(2, "since", since)
            }
        case .offer(let history, let revision, let digest):
            s.message(15, "offer") { s in
                s.hex(1, "history", history)
                s.number(2, "revision", revision)
                s.hex(3, "digest", digest)
            }
        case .health: s.message(16, "health") { _ in }
        case .stats: s.message(17, "stats") { _ in }
        case .check: s.message(18, "check") { _ in }
        case .renew: s.message(19, "renew") { _ in }
        case .backup(let id, let chunk): s.message(20, "backup") { $0.chunk(id, chunk) }
        case .audit(let most): s.message(21, "audit") { $0.count(1, "most", most) }
        case .stepDown: s.message(22, "stepDown") { _ in }
        case .connections: s.message(25, "connections") { _ in }
        case .endConnection(let id):
            s.message(26, "endConnection") { $0.text(1, "id", unlessEmpty: id) }
        case .replicate(let asked): s.message(68, "replicate") { asked.write(to: &$0) }
        case .promote: s.message(69, "promote") { _ in }
        case .create: Request.Change.create.write(to: &s)
        case .drop: Request.Change.drop.write(to: &s)
        case .forget(let rows): s.message(36, "forget") { $0.ids(1, "rows", rows) }
        case .command(let command): s.message(32, "command") { command.write(to: &$0) }
        case .batch(let commands, let ifRevision):
            Request.Change.batch(commands, ifRevision: ifRevision).write(to: &s)
        case .restore(let step): s.message(34, "restore") { step.write(to: &$0) }
        case .drag(let drag): s.message(40, "drag") { drag.write(to: &$0) }
        case .attend(let revision, let isLeaving):
            s.message(41, "attend") { s in
                s.number(1, "revision", revision)
                s.flag(2, "leaving", ifSet: isLeaving)
            }
        case .who: s.message(50, "who") { _ in }
        case .history(let filter):
            s.message(51, "history") { s in
                s.number(1, "before", filter.before)
                s.count(2, "most", filter.most)
                s.id(3, "row", filter.row)
                s.id(4, "actor", filter.actor)
                s.text(5, "verb", filter.verb)
                s.number(6, "fromMs", filter.fromMs)
                s.number(7, "toMs", filter.toMs)
            }
        case .rewind(let history, let since, let to):
            s.message(52, "rewind") { s in
                s.hex(1, "history", history)
                s.number(2, "since", since)
                s.number(3, "to", to)
            }
        case .query(let query): s.message(53, "query") { query.write(to: &$0) }
        case .explain(let change): s.message(60, "explain") { change.write(to: &$0) }
        }
    }

    @inline(__always)
    fileprivate static func command<S: Source>(from s: inout S) throws(Refusal) -> Self {
        .command(try Command.read(from: &s))
    }

    fileprivate static func takeRare<S: Source>(
        from s: inout S, into verb: inout Self?
    ) throws(Refusal) {
        try s.choice(10, "hello", &verb, plain: .hello)
        try s.choice(11, "tables", &verb, plain: .tables)
        try s.choice(12, "kinds", &verb, plain: .kinds)
        try s.choice(13, "snapshot", &verb, snapshot(from:))
        try s.choice(14, "replay", &verb) { (s) throws(Refusal) in
            let past = try Past.read(from: &s)
            return .replay(history: past.history, since: past.since)
        }
        try s.choice(15, "offer", &verb, offer(from:))
        try s.choice(16, "health", &verb, plain: .health)
        try s.choice(17, "stats", &verb, plain: .stats)
        try s.choice(18, "check", &verb, plain: .check)
        try s.choice(19, "renew", &verb, plain: .renew)
        try s.choice(20, "backup", &verb, S.chunk(from:)) { .backup(id: $0, chunk: $1) }
        try s.choice(21, "audit", &verb, audit(from:))
        try s.choice(22, "stepDown", &verb, plain: .stepDown)
        try s.choice(25, "connections", &verb, plain: .connections)
        try s.choice(26, "endConnection", &verb) { (s) throws(Refusal) in
            var id = ""
            while try s.more() { try s.text(1, "id", &id) }
            return .endConnection(id)
        }
        try s.choice(30, "create", &verb, plain: .create)
        try s.choice(31, "drop", &verb, plain: .drop)
        try s.choice(36, "forget", &verb, S.rowsToForget(from:)) { .forget($0) }
        try s.choice(33, "batch", &verb, S.batch(from:)) { .batch($0, ifRevision: $1) }
        try s.choice(34, "restore", &verb, RestoreStep.read(from:)) { .restore($0) }
        try s.choice(40, "drag", &verb) { (s) throws(Refusal) in .drag(try Drag.read(from: &s)) }
        try s.choice(41, "attend", &verb) { (s) throws(Refusal) in
            var (revision, isLeaving) = (UInt64(0), false)
            while try s.more() {
                try s.number(1, "revision", &revision)
                try s.flag(2, "leaving", &isLeaving)
            }
            return .attend(revision: revision, isLeaving: isLeaving)
        }
        try s.choice(50, "who", &verb, plain: .who)
        try s.choice(51, "history", &verb, HistoryFilter.read(from:)) { .history($0) }
        try s.choice(52, "rewind", &verb) { (s) throws(Refusal) in
            let past = try Past.read(from: &s, hasEnd: true)
            return .rewind(history: past.history, since: past.since, to: past.to)
        }
        try s.choice(53, "query", &verb) { (s) throws(Refusal) in .query(try Query.read(from: &s)) }
        try s.choice(60, "explain", &verb, Request.Change.read(from:)) { .explain($0) }
        try s.choice(68, "replicate", &verb, Replicate.read(from:)) { .replicate($0) }
        try s.choice(69, "promote", &verb, plain: .promote)
    }

    private static func snapshot<S: Source>(from s: inout S) throws(Refusal) -> Self {
        let (id, chunk) = try S.chunk(from: &s)
        guard chunk <= s.bounds.shared?.limits.rows ?? .max else {
            throw Refusal(.badNumber, "No snapshot has that chunk.", "chunk")
        }
        return .snapshot(id: id, chunk: chunk)
    }

    private static func offer<S: Source>(from s: inout S) throws(Refusal) -> Self {
        var (history, revision, digest) = (ID128?.none, UInt64(0), UInt64?.none)
        while try s.more() {
            try s.hex(1, "history", &history)
            try s.number(2, "revision", &revision)
            try s.hex(3, "digest", &digest)
        }
        return .offer(
            history: try history.or(.notHex(32, "history")), revision: revision,
            digest: try digest.or(.notHex(16, "digest")))
    }

    private static func audit<S: Source>(from s: inout S) throws(Refusal) -> Self {
        var most = 100
        while try s.more() { try s.count(1, "most", &most) }
        guard (1...AuditTrail.mostEntries).contains(most) else {
            throw Refusal(.badNumber, "most: 1 to \(AuditTrail.mostEntries).", "most")
        }
        return .audit(most: most)
    }
}

extension Request.Change {
    func write<S: Sink>(to s: inout S) {
        switch self {
        case .create: s.message(30, "create") { _ in }
        case .drop: s.message(31, "drop") { _ in }
        case .command(let command): s.message(32, "command") { command.write(to: &$0) }
        case .batch(let commands, let ifRevision):
            s.message(33, "batch") { s in
                s.messages(1, "commands", commands) { $0.write(to: &$1) }
                s.number(2, "ifRevision", ifRevision)
            }
        }
    }

    static func read<S: Source>(from s: inout S) throws(Refusal) -> Self {
        var change: Self?
        while try s.more() {
            try s.choice(30, "create", &change, plain: .create)
            try s.choice(31, "drop", &change, plain: .drop)
            try s.choice(32, "command", &change, Command.read(from:)) { .command($0) }
            try s.choice(33, "batch", &change, S.batch(from:)) { .batch($0, ifRevision: $1) }
        }
        return try change.or(Refusal(.unknownVerb, "One of: create, drop, command, batch."))
    }
}

extension RestoreStep {
    func write<S: Sink>(to s: inout S) {
        switch self {
        case .parts(let contents, let index):
            s.message(1, "parts") { s in
                s.count(1, "index", index)
                s.bytes(2, "contents", all: contents)
            }
        case .finish(let parts, let replaces):
            s.message(2, "finish") { s in
                s.count(1, "parts", parts)
                s.flag(2, "replace", ifSet: replaces)
            }
        }
    }

    static func read<S: Source>(from s: inout S) throws(Refusal) -> RestoreStep {
        var step: RestoreStep?
        while try s.more() {
            try s.choice(1, "parts", &step) { (s) throws(Refusal) in
                var (index, contents): (Int?, [[UInt8]]) = (nil, [])
                while try s.more() {
                    try s.count(1, "index", &index)
                    try s.bytes(2, "contents", all: &contents)
                }
                return .parts(contents, index: try index.or(.missing("index")))
            }
            try s.choice(2, "finish", &step) { (s) throws(Refusal) in
                var (parts, replaces): (Int?, Bool) = (nil, false)
                while try s.more() {
                    try s.count(1, "parts", &parts)
                    try s.flag(2, "replace", &replaces)
                }
                return .finish(parts: try parts.or(.missing("parts")), replaces: replaces)
            }
        }
        return try step.or(Refusal(.malformed, "One of: parts, finish."))
    }
}

/// A part of a history.
private struct Past {
    var history: ID128
    var since: UInt64
    var to: UInt64

    static func read<S: Source>(from s: inout S, hasEnd: Bool = false) throws(Refusal) -> Past {
        var (history, since, to) = (ID128?.none, UInt64(0), UInt64(0))
        while try s.more() {
            try s.hex(1, "history", &history)
            try s.number(2, "since", &since)
            if hasEnd { try s.number(3, "to", &to) }
        }
        return Past(history: try history.or(.notHex(32, "history")), since: since, to: to)
    }
}

extension Source {
    @inline(never)
    fileprivate mutating func takenZone() throws(Refusal) -> Int {
        let zone = try taken("zoneSeconds") { (s) throws(Refusal) in try s.signed() }
        // Clocks on Earth are no more than 14 hours apart from UTC.
        guard (-86_400...86_400).contains(zone) else {
            throw Refusal(.badNumber, "A time zone is within a day of UTC.", "zoneSeconds")
        }
        try next()
        return Int(zone)
    }

    @inline(__always)
    fileprivate func tableName(_ letters: Letters) throws(Refusal) -> TableID {
        if letters.count > 0, letters.count <= bounds.idBytes, letters.isPrintableASCII,
            !letters.contains(UInt8(ascii: "/"))
        {
            return ID(utf8: letters)
        }
        return try unusualTableName(letters)
    }

    /// Reads nothing of a request but its table.
    static func checkTable(from s: inout Self) throws(Refusal) {
        var table: Letters?
        while try s.more() { try s.letters(4, "table", &table) }
        if let table { _ = try s.tableName(table) }
    }

    @inline(never)
    private func unusualTableName(_ letters: Letters) throws(Refusal) -> TableID {
        guard let text = letters.text else { throw .notUTF8("table") }
        let limits = bounds.shared?.limits ?? Limits()
        do throws(Rejection) { try ID(text).checkTableName(limits: limits) } catch {
            throw Refusal(error)
        }
        return ID(text)
    }

    /// An id that the daemon has made, and not a client.
    mutating func madeID(_ name: StaticString) throws(Refusal) -> ID {
        let made = ID(try text(name))
        do throws(Rejection) {
            try made.check(atMost: Limits.madeIDBytes, field: "\(name)")
        } catch { throw Refusal(error) }
        return made
    }

    mutating func madeID(
        _ number: UInt32, _ name: StaticString, _ id: inout ID?
    ) throws(Refusal) {
        guard takes(number, .length, name) else { return }
        id = try madeID(name)
        try next()
    }

    fileprivate static func rowsToForget(from s: inout Self) throws(Refusal) -> [RowID] {
        var rows: [RowID] = []
        while try s.more() { try s.ids(1, "rows", &rows, most: Server.mostForgotten) }
        return rows
    }

    fileprivate static func chunk(from s: inout Self) throws(Refusal) -> (id: String?, chunk: Int) {
        var (id, chunk) = (ID?.none, 0)
        while try s.more() {
            try s.madeID(1, "id", &id)
            try s.count(2, "chunk", &chunk)
        }
        return (id?.text, chunk)
    }

    fileprivate static func batch(from s: inout Self) throws(Refusal) -> ([Command], UInt64?) {
        var (commands, ifRevision): ([Command], UInt64?) = ([], nil)
        let most = s.bounds.commands
        while try s.more() {
            if s.takes(1, .length, "commands"), try s.first("commands") {
                repeat {
                    guard commands.count < most else { throw .tooMany("commands", most) }
                    do throws(Refusal) { commands.append(try s.message(Command.read(from:))) } catch
                    {
                        throw error.within(command: commands.count)
                    }
                } while try s.another(1, .length)
            }
            try s.number(2, "ifRevision", &ifRevision)
        }
        return (commands, ifRevision)
    }
}

extension Sink {
    fileprivate mutating func chunk(_ id: String?, _ chunk: Int) {
        text(1, "id", id)
        count(2, "chunk", chunk)
    }
}
