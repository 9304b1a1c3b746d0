import CZeroMQ
import Glibc

/// What to wait for, or what is ready.
public struct PollEvents: OptionSet, Sendable {
    /// libzmq's bits.
    public let rawValue: Int16

    /// From libzmq's bits.
    public init(rawValue: Int16) { self.rawValue = rawValue }

    /// A receive would not wait.
    public static let readable = PollEvents(rawValue: Int16(ZMQ_POLLIN))

    /// A send would not wait.
    public static let writable = PollEvents(rawValue: Int16(ZMQ_POLLOUT))

    /// A descriptor is in error; it never shows on a socket.
    public static let error = PollEvents(rawValue: Int16(ZMQ_POLLERR))
}

/// Waits for sockets and descriptors at once. Made once, with room for all; waiting allocates
/// nothing.
///
/// A socket must stay open while it is registered (waiting on a closed one traps), and so must a
/// descriptor (the kernel may give its number to another file). To let go of either, make the
/// poller anew or call `removeAll`.
public struct Poller: ~Copyable {
    /// Names a registration when asking what is ready.
    public struct Entry: Hashable, Sendable {
        let index: Int
    }

    /// How many sockets and descriptors it can watch.
    public let capacity: Int

    private let items: UnsafeMutablePointer<zmq_pollitem_t>
    private var count = 0
    private var sockets: [SocketHandle] = []

    /// Up to 16 cost libzmq no allocation either.
    public init(capacity: Int = 16) {
        precondition(capacity > 0, "a poller watches something")
        self.capacity = capacity
        items = .allocate(capacity: capacity)
        sockets.reserveCapacity(capacity)
    }

    deinit {
        items.deallocate()
    }

    /// Watches a socket.
    public mutating func add(
        _ socket: borrowing Socket, for events: PollEvents = .readable
    ) -> Entry {
        sockets.append(socket.handle)
        return add(
            zmq_pollitem_t(
                socket: socket.handle.raw, fd: -1, events: events.rawValue, revents: 0))
    }

    /// Watches a monitor.
    public mutating func add(_ monitor: borrowing SocketMonitor) -> Entry {
        add(monitor.pair)
    }

    /// Watches a descriptor: an eventfd, a timerfd, a `SignalDescriptor`.
    public mutating func add(
        descriptor: Int32, for events: PollEvents = .readable
    ) -> Entry {
        precondition(descriptor >= 0, "not a descriptor")
        return add(
            zmq_pollitem_t(socket: nil, fd: descriptor, events: events.rawValue, revents: 0))
    }

    /// Changes what is waited for, for instance to nothing while a backlog is worked off.
    public mutating func watch(_ entry: Entry, for events: PollEvents) {
        precondition(entry.index < count, "an entry of another poller")
        items[entry.index].events = events.rawValue
        items[entry.index].revents = 0
    }

    /// Forgets everything registered; entries given so far mean nothing any more.
    public mutating func removeAll() {
        count = 0
        sockets.removeAll(keepingCapacity: true)
    }

    /// Waits until something is ready, at most so long: 0 only looks, −1 waits for ever. Returns
    /// how many entries are ready: 0 when the time is over or a signal came in between.
    public mutating func wait(milliseconds timeout: Int) throws(TransportError) -> Int {
        for socket in sockets { precondition(socket.isOpen, "a closed socket is being polled") }
        let ready = zmq_poll(items, Int32(count), timeout)
        if ready >= 0 { return Int(ready) }
        let code = zmq_errno()
        guard code == EINTR else { throw TransportError(code: code, action: "poll") }
        for index in 0..<count { items[index].revents = 0 }
        return 0
    }

    /// What the last wait found for an entry.
    public func ready(_ entry: Entry) -> PollEvents {
        precondition(entry.index < count, "an entry of another poller")
        return PollEvents(rawValue: items[entry.index].revents)
    }

    private mutating func add(_ item: zmq_pollitem_t) -> Entry {
        precondition(count < capacity, "more entries than this poller was made for")
        (items + count).initialize(to: item)
        count += 1
        return Entry(index: count - 1)
    }
}
