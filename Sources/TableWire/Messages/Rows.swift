internal import TableModel
internal import TableSync

// Rows and their places: anchors of commands, places of ops.

extension WireRow {
    /// A row in a snapshot or a checkpoint.
    init(_ row: Row, _ form: Form) {
        self.init(inserted: row, form)
        if form == .json || row.version != 0 { version = row.version }
    }

    /// A row in a document, with its place.
    init(_ row: Row, section: SectionID, index: Int) {
        self.init(row, .json)
        self.section = section.text
        self.index = UInt64(clamping: index)
    }

    /// A row in a diff. Its version is the revision that the diff leads to.
    init(inserted row: Row, _ form: Form) {
        let all = form == .json
        id = row.id.text
        kind = row.content.kind.text
        if all || !row.content.title.isEmpty { title = row.content.title }
        fields = row.content.fields.map
        if all || row.createdMs != 0 { createdMs = row.createdMs }
        if all || row.expansion != .collapsed { expand = row.expansion.text }
        if all || row.swipe != nil { swipe = Edge.word(row.swipe) }
        if let actions = row.content.actions { self.actions = WireRowActions(actions) }
        performed = row.performed.map { WirePerformance($0) }
        items = row.content.items.map { WireStripItem($0, form) }
        if let scroll = row.scroll { self.scroll = Scroll(scroll, form) }
        if row.changedMs != 0 { changedMs = row.changedMs }
        if row.movedMs != 0 { movedMs = row.movedMs }
        if let claim = row.claim { self.claim = Claim(claim, form) }
        states = row.content.states.map { WireKind.State($0) }
        if let what = row.selection { selected = Selection(what) }
    }

    func read() throws(Rejection) -> Row {
        Row(
            id: try ID(read: id, "id"),
            content: Row.Content(
                kind: try ID(read: kind, "kind"), title: title, fields: Row.Field.read(fields),
                actions: hasActions
                    ? try within("actions") { () throws(Rejection) in try actions.read() } : nil,
                items: try items.readAll("items") { item throws(Rejection) in try item.read() },
                states: try states.readStates()),
            version: version, createdMs: createdMs,
            expansion: hasExpand ? try Expansion(read: expand, "expand") : .collapsed,
            swipe: hasSwipe ? try Edge.read(swipe, "swipe") : nil,
            performed: try performed.readAll("performed") { one throws(Rejection) in
                try one.read()
            },
            scroll: hasScroll
                ? try within("scroll") { () throws(Rejection) in try scroll.read() } : nil,
            changedMs: changedMs, movedMs: movedMs,
            claim: hasClaim
                ? try within("claim") { () throws(Rejection) in try claim.read() } : nil,
            selection: hasSelected
                ? try within("selected") { () throws(Rejection) in try selected.read() } : nil)
    }
}

extension WireSnapshotChunk.Slice {
    init(_ slice: SnapshotChunk.Slice, _ form: Form) {
        section = slice.section.text
        if form == .json || !slice.title.isEmpty { title = slice.title }
        rows = slice.rows.map { WireRow($0, form) }
    }

    func read() throws(Rejection) -> SnapshotChunk.Slice {
        SnapshotChunk.Slice(
            section: try ID(read: section, "section"), title: title,
            rows: try rows.readAll("rows") { row throws(Rejection) in try row.read() })
    }
}

extension Anchor {
    init(_ wire: WireCommand.Add.OneOf_Anchor?) throws(Rejection) {
        switch wire {
        case .top(let chosen): self = try .top(chosen)
        case .bottom(let chosen): self = try .bottom(chosen)
        case .before(let row): self = .before(ID(row))
        case .after(let row): self = .after(ID(row))
        case nil: self = .bottom
        }
    }

    init(_ wire: WireCommand.Move.OneOf_Anchor?) throws(Rejection) {
        switch wire {
        case .top(let chosen): self = try .top(chosen)
        case .bottom(let chosen): self = try .bottom(chosen)
        case .before(let row): self = .before(ID(row))
        case .after(let row): self = .after(ID(row))
        case nil:
            throw Rejection(.malformed, "One of: top, bottom, before, after.")
        }
    }

    init(_ wire: WireEffect.Move.OneOf_Anchor?) throws(Rejection) {
        switch wire {
        case .top(let chosen): self = try .top(chosen)
        case .bottom(let chosen): self = try .bottom(chosen)
        case .before(let row): self = .before(try ID(read: row, "before"))
        case .after(let row): self = .after(try ID(read: row, "after"))
        case nil: self = .bottom
        }
    }

    private static func top(_ chosen: Bool) throws(Rejection) -> Anchor {
        try chosen.chosen("top")
        return .top
    }

    private static func bottom(_ chosen: Bool) throws(Rejection) -> Anchor {
        try chosen.chosen("bottom")
        return .bottom
    }

    var inAdd: WireCommand.Add.OneOf_Anchor {
        switch self {
        case .top: return .top(true)
        case .bottom: return .bottom(true)
        case .before(let row): return .before(row.text)
        case .after(let row): return .after(row.text)
        }
    }

    var inMove: WireCommand.Move.OneOf_Anchor {
        switch self {
        case .top: return .top(true)
        case .bottom: return .bottom(true)
        case .before(let row): return .before(row.text)
        case .after(let row): return .after(row.text)
        }
    }

    var inEffect: WireEffect.Move.OneOf_Anchor {
        switch self {
        case .top: return .top(true)
        case .bottom: return .bottom(true)
        case .before(let row): return .before(row.text)
        case .after(let row): return .after(row.text)
        }
    }
}
