/// Something of a table that an op changes: two changes are in each other's way if they share one.
package enum Touch: Hashable {
    case row(RowID, Aspect)
    case section(SectionID)
    case kind(KindID)
    case settings
    case editing
    /// The expansion of every row.
    case allExpansions
    case invocation(InvocationID)

    /// Something of a row.
    package enum Aspect: Hashable {
        case existence, place, title, kind, actions, states, performed, itemOrder
        case field(ID)
        case item(ID)
        // Passing state: later changes of it win, and are in nobody's way.
        case expansion, swipe, scroll, claim, sleep, selection, origin

        package var passes: Bool {
            switch self {
            case .expansion, .swipe, .scroll, .claim, .sleep, .selection, .origin: return true
            case .existence, .place, .title, .kind, .actions, .performed, .itemOrder: return false
            case .field, .item, .states: return false
            }
        }

        /// Changes of it are changes of the row's content.
        package var isContent: Bool { !passes && self != .existence && self != .place }

        /// Whether a row that is recalled has it again: it comes back closed, awake and nobody's, and
        /// stands where it was inserted.
        package var isRecalled: Bool {
            switch self {
            case .place, .swipe, .claim, .sleep, .selection: return false
            case .existence, .title, .kind, .actions, .performed, .itemOrder: return true
            case .field, .item, .states, .expansion, .scroll, .origin: return true
            }
        }

        /// As people call it.
        package var words: String {
            switch self {
            case .existence: return "the row itself"
            case .place: return "its place"
            case .title: return "its title"
            case .kind: return "its kind"
            case .actions: return "its actions"
            case .states: return "its states"
            case .performed: return "what was performed on it"
            case .itemOrder: return "the order of its items"
            case .field(let key): return "its field \"\(key.text)\""
            case .item(let id): return "its item \"\(id.text)\""
            case .expansion: return "how far it is open"
            case .swipe: return "its swipe"
            case .scroll: return "where it is scrolled to"
            case .claim: return "its claim"
            case .sleep: return "until when it sleeps"
            case .selection: return "whether it is selected"
            case .origin: return "the section that it came from"
            }
        }
    }
}
