// The bounds of what a command may bring, beyond what decoding has checked.

extension Decision {
    /// A table, row, section, kind or field id: 1…`idBytes` bytes, no control characters.
    func checkID(_ id: ID, field: String) throws(Rejection) {
        try id.check(limits: limits, field: field)
    }

    func checkDistinct(_ ids: [ID], field: String) throws(Rejection) {
        guard ids.count <= limits.batchCommands else {
            throw .tooLarge(
                "ids in a command", ids.count, limit: limits.batchCommands, field: field)
        }
        if ids.count < 2 { return }
        var seen: Set<ID> = []
        for id in ids where !seen.insert(id).inserted {
            throw Rejection(.duplicate, "\"\(id.text)\" stands twice.", field: field)
        }
    }

    func checkTitle(_ title: String, field: String) throws(Rejection) {
        guard title.utf8.count <= limits.titleBytes else {
            throw .tooLarge("title bytes", title.utf8.count, limit: limits.titleBytes, field: field)
        }
        guard !title.hasNUL else {
            throw Rejection(.badValue, "A title cannot hold a NUL.", field: field)
        }
    }

    func checkContent(_ content: Row.Content) throws(Rejection) {
        try checkTitle(content.title, field: "title")
        let fields = content.fields
        guard fields.count <= limits.fields else {
            throw .tooLarge("fields", fields.count, limit: limits.fields, field: "fields")
        }
        // JSON parsers and dictionaries of many languages, ours among them, take keys for one that
        // differ only in Unicode normalisation: such a row could not travel.
        guard fields.count < 2 || Set(fields.map(\.key.text)).count == fields.count else {
            throw Rejection(
                .duplicate, "Two field keys differ in their Unicode normalisation only.",
                field: "fields")
        }
        for field in fields where field.value.hasNUL {
            throw Rejection(
                .badValue, "Field \"\(field.key.text)\" cannot hold a NUL.", field: "fields")
        }
        guard content.byteCount <= limits.rowBytes else {
            throw .tooLarge("row bytes", content.byteCount, limit: limits.rowBytes, field: "fields")
        }
    }

    func checkHeight(_ points: Double, field: String) throws(Rejection) {
        guard points.isFinite, points > 0, points <= limits.heightPoints else {
            throw Rejection(
                .badNumber, "A height is above 0 and at most 1,000,000 points.", field: field)
        }
    }

    func checkKind(_ kind: Kind) throws(Rejection) {
        do throws(Rejection) {
            try checkID(kind.id, field: "id")
            try checkHeight(kind.heightPoints, field: "height")
            for margin in [kind.margins.text, kind.margins.bottom] {
                try checkLength(margin, field: "margins")
            }
            try checkStates(of: kind)
            for (group, field) in [(kind.leading, "leading"), (kind.trailing, "trailing")] {
                if let group { try checkGroup(group, of: kind, field: field) }
            }
            try checkEffects(kind.tap, of: kind, field: "tap")
        } catch {
            var rejection = error
            rejection.field = "kinds.\(kind.id.text).\(error.field ?? "")"
            throw rejection
        }
    }

    /// Zero or more points.
    func checkLength(_ points: Double, field: String) throws(Rejection) {
        guard points.isFinite, points >= 0, points <= limits.heightPoints else {
            throw Rejection(
                .badNumber, "A length is at least 0 and at most 1,000,000 points.", field: field)
        }
    }

    private func checkStates(of kind: Kind) throws(Rejection) {
        guard !kind.states.isEmpty else {
            throw Rejection(.badValue, "A kind has at least one state.", field: "states")
        }
        try checkDistinct(kind.states.map { ID($0.expansion.text) }, field: "states")
        for state in kind.states {
            guard case .named(let name, let height) = state else { continue }
            try checkID(name, field: "states")
            guard case .named = Expansion(name.text), name.text != "toggle" else {
                throw Rejection(
                    .badValue, "A state cannot be named \"\(name.text)\".", field: "states")
            }
            try checkHeight(height, field: "states")
        }
        if case .height(let points) = kind.initial {
            try checkHeight(points, field: "initial")
        } else if !kind.has(kind.initial) {
            throw Rejection(
                .noSuchState, "\"\(kind.initial.text)\" is not among the states.",
                field: "initial")
        }
    }
}

extension String {
    /// Whether there is a NUL in it.
    var hasNUL: Bool {
        var copy = self
        return copy.withUTF8 { bytes in
            var found: UInt8 = 0
            // To the end, whatever comes: so many bytes are looked at together.
            for byte in bytes { found |= byte == 0 ? 1 : 0 }
            return found != 0
        }
    }
}

extension ID {
    /// 1…`idBytes` bytes and no control characters, so that an id can stand in a line of text.
    public func check(limits: Limits, field: String) throws(Rejection) {
        guard byteCount <= limits.idBytes else {
            throw .tooLarge("id bytes", byteCount, limit: limits.idBytes, field: field)
        }
        // Those above 127 too: to some terminals U+009B is the start of a command.
        guard byteCount > 0,
            text.unicodeScalars.allSatisfy({ $0.value >= 32 && !(127...159).contains($0.value) })
        else {
            throw Rejection(
                .badID, "An id is not empty and has no control characters.", field: field)
        }
    }

    /// A table's name stands in topics, which end in a slash: it has none itself.
    public func checkTableName(limits: Limits) throws(Rejection) {
        do throws(Rejection) {
            try check(limits: limits, field: "table")
        } catch {
            throw Rejection(
                error.code == .badID ? .badName : error.code, error.message,
                field: "table")
        }
        guard !text.utf8.contains(UInt8(ascii: "/")) else {
            throw Rejection(.badName, "A table's name has no slash.", field: "table")
        }
    }
}
