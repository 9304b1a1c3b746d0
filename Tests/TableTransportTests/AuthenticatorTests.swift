import Glibc
import TableTransport
import Testing

/// A context has one authenticator, so these have a context of their own.
@Suite struct AuthenticatorTests {
    private static func options(_ domain: String) -> SocketOptions {
        var options = SocketOptions()
        options.domain = domain
        return options
    }

    /// Answers until a message has come, or `turns` of 10 ms are over.
    private static func receive(
        _ router: borrowing Socket, into frames: inout Frames,
        deciding authenticator: inout Authenticator, turns: Int = patience / 10
    ) throws -> Bool {
        for _ in 0..<turns {
            try authenticator.decide()
            if try router.receive(into: &frames, withinMilliseconds: 10) { return true }
        }
        return false
    }

    @Test func aPeerOfAUnixSocketIsKnownByItsUser() throws {
        let context = try Context()
        var authenticator = try Authenticator(in: context)
        let directory = Directory()
        let router = try Socket(
            .router, in: context, options: Self.options(Authenticator.domain))
        try router.bind(directory.endpoint())
        let dealer = try Socket(.dealer, in: context)
        try dealer.connect(directory.endpoint())
        _ = try dealer.send("hello", "there")
        var frames = Frames(limit: 3)
        let came = try Self.receive(router, into: &frames, deciding: &authenticator)
        try #require(came)
        #expect(frames.property("User-Id", at: 1) == "\(geteuid())")
        #expect(frames.descriptor(at: 1) >= 0)
    }

    @Test func anotherDomainIsLetInByNobody() throws {
        let context = try Context()
        var authenticator = try Authenticator(in: context)
        let directory = Directory()
        let router = try Socket(.router, in: context, options: Self.options("elsewhere"))
        try router.bind(directory.endpoint())
        let dealer = try Socket(.dealer, in: context)
        try dealer.connect(directory.endpoint())
        _ = try dealer.send("hello")
        var frames = Frames(limit: 3)
        let came = try Self.receive(router, into: &frames, deciding: &authenticator, turns: 50)
        #expect(!came)
    }

    @Test func withoutAnAuthenticatorNobodyIsLetIn() throws {
        let context = try Context()
        let directory = Directory()
        let router = try Socket(
            .router, in: context, options: Self.options(Authenticator.domain))
        try router.bind(directory.endpoint())
        let dealer = try Socket(.dealer, in: context)
        try dealer.connect(directory.endpoint())
        _ = try dealer.send("hello")
        let message = try router.next(within: 500)
        #expect(message == nil)
    }
}
