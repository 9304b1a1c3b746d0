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
    fileprivate func write<S: Sink>(to s: inout S, about room: Int) {
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
}

extension CheckpointPart.Start {
    fileprivate func write<S: Sink>(to s: inout S) {
        s.id(1, "table", unlessEmpty: table)
        s.hex(2, "history", history)
        s.number(3, "revision", unlessZero: revision)
        s.hex(4, "digest", digest)
        s.messages(5, "kinds", kinds) { $0.write(to: &$1) }
        s.message(6, "settings") { settings.write(to: &$0) }
        s.flag(7, "editing", ifSet: isEditing)
    }
}

extension CheckpointPart.Log {
    fileprivate func write<S: Sink>(to s: inout S) {
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
}

extension Sessions.Owner {
    fileprivate var text: String? {
        switch self {
        case .unknown: nil
        case .others: ""
        case .principal(let user): user.text
        case .otherChildren(let parent): parent.text + "/"
        }
    }
}

extension Sessions.Answered {
    /// In a checkpoint, where the client stands around it.
    fileprivate func write<S: Sink>(to s: inout S) {
        s.number(2, "number", number)
        s.fixed(3, "requestHash", requestHash)
        s.bytes(4, "reply", reply[...])
    }
}

extension RemovedPlaces.Entry {
    fileprivate func write<S: Sink>(to s: inout S) {
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
}

extension RecentDeeds.Entry {
    fileprivate func write<S: Sink>(to s: inout S) {
        s.id(1, "row", unlessEmpty: row)
        s.id(2, "action", unlessEmpty: deed.action)
        s.id(3, "item", deed.item)
        s.number(4, "revision", unlessZero: revision)
        s.number(5, "timeMs", unlessZero: timeMs)
        s.flag(6, "failed", ifSet: hasFailed)
    }
}

extension Owners {
    fileprivate func write<S: Sink>(to s: inout S) {
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
