import Glibc
import TableClient
import TableTransport

/// Shows on a terminal at standard error how far long work is, and leaves the line as it was.
final class Progress {
    private let what: String
    private let beganMs = monotonicMs()
    private var shownMs: UInt64 = 0
    private var isShown = false
    private static let canShow = isatty(2) == 1 && Output.environment("TERM") != "dumb"
    /// The time that a command may take without a word of progress.
    private static let patienceMs: UInt64 = 300
    /// As often as the eye follows.
    private static let pauseMs: UInt64 = 100

    init(_ what: String) { self.what = what }

    deinit { clear() }

    /// So many of so many are done.
    func show(_ done: Int, of total: Int) {
        guard Self.canShow, total > 0 else { return }
        let now = monotonicMs()
        guard now - beganMs >= Self.patienceMs, now - shownMs >= Self.pauseMs else { return }
        shownMs = now
        isShown = true
        let percent = min(100, done * 100 / total)
        StandardDescriptors.write("\r\u{1B}[K\(what.shown.clipped(to: 60)): \(percent) %", to: 2)
    }

    /// Leaves the line as it was.
    func clear() {
        guard isShown else { return }
        isShown = false
        StandardDescriptors.write("\r\u{1B}[K", to: 2)
    }
}
