import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// The sentences that tell a revision.
@Suite struct StoryTests {
    /// A name that was said never hides the user that was proven.
    @Test(
        arguments: [
            ("kim", "bob", "kim (bob)"), ("kim", "kim", "kim"), ("kim", "key:kim", "kim"),
            ("kim", "key:bob", "kim (key:bob)"),
            ("grill", "trestle-serve/grill", "grill (trestle-serve)"),
            ("grill", "key:kim/grill", "grill (key:kim)"),
            ("grill", "bob/oven", "grill (bob/oven)"),
            (nil, "bob", "bob"), ("kim", nil, "kim"), (nil, nil, nil),
        ] as [(String?, String?, String?)])
    func whatIsSaidAndWhatIsProven(_ said: String?, _ proven: String?, _ shown: String?) {
        #expect(Cause.shown(said, provenAs: proven) == shown)
    }

    /// Each op has an inverse of its own.
    @Test func aStoryTellsWhatEachStepReplaced() throws {
        let ledger = Ledger()
        ledger.perform(.add(.init(id: "a", .init(title: "A", fields: [.init("f", "1")]))))
        ledger.perform([
            Command(.set("a", .init(title: "B"))),
            Command(.set("a", .init(fields: [.init("f", "2")]))),
            Command(.set("a", .init(title: "C", fields: [.init("f", "3")]))),
        ])
        ledger.perform(.undo(revision: nil, mine: false))
        #expect(
            ledger.changes.suffix(2).map { Story($0, on: ledger.table).text } == [
                "ada renamed \"A\" to \"B\", set f of \"A\" to \"2\", which was \"1\" and "
                    + "renamed \"B\" to \"C\" and set f of it to \"3\", which was \"2\"",
                "ada undid revision 2, and so renamed \"C\" to \"B\" and set f of it to \"2\", "
                    + "which was \"3\", set f of \"A\" to \"1\", which was \"2\" "
                    + "and renamed \"B\" to \"A\"",
            ])
    }

    /// A change of many rows is told once, with the value that it replaced.
    @Test func manyRowsAreToldInOnePhrase() throws {
        let ledger = Ledger()
        let ids = (1...25).map { RowID("r\($0)") }
        ledger.perform(
            ids.map { Command(.add(.init(id: $0, .init(fields: [.init("driver", "7")])))) })
        ledger.perform(ids.map { Command(.set($0, .init(fields: [.init("driver", "9")]))) })
        ledger.perform(.undo(revision: nil, mine: true))
        ledger.perform(ids[...1].map { Command(.set($0, .init(fields: [.init("driver", "8")]))) })
        ledger.perform(ids[...2].map { Command(.set($0, .init(fields: [.init("driver", "9")]))) })
        ledger.perform(ids[...2].map { Command(.set($0, .init(unset: ["driver"]))) })
        ledger.perform(.claim(Few(Array(ids[...3])), note: "", ttlSeconds: nil))
        ledger.perform(.remove(Few(Array(ids[10...]))))
        #expect(
            ledger.changes.dropFirst().map { Story($0, on: ledger.table).text } == [
                "ada set driver of 25 rows to \"9\", which was \"7\"",
                "ada undid revision 2, and so set driver of 25 rows to \"7\", which was \"9\"",
                "ada set driver of \"r1\" and \"r2\" to \"8\", which was \"7\"",
                "ada set driver of \"r1\", \"r2\" and \"r3\" to \"9\", which was \"7\" or \"8\"",
                "ada cleared driver of \"r1\", \"r2\" and \"r3\"",
                "ada claimed 4 rows", "ada removed 15 rows",
            ])
        let sayings = ledger.changes.dropFirst().map { Story($0, on: ledger.table).told.sayings }
        let set = ["row": "r1", "more": "24", "field": "driver", "value": "9", "was": "7"]
        #expect(sayings[0].map(\.key) == ["set.was"])
        #expect(
            Dictionary(uniqueKeysWithValues: sayings[0][0].values.map { ($0.key.text, $0.value) })
                == set)
        #expect(sayings.map { $0.map(\.key) }[3...] == [["set"], ["clear"], ["claim"], ["remove"]])
        #expect(sayings[5] == [Saying("claim", ["row": "r1", "more": "3"])])
        #expect(
            Story(ledger.changes[1], on: ledger.table, about: "r3").text
                == "ada set driver of \"r3\" to \"9\", which was \"7\"")
    }

    /// Rows that the ops do not name are told of as well.
    @Test func aStoryOfOneRowHasHowItsActionEndedAndWhatWasExpandedWithAll() throws {
        let ledger = Ledger()
        var (kind, action) = (Kind("k"), Action("go"))
        action.effects = [.invoke(deadlineSeconds: 1, then: [])]
        kind.trailing = ActionGroup(actions: [action])
        ledger.perform(.define(.init(kinds: [kind])))
        for id: RowID in ["a", "b"] { ledger.perform(.add(.init(id: id, .init(kind: "k")))) }
        let press = Command.Verb.act(.init("go", on: "a"))
        let late = try ledger.perform(press).get().invocations
        ledger.expire(late)
        let taken = try ledger.perform([Command(press)], atMs: ledger.nowMs + 1_000).get()
            .invocations
        ledger.perform(.take(action: nil, atMost: 1))
        ledger.perform(taken.map { Command(.finish($0, .done)) } + [Command(.expandAll(true))])
        func stories(_ row: RowID) -> [String] {
            ledger.changes.filter { $0.rows.contains(row) }
                .map { Story($0, on: ledger.table, about: row).text }
        }
        #expect(
            stories("a").dropFirst() == [
                "ada performed \"go\" on \"a\"",
                "the daemon ended invocation 4.0: deadline: not finished within 1 s",
                "ada performed \"go\" on \"a\"",
                "ada finished invocation 6.0 and expanded all rows",
            ])
        #expect(stories("b").dropFirst() == ["ada expanded all rows"])
        #expect(ledger.changes.last?.rows == ["a", "b"])
    }

    /// No row changes in a revision that is not about it.
    @Test(arguments: 1...6) func aChangeIsAboutAllRowsThatItChanges(seed: Int) throws {
        let ledger = Ledger()
        var commands = RandomCommands(seed: UInt64(seed), rows: 20)
        func rows() -> [RowID: Row] {
            Dictionary(uniqueKeysWithValues: ledger.table.rows.map { ($0.id, $0) })
        }
        var ended = 0
        for _ in 0..<600 {
            commands.look(at: ledger.table)
            let (old, head) = (rows(), ledger.table.revision)
            let batch =
                commands.random.once(in: 4) ? commands.batch() : [Command(commands.verb())]
            ledger.perform(batch, by: commands.client ?? "nobody")
            if commands.random.once(in: 20) {
                // Some may be tried three times.
                for _ in 1...3 {
                    ledger.expire(ledger.table.invocations.waiting(for: nil, atMost: 9))
                    let resting = ledger.table.invocations.all.filter(\.isResting)
                    ledger.expire(resting.map(\.id), .due)
                }
            }
            let new = rows()
            let about = ledger.changes[Int(head)...].flatMap(\.rows)
            let changed = Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }
            try #require(changed.subtracting(about).isEmpty)
            ended += ledger.changes[Int(head)...].flatMap(\.diff.ops).count { op in
                if case .finish = op { true } else { false }
            }
        }
        #expect(ended > 0)
    }
}
