/// The icons that a definition may name (F4). Pictures draw them; a terminal shows the title.
///
/// An icon may also be named as in SF Symbols or in Material, in any case and with any of `.`, `_`
/// and `-` between the words. Variants such as `.fill` and `.circle` are the same icon.
public enum IconName {
    /// The icons' own names, sorted.
    public static let all = also.keys.sorted()

    /// The icon's own name, for any of its names. Nil: there is no such icon.
    public static func canonical(_ name: String) -> String? {
        guard name.utf8.count <= longestName, name.utf8.allSatisfy({ $0 < 0x80 }) else {
            return nil
        }
        var words = name.lowercased().split { $0 == "." || $0 == "_" || $0 == "-" || $0 == " " }
            .map(String.init)
        while !words.isEmpty {
            let key = words.joined(separator: ".")
            let known = aliases[key] ?? key
            if own.contains(known) { return known }
            guard let last = words.last, variants.contains(last) else { return nil }
            words.removeLast()
        }
        return nil
    }

    /// The other names of an icon, sorted, each with dots between its words.
    public static func others(of icon: String) -> [String] {
        also[icon]?.split(separator: " ").map(String.init) ?? []
    }

    /// The suffixes that may follow a name and change nothing, sorted.
    public static let suffixes = variants.sorted()

    private static let own = Set(all)

    /// No known name is longer, in bytes.
    private static let longestName = 64

    private static let variants: Set<String> = [
        "fill", "circle", "square", "rounded", "outline", "outlined", "sharp", "badge",
    ]

    private static let aliases = Dictionary(
        uniqueKeysWithValues: all.flatMap { icon in others(of: icon).map { ($0, icon) } })
}
