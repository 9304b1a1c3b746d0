/// How often handlers may try an invocation, and what follows when the last attempt has failed.
public struct Retries: Equatable, Sendable {
    /// Each time that a handler takes it counts, however that ends. Nil: the first failure ends the invocation, and
    /// it goes from a lost handler to the next until its deadline.
    public var attempts: Int?
    /// The pause between the first failure and the second attempt.
    public var backoffSeconds: Double
    /// Applied to the row when the invocation has failed.
    public var otherwise: [Effect]

    /// By default one failure is the end, and nothing follows.
    public init(
        attempts: Int? = nil, backoffSeconds: Double = firstPauseSeconds, otherwise: [Effect] = []
    ) {
        self.attempts = attempts
        self.backoffSeconds = backoffSeconds
        self.otherwise = otherwise
    }

    /// The pause before the second attempt where nobody says another.
    public static let firstPauseSeconds = 1.0
    /// A pause doubles up to an hour. One that begins longer stays as it is.
    static let longestPauseSeconds = 3_600.0
    /// More attempts than anybody waits for.
    package static let mostAttempts = 100

    /// The pause after this many attempts, in milliseconds: each is twice as long as the one before.
    package func pauseMs(after attempts: Int) -> UInt64 {
        let doubled = backoffSeconds * Double(UInt64(1) << UInt64(min(max(attempts, 1) - 1, 40)))
        let seconds = min(doubled, max(backoffSeconds, Self.longestPauseSeconds))
        return UInt64(min(max(seconds, 0), 1e6) * 1_000)
    }

    /// Its part of a digest. It came later: written only if something is said.
    func write(to writer: inout CanonicalWriter) {
        if self == Retries() { return }
        writer.write("retries")
        writer.write(UInt64(attempts ?? 0))
        writer.write(backoffSeconds)
        writer.write(otherwise)
    }
}
