import TableDecisions
import TableModel
import TableSync
import Testing

/// Rows that a viewer opens for itself.
struct ViewerExpansionsTests {
    private let table = Table(name: "t", history: ID128(high: 1, low: 2))

    private init() throws {
        var kind = Kind(.plainKind)
        kind.states = [.collapsed, .named("half", heightPoints: 90), .expanded]
        try apply(.define(.init(kinds: [kind], settings: Self.settings(.independent))))
        for section: SectionID in ["x", "y"] {
            try apply(.section(section, title: ""))
            for n in 1...2 {
                try apply(.add(.init(id: ID("\(section.text)\(n)"), .init(), section: section)))
            }
        }
    }

    private static func settings(_ policy: Settings.ExpandPolicy) -> Settings {
        var settings = Settings()
        (settings.expandPolicy, settings.expandScope) = (policy, .viewer)
        return settings
    }

    private func apply(_ verb: Command.Verb) throws {
        _ = try reduce(Command(verb), on: table, limits: Limits(), nowMs: 0)
            .map { table.apply($0, cause: Cause(verb: "test")) }.get()
    }

    private func open(_ own: ViewerExpansions) -> [RowID: Expansion] {
        let rows = table.sections.flatMap { $0.runs().joined() }.map { own.shown($0) }
        let open = rows.filter { $0.expansion != .collapsed }
        return Dictionary(uniqueKeysWithValues: open.map { ($0.id, $0.expansion) })
    }

    @Test func aRowGoesThroughItsStates() throws {
        var own = ViewerExpansions()
        let digest = table.digest
        #expect(own.expand("x1", in: table) == ["x1"])
        #expect(open(own) == ["x1": .named("half")])
        #expect(own.expand("x1", in: table) == ["x1"])
        #expect(open(own) == ["x1": .expanded])
        #expect(own.expand("x1", in: table) == ["x1"])
        #expect(open(own) == [:] && own.expand("gone", in: table) == [])
        #expect(own.expandAll(true, in: table).count == 4)
        #expect(Set(open(own).values) == [.expanded])
        #expect(own.expandAll(false, in: table).count == 4)
        #expect(open(own) == [:] && table.digest == digest)
    }

    @Test(arguments: [Settings.ExpandPolicy.accordionTable, .accordionSection])
    func anAccordionIsItsOwn(_ policy: Settings.ExpandPolicy) throws {
        try apply(.define(.init(settings: Self.settings(policy))))
        try apply(.expand("y1", .expanded))
        var own = ViewerExpansions()
        _ = own.expand("x1", in: table)
        let changed = own.expand("y2", in: table)
        let isTable = policy == .accordionTable
        let half = Expansion.named("half")
        #expect(open(own) == (isTable ? ["y2": half] : ["x1": half, "y2": half]))
        #expect(Set(changed) == (isTable ? ["y2", "x1"] : ["y2", "y1"]))
        #expect(table.row("y1")?.expansion == .expanded)
    }

    @Test func whatTheTableSaysAfterwardsCounts() throws {
        var own = ViewerExpansions()
        for id: RowID in ["x1", "x2", "y1"] { _ = own.expand(id, in: table) }
        try apply(.set("x1", .init(title: "Another")))
        #expect(own.follow(table) == [] && open(own).count == 3)
        try apply(.expand("x1", .expanded))
        try apply(.remove(["x2"]))
        #expect(own.follow(table) == ["x1"])
        try apply(.expand("x1", .collapsed))
        #expect(own.follow(table) == [] && open(own) == ["y1": .named("half")])
        try apply(.define(.init(kinds: [Kind(.plainKind)])))
        #expect(own.follow(table) == ["y1"] && open(own) == [:])
        _ = own.expand("y1", in: table)
        try apply(.define(.init(settings: Settings())))
        #expect(own.follow(table) == ["y1"])
        #expect(own == ViewerExpansions())
    }
}
