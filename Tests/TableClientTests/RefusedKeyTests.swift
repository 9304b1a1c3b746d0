import Glibc
import TableModel
import TableSync
import TableTransport
import Testing

@testable import TableClient

/// A client whose key the daemon does not know yet.
@Suite struct RefusedKeyTests {
    /// libzmq gives such a connection up for good. The key may be known later, and the same client goes on then.
    @Test func aClientConnectsAnewWhenItsKeyIsKnown() throws {
        let (server, own) = (try CurveKey.makePair(), try CurveKey.makePair())
        let daemon = try SmallDaemon(secret: server.secret)
        try daemon.change(.create)
        let keys = try ClientKeys(server: server.publicKey, secret: own.secret)
        let client = try Client(daemon.endpoint, keys: keys)
        for _ in 0..<3 {
            #expect(throws: ClientError.self) {
                try daemon.until { try client.greeting() != nil }
            }
            guard case .notPermitted(_, let why) = client.silence else {
                Issue.record("\(client.silence)")
                return
            }
            #expect(why.hasPrefix("it does not know this key"))
            // The next question is asked on a new connection, which is refused as well.
            (client.helloAsked, client.hasConnected) = (nil, true)
        }
        daemon.lets(in: own.publicKey, as: "anna")
        try daemon.until { try client.greeting() != nil }
        #expect(client.silence == .timeout(endpoint: client.endpoint))
    }
}
