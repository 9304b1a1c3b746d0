public import TableModel

// What there is to know of a request, one line for each, as VerbDescription.swift has it of commands.

extension Request {
    /// The names of requests, in the order of docs/PROTOCOL.md.
    public enum Name: String, Sendable, CaseIterable {
        case hello, tables, kinds, snapshot, replay, offer, health, stats, check, renew, drag
        case attend, who, history, rewind, backup, restore, create, drop, command, batch, explain
        case audit, stepDown
    }
}

extension Request.Name {
    /// The table of requests.
    public var description: VerbDescription {
        switch self {
        case .hello: return line(.daemon, .reads, needsTable: false)
        case .tables: return line(.tables, .reads, needsTable: false)
        case .kinds: return line(.tables, .reads)
        case .snapshot: return line(.looking, .reads)
        case .replay: return line(.looking, .reads)
        case .offer: return line(.looking, .reads)
        case .health: return line(.daemon, .reads, needsTable: false)
        case .stats: return line(.daemon, .reads, needsTable: false)
        case .check: return line(.daemon, .administers, needsTable: false)
        case .renew: return line(.actions, .passes)
        // Of its steps only `drop` is carried out once.
        case .drag: return line(.together, .passes)
        case .attend: return line(.looking, .passes)
        case .who: return line(.looking, .reads)
        case .history: return line(.past, .reads)
        case .rewind: return line(.past, .reads)
        case .backup: return line(.daemon, .administers, needsTable: false)
        case .restore: return line(.daemon, .administers, needsTable: false, isRemembered: true)
        case .create: return line(.tables, .administers, isRemembered: true, isExplained: true)
        case .drop: return line(.tables, .administers, isRemembered: true, isExplained: true)
        // By its own description, in the table of commands.
        case .command: return line(.rows, .changesRows, isRemembered: true, isExplained: true)
        case .batch: return line(.manyAtOnce, .changesRows, isRemembered: true, isExplained: true)
        case .explain: return line(.trying, .reads)
        case .audit: return line(.daemon, .administers, needsTable: false)
        case .stepDown: return line(.daemon, .administers, needsTable: false)
        }
    }

    private func line(
        _ group: VerbGroup, _ deed: VerbDescription.Deed, needsTable: Bool = true,
        isRemembered: Bool = false, isExplained: Bool = false
    ) -> VerbDescription {
        VerbDescription(
            rawValue, group, deed, needsTable: needsTable, isRemembered: isRemembered,
            isExplained: isExplained)
    }
}

extension Drag {
    /// The names of the steps of a drag.
    public enum Name: String, Sendable, CaseIterable {
        case lift, hover, drop, cancel
        case renew = "renewLease"
    }

    /// The name of the step.
    public var step: Name {
        switch self {
        case .lift: return .lift
        case .hover: return .hover
        case .drop: return .drop
        case .cancel: return .cancel
        case .renew: return .renew
        }
    }

    /// The word for it, in causes, counters and the log.
    public var name: String { step.rawValue }
}

extension Drag.Name {
    /// The table of the steps of a drag. Only a drop changes the table.
    public var description: VerbDescription {
        switch self {
        case .lift, .hover, .cancel, .renew: return VerbDescription(rawValue, .together, .passes)
        case .drop: return VerbDescription(rawValue, .together, .changesRows, isRemembered: true)
        }
    }
}

extension Request.Verb {
    /// The word for it, in causes, counters and the log: that of the command, or of the step.
    public var name: String {
        switch self {
        case .command(let command): return command.name
        case .drag(let drag): return drag.name
        case .hello, .tables, .kinds, .snapshot, .replay, .offer, .health, .stats, .check, .renew,
            .attend, .who, .history, .rewind, .backup, .restore, .create, .drop, .batch, .explain,
            .audit, .stepDown:
            return request.rawValue
        }
    }

    /// What there is to know of it: of the command, or of the step.
    public var description: VerbDescription {
        switch self {
        case .command(let command): return command.verb.name.description
        case .drag(let drag): return drag.step.description
        case .hello, .tables, .kinds, .snapshot, .replay, .offer, .health, .stats, .check, .renew,
            .attend, .who, .history, .rewind, .backup, .restore, .create, .drop, .batch, .explain,
            .audit, .stepDown:
            return request.description
        }
    }

    /// The name of the request.
    public var request: Request.Name {
        switch self {
        case .hello: return .hello
        case .tables: return .tables
        case .kinds: return .kinds
        case .snapshot: return .snapshot
        case .replay: return .replay
        case .offer: return .offer
        case .health: return .health
        case .stats: return .stats
        case .check: return .check
        case .renew: return .renew
        case .drag: return .drag
        case .attend: return .attend
        case .who: return .who
        case .history: return .history
        case .rewind: return .rewind
        case .backup: return .backup
        case .restore: return .restore
        case .create: return .create
        case .drop: return .drop
        case .command: return .command
        case .batch: return .batch
        case .explain: return .explain
        case .audit: return .audit
        case .stepDown: return .stepDown
        }
    }
}

extension Request.Change {
    /// What a verb changes; nil: nothing that could be explained.
    public init?(_ verb: Request.Verb) {
        switch verb {
        case .create: self = .create
        case .drop: self = .drop
        case .command(let command): self = .command(command)
        case .batch(let commands, let ifRevision): self = .batch(commands, ifRevision: ifRevision)
        case .hello, .tables, .kinds, .snapshot, .replay, .offer, .health, .stats, .check, .renew,
            .drag, .attend, .who, .history, .rewind, .backup, .restore, .explain, .audit,
            .stepDown:
            return nil
        }
    }
}
