import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// Commands that are found for the ops of recorded revisions.
struct RetraceTests {
    /// Commands are found for nearly all of thousands of random revisions, and each is right.
    @Test(arguments: 1...8)
    func randomRevisions(seed: Int) throws {
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        let mirror = Table(name: "t", history: ID128(high: 1, low: 2))
        var commands = RandomCommands(seed: UInt64(seed), queues: true)
        var (found, all) = (0, 0)
        for step in 0..<400 {
            commands.look(at: table)
            let batch =
                commands.random.once(in: 3) ? commands.batch() : [Command(commands.verb())]
            let nowMs = UInt64(step)
            let result =
                batch.count == 1
                ? reduce(
                    batch[0], on: table, limits: Limits(), nowMs: nowMs, client: commands.client)
                : reduce(
                    batch: batch, on: table, limits: Limits(), nowMs: nowMs,
                    client: commands.client)
            guard case .success(let plan) = result,
                let diff = table.apply(plan, cause: Cause(verb: "test"))
            else { continue }
            all += 1
            let retraced = retrace(
                diff.ops, on: mirror, limits: Limits(), nowMs: nowMs, client: commands.client)
            if let retraced {
                found += 1
                let copy = mirror.copy()
                _ = copy.apply(retraced.plan, cause: diff.cause)
                try #require(copy.digest == diff.digest, "seed \(seed), step \(step): \(batch)")
            } else if batch.count == 1 {
                Issue.record("seed \(seed), step \(step): \(batch[0]) came to \(diff.ops)")
            }
            try mirror.apply(diff)
        }
        #expect(all > 100)
        #expect(found * 100 >= all * 95, "seed \(seed): \(found) of \(all)")
    }

    /// The press of an action on a large group stands behind all that it does to the rows.
    @Test func anActionOnALargeGroupIsFound() throws {
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        var (kind, send) = (Kind("t"), Action("send"))
        send.effects = [.group([.set([.init("sent", "yes")]), .move(section: "pass", .bottom)])]
        kind.trailing = ActionGroup(actions: [send])
        kind.show.group = "order"
        let rows = (1...100).map { number in
            let content = Row.Content(kind: "t", fields: [.init("order", "\(number % 2)")])
            return Command(.add(.init(id: ID("r\(number)"), content)))
        }
        let made = reduce(
            batch: [Command(.define(.init(kinds: [kind])))] + rows, on: table, limits: Limits(),
            nowMs: 0)
        _ = table.apply(try made.get(), cause: Cause(verb: "batch"))
        let press = Command(.act(.init("send", on: "r1", isConfirmed: true)), ifVersion: 1)
        let plan = try reduce(press, on: table, limits: Limits(), nowMs: 1).get()
        #expect(plan.ops.count > 100)
        let found = retrace(plan.ops, on: table, limits: Limits(), nowMs: 1, client: nil)
        #expect(found?.commands == [press])
    }

    private func apply(_ verbs: [Command.Verb], to table: Table) throws -> [Op] {
        var ops: [Op] = []
        for verb in verbs {
            let plan = try reduce(
                Command(verb), on: table, limits: Limits(), nowMs: 1, client: "c"
            ).get()
            ops = plan.ops
            _ = table.apply(plan, cause: Cause(verb: "test", timeMs: 1))
        }
        return ops
    }

    /// A session is repeated on a table of other revisions: what a row has been through has other versions there.
    @Test func aMoveOfARowOnWhichSomethingWasDone() throws {
        var (kind, cook) = (Kind("t"), Action("cook"))
        cook.effects = [.set([.init("state", "hot")])]
        kind.trailing = ActionGroup(actions: [cook])
        let first: [Command.Verb] = [
            .define(.init(kinds: [kind])), .add(.init(id: "a", .init(kind: "t"))),
        ]
        let act = Command.Verb.act(.init("cook", on: "a"))
        let move = Command.Verb.move(["a"], section: "pass", .bottom, .strict)
        let (recorded, other) = (
            Table(name: "t", history: ID128(high: 1, low: 2)),
            Table(name: "o", history: ID128(high: 3, low: 4))
        )
        let ops = try apply(first + [.edit(true), .edit(false), act, move], to: recorded)
        _ = try apply(first + [act], to: other)
        let found = retrace(ops, on: other, limits: Limits(), nowMs: 2, client: "c")
        #expect(ops.count > 1 && found?.commands.count == 1, "\(ops)")
        let landed = found.flatMap { other.apply($0.plan, cause: Cause(verb: "test", timeMs: 2)) }
        #expect(landed != nil && other.position(of: "a")?.section == "pass")
    }

    /// A worker that asks for other rows passes over what waits for a handler; its own row is found.
    @Test(arguments: ["b", "c"]) func aNextWithACondition(wanted: RowID) throws {
        var (kind, cook) = (Kind("t"), Action("cook"))
        cook.effects = [.invoke(deadlineSeconds: 9, then: [])]
        kind.trailing = ActionGroup(actions: [cook])
        let rows = ["a", "b", "c"].map { id in
            Command.Verb.add(
                .init(
                    id: ID(id), .init(kind: "t", title: "\(id) \"\\\n"), section: "s", at: .bottom))
        }
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        let press = ["a", "b"].map { Command.Verb.act(.init("cook", on: ID($0))) }
        _ = try apply([.define(.init(kinds: [kind]))] + rows + press, to: table)
        let copy = table.copy()
        let isWanted = RowCondition("title ~ \"\(wanted.text)\"")
        let ops = try apply([.next(.init(action: "cook", where: isWanted))], to: table)
        let found = retrace(ops, on: copy, limits: Limits(), nowMs: 1, client: "c")
        #expect(found?.commands.map(\.name) == ["next"], "\(ops)")
        #expect(found?.plan.rows.array == [wanted])
    }

    @Test(arguments: [
        [Command.Verb.pause(.init(section: "grill"), note: nil)],
        [.pause(.init(action: "cook"), note: nil)], [.pause(.init(), note: nil)],
    ])
    func whatIsResumed(verbs: [Command.Verb]) throws {
        let paused: [Command.Verb] = [
            .section("grill", title: "Grill"), .pause(.init(section: "grill"), note: "oven"),
            .pause(.init(action: "cook"), note: ""),
        ]
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        _ = try apply(paused, to: table)
        let copy = table.copy()
        let ops = try apply(verbs, to: table)
        let found = retrace(ops, on: copy, limits: Limits(), nowMs: 1, client: "c")
        #expect(found?.commands == verbs.map { Command($0) })
    }

    /// No command is made up for ops that none leads to.
    @Test func nothingIsFoundForTheImpossible() throws {
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        let row = Row(id: "a", content: .init(title: "A"), expansion: .named("nowhere"))
        let ops: [Op] = [.insertSection("s", title: "s", after: nil), .insert(row, .top("s"))]
        #expect(retrace(ops, on: table, limits: Limits(), nowMs: 0, client: nil) == nil)
        #expect(
            retrace([.remove("a")], on: table, limits: Limits(), nowMs: 0, client: nil) == nil)
        let invocation = InvocationID(revision: 1, index: 0)
        #expect(
            retrace([.release(invocation)], on: table, limits: Limits(), nowMs: 0, client: "h")
                == nil)
        #expect(table.revision == 0)
    }
}
