import StrictYAML
import TableModel

// The past of a row in a JSON file: its times, performed actions, claim and scroll position.

/// The keys of a performance in JSON.
enum PerformanceKey: String, CaseIterable { case action, item, state, reason, invocation }

/// The keys of a claim in JSON.
enum ClaimKey: String, CaseIterable { case holder, note, ttl, sinceMs }

/// The keys of a sleep in JSON.
enum SleepKey: String, CaseIterable { case untilMs, top }

/// The keys of a selection in JSON.
enum SelectionKey: String, CaseIterable { case item }

/// The keys of a scroll position in JSON.
enum ScrollKey: String, CaseIterable { case item, fraction }

extension ImportFile {
    /// The reason that an imported row gives for an action that was pending.
    public static let unfinished = OwnReason.unfinished.text()

    static func readPast(_ keys: Fields<RowKey>, into row: inout ImportedRow) throws(Fault) {
        row.createdMs = try keys[.createdMs]?.integer(in: 0...UInt64.max)
        row.changedMs = try keys[.changedMs]?.integer(in: 0...UInt64.max) ?? 0
        row.movedMs = try keys[.movedMs]?.integer(in: 0...UInt64.max) ?? 0
        row.performed = try keys[.performed]?.list(performance) ?? []
        row.scroll = try keys[.scroll].map(scroll)
        row.claim = try keys[.claim].map(claim)
        row.cameFrom = try keys[.cameFrom]?.string().id
        row.sleep = try keys[.sleep].map { value throws(Fault) in
            let keys = try value.fields(SleepKey.self)
            return Row.Sleep(
                untilMs: try keys.required(.untilMs).integer(in: 0...UInt64.max),
                isToTop: try keys[.top]?.bool() ?? false)
        }
        row.selection = try keys[.selected].map { value throws(Fault) in
            let keys = try value.fields(SelectionKey.self)
            return Row.Selection(item: try keys[.item]?.string().id)
        }
    }

    private static func performance(_ value: Value) throws(Fault) -> Performance {
        let keys = try value.fields(PerformanceKey.self)
        let deed = Deed(try keys.required(.action).string().id, on: try keys[.item]?.string().id)
        let state = try keys.required(.state)
        switch try state.string() {
        case "done": return Performance(deed, .done)
        case "failed": return Performance(deed, .failed(try keys[.reason]?.string() ?? ""))
        // The invocation belongs to the other table. Nobody here knows whether its handler ran, and
        // an import must not run it.
        case "pending": return Performance(deed, .failed(unfinished))
        default: throw state.expected("done, failed or pending")
        }
    }

    private static func scroll(_ value: Value) throws(Fault) -> Scroll {
        let keys = try value.fields(ScrollKey.self)
        return Scroll(
            try keys.required(.item).string().id, fraction: try keys[.fraction]?.double() ?? 0)
    }

    private static func claim(_ value: Value) throws(Fault) -> Claim {
        let keys = try value.fields(ClaimKey.self)
        return Claim(
            holder: try keys.required(.holder).string().id,
            note: try keys[.note]?.string() ?? "", ttlSeconds: try keys[.ttl]?.double(),
            sinceMs: try keys[.sinceMs]?.integer(in: 0...UInt64.max) ?? 0)
    }
}
