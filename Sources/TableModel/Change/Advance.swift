// A decided plan becomes the next revision.

extension Table {
    /// Applies a plan as the next revision, and returns the diff for viewers.
    ///
    /// The plan must come from `reduce` on this very state. Nil if the plan has no ops.
    public func apply(_ plan: Plan, cause: consuming Cause) -> Diff? {
        guard !plan.ops.isEmpty else { return nil }
        let base = revision
        applyOps(of: plan, timeMs: cause.timeMs) { _, _ in }
        return Diff(base: base, digest: digest, cause: cause, ops: plan.ops)
    }

    /// Applies a plan as the next revision. `look` sees each op before it is applied, while the table is as
    /// those before have left it; of several that are applied together the first, and all of them.
    @inline(__always)
    package func applyOps(
        of plan: borrowing Plan, timeMs: UInt64, before look: (borrowing Op, Run?) -> Void
    ) {
        precondition(revision < .max, "the revision cannot grow")
        let moment = Moment(revision: revision + 1, timeMs: timeMs, takesBack: plan.undoes != nil)
        changesMuch = isMuch(plan.ops)
        defer { changesMuch = false }
        do {
            try plan.ops.forEachRun { run throws(Mismatch) in
                // Copied once, for whoever looks too.
                let first = run[run.startIndex]
                if run.count == 1 {
                    look(first, nil)
                    try apply(first, at: moment)
                } else {
                    look(first, run)
                    try apply(run, at: moment)
                }
            }
        } catch {
            preconditionFailure("reduce made a plan that does not fit: \(error)")
        }
        revision = moment.revision
    }
}
