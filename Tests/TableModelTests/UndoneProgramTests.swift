import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// Actions that a program completes, and what an undo or a recall makes of them once they have ended.
@Suite struct UndoneProgramTests {
    private let ledger = Ledger()
    private let act = Command.Verb.act(.init("go", on: "x"))

    init() throws {
        var kind = Kind("k")
        var action = Action("go")
        action.effects = [.invoke(deadlineSeconds: 60, then: [])]
        kind.trailing = ActionGroup(actions: [action])
        try perform(
            .define(.init(kinds: [kind])), .add(.init(id: "x", .init(kind: "k", title: "X"))))
    }

    /// Carries out commands, and returns the revision.
    @discardableResult
    private func perform(_ verbs: Command.Verb...) throws -> UInt64 {
        for verb in verbs { _ = try ledger.perform(verb).get() }
        try #require(ledger.table.fault() == nil)
        return ledger.table.revision
    }

    private func press() throws -> (revision: UInt64, id: InvocationID) {
        let revision = try perform(act)
        return (revision, InvocationID(revision: revision, index: 0))
    }

    private func undo(_ revision: UInt64? = nil) -> Command.Verb {
        .undo(revision: revision, mine: false)
    }

    private func refusal(_ verb: Command.Verb) throws -> Rejection {
        guard case .failure(let rejection) = ledger.perform(verb) else {
            throw Rejection(.badValue, "It was done.")
        }
        return rejection
    }

    private var performed: [Performance]? { ledger.table.row("x")?.performed }

    enum End: CaseIterable {
        case done, failed, late

        var state: Performance.State {
            switch self {
            case .done: .done
            case .failed: .failed("fire")
            case .late: .failed("deadline: not finished within 60 s")
            }
        }
    }

    private func end(_ id: InvocationID, _ end: End) throws {
        switch end {
        case .done: try perform(.take(action: nil, atMost: 1), .finish(id, .done))
        case .failed: try perform(.take(action: nil, atMost: 1), .finish(id, .failed("fire")))
        case .late: ledger.expire([id])
        }
    }

    /// Whether it may be performed again.
    private func expectAgain(after end: End) throws {
        switch end {
        case .done: #expect(try refusal(act).code == .alreadyDone)
        case .failed, .late:
            _ = try ledger.perform([Command(act)], atMs: ledger.nowMs + 1_000).get()
        }
    }

    // MARK: How it ended

    @Test(arguments: End.allCases) func whatEndedAfterAChangeEndedAsItDid(end: End) throws {
        let (_, id) = try press()
        let set = try perform(.set("x", .init(title: "new")))
        try self.end(id, end)
        try perform(undo(set))
        #expect(performed == [Performance("go", end.state)])
        try expectAgain(after: end)
    }

    @Test(arguments: End.allCases, [Command.Verb.undo(revision: nil, mine: false), .recall(["x"])])
    func whatEndedWithoutItsRowEndedAsItDid(end: End, back: Command.Verb) throws {
        let (_, id) = try press()
        let removed = try perform(.remove(["x"]))
        try self.end(id, end)
        #expect(ledger.table.revision > removed)
        try perform(back)
        #expect(performed == [Performance("go", end.state)])
        try expectAgain(after: end)
    }

    /// A press that is taken back was none, though others changed the row since; and done again it is one.
    @Test func aPressIsTakenBackBelowAnothersChange() throws {
        let (pressed, id) = try press()
        _ = try ledger.perform(.set("x", .init(title: "new")), by: "bob").get()
        try perform(undo(pressed))
        #expect(performed == [] && ledger.table.invocations[id] == nil)
        _ = try ledger.perform(.set("x", .init(title: "newer")), by: "bob").get()
        try perform(.redo(mine: false))
        #expect(performed == [Performance("go", .pending(id))])
        try perform(.take(action: nil, atMost: 1), .finish(id, .done))
        #expect(performed == [Performance("go", .done)])
    }

    // MARK: Whether a program ran

    @Test func whatNoHandlerTookIsTakenBack() throws {
        let before = ledger.table.digest
        let (pressed, id) = try press()
        ledger.expire([id])
        let late = ledger.table.digest
        let plan = try ledger.perform(undo()).get()
        #expect(plan.undoes == pressed && ledger.table.digest == before)
        try perform(.redo(mine: false))
        #expect(ledger.table.digest == late)
        // Below a change of somebody else, too.
        _ = try ledger.perform(.set("x", .init(fields: [.init("f", "1")])), by: "bob").get()
        let (again, second) = try press()
        _ = try ledger.perform(.set("x", .init(fields: [.init("f", "2")])), by: "bob").get()
        ledger.expire([second])
        try perform(undo(again))
        #expect(performed == [])
    }

    @Test func whatAHandlerTookIsNot() throws {
        let (pressed, id) = try press()
        try perform(undo(), .redo(mine: false), .take(action: nil, atMost: 1))
        for verb in [undo(), undo(pressed)] {
            let rejection = try refusal(verb)
            #expect(rejection.code == .notUndoable)
            #expect(rejection.message.hasPrefix("A program ran for \"go\""))
        }
        try perform(.release(id))
        #expect(try refusal(undo()).code == .notUndoable)
        ledger.expire([id])
        #expect(try refusal(undo()).code == .notUndoable)
    }

    /// No person takes back what a handler did, whatever else it did with that.
    @Test func aBatchWithAHandlersStepIsPassedOver() throws {
        try perform(.add(.init(id: "y", .init())))
        let set = try perform(.set("y", .init(title: "new")))
        let (_, id) = try press()
        try perform(.take(action: nil, atMost: 1))
        _ = try ledger.perform([
            Command(.set("y", .init(fields: [.init("f", "1")]))), Command(.release(id)),
        ]).get()
        let batch = ledger.table.revision
        let named = try refusal(undo(batch))
        #expect(named.code == .notUndoable)
        #expect(named.message == "Revision \(batch) has a handler's step in it.")
        try perform(undo(set))
        #expect(ledger.table.row("y")?.content.value(of: "f") == "1")
    }

    // MARK: In words

    @Test func aPressIsCalledOffInWords() throws {
        let (pressed, _) = try press()
        try perform(undo(), .redo(mine: false))
        let stories = ledger.changes.map { Story($0, on: ledger.table).text }
        #expect(
            stories.suffix(3) == [
                "ada performed \"go\" on \"X\"",
                "ada undid revision \(pressed), and so called off \"go\" on \"X\"",
                "ada took the undo in revision \(pressed + 1) back, and so performed \"go\" on \"X\"",
            ])
        let own = Story(ledger.changes[Int(pressed)], on: ledger.table, about: "x").text
        #expect(own == stories[Int(pressed)])
        ledger.expire([InvocationID(revision: pressed, index: 0)])
        try perform(undo())
        #expect(
            Story(ledger.changes.last!, on: ledger.table).text
                == "ada undid revision \(pressed + 2), and so set back what was performed on \"X\"")
    }

    @Test func aTitleThatIsThereIsKept() throws {
        try perform(
            .set("x", .init(title: "X", fields: [.init("f", "1")])), .set("x", .init(title: "")),
            .set("x", .init(title: "", fields: [.init("f", "2")])))
        #expect(
            ledger.changes.suffix(3).map { Story($0, on: ledger.table).text } == [
                "ada kept the title of \"x\" and set f of it to \"1\"",
                "ada renamed \"X\" to \"\"",
                "ada kept the title of \"x\" and set f of it to \"2\", which was \"1\"",
            ])
    }
}
