import Glibc
import TableModel

/// A program that is run for an invocation: gets text on standard input, and what it says on
/// standard output and standard error goes to our standard error.
///
/// It stands in a process group of its own, so that an interrupt at the terminal does not reach it
/// before we have decided what becomes of it.
final class Child {
    let pid: pid_t
    /// The last bytes that the program wrote on standard error.
    private var tail: [UInt8] = []
    private let errors: Int32
    private let pass: (ArraySlice<UInt8>) -> Void
    private static let tailBytes = 4 << 10
    /// A program that says things without end must not keep us from the others.
    private static let mostReads = 64
    /// Linux's F_SETPIPE_SZ, which Glibc's module leaves out.
    private static let setPipeSize: Int32 = 1_031
    /// Passes a signal to its program when we die: what nobody would hear of shall not go on.
    private static let keeper = ["/usr/bin/setpriv", "--pdeathsig", "KILL", "--"]

    /// Starts `command`, which is looked up in the PATH, with `environment` added to ours. `pass` gets what it says.
    init(
        _ command: [String], environment: [(String, String)], input: String,
        pass: @escaping (ArraySlice<UInt8>) -> Void
    ) throws(Failure) {
        self.pass = pass
        var words = command
        if access(Self.keeper[0], X_OK) == 0 { words = Self.keeper + command }
        let stdin = try Self.pipe()
        let stderr = try Self.pipe()
        defer {
            close(stdin.reading)
            close(stdin.writing)
            close(stderr.writing)
        }
        errors = stderr.reading
        // The whole row fits: nobody has to wait for the program to read it.
        _ = fcntl(stdin.writing, Self.setPipeSize, 1 << 20)
        _ = fcntl(stdin.writing, F_SETFL, O_NONBLOCK)
        _ = fcntl(errors, F_SETFL, O_NONBLOCK)
        var text = input
        text.withUTF8 { _ = write(stdin.writing, $0.baseAddress, $0.count) }
        var child: pid_t = 0
        let code = Self.spawn(
            words, environment, stdin: stdin.reading, stderr: stderr.writing, &child)
        pid = child
        guard code == 0 else {
            close(errors)
            throw Failure(cannot: "run \(command[0])", code)
        }
    }

    deinit { close(errors) }

    private static func pipe() throws(Failure) -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { throw Failure(cannot: "make a pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    /// Returns 0, or the `errno`.
    private static func spawn(
        _ words: [String], _ environment: [(String, String)], stdin: Int32, stderr: Int32,
        _ child: inout pid_t
    ) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, stdin, 0)
        posix_spawn_file_actions_adddup2(&actions, stderr, 1)
        posix_spawn_file_actions_adddup2(&actions, stderr, 2)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // What we block or ignore is our own matter.
        var none = sigset_t()
        sigemptyset(&none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var names: Set<String> = []
        var variables: [String] = []
        for (name, value) in environment.reversed() where names.insert(name).inserted {
            variables.append("\(name)=\(value)")
        }
        var at = environ
        while let variable = at.pointee {
            let text = String(cString: variable)
            let name = text.split(separator: "=", maxSplits: 1).first.map { String($0) } ?? text
            if !names.contains(name) { variables.append(text) }
            at += 1
        }
        return withCStrings(words) { arguments in
            withCStrings(variables) { variables in
                guard let program = arguments[0] else { return ENOENT }
                return posix_spawnp(&child, program, &actions, &attributes, arguments, variables)
            }
        }
    }

    private static func withCStrings<T>(
        _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> T
    ) -> T {
        let copies = texts.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }

    // MARK: While it runs, and afterwards

    /// Takes over what it said, and passes it on.
    func pump() {
        var part = [UInt8](repeating: 0, count: 4 << 10)
        for _ in 0..<Self.mostReads {
            let count = part.withUnsafeMutableBytes { read(errors, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            pass(part[..<count])
            tail = Array((tail + part[..<count]).suffix(Self.tailBytes))
        }
    }

    /// The way in which the program ended; nil while it runs.
    func ended() -> Invocation.Outcome? {
        var status: Int32 = 0
        guard waitpid(pid, &status, WNOHANG) == pid else { return nil }
        pump()
        let signal = status & 0x7f
        if signal != 0 { return .failed(OwnReason.signal.text("\(signal)")) }
        let code = status >> 8 & 0xff
        if code == 0 { return .done }
        return .failed(lastLine ?? OwnReason.status.text("\(code)"))
    }

    /// The last line of standard error that is not empty, within what a reason may be.
    private var lastLine: String? {
        let lines = tail.split(whereSeparator: { $0 == 10 || $0 == 13 || $0 == 0 })
        let last = lines.last { line in line.contains { $0 > 32 } }
        guard let last else { return nil }
        // What is cut, or no text at all, is replaced: a reason is for people.
        var text = String(decoding: last.suffix(900), as: UTF8.self)
        while text.utf8.count > 1_000 { text.removeFirst() }
        return text
    }

    /// Sends a signal to the program and to all that it has started.
    func signal(_ number: Int32) { kill(-pid, number) }
}
