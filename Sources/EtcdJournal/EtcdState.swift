/// The state of a member and of its service.
package struct EtcdState: Equatable, Sendable {
    /// The role of a member.
    package enum Role: String, Sendable { case leader, standby }

    /// A daemon that takes part.
    package struct Member: Equatable, Sendable {
        /// Drawn at the start of its process.
        package var id: String
        /// Where clients reach it.
        package var endpoints: [String]
        /// The newest entry that it has.
        package var position: UInt64
        /// The version of its program.
        package var version: String

        init(_ note: EtcdMemberNote) {
            (id, endpoints) = (note.id, note.endpoints)
            (position, version) = (note.position, note.version)
        }
    }

    /// The role of this member.
    package var role = Role.standby
    /// 0: it may not write.
    package var term: UInt64 = 0
    /// Whether its answers show the service's present state.
    package var isCurrent = false
    /// The leader; nil: none is known.
    package var leader: Member?
    /// The members that have lately said that they take part.
    package var members: [Member] = []
    /// Why etcd did not do the latest thing that was asked.
    package var trouble: String?
    /// Why nothing may be changed.
    package var refusesChanges: String?
    /// The id of this process.
    package var id = ""
    /// Entries that are known to be there and not here.
    package var lag: UInt64 = 0
    /// The member of etcd that is asked at present.
    package var etcd = ""
    /// How often this process has become the leader.
    package var takeovers: UInt64 = 0
    /// The term of the leader, here or elsewhere.
    package var leadersTerm: UInt64 = 0

    /// Nothing is known yet.
    package init() {}
}
