/// Says that somebody works on a row, visible to everybody. It is advice, unless a command requires
/// the claim (`Command.ifClaimed`).
public struct Claim: Sendable {
    /// The client's name if it gave one, else the client's id.
    public let holder: ID
    /// The purpose, in the holder's words; it may be empty.
    public let note: String
    /// The claim ends this long after the last renewal; nil: it does not end by itself.
    public let ttlSeconds: Double?
    /// When it was made, milliseconds since 1970 (UTC).
    public let sinceMs: UInt64

    /// A claim as given.
    public init(holder: ID, note: String = "", ttlSeconds: Double? = nil, sinceMs: UInt64 = 0) {
        self.holder = holder
        self.note = note
        self.ttlSeconds = ttlSeconds
        self.sinceMs = sinceMs
    }

    func write(to writer: inout CanonicalWriter) {
        writer.write(holder)
        writer.write(note)
        writer.write(ttlSeconds ?? 0)
        writer.write(sinceMs)
    }
}

extension Claim: Equatable {
    /// Text is compared by bytes.
    public static func == (a: Claim, b: Claim) -> Bool {
        a.holder == b.holder && a.note.hasSameBytes(as: b.note) && a.ttlSeconds == b.ttlSeconds
            && a.sinceMs == b.sinceMs
    }
}
