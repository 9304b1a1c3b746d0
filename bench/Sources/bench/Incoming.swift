import Glibc

/// Bytes that have come on a connection and are not read yet.
struct Incoming {
    private var bytes: [UInt8]
    private var end = 0

    init(capacity: Int = 256 << 10) {
        bytes = [UInt8](repeating: 0, count: capacity)
    }

    /// Takes in what is there. Waits for the first byte, or says false if there is none.
    @discardableResult
    mutating func receive(_ connection: Connection, waits: Bool = true) throws(Failure) -> Bool {
        if end == bytes.count { bytes.append(contentsOf: repeatElement(0, count: bytes.count)) }
        let start = end
        let count = bytes.withUnsafeMutableBytes {
            recv(
                connection.descriptor, $0.baseAddress?.advanced(by: start), $0.count - start,
                waits ? 0 : Int32(MSG_DONTWAIT))
        }
        if count < 0, errno == EAGAIN, !waits { return false }
        try Connection.check(count)
        end += count
        return true
    }

    /// Lends what is there; as many bytes as `body` says are let go of.
    mutating func read(_ body: (UnsafeRawBufferPointer) -> Int) {
        if end == 0 { return }
        let end = end
        let used = bytes.withUnsafeMutableBytes { all in
            let used = body(UnsafeRawBufferPointer(rebasing: all[..<end]))
            if used > 0, used < end, let start = all.baseAddress {
                memmove(start, start.advanced(by: used), end - used)
            }
            return used
        }
        self.end -= used
    }
}
