import Glibc
import TableTerminal

/// The terminal in raw mode. It is given back as it was, whatever happens short of SIGKILL.
final class TerminalDevice {
    private var hasMouse: Bool
    private(set) var isTaken = false
    private(set) var isGone = false
    /// Bytes that the terminal did not take yet. Nothing waits for it, so keys are heard on a slow line.
    private var backlog: ArraySlice<UInt8> = []
    var hasBacklog: Bool { !backlog.isEmpty }

    init(hasMouse: Bool) {
        self.hasMouse = hasMouse
        Restoring.prepare()
    }

    /// Raw mode, the other screen, no cursor, no wrapping at the right edge, pastes marked.
    func takeOver() throws(Failure) {
        guard tcgetattr(0, &Restoring.attributes) == 0 else {
            throw Failure(.io, "the terminal cannot be asked for its settings")
        }
        var raw = Restoring.attributes
        cfmakeraw(&raw)
        Restoring.isNeeded = 1
        guard tcsetattr(0, TCSADRAIN, &raw) == 0 else {
            throw Failure(.io, "the terminal cannot be set to raw mode")
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
        backlog = []
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTSTP)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        // The whole job, as the terminal would: whoever started us waits as well.
        kill(0, SIGTSTP)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        try takeOver()
    }

    var size: (width: Int, height: Int) { Output.size.map { ($0.columns, $0.rows) } ?? (80, 24) }

    /// The bytes that were typed; nil: the terminal is gone.
    func read() -> [UInt8]? {
        var poll = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
        guard Glibc.poll(&poll, 1, 0) > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = bytes.withUnsafeMutableBytes { Glibc.read(0, $0.baseAddress, $0.count) }
        if count > 0 { return Array(bytes[..<count]) }
        return count < 0 && (errno == EINTR || errno == EAGAIN) ? [] : nil
    }

    func write(_ text: String) throws(Failure) { try write(Array(text.utf8)) }

    func write(_ bytes: [UInt8]) throws(Failure) {
        backlog += bytes
        try flush()
    }

    /// Writes as much as the terminal takes now.
    func flush() throws(Failure) {
        while !backlog.isEmpty {
            let count = backlog.withUnsafeBytes {
                Glibc.write(Restoring.output, $0.baseAddress, $0.count)
            }
            if count > 0 {
                backlog = backlog.dropFirst(count)
                continue
            }
            switch errno {
            case EAGAIN: return
            case EINTR: continue
            case EIO, EPIPE:
                (isGone, backlog) = (true, [])
            default: throw Failure(cannot: "write to the terminal")
            }
        }
    }

    static var colours: ColorDepth {
        if let no = Output.environment("NO_COLOR"), !no.isEmpty { return .none }
        let term = Output.environment("TERM") ?? ""
        if let more = Output.environment("COLORTERM"), more == "truecolor" || more == "24bit" {
            return .all
        }
        if term.hasSuffix("-direct") { return .all }
        if term.firstRange(of: "256") != nil { return .many }
        return term.hasPrefix("vt") ? .none : .sixteen
    }
}
