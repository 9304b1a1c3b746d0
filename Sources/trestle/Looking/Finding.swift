import TableClient
import TableModel
import TablePredicate
import TableSync

/// The rows that were asked for, and what else has to be known to print them.
struct Finding {
    /// It has the kinds of the rows and what is under way on them, but not the rows.
    let table: Table
    let epoch: ID128
    let found: Found

    init(_ found: Found, of table: Table, epoch: ID128) {
        (self.table, self.epoch, self.found) = (table, epoch, found)
    }

    /// Finds the rows in a table that is here, as the daemon does, and however many they are.
    init(_ query: Query, in table: Table, epoch: ID128) throws {
        do throws(Rejection) {
            var scan = try QueryScan(
                query, of: table, nowMs: wallClockMs(), zoneSeconds: zoneSeconds(),
                isBounded: false)
            while try scan.work() {}
            self.init(scan.found, of: table, epoch: epoch)
        } catch { throw Failure(error.ofChoice) }
    }

    var rows: [PlacedRow] { found.rows }
}

extension Connection {
    /// Asks for rows. A daemon that does not answer so much, or knows no such question, is asked for the whole table.
    func find(_ query: Query, in name: String) throws -> Finding {
        if let finding = try ask(query, of: name) { return finding }
        let (table, epoch) = try table(name)
        return try Finding(query, in: table, epoch: epoch)
    }

    private func ask(_ query: Query, of name: String) throws -> Finding? {
        var part = query
        part.most = min(query.most, Query.mostRows)
        guard query.sections.count <= Query.mostSections else { return nil }
        let client = try client(asking: name)
        guard try client.hello(by: deadline).features.contains("query") else { return nil }
        let reply = try client.ask(.query(part), about: ID(name), by: longDeadline, withName: true)
        switch reply.answer {
        case .found(let found):
            guard let history = reply.history, let revision = reply.revision else { throw surprise }
            if found.rows.count < min(found.count, query.most) { return nil }
            let table = Table(
                restoring: ID(name), history: history, revision: revision, kinds: found.kinds,
                settings: Settings())
            for invocation in found.invocations { table.restore(invocation) }
            return Finding(found, of: table, epoch: reply.epoch)
        case .refused(let rejection) where rejection.code == .tooLarge: return nil
        case .refused(let rejection): throw Failure(rejection.ofChoice)
        default: throw surprise
        }
    }
}

extension Rejection {
    /// The field as the command line has it.
    fileprivate var ofChoice: Rejection {
        var rejection = self
        if code == .noSuchSection { rejection.field = "section" }
        return rejection
    }
}
