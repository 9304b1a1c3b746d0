import TableModel
import TableSync
import Testing

@testable import GatewayCore

@Suite struct HubTests {
    private func device(_ name: String, _ role: Role = .operator, _ tables: String = "*") -> Device
    {
        Device(
            name: name, role: role, tables: [TablePattern(tables)].compactMap { $0 },
            prefix: "web-\(name)-", pairedAt: 0, tokenHash: SHA256.hex(name))
    }

    private func hub(_ bounds: Hub.Bounds = Hub.Bounds()) -> Hub {
        Hub(program: ("trestle-serve", "1"), assets: "hash", bounds: bounds)
    }

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// The heads of what a page is sent.
    private func heads(_ effects: [GatewayCore.Effect], to page: PageID) -> [String] {
        effects.compactMap { effect in
            guard case .send(let pages, let message) = effect, pages.contains(page) else {
                return nil
            }
            return message.head
        }
    }

    private let heartbeat = #"{"table":"t","history":"h","epoch":"e","heartbeat":{"revision":3}}"#

    /// What follows a table once more.
    private let anew = [
        #"unsubscribe("j/t/")"#, #"subscribe("j/t/")"#,
        #"unsubscribe("pj/t/")"#, #"subscribe("pj/t/")"#,
    ]

    @Test("the first follower subscribes, the last unsubscribes")
    func subscriptions() {
        var hub = hub()
        _ = hub.opened(1, device("a"))
        _ = hub.opened(2, device("b"))
        let first = hub.said(1, bytes("follow t"), nowMs: 0)
        #expect(first.map { "\($0)" } == [#"subscribe("j/t/")"#, #"subscribe("pj/t/")"#])
        // Nothing was heard yet: the daemon is made to say it again, and not twice at once.
        #expect(hub.said(2, bytes("follow t"), nowMs: 0).map { "\($0)" } == anew)
        #expect(hub.closed(1).isEmpty)
        let last = hub.said(2, bytes("leave t"), nowMs: 0)
        #expect(last.map { "\($0)" } == [#"unsubscribe("j/t/")"#, #"unsubscribe("pj/t/")"#])
    }

    /// To Swift both names are one text.
    @Test("names that only look alike are two tables")
    func alike() {
        let (one, other) = ("caf\u{E9}", "cafe\u{301}")
        var hub = hub()
        _ = hub.opened(1, device("a", .viewer, one))
        _ = hub.opened(2, device("b"))
        _ = hub.said(1, bytes("follow \(one)"), nowMs: 0)
        #expect(hub.said(2, bytes("follow \(other)"), nowMs: 0).count == 2)
        #expect(heads(hub.said(1, bytes("follow \(other)"), nowMs: 0), to: 1).first != nil)
        let news = hub.heardPublication(topic: "j/\(other)/", bytes(heartbeat), nowMs: 0)
        #expect(heads(news, to: 1).isEmpty && heads(news, to: 2).count == 1)
    }

    @Test("one device does not take all places of tables")
    func shares() {
        var hub = hub()
        for page in 0..<3 { _ = hub.opened(page, device("a")) }
        _ = hub.opened(9, device("b"))
        var ended = 0
        for table in 0..<48 {
            let effects = hub.said(table / 16, bytes("follow t\(table)"), nowMs: 0)
            for case .end in effects { ended += 1 }
        }
        #expect(ended == 16 && hub.tableCount == 32)
        #expect(hub.said(9, bytes("follow mine"), nowMs: 0).count == 2)
    }

    /// The daemon ends a connection that has 16 KiB of topics, and every screen hangs by that one.
    @Test("long names of tables do not fill the topics of all")
    func topics() {
        var hub = hub()
        var bytes: [String: Int] = [:]
        func count(_ effects: [GatewayCore.Effect], of device: String) {
            for case .subscribe(let topic) in effects {
                bytes[device, default: 0] += topic.utf8.count
            }
        }
        let long = String(repeating: "x", count: 125)
        for number in 0..<20 {
            let name = "d\(number)"
            _ = hub.opened(number, device(name))
            for table in 0..<16 {
                let text = "follow \(number * 16 + table + 100)\(long)"
                count(hub.said(number, self.bytes(text), nowMs: 0), of: name)
            }
        }
        #expect(bytes.values.allSatisfy { (1...2_048).contains($0) })
        #expect((10_000...15_360).contains(bytes.values.reduce(0, +)))
        // Whoever follows what is followed already takes nothing from anybody.
        _ = hub.opened(99, device("last"))
        let effects = hub.said(99, self.bytes("follow 100\(long)"), nowMs: 0)
        #expect(!effects.contains { if case .end = $0 { true } else { false } })
    }

    @Test("a device that joins again and again waits")
    func joins() {
        var hub = hub()
        let device = device("a")
        let admitted = (0..<100).count { _ in hub.joins(device, nowMs: 0) }
        #expect(admitted == 64 && !hub.joins(device, nowMs: 100) && hub.joins(device, nowMs: 1_000))
        // A snapshot costs its bytes. One may be larger than what is left: then the next one waits for longer.
        let given = (0..<100).count { _ in hub.gives(device, bytes: 3 << 20, nowMs: 0) }
        #expect(given == 22)
        let later = [(1, 200), (100 << 20, 1_000), (1, 12_000), (1, 13_000)].map { bytes, nowMs in
            hub.gives(device, bytes: bytes, nowMs: nowMs)
        }
        #expect(later == [false, true, false, true])
        // Other devices, and this one's messages, have budgets of their own.
        let isGiven = hub.gives(self.device("b"), bytes: 1, nowMs: 0)
        let maySay = hub.spend(device, 1 << 10, nowMs: 1_000)
        #expect(isGiven && maySay)
    }

    @Test("a later follower gets a fresh sign at once, and never an old one")
    func signs() {
        var hub = hub()
        for page in 1...3 { _ = hub.opened(page, device("d\(page)")) }
        _ = hub.said(1, bytes("follow t"), nowMs: 0)
        _ = hub.heardPublication(topic: "j/t/", bytes(heartbeat), nowMs: 1_000)
        #expect(
            heads(hub.said(2, bytes("follow t"), nowMs: 1_050), to: 2) == ["pub j/t/"])
        let old = hub.said(3, bytes("follow t"), nowMs: 1_500)
        #expect(heads(old, to: 3).isEmpty && old.count == 1)
    }

    @Test("a table of which nothing comes is subscribed to anew: the daemon may have ended that")
    func ended() {
        var hub = hub()
        for page in 1...2 { _ = hub.opened(page, device("d\(page)")) }
        _ = hub.said(1, bytes("follow t"), nowMs: 0)
        _ = hub.said(2, bytes("follow t"), nowMs: 0)
        _ = hub.heardPublication(topic: "j/t/", bytes(heartbeat), nowMs: 1_000)
        // A page that hears nothing leaves, and follows again.
        func again(nowMs: Int) -> [String] {
            (hub.said(1, bytes("leave t"), nowMs: nowMs)
                + hub.said(1, bytes("follow t"), nowMs: nowMs)).map { "\($0)" }
        }
        #expect(again(nowMs: 3_900) == [#"probe("j/t/")"#])
        #expect(again(nowMs: 4_100) == anew)
        #expect(again(nowMs: 4_150).isEmpty)
        _ = hub.heardPublication(topic: "j/t/", bytes(heartbeat), nowMs: 4_200)
        #expect(again(nowMs: 4_500) == [#"probe("j/t/")"#])
    }

    @Test("a page that does not read loses publications, and hears so when it reads again")
    func queues() {
        var bounds = Hub.Bounds()
        bounds.publications = 1_000
        bounds.replies = 2_000
        var hub = hub(bounds)
        _ = hub.opened(1, device("a"))
        _ = hub.written(1, 10_000)
        _ = hub.said(1, bytes("follow t"), nowMs: 0)
        let body = [UInt8](repeating: 0x20, count: 391)
        let sent = (0..<5).map { _ in
            heads(hub.heardPublication(topic: "j/t/", body, nowMs: 0), to: 1).count
        }
        #expect(sent == [1, 1, 0, 0, 0])
        #expect(heads(hub.written(1, 250), to: 1).isEmpty)
        // Once something was left out, nothing of the table comes before the page was told.
        #expect(heads(hub.heardPublication(topic: "j/t/", body, nowMs: 0), to: 1).isEmpty)
        #expect(heads(hub.written(1, 400), to: 1) == ["dropped t"])
        #expect(heads(hub.heardPublication(topic: "j/t/", body, nowMs: 0), to: 1) == ["pub j/t/"])
        // One that is larger than the queue goes to whoever reads all.
        _ = hub.written(1, 10_000)
        let large = [UInt8](repeating: 0x20, count: 5_000)
        #expect(heads(hub.heardPublication(topic: "j/t/", large, nowMs: 0), to: 1) == ["pub j/t/"])
    }

    @Test("a reply goes to the page that last asked with that client")
    func replies() {
        var hub = hub()
        let one = device("a")
        _ = hub.opened(1, one)
        _ = hub.opened(2, one)
        let request = bytes(
            "request\n" + #"{"client":"web-a-x","number":1,"table":"t","who":{}}"#)
        guard case .request(let body, let behalf)? = hub.said(1, request, nowMs: 0).first else {
            Issue.record("it did not go on")
            return
        }
        #expect(body == Array(request.dropFirst(8)))
        #expect(String(decoding: behalf, as: UTF8.self) == #"{"name":"a","role":"operator"}"#)
        #expect(heads(hub.heardReply(bytes("{}"), client: "web-a-x"), to: 1) == ["reply"])
        _ = hub.said(2, request, nowMs: 0)
        #expect(heads(hub.heardReply(bytes("{}"), client: "web-a-x"), to: 2) == ["reply"])
        #expect(hub.heardReply(bytes("{}"), client: "web-b-x").isEmpty)
        _ = hub.closed(2)
        #expect(hub.heardReply(bytes("{}"), client: "web-a-x").isEmpty)
    }

    @Test("the frame before a request is the device's, and a page has no say in it")
    func behalf() throws {
        let some = device("grill", .viewer, "k*")
        let frame = try #require(some.behalfFrame)
        #expect(
            String(decoding: frame, as: UTF8.self)
                == #"{"name":"grill","role":"viewer","tables":["k*"]}"#)
        // Without tables it is not let in to all of them.
        var none = some
        none.tables = []
        #expect(none.behalfFrame == nil)
        var hub = hub()
        _ = hub.opened(1, some)
        // By bytes: what only looks the same is another name.
        var named = device("caf\u{E9}")
        named.prefix = "web-c-"
        _ = hub.opened(2, named)
        for (name, goesOn) in [("caf\u{E9}", true), ("cafe\u{301}", false), ("grill", false)] {
            let body = #"{"client":"web-c-x","number":1,"name":"\#(name)","table":"t","who":{}}"#
            var isSent = false
            if case .request? = hub.said(2, bytes("request\n" + body), nowMs: 0).first {
                isSent = true
            }
            #expect(isSent == goesOn, "\(name)")
        }
    }

    @Test("a register has no device that the daemon would refuse")
    func registers() throws {
        func line(_ tables: [String]) -> String {
            let words = ["device", "a", "viewer", "web-a-", "0", SHA256.hex("a")] + tables
            return "trestle-devices 1\n" + words.joined(separator: "\t") + "\n"
        }
        #expect(try Register(text: line(["t"])).devices.count == 1)
        #expect(throws: MalformedRegister(line: 2)) {
            try Register(text: line((0..<65).map { "t\($0)" }))
        }
    }

    private func hello(
        _ features: String, requestBytes: Int = 1 << 20, term: Int = 0
    ) -> [UInt8] {
        let epoch = String(repeating: "0", count: 31) + "1"
        return bytes(
            #"{"ok":true,"client":"g","number":1,"epoch":"\#(epoch)","hello":{"protocol":1,"#
                + #""program":"trestled","version":"0","epoch":"\#(epoch)","opened":1,"#
                + #""features":[\#(features)],"limits":{"requestBytes":\#(requestBytes)},"#
                + #""term":\#(term)}}"#)
    }

    @Test("pages that hear of new files do not take a daemon that is away for one that answers")
    func reload() {
        var hub = hub()
        _ = hub.opened(1, device("a"))
        let up = hub.heardHello(hello(#""behalf""#), nowMs: 0)
        #expect(heads(up, to: 1) == ["device", "daemon up"])
        #expect(heads(hub.serves(assets: "new"), to: 1) == ["device"])
        #expect(heads(hub.tick(nowMs: 60_000), to: 1) == ["daemon down"])
        #expect(heads(hub.serves(assets: "newer"), to: 1) == ["device", "daemon down"])
        #expect(heads(hub.opened(2, device("b")), to: 2) == ["device", "daemon down"])
    }

    @Test("a daemon that does not know devices is not used")
    func oldDaemon() {
        var state = DaemonState()
        _ = state.heard(hello(#""audit""#), nowMs: 0)
        #expect(!state.isUp && state.why == "daemonTooOld")
        _ = state.heard(hello(#""audit","behalf""#), nowMs: 0)
        #expect(state.isUp)
    }

    @Test("a daemon that a promoted standby has replaced is not used, though it may not know it")
    func olderTerm() {
        var state = DaemonState()
        _ = state.heard(hello(#""behalf""#, term: 2), nowMs: 0)
        #expect(state.isUp && state.isMet)
        state.turned()
        #expect(!state.isMet)
        #expect(state.heard(hello(#""behalf""#, term: 1), nowMs: 0) == .isUp)
        #expect(!state.isUp && !state.isMet && state.isOutdated && state.why == "outdated")
        state.turned()
        // Pages hear of it, and send again what was left out.
        let change = state.heard(hello(#""behalf""#, term: 2), nowMs: 0)
        #expect(change.contains(.isUp) && change.contains(.hello) && state.isMet)
        // On etcd no daemon names one, and one that was not promoted is met at once.
        var ordinary = DaemonState()
        _ = ordinary.heard(hello(#""behalf""#, term: 1), nowMs: 0)
        ordinary.turned()
        #expect(ordinary.isMet)
    }

    @Test("a daemon whose guest list has no line about the gateway is not said to be there")
    func turnedAway() throws {
        let (up, none) = (hello(#""behalf""#), hello(""))
        var hub = hub()
        _ = hub.opened(1, device("a"))
        _ = hub.said(1, bytes("follow t"), nowMs: 0)
        #expect(heads(hub.heardHello(none, nowMs: 0), to: 1) == ["daemon down"])
        #expect(hub.heardHello(none, nowMs: 0).isEmpty && hub.daemon.why == "notAllowed")
        guard case .send(_, let said)? = hub.opened(2, device("b")).last else {
            Issue.record("nothing is said")
            return
        }
        #expect(said.body == bytes(#"{"why":"notAllowed"}"#))
        // It is let in: then the daemon looks at what it subscribes to once more.
        let admitted = hub.heardHello(up, nowMs: 0)
        #expect(heads(admitted, to: 1) == ["device", "daemon up"])
        #expect(admitted.suffix(anew.count).map { "\($0)" } == anew)
        #expect(hub.heardHello(up, nowMs: 0).isEmpty)
        // The line is taken away while pages are open.
        #expect(heads(hub.heardHello(none, nowMs: 0), to: 1) == ["daemon down"])
    }

    @Test("a daemon that let nobody in and is gone is silent, whatever it said last")
    func silence() {
        let (up, none) = (hello(#""behalf""#), hello(""))
        var hub = hub()
        _ = hub.opened(1, device("a"))
        _ = hub.said(1, bytes("follow t"), nowMs: 0)
        _ = hub.heardHello(none, nowMs: 1_000)
        #expect(heads(hub.tick(nowMs: 3_900), to: 1).isEmpty && hub.daemon.why == "notAllowed")
        #expect(heads(hub.tick(nowMs: 4_100), to: 1) == ["daemon down"])
        #expect(hub.daemon.why == "silent" && hub.tick(nowMs: 4_200).isEmpty)
        // It hung. That it let nobody in is not forgotten: topics are subscribed to anew when it does.
        #expect(heads(hub.heardHello(none, nowMs: 5_000), to: 1) == ["daemon down"])
        #expect(hub.daemon.why == "notAllowed")
        #expect(hub.heardHello(up, nowMs: 5_000).suffix(anew.count).map { "\($0)" } == anew)
        // Whatever refuses connections answers nothing, and is there.
        var state = DaemonState()
        _ = state.heard(hello(""), nowMs: 0)
        state.refused("handshakeRefused")
        #expect(state.tick(nowMs: 60_000).isEmpty && state.why == "handshakeRefused")
    }

    @Test("clients of a page are bounded")
    func clients() {
        var hub = hub()
        _ = hub.opened(1, device("a"))
        for index in 0..<1_000 {
            let body = #"{"client":"web-a-\#(index)","number":1,"tables":{}}"#
            _ = hub.said(1, bytes("request\n" + body), nowMs: 0)
        }
        #expect(hub.clients.count == hub.bounds.clients)
        #expect(hub.heardReply(bytes("{}"), client: "web-a-0").isEmpty)
    }

    @Test("too many tables, too many bytes, odd messages: the socket ends, by name")
    func ends() {
        func end(_ effects: [GatewayCore.Effect]) -> EndCode? {
            guard case .end(_, let code)? = effects.last else { return nil }
            return code
        }
        var hub = hub()
        _ = hub.opened(1, device("a"))
        for index in 0..<16 { _ = hub.said(1, bytes("follow t\(index)"), nowMs: 0) }
        #expect(end(hub.said(1, bytes("follow t16"), nowMs: 0)) == .tooMuch)
        #expect(end(hub.said(1, bytes("nonsense"), nowMs: 0)) == .malformed)
        #expect(end(hub.said(1, [0xFF, 0x0A], nowMs: 0)) == .malformed)
        let large = [UInt8](repeating: 0x41, count: 1 << 20)
        let ends = (0..<20).map { _ in end(hub.said(1, large, nowMs: 0)) }
        #expect(ends.first == .malformed && ends.last == .tooMuch)
        // What one page spent is spent for the device's next page too.
        _ = hub.closed(1)
        _ = hub.opened(2, device("a"))
        #expect(end(hub.said(2, large, nowMs: 0)) == .tooMuch)
    }

    @Test("revoked devices are ended, others not")
    func revoked() {
        var hub = hub()
        _ = hub.opened(1, device("a"))
        _ = hub.opened(2, device("b"))
        #expect(
            hub.devices([device("b")]).map { "\($0)" } == ["end(1, GatewayCore.EndCode.revoked)"])
    }

    @Test("a figure for each counter")
    func figures() {
        let text = hub().metrics(
            connections: 3, devices: 2, snapshots: (1, 0), isReady: true, certificate: (7, false))
        #expect(text.utf8.count > 500)
        #expect(text.split(separator: "\n").contains("trestle_serve_connections 3"))
        #expect(text.split(separator: "\n").contains("trestle_serve_certificate_expiry_seconds 7"))
    }
}
