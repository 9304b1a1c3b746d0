import CZeroMQ

/// Everything that libzmq must know of a socket before its first `bind` or `connect`.
///
/// The defaults are ours, not libzmq's: every bound is finite, and a close does not wait.
public struct SocketOptions: Sendable {
    /// Outgoing messages queued for each peer; 0 would mean no bound.
    public var sendHighWaterMark: Int32 = 256

    /// Incoming messages queued from each peer; 0 would mean no bound.
    public var receiveHighWaterMark: Int32 = 256

    /// The largest frame of a peer, in bytes. A peer that sends a larger one is disconnected. It
    /// bounds one frame, not the message; −1 means no bound.
    public var maximumFrameBytes: Int64 = 1 << 20

    /// How long unsent messages may delay the end of the context after the socket is closed.
    public var lingerMilliseconds: Int32 = 0

    /// How many connections may wait to be accepted. The system may have a lower bound.
    public var backlog: Int32 = 100

    /// How long a peer's handshake may take before the peer is disconnected.
    public var handshakeMilliseconds: Int32 = 5_000

    /// Pings that detect a peer that vanished without closing; `nil`: none.
    public var heartbeat: Heartbeat?

    /// The first wait before a reconnect.
    public var reconnectMilliseconds: Int32 = 100

    /// That wait doubles up to this ceiling; 0 keeps it constant.
    public var reconnectMaximumMilliseconds: Int32 = 2_000

    /// Whether messages wait for a completed connection (`IMMEDIATE`), instead of being queued for
    /// a peer that may never come. Until there is one, sending returns `wouldBlock`.
    public var sendsOnlyWhenConnected = false

    /// Whether `tcp://` endpoints may be IPv6.
    public var allowsIPv6 = false

    /// XPUB only: a subscription counts only once `subscribe` admits it, called right after it was
    /// received (`XPUB_MANUAL`).
    public var xpubManual = false

    /// The keys of a connecting end, for encryption; `nil`: none (unix sockets have permissions).
    public var curve: Curve?

    /// The domain whose `Authenticator` decides on every connection of a listening socket without
    /// CURVE; `nil`: none. With a domain, libzmq accepts no peer of ZMTP 1.0 or 2.0.
    public var domain: String?

    /// The defaults above.
    public init() {}

    /// The timing of pings, in milliseconds.
    public struct Heartbeat: Sendable {
        /// The time between two pings.
        public var intervalMilliseconds: Int32
        /// If no traffic comes for this long after a ping, this end disconnects.
        public var timeoutMilliseconds: Int32
        /// If no traffic comes from this end for this long, the peer disconnects.
        public var timeToLiveMilliseconds: Int32

        /// One ping a second, and an end after three seconds without traffic.
        public init(
            intervalMilliseconds: Int32 = 1_000, timeoutMilliseconds: Int32 = 3_000,
            timeToLiveMilliseconds: Int32 = 3_000
        ) {
            self.intervalMilliseconds = intervalMilliseconds
            self.timeoutMilliseconds = timeoutMilliseconds
            self.timeToLiveMilliseconds = timeToLiveMilliseconds
        }
    }

    /// The keys of the connecting end of CURVE.
    public struct Curve: Sendable {
        let server: CurveKey
        let publicKey: CurveKey
        let secret: CurveKey

        /// From the other end's public key, and the own pair.
        public init(server: CurveKey, publicKey: CurveKey, secret: CurveKey) {
            (self.server, self.publicKey, self.secret) = (server, publicKey, secret)
        }

        func apply(to handle: SocketHandle) throws(TransportError) {
            for (option, key, name) in [
                (ZMQ_CURVE_SERVERKEY, server, "CURVE_SERVERKEY" as StaticString),
                (ZMQ_CURVE_PUBLICKEY, publicKey, "CURVE_PUBLICKEY"),
                (ZMQ_CURVE_SECRETKEY, secret, "CURVE_SECRETKEY"),
            ] {
                try handle.set(option, bytes: Array(key.text.utf8), name)
            }
        }
    }

    /// `ZMQ_ZAP_ENFORCE_DOMAIN`: libzmq 4.3.4 obeys it, though its header calls it a draft.
    private static let enforceDomain: Int32 = 93

    func apply(to handle: SocketHandle, kind: Socket.Kind) throws(TransportError) {
        try handle.set(ZMQ_SNDHWM, sendHighWaterMark, "SNDHWM")
        try handle.set(ZMQ_RCVHWM, receiveHighWaterMark, "RCVHWM")
        try handle.set(ZMQ_MAXMSGSIZE, maximumFrameBytes, "MAXMSGSIZE")
        try handle.set(ZMQ_BACKLOG, backlog, "BACKLOG")
        try handle.set(ZMQ_LINGER, lingerMilliseconds, "LINGER")
        try handle.set(ZMQ_HANDSHAKE_IVL, handshakeMilliseconds, "HANDSHAKE_IVL")
        try handle.set(ZMQ_RECONNECT_IVL, reconnectMilliseconds, "RECONNECT_IVL")
        try handle.set(ZMQ_RECONNECT_IVL_MAX, reconnectMaximumMilliseconds, "RECONNECT_IVL_MAX")
        try handle.set(ZMQ_IMMEDIATE, sendsOnlyWhenConnected, "IMMEDIATE")
        try handle.set(ZMQ_IPV6, allowsIPv6, "IPV6")
        if let heartbeat {
            try handle.set(ZMQ_HEARTBEAT_IVL, heartbeat.intervalMilliseconds, "HEARTBEAT_IVL")
            try handle.set(
                ZMQ_HEARTBEAT_TIMEOUT, heartbeat.timeoutMilliseconds, "HEARTBEAT_TIMEOUT")
            try handle.set(ZMQ_HEARTBEAT_TTL, heartbeat.timeToLiveMilliseconds, "HEARTBEAT_TTL")
        }
        // Sending to an unknown or full peer is reported (`unreachable`, `wouldBlock`), not dropped silently.
        if kind == .router { try handle.set(ZMQ_ROUTER_MANDATORY, true, "ROUTER_MANDATORY") }
        if kind == .xpub {
            // Each subscription is delivered, including repeated ones.
            try handle.set(ZMQ_XPUB_VERBOSE, true, "XPUB_VERBOSE")
            if xpubManual { try handle.set(ZMQ_XPUB_MANUAL, true, "XPUB_MANUAL") }
        }
        if let domain {
            try handle.set(ZMQ_ZAP_DOMAIN, bytes: Array(domain.utf8), "ZAP_DOMAIN")
            try handle.set(Self.enforceDomain, true, "ZAP_ENFORCE_DOMAIN")
        }
        try curve?.apply(to: handle)
    }
}
