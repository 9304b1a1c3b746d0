import Glibc
import Synchronization

/// Lines for a descriptor whose reader may stand still, or be gone: the daemon's one thread must not wait
/// for it. What cannot be written is counted, and the next line that can be says so.
final class LogLines: Sendable {
    /// The process's standard error.
    static let standardError = LogLines(isatty(2) == 1 ? own(2) : 2)

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
    /// A pipe that has any room has as much (PIPE_BUF): a larger write could wait for more of it.
    private static let most = 4_096

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// A terminal says that it can be written to where a write still waits. So that none does it is opened once
    /// more: others have the first one, such as the shell, and theirs must wait.
    private static func own(_ descriptor: Int32) -> Int32 {
        let flags = O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        let own = open("/proc/self/fd/\(descriptor)", flags)
        return own < 0 ? descriptor : own
    }

    /// Writes a line, which has no break at its end; `warn` makes a line of what is said of others.
    func write(_ line: String, warn: (String) -> String) {
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
            guard isWritable(waitMs) else { return false }
            let written = rest.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, min($0.count, Self.most))
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { return false }
            rest = rest.dropFirst(written)
            state.isCut = !rest.isEmpty
        }
        return true
    }

    /// A file is always.
    private func isWritable(_ waitMs: Int32) -> Bool {
        var look = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while true {
            let count = poll(&look, 1, waitMs)
            if count < 0, errno == EINTR { continue }
            return count > 0
        }
    }
}
