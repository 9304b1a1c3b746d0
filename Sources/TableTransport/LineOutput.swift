import Glibc

/// Standard output or standard error of a program that has more to do than to print. The reader may stand still: after ^S,
/// behind a full pipe, as a pager that was stopped. No call waits for it. What is not taken is kept up to a bound;
/// what comes beyond that is left out, and its lines are counted. For one thread.
public final class LineOutput {
    private let descriptor: Int32
    private let isOwn: Bool
    private let room: Int
    private var waiting: ArraySlice<UInt8> = []
    private var endsLine = true
    private var leftOut = 0
    /// The `errno` of a write that failed, after which nothing is written any more; 0: none did.
    public private(set) var code: Int32 = 0

    /// `room`: how many bytes are kept that are not taken yet.
    public init(_ descriptor: Int32, room: Int = 1 << 18) {
        self.descriptor = StandardDescriptors.unblocked(descriptor)
        isOwn = self.descriptor != descriptor
        self.room = room
    }

    deinit { if isOwn { close(descriptor) } }

    /// Everything that was added has been taken, or cannot be.
    public var isEmpty: Bool { waiting.isEmpty }

    /// Adds bytes, and writes what is taken now.
    public func add(_ bytes: some BidirectionalCollection<UInt8>) {
        flush()
        guard code == 0 else { return }
        guard waiting.isEmpty || waiting.count + bytes.count <= room else {
            leftOut += max(1, bytes.lazy.filter { $0 == 10 }.count)
            return
        }
        waiting += bytes
        endsLine = bytes.last.map { $0 == 10 } ?? endsLine
        flush()
    }

    /// Adds a line, which begins as one whatever came before.
    public func add(line: String) { add(Array("\(endsLine ? "" : "\n")\(line)\n".utf8)) }

    /// Writes what is taken now.
    public func flush() {
        while !waiting.isEmpty {
            guard StandardDescriptors.isWritable(descriptor, withinMs: 0) else { return }
            let count = waiting.withUnsafeBytes {
                write(descriptor, $0.baseAddress, min($0.count, StandardDescriptors.mostAtOnce))
            }
            if count > 0 {
                waiting = waiting.dropFirst(count)
            } else if errno == EAGAIN {
                return
            } else if errno != EINTR {
                (code, waiting) = (errno, [])
            }
        }
    }

    /// Waits until everything is taken, as long as `goesOn` says, which is asked twenty times a second.
    public func finish(while goesOn: () -> Bool) {
        flush()
        while !isEmpty, goesOn() {
            _ = StandardDescriptors.isWritable(descriptor, withinMs: 50)
            flush()
            // A terminal that was stopped says that it can be written to.
            if !isEmpty { usleep(10_000) }
        }
    }

    /// How many lines were left out since it was asked last; 0 as long as the reader still takes nothing.
    public func takeLeftOut() -> Int {
        guard isEmpty else { return 0 }
        defer { leftOut = 0 }
        return leftOut
    }
}
