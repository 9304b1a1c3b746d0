import TableModel

/// Random invocations, and how often they may be tried.
extension Generator {
    mutating func invocationID() -> InvocationID {
        InvocationID(revision: number(), index: smallCount())
    }

    mutating func invocation(isWhole: Bool = false) -> Invocation {
        Invocation(
            id: invocationID(), row: id(), action: id(), item: maybe { $0.id() },
            client: maybe { $0.id() },
            pressedMs: number(), deadlineSeconds: points(), then: list { $0.effect() },
            retries: retries(), holder: maybe { $0.id() }, attempts: smallCount(),
            failure: maybe { $0.failure() }, pressed: isWhole ? row() : nil,
            section: isWhole ? id() : nil, index: isWhole ? smallCount() : nil)
    }

    /// Most have none.
    mutating func retries() -> Retries {
        if below(4) > 0 { return Retries() }
        return Retries(
            attempts: maybe { $0.smallCount() }, backoffSeconds: points(),
            otherwise: list { _ in .toggle })
    }

    mutating func failure() -> Invocation.Failure {
        Invocation.Failure(text(), dueMs: number(), isOver: flag())
    }

    mutating func carried() -> Carried {
        Carried(
            createdMs: maybe { $0.number() }, changedMs: time(), movedMs: time(),
            performed: list { $0.performance() }, claim: maybe { $0.claim() },
            cameFrom: maybe { $0.id() }, sleep: maybe { $0.sleep() })
    }
}
