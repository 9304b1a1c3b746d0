import TableDecisions
import TableModel

/// Reads the command language of the scenarios (Scenarios/README.txt).
struct ScenarioParser {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    private var words: [String]

    init(_ line: String) {
        words = Self.split(line)
    }

    /// Spaces separate words; inside double quotes they count as letters.
    private static func split(_ line: String) -> [String] {
        var words: [String] = []
        var word: String?
        var isQuoted = false
        for character in line {
            switch character {
            case "\"":
                isQuoted.toggle()
                word = word ?? ""
            case " " where !isQuoted:
                if let full = word { words.append(full) }
                word = nil
            default: word = (word ?? "") + String(character)
            }
        }
        if let word { words.append(word) }
        return words
    }

    /// Takes `name=value` out of the line.
    private mutating func option(_ name: String) -> String? {
        guard let index = words.firstIndex(where: { $0.hasPrefix(name + "=") }) else { return nil }
        return String(words.remove(at: index).dropFirst(name.count + 1))
    }

    private mutating func flag(_ name: String) -> Bool {
        guard let index = words.firstIndex(of: name) else { return false }
        words.remove(at: index)
        return true
    }

    private mutating func next() throws -> String {
        guard !words.isEmpty else { throw Failure(description: "a word is missing") }
        return words.removeFirst()
    }

    /// `batch` alone: its commands follow. Nil unless the line is one.
    mutating func batch() -> (ifRevision: UInt64?, Void)? {
        guard words.first == "batch" else { return nil }
        return (option("if-revision").flatMap { UInt64($0) }, ())
    }

    /// `limits rows=3 …`
    mutating func limits(_ limits: inout Limits) throws -> Bool {
        guard words.first == "limits" else { return false }
        for word in words.dropFirst() {
            let parts = word.split(separator: "=")
            guard parts.count == 2, let value = Int(parts[1]) else {
                throw Failure(description: "limits: \(word)")
            }
            switch parts[0] {
            case "rows": limits.rows = value
            case "sections": limits.sections = value
            case "kinds": limits.kinds = value
            case "batchCommands": limits.batchCommands = value
            default: throw Failure(description: "no limit \(parts[0])")
            }
        }
        return true
    }

    /// `late ID`, `lost ID` and `due ID`: things that the daemon does by itself.
    mutating func lost() -> ((Table) -> Plan)? {
        let ends: [String: Expiry] = ["late": .late, "lost": .lost, "due": .due]
        guard words.count == 2, let id = InvocationID(words[1]), let end = ends[words[0]] else {
            return nil
        }
        return {
            reduce(
                expiring: [(id, end)], on: $0, limits: Limits(), DecisionContext(nowMs: 1_000))
        }
    }

    /// When it is decided, from then on.
    mutating func time() -> UInt64? { option("at").flatMap { UInt64($0) } }

    /// The client that sends it.
    mutating func client() -> ID? { option("as").map { ID($0) } }

    mutating func command() throws -> Command {
        let ifRevision = option("if-revision").flatMap { UInt64($0) }
        let ifVersion = option("if-version").flatMap { UInt64($0) }
        return Command(try verb(), ifRevision: ifRevision, ifVersion: ifVersion)
    }

    private mutating func verb() throws -> Command.Verb {
        let name = try next()
        switch name {
        case "add": return try add()
        case "set": return try set()
        case "remove":
            let hint = try hint()
            return .remove(Few(words.map { ID($0) }), hint: hint)
        case "move":
            let section = option("in").map { ID($0) }
            let policy: Command.Policy = flag("rebase") ? .rebase : .strict
            let anchor = try anchor()
            return .move(Few(words.map { ID($0) }), section: section, anchor, policy)
        case "swap": return .swap(ID(try next()), ID(try next()))
        case "swipe": return .swipe(ID(try next()), Edge(rawValue: try next()))
        case "expand":
            let id = ID(try next())
            let state = try next()
            return .expand(id, state == "toggle" ? nil : Expansion(state))
        case "define": return .define(try definitions())
        case "section": return .section(ID(try next()), title: words.first)
        case "removeSection": return .removeSection(ID(try next()))
        case "act": return try act()
        case "expandAll": return .expandAll(try next() == "open")
        case "item": return try item()
        case "scroll":
            let row = ID(try next())
            let item = ID(try next())
            return .scroll(row, Scroll(item, fraction: words.first.flatMap { Double($0) } ?? 0))
        case "select":
            let row = ID(try next())
            return .select(row, item: words.first.map { ID($0) })
        case "mark":
            let row = words.isEmpty ? nil : ID(try next())
            return .mark(row, item: words.first.map { ID($0) })
        case "edit": return .edit(try next() == "on")
        case "take":
            let most = option("most").flatMap { Int($0) } ?? 1
            return .take(action: words.first.map { ID($0) }, atMost: most)
        case "release": return .release(try invocation())
        case "retry": return .retry(ID(try next()), action: words.first.map { ID($0) }, item: nil)
        case "finish":
            let id = try invocation()
            return .finish(id, try next() == "done" ? .done : .failed(words.first ?? ""))
        default: throw Failure(description: "no verb \(name)")
        }
    }

    private mutating func item() throws -> Command.Verb {
        let row = ID(try next())
        let change = try next()
        let anchor = try anchor()
        switch change {
        case "add":
            let title = option("title") ?? ""
            let tap = option("tap") == "seen" ? [Effect.set([.init("seen", "item")])] : []
            let kind = option("kind").map { ID($0) }
            let id = ID(try next())
            let item = Item(id, title: title, kind: kind, fields: fields(), tap: tap)
            return .item(row, .add(item, anchor))
        case "set":
            let title = option("title")
            let kind = option("kind").map { $0 == "none" ? nil : ID($0) }
            let id = ID(try next())
            return .item(row, .set(id, .init(title: title, kind: kind, fields: fields())))
        case "remove": return .item(row, .remove(words.map { ID($0) }))
        default: return .item(row, .move(words.map { ID($0) }, anchor))
        }
    }

    private mutating func act() throws -> Command.Verb {
        let edge = option("edge").flatMap(Edge.init(rawValue:))
        let (isFull, isConfirmed) = (flag("full"), flag("confirmed"))
        let item = option("item").map { ID($0) }
        let row = ID(try next())
        return .act(
            .init(
                ID(try next()), on: row, item: item, edge: edge, isFull: isFull,
                isConfirmed: isConfirmed))
    }

    private mutating func invocation() throws -> InvocationID {
        guard let id = InvocationID(try next()) else {
            throw Failure(description: "no invocation")
        }
        return id
    }

    /// `ID:EFFECT+EFFECT,…`; an effect is remove, toggle, top, set, invoke or invoke-set.
    private mutating func group(_ name: String) throws -> ActionGroup? {
        let gap = option("\(name)-gap"), background = option("\(name)-background")
        guard let text = option(name) ?? (gap == nil && background == nil ? nil : "none") else {
            return nil
        }
        var group = ActionGroup()
        group.gapPoints = gap.flatMap(Double.init)
        group.background = background == "none" ? nil : background
        group.hasFullSwipe = flag("full")
        group.actions = try text.split(separator: ",").filter { $0 != "none" }.map { part in
            let parts = part.split(separator: ":").map(String.init)
            var action = Action(ID(parts[0]))
            for word in parts.count > 1 ? parts[1].split(separator: "+") : [] {
                try action.take(String(word))
            }
            return action
        }
        return group
    }

    private mutating func anchor() throws -> Anchor {
        if flag("top") { return .top }
        if flag("bottom") { return .bottom }
        if let id = option("before") { return .before(ID(id)) }
        if let id = option("after") { return .after(ID(id)) }
        return .bottom
    }

    private mutating func add() throws -> Command.Verb {
        let section = option("in").map { ID($0) }
        let kind = option("kind").map { ID($0) } ?? .plainKind
        let anchor = try anchor()
        let states = option("states").map(Self.states) ?? []
        let start = option("expand").map { Expansion($0) }
        let hint = try hint()
        let id = try next()
        let title = words.first.map { $0.contains(":") ? "" : words.removeFirst() } ?? ""
        let content = Row.Content(kind: kind, title: title, fields: fields(), states: states)
        return .add(
            .init(
                id: id == "-" ? nil : ID(id), content, section: section, at: anchor,
                startingIn: start, hint: hint))
    }

    private mutating func hint() throws -> AnimationHint {
        guard let word = option("hint") else { return .automatic }
        guard let hint = AnimationHint(rawValue: word) else {
            throw Failure(description: "no hint \(word)")
        }
        return hint
    }

    /// `collapsed`, `expanded` and `name:height`; `none` is an empty list.
    private static func states(_ text: String) -> [Kind.State] {
        text.split(separator: ",").filter { $0 != "none" }.map { state in
            let parts = state.split(separator: ":").map(String.init)
            if parts.count == 2, let height = Double(parts[1]) {
                return .named(ID(parts[0]), heightPoints: height)
            }
            return parts[0] == "collapsed" ? .collapsed : .expanded
        }
    }

    /// The words that are left, as `key:value`.
    private func fields() -> [Row.Field] {
        words.compactMap { word in
            let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count == 2 ? Row.Field(ID(String(parts[0])), String(parts[1])) : nil
        }
    }

    private mutating func set() throws -> Command.Verb {
        let title = option("title")
        let kind = option("kind").map { ID($0) }
        let unset = option("unset").map { $0.split(separator: ",").map { ID(String($0)) } }
        let states = option("states").map(Self.states)
        let id = ID(try next())
        return .set(
            id,
            .init(
                title: title, kind: kind, fields: fields(), unset: unset ?? [], states: states))
    }

    private mutating func definitions() throws -> Command.Definitions {
        var definitions = Command.Definitions()
        if let drop = option("drop") { definitions.dropped = [ID(drop)] }
        let policies = words
        var settings = Settings()
        var hasSettings = false
        if let policy = option("swipe").flatMap(Settings.SwipePolicy.init(rawValue:)) {
            (settings.swipePolicy, hasSettings) = (policy, true)
        }
        if let scope = option("scope").flatMap(Settings.SwipeScope.init(rawValue:)) {
            (settings.swipeScope, hasSettings) = (scope, true)
        }
        if let policy = option("expand").flatMap(Settings.ExpandPolicy.init(rawValue:)) {
            (settings.expandPolicy, hasSettings) = (policy, true)
        }
        if let scope = option("scroll").flatMap(Settings.ScrollScope.init(rawValue:)) {
            (settings.scrollScope, hasSettings) = (scope, true)
        }
        if let scope = option("selection").flatMap(Settings.SelectionScope.init(rawValue:)) {
            (settings.selection, hasSettings) = (scope, true)
        }
        if hasSettings { definitions.settings = settings }
        let isPart = flag("part")
        let said = words
        if let id = option("kind") { definitions.kinds = [try kind(ID(id))] }
        if isPart { definitions.name(said, hasSettings: hasSettings, policies: policies) }
        guard words.isEmpty else { throw Failure(description: "define: \(words)") }
        return definitions
    }

    private mutating func kind(_ id: KindID) throws -> Kind {
        var kind = Kind(id)
        if let states = option("states") { kind.states = Self.states(states) }
        if let state = option("initial") { kind.initial = Expansion(state) }
        if let height = option("height").flatMap(Double.init) { kind.heightPoints = height }
        _ = flag("no-trailing")
        kind.show.group = option("group").map { ID($0) }
        kind.leading = try group("leading")
        kind.trailing = try group("trailing")
        kind.isStrip = flag("strip")
        if flag("tap") { kind.tap = [.set([.init("seen", "row")])] }
        if flag("tap-remove") { kind.tap = [.remove] }
        if flag("tap-fill") {
            kind.tap = [.fill([.init("seen", "{actor}:{row}/{item}@{now} {title} {{{qty}}}")])]
        }
        if flag("tap-count") {
            kind.tap = [.increment([.init("qty", by: 2), .init("left", by: -1)])]
        }
        if let spacing = option("spacing").flatMap(Double.init) { kind.spacingPoints = spacing }
        if let page = option("page").flatMap(Kind.Page.init(rawValue:)) { kind.page = page }
        // The first has the menu and the tap, if any.
        let names = option("items")?.split(separator: ",").map { ID(String($0)) } ?? []
        let menu = try group("menu")
        let hasTap = flag("item-tap")
        for name in names { kind.itemKinds[name] = ItemKind() }
        if let first = names.first {
            kind.itemKinds[first]?.menu = menu?.actions ?? []
            if hasTap { kind.itemKinds[first]?.tap = [.setItem([.init("seen", "kind")])] }
        }
        kind.canMove = !flag("fixed")
        kind.canDelete = !flag("kept")
        kind.isPinned = flag("pinned")
        return kind
    }
}

extension Command.Definitions {
    /// Names the parts of a definition that the words of a scenario mention, and no others.
    fileprivate mutating func name(_ said: [String], hasSettings: Bool, policies: [String]) {
        func has(_ option: String) -> Bool { said.contains { $0.hasPrefix("\(option)=") } }
        for kind in kinds {
            var named = Kind.Named()
            if has("states") { named.own.insert(.states) }
            if has("initial") { named.own.insert(.initial) }
            if has("height") { named.own.insert(.height) }
            if said.contains("no-trailing") { named.own.insert(.trailing) }
            if has("spacing") { named.own.insert(.spacing) }
            if has("page") { named.own.insert(.page) }
            func group(_ name: String) -> ActionGroup.Named {
                var named: ActionGroup.Named = []
                if has(name) { named.insert(.actions) }
                if has("\(name)-gap") { named.insert(.gap) }
                if has("\(name)-background") { named.insert(.background) }
                return named
            }
            (named.leading, named.trailing) = (group("leading"), group("trailing"))
            partial[kind.id] = named
        }
        guard hasSettings else { return }
        var named: Settings.Named = []
        for word in policies {
            if word.hasPrefix("swipe=") { named.insert(.swipePolicy) }
            if word.hasPrefix("scope=") { named.insert(.swipeScope) }
            if word.hasPrefix("expand=") { named.insert(.expandPolicy) }
            if word.hasPrefix("scroll=") { named.insert(.scrollScope) }
            if word.hasPrefix("selection=") { named.insert(.selection) }
        }
        partialSettings = named
    }
}
