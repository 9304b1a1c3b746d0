import TableSync
import Testing

@testable import GatewayCore

/// A browser: what its cookie is, and until when it keeps it.
private struct Browser {
    let name: String
    var endsAt: Int

    /// Uses it: the server knows the cookie, and gives it anew.
    mutating func use(_ register: Register, _ uses: inout DeviceUses, now: Int) -> Bool {
        let hash = SHA256.hex(name)
        guard now < endsAt, let device = register.device(tokenHash: hash, now: now) else {
            return false
        }
        uses.saw(device, from: "192.0.2.7", now: now)
        endsAt = now + Register.unusedSeconds
        return true
    }
}

@Suite struct DeviceUseTests {
    private let day = 86_400

    private func pair(_ name: String, _ register: inout Register, now: Int = 0) throws {
        try register.invite(
            Invitation(
                name: name, role: .operator, tables: [.all], endsAt: now + 600,
                codeHash: SHA256.hex("code")), now: now)
        _ = try register.redeem(
            codeHash: SHA256.hex("code"), tokenHash: SHA256.hex(name), prefix: "web-\(name)-",
            now: now)
    }

    @Test(
        "three years of a site: a device that is used stays in, and one that is not for a year does not"
    )
    func years() throws {
        var (register, uses) = (Register(), DeviceUses())
        let every = ["minutely": 0, "daily": 1, "weekly": 7, "monthly": 30, "yearly": 364]
        for name in every.keys.sorted() + ["never", "once"] { try pair(name, &register) }
        var browsers = every.keys.sorted().map { Browser(name: $0, endsAt: Register.unusedSeconds) }
        var once = Browser(name: "once", endsAt: Register.unusedSeconds)
        var (writes, dropped): (Int, [String]) = (0, [])
        for hour in 0..<(2 * 365 * 24) {
            let now = hour * 3_600
            for index in browsers.indices
            where now / day % max(1, every[browsers[index].name] ?? 1) == 0 {
                // At the same hour of the day, but for the one that is always used.
                guard every[browsers[index].name] == 0 || hour % 24 == 9 else { continue }
                if !browsers[index].use(register, &uses, now: now) {
                    dropped.append(browsers[index].name)
                }
            }
            if hour == 40 * 24 { #expect(once.use(register, &uses, now: now)) }
            let due = uses.due(in: register)
            guard !due.isEmpty else { continue }
            writes += due.count
            register.note(due)
            // The file has it in this form.
            register = try Register(text: register.text)
        }
        #expect(dropped.isEmpty)
        func isIn(_ name: String, _ now: Int) -> Bool {
            register.device(tokenHash: SHA256.hex(name), now: now) != nil
        }
        #expect(isIn("never", 365 * day - 1) && !isIn("never", 365 * day))
        #expect(isIn("once", 405 * day - 1) && !isIn("once", 405 * day))
        // At most one a day for each.
        #expect(writes < 2 * 365 * 3)
    }

    @Test("a name is free again when its device was not used for a year")
    func free() throws {
        var register = Register()
        try pair("grill", &register)
        #expect(throws: DeviceRefusal.nameTaken) {
            try pair("grill", &register, now: 365 * day - 1)
        }
        try pair("grill", &register, now: 365 * day)
        #expect(register.devices.map(\.pairedAt) == [365 * day])
    }

    @Test("a use is noted where it says something new, and an address is one")
    func noted() throws {
        var (register, uses) = (Register(), DeviceUses())
        try pair("grill", &register, now: 10 * day)
        let device = register.devices[0]
        uses.saw(device, from: "2001:db8::1", now: 10 * day + 5)
        #expect(uses.due(in: register).isEmpty)
        #expect(uses.use(of: device, in: register).at == 10 * day + 5)
        // A socket that is open is a use, and its address is known.
        uses.saw(device, now: 11 * day)
        let due = uses.due(in: register)
        #expect(due == [device.prefix: DeviceUse(at: 11 * day, address: "2001:db8::1")])
        register.note(due)
        #expect(try Register(text: register.text) == register)
        #expect(uses.due(in: register).isEmpty)
        // A clock that was ahead does not keep a device in for longer.
        uses.saw(device, now: 9 * day)
        #expect(uses.due(in: register)[device.prefix]?.at == 9 * day)
        #expect(DeviceUse(at: 0, address: "a\tb").address.isEmpty)
        try register.revoke("grill")
        #expect(uses.due(in: register).isEmpty && register.uses.isEmpty)
    }

    @Test("a token is no cookie, and a cookie is no token")
    func tokens() throws {
        var register = Register()
        try register.invite(
            Invitation(
                name: "till", role: .viewer, tables: [.all], endsAt: 600, codeHash: "c"), now: 0)
        let device = try register.redeem(
            codeHash: "c", tokenHash: SHA256.hex("t"), isToken: true, prefix: "web-1-", now: 0)
        #expect(register.device(tokenHash: SHA256.hex("t"), now: 0) == nil)
        #expect(register.device(tokenHash: SHA256.hex("t"), isToken: true, now: 0) == device)
        #expect(try Register(text: register.text) == register)
        try pair("grill", &register)
        #expect(register.device(tokenHash: SHA256.hex("grill"), isToken: true, now: 0) == nil)
        let long = String(repeating: "s", count: 43)
        #expect(BearerToken.secret(in: "bearer \(long)") == long)
        #expect(BearerToken.secret(in: "Bearer x")?.isEmpty == true)
        #expect(
            BearerToken.secret(in: "Basic \(long)") == nil && BearerToken.secret(in: nil) == nil)
    }
}

@Suite struct ReadinessTests {
    private func up() -> DaemonState {
        var state = DaemonState()
        let epoch = String(repeating: "0", count: 32)
        let hello =
            #"{"ok":true,"client":"g","number":1,"epoch":"\#(epoch)","hello":{"protocol":1,"#
            + #""program":"trestled","version":"0","epoch":"\#(epoch)","opened":1,"#
            + #""features":["behalf"],"limits":{"requestBytes":65536}}}"#
        _ = state.heard(Array(hello.utf8), nowMs: 0)
        return state
    }

    @Test("changes can be made while a daemon that takes them has just said so")
    func ready() {
        let daemon = up()
        var readiness = Readiness()
        #expect(daemon.isUp && readiness.fault(daemon, nowMs: 0) == "silent")
        var health = Health()
        readiness.heard(health, nowMs: 0)
        #expect(readiness.fault(daemon, nowMs: 1_500) == nil)
        #expect(readiness.fault(daemon, nowMs: 1_501) == "silent")
        #expect(readiness.fault(DaemonState(), nowMs: 0) == "silent")
        health.status = "readOnly"
        readiness.heard(health, nowMs: 2_000)
        #expect(readiness.fault(daemon, nowMs: 2_000) == "readOnly")
        health = Health()
        var cluster = Health.Cluster()
        for (role, leader, isOutOfTouch, why) in [
            ("leader", ["a"], false, nil), ("standby", ["a"], false, "notLeader"),
            ("standby", [], false, "noLeader"), ("standby", ["a"], true, "outOfTouch"),
        ] as [(String, [String], Bool, String?)] {
            (cluster.role, cluster.leader, cluster.isOutOfTouch) = (role, leader, isOutOfTouch)
            health.cluster = cluster
            readiness.heard(health, nowMs: 2_000)
            #expect(readiness.fault(daemon, nowMs: 2_000) == why)
        }
        cluster.role = "leader"
        readiness.refused("noHealth", nowMs: 3_000)
        #expect(readiness.fault(daemon, nowMs: 3_000) == "noHealth")
        readiness.lost()
        #expect(readiness.fault(daemon, nowMs: 3_000) == "silent")
    }
}
