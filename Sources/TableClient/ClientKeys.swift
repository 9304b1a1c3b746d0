import TableSync
public import TableTransport

/// The keys with which a client connects by CURVE: its own pair of keys, and the daemon's public key, which
/// it has to know before.
public struct ClientKeys: Sendable {
    let curve: SocketOptions.Curve

    /// From the daemon's public key and the client's secret one.
    public init(server: CurveKey, secret: CurveKey) throws {
        curve = .init(server: server, publicKey: try secret.publicKey(), secret: secret)
    }
}

extension Client {
    static func options(for endpoint: String, _ keys: ClientKeys?) -> SocketOptions {
        var options = SocketOptions()
        options.maximumFrameBytes = 64 << 20
        options.receiveHighWaterMark = 10_000
        options.reconnectMilliseconds = 50
        options.reconnectMaximumMilliseconds = 500
        options.allowsIPv6 = endpoint.utf8.contains(UInt8(ascii: "["))
        options.curve = keys?.curve
        if keys != nil {
            // From another machine a line may go dead without an end.
            options.heartbeat = .init(
                intervalMilliseconds: 2_000, timeoutMilliseconds: 6_000,
                timeToLiveMilliseconds: 6_000)
        }
        return options
    }

    /// Where publications are to be had, of what the daemon offers; nil: nowhere.
    func publishEndpoint(of offered: [String]) -> String? {
        Hello.publishEndpoint(of: offered, asking: endpoint, withKeys: socketOptions.curve != nil)
    }
}
