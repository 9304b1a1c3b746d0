import CZeroMQ
import Glibc

/// Waits until sockets or descriptors are readable. Made once, with room for all; waiting allocates
/// nothing.
///
/// A socket must stay open while it is registered: waiting on a closed one traps. So must a
/// descriptor: the kernel may give its number to another file. To release either, call `removeAll`
/// or make a new poller.
///
/// A socket's descriptor is edge-triggered: it tells of what came since libzmq looked at its signals last, and libzmq
/// looks in nearly every call. `zmq_poll` therefore asks each socket four times around a wait. This asks one
/// only if it was used since it was found to have nothing, or if its descriptor became readable.
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
        var isWatched = true
        var isReady = false
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
    public mutating func add(_ socket: borrowing Socket) -> Entry {
        add(Item(socket: socket.handle), descriptor: -1)
    }

    /// Watches a monitor.
    public mutating func add(_ monitor: borrowing SocketMonitor) -> Entry { add(monitor.pair) }

    /// Watches a descriptor: an eventfd, a timerfd, a `SignalDescriptor`.
    public mutating func add(descriptor: Int32) -> Entry {
        precondition(descriptor >= 0, "not a descriptor")
        return add(Item(socket: nil), descriptor: descriptor)
    }

    private mutating func add(_ item: Item, descriptor: Int32) -> Entry {
        precondition(count < capacity, "more entries than this poller was made for")
        (items + count).initialize(to: item)
        (polled + count).initialize(to: pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
        count += 1
        return Entry(index: count - 1)
    }

    /// Whether an entry wakes, for instance not while a backlog is processed. One that does not wake is never ready.
    public mutating func watch(_ entry: Entry, _ isWatched: Bool) {
        precondition(entry.index < count, "an entry of another poller")
        items[entry.index].isWatched = isWatched
        items[entry.index].isReady = false
        polled[entry.index].events = isWatched ? Int16(POLLIN) : 0
    }

    /// Waits until something is ready or the time is over: 0 only looks, −1 waits for ever. Returns
    /// how many entries are ready; 0 if the time is over or a signal interrupted the wait.
    public mutating func wait(milliseconds timeout: Int) throws(TransportError) -> Int {
        let end = timeout > 0 ? Self.nowMs &+ UInt64(timeout) : 0
        var left = timeout
        while true {
            var isReady = false
            for index in 0..<count {
                items[index].isReady = false
                guard items[index].isWatched, let socket = items[index].socket else { continue }
                isReady = try ask(socket, index) || isReady
            }
            let changed = poll(polled, nfds_t(count), isReady ? 0 : Int32(clamping: left))
            if changed < 0 {
                for index in 0..<count { items[index].isReady = false }
                if errno == EINTR { return 0 }
                throw TransportError(code: errno, action: "poll")
            }
            var ready = 0
            for index in 0..<count {
                if polled[index].revents != 0 { try noteChange(index) }
                if items[index].isReady { ready += 1 }
            }
            // A socket whose state has changed may be no more ready than before.
            if ready > 0 || changed == 0 { return ready }
            if timeout > 0 {
                let now = Self.nowMs
                if now >= end { return 0 }
                left = Int(end - now)
            }
        }
    }

    private func noteChange(_ index: Int) throws(TransportError) {
        guard let socket = items[index].socket else {
            items[index].isReady = true
            return
        }
        socket.mayKnowMore = true
        // A pending error is reported of a socket that is not watched, too.
        if items[index].isWatched { _ = try ask(socket, index) }
    }

    /// Asks a socket what it has, unless its descriptor would tell.
    private func ask(_ socket: SocketHandle, _ index: Int) throws(TransportError) -> Bool {
        precondition(socket.isOpen, "a closed socket is being polled")
        if polled[index].fd < 0 { polled[index].fd = try socket.int32(ZMQ_FD, "FD") }
        if socket.mayKnowMore {
            items[index].isReady = try socket.int32(ZMQ_EVENTS, "EVENTS") & ZMQ_POLLIN != 0
            socket.mayKnowMore = items[index].isReady
        }
        return items[index].isReady
    }

    /// Whether the last wait found something for an entry.
    public func isReady(_ entry: Entry) -> Bool {
        precondition(entry.index < count, "an entry of another poller")
        return items[entry.index].isReady
    }

    private static var nowMs: UInt64 { SystemClock.milliseconds(CLOCK_MONOTONIC) }
}
