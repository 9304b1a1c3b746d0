public import Glibc

/// Sockets that a service manager opened for this process (systemd's socket activation).
public enum ListenDescriptors {
    /// Far more than a daemon's units list. It bounds the work whatever the variable says.
    private static let maximumCount: Int32 = 64

    /// The listening sockets by name (`FileDescriptorName=` in the unit). Empty if there are none,
    /// or if they are meant for another process.
    ///
    /// Each is checked. Each is set close-on-exec, and non-blocking: a peer that leaves before it
    /// is accepted would otherwise stop libzmq's I/O thread.
    public static func adopt(
        from environment: [String: String] = ServiceEnvironment.current, processID: Int32 = getpid()
    ) throws(MalformedEnvironment) -> [String: Int32] {
        // The protocol puts them after standard input, output and error.
        try adopt(from: environment, processID: processID, first: 3)
    }

    static func adopt(
        from environment: [String: String], processID: Int32, first: Int32
    ) throws(MalformedEnvironment) -> [String: Int32] {
        guard let pid = environment["LISTEN_PID"] else { return [:] }
        guard try MalformedEnvironment.number("LISTEN_PID", pid, in: 1...Int32.max) == processID
        else { return [:] }
        let text = environment["LISTEN_FDS"] ?? ""
        guard !text.isEmpty else { throw malformed("LISTEN_FDS", text, .missing) }
        let count = try MalformedEnvironment.number("LISTEN_FDS", text, in: 0...maximumCount)
        guard count > 0 else { return [:] }

        let names = try names(of: count, in: environment)
        var descriptors: [String: Int32] = [:]
        for (descriptor, name) in zip(first..<(first + count), names) {
            guard isListening(descriptor) else {
                throw malformed("LISTEN_FDS", text, .notListening)
            }
            guard descriptors.updateValue(descriptor, forKey: name) == nil else {
                throw malformed("LISTEN_FDNAMES", name, .repeatedName)
            }
        }
        for descriptor in descriptors.values { keepToOurselves(descriptor) }
        return descriptors
    }

    private static func names(
        of count: Int32, in environment: [String: String]
    ) throws(MalformedEnvironment) -> [String] {
        guard let list = environment["LISTEN_FDNAMES"] else {
            throw malformed("LISTEN_FDNAMES", "", .missing)
        }
        let names = list.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard names.count == Int(count) else {
            throw malformed("LISTEN_FDNAMES", list, .wrongNumberOfNames)
        }
        for name in names {
            guard (1...255).contains(name.count), name.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
            else { throw malformed("LISTEN_FDNAMES", list, .malformedName) }
        }
        return names.map { String(decoding: $0, as: UTF8.self) }
    }

    private static func isListening(_ descriptor: Int32) -> Bool {
        var listening: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) == 0
            && listening != 0
    }

    /// Cannot fail on a descriptor that `isListening` has just accepted.
    private static func keepToOurselves(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFD, fcntl(descriptor, F_GETFD) | FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }

    private static func malformed(
        _ variable: String, _ value: String, _ reason: MalformedEnvironment.Reason
    ) -> MalformedEnvironment {
        MalformedEnvironment(variable: variable, value: value, reason: reason)
    }
}
