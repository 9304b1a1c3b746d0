import TableModel

// What of the requests is noted for the audit: what takes the right to define or to administer and is
// carried out or refused, and whatever the guest list refuses. It is said when it is durable, as
// replies are.

extension Server {
    /// Notes that a request was carried out, or why not.
    func note(_ request: Request, refusedAs code: Rejection.Code? = nil) {
        ready.audited.append(
            AuditEntry(
                request.sender, saying: request.name, from: admission.origin(),
                verb: request.verb.name, table: request.table, refusedAs: code?.rawValue))
    }

    /// Notes a request that makes, drops or restores tables, with its answer.
    func noted(_ request: Request, _ answer: Reply.Answer) -> Reply.Answer {
        if case .refused(let rejection) = answer {
            note(request, refusedAs: rejection.code)
        } else {
            note(request)
        }
        return answer
    }

    /// Notes a refused request, if it would be noted otherwise, or if the guest list refuses it.
    func noteRefused(_ request: Request, _ rejection: Rejection) {
        guard
            request.verb.isAudited || rejection.isForWantOfRights
                || isUndoOfDefinition(request, rejection)
        else { return }
        note(request, refusedAs: rejection.code)
    }

    /// The entries of the audit where an answer that came late refuses for want of a right; nil:
    /// nothing. Between turns nothing waits in `Ready`, and `origin` means another request by then.
    public func audited(
        _ request: Request, _ answer: Reply.Answer, from origin: String
    ) -> AuditEntry? {
        guard case .refused(let rejection) = answer, rejection.isForWantOfRights else { return nil }
        return AuditEntry(
            request.sender, saying: request.name, from: origin, verb: request.verb.name,
            table: request.table, refusedAs: rejection.code.rawValue)
    }

    /// Whether somebody would have taken back what was defined, had others not changed it meanwhile.
    private func isUndoOfDefinition(_ request: Request, _ rejection: Rejection) -> Bool {
        guard rejection.code == .conflict, case .command(let command) = request.verb,
            case .undo(let named, _) = command.verb,
            let live = request.table.flatMap({ tables[$0] })
        else { return false }
        // Without a revision it is the latest that can be undone, of most tables the newest.
        return live.change(named ?? live.head)?.diff.ops.contains(where: \.defines) ?? false
    }

    /// Notes where a restore begins and ends, and what of it is refused: it has many parts.
    func noted(_ step: RestoreStep, _ request: Request, _ answer: Reply.Answer) -> Reply.Answer {
        if case .parts(_, let index) = step, index > 0, case .done = answer { return answer }
        return noted(request, answer)
    }
}
