import Glibc
import TableTransport
import Testing

@testable import TableDaemon

/// A long reading of the journal is not taken for a hanging start, nor for a hanging daemon.
@Suite struct LongReadingTests {
    /// A manager's socket, with an abstract name.
    private final class Manager {
        let name = "@trestle-test-\(getpid())-\(UInt64.random(in: 0 ... .max))"
        private let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)

        init() throws {
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let bytes = [0] + Array(name.utf8.dropFirst())
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
            let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
            let bound = withUnsafePointer(to: address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, length)
                }
            }
            try #require(bound == 0)
        }

        deinit { close(descriptor) }

        /// The messages that have come since the last look.
        func heard() -> [String] {
            var all: [String] = []
            var bytes = [UInt8](repeating: 0, count: 256)
            while true {
                let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
                guard count > 0 else { return all }
                all.append(String(decoding: bytes.prefix(count), as: UTF8.self))
            }
        }
    }

    /// As many messages as there are periods, however often it goes on.
    @Test func itIsSaidNowAndThen() throws {
        let manager = try Manager()
        let notify = try Notify(environment: ["NOTIFY_SOCKET": manager.name])
        var now: UInt64 = 70_000
        let reading = LongReading(notify) { now }
        for _ in 0..<100 { reading.goesOn() }
        #expect(manager.heard() == ["EXTEND_TIMEOUT_USEC=90000000"])
        // The system holds some ten messages for a manager.
        for _ in 0..<40 {
            now += 1_000
            reading.goesOn()
        }
        #expect(manager.heard() == Array(repeating: "EXTEND_TIMEOUT_USEC=90000000", count: 8))
        reading.isServing = true
        for _ in 0..<40 {
            now += 1_000
            reading.goesOn()
        }
        #expect(manager.heard() == Array(repeating: "WATCHDOG=1", count: 8))
    }

    /// A watchdog that waits for less is told more often.
    @Test func theWatchdogIsNotKeptWaiting() throws {
        let manager = try Manager()
        let notify = try Notify(
            environment: ["NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "2000000"])
        var now: UInt64 = 0
        let reading = LongReading(notify) { now }
        reading.isServing = true
        for _ in 0..<10 {
            reading.goesOn()
            now += 500
        }
        #expect(manager.heard() == Array(repeating: "WATCHDOG=1", count: 5))
    }
}
