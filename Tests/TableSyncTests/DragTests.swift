import TableModel
import Testing

@testable import TableSync

/// How many drags and viewers one user may have, and how drags end by what others do.
struct DragTests {
    private let talk: Talk
    private let gate = Principal.user(7, name: "gate")
    private let other = Principal.user(8, name: "other")

    init() throws {
        talk = try Talk()
        for row in 0..<20 {
            let add = Command.Verb.add(.init(id: ID("r\(row)"), .init()))
            _ = try talk.say(.user(1), command(add))
        }
    }

    private func command(_ verb: Command.Verb) -> Request.Verb { .command(Command(verb)) }

    private func child(_ number: Int, of parent: Principal) throws -> Principal {
        parent.child(try Behalf(name: "c\(number)", role: "operator", tables: nil))
    }

    private func bound(_ change: (inout Limits) -> Void) {
        var limits = Limits()
        change(&limits)
        talk.exchange.server.change(limits: limits, retention: Retention())
    }

    private func lift(_ rows: Range<Int>) -> Request.Verb {
        .drag(.lift(rows.map { ID("r\($0)") }, ttlSeconds: 60))
    }

    /// However many children it speaks for.
    @Test func oneUserHasHalfOfTheViewers() throws {
        bound { $0.attendants = 4 }
        let attend = Request.Verb.attend(revision: 0, isLeaving: false)
        for (number, code) in Self.twoOfThree.enumerated() {
            #expect(try talk.code(child(number, of: gate), attend) == code, "\(number)")
        }
        #expect(try talk.code(child(0, of: other), attend) == nil)
        // Who is there stays.
        #expect(try talk.code(child(0, of: gate), attend) == nil)
    }

    @Test func oneUserHasHalfOfTheDrags() throws {
        bound { $0.leases = 4 }
        for (number, code) in Self.twoOfThree.enumerated() {
            let lift = lift(number..<number + 1)
            #expect(try talk.code(child(number, of: gate), lift) == code, "\(number)")
        }
        #expect(try talk.code(child(0, of: other), lift(9..<10)) == nil)
    }

    @Test func oneUserHasHalfOfTheRowsThatAreDragged() throws {
        bound { $0.leases = 4 }
        #expect(try talk.code(child(0, of: gate), lift(0..<5)) == nil)
        #expect(try talk.code(child(1, of: gate), lift(5..<9)) == .tooLarge)
        #expect(try talk.code(child(1, of: gate), lift(5..<8)) == nil)
        #expect(try talk.code(child(0, of: other), lift(8..<16)) == nil)
        #expect(try talk.code(child(1, of: other), lift(16..<17)) == .tooLarge)
    }

    /// What comes of three requests where two are admitted.
    private static let twoOfThree: [Rejection.Code?] = [nil, nil, .tooLarge]

    // MARK: What a handler has to move

    /// The program has run by then: its effects do not wait for a drag, and are not left out.
    @Test func aHandlersMoveEndsTheDrag() throws {
        var kind = Kind("ticket")
        var page = Action("page")
        page.effects = [
            .invoke(deadlineSeconds: 30, then: [.move(section: "done", .top)])
        ]
        var rush = Action("rush")
        rush.effects = [.move(section: "done", .top)]
        kind.trailing = ActionGroup(actions: [page, rush])
        kind.tap = [.move(section: "done", .top)]
        let cook = Principal.user(1)
        for verb in [
            .define(.init(kinds: [kind])), .add(.init(id: "t", .init(kind: "ticket"))),
            .act(.init("page", on: "t")), .take(action: "page", atMost: 1),
        ] as [Command.Verb] {
            #expect(try talk.code(cook, command(verb), client: "h") == nil)
        }
        let lifted = try talk.say(other, .drag(.lift(["t"], ttlSeconds: 60)), client: "v")
        guard case .lease(let lease) = lifted.answer else {
            Issue.record("\(lifted)")
            return
        }
        // Nobody else moves it meanwhile.
        for verb in [
            .move(["t"], section: nil, .top, .rebase), .act(.init("rush", on: "t")),
            .select("t", item: nil),
        ] as [Command.Verb] {
            #expect(try talk.code(cook, command(verb)) == .leased, "\(verb)")
        }
        let table = try #require(talk.exchange.table)
        let invocation = try #require(table.invocations.all.first)
        let finish = command(.finish(invocation.id, .done))
        guard case .done(let rows, _, _) = try talk.say(cook, finish, client: "h").answer else {
            Issue.record("not finished")
            return
        }
        #expect(rows.first?.note == nil && table.position(of: "t")?.section == "done")
        let drop = Drag.drop(lease: lease.id, section: nil, .top, .rebase)
        guard case .refused(let rejection) = try talk.say(other, .drag(drop), client: "v").answer
        else {
            Issue.record("dropped")
            return
        }
        #expect(rejection.code == .noSuchLease)
        #expect(rejection.message.contains("row t was moved by boss"), "\(rejection.message)")
    }
}
