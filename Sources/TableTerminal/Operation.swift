/// An operation that a person can ask of the viewer. Each operation has a name for the configuration, a
/// sentence for the help, and default keys.
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

    /// A sentence about the operation, for the help.
    public var help: String { description.help }

    /// The keys for the operation unless the configuration names others.
    public var defaultKeys: [Key] {
        description.keys.split(separator: " ").compactMap { Key(String($0)) }
    }

    private var description: (help: String, keys: String) {
        switch self {
        case .down: return ("the next row; lifted: a place down", "j down")
        case .up: return ("the row before; lifted: a place up", "k up")
        case .first: return ("the first row", "g home")
        case .last: return ("the last row", "G end")
        case .pageDown:
            return ("a screen down; with an item marked, a page of its strip", "pagedown ctrl-f")
        case .pageUp:
            return ("a screen up; with an item marked, a page of its strip", "pageup ctrl-b")
        case .nextSection: return ("the next section", "tab ]")
        case .previousSection:
            return ("this section's beginning, or the section before", "backtab [")
        case .left:
            return (
                "reveal the actions at the right, or the next of them; a strip's item before",
                "left h"
            )
        case .right:
            return (
                "reveal the actions at the left, or the next of them; a strip's next item",
                "right l"
            )
        case .enter: return ("perform the marked action, drop, tap an item, or open", "enter")
        case .expand: return ("open the row, one state further, or close it", "space")
        case .expandAll: return ("open all rows", "+")
        case .collapseAll: return ("close all rows", "-")
        case .select:
            return ("tap the row, or the item of a strip: what its kind says happens", "t")
        case .menu: return ("the actions of the marked item of a strip", ".")
        case .lift: return ("lift the row, to move it", "m")
        case .claim: return ("say that you work on the row, or no longer do", "c")
        case .snooze: return ("put the row off for 10 minutes, or wake it", "s")
        case .undo: return ("take back your latest change", "u")
        case .redo: return ("do again what was taken back", "U")
        case .recall: return ("what was removed or acted upon lately, to bring it back", "r")
        case .totals: return ("how many there are of each title among the shown rows", "#")
        case .add: return ("add a row to this section", "a")
        case .set: return ("edit the row: its title, fields and kind", "e")
        case .mark:
            return (
                "mark the row, or no longer: what is done with a marked row is done with all", "v"
            )
        case .edit: return ("edit mode of this screen on or off: nothing can be swiped in it", "E")
        case .delete: return ("in edit mode, delete the row that has a −", "x delete")
        case .insert: return ("in edit mode, insert a row below the one that has a +", "i insert")
        case .filter: return ("show only rows with these words, or with field=word", "/")
        case .command:
            return ("a command line: add, set, sort, goto, section, expand, mouse, quit …", ":")
        case .help: return ("this list; type to search it", "? f1")
        case .find: return ("the next row that is late, or else wants attention", "n")
        case .cancel: return ("cancel: put down, close, clear the filter", "esc")
        case .mouse: return ("mouse on or off; off, the terminal selects text again", "M")
        case .density: return ("one line for a row, or as many as it is high", "z")
        case .redraw: return ("draw the screen anew", "ctrl-l")
        case .suspend: return ("suspend the viewer; `fg` resumes it", "ctrl-z")
        case .quit: return ("quit", "q ctrl-c")
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
            if !given.contains(operation) {
                keys[operation]?.removeAll { bound[$0] != nil }
            }
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
