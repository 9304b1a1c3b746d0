import CZeroMQ
import Glibc
import JournalPort
import TableJournal

/// A journal whose entries count as durable a while after they are, as one does that writes them
/// elsewhere. It makes nobody wait: a descriptor says when there is news.
final class LateJournal: Journal {
    private let inner: LogJournal
    private let delayNs: UInt64
    private var underWay: [(position: UInt64, dueNs: UInt64)] = []
    private let timer: Int32

    private(set) var durable: UInt64

    init(_ inner: LogJournal, delayMs: UInt64) throws {
        self.inner = inner
        delayNs = delayMs * 1_000_000
        durable = inner.durable
        timer = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_NONBLOCK) | Int32(TFD_CLOEXEC))
        guard timer >= 0 else {
            throw JournalError.system(doing: "make", path: "a timer", code: errno)
        }
    }

    deinit {
        Glibc.close(timer)
    }

    var term: UInt64? { inner.term }
    var descriptor: Int32? { timer }

    func submit(_ entry: [UInt8], position: UInt64, term: UInt64) throws {
        try inner.submit(entry, position: position, term: term)
        underWay.append((position, Self.nowNs + delayNs))
        if underWay.count == 1 { wake(at: underWay[0].dueNs) }
    }

    func news() -> JournalNews {
        let nowNs = Self.nowNs
        let due = underWay.prefix { $0.dueNs <= nowNs }.count
        if due == 0 { return .underWay }
        durable = underWay[due - 1].position
        underWay.removeFirst(due)
        var count: UInt64 = 0
        _ = read(timer, &count, 8)
        if let next = underWay.first { wake(at: next.dueNs) }
        return .underWay
    }

    private func wake(at ns: UInt64) {
        var time = itimerspec()
        time.it_value.tv_sec = Int(ns / 1_000_000_000)
        time.it_value.tv_nsec = Int(ns % 1_000_000_000)
        timerfd_settime(timer, Int32(TFD_TIMER_ABSTIME), &time, nil)
    }

    private static var nowNs: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    // MARK: As it is

    func entries(
        after position: UInt64, _ body: (UInt64, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try inner.entries(after: position, body)
    }

    var figures: JournalFigures { inner.figures }
    func beginCheckpoint() throws { try inner.beginCheckpoint() }
    func appendToCheckpoint(_ part: [UInt8]) throws { try inner.appendToCheckpoint(part) }
    func finishCheckpoint() throws -> Bool { try inner.finishCheckpoint() }
    func abandonCheckpoint() throws { try inner.abandonCheckpoint() }
    func compact(before position: UInt64, atMost: Int) throws -> Int {
        try inner.compact(before: position, atMost: atMost)
    }
    func recover(_ body: (Recovered) throws -> Void) throws -> JournalSummary {
        try inner.recover(body)
    }
    func verification() throws -> any Verification { try inner.verification() }
    var hasRoom: Bool {
        get { inner.hasRoom }
        set { inner.hasRoom = newValue }
    }
    func tend() throws -> Bool { try inner.tend() }
    func close() throws { try inner.close() }
}
