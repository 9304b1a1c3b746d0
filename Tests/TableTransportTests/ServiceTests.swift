import Glibc
import Testing

@testable import TableTransport

@Suite(.serialized) struct ListenDescriptorsTests {
    /// Descriptors that neither the test runner nor libzmq is going to use.
    private static let first: Int32 = 700

    private func take(_ environment: [String: String]) throws -> [String: Int32] {
        try ListenDescriptors.adopt(from: environment, processID: 42, first: Self.first)
    }

    @Test func eachIsFoundByItsName() throws {
        let directory = Directory()
        for offset in 0..<2 as Range<Int32> {
            let socket = listeningSocket(at: "\(directory.path)/\(offset)")
            dup2(socket, Self.first + offset)
            close(socket)
        }
        defer { for offset in 0..<2 as Range<Int32> { close(Self.first + offset) } }
        var environment = [
            "LISTEN_PID": "42", "LISTEN_FDS": "2", "LISTEN_FDNAMES": "commands:tables",
        ]
        let found = try take(environment)
        #expect(found == ["commands": Self.first, "tables": Self.first + 1])
        #expect(fcntl(Self.first, F_GETFD) & FD_CLOEXEC != 0)
        #expect(fcntl(Self.first, F_GETFL) & O_NONBLOCK != 0)

        environment["LISTEN_FDNAMES"] = "same:same"
        #expect(throws: malformed("LISTEN_FDNAMES", "same", .repeatedName)) {
            try take(environment)
        }
        environment["LISTEN_FDS"] = "3"
        environment["LISTEN_FDNAMES"] = "a:b:c"
        #expect(throws: malformed("LISTEN_FDS", "3", .notListening)) { try take(environment) }
    }

    @Test func othersDescriptorsAreLeftAlone() throws {
        #expect(try take([:]).isEmpty)
        #expect(try take(["LISTEN_FDS": "nonsense"]).isEmpty)
        #expect(try take(["LISTEN_PID": "41", "LISTEN_FDS": "nonsense"]).isEmpty)
        #expect(try take(["LISTEN_PID": "42", "LISTEN_FDS": "0"]).isEmpty)
    }

    @Test(arguments: [
        "", "-1", "+1", " 1", "1 ", "0x1", "1.0", "١", "65", "2147483648",
        "99999999999999999999999999999999", "NaN",
    ])
    func hostileCounts(count: String) {
        let error = #expect(throws: MalformedEnvironment.self) {
            try take(["LISTEN_PID": "42", "LISTEN_FDS": count, "LISTEN_FDNAMES": "a"])
        }
        #expect(error?.variable == "LISTEN_FDS")
    }

    @Test(arguments: ["", "0", "-42", "4 2", "2147483648", "18446744073709551616", "self"])
    func hostilePids(pid: String) {
        let error = #expect(throws: MalformedEnvironment.self) {
            try take(["LISTEN_PID": pid, "LISTEN_FDS": "1", "LISTEN_FDNAMES": "a"])
        }
        #expect(error?.variable == "LISTEN_PID")
    }

    @Test(arguments: [
        ("a", MalformedEnvironment.Reason.wrongNumberOfNames),
        ("a:b:c", .wrongNumberOfNames),
        ("a:", .malformedName),
        (":", .malformedName),
        ("a:b c", .malformedName),
        ("a:é", .malformedName),
        ("a:b\n", .malformedName),
        ("a:" + String(repeating: "b", count: 256), .malformedName),
    ])
    func hostileNames(names: String, reason: MalformedEnvironment.Reason) {
        #expect(throws: malformed("LISTEN_FDNAMES", names, reason)) {
            try take(["LISTEN_PID": "42", "LISTEN_FDS": "2", "LISTEN_FDNAMES": names])
        }
    }

    @Test func missingNamesAreRefused() {
        #expect(throws: malformed("LISTEN_FDNAMES", "", .missing)) {
            try take(["LISTEN_PID": "42", "LISTEN_FDS": "1"])
        }
        #expect(throws: malformed("LISTEN_FDS", "", .missing)) { try take(["LISTEN_PID": "42"]) }
    }

    @Test func aRefusalIsOneShortLine() {
        let value = "\u{1B}[31m\n" + String(repeating: "9", count: 10_000)
        let text = malformed("LISTEN_FDS", value, .notANumber).description
        #expect(text.hasPrefix("LISTEN_FDS is not a decimal number: "))
        #expect(text.utf8.count < 200)
        #expect(text.utf8.allSatisfy { $0 >= 0x20 })
    }
}

@Suite struct NotifyTests {
    private func received(on descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    @Test(arguments: [true, false])
    func itSpeaksAsTheManagerExpects(abstract: Bool) throws {
        let directory = Directory()
        let path = (abstract ? "@" : "") + "\(directory.path)/notify"
        let manager = unixSocket(Int32(SOCK_DGRAM.rawValue), at: path)
        try #require(manager >= 0)
        defer { close(manager) }
        let notify = try Notify(environment: ["NOTIFY_SOCKET": path], processID: 42)
        #expect(notify.ready(status: "3 tables"))
        #expect(received(on: manager) == "READY=1\nSTATUS=3 tables")
        #expect(notify.watchdog())
        #expect(received(on: manager) == "WATCHDOG=1")
        #expect(notify.extend(microseconds: 90_000_000))
        #expect(received(on: manager) == "EXTEND_TIMEOUT_USEC=90000000")
        // A status cannot bring in another assignment.
        #expect(notify.status("a\nMAINPID=1"))
        #expect(received(on: manager) == "STATUS=a MAINPID=1")
        #expect(notify.status(String(repeating: "x", count: 100_000)))
        #expect(received(on: manager).utf8.count == 519)
        #expect(notify.stopping())
        #expect(received(on: manager) == "STOPPING=1")
    }

    @Test func withoutAManagerItIsSilent() throws {
        let alone = try Notify(environment: [:], processID: 42)
        #expect(!alone.ready())
        #expect(alone.watchdogIntervalMicroseconds == nil)
        let gone = try Notify(environment: ["NOTIFY_SOCKET": "/nonexistent/notify"])
        #expect(!gone.ready())
    }

    @Test(arguments: [
        "", "/", "@", "relative", "vsock:2:1", "/a\0b", "/" + String(repeating: "x", count: 107),
    ])
    func hostileAddresses(address: String) {
        #expect(throws: malformed("NOTIFY_SOCKET", address, .malformedAddress)) {
            try Notify(environment: ["NOTIFY_SOCKET": address], processID: 42)
        }
    }

    @Test func theWatchdogIsOurs() throws {
        func interval(_ microseconds: String, _ pid: String?) throws -> UInt64? {
            var environment = ["WATCHDOG_USEC": microseconds]
            environment["WATCHDOG_PID"] = pid
            return try Notify(
                environment: environment, processID: 42
            ).watchdogIntervalMicroseconds
        }
        #expect(try interval("30000000", nil) == 30_000_000)
        #expect(try interval("30000000", "42") == 30_000_000)
        #expect(try interval("nonsense", "41") == nil)
        for hostile in ["", "0", "-1", "1s", "18446744073709551615", "18446744073709551616"] {
            #expect(throws: MalformedEnvironment.self) { try interval(hostile, "42") }
        }
        #expect(throws: malformed("WATCHDOG_PID", "0", .outOfRange)) { try interval("1", "0") }
    }
}

private func malformed(
    _ variable: String, _ value: String, _ reason: MalformedEnvironment.Reason
) -> MalformedEnvironment {
    MalformedEnvironment(variable: variable, value: value, reason: reason)
}
