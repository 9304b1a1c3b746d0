import Glibc
import TableTransport
import Testing

@Suite struct SocketTests {
    @Test func aDescriptorThatListensIsServed() throws {
        let directory = Directory()
        let path = "\(directory.path)/socket"
        let descriptor = listeningSocket(at: path)
        try #require(descriptor >= 0)
        let router = try Socket(.router, in: sharedContext.get())
        try router.bind("ipc://\(path)", serving: descriptor)

        let dealer = try Socket(.dealer, in: sharedContext.get())
        try dealer.connect("ipc://\(path)")
        _ = try dealer.send("through the descriptor")
        let received = try router.next()
        #expect(received?.last == Array("through the descriptor".utf8))

        // The option does not stick to the next endpoint.
        try router.bind(directory.endpoint("other"))
        let second = try Socket(.dealer, in: sharedContext.get())
        try second.connect(directory.endpoint("other"))
        _ = try second.send("beside it")
        let beside = try router.next()
        #expect(beside?.last == Array("beside it".utf8))
    }

    @Test(arguments: [
        ("ipc:///nonexistent/socket", ENOENT, "no such directory"),
        ("ipc:///tmp/\(String(repeating: "x", count: 104))", ENAMETOOLONG, "at most 107 bytes"),
        ("carrier-pigeon://loft", EPROTONOSUPPORT, "does not know this transport"),
        ("nonsense", EINVAL, "malformed"),
        ("tcp://203.0.113.1:9", EADDRNOTAVAIL, "no such address"),
        ("tcp://no-such-interface:9", ENODEV, "no such network interface"),
    ])
    func aRefusedBindSaysWhy(endpoint: String, code: Int32, words: String) throws {
        let router = try Socket(.router, in: sharedContext.get())
        do {
            try router.bind(endpoint)
            Issue.record("bound")
        } catch {
            #expect(error == TransportError(code: code, action: "bind to", endpoint: endpoint))
            #expect(error.description.hasPrefix("cannot bind to \(endpoint): "))
            #expect(error.description.contains(words))
        }
    }

    @Test func aTakenAddressIsToldByName() throws {
        let first = try Socket(.router, in: sharedContext.get())
        let endpoint = "tcp://127.0.0.1:\(20_000 + getpid() % 10_000)"
        try first.bind(endpoint)
        let second = try Socket(.router, in: sharedContext.get())
        do {
            try second.bind(endpoint)
            Issue.record("bound twice")
        } catch {
            #expect(error.code == EADDRINUSE)
        }
    }

    @Test func aRefusedOptionIsToldByName() throws {
        var options = SocketOptions()
        options.sendHighWaterMark = -1
        do {
            _ = try Socket(.router, in: sharedContext.get(), options: options)
            Issue.record("opened")
        } catch let error as TransportError {
            #expect(error == TransportError(code: EINVAL, action: "set SNDHWM to -1"))
        }
    }

    @Test func everyOptionIsAccepted() throws {
        var options = SocketOptions()
        options.heartbeat = .init()
        options.allowsIPv6 = true
        options.sendsOnlyWhenConnected = true
        for kind: Socket.Kind in [.router, .dealer, .xpub, .subscribe, .pair] {
            let socket = try Socket(kind, in: sharedContext.get(), options: options)
            let descriptor = try socket.fileDescriptor
            #expect(descriptor >= 0)
        }
    }
}
