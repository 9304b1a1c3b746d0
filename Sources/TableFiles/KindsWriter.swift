import StrictYAML
public import TableModel

extension KindsFile {
    /// The file in YAML, with every value that is set. The kinds are in the order given: a table's
    /// kinds have none.
    ///
    /// Reading the file gives the same kinds and settings, except for a U+FEFF at the beginning of
    /// a text: libyaml drops it. `json` keeps it.
    public static func write(kinds: [Kind], settings: Settings?) -> String {
        draft(kinds: kinds, settings: settings).yaml
    }

    /// The file as one JSON document, in one line.
    public static func json(kinds: [Kind], settings: Settings?) -> String {
        draft(kinds: kinds, settings: settings).json
    }

    static func draft(kinds: [Kind], settings: Settings?) -> Draft {
        var out = Keys<TopKey>()
        out[.kinds] = .mapping(kinds.map { ($0.id.text, draft($0)) })
        if let settings {
            out[.faces] = draft(settings.faces)
            var table = Keys<SettingsKey>()
            table[.swipePolicy] = .text(settings.swipePolicy.rawValue)
            table[.swipeScope] = .text(settings.swipeScope.rawValue)
            table[.expandPolicy] = .text(settings.expandPolicy.rawValue)
            table[.scrollScope] = .text(settings.scrollScope.rawValue)
            if settings.expandScope != .shared {
                table[.expandScope] = .text(settings.expandScope.rawValue)
            }
            if settings.selection != .none {
                table[.selection] = .text(settings.selection.rawValue)
            }
            (table[.style], table[.width], table[.spacing], table[.insets]) = draft(settings.look)
            table[.motion] = draft(settings.motion)
            if !settings.alerts.isEmpty { table[.alerts] = .list(settings.alerts.map(draft)) }
            out[.table] = table.draft
        }
        return out.draft
    }

    private static func draft(_ kind: Kind) -> Draft {
        var out = Keys<KindKey>()
        out[.height] = .number(kind.heightPoints)
        out[.layout] = .text(kind.layout.rawValue)
        out[.margins] = .mapping([
            (MarginsKey.text.rawValue, .number(kind.margins.text)),
            (MarginsKey.bottom.rawValue, .number(kind.margins.bottom)),
        ])
        out[.states] = draft(kind.states)
        out[.initial] = .text(kind.initial.text)
        out[.strip] = .flag(kind.isStrip)
        out[.canMove] = .flag(kind.canMove)
        out[.canDelete] = .flag(kind.canDelete)
        out[.pinned] = .flag(kind.isPinned)
        out[.ages] = kind.ages.map { ages in
            var out = Keys<AgesKey>()
            out[.warn] = ages.warnSeconds.map(Draft.integer)
            out[.late] = ages.lateSeconds.map(Draft.integer)
            if !ages.sections.isEmpty { out[.in] = .list(ages.sections.map { .text($0.text) }) }
            if ages.since != .made { out[.since] = .text(ages.since.rawValue) }
            return out.draft
        }
        out[.tap] = draft(tap: kind.tap, repeats: kind.tapRepeats)
        out[.leading] = kind.leading.map(draft)
        out[.trailing] = kind.trailing.map(draft)
        if !kind.appearances.isEmpty { out[.appearance] = draft(kind.appearances) }
        if kind.isStrip || kind.spacingPoints != Kind.defaultSpacingPoints {
            out[.spacing] = .number(kind.spacingPoints)
        }
        if kind.isStrip || kind.page != .none { out[.page] = .text(kind.page.rawValue) }
        if !kind.itemKinds.isEmpty { out[.items] = draft(kind.itemKinds) }
        if kind.editingStyle != .delete { out[.editingStyle] = .text(kind.editingStyle.rawValue) }
        if kind.show != Kind.Show() { out[.show] = draft(kind.show) }
        if !kind.emphasis.isEmpty { out[.emphasis] = .list(kind.emphasis.map(draft)) }
        if !kind.form.isEmpty { out[.form] = .list(kind.form.map { .text($0.text) }) }
        return out.draft
    }

    static func draft(_ states: [Kind.State]) -> Draft { .list(states.map(draft)) }

    private static func draft(_ state: Kind.State) -> Draft {
        guard case .named(let name, let height) = state else { return .text(state.expansion.text) }
        var out = Keys<StateKey>()
        out[.name] = .text(name.text)
        out[.height] = .number(height)
        return out.draft
    }

    static func draft(_ group: ActionGroup) -> Draft {
        var out = Keys<GroupKey>()
        (out[.style], out[.width], out[.spacing], out[.insets]) = draft(group.look)
        out[.compatible] = .flag(group.isCompatible)
        out[.fullSwipe] = .flag(group.hasFullSwipe)
        out[.background] = group.background.map(Draft.text)
        out[.gap] = group.gapPoints.map(Draft.number)
        out[.actions] = .list(group.actions.map(draft))
        return out.draft
    }

    private static func draft(_ action: Action) -> Draft { draft(action, isOfMenu: false) }

    /// An action of a menu is no button: it says nothing of a look.
    static func draft(_ action: Action, isOfMenu: Bool) -> Draft {
        var out = Keys<ActionKey>()
        out[.id] = .text(action.id.text)
        out[.title] = .text(action.title)
        out[.role] = .text(action.role.rawValue)
        out[.icon] = action.icon.map(Draft.text)
        out[.background] = action.background.map(Draft.text)
        out[.foreground] = action.foreground.map(Draft.text)
        if !isOfMenu {
            (out[.style], out[.width], out[.spacing], out[.insets]) = draft(action.look)
            out[.face] = action.face.map(draft)
            out[.hidesWhenSelected] = .flag(action.hidesWhenSelected)
        }
        out[.confirm] = .flag(action.asksToConfirm)
        if action.repeats { out[.repeat] = .flag(true) }
        out[.when] = action.guarded.map { .text($0.when) }
        out[.unless] = action.guarded?.unless.map(Draft.text)
        out[.effect] = .list(action.effects.map(draft))
        return out.draft
    }

    private static func draft(_ look: Look) -> (Draft?, Draft?, Draft?, Draft?) {
        let width: Draft? = look.width.map {
            switch $0 {
            case .points(let points): .number(points)
            case .intrinsic: .text("intrinsic")
            case .face: .text("face")
            }
        }
        return (
            look.style.map { .text($0.rawValue) }, width, look.spacingPoints.map(Draft.number),
            look.insets.map(draft)
        )
    }

    static func draft(_ insets: Look.Insets) -> Draft {
        .list([insets.top, insets.left, insets.bottom, insets.right].map(Draft.number))
    }

    static func draft(_ effect: Effect) -> Draft {
        var out = Keys<EffectKey>()
        switch effect {
        case .remove: out[.remove] = .flag(true)
        case .move(let section, let anchor): out[.move] = draft(section, anchor)
        case .set(let fields):
            out[.set] = .mapping(fields.map { ($0.key.text, .text($0.value)) })
        case .fill(let fields):
            out[.fill] = .mapping(fields.map { ($0.key.text, .text($0.value)) })
        case .increment(let increments):
            out[.increment] = .mapping(increments.map { ($0.key.text, .number(Double($0.by))) })
        case .removeItem: out[.removeItem] = .flag(true)
        case .setItem(let fields):
            out[.setItem] = .mapping(fields.map { ($0.key.text, .text($0.value)) })
        case .unset(let keys): out[.unset] = .list(keys.map { .text($0.text) })
        case .kind(let kind): out[.kind] = .text(kind.text)
        case .moveBack: out[.move] = .text("back")
        case .group(let effects): out[.group] = .list(effects.map(draft))
        case .snooze(let milliseconds, let isToTop):
            let seconds = Draft.number(Double(milliseconds) / 1_000)
            if isToTop {
                var snooze = Keys<SnoozeKey>()
                (snooze[.duration], snooze[.wake]) = (seconds, .text("top"))
                out[.snooze] = snooze.draft
            } else {
                out[.snooze] = seconds
            }
        case .toggle: out[.expand] = .text("toggle")
        case .expand(let state): out[.expand] = .text(state.text)
        case .invoke(let deadline, let then, let retries):
            var invoke = Keys<InvokeKey>()
            invoke[.deadline] = .number(deadline)
            invoke[.attempts] = retries.attempts.map { .number(Double($0)) }
            if retries.attempts != nil || retries.backoffSeconds != Retries.firstPauseSeconds {
                invoke[.backoff] = .number(retries.backoffSeconds)
            }
            if !then.isEmpty { invoke[.then] = .list(then.map(draft)) }
            if !retries.otherwise.isEmpty { invoke[.else] = .list(retries.otherwise.map(draft)) }
            out[.invoke] = invoke.draft
        }
        return out.draft
    }

    private static func draft(_ section: SectionID?, _ anchor: Anchor) -> Draft {
        var out = Keys<MoveKey>()
        out[.section] = section.map { .text($0.text) }
        switch anchor {
        case .top: out[.top] = .flag(true)
        case .bottom: out[.bottom] = .flag(true)
        case .before(let row): out[.before] = .text(row.text)
        case .after(let row): out[.after] = .text(row.text)
        }
        return out.draft
    }
}

/// A mapping to write, in the order in which its keys are declared; nil leaves a key out.
struct Keys<Key: FieldKey> {
    private var values: [Key: Draft] = [:]

    subscript(key: Key) -> Draft? {
        get { values[key] }
        set { values[key] = newValue }
    }

    var draft: Draft {
        .mapping(Key.allCases.compactMap { key in values[key].map { (key.rawValue, $0) } })
    }
}
