import CZeroMQ
import Glibc

/// A contestant that does the job.
enum Contestant: String, CaseIterable, Codable, CodingKeyRepresentable {
    case trestle, redis, libzmq
    /// libzmq with a log that is preallocated and overwritten, not appended to.
    case libzmqPreallocated = "libzmq-preallocated"
    /// The first with a message for each command, as a daemon publishes that does not pack them.
    case libzmqEach = "libzmq-each"
    case etcd

    /// One of the floors, which differ in their log and in what they publish.
    var isFloor: Bool { self == .libzmq || self == .libzmqPreallocated || self == .libzmqEach }

    /// Those that every run has; etcd is there if it is installed.
    static var usual: [Contestant] {
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        let hasEtcd = path.split(separator: ":").contains { access("\($0)/etcd", X_OK) == 0 }
        return allCases.filter { $0 != .etcd || hasEtcd }
    }

    func requestEndpoint(in directory: String) -> String {
        endpoint(in: directory, at: 0, isFloor ? "floor.sock" : "request.sock")
    }

    func publishEndpoint(in directory: String) -> String {
        endpoint(in: directory, at: 1, isFloor ? "floor-pub.sock" : "publish.sock")
    }

    /// A late joiner asks here for the table. Joiners are measured on unix sockets only.
    func snapshotEndpoint(in directory: String) -> String {
        isFloor
            ? "ipc://\(directory)/floor-snap.sock" : requestEndpoint(in: directory)
    }

    /// On tcp where ports are reserved in the directory, else on a unix socket there.
    private func endpoint(in directory: String, at offset: Int, _ file: String) -> String {
        Port.first(in: directory).map { "tcp://127.0.0.1:\($0 + offset)" }
            ?? "ipc://\(directory)/\(file)"
    }

    /// Starts its server, empty, and waits until it answers.
    func start(
        _ options: Options, rows: Int, medium: Medium, in directory: String
    ) throws(Failure) -> Child {
        let child = try launch(options, rows: rows, medium: medium, in: directory)
        try awaitRows(0, in: directory)
        return child
    }

    /// Starts its server.
    func launch(
        _ options: Options, rows: Int, medium: Medium, in directory: String
    ) throws(Failure) -> Child {
        let log = "\(directory)/\(rawValue).log"
        let variables = try medium.variables(options)
        switch self {
        case .trestle:
            var arguments = [
                "--state-directory", directory + "/state", "--endpoint",
                requestEndpoint(in: directory),
            ]
            if rows >= 1_000_000 {
                arguments += ["--config", try Self.writeConfiguration(in: directory)]
            }
            // As systemd/trestled.service does.
            let environment = ["GLIBC_TUNABLES=glibc.malloc.hugetlb=1"] + variables
            return try Child("env", environment + [options.trestled] + arguments, log: log)
        case .libzmq, .libzmqPreallocated, .libzmqEach:
            let arguments = [options.program, "floor", directory, "\(rows)", rawValue]
            return try Child("env", variables + arguments, log: log)
        case .etcd: return try Etcd.launch(variables, in: directory, log: log)
        case .redis:
            let arguments = [
                options.redis, "--port", "0", "--unixsocket", directory + "/redis.sock", "--dir",
                directory, "--appendonly", "yes", "--appendfsync", "always", "--save", "",
                "--loglevel", "warning",
            ]
            return try Child("env", variables + arguments, log: log)
        }
    }

    /// With a million rows, what the load inserts is beyond what a daemon allows by itself.
    private static func writeConfiguration(in directory: String) throws(Failure) -> String {
        let path = directory + "/trestled.yaml"
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        let text = Array("limits:\n  rows: 2000000\n".utf8)
        guard file >= 0, write(file, text, text.count) == text.count else {
            throw Failure("write \(path)")
        }
        close(file)
        return path
    }

    /// Waits for a reply that knows at least so many rows.
    func awaitRows(_ rows: Int, in directory: String) throws(Failure) {
        switch self {
        case .trestle:
            try withRequests(in: directory) { socket throws(Failure) in
                guard try socket.ask(TrestleWords.tables, TrestleWords.rows) >= rows else {
                    throw Failure("the daemon has lost rows")
                }
            }
        case .libzmq, .libzmqPreallocated, .libzmqEach:
            try withRequests(in: directory) { socket throws(Failure) in
                try socket.ask(TrestleWords.hello) { _ in }
            }
        case .etcd:
            let end = nanoseconds() + 60_000_000_000
            while nanoseconds() < end {
                if (try? fillEtcd([0..<1], in: directory)) != nil { return }
                usleep(10_000)
            }
            throw Failure("etcd does not start")
        case .redis:
            let end = nanoseconds() + 60_000_000_000
            while nanoseconds() < end {
                if let count = try? redisRows(in: directory), count >= rows { return }
                usleep(500)
            }
            throw Failure("Redis has lost rows, or does not start")
        }
    }

    /// -1 while it is loading.
    private func redisRows(in directory: String) throws(Failure) -> Int {
        let connection = try Connection(path: directory + "/redis.sock")
        defer { connection.close() }
        try connection.send(RedisWords.count)
        var room = [UInt8](repeating: 0, count: 256)
        let count = try connection.receive(into: &room)
        guard room[0] == UInt8(ascii: ":") else { return -1 }
        return room[..<count].withUnsafeBytes { RESP.number($0, at: 0)?.0 ?? -1 }
    }

    /// Gives it the table's rows.
    func fill(rows: Int, in directory: String) throws(Failure) {
        let batches = stride(from: 0, to: rows, by: 500).map { $0..<min(rows, $0 + 500) }
        switch self {
        case .libzmq, .libzmqPreallocated, .libzmqEach: return
        case .etcd:
            // Within what HTTP/2 lets a client send at first, and what etcd takes at once.
            let few = stride(from: 0, to: rows, by: 40).map { $0..<min(rows, $0 + 40) }
            try fillEtcd(few, in: directory)
        case .trestle:
            try withRequests(in: directory) { socket throws(Failure) in
                let requests = [TrestleWords.create] + batches.map(TrestleWords.fill)
                for request in requests {
                    guard try socket.ask(request, TrestleWords.isOk) else {
                        throw Failure("the table cannot be filled")
                    }
                }
            }
        case .redis:
            let connection = try Connection(path: directory + "/redis.sock")
            defer { connection.close() }
            var room = [UInt8](repeating: 0, count: 64 << 10)
            for batch in batches {
                try connection.send(RedisWords.fill(batch))
                var lines = 0
                while lines < 2 * batch.count {
                    let count = try connection.receive(into: &room)
                    lines += room[..<count].count { $0 == 10 }
                }
            }
        }
    }

    /// Has so many messages of 700 KB published to each viewer.
    func publishLarge(_ count: Int, in directory: String) throws(Failure) {
        switch self {
        case .trestle:
            try withRequests(in: directory) { socket throws(Failure) in
                for index in 0..<count / 2 {
                    for request in TrestleWords.largeBatches(index) {
                        guard try socket.ask(request, TrestleWords.isOk) else {
                            throw Failure("a large batch was refused")
                        }
                    }
                }
            }
        case .redis:
            let connection = try Connection(path: directory + "/redis.sock")
            defer { connection.close() }
            var room = [UInt8](repeating: 0, count: 64)
            let message = RedisWords.large
            for _ in 0..<count {
                try connection.send(message)
                _ = try connection.receive(into: &room)
            }
        case .libzmq, .libzmqPreallocated, .libzmqEach, .etcd:
            throw Failure("\(rawValue) is not measured with a stalled viewer")
        }
    }

    private func fillEtcd(_ batches: [Range<Int>], in directory: String) throws(Failure) {
        var connection = try GrpcConnection(
            port: Port.first(in: directory) ?? 0, path: EtcdWords.transaction)
        defer { connection.close() }
        for batch in batches {
            try connection.request(EtcdWords.fill(batch))
            var result = (answered: 0, failed: 0)
            while result.answered == 0 { result = try connection.receive(waits: true) { _ in } }
            guard result.failed == 0 else { throw Failure("etcd refused rows") }
        }
    }

    /// A connection to the daemon, for a while.
    func withRequests(
        in directory: String, _ body: (Zmtp) throws(Failure) -> Void
    ) throws(Failure) {
        let connection = try Zmtp(.dealer, to: requestEndpoint(in: directory))
        defer { connection.close() }
        try body(connection)
    }
}
