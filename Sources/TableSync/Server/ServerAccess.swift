public import TableModel

// Rights come from the guest list, if there is one, and a child's also from its parent's description.

/// The results of the guest list, which requests look up. The cache begins anew with another list.
struct AccessCache {
    /// All that a guest list looks at. A request that waited may still have the groups that its sender had
    /// before: what is found for it is not true of the sender as known now.
    private struct Subject: Hashable {
        let proof: Principal.Proof
        let account: String?
        let groups: Set<String>

        init(_ principal: Principal) {
            proof = principal.proof
            account = principal.account
            groups = principal.groups
        }

        // The groups of one user are nearly always the same.
        func hash(into hasher: inout Hasher) { hasher.combine(proof) }
    }

    private struct Key: Hashable {
        let subject: Subject
        /// Nil: all tables.
        let table: TableID?
    }

    /// The rights found: an object, so that a look at it copies nothing.
    private final class Found {
        let principal: Principal
        let table: TableID?
        let rights: Rights

        init(_ principal: Principal, _ table: TableID?, _ rights: Rights) {
            self.principal = principal
            self.table = table
            self.rights = rights
        }

        func isOf(_ other: Principal, _ table: TableID?) -> Bool {
            principal === other && self.table == table
        }
    }

    // A command asks three times, and a search of the dictionary is 700 instructions: a guest list made
    // commands a twelfth dearer.
    private var latest: Found?
    private static let mostLately = 64
    private var lately = [Found?](repeating: nil, count: mostLately)
    private var rights: [Key: Rights] = [:]
    private var isGuest: [Subject: Bool] = [:]
    /// Beyond it the cache begins anew: names of tables that are not there are kept too.
    private static let most = 16_384
    /// Longer names are not kept: they would fill memory.
    private static let mostBytes = 256

    mutating func rights(
        of principal: Principal, on table: TableID?, by guests: GuestList
    ) -> Rights {
        if let latest, latest.isOf(principal, table) { return latest.rights }
        let place = Self.place(of: principal, table)
        if let found = lately[place], found.isOf(principal, table) {
            latest = found
            return found.rights
        }
        let found = Found(principal, table, search(principal, table, guests))
        guard (table?.byteCount ?? 0) <= Self.mostBytes else { return found.rights }
        lately[place] = found
        latest = found
        return found.rights
    }

    /// Where it stands in `lately`. What stands there gives way.
    private static func place(of principal: Principal, _ table: TableID?) -> Int {
        let object = UInt(bitPattern: ObjectIdentifier(principal))
        let name = UInt(bitPattern: table?._rawHashValue(seed: 0) ?? 0)
        return Int((object >> 5 ^ name) % UInt(mostLately))
    }

    private mutating func search(
        _ principal: Principal, _ table: TableID?, _ guests: GuestList
    ) -> Rights {
        let key = Key(subject: Subject(principal), table: table)
        if let known = rights[key] { return known }
        if rights.count >= Self.most { rights = [:] }
        let new = guests.rights(of: principal, on: table)
        if (table?.byteCount ?? 0) <= Self.mostBytes { rights[key] = new }
        return new
    }

    /// Whether any line lets it do anything.
    mutating func isGuest(_ principal: Principal, by guests: GuestList) -> Bool {
        let subject = Subject(principal)
        if let known = isGuest[subject] { return known }
        if isGuest.count >= Self.most { isGuest = [:] }
        let new = guests.mayAnything(principal)
        isGuest[subject] = new
        return new
    }
}

/// The rights of senders, by the guest list and by what a parent says of its child.
public struct Admission {
    /// The guest list; nil: every sender may do everything.
    public var guests: GuestList? { didSet { forgetRights() } }
    /// The origin of the request that is received, for the audit: asked only where it is noted.
    public var origin: () -> String = { "" }
    /// Requests may name the time to decide at: for tests, and for sessions that are replayed.
    public var takesTimes = false
    private var cache = AccessCache()

    /// A principal has a name now, or other groups: rights are looked up again.
    public mutating func forgetRights() { cache = AccessCache() }

    /// The rights of a principal on a table of this name, or on all tables (nil). A child may do what
    /// both its parent may and its own role.
    public mutating func rights(of principal: Principal, on table: TableID?) -> Rights {
        let proven =
            guests.map { cache.rights(of: principal.parent ?? principal, on: table, by: $0) }
            ?? Role.admin.rights
        guard let behalf = principal.behalf else { return proven }
        return proven.intersection(behalf.rights(on: table))
    }

    /// Whether a principal, or whoever it asks for, may do nothing with any table.
    public mutating func isStranger(_ principal: Principal) -> Bool {
        guests.map { !cache.isGuest(principal.parent ?? principal, by: $0) } ?? false
    }

    /// Whether there is anything that this principal may not do.
    @inline(__always)
    func isBounded(_ principal: Principal) -> Bool { guests != nil || principal.behalf != nil }

    /// Whether a principal may know of a table of this name.
    public mutating func mayRead(_ principal: Principal, _ table: TableID) -> Bool {
        !isBounded(principal) || rights(of: principal, on: table).contains(.read)
    }

    /// Whether the sender may know of the table that it names: else not even that there is one.
    mutating func mayKnowTable(_ request: Request) -> Bool {
        request.table.map { mayRead(request.sender, $0) } ?? true
    }

    /// Whether the sender may define on the request's table, and so end the claims of others by naming their holder.
    @inline(__always)
    mutating func mayDefine(_ request: Request) -> Bool {
        !isBounded(request.sender)
            || request.table.map { rights(of: request.sender, on: $0).contains(.define) } ?? false
    }

    /// Whether the sender may finish what the actions of the request's table begin.
    mutating func mayHandle(_ request: Request) -> Bool {
        !isBounded(request.sender)
            || request.table.map { rights(of: request.sender, on: $0).contains(.handle) } ?? false
    }

    /// Why the sender may not ask for this; nil: it may.
    ///
    /// It says the same of a table that the sender may not read and of one that is not there.
    @inline(__always)
    mutating func refusal(of request: Request) -> Rejection? {
        isBounded(request.sender) ? refusal(ofBounded: request) : nil
    }

    private mutating func refusal(ofBounded request: Request) -> Rejection? {
        let needed = request.verb.rights
        if needed.isEmpty { return nil }
        let isAboutAll = request.verb.request.has(.allTables)
        // A request that names no table is refused for that.
        guard isAboutAll || request.table != nil else { return nil }
        let rights = rights(of: request.sender, on: isAboutAll ? nil : request.table)
        if rights.isSuperset(of: needed) { return nil }
        return .notAllowed(request, needed)
    }
}

extension Server {
    /// Refuses a request of a stranger, of which no more was read than its outline.
    ///
    /// - Parameters:
    ///   - sender: who has sent it.
    ///   - verb: what it asks for; nil: that was not read either.
    ///   - client: the client that it names.
    ///   - number: its number.
    ///   - route: where the answer goes.
    public func refuseStranger(
        _ sender: Principal, verb: Request.Name?, client: ID?, number: UInt64?, from route: Route
    ) {
        let who = sender.name?.text ?? "An unidentified sender"
        // Anybody may ask for `hello`.
        if verb != .hello {
            ready.audited.append(
                AuditEntry(
                    sender, from: admission.origin(), verb: verb?.rawValue ?? "request", table: nil,
                    refusedAs: Rejection.Code.notAllowed.rawValue))
        }
        refuse(
            Rejection(
                .notAllowed,
                "\(who) may do nothing with any table: no line of the guest list is about it.",
                field: Rejection.userField), client: client, number: number, from: route)
    }

    /// The tables that a principal may read, in the order of their names.
    func summaries(for principal: Principal) -> [TableSummary] {
        tables.summaries.filter { admission.mayRead(principal, $0.table) }
    }

    /// Why a plan may not be carried out: it changes definitions, as an undo of one does or rows that go to a
    /// section which is yet to be made, and the sender may not define; or the kinds become too large, as by
    /// an undo of what dropped some.
    func refusal(of plan: Plan, _ request: Request) -> Rejection? {
        // Nearly no plan has invocations, and to look at the command copies it.
        if !plan.invocations.isEmpty, case .command(let command) = request.verb,
            command.verb.name == .next, !admission.mayHandle(request)
        {
            return .notAllowed(
                request, [.read, .changeRows, .handle], "since it holds what a handler finishes")
        }
        // Nearly no plan does.
        guard plan.ops.contains(where: \.defines) else { return nil }
        if let tooLarge = kindsRefusal(of: plan, request) { return tooLarge }
        // It changes nothing else of the settings.
        if case .command(let command) = request.verb, command.verb.name == .pause { return nil }
        if admission.mayDefine(request) { return nil }
        let made = plan.ops.compactMap { op -> SectionID? in
            if case .insertSection(let id, _, _) = op { id } else { nil }
        }
        if request.verb.onlyHandles, made.count == plan.ops.filter(\.defines).count,
            areForeseen(made, request)
        {
            return nil
        }
        let why = made.first.map { "since it makes section \"\($0.text)\"" }
        var rejection = Rejection.notAllowed(
            request, [.read, .changeRows, .define], why ?? "since it changes definitions")
        if let section = made.first?.text {
            rejection.saying = Saying("noSection", ["section": section])
        }
        return rejection
    }

    /// Whether a kind says of each of these sections that rows go there when a handler is done. Whoever may
    /// define has said so, and the work was done: a handler needs no right for it. (Rows and items have
    /// actions of their own, which whoever may change rows has written: these do not count.)
    private func areForeseen(_ sections: [SectionID], _ request: Request) -> Bool {
        guard let table = request.table.flatMap({ tables[$0]?.table }) else { return false }
        var others = Set(sections)
        for kind in table.kinds.values {
            for case .move(let section?, _) in kind.laterEffects { others.remove(section) }
            if others.isEmpty { return true }
        }
        return others.isEmpty
    }

    private func kindsRefusal(of plan: Plan, _ request: Request) -> Rejection? {
        var later: [KindID: Kind?] = [:]
        for case .define(let step) in plan.ops {
            for kind in step.kinds { later[kind.id] = kind }
            for id in step.dropped { later[id] = .some(nil) }
        }
        guard !later.isEmpty, let table = request.table.flatMap({ tables[$0]?.table })
        else { return nil }
        let net = Command.Definitions(
            kinds: later.values.compactMap { $0 },
            dropped: later.filter { $0.value == nil }.map(\.key))
        do throws(Rejection) {
            try table.checkKindsBytes(after: net, limits)
            return nil
        } catch { return error }
    }
}

extension Request.Verb {
    /// Whether it does, or explains, nothing but what handlers do: take, release, finish.
    fileprivate var onlyHandles: Bool {
        guard case .explain(let change) = self else {
            return parts.allSatisfy { $0.rights == .handle }
        }
        switch change {
        case .create, .drop: return false
        case .command(let command): return Self.command(command).onlyHandles
        case .batch(let commands, _): return Self.batch(commands, ifRevision: nil).onlyHandles
        }
    }
}

extension Kind {
    /// The effects at the end of the invocations that its actions and taps start.
    fileprivate var laterEffects: [Effect] {
        var all = tap
        for group in [leading, trailing] {
            for action in group?.actions ?? [] { all += action.effects }
        }
        for items in itemKinds.values {
            all += items.tap
            for action in items.menu { all += action.effects }
        }
        let then = all.flatMap { effect -> [Effect] in
            guard case .invoke(_, let then, let retries) = effect else { return [] }
            return then + retries.otherwise
        }
        return then.flatMap { effect -> [Effect] in
            if case .group(let effects) = effect { effects } else { [effect] }
        }
    }
}

extension Rejection {
    /// The field of a refusal by the guest list: nothing in the request itself is at fault.
    public static let userField = "user"

    /// Whether the guest list refuses, or what a parent says of its child. Kinds have rows that may
    /// not be moved or removed: that is `notAllowed` too, whoever asks.
    public var isForWantOfRights: Bool { code == .notAllowed && field == Self.userField }

    /// - Parameter why: where the verb by itself takes less; nil: it takes that always.
    static func notAllowed(
        _ request: Request, _ needed: Rights, _ why: String? = nil
    ) -> Rejection {
        let who = request.sender.name?.text ?? "An unidentified sender"
        let role = Role.least(for: needed).rawValue
        return Rejection(
            .notAllowed,
            "\(who) may not \(request.deed(taking: needed)): that takes the role \(role)"
                + "\(why.map { ", \($0)" } ?? "").", field: userField, saying: Saying("role"))
    }
}

extension Request {
    /// The deeds of requests about all tables, in words.
    private static let deeds: [Name: String] = [
        .check: "check all tables", .audit: "read the audit", .stepDown: "let another daemon write",
        .backup: "back up all tables", .restore: "restore tables",
        .connections: "see who is connected", .endConnection: "end connections",
        .replicate: "follow this daemon", .promote: "promote a standby",
    ]

    /// The deed that its sender wants to do, in words that are as true of a done deed as of the request:
    /// a `show` sends `snapshot`, and a viewer that follows a table sends questions of its own.
    fileprivate func deed(taking rights: Rights) -> String {
        let (name, table) = (verb.request, "table \"\(table?.text ?? "")\"")
        if let deed = Self.deeds[name] { return deed }
        if name == .forget { return "forget rows of \(table)" }
        if name == .create || name == .drop { return "\(name.rawValue) \(table)" }
        if rights.contains(.define) { return "define kinds or sections in \(table)" }
        if name == .drag { return "move rows in \(table)" }
        if rights.contains(.handle) { return "handle actions in \(table)" }
        return "\(rights.contains(.changeRows) ? "change rows in" : "read") \(table)"
    }
}
