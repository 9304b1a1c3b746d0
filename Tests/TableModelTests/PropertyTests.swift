import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// Thousands of random commands from seeds, compared with a model of arrays.
struct PropertyTests {
    @Test(arguments: 1...20)
    func commandsDoWhatArraysDo(seed: Int) throws {
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        let viewer = Table(name: "t", history: ID128(high: 1, low: 2))
        var naive = NaiveTable()
        var commands = RandomCommands(seed: UInt64(seed), queues: true)
        for step in 0..<400 {
            commands.look(at: table)
            let isBatch = commands.random.once(in: 3)
            let batch = isBatch ? commands.batch() : [Command(commands.verb())]
            let before = Memory(of: table)
            let nowMs = UInt64(step)
            let result =
                isBatch
                ? reduce(
                    batch: batch, on: table, limits: Limits(), nowMs: nowMs,
                    client: commands.client)
                : reduce(
                    batch[0], on: table, limits: Limits(), nowMs: nowMs, client: commands.client)
            try #require(Memory(of: table) == before, "deciding left a trace: \(batch)")
            try #require(table.fault() == nil)
            let isInOrder = naive.perform(
                batch, nowMs: nowMs, client: commands.client)
            switch result {
            case .failure: try #require(!isInOrder, "seed \(seed), step \(step): \(batch)")
            case .success(let plan):
                try #require(isInOrder, "seed \(seed), step \(step): \(batch)")
                guard let diff = table.apply(plan, cause: Cause(verb: "test")) else { break }
                try viewer.apply(diff)
            }
            try require(table, is: naive, "seed \(seed), step \(step): \(batch)")
            try require(viewer, is: naive, "viewer, seed \(seed), step \(step)")
            try requireWeights(of: table, "seed \(seed), step \(step): \(batch)")
            try #require(viewer.digest == table.digest)
            try #require(table.digest == naive.digest, "seed \(seed), step \(step)")
            try requireInvariants(of: table)
        }
        #expect(table.revision > 100)
    }

    private func require(_ table: Table, is naive: NaiveTable, _ what: String) throws {
        try #require(table.sections.map(\.id) == naive.sections.map(\.id), "\(what)")
        try #require(table.sections.map(\.title) == naive.sections.map(\.title), "\(what)")
        let rows = naive.sections.flatMap(\.rows)
        try #require(table.rows.map(\.id) == rows.map(\.id), "\(what)")
        try #require(table.rows.map(NaiveTable.NaiveRow.init) == rows, "\(what)")
        try #require(table.revision == naive.revision, "\(what)")
        try #require(table.kinds == naive.kinds && table.settings == naive.settings, "\(what)")
        try #require(table.isEditing == naive.isEditing, "\(what)")
        let invocations = table.invocations.all.map(NaiveTable.NaiveInvocation.init)
        try #require(invocations == naive.invocations, "\(what)")
        for (place, section) in naive.sections.enumerated() {
            try #require(table.sections[place].count == section.rows.count)
            for (index, row) in section.rows.enumerated() {
                let spot = table.position(of: row.id)
                try #require(spot?.section == section.id && spot?.index == index)
                try #require(spot?.after == (index > 0 ? section.rows[index - 1].id : nil))
                try #require(table.row(at: index, in: section.id)?.id == row.id)
            }
        }
    }

    /// Rules C9, E2 and E4.
    private func requireInvariants(of table: Table) throws {
        try #require(table.fault() == nil, "\(table.fault() ?? "")")
        let rows = table.rows
        try #require(Set(rows.map(\.id)).count == rows.count)
        try #require(table.count == rows.count)
        let open = rows.filter { $0.swipe != nil }
        try #require(Set(open.map(\.id)) == table.openRows)
        if table.settings.swipePolicy == .exclusive { try #require(open.count <= 1) }
        if table.settings.swipeScope == .viewer { try #require(open.isEmpty) }
        for section in table.sections {
            guard table.settings.expandPolicy == .accordionSection else { continue }
            try #require(Self.open(section.runs().flatMap { $0 }, table) <= 1)
        }
        if table.settings.expandPolicy == .accordionTable {
            try #require(Self.open(rows, table) <= 1)
        }
        try #require(Set(rows.filter { $0.claim != nil }.map(\.id)) == table.claimedRows)
        try #require(Set(rows.filter { $0.sleep != nil }.map(\.id)) == table.asleepRows)
        for row in rows {
            let kind = try #require(table.kind(of: row))
            try #require(kind.has(row.expansion), "a state that its kind has not")
            if let edge = row.swipe {
                try #require(table.hasActions(row, at: edge), "open over nothing")
            }
            guard case .height(let points) = row.expansion else { continue }
            try #require(points.isFinite && points > 0 && points <= 1e6)
        }
    }

    /// The weights of leaves are brought up to date by differences; here they are added up.
    private func requireWeights(of table: Table, _ what: String) throws {
        for run in table.sections.flatMap({ $0.weighedRuns() }) {
            try #require(run.weight == run.elements.reduce(0) { $0 + $1.weight }, "\(what)")
        }
    }

    /// How many expanded rows can be collapsed.
    private static func open(_ rows: [Row], _ table: Table) -> Int {
        rows.count { row in
            row.expansion != .collapsed
                && table.kind(of: row)?.states.contains(.collapsed) ?? true
        }
    }

    /// Equal rows have one digest, whatever the order of their inserts.
    @Test(arguments: 1...4)
    func digestIsOfOrderNotOfShape(seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        let ids = (0..<600).map { ID("row \($0)") }
        let filled = Table(name: "t", history: ID128(high: 1, low: 2))
        try filled.appendSection("main", title: "main")
        for id in ids {
            try filled.appendRow(Row(id: id, content: .init(title: id.text)), to: "main")
        }
        let moment = Moment(revision: 0, timeMs: 0)
        let shuffled = Table(name: "t", history: ID128(high: 3, low: 4))
        try shuffled.appendSection("main", title: "main")
        for place in ids.indices.shuffled(using: &random) {
            let row = Row(id: ids[place], content: .init(title: ids[place].text))
            let above = ids[..<place].last { shuffled.row($0) != nil }
            try shuffled.apply(.insert(row, above.map { .after($0) } ?? .top("main")), at: moment)
        }
        #expect(shuffled.rows.map(\.id) == ids)
        #expect(shuffled.digest == filled.digest)
        #expect(shuffled.fault() == nil && filled.fault() == nil)
        #expect(filled.copy().digest == filled.digest)
        try shuffled.apply(.swap(ids[3], ids[4]), at: moment)
        #expect(shuffled.digest != filled.digest)
        try shuffled.apply(.move([ids[3]], .after(ids[2])), at: moment)
        #expect(shuffled.digest == filled.digest)
    }
}

/// Everything that a decision must not change.
private struct Memory: Equatable {
    let revision: UInt64
    let digest: UInt64
    let rows: [Row]
    let openRows: Set<RowID>
    let removed: [RemovedPlaces.Entry]
    let sections: [SectionID]
    let isEditing: Bool
    let invocations: [Invocation]

    init(of table: Table) {
        isEditing = table.isEditing
        invocations = table.invocations.all
        revision = table.revision
        digest = table.digest
        rows = table.rows
        openRows = table.openRows
        removed = table.removed.entries
        sections = table.sections.map(\.id)
    }
}

extension NaiveTable.NaiveRow {
    init(_ row: Row) {
        self.init(
            id: row.id, content: row.content, version: row.version, createdMs: row.createdMs,
            expansion: row.expansion, swipe: row.swipe, performed: row.performed,
            isSelected: row.selection != nil, cameFrom: row.cameFrom, claim: row.claim,
            sleep: row.sleep)
    }
}

extension NaiveTable.NaiveInvocation {
    init(_ one: Invocation) {
        self.init(
            id: one.id, row: one.row, action: one.action, client: one.client,
            pressedMs: one.pressedMs, deadline: one.deadlineSeconds, then: one.then,
            holder: one.holder, attempts: one.attempts, retries: one.retries,
            failure: one.failure, section: one.section)
    }
}
