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
        guard content.fields.count <= limits.fields else {
            throw .tooLarge("fields", content.fields.count, limit: limits.fields, field: "fields")
        }
        // JSON parsers and dictionaries of many languages, ours among them, take keys for one that
        // differ only in Unicode normalisation: such a row could not travel.
        let keys = content.fields.count
        guard keys < 2 || Set(content.fields.map(\.key.text)).count == keys else {
            throw Rejection(
                .duplicate, "Two field keys differ in their Unicode normalisation only.",
                field: "fields")
        }
        for field in content.fields where field.value.hasNUL {
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
                if let group { try checkGroup(group, field: field) }
            }
            for effect in kind.tap { try checkEffect(effect, of: kind, field: "tap") }
            for action in (kind.leading?.actions ?? []) + (kind.trailing?.actions ?? []) {
                for effect in action.effects {
                    try checkEffect(effect, of: kind, field: "\(action.id.text).effect")
                }
            }
        } catch {
            var rejection = error
            rejection.field = "kinds.\(kind.id.text).\(error.field ?? "")"
            throw rejection
        }
    }

    /// Zero or more points.
    private func checkLength(_ points: Double, field: String) throws(Rejection) {
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

    private func checkGroup(_ group: ActionGroup, field: String) throws(Rejection) {
        guard group.actions.count <= limits.actions else {
            throw .tooLarge("actions", group.actions.count, limit: limits.actions, field: field)
        }
        try checkDistinct(group.actions.map(\.id), field: field)
        try checkLook(group.look, field: field)
        for action in group.actions {
            let field = "\(field).\(action.id.text)"
            try checkID(action.id, field: field)
            try checkTitle(action.title, field: field)
            try checkLook(action.look, field: field)
            guard let face = action.face else { continue }
            guard face.depth <= limits.faceDepth else {
                throw .tooLarge(
                    "levels of a face", face.depth, limit: limits.faceDepth, field: field)
            }
            try checkFace(face, field: field)
        }
    }

    /// A face that cannot be built is an error at definition time (A5).
    private func checkFace(_ face: Face, field: String) throws(Rejection) {
        var numbers = [face.sizePoints ?? 0, face.spacingPoints ?? 0]
        if let insets = face.insets {
            numbers += [insets.top, insets.left, insets.bottom, insets.right]
        }
        if case .spacer(let points) = face.content { numbers.append(points) }
        try checkNumbers(numbers, field: field)
        switch face.content {
        case .vertical(let parts), .horizontal(let parts):
            for part in parts { try checkFace(part, field: field) }
        case .icon, .text, .spacer: return
        }
    }

    private func checkNumbers(_ numbers: [Double], field: String) throws(Rejection) {
        for number in numbers where !number.isFinite || abs(number) > limits.heightPoints {
            throw Rejection(.badNumber, "A number is out of range.", field: field)
        }
    }

    private func checkLook(_ look: Look, field: String) throws(Rejection) {
        var numbers = [look.spacingPoints ?? 0]
        if case .points(let width) = look.width { numbers.append(width) }
        if let insets = look.insets {
            numbers += [insets.top, insets.left, insets.bottom, insets.right]
        }
        try checkNumbers(numbers, field: field)
    }

    private func checkEffect(
        _ effect: Effect, of kind: Kind, field: String
    ) throws(Rejection) {
        switch effect {
        case .remove, .toggle: return
        case .move(let section, let anchor):
            if let section { try checkID(section, field: field) }
            if let row = anchor.row { try checkID(row, field: field) }
        case .set(let fields):
            do throws(Rejection) {
                try checkContent(Row.Content(fields: fields))
            } catch {
                throw Rejection(error.code, error.message, field: field)
            }
            for item in fields { try checkID(item.key, field: field) }
        case .expand(.height(let points)): try checkHeight(points, field: field)
        case .expand(let state):
            guard kind.has(state) else {
                throw Rejection(
                    .noSuchState, "\"\(state.text)\" is not among the states.", field: field)
            }
        case .invoke(let deadline):
            guard deadline.isFinite, deadline > 0, deadline <= 86_400 else {
                throw Rejection(
                    .badNumber, "A deadline is above 0 and at most 86,400 seconds.", field: field)
            }
        }
    }
}

extension String {
    /// Whether there is a NUL in it.
    fileprivate var hasNUL: Bool {
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
