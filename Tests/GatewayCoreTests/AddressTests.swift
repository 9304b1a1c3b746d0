import Testing

@testable import GatewayCore

@Suite struct AddressTests {
    @Test("origins and hosts are compared exactly")
    func exactly() {
        var addresses = Addresses()
        #expect(addresses.allow(origin: "https://Board.example") == true)
        #expect(addresses.allow(origin: "http://127.0.0.1:7580") == true)
        #expect(addresses.knows(origin: "https://board.example"))
        for foreign in [
            "https://board.example:444", "http://board.example", "https://board.example.evil.net",
            "https://evil.board.example", "null", "", "https://board.example/",
            "https://Board.example",
        ] {
            #expect(!addresses.knows(origin: foreign), "\(foreign)")
        }
        #expect(addresses.knows(host: "BOARD.example"))
        #expect(addresses.knows(host: "board.example:443"))
        #expect(addresses.knows(host: "127.0.0.1:7580"))
        for foreign in ["127.0.0.1", "board.example:80", "board.example.", "", "[::1]"] {
            #expect(!addresses.knows(host: foreign), "\(foreign)")
        }
    }

    @Test("only a plain page of this machine may have a cookie without its prefix")
    func plain() {
        var addresses = Addresses()
        #expect(addresses.allow(origin: "https://board.example") == true)
        #expect(addresses.allow(origin: "http://localhost:7580") == true)
        #expect(addresses.allow(origin: "http://board.lan:80") == true)
        #expect(addresses.isPlainLoopback(host: "localhost:7580"))
        #expect(!addresses.isPlainLoopback(host: "board.example"))
        #expect(!addresses.isPlainLoopback(host: "board.lan"))
    }

    @Test(
        "what is no origin is refused",
        arguments: [
            "", "board.example", "ftp://a", "https://", "https://a b", "https://a/b", "https://a:0",
            "https://a:99999", "https://a@b", "https://a:b", "https://ä.example",
        ])
    func malformed(text: String) {
        var addresses = Addresses()
        #expect(addresses.allow(origin: text) == false)
        #expect(addresses == Addresses())
    }

    @Test(
        "what a request is for",
        arguments: [
            ("GET", "/", Route.page), ("HEAD", "/board/kitchen?section=grill", .page),
            ("GET", "/pair", .page), ("POST", "/pair", .pair), ("POST", "/unpair", .unpair),
            ("GET", "/unpair", .wrongMethod(allowed: "POST")),
            ("PUT", "/", .wrongMethod(allowed: "GET, HEAD")),
            ("GET", "/tables/a%20b/snapshot", .snapshot(table: "a b")),
            ("GET", "/tables/a%2Fb/snapshot", .unknown), ("GET", "/tables/%FF/snapshot", .unknown),
            ("GET", "/tables/%0/snapshot", .unknown), ("GET", "/board/%00", .unknown),
            ("GET", "http://evil/", .unknown), ("GET", "", .unknown),
            ("GET", "/src/../x", .asset("/src/../x")), ("GET", "/socket?x", .socket),
            ("POST", "/ask", .ask), ("GET", "/ask", .wrongMethod(allowed: "POST")),
            ("GET", "/devices", .devices), ("POST", "/devices", .changeDevices),
            ("PUT", "/devices", .wrongMethod(allowed: "GET, HEAD")),
        ])
    func routes(method: String, target: String, route: Route) {
        #expect(Route.of(method: method, target: target) == route)
    }

    @Test("a text in a query is the same when it is read")
    func queries() {
        #expect(Text.inQuery("grill-1.a_b~") == "grill-1.a_b~")
        #expect(Text.inQuery("a b&c=d#%+\n") == "a%20b%26c%3Dd%23%25%2B%0A")
        #expect(Text.inQuery("ü厨") == "%C3%BC%E5%8E%A8")
    }

    @Test("patterns of tables")
    func patterns() throws {
        let bar = try #require(TablePattern("bar-*"))
        #expect(bar.matches("bar-1") && bar.matches("bar-") && !bar.matches("bar"))
        let odd = try #require(TablePattern("*a*b"))
        #expect(odd.matches("ab") && odd.matches("xaxbxb") && !odd.matches("xaxbx"))
        #expect(TablePattern.all.matches(""))
        #expect(TablePattern("a/b") == nil && TablePattern("") == nil && TablePattern("a\n") == nil)
        // Stars that all have to be tried cost the product of the lengths, and no more.
        let dear = try #require(TablePattern(String(repeating: "a*", count: 60) + "b"))
        #expect(!dear.matches(String(repeating: "a", count: 128)))
    }
}
