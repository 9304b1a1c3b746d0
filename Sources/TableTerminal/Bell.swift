import TableModel

/// The terminal's bell, by the alerts of the table: for rows that are new on this screen, that have become late, that stand
/// out and did not, and on which an action has failed. A table without alerts is silent.
struct Bell {
    /// It is to ring with the next screen.
    private var isDue = false
    /// The rows that are late; nil: nobody has looked yet.
    private var late: Set<RowID>?
    private var lookedMs: UInt64 = 0

    /// In larger tables nobody would notice which rows have become late.
    private static let mostRows = 20_000
    private static let lookMs: UInt64 = 1_000

    /// Whether it is to ring; it is not any more.
    mutating func take() -> Bool {
        defer { isDue = false }
        return isDue
    }

    /// Something is new about a row in a section that this screen shows.
    private mutating func note(
        _ event: Alert.Event, _ row: Row, in section: SectionID, of table: Table
    ) {
        isDue =
            isDue
            || table.settings.alerts.contains { alert in
                alert.event == event && alert.sound != .none
                    && (alert.sections.isEmpty || alert.sections.contains(section))
                    && (alert.kinds.isEmpty || alert.kinds.contains(row.content.kind))
            }
    }

    /// Looks for rows that have become late since the last look. Those of the first one were late before.
    mutating func look(at table: Table, _ station: Station, nowMs: UInt64) {
        guard nowMs >= lookedMs + Self.lookMs || nowMs < lookedMs, table.count <= Self.mostRows,
            table.settings.alerts.contains(where: { $0.event == .late })
        else { return }
        lookedMs = nowMs
        let before = late
        var now: Set<RowID> = []
        for section in table.sections where station.shows(section.id) {
            for row in section.runs().joined() {
                let kind = table.kinds[row.content.kind]
                let age = Age(of: row, kind: kind, in: section.id, nowMs: nowMs)
                guard age?.stage == .late else { continue }
                now.insert(row.id)
                if let before, !before.contains(row.id) {
                    note(.late, row, in: section.id, of: table)
                }
            }
        }
        late = now
    }

    /// The rows of this screen, by what stands in the table now.
    private var shown: Set<RowID> = []
    /// The rows of invocations: what ends one does not name its row.
    private var pressed: [InvocationID: RowID] = [:]

    /// How many emphases hold for each of these rows, if the table has an alert for that.
    private var standing: [RowID: Int] = [:]

    /// Another table is shown, or it is seen anew: then what came while nothing was heard is new after the bell and the table
    /// of before.
    init(
        _ table: Table? = nil, _ station: Station = Station(),
        after before: (bell: Bell, table: Table)? = nil
    ) {
        guard let table, !table.settings.alerts.isEmpty else { return }
        for section in table.sections where station.shows(section.id) {
            shown.formUnion(section.runs().joined().lazy.map(\.id))
        }
        for one in table.invocations.all { pressed[one.id] = one.row }
        stand(in: table)
        if let before, shown.count <= Self.mostRows { ring(for: table, station, after: before) }
    }

    private mutating func ring(
        for table: Table, _ station: Station, after before: (bell: Bell, table: Table)
    ) {
        (isDue, late) = (before.bell.isDue, before.bell.late)
        for section in table.sections where station.shows(section.id) {
            for row in section.runs().joined() {
                if !before.bell.shown.contains(row.id) {
                    note(.new, row, in: section.id, of: table)
                }
                if standing[row.id, default: 0] > before.bell.standing[row.id, default: 0] {
                    note(.emphasised, row, in: section.id, of: table)
                }
                if Self.failures(of: row) > before.table.row(row.id).map(Self.failures(of:)) ?? 0 {
                    note(.failed, row, in: section.id, of: table)
                }
            }
        }
    }

    private static func failures(of row: Row) -> Int { row.performed.count { $0.state.isFailed } }

    private mutating func stand(in table: Table) {
        standing = [:]
        guard Self.tellsOfEmphases(table), shown.count <= Self.mostRows else { return }
        for id in shown { standing[id] = Self.emphases(of: id, in: table) }
    }

    private static func tellsOfEmphases(_ table: Table) -> Bool {
        table.settings.alerts.contains { $0.event == .emphasised }
    }

    private static func emphases(of id: RowID, in table: Table) -> Int {
        guard let row = table.row(id), let kind = table.kind(of: row) else { return 0 }
        return kind.emphases(of: row.content, in: row.expansion).count
    }

    /// The row is there, or is another: it may stand out now. One that comes from elsewhere brings that along.
    private mutating func compare(_ id: RowID, on table: Table, isOurs: Bool) {
        guard shown.contains(id), Self.tellsOfEmphases(table), shown.count <= Self.mostRows,
            let row = table.row(id), let section = table.position(of: id)?.section
        else { return standing[id] = nil }
        let now = Self.emphases(of: id, in: table)
        let before = standing.updateValue(now, forKey: id) ?? 0
        if now > before, !isOurs { note(.emphasised, row, in: section, of: table) }
    }

    /// Follows an op that is applied. `isOurs`: the person has done it, and needs no bell.
    mutating func follow(_ op: Op, on table: Table, _ station: Station, isOurs: Bool) {
        if table.settings.alerts.isEmpty { return }
        switch op.effect {
        case .inserts(let row, _): place([row.id], on: table, station, isOurs)
        case .moves(let rows, _): place(Array(rows), on: table, station, isOurs)
        case .swaps(let one, let other): place([one, other], on: table, station, isOurs)
        case .removes(let row):
            shown.remove(row)
            standing[row] = nil
        case .changes(let row): compare(row, on: table, isOurs: isOurs)
        case .begins(let invocation): pressed[invocation.id] = invocation.row
        case .ends(let id):
            guard let row = pressed.removeValue(forKey: id), case .finish(_, .failed) = op,
                let held = table.row(row), let section = table.position(of: row)?.section,
                station.shows(section)
            else { return }
            note(.failed, held, in: section, of: table)
        case .ofTable, .changesAll: stand(in: table)
        case .claims, .ofSection, .changesInvocation, .news: break
        }
    }

    /// They stand where they stand now. A row that comes to this screen is new, also where it came by a move.
    private mutating func place(
        _ rows: [RowID], on table: Table, _ station: Station, _ isOurs: Bool
    ) {
        for id in rows {
            guard let section = table.position(of: id)?.section, station.shows(section) else {
                shown.remove(id)
                standing[id] = nil
                continue
            }
            defer { compare(id, on: table, isOurs: isOurs) }
            guard shown.insert(id).inserted, !isOurs, let row = table.row(id) else { continue }
            note(.new, row, in: section, of: table)
        }
    }
}

extension Board {
    /// Whether the terminal is to ring with this screen. It is asked once for each.
    package func takeBell() -> Bool { bell.take() }
}
