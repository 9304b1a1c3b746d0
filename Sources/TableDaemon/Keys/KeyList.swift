import TableTransport

/// The keys that may connect, as the daemon knows them: read again when their file is another one.
struct KeyList {
    /// Between two looks: a revoked key's connections end within a second.
    static let lookEveryMs = 250

    private let files: KeyFiles
    private var stamp: [UInt64] = []
    private var isRead = false
    private(set) var keys: [CurveKey: String] = [:]
    /// Those that were revoked of late, by their names: whose they were is still known.
    private(set) var revokedKeys: [CurveKey: String] = [:]
    private static let mostRevoked = 1_024
    var nextLookMs: UInt64 = 0

    init(_ files: KeyFiles) { self.files = files }

    /// The names of keys that have come and gone.
    struct Change {
        var added: [String]
        var revoked: [String]
    }

    /// Reads the file if it is another one. Nil: nothing has changed.
    ///
    /// A file that cannot be understood changes nothing, and is read again by the next look.
    mutating func look() throws -> Change? {
        let found = files.stamp
        guard !isRead || found != stamp else { return nil }
        isRead = false
        var fresh: [CurveKey: String] = [:]
        for client in try files.list() {
            if let key = CurveKey(client.key) { fresh[key] = client.name }
        }
        (stamp, isRead) = (found, true)
        let added = fresh.filter { keys[$0.key] != $0.value }.values.sorted()
        let revoked = keys.filter { fresh[$0.key] != $0.value }.values.sorted()
        let gone = keys.filter { fresh[$0.key] == nil }
        if revokedKeys.count + gone.count > Self.mostRevoked { revokedKeys = [:] }
        revokedKeys.merge(gone) { $1 }
        for key in fresh.keys { revokedKeys[key] = nil }
        keys = fresh
        return added.isEmpty && revoked.isEmpty ? nil : Change(added: added, revoked: revoked)
    }
}
