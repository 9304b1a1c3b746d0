extension BatchUpdate {
    /// The first half of a batch: what must be known of the table before it applies a diff.
    ///
    ///     let draft = BatchUpdate.Draft(diff.ops, before: table)
    ///     try table.apply(diff)
    ///     let batch = draft.update(after: table)
    ///
    /// Both halves cost O(log n) for each row that an op names, and O(s) for s sections.
    public struct Draft: Sendable {
        /// Rows that ops insert, move or remove, with their former places; nil: they are new.
        private var placed: [RowID: Path?] = [:]
        /// Rows that ops change or bring back.
        private var changed: Set<RowID> = []
        /// What ops that insert and remove rows say of how that is shown.
        private var coming: [RowID: AnimationHint] = [:]
        private var going: [RowID: AnimationHint] = [:]
        /// Former sections that ops remove, by index.
        private var deletedSections: Set<Int> = []
        private var insertedSections: Set<SectionID> = []
        private var retitledSections: Set<SectionID> = []
        private var isRedefined = false
        private let sections: [SectionID: Int]

        /// Reads the ops of one diff, or of several in a row, before the table applies them.
        public init(_ ops: [Op], before table: Table) {
            sections = Self.indexes(of: table)
            var pressed: [InvocationID: RowID] = [:]
            for op in ops { note(op, &pressed, table) }
        }

        private static func indexes(of table: Table) -> [SectionID: Int] {
            var indexes: [SectionID: Int] = [:]
            for (index, section) in table.sections.enumerated() { indexes[section.id] = index }
            return indexes
        }

        private mutating func note(
            _ op: Op, _ pressed: inout [InvocationID: RowID], _ table: Table
        ) {
            switch op.effect {
            case .inserts(let row, _):
                place(row.id, table)
                if case .insert(_, _, let hint) = op { coming[row.id] = hint }
                // Counts only if the row existed before: it is another object with the same
                // identity.
                changed.insert(row.id)
            case .removes(let id):
                place(id, table)
                if case .remove(_, let hint) = op { going[id] = hint }
            case .moves(let ids, _): for id in ids { place(id, table) }
            case .swaps(let a, let b):
                if a == b { return }
                place(a, table)
                place(b, table)
            case .changes(let id), .claims(let id, _): changed.insert(id)
            // Every row that there is, and O(n): those that are in that state too.
            case .changesAll: changed.formUnion(table.rows.map(\.id))
            case .ofSection(let id, .inserts): insertedSections.insert(id)
            case .ofSection(let id, .removes):
                if let index = sections[id] { deletedSections.insert(index) }
                insertedSections.remove(id)
            case .ofSection(let id, .renames): retitledSections.insert(id)
            case .ofTable(.defines): isRedefined = true
            case .begins(let invocation): pressed[invocation.id] = invocation.row
            case .ends(let id):
                if let row = pressed[id] ?? table.invocations[id]?.row { changed.insert(row) }
            case .changesInvocation, .ofTable(.edits), .news: break
            }
        }

        private mutating func place(_ id: RowID, _ table: Table) {
            if placed.keys.contains(id) { return }
            placed.updateValue(Self.path(of: id, in: table, sections), forKey: id)
        }

        private static func path(
            of id: RowID, in table: Table, _ sections: [SectionID: Int]
        ) -> Path? {
            guard let spot = table.position(of: id), let section = sections[spot.section] else {
                return nil
            }
            return Path(section: section, index: spot.index)
        }

        private static func said(_ hint: AnimationHint?) -> AnimationHint? {
            hint == .automatic ? nil : hint
        }

        /// The batch. Call it after the table has applied the ops.
        public func update(after table: Table) -> BatchUpdate {
            let sections = Self.indexes(of: table)
            let inserted = Set(insertedSections.compactMap { sections[$0] })
            var update = BatchUpdate()
            update.isRedefined = isRedefined
            update.deletedSections = deletedSections.sorted()
            update.insertedSections = inserted.sorted()
            update.retitledSections = retitledSections.compactMap { sections[$0] }
                .filter { !inserted.contains($0) }.sorted()
            var fresh: Set<RowID> = []
            for (id, old) in placed {
                let from = old.flatMap { deletedSections.contains($0.section) ? nil : $0 }
                let new = Self.path(of: id, in: table, sections)
                let to = new.flatMap { inserted.contains($0.section) ? nil : $0 }
                switch (from, to) {
                case (let from?, let to?): update.moves.append(Move(from: from, to: to))
                case (let from?, nil):
                    update.deletes.append(from)
                    update.deleteHints[from] = Self.said(going[id])
                case (nil, let to?):
                    update.inserts.append(to)
                    update.insertHints[to] = Self.said(coming[id])
                case (nil, nil): break
                }
                if from == nil || to == nil { fresh.insert(id) }
            }
            update.deletes.sort()
            update.inserts.sort()
            update.moves.sort { $0.to < $1.to }
            update.reloads = changed.subtracting(fresh)
                .compactMap { Self.path(of: $0, in: table, sections) }.sorted()
            return update
        }
    }
}

extension Table {
    /// Applies a diff and returns it in the form that UI toolkits expect. Throws as `apply`.
    public func applyBatch(_ diff: Diff) throws(Mismatch) -> BatchUpdate {
        let draft = BatchUpdate.Draft(diff.ops, before: self)
        try apply(diff)
        return draft.update(after: self)
    }
}
