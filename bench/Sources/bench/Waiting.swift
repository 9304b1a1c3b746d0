import CZeroMQ
import Glibc

/// Nanoseconds that never go back.
func nanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
}

/// Waits for many descriptors at once.
struct Epoll {
    private let descriptor: Int32
    private var events: [epoll_event]

    init(capacity: Int) throws(Failure) {
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        events = Array(repeating: epoll_event(), count: capacity)
        guard descriptor >= 0 else { throw Failure("epoll") }
    }

    func add(_ watched: Int32, as index: Int) throws(Failure) {
        var event = epoll_event()
        event.events = EPOLLIN.rawValue
        event.data.u64 = UInt64(index)
        guard epoll_ctl(descriptor, EPOLL_CTL_ADD, watched, &event) == 0 else {
            throw Failure("watch a descriptor")
        }
    }

    /// The indices that are ready.
    mutating func wait(milliseconds: Int32, _ body: (Int) throws(Failure) -> Void) throws(Failure) {
        let count = epoll_wait(descriptor, &events, Int32(events.count), milliseconds)
        for index in 0..<max(0, Int(count)) { try body(Int(events[index].data.u64)) }
    }
}

/// Readable at a steady rate.
struct Timer {
    let descriptor: Int32

    init(nanoseconds: UInt64) throws(Failure) {
        descriptor = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_CLOEXEC))
        let interval = timespec(
            tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        var setting = itimerspec(it_interval: interval, it_value: interval)
        guard descriptor >= 0, timerfd_settime(descriptor, 0, &setting, nil) == 0 else {
            throw Failure("set a timer")
        }
    }

    /// Not readable until it is due again.
    func acknowledge() {
        var count: UInt64 = 0
        _ = read(descriptor, &count, 8)
    }

    func close() { Glibc.close(descriptor) }
}
