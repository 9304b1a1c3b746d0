import StrictYAML
import TableModel

// `like`: a kind that begins with all that another kind of the file says.

extension KindsFile {
    /// Reads the kinds of a file in order, each with what it takes from the kind that it is like.
    static func readKinds(
        _ entries: [(key: String, value: Value)], into definitions: inout Command.Definitions
    ) throws(Fault) {
        for (id, value) in entries {
            var (kind, named) = try kind(ID(id), value)
            if !value.isNull, let like = try value.fields(KindKey.self)[.like] {
                let name = try like.string().id
                guard let model = definitions.kinds.first(where: { $0.id == name }),
                    let all = definitions.partial[name]
                else { throw like.fault("`\(name.text)` is no kind that stands above this one") }
                var base = model
                base.id = kind.id
                kind = base.taking(named, of: kind)
                named = all.union(named, of: kind)
            }
            definitions.kinds.append(kind)
            definitions.partial[kind.id] = named
        }
    }

    /// The keys of a kinds file, each by its path, with the values that it may have.
    public static var keys: [(key: String, values: String)] {
        let kind = "kinds.NAME"
        func all<Key: FieldKey>(_ path: String, _ keys: Key.Type, _ values: [String: String]) -> [(
            String, String
        )] {
            Key.allCases.map { ("\(path).\($0.rawValue)", values[$0.rawValue] ?? "text") }
        }
        let (flag, points, ids) = ("true | false", "points", "list of fields")
        let look = [
            "style": words(Look.Style.self), "width": "points | intrinsic | face",
            "spacing": points, "insets": "[top, left, bottom, right]",
        ]
        let action = look.merging([
            "id": "id", "role": words(Action.Role.self), "icon": "icon", "background": "colour",
            "foreground": "colour", "face": "face", "hidesWhenSelected": flag, "confirm": flag,
            "repeat": flag, "when": "condition on the row and the time", "unless": "sentence",
            "effect": "effect | list of effects",
        ]) { $1 }
        let group = look.merging([
            "compatible": flag, "fullSwipe": flag, "background": "colour", "gap": points,
            "actions": "list of actions",
        ]) { $1 }
        let ofKind = all(
            kind, KindKey.self,
            [
                "height": points, "layout": words(Kind.Layout.self), "margins": "below",
                "states": "list of collapsed | expanded | {name, height}",
                "initial": "state", "strip": flag, "canMove": flag, "canDelete": flag,
                "pinned": flag,
                "ages": "below", "tap": "effect | list of effects", "leading": "below",
                "trailing": "below",
                "appearance": "below, by state", "spacing": points, "page": words(Kind.Page.self),
                "items": "below, by name", "editingStyle": words(Kind.EditingStyle.self),
                "show": "below", "emphasis": "list of what is below", "form": ids,
                "like": "a kind that stands above this one",
            ])
        let parts =
            all("\(kind).margins", MarginsKey.self, ["text": points, "bottom": points])
            + all(
                "\(kind).ages", AgesKey.self,
                [
                    "warn": "seconds", "late": "seconds", "in": "list of sections",
                    "since": words(Kind.Ages.Since.self),
                ])
            + all("\(kind).leading", GroupKey.self, group)
            + all("\(kind).leading.actions", ActionKey.self, action)
            + all(
                "\(kind).leading.actions.effect", EffectKey.self,
                [
                    "remove": "true", "move": "back | {section, top | bottom | before | after}",
                    "set": "by field: text", "unset": ids, "fill": "by field: template",
                    "increment": "by field: whole number", "kind": "kind",
                    "expand": "toggle | state", "invoke": "below",
                    "group": "effect | list of effects", "removeItem": "true",
                    "setItem": "by field: text", "snooze": "duration | {for, wake: place | top}",
                ])
            + all(
                "\(kind).leading.actions.effect.invoke", InvokeKey.self,
                [
                    "deadline": "seconds | duration", "attempts": "1 to \(Retries.mostAttempts)",
                    "backoff": "seconds | duration", "then": "effect | list of effects",
                    "else": "effect | list of effects",
                ])
            + all(
                "\(kind).appearance.STATE", AppearanceKey.self,
                ["background": "colour", "alpha": "0 to 1", "tint": "colour"])
            + all(
                "\(kind).show", ShowKey.self,
                [
                    "title": "template", "line": "list of templates", "badge": "template",
                    "detail": ids, "hide": ids,
                    "as": "by field: \(ValueForm.names)", "wrap": "1 to \(Kind.Show.mostLines)",
                    "group": "field", "color": "field",
                ])
            + all(
                "\(kind).emphasis", EmphasisKey.self,
                [
                    "when": "condition on the row", "field": "field", "row": flag,
                    "background": "colour", "color": "colour", "icon": "icon",
                ])
            + all(
                "\(kind).items.NAME", ItemKindKey.self,
                [
                    "width": "points | intrinsic", "height": points,
                    "layout": words(Kind.Layout.self), "fields": ids,
                    "badge": "field", "tap": "effect | list of effects",
                    "menu": "list of actions without a look",
                ])
        let ofTable = all(
            "table", SettingsKey.self,
            look.merging([
                "swipePolicy": words(Settings.SwipePolicy.self),
                "swipeScope": words(Settings.SwipeScope.self),
                "expandPolicy": words(Settings.ExpandPolicy.self),
                "expandScope": words(Settings.ExpandScope.self),
                "scrollScope": words(Settings.ScrollScope.self),
                "selection": words(Settings.SelectionScope.self), "motion": "by name: number",
                "alerts": "list of what is below",
            ]) { $1 })
        let ofAlerts = all(
            "table.alerts", AlertKey.self,
            [
                "on": words(Alert.Event.self), "in": "list of sections", "kinds": ids,
                "sound": words(Alert.Sound.self), "repeat": "seconds",
            ])
        return ofKind + parts + ofTable + ofAlerts + [("faces.NAME", "face")]
    }

    private static func words<W: CaseIterable & RawRepresentable<String>>(_ words: W.Type) -> String
    {
        W.allCases.map(\.rawValue).joined(separator: " | ")
    }
}

extension Kind.Named {
    /// All that is named by this definition or by that of a kind that builds on it.
    fileprivate func union(_ other: Kind.Named, of kind: Kind) -> Kind.Named {
        Kind.Named(
            own.union(other.own), leading: leading.union(other.leading),
            trailing: trailing.union(other.trailing),
            droppedItems: (droppedItems + other.droppedItems).filter { kind.itemKinds[$0] == nil })
    }
}
