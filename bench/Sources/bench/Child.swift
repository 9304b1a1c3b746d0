import FoundationEssentials
import Glibc

/// A process of ours: a server, or one of this program's own parts. In our own process group, so
/// that ^C ends all.
final class Child {
    let pid: pid_t
    private let input: Int32
    private let output: Int32
    private var rest: [UInt8] = []
    private var hasEnded = false
    private let log: String

    /// Starts a program. What it says on standard error goes to `log`.
    init(_ program: String, _ arguments: [String], log: String) throws(Failure) {
        self.log = log
        var toChild: [Int32] = [0, 0]
        var fromChild: [Int32] = [0, 0]
        guard pipe(&toChild) == 0, pipe(&fromChild) == 0 else { throw Failure("pipe") }
        // Or a later child would keep this one's pipes open.
        for end in toChild + fromChild { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
        posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)
        posix_spawn_file_actions_addopen(&actions, 2, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        // Servers are to meet SIGPIPE as they would without us.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var defaults = sigset_t()
        sigemptyset(&defaults)
        sigaddset(&defaults, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
        words.append(nil)
        defer { for word in words { free(word) } }
        var pid: pid_t = 0
        let code = posix_spawnp(&pid, program, &actions, &attributes, words, environ)
        Glibc.close(toChild[0])
        Glibc.close(fromChild[1])
        self.pid = pid
        input = toChild[1]
        output = fromChild[0]
        guard code == 0 else {
            errno = code
            throw Failure("start \(program)")
        }
    }

    deinit {
        stop(SIGKILL)
        Glibc.close(input)
        Glibc.close(output)
    }

    /// The next line it says.
    func line() throws(Failure) -> String {
        while true {
            if let end = rest.firstIndex(of: 10) {
                let line = String(decoding: rest[..<end], as: UTF8.self)
                rest.removeFirst(end + 1)
                return line
            }
            var room = [UInt8](repeating: 0, count: 4_096)
            let count = read(output, &room, room.count)
            guard count > 0 else {
                errno = 0
                let last = contents(log).split(separator: "\n").suffix(3)
                throw Failure(
                    "process \(pid) ended before it answered\n\(last.joined(separator: "\n"))")
            }
            rest.append(contentsOf: room[..<count])
        }
    }

    /// Gives it a line on its standard input.
    func tell(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = write(input, bytes, bytes.count)
    }

    func signal(_ number: Int32) { kill(pid, number) }

    /// Ends it, and waits until it has ended.
    func stop(_ signal: Int32 = SIGTERM) {
        if hasEnded { return }
        hasEnded = true
        kill(pid, signal)
        var status: Int32 = 0
        waitpid(pid, &status, 0)
    }

    /// Waits until it has ended by itself, and well.
    func awaitEnd() throws(Failure) {
        var status: Int32 = 0
        guard waitpid(pid, &status, 0) == pid else { throw Failure("wait for \(pid)") }
        hasEnded = true
        errno = 0
        guard status == 0 else { throw Failure("process \(pid) ended with \(status)") }
    }

    /// Seconds of processor time so far, of all threads that it has, to the nanosecond (sched-stats).
    var processorSeconds: Double {
        let path = "/proc/\(pid)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        let ns = threads.map { thread in
            contents("\(path)/\(thread)/schedstat").split(separator: " ").first.flatMap {
                Double($0)
            } ?? 0
        }
        return ns.reduce(0, +) / 1e9
    }

    /// Bytes of memory that it holds now.
    var residentBytes: Int {
        let fields = contents("/proc/\(pid)/statm").split(separator: " ")
        return fields.count > 1 ? (Int(fields[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE))) : 0
    }
}

/// A small file as text; empty when it cannot be read.
func contents(_ path: String) -> String {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return "" }
    defer { close(file) }
    var room = [UInt8](repeating: 0, count: 64 << 10)
    let count = read(file, &room, room.count)
    return String(decoding: room[..<max(0, count)], as: UTF8.self)
}
