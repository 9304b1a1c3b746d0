public import Glibc

/// Tells the service manager the state of this process (systemd's `sd_notify`). Does nothing if no
/// manager asked for it.
///
/// Each call returns whether the message was delivered. A failure is worth a log line, no more.
public struct Notify: Sendable {
    /// The longest time between two calls of `watchdog`. Call it twice as often. `nil` if there is
    /// no watchdog.
    public let watchdogIntervalMicroseconds: UInt64?

    /// `nil` if nobody listens.
    private let address: UnixAddress?

    /// Reads the address and the watchdog's interval.
    public init(
        environment: [String: String] = ServiceEnvironment.current, processID: Int32 = getpid()
    ) throws(MalformedEnvironment) {
        address = try Self.address(in: environment)
        watchdogIntervalMicroseconds = try Self.interval(in: environment, for: processID)
    }

    /// The service is ready.
    @discardableResult
    public func ready(status text: String = "ready") -> Bool {
        send("READY=1\nSTATUS=" + Self.line(text))
    }

    /// The status that `systemctl status` shows.
    @discardableResult
    public func status(_ text: String) -> Bool { send("STATUS=" + Self.line(text)) }

    /// The service is about to end.
    @discardableResult
    public func stopping() -> Bool { send("STOPPING=1") }

    /// The start takes longer: for so many microseconds from now on, unless this is called again.
    @discardableResult
    public func extend(microseconds: UInt64) -> Bool { send("EXTEND_TIMEOUT_USEC=\(microseconds)") }

    /// The service is alive.
    @discardableResult
    public func watchdog() -> Bool { send("WATCHDOG=1") }

    private func send(_ message: String) -> Bool { address?.send(Array(message.utf8)) ?? false }

    /// Makes it one short line: the next line would be another assignment.
    private static func line(_ text: String) -> String {
        let bytes = text.utf8.prefix(512).map { $0 < 0x20 ? UInt8(ascii: " ") : $0 }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func address(
        in environment: [String: String]
    ) throws(MalformedEnvironment) -> UnixAddress? {
        guard let value = environment["NOTIFY_SOCKET"] else { return nil }
        var bytes = Array(value.utf8)
        if bytes.count >= 2, !bytes.contains(0), ["/", "@"].contains(value.prefix(1)) {
            if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
            if let address = UnixAddress(bytes) { return address }
        }
        throw MalformedEnvironment(
            variable: "NOTIFY_SOCKET", value: value, reason: .malformedAddress)
    }

    private static func interval(
        in environment: [String: String], for processID: Int32
    ) throws(MalformedEnvironment) -> UInt64? {
        guard let value = environment["WATCHDOG_USEC"] else { return nil }
        if let pid = environment["WATCHDOG_PID"] {
            let watched = try MalformedEnvironment.number("WATCHDOG_PID", pid, in: 1...Int32.max)
            guard watched == processID else { return nil }
        }
        // systemd writes "infinity" as the greatest value. It means nothing here.
        return try MalformedEnvironment.number("WATCHDOG_USEC", value, in: 1...(UInt64.max - 1))
    }
}
