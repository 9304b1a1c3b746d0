public import StrictYAML
public import TableModel

// The parts of a kinds file below `leading`, `trailing` and `tap`.

extension KindsFile {
    enum GroupKey: String, CaseIterable {
        case style, width, spacing, insets, compatible, fullSwipe, background, gap, actions
    }

    static func group(_ value: Value) throws(Fault) -> ActionGroup {
        let fields = try value.fields(GroupKey.self)
        var group = ActionGroup()
        group.look = try look(fields[.style], fields[.width], fields[.spacing], fields[.insets])
        group.isCompatible = try fields[.compatible]?.bool() ?? group.isCompatible
        group.hasFullSwipe = try fields[.fullSwipe]?.bool() ?? group.hasFullSwipe
        group.background = try fields[.background]?.string()
        group.gapPoints = try fields[.gap]?.double()
        group.actions = try fields[.actions]?.list(action) ?? []
        return group
    }

    enum ActionKey: String, CaseIterable {
        case id, title, role, icon, background, foreground, style, width, spacing, insets, face
        case hidesWhenSelected, confirm, `repeat`, when, unless, effect
    }

    private static func action(_ value: Value) throws(Fault) -> Action {
        try action(try value.fields(ActionKey.self))
    }

    static func action(_ fields: Fields<ActionKey>) throws(Fault) -> Action {
        var action = Action(try fields.required(.id).string().id)
        action.title = try fields[.title]?.string() ?? ""
        action.role = try fields[.role]?.word() ?? action.role
        action.icon = try fields[.icon]?.string()
        action.background = try fields[.background]?.string()
        action.foreground = try fields[.foreground]?.string()
        action.look = try look(fields[.style], fields[.width], fields[.spacing], fields[.insets])
        action.face = try fields[.face].map(face)
        action.hidesWhenSelected =
            try fields[.hidesWhenSelected]?.bool() ?? action.hidesWhenSelected
        action.asksToConfirm = try fields[.confirm]?.bool() ?? action.asksToConfirm
        action.repeats = try fields[.repeat]?.bool() ?? action.repeats
        action.guarded = try guarded(fields[.when], fields[.unless])
        action.effects = try fields[.effect].map(effects) ?? []
        return action
    }

    private static func guarded(_ when: Value?, _ unless: Value?) throws(Fault) -> Action.Guard? {
        guard let when else {
            if let unless {
                throw unless.fault("`unless` says why a press is refused: `when` is missing")
            }
            return nil
        }
        let text = try when.string()
        let guarded = Action.Guard(when: text, unless: try unless?.string())
        if let fault = guarded.fault { throw when.fault(fault.sentence(in: text)) }
        return guarded
    }

    static func look(
        _ style: Value?, _ width: Value?, _ spacing: Value?, _ insets: Value?
    ) throws(Fault) -> Look {
        var look = Look()
        look.style = try style?.word()
        look.width = try width.map(self.width)
        look.spacingPoints = try spacing?.double()
        look.insets = try insets.map(self.insets)
        return look
    }

    private static func width(_ value: Value) throws(Fault) -> Look.Width {
        if let word = try? value.string(), word == "intrinsic" { return .intrinsic }
        if let word = try? value.string(), word == "face" { return .face }
        guard let points = try? value.double() else {
            throw value.expected("a number of points, intrinsic or face")
        }
        return .points(points)
    }

    static func insets(_ value: Value) throws(Fault) -> Look.Insets {
        let sides = try value.list { side throws(Fault) in try side.double() }
        guard sides.count == 4 else {
            throw value.fault("expected [top, left, bottom, right], found \(sides.count) numbers")
        }
        return Look.Insets(top: sides[0], left: sides[1], bottom: sides[2], right: sides[3])
    }

    enum RowActionsKey: String, CaseIterable { case leading, trailing }

    /// Reads the file of `trestle set T ROW --actions FILE`: `leading`, `trailing` or both, each as
    /// in a kind. `name` is the file's name, for faults.
    public static func rowActions(_ text: String, name: String) throws(Fault) -> RowActions {
        try rowActions(try Value(text, file: name))
    }

    static func rowActions(_ value: Value) throws(Fault) -> RowActions {
        let fields = try value.fields(RowActionsKey.self)
        return RowActions(
            leading: try fields[.leading].map(group), trailing: try fields[.trailing].map(group))
    }

    static func draft(_ actions: RowActions) -> Draft {
        var out = Keys<RowActionsKey>()
        out[.leading] = actions.leading.map(draft)
        out[.trailing] = actions.trailing.map(draft)
        return out.draft
    }

    // MARK: Effects

    enum EffectKey: String, CaseIterable {
        case remove, move, set, unset, fill, increment, kind, expand, invoke, group, removeItem,
            setItem
        case snooze
    }

    /// One effect, or a list of them.
    static func effects(_ value: Value) throws(Fault) -> [Effect] {
        value.isList ? try value.list(effect) : [try effect(value)]
    }

    private static func effect(_ value: Value) throws(Fault) -> Effect {
        let (key, value) = try value.fields(EffectKey.self).one(of: EffectKey.allCases)
        switch key {
        case .remove:
            try expectTrue(value)
            return .remove
        case .move: return try move(value)
        case .set: return .set(try texts(value))
        case .fill: return .fill(try texts(value))
        case .increment: return .increment(try increments(value))
        case .removeItem:
            try expectTrue(value)
            return .removeItem
        case .setItem: return .setItem(try texts(value))
        case .unset: return .unset(Set(try ids(value)).sorted())
        case .kind: return .kind(try value.string().id)
        case .group: return .group(try effects(value))
        case .snooze: return try snooze(value)
        case .expand:
            let state = try expansion(value)
            return state == .named("toggle") ? .toggle : .expand(state)
        case .invoke:
            let fields = try value.fields(InvokeKey.self)
            return .invoke(
                deadlineSeconds: try duration(fields.required(.deadline)),
                then: try fields[.then].map(effects) ?? [],
                retries: Retries(
                    attempts: try fields[.attempts]?.integer(in: 1...Retries.mostAttempts),
                    backoffSeconds: try fields[.backoff].map(duration) ?? Retries.firstPauseSeconds,
                    otherwise: try fields[.else].map(effects) ?? []))
        }
    }

    private static func texts(_ value: Value) throws(Fault) -> [Row.Field] {
        var fields: [Row.Field] = []
        for (key, value) in try value.entries() {
            fields.append(Row.Field(ID(key), try value.string()))
        }
        try checkKeys(fields.map(\.key), of: value)
        return fields.sorted { $0.key < $1.key }
    }

    private static func increments(_ value: Value) throws(Fault) -> [Effect.Increment] {
        var all: [Effect.Increment] = []
        for (key, value) in try value.entries() {
            guard let by = Int64(exactly: try value.double()) else {
                throw value.expected("a whole number")
            }
            all.append(Effect.Increment(ID(key), by: by))
        }
        try checkKeys(all.map(\.key), of: value)
        return all.sorted { $0.key < $1.key }
    }

    /// Keys are sent in a map, which would take two such keys for one.
    private static func checkKeys(_ keys: [ID], of value: Value) throws(Fault) {
        guard Set(keys.map(\.text)).count == keys.count else {
            throw value.fault("two keys differ in their Unicode normalisation only")
        }
    }

    enum TapKey: String, CaseIterable { case effect, `repeat` }

    /// The `tap` of a kind: effects, or in a mapping of their own whether they may be done again at once.
    static func kindTap(_ value: Value?) throws(Fault) -> (effects: [Effect], repeats: Bool) {
        guard let value else { return ([], false) }
        guard value.isMapping,
            try value.entries().contains(where: { TapKey(rawValue: $0.key) != nil })
        else { return (try effects(value), false) }
        let fields = try value.fields(TapKey.self)
        return (try effects(try fields.required(.effect)), try fields[.repeat]?.bool() ?? false)
    }

    static func draft(tap effects: [Effect], repeats: Bool) -> Draft {
        let list = Draft.list(effects.map(draft))
        if !repeats { return list }
        var out = Keys<TapKey>()
        out[.effect] = list
        out[.repeat] = .flag(true)
        return out.draft
    }

    /// Reads what `--tap` says: one effect or a list of them, as in a kind.
    public static func tap(_ text: String) throws(Fault) -> [Effect] {
        try effects(try Value(text, file: "--tap"))
    }

    enum InvokeKey: String, CaseIterable { case deadline, attempts, backoff, then, `else` }

    /// A number of seconds, or a duration such as `30s`.
    private static func duration(_ value: Value) throws(Fault) -> Double {
        if let text = try? value.string(), let seconds = seconds(ofDuration: text) {
            return seconds
        }
        guard let seconds = try? value.double() else {
            throw value.expected("a number of seconds, or a duration such as 30s")
        }
        return seconds
    }

    enum SnoozeKey: String, CaseIterable {
        case duration = "for"
        case wake
    }

    /// A duration, or a map of it and of where the row comes to then.
    private static func snooze(_ value: Value) throws(Fault) -> Effect {
        guard value.isMapping else {
            return .snooze(milliseconds: try milliseconds(value), isToTop: false)
        }
        let fields = try value.fields(SnoozeKey.self)
        let wake = try fields[.wake]?.string() ?? "place"
        guard ["place", "top"].contains(wake) else {
            throw (fields[.wake] ?? value).expected("place or top")
        }
        let milliseconds = try milliseconds(try fields.required(.duration))
        return .snooze(milliseconds: milliseconds, isToTop: wake == "top")
    }

    private static func milliseconds(_ value: Value) throws(Fault) -> UInt64 {
        let seconds = try duration(value)
        guard let milliseconds = UInt64(exactly: (seconds * 1_000).rounded()) else {
            throw value.expected("a duration such as 10m")
        }
        return milliseconds
    }

    enum MoveKey: String, CaseIterable { case section, top, bottom, before, after }

    private static func move(_ value: Value) throws(Fault) -> Effect {
        if let word = try? value.string() {
            if word == "back" { return .moveBack }
            throw value.expected("a place, or back")
        }
        let fields = try value.fields(MoveKey.self)
        let section = try fields[.section]?.string().id
        let (key, value) = try fields.one(of: [.top, .bottom, .before, .after])
        switch key {
        case .before: return .move(section: section, .before(try value.string().id))
        case .after: return .move(section: section, .after(try value.string().id))
        default:
            try expectTrue(value)
            return .move(section: section, key == .top ? .top : .bottom)
        }
    }

    private static func expectTrue(_ value: Value) throws(Fault) {
        guard let flag = try? value.bool(), flag else { throw value.expected("true") }
    }
}

extension String {
    /// For chains such as `try value?.string().id`.
    var id: ID { ID(self) }
}
