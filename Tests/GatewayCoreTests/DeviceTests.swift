import TableSync
import Testing

@testable import GatewayCore

@Suite struct DeviceTests {
    private func invitation(_ name: String, _ code: String, endsAt: Int = 600) -> Invitation {
        Invitation(
            name: name, role: .operator, tables: [.all], endsAt: endsAt,
            codeHash: SHA256.hex(code))
    }

    @Test("a code is good once, and for its time")
    func once() throws {
        var register = Register()
        try register.invite(invitation("grill", "c"), now: 0)
        #expect(throws: DeviceRefusal.badCode) {
            try register.redeem(
                codeHash: SHA256.hex("d"), tokenHash: SHA256.hex("t"), prefix: "p", now: 1)
        }
        let device = try register.redeem(
            codeHash: SHA256.hex("c"), tokenHash: SHA256.hex("t"), prefix: "web-1-", now: 599)
        #expect(register.device(tokenHash: SHA256.hex("t"), now: 600) == device)
        #expect(register.device(tokenHash: SHA256.hex("u"), now: 600) == nil)
        #expect(throws: DeviceRefusal.badCode) {
            try register.redeem(
                codeHash: SHA256.hex("c"), tokenHash: SHA256.hex("v"), prefix: "p", now: 599)
        }
        #expect(throws: DeviceRefusal.nameTaken) {
            try register.invite(invitation("grill", "e"), now: 599)
        }
        try register.invite(invitation("late", "f"), now: 0)
        #expect(throws: DeviceRefusal.badCode) {
            try register.redeem(
                codeHash: SHA256.hex("f"), tokenHash: SHA256.hex("v"), prefix: "p", now: 600)
        }
        try register.revoke("grill")
        #expect(register.devices.isEmpty)
        #expect(throws: DeviceRefusal.noSuchDevice) { try register.revoke("grill") }
    }

    @Test("a register is what its file says")
    func file() throws {
        var register = Register()
        try register.invite(invitation("a b", "1"), now: 0)
        try register.invite(invitation("é", "2"), now: 0)
        _ = try register.redeem(
            codeHash: SHA256.hex("1"), tokenHash: SHA256.hex("t"), prefix: "web-1-", now: 7)
        #expect(try Register(text: register.text) == register)
        #expect(!register.text.utf8.elementsEqual(Register().text.utf8))
    }

    @Test("a time in a file that no clock shows is a fault", arguments: [Int.min, -1, Int.max])
    func times(time: Int) throws {
        let hash = SHA256.hex("t")
        for line in [
            "device\td\tviewer\tweb-\t\(time)\t\(hash)\t*\n", "used\tweb-\t\(time)\t\n",
        ] {
            #expect(throws: MalformedRegister(line: 2)) {
                try Register(text: "trestle-devices 1\n" + line)
            }
        }
    }

    @Test("a secret is looked for in one place, however many devices there are")
    func many() throws {
        let lines = (0..<Register.mostDevices).map { number in
            "device\td\(number)\tviewer\tweb-\t0\t\(SHA256.hex("t\(number)"))\t*\n"
        }
        var register = try Register(text: "trestle-devices 1\n" + lines.joined())
        let unknown = SHA256.hex("nobody's")
        let took = ContinuousClock().measure {
            for _ in 0..<5_000 where register.device(tokenHash: unknown, now: 600) != nil {
                Issue.record("it is known")
            }
        }
        #expect(took < .seconds(1))
        // One that leaves moves those behind it.
        try register.revoke("d0")
        #expect(register.device(tokenHash: SHA256.hex("t0"), now: 600) == nil)
        for number in [1, 2, 999] {
            let found = register.device(tokenHash: SHA256.hex("t\(number)"), now: 600)
            #expect(found?.name == "d\(number)")
        }
    }

    @Test("few cookies of a request are looked at")
    func cookies() {
        let secret = String(repeating: "s", count: 43)
        func secrets(_ headers: String...) -> [String] {
            Cookies.secrets(in: headers, names: ["__Host-trestle", "trestle"]).map(\.secret)
        }
        let both = secrets("a=1; trestle=\(secret);b=2", "__Host-trestle=\(secret)=")
        #expect(both == [secret, secret + "="])
        #expect(secrets("trestle2=\(secret)", "Trestle=\(secret)", "trestle", "=", "").isEmpty)
        #expect(secrets("trestle=short", "trestle=" + String(repeating: "s", count: 101)).isEmpty)
        let numbered = (0..<440).map { "trestle=\(String(repeating: "s", count: 20))\($0)" }
        let text = numbered.joined(separator: "; ")
        #expect(secrets(text, text) == numbered.prefix(4).map { String($0.dropFirst(8)) })
    }

    @Test(
        "a broken file is refused by its line",
        arguments: [
            ("nonsense", 1), ("trestle-devices 2", 1), ("trestle-devices 1\ndevice", 2),
            ("trestle-devices 1\ndevice\ta\tgod\tp\t1\tx\t*", 2),
        ])
    func broken(text: String, line: Int) {
        #expect(throws: MalformedRegister(line: line)) { try Register(text: text) }
    }

    @Test("too many wrong codes of one address do not shut out another")
    func attempts() {
        var attempts = PairingAttempts(nowMs: 0)
        let first = (0..<20).filter { _ in attempts.admits("a", nowMs: 0) }
        #expect(first.count == 10)
        #expect(attempts.admits("b", nowMs: 0) == true)
        #expect(attempts.admits("a", nowMs: 6_100) == true)
        #expect(attempts.admits("a", nowMs: 6_200) == false)
        // Addresses without number share what all may do, and are not all remembered.
        let many = (0..<10_000).filter { attempts.admits("x\($0)", nowMs: 6_300) }
        #expect(many.count < 4_400)
    }

    @Test("a stranger makes room before a device does")
    func leaving() {
        let order = [(false, 1), (false, 9), (true, 0), (true, 5)].map { hasDevice, sinceMs in
            Leaving(hasDevice: hasDevice, sinceMs: sinceMs)
        }
        #expect(order.reversed().sorted() == order)
    }

    @Test("a screen that asks waits for ten minutes, and few do at once")
    func askings() {
        var askings = Askings()
        func asks(_ code: String, _ hash: String, now: Int, from address: String = "a") -> Bool {
            askings.ask(code: code, secretHash: hash, from: address, now: now)
        }
        let (first, second) = (asks("123456", "a", now: 100), asks("123456", "b", now: 100))
        #expect(first && !second)
        #expect(askings.secretHash(of: "123456", now: 699) == "a")
        #expect(askings.secretHash(of: "123457", now: 100) == nil)
        #expect(askings.waits(secretHash: "a", now: 699))
        #expect(!askings.waits(secretHash: "b", now: 1))
        #expect(!askings.waits(secretHash: "a", now: 700))
        #expect(askings.secretHash(of: "123456", now: 700) == nil)
        let others = (1..<Askings.most).map { asks("\($0)", "h\($0)", now: 100, from: "x\($0)") }
        let isFull = !asks("x", "x", now: 100)
        #expect(others.allSatisfy { $0 } && isFull)
        askings.end(secretHash: "a")
        #expect(askings.secretHash(of: "123456", now: 100) == nil)
        let (next, later) = (asks("x", "x", now: 100), asks("1", "y", now: 700))
        #expect(next && later)
    }

    @Test("one address has few screens that wait, and its newest take the places of its oldest")
    func askingsOfOneAddress() {
        var askings = Askings()
        for number in 0..<60 {
            let isIn = askings.ask(
                code: "\(number)", secretHash: "h\(number)", from: "2001:db8::\(number)",
                now: number)
            #expect(isIn)
        }
        let waiting = (0..<60).filter { askings.waits(secretHash: "h\($0)", now: 60) }
        #expect(waiting == Array((60 - Askings.mostOfAddress)..<60))
        let other = askings.ask(code: "x", secretHash: "x", from: "192.0.2.1", now: 60)
        #expect(other && askings.waits(secretHash: "h55", now: 60))
    }

    @Test(
        "of an IPv6 address its network counts",
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"),
            ("::ffff:c000:0201", "192.0.2.1"), ("2001:db8:0:1::7", "2001:db8:0:1::/64"),
            ("2001:DB8:0:1:ffff:ffff:ffff:ffff", "2001:db8:0:1::/64"), ("::1", "0:0:0:0::/64"),
            ("fe80::1%eth0", "fe80:0:0:0::/64"), ("::", "0:0:0:0::/64"), ("1::", "1:0:0:0::/64"),
            ("64:ff9b::192.0.2.1", "64:ff9b:0:0::/64"), ("unix", "unix"), ("", ""), (":", ":"),
            ("1:2", "1:2"), ("1::2::3", "1::2::3"), ("1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8:9"),
            ("12345::", "12345::"), ("::1.2.3", "::1.2.3"), ("[::1]:80", "[::1]:80"),
        ])
    func networks(address: String, place: String) {
        #expect(NetworkPlace.of(address) == place)
    }

    @Test("who guesses from many addresses of one network is counted once")
    func attemptsOfOneNetwork() {
        var attempts = PairingAttempts(nowMs: 0)
        let admitted = (0..<20).count { attempts.admits("2001:db8::\($0)", nowMs: 0) }
        let other = attempts.admits("2001:db8:0:1::1", nowMs: 0)
        #expect(admitted == 10 && other)
        attempts.succeeded("2001:db8::ffff")
        let again = attempts.admits("2001:db8::1", nowMs: 0)
        #expect(again)
    }

    @Test("a code is known as long as it holds, and once")
    func invited() throws {
        var register = Register()
        try register.invite(invitation("grill", "code"), now: 0)
        let hash = SHA256.hex("code")
        let endsAt = try #require(register.invitations.first).endsAt
        #expect(register.isInvited(codeHash: hash, now: endsAt - 1))
        #expect(!register.isInvited(codeHash: hash, now: endsAt))
        #expect(!register.isInvited(codeHash: SHA256.hex("other"), now: 0))
        _ = try register.redeem(codeHash: hash, tokenHash: "t", prefix: "web-a-", now: 0)
        #expect(!register.isInvited(codeHash: hash, now: 0))
    }

    @Test("a device that is renamed keeps its cookie")
    func renaming() throws {
        var register = Register()
        for name in ["grill", "bar"] {
            try register.invite(invitation(name, "code \(name)"), now: 0)
            _ = try register.redeem(
                codeHash: SHA256.hex("code \(name)"), tokenHash: SHA256.hex(name),
                prefix: "web-\(name)-", now: 0)
        }
        try register.invite(invitation("fry", "fry"), now: 0)
        #expect(throws: DeviceRefusal.nameTaken) { try register.rename("grill", to: "bar") }
        #expect(throws: DeviceRefusal.nameTaken) { try register.rename("grill", to: "fry") }
        #expect(throws: DeviceRefusal.noSuchDevice) { try register.rename("pass", to: "x") }
        try register.rename("grill", to: "hot line")
        let device = try #require(register.device(tokenHash: SHA256.hex("grill"), now: 600))
        #expect(device.name == "hot line" && device.prefix == "web-grill-")
        #expect(try Register(text: register.text) == register)
    }

    @Test("a bucket fills by itself, and a clock that goes back takes nothing")
    func bucket() {
        var bucket = Bucket(most: 10, perSecond: 1, nowMs: 1_000)
        let taken = [(10.0, 1_000), (1, 1_000), (1, 500), (1, 1_900), (1, 2_000)].map {
            bucket.take($0.0, nowMs: $0.1)
        }
        #expect(taken == [true, false, false, false, true])
        #expect(bucket.isFull(nowMs: 12_000))
    }
}
