extension Row {
    /// A row sleeps: nobody is given it until its time has come, and the daemon wakes it then.
    public struct Sleep: Equatable, Sendable {
        /// When it wakes, in milliseconds since 1970 (UTC).
        public let untilMs: UInt64
        /// Whether it comes to the top of its section then. Else it stays where it is.
        public let isToTop: Bool

        /// By default the row stays where it is.
        public init(untilMs: UInt64, isToTop: Bool = false) {
            self.untilMs = untilMs
            self.isToTop = isToTop
        }

        func write(to writer: inout CanonicalWriter) {
            writer.write("sleep")
            writer.write(untilMs)
            writer.write(isToTop ? "top" : "place")
        }
    }
}

extension Command {
    /// How long rows are to sleep.
    public struct Snooze: Equatable, Sendable {
        /// When they wake.
        public enum End: Equatable, Sendable {
            /// At this time, in milliseconds since 1970 (UTC).
            case at(UInt64)
            /// So many milliseconds after the decision.
            case after(UInt64)
        }

        /// When they wake.
        public var end: End
        /// Whether they come to the top of their section then.
        public var isToTop: Bool

        /// By default the rows stay where they are.
        public init(_ end: End, isToTop: Bool = false) {
            self.end = end
            self.isToTop = isToTop
        }
    }
}
