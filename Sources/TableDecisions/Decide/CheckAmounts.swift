import TableModel

// Amounts of a table are bounded. A command that would bring more is refused, and so is an undo.

/// Something of which a table has only so much.
enum Amount: CaseIterable {
    case rows, sections, kinds, pinnedRows, claimedRows
    case invocations, thenBytes, pressedBytes

    /// The words of refusals for it, how much of it a table has, and the most that it may have.
    fileprivate var description: (words: String, count: (Table) -> Int, most: (Limits) -> Int) {
        switch self {
        case .rows: ("rows", { $0.count }, { $0.rows })
        case .sections: ("sections", { $0.sections.count }, { $0.sections })
        case .kinds: ("kinds", { $0.kinds.count }, { $0.kinds })
        case .pinnedRows: ("pinned rows", { $0.pinnedRows.count }, { $0.pinnedRows })
        case .claimedRows: ("claimed rows", { $0.claimedRows.count }, { $0.claims })
        case .invocations:
            ("invocations under way", { $0.invocations.count }, { $0.invocations })
        case .thenBytes:
            (
                "bytes of later effects under way", { $0.invocations.thenBytes },
                { $0.invocationBytes }
            )
        case .pressedBytes:
            (
                "bytes of pressed rows under way", { $0.invocations.pressedBytes },
                { _ in Limits.pressedBytes }
            )
        }
    }
}

extension Table {
    /// How much of it there is.
    func amount(of what: Amount) -> Int { what.description.count(self) }
}

extension Decision {
    /// Refuses to have so much of it if that is too much.
    func check(_ count: Int, of what: Amount, field: String) throws(Rejection) {
        let most = what.description.most(shared.limits)
        try bound(what.description.words, count, by: most, field: field)
    }

    /// Checks what an undo makes of a row's content: what comes back, and what came later and stays, may
    /// be too much together. Content that has more than a limit from former times may keep it, and become smaller.
    ///
    /// - Parameter old: the content before the undo; nil: there was no such row.
    func checkContent(_ content: Row.Content, after old: Row.Content?) throws(Rejection) {
        let decision = keeping(old)
        try decision.checkContent(content)
        if content.items.isEmpty { return }
        try decision.checkItemCount(content.items.count, field: "items")
        try decision.checkStripBytes(content, field: "items")
        let items = Dictionary(
            (old?.items ?? []).map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        for item in content.items {
            let old = items[item.id]
            if old != item { try keeping(old?.content).checkContent(item.content) }
        }
    }

    /// This decision by limits that allow the old content.
    private func keeping(_ old: Row.Content?) -> Decision {
        guard let old else { return self }
        var limits = limits
        limits.titleBytes = max(limits.titleBytes, old.title.utf8.count)
        limits.fields = max(limits.fields, old.fieldCount)
        limits.rowBytes = max(limits.rowBytes, old.byteCount)
        limits.items = max(limits.items, old.items.count)
        limits.stripBytes = max(limits.stripBytes, old.bytesOfItems)
        return Decision(table: table, limits: limits, context: context, suffix: suffix)
    }
}

extension Item {
    /// Its texts, which are within the same bounds as those of a row.
    var content: Row.Content { Row.Content(title: title, fields: fields) }
}

extension Row.Content {
    /// Bytes of all text of a strip's items.
    var bytesOfItems: Int { items.reduce(0) { $0 + $1.byteCount } }
}
