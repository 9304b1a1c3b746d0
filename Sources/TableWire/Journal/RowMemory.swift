internal import TableModel
internal import TableSync

// A checkpoint's memory of rows, beside the rows themselves.

extension WireCheckpointPart.Removed {
    init(
        _ places: [RemovedPlaces.Entry], _ recent: [RecentDeeds.Entry], _ lifted: [ClosedSwipe]
    ) {
        self.init()
        self.places = places.map { Place($0) }
        self.recent = recent.map { entry in
            .with {
                $0.row = entry.row.text
                $0.action = entry.deed.action.text
                if let item = entry.deed.item { $0.item = item.text }
                $0.revision = entry.revision
                $0.timeMs = entry.timeMs
                $0.failed = entry.hasFailed
            }
        }
        self.lifted = lifted.map { swipe in
            .with {
                $0.row = swipe.row.text
                $0.edge = swipe.edge.rawValue
                $0.holder = swipe.holder.text
                if let user = swipe.user { $0.user = user.text }
            }
        }
    }

    func read() throws(Rejection) -> CheckpointPart {
        .removed(
            try places.readAll("removed") { place throws(Rejection) in try place.read() },
            recent: try recent.readAll("recent") { one throws(Rejection) in
                RecentDeeds.Entry(
                    row: try ID(read: one.row, "row"),
                    deed: Deed(ID(one.action), on: one.hasItem ? ID(one.item) : nil),
                    revision: one.revision, timeMs: one.timeMs, hasFailed: one.failed)
            },
            lifted: try lifted.readAll("lifted") { one throws(Rejection) in
                ClosedSwipe(
                    row: try ID(read: one.row, "row"), edge: try Edge(read: one.edge, "edge"),
                    holder: try ID(read: one.holder, "holder"),
                    user: one.hasUser ? ProvenID(try ID(read: one.user, "user")) : nil)
            })
    }
}

extension WireCheckpointPart.Removed.Place {
    fileprivate init(_ place: RemovedPlaces.Entry) {
        row = place.row.text
        section = place.section.text
        if let after = place.after { self.after = after.text }
        performed = place.performed.filter { $0.item == nil }.map(\.action.text)
        onItems = place.performed.compactMap { deed in
            deed.item.map { item in
                .with {
                    $0.action = deed.action.text
                    $0.item = item.text
                }
            }
        }
        revision = place.revision
    }

    fileprivate func read() throws(Rejection) -> RemovedPlaces.Entry {
        let deeds =
            performed.map { Deed(ID($0)) } + onItems.map { Deed(ID($0.action), on: ID($0.item)) }
        return RemovedPlaces.Entry(
            row: try ID(read: row, "row"), section: try ID(read: section, "section"),
            after: hasAfter ? try ID(read: after, "after") : nil, performed: deeds,
            revision: revision)
    }
}
