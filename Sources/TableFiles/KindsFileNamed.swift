import StrictYAML
import TableModel

// Which keys a kinds file names. A key without a value is named too: its old value is taken away
// (F9).

extension KindsFile {
    static func named(in fields: Fields<KindKey>) throws(Fault) -> Kind.Named {
        var own: Kind.Own = []
        for (key, part) in [
            (KindKey.height, Kind.Own.height), (.layout, .layout), (.states, .states),
            (.initial, .initial), (.strip, .strip), (.canMove, .canMove),
            (.canDelete, .canDelete), (.pinned, .pinned), (.tap, .tap),
            (.appearance, .appearance), (.spacing, .spacing), (.page, .page),
            (.editingStyle, .editingStyle), (.show, .show), (.emphasis, .emphasis),
            (.form, .form),
        ] where fields.names(key) {
            own.insert(part)
        }
        if let margins = try fields[.margins]?.fields(MarginsKey.self) {
            if margins.names(.text) { own.insert(.textMargin) }
            if margins.names(.bottom) { own.insert(.bottomMargin) }
        } else if fields.names(.margins) {
            own.formUnion([.textMargin, .bottomMargin])
        }
        if let ages = try fields[.ages]?.fields(AgesKey.self) {
            if ages.names(.warn) { own.insert(.warn) }
            if ages.names(.late) { own.insert(.late) }
            if ages.names(.in) { own.insert(.agesSections) }
            if ages.names(.since) { own.insert(.agesSince) }
        } else if fields.names(.ages) {
            own.insert(.ages)
        }
        if fields.names(.items), fields[.items] == nil { own.insert(.items) }
        if fields.names(.leading), fields[.leading] == nil { own.insert(.leading) }
        if fields.names(.trailing), fields[.trailing] == nil { own.insert(.trailing) }
        return Kind.Named(
            own, leading: try named(inGroup: fields[.leading]),
            trailing: try named(inGroup: fields[.trailing]))
    }

    private static func named(inGroup value: Value?) throws(Fault) -> ActionGroup.Named {
        guard let fields = try value?.fields(GroupKey.self) else { return [] }
        var named: ActionGroup.Named = []
        for (key, part) in [
            (GroupKey.style, ActionGroup.Named.style), (.width, .width), (.spacing, .spacing),
            (.insets, .insets), (.compatible, .compatible), (.fullSwipe, .fullSwipe),
            (.actions, .actions), (.background, .background), (.gap, .gap),
        ] where fields.names(key) {
            named.insert(part)
        }
        return named
    }

    static func named(in fields: Fields<SettingsKey>) throws(Fault) -> Settings.Named {
        var named = try named(inMotion: fields)
        for (key, part) in [
            (SettingsKey.style, Settings.Named.style), (.width, .width), (.spacing, .spacing),
            (.insets, .insets), (.swipePolicy, .swipePolicy), (.swipeScope, .swipeScope),
            (.expandPolicy, .expandPolicy), (.expandScope, .expandScope),
            (.scrollScope, .scrollScope), (.selection, .selection), (.alerts, .alerts),
        ] where fields.names(key) {
            named.insert(part)
        }
        return named
    }
}
