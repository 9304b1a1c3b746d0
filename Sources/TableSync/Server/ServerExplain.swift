import TableModel

// What a command would do. It is decided like the command itself, and its ops are applied on trial.
// There is no record, no publication, and nothing is remembered.

extension Server {
    func explain(_ verb: Request.Verb, _ request: Request, _ route: Route) {
        reply(to: request, route, explanation(of: verb, request))
    }

    private func explanation(of verb: Request.Verb, _ request: Request) -> Reply.Answer {
        guard let name = request.table else {
            return .refused(Rejection(.badName, "No table is named.", field: "table"))
        }
        if case .create = verb {
            return refusal(toCreate: name).map { .refused($0) }
                ?? .explained(Explanation(rows: [], ops: []))
        }
        guard let live = tables[name] else { return .refused(.noTable(name)) }
        let table = live.table
        if case .drop = verb { return .explained(Explanation(rows: [], ops: [])) }
        switch decide(verb, of: request, live) {
        case .failure(var rejection):
            rejection.field = rejection.field.map { "explain.\($0)" }
            return .refused(rejection)
        case .success(let plan):
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
