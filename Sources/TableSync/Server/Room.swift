public import TableModel

// The changes that the server may make at present, and its bounds.

extension Server {
    /// The changes that may be made at present: on a full disk none; where a journal on etcd can hold no larger tables, those
    /// that make them smaller.
    public struct Room {
        /// Every change is refused.
        public var isReadOnly = false
        /// Only changes that make the tables smaller are made.
        public var takesOnlyLess = false
        /// Why, where it is not the disk.
        public var reason: String?

        /// Whether not every change is taken.
        public var isShort: Bool { isReadOnly || takesOnlyLess }

        @inline(__always)
        func takes(_ request: Request) -> Bool {
            !isReadOnly
                && (!takesOnlyLess
                    || request.verb.parts.allSatisfy { $0.traits.contains(.makesLess) })
        }

        /// Why nothing is changed at present.
        var rejection: Rejection {
            reason.map { Rejection(.diskFull, "Nothing is changed at present: \($0).") }
                ?? .diskFull
        }
    }

    /// The bounds on input and memory, as one value.
    public struct Bounds {
        /// The limits as one reference, for readers of only some of them.
        public let shared: SharedLimits
        /// The bounds on remembered answers.
        let sessions: Sessions.Bounds

        init(_ limits: Limits) {
            shared = SharedLimits(limits)
            sessions = Sessions.Bounds(limits)
        }
    }
}

extension Rejection {
    static let diskFull = Rejection(
        .diskFull, "The daemon's disk is full: nothing is changed until there is room again.")
}
