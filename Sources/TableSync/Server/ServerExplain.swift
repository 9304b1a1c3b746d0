import TableDecisions
import TableModel

// What a command would do. It is decided like the command itself, and its ops are applied on trial.
// There is no record, no publication, and nothing is remembered.

extension Server {
    /// Explanations that take longer than a command wait for the time between turns, one after the other.
    func explain(_ change: Request.Change, _ request: Request, _ route: Route) {
        guard let live = request.table.flatMap({ tables[$0] }), isLarge(change, live) else {
            let answer = explanation(of: change, request)
            if case .refused(let rejection) = answer, rejection.isForWantOfRights {
                note(request, refusedAs: rejection.code)
            }
            return reply(to: request, route, answer)
        }
        handOn(request, route)
    }

    /// Explains the change in a request, perhaps many turns after it came.
    public func explanation(for request: Request) -> Reply.Answer {
        guard case .explain(let change) = request.verb else {
            return .refused(.unknownVerb, "There is nothing to explain.")
        }
        return refusedByNow(request) ?? explanation(of: change, request)
    }

    /// The refusal of a request that waited, where the guest list is another one by now and does not allow
    /// it any more; else nil.
    public func refusedByNow(_ request: Request) -> Reply.Answer? {
        admission.refusal(of: request).map { .refused($0) }
    }

    private func isLarge(_ change: Request.Change, _ live: LiveTable) -> Bool {
        switch change {
        case .create, .drop: return false
        case .command(let command): return isLarge([command], live)
        case .batch(let commands, _): return isLarge(commands, live)
        }
    }

    private func isLarge(_ commands: [Command], _ live: LiveTable) -> Bool {
        let (mostRows, mostBytes, mostChanges) = (32, 16 << 10, 64)
        var rows = 0
        for command in commands {
            rows += command.verb.namedRows?.count ?? 1
            if command.verb.name.has(.everyRow) { rows += live.table.count / mostRows }
            guard command.verb.looksBack else { continue }
            let kept = live.log.kept
            guard kept.count <= mostChanges,
                kept.allSatisfy({ $0.size <= mostBytes })
            else { return true }
        }
        return rows > mostRows
    }

    private func explanation(of change: Request.Change, _ request: Request) -> Reply.Answer {
        guard let name = request.table else {
            return .refused(.badName, "No table is named.", field: "table")
        }
        if case .create = change {
            return refusal(toCreate: name).map { .refused($0) } ?? .explained(.wholeTable)
        }
        guard let live = tables[name] else { return .refused(.noTable(name)) }
        switch change {
        case .create, .drop: return .explained(.wholeTable)
        case .command(let command):
            let decision = Result { () throws(Rejection) in try decide(command, of: request, live) }
            return explanation(of: decision, request, live.table)
        case .batch(let commands, let ifRevision):
            if let rejection = refusal(toExplain: commands, request) { return .refused(rejection) }
            let decision = decide(commands, ifRevision, of: request, live, atMost: .explaining)
            return explanation(of: decision, request, live.table)
        }
    }

    /// If the sender may not define, a batch that defines is refused before it is tried. All of it would be
    /// refused afterwards, and what it defines may make the rest of it take long.
    private func refusal(toExplain commands: [Command], _ request: Request) -> Rejection? {
        guard commands.contains(where: { $0.verb.name.rights.contains(.define) }),
            !admission.mayDefine(request)
        else { return nil }
        return .notAllowed(request, [.read, .changeRows, .define])
    }

    private func explanation(
        of decision: Result<Plan, Rejection>, _ request: Request, _ table: Table
    ) -> Reply.Answer {
        switch decision {
        case .failure(let rejection): return .refused(rejection.below("explain"))
        case .success(let plan):
            if let rejection = refusal(of: plan, request) { return .refused(rejection) }
            let bytes = plan.ops.weight
            guard bytes <= BatchWork.explainedBytes else {
                return .refused(
                    .tooLarge,
                    "bytes of an explanation: \(bytes), at most \(BatchWork.explainedBytes).",
                    field: "explain")
            }
            // Only where something stands afterwards has to be tried out.
            guard !plan.rows.isEmpty || !plan.invocations.isEmpty else {
                return .explained(Explanation(rows: [], ops: plan.ops))
            }
            let explanation = table.onTrial(plan) { table in
                Explanation(
                    rows: landings(of: plan, in: table),
                    invocations: plan.invocations.compactMap { table.invocations[$0]?.forAnswer },
                    ops: plan.ops)
            }
            return .explained(explanation)
        }
    }
}
