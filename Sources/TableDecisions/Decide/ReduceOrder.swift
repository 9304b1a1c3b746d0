import TableModel

// The places of rows: adding, moving, swapping (design rules B1, B3, B4).

extension Decision {
    func add(_ add: Command.Add) throws(Rejection) -> Plan {
        let id = add.id ?? newID()
        try checkID(id, field: "id")
        if table.row(id) != nil {
            throw Rejection(.exists, "There is a row \"\(id.text)\" already.", field: "id")
        }
        let kind = try kind(add.content.kind)
        if !add.content.hasPlainKeys(atMost: shared.limits.idBytes) {
            for field in add.content.fields { try checkID(field.key, field: "fields") }
        }
        if let actions = add.content.actions { try checkActions(actions) }
        try checkOwnStates(add.content.states)
        let state = try start(add.expansion, of: kind.fitted(to: add.content))
        try checkContent(add.content)
        try checkItems(add.content, field: "items")
        if let carried = add.carried { try checkCarried(carried) }
        try check(table.count + 1, of: .rows, field: "table")
        try checkRoomForPinned(kind)
        let target = try landing(
            section: add.section, add.anchor, moving: [], .strict, passing: kind.isPinned)
        if !kind.isPinned {
            try checkPassing([id], to: target.place, isNew: true, field: add.anchor.name)
        }
        let row = Row(
            id: id, content: add.content, version: table.revision &+ 1,
            createdMs: add.carried?.createdMs ?? nowMs, expansion: state,
            performed: add.carried?.performed ?? [], changedMs: add.carried?.changedMs ?? 0,
            movedMs: add.carried?.movedMs ?? 0, claim: add.carried?.claim,
            cameFrom: add.carried?.cameFrom, sleep: add.carried?.sleep)
        let closing = closing(where: [(row, to: section(of: target.place))])
        let insert = Op.insert(row, target.place, hint: add.hint)
        let before = target.making.isEmpty ? closing : target.making + closing
        return Plan(before.then(insert), rows: .one(id))
    }

    /// From the revision that adds the row. A revision number never comes twice in a history.
    private func newID() -> RowID {
        var id = "r\(table.revision &+ 1)" + (suffix.map { ".\($0)" } ?? "")
        // Somebody may have used such an id.
        while table.row(ID(id)) != nil { id += "x" }
        return ID(id)
    }

    /// The kind of command that moves the rows.
    enum Mover {
        case command
        /// An action may move rows of a kind that forbids it: whoever defined the action allowed
        /// that. A press on a lifted row is refused before it comes here. What a handler has to move does not
        /// wait: it ends the drag.
        case action
        /// A drop is a revision even if the rows are there already.
        case drop
    }

    func move(
        _ ids: Few<RowID>, section: SectionID?, _ anchor: Anchor, _ policy: Command.Policy,
        by mover: Mover = .command
    ) throws(Rejection) -> Plan {
        if ids.isEmpty { return Plan([]) }
        try checkDistinct(ids, field: "rows")
        let mayRenew = try checkMovable(ids, byAction: mover == .action)
        if mover == .command { try checkNotLifted(ids, field: "rows") }
        let target = try landing(section: section, anchor, moving: ids, policy)
        if target.making.isEmpty {
            try checkPassing(ids, to: target.place, field: anchor.name)
            if mover != .drop, stands(ids, at: target.place) {
                return Plan([], rows: ids, note: target.note)
            }
        }
        let move = Op.move(ids, target.place)
        var before = target.making
        if table.settings.expandPolicy == .accordionSection,
            let section = self.section(of: target.place)
        {
            before += closingCompanions(of: ids, in: section)
        }
        if mayRenew {
            before += renewing(
                ids, movedTo: self.section(of: target.place), byAction: mover == .action)
        }
        if table.hasLookingBack || mayRenew {
            before += remembering(ids, movedTo: self.section(of: target.place))
        }
        return Plan(before.then(move), rows: ids, note: target.note)
    }

    /// True: something may have been performed on one of them.
    @discardableResult
    func checkMovable(
        _ ids: some Collection<RowID>, byAction: Bool = false, field: String = "rows"
    ) throws(Rejection) -> Bool {
        var haveRareParts = false
        for id in ids {
            let row = try row(id, field: field)
            haveRareParts = haveRareParts || row.hasRareParts
            guard table.hasFixedKinds, let kind = table.kinds[row.content.kind] else { continue }
            if !(kind.canMove || byAction) || kind.isPinned {
                throw Rejection(
                    .notAllowed, "Rows of kind \"\(kind.id.text)\" cannot be moved.", field: field,
                    saying: Saying("cannotMove"))
            }
        }
        return haveRareParts
    }

    func swap(_ a: RowID, _ b: RowID) throws(Rejection) -> Plan {
        for (id, field) in [(a, "a"), (b, "b")] {
            try checkNotLifted([id], field: field)
            try checkMovable(Few.one(id), field: field)
        }
        if a == b { return Plan([], rows: .one(a)) }
        try checkPassing(swapping: a, b)
        let first = try row(a, field: "a")
        let second = try row(b, field: "b")
        let (here, there) = (section(of: a), section(of: b))
        let closing = closing(where: [(first, to: there), (second, to: here)])
        let renewing =
            renewing([a], movedTo: there, byAction: false)
            + renewing([b], movedTo: here, byAction: false)
            + remembering([a], movedTo: there) + remembering([b], movedTo: here)
        return Plan((closing + renewing).then(.swap(a, b)), rows: [a, b])
    }

    /// Whether the rows are in this order at that place already.
    private func stands(_ ids: Few<RowID>, at place: Place) -> Bool {
        var place = place
        for id in ids {
            guard table.stands(id, at: place) else { return false }
            place = .after(id)
        }
        return true
    }

    // MARK: Anchors

    /// Where rows are to land, and the section to make first if it is missing.
    struct Destination {
        var place: Place
        var making: [Op] = []
        var note: Note?
    }

    private func landing(
        section: SectionID?, _ anchor: Anchor, moving: Few<RowID>, _ policy: Command.Policy,
        passing: Bool = false
    ) throws(Rejection) -> Destination {
        switch anchor {
        case .top, .bottom:
            // In their own section, or in the main one.
            let home = section ?? moving.first.flatMap { self.section(of: $0) } ?? .mainSection
            let isTop = anchor == .top
            var target = try edge(of: home, atTop: isTop, without: moving)
            if target.making.isEmpty, !passing {
                target.place = clear(target.place, of: home, atTop: isTop, without: moving)
            }
            return target
        case .before(let id), .after(let id):
            try require(
                !moving.contains(id), or: .badAnchor,
                "Row \"\(id.text)\" cannot be moved next to itself.", field: anchor.name)
            // As nearly always. The section that it is in need not be known.
            if case .after = anchor, section == nil, table.has(id) {
                return Destination(place: .after(id))
            }
            guard let home = table.section(of: id) else {
                guard policy == .rebase, let spot = table.removed[id] else {
                    throw .noRow(id, field: anchor.name)
                }
                var target = try rebase(id, at: spot, section: section, moving: moving)
                if target.making.isEmpty, case .top(let section) = target.place, !passing {
                    target.place = clear(target.place, of: section, atTop: true, without: moving)
                }
                return target
            }
            if let section, section != home.id {
                throw Rejection(
                    .badAnchor,
                    "Row \"\(id.text)\" is in section \"\(home.id.text)\", not in "
                        + "\"\(section.text)\".", field: "section")
            }
            if case .after = anchor { return Destination(place: .after(id)) }
            return Destination(place: placeBefore(id, in: home.id, without: moving))
        }
    }

    private func edge(
        of id: SectionID, atTop: Bool, without moving: Few<RowID>
    ) throws(Rejection) -> Destination {
        guard let section = table.section(id) else {
            try checkID(id, field: "section")
            let making = try newSection(id, title: id.text)
            return Destination(place: .top(id), making: making)
        }
        guard !atTop, let last = section.row(at: section.count - 1) else {
            return Destination(place: .top(id))
        }
        if !moving.contains(last.id) { return Destination(place: .after(last.id)) }
        return Destination(place: placeBefore(last.id, in: id, without: moving))
    }

    /// Behind the nearest row above that is not being moved itself.
    private func placeBefore(
        _ id: RowID, in section: SectionID, without moving: Few<RowID>
    ) -> Place {
        let leaving = Set(moving)
        var present = id
        while let above = table.row(before: present)?.id {
            if !leaving.contains(above) { return .after(above) }
            present = above
        }
        return .top(section)
    }

    /// The anchor is gone, so the rows land where it last was.
    private func rebase(
        _ anchor: RowID, at spot: RemovedPlaces.Entry, section: SectionID?, moving: Few<RowID>
    ) throws(Rejection) -> Destination {
        var spot = spot
        if let section, section != spot.section {
            throw Rejection(
                .badAnchor,
                "Row \"\(anchor.text)\" was in section \"\(spot.section.text)\", not in "
                    + "\"\(section.text)\".", field: "section")
        }
        let leaving = Set(moving)
        var seen: Set<RowID> = [anchor]
        while let above = spot.after {
            if let section = table.section(of: above) {
                let place =
                    leaving.contains(above)
                    ? placeBefore(above, in: section.id, without: moving) : .after(above)
                return Destination(place: place, note: place.note(.removed(anchor)))
            }
            // The row above it is gone as well. A row that came back and was removed again may lead
            // round in a circle.
            guard seen.insert(above).inserted, let next = table.removed[above] else { break }
            spot = next
        }
        var target = try edge(of: spot.section, atTop: true, without: moving)
        target.note = target.place.note(.removed(anchor))
        return target
    }
}

extension [Op] {
    /// These, and this one at the end. Nearly always there are none, and lists are not joined.
    @inline(__always)
    func then(_ last: Op) -> [Op] { isEmpty ? [last] : self + [last] }
}
