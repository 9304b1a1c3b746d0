import StrictYAML
import TableTerminal

/// The viewer's part of the configuration.
struct ViewConfiguration {
    var keys = Keymap.standard
    var hasMouse = true
    var isDense = false
    var station = Station()
    /// Nil: as the terminal says.
    var colours: ColorDepth?
    /// The language of its reader: the one named here or by `--language`, or else the environment's.
    var words = Self.wordsOfEnvironment

    private enum Key: String, CaseIterable { case mouse, rows, colours, language, keys }
    private enum Rows: String, CaseIterable { case high, dense }
    private enum Colours: String, CaseIterable {
        case auto, none
        case sixteen = "16"
        case many = "256"
        case all = "true"
    }

    /// The configuration from the first file that has one.
    static func find() throws(Failure) -> ViewConfiguration {
        for path in ClientFile.paths {
            let found = try ClientFile.read(.view, in: path) { value throws(Fault) in
                try ViewConfiguration(value)
            }
            if let found { return found }
        }
        return ViewConfiguration()
    }

    init() {}

    private init(_ value: Value) throws(Fault) {
        let fields = try value.fields(Key.self)
        if let mouse = fields[.mouse] { hasMouse = try mouse.bool() }
        if let rows = fields[.rows] { isDense = try rows.word(Rows.self) == .dense }
        if let colours = fields[.colours] {
            self.colours = ColorDepth(rawValue: try colours.word(Colours.self).rawValue)
        }
        if let language = fields[.language], try language.string() != "auto" {
            guard let words = Wording(try language.string()) else {
                throw language.fault("expected auto, \(Self.languages)")
            }
            self.words = words
        }
        if let keys = fields[.keys] { self.keys = try Self.keymap(keys) }
    }

    static var languages: String { Wording.languages.joined(separator: ", ") }

    /// The language by the variables that programs ask for messages; English if there is none for it.
    private static var wordsOfEnvironment: Wording {
        let names = ["LC_ALL", "LC_MESSAGES", "LANG"]
        let locale = names.lazy.compactMap { Output.environment($0) }.first { !$0.isEmpty }
        return locale.flatMap { Wording(locale: $0) } ?? .english
    }

    /// `{down: [j, down], quit: q}`
    private static func keymap(_ value: Value) throws(Fault) -> Keymap {
        var bindings: [(operation: Operation, keys: [String])] = []
        for (name, keys) in try value.entries() {
            guard let operation = Operation(rawValue: name) else {
                throw keys.fault("\"\(name)\" is nothing that the viewer does; `?` in it lists all")
            }
            let names =
                keys.isList
                ? try keys.list { item throws(Fault) in try item.string() } : [try keys.string()]
            bindings.append((operation, names))
        }
        do throws(Keymap.Problem) {
            return try Keymap(bindings)
        } catch { throw value.fault(error.message) }
    }
}
