import TableModel

// What a command would do. It is decided like the command itself, and its ops are applied on trial.
// There is no record, no publication, and nothing is remembered.

extension Server {
    func explain(_ change: Request.Change, _ request: Request, _ route: Route) {
        reply(to: request, route, explanation(of: change, request))
    }

    private func explanation(of change: Request.Change, _ request: Request) -> Reply.Answer {
        guard let name = request.table else {
            return .refused(Rejection(.badName, "No table is named.", field: "table"))
        }
        if case .create = change {
            return refusal(toCreate: name).map { .refused($0) }
                ?? .explained(Explanation(rows: [], ops: []))
        }
        guard let live = tables[name] else { return .refused(.noTable(name)) }
        switch change {
        case .create, .drop: return .explained(Explanation(rows: [], ops: []))
        case .command(let command):
            return explanation(of: decide(command, of: request, live), request, live.table)
        case .batch(let commands, let ifRevision):
            let decision = decide(commands, ifRevision, of: request, live)
            return explanation(of: decision, request, live.table)
        }
    }

    private func explanation(
        of decision: Result<Plan, Rejection>, _ request: Request, _ table: Table
    ) -> Reply.Answer {
        switch decision {
        case .failure(var rejection):
            rejection.field = rejection.field.map { "explain.\($0)" }
            return .refused(rejection)
        case .success(let plan):
            if let rejection = refusal(of: plan, request) { return .refused(rejection) }
            let explanation = table.onTrial(plan) { table in
                Explanation(
                    rows: landings(of: plan, in: table),
                    invocations: plan.invocations.compactMap { table.invocations[$0] },
                    ops: plan.ops)
            }
            return .explained(explanation)
        }
    }
}
