internal import TableModel
internal import TableSync

// The content of replies to requests that read.

extension WireHelloReply {
    init(_ hello: Hello, epoch: ID128) {
        `protocol` = UInt32(clamping: Hello.protocolVersion)
        program = hello.program
        version = hello.version
        self.epoch = epoch.description
        opened = hello.opened
        publish = hello.publish
        limits = WireLimits(hello.limits)
        features = hello.features
        heartbeatMs = UInt32(clamping: hello.heartbeatMs)
    }

    func read() throws(Rejection) -> Hello {
        guard self.protocol == UInt32(clamping: Hello.protocolVersion) else {
            throw Rejection(
                .badValue, "This program speaks version \(Hello.protocolVersion).",
                field: "protocol")
        }
        var hello = Hello()
        hello.program = program
        hello.version = version
        hello.opened = opened
        hello.publish = publish
        hello.limits = try within("limits") { () throws(Rejection) in try limits.read() }
        hello.features = features
        hello.heartbeatMs = Int(heartbeatMs)
        return hello
    }
}

extension WireLimits {
    init(_ limits: Limits) {
        requestBytes = UInt64(clamping: limits.requestBytes)
        frames = UInt64(clamping: limits.frames)
        batchCommands = UInt64(clamping: limits.batchCommands)
        idBytes = UInt64(clamping: limits.idBytes)
        titleBytes = UInt64(clamping: limits.titleBytes)
        rowBytes = UInt64(clamping: limits.rowBytes)
        rows = UInt64(clamping: limits.rows)
        tables = UInt64(clamping: limits.tables)
        sections = UInt64(clamping: limits.sections)
        kinds = UInt64(clamping: limits.kinds)
        fields = UInt64(clamping: limits.fields)
        sessions = UInt64(clamping: limits.sessions)
        repliesPerSession = UInt64(clamping: limits.repliesPerSession)
        kindBytes = UInt64(clamping: limits.kindBytes)
        faceBytes = UInt64(clamping: limits.faceBytes)
        invocations = UInt64(clamping: limits.invocations)
        takenInvocations = UInt64(clamping: limits.takenInvocations)
        reasonBytes = UInt64(clamping: limits.reasonBytes)
        holderTimeoutMs = UInt64(clamping: limits.holderTimeoutMs)
        items = UInt64(clamping: limits.items)
        stripBytes = UInt64(clamping: limits.stripBytes)
        kindsBytes = UInt64(clamping: limits.kindsBytes)
    }

    /// The limits. Those that do not travel have their defaults.
    func read() throws(Rejection) -> Limits {
        var limits = Limits()
        limits.requestBytes = try Int(read: requestBytes, "requestBytes")
        limits.frames = try Int(read: frames, "frames")
        limits.batchCommands = try Int(read: batchCommands, "batchCommands")
        limits.idBytes = try Int(read: idBytes, "idBytes")
        limits.titleBytes = try Int(read: titleBytes, "titleBytes")
        limits.rowBytes = try Int(read: rowBytes, "rowBytes")
        limits.rows = try Int(read: rows, "rows")
        limits.tables = try Int(read: tables, "tables")
        limits.sections = try Int(read: sections, "sections")
        limits.kinds = try Int(read: kinds, "kinds")
        limits.fields = try Int(read: fields, "fields")
        limits.sessions = try Int(read: sessions, "sessions")
        limits.repliesPerSession = try Int(read: repliesPerSession, "repliesPerSession")
        limits.kindBytes = try Int(read: kindBytes, "kindBytes")
        limits.faceBytes = try Int(read: faceBytes, "faceBytes")
        limits.invocations = try Int(read: invocations, "invocations")
        limits.takenInvocations = try Int(read: takenInvocations, "takenInvocations")
        limits.reasonBytes = try Int(read: reasonBytes, "reasonBytes")
        limits.holderTimeoutMs = try Int(read: holderTimeoutMs, "holderTimeoutMs")
        limits.items = try Int(read: items, "items")
        limits.stripBytes = try Int(read: stripBytes, "stripBytes")
        limits.kindsBytes = try Int(read: kindsBytes, "kindsBytes")
        return limits
    }
}

extension WireTableSummary {
    init(_ summary: TableSummary, _ form: Form) {
        let all = form == .json
        table = summary.table.text
        history = summary.history.description
        if all || summary.revision != 0 { revision = summary.revision }
        if all || summary.rows != 0 { rows = UInt64(clamping: summary.rows) }
        if all || summary.sections != 0 { sections = UInt64(clamping: summary.sections) }
        digest = summary.digest.lowerHex
        if all || summary.oldest != 0 { oldest = summary.oldest }
    }

    func read() throws(Rejection) -> TableSummary {
        TableSummary(
            table: try ID(read: table, "table"), history: try ID128(read: history, "history"),
            revision: revision, rows: try Int(read: rows, "rows"),
            sections: try Int(read: sections, "sections"),
            digest: try UInt64(read: digest, "digest"), oldest: oldest)
    }
}

extension WireKindsReply {
    func read() throws(Rejection) -> Reply.Answer {
        let (kinds, settings) = try definitions()
        return .kinds(kinds, settings)
    }

    func definitions() throws(Rejection) -> ([Kind], Settings) {
        (
            try kinds.readAll("kinds") { kind throws(Rejection) in try kind.read() },
            try within("table") { () throws(Rejection) in try table.read() }
        )
    }
}

extension WireSnapshotChunk {
    init(_ part: SnapshotChunk, _ form: Form) {
        let all = form == .json
        id = part.id
        if all || part.revision != 0 { revision = part.revision }
        digest = part.digest.lowerHex
        if all || part.chunk != 0 { chunk = UInt32(clamping: part.chunk) }
        if all || part.chunks != 0 { chunks = UInt32(clamping: part.chunks) }
        if all || part.rows != 0 { rows = UInt64(clamping: part.rows) }
        kinds = part.kinds.map { WireKind($0) }
        if let settings = part.settings { self.settings = WireSettings(settings) }
        slices = part.slices.map { Slice($0, form) }
        if part.isEditing { editing = true }
        invocations = part.invocations.map { WireInvocation($0, form, isWhole: false) }
    }

    func read() throws(Rejection) -> SnapshotChunk {
        var part = SnapshotChunk(
            id: id, revision: revision, digest: try UInt64(read: digest, "digest"),
            chunk: Int(chunk), chunks: Int(chunks), rows: try Int(read: rows, "rows"),
            kinds: try kinds.readAll("kinds") { kind throws(Rejection) in try kind.read() },
            settings: hasSettings
                ? try within("settings") { () throws(Rejection) in try settings.read() } : nil,
            slices: try slices.readAll("slices") { slice throws(Rejection) in try slice.read() })
        part.isEditing = editing
        part.invocations = try invocations.readAll("invocations") { one throws(Rejection) in
            try one.read()
        }
        return part
    }
}

extension WireStanding {
    init(_ standing: Standing, _ form: Form) {
        relation = standing.relation.rawValue
        if form == .json || standing.head.revision != 0 { head = standing.head.revision }
        digest = standing.head.digest.lowerHex
        if form == .json || standing.head.oldest != 0 { oldest = standing.head.oldest }
    }

    func read() throws(Rejection) -> Standing {
        Standing(
            try .init(read: relation, "relation"),
            head: Head(revision: head, digest: try UInt64(read: digest, "digest"), oldest: oldest))
    }
}

extension WireHealthReply {
    init(_ health: Health, _ form: Form) {
        let all = form == .json
        status = health.status
        version = health.version
        if all || health.uptimeMs != 0 { uptimeMs = health.uptimeMs }
        if all || health.position != 0 { position = health.position }
        if all || health.tables != 0 { tables = UInt64(clamping: health.tables) }
        if all || health.rows != 0 { rows = UInt64(clamping: health.rows) }
        guard let cluster = health.cluster else { return }
        role = cluster.role
        if all || cluster.term != 0 { term = cluster.term }
        if all || cluster.lag != 0 { lag = cluster.lag }
        if all || cluster.isOutOfTouch { outOfTouch = cluster.isOutOfTouch }
        writer = cluster.writer
        members = cluster.members.map {
            var member = WireClusterMember()
            (member.id, member.endpoints, member.version) = ($0.id, $0.endpoints, $0.version)
            if all || $0.position != 0 { member.position = $0.position }
            if all || $0.term != 0 { member.term = $0.term }
            return member
        }
    }

    func read() throws(Rejection) -> Health {
        var health = Health()
        health.status = status
        health.version = version
        health.uptimeMs = uptimeMs
        health.position = position
        health.tables = try Int(read: tables, "tables")
        health.rows = try Int(read: rows, "rows")
        guard !role.isEmpty else { return health }
        var cluster = Health.Cluster()
        (cluster.role, cluster.term, cluster.lag, cluster.writer) = (role, term, lag, writer)
        cluster.isOutOfTouch = outOfTouch
        cluster.members = members.map {
            Health.Cluster.Member(
                id: $0.id, endpoints: $0.endpoints, position: $0.position, version: $0.version,
                term: $0.term)
        }
        health.cluster = cluster
        return health
    }
}

extension WireStatsReply {
    init(_ stats: Stats) {
        counters = stats.counters
        gauges = stats.gauges
        rejections = stats.rejections
    }

    func read() -> Stats {
        var stats = Stats()
        stats.counters = counters
        stats.gauges = gauges
        stats.rejections = rejections
        return stats
    }
}

extension WireCheckReply {
    init(_ check: CheckResult, _ form: Form) {
        let all = form == .json
        if all || check.position != 0 { position = check.position }
        if all || check.entries != 0 { entries = check.entries }
        if all || check.checkpointParts != 0 { checkpointParts = check.checkpointParts }
        tables = check.tables.map { WireTableSummary($0, form) }
    }

    func read() throws(Rejection) -> CheckResult {
        var check = CheckResult()
        check.position = position
        check.entries = entries
        check.checkpointParts = checkpointParts
        check.tables = try tables.readAll("tables") { table throws(Rejection) in
            try table.read()
        }
        return check
    }
}
