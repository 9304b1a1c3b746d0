import Glibc
import TableTerminal

/// The terminal on standard input and output, in raw mode: taken at the beginning, and given back
/// as it was whatever happens, short of SIGKILL.
final class TerminalDevice {
    private var hasMouse: Bool
    private(set) var isTaken = false

    init(hasMouse: Bool) {
        self.hasMouse = hasMouse
        Restoring.prepare()
    }

    /// Raw mode, the other screen, no cursor, no wrapping at the right edge, pastes marked.
    func take() throws(Failure) {
        guard tcgetattr(0, &Restoring.attributes) == 0 else {
            throw Failure(.io, "io", "the terminal cannot be asked for its settings")
        }
        var raw = Restoring.attributes
        cfmakeraw(&raw)
        Restoring.isNeeded = 1
        guard tcsetattr(0, TCSADRAIN, &raw) == 0 else {
            throw Failure(.io, "io", "the terminal cannot be set to raw mode")
        }
        isTaken = true
        try write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[?2004h\u{1B}[0m\u{1B}[2J")
        if hasMouse { try setMouse(true) }
    }

    func giveBack() {
        isTaken = false
        Restoring.restore()
    }

    /// Presses, drags and the wheel, in SGR's form, which has no bound at column 223.
    func setMouse(_ isOn: Bool) throws(Failure) {
        hasMouse = isOn
        try write(isOn ? "\u{1B}[?1002h\u{1B}[?1006h" : "\u{1B}[?1006l\u{1B}[?1002l")
    }

    /// Stops the process as ^Z would have, and comes back when it is continued.
    func suspend() throws(Failure) {
        giveBack()
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTSTP)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        // The whole job, as the terminal would: whoever started us waits as well.
        kill(0, SIGTSTP)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        try take()
    }

    var size: (width: Int, height: Int) {
        var size = winsize()
        guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// A terminal that does not take anything more now, such as one over a slow line.
    var isFull: Bool {
        var poll = pollfd(fd: 1, events: Int16(POLLOUT), revents: 0)
        return Glibc.poll(&poll, 1, 0) == 0
    }

    /// What has been typed; nil: the terminal is gone.
    func read() -> [UInt8]? {
        var poll = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
        guard Glibc.poll(&poll, 1, 0) > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = bytes.withUnsafeMutableBytes { Glibc.read(0, $0.baseAddress, $0.count) }
        if count > 0 { return Array(bytes[..<count]) }
        return count < 0 && (errno == EINTR || errno == EAGAIN) ? [] : nil
    }

    func write(_ text: String) throws(Failure) { try Output.write(text) }

    func write(_ bytes: [UInt8]) throws(Failure) {
        if !bytes.isEmpty { try Output.write(String(decoding: bytes, as: UTF8.self)) }
    }

    /// As the environment says it.
    static var colours: ColorDepth {
        if let no = Output.environment("NO_COLOR"), !no.isEmpty { return .none }
        let term = Output.environment("TERM") ?? ""
        if let more = Output.environment("COLORTERM"), more == "truecolor" || more == "24bit" {
            return .all
        }
        if term.hasSuffix("-direct") { return .all }
        if term.contains("256") { return .many }
        return term.hasPrefix("vt") ? .none : .sixteen
    }
}

/// Giving the terminal back: at any exit, and from the handlers of signals that end a process.
private enum Restoring {
    // Handlers of signals may read these at any time; they are written before the terminal is
    // touched, by the only thread of Swift that there is.
    nonisolated(unsafe) static var attributes = termios()
    nonisolated(unsafe) static var isNeeded: sig_atomic_t = 0
    nonisolated(unsafe) private static var isPrepared = false

    // A static string is in memory that is there from the beginning: a handler must not allocate.
    private static let sequence: StaticString =
        "\u{1B}[?2026l\u{1B}[?1006l\u{1B}[?1002l\u{1B}[?2004l\u{1B}[?7h\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l"

    static func prepare() {
        if isPrepared { return }
        isPrepared = true
        atexit { Restoring.restore() }
        // Touched here, so that no handler is the first to do it.
        _ = (isNeeded, sequence.utf8CodeUnitCount, attributes.c_lflag)
        for number in [SIGSEGV, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSYS] {
            signal(number) { number in
                Restoring.restore()
                signal(number, SIG_DFL)
                raise(number)
            }
        }
    }

    static func restore() {
        guard isNeeded != 0 else { return }
        isNeeded = 0
        _ = write(1, sequence.utf8Start, sequence.utf8CodeUnitCount)
        tcsetattr(0, TCSAFLUSH, &attributes)
    }
}
