public import TableModel

// The descriptions of requests, one line for each, as VerbDescription.swift has them of commands.

extension Request {
    /// The names of requests, in the order of docs/PROTOCOL.md.
    public enum Name: String, Sendable, CaseIterable {
        case hello, tables, kinds, snapshot, replay, offer, health, stats, check, renew, drag
        case attend, who, history, rewind, backup, restore, create, drop, forget, command, batch
        case explain, query
        case audit, stepDown, connections, endConnection, replicate, promote
    }
}

extension Request.Name {
    private static let read: VerbTraits = [.table, .reads, .costly]
    private static let change: VerbTraits = [.table, .leader, .once, .explained]

    /// The table of requests, in the order of the names.
    private static let table: [VerbDescription] = [
        line(.hello, .daemon, [], [.process, .reads]),
        line(.tables, .tables, [], [.reads, .costly]), line(.kinds, .tables, .read, read),
        line(.snapshot, .looking, .read, read), line(.replay, .looking, .read, read),
        line(.offer, .looking, .read, .table),
        line(.health, .daemon, [], [.process, .reads, .costly]),
        line(.stats, .daemon, [], [.process, .reads, .costly]),
        line(.check, .daemon, .administer, [.allTables, .reads, .costly]),
        line(.renew, .actions, .handle, [.table, .leader]),
        // Each step has a line of its own, and each command.
        line(.drag, .together, .changeRows, [.table, .leader]),
        line(.attend, .looking, .read, [.table, .leader]),
        line(.who, .looking, .read, read.union(.leader)), line(.history, .past, .read, read),
        line(.rewind, .past, .read, read),
        line(.backup, .daemon, .administer, [.allTables, .costly, .audited]),
        line(.restore, .daemon, .administer, [.allTables, .leader, .costly, .once, .audited]),
        line(.create, .tables, .administer, change.union(.audited)),
        line(.drop, .tables, .administer, change.union([.audited, .makesLess])),
        line(.forget, .past, .administer, [.table, .leader, .costly, .once, .audited, .makesLess]),
        line(.command, .rows, .changeRows, change),
        line(.batch, .manyAtOnce, .changeRows, change.union(.costly)),
        // It tells what the table holds, and changes nothing.
        line(.explain, .trying, .read, read), line(.query, .looking, .read, read),
        line(.audit, .daemon, .administer, [.allTables, .process, .reads, .costly]),
        line(.stepDown, .daemon, .administer, [.allTables, .leader, .audited]),
        line(.connections, .daemon, .administer, [.allTables, .process, .reads, .costly]),
        line(.endConnection, .daemon, .administer, [.allTables, .process, .audited]),
        line(.replicate, .daemon, .administer, [.allTables, .leader]),
        line(.promote, .daemon, .administer, [.allTables, .process, .audited]),
    ]

    private static func line(
        _ name: Self, _ group: VerbGroup, _ rights: Rights, _ traits: VerbTraits
    ) -> VerbDescription { VerbDescription(name.rawValue, group, rights, traits) }

    /// Its line in the table.
    public var description: VerbDescription { Self.table[placeInOrder] }

    /// Whether this is true of it.
    public func has(_ trait: VerbTraits) -> Bool { Self.table[placeInOrder].traits.contains(trait) }
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
    /// The description of a step of a drag. Only a drop changes the table, and so is carried out once.
    public var description: VerbDescription {
        VerbDescription(
            rawValue, .together, .changeRows,
            self == .drop ? [.table, .leader, .once] : [.table, .leader])
    }
}

extension Request.Verb {
    /// The word for it, in causes, counters and the log: that of the command, or of the step.
    public var name: String { description.name }

    /// Its description: that of the command, or of the step.
    public var description: VerbDescription {
        commandName?.description ?? step?.description ?? request.description
    }

    /// The descriptions of its parts: of each command of a batch, else of itself.
    var parts: [VerbDescription] {
        guard case .batch(let commands, _) = self else { return [description] }
        return commands.map(\.verb.name.description)
    }

    /// The rights that the request needs on its table; a batch those of all its commands.
    public var rights: Rights {
        guard case .batch = self else { return commandName?.rights ?? description.rights }
        return parts.reduce(into: .read) { $0.formUnion($1.rights) }
    }

    /// Whether it stands in the audit when it is carried out.
    public var isAudited: Bool { parts.contains { $0.traits.contains(.audited) } }

    /// The name of its command; nil: it is none.
    var commandName: Command.Name? {
        if case .command(let command) = self { command.verb.name } else { nil }
    }

    /// The step of a drag; nil: it is none.
    var step: Drag.Name? {
        if case .drag(let drag) = self { drag.step } else { nil }
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
        case .forget: return .forget
        case .command: return .command
        case .batch: return .batch
        case .explain: return .explain
        case .query: return .query
        case .audit: return .audit
        case .stepDown: return .stepDown
        case .connections: return .connections
        case .endConnection: return .endConnection
        case .replicate: return .replicate
        case .promote: return .promote
        }
    }
}

extension Request.Change {
    /// The change that a verb makes; nil: nothing that could be explained.
    public init?(_ verb: Request.Verb) {
        switch verb {
        case .create: self = .create
        case .drop: self = .drop
        case .command(let command): self = .command(command)
        case .batch(let commands, let ifRevision): self = .batch(commands, ifRevision: ifRevision)
        case .hello, .tables, .kinds, .snapshot, .replay, .offer, .health, .stats, .check, .renew,
            .drag, .attend, .who, .history, .rewind, .backup, .restore, .forget, .explain,
            .query, .audit, .stepDown, .connections, .endConnection, .replicate, .promote:
            return nil
        }
    }
}
