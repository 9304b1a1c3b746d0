public import TableModel

/// Who sends a request, as its connection proves it: not what the request says of itself.
///
/// One object for each principal, made once and handed on with every request, so that a request
/// costs a reference and no text.
public final class Principal: Sendable {
    /// What the connection proves.
    public enum Proof: Hashable, Sendable {
        /// A user of this machine, on a unix socket: the kernel says who.
        case user(uid: UInt32)
        /// The holder of a registered CURVE key, on tcp.
        case key(name: String)
        /// Anybody on this machine, on tcp without keys.
        case local
    }

    /// What the connection proves. Two principals are the same if their proofs are.
    public let proof: Proof
    /// What people call it, and `user` of a cause: a user's name or else the number, `key:` and the
    /// name of a key. Nil: nothing is proven.
    public let name: ID?
    /// What sessions, leases, claims and journal entries belong to. A user's is the number, which
    /// stays when the name changes or cannot be looked up.
    public let identity: ID
    /// `name` and `identity`, for causes and entries.
    public let provenName: ProvenID?
    /// The same of the identity.
    public let provenIdentity: ProvenID
    /// The names of the groups that the user is in.
    public let groups: Set<String>

    private init(_ proof: Proof, name: ID?, identity: String, groups: Set<String>) {
        self.proof = proof
        self.name = name
        self.identity = ID(identity)
        provenName = name.map { ProvenID($0) }
        provenIdentity = ProvenID(self.identity)
        self.groups = groups
    }

    /// A user of this machine; without a name it is called by its number.
    public static func user(
        _ uid: UInt32, name: String? = nil, groups: Set<String> = []
    ) -> Principal {
        Principal(
            .user(uid: uid), name: ID(name ?? "\(uid)"), identity: "uid:\(uid)", groups: groups)
    }

    /// The holder of a registered key.
    public static func key(_ name: String) -> Principal {
        Principal(
            .key(name: name), name: ID(keyPrefix + name), identity: keyPrefix + name, groups: [])
    }

    /// Anybody on this machine: tcp on loopback, without keys. Also called `anybody`.
    public static let local = Principal(.local, name: nil, identity: "local", groups: [])

    /// How the `User-Id` of a connection begins that has proven a key. A user's is its number.
    public static let keyPrefix = "key:"

    /// What a connection's `User-Id` proves: digits are a user, `key:` and a name a key, and without
    /// one nothing is proven. Nil: it is none of these.
    public static func proof(userID: String?) -> Proof? {
        guard let userID, !userID.isEmpty else { return .local }
        if userID.hasPrefix(keyPrefix) {
            let name = userID.dropFirst(keyPrefix.count)
            return name.isEmpty ? nil : .key(name: String(name))
        }
        guard userID.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return UInt32(userID).map { .user(uid: $0) }
    }
}

extension Principal: Hashable {
    /// Whether both prove the same.
    public static func == (one: Principal, other: Principal) -> Bool {
        one === other || one.proof == other.proof
    }

    /// By the proof.
    public func hash(into hasher: inout Hasher) { hasher.combine(proof) }
}
