import ArgumentParser
import TableModel
import TableSync
import TableWire

struct DragVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "drag", abstract: "Drag rows: lift, hover, drop or cancel.",
        usage: """
            trestle drag <table> lift <rows> ... [--ttl <seconds>] [<options>]
            trestle drag <table> hover <lease> \
            (--top | --bottom | --before <row> | --after <row>) \
            [--section <section>] [<options>]
            trestle drag <table> drop <lease> \
            (--top | --bottom | --before <row> | --after <row>) \
            [--section <section>] [--strict] [<options>]
            trestle drag <table> (cancel | renew) <lease> [<options>]
            """,
        discussion: """
            lift takes rows and prints the id of a lease. The other steps name that lease. \
            Meanwhile nobody else can lift, move or act on those rows, and other viewers see where \
            they hover. drop is one revision. cancel leaves everything as it was.

            A lease ends by itself when neither hover nor renew has renewed it for --ttl seconds \
            (1 to 60, default: 10), when one of its rows is removed, and when the daemon is \
            restarted. A lease belongs to the person who lifted: the name comes from --as, \
            TRESTLE_NAME, USER or the system. Without a name there is no drag.

              lease=$(trestle -o name drag board lift t41 t42)
              trestle drag board hover $lease --before t7
              trestle drag board drop $lease --before t7
            """)

    @Argument(help: "The table.", completion: Live.tables) var table: String
    @Argument(help: "lift, hover, drop, cancel or renew.") var step: Step
    @Argument(help: "The rows' ids (lift), or the lease's.") var names: [String]
    @OptionGroup var place: PlaceOptions
    @Option(help: "The section (hover, drop).") var section: String?
    @Flag(help: "Refuse the drop when the row of --before or --after is gone.") var strict = false
    @Option(help: .value("seconds", "How long the lease lasts (lift).")) var ttl: Double?
    @OptionGroup var options: Options

    enum Step: String, ExpressibleByArgument, CaseIterable { case lift, hover, drop, cancel, renew }

    func validate() throws {
        if step != .lift, names.count != 1 { throw ValidationError("Name one lease.") }
        if step != .lift, ttl != nil { throw ValidationError("--ttl is for lift.") }
        try TimeToLive.check(ttl)
        let hasPlace = place.anchor != nil
        if step == .hover || step == .drop {
            try place.check(isNeeded: true)
        } else if hasPlace || section != nil {
            throw ValidationError("\(step.rawValue) takes no place.")
        }
        if strict, step != .drop { throw ValidationError("--strict is for drop.") }
    }

    func carryOut(_ connection: Connection) throws {
        let lease = ID(names[0])
        let (section, anchor) = (section.map { ID($0) }, place.anchor ?? .bottom)
        try connection.needName()
        switch step {
        case .lift:
            let drag = Drag.lift(names.map { ID($0) }, ttlSeconds: ttl ?? Drag.defaultTTLSeconds)
            try lift(try connection.pass(.drag(drag), on: table), connection)
        case .hover:
            try pass(.hover(lease: lease, section: section, anchor), "hovers", connection)
        case .drop:
            let drag = Drag.drop(lease: lease, section: section, anchor, strict ? .strict : .rebase)
            let reply = try connection.perform(.drag(drag), on: table)
            try connection.show(reply, reply.sentences)
            if section != nil { connection.sayMadeSection(reply) }
        case .cancel: try pass(.cancel(lease: lease), "is cancelled", connection)
        case .renew: try pass(.renew(lease: lease), "is renewed", connection)
        }
    }

    /// Has a step of the drag done that changes no revision.
    private func pass(_ step: Drag, _ done: String, _ connection: Connection) throws {
        let reply = try connection.pass(.drag(step), on: table)
        try connection.show(reply, names: names, ["\(names[0]) \(done)"])
    }

    private func lift(_ reply: Reply, _ connection: Connection) throws {
        guard case .lease(let lease) = reply.answer else { throw connection.surprise }
        let rows = lease.rows.map(\.text).joined(separator: ", ")
        try connection.show(
            reply,
            adding: [
                ("lease", .text(lease.id.text)), ("holder", .text(lease.holder.text)),
                ("rows", .list(lease.rows.map { .text($0.text) })),
                ("ttl", .number(lease.ttlSeconds)),
            ], names: [lease.id.text],
            lines: { _ in [TextLine("\(lease.id.text)  \(lease.holder.text) lifted \(rows)")] })
    }
}

struct ClaimVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "claim", abstract: "Say that you work on rows, for everybody to see.",
        usage: """
            trestle claim <table> \(EachSectionOptions.usage) [--note <note>] [--ttl <seconds>] \
            \(ConditionOptions.usage)
            """,
        discussion: """
            A claim is advice: everybody sees it on the row, and only commands with --if-claimed \
            are refused because of it. It ends with unclaim, when its --ttl is over and it was not \
            claimed again, and when the last viewer of its holder is gone.

              trestle --as ada claim board t41 --note "calling them back" --ttl 300

            With --where it claims all rows that the condition fits, as `trestle help set` says.
            """)

    @Argument(help: "The table.", completion: Live.tables) var table: String
    @Argument(help: "The rows' ids.", completion: Live.rows) var rows: [String] = []
    @OptionGroup var many: EachSectionOptions
    @Option(help: "Why you claim them.") var note: String?
    @Option(help: .value("seconds", "The claim ends after this time (1 to 86400)."))
    var ttl: Double?
    @OptionGroup var condition: ConditionOptions
    @OptionGroup var options: Options

    func validate() throws {
        try many.each.check(hasRows: !rows.isEmpty, "<rows> ...")
        try TimeToLive.check(ttl)
    }

    func carryOut(_ connection: Connection) throws {
        try connection.needName()
        let verb = Command.Verb.claim(Few(rows.map { ID($0) }), note: note ?? "", ttlSeconds: ttl)
        let isDone = try connection.carryOutEach(
            verb, many.each, in: many.section, of: table, deed: "claimed", condition.command)
        if isDone { return }
        let reply = try connection.perform(verb, on: table, condition)
        try connection.show(reply, rows.map { "\($0) is claimed" + reply.suffix })
    }
}

struct UnclaimVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "unclaim", abstract: "End claims.",
        discussion: """
            Ends your claims on these rows, or with --holder those of somebody else. Without rows \
            it ends all of them.

              trestle unclaim board --holder ada
            """)

    @Argument(help: "The table.", completion: Live.tables) var table: String
    @Argument(help: "The rows' ids; none: all that the holder has claimed.")
    var rows: [String] = []
    @Option(help: .value("name", "Whose claims.")) var holder: String?
    @OptionGroup var condition: ConditionOptions
    @OptionGroup var options: Options

    func carryOut(_ connection: Connection) throws {
        if holder == nil { try connection.needName() }
        let reply = try connection.perform(
            .unclaim(Few(rows.map { ID($0) }), holder: holder.map { ID($0) }), on: table, condition)
        let freed = reply.landings.map { "\($0.row.text) is free" + reply.suffix }
        try connection.show(reply, freed.isEmpty ? ["nothing was claimed"] : freed)
    }
}

struct WhoVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "who", abstract: "Say who looks at a table, and who drags its rows.",
        discussion: """
            With -o json: {"viewers":[{"client","name","user","sinceMs","revision","lag"}],\
            "leases":[{"lease","holder","rows","ttl","user",…}]}. user is proven, name is said. lag says how \
            many revisions a viewer is behind. Viewers that said nothing for five seconds are left out. \
            With -o ndjson one viewer per line, and then one drag per line: only a drag has `lease`.

            --all shows what each user has cost since the daemon's start: requests, refusals, bytes \
            and connections. As json: {"users":[{"user","requests","refusals","requestBytes",\
            "replyBytes","connections"}]}. Whoever may not administer all tables sees only their own.
            """)

    @Argument(help: "The table.", completion: Live.tables) var table: String?
    @Flag(help: "Each user of the daemon, and what it has cost.") var all = false
    @OptionGroup var options: Options

    func validate() throws {
        guard all == (table == nil) else { throw ValidationError("Name a table, or say --all.") }
    }

    func carryOut(_ connection: Connection) throws {
        guard let table else { return try UserCosts.show(connection) }
        let reply = try connection.ask(.who, about: table)
        guard case .who(let viewers, let leases) = reply.answer else { throw connection.surprise }
        let people = viewers.map { Encode.document($0) }
        let drags = leases.map { Encode.document($0) }
        try connection.show(
            reply, lists: ["viewers": people, "leases": drags],
            names: viewers.map { ($0.name ?? $0.client).text },
            lines: { lines(viewers, leases, reply.revision ?? 0, isWide: $0) })
    }

    private func lines(
        _ viewers: [Attendant], _ leases: [Lease], _ head: UInt64, isWide: Bool
    ) -> [TextLine] {
        let headings = ["NAME", "SINCE", "REVISION", "LAG"] + (isWide ? ["USER", "CLIENT"] : [])
        var columns = Columns(viewers.isEmpty ? [] : headings, numbers: [2, 3])
        for viewer in viewers {
            columns.append(
                [
                    (viewer.name ?? viewer.client).text, Moments.text(viewer.sinceMs),
                    String(viewer.revision), String(viewer.lag),
                ] + (isWide ? [viewer.user?.text ?? "-", viewer.client.text] : []))
        }
        for lease in leases {
            let rows = lease.rows.map(\.text).joined(separator: ", ")
            columns.append(line: "\(lease.holder.text) drags \(rows)\(Self.over(lease))")
        }
        columns.append(line: "\(viewers.count.of("viewer"))  revision \(head)", .faint)
        return columns.lines
    }

    private static func over(_ lease: Lease) -> String {
        guard let hover = lease.hover else { return "" }
        switch hover.anchor {
        case .top: return " over the top" + (hover.section.map { " of \($0.text)" } ?? "")
        case .bottom: return " over the bottom" + (hover.section.map { " of \($0.text)" } ?? "")
        case .before(let row): return " over the place before \(row.text)"
        case .after(let row): return " over the place after \(row.text)"
        }
    }
}
