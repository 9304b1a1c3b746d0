import CZeroMQ
import Glibc

/// Who does the job.
enum Contestant: String, CaseIterable, Codable, CodingKeyRepresentable {
    case trestle, redis, libzmq

    func requestEndpoint(in directory: String) -> String {
        self == .libzmq ? "ipc://\(directory)/floor.sock" : "ipc://\(directory)/request.sock"
    }

    func publishEndpoint(in directory: String) -> String {
        self == .libzmq ? "ipc://\(directory)/floor-pub.sock" : "ipc://\(directory)/publish.sock"
    }

    /// Starts its server, empty, and waits until it answers.
    func start(_ options: Options, in directory: String) throws(Failure) -> Child {
        let log = "\(directory)/\(rawValue).log"
        switch self {
        case .trestle:
            let child = try Child(
                options.trestled,
                [
                    "--state-directory", directory + "/state", "--endpoint",
                    requestEndpoint(in: directory),
                ], log: log)
            try withRequests(in: directory) { socket throws(Failure) in
                try socket.ask(TrestleWords.hello) { _ in }
            }
            return child
        case .libzmq: return try Child(options.program, ["floor", directory], log: log)
        case .redis:
            let child = try Child(
                options.redis,
                [
                    "--port", "0", "--unixsocket", directory + "/redis.sock", "--dir", directory,
                    "--appendonly", "yes", "--appendfsync", "always", "--save", "",
                    "--loglevel", "warning",
                ], log: log)
            for _ in 0..<500 where access(directory + "/redis.sock", F_OK) != 0 { usleep(10_000) }
            return child
        }
    }

    /// Gives it the table's rows.
    func fill(rows: Int, in directory: String) throws(Failure) {
        let batches = stride(from: 0, to: rows, by: 500).map { $0..<min(rows, $0 + 500) }
        switch self {
        case .libzmq: return
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
            let connection = try RedisConnection(path: directory + "/redis.sock")
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

    /// A socket to the daemon, for a while.
    func withRequests(
        in directory: String, _ body: (Zmq) throws(Failure) -> Void
    ) throws(Failure) {
        let context = zmq_ctx_new()
        defer { zmq_ctx_term(context) }
        let socket = try Zmq(ZMQ_DEALER, in: context)
        defer { socket.close() }
        try socket.connect(requestEndpoint(in: directory))
        try body(socket)
    }
}
