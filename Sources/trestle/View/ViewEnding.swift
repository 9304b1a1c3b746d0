import Glibc

/// Signals that end the viewer. If the loop does not end within a second, the terminal is given back and the process
/// ends without it.
enum ViewEnding {
    // Only handlers of signals, and the one thread of Swift that there is, touch these.
    nonisolated(unsafe) private static var number: sig_atomic_t = 0
    nonisolated(unsafe) private static var code: sig_atomic_t = 0
    /// An end has begun that exits with `code`.
    nonisolated(unsafe) private static var isTimed: sig_atomic_t = 0
    fileprivate static let signals = [SIGTERM, SIGINT, SIGHUP]

    /// The signal that came; nil: none.
    static var asked: Int32? { number == 0 ? nil : number }

    static func prepare() {
        // Touched here, so that no handler is the first to do it.
        _ = (number, code, isTimed)
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGALRM)
        for signal in signals {
            sigaddset(&set, signal)
            Glibc.signal(signal) { number in
                if ViewEnding.number != 0 { return }
                ViewEnding.number = number
                ViewEnding.code = 128 + number
                ViewEnding.isTimed = 1
                alarm(1)
            }
        }
        Glibc.signal(SIGALRM) { number in
            Restoring.restore(isUrgent: true)
            if ViewEnding.isTimed != 0 { _exit(ViewEnding.code) }
            Restoring.die(by: Restoring.deadly == 0 ? number : Restoring.deadly)
        }
        // Whoever started us may have had them blocked.
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    /// The end has begun, and takes a second at most.
    static func hurry(_ exitCode: Int32) {
        code = exitCode
        isTimed = 1
        alarm(1)
    }
}

/// Giving the terminal back: at any exit, and from the handlers of signals that end a process.
enum Restoring {
    // Handlers of signals may read these. The only thread of Swift writes them before it touches the terminal.
    nonisolated(unsafe) static var attributes = termios()
    nonisolated(unsafe) static var isNeeded: sig_atomic_t = 0
    nonisolated(unsafe) private static var isPrepared = false
    /// The signal that the process is dying by; 0: none.
    nonisolated(unsafe) fileprivate static var deadly: sig_atomic_t = 0
    /// Signals that end no process, those that nothing can catch, and one that `main` ignores.
    private static let harmless = [
        SIGKILL, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT, SIGCHLD, SIGURG, SIGWINCH, SIGPIPE,
    ]
    /// The terminal, by a way of its own that never waits: that of standard output is shared with
    /// whoever started us, for whom it must not change. Where it cannot be opened: standard output.
    nonisolated(unsafe) private(set) static var output: Int32 = 1

    // A static string is in memory that is there from the beginning: a handler must not allocate.
    private static let sequence: StaticString =
        "\u{1B}[?2026l\u{1B}[?1006l\u{1B}[?1002l\u{1B}[?2004l\u{1B}[?7h\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l"

    static func prepare() {
        if isPrepared { return }
        isPrepared = true
        if let path = ttyname(1) {
            let own = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
            if own >= 0 { output = own }
        }
        atexit { Restoring.restore() }
        // Touched here, so that no handler is the first to do it.
        _ = (isNeeded, output, deadly, sequence.utf8CodeUnitCount, attributes.c_lflag)
        let others = harmless + ViewEnding.signals + [SIGALRM]
        var set = sigset_t()
        sigemptyset(&set)
        // All that there are, so that none is forgotten. The system refuses two of its own.
        for number in 1...Int32(64) where !others.contains(number) {
            sigaddset(&set, number)
            signal(number) { number in
                Restoring.deadly = number
                // A terminal that stands still keeps the process for a second at most.
                alarm(1)
                Restoring.restore()
                Restoring.die(by: number)
            }
        }
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    /// Ends the process by the signal, from a handler.
    fileprivate static func die(by number: Int32) {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, number)
        signal(number, SIG_DFL)
        raise(number)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    /// `isUrgent`: without waiting until the terminal has taken what is on its way.
    static func restore(isUrgent: Bool = false) {
        guard isNeeded != 0 else { return }
        var at = 0
        while at < sequence.utf8CodeUnitCount {
            let count = write(output, sequence.utf8Start + at, sequence.utf8CodeUnitCount - at)
            if count > 0 {
                at += count
                continue
            }
            // One that takes nothing for so long will not take this either.
            var poll = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
            guard errno == EAGAIN, !isUrgent, Glibc.poll(&poll, 1, 500) > 0 else { break }
        }
        tcsetattr(0, isUrgent ? TCSANOW : TCSAFLUSH, &attributes)
        isNeeded = 0
    }
}
