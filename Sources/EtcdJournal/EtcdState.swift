/// How a member and its service are.
package struct EtcdState: Equatable, Sendable {
    /// What a member does.
    package enum Role: String, Sendable { case writer, follower }

    /// Who takes part.
    package struct Member: Equatable, Sendable {
        /// Drawn at the start of its process.
        package var id: String
        /// Where clients reach it.
        package var endpoints: [String]
        /// The newest entry that it has.
        package var position: UInt64
        /// Of its program.
        package var version: String

        init(_ note: EtcdMemberNote) {
            (id, endpoints) = (note.id, note.endpoints)
            (position, version) = (note.position, note.version)
        }
    }

    /// Of this one.
    package var role = Role.follower
    /// 0: it may not write.
    package var term: UInt64 = 0
    /// What it answers is the service's present state.
    package var isCurrent = false
    /// Who writes; nil: nobody is known to.
    package var writer: Member?
    /// Who takes part, as they said of late.
    package var members: [Member] = []
    /// Why etcd did not do the latest thing that was asked.
    package var trouble: String?
    /// Why nothing may be changed.
    package var refusesChanges: String?
    /// Of this process.
    package var id = ""
    /// Entries that are known to be there and not here.
    package var lag: UInt64 = 0
    /// The member of etcd that is asked at present.
    package var etcd = ""
    /// How often this process has become the writer.
    package var takeovers: UInt64 = 0
    /// Of whoever writes, here or elsewhere.
    package var writersTerm: UInt64 = 0

    /// Nothing is known yet.
    package init() {}
}
