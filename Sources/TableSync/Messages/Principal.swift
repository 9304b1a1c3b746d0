public import TableModel

/// The sender of a request, as its connection proves it and not as the request says. Or a child of
/// it, on whose behalf it sends: that is its word, and nothing proves it.
///
/// One object for each principal, made once and handed on with every request, so that a request
/// costs a reference and no text.
public final class Principal: Sendable {
    /// The proof that a connection gives.
    public enum Proof: Hashable, Sendable {
        /// A user of this machine, on a unix socket: the kernel says who.
        case user(uid: UInt32)
        /// The holder of a registered CURVE key, on tcp.
        case key(name: String)
        /// Anybody on this machine, on tcp without keys.
        case local
    }

    /// The proof that the connection gives. Two principals are the same if their proofs are.
    public let proof: Proof
    /// The name for people, and `user` of a cause: a user's name or else the number, `key:` and the
    /// name of a key. A child's is its parent's, a slash and its own. Nil: nothing is proven.
    public let name: ID?
    /// The user's name in a guest list.
    let account: String?
    /// Whose child it is; nil: it sends for itself.
    public let parent: Principal?
    /// Its parent's description of it; nil: it sends for itself.
    public let behalf: Behalf?
    /// The owner of sessions, leases, claims and journal entries. A user's is the number, which
    /// stays when the name changes or cannot be looked up.
    public let identity: ID
    /// `name` and `identity`, for causes and entries.
    public let provenName: ProvenID?
    /// The proven form of the identity.
    public let provenIdentity: ProvenID
    /// The names of the groups that the user is in.
    public let groups: Set<String>

    private init(
        _ proof: Proof, name: ID?, identity: String, groups: Set<String> = [],
        account: String? = nil, parent: Principal? = nil, behalf: Behalf? = nil
    ) {
        self.proof = proof
        self.name = name
        self.account = account
        self.parent = parent
        self.behalf = behalf
        self.identity = ID(identity)
        provenName = name.map { ProvenID($0) }
        provenIdentity = ProvenID(self.identity)
        self.groups = groups
    }

    /// A user of this machine; without a name it is called by its number. By its number too if the name
    /// has a slash, as names from a directory may: it could be taken for a child's.
    public static func user(
        _ uid: UInt32, name: String? = nil, groups: Set<String> = []
    ) -> Principal {
        let isPlain = name.map { !$0.utf8.contains(slash) } ?? false
        return Principal(
            .user(uid: uid), name: ID(isPlain ? name ?? "" : "\(uid)"), identity: "uid:\(uid)",
            groups: groups, account: name)
    }

    /// The holder of a registered key.
    public static func key(_ name: String) -> Principal {
        Principal(.key(name: name), name: ID(keyPrefix + name), identity: keyPrefix + name)
    }

    /// Anybody on this machine: tcp on loopback, without keys. Also called `anybody`.
    public static let local = Principal(.local, name: nil, identity: "local")

    /// Stands between a parent's name and its child's: no parent's has one.
    private static let slash = UInt8(ascii: "/")

    /// On whose behalf this one sends: sessions, leases, claims and figures are that one's own.
    public func child(_ behalf: Behalf) -> Principal {
        Principal(
            proof, name: ID((name?.text ?? "") + "/" + behalf.name.text),
            identity: identity.text + "/" + behalf.name.text, groups: groups, account: account,
            parent: self, behalf: behalf)
    }

    /// Whose child has this identity; nil: it is nobody's.
    static func parent(of identity: ID) -> ID? {
        let bytes = identity.text.utf8
        return bytes.firstIndex(of: slash).map { ID(String(identity.text[..<$0])) }
    }

    /// How the `User-Id` of a connection begins that has proven a key. A user's is its number.
    public static let keyPrefix = "key:"

    /// The proof in a connection's `User-Id`: digits are a user, `key:` and a name a key, and without
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
    /// Whether both prove the same, and send on behalf of the same.
    public static func == (one: Principal, other: Principal) -> Bool {
        one === other || (one.proof == other.proof && one.behalf?.name == other.behalf?.name)
    }

    /// By the proof and the child's name.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(proof)
        if let behalf { hasher.combine(behalf.name) }
    }
}
