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
///
/// `zmq_poll` would ask each socket four times around a wait, and the system twice.
public struct Poller: ~Copyable {
    /// Names a registration in a later call.
    public struct Entry: Hashable, Sendable {
        let index: Int
    }

    /// How many sockets and descriptors it can watch.
    public let capacity: Int

    private struct Item {
        /// Nil: it is a descriptor.
        let socket: SocketHandle?
        var awaited: PollEvents
        var ready: PollEvents = []
    }

    private let items: UnsafeMutablePointer<Item>
    /// The descriptors of all. That of a socket is −1 until it is asked for, and the same ever after.
    private let polled: UnsafeMutablePointer<pollfd>
    private var count = 0

    /// Room for so many entries.
    public init(capacity: Int = 16) {
        precondition(capacity > 0, "a poller watches something")
        self.capacity = capacity
        items = .allocate(capacity: capacity)
        polled = .allocate(capacity: capacity)
    }

    deinit {
        items.deinitialize(count: count)
        items.deallocate()
        polled.deallocate()
    }

    /// Watches a socket.
    public mutating func add(
        _ socket: borrowing Socket, for events: PollEvents = .readable
    ) -> Entry {
        add(Item(socket: socket.handle, awaited: events), descriptor: -1)
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
        return add(Item(socket: nil, awaited: events), descriptor: descriptor)
    }

    private mutating func add(_ item: Item, descriptor: Int32) -> Entry {
        precondition(count < capacity, "more entries than this poller was made for")
        (items + count).initialize(to: item)
        (polled + count).initialize(to: pollfd(fd: descriptor, events: 0, revents: 0))
        count += 1
        let entry = Entry(index: count - 1)
        watch(entry, for: item.awaited)
        return entry
    }

    /// Changes the awaited events, for instance to none while a backlog is processed.
    public mutating func watch(_ entry: Entry, for events: PollEvents) {
        precondition(entry.index < count, "an entry of another poller")
        items[entry.index].awaited = events
        items[entry.index].ready = []
        // A socket's descriptor becomes readable, whatever has become possible.
        polled[entry.index].events =
            items[entry.index].socket == nil
            ? events.bitsOfSystem : events == [] ? 0 : Int16(POLLIN)
    }

    /// Removes all registrations. Their entries are no longer valid.
    public mutating func removeAll() {
        items.deinitialize(count: count)
        count = 0
    }

    /// Waits until something is ready or the time is over: 0 only looks, −1 waits for ever. Returns
    /// how many entries are ready; 0 if the time is over or a signal interrupted the wait.
    public mutating func wait(milliseconds timeout: Int) throws(TransportError) -> Int {
        do throws(TransportError) {
            return try waitUninterrupted(timeout)
        } catch {
            for index in 0..<count { items[index].ready = [] }
            if error.code == EINTR { return 0 }
            throw error
        }
    }

    private func waitUninterrupted(_ timeout: Int) throws(TransportError) -> Int {
        let end = timeout > 0 ? Self.nowMs &+ UInt64(timeout) : 0
        var left = timeout
        while true {
            // Before the wait: of what is possible already a socket's descriptor says nothing more.
            var isReady = false
            for index in 0..<count {
                items[index].ready = []
                if let socket = items[index].socket { isReady = try ask(socket, index) || isReady }
            }
            let changed = poll(polled, nfds_t(count), isReady ? 0 : Int32(clamping: left))
            if changed < 0 { throw TransportError(code: errno, action: "poll") }
            if changed > 0 { try noteChanges() }
            var ready = 0
            for index in 0..<count where items[index].ready != [] { ready += 1 }
            // A socket whose state has changed may be no more ready than before.
            if ready > 0 || changed == 0 { return ready }
            if timeout > 0 {
                let now = Self.nowMs
                if now >= end { return 0 }
                left = Int(end - now)
            }
        }
    }

    /// What the system has found.
    private func noteChanges() throws(TransportError) {
        for index in 0..<count where polled[index].revents != 0 {
            if let socket = items[index].socket {
                _ = try ask(socket, index)
            } else {
                items[index].ready = PollEvents(bitsOfSystem: polled[index].revents)
            }
        }
    }

    /// Asks a socket what is possible now. libzmq also does then what its thread has left for this one.
    private func ask(_ socket: SocketHandle, _ index: Int) throws(TransportError) -> Bool {
        precondition(socket.isOpen, "a closed socket is being polled")
        if polled[index].fd < 0 { polled[index].fd = try socket.int32(ZMQ_FD, "FD") }
        let events = Int16(truncatingIfNeeded: try socket.int32(ZMQ_EVENTS, "EVENTS"))
        items[index].ready = PollEvents(rawValue: events).intersection(items[index].awaited)
        return items[index].ready != []
    }

    /// The events that the last wait found for an entry.
    public func ready(_ entry: Entry) -> PollEvents {
        precondition(entry.index < count, "an entry of another poller")
        return items[entry.index].ready
    }

    private static var nowMs: UInt64 { MonotonicClock.nanoseconds / 1_000_000 }
}

extension PollEvents {
    /// As the system's `poll` has them. It tells of an error whether it is awaited or not.
    fileprivate var bitsOfSystem: Int16 {
        Int16((contains(.readable) ? POLLIN : 0) | (contains(.writable) ? POLLOUT : 0))
    }

    fileprivate init(bitsOfSystem bits: Int16) {
        self = []
        if Int32(bits) & POLLIN != 0 { insert(.readable) }
        if Int32(bits) & POLLOUT != 0 { insert(.writable) }
        if Int32(bits) & ~(POLLIN | POLLOUT) != 0 { insert(.error) }
    }
}
