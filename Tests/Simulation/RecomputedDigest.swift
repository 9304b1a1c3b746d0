import TableModel

extension Table {
    /// The digest, recomputed from every row's content. If it is not `digest`, something is broken.
    func recomputedDigest() -> UInt64 {
        let fresh = Table(
            restoring: name, history: history, revision: revision, kinds: Array(kinds.values),
            settings: settings, removedPlaces: 0)
        do {
            for section in sections {
                try fresh.appendSection(section.id, title: section.title)
                for run in section.runs() {
                    for row in run {
                        try fresh.appendRow(row.with(version: row.version), to: section.id)
                    }
                }
            }
        } catch { return ~digest }
        fresh.restoreEditing(isEditing)
        for invocation in invocations.all { fresh.restore(invocation) }
        return fresh.digest
    }
}
