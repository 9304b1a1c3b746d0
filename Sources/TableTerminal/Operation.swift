/// An operation that a person can ask of the viewer. Each operation has a name for the configuration,
/// default keys, and a sentence for the help: `key.NAME` of the catalogue.
public enum Operation: String, CaseIterable, Sendable {
    case down, up, first, last
    case pageDown = "page-down"
    case pageUp = "page-up"
    case nextSection = "next-section"
    case previousSection = "previous-section"
    case left, right
    case enter, expand
    case expandAll = "expand-all"
    case collapseAll = "collapse-all"
    case select, menu
    case lift, claim, snooze
    case undo, redo, recall, totals
    case add, set, mark, edit, delete, insert
    case filter, command, help
    case find = "next-late"
    case cancel
    case mouse, density, redraw, suspend, quit

    /// The keys for the operation unless the configuration names others.
    public var defaultKeys: [Key] { keyNames.split(separator: " ").compactMap { Key(String($0)) } }

    private var keyNames: String {
        switch self {
        case .down: "j down"
        case .up: "k up"
        case .first: "g home"
        case .last: "G end"
        case .pageDown: "pagedown ctrl-f"
        case .pageUp: "pageup ctrl-b"
        case .nextSection: "tab ]"
        case .previousSection: "backtab ["
        case .left: "left h"
        case .right: "right l"
        case .enter: "enter"
        case .expand: "space"
        case .expandAll: "+"
        case .collapseAll: "-"
        case .select: "t"
        case .menu: "."
        case .lift: "m"
        case .claim: "c"
        case .snooze: "s"
        case .undo: "u"
        case .redo: "U"
        case .recall: "r"
        case .totals: "#"
        case .add: "a"
        case .set: "e"
        case .mark: "v"
        case .edit: "E"
        case .delete: "x delete"
        case .insert: "i insert"
        case .filter: "/"
        case .command: ":"
        case .help: "? f1"
        case .find: "n"
        case .cancel: "esc"
        case .mouse: "M"
        case .density: "z"
        case .redraw: "ctrl-l"
        case .suspend: "ctrl-z"
        case .quit: "q ctrl-c"
        }
    }
}

/// Which key does what. Digits are not in the map: they perform the actions of an open row.
public struct Keymap: Equatable, Sendable {
    private var operations: [Key: Operation]
    private var keys: [Operation: [Key]]

    /// The default keys of every operation.
    public static let standard = Keymap()

    private init() {
        operations = [:]
        keys = [:]
        for operation in Operation.allCases {
            keys[operation] = operation.defaultKeys
            for key in operation.defaultKeys { operations[key] = operation }
        }
    }

    /// A fault of a binding.
    public enum Problem: Error, Equatable, Sendable {
        /// The name is no key's.
        case noSuchKey(String)
        /// The key is a digit, and digits perform actions.
        case digit(String)
        /// Two operations name the key.
        case taken(String, by: Operation)
        /// The operation has no key, and without it nobody can leave.
        case unreachable(Operation)

        /// A sentence, without a full stop.
        public var message: String {
            switch self {
            case .noSuchKey(let name):
                return "\"\(name)\" is no key: write j, G, space, esc, pagedown, ctrl-d or f5"
            case .digit(let name): return "\"\(name)\" performs an action of an open row"
            case .taken(let name, let other):
                return "\"\(name)\" is bound to \(other.rawValue) as well"
            case .unreachable(let operation): return "\(operation.rawValue) needs a key"
            }
        }
    }

    /// The defaults, with other keys for some operations.
    ///
    /// A key that is bound here is taken from the operation that has it by default. A key that is
    /// bound here to two operations is refused, and so are bindings that leave `quit` or `cancel`
    /// without a key.
    public init(_ bindings: [(operation: Operation, keys: [String])]) throws(Problem) {
        self.init()
        var bound: [Key: Operation] = [:]
        for (operation, names) in bindings {
            var list: [Key] = []
            for name in names {
                guard let key = Key(name) else { throw .noSuchKey(name) }
                if case .character(let character) = key, character.isASCII, character.isNumber {
                    throw .digit(name)
                }
                if let other = bound[key], other != operation { throw .taken(name, by: other) }
                bound[key] = operation
                list.append(key)
            }
            keys[operation] = list
        }
        let given = Set(bindings.map(\.operation))
        operations = [:]
        for operation in Operation.allCases {
            if !given.contains(operation) { keys[operation]?.removeAll { bound[$0] != nil } }
            for key in self.keys(of: operation) { operations[key] = operation }
        }
        for operation in [Operation.quit, .cancel] where self.keys(of: operation).isEmpty {
            throw .unreachable(operation)
        }
    }

    /// The operation of a key; nil: none.
    public subscript(key: Key) -> Operation? { operations[key] }

    /// The keys of an operation, the one to show first; may be none.
    public func keys(of operation: Operation) -> [Key] { keys[operation] ?? [] }
}
