// What was decided becomes the next revision.

extension Table {
    /// Applies a plan as the next revision, and returns the diff for viewers.
    ///
    /// The plan must come from `reduce` on this very state. Nil if the plan has no ops.
    public func apply(_ plan: Plan, cause: consuming Cause) -> Diff? {
        apply(plan, cause: cause) { _ in }
    }

    /// As `apply`, but also returns the inverse: the ops that lead back to the revision before, in
    /// order.
    public func advance(
        by plan: Plan, cause: consuming Cause
    ) -> (diff: Diff, inverse: [Op])? {
        var inverses: [[Op]] = []
        return apply(plan, cause: cause) { inverses.append(inverse(of: $0)) }
            .map { ($0, inverse: inverses.reversed().flatMap { $0 }) }
    }

    /// As `apply`, but lets `look` see each run of ops before it is applied, while the table is as those before
    /// have left it.
    @inline(__always)
    func apply(_ plan: Plan, cause: consuming Cause, before look: (Run) -> Void) -> Diff? {
        plan.ops.isEmpty ? nil : applyOps(of: plan, cause: cause, before: look)
    }

    /// The same of a plan that has ops: a diff that there may not be is moved twice more.
    @inline(__always)
    package func applyOps(
        of plan: Plan, cause: consuming Cause, before look: (Run) -> Void
    ) -> Diff {
        let base = revision
        precondition(base < .max, "the revision cannot grow")
        let moment = Moment(revision: base + 1, timeMs: cause.timeMs)
        do {
            try plan.ops.forEachRun { run throws(Mismatch) in
                look(run)
                try apply(run, at: moment)
            }
        } catch {
            preconditionFailure("reduce made a plan that does not fit: \(error)")
        }
        revision = base + 1
        return Diff(base: base, digest: digest, cause: cause, ops: plan.ops)
    }
}
