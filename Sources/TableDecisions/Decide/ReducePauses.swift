import TableModel

// New work that is not taken at present. It is kept with the settings.

extension Decision {
    func pause(_ scope: Pause.Scope, note: String?) throws(Rejection) -> Plan {
        var settings = table.settings
        if let note {
            guard let actor = context.actor else {
                throw Rejection(
                    .malformed, "Only a client with a name or an id can pause work.",
                    field: "client")
            }
            if let section = scope.section, table.section(section) == nil {
                throw .noSection(section, field: "section")
            }
            let pause = Pause(scope, by: actor, note: note, sinceMs: nowMs)
            if let index = settings.pauses.firstIndex(where: { $0.scope == scope }) {
                // It has been paused since then, whoever says why.
                guard settings.pauses[index].note != note else { return Plan([]) }
                let sinceMs = settings.pauses[index].sinceMs
                settings.pauses[index] = Pause(scope, by: actor, note: note, sinceMs: sinceMs)
            } else {
                settings.pauses.append(pause)
            }
            try checkPauses(settings.pauses, field: "note")
        } else if scope == Pause.Scope() {
            settings.pauses = []
        } else {
            settings.pauses.removeAll { $0.scope == scope }
        }
        if settings == table.settings { return Plan([]) }
        return Plan([.define(Command.Definitions(settings: settings))])
    }

    func checkPauses(_ pauses: [Pause], field: String) throws(Rejection) {
        try bound(
            "pauses", pauses.count, by: Pause.most, field: field == "note" ? "section" : field)
        var seen: Set<Pause.Scope> = []
        for pause in pauses {
            for id in [pause.scope.section, pause.scope.action, pause.actor] {
                if let id { try checkID(id, field: field) }
            }
            try require(
                !pause.note.hasNUL, or: .badValue, "A note cannot hold a NUL.", field: field)
            try bound("note bytes", pause.note.utf8.count, by: limits.noteBytes, field: field)
            guard pause.sinceMs <= limits.timeMs else {
                throw Rejection(.badNumber, "A time is at most \(limits.timeMs).", field: field)
            }
            guard seen.insert(pause.scope).inserted else {
                throw Rejection(.duplicate, "\(pause.subject) is paused twice.", field: field)
            }
        }
    }

    /// A press of a paused action is refused, and in a paused section a press or a tap that a handler would have to
    /// complete.
    func checkNotPaused(_ action: ID, _ effects: [Effect], on row: RowID) throws(Rejection) {
        if table.settings.pauses.isEmpty { return }
        let section = table.position(of: row)?.section
        let isHandled = effects.contains(where: \.isInvoke)
        guard let pause = table.settings.pause(ofPress: action, isHandled: isHandled, in: section)
        else { return }
        throw .paused(pause, nowMs: nowMs, field: "action")
    }

    func checkMayClaim(_ row: RowID) throws(Rejection) {
        if table.settings.pauses.isEmpty { return }
        let section = table.position(of: row)?.section
        guard let pause = table.settings.pause(of: nil, in: section) else { return }
        throw .paused(pause, nowMs: nowMs, field: "rows")
    }
}

extension Rejection {
    fileprivate static func paused(_ pause: Pause, nowMs: UInt64, field: String) -> Rejection {
        let seconds = Age.seconds(since: pause.sinceMs, nowMs: nowMs)
        let time = seconds < 60 ? "" : ", since \(Age.text(seconds: seconds))"
        let subject = pause.scope == Pause.Scope() ? "The table" : "\"\(pause.subject)\""
        return Rejection(.paused, "\(subject) is paused by \(pause.reason)\(time).", field: field)
    }
}
