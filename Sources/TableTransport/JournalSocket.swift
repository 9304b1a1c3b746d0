import Glibc

/// systemd's journal, to which a process may write lines with fields of its own.
public struct JournalSocket: Sendable {
    private let address = UnixAddress(Array("/run/systemd/journal/socket".utf8))

    /// The journal of this machine.
    public init() {}

    /// Whether standard error leads to the journal, by the value of `JOURNAL_STREAM`: the device and
    /// the inode of the stream that the manager has opened.
    public static func isStandardError(_ stream: String?) -> Bool {
        var status = stat()
        guard let stream, fstat(2, &status) == 0 else { return false }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }

    /// Hands over one entry; false: it was not taken, and is to be written elsewhere.
    ///
    /// Names are of capitals, digits and underscores. A value with a line break is refused: it would
    /// be another field.
    public func write(_ fields: [(name: String, value: String)]) -> Bool {
        var message: [UInt8] = []
        for (name, value) in fields {
            guard !value.utf8.contains(10), !name.utf8.contains(61) else { return false }
            message += Array(name.utf8) + [61] + Array(value.utf8) + [10]
        }
        return address?.send(message) ?? false
    }
}
