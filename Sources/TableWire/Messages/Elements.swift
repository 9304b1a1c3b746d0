public import TableModel

// What a request holds in any number is counted before anything of it is built: an element of two bytes
// becomes one of 600. Whoever may change nothing sends a request of a megabyte too.

extension Decode {
    /// A request that is not longer cannot hold so much that it matters.
    static let mostUncounted = 4 << 10

    /// An element takes at least so many bytes: of the binary form a tag and a length.
    private static let leastBytes = 2

    /// Whether a request of the frequent kinds, which was read by hand, holds more elements than are allowed. It is
    /// counted only if it is so long that it could.
    static func holdsTooMuch(
        _ bytes: UnsafeRawBufferPointer, _ form: Form, _ limits: SharedLimits
    ) -> Bool {
        guard bytes.count > leastBytes * limits.limits.elements else { return false }
        do throws(Rejection) {
            try checkElements(of: bytes, form, limits.limits)
            return false
        } catch { return true }
    }

    /// How many messages and entries of maps a request holds: what `Limits.elements` bounds.
    public static func elements(
        in bytes: UnsafeRawBufferPointer, form: Form, limits: Limits = Limits()
    ) throws(Rejection) -> Int {
        var counter = ElementCounter(limits: limits)
        switch form {
        case .binary: try counter.element(bytes, of: .request, level: 0)
        case .json:
            var text = JSONStructure(bytes)
            _ = try counter.element(&text, of: .request, level: 0)
        }
        return counter.total
    }

    /// Refuses a request that holds more than is allowed of anything. Bytes that are no request at all
    /// are counted up to where that shows: a parser builds no more of them.
    static func checkElements(
        of bytes: UnsafeRawBufferPointer, _ form: Form, _ limits: Limits
    ) throws(Rejection) {
        if bytes.count <= mostUncounted { return }
        let total = try elements(in: bytes, form: form, limits: limits)
        guard total <= limits.elements else {
            throw .tooMuch("elements", total, limit: limits.elements, nil)
        }
    }
}

/// A message of requests, with those of its fields that hold messages, or entries of a map.
///
/// A test holds this against the schema.
enum Holder: Int, CaseIterable {
    case request, explain, batch, command, add, set, define, item, addItem, setItem, moveItems
    case rowActions, group, action, face, stack, sharedFace, effect, fields, increment, invoke
    case stripItem, tap, ownStates, carried, kind, itemKind, settings, restore, drag, drop
    /// It holds neither.
    case leaf

    /// How many there are of a field.
    enum Count {
        /// At most one.
        case one(Holder)
        /// A list, and its limit if it has one besides that of all elements.
        case many(Holder, Most?)
        /// A map of text or numbers.
        case entries(Most?)
    }

    /// A limit of a list.
    enum Most: Int, CaseIterable {
        case commands, kinds, itemKinds, items, fields, states, actions, effects, faces

        /// The refusal's word for its elements.
        var word: String { self == .itemKinds ? "item kinds" : "\(self)" }

        func limit(in limits: Limits) -> Int {
            switch self {
            case .commands: limits.batchCommands
            case .kinds: limits.kinds
            case .itemKinds: limits.itemKinds
            case .items: limits.items
            case .fields: limits.fields
            case .states: limits.ownStates
            case .actions, .effects: limits.actions
            case .faces: limits.faces
            }
        }
    }

    /// A field by its number and its name in the schema.
    struct Field {
        let number: UInt64
        let name: String
        let count: Count

        init(_ number: UInt64, _ name: String, _ count: Count) {
            (self.number, self.name, self.count) = (number, name, count)
        }
    }

    /// The fields in the order of the schema.
    var fields: [Field] {
        switch self {
        case .request:
            return Self.leaves([
                (10, "hello"), (11, "tables"), (12, "kinds"), (13, "snapshot"), (14, "replay"),
                (15, "offer"), (16, "health"), (17, "stats"), (18, "check"), (19, "renew"),
                (20, "backup"), (21, "audit"), (22, "step_down"), (30, "create"), (31, "drop"),
                (41, "attend"), (50, "who"), (51, "history"), (52, "rewind"),
            ]) + [
                Field(32, "command", .one(.command)), Field(33, "batch", .one(.batch)),
                Field(34, "restore", .one(.restore)), Field(40, "drag", .one(.drag)),
                Field(60, "explain", .one(.explain)),
            ]
        case .explain:
            return Self.leaves([(30, "create"), (31, "drop")]) + [
                Field(32, "command", .one(.command)), Field(33, "batch", .one(.batch)),
            ]
        case .batch: return [Field(1, "commands", .many(.command, .commands))]
        case .restore: return Self.leaves([(1, "parts"), (2, "finish")])
        case .drag:
            return Self.leaves([(1, "lift"), (2, "hover")]) + [Field(3, "drop", .one(.drop))]
        case .drop: return Self.leaves([(2, "to")])
        case .command: return Self.fieldsOfCommand
        case .add, .set, .define, .item, .addItem, .setItem, .moveItems, .ownStates, .carried:
            return fieldsOfChange
        case .rowActions, .group, .action, .face, .stack, .sharedFace, .effect, .fields,
            .increment, .invoke, .stripItem, .tap, .kind, .itemKind, .settings:
            return fieldsOfDefinition
        case .leaf: return []
        }
    }

    private static func leaves(_ fields: [(UInt64, String)]) -> [Field] {
        fields.map { Field($0.0, $0.1, .one(.leaf)) }
    }

    private static var fieldsOfCommand: [Field] {
        leaves([
            (12, "remove"), (13, "move"), (14, "swap"), (15, "swipe"), (16, "expand"),
            (18, "section"), (19, "remove_section"), (20, "act"), (21, "edit"), (22, "take"),
            (23, "release"), (24, "finish"), (25, "expand_all"), (27, "scroll"), (28, "select"),
            (29, "claim"), (30, "unclaim"), (31, "undo"), (32, "redo"), (33, "recall"),
            (60, "mark"),
        ]) + [
            Field(10, "add", .one(.add)), Field(11, "set", .one(.set)),
            Field(17, "define", .one(.define)), Field(26, "item", .one(.item)),
        ]
    }

    private var fieldsOfChange: [Field] {
        switch self {
        case .add:
            return [
                Field(4, "fields", .entries(.fields)), Field(10, "actions", .one(.rowActions)),
                Field(11, "items", .many(.stripItem, .items)),
                Field(12, "carried", .one(.carried)), Field(40, "states", .many(.leaf, .states)),
            ]
        case .set:
            return [
                Field(3, "fields", .entries(.fields)), Field(6, "actions", .one(.rowActions)),
                Field(40, "states", .one(.ownStates)),
            ]
        case .ownStates: return [Field(1, "states", .many(.leaf, .states))]
        case .carried:
            return Self.leaves([(5, "claim")]) + [Field(4, "performed", .many(.leaf, nil))]
        case .define:
            return [
                Field(1, "kinds", .many(.kind, .kinds)), Field(3, "table", .one(.settings)),
            ]
        case .item:
            return Self.leaves([(4, "remove")]) + [
                Field(2, "add", .one(.addItem)), Field(3, "set", .one(.setItem)),
                Field(5, "move", .one(.moveItems)),
            ]
        case .addItem: return Self.leaves([(2, "anchor")]) + [Field(1, "item", .one(.stripItem))]
        case .setItem:
            return [Field(3, "fields", .entries(.fields)), Field(5, "tap", .one(.tap))]
        case .moveItems: return Self.leaves([(2, "anchor")])
        default: return []
        }
    }

    private var fieldsOfDefinition: [Field] {
        switch self {
        case .stripItem:
            return [Field(3, "fields", .entries(.fields)), Field(4, "tap", .one(.tap))]
        case .tap: return [Field(1, "effects", .many(.effect, .effects))]
        case .kind:
            return Self.leaves([(4, "margins"), (11, "ages")]) + [
                Field(5, "states", .many(.leaf, nil)), Field(12, "tap", .many(.effect, .effects)),
                Field(13, "leading", .one(.group)), Field(14, "trailing", .one(.group)),
                Field(40, "appearance", .many(.leaf, nil)),
                Field(70, "items", .many(.itemKind, .itemKinds)),
            ]
        case .itemKind:
            return Self.leaves([(5, "fields")]) + [
                Field(7, "tap", .many(.effect, .effects)),
                Field(8, "menu", .many(.action, .actions)),
            ]
        case .rowActions:
            return [Field(1, "leading", .one(.group)), Field(2, "trailing", .one(.group))]
        case .group:
            return Self.leaves([(1, "look")]) + [Field(4, "actions", .many(.action, .actions))]
        case .action:
            return Self.leaves([(7, "look")]) + [
                Field(8, "face", .one(.face)), Field(11, "effect", .many(.effect, .effects)),
            ]
        case .effect:
            return Self.leaves([(2, "move")]) + [
                Field(3, "set", .one(.fields)), Field(5, "invoke", .one(.invoke)),
                Field(40, "fill", .one(.fields)), Field(41, "increment", .one(.increment)),
                Field(71, "set_item", .one(.fields)),
            ]
        case .fields: return [Field(1, "fields", .entries(.fields))]
        case .increment: return [Field(1, "by", .entries(nil))]
        case .invoke: return [Field(2, "then", .many(.effect, .effects))]
        case .settings:
            return Self.leaves([(4, "look")]) + [
                Field(30, "faces", .many(.sharedFace, .faces)),
                Field(32, "motion", .entries(nil)),
            ]
        case .sharedFace: return [Field(2, "face", .one(.face))]
        case .face:
            return Self.leaves([(12, "image")]) + [
                Field(1, "vertical", .one(.stack)), Field(2, "horizontal", .one(.stack)),
            ]
        case .stack: return [Field(1, "parts", .many(.face, nil))]
        default: return []
        }
    }
}
