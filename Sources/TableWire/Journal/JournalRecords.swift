internal import TableModel
public import TableSync

/// One commit: everything that one turn of the loop decided.
public struct JournalEntry: Equatable, Sendable {
    /// The time of the turn, in milliseconds since 1970 (UTC).
    public var timeMs: UInt64
    /// The records in the order of their decisions.
    public var records: [Ready.Record]

    /// The records of one turn.
    public init(timeMs: UInt64, records: [Ready.Record]) {
        self.timeMs = timeMs
        self.records = records
    }
}

extension Encode {
    /// The bytes of an entry. The diffs and replies in it keep their encoded bytes.
    public static func entry(_ entry: JournalEntry) -> [UInt8] {
        let records = BinaryEntryWriter()
        for record in entry.records { records.add(record) }
        return records.finish(timeMs: entry.timeMs).entry
    }

    /// The bytes of a checkpoint's part.
    public static func checkpoint(_ part: CheckpointPart) -> [UInt8] {
        var wire = WireCheckpointPart()
        switch part {
        case .table(let start):
            wire.table.table = start.table.text
            wire.table.history = start.history.description
            wire.table.revision = start.revision
            wire.table.digest = start.digest.lowerHex
            wire.table.kinds = start.kinds.map { WireKind($0) }
            wire.table.settings = WireSettings(start.settings)
            wire.table.editing = start.isEditing
        case .invocations(let all):
            wire.invocations = .init()
            wire.invocations.invocations = all.map {
                WireInvocation($0, .binary, isWhole: true)
            }
        case .kinds(let kinds):
            wire.kinds = .init()
            wire.kinds.kinds = kinds.map { WireKind($0) }
        case .rows(let slices): return hot(slices)
        case .log(let kept): return log(kept)
        case .sessions(let clients, let evictedTo, let owner):
            return sessions(clients, evictedTo, owner)
        case .owners(let owners):
            wire.owners = .init()
            wire.owners.claims = Self.owners(owners.claims.map { ($0.key.text, $0.value.user) })
            wire.owners.invocations = Self.owners(
                owners.invocations.map { ($0.key.text, $0.value) })
            wire.owners.ended = owners.endedClaims.map { claim in
                .with {
                    $0.row = claim.row.text
                    $0.holder = claim.mark.holder.text
                    $0.sinceMs = claim.mark.sinceMs
                    $0.user = claim.user.text
                }
            }
        case .removed(let places, let recent, let lifted):
            wire.removed = WireCheckpointPart.Removed(places, recent, lifted)
        }
        return wire.bytes(.binary)
    }

    private static func owners(
        _ all: [(id: String, user: ProvenID)]
    ) -> [WireCheckpointPart.Owner] {
        all.map { one in
            .with {
                $0.id = one.id
                $0.user = one.user.text
            }
        }
    }

    private static func log(_ kept: CheckpointPart.Log) -> [UInt8] {
        let size = kept.changes.reduce(32) { $0 + $1.byteCount + 16 }
        var writer = FieldWriter(capacity: size)
        var redos = kept.redos[...]
        writer.write(6) { log in
            for (place, change) in kept.changes.enumerated() {
                log.write(1) { changed in
                    changed.write(2, change.diff)
                    if let inverse = change.inverse { changed.write(3, inverse) }
                    guard redos.first == place else { return }
                    redos.removeFirst()
                    changed.write(4, 1)
                }
            }
            if let digest = kept.digest { log.write(2, fixed: digest) }
        }
        return writer.bytes
    }

    private static func sessions(
        _ clients: [CheckpointPart.Client], _ evictedTo: UInt64, _ owner: Sessions.Owner
    ) -> [UInt8] {
        var part = FieldWriter(capacity: clients.reduce(16) { $0 + $1.session.bytes + 64 })
        part.write(1, evictedTo)
        for client in clients {
            var session = FieldWriter(capacity: client.session.bytes + 64)
            session.write(1, client.client)
            session.write(2, client.session.floor)
            session.write(3, client.session.usedAt)
            for answered in client.session.answers {
                session.write(4) { $0.write(answered) }
            }
            part.write(2, session.bytes)
        }
        switch owner {
        case .unknown: break
        case .others: part.write(3, "")
        case .principal(let user): part.write(3, user.text)
        case .otherChildren(let parent): part.write(3, parent.text + "/")
        }
        var writer = FieldWriter(capacity: part.bytes.count + 8)
        writer.write(3, part.bytes)
        return writer.bytes
    }
}

extension Decode {
    /// Reads an entry.
    public static func entry(_ bytes: UnsafeRawBufferPointer) throws(WireError) -> JournalEntry {
        if let entry = hotEntry(bytes) { return entry }
        return try received { () throws(Rejection) in
            let wire = try WireJournalEntry.parse(bytes, .binary)
            return JournalEntry(
                timeMs: wire.timeMs,
                records: try wire.records.readAll("records") { record throws(Rejection) in
                    try record.read()
                })
        }
    }

    /// Reads a checkpoint's part.
    public static func checkpoint(
        _ bytes: UnsafeRawBufferPointer
    ) throws(WireError) -> CheckpointPart {
        if let part = hotCheckpoint(bytes) { return part }
        return try received { () throws(Rejection) in
            try WireCheckpointPart.parse(bytes, .binary).read()
        }
    }
}

extension WireJournalEntry.Record {
    func read() throws(Rejection) -> Ready.Record {
        switch record {
        case .created(let wire):
            return .created(
                try ID(read: wire.table, "created.table"),
                history: try ID128(read: wire.history, "created.history"))
        case .dropped(let table): return .dropped(try ID(read: table, "dropped"))
        case .changed(let wire):
            return .changed(
                try ID(read: wire.table, "changed.table"), diff: [UInt8](wire.diff),
                inverse: wire.hasBack ? [UInt8](wire.back) : nil)
        case .answered(let wire):
            return .answered(
                client: try ID(read: wire.client, "answered.client"),
                user: wire.hasUser ? ProvenID(try ID(read: wire.user, "answered.user")) : nil,
                opened: wire.hasOpened ? wire.opened : nil, wire.read())
        case .staged(let wire):
            return .staged(
                client: try ID(read: wire.client, "staged.client"),
                user: wire.hasUser ? ProvenID(try ID(read: wire.user, "staged.user")) : nil,
                index: Int(wire.index), part: [UInt8](wire.content))
        case .restored(let wire):
            return .restored(
                try wire.tables.readAll("restored") { one throws(Rejection) in
                    Ready.Record.Restored(
                        table: try ID(read: one.table, "table"),
                        history: try ID128(read: one.history, "history"))
                })
        case nil: throw Rejection(.malformed, "The record is missing or unknown.")
        }
    }
}

extension WireJournalEntry.Answered {
    func read() -> Sessions.Answered {
        Sessions.Answered(number: number, requestHash: requestHash, reply: [UInt8](reply))
    }
}

extension WireCheckpointPart {
    func read() throws(Rejection) -> CheckpointPart {
        switch part {
        case .table(let wire):
            return .table(try within("table") { () throws(Rejection) in try wire.read() })
        case .rows(let wire):
            return .rows(
                try wire.slices.readAll("rows.slices") { slice throws(Rejection) in
                    try slice.read()
                })
        case .sessions(let wire):
            let clients = try wire.sessions.readAll("sessions") { client throws(Rejection) in
                CheckpointPart.Client(
                    try ID(read: client.client, "client"),
                    TableSync.Sessions.Session(
                        answers: client.answers.map { $0.read() }, floor: client.floor,
                        usedAt: client.usedAt))
            }
            return .sessions(
                clients, evictedTo: wire.evictedTo,
                of: try TableSync.Sessions.owner(read: wire.hasUser ? wire.user : nil))
        case .owners(let wire):
            return .owners(
                TableModel.Owners(
                    claims: try Self.read(wire.claims) { id throws(Rejection) in
                        try ID(read: id, "owners.claims")
                    },
                    invocations: try Self.read(wire.invocations) { id throws(Rejection) in
                        try InvocationID(read: id, "owners.invocations")
                    },
                    ended: try wire.ended.readAll("owners.ended") { claim throws(Rejection) in
                        TableModel.EndedClaim(
                            row: try ID(read: claim.row, "row"),
                            ClaimMark(
                                holder: try ID(read: claim.holder, "holder"),
                                sinceMs: claim.sinceMs),
                            user: ProvenID(try ID(read: claim.user, "user")))
                    }))
        case .removed(let wire): return try wire.read()
        case .invocations(let wire):
            return .invocations(
                try wire.invocations.readAll("invocations") { one throws(Rejection) in
                    try one.read()
                })
        case .log(let wire):
            return .log(
                TableSync.CheckpointPart.Log(
                    changes: wire.changes.map { change in
                        EncodedChange(
                            diff: [UInt8](change.diff),
                            inverse: change.hasBack ? [UInt8](change.back) : nil)
                    },
                    redos: wire.changes.indices.filter { wire.changes[$0].redo },
                    digest: wire.hasDigest ? wire.digest : nil))
        case .kinds(let wire):
            return .kinds(
                try wire.kinds.readAll("kinds") { kind throws(Rejection) in try kind.read() })
        case nil: throw Rejection(.malformed, "The part is missing or unknown.")
        }
    }
}

extension WireCheckpointPart {
    fileprivate static func read<Thing: Hashable>(
        _ owners: [Owner], _ thing: (String) throws(Rejection) -> Thing
    ) throws(Rejection) -> [Thing: ProvenID] {
        var all: [Thing: ProvenID] = [:]
        for one in owners {
            all[try thing(one.id)] = ProvenID(try ID(read: one.user, "owners.user"))
        }
        return all
    }
}

extension TableSync.Sessions {
    /// As a checkpoint has it.
    static func owner(read user: String?) throws(Rejection) -> Owner {
        guard let user else { return .unknown }
        if user.isEmpty { return .others }
        // By bytes: to Swift a slash and a mark behind it are one character. No parent has a slash and no
        // child has no name, so a child's first slash is never its last byte; its name may end in one.
        let bytes = user.utf8
        guard let slash = bytes.firstIndex(of: UInt8(ascii: "/")),
            bytes.index(after: slash) == bytes.endIndex
        else { return .principal(try ID(read: user, "sessions.user")) }
        let parent = String(decoding: bytes.dropLast(), as: UTF8.self)
        return .otherChildren(of: try ID(read: parent, "sessions.user"))
    }
}

extension WireCheckpointPart.TableStart {
    func read() throws(Rejection) -> CheckpointPart.Start {
        CheckpointPart.Start(
            table: try ID(read: table, "table"), history: try ID128(read: history, "history"),
            revision: revision, digest: try UInt64(read: digest, "digest"),
            kinds: try kinds.readAll("kinds") { kind throws(Rejection) in try kind.read() },
            settings: try within("settings") { () throws(Rejection) in try settings.read() },
            isEditing: editing)
    }
}
