public import StrictYAML
public import TableModel

/// The file that `trestle define T FILE` reads and `trestle kinds T` writes: row kinds and the
/// table's settings, in YAML or JSON.
///
/// The code here checks only keys, words and the forms of numbers. `reduce` decides which heights,
/// states and actions are valid, and how a definition changes kinds that exist. For that, the
/// result says which keys the file names, also those without a value.
public enum KindsFile {
    /// The file's definitions, in order. `name` is the file's name, for faults.
    public static func parse(_ text: String, name: String) throws(Fault) -> Command.Definitions {
        try parse(try Value(text, file: name))
    }

    /// Reads a kinds file that stands in a larger document.
    static func parse(_ root: Value) throws(Fault) -> Command.Definitions {
        let fields = try root.fields(TopKey.self)
        var definitions = Command.Definitions()
        try readKinds(fields[.kinds]?.entries() ?? [], into: &definitions)
        if let table = fields[.table] {
            let fields = try table.fields(SettingsKey.self)
            definitions.settings = try settings(fields)
            definitions.partialSettings = try named(in: fields)
        }
        if let faces = fields[.faces] { try readFaces(faces, into: &definitions) }
        if fields[.kinds] == nil, fields[.table] == nil, fields[.faces] == nil {
            throw root.fault("expected `kinds`, `table`, `faces` or several of them")
        }
        return definitions
    }

    enum TopKey: String, CaseIterable { case faces, kinds, table }

    enum KindKey: String, CaseIterable {
        case height, layout, margins, states, initial, strip, canMove, canDelete, pinned, ages, tap
        case leading, trailing, appearance, spacing, page, items, editingStyle, show, emphasis, form
        case like
    }

    static func kind(_ id: KindID, _ value: Value) throws(Fault) -> (Kind, Kind.Named) {
        var kind = Kind(id)
        if value.isNull { return (kind, Kind.Named()) }
        let fields = try value.fields(KindKey.self)
        kind.heightPoints = try fields[.height]?.double() ?? kind.heightPoints
        kind.layout = try fields[.layout]?.word() ?? kind.layout
        kind.margins = try fields[.margins].map(margins) ?? kind.margins
        kind.states = try fields[.states].map(states) ?? kind.states
        kind.initial = try fields[.initial].map(expansion) ?? kind.initial
        kind.isStrip = try fields[.strip]?.bool() ?? kind.isStrip
        kind.canMove = try fields[.canMove]?.bool() ?? kind.canMove
        kind.canDelete = try fields[.canDelete]?.bool() ?? kind.canDelete
        kind.isPinned = try fields[.pinned]?.bool() ?? kind.isPinned
        kind.ages = try fields[.ages].map(ages)
        (kind.tap, kind.tapRepeats) = try kindTap(fields[.tap])
        kind.leading = try fields[.leading].map(group)
        kind.trailing = try fields[.trailing].map(group)
        kind.appearances = try fields[.appearance].map(appearances) ?? [:]
        kind.spacingPoints = try fields[.spacing]?.double() ?? kind.spacingPoints
        kind.page = try fields[.page]?.word() ?? kind.page
        kind.editingStyle = try fields[.editingStyle]?.word() ?? kind.editingStyle
        kind.show = try fields[.show].map(show) ?? kind.show
        kind.emphasis = try fields[.emphasis]?.list(emphasis) ?? []
        kind.form = try fields[.form].map(ids) ?? []
        var named = try named(in: fields)
        if let items = try fields[.items].map(itemKinds) {
            (kind.itemKinds, named.droppedItems) = items
        }
        return (kind, named)
    }

    enum MarginsKey: String, CaseIterable { case text, bottom }

    private static func margins(_ value: Value) throws(Fault) -> Kind.Margins {
        let fields = try value.fields(MarginsKey.self)
        var margins = Kind.Margins()
        margins.text = try fields[.text]?.double() ?? margins.text
        margins.bottom = try fields[.bottom]?.double() ?? margins.bottom
        return margins
    }

    enum StateKey: String, CaseIterable { case name, height }

    static func states(_ value: Value) throws(Fault) -> [Kind.State] {
        let states = try value.list(state)
        guard !states.isEmpty else {
            throw value.fault("a kind has at least one state: leave `states` out for the default")
        }
        return states
    }

    private static func state(_ value: Value) throws(Fault) -> Kind.State {
        if value.isMapping {
            let fields = try value.fields(StateKey.self)
            let name = try fields.required(.name).string()
            return .named(ID(name), heightPoints: try fields.required(.height).double())
        }
        switch try? value.string() {
        case "collapsed": return .collapsed
        case "expanded": return .expanded
        default: throw value.expected("collapsed, expanded or {name: …, height: …}")
        }
    }

    /// `collapsed`, `expanded`, a state's name, or a height in points.
    static func expansion(_ value: Value) throws(Fault) -> Expansion {
        let expansion = Expansion(try value.string())
        if case .height(let points) = expansion, !points.isFinite {
            throw value.expected("a state or a height")
        }
        return expansion
    }

    enum AgesKey: String, CaseIterable { case warn, late, `in`, since }

    private static func ages(_ value: Value) throws(Fault) -> Kind.Ages {
        let fields = try value.fields(AgesKey.self)
        var ages = Kind.Ages(
            warnSeconds: try fields[.warn].map(seconds), lateSeconds: try fields[.late].map(seconds)
        )
        ages.sections = try fields[.in].map(ids) ?? []
        ages.since = try fields[.since]?.word() ?? ages.since
        return ages
    }

    private static func seconds(_ value: Value) throws(Fault) -> UInt64 {
        do { return try value.integer(in: 0...UInt64.max) } catch {
            throw value.expected("a whole number of seconds")
        }
    }

    enum SettingsKey: String, CaseIterable {
        case swipePolicy, swipeScope, expandPolicy, expandScope, scrollScope, selection
        case style, width, spacing, insets, motion, alerts
    }

    private static func settings(_ fields: Fields<SettingsKey>) throws(Fault) -> Settings {
        var settings = Settings()
        settings.swipePolicy = try fields[.swipePolicy]?.word() ?? settings.swipePolicy
        settings.swipeScope = try fields[.swipeScope]?.word() ?? settings.swipeScope
        settings.expandPolicy = try fields[.expandPolicy]?.word() ?? settings.expandPolicy
        settings.expandScope = try fields[.expandScope]?.word() ?? settings.expandScope
        settings.scrollScope = try fields[.scrollScope]?.word() ?? settings.scrollScope
        settings.selection = try fields[.selection]?.word() ?? settings.selection
        settings.look = try look(fields[.style], fields[.width], fields[.spacing], fields[.insets])
        settings.motion = try fields[.motion].map(motion) ?? Motion()
        settings.alerts = try fields[.alerts]?.list(alert) ?? []
        return settings
    }
}
