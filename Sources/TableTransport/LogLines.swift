import Glibc
import Synchronization

/// Lines of a log for a descriptor whose reader may stand still, or be gone: the one thread of a program that
/// serves must not wait for it. What cannot be written is counted, and the next line that can be says so.
public final class LogLines: Sendable {
    /// The process's standard error.
    public static let standardError = LogLines(2)

    private struct State {
        /// Lines that could not be written since one was.
        var dropped = 0
        /// The latest line was begun, and not ended.
        var isCut = false
    }

    private let descriptor: Int32
    private let state = Mutex(State())

    /// How long the first line waits that is not taken. Those behind it do not.
    private static let patienceMs: Int32 = 100

    init(_ descriptor: Int32) { self.descriptor = StandardDescriptors.unblocked(descriptor) }

    /// Writes a line, which has no break at its end; `warn` makes a line of what is said of others.
    public func write(_ line: String, warn: (String) -> String) {
        state.withLock { state in
            let waitMs = state.dropped == 0 ? Self.patienceMs : 0
            if state.dropped > 0 {
                let lines = state.dropped == 1 ? "1 line was" : "\(state.dropped) lines were"
                let notice = warn("\(lines) dropped: they could not be written")
                guard put(notice, waitMs, &state) else {
                    state.dropped += 1
                    return
                }
                state.dropped = 0
            }
            if !put(line, waitMs, &state) { state.dropped += 1 }
        }
    }

    /// False: not all of it could be written.
    private func put(_ line: String, _ waitMs: Int32, _ state: inout State) -> Bool {
        var rest = Array("\(state.isCut ? "\n" : "")\(line)\n".utf8)[...]
        while !rest.isEmpty {
            guard StandardDescriptors.isWritable(descriptor, withinMs: waitMs) else { return false }
            let written = rest.withUnsafeBytes {
                Glibc.write(
                    descriptor, $0.baseAddress, min($0.count, StandardDescriptors.mostAtOnce))
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { return false }
            rest = rest.dropFirst(written)
            state.isCut = !rest.isEmpty
        }
        return true
    }
}
