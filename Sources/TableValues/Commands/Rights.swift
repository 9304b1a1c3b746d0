/// The rights of a principal on a table.
public struct Rights: OptionSet, Hashable, Sendable {
    /// The bits, one for each right.
    public let rawValue: UInt8

    /// Rights of these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Read it, follow it, and be seen as a viewer.
    public static let read = Rights(rawValue: 1 << 0)
    /// Change, move, drag and claim its rows, press its actions, undo.
    public static let changeRows = Rights(rawValue: 1 << 1)
    /// Take pending actions and finish them.
    public static let handle = Rights(rawValue: 1 << 2)
    /// Define its kinds, settings and sections.
    public static let define = Rights(rawValue: 1 << 3)
    /// Create and drop it, back it up, restore it, check it.
    public static let administer = Rights(rawValue: 1 << 4)
}

/// A set of rights that has a name. Somebody may have several roles.
public enum Role: String, Sendable, CaseIterable {
    case viewer, `operator`, handler, editor, admin

    /// The rights that the role gives.
    public var rights: Rights {
        switch self {
        case .viewer: return [.read]
        case .operator: return [.read, .changeRows]
        case .handler: return [.read, .handle]
        case .editor: return [.read, .changeRows, .define]
        case .admin: return [.read, .changeRows, .handle, .define, .administer]
        }
    }

    /// The least role that allows all of `rights`.
    public static func least(for rights: Rights) -> Role {
        allCases.first { $0.rights.isSuperset(of: rights) } ?? .admin
    }
}
