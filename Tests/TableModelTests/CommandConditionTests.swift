import TableDecisions
import TableModel
import Testing

struct CommandConditionTests {
    private static func ledger() throws -> Ledger {
        let ledger = Ledger()
        for (id, section) in [("a", "grill"), ("b", "grill"), ("c", "pass")] {
            let add = Command.Add(
                id: ID(id), .init(title: id, fields: [.init("qty", id == "a" ? "1" : "5")]),
                section: ID(section))
            _ = try ledger.perform([Command(.add(add))]).get()
        }
        return ledger
    }

    private static func command(_ verb: Command.Verb, _ condition: String) throws -> Command {
        Command(verb, if: try CommandCondition(condition, on: verb))
    }

    @Test func aConditionIsAboutEachRow() throws {
        let ledger = try Self.ledger()
        let removal = Command.Verb.remove(["b", "a"])
        let refused = ledger.perform([try Self.command(removal, "field.qty > 1")])
        guard case .failure(let rejection) = refused else {
            Issue.record("not refused")
            return
        }
        #expect(rejection.code == .stale && rejection.field == "if")
        #expect(rejection.message == "Of row \"a\" it is not so: field.qty > 1.")
        #expect(ledger.table.count == 3)
        _ = try ledger.perform([try Self.command(removal, "section == \"grill\"")]).get()
        #expect(ledger.table.count == 1)
    }

    @Test func aConditionIsAboutTheTable() throws {
        let ledger = try Self.ledger()
        let add = Command.Verb.add(.init(id: "d", .init(title: "d"), section: "grill"))
        let full = "count(rows where section == \"grill\") < 3"
        _ = try ledger.perform([try Self.command(add, full)]).get()
        let next = Command.Verb.add(.init(id: "e", .init(title: "e"), section: "grill"))
        guard case .failure(let rejection) = ledger.perform([try Self.command(next, full)]) else {
            Issue.record("not refused")
            return
        }
        #expect(rejection.message == "It is not so: \(full).")
    }

    /// In a batch each command is decided on what those before it have made.
    @Test func aBatchIsDecidedInOrder() throws {
        let ledger = try Self.ledger()
        let set = Command(.set("a", .init(fields: [.init("qty", "9")])))
        _ = try ledger.perform([set, try Self.command(.remove(["a"]), "field.qty == 9")]).get()
        #expect(ledger.table.row("a") == nil)
    }

    @Test func textsAreRefusedWithTheirPlace() {
        let faults = [("section = 1", 8), ("count(rows) > 1 and", 19), ("", 0)]
        for (text, offset) in faults {
            let fault = #expect(throws: PredicateFault.self) {
                try CommandCondition(text, on: .remove(["a"]))
            }
            #expect(fault?.offset == offset)
        }
        #expect(throws: PredicateFault.self) {
            try CommandCondition("title == \"x\"", on: .edit(true))
        }
        let long = "title == \"" + String(repeating: "x", count: 5_000) + "\""
        #expect(throws: PredicateFault.self) { try CommandCondition(long, on: .remove(["a"])) }
    }
}
