import CZeroMQ

/// One libzmq socket. It cannot be copied and is not `Sendable`, so it stays on the thread that
/// made it. It closes when its owner releases it.
public struct Socket: ~Copyable {
    let handle: SocketHandle

    /// Opens a socket with all options set, not yet bound or connected.
    public init(
        _ kind: Kind, in context: Context, options: SocketOptions = SocketOptions()
    ) throws(TransportError) {
        let handle = try SocketHandle(kind: kind.code, context: context)
        try options.apply(to: handle, kind: kind)
        self.handle = handle
    }

    deinit { handle.close() }

    /// Listens on an endpoint.
    ///
    /// An `ipc://` path that another process serves is silently taken from it, so hold a lock on
    /// the directory first. The path has at most 107 bytes. Its file remains after the close.
    public func bind(_ endpoint: String) throws(TransportError) {
        guard zmq_bind(handle.raw, endpoint) == 0 else {
            throw .last("bind to", endpoint: endpoint)
        }
    }

    /// Later binds are served with CURVE, by this secret key. Those before stay as they are. The options name a
    /// domain: without an `Authenticator` for it nobody is accepted.
    public func secure(with secret: CurveKey) throws(TransportError) {
        try handle.set(ZMQ_CURVE_SERVER, true, "CURVE_SERVER")
        try handle.set(ZMQ_CURVE_SECRETKEY, bytes: Array(secret.text.utf8), "CURVE_SECRETKEY")
    }

    /// Later connections are made with these keys; nil: without any. Those before stay as they are.
    public func seal(with keys: SocketOptions.Curve?) throws(TransportError) {
        if let keys { return try keys.apply(to: handle) }
        // Whatever its value was, libzmq forgets the keys with it.
        try handle.set(ZMQ_CURVE_SERVER, false, "CURVE_SERVER")
    }

    /// Serves connections from a descriptor that listens already (socket activation, `USE_FD`).
    ///
    /// `endpoint` gives the transport. From then on libzmq owns the descriptor. It closes it with the
    /// socket and removes no file. On a descriptor that does not listen, libzmq aborts; `ListenDescriptors`
    /// checks for that.
    public func bind(_ endpoint: String, serving descriptor: Int32) throws(TransportError) {
        try handle.set(ZMQ_USE_FD, descriptor, "USE_FD")
        let bound = zmq_bind(handle.raw, endpoint)
        let failure = TransportError.last("serve descriptor \(descriptor) as", endpoint: endpoint)
        // The option applies to every later bind, but this descriptor must not be served twice.
        try handle.set(ZMQ_USE_FD, -1 as Int32, "USE_FD")
        guard bound == 0 else { throw failure }
    }

    /// Starts to connect, and to connect again after each loss. Returns at once.
    public func connect(_ endpoint: String) throws(TransportError) {
        guard zmq_connect(handle.raw, endpoint) == 0 else {
            throw .last("connect to", endpoint: endpoint)
        }
    }

    /// Ends a connection made by `connect`.
    public func disconnect(_ endpoint: String) throws(TransportError) {
        guard zmq_disconnect(handle.raw, endpoint) == 0 else {
            throw .last("disconnect from", endpoint: endpoint)
        }
    }

    /// How long unsent messages delay the socket's end, and keep their memory where a connection ends.
    ///
    /// - Parameter milliseconds: from now on; at the beginning it is that of the options.
    public func linger(milliseconds: Int32) throws(TransportError) {
        try handle.set(ZMQ_LINGER, milliseconds, "LINGER")
    }

    /// SUB: subscribes to messages whose first frame begins with these bytes. End topics in "/", or
    /// `t/inbox` receives `t/inbox2` too. Manual XPUB: admits the subscription that was received
    /// last, before anything else is received.
    public func subscribe(to prefix: [UInt8]) throws(TransportError) {
        try handle.set(ZMQ_SUBSCRIBE, bytes: prefix, "SUBSCRIBE")
    }

    /// SUB: ends one such subscription. Manual XPUB: of the peer whose message was received last.
    public func unsubscribe(from prefix: [UInt8]) throws(TransportError) {
        try handle.set(ZMQ_UNSUBSCRIBE, bytes: prefix, "UNSUBSCRIBE")
    }

    /// A descriptor that becomes readable when something may have come. It is edge-triggered: receive until there is
    /// nothing after each wake-up, and after each send. `Poller` sees to that.
    public var fileDescriptor: Int32 {
        get throws(TransportError) { try handle.int32(ZMQ_FD, "FD") }
    }
}

extension Socket {
    /// How a socket distributes and collects messages.
    public enum Kind: Sendable {
        /// Addresses each peer by the routing id in the first frame.
        case router
        /// Talks to a ROUTER, or round-robin to several peers.
        case dealer
        /// Distributes by topic, and receives the subscriptions.
        case xpub
        /// Receives by topic.
        case subscribe
        /// Talks to one other PAIR.
        case pair

        var code: Int32 {
            switch self {
            case .router: ZMQ_ROUTER
            case .dealer: ZMQ_DEALER
            case .xpub: ZMQ_XPUB
            case .subscribe: ZMQ_SUB
            case .pair: ZMQ_PAIR
            }
        }
    }
}
