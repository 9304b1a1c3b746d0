import StrictYAML
import TableSync

/// The settings that hold, and where each of them comes from: `trestled config show`.
public struct EffectiveSettings {
    private struct One {
        let name: String
        let value: String
        /// A file and its line, an option, or `default`.
        let source: String
        let takesEffect: String
    }

    private let all: [One]

    /// Reads the settings of a daemon with these options.
    public init(file: String?, stateDirectory: String?, endpoints: [String]) throws {
        let configuration = try Configuration.readMeant(
            file: file, stateDirectory: stateDirectory, endpoints: endpoints)
        let meant = file ?? (stateDirectory == nil ? Configuration.fileMeant() : nil)
        let roots = try meant.map { file in
            try Configuration.files(of: file).map {
                try Value(try Configuration.text(of: $0), file: $0)
            }
        }
        let options = [
            "state_directory": stateDirectory == nil ? nil : "--state-directory",
            "endpoints": endpoints.isEmpty ? nil : "--endpoint",
        ]
        all = Setting.all.map { setting in
            let places = (roots ?? []).compactMap { Self.place(of: setting.name, in: $0) }
            return One(
                name: setting.name, value: setting.text(configuration),
                source: (options[setting.name] ?? nil) ?? places.last ?? "default",
                takesEffect: setting.takesEffect == .atSIGHUP ? "reload" : "restart")
        }
    }

    /// Where a file says something of a setting.
    private static func place(of name: String, in root: Value) -> String? {
        var value = root
        for key in name.split(separator: ".") {
            guard value.isMapping,
                let next = try? value.entries().first(where: { $0.key == key })?.value
            else { return nil }
            value = next
        }
        return "\(value.file):\(value.line)"
    }

    /// A line for each, for people.
    public var text: String {
        let names = all.map(\.name.count).max() ?? 0
        let values = all.map { $0.value.isEmpty ? "-" : Printable.text($0.value) }
        let width = min(40, values.map(\.count).max() ?? 0)
        func padded(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        return zip(all, values).map { one, value in
            "\(padded(one.name, names))  \(padded(value, width))  \(one.source)"
        }.joined(separator: "\n")
    }

    /// For programs.
    public var json: String {
        func draft(_ text: String) -> Draft { .text(Printable.text(text)) }
        let settings = all.map { one in
            Draft.mapping([
                ("name", draft(one.name)), ("value", draft(one.value)),
                ("from", draft(one.source)), ("takesEffect", draft(one.takesEffect)),
            ])
        }
        return Draft.mapping([("settings", .list(settings))]).json
    }
}
