public import TableModel

// Checks of swipe actions, faces and effects. What cannot be built is refused at its definition, by
// name and field (design rule A5).

extension Decision {
    /// A row's own actions. Their states are checked when they are performed, since the row's kind
    /// may change.
    func checkActions(_ actions: RowActions) throws(Rejection) {
        try bound(
            "bytes of a row's actions", actions.byteCount, by: limits.rowBytes, field: "actions")
        for (group, field) in [(actions.leading, "leading"), (actions.trailing, "trailing")] {
            if let group { try checkGroup(group, of: nil, field: "actions.\(field)") }
        }
    }

    /// `hasItem`: its actions are those of an item.
    func checkGroup(
        _ group: ActionGroup, of kind: Kind?, hasItem: Bool = false, field: String
    ) throws(Rejection) {
        try bound("actions", group.actions.count, by: limits.actions, field: field)
        try checkDistinct(group.actions.map(\.id), field: field)
        try checkLook(group.look, field: field)
        try checkColor(group.background, field: "\(field).background")
        try checkNumber(group.gapPoints, from: 0, field: "\(field).gap")
        for action in group.actions {
            let field = "\(field).\(action.id.text)"
            try checkID(action.id, field: field)
            do throws(Rejection) {
                try checkTitle(action.title, field: "title")
                try checkLook(action.look, field: nil)
                try checkIcon(action.icon, field: "icon")
                try checkColor(action.background, field: "background")
                try checkColor(action.foreground, field: "foreground")
                if let face = action.face { try checkWhole(face, field: "face") }
                if let guarded = action.guarded { try check(guarded) }
                try checkEffects(action.effects, of: kind, hasItem: hasItem, field: "effect")
            } catch { throw error.below(field) }
        }
    }

    private func check(_ guarded: Action.Guard) throws(Rejection) {
        try checkTitle(guarded.when, field: "when")
        if let unless = guarded.unless { try checkTitle(unless, field: "unless") }
        if let fault = guarded.fault {
            throw Rejection(
                .badValue, "At \(fault.offset) of `\(guarded.when)`: \(fault.message).",
                field: "when")
        }
        // It would never hold, or always.
        if !keepsOld, let text = guarded.condition?.wrongClockTime {
            throw Rejection(
                .badValue, "\"\(text)\" is no time of day: 00:00 to 23:59 are.", field: "when")
        }
    }

    /// Widths and spacings may be any finite number. Rules A2 and A12 define negative ones.
    func checkLook(_ look: Look, field: String?) throws(Rejection) {
        let prefix = field.map { "\($0)." } ?? ""
        if case .points(let width) = look.width {
            try checkNumber(width, from: -limits.heightPoints, field: prefix + "width")
        }
        try checkNumber(look.spacingPoints, from: -limits.heightPoints, field: prefix + "spacing")
        try checkInsets(look.insets, field: prefix + "insets")
    }

    // MARK: Faces

    func checkWhole(_ face: Face, field: String) throws(Rejection) {
        try bound("levels of a face", face.depth, by: limits.faceDepth, field: field)
        let size = face.byteCount
        try bound("bytes of a face", size, by: limits.faceBytes, field: field)
        try checkPart(face, field: field)
    }

    private func checkPart(_ face: Face, field: String) throws(Rejection) {
        if let size = face.sizePoints, !(size > 0) {
            throw Rejection(.badNumber, "A size is above 0.", field: "\(field).size")
        }
        try checkNumber(face.sizePoints, from: 0, field: "\(field).size")
        try checkNumber(face.spacingPoints, from: 0, field: "\(field).spacing")
        try checkInsets(face.insets, field: "\(field).insets")
        try checkColor(face.color, field: "\(field).color")
        try checkWord(face.weight, Face.weights, field: "\(field).weight")
        try checkWord(face.align, Face.alignments, field: "\(field).align")
        try checkFamilies(face.families, field: "\(field).family")
        switch face.content {
        case .vertical(let parts): try checkStack(parts, field: "\(field).vertical")
        case .horizontal(let parts): try checkStack(parts, field: "\(field).horizontal")
        case .icon(let name): try checkIcon(name, field: "\(field).icon")
        case .text(let text): try checkFaceText(text, field: "\(field).text")
        case .spacer(let points): try checkNumber(points, from: 0, field: "\(field).spacer")
        case .image(let image): try checkImage(image, field: "\(field).image")
        case .shared(let name): try checkShared(name, field: "\(field).face")
        }
    }

    private func checkStack(_ parts: [Face], field: String) throws(Rejection) {
        guard !parts.isEmpty || keepsOld else {
            throw Rejection(.badValue, "A stack has at least one part.", field: field)
        }
        for (index, part) in parts.enumerated() { try checkPart(part, field: "\(field)[\(index)]") }
    }

    private func checkNumber(
        _ number: Double?, from least: Double, field: String
    ) throws(Rejection) {
        guard let number else { return }
        guard number.isFinite, number >= least, number <= limits.heightPoints else {
            throw Rejection(.badNumber, "The number is out of range.", field: field)
        }
    }

    private func checkInsets(_ insets: Look.Insets?, field: String) throws(Rejection) {
        guard let insets else { return }
        for side in [insets.top, insets.left, insets.bottom, insets.right] {
            try checkNumber(side, from: 0, field: field)
        }
    }

    func checkColor(_ text: String?, field: String) throws(Rejection) {
        guard let text, Color(text) == nil else { return }
        throw Rejection(
            .badValue, "A colour is #rgb, #rrggbb, one with alpha, or a name such as red.",
            field: field)
    }

    /// One of `IconName` (F4).
    private func checkIcon(_ name: String?, field: String) throws(Rejection) {
        guard let name, IconName.canonical(name) == nil else { return }
        if isOld({ $0.content == .icon(name) || $1 == name }) { return }
        throw Rejection(
            .badValue, "There is no such icon: `trestle kinds --icons` lists their names.",
            field: field)
    }

    private func checkWord(_ word: String?, _ words: [String], field: String) throws(Rejection) {
        guard let word, !words.contains(word) else { return }
        throw Rejection(.badValue, "One of: \(words.joined(separator: ", ")).", field: field)
    }

    // MARK: Effects

    /// The effects of an action or a tap. `kind` is nil if it may change. `hasItem`: of an item.
    func checkEffects(
        _ effects: [Effect], of kind: Kind?, hasItem: Bool = false, field: String
    ) throws(Rejection) {
        try bound("effects", effects.count, by: limits.actions, field: field)
        for (index, effect) in effects.enumerated() {
            let field = effects.count > 1 ? "\(field)[\(index)]" : field
            try checkEffect(effect, of: kind, hasItem: hasItem, field: field)
            if effect == .removeItem, effects[(index + 1)...].contains(where: \.changesItem) {
                throw Rejection(
                    .badValue, "Nothing can be done to an item after it is removed.", field: field)
            }
            if effect.removesRow, index + 1 < effects.count, !effects[index + 1].isInvoke {
                throw Rejection(
                    .badValue, "Nothing can be done to a row after it is removed.", field: field)
            }
        }
        if effects.count(where: \.isInvoke) > 1 {
            throw Rejection(.duplicate, "An action can start only one invocation.", field: field)
        }
    }

    private func checkEffect(
        _ effect: Effect, of kind: Kind?, hasItem: Bool, field: String
    ) throws(Rejection) {
        if effect.changesItem, !hasItem {
            throw Rejection(
                .badValue, "Only where an item is pressed can an effect change it.", field: field)
        }
        switch effect {
        case .remove, .toggle, .removeItem, .moveBack: return
        case .snooze(let milliseconds, _):
            try require(
                (1...limits.timeMs).contains(milliseconds), or: .badNumber,
                "A row sleeps for 1 ms at least, and until the year 9999 at most.", field: field)
        case .move(let section, let anchor):
            if let section {
                try checkID(section, field: field)
                try checkPlain(section, field: field)
            }
            if let row = anchor.row { try checkID(row, field: field) }
        case .set(let fields), .fill(let fields), .setItem(let fields):
            do throws(Rejection) {
                try checkContent(Row.Content(fields: fields))
            } catch {
                throw Rejection(error.code, error.message, field: field)
            }
            for item in fields { try checkID(item.key, field: field) }
            if case .fill = effect { try checkFill(fields, field: field) }
        case .unset(let keys):
            try bound("fields", keys.count, by: limits.fields, field: field)
            for key in keys { try checkID(key, field: "\(field).unset") }
        case .kind(let kind):
            try checkID(kind, field: "\(field).kind")
            guard isKnown(kind) else { throw .noKind(kind, field: "\(field).kind") }
        case .group(let effects): try checkGroupEffects(effects, field: "\(field).group")
        case .increment(let increments): try checkIncrements(increments, field: field)
        case .expand(.height(let points)): try checkHeight(points, field: field)
        case .expand(let state):
            try require(
                kind?.has(state) ?? true, or: .noSuchState,
                "\"\(state.text)\" is not among the states.", field: field)
        case .invoke(let deadline, let then, let retries):
            try require(
                deadline.isFinite && deadline > 0 && deadline <= limits.deadlineSeconds,
                or: .badNumber,
                "A deadline is above 0 and at most \(Int(limits.deadlineSeconds)) seconds.",
                field: "\(field).invoke.deadline")
            let field = "\(field).invoke"
            try checkRetries(retries, field: field)
            for (effects, key) in [(then, "then"), (retries.otherwise, "else")] {
                try require(
                    !effects.contains(where: \.isInvoke), or: .badValue,
                    "An invocation cannot start another.", field: "\(field).\(key)")
                try checkEffects(effects, of: kind, hasItem: hasItem, field: "\(field).\(key)")
            }
        }
    }
}

extension Decision {
    /// Attempts and pauses within their bounds.
    func checkRetries(_ retries: Retries, field: String) throws(Rejection) {
        if let attempts = retries.attempts, !(1...Retries.mostAttempts).contains(attempts) {
            throw Rejection(
                .badNumber, "Attempts are 1 to \(Retries.mostAttempts).",
                field: "\(field).attempts")
        }
        let backoff = retries.backoffSeconds
        try require(
            backoff.isFinite && backoff >= 0 && backoff <= limits.deadlineSeconds, or: .badNumber,
            "A backoff is 0 to \(Int(limits.deadlineSeconds)) seconds.", field: "\(field).backoff")
        try require(
            retries.attempts != nil || backoff == Retries.firstPauseSeconds, or: .badValue,
            "A backoff is a pause between attempts: say how many there are.",
            field: "\(field).backoff")
    }

    /// Refuses a section's id that was meant to be filled in: only `fill` does that.
    private func checkPlain(_ section: SectionID, field: String) throws(Rejection) {
        guard !keepsOld, let template = Template(section.text) else { return }
        for case .name(let name) in template.parts {
            throw Rejection(
                .badValue,
                "A move names one section, and \"{\(name)}\" is not filled in there: only `fill` has "
                    + "names in braces.", field: "\(field).move.section")
        }
    }
}

extension Effect {
    /// Whether it changes the item that was pressed, at once.
    fileprivate var changesItem: Bool { !isInvoke && isOfItem }

    /// Whether a handler is to complete it.
    public var isInvoke: Bool {
        if case .invoke = self { return true }
        return false
    }

    /// Whether it only opens or closes the row.
    var isExpansion: Bool {
        if case .expand = self { return true }
        if case .toggle = self { return true } else { return false }
    }

    /// Whether it moves the row.
    var isMove: Bool {
        if case .move = self { return true }
        if case .moveBack = self { return true } else { return false }
    }
}

extension Face {
    /// The values of `weight`, from light to heavy.
    public static let weights = [
        "thin", "light", "regular", "medium", "semibold", "bold", "heavy", "black",
    ]
    /// The values of `align`: where the parts of a stack are across its direction.
    public static let alignments = [
        "leading", "left", "top", "start", "center", "trailing", "right", "bottom", "end",
    ]

    /// Roughly its size as text: 16 for each part, plus its words.
    public var byteCount: Int {
        var size = 16
        for text in [weight, color, align] + families { size += text?.utf8.count ?? 0 }
        switch content {
        case .vertical(let parts), .horizontal(let parts):
            return parts.reduce(size) { $0 + $1.byteCount }
        case .icon(let text), .text(let text): return size + text.utf8.count
        case .shared(let name): return size + name.byteCount
        // An image has a bound of its own.
        case .spacer, .image: return size
        }
    }
}
