public import StrictYAML
public import TableModel

// The part of a kinds file below `appearance`: states with their looks.

extension KindsFile {
    enum AppearanceKey: String, CaseIterable { case background, alpha, tint }

    static func appearances(_ value: Value) throws(Fault) -> [Expansion: Kind.Appearance] {
        var all: [Expansion: Kind.Appearance] = [:]
        for (name, value) in try value.entries() {
            let fields = try value.fields(AppearanceKey.self)
            let appearance = Kind.Appearance(
                background: try fields[.background]?.string(),
                alpha: try fields[.alpha]?.double(), tint: try fields[.tint]?.string())
            // Two spellings of a height are one state.
            guard all.updateValue(appearance, forKey: Expansion(name)) == nil else {
                throw value.fault("the state `\(name)` stands twice")
            }
        }
        return all
    }

    static func draft(_ appearances: [Expansion: Kind.Appearance]) -> Draft {
        .mapping(
            appearances.sorted { ID($0.key.text) < ID($1.key.text) }.map {
                ($0.key.text, draft($0.value))
            })
    }

    /// As `kinds` and `layout` print it.
    public static func draft(_ appearance: Kind.Appearance) -> Draft {
        var out = Keys<AppearanceKey>()
        out[.background] = appearance.background.map(Draft.text)
        out[.alpha] = appearance.alpha.map(Draft.number)
        out[.tint] = appearance.tint.map(Draft.text)
        return out.draft
    }
}
