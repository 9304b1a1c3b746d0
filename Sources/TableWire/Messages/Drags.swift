internal import TableModel
public import TableSync

// Leases, presence, claims.

extension RequestReader {
    func drag(_ wire: WireRequest.Drag) throws(Rejection) -> Drag {
        switch wire.step {
        case .lift(let lift):
            return .lift(
                try ids(lift.rows, "drag.lift.rows"),
                ttlSeconds: lift.hasTtl
                    ? try Double(read: lift.ttl, "drag.lift.ttl") : Drag.defaultTTLSeconds)
        case .hover(let hover):
            return .hover(
                lease: try madeID(hover.lease, "drag.hover.lease"),
                section: hover.hasSection ? try id(hover.section, "drag.hover.section") : nil,
                try within("drag.hover") { () throws(Rejection) in
                    try checked(try Anchor(hover.anchor))
                })
        case .drop(let drop):
            let to = drop.to
            return .drop(
                lease: try madeID(drop.lease, "drag.drop.lease"),
                section: to.hasSection ? try id(to.section, "drag.drop.to.section") : nil,
                try within("drag.drop.to") { () throws(Rejection) in
                    try checked(try Anchor(to.anchor))
                }, to.strict ? .strict : .rebase)
        case .cancel(let lease): return .cancel(lease: try madeID(lease, "drag.cancel"))
        case .renew(let lease): return .renew(lease: try madeID(lease, "drag.renew"))
        case nil:
            throw Rejection(
                .malformed, "One of: lift, hover, drop, cancel, renew.", field: "drag")
        }
    }

    func claim(_ wire: WireCommand.Claim) throws(Rejection) -> Command.Verb {
        .claim(
            Few(try ids(wire.rows, "claim.rows")), note: wire.note,
            ttlSeconds: wire.hasTtl ? try Double(read: wire.ttl, "claim.ttl") : nil)
    }

    func unclaim(_ wire: WireCommand.Unclaim) throws(Rejection) -> Command.Verb {
        .unclaim(
            Few(try anyIDs(wire.rows, "unclaim.rows")),
            holder: wire.hasHolder ? try id(wire.holder, "unclaim.holder") : nil)
    }
}

extension WireRequest.Drag {
    init(_ drag: TableSync.Drag) {
        switch drag {
        case .lift(let rows, let ttl):
            lift.rows = rows.map(\.text)
            lift.ttl = ttl
        case .hover(let lease, let section, let anchor):
            hover.lease = lease.text
            if let section { hover.section = section.text }
            hover.anchor = anchor.inHover
        case .drop(let lease, let section, let anchor, let policy):
            drop.lease = lease.text
            if let section { drop.to.section = section.text }
            drop.to.anchor = anchor.inMove
            if policy == .strict { drop.to.strict = true }
        case .cancel(let lease): cancel = lease.text
        case .renew(let lease): renew = lease.text
        }
    }
}

extension WireCommand.Claim {
    init(_ ids: Few<RowID>, note text: String, ttlSeconds: Double?) {
        rows = ids.map(\.text)
        if !text.isEmpty { note = text }
        if let ttlSeconds { ttl = ttlSeconds }
    }
}

extension WireCommand.Unclaim {
    init(_ ids: Few<RowID>, holder who: ID?) {
        rows = ids.map(\.text)
        if let who { holder = who.text }
    }
}

extension WireRow.Claim {
    init(_ claim: TableModel.Claim, _ form: Form) {
        holder = claim.holder.text
        if form == .json || !claim.note.isEmpty { note = claim.note }
        if let seconds = claim.ttlSeconds { ttl = seconds }
        if claim.sinceMs != 0 { sinceMs = claim.sinceMs }
    }

    func read() throws(Rejection) -> TableModel.Claim {
        TableModel.Claim(
            holder: try ID(read: holder, "holder"), note: note,
            ttlSeconds: hasTtl ? try Double(read: ttl, "ttl") : nil, sinceMs: sinceMs)
    }
}

extension WireLease {
    init(_ from: Lease) {
        lease = from.id.text
        holder = from.holder.text
        rows = from.rows.map(\.text)
        ttl = from.ttlSeconds
        if let id = from.user { user = id.text }
        guard let hover = from.hover else { return }
        if let id = hover.section { section = id.text }
        switch hover.anchor {
        case .top: top = true
        case .bottom: bottom = true
        case .before(let row): before = row.text
        case .after(let row): after = row.text
        }
    }

    func read() throws(Rejection) -> Lease {
        var lease = Lease(
            id: try ID(read: lease, "lease"), holder: try ID(read: holder, "holder"),
            rows: rows.map { ID($0) }, ttlSeconds: try Double(read: ttl, "ttl"),
            user: hasUser ? try ID(read: user, "user") : nil)
        let section = hasSection ? try ID(read: section, "section") : nil
        switch anchor {
        case .top: lease.hover = .init(section: section, .top)
        case .bottom: lease.hover = .init(section: section, .bottom)
        case .before(let row): lease.hover = .init(section: section, .before(ID(row)))
        case .after(let row): lease.hover = .init(section: section, .after(ID(row)))
        case nil: break
        }
        return lease
    }
}

extension WireViewer {
    init(_ viewer: Attendant, _ form: Form) {
        client = viewer.client.text
        if let id = viewer.name { name = id.text }
        if let id = viewer.user { user = id.text }
        sinceMs = viewer.sinceMs
        revision = viewer.revision
        if form == .json || viewer.lag != 0 { lag = viewer.lag }
    }

    func read() throws(Rejection) -> Attendant {
        Attendant(
            client: try ID(read: client, "client"),
            name: hasName ? try ID(read: name, "name") : nil, sinceMs: sinceMs,
            revision: revision, lag: lag, user: hasUser ? try ID(read: user, "user") : nil)
    }
}

extension WirePresence {
    init(_ presence: Presence, _ form: Form) {
        table = presence.table.text
        epoch = presence.epoch.description
        if let all = presence.leases {
            leases = Leases()
            leases.leases = all.map { WireLease($0) }
        }
        if let all = presence.viewers {
            viewers = Viewers()
            viewers.viewers = all.map { WireViewer($0, form) }
        }
        ended = presence.ended.map { end in
            var wire = Ended()
            wire.lease = end.lease.text
            wire.reason = end.reason
            if end.isDropped { wire.dropped = true }
            return wire
        }
    }

    func read() throws(Rejection) -> Presence {
        Presence(
            table: try ID(read: table, "table"), epoch: try ID128(read: epoch, "epoch"),
            leases: hasLeases
                ? try leases.leases.readAll("leases") { one throws(Rejection) in try one.read() }
                : nil,
            viewers: hasViewers
                ? try viewers.viewers.readAll("viewers") { one throws(Rejection) in
                    try one.read()
                } : nil,
            ended: try ended.readAll("ended") { one throws(Rejection) in
                Presence.Ended(
                    try ID(read: one.lease, "lease"), one.reason, isDropped: one.dropped)
            })
    }
}

extension Encode {
    /// The presence of viewers and leases.
    public static func presence(_ presence: Presence, form: Form) -> [UInt8] {
        WirePresence(presence, form).bytes(form)
    }

    /// One line of JSON, without a line break.
    public static func document(_ lease: Lease) -> String { WireLease(lease).json }

    /// One line of JSON, without a line break.
    public static func document(_ viewer: Attendant) -> String { WireViewer(viewer, .json).json }
}

extension Decode {
    /// Reads the presence of viewers and leases.
    public static func presence(
        _ bytes: UnsafeRawBufferPointer, form: Form
    ) throws(WireError) -> Presence {
        try received { () throws(Rejection) in try WirePresence.parse(bytes, form).read() }
    }
}

extension Anchor {
    init(_ wire: WireRequest.Drag.Hover.OneOf_Anchor?) throws(Rejection) {
        switch wire {
        case .top(let chosen):
            try chosen.chosen("top")
            self = .top
        case .bottom(let chosen):
            try chosen.chosen("bottom")
            self = .bottom
        case .before(let row): self = .before(ID(row))
        case .after(let row): self = .after(ID(row))
        case nil: throw Rejection(.malformed, "One of: top, bottom, before, after.")
        }
    }

    fileprivate var inHover: WireRequest.Drag.Hover.OneOf_Anchor {
        switch self {
        case .top: return .top(true)
        case .bottom: return .bottom(true)
        case .before(let row): return .before(row.text)
        case .after(let row): return .after(row.text)
        }
    }
}
