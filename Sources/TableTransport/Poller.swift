import CZeroMQ
import Glibc

/// What to wait for, or what is ready.
public struct PollEvents: OptionSet, Sendable {
    /// libzmq's bits.
    public let rawValue: Int16

    /// Takes libzmq's bits.
    public init(rawValue: Int16) { self.rawValue = rawValue }

    /// A receive would not wait.
    public static let readable = PollEvents(rawValue: Int16(ZMQ_POLLIN))

    /// A send would not wait.
    public static let writable = PollEvents(rawValue: Int16(ZMQ_POLLOUT))

    /// A descriptor has an error. Never set for a socket.
    public static let error = PollEvents(rawValue: Int16(ZMQ_POLLERR))
}

/// Waits for several sockets and descriptors. Made once, with room for all; waiting allocates
/// nothing.
///
/// A socket must stay open while it is registered: waiting on a closed one traps. So must a
/// descriptor: the kernel may give its number to another file. To release either, call `removeAll`
/// or make a new poller.
public struct Poller: ~Copyable {
    /// Names a registration in a later call.
    public struct Entry: Hashable, Sendable {
        let index: Int
    }

    /// How many sockets and descriptors it can watch.
    public let capacity: Int

    private let items: UnsafeMutablePointer<zmq_pollitem_t>
    private var count = 0
    private var sockets: [SocketHandle] = []

    /// libzmq itself allocates nothing for up to 16 entries.
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

    /// Changes the awaited events, for instance to none while a backlog is processed.
    public mutating func watch(_ entry: Entry, for events: PollEvents) {
        precondition(entry.index < count, "an entry of another poller")
        items[entry.index].events = events.rawValue
        items[entry.index].revents = 0
    }

    /// Removes all registrations. Their entries are no longer valid.
    public mutating func removeAll() {
        count = 0
        sockets.removeAll(keepingCapacity: true)
    }

    /// Waits until something is ready or the time is over: 0 only looks, −1 waits for ever. Returns
    /// how many entries are ready; 0 if the time is over or a signal interrupted the wait.
    public mutating func wait(milliseconds timeout: Int) throws(TransportError) -> Int {
        for socket in sockets { precondition(socket.isOpen, "a closed socket is being polled") }
        let ready = zmq_poll(items, Int32(count), timeout)
        if ready >= 0 { return Int(ready) }
        let code = zmq_errno()
        guard code == EINTR else { throw TransportError(code: code, action: "poll") }
        for index in 0..<count { items[index].revents = 0 }
        return 0
    }

    /// The events that the last wait found for an entry.
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
