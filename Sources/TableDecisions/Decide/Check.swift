import TableModel

// Bounds of what a command may bring, beyond those that decoding checks.

extension Decision {
    /// A table, row, section, kind or field id: 1…`idBytes` bytes, no control characters.
    func checkID(_ id: ID, field: String) throws(Rejection) {
        // As nearly all are. The limits, which are large, are copied only for others.
        if id.withLetters({ $0.isPlainID(atMost: shared.limits.idBytes) }) { return }
        try id.check(limits: limits, field: field)
    }

    func checkDistinct(_ ids: some Collection<ID>, field: String) throws(Rejection) {
        try bound("ids in a command", ids.count, by: limits.batchCommands, field: field)
        if ids.count < 2 { return }
        var seen: Set<ID> = []
        for id in ids where !seen.insert(id).inserted {
            throw Rejection(.duplicate, "\"\(id.text)\" stands twice.", field: field)
        }
    }

    func checkTitle(_ title: String, field: String) throws(Rejection) {
        try checkTitle(byteCount: title.utf8.count, hasNUL: title.hasNUL, field: field)
    }

    private func checkTitle(byteCount: Int, hasNUL: Bool, field: String) throws(Rejection) {
        try bound("title bytes", byteCount, by: limits.titleBytes, field: field)
        try require(!hasNUL, or: .badValue, "A title cannot hold a NUL.", field: field)
    }

    func checkContent(_ content: Row.Content) throws(Rejection) {
        let (titleBytes, titleHasNUL) = content.withTexts { ($0.title.count, $0.title.hasNUL) }
        try checkTitle(byteCount: titleBytes, hasNUL: titleHasNUL, field: "title")
        let count = content.fieldCount
        try bound("fields", count, by: limits.fields, field: "fields")
        try checkKeys(of: content)
        var wrong: String?
        content.withTexts { texts in
            texts.forEachField { key, value in
                if wrong == nil, value.hasNUL { wrong = String(packed: key) }
            }
        }
        if let wrong {
            throw Rejection(.badValue, "Field \"\(wrong)\" cannot hold a NUL.", field: "fields")
        }
        try bound("row bytes", content.byteCount, by: limits.rowBytes, field: "fields")
    }

    /// JSON parsers and dictionaries of many languages, including ours, treat keys as equal if they
    /// differ only in Unicode normalisation. Such a row could not travel.
    private func checkKeys(of content: Row.Content) throws(Rejection) {
        // ASCII has one normal form, and no two keys have the same bytes.
        let isASCII = content.withTexts { texts in
            var bits: UInt8 = 0
            texts.forEachField { key, _ in for byte in key { bits |= byte } }
            return bits < 0x80
        }
        if isASCII { return }
        let fields = content.fields
        try require(
            Set(fields.map(\.key.text)).count == fields.count, or: .duplicate,
            "Two field keys differ only in their Unicode normalisation.", field: "fields")
    }

    func checkHeight(_ points: Double, field: String) throws(Rejection) {
        try require(
            points.isFinite && points > 0 && points <= limits.heightPoints, or: .badNumber,
            "A height is above 0 and at most 1,000,000 points.", field: field)
    }

    func checkKind(_ kind: Kind) throws(Rejection) {
        do throws(Rejection) {
            try checkID(kind.id, field: "id")
            try checkHeight(kind.heightPoints, field: "height")
            for margin in [kind.margins.text, kind.margins.bottom] {
                try checkLength(margin, field: "margins")
            }
            if let warn = kind.ages?.warnSeconds, let late = kind.ages?.lateSeconds, warn > late,
                !keepsOld
            {
                throw Rejection(
                    .badValue, "`warn` is after `late`: nobody would see it.", field: "ages.warn")
            }
            try checkStates(of: kind)
            try checkAppearances(of: kind)
            for (group, field) in [(kind.leading, "leading"), (kind.trailing, "trailing")] {
                if let group { try checkGroup(group, of: kind, field: field) }
            }
            try checkEffects(kind.tap, of: kind, hasItem: kind.isStrip, field: "tap")
            try checkItemKinds(of: kind)
            try checkShow(of: kind)
        } catch {
            var rejection = error
            rejection.field = "kinds.\(kind.id.text).\(error.field ?? "")"
            throw rejection
        }
    }

    /// Zero or more points.
    func checkLength(_ points: Double, field: String) throws(Rejection) {
        try require(
            points.isFinite && points >= 0 && points <= limits.heightPoints, or: .badNumber,
            "A length is at least 0 and at most 1,000,000 points.", field: field)
    }

    private func checkStates(of kind: Kind) throws(Rejection) {
        try require(
            !kind.states.isEmpty, or: .badValue, "A kind has at least one state.", field: "states")
        try checkStates(kind.states)
        if case .height(let points) = kind.initial {
            try checkHeight(points, field: "initial")
        } else if !kind.has(kind.initial) {
            throw Rejection(
                .noSuchState, "\"\(kind.initial.text)\" is not among the states.", field: "initial")
        }
    }

    /// Checks a list of states: distinct, with names and heights that can be.
    func checkStates(_ states: [Kind.State]) throws(Rejection) {
        try checkDistinct(states.map { ID($0.expansion.text) }, field: "states")
        for state in states {
            guard case .named(let name, let height) = state else { continue }
            try checkID(name, field: "states")
            guard case .named = Expansion(name.text), name.text != "toggle" else {
                throw Rejection(
                    .badValue, "A state cannot be named \"\(name.text)\".", field: "states")
            }
            try checkHeight(height, field: "states")
        }
    }
}

extension Row.Content {
    /// Whether all keys are ids that need no further look.
    func hasPlainKeys(atMost idBytes: Int) -> Bool {
        withTexts { texts in
            var arePlain = true
            texts.forEachField { key, _ in arePlain = arePlain && key.isPlainID(atMost: idBytes) }
            return arePlain
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether these are the bytes of an id that is in order (`ID.check`), and of printable ASCII.
    fileprivate func isPlainID(atMost idBytes: Int) -> Bool {
        !isEmpty && count <= idBytes && allSatisfy { (32..<127).contains($0) }
    }
}
